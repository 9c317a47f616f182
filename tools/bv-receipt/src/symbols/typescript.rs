//! TypeScript, with and without JSX: what JavaScript has, and namespaces, interfaces, enums, type aliases,
//! overloads and abstract members.

use super::javascript;
use super::titles::title;
use super::tree::{field, text};
use super::{Definition, Kind, Language};
use tree_sitter::Node;

/// TypeScript's definitions.
pub const LANGUAGE: Language = Language {
    is_lead: javascript::is_lead,
    keywords: javascript::KEYWORDS,
    plain: javascript::plain,
    ..Language::new(&["ts", "mts", "cts"], || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(), definition)
};

/// The same where `<` may begin an element.
pub const WITH_JSX: Language =
    Language { extensions: &["tsx"], grammar: || tree_sitter_typescript::LANGUAGE_TSX.into(), ..LANGUAGE };

fn definition(node: Node, above: &[Node], source: &[u8]) -> Option<Definition> {
    match node.kind() {
        "abstract_class_declaration"
        | "interface_declaration"
        | "enum_declaration"
        | "type_alias_declaration" => Some(Definition::typ(field(node, "name", source)?, node)),
        "function_signature" | "method_signature" | "abstract_method_signature" => {
            Some(Definition::function(field(node, "name", source)?, node))
        }
        "internal_module" | "module" => {
            let name = node.child_by_field_name("name")?;
            let name = title(name, source).or_else(|| Some(text(name, source)?.to_owned()))?;
            Some(Definition::new(name, Kind::Scope, node))
        }
        _ => javascript::definition(node, above, source),
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::tests::check;

    #[test]
    fn types_and_members_are_found() {
        check(
            "a.ts",
            "//=",
            "\
namespace A.B {
  export function f(x: number): void { go() } //= A.B.f 2-2
}
export abstract class Cart<T> implements I {
  private readonly y = (a: T): void => { go() }; //= Cart.y 5-5
  constructor(private z: number) {
    super(); //= Cart.constructor 6-8
  }
  @log() //= Cart.add 9-10
  public async add<K>(x?: K): Promise<void> { go() } //= Cart.add 10-10
  abstract n(): void; //= Cart.n 11-11
  total: number; //= Cart 4-13
}
interface I {
  a(): void; //= I.a 15-15
  b: string; //= I 14-17
}
enum E { //= E 18-20
  A, //= E 18-20
}
type T = { x: number }; //= T 21-21
function o(x: string): void; //= o 22-22
function o(x?: any) { //= o 23-25
  go(); //= o 23-25
}
export const f = <T,>(x: T): T => { go() }; //= f 26-26
const g = ((x: number) => { go() }) as Fn; //= g 27-27
describe('a', () => { it('b', async () => { go() }) }); //= a › b 28-28
",
        );
    }

    #[test]
    fn jsx_is_read_where_it_may_stand() {
        check(
            "a.tsx",
            "//=",
            "\
export const Button: FC<Props> = ({ go }: Props) => { //= Button 1-3
  return <a onClick={() => go()}>x</a>; //= Button 1-3
};
class Box extends React.Component<Props> {
  render() { return <b>{this.x as any}</b> } //= Box.render 5-5
}
",
        );
    }

    #[test]
    fn an_unfinished_source_still_gives_its_functions() {
        check(
            "a.ts",
            "//=",
            "\
class A {
  m(x: number {
    return x; //= A.m 2-4
  }
  n(): number { return 1 }  //= A.n 5-5
}
",
        );
    }
}

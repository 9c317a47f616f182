//! C#: types and their methods, constructors (`Cart.Cart`), properties, indexers, operators and events,
//! local functions, and fields that hold a lambda. Namespaces are no part of a name.

use super::printed;
use super::tree::{field, first_own, text};
use super::{Definition, Kind, Language};
use tree_sitter::Node;

/// C#'s definitions.
pub const LANGUAGE: Language = Language {
    keywords: &[
        ("class", Kind::Type),
        ("struct", Kind::Type),
        ("interface", Kind::Type),
        ("record", Kind::Type),
        ("enum", Kind::Type),
    ],
    plain,
    accessors: &["get_", "set_", "init_", "add_", "remove_"],
    ..Language::new(&["cs", "csx"], || tree_sitter_c_sharp::LANGUAGE.into(), definition)
};

fn definition(node: Node, above: &[Node], source: &[u8]) -> Option<Definition> {
    let named = || field(node, "name", source).map(str::to_owned);
    let (kind, name) = match node.kind() {
        "class_declaration"
        | "struct_declaration"
        | "interface_declaration"
        | "record_declaration"
        | "enum_declaration"
        | "delegate_declaration" => (Kind::Type, named()?),
        "method_declaration"
        | "constructor_declaration"
        | "property_declaration"
        | "event_declaration"
        | "local_function_statement" => (Kind::Function, named()?),
        "destructor_declaration" => (Kind::Function, format!("~{}", named()?)),
        "indexer_declaration" => (Kind::Function, "this[]".to_owned()),
        "operator_declaration" => {
            let sign = node.child_by_field_name("operator").and_then(|sign| text(sign, source))?;
            (Kind::Function, format!("operator {sign}"))
        }
        "conversion_operator_declaration" => {
            (Kind::Function, format!("operator {}", field(node, "type", source)?))
        }
        "variable_declarator" => {
            let is_field = above.iter().rev().nth(1).is_some_and(|of| of.kind() == "field_declaration");
            let mut children = node.walk();
            let mut values = node.named_children(&mut children);
            if !is_field || !values.any(|value| value.kind() == "lambda_expression") {
                return None;
            }
            (Kind::Function, named()?)
        }
        _ => return None,
    };
    Some(Definition::new(name, kind, node).from(first_own(node, |part| part.kind() == "attribute_list")))
}

/// The runtime prints `Shop.Cart.Add(Int32 x)`, `Cart.<Add>b__0_1`, `Cart.<>c.<Add>b__0`,
/// `Cart.<AddAsync>d__3.MoveNext()`, `Program.<Main>g__Local|0_0`, `Cart..ctor`, `Cart.op_Addition`.
fn plain(printed: &str) -> Option<&str> {
    let qualified = printed::without_arguments(printed);
    let qualified = qualified.strip_suffix(".MoveNext").unwrap_or(qualified);
    let last = match qualified.rfind('<') {
        // A name that the compiler made of another.
        Some(at) if qualified[at..].contains(">") && !qualified.ends_with('>') => &qualified[at..],
        _ => printed::last_part(qualified),
    };
    if let Some((of, made)) = last.strip_prefix('<').and_then(|inner| inner.split_once('>')) {
        let local = made.strip_prefix("g__").and_then(|local| local.split('|').next());
        return local.or(Some(of)).filter(|name| !name.is_empty());
    }
    let is_unnamed =
        matches!(last, "ctor" | "cctor" | "MoveNext" | "lambda_method") || last.starts_with("op_");
    printed::plain(last).filter(|_| !is_unnamed)
}

#[cfg(test)]
mod tests {
    use super::super::Symbols;
    use super::super::table::tests::{check, check_printed};

    #[test]
    fn members_have_the_names_of_their_types() {
        check(
            "Cart.cs",
            "//=",
            "\
namespace A.B;

[TestClass] //= Cart 3-29
public partial class Cart<T> : Base { //= Cart 4-29
  [Fact] //= Cart.Add 5-11
  public async Task<int> Add(int x) { //= Cart.Add 6-11
    int Local(int y) { //= Cart.Add.Local 7-9
      return y; //= Cart.Add.Local 7-9
    }
    Func<int> g = () => { return 1; }; //= Cart.Add 6-11
  }
  public Cart() : base() { //= Cart.Cart 12-14
    go(); //= Cart.Cart 12-14
  }
  ~Cart() { go(); } //= Cart.~Cart 15-15
  public int Total { //= Cart.Total 16-19
    get { return 1; } //= Cart.Total 16-19
    set { go(); } //= Cart.Total 16-19
  }
  public int Q => 1; //= Cart.Q 20-20
  public int this[int i] { get { return 1; } } //= Cart.this[] 21-21
  public static Cart operator +(Cart a, Cart b) { return a; } //= Cart.operator + 22-22
  public static implicit operator int(Cart c) => 1; //= Cart.operator int 23-23
  void IFoo.Bar() { go(); } //= Cart.Bar 24-24
  Action f = () => { go(); }; //= Cart.f 25-25
  struct S {
    void N() { go(); } //= Cart.S.N 27-27
  }
}
record P(int X) { int M() => 1; } //= P.M 30-30
enum F { //= F 31-33
  A, //= F 31-33
}
",
        );
        check("Top.cs", "//=", "void Top() { go(); } //= Top 1-1\nConsole.Write(1); //= -\n");
        check("N.cs", "//=", "namespace A {\n  class K {\n    void M() { } //= K.M 3-3\n  }\n}\n");
    }

    #[test]
    fn an_accessor_is_its_property() {
        let symbols =
            Symbols::of("A.cs", "class A {\n  int Total { get { return 1; } }\n}\n").expect("c# is known");
        assert_eq!(symbols.at(2, Some("get_Total")).map(|symbol| symbol.name).as_deref(), Some("A.Total"));
        assert_eq!(symbols.at(2, Some("get_Other")), None);
    }

    #[test]
    fn an_unfinished_source_still_gives_its_methods() {
        check(
            "A.cs",
            "//=",
            "\
class A {
  void M() {
    int x = ; //= A.M 2-5
    Foo( //= A.M 2-5
  }
  int N() { return 1; } //= A.N 6-6
}
",
        );
    }

    #[test]
    fn what_the_runtime_prints_is_read() {
        check_printed(
            "A.cs",
            &[
                ("Shop.Cart.Add(Int32 x)", "Add"),
                ("Shop.Cart`1.Add[T](T x)", "Add"),
                ("Shop.Cart.<Add>b__0_1(Int32 x)", "Add"),
                ("Shop.Cart.<>c__DisplayClass1_0.<Add>b__0()", "Add"),
                ("Shop.Cart.<AddAsync>d__3.MoveNext()", "AddAsync"),
                ("Program.<Main>g__Local|0_0()", "Local"),
                ("Shop.Cart..ctor(Int32 x)", "-"),
                ("Shop.Cart..cctor()", "-"),
                ("Shop.Cart.op_Addition(Cart a)", "-"),
                ("MoveNext", "-"),
            ],
        );
    }
}

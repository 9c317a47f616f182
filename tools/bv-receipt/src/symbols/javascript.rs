//! JavaScript, JSX in it: functions, classes and their members, also those without a name of their own that
//! are assigned to a variable, a property or an export; else test blocks by their titles.
//!
//! A function is named as its runtime names it: by its own name, else by what it is assigned to. An
//! argument of a call has no name, so its lines are those of the function around it.

use super::printed::{self, last_part};
use super::titles::title;
use super::tree::{field, text};
use super::{Definition, Joint, Kind, Language};
use tree_sitter::Node;

/// JavaScript's definitions.
pub const LANGUAGE: Language = Language {
    is_lead,
    keywords: KEYWORDS,
    plain,
    ..Language::new(&["js", "mjs", "cjs", "jsx"], || tree_sitter_javascript::LANGUAGE.into(), definition)
};

/// What begins a definition, in a part of a file that does not parse.
pub const KEYWORDS: &[(&str, Kind)] = &[("function", Kind::Function), ("class", Kind::Type)];

/// A decorator stands before what it decorates.
pub fn is_lead(node: Node) -> bool {
    node.kind() == "decorator"
}

/// The definition that a node is, in JavaScript and in what is built on it.
pub fn definition(node: Node, above: &[Node], source: &[u8]) -> Option<Definition> {
    match node.kind() {
        "function_declaration" | "generator_function_declaration" => {
            Some(Definition::function(field(node, "name", source)?, node))
        }
        "class_declaration" => Some(Definition::typ(field(node, "name", source)?, node)),
        "method_definition" => Some(Definition::function(key(node, "name", source)?, node)),
        "function_expression" | "generator_function" | "arrow_function" => {
            let Some((name, place)) = bound(node, above, source) else {
                return Some(Definition::function(field(node, "name", source)?, node));
            };
            let own = field(node, "name", source).filter(|own| *own != last_part(&name));
            Some(Definition::function(own.map_or(name, str::to_owned), place))
        }
        "class" => {
            let own = field(node, "name", source).map(str::to_owned);
            match bound(node, above, source) {
                Some((name, place)) => Some(Definition::typ(own.unwrap_or(name), place)),
                None => Some(Definition::typ(own?, node)),
            }
        }
        "object" => {
            let (name, place) = bound(node, above, source)?;
            Some(Definition::new(name, Kind::Scope, place))
        }
        "call_expression" => test(node, source).or_else(|| wrapped(node, above, source)),
        _ => None,
    }
}

/// The name that an expression is given by what it is assigned to, and the node of that assignment.
fn bound<'tree>(node: Node<'tree>, above: &[Node<'tree>], source: &[u8]) -> Option<(String, Node<'tree>)> {
    let wrappers =
        ["parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression"];
    let wrapped = above.iter().rev().take_while(|outer| wrappers.contains(&outer.kind())).count();
    let (outer, wraps) = above.split_at(above.len() - wrapped);
    let value = wraps.first().copied().unwrap_or(node);
    let place = *outer.last()?;
    let is_in = |name| place.child_by_field_name(name).is_some_and(|child| child.id() == value.id());
    let name = match place.kind() {
        "variable_declarator" if is_in("value") => {
            let name = place.child_by_field_name("name").filter(|name| name.kind() == "identifier")?;
            text(name, source)?.to_owned()
        }
        "assignment_expression" if is_in("right") => {
            assigned(text(place.child_by_field_name("left")?, source)?)?
        }
        "pair" if is_in("value") => key(place, "key", source)?,
        "field_definition" if is_in("value") => key(place, "property", source)?,
        "public_field_definition" if is_in("value") => key(place, "name", source)?,
        "export_statement" => "default".to_owned(),
        _ => return None,
    };
    Some((name, place))
}

/// `Cart.add` of `Cart.prototype.add`, `get` of `exports.get`; `None` for what is no plain path.
fn assigned(left: &str) -> Option<String> {
    let is_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '#');
    if !left.chars().all(is_path) {
        return None;
    }
    let name = ["module.exports.", "exports.", "this.", "self.", "window.", "globalThis."]
        .iter()
        .find_map(|owner| left.strip_prefix(owner))
        .unwrap_or(left);
    Some(name.replace(".prototype.", "."))
}

/// A property's name without its quotes.
fn key(node: Node, name: &str, source: &[u8]) -> Option<String> {
    let key = node.child_by_field_name(name)?;
    title(key, source).or_else(|| Some(text(key, source)?.to_owned()))
}

/// A constant of the module that a wrapper makes of a function: `const Button = memo(() => …)`.
fn wrapped(call: Node, above: &[Node], source: &[u8]) -> Option<Definition> {
    let [.., outer, _, declarator] = above else { return None };
    let is_of_module = matches!(outer.kind(), "program" | "export_statement");
    if declarator.kind() != "variable_declarator" || !is_of_module || !takes_function(call) {
        return None;
    }
    let name = declarator.child_by_field_name("name").filter(|name| name.kind() == "identifier")?;
    Some(Definition::typ(text(name, source)?, *declarator))
}

/// Functions that open a test block, in the runners' vocabularies: jest, vitest, mocha (BDD, TDD and QUnit
/// styles), jasmine, node:test, ava, tap, playwright, bun.
const BLOCKS: &[&str] = &[
    "describe",
    "it",
    "test",
    "suite",
    "context",
    "specify",
    "bench",
    "module",
    "fdescribe",
    "fit",
    "xdescribe",
    "xit",
    "xtest",
    "xcontext",
    "xspecify",
];
/// Objects whose methods open test blocks.
const OWNERS: &[&str] = &["t", "tap", "QUnit", "Deno", "assert"];

/// A test block: `describe("title", () => …)`, `it.each(table)("title", …)`, `t.test("title", …)`.
fn test(call: Node, source: &[u8]) -> Option<Definition> {
    let path = path(call, source)?;
    let mut path = path.into_iter();
    let first = path.next()?;
    let opens = BLOCKS.contains(&first) && first != "module"
        || OWNERS.contains(&first) && path.next().is_some_and(|second| BLOCKS.contains(&second));
    // `test.beforeEach("title", …)` and `test.step("title", …)` are parts of a block.
    let is_part = |part: &str| part.starts_with("before") || part.starts_with("after") || part == "step";
    if !opens || path.any(is_part) || !takes_function(call) {
        return None;
    }
    let arguments = call.child_by_field_name("arguments")?;
    let first = arguments.named_child(0)?;
    let named = || matches!(first.kind(), "identifier" | "member_expression").then(|| text(first, source));
    let title = title(first, source).or_else(|| Some(named()??.to_owned()))?;
    Some(Definition::new(title, Kind::Test, call).joined(Joint::Separator))
}

/// What is called, as in `test.describe.each(table)(…)`: `test`, `describe`, `each`.
fn path<'text>(call: Node, source: &'text [u8]) -> Option<Vec<&'text str>> {
    let mut callee = call.child_by_field_name("function")?;
    let mut path = Vec::new();
    for _ in 0..PATH_MAX {
        match callee.kind() {
            "call_expression" => callee = callee.child_by_field_name("function")?,
            "member_expression" => {
                path.push(field(callee, "property", source)?);
                callee = callee.child_by_field_name("object")?;
            }
            "identifier" => {
                path.push(text(callee, source)?);
                path.reverse();
                return Some(path);
            }
            _ => return None,
        }
    }
    None
}

/// Calls and members in what opens a test block.
const PATH_MAX: usize = 8;

fn takes_function(call: Node) -> bool {
    call.child_by_field_name("arguments").is_some_and(|arguments| {
        arguments
            .named_children(&mut arguments.walk())
            .any(|argument| matches!(argument.kind(), "arrow_function" | "function_expression"))
    })
}

/// V8 prints `new Cart`, `async rate`, `get total`, `Cart.add [as plus]` and `Object.<anonymous>`,
/// JavaScriptCore `module code`.
pub fn plain(printed: &str) -> Option<&str> {
    let printed = printed.trim();
    if printed.starts_with("new ") || printed.ends_with(" code") || printed == "anonymous" {
        return None;
    }
    printed::plain(printed)
}

#[cfg(test)]
mod tests {
    use super::super::table::tests::{check, check_printed};

    #[test]
    fn a_function_is_named_by_itself_or_by_what_it_is_assigned_to() {
        check(
            "a.js",
            "//=",
            "\
const x = 1; //= -
function rate(a) { //= rate 2-6
  return a.map((b) => {
    return b; //= rate 2-6
  });
}
async function* each() { //= each 7-9
  yield 1; //= each 7-9
}
const slug = (s) => //= slug 10-11
  s.trim(); //= slug 10-11
let late; //= -
late = function () { go() }; //= late 13-13
module.exports = function () { go() }; //= module.exports 14-14
exports.get = async () => { go() }; //= get 15-15
Cart.prototype.add = function (a) { go() }; //= Cart.add 16-16
const api = { //= -
  get(a) { go() }, //= api.get 18-18
  'put it': () => { go() }, //= api.put it 19-19
  deep: { get total() { go() } }, //= api.deep.total 20-20
  list: [1].map((q) => { go() }), //= -
};
export default function () { go() } //= default 23-23
const Button = memo(() => { //= Button 24-26
  return <a onClick={() => { go() }} />; //= Button 24-26
}); //= Button 24-26
const inner = function named() { go() }; //= named 27-27
list.forEach((y) => { go() }); //= -
",
        );
    }

    #[test]
    fn members_of_a_class_have_its_name() {
        check(
            "a.mjs",
            "//=",
            "\
@dec() //= Cart 1-21
export class Cart extends Base { //= Cart 2-21
  static n = go(); //= Cart 2-21
  #secret = 1;
  handler = () => { //= Cart.handler 5-7
    go(); //= Cart.handler 5-7
  };
  static {
    go(); //= Cart 2-21
  }
  constructor(a) {
    super(a); //= Cart.constructor 11-13
  }
  get total() { go() } //= Cart.total 14-14
  static async *#gen() { go() } //= Cart.#gen 15-15
  add(a) {
    function check() { go() } //= Cart.add.check 17-17
    const again = () => go(); //= Cart.add.again 18-18
    return a; //= Cart.add 16-20
  }
}
const Named = class { m() { go() } }; //= Named.m 22-22
",
        );
    }

    #[test]
    fn a_test_block_is_known_by_its_titles() {
        check(
            "a.test.js",
            "//=",
            r#"
describe('cart', function () { //= cart 2-15
  beforeEach(() => { go() }); //= cart 2-15
  const helper = () => { go() }; //= helper 4-4
  it("adds 'two' \"items\"", async () => { //= cart › adds 'two' "items" 5-7
    expect(1); //= cart › adds 'two' "items" 5-7
  });
  test.each([1])(`adds ${x}`, () => { //= cart › adds ${x} 8-10
    expect(1); //= cart › adds ${x} 8-10
  });
  describe.skip('deep', () => {
    it('works', () => expect(1)); //= cart › deep › works 12-12
    it('is todo'); //= cart › deep 11-14
  });
});
test.beforeEach('before', () => { go() }); //= -
t.test('sub', (t) => { //= sub 17-19
  go(); //= sub 17-19
});
it.each`a | b`('in a table', () => { go() }); //= in a table 20-20
describe(Cart, () => { go() }); //= Cart 21-21
function suite() { it('is inside', () => { go() }) } //= suite 22-22
"#,
        );
    }

    #[test]
    fn an_unfinished_source_still_gives_its_functions() {
        check(
            "a.js",
            "//=",
            "\
class A {
  m() {
    const x = ; //= A.m 2-5
    foo( //= A.m 2-5
  }
  n() { return 1 } //= A.n 6-6
}
function z() {
  if (x) { //= z 8-10
    y( //= z 8-10
",
        );
    }

    #[test]
    fn what_the_runtime_prints_is_read() {
        check_printed(
            "a.js",
            &[
                ("rate", "rate"),
                ("Object.rate", "rate"),
                ("Object.<anonymous>", "-"),
                ("<anonymous>", "-"),
                ("Context.<anonymous>", "-"),
                ("new Cart", "-"),
                ("async rate", "rate"),
                ("get total", "total"),
                ("Cart.get total [as total]", "total"),
                ("Cart.add [as plus]", "add"),
                ("module.exports", "exports"),
                ("Cart.#gen", "gen"),
                ("module code", "-"),
            ],
        );
    }
}

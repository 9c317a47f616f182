//! Swift: types, extensions and protocols, their functions, `init`, `deinit`, subscripts, and properties
//! with code of their own. A closure in a function is part of it.

use super::printed::{self, after_phrase};
use super::tree::{field, first_own, text};
use super::{Definition, Kind, Language};
use tree_sitter::Node;

/// Swift's definitions.
pub const LANGUAGE: Language = Language {
    keywords: &[
        ("func", Kind::Function),
        ("class", Kind::Type),
        ("struct", Kind::Type),
        ("enum", Kind::Type),
        ("extension", Kind::Type),
    ],
    plain,
    ..Language::new(&["swift"], || tree_sitter_swift::LANGUAGE.into(), definition)
};

fn definition(node: Node, above: &[Node], source: &[u8]) -> Option<Definition> {
    let definition = match node.kind() {
        "class_declaration" | "protocol_declaration" => {
            Definition::typ(field(node, "name", source)?.split('<').next()?, node)
        }
        "function_declaration" | "protocol_function_declaration" => {
            Definition::function(field(node, "name", source)?.trim_matches('`'), node)
        }
        "init_declaration" => Definition::function("init", node),
        "deinit_declaration" => Definition::function("deinit", node),
        "subscript_declaration" => Definition::function("subscript", node),
        "property_declaration" => property(node, above, source)?,
        _ => return None,
    };
    Some(definition.from(first_own(node, |part| part.kind() == "attribute")))
}

/// A property of a type or file that is computed, observed, or has a closure as its value.
fn property(node: Node, above: &[Node], source: &[u8]) -> Option<Definition> {
    let outer = above.last()?.kind();
    if !outer.ends_with("_body") && outer != "source_file" || outer == "function_body" {
        return None;
    }
    let mut value = node.child_by_field_name("value");
    if let Some(call) = value.filter(|value| value.kind() == "call_expression") {
        value = call.named_child(0);
    }
    let holds_code = value.is_some_and(|value| value.kind() == "lambda_literal")
        || node
            .named_children(&mut node.walk())
            .any(|part| matches!(part.kind(), "computed_property" | "willset_didset_block"));
    let name = node.child_by_field_name("name").and_then(|name| text(name, source))?;
    holds_code.then(|| Definition::function(name.trim_matches('`'), node))
}

/// Debuggers and crash reports print `Shop.Cart.add(x: Swift.Int) -> ()`, `closure #1 in Cart.add(x:)`,
/// `Cart.total.getter`; XCTest `-[ShopTests.CartTests testAdd]`.
fn plain(printed: &str) -> Option<&str> {
    let phrases = &["closure ", "implicit closure ", "defer ", "specialized ", "static ", "partial apply "];
    let named = after_phrase(printed, phrases, " in ");
    let named = named.split_once(" -> ").map_or(named, |(named, _)| named);
    let named = named.split_once(" async").map_or(named, |(named, _)| named);
    let named = named.trim_start_matches("-[").trim_end_matches(']');
    let named = printed::without_arguments(named);
    let accessors = [".getter", ".setter", ".modify", ".read", ".didset", ".willset"];
    let named = accessors.iter().find_map(|accessor| named.strip_suffix(accessor)).unwrap_or(named);
    match printed::plain(named)? {
        "__allocating_init" => Some("init"),
        "__deallocating_deinit" => Some("deinit"),
        mangled if mangled.starts_with("$s") => None,
        name => Some(name),
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::tests::{check, check_printed};

    #[test]
    fn members_have_the_names_of_their_types() {
        check(
            "Cart.swift",
            "//=",
            "\
import XCTest
final class CartTests: XCTestCase { //= CartTests 2-26
  let f = { (x: Int) in x } //= CartTests.f 3-3
  var plain: Int = 1 //= CartTests 2-26
  var total: Int { //= CartTests.total 5-7
    return 1 //= CartTests.total 5-7
  }
  lazy var z: Int = { return 1 }() //= CartTests.z 8-8
  init(x: Int) { //= CartTests.init 9-11
    go() //= CartTests.init 9-11
  }
  deinit { go() } //= CartTests.deinit 12-12
  @Test //= CartTests.testAdd 13-19
  func testAdd() throws { //= CartTests.testAdd 14-19
    let g = { go() } //= CartTests.testAdd 14-19
    func inner() { //= CartTests.testAdd.inner 16-18
      go() //= CartTests.testAdd.inner 16-18
    }
  }
  static func s() {} //= CartTests.s 20-20
  subscript(i: Int) -> Int { return 1 } //= CartTests.subscript 21-21
  struct In {
    func q() {} //= CartTests.In.q 23-23
  }
  var o: Int = 1 { didSet { go() } } //= CartTests.o 25-25
}
extension Array.Index where X: Y { func e() {} } //= Array.Index.e 27-27
enum E { //= E 28-31
  case a //= E 28-31
  func m() {} //= E.m 30-30
}
protocol P { func p() } //= P.p 32-32
actor A { func a() {} } //= A.a 33-33
func top() {} //= top 34-34
func == (a: X, b: X) -> Bool { true } //= == 35-35
",
        );
    }

    #[test]
    fn an_unfinished_source_still_gives_its_functions() {
        check(
            "A.swift",
            "//=",
            "\
class A {
  func m() {
    let x = //= A.m 2-4
  }
  func n() -> Int { return 1 } //= A.n 5-5
}
",
        );
    }

    #[test]
    fn what_the_runtime_prints_is_read() {
        check_printed(
            "A.swift",
            &[
                ("Shop.Cart.add(x: Swift.Int) -> ()", "add"),
                ("closure #1 in Cart.add(x:)", "add"),
                ("closure #1 (Swift.Int) -> () in Shop.Cart.add(x: Swift.Int) -> ()", "add"),
                ("Cart.total.getter", "total"),
                ("Cart.__allocating_init(x:)", "init"),
                ("-[ShopTests.CartTests testAdd]", "testAdd"),
                ("CartTests.testAdd()", "testAdd"),
                ("$s4Shop4CartV3addyyF", "-"),
            ],
        );
    }
}

//! PHP: classes, traits, interfaces and enums, their methods, functions, and properties with hooks; test
//! blocks of Pest by their titles. Namespaces are no part of a name.
//!
//! A closure has no name in PHP: in a function it is part of it, elsewhere it takes the variable's.

use super::printed;
use super::titles::title;
use super::tree::{field, first_own};
use super::{Definition, Kind, Language};
use tree_sitter::Node;

/// PHP's definitions.
pub const LANGUAGE: Language = Language {
    separator: "::",
    keywords: &[
        ("function", Kind::Function),
        ("class", Kind::Type),
        ("trait", Kind::Type),
        ("interface", Kind::Type),
    ],
    plain,
    ..Language::new(&["php", "phtml", "phpt"], || tree_sitter_php::LANGUAGE_PHP.into(), definition)
};

fn definition(node: Node, above: &[Node], source: &[u8]) -> Option<Definition> {
    let (kind, name) = match node.kind() {
        "class_declaration" | "trait_declaration" | "interface_declaration" | "enum_declaration" => {
            (Kind::Type, field(node, "name", source)?)
        }
        "method_declaration" | "function_definition" => (Kind::Function, field(node, "name", source)?),
        "property_declaration" => (Kind::Function, hooked(node, source)?),
        "assignment_expression" => (Kind::Function, closure(node, above, source)?),
        "function_call_expression" => return test(node, source),
        _ => return None,
    };
    Some(Definition::new(name, kind, node).from(first_own(node, |part| part.kind() == "attribute_list")))
}

fn hooked<'text>(property: Node, source: &'text [u8]) -> Option<&'text str> {
    let mut children = property.walk();
    let mut parts = property.named_children(&mut children);
    let element = parts.find(|part| part.kind() == "property_element")?;
    parts.find(|part| part.kind() == "property_hook_list")?;
    field(element, "name", source)
}

fn closure<'text>(assignment: Node, above: &[Node], source: &'text [u8]) -> Option<&'text str> {
    let right = assignment.child_by_field_name("right")?;
    let is_closure = matches!(right.kind(), "anonymous_function" | "arrow_function");
    let is_top = above.iter().rev().nth(1)?.kind() == "program";
    if is_closure && is_top { field(assignment, "left", source) } else { None }
}

/// `it('title', function () { … })`, `describe('title', fn () => …)`.
fn test(call: Node, source: &[u8]) -> Option<Definition> {
    if !matches!(field(call, "function", source)?, "it" | "test" | "describe" | "arch") {
        return None;
    }
    let arguments = call.child_by_field_name("arguments")?;
    let title = title(arguments.named_child(0)?.named_child(0)?, source)?;
    let takes_closure = arguments.named_children(&mut arguments.walk()).any(|argument| {
        let value = argument.named_child(0).map(|value| value.kind());
        matches!(value, Some("anonymous_function" | "arrow_function"))
    });
    takes_closure.then(|| Definition::new(title, Kind::Test, call))
}

/// PHP prints `Shop\Cart->add()`, `Shop\Cart::of()`, `Shop\{closure}()`, since 8.4
/// `{closure:Shop\Cart::add():12}`, and `{main}`.
fn plain(printed: &str) -> Option<&str> {
    let printed = printed::without_arguments(printed);
    if let Some(inside) = printed.rfind("{closure:").map(|at| &printed[at + "{closure:".len()..]) {
        let of = inside.trim_end_matches('}').rsplit_once(':').map_or(inside, |(of, _)| of);
        // A closure outside all functions has its file there.
        return if of.contains('/') { None } else { printed::plain(of) };
    }
    let hook = printed.strip_suffix("::get").or_else(|| printed.strip_suffix("::set"));
    printed::plain(hook.filter(|hook| hook.contains('$')).unwrap_or(printed))
}

#[cfg(test)]
mod tests {
    use super::super::table::tests::{check, check_printed};

    #[test]
    fn methods_have_the_names_of_their_classes() {
        check(
            "Cart.php",
            "//=",
            "\
<?php
namespace Shop;
abstract class Cart extends B implements C { //= Cart 3-19
  use T;
  const X = 1; //= Cart 3-19
  #[Test] //= Cart::add 6-11
  public function add(int $x): int { //= Cart::add 7-11
    return array_map(function ($y) { //= Cart::add 7-11
      return $y; //= Cart::add 7-11
    }, [1]);
  }
  abstract function q(); //= Cart::q 12-12
  public static function s() { return fn($x) => $x; } //= Cart::s 13-13
  public int $total { //= Cart::$total 14-17
    get => 1; //= Cart::$total 14-17
    set { go(); }
  }
  function __construct() {} //= Cart::__construct 18-18
}
trait T { function t() {} } //= T::t 20-20
enum E: string { //= E 21-24
  case A = 'a'; //= E 21-24
  public function label() {} //= E::label 23-23
}
function free() { $g = fn() => 1; } //= free 25-25
$f = function () { //= $f 26-28
  return 1; //= $f 26-28
};
$o = new class extends Q { function anon() {} }; //= anon 29-29
describe('sum', function () {
  it('adds \\'two\\'', function () { //= sum › adds 'two' 31-33
    expect(1); //= sum › adds 'two' 31-33
  });
});
test('x', fn() => 1)->group('y'); //= x 35-35
",
        );
    }

    #[test]
    fn an_unfinished_source_still_gives_its_methods() {
        check(
            "A.php",
            "//=",
            "\
<?php
class A {
  function m() {
    $x = ; //= A::m 3-6
    foo( //= A::m 3-6
  }
  function n() { return 1; } //= A::n 7-7
}
",
        );
    }

    #[test]
    fn what_the_runtime_prints_is_read() {
        check_printed(
            "A.php",
            &[
                ("Shop\\Cart->add()", "add"),
                ("Shop\\Cart::of(1)", "of"),
                ("Shop\\free()", "free"),
                ("{closure}", "-"),
                ("Shop\\{closure}()", "-"),
                ("{closure:Shop\\Cart::add():12}", "add"),
                ("{closure:/srv/a.php:3}", "-"),
                ("{main}", "-"),
                ("Shop\\Cart->$total::get()", "$total"),
            ],
        );
    }
}

//! Kotlin: classes, objects and interfaces, functions (also extensions, `String.slug`, and tests named in
//! words), secondary constructors, and properties with code of their own.
//!
//! A companion without a name is no part of its members' names. A lambda in a function is part of it.

use super::java;
use super::printed::{self, after_phrase};
use super::tree::{field, first_own, text};
use super::{Definition, Kind, Language};
use tree_sitter::Node;

/// Kotlin's definitions.
pub const LANGUAGE: Language = Language {
    keywords: &[
        ("fun", Kind::Function),
        ("class", Kind::Type),
        ("interface", Kind::Type),
        ("object", Kind::Type),
    ],
    plain,
    accessors: &["get", "set"],
    ..Language::new(&["kt", "kts"], || tree_sitter_kotlin_ng::LANGUAGE.into(), definition)
};

fn definition(node: Node, above: &[Node], source: &[u8]) -> Option<Definition> {
    let definition = match node.kind() {
        "class_declaration" | "object_declaration" | "companion_object" => {
            Definition::typ(field(node, "name", source)?, node)
        }
        "function_declaration" => {
            let name = field(node, "name", source)?.trim_matches('`');
            let receiver = receiver(node, source);
            Definition::function(receiver.map_or(name.into(), |of| format!("{of}.{name}")), node)
        }
        "secondary_constructor" => Definition::function("constructor", node),
        "property_declaration" => property(node, above, source)?,
        _ => return None,
    };
    Some(definition.from(first_own(node, is_annotation)))
}

/// `List` of `fun <T> List<T>.second()`.
fn receiver<'text>(function: Node, source: &'text [u8]) -> Option<&'text str> {
    let name = function.child_by_field_name("name")?;
    let of = function
        .named_children(&mut function.walk())
        .take_while(|child| child.start_byte() < name.start_byte())
        .find(|child| matches!(child.kind(), "user_type" | "nullable_type"))?;
    text(of, source)?.split(['<', '?']).next()
}

/// A property of a class or file with an accessor, a delegate or a function as its value.
fn property(node: Node, above: &[Node], source: &[u8]) -> Option<Definition> {
    let outer = above.last()?.kind();
    let holds_code = node.named_children(&mut node.walk()).any(|child| {
        matches!(
            child.kind(),
            "getter" | "setter" | "property_delegate" | "lambda_literal" | "anonymous_function"
        )
    });
    // An accessor on a line of its own may stand beside its property.
    let accessor_follows =
        node.next_named_sibling().is_some_and(|next| matches!(next.kind(), "getter" | "setter"));
    if !matches!(outer, "class_body" | "enum_class_body" | "source_file" | "ERROR")
        || !holds_code && !accessor_follows
    {
        return None;
    }
    let named = node.named_children(&mut node.walk()).find(|child| child.kind() == "variable_declaration")?;
    Some(Definition::function(text(named.named_child(0)?, source)?.trim_matches('`'), node))
}

fn is_annotation(node: Node) -> bool {
    node.kind() == "annotation"
}

/// The runtime prints what Java's does, and `add$lambda$0`, `add$default`, `invoke` and `invokeSuspend`
/// for code of a function without a name; a test's name in words as it is.
fn plain(printed: &str) -> Option<&str> {
    if printed.contains(' ') && !printed.contains('(') {
        let name = printed.rsplit_once('.').map_or(printed, |(_, name)| name).trim();
        return Some(after_phrase(name, &[], " ")).filter(|name| !name.is_empty());
    }
    let name = java::plain(printed)?;
    let name = name.split_once('$').map_or(name, |(of, _)| of);
    let name = name.strip_suffix("-impl").unwrap_or(name);
    printed::plain(name).filter(|name| !matches!(*name, "invoke" | "invokeSuspend"))
}

#[cfg(test)]
mod tests {
    use super::super::Symbols;
    use super::super::table::tests::{check, check_printed};

    #[test]
    fn functions_have_the_names_of_their_classes() {
        check(
            "Cart.kt",
            "//=",
            "\
package shop

@Entity //= Cart 3-36
class Cart<T>(val a: Int) : Base() { //= Cart 4-36
  var q: Int = 1 //= Cart 4-36
  val total: Int //= Cart.total 6-7
    get() { return go() } //= Cart.total 6-7
  init {
    x() //= Cart 4-36
  }
  constructor(s: String) : this(1) { //= Cart.constructor 11-13
    y() //= Cart.constructor 11-13
  }
  @Test //= Cart.adds two items 14-17
  fun `adds two items`() { //= Cart.adds two items 15-17
    list.map { it + 1 } //= Cart.adds two items 15-17
  }
  override suspend fun add(x: Int) = //= Cart.add 18-19
    x + 1 //= Cart.add 18-19
  companion object {
    fun of() = Cart(1) //= Cart.of 21-21
  }
  inner class In {
    fun z() { //= Cart.In.z 24-27
      fun local() { go() } //= Cart.In.z.local 25-25
      val l = { go() } //= Cart.In.z 24-27
    }
  }
  val handler = { x: Int -> //= Cart.handler 29-31
    go(x) //= Cart.handler 29-31
  }
  val lazily by lazy { w() } //= Cart.lazily 32-32
  object Named {
    fun s() = 1 //= Cart.Named.s 34-34
  }
}
fun String.slug(): Int { //= String.slug 37-39
  return 1 //= String.slug 37-39
}
fun <T> List<T>.second(): T = this[1] //= List.second 40-40
",
        );
    }

    #[test]
    fn an_accessor_is_its_property() {
        let symbols =
            Symbols::of("Cart.kt", "class Cart {\n  val total: Int\n    get() { return go() }\n}\n")
                .expect("kotlin is known");
        let found = symbols.at(3, Some("getTotal")).map(|symbol| symbol.name);
        assert_eq!(found.as_deref(), Some("Cart.total"));
    }

    #[test]
    fn an_unfinished_source_still_gives_its_functions() {
        check(
            "A.kt",
            "//=",
            "\
class A {
  fun m() {
    val x =
    foo( //= A.m 2-5
  }
  fun n(): Int { return 1 } //= A.n 6-6
}
",
        );
    }

    #[test]
    fn what_the_runtime_prints_is_read() {
        check_printed(
            "A.kt",
            &[
                ("shop.CartKt.add", "add"),
                ("shop.Cart.add$lambda$0", "add"),
                ("shop.Cart.add$lambda-1", "add"),
                ("shop.Cart.add$default", "add"),
                ("shop.CartTest$adds$1.invokeSuspend", "-"),
                ("shop.Cart.<init>", "-"),
                ("shop.CartTest.adds two items", "adds two items"),
                ("adds two items", "adds two items"),
            ],
        );
    }
}

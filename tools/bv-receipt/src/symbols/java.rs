//! Java: classes, interfaces, enums and records, their methods and constructors (`Invoice.Invoice`), and
//! fields that hold a lambda.
//!
//! A lambda in a method is part of it, as in the names that the runtime prints (`lambda$add$0`). A method of
//! an anonymous class stands under the method that makes it.

use super::printed;
use super::tree::{field, first_own};
use super::{Definition, Kind, Language};
use tree_sitter::Node;

/// Java's definitions.
pub const LANGUAGE: Language = Language {
    keywords: &[
        ("class", Kind::Type),
        ("interface", Kind::Type),
        ("enum", Kind::Type),
        ("record", Kind::Type),
    ],
    plain,
    ..Language::new(&["java"], || tree_sitter_java::LANGUAGE.into(), definition)
};

fn definition(node: Node, above: &[Node], source: &[u8]) -> Option<Definition> {
    let kind = match node.kind() {
        "class_declaration"
        | "interface_declaration"
        | "enum_declaration"
        | "record_declaration"
        | "annotation_type_declaration" => Kind::Type,
        "method_declaration"
        | "constructor_declaration"
        | "compact_constructor_declaration"
        | "annotation_type_element_declaration" => Kind::Function,
        "variable_declarator" => {
            let value = node.child_by_field_name("value")?;
            let is_field = above.last().is_some_and(|parent| parent.kind() == "field_declaration");
            if !is_field || value.kind() != "lambda_expression" {
                return None;
            }
            Kind::Function
        }
        _ => return None,
    };
    Some(Definition::new(field(node, "name", source)?, kind, node).from(first_own(node, is_annotation)))
}

fn is_annotation(node: Node) -> bool {
    matches!(node.kind(), "annotation" | "marker_annotation")
}

/// The runtime prints `shop.Cart.add`, `app//shop.Cart$1.run`, `lambda$add$0`, and `<init>`, `<clinit>`,
/// `lambda$new$0`, `lambda$static$0`, `access$000` for what has no name.
pub fn plain(printed: &str) -> Option<&str> {
    let name = printed::plain(printed)?;
    if let Some(of) = name.strip_prefix("lambda$") {
        let of = of.rsplit_once('$').map_or(of, |(of, _)| of);
        return Some(of).filter(|of| !matches!(*of, "new" | "static" | "null"));
    }
    (!name.starts_with("access$")).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::super::table::tests::{check, check_printed};

    #[test]
    fn methods_have_the_names_of_their_classes() {
        check(
            "Invoice.java",
            "//=",
            "\
package shop;
@Entity //= Invoice 2-31
public class Invoice<T> { //= Invoice 3-31
  private final Runnable r = () -> { //= Invoice.r 4-6
    x(); //= Invoice.r 4-6
  };
  static { z(); } //= Invoice 3-31
  @Deprecated //= Invoice.Invoice 8-11
  public Invoice(int a) { //= Invoice.Invoice 9-11
    super(); //= Invoice.Invoice 9-11
  }
  @Test //= Invoice.add 12-18
  @DisplayName(\"x\") public void add() //= Invoice.add 13-18
      throws X {
    list.forEach(a -> b()); //= Invoice.add 13-18
    Supplier<X> s = () -> { return 1; }; //= Invoice.add 13-18
    new Thread(new Runnable() { public void run() { go(); } }); //= Invoice.add.run 17-17
  }
  enum E {
    A { void m() { go(); } }, //= Invoice.E.m 20-20
    B; //= Invoice.E 19-23
    void n() { go(); } //= Invoice.E.n 22-22
  }
  record P(int x) {
    P { if (x < 0) throw q(); } //= Invoice.P.P 25-25
  }
  interface I {
    default void d() { go(); } //= Invoice.I.d 28-28
    void e(); //= Invoice.I.e 29-29
  }
}
",
        );
    }

    #[test]
    fn an_unfinished_source_still_gives_its_methods() {
        check(
            "A.java",
            "//=",
            "\
class A {
  void m() {
    int x = ; //= A.m 2-5
    foo( //= A.m 2-5
  }
  int n() { return 1; } //= A.n 6-6
  void o() {
    if (x) { //= A.o 7-9
      y(1 + 2); //= A.o 7-9
",
        );
    }

    #[test]
    fn what_the_runtime_prints_is_read() {
        check_printed(
            "A.java",
            &[
                ("shop.Cart.add", "add"),
                ("app//shop.Cart.add", "add"),
                ("shop.Cart$1.run", "run"),
                ("shop.Cart.lambda$add$0", "add"),
                ("shop.Cart.lambda$new$1", "-"),
                ("lambda$static$1", "-"),
                ("shop.Cart.<init>", "-"),
                ("<clinit>", "-"),
                ("add(int, java.util.List)[2]", "add"),
            ],
        );
    }
}

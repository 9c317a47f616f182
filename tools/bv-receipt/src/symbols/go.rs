//! Go: functions, methods with their receiver (`(*Stack).Push`), types, and constants and variables of the
//! package.
//!
//! A function literal inside a function is part of it, as in the names that the runtime prints
//! (`TestX.func1`); so are subtests.

use super::printed;
use super::tree::{field, text};
use super::{Definition, Kind, Language};
use tree_sitter::Node;

/// Go's definitions.
pub const LANGUAGE: Language = Language {
    keywords: &[("func", Kind::Function), ("type", Kind::Type)],
    plain,
    ..Language::new(&["go"], || tree_sitter_go::LANGUAGE.into(), definition)
};

fn definition(node: Node, above: &[Node], source: &[u8]) -> Option<Definition> {
    match node.kind() {
        "function_declaration" => Some(Definition::function(field(node, "name", source)?, node)),
        "method_declaration" => {
            let name = field(node, "name", source)?;
            let receiver = node.child_by_field_name("receiver").and_then(|list| receiver(list, source));
            Some(Definition::function(receiver.map_or(name.into(), |of| format!("{of}.{name}")), node))
        }
        "type_spec" | "type_alias" => Some(Definition::typ(field(node, "name", source)?, node)),
        "const_spec" | "var_spec" => package_value(node, above, source),
        _ => None,
    }
}

/// `(*Stack)` of `(s *Stack[T])`, `Stack` of `(Stack)`.
fn receiver(list: Node, source: &[u8]) -> Option<String> {
    let mut node = list.named_child(0)?.child_by_field_name("type")?;
    let is_pointer = node.kind() == "pointer_type";
    if is_pointer {
        node = node.named_child(0)?;
    }
    if node.kind() == "generic_type" {
        node = node.child_by_field_name("type")?;
    }
    let name = text(node, source)?;
    Some(if is_pointer { format!("(*{name})") } else { name.to_owned() })
}

/// A value of the package; a function where it is one.
fn package_value(node: Node, above: &[Node], source: &[u8]) -> Option<Definition> {
    let mut outer = above.iter().rev().map(Node::kind).skip_while(|kind| *kind == "var_spec_list");
    outer.nth(1).filter(|kind| *kind == "source_file")?;
    let value = node.child_by_field_name("value").and_then(|values| values.named_child(0));
    let is_function = value.is_some_and(|value| value.kind() == "func_literal");
    let kind = if is_function { Kind::Function } else { Kind::Type };
    Some(Definition::new(field(node, "name", source)?, kind, node))
}

/// The runtime prints `pkg.(*T).Method-fm`, `pkg.TestX.func1.2`, `pkg.f.gowrap1`, `pkg.Map[...]`,
/// `pkg.init.0` and `pkg.glob..func1`.
fn plain(printed: &str) -> Option<&str> {
    let mut name = printed::without_arguments(printed);
    while let Some((outer, last)) = name.rsplit_once('.') {
        let counted = ["func", "gowrap", "deferwrap"].iter().find_map(|word| last.strip_prefix(word));
        let count = counted.unwrap_or(last);
        let count = count.split_once("-range").map_or(count, |(before, _)| before);
        if count.is_empty() || !count.bytes().all(|byte| byte.is_ascii_digit()) {
            break;
        }
        name = printed::without_arguments(outer);
    }
    if name.ends_with("glob.") || name.ends_with(".init") {
        return None;
    }
    let name = name.strip_suffix("-fm").unwrap_or(name);
    printed::plain(name.split_once("-range").map_or(name, |(before, _)| before))
}

#[cfg(test)]
mod tests {
    use super::super::table::tests::{check, check_printed};

    #[test]
    fn functions_methods_and_package_values_are_found() {
        check(
            "a_test.go",
            "//=",
            "\
package a

type Stack[T any] struct { //= Stack 3-5
	x T //= Stack 3-5
}

func (s *Stack[T]) Push(x T) { //= (*Stack).Push 7-9
	s.x = x //= (*Stack).Push 7-9
}
func (Stack[T]) Len() int { return 1 } //= Stack.Len 10-10
func (s Box) Len() int { return 1 } //= Box.Len 11-11

var h = func() { //= h 13-15
	go() //= h 13-15
}
var ( //= -
	cases = []int{ //= cases 17-19
		1, //= cases 17-19
	}
)

func TestX(t *testing.T) { //= TestX 22-31
	t.Run(\"a\", func(t *testing.T) {
		t.Fatal() //= TestX 22-31
	})
	check := func() {
		t.Error() //= TestX 22-31
	}
	type row struct { a int } //= TestX 22-31
	check()
}
",
        );
    }

    #[test]
    fn an_unfinished_source_still_gives_its_functions() {
        check(
            "a.go",
            "//=",
            "\
package a
func f() {
	x := //= f 2-5
	y( //= f 2-5
}
func (t *T) g() { //= (*T).g 6-7
	if x { //= (*T).g 6-7
",
        );
    }

    #[test]
    fn what_the_runtime_prints_is_read() {
        check_printed(
            "a.go",
            &[
                ("shop.Add", "Add"),
                ("example.com/shop/v2.Add", "Add"),
                ("shop.(*Cart).Add", "Add"),
                ("shop.(*Cart[...]).Add", "Add"),
                ("shop.(*Cart).Add-fm", "Add"),
                ("shop.Map[...]", "Map"),
                ("shop.Map[...].func1", "Map"),
                ("shop.TestX.func1", "TestX"),
                ("shop.TestX.func2.1", "TestX"),
                ("shop.TestX.gowrap1", "TestX"),
                ("shop.TestX.func1.deferwrap2", "TestX"),
                ("shop.TestX-range1", "TestX"),
                ("shop.TestX", "TestX"),
                ("shop.glob..func1", "-"),
                ("shop.init.0", "-"),
                ("shop.init.func3", "-"),
                ("shop.Add(0x1, 0x2)", "Add"),
                ("shop.f1", "f1"),
            ],
        );
    }
}

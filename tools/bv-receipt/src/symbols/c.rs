//! C: functions, named types and macros with arguments; tests that a macro declares.

use super::printed;
use super::test_macros::{self, prepare};
use super::tree::{declarator_name, field, text};
use super::{Definition, Kind, Language};
use tree_sitter::Node;

/// C's definitions.
pub const LANGUAGE: Language = Language {
    keywords: &[("struct", Kind::Type), ("union", Kind::Type), ("enum", Kind::Type)],
    prepare,
    loose: test_macros::loose,
    plain,
    ..Language::new(&["c"], || tree_sitter_c::LANGUAGE.into(), definition)
};

/// The definition that a node is, in C and in what is built on it.
pub fn definition(node: Node, _: &[Node], source: &[u8]) -> Option<Definition> {
    match node.kind() {
        "function_definition" => test_macros::test(node, source).or_else(|| {
            let name = declarator_name(node.child_by_field_name("declarator")?)?;
            Some(Definition::function(text(name, source)?, node))
        }),
        "struct_specifier" | "union_specifier" | "enum_specifier" => {
            node.child_by_field_name("body")?;
            Some(Definition::typ(field(node, "name", source)?, node))
        }
        "type_definition" => {
            // Of `typedef struct a { … } b`, the struct has its own name.
            let of =
                node.child_by_field_name("type").filter(|of| of.child_by_field_name("body").is_some())?;
            if of.child_by_field_name("name").is_some() {
                return None;
            }
            Some(Definition::typ(field(node, "declarator", source)?, node))
        }
        "preproc_function_def" => Some(Definition::typ(field(node, "name", source)?, node)),
        _ => None,
    }
}

/// Compilers split functions and say so in the name: `step.part.0`, `step.constprop.0 [clone .isra.0]`.
fn plain(printed: &str) -> Option<&str> {
    let name = printed::without_arguments(printed);
    let name = ["part", "constprop", "isra", "cold", "llvm", "lto_priv"]
        .iter()
        .find_map(|word| name.split_once(&format!(".{word}")).map(|(name, _)| name))
        .unwrap_or(name);
    printed::plain(name)
}

#[cfg(test)]
mod tests {
    use super::super::table::tests::{check, check_printed};

    #[test]
    fn functions_and_types_are_found() {
        check(
            "a.c",
            "//=",
            "\
static int *f(int a, int (*cb)(int)) //= f 1-4
{
  return 0; //= f 1-4
}
int (*g(void))(int) { return 0; } //= g 5-5
struct S { //= S 6-8
  int a; //= S 6-8
};
typedef struct { //= T 9-11
  int b; //= T 9-11
} T;
#define M(x) do { x; } while (0) //= M 12-12
#ifdef X
int h(void) { return 1; } //= h 14-14
#else
int h(int a) { return 1; } //= h 16-16
#endif
struct S make(void) { return (struct S){ 1 }; } //= make 18-18
int x; //= -
",
        );
    }

    #[test]
    fn tests_of_macros_are_found() {
        check(
            "a.c",
            "//=",
            "\
START_TEST(freezing)
{
  ck_assert(1); //= freezing 1-4
}
END_TEST
static int *f(void) { return 0; } //= f 6-6
Test(suite, name, .init = f) { x(); } //= suite.name 7-7
static void names(void **state) { } //= names 8-8
",
        );
    }

    #[test]
    fn an_unfinished_source_still_gives_its_functions() {
        check(
            "a.c",
            "//=",
            "\
int f(void) {
  int x = ; //= f 1-4
  g( //= f 1-4
}
int g(int a) { return 1; } //= g 5-5
#ifdef X
int h(void) {
#else
int h(int a) {
#endif
  return 1; //= h 9-12
}
int i(void) {
  if (x) { //= i 13-15
    y(1); //= i 13-15
",
        );
    }

    #[test]
    fn what_debuggers_print_is_read() {
        check_printed("a.c", &[("step", "step"), ("step.part.0", "step"), ("step (a=1, b=0x0)", "step")]);
    }
}

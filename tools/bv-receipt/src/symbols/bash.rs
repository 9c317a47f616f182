//! Bash: functions of both forms, and the tests of bats by their titles.

use super::titles::title_of;
use super::tree::field;
use super::{Definition, Joint, Kind, Language};
use std::borrow::Cow;
use tree_sitter::Node;

/// Bash's definitions.
pub const LANGUAGE: Language = Language {
    prepare,
    keywords: &[("function", Kind::Function)],
    ..Language::new(&["sh", "bash", "bats", "ksh"], || tree_sitter_bash::LANGUAGE.into(), definition)
};

/// What bats turns into a function before Bash reads it.
const TEST: &str = "@test ";

fn definition(node: Node, _: &[Node], source: &[u8]) -> Option<Definition> {
    if node.kind() != "function_definition" {
        return None;
    }
    // The text is read as it was before `prepare`.
    let head = source.get(node.start_byte()..).and_then(|text| text.split(|byte| *byte == b'\n').next())?;
    let written = str::from_utf8(head).ok().and_then(|head| head.strip_prefix(TEST));
    match written.and_then(|title| title.trim_end().strip_suffix('{')) {
        Some(title) => Some(Definition::new(title_of(title)?, Kind::Test, node)),
        // A function is known everywhere, wherever it is defined.
        None => Some(Definition::function(field(node, "name", source)?, node).joined(Joint::Alone)),
    }
}

/// `@test "adds" {` as `t()        {`.
fn prepare(text: &str) -> Cow<'_, str> {
    if !text.contains(TEST) {
        return Cow::Borrowed(text);
    }
    let prepared = text.split_inclusive('\n').map(|line| {
        let body = line.trim_end();
        match body.strip_prefix(TEST).and_then(|rest| rest.strip_suffix('{')) {
            Some(title) => {
                let blank = " ".repeat(TEST.len() + title.len() - "t()".len());
                format!("t(){blank}{{{}", &line[body.len()..])
            }
            None => line.to_owned(),
        }
    });
    Cow::Owned(prepared.collect())
}

#[cfg(test)]
mod tests {
    use super::super::table::tests::check;

    #[test]
    fn functions_of_both_forms_are_found() {
        check(
            "a.sh",
            "#=",
            "\
set -e #= -
f() { #= f 2-4
  go #= f 2-4
}
function g { #= g 5-7
  inner() { go; } #= inner 6-6
}
function h() (
  go #= h 8-10
)
ns::k() { go; } #= ns::k 11-11
a-b() { go; } #= a-b 12-12
",
        );
    }

    #[test]
    fn a_bats_test_is_known_by_its_title() {
        check(
            "a.bats",
            "#=",
            "\
setup() { go; } #= setup 1-1
@test \"adds 'two' é\" {
  run add 1 2 #= adds 'two' é 2-4
}
@test 'other' {
  [ \"$x\" = 1 ] #= other 5-7
}
",
        );
    }

    #[test]
    fn an_unfinished_source_still_gives_its_functions() {
        check(
            "a.sh",
            "#=",
            "\
f() {
  if x; then #= f 1-3
}
g() { go; } #= g 4-4
",
        );
    }
}

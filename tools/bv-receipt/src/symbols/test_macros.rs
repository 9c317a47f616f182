//! Tests that C and C++ frameworks declare by a macro: `TEST(Suite, Case) { … }`.
//!
//! To the grammar a macro's head is no function's head, and some break the rest of the file
//! (`TEMPLATE_TEST_CASE("title", "[tag]", int, float)`). So heads are rewritten to `int f()` of the same length
//! before a file is parsed, and the name is read from the text as it is.

use super::titles::title_of;
use super::{Definition, Joint, Kind};
use std::borrow::Cow;
use tree_sitter::Node;

/// Where a macro says what its test is called.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Naming {
    /// `Suite.Case` of the first two arguments, the first where there is one.
    Pair,
    /// The first argument that is a string.
    Title,
    /// The argument with this index.
    Name(usize),
}

/// GoogleTest and CppUTest, Criterion; Catch2 and doctest; Boost.Test; Check.
const MACROS: &[(&str, Naming)] = &[
    ("TEST", Naming::Pair),
    ("TEST_F", Naming::Pair),
    ("TEST_P", Naming::Pair),
    ("TYPED_TEST", Naming::Pair),
    ("TYPED_TEST_P", Naming::Pair),
    ("GTEST_TEST", Naming::Pair),
    ("IGNORE_TEST", Naming::Pair),
    ("Test", Naming::Pair),
    ("ParameterizedTest", Naming::Name(1)),
    ("TEST_CASE", Naming::Title),
    ("TEST_CASE_METHOD", Naming::Title),
    ("TEST_CASE_FIXTURE", Naming::Title),
    ("TEST_CASE_PERSISTENT_FIXTURE", Naming::Title),
    ("TEST_CASE_TEMPLATE", Naming::Title),
    ("TEST_CASE_TEMPLATE_DEFINE", Naming::Title),
    ("TEMPLATE_TEST_CASE", Naming::Title),
    ("TEMPLATE_TEST_CASE_SIG", Naming::Title),
    ("TEMPLATE_TEST_CASE_METHOD", Naming::Title),
    ("TEMPLATE_PRODUCT_TEST_CASE", Naming::Title),
    ("TEMPLATE_LIST_TEST_CASE", Naming::Title),
    ("SCENARIO", Naming::Title),
    ("SCENARIO_METHOD", Naming::Title),
    ("SCENARIO_TEMPLATE", Naming::Title),
    ("BOOST_AUTO_TEST_CASE", Naming::Name(0)),
    ("BOOST_AUTO_TEST_CASE_TEMPLATE", Naming::Name(0)),
    ("BOOST_FIXTURE_TEST_CASE", Naming::Name(0)),
    ("BOOST_FIXTURE_TEST_CASE_TEMPLATE", Naming::Name(0)),
    ("BOOST_DATA_TEST_CASE", Naming::Name(0)),
    ("BOOST_DATA_TEST_CASE_F", Naming::Name(1)),
    ("START_TEST", Naming::Name(0)),
    ("START_LOOP_TEST", Naming::Name(0)),
];

/// What stands for a macro's head. No macro's head is shorter.
const HEAD: &str = "int f()";
/// Closes what `START_TEST` opens, where nothing may stand.
const END: &str = "END_TEST";
/// Longest head of a macro that is looked at.
const HEAD_BYTES_MAX: usize = 16 << 10;

/// The text with the heads of test macros as heads of functions.
pub fn prepare(text: &str) -> Cow<'_, str> {
    let mut prepared: Option<Vec<u8>> = None;
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        let at = line_start + line.len() - line.trim_start().len();
        line_start += line.len();
        if line.trim() == END {
            let bytes = prepared.get_or_insert_with(|| text.into());
            bytes[at..at + END.len()].fill(b' ');
        } else if let Some(head) = head(text, at).filter(|head| head.opens_body) {
            let bytes = prepared.get_or_insert_with(|| text.into());
            let mut stands = HEAD.bytes();
            for byte in bytes[at..at + head.length].iter_mut().filter(|byte| **byte != b'\n') {
                *byte = stands.next().unwrap_or(b' ');
            }
        }
    }
    // Only whole heads were overwritten, with ASCII: what is no text any more is left as it was.
    match prepared.map(String::from_utf8) {
        Some(Ok(prepared)) => Cow::Owned(prepared),
        _ => Cow::Borrowed(text),
    }
}

/// The test that a function is, if a macro declares it.
pub fn test(function: Node, source: &[u8]) -> Option<Definition> {
    let start = function.start_byte();
    let text = source.get(start..source.len().min(start + HEAD_BYTES_MAX))?;
    // The cut may lie in a character.
    let text = str::from_utf8(text).or_else(|cut| str::from_utf8(&text[..cut.valid_up_to()])).ok()?;
    let head = head(text, 0)?;
    let written = |nth: usize| head.arguments.get(nth).map(|argument| argument.trim());
    match head.naming {
        Naming::Pair => {
            let name = match (written(0)?, written(1)) {
                (suite, Some(case)) => format!("{suite}.{case}"),
                (name, None) => name.to_owned(),
            };
            Some(Definition::function(name, function).joined(Joint::Alone))
        }
        Naming::Name(nth) => Some(Definition::function(written(nth)?, function).joined(Joint::Alone)),
        Naming::Title => {
            let mut arguments = head.arguments.iter().map(|argument| argument.trim());
            let literal = arguments.find(|argument| argument.starts_with('"'))?;
            // `"title" * doctest::skip()`
            let end = literal.rfind('"').filter(|&end| end > 0)?;
            Some(Definition::new(title_of(&literal[..=end])?, Kind::Test, function))
        }
    }
}

/// The test whose head stands among the tokens of a node that does not parse.
pub fn loose(error: Node, source: &[u8]) -> Vec<Definition> {
    if !error.is_error() {
        return Vec::new();
    }
    error.children(&mut error.walk()).filter_map(|token| test(token, source)).collect()
}

struct Head<'text> {
    naming: Naming,
    arguments: Vec<&'text str>,
    /// Up to its closing parenthesis.
    length: usize,
    opens_body: bool,
}

/// The head of a test macro that begins at `at`.
fn head(text: &str, at: usize) -> Option<Head<'_>> {
    let text = text.get(at..)?;
    let name_bytes = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))?;
    let name = &text[..name_bytes];
    let bare = ["CATCH_", "DOCTEST_"].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name);
    let naming = MACROS.iter().find(|(known, _)| *known == bare)?.1;
    let open = name_bytes + text[name_bytes..].find(|c: char| !c.is_whitespace())?;
    let mut arguments = Vec::new();
    let (mut depth, mut from, mut in_string) = (0usize, open + 1, false);
    let mut bytes = text.bytes().enumerate().skip(open).take(HEAD_BYTES_MAX);
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' if in_string => drop(bytes.next()),
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'(' | b'<' | b'{' => depth += 1,
            b')' | b'>' | b'}' if depth > 1 => depth -= 1,
            b')' if depth == 1 => {
                arguments.push(&text[from..at]);
                let length = at + 1;
                let opens_body = length >= HEAD.len() && text[length..].trim_start().starts_with('{');
                return Some(Head { naming, arguments, length, opens_body });
            }
            b',' if depth == 1 => {
                arguments.push(&text[from..at]);
                from = at + 1;
            }
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

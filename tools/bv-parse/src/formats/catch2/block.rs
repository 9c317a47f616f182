//! One failed check: `file.cpp:8: FAILED:`, the expression, its expansion, the messages.
//!
//! Read from the console, and from the text of a JUnit report's element, whose place comes last.

use crate::cpp;
use crate::values::{Sides, split_outside};
use bv_schemas::{Failure, Kind, Place};
use serde_json::Map;

/// Lines kept of one check.
const LINES_MAX: usize = 300;

/// A failed check, as printed.
#[derive(Debug, Default)]
pub struct Block {
    file: Option<String>,
    line: Option<u64>,
    lines: Vec<String>,
    /// It failed; `PASSED:`, `warning:` and the like are read to be left out.
    failed: bool,
    span: [u64; 2],
    blank: bool,
}

impl Block {
    /// Whether a check's report begins here.
    pub fn begins(text: &str, span: [u64; 2]) -> Option<Block> {
        const HEADS: &[&str] =
            &[": FAILED:", ": PASSED:", ": FAILED - but was ok:", ": SKIPPED:", ": warning:"];
        let head = HEADS.iter().find(|head| text.ends_with(*head))?;
        let (file, line) = cpp::place(&text[..text.len() - head.len()])?;
        let failed = *head == ": FAILED:";
        Some(Block { file: Some(file.to_owned()), line: Some(line), failed, span, ..Block::default() })
    }

    /// From a JUnit element's text: `FAILED:`, the same lines, `at file.cpp:8`.
    pub fn of_report(text: &str) -> Block {
        let mut block = Block { failed: true, ..Block::default() };
        for line in text.lines() {
            if let Some((file, line)) = line.strip_prefix("at ").and_then(cpp::place) {
                (block.file, block.line) = (Some(file.to_owned()), Some(line));
            } else if !line.trim().is_empty() && line.trim() != "FAILED:" {
                block.lines.push(line.to_owned());
            }
        }
        block
    }

    /// Takes the next line; false when the check's report is over: a blank line that no indented one follows.
    pub fn line(&mut self, line: &str, span: [u64; 2]) -> bool {
        let own = line.starts_with(' ') || is_label(line.trim_end());
        if line.trim().is_empty() {
            // A message may hold blank lines.
            self.blank = true;
            return true;
        }
        if !own {
            return false;
        }
        if std::mem::take(&mut self.blank) && is_label(line) {
            return false;
        }
        if self.lines.len() < LINES_MAX {
            self.lines.push(line.to_owned());
            self.span[1] = span[1];
        }
        true
    }

    /// The failure that it tells of; none where nothing failed.
    pub fn failure(self) -> Option<Failure> {
        if !self.failed {
            return None;
        }
        let mut failure = Failure {
            test: Some(Place { file: self.file.clone(), line: self.line, function: None }),
            span: (self.span != [0, 0]).then_some(self.span),
            ..Failure::default()
        };
        let expression = joined(self.part(None));
        failure.message = expression.clone();
        let expansion: Vec<&str> = self.part(Some("with expansion:")).collect();
        if let Some(sides) = sides(&expansion) {
            sides.fill(&mut failure);
        }
        let messages = self.part(Some("with message:")).chain(self.part(Some("with messages:")));
        for message in messages {
            if let Some((name, value)) = message.split_once(" := ") {
                let inputs = failure.counterexample.get_or_insert_with(Map::new);
                inputs.insert(name.trim().to_owned(), value.trim().into());
            } else if let Some(text) = &mut failure.message {
                text.push_str(" with message: ");
                text.push_str(message.trim());
            }
        }
        self.reason(&mut failure);
        Some(failure)
    }

    /// What made it fail, other than an expression that is false.
    fn reason(&self, failure: &mut Failure) {
        let said = |labels: &[&str]| labels.iter().find_map(|label| joined(self.part(Some(label))));
        if let Some(message) =
            said(&["due to unexpected exception with message:", "due to unexpected exception with messages:"])
        {
            failure.kind = Kind::Exception;
            failure.message = Some(message);
        } else if let Some(message) = said(&["due to a fatal error condition:"]) {
            failure.kind = Kind::Crash;
            failure.exception_type =
                message.split(" - ").next().filter(|name| name.starts_with("SIG")).map(str::to_owned);
            failure.message = Some(message);
        } else if let Some(message) = said(&["explicitly with message:", "explicitly with messages:"]) {
            failure.message = Some(message);
        } else if failure.message.is_none() {
            // A JUnit report leaves the label out.
            failure.message = joined(self.lines.iter().map(String::as_str).filter(|line| !is_label(line)));
        }
    }

    /// The lines below a label, or above all of them.
    fn part(&self, label: Option<&str>) -> impl Iterator<Item = &str> {
        let from = match label {
            None => 0,
            Some(label) => self
                .lines
                .iter()
                .position(|line| line.trim_end() == label)
                .map_or(self.lines.len(), |at| at + 1),
        };
        self.lines[from..].iter().map(String::as_str).take_while(|line| !is_label(line.trim_end()))
    }
}

fn is_label(text: &str) -> bool {
    const LABELS: &[&str] = &["with ", "due to ", "explicitly", "because no exception "];
    text.ends_with(':') && LABELS.iter().any(|label| text.starts_with(label))
}

fn joined<'a>(lines: impl Iterator<Item = &'a str>) -> Option<String> {
    let lines: Vec<&str> = lines.map(str::trim).filter(|line| !line.is_empty()).collect();
    (!lines.is_empty()).then(|| lines.join(" "))
}

/// What was seen and what was wanted in an expansion: `-4.0 == -5`; where a side is long, the operator
/// stands in a line of its own; a matcher's words follow the value (`{ 1 } Contains: 2`).
fn sides(lines: &[&str]) -> Option<Sides> {
    let trimmed: Vec<&str> = lines.iter().map(|line| line.strip_prefix("  ").unwrap_or(line)).collect();
    if let Some(at) = trimmed.iter().position(|line| cpp::OPERATORS.contains(&line.trim())) {
        let (left, right) = (trimmed[..at].join("\n"), trimmed[at + 1..].join("\n"));
        let whole = !left.is_empty() && !right.is_empty();
        return whole.then(|| cpp::compared(&left, trimmed[at].trim(), &right));
    }
    let text = trimmed.join("\n");
    cpp::sides(&text).or_else(|| matcher(&text))
}

/// Catch2's matchers describe themselves after the value.
fn matcher(text: &str) -> Option<Sides> {
    const WORDS: &[&str] = &[
        "Contains: ",
        "contains: ",
        "contains ",
        "equals: ",
        "Equals: ",
        "starts with: ",
        "ends with: ",
        "matches ",
        "is within ",
        "is approx",
        "and ",
        "or ",
        "not ",
        "exception message ",
        "is approx: ",
        "is not ",
        "has size ",
        "is empty",
        "UnorderedEquals: ",
        "Approx: ",
    ];
    let found = WORDS.iter().filter_map(|word| {
        let (left, right) = split_outside(text, &[" ", word].concat())?;
        (!left.is_empty()).then(|| (left.len(), Sides::both([*word, right].concat().trim(), left.trim())))
    });
    found.min_by_key(|(at, _)| *at).map(|(_, sides)| sides)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks() {
        for (text, message, expected, observed, kind) in [
            (
                "a.cpp:8: FAILED:\n  CHECK( force(2) == -5 )\nwith expansion:\n  -4.0 == -5",
                "CHECK( force(2) == -5 )",
                Some("-5"),
                Some("-4.0"),
                Kind::Assertion,
            ),
            (
                "a.cpp:8: FAILED:\n  CHECK( a < b )\nwith expansion:\n  5 < 3\nwith message:\n  why",
                "CHECK( a < b ) with message: why",
                Some("< 3"),
                Some("5"),
                Kind::Assertion,
            ),
            (
                "a.cpp:8: FAILED:\n  CHECK( a == b )\nwith expansion:\n  \"one\n  two\"\n  ==\n  \"three\"",
                "CHECK( a == b )",
                Some("\"three\""),
                Some("\"one\ntwo\""),
                Kind::Assertion,
            ),
            (
                "a.cpp:8: FAILED:\n  CHECK_THAT( got, VectorContains(3) )\nwith expansion:\n  { 1, 2 } Contains: 3",
                "CHECK_THAT( got, VectorContains(3) )",
                Some("Contains: 3"),
                Some("{ 1, 2 }"),
                Kind::Assertion,
            ),
            (
                "a.cpp:8: FAILED:\n  REQUIRE_NOTHROW( f() )\ndue to unexpected exception with message:\n  no spring",
                "no spring",
                None,
                None,
                Kind::Exception,
            ),
            (
                "a.cpp:8: FAILED:\n  REQUIRE( f() )\ndue to a fatal error condition:\n  SIGSEGV - Segmentation violation signal",
                "SIGSEGV - Segmentation violation signal",
                None,
                None,
                Kind::Crash,
            ),
            ("a.cpp:8: FAILED:\nexplicitly with message:\n  by hand", "by hand", None, None, Kind::Assertion),
        ] {
            let mut lines = text.lines();
            let mut block = Block::begins(lines.next().unwrap(), [0, 1]).unwrap();
            lines.for_each(|line| assert!(block.line(line, [0, 1]), "{line}"));
            let got = block.failure().unwrap();
            assert_eq!(
                (got.message.as_deref(), got.expected.as_deref(), got.observed.as_deref(), got.kind),
                (Some(message), expected, observed, kind),
                "{text}"
            );
        }
        assert!(Block::begins("a.cpp:8: PASSED:", [0, 1]).unwrap().failure().is_none());
        assert!(Block::begins("the word FAILED:", [0, 1]).is_none());
    }
}

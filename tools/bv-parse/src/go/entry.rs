//! One entry of a test's log (`testing.(*common).log`): `    file_test.go:12: text`, its further lines
//! indented below it, and what it says went wrong.
//!
//! `t.Log` and `t.Error` write alike; [`Entry::blames`] weighs which of a failed test's entries tells why.

use super::{blocks, diff, property, testify};
use crate::words;
use bv_schemas::{Kind, Place};
use serde_json::{Map, Value};

/// Lines kept of one entry; a large diff goes on for pages.
const LINES_MAX: usize = 400;
/// Bytes kept of one entry.
const BYTES_MAX: usize = 64 << 10;

/// One entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Base name, as printed.
    pub file: String,
    /// 1-based.
    pub line: u64,
    /// The text after the place, then the further lines without the entry's indentation.
    pub lines: Vec<String>,
    /// Go itself marks it as an error (`go test -json` since Go 1.26).
    pub error: bool,
    indent: usize,
    /// Its place was wiped from the line, and nothing stands before its further lines but TABs of their own.
    wiped: bool,
    bytes: usize,
}

/// What an entry says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checked {
    /// `Assertion` or `Property`.
    pub kind: Kind,
    /// One line.
    pub message: Option<String>,
    /// The side that must hold.
    pub expected: Option<String>,
    /// The side that was seen.
    pub observed: Option<String>,
    /// A property's input.
    pub counterexample: Option<Map<String, Value>>,
    /// Where the check stands, when the text says it better than the entry's own place.
    pub test: Option<Place>,
    /// The user's frames, innermost first, when the text has them.
    pub frames: Vec<Place>,
}

impl Entry {
    /// Whether an entry begins in this line. At least one level of indentation stands before it: what is
    /// printed by `log` with file names begins its line.
    pub fn begins(line: &str) -> Option<Entry> {
        if let Some(trace) = line.strip_prefix("\tError Trace:\t") {
            return wiped(line, trace);
        }
        let text = line.trim_start_matches([' ', '\t']);
        let indent = width(&line[..line.len() - text.len()]);
        if indent < 4 {
            return None;
        }
        let (file, rest) = text.split_once(".go:")?;
        // Go 1.14 put the test's name before the place.
        let named = file.split_once(": ").filter(|(test, _)| test.starts_with("Test") && !test.contains(' '));
        let file = named.map_or(file, |(_, file)| file);
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let after = rest[digits..].strip_prefix(':')?;
        // Editors and some logs cut trailing blanks.
        let after = if after.is_empty() { after } else { after.strip_prefix(' ')? };
        if file.is_empty() || file.contains([' ', '\t', '"', ':', '/']) {
            return None;
        }
        Some(Entry {
            file: [file, ".go"].concat(),
            line: rest[..digits].parse().ok()?,
            lines: vec![after.to_owned()],
            indent,
            ..Entry::default()
        })
    }

    /// The entry, marked as an error where Go says so.
    pub fn marked(self, error: bool) -> Entry {
        Entry { error, ..self }
    }

    /// Takes the next line when it belongs to this entry.
    pub fn goes_on(&mut self, line: &str) -> bool {
        let text = line.trim_start_matches([' ', '\t']);
        if !text.is_empty() && width(&line[..line.len() - text.len()]) < self.indent + 4 {
            return false;
        }
        let columns = if self.wiped { 0 } else { self.indent + 4 };
        if self.lines.len() < LINES_MAX && self.bytes + line.len() <= BYTES_MAX {
            self.bytes += line.len();
            self.lines.push(dedented(line, columns).to_owned());
        }
        true
    }

    /// How much it looks like the reason of a failure: 0 for what any log line may say.
    pub fn blames(&self) -> u8 {
        const WORDS: &[&str] = &[
            "error",
            "fail",
            "unexpected",
            "expected",
            "want",
            "got ",
            "should",
            "must",
            "invalid",
            "wrong",
            "mismatch",
            "missing",
            "not ",
            "can't",
            "cannot",
            "unable",
            "panic",
            "differ",
            "no ",
            "bad ",
            "!=",
            "timeout",
            "timed out",
            "too ",
        ];
        if self.error {
            return 3;
        }
        let checked = self.checked();
        if checked.expected.is_some() || checked.observed.is_some() || checked.kind == Kind::Property {
            return 2;
        }
        let text =
            self.lines.iter().take(3).map(|line| line.to_ascii_lowercase()).collect::<Vec<_>>().join("\n");
        u8::from(testify::is_block(&self.lines) || WORDS.iter().any(|word| text.contains(word)))
    }

    /// What it says.
    pub fn checked(&self) -> Checked {
        let lines: Vec<&str> = self.lines.iter().map(String::as_str).collect();
        if let Some(checked) = testify::checked(&lines) {
            return checked;
        }
        if let Some(checked) = property::checked(&lines) {
            return checked;
        }
        let mut checked = blocks::checked(&lines);
        if let Some((expected, observed)) = diff::sides(&lines) {
            (checked.expected, checked.observed) = (expected, observed);
        } else if checked.expected.is_none() && checked.observed.is_none() {
            let found = lines.iter().take(4).find_map(|line| words::said(line));
            if let Some(sides) = found {
                (checked.expected, checked.observed) = (Some(sides.expected), Some(sides.observed));
            }
        }
        checked
    }
}

/// testify before 1.2 wiped Go's own `assertions.go:241: ` with carriage returns (`assert.Fail`).
fn wiped(line: &str, trace: &str) -> Option<Entry> {
    let (file, number) = trace.trim_end().rsplit_once(':')?;
    let line_number = number.parse().ok()?;
    file.ends_with(".go").then(|| Entry {
        file: file.to_owned(),
        line: line_number,
        lines: vec![line.to_owned()],
        wiped: true,
        ..Entry::default()
    })
}

/// Columns of white space; Go before 1.14 indented by TABs.
fn width(blank: &str) -> usize {
    blank.bytes().map(|b| if b == b'\t' { 4 } else { 1 }).sum()
}

/// The line without `columns` of its white space.
fn dedented(line: &str, columns: usize) -> &str {
    let mut seen = 0;
    for (at, byte) in line.bytes().enumerate() {
        if seen >= columns || !matches!(byte, b' ' | b'\t') {
            return &line[at..];
        }
        seen += if byte == b'\t' { 4 } else { 1 };
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(text: &str) -> Entry {
        let mut lines = text.lines();
        let mut entry = Entry::begins(lines.next().unwrap()).unwrap();
        lines.for_each(|line| assert!(entry.goes_on(line), "{line}"));
        entry
    }

    #[test]
    fn entries_and_their_further_lines() {
        let got =
            entry("        invoice_test.go:55: Split(100, 3)\n             got: 33\n            want: 34");
        assert_eq!(
            (got.file.as_str(), got.line, got.lines),
            ("invoice_test.go", 55, vec!["Split(100, 3)".to_owned(), " got: 33".into(), "want: 34".into()])
        );
        let named = entry("    TestA/sub: a_test.go:50: failed");
        assert_eq!((&*named.file, named.line, &*named.lines[0]), ("a_test.go", 50, "failed"));
        let wiped = entry(
            "\tError Trace:\tx_test.go:7\n\t\t\ty.go:2\n\tError:\t\tNot equal: \n\t\t\texpected: 1\n\t\t\treceived: 2",
        );
        let checked = wiped.checked();
        assert_eq!((&*wiped.file, wiped.line), ("x_test.go", 7));
        assert_eq!((checked.expected.as_deref(), checked.observed.as_deref()), (Some("1"), Some("2")));
        let mut old = entry("\tx_test.go:1: a\n\t\tb");
        assert_eq!(old.lines, ["a", "b"]);
        assert!(!old.goes_on("FAIL"));
        for none in [
            "x_test.go:1: a",
            "    x_test.go:1:2: a",
            "    2020/01/01 x.go:1: a",
            "    x.go: a",
            "    .go:1: a",
        ] {
            assert_eq!(Entry::begins(none), None, "{none}");
        }
    }

    #[test]
    fn what_entries_say() {
        for (text, message, expected, observed) in [
            ("    a_test.go:1: Add(1, 2) = 3; want 4", "Add(1, 2) = 3; want 4", Some("4"), Some("3")),
            ("    a_test.go:1: Split\n         got: 33\n        want: 34", "Split", Some("34"), Some("33")),
            ("    a_test.go:1: first line is \"pen\"", "first line is \"pen\"", None, None),
            (
                "    a_test.go:1: Expected\n            <int>: 1\n        to equal\n            <int>: 2",
                "Expected",
                Some("<int>: 2"),
                Some("<int>: 1"),
            ),
            (
                "    a_test.go:1: assertion failed: 3 (got int) != 4 (want int)",
                "assertion failed: 3 (got int) != 4 (want int)",
                Some("4"),
                Some("3"),
            ),
            (
                "    a_test.go:1: \n        error:\n          values are not equal\n        got:\n          int(3)\n        want:\n          int(4)",
                "values are not equal",
                Some("int(4)"),
                Some("int(3)"),
            ),
            ("    a_test.go:1: diff:\n        a\n        b", "diff: a", None, None),
        ] {
            let got = entry(text).checked();
            assert_eq!(
                (got.message.as_deref(), got.expected.as_deref(), got.observed.as_deref()),
                (Some(message), expected, observed),
                "{text}"
            );
        }
    }
}

//! The lines of ESLint's text output: one a problem, and the count at the end.

use super::failure;
use crate::finding;
use bv_schemas::Failure;

/// How ESLint weighs a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// It makes the run fail.
    Error,
    /// It does not.
    Warning,
}

/// One problem.
#[derive(Debug, PartialEq)]
pub struct Row<'a> {
    /// How bad it is.
    pub severity: Severity,
    file: &'a str,
    line: u64,
    message: &'a str,
    rule: Option<&'a str>,
}

impl Row<'_> {
    /// As a record.
    pub fn failure(&self, span: [u64; 2]) -> Failure {
        failure(finding::place(self.file, Some(self.line)), self.message, self.rule, span)
    }
}

/// The head of a file's rows: an absolute path, or `<text>` for stdin.
pub fn is_file(text: &str) -> bool {
    let bytes = text.as_bytes();
    text == "<text>"
        || bytes[0] == b'/' && !text.starts_with("//") && !text.contains(": ")
        || bytes.len() > 3 && bytes[0].is_ascii_alphabetic() && bytes[1..3] == *b":\\"
}

/// `  4:7   warning  'hit' is never reassigned  prefer-const`; what no rule found has no name at its end.
pub fn stylish<'a>(text: &'a str, file: &'a str) -> Option<Row<'a>> {
    let (position, rest) = text.trim_start().split_once(' ')?;
    let (line, column) = position.split_once(':')?;
    let line = line.parse().ok()?;
    column.parse::<u64>().ok()?;
    let (severity, rest) = rest.trim_start().split_once("  ")?;
    let severity = self::severity(severity, "error", "warning")?;
    let rest = rest.trim();
    let (message, rule) = match rest.rsplit_once("  ") {
        Some((message, rule)) if !rule.contains(' ') => (message.trim_end(), Some(rule)),
        _ => (rest, None),
    };
    Some(Row { severity, file, line, message, rule })
}

/// `/w/a.js:1:10: 'x' is not defined. [Error/no-undef]`.
pub fn unix(text: &str) -> Option<Row<'_>> {
    let (rest, tag) = text.strip_suffix(']')?.rsplit_once(" [")?;
    let (word, rule) = match tag.split_once('/') {
        Some((word, rule)) => (word, Some(rule)),
        None => (tag, None),
    };
    let severity = severity(word, "Error", "Warning")?;
    let (place, message) = rest.split_once(": ")?;
    let (file, line) = finding::position(place)?;
    Some(Row { severity, file, line, message, rule })
}

/// `/w/a.js: line 1, col 10, Error - 'x' is not defined. (no-undef)`.
pub fn compact(text: &str) -> Option<Row<'_>> {
    let (file, rest) = text.split_once(": line ")?;
    let (line, rest) = rest.split_once(", col ")?;
    let (_, rest) = rest.split_once(", ")?;
    let (word, rest) = rest.split_once(" - ")?;
    let severity = severity(word, "Error", "Warning")?;
    let (message, rule) = match rest.strip_suffix(')').and_then(|rest| rest.rsplit_once(" (")) {
        Some((message, rule)) if !rule.contains(' ') => (message, Some(rule)),
        _ => (rest, None),
    };
    Some(Row { severity, file, line: line.parse().ok()?, message, rule })
}

fn severity(word: &str, error: &str, warning: &str) -> Option<Severity> {
    match word.trim() {
        word if word == error => Some(Severity::Error),
        word if word == warning => Some(Severity::Warning),
        _ => None,
    }
}

/// `✖ 4 problems (3 errors, 1 warning)` to errors and warnings.
pub fn count(text: &str) -> Option<(u64, u64)> {
    let (mark, rest) = text.split_once(' ')?;
    let (all, rest) = rest.split_once(' ')?;
    let rest = rest.strip_prefix("problems (").or_else(|| rest.strip_prefix("problem ("))?;
    let (errors, warnings) = rest.strip_suffix(')')?.split_once(", ")?;
    let number = |text: &str, word: &str| -> Option<u64> {
        text.strip_suffix('s').unwrap_or(text).strip_suffix(word)?.trim_end().parse().ok()
    };
    let (errors, warnings) = (number(errors, "error")?, number(warnings, "warning")?);
    let whole = mark.chars().count() == 1 && all.parse() == Ok(errors.saturating_add(warnings));
    whole.then_some((errors, warnings))
}

/// `4 problems`: the last line of the unix and compact output.
pub fn is_total(text: &str) -> bool {
    let number = text.strip_suffix(" problems").or_else(|| text.strip_suffix(" problem"));
    number.is_some_and(|number| number.parse::<u64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use Severity::{Error, Warning};

    type Want<'a> = Option<(Severity, &'a str, u64, &'a str, Option<&'a str>)>;

    fn check(row: Option<Row<'_>>, want: Want<'_>) {
        assert_eq!(row.map(|r| (r.severity, r.file, r.line, r.message, r.rule)), want);
    }

    #[test]
    fn rows() {
        check(
            stylish("  4:7   warning  Use 'const' instead  prefer-const", "/a.js"),
            Some((Warning, "/a.js", 4, "Use 'const' instead", Some("prefer-const"))),
        );
        check(
            stylish("  1:14  error  Parsing error: Unexpected token =", "/a.js"),
            Some((Error, "/a.js", 1, "Parsing error: Unexpected token =", None)),
        );
        check(stylish("  1:x  error  m  r", "/a.js"), None);
        check(stylish("  1:14  note  m  r", "/a.js"), None);
        check(
            unix("/w/a.js:1:10: 'x' is: bad. [Error/no-undef]"),
            Some((Error, "/w/a.js", 1, "'x' is: bad.", Some("no-undef"))),
        );
        check(
            unix("/w/a.js:1:10: Parsing error [Error]"),
            Some((Error, "/w/a.js", 1, "Parsing error", None)),
        );
        check(unix("a log line [Error]"), None);
        check(
            compact("/w/a.js: line 1, col 10, Error - 'x' (y) is. (no-undef)"),
            Some((Error, "/w/a.js", 1, "'x' (y) is.", Some("no-undef"))),
        );
        check(compact("/w/a.js: line 1, col 10, Info - x"), None);
    }

    #[test]
    fn counts() {
        for (text, want) in [
            ("✖ 4 problems (3 errors, 1 warning)", Some((3, 1))),
            ("× 1 problem (1 error, 0 warnings)", Some((1, 0))),
            ("✖ 4 problems (3 errors, 2 warnings)", None),
            ("we saw 4 problems (3 errors, 1 warning)", None),
            ("✖ 4 problems", None),
        ] {
            assert_eq!(count(text), want, "{text}");
        }
    }

    #[test]
    fn heads() {
        for (text, want) in
            [("/w/a.js", true), ("C:\\w\\a.js", true), ("<text>", true), ("a.js", false), ("/w: x", false)]
        {
            assert_eq!(is_file(text), want, "{text}");
        }
    }
}

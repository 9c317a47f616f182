//! The lines that Ruff prints of a finding, and of the whole run.

use crate::finding::{lint, place, position};
use crate::machine::Line;
use bv_schemas::Failure;

/// A finding that is whole in one line.
#[derive(Debug, PartialEq)]
pub struct Row<'a> {
    /// Its file.
    pub file: &'a str,
    /// Its line.
    pub line: u64,
    /// `F401`, `invalid-syntax`.
    pub rule: &'a str,
    /// What is wrong.
    pub message: &'a str,
    /// Only Ruff prints it like this; flake8 does not.
    pub ruffs: bool,
}

/// The rule and message of a finding whose place stands in the next line.
#[derive(Debug)]
pub struct Head {
    /// See [`Row`].
    pub rule: String,
    /// See [`Row`].
    pub message: String,
    /// Its bytes in the raw stream.
    pub span: [u64; 2],
}

impl Head {
    /// ``F401 [*] `os` imported but unused``, `invalid-syntax: Expected …`.
    pub fn of(line: &Line<'_>) -> Option<Head> {
        let (rule, message, _) = coded(line.text)?;
        Some(Head { rule: rule.to_owned(), message: message.to_owned(), span: line.span })
    }
}

/// A file that Python's checkers read, and the line in it: `a.py:1:8`, `n.ipynb:cell 2:1:8`.
pub fn python(text: &str) -> Option<(&str, u64)> {
    let (file, line) = position(text)?;
    let source = file.split(":cell ").next().unwrap_or(file);
    is_source(source).then_some((file, line))
}

fn is_source(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    matches!(extension, Some("py" | "pyi" | "pyx" | "ipynb" | "pyw"))
        || name == "pyproject.toml"
        || name == "-"
}

/// `a.py:1:8: F401 [*] message`, and `a.py:1: [F401] message` as pylint prints it.
pub fn row(text: &str) -> Option<Row<'_>> {
    let (place, rest) = text.split_once(": ")?;
    let (file, line) = python(place)?;
    if let Some((rule, message)) = rest.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        return is_rule(rule).then_some(Row { file, line, rule, message, ruffs: true });
    }
    let (rule, message, ruffs) = coded(rest)?;
    Some(Row { file, line, rule, message, ruffs })
}

/// The head of a group: `app/cfg.py:`.
pub fn group(text: &str) -> Option<&str> {
    text.strip_suffix(':').filter(|file| is_source(file) && !file.contains(' '))
}

/// `1:8  F401 [*] message`, the row of a group.
pub fn grouped(text: &str) -> Option<(u64, Row<'_>)> {
    let (at, rest) = text.split_once(' ')?;
    let (line, column) = at.split_once(':')?;
    let line = line.parse().ok()?;
    column.parse::<u64>().ok()?;
    let (rule, message, ruffs) = coded(rest.trim_start())?;
    Some((line, Row { file: "", line, rule, message, ruffs }))
}

/// `F401 [*] message` to rule, message, and whether only Ruff says so.
fn coded(text: &str) -> Option<(&str, &str, bool)> {
    let (rule, message) = text.split_once(' ')?;
    // A finding that no rule's code stands for: syntax errors, and what the formatter would do.
    if let Some(name) = rule.strip_suffix(':') {
        return is_name(name).then_some((name, message, true));
    }
    if !is_code(rule) {
        return None;
    }
    match message.strip_prefix("[*] ") {
        Some(message) => Some((rule, message, true)),
        None => Some((rule, message, false)),
    }
}

/// `F401`, `PLR2004`, `ABC123`.
fn is_code(text: &str) -> bool {
    let digits = text.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let letters = text.len() - digits.len();
    (1..=8).contains(&letters)
        && (1..=5).contains(&digits.len())
        && digits.bytes().all(|b| b.is_ascii_digit())
}

/// The names that Ruff gives to what has no code; `SyntaxError` until version 0.12.
fn is_name(text: &str) -> bool {
    matches!(text, "invalid-syntax" | "unformatted" | "io-error" | "SyntaxError" | "panic")
}

fn is_rule(text: &str) -> bool {
    is_code(text) || is_name(text)
}

/// An annotation of GitHub Actions or Azure Pipelines.
pub fn annotation(line: &Line<'_>) -> Option<Failure> {
    let text = line.text;
    if let Some(rest) = text.strip_prefix("::error title=") {
        let (rule, rest) =
            rest.strip_prefix("Ruff (").or_else(|| rest.strip_prefix("ruff ("))?.split_once("),file=")?;
        let (properties, message) = rest.split_once("::")?;
        let (file, properties) = properties.split_once(',')?;
        let at = properties.strip_prefix("line=")?.split(',').next()?.parse().ok()?;
        // The place and the rule again, then the message, then what would help.
        let (_, message) = message.split_once(": ")?;
        let message = coded(message).map_or(message, |(_, message, _)| message);
        let message = message.split("%0A").next().unwrap_or(message);
        return Some(lint(place(file, Some(at)), message, Some(rule), line.span));
    }
    let rest = text.strip_prefix("##vso[task.logissue type=error;sourcepath=")?;
    let (properties, message) = rest.split_once(";]")?;
    let (file, rest) = properties.split_once(";linenumber=")?;
    let (at, rest) = rest.split_once(';')?;
    let (_, rule) = rest.split_once("code=")?;
    is_rule(rule).then(|| lint(place(file, at.parse().ok()), message, Some(rule), line.span))
}

/// `Would reformat: a.py`, as the formatter said until version 0.15 and says in a dry run.
pub fn would_reformat(text: &str) -> Option<&str> {
    text.strip_prefix("Would reformat: ").filter(|file| !file.is_empty())
}

/// `Found 4 errors.`, `Found 3 errors (1 fixed, 2 remaining).` to what is left to fix.
pub fn found(text: &str) -> Option<u64> {
    let (count, rest) = text.strip_prefix("Found ")?.split_once(' ')?;
    let count = count.parse().ok()?;
    let rest = rest.strip_prefix("errors").or_else(|| rest.strip_prefix("error"))?;
    if rest == "." {
        return Some(count);
    }
    let (_, remaining) = rest.strip_prefix(" (")?.strip_suffix(" remaining).")?.split_once(" fixed, ")?;
    remaining.parse().ok()
}

/// The formatter's closing line: `2 files would be reformatted, 1 file already formatted`. The number is
/// that of the files which are not as they should be.
pub fn formatted(text: &str) -> Option<Option<u64>> {
    let mut bad = None;
    for part in text.split(", ") {
        let (count, rest) = part.split_once(' ')?;
        let count: u64 = count.parse().ok()?;
        match rest.strip_prefix("files ").or_else(|| rest.strip_prefix("file "))? {
            "would be reformatted" => bad = Some(count),
            "already formatted" => {}
            _ => return None,
        }
    }
    Some(bad)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows() {
        let check = |text, want: Option<(&str, u64, &str, &str, bool)>| {
            assert_eq!(row(text).map(|r| (r.file, r.line, r.rule, r.message, r.ruffs)), want, "{text}");
        };
        check("a/b.py:1:8: F401 [*] `os` unused: x", Some(("a/b.py", 1, "F401", "`os` unused: x", true)));
        check("a.py:6:13: E711 comparison to None", Some(("a.py", 6, "E711", "comparison to None", false)));
        check("a.py:1:7: invalid-syntax: Expected", Some(("a.py", 1, "invalid-syntax", "Expected", true)));
        check("a.py:1: [F401] `os`", Some(("a.py", 1, "F401", "`os`", true)));
        check("n.ipynb:cell 2:1:8: F401 x", Some(("n.ipynb:cell 2", 1, "F401", "x", false)));
        check("a.py:12: AssertionError", None);
        check("a.py:12: in test_x", None);
        check("a.c:1:8: E1 x", None);
        check("a.py:1:8: error: x", None);
    }

    #[test]
    fn what_is_left() {
        for (text, want) in [
            ("Found 4 errors.", Some(4)),
            ("Found 1 error.", Some(1)),
            ("Found 3 errors (1 fixed, 2 remaining).", Some(2)),
            ("Found 1 error (1 fixed, 0 remaining).", Some(0)),
            ("Found 4 errors in 2 files.", None),
            ("Found it.", None),
        ] {
            assert_eq!(found(text), want, "{text}");
        }
        for (text, want) in [
            ("2 files would be reformatted, 1 file already formatted", Some(Some(2))),
            ("1 file would be reformatted", Some(Some(1))),
            ("3 files already formatted", Some(None)),
            ("1 file would be reformatted.", None),
            ("3 files left unchanged", None),
        ] {
            assert_eq!(formatted(text), want, "{text}");
        }
    }

    #[test]
    fn annotations() {
        let check = |text, want: Option<(&str, u64, &str, &str)>| {
            let got = annotation(&Line { text, span: [0, 1], overwritten: false });
            let want = want.map(|(file, line, rule, message)| {
                lint(place(file, Some(line)), message, Some(rule), [0, 1])
            });
            assert_eq!(got, want, "{text}");
        };
        check(
            "::error title=ruff (F401),file=/w/a.py,line=1,col=8,endLine=1,endColumn=10::a.py:1:8: F401 `os` unused%0A  help: x",
            Some(("/w/a.py", 1, "F401", "`os` unused")),
        );
        check(
            "##vso[task.logissue type=error;sourcepath=/w/a.py;linenumber=7;columnnumber=16;code=F821;]Undefined",
            Some(("/w/a.py", 7, "F821", "Undefined")),
        );
        check("::error title=x,file=/w/a.py,line=1::boom", None);
    }
}

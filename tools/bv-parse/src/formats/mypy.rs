//! mypy: its lines, plain or `--pretty`, and its JSON lines.
//!
//! Errors are findings; notes and the pictures of the source are left alone. The closing line counts the
//! errors; with `--no-error-summary` and in JSON there is none, and the run ends with the first line that
//! is none of mypy's.

use crate::finding::{self, Findings, lint};
use crate::machine::{Format, Line, Machine, Out};
use bv_schemas::{Failure, Kind, Place, Reason};
use serde_json::Value;

/// The format.
pub const FORMAT: Format = Format {
    name: "mypy",
    commands: &["mypy", "dmypy"],
    needles: &[
        ": error: ",
        "Success: no issues found in ",
        "\"severity\": \"error\"}",
        "There are no .py[i] files in directory ",
    ],
    new: || Box::<Mypy>::default(),
};

/// Lines over which `--pretty` may wrap one message.
const WRAPPED_LINES_MAX: usize = 20;

/// A message shorter than this, in bytes, was not wrapped: terminals are wider.
const WRAPPED_BYTES_MIN: usize = 40;

#[derive(Debug, Default)]
struct Mypy {
    findings: Findings,
    /// Lines that the last message may still go on for.
    wrapped: usize,
}

impl Machine for Mypy {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        let text = line.text;
        match text.as_bytes().first() {
            None => return self.other(out),
            // The source and its marks; the message above is whole.
            Some(b' ') => {
                self.wrapped = 0;
                return;
            }
            Some(b'{') => return self.json(line, out),
            Some(_) => {}
        }
        if let Some(message) = said(text, ": error: ") {
            self.found(message, line, out);
        } else if said(text, ": note: ").is_some() {
            self.wrapped = 0;
        } else if !self.whole(text, out) && !self.goes_on(line) {
            self.other(out);
        }
    }

    fn end(&mut self, out: &mut Out) {
        // With a summary to come the run would be cut; without one, nothing more would come.
        self.findings.cut(out);
    }
}

impl Mypy {
    fn found(&mut self, said: Said<'_>, line: &Line<'_>, out: &mut Out) {
        let mut failure = lint(said.place, said.message.trim_end(), None, line.span);
        if said.message.starts_with("INTERNAL ERROR") {
            failure.kind = Kind::Crash;
        }
        let whole = take_code(&mut failure);
        self.wrapped = if whole { 0 } else { WRAPPED_LINES_MAX };
        self.findings.push(failure, out);
    }

    /// The rest of a message that `--pretty` wrapped.
    fn goes_on(&mut self, line: &Line<'_>) -> bool {
        let Some(failure) = self.findings.last_mut().filter(|_| self.wrapped > 0) else { return false };
        if failure.kind != Kind::Lint {
            // The trouble's traceback follows.
            return true;
        }
        self.wrapped -= 1;
        if let Some(message) = &mut failure.message {
            if message.len() < WRAPPED_BYTES_MIN {
                return false;
            }
            // The code alone stands two blanks behind the message.
            message.push_str(if line.text.starts_with('[') { "  " } else { " " });
            message.push_str(line.text.trim_end());
        }
        if let Some(span) = &mut failure.span {
            span[1] = line.span[1];
        }
        if take_code(failure) {
            self.wrapped = 0;
        }
        true
    }

    /// Words on the whole run.
    fn whole(&mut self, text: &str, out: &mut Out) -> bool {
        if is_success(text) {
            self.findings.close(Some(0), out);
        } else if let Some(count) = summary(text) {
            self.findings.close(Some(count), out);
        } else if text.starts_with("There are no .py[i] files in directory ") {
            self.findings.nothing(out);
        } else if let Some(words) = text.strip_prefix("mypy: error: ") {
            self.findings.refuse(Reason::NotRunnable, words, out);
        } else {
            return false;
        }
        self.wrapped = 0;
        true
    }

    /// A line that is none of mypy's.
    fn other(&mut self, out: &mut Out) {
        if self.findings.is_open() && self.findings.last_mut().is_none_or(|last| last.kind == Kind::Lint) {
            self.findings.close(None, out);
        }
        self.wrapped = 0;
    }

    fn json(&mut self, line: &Line<'_>, out: &mut Out) {
        match json(line) {
            Some(found) => found.into_iter().for_each(|failure| self.findings.push(failure, out)),
            None => self.other(out),
        }
    }
}

/// `a.py:8: error: `, `a.py:8:5:8:10: error: ` or `a.py: error: `, and the words.
struct Said<'a> {
    place: Option<Place>,
    message: &'a str,
}

fn said<'a>(text: &'a str, severity: &str) -> Option<Said<'a>> {
    let (before, message) = text.split_once(severity)?;
    let dot = before.rfind(".py")?;
    let mut parts = before[dot..].splitn(3, ':');
    let extension = parts.next()?;
    if !matches!(extension, ".py" | ".pyi" | ".pyx") {
        return None;
    }
    let file = &before[..dot + extension.len()];
    let line = match parts.next() {
        Some(number) => Some(number.parse().ok()?),
        None => None,
    };
    Some(Said { place: finding::place(file, line), message })
}

/// Takes `  [arg-type]` off the message's end, as the rule.
fn take_code(failure: &mut Failure) -> bool {
    let Some(message) = &mut failure.message else { return false };
    let code = message.strip_suffix(']').and_then(|rest| rest.rsplit_once("  ["));
    let Some((words, code)) = code else { return false };
    if code.is_empty() || !code.bytes().all(|b| b.is_ascii_lowercase() || b == b'-' || b.is_ascii_digit()) {
        return false;
    }
    failure.rule = Some(code.to_owned());
    let length = words.len();
    message.truncate(length);
    true
}

/// `Success: no issues found in 2 source files`.
fn is_success(text: &str) -> bool {
    let files = text.strip_prefix("Success: no issues found in ");
    files
        .and_then(|files| files.strip_suffix(" source files").or_else(|| files.strip_suffix(" source file")))
        .is_some_and(|count| count.parse::<u64>().is_ok_and(|count| count > 0))
}

/// `Found 4 errors in 1 file (checked 1 source file)` or `(errors prevented further checking)`.
fn summary(text: &str) -> Option<u64> {
    let (count, rest) = text.strip_prefix("Found ")?.split_once(' ')?;
    let rest = rest.strip_prefix("errors in ").or_else(|| rest.strip_prefix("error in "))?;
    let (_, rest) = rest.split_once(" file")?;
    let rest = rest.trim_start_matches('s');
    (rest.starts_with(" (checked ") || rest == " (errors prevented further checking)")
        .then(|| count.parse().ok())?
}

/// A line of `--output json`: an error, or nothing where it is a note.
fn json(line: &Line<'_>) -> Option<Option<Failure>> {
    if !line.text.ends_with("\"}") || !line.text.starts_with("{\"file\": ") {
        return None;
    }
    let value: Value = serde_json::from_str(line.text).ok()?;
    let place = finding::place(value["file"].as_str()?, value["line"].as_u64());
    let failure = || Some(lint(place, value["message"].as_str()?, value["code"].as_str(), line.span));
    match value["severity"].as_str()? {
        "error" => failure().map(Some),
        _ => Some(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads() {
        let check = |text, want: Option<(&str, Option<u64>, &str)>| {
            let got = said(text, ": error: ");
            let want = want.map(|(file, line, message)| (finding::place(file, line), message));
            assert_eq!(got.map(|s| (s.place, s.message)), want, "{text}");
        };
        check("a/b.py:8: error: Bad: x", Some(("a/b.py", Some(8), "Bad: x")));
        check("a.pyi:8:5: error: x", Some(("a.pyi", Some(8), "x")));
        check("C:\\a.py:8:5:8:10: error: x", Some(("C:\\a.py", Some(8), "x")));
        check("a.py: error: Cannot read", Some(("a.py", None, "Cannot read")));
        check("a.c:8:5: error: x", None);
        check("a.py:x: error: x", None);
        check("usage.pyc:1: error: x", None);
    }

    #[test]
    fn codes() {
        for (text, message, rule) in [
            ("m \"x\"  [arg-type]", "m \"x\"", Some("arg-type")),
            ("List of [int]", "List of [int]", None),
            ("x  [Not a code]", "x  [Not a code]", None),
        ] {
            let mut failure = lint(None, text, None, [0, 1]);
            take_code(&mut failure);
            assert_eq!(
                (failure.message.as_deref(), failure.rule.as_deref()),
                (Some(message), rule),
                "{text}"
            );
        }
    }

    #[test]
    fn closings() {
        for (text, success, errors) in [
            ("Success: no issues found in 2 source files", true, None),
            ("Success: no issues found in 1 source file", true, None),
            ("Success: no issues found in 0 source files", false, None),
            ("Success: no issues found in my code", false, None),
            ("Found 4 errors in 1 file (checked 1 source file)", false, Some(4)),
            ("Found 1 error in 2 files (errors prevented further checking)", false, Some(1)),
            ("Found 4 errors in 2 files.", false, None),
        ] {
            assert_eq!((is_success(text), summary(text)), (success, errors), "{text}");
        }
    }
}

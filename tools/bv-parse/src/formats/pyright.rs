//! Pyright (and basedpyright): its text, and its `--outputjson`
//! (`packages/pyright-internal/src/pyright.ts` in <https://github.com/microsoft/pyright>).
//!
//! Errors are findings; warnings and informations are none, but `--warnings` makes the exit status red for
//! them, of which the text says nothing: a run with warnings alone is green only where it is known to have
//! exited with 0.

mod json;

use crate::finding::{self, Findings, lint};
use crate::machine::{Format, Line, Machine, Out};
use bv_schemas::Failure;
use json::Report;

/// The format.
pub const FORMAT: Format = Format {
    name: "pyright",
    commands: &["pyright", "basedpyright"],
    needles: &[
        " - error: ",
        " - warning: ",
        " informations",
        ", 1 information",
        " warnings, 0 notes",
        "No source files found.",
        "\"generalDiagnostics\":",
    ],
    new: || Box::<Pyright>::default(),
};

#[derive(Debug, Default)]
struct Pyright {
    findings: Findings,
    /// The last finding's message may go on, and its rule stands at its end.
    goes_on: bool,
    /// It says that there is nothing to check.
    nothing: bool,
    report: Option<Report>,
}

/// What one run counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    errors: u64,
    warnings: u64,
}

impl Machine for Pyright {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if let Some(report) = &mut self.report {
            if let Some(whole) = report.line(line) {
                self.report = None;
                whole.into_iter().for_each(|read| self.reported(read, out));
            }
            return;
        }
        let text = line.text;
        match text.as_bytes().first() {
            Some(b' ' | b'/' | b'{' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z') => {}
            _ => return,
        }
        if text.contains("\"generalDiagnostics\":") {
            self.findings.begin(out);
            let (report, taken) = Report::begin(line);
            match taken {
                Some(whole) => whole.into_iter().for_each(|read| self.reported(read, out)),
                None => self.report = Some(report),
            }
        } else if let Some(count) = count(text) {
            self.close(count, out);
        } else if text == "No source files found." {
            self.nothing = true;
        } else if let Some(found) = found(line) {
            self.goes_on = false;
            if let Some(failure) = found {
                self.goes_on = failure.rule.is_none();
                self.findings.push(failure, out);
            } else {
                self.findings.begin(out);
            }
        } else if self.goes_on {
            self.more(line);
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.findings.cut(out);
    }

    fn owns_lines(&self) -> bool {
        self.report.is_some()
    }
}

impl Pyright {
    /// The rest of a message, deeper in, with no-break spaces for some of the blanks; the rule ends it.
    fn more(&mut self, line: &Line<'_>) {
        let indented = line.text.starts_with("  ");
        let (_, rule) = with_rule(line.text.trim_end());
        self.goes_on = indented && rule.is_none();
        if let Some(failure) = self.findings.last_mut().filter(|_| indented) {
            failure.rule = rule.map(str::to_owned);
            if let Some(span) = &mut failure.span {
                span[1] = line.span[1];
            }
        }
    }

    fn reported(&mut self, read: json::Read, out: &mut Out) {
        read.failures.into_iter().for_each(|failure| self.findings.push(failure, out));
        self.nothing = read.files == Some(0);
        self.close(read.count, out);
    }

    fn close(&mut self, count: Count, out: &mut Out) {
        match (count.errors + self.findings.len(), count.warnings) {
            (0, _) if self.nothing => self.findings.nothing(out),
            (0, 0) => self.findings.close(Some(0), out),
            (0, _) => self.findings.warned(out),
            (_, _) => self.findings.close(Some(count.errors), out),
        }
        *self = Pyright::default();
    }
}

/// `  /w/a.py:8:12 - error: words (rule)`: the finding, or nothing inside where it is no error.
fn found(line: &Line<'_>) -> Option<Option<Failure>> {
    let text = line.text.trim();
    let (at, rest) = text.split_once(" - ")?;
    let (severity, message) = rest.split_once(": ")?;
    if !matches!(severity, "error" | "warning" | "information" | "note") {
        return None;
    }
    let (file, row) = finding::position(at).map_or((at, None), |(file, row)| (file, Some(row)));
    if ![".py", ".pyi", ".ipynb"].iter().any(|end| file.ends_with(end)) {
        return None;
    }
    if severity != "error" {
        return Some(None);
    }
    let (message, rule) = with_rule(message);
    Some(Some(lint(finding::place(file, row), message, rule, line.span)))
}

/// The words, and the rule in brackets behind them.
fn with_rule(text: &str) -> (&str, Option<&str>) {
    let rule = text.strip_suffix(')').and_then(|rest| rest.rsplit_once(" ("));
    match rule {
        Some((words, rule))
            if rule.starts_with("report") && rule.bytes().all(|b| b.is_ascii_alphanumeric()) =>
        {
            (words, Some(rule))
        }
        _ => (text, None),
    }
}

/// `4 errors, 0 warnings, 0 informations`; a blank stood behind it up to 1.1.3xx.
fn count(text: &str) -> Option<Count> {
    let mut parts = text.trim_end().split(", ");
    let mut next = |nouns: &[&str]| {
        let (number, noun) = parts.next()?.split_once(' ')?;
        nouns.contains(&noun).then(|| number.parse::<u64>().ok())?
    };
    let errors = next(&["error", "errors"])?;
    let warnings = next(&["warning", "warnings"])?;
    next(&["information", "informations", "info", "infos", "note", "notes"])?;
    parts.next().is_none().then_some(Count { errors, warnings })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::said::said;

    fn check(text: &str, want: &[&str]) {
        assert_eq!(said(&FORMAT, text), want, "{text}");
    }

    #[test]
    fn text() {
        check(
            "/w/a.py\n  /w/a.py:8:12 - error: Type \"None\" is not assignable\n  \u{a0}\u{a0}to \"int\" (reportReturnType)\n  /w/a.py:9:1 - warning: x (reportX)\n1 error, 1 warning, 0 informations ",
            &["open", "lint -: Type \"None\" is not assignable", "red -/1/-"],
        );
        let mut pyright = Pyright::default();
        let mut out = Out::default();
        for text in ["  /w/a.py:8:12 - error: a", "  \u{a0}\u{a0}b (reportX)", "    c (reportY)"] {
            pyright.line(&Line { text, span: [0, 1], overwritten: false }, &mut out);
        }
        assert_eq!(
            pyright.findings.last_mut().and_then(|last| last.rule.clone()).as_deref(),
            Some("reportX")
        );
        check("0 errors, 0 warnings, 0 informations", &["green -/-/-"]);
        check(
            "/w/a.py:9:1 - warning: x (reportX)\n0 errors, 1 warning, 0 informations",
            &["open", "greenatexit0 -/-/-"],
        );
        check("No source files found.\n0 errors, 0 warnings, 0 informations", &["notests -/-/-"]);
        check("2 errors, 0 warnings, 0 informations", &["unnamed 2", "red -/2/-"]);
        check("/w/a.py:9:1 - error: x", &["open", "lint -: x"]);
        check("a.ts:8:12 - error: x\n0 errors, 0 warnings, 0 informations given", &[]);
    }

    #[test]
    fn json() {
        let head = "{\n    \"version\": \"1\",\n    \"generalDiagnostics\": [";
        check(
            &format!(
                "{head}\n{{\"file\": \"/w/a.py\", \"severity\": \"error\", \"message\": \"m\\n  more\", \"range\": {{\"start\": {{\"line\": 1}}}}, \"rule\": \"reportX\"}}\n],\n\"summary\": {{\"filesAnalyzed\": 1, \"errorCount\": 1, \"warningCount\": 0}}\n}}"
            ),
            &["open", "lint -: m", "red -/1/-"],
        );
        check(
            "{\"version\":\"1\",\"generalDiagnostics\":[],\"summary\":{\"filesAnalyzed\":1,\"errorCount\":0,\"warningCount\":0}}",
            &["open", "green -/-/-"],
        );
        check(
            "{\"generalDiagnostics\":[],\"summary\":{\"filesAnalyzed\":0,\"errorCount\":0,\"warningCount\":0}}",
            &["open", "notests -/-/-"],
        );
        check(head, &["open"]);
    }

    #[test]
    fn rules() {
        for (text, want) in [
            ("a (reportX)", ("a", Some("reportX"))),
            ("a (b)", ("a (b)", None)),
            ("a (report x)", ("a (report x)", None)),
        ] {
            assert_eq!(with_rule(text), want);
        }
    }
}

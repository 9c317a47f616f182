//! ShellCheck's outputs `tty`, `gcc`, `json`, `json1` and `checkstyle` (0.4 to 0.11: `ShellCheck/Formatter/` in
//! <https://github.com/koalaman/shellcheck>).
//!
//! Every finding makes the run fail, whatever its level: what is not to count is filtered out. No output has
//! closing words, but `tty` has its list of links; a run without findings is silent, and `checker.rs` knows of it.
//! A patch (`-f diff`) names no rule and is left alone.

mod rows;

use crate::document::{Document, Taken};
use crate::finding::{self, Findings, lint};
use crate::machine::{Format, Line, Machine, Out};
use bv_schemas::{Failure, Reason};
use rows::Row;
use serde_json::Value;

/// The table's line.
pub const FORMAT: Format = Format {
    name: "shellcheck",
    commands: &["shellcheck"],
    needles: &[
        "^-- SC",
        "-^ SC",
        " [SC1",
        " [SC2",
        " [SC3",
        "[{\"file\":\"",
        "'ShellCheck.SC",
        ": openBinaryFile: ",
    ],
    new: || Box::<Shellcheck>::default(),
};

#[derive(Debug, Default)]
struct Shellcheck {
    findings: Findings,
    /// The file, and for `tty` the line, of the findings to come.
    file: Option<(String, Option<u64>)>,
    /// Rows that stand one a line came: the run ends with the first other line.
    rows: bool,
    /// A file could not be read.
    unread: Option<String>,
    json: Option<Document>,
}

impl Machine for Shellcheck {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten || self.in_document(line, out) {
            return;
        }
        let text = line.text;
        if let Some(at) = rows::heading(text) {
            self.file = Some((at.0.to_owned(), at.1));
        } else if let Some((rule, message)) = rows::marked(text) {
            if let Some((file, number)) = &self.file {
                let place = finding::place(file, *number);
                self.findings.push(lint(place, message, Some(rule), line.span), out);
            }
        } else if let Some(row) = Row::gcc(text) {
            self.rows = true;
            let place = finding::place(row.file, Some(row.line));
            self.findings.push(lint(place, row.message, Some(row.rule), line.span), out);
        } else if let Some((number, rule, message)) = rows::element(text) {
            let file = self.file.as_ref().map(|(file, _)| file.as_str()).unwrap_or_default();
            self.findings.push(lint(finding::place(file, number), &message, Some(&rule), line.span), out);
        } else if rows::ends(text) || self.rows {
            self.close(out);
        } else if let Some(file) = rows::unread(text) {
            self.unread.get_or_insert_with(|| format!("{file}: does not exist"));
        }
    }

    fn end(&mut self, out: &mut Out) {
        if let Some(message) = self.unread.take()
            && self.findings.is_empty()
        {
            self.findings.refuse(Reason::NotRunnable, &message, out);
        } else if self.rows {
            self.close(out);
        } else {
            if self.json.is_some() {
                self.findings.begin(out);
            }
            self.findings.cut(out);
        }
    }

    fn owns_lines(&self) -> bool {
        self.json.is_some()
    }
}

impl Shellcheck {
    fn close(&mut self, out: &mut Out) {
        if self.findings.is_open() {
            self.findings.close(None, out);
        }
        (self.rows, self.file) = (false, None);
    }

    /// Whether the line is part of a JSON document.
    fn in_document(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let (document, taken) = match self.json.take() {
            Some(mut document) => {
                let taken = document.take(line.text, line.span);
                (document, taken)
            }
            None if rows::is_json(line.text) => Document::begin(line.text, line.span),
            None => return false,
        };
        match taken {
            Taken::More => self.json = Some(document),
            Taken::Whole(report) => {
                let comments = report.as_array().or_else(|| report["comments"].as_array());
                for comment in comments.into_iter().flatten().filter(|comment| comment["level"].is_string()) {
                    self.findings.push(commented(comment, document.span), out);
                }
                self.close(out);
            }
            Taken::Broken => {}
        }
        true
    }
}

fn commented(comment: &Value, span: [u64; 2]) -> Failure {
    let rule = comment["code"].as_u64().map(|code| format!("SC{code}"));
    let place = finding::place(comment["file"].as_str().unwrap_or_default(), comment["line"].as_u64());
    lint(place, comment["message"].as_str().unwrap_or_default(), rule.as_deref(), span)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::said::said;

    fn check(text: &str, want: &[&str]) {
        assert_eq!(said(&FORMAT, text), want, "{text}");
    }

    #[test]
    fn the_terminal() {
        check(
            "\nIn a b.sh line 2:\nfor f in $(ls *.txt); do\n         ^---------^ SC2045 (error): Iterating: no.\n              \
             ^-- SC2035 (info): Use globs.\n\nFor more information:\n  https://www.shellcheck.net/wiki/SC2045 -- It\n",
            &["open", "lint -: Iterating: no.", "lint -: Use globs.", "red -/-/-"],
        );
        // Before 0.7, and cut.
        check("In a.sh line 2:\nrm $f\n   ^-- SC2086: Quote.\n", &["open", "lint -: Quote."]);
        check("   ^-- SC2086: Quote.\n", &[]);
    }

    #[test]
    fn one_a_line() {
        check(
            "a.sh:2:10: error: Iterating [x]. [SC2045]\na.sh:3:6: note: Quote. [SC2086]\nmake: *** [lint] Error 1\n",
            &["open", "lint -: Iterating [x].", "lint -: Quote.", "red -/-/-"],
        );
        check("see [SC2045]\n", &[]);
    }

    #[test]
    fn documents() {
        let comment = "{\"file\":\"a.sh\",\"line\":2,\"level\":\"error\",\"code\":2045,\"message\":\"No.\",\"fix\":null}";
        check(&format!("[{comment}]\n"), &["open", "lint -: No.", "red -/-/-"]);
        check(&format!("{{\"comments\":[{comment}]}}\n"), &["open", "lint -: No.", "red -/-/-"]);
        check("[{\"file\":\"a.sh\",\"level\":\"error\",\"endColumn\":3,\"fix\"\n", &["open"]);
        check(
            "<file name='a.sh' >\n<error line='2' column='10' severity='error' message='No &#42;x&#39;s.' source='ShellCheck.SC2045' />\n\
             </file>\n</checkstyle>\n",
            &["open", "lint -: No *x's.", "red -/-/-"],
        );
    }

    #[test]
    fn a_file_that_is_not_there() {
        check(
            "no.sh: no.sh: openBinaryFile: does not exist (No such file or directory)\n",
            &["refused(notrunnable) -/-/-"],
        );
    }
}

//! ESLint: its stylish, unix, compact and JSON output.
//!
//! Errors are findings. Warnings are none, unless ESLint says that there are too many of them: they are
//! held until it is past saying so. It says so on stderr: a run with warnings alone is green only where it
//! is known to have exited with 0. SARIF and JUnit XML are read elsewhere.

mod json;
mod rows;

use crate::finding::{Findings, lint};
use crate::machine::{Format, HELD_MAX, Line, Machine, Out};
use bv_schemas::{Failure, Place, Reason};
use json::Report;
use rows::{Row, Severity};

/// The format.
pub const FORMAT: Format = Format {
    name: "eslint",
    commands: &["eslint"],
    needles: &[
        "  error  ",
        "  warning  ",
        " problem (",
        " problems (",
        "[Error/",
        " [Error]",
        ", Error - ",
        "[{\"filePath\":\"",
        "Oops! Something went wrong! :(",
    ],
    new: || Box::<Eslint>::default(),
};

#[derive(Debug, Default)]
struct Eslint {
    findings: Findings,
    /// The file that the rows to come are of.
    file: Option<String>,
    /// Warnings so far.
    warnings: Vec<Failure>,
    /// It counted no error; `found too many warnings` may follow.
    counted: bool,
    report: Option<Report>,
    /// Lines since it said that it went wrong itself.
    oops: Option<usize>,
}

/// Lines of its own trouble that are looked at for the words.
const OOPS_LINES_MAX: usize = 20;

impl Machine for Eslint {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if let Some(report) = &mut self.report {
            if let Some(whole) = report.line(line) {
                self.report = None;
                whole.into_iter().for_each(|read| self.reported(read, out));
            }
            return;
        }
        if let Some(lines) = self.oops {
            self.went_wrong(lines, line.text, out);
            return;
        }
        let text = line.text;
        if self.counted {
            self.after_count(text, out);
        }
        match text.as_bytes().first() {
            None => {}
            Some(b' ') => self.indented(line, out),
            Some(_) => self.unindented(line, out),
        }
    }

    fn end(&mut self, out: &mut Out) {
        if self.counted {
            self.findings.warned(out);
        } else if self.oops.is_some() {
            self.findings.refuse(Reason::NotRunnable, OOPS, out);
        } else {
            self.findings.cut(out);
        }
    }

    fn owns_lines(&self) -> bool {
        self.report.is_some()
    }
}

const OOPS: &str = "Oops! Something went wrong! :(";

impl Eslint {
    fn indented(&mut self, line: &Line<'_>, out: &mut Out) {
        let Some(file) = self.file.take() else { return };
        if let Some(row) = rows::stylish(line.text, &file) {
            self.found(&row, line.span, out);
        }
        self.file = Some(file);
    }

    fn unindented(&mut self, line: &Line<'_>, out: &mut Out) {
        let text = line.text;
        if rows::is_file(text) {
            self.file = Some(text.to_owned());
        }
        if let Some(row) = rows::unix(text).or_else(|| rows::compact(text)) {
            self.found(&row, line.span, out);
        } else if let Some((errors, _)) = rows::count(text) {
            self.count(errors, out);
        } else if self.findings.is_open() && rows::is_total(text) {
            self.findings.close(None, out);
            self.forget();
        } else if text.starts_with("[{\"filePath\":\"") || text.starts_with("{\"results\":[{\"filePath\":\"")
        {
            self.findings.begin(out);
            let mut report = Report::new(line.span);
            match report.line(line) {
                Some(whole) => whole.into_iter().for_each(|read| self.reported(read, out)),
                None => self.report = Some(report),
            }
        } else if text == OOPS {
            self.findings.begin(out);
            self.oops = Some(0);
        }
    }

    fn found(&mut self, row: &Row<'_>, span: [u64; 2], out: &mut Out) {
        self.findings.begin(out);
        let failure = row.failure(span);
        match row.severity {
            Severity::Error => self.findings.push(failure, out),
            Severity::Warning if self.warnings.len() < HELD_MAX => self.warnings.push(failure),
            Severity::Warning => {}
        }
    }

    fn count(&mut self, errors: u64, out: &mut Out) {
        self.findings.begin(out);
        if errors + self.findings.len() > 0 {
            self.findings.close(Some(errors), out);
            self.forget();
        } else {
            self.counted = true;
        }
    }

    /// What follows a count without errors: how many can be fixed, and perhaps that it is too many.
    fn after_count(&mut self, text: &str, out: &mut Out) {
        if text.is_empty() || text.starts_with("  ") {
            return;
        }
        if text.starts_with("ESLint found too many warnings") {
            self.warnings.drain(..).for_each(|failure| self.findings.push(failure, out));
            self.findings.close(None, out);
        } else {
            self.findings.warned(out);
        }
        self.forget();
    }

    fn reported(&mut self, read: json::Read, out: &mut Out) {
        read.failures.into_iter().for_each(|failure| self.findings.push(failure, out));
        if read.errors + self.findings.len() == 0 && read.warnings > 0 {
            self.findings.warned(out);
        } else {
            self.findings.close(Some(read.errors), out);
        }
        self.forget();
    }

    fn forget(&mut self) {
        *self = Eslint::default();
    }

    /// `Oops! …`, the version, and then what went wrong.
    fn went_wrong(&mut self, lines: usize, text: &str, out: &mut Out) {
        self.oops = Some(lines + 1);
        let said = !text.trim().is_empty() && !text.starts_with("ESLint: ");
        if said || lines == OOPS_LINES_MAX {
            self.findings.refuse(Reason::NotRunnable, if said { text.trim() } else { OOPS }, out);
            self.forget();
        }
    }
}

/// A finding with the sides of `Expected A and instead saw B.`, ESLint's own words for a comparison.
pub fn failure(place: Option<Place>, message: &str, rule: Option<&str>, span: [u64; 2]) -> Failure {
    let sides = message.strip_prefix("Expected ").and_then(|rest| rest.split_once(" and instead saw "));
    let (expected, observed) = match sides {
        Some((expected, observed)) => {
            (Some(expected.to_owned()), Some(observed.trim_end_matches('.').to_owned()))
        }
        None => (None, None),
    };
    Failure { expected, observed, ..lint(place, message, rule, span) }
}

//! CTRF, the Common Test Report Format: one JSON document that many runners' reporters write.
//!
//! See <https://ctrf.io>. The tool that wrote it is the runner; pytest's `trace` is read as its terminal
//! output is.

use super::pytest;
use crate::document::{Document, Taken};
use crate::javascript::{self, Names, Naming};
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use crate::python;
use bv_schemas::{Counts, Failure, Kind, Place, Test, TestOutcome};
use serde_json::Value;

/// A CTRF report.
pub const FORMAT: Format = Format {
    name: "ctrf",
    commands: &[],
    needles: &["\"reportFormat\": \"CTRF\"", "\"reportFormat\":\"CTRF\""],
    new: || Box::<Ctrf>::default(),
};

#[derive(Default)]
struct Ctrf {
    document: Option<Document>,
}

impl Machine for Ctrf {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        let taken = match &mut self.document {
            Some(document) => document.take(line.text, line.span),
            None if FORMAT.needles.iter().any(|needle| line.text.contains(needle)) => {
                out.open();
                let (document, taken) = Document::begin(line.text, line.span);
                self.document = Some(document);
                taken
            }
            None => return,
        };
        match taken {
            Taken::More => {}
            // A report that cannot be read never closes: nothing is known of the run.
            Taken::Broken => self.document = None,
            Taken::Whole(report) => {
                let span = self.document.take().map(|document| document.span);
                report_of(&report, span, out);
            }
        }
    }

    fn end(&mut self, _: &mut Out) {}

    fn owns_lines(&self) -> bool {
        self.document.is_some()
    }
}

fn report_of(report: &Value, span: Option<[u64; 2]>, out: &mut Out) {
    let results = &report["results"];
    let tool = results["tool"]["name"].as_str().unwrap_or_default();
    if let Some(format) = super::named(tool) {
        out.runner(format.name);
    }
    let (mut failed, mut tests) = (0, 0);
    for test in results["tests"].as_array().into_iter().flatten() {
        tests += 1;
        let id = test["name"].as_str().unwrap_or_default();
        let duration_ms = test["duration"].as_u64();
        let said = |outcome| Test { id: id.to_owned(), outcome, duration_ms };
        match test["status"].as_str().unwrap_or_default() {
            "passed" if test["flaky"] == true => out.test(said(TestOutcome::Flaky)),
            "passed" => out.test(said(TestOutcome::Passed)),
            "skipped" => out.test(said(TestOutcome::Skipped)),
            "pending" => out.test(said(TestOutcome::Todo)),
            "failed" => {
                failed += 1;
                out.failure(Failure { id: Some(id.to_owned()), span, ..failure(tool, test) });
            }
            _ => {}
        }
    }
    let number = |name: &str| results["summary"][name].as_u64();
    let counts = Counts {
        passed: number("passed"),
        failed: number("failed"),
        errored: Some(0),
        skipped: number("skipped").map(|skipped| skipped + number("pending").unwrap_or(0)),
    };
    let other = number("other").unwrap_or(0);
    let says = match (counts.red() + failed + other, counts.passed) {
        (0, Some(passed)) if passed > 0 && number("tests").is_some_and(|all| all >= tests) => Says::Green,
        (0, _) => Says::NoTests,
        _ => Says::Red,
    };
    out.close(Closing { says, counts, duration_ms: number("duration"), message: None });
}

fn failure(tool: &str, test: &Value) -> Failure {
    let text = |name: &str| test[name].as_str().filter(|text| !text.trim().is_empty());
    let line = test["line"].as_u64();
    let file = || text("filePath").map(|file| Place { file: Some(file.to_owned()), line, function: None });
    if tool == "pytest" {
        let phase = match test["rawStatus"].as_str() {
            Some("setup_failed" | "setup_error") => pytest::Phase::Setup,
            Some("teardown_failed" | "teardown_error") => pytest::Phase::Teardown,
            _ => pytest::Phase::Call,
        };
        let id = test["name"].as_str().unwrap_or_default();
        return pytest::failure_of(id, phase, text("trace").or(text("message")).unwrap_or_default());
    }
    if let Some(failure) = in_javascript(tool, text("message"), text("trace")) {
        return Failure { test: failure.test.clone().or_else(file), ..failure };
    }
    let mut failure = Failure { kind: Kind::Assertion, ..Failure::default() };
    let first = text("message").and_then(|message| message.lines().find(|line| !line.trim().is_empty()));
    match first.map(|first| (first, python::exception(first))) {
        Some((_, Some(exception))) if exception.message.is_some() => {
            failure.kind = if exception.name.contains("Assert") { Kind::Assertion } else { Kind::Exception };
            failure.exception_type = Some(exception.name);
            failure.message = exception.message;
        }
        Some((first, _)) => failure.message = Some(first.trim().to_owned()),
        None => {}
    }
    failure.test = file();
    failure
}

/// A failure whose stack is V8's; the message stands before it, without it.
fn in_javascript(tool: &str, message: Option<&str>, trace: Option<&str>) -> Option<Failure> {
    let message = message.unwrap_or_default();
    let trace = trace.unwrap_or_default();
    if ![message, trace].iter().any(|text| text.lines().any(|line| javascript::frame(line).is_some())) {
        return None;
    }
    let names = if tool == "jest" { Names::Mapped } else { Names::Own };
    let first = if trace.trim_start().starts_with(message.trim()) { "" } else { message };
    let lines: Vec<&str> = first.lines().chain(trace.lines()).collect();
    Some(javascript::error(&lines, Naming::Always, names))
}

//! pytest-json-report's document: one JSON object with the exit code, the counts, and each test's phases.
//!
//! See <https://github.com/numirias/pytest-json-report>. Its `longrepr` is what the terminal prints.

use super::block::Phase;
use crate::document::{Document, Taken};
use crate::machine::{Closing, Line, Out, Says};
use bv_schemas::{Counts, Failure, Place, Reason, Test, TestOutcome};
use serde_json::Value;

/// The words that tell such a document from other JSON: its third key, printed in either style.
pub const NEEDLES: [&str; 2] = ["\"exitcode\": ", "\"exitcode\":"];

/// Reads one document.
#[derive(Default)]
pub struct JsonReport {
    document: Option<Document>,
}

impl JsonReport {
    /// Whether a document is being read.
    pub fn is_open(&self) -> bool {
        self.document.is_some()
    }

    /// Takes a line; whether it belongs to a document.
    pub fn line(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let taken = match &mut self.document {
            Some(document) => document.take(line.text, line.span),
            None if begins(line.text) => {
                out.open();
                let (document, taken) = Document::begin(line.text, line.span);
                self.document = Some(document);
                taken
            }
            None => return false,
        };
        match taken {
            Taken::More => {}
            // What cannot be read never closes: nothing is known of the run.
            Taken::Broken => self.document = None,
            Taken::Whole(report) => {
                let span = self.document.take().map(|document| document.span);
                say(&report, span, out);
            }
        }
        true
    }
}

/// `{"created": 1.5, "duration": 0.1, "exitcode": 1, …`, or the third line of the same spread out.
fn begins(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with("\"exitcode\":") || text.starts_with("{\"created\":") && text.contains("\"exitcode\":")
}

/// Says all that is in the report; errors come before failures, as on the terminal.
fn say(report: &Value, span: Option<[u64; 2]>, out: &mut Out) {
    let (mut errors, mut failures) = (Vec::new(), Vec::new());
    for collector in report["collectors"].as_array().into_iter().flatten() {
        if collector["outcome"] == "failed" {
            let id = collector["nodeid"].as_str().unwrap_or_default();
            errors.push(failure(id, Phase::Collect, collector));
        }
    }
    let mut ran = false;
    for test in report["tests"].as_array().into_iter().flatten() {
        ran = true;
        let id = test["nodeid"].as_str().unwrap_or_default();
        for (name, phase) in PHASES {
            if test[name]["outcome"] == "failed" {
                let to = if phase == Phase::Call { &mut failures } else { &mut errors };
                to.push(failure(id, phase, &test[name]));
            }
        }
        if let Some(outcome) = test["outcome"].as_str().and_then(outcome) {
            let seconds: f64 = PHASES.iter().filter_map(|(name, _)| test[*name]["duration"].as_f64()).sum();
            out.test(Test { id: id.to_owned(), outcome, duration_ms: Some(millis(seconds)) });
        }
    }
    for failure in errors.into_iter().chain(failures) {
        out.failure(Failure { span, ..failure });
    }
    out.close(closing(report, ran));
}

/// A test's phases, in their order.
const PHASES: [(&str, Phase); 3] =
    [("setup", Phase::Setup), ("call", Phase::Call), ("teardown", Phase::Teardown)];

fn failure(id: &str, phase: Phase, stage: &Value) -> Failure {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut failure = match stage["longrepr"].as_str() {
        Some(text) => super::failure_of(id, phase, text),
        None => super::failure_of(id, phase, &text(&stage["crash"]["message"])),
    };
    if failure.frames.is_empty()
        && let (Some(file), line) = (stage["crash"]["path"].as_str(), stage["crash"]["lineno"].as_u64())
    {
        failure.fault = Some(Place { file: Some(file.to_owned()), line, function: None });
    }
    failure
}

fn outcome(word: &str) -> Option<TestOutcome> {
    match word {
        "passed" => Some(TestOutcome::Passed),
        "skipped" => Some(TestOutcome::Skipped),
        "xfailed" => Some(TestOutcome::Xfailed),
        "xpassed" => Some(TestOutcome::Xpassed),
        _ => None,
    }
}

fn closing(report: &Value, ran: bool) -> Closing {
    let summary = &report["summary"];
    let number = |name: &str| summary[name].as_u64().unwrap_or(0);
    let counts = Counts {
        passed: Some(number("passed")),
        failed: Some(number("failed")),
        errored: Some(number("error")),
        skipped: Some(number("skipped")),
    };
    let loaded = report["collectors"].as_array().into_iter().flatten().all(|one| one["outcome"] != "failed");
    let fine = counts.red() == 0 && loaded;
    let green = fine && number("passed") + number("xfailed") + number("xpassed") > 0;
    // Exit codes are pytest's own (`pytest.ExitCode`).
    let says = match report["exitcode"].as_u64() {
        Some(0) if green => Says::Green,
        Some(0 | 5) if fine => Says::NoTests,
        Some(4) => Says::Refused(Reason::NotRunnable),
        Some(2) if !ran && !loaded => Says::Refused(Reason::CollectionError),
        Some(2) if fine => Says::Refused(Reason::Truncated),
        _ => Says::Red,
    };
    Closing { says, counts, duration_ms: report["duration"].as_f64().map(millis), message: None }
}

/// Whole milliseconds of a printed number of seconds.
fn millis(seconds: f64) -> u64 {
    // A float becomes the nearest whole number in range; a negative one becomes 0.
    (seconds * 1000.0).round() as u64
}

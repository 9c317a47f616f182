//! The result file of `jest --json`, which Vitest's `json` reporter copies.

use super::error::{Naming, add, error, unloadable};
use super::stack::Names;
use crate::machine::{Closing, Out, Says};
use bv_schemas::{Counts, Failure, Kind, Place, Reason, Test, TestOutcome};
use serde_json::Value;

/// What a result file says.
#[derive(Debug)]
pub struct Report {
    /// Its verdict and counts.
    pub closing: Closing,
    /// One a failing test or file, in the file's order.
    pub failures: Vec<Failure>,
    /// Tests that did not fail.
    pub tests: Vec<Test>,
}

impl Report {
    /// Says it, as a section of its own or as the one that is open.
    pub fn say(self, out: &mut Out) {
        out.open();
        self.tests.into_iter().for_each(|test| out.test(test));
        self.failures.into_iter().for_each(|failure| out.failure(failure));
        out.close(self.closing);
    }
}

/// Reads the document; `None` where it is another one. `joint` stands between the titles of a test's name;
/// without one, the file's own `fullName` is the name.
pub fn report(document: &Value, names: Names, joint: Option<&str>) -> Option<Report> {
    let suites = document.get("testResults")?.as_array()?;
    let number = |key: &str| document.get(key).and_then(Value::as_u64);
    let counts = Counts {
        passed: number("numPassedTests"),
        failed: Some(number("numFailedTests")?),
        errored: None,
        skipped: number("numPendingTests"),
    };
    let (mut failures, mut tests) = (Vec::new(), Vec::new());
    let mut loaded = false;
    for suite in suites {
        let results = suite.get("assertionResults").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        loaded = loaded || !results.is_empty();
        let before = failures.len();
        for result in results {
            match status(result) {
                Some(outcome) => tests.extend(test(result, outcome, joint)),
                None => failures.extend(failing(result, names, joint)),
            }
        }
        if failures.len() == before && suite.get("status").and_then(Value::as_str) == Some("failed") {
            failures.push(unloaded(suite, names, results.is_empty()));
        }
    }
    let passed = counts.passed.unwrap_or(0);
    let red = counts.red() > 0
        || !failures.is_empty()
        || document.get("success").and_then(Value::as_bool) == Some(false) && loaded
        || document.get("wasInterrupted").and_then(Value::as_bool) == Some(true);
    let says = match (red, passed) {
        (true, _) if !loaded && !failures.is_empty() => Says::Refused(Reason::CollectionError),
        (true, _) => Says::Red,
        (false, 0) => Says::NoTests,
        (false, _) => Says::Green,
    };
    Some(Report { closing: Closing { says, counts, duration_ms: None, message: None }, failures, tests })
}

/// Whether a text and a result file tell of one run.
pub fn same_run(text: &Counts, file: &Counts) -> bool {
    let of = |counts: &Counts| [counts.passed, counts.failed, counts.skipped].map(Option::unwrap_or_default);
    of(text) == of(file)
}

/// The beginning of a document whose first key is `key`: it stands on one line, or on many when it was printed
/// again (`jq .`); then its brace went by on the line before.
pub fn start(text: &str, key: &str) -> Option<String> {
    if text.trim_start().starts_with(key) {
        return Some(format!("{{{text}"));
    }
    let at = text.find(key)?.checked_sub(1).filter(|&at| text.as_bytes()[at] == b'{')?;
    Some(text[at..].to_owned())
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// How a test that did not fail ended; `None` for one that failed.
fn status(result: &Value) -> Option<TestOutcome> {
    match text(result, "status")? {
        "failed" => None,
        "todo" => Some(TestOutcome::Todo),
        "passed" if result.get("retryReasons").and_then(Value::as_array).is_some_and(|r| !r.is_empty()) => {
            Some(TestOutcome::Flaky)
        }
        "passed" => Some(TestOutcome::Passed),
        _ => Some(TestOutcome::Skipped),
    }
}

fn id(result: &Value, joint: Option<&str>) -> Option<String> {
    let (Some(joint), Some(titles)) = (joint, result.get("ancestorTitles").and_then(Value::as_array)) else {
        return text(result, "fullName").map(|name| name.trim().to_owned());
    };
    let titles = titles.iter().filter_map(Value::as_str).chain(text(result, "title"));
    Some(titles.collect::<Vec<_>>().join(joint)).filter(|id| !id.is_empty())
}

fn test(result: &Value, outcome: TestOutcome, joint: Option<&str>) -> Option<Test> {
    let duration_ms = result.get("duration").and_then(Value::as_f64).map(|ms| ms.max(0.0).round() as u64);
    Some(Test { id: id(result, joint)?, outcome, duration_ms })
}

fn failing(result: &Value, names: Names, joint: Option<&str>) -> Option<Failure> {
    if text(result, "status") != Some("failed") {
        return None;
    }
    let messages = result.get("failureMessages").and_then(Value::as_array);
    let mut each = messages.into_iter().flatten().filter_map(Value::as_str).map(|message| {
        let lines: Vec<&str> = message.lines().collect();
        error(&lines, Naming::Always, names)
    });
    let mut failure = each.next().unwrap_or_default();
    each.for_each(|next| add(&mut failure, next));
    failure.id = id(result, joint);
    Some(failure)
}

/// A file that failed and none of whose tests did: it could not be loaded, or a hook around it failed.
fn unloaded(suite: &Value, names: Names, no_tests: bool) -> Failure {
    let path = text(suite, "name");
    // Jest puts in what it prints, indented.
    let lines = text(suite, "message").unwrap_or_default().lines().filter(|line| !is_title(line));
    let lines: Vec<&str> = lines.map(|line| line.strip_prefix("    ").unwrap_or(line)).collect();
    let mut failure = match names {
        Names::Mapped => unloadable(&lines),
        Names::Own => error(&lines, Naming::Surely, names),
    };
    failure.id = path.map(str::to_owned);
    failure.kind = if no_tests { Kind::CollectionError } else { Kind::SetupError };
    if failure.test.is_none() {
        failure.test = path.map(|path| Place { file: Some(path.to_owned()), ..Place::default() });
    }
    failure
}

/// `  ● Test suite failed to run`, which Jest puts into the message.
fn is_title(line: &str) -> bool {
    line.trim_start().starts_with("● ")
}

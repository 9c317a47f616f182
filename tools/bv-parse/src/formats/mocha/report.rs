//! The document of Mocha's `json` reporter.

use super::list::is_hook;
use crate::javascript::report::Report;
use crate::javascript::{Names, Naming, error};
use crate::machine::{Closing, Says};
use bv_schemas::{Counts, Failure, Kind, Test, TestOutcome};
use serde_json::Value;

/// The document's beginning: its second line, as it is printed, or all in one line.
pub fn start(text: &str) -> Option<&str> {
    (text.trim_end() == "  \"stats\": {" || text.starts_with("{\"stats\":{\"suites\":")).then_some(text)
}

/// One event of the `json-stream` reporter.
#[derive(Debug)]
pub enum Event {
    /// `["pass",{…}]`
    Passed(Test),
    /// `["fail",{…}]`
    Failed(Box<Failure>),
    /// `["end",{…}]`
    Ended(Closing),
}

/// Reads an event.
pub fn event(text: &str) -> Option<Event> {
    if !text.starts_with("[\"") {
        return None;
    }
    let Value::Array(parts) = serde_json::from_str(text).ok()? else { return None };
    let [name, body] = parts.as_slice() else { return None };
    match name.as_str()? {
        "pass" => of(body, TestOutcome::Passed).map(Event::Passed),
        "fail" => Some(Event::Failed(Box::new(failing(body, body)))),
        "end" => stated(body, false).map(Event::Ended),
        _ => None,
    }
}

/// Reads the document; `None` where it is another one.
pub fn report(document: &Value) -> Option<Report> {
    let stats = document.get("stats")?;
    stats.get("suites")?;
    let list = |key: &str| document.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let failures: Vec<Failure> = list("failures").iter().map(failure).collect();
    let outcomes = [("passes", TestOutcome::Passed), ("pending", TestOutcome::Skipped)];
    let tests =
        outcomes.iter().flat_map(|(key, outcome)| list(key).iter().filter_map(|test| of(test, *outcome)));
    let tests = tests.collect();
    let closing = stated(stats, !failures.is_empty())?;
    Some(Report { closing, failures, tests })
}

/// The statement in `stats`.
fn stated(stats: &Value, failed: bool) -> Option<Closing> {
    let number = |key: &str| stats.get(key).and_then(Value::as_u64);
    let counts = Counts {
        passed: Some(number("passes")?),
        failed: Some(number("failures")?),
        errored: None,
        skipped: number("pending"),
    };
    let says = match (counts.red() > 0 || failed, counts.passed) {
        (true, _) => Says::Red,
        (false, Some(1..)) => Says::Green,
        (false, _) => Says::NoTests,
    };
    Some(Closing { says, counts, duration_ms: number("duration"), message: None })
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())
}

fn of(test: &Value, outcome: TestOutcome) -> Option<Test> {
    let id = text(test, "fullTitle")?.to_owned();
    let retried = test.get("currentRetry").and_then(Value::as_u64).is_some_and(|n| n > 0);
    let outcome = if retried && outcome == TestOutcome::Passed { TestOutcome::Flaky } else { outcome };
    Some(Test { id, outcome, duration_ms: test.get("duration").and_then(Value::as_u64) })
}

fn failure(test: &Value) -> Failure {
    failing(test, test.get("err").unwrap_or(&Value::Null))
}

/// A failing test and its error, whose parts `json-stream` puts into the test itself.
fn failing(test: &Value, err: &Value) -> Failure {
    let stack = text(err, "stack").or(text(err, "message")).or(text(err, "err")).unwrap_or_default();
    let lines: Vec<&str> = stack.lines().collect();
    let mut failure = error(&lines, Naming::Always, Names::Own);
    // The fields are whole; the words of a message may be shortened.
    let shown = stack.contains("+ actual - expected");
    if let (Some(actual), Some(expected), false) = (text(err, "actual"), text(err, "expected"), shown) {
        failure.observed = Some(actual.to_owned());
        failure.expected = Some(expected.to_owned());
        if failure.kind == Kind::Exception {
            failure.kind = Kind::Assertion;
        }
    }
    if text(test, "title").is_some_and(is_hook) {
        failure.kind = Kind::SetupError;
    }
    failure.id = text(test, "fullTitle").map(str::to_owned);
    failure
}

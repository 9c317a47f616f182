//! The document of Playwright's `json` reporter.

use super::block::failure as read;
use crate::clean::clean;
use crate::javascript::report::Report;
use crate::machine::{Closing, Says};
use bv_schemas::{Counts, Failure, Kind, Place, Test, TestOutcome};
use serde_json::Value;

/// Suites deeper than this are not followed.
const DEPTH_MAX: usize = 64;

/// Reads the document; `None` where it is another one.
pub fn report(document: &Value) -> Option<Report> {
    let stats = document.get("stats")?;
    let number = |key: &str| stats.get(key).and_then(Value::as_u64);
    let errors = list(document, "errors");
    let (passed, flaky) = (number("expected")?, number("flaky")?);
    let counts = Counts {
        passed: Some(passed),
        failed: Some(number("unexpected")?),
        errored: (!errors.is_empty()).then_some(errors.len() as u64),
        skipped: number("skipped"),
    };
    let mut report = Report {
        closing: Closing { says: Says::NoTests, counts, duration_ms: None, message: None },
        failures: Vec::new(),
        tests: Vec::new(),
    };
    let root = document.get("config").and_then(|config| text(config, "rootDir"));
    for suite in list(document, "suites") {
        of_suite(suite, &mut Vec::new(), root, &mut report);
    }
    report.failures.extend(errors.iter().map(|error| read(&plain(&message(error)))));
    report.closing.says = match (counts.red() > 0 || !report.failures.is_empty(), passed + flaky) {
        (true, _) => Says::Red,
        (false, 1..) => Says::Green,
        (false, 0) => Says::NoTests,
    };
    report.closing.duration_ms =
        stats.get("duration").and_then(Value::as_f64).map(|ms| ms.max(0.0).round() as u64);
    Some(report)
}

/// A file's suite bears the file's name; those in it are its `describe`s.
fn of_suite<'a>(suite: &'a Value, titles: &mut Vec<&'a str>, root: Option<&str>, report: &mut Report) {
    for spec in list(suite, "specs") {
        for test in list(spec, "tests") {
            of_test(spec, test, titles, root, report);
        }
    }
    if titles.len() < DEPTH_MAX {
        for inner in list(suite, "suites") {
            titles.push(text(inner, "title").unwrap_or_default());
            of_suite(inner, titles, root, report);
            titles.pop();
        }
    }
}

fn of_test(spec: &Value, test: &Value, titles: &[&str], root: Option<&str>, report: &mut Report) {
    let at = ["line", "column"].map(|key| spec.get(key).and_then(Value::as_u64).unwrap_or(0));
    let file = text(spec, "file").unwrap_or_default();
    let mut id = match text(test, "projectName") {
        Some(project) => format!("[{project}] › {file}:{}:{}", at[0], at[1]),
        None => format!("{file}:{}:{}", at[0], at[1]),
    };
    for title in titles.iter().copied().chain(text(spec, "title")).filter(|title| !title.is_empty()) {
        id.push_str(" › ");
        id.push_str(title);
    }
    let results = list(test, "results");
    let outcome = match text(test, "status") {
        Some("expected") => TestOutcome::Passed,
        Some("flaky") => TestOutcome::Flaky,
        Some("skipped") => TestOutcome::Skipped,
        _ => {
            let mut failure = failing(id, results.first().unwrap_or(&Value::Null));
            failure.test.get_or_insert_with(|| Place {
                // The file is named from the root that the document names.
                file: Some(root.map_or(file.to_owned(), |root| [root, "/", file].concat())),
                line: Some(at[0]).filter(|line| *line > 0),
                function: None,
            });
            report.failures.push(failure);
            return;
        }
    };
    let duration_ms = results.last().and_then(|result| result.get("duration")).and_then(Value::as_u64);
    report.tests.push(Test { id, outcome, duration_ms });
}

/// A failed test, by its first attempt.
fn failing(id: String, result: &Value) -> Failure {
    let mut errors: Vec<String> = list(result, "errors").iter().map(message).collect();
    if errors.is_empty() && text(result, "status") == Some("passed") {
        errors.push("Expected to fail, but passed.".to_owned());
    }
    let mut failure = read(&plain(&errors.join("\n\n")));
    if text(result, "status") == Some("timedOut") {
        failure.kind = Kind::Timeout;
    }
    failure.id = Some(id);
    failure
}

/// An error's message has the excerpt and the stack in it; in older versions its stack has more.
fn message(error: &Value) -> String {
    let whole = text(error, "message").unwrap_or_default();
    match text(error, "stack") {
        Some(stack) if !whole.contains("\n    at ") => stack.to_owned(),
        _ => whole.to_owned(),
    }
}

/// Messages are coloured whatever the terminal.
fn plain(text: &str) -> String {
    text.lines().map(|line| clean(line.as_bytes()).text.into_owned() + "\n").collect()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())
}

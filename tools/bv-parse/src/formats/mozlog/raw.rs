//! The raw log: a JSON object a line. `expected` stands in a result only where it is another than the status.

use super::check;
use bv_schemas::record::FRAMES_MAX;
use bv_schemas::{Failure, Kind};
use serde_json::Value;

/// What a line says.
#[derive(Debug)]
pub enum Entry {
    /// A suite or a test began.
    Start,
    /// A test ended as it should.
    Ended,
    /// A test, or a check of one, did not.
    Failed {
        /// The failure.
        failure: Box<Failure>,
        /// It is the test's own result.
        test_ended: bool,
    },
    /// The suite ended.
    End,
}

impl Entry {
    /// Reads a line.
    pub fn read(text: &str, span: [u64; 2]) -> Option<Entry> {
        if !text.contains("\"action\"") {
            return None;
        }
        let entry: Value = serde_json::from_str(text).ok()?;
        let action = entry["action"].as_str()?;
        match action {
            "suite_start" | "test_start" => Some(Entry::Start),
            "suite_end" => Some(Entry::End),
            "test_end" | "test_status" => result(&entry, action == "test_end", span),
            "crash" => Some(Entry::Failed { failure: Box::new(crash(&entry, span)), test_ended: false }),
            _ => None,
        }
    }
}

fn result(entry: &Value, test_ended: bool, span: [u64; 2]) -> Option<Entry> {
    let status = entry["status"].as_str()?;
    let known =
        entry["known_intermittent"].as_array().is_some_and(|known| known.iter().any(|one| one == status));
    if entry.get("expected").is_none_or(|expected| expected == status) || known {
        return test_ended.then_some(Entry::Ended);
    }
    let message = entry["message"].as_str().unwrap_or_default();
    let mut failure = check::failure(&test(entry), status, message);
    if failure.message.is_none() {
        failure.message = entry["subtest"].as_str().map(str::to_owned);
    }
    let stack = entry["stack"].as_str().unwrap_or_default();
    let frames = stack.lines().filter_map(|line| check::frame(line.trim()));
    failure.frames = frames.filter(|place| !check::is_harness(place)).take(FRAMES_MAX).collect();
    check::settle(&mut failure);
    failure.span = Some(span);
    Some(Entry::Failed { failure: Box::new(failure), test_ended })
}

fn crash(entry: &Value, span: [u64; 2]) -> Failure {
    let text = |name: &str| entry[name].as_str().map(str::to_owned);
    Failure {
        id: Some(test(entry)).filter(|id| !id.is_empty()),
        kind: Kind::Crash,
        message: text("signature").map(|signature| format!("application crashed [{signature}]")),
        exception_type: text("reason"),
        span: Some(span),
        ..Failure::default()
    }
}

/// The test's id; a reftest's is a list.
fn test(entry: &Value) -> String {
    match &entry["test"] {
        Value::String(test) => test.clone(),
        Value::Array(parts) => parts.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
        _ => String::new(),
    }
}

//! busted's JSON document: lists of successes, pendings, failures and errors.

use super::Tally;
use super::block;
use crate::held::Held;
use crate::values::milliseconds;
use bv_schemas::{Kind, Place};
use serde_json::Value;

/// The numbers and the failures of a report.
pub fn read(report: &Value, span: [u64; 2]) -> Option<(Tally, Held)> {
    let list = |name: &str| report[name].as_array().map(Vec::as_slice);
    // An empty table is an empty object to some encoders.
    let length = |name: &str| list(name).map_or(0, <[Value]>::len) as u64;
    list("successes").or(list("failures"))?;
    let mut held = Held::default();
    for (name, kind) in [("failures", Kind::Assertion), ("errors", Kind::Exception)] {
        for test in list(name).into_iter().flatten() {
            held.push(failure(test, kind, span));
        }
    }
    let tally = Tally {
        successes: length("successes"),
        failures: length("failures"),
        errors: length("errors"),
        pendings: length("pendings"),
        duration_ms: report["duration"].as_f64().and_then(milliseconds),
    };
    Some((tally, held))
}

fn failure(test: &Value, kind: Kind, span: [u64; 2]) -> bv_schemas::Failure {
    let trace = &test["element"]["trace"];
    let start = trace["short_src"].as_str().map(|file| Place {
        file: Some(file.to_owned()),
        line: trace["currentline"].as_u64(),
        function: None,
    });
    let message = match &test["message"] {
        Value::String(message) => message.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    let text = format!("{message}\n{}", test["trace"]["traceback"].as_str().unwrap_or_default());
    let lines: Vec<&str> = text.lines().collect();
    block::failure(test["name"].as_str().unwrap_or_default(), start, kind, &lines, span)
}

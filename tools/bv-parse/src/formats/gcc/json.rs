//! GCC's `-fdiagnostics-format=json`: one array a compilation, in one line.

use super::text;
use bv_schemas::{Failure, Place};
use serde_json::Value;

/// The errors in the array.
pub fn errors(line: &str) -> Vec<Failure> {
    let Ok(Value::Array(diagnostics)) = serde_json::from_str(line) else { return Vec::new() };
    let is_error = |diagnostic: &&Value| matches!(diagnostic["kind"].as_str(), Some("error" | "fatal error"));
    diagnostics.iter().filter(is_error).map(error).collect()
}

fn error(diagnostic: &Value) -> Failure {
    let caret = &diagnostic["locations"][0]["caret"];
    let place = caret["file"].as_str().map(|file| Place {
        file: Some(file.to_owned()),
        line: caret["line"].as_u64(),
        function: None,
    });
    let mut failure = text::error(place, diagnostic["message"].as_str().unwrap_or_default());
    if let Some(option) = diagnostic["option"].as_str() {
        failure.rule = Some(option.to_owned());
    }
    failure
}

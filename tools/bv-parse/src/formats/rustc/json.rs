//! The compiler's JSON: one diagnostic a line, bare from rustc, in a `compiler-message` from cargo.
//!
//! See <https://doc.rust-lang.org/rustc/json.html> and cargo's reference on external tools.

use crate::finding;
use crate::machine::Line;
use crate::rustc::{Diagnostic, Level, is_summary};
use serde_json::Value;

/// What a line says.
#[derive(Debug)]
pub enum Said {
    /// An error.
    Error(Box<Diagnostic>),
    /// rustc's last word on errors.
    Aborting(String),
    /// cargo's.
    Finished,
    /// Nothing that matters.
    Nothing,
}

/// Reads one line.
pub fn read(line: &Line<'_>) -> Said {
    let text = line.text;
    if text.starts_with("{\"reason\":\"build-finished\"") {
        return Said::Finished;
    }
    if !text.contains("\"$message_type\":\"diagnostic\"")
        && !text.starts_with("{\"reason\":\"compiler-message\"")
    {
        return Said::Nothing;
    }
    let Ok(value) = serde_json::from_str::<Value>(text) else { return Said::Nothing };
    let message = if value["reason"] == "compiler-message" { &value["message"] } else { &value };
    let words = message["message"].as_str().unwrap_or_default();
    if !matches!(message["level"].as_str(), Some("error" | "error: internal compiler error")) {
        return Said::Nothing;
    }
    if is_summary(words) {
        return Said::Aborting(words.to_owned());
    }
    Said::Error(Box::new(diagnostic(message, words, line.span)))
}

fn diagnostic(message: &Value, words: &str, span: [u64; 2]) -> Diagnostic {
    // A lint's name stands where a code does; codes are `E` and digits.
    let code = message["code"]["code"].as_str();
    let is_code = |code: &&str| code.starts_with('E') && code[1..].bytes().all(|b| b.is_ascii_digit());
    let spans = message["spans"].as_array();
    let primary = spans.and_then(|spans| spans.iter().find(|span| span["is_primary"] == true));
    let label = primary.and_then(|span| span["label"].as_str());
    let types = label.and_then(|label| label.strip_prefix("expected ")?.split_once(", found "));
    let named = |text: &str| text.trim_matches('`').to_owned();
    Diagnostic {
        level: Level::Error,
        code: code.filter(is_code).map(str::to_owned),
        lint: code.filter(|code| !is_code(code)).map(str::to_owned),
        message: words.lines().next().unwrap_or_default().to_owned(),
        place: primary
            .and_then(|span| finding::place(span["file_name"].as_str()?, span["line_start"].as_u64())),
        column: primary.and_then(|span| span["column_start"].as_u64()),
        expected: types.map(|(expected, _)| named(expected)),
        observed: types.map(|(_, observed)| named(observed)),
        span,
    }
}

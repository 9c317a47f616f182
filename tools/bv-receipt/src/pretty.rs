//! A receipt for a person's eyes: the same keys and values, one a line.
//!
//! In comes a receipt that fits its bound, out goes a page that ends with a newline. Nothing is left out
//! or reworded, so that both forms say the same.

use bv_schemas::Receipt;
use serde_json::Value;

const KEY_WIDTH: usize = 24;

/// One `key  value` a line; the keys of a location and of the inputs below theirs, deeper values as JSON.
pub fn page(receipt: &Receipt) -> String {
    let mut page = String::new();
    if let Ok(value) = serde_json::to_value(receipt) {
        entries(&mut page, &value, 0);
    }
    page
}

fn entries(page: &mut String, value: &Value, depth: usize) {
    let Value::Object(fields) = value else { return };
    for (key, value) in fields {
        let indent = "  ".repeat(depth);
        match value {
            Value::Object(_) if depth == 0 => {
                page.push_str(&format!("{indent}{key}\n"));
                entries(page, value, depth + 1);
            }
            Value::String(text) => {
                page.push_str(&format!("{indent}{key:<0$} {text}\n", KEY_WIDTH.saturating_sub(indent.len())))
            }
            other => {
                page.push_str(&format!("{indent}{key:<0$} {other}\n", KEY_WIDTH.saturating_sub(indent.len())))
            }
        }
    }
}

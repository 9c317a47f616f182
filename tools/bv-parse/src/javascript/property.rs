//! fast-check's report: `Property failed after 2 tests`, `Counterexample: ["<<"]`.

use super::words::find_top;
use serde_json::{Map, Value};

/// The counterexample in the lines of a message; values are named by their position, as fast-check prints none.
pub fn counterexample(lines: &[&str]) -> Option<Map<String, Value>> {
    let text = lines.iter().find_map(|line| line.trim_start().strip_prefix("Counterexample: "))?.trim();
    let values = match serde_json::from_str(text) {
        Ok(Value::Array(values)) => values,
        _ => split(text.strip_prefix('[')?.strip_suffix(']')?),
    };
    let named = values.into_iter().enumerate().map(|(at, value)| (at.to_string(), value));
    Some(named.collect::<Map<_, _>>()).filter(|map| !map.is_empty())
}

/// Values that are no JSON (`undefined`, `new Map(...)`): each is kept as printed.
fn split(mut text: &str) -> Vec<Value> {
    let mut values = Vec::new();
    while !text.trim().is_empty() {
        let end = find_top(text, ",").unwrap_or(text.len());
        let value = text[..end].trim();
        values.push(serde_json::from_str(value).unwrap_or_else(|_| Value::from(value)));
        text = text.get(end + 1..).unwrap_or_default();
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn counterexamples() {
        for (line, want) in [
            ("Counterexample: [\"<<\"]", Some(json!({"0": "<<"}))),
            ("Counterexample: [[],0]", Some(json!({"0": [], "1": 0}))),
            (
                "Counterexample: [undefined,\"a,b\",new Map([[1,2]])]",
                Some(json!({"0": "undefined", "1": "a,b", "2": "new Map([[1,2]])"})),
            ),
            ("Counterexample: []", None),
            ("Counterexample: [", None),
            ("no", None),
        ] {
            assert_eq!(counterexample(&[line]).map(Value::Object), want, "{line}");
        }
    }
}

//! Records without their secrets.
//!
//! Masked are the strings, not their JSON: in `"\nghp_…"` the `n` of the escape would hide the beginning of
//! a token.

use bv_schemas::secrets;
use serde_json::{Map, Value};

/// `text` masked.
pub fn text(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    if !secrets::mask(&mut bytes) {
        return text.to_owned();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// `record` with all strings in it masked, names of members too.
pub fn record(record: &Map<String, Value>) -> Map<String, Value> {
    record.iter().map(|(name, inner)| (text(name), value(inner))).collect()
}

fn value(inner: &Value) -> Value {
    match inner {
        Value::String(string) => Value::String(text(string)),
        Value::Array(items) => Value::Array(items.iter().map(value).collect()),
        Value::Object(members) => Value::Object(record(members)),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn strings_are_masked_wherever_they_stand() {
        let given = json!({
            "id": "t", "n": 1.5, "frames": [{"file": "a\nghp_abcdefghijklmnopqrst"}],
            "counterexample": {"AKIAIOSFODNN7EXAMPLE": "X_TOKEN=12345678"},
        });
        let expected = json!({
            "id": "t", "n": 1.5, "frames": [{"file": "a\n************************"}],
            "counterexample": {"********************": "X_TOKEN=********"},
        });
        let Value::Object(given) = given else { panic!("an object") };
        assert_eq!(Value::Object(record(&given)), expected);
    }
}

//! Property tests: `testing/quick`, gopter, rapid. Their counterexamples.

use super::entry::Checked;
use bv_schemas::Kind;
use serde_json::{Map, Value};

/// The finding of a property test, when the entry is one.
pub fn checked(lines: &[&str]) -> Option<Checked> {
    quick(lines).or_else(|| gopter(lines)).or_else(|| rapid(lines))
}

/// `#5: failed on input 1, "x". Output 1: 2. Output 2: 3` (`testing/quick`, CheckError and CheckEqualError).
fn quick(lines: &[&str]) -> Option<Checked> {
    let line = lines.first()?;
    let (before, input) = line.split_once(": failed on input ")?;
    let number = before.rsplit('#').next()?;
    if number.is_empty() || !number.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let (input, outputs) = match input.split_once(". Output 1: ") {
        Some((input, outputs)) => (input, outputs.split_once(". Output 2: ")),
        None => (input, None),
    };
    Some(Checked {
        kind: Kind::Property,
        message: Some((*line).to_owned()),
        observed: outputs.map(|(one, _)| one.to_owned()),
        expected: outputs.map(|(_, two)| two.to_owned()),
        counterexample: Some(arguments(input)),
        ..Checked::default()
    })
}

/// `! name: Falsified after 0 passed tests.` with `ARG_0: -1` and `ARG_0_ORIGINAL (3 shrinks): -9` below.
fn gopter(lines: &[&str]) -> Option<Checked> {
    let message = lines.iter().find(|line| line.contains("Falsified after "))?;
    let values: Map<String, Value> = lines
        .iter()
        .filter_map(|line| line.trim().split_once(": "))
        .filter(|(name, _)| name.starts_with("ARG_") && !name.contains("ORIGINAL"))
        .map(|(name, value)| (name.to_owned(), json(value)))
        .collect();
    Some(Checked {
        kind: Kind::Property,
        message: Some(message.trim().to_owned()),
        counterexample: (!values.is_empty()).then_some(values),
        ..Checked::default()
    })
}

/// `[rapid] failed after 5 tests: message`, with `[rapid] draw x: 7` entries below.
fn rapid(lines: &[&str]) -> Option<Checked> {
    let message = lines.first()?.strip_prefix("[rapid] failed")?;
    let message = message.split_once(": ").map_or(*lines.first()?, |(_, message)| message);
    let values: Map<String, Value> = lines
        .iter()
        .filter_map(|line| line.split_once("[rapid] draw ")?.1.split_once(": "))
        .map(|(name, value)| (name.to_owned(), json(value)))
        .collect();
    Some(Checked {
        kind: Kind::Property,
        message: Some(message.to_owned()),
        counterexample: (!values.is_empty()).then_some(values),
        ..Checked::default()
    })
}

/// Arguments as Go writes them (`%#v`), joined by `, `; a comma inside brackets or quotes is part of one.
fn arguments(text: &str) -> Map<String, Value> {
    let mut values = Map::new();
    let (mut depth, mut quoted, mut escaped, mut from) = (0usize, false, false, 0);
    let mut take = |value: &str| {
        values.insert(format!("arg{}", values.len()), json(value.trim()));
    };
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'{' | b'(' | b'[' => depth += 1,
            b'}' | b')' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                take(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    take(&text[from..]);
    values
}

fn json(value: &str) -> Value {
    serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn counterexamples() {
        for (text, want) in [
            ("#1: failed on input 26698, 0x65", json!({"arg0": 26698, "arg1": "0x65"})),
            ("#5: failed on input -7. Output 1: 2. Output 2: 3", json!({"arg0": -7})),
            (
                "p: #2: failed on input \"a, b\", []int{1, 2}, main.T{A:1, B:\"}\"}",
                json!({"arg0": "a, b", "arg1": "[]int{1, 2}", "arg2": "main.T{A:1, B:\"}\"}"}),
            ),
            (
                "! sqrt: Falsified after 0 passed tests.\nARG_0: -1\nARG_0_ORIGINAL (3 shrinks): -9",
                json!({"ARG_0": -1}),
            ),
        ] {
            let lines: Vec<&str> = text.lines().collect();
            let got = checked(&lines).and_then(|checked| checked.counterexample).map(Value::Object);
            assert_eq!(got, Some(want), "{text}");
        }
        assert_eq!(checked(&["it failed on input 3"]), None);
    }
}

//! Hypothesis' counterexample: the call that fails, one argument a line.

use super::scan::find_top;
use serde_json::{Map, Value};

/// Lines that one example may take; what is over is not read.
const EXAMPLE_LINES_MAX: usize = 400;

/// The arguments of the first failing call in `lines`: `Falsifying example: f(`, since 6.140
/// `Failing test case: f(`, then `name=value,` a line, then `)`. `self` is no input; values drawn
/// later (`Draw 1: 7`) are. A state machine's program has no named values: `None`.
pub fn counterexample<'a>(lines: impl IntoIterator<Item = &'a str>) -> Option<Map<String, Value>> {
    let mut lines = lines.into_iter().take(EXAMPLE_LINES_MAX);
    let mut found = Map::new();
    let call = loop {
        let line = lines.next()?;
        if let Some(call) = head(line) {
            break call;
        }
        draw(line, &mut found);
    };
    let text = arguments(call, &mut lines)?;
    found.extend(named_values(&text).into_iter().filter(|(name, _)| name != "self"));
    lines.take_while(|line| head(line).is_none()).for_each(|line| draw(line, &mut found));
    (!found.is_empty()).then_some(found)
}

/// The values of `a=1, b='x'`; one without a name is called `arg0` for its position.
pub fn named_values(text: &str) -> Map<String, Value> {
    let value = |(at, part): (usize, &str)| match part.split_once('=') {
        Some((name, value)) if is_name(name.trim()) => (name.trim().to_owned(), json(value.trim())),
        _ => (format!("arg{at}"), json(part.trim())),
    };
    split_all(text).into_iter().enumerate().map(value).collect()
}

/// What stands behind the words that announce an example.
fn head(line: &str) -> Option<&str> {
    const HEADS: &[&str] = &[
        "Falsifying example: ",
        "Falsifying explicit example: ",
        "Failing test case: ",
        "Failing explicit example: ",
    ];
    let line = line.trim_start();
    HEADS.iter().find_map(|head| line.strip_prefix(head))
}

/// `Draw 2 (label): value`, an input that the test asked for while it ran.
fn draw(line: &str, found: &mut Map<String, Value>) {
    let Some((name, value)) = line.trim_start().split_once(": ") else {
        return;
    };
    if name.strip_prefix("Draw ").is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit())) {
        found.insert(name.to_owned(), json(value));
    }
}

/// The text between the call's parentheses, its lines joined, comments taken off.
fn arguments<'a>(call: &str, lines: &mut impl Iterator<Item = &'a str>) -> Option<String> {
    let (_, first) = call.split_once('(')?;
    let mut text = String::new();
    let mut line = first;
    loop {
        let code = line.find('#').and_then(|_| comment(line)).map_or(line, |at| &line[..at]);
        text.push_str(code);
        if let Some(end) = find_top(&text, ")") {
            text.truncate(end);
            return Some(text);
        }
        text.push('\n');
        line = lines.next()?;
    }
}

/// Where a trailing comment begins: a line of its own or behind the comma of an argument. A `#`
/// elsewhere may be part of a value that runs over several lines.
fn comment(line: &str) -> Option<usize> {
    if line.trim_start().starts_with("# ") {
        return Some(0);
    }
    line.rfind(",  # ").map(|at| at + 1)
}

/// The arguments, split at the commas of the top level.
fn split_all(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(at) = find_top(rest, ",") {
        parts.push(&rest[..at]);
        rest = &rest[at + 1..];
    }
    parts.push(rest);
    parts.retain(|part| !part.trim().is_empty());
    parts
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// The value as JSON where Python's print is JSON, else as the printed text.
fn json(printed: &str) -> Value {
    serde_json::from_str(printed).unwrap_or_else(|_| Value::String(printed.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::counterexample;
    use serde_json::{Value, json};

    #[test]
    fn arguments_become_inputs() {
        for (text, want) in [
            ("Falsifying example: test_f(\n    values=[],\n)", json!({"values": []})),
            ("Falsifying example: test_f(x=0, s='a,b')", json!({"x": 0, "s": "'a,b'"})),
            (
                "ZeroDivisionError\nFailing test case: test_f(\n    self=<T testMethod=test_f>,\n    n=0,  # or any other generated value\n)",
                json!({"n": 0}),
            ),
            (
                "Failing explicit example: f(\n    # The test always failed when commented parts were varied together.\n    a=Order(\n        id=1,\n        tags=('#x',),\n    ),\n    b=None,\n)",
                json!({"a": "Order(\n        id=1,\n        tags=('#x',),\n    )", "b": "None"}),
            ),
            (
                "Falsifying example: f(\n    data=data(...),\n)\nDraw 1: [0]\nDraw 2 (n): 5",
                json!({"data": "data(...)", "Draw 1": [0], "Draw 2 (n)": 5}),
            ),
            ("Falsifying example: f(\n    x=0,", Value::Null),
            ("Failing test case: <state machine>\nstate = M()", Value::Null),
            ("nothing", Value::Null),
        ] {
            let got = counterexample(text.lines()).map_or(Value::Null, Value::Object);
            assert_eq!(got, want, "{text}");
        }
    }
}

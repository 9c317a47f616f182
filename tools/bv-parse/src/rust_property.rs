//! Counterexamples of proptest and quickcheck, from the text of the panic that ends the search.

use serde_json::{Map, Value};

/// What a property test says of its failure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Property {
    /// The lines of what went wrong for the smallest input, in the form of a panic's message.
    pub message: Vec<String>,
    /// `file:line` of the failed check, where proptest prints it.
    pub place: Option<(String, u64)>,
    /// The smallest input; empty where the search was given up.
    pub input: Map<String, Value>,
    /// Whether the message only repeats what an earlier panic of the test says.
    pub repeats: bool,
}

/// Reads the message of a panic; `None` where no property failed.
pub fn property(message: &[String]) -> Option<Property> {
    let first = message.first()?;
    if let Some(what) = first.strip_prefix("Test failed: ") {
        return proptest(what, message);
    }
    if first.starts_with("Test aborted: ") && message.iter().any(|l| l.starts_with("\tsuccesses: ")) {
        let message = vec![first.clone()];
        return Some(Property { message, ..Property::default() });
    }
    quickcheck(first, message)
}

const SMALLEST: &str = "minimal failing input: ";

fn proptest(what: &str, message: &[String]) -> Option<Property> {
    // Before 1.2 the input followed on the message's last line.
    if let Some(at) = message.iter().position(|line| line.contains("; minimal failing input: ")) {
        let (said, input) = message[at].split_once("; ")?;
        let mut split = message[..at].to_vec();
        split.push(format!("{said}."));
        split.push(input.to_owned());
        split.extend(message[at + 1..].iter().cloned());
        let what = if at == 0 { split[0].strip_prefix("Test failed: ")?.to_owned() } else { what.to_owned() };
        return proptest(&what, &split);
    }
    let at = message.iter().position(|line| line.starts_with(SMALLEST))?;
    let mut lines = vec![what.to_owned()];
    lines.extend(message[1..at.max(1)].iter().cloned());
    let place = lines.last_mut().and_then(|last| {
        let text = last.strip_suffix('.')?.to_owned();
        let Some((text, file, line)) = text.rsplit_once(" at ").and_then(|(text, place)| {
            let (file, line) = place.rsplit_once(':')?;
            Some((text.to_owned(), file.to_owned(), line.parse().ok()?))
        }) else {
            *last = text;
            return None;
        };
        *last = text;
        Some((file, line))
    });
    let end = message[at..].iter().position(|line| line.starts_with("\tsuccesses: "));
    let input = message[at..end.map_or(message.len(), |end| at + end)].join("\n");
    let input = input.strip_prefix(SMALLEST).unwrap_or(&input);
    Some(Property { message: lines, repeats: place.is_none(), place, input: assignments(input.trim_end()) })
}

fn quickcheck(first: &str, message: &[String]) -> Option<Property> {
    let rest = first.strip_prefix("[quickcheck] ")?;
    let error = message[1..].iter().find_map(|line| line.strip_prefix("Error: "));
    let arguments = rest
        .split_once(" Arguments: (")
        .and_then(|(_, rest)| rest.rsplit_once(')'))
        .map_or("", |(arguments, _)| arguments);
    let parts = top_level(arguments, ',').into_iter().filter(|part| !part.trim().is_empty());
    let input = parts.enumerate().map(|(n, part)| (format!("arg{n}"), value(part))).collect();
    let said = match error {
        Some(error) => serde_json::from_str(error).unwrap_or_else(|_| error.to_owned()),
        None => first.to_owned(),
    };
    Some(Property {
        message: said.lines().map(str::to_owned).collect(),
        place: None,
        input,
        repeats: error.is_some(),
    })
}

/// `a = 1, (b, c) = (2, 3)` to its names and values.
fn assignments(text: &str) -> Map<String, Value> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    for part in top_level(text, ',') {
        match (part.split_once(" = "), pairs.last_mut()) {
            (Some((name, value)), _) => pairs.push((name.trim().to_owned(), value.to_owned())),
            (None, Some((_, value))) => {
                value.push(',');
                value.push_str(part);
            }
            (None, None) => {}
        }
    }
    pairs.into_iter().map(|(name, text)| (name, value(&text))).collect()
}

/// JSON where the text is JSON and nothing of it is lost, else the text.
fn value(text: &str) -> Value {
    let text = text.trim();
    let bare = |t: &str| t.split_whitespace().collect::<String>();
    match serde_json::from_str::<Value>(text) {
        Ok(value) if value.is_string() || bare(&value.to_string()) == bare(text) => value,
        _ => Value::String(text.to_owned()),
    }
}

/// Splits where `sign` stands outside brackets, strings and character literals.
fn top_level(text: &str, sign: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut from) = (0usize, 0);
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            '"' => skip_string(&mut letters),
            '\'' => skip_char(text, at, &mut letters),
            _ if letter == sign && depth == 0 => {
                parts.push(&text[from..at]);
                from = at + letter.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts
}

type Letters<'a> = std::iter::Peekable<std::str::CharIndices<'a>>;

fn skip_string(letters: &mut Letters<'_>) {
    while let Some((_, letter)) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            '"' => return,
            _ => {}
        }
    }
}

/// A character literal (`','`, `'\''`); any other apostrophe is text.
fn skip_char(text: &str, at: usize, letters: &mut Letters<'_>) {
    let inner = &text[at + 1..];
    let close = match inner.strip_prefix('\\') {
        Some(escaped) => escaped.char_indices().skip(1).find(|&(_, c)| c == '\'').map(|(n, _)| n + 2),
        None => {
            inner.chars().next().map(char::len_utf8).filter(|&n| inner[n..].starts_with('\'')).map(|n| n + 1)
        }
    };
    let Some(close) = close else { return };
    while letters.peek().is_some_and(|&(next, _)| next <= at + close) {
        letters.next();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    type Read<'a> = Option<(&'a str, Option<(&'a str, u64)>, Value, bool)>;

    fn check(text: &str, expected: Read<'_>) {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let expected = expected.map(|(message, place, input, repeats)| Property {
            message: message.lines().map(str::to_owned).collect(),
            place: place.map(|(file, line)| (file.to_owned(), line)),
            input: input.as_object().cloned().unwrap_or_default(),
            repeats,
        });
        assert_eq!(property(&lines), expected, "{text}");
    }

    #[test]
    fn proptest_inputs() {
        check(
            "Test failed: no discount at tests/p.rs:26.\nminimal failing input: l = Line {\n    q: 1,\n}, s = \"a, = b\", n = 5, u = -0.5\n\tsuccesses: 17\n\tlocal rejects: 0",
            Some((
                "no discount",
                Some(("tests/p.rs", 26)),
                json!({"l": "Line {\n    q: 1,\n}", "s": "a, = b", "n": 5, "u": -0.5}),
                false,
            )),
        );
        check(
            "Test failed: fee 5001.\nminimal failing input: (a, b) = (\n    2,\n    ',',\n)\n\tsuccesses: 0",
            Some(("fee 5001", None, json!({"(a, b)": "(\n    2,\n    ',',\n)"}), true)),
        );
        check(
            "Test failed: assertion failed: `(left == right)` \n  left: `0`,\n right: `1`: m at tests/p.rs:16.\nminimal failing input: x = 1\n\tsuccesses: 1",
            Some((
                "assertion failed: `(left == right)` \n  left: `0`,\n right: `1`: m",
                Some(("tests/p.rs", 16)),
                json!({"x": 1}),
                false,
            )),
        );
        check(
            "Test aborted: Too many global rejects\n\tsuccesses: 0",
            Some(("Test aborted: Too many global rejects", None, json!({}), false)),
        );
        check(
            "Test failed: too big at tests/p.rs:7; minimal failing input: x = 3\n\tsuccesses: 1",
            Some(("too big", Some(("tests/p.rs", 7)), json!({"x": 3}), false)),
        );
        check("Test failed: by hand", None);
        check("plain", None);
    }

    #[test]
    fn quickcheck_arguments() {
        let line = "[quickcheck] TEST FAILED. Arguments: ([0, 0], \"a)\\\",b\", '\\'', Some((1, 2)), 18446744073709551616)";
        check(
            line,
            Some((
                line,
                None,
                json!({"arg0": [0, 0], "arg1": "a)\",b", "arg2": "'\\''", "arg3": "Some((1, 2))", "arg4": "18446744073709551616"}),
                false,
            )),
        );
        check(
            "[quickcheck] TEST FAILED (runtime error). Arguments: (5001)\nError: \"fee \\\"x\\\"\"",
            Some(("fee \"x\"", None, json!({"arg0": 5001}), true)),
        );
    }
}

//! The two sides in the words of .NET's assertion libraries.
//!
//! xUnit.net 2 and 3 (`Assert.Equal() Failure: Values differ`, `Expected: 5`, `Actual:   4`), NUnit 2 to 4
//! (`  Expected: 5`, `  But was:  4`), MSTest (`Assert.AreEqual failed. Expected:<5>. Actual:<4>. words`),
//! FluentAssertions (`Expected x to be 5, but found 4.`), Shouldly (`should be` and `but was` on lines of
//! their own).

use crate::values::{Sides, split_outside};
use bv_schemas::Check;

/// All failed checks of one message; the first is the test's own.
pub fn checks(message: &[&str]) -> Vec<Check> {
    let parts = numbered(message);
    if parts.len() > 1 {
        return parts.iter().map(|part| check(part)).collect();
    }
    vec![check(message)]
}

fn check(message: &[&str]) -> Check {
    let sides = sides(message);
    let mut lines = message.iter().map(|line| line.trim()).filter(|line| !line.is_empty());
    let mut words = lines.next().unwrap_or_default();
    // Shouldly's sentence goes over several lines.
    let shouldly = shouldly_sentence(message);
    if shouldly.is_none() && words.ends_with(" threw exception:") {
        words = lines.next().unwrap_or(words);
    }
    let message = shouldly.unwrap_or_else(|| words.to_owned());
    Check {
        line: None,
        message: Some(message).filter(|words| !words.is_empty()),
        expected: sides.expected,
        observed: sides.observed,
    }
}

/// NUnit's `  1)   Expected: 5` … `  2)   Expected: 6` below `Multiple failures or warnings in test:`.
fn numbered<'a>(message: &[&'a str]) -> Vec<Vec<&'a str>> {
    let mut parts: Vec<Vec<&str>> = Vec::new();
    if !message.iter().any(|line| line.trim_start().starts_with("Multiple failures or warnings in test")) {
        return parts;
    }
    for line in message {
        let item =
            line.trim_start().split_once(')').filter(|(number, _)| *number == (parts.len() + 1).to_string());
        match (item, parts.last_mut()) {
            (Some((_, rest)), _) => parts.push(vec![rest.trim_start()]),
            (None, Some(part)) if part.len() < super::LINES_MAX => part.push(line),
            (None, _) => {}
        }
    }
    parts
}

/// The sides of one check.
pub fn sides(message: &[&str]) -> Sides {
    labelled(message).or_else(|| shouldly(message)).or_else(|| mstest(message)).or_else(|| fluent(message))
}

/// `Expected: 5` and `Actual:   4`, `But was:  4`, each over the lines that follow.
fn labelled(message: &[&str]) -> Sides {
    const EXPECTED: &[&str] = &["Expected:", "expected:", "Not found:", "Range:"];
    const OBSERVED: &[&str] = &["Actual:", "But was:", "actual:", "String:", "Collection:", "Set:"];
    let mut sides = Sides::default();
    let mut open: Option<bool> = None;
    for line in message {
        let text = line.trim();
        let after = |labels: &[&str]| labels.iter().find_map(|label| text.strip_prefix(label));
        if let Some(value) = after(EXPECTED).filter(|_| sides.expected.is_none()) {
            sides.expected = Some(value.trim().to_owned());
            open = Some(true);
        } else if let Some(value) = after(OBSERVED).filter(|_| sides.observed.is_none()) {
            sides.observed = Some(value.trim().to_owned());
            open = Some(false);
        } else if text.is_empty() || is_pointer(text) || is_after(text) {
            open = None;
        } else if let Some(is_expected) = open {
            let side = if is_expected { &mut sides.expected } else { &mut sides.observed };
            if let Some(side) = side.as_mut().filter(|side| side.len() < 8 << 10) {
                if !side.is_empty() {
                    side.push('\n');
                }
                side.push_str(text);
            }
        }
    }
    // `Not found: 3` alone is no pair; a value that is printed alone stands.
    let filled = |side: Option<String>| side.filter(|text| !text.is_empty());
    Sides { expected: filled(sides.expected), observed: filled(sides.observed) }
}

/// `           ↓ (pos 1)`, `  -----------^`.
fn is_pointer(text: &str) -> bool {
    text.starts_with(['↓', '↑'])
        || text.ends_with('^') && text.trim_end_matches('^').bytes().all(|b| b == b'-')
}

/// What may follow a value: an inner exception, a stack.
fn is_after(text: &str) -> bool {
    text.starts_with("----") || text.starts_with("Stack Trace:") || text.starts_with("Data:")
}

/// `total` / `    should be` / `5m` / `    but was` / `4m` / `Additional Info:`.
fn shouldly(message: &[&str]) -> Sides {
    let is = |line: &str, words: &str| line.trim() == words;
    let at = |words: &str| message.iter().position(|line| is(line, words));
    let Some(but) = at("but was").or_else(|| at("but was not")).or_else(|| at("but did")) else {
        return Sides::default();
    };
    let Some(should) = message[..but].iter().rposition(|line| line.trim().starts_with("should ")) else {
        return Sides::default();
    };
    let end = message[but + 1..]
        .iter()
        .position(|line| line.trim().is_empty() || is(line, "Additional Info:") || is(line, "difference"));
    let joined = |lines: &[&str]| Some(lines.join("\n").trim().to_owned()).filter(|text| !text.is_empty());
    let observed = &message[but + 1..end.map_or(message.len(), |end| but + 1 + end)];
    Sides { expected: joined(&message[should + 1..but]), observed: joined(observed) }
}

/// Shouldly's words as one line.
fn shouldly_sentence(message: &[&str]) -> Option<String> {
    let should = message.iter().position(|line| line.starts_with("    should "))?;
    let end = message.iter().position(|line| line.trim().is_empty()).unwrap_or(message.len());
    let first = message.first()?.trim();
    let first = first.split_once(" : ").map_or(first, |(_, rest)| rest);
    let rest = message.get(1..end.max(should))?.iter().map(|line| line.trim());
    let whole =
        std::iter::once(first).chain(rest).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    (whole.len() <= 300).then_some(whole)
}

/// `Assert.AreEqual failed. Expected:<5>. Actual:<4>. words`.
fn mstest(message: &[&str]) -> Sides {
    let text = message.join("\n");
    let Some(at) = text.find("Expected:<").or_else(|| text.find("Expected any value except:<")) else {
        return Sides::default();
    };
    let except = text[at..].starts_with("Expected any");
    let value = |text: &str| -> Option<String> {
        let inner = text.split_once(":<")?.1;
        // The value may hold `>` itself: it ends before the next sentence.
        let end = inner.find(">. ").or_else(|| inner.find(">."))?;
        Some(inner[..end].to_owned())
    };
    let expected = value(&text[at..]).map(|value| if except { format!("not {value}") } else { value });
    let observed = text[at..].find("Actual:<").and_then(|from| value(&text[at + from..]));
    Sides { expected, observed }
}

/// `Expected x to be 5 because words, but found 4 (difference of -1).`
fn fluent(message: &[&str]) -> Sides {
    let text = message.iter().map(|line| line.trim()).collect::<Vec<_>>().join("\n");
    let Some(at) = text.find("Expected ") else { return Sides::default() };
    let text = &text[at + "Expected ".len()..];
    let Some((wanted, seen)) = split_outside(text, ", but ") else { return Sides::default() };
    let observed = seen.strip_prefix("found ").or_else(|| seen.strip_prefix("it was ")).map(|seen| {
        let seen = split_outside(seen, " (difference of ").map_or(seen, |(value, _)| value);
        let line = seen.lines().next().unwrap_or(seen);
        line.strip_suffix('.').unwrap_or(line).to_owned()
    });
    let expected = [" to be equal to ", " to be ", " to contain ", " to have value ", " to equal "]
        .iter()
        .find_map(|word| split_outside(wanted, word))
        .map(|(_, value)| split_outside(value, " because ").map_or(value, |(value, _)| value).to_owned())
        .filter(|value| !value.starts_with("the same") && !value.contains('\n'));
    match (&expected, &observed) {
        (Some(_), Some(_)) => Sides { expected, observed },
        _ => Sides { expected: None, observed },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_of_every_library() {
        for (text, expected, observed) in [
            ("Assert.Equal() Failure: Values differ\nExpected: 5\nActual:   4", Some("5"), Some("4")),
            (
                "Assert.Equal() Failure: Strings differ\n              ↓ (pos 3)\nExpected: \"abcd\"\nActual:   \"abxd\"\n              ↑ (pos 3)",
                Some("\"abcd\""),
                Some("\"abxd\""),
            ),
            (
                "Assert.Contains() Failure: Sub-string not found\nString:    \"abc\"\nNot found: \"x\"",
                Some("\"x\""),
                Some("\"abc\""),
            ),
            (
                "Assert.Throws() Failure: No exception was thrown\nExpected: typeof(System.Exception)",
                Some("typeof(System.Exception)"),
                None,
            ),
            (
                "  names differ\n  Expected string length 3 but was 4. Strings differ at index 0.\n  Expected: \"abc\"\n  But was:  \"abcd\"\n  -----------^",
                Some("\"abc\""),
                Some("\"abcd\""),
            ),
            ("Assert.AreEqual failed. Expected:<5>. Actual:<4>. total", Some("5"), Some("4")),
            ("Assert.AreEqual failed. Expected:<a>b>. Actual:<c>. ", Some("a>b"), Some("c")),
            ("Expected total to be 5 because (so), but found 4 (difference of -1).", Some("5"), Some("4")),
            ("Expected a, b to be {1, 2}, but found {1, 3}.", Some("{1, 2}"), Some("{1, 3}")),
            (
                "Shouldly.ShouldAssertException : total\n    should be\n5m\n    but was\n4m\n\nAdditional Info:\n    x",
                Some("5m"),
                Some("4m"),
            ),
            ("boom", None, None),
        ] {
            let lines: Vec<&str> = text.lines().collect();
            let want = Sides { expected: expected.map(str::to_owned), observed: observed.map(str::to_owned) };
            assert_eq!(sides(&lines), want, "{text}");
        }
    }

    #[test]
    fn several_checks_are_told_apart() {
        let text = "Multiple failures or warnings in test:\n  1)   Expected: 1\n  But was:  2\n\n  2)   Expected: 3\n  But was:  4\n";
        let got = checks(&text.lines().collect::<Vec<_>>());
        let got: Vec<_> = got.iter().map(|c| (c.expected.as_deref(), c.observed.as_deref())).collect();
        assert_eq!(got, [(Some("1"), Some("2")), (Some("3"), Some("4"))]);
    }
}

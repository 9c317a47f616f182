//! PHPUnit's sentences: `Failed asserting that 1359 is identical to 1360.`

use crate::values::{Sides, diff_sides, split_outside};

const SENTENCE: &str = "Failed asserting that ";

/// What the words say.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// An assertion or a mock's expectation speaks.
    pub asserts: bool,
    /// The two sides.
    pub sides: Sides,
}

/// Reads a message, whose diff says more than its sentence.
pub fn read(message: &[&str]) -> Words {
    let begins = message.iter().position(|line| is_sentence(line));
    let diff = message.iter().position(|line| *line == "--- Expected").unwrap_or(message.len());
    let Some(begins) = begins else {
        return Words { asserts: diff < message.len(), sides: diff_sides(message[diff..].iter().copied()) };
    };
    let sentence = message[begins..diff.max(begins)].join("\n");
    let sides = diff_sides(message[diff..].iter().copied()).or_else(|| {
        counted(&sentence).or_else(|| {
            let sentence = sentence.trim_end().trim_end_matches('.').strip_prefix(SENTENCE);
            sentence.and_then(sides).unwrap_or_default()
        })
    });
    Words { asserts: true, sides }
}

/// Whether an assertion's own words begin here.
pub fn is_sentence(line: &str) -> bool {
    line.starts_with(SENTENCE) || line.starts_with("Expectation failed for ")
}

/// The first line, or the whole sentence where a printed value breaks its line.
pub fn sentence(message: &[&str], bytes_max: usize) -> Option<String> {
    let begins = message.iter().position(|line| !line.trim().is_empty())?;
    let (message, first) = (&message[begins..], message[begins]);
    if !first.starts_with(SENTENCE) || first.ends_with('.') || message.contains(&"--- Expected") {
        return None;
    }
    let ends = message.iter().position(|line| line.ends_with('.'))?;
    let whole = message[..=ends].iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
    (whole.len() <= bytes_max).then_some(whole)
}

/// `Method was expected to be called 1 times, actually called 0 times.`
fn counted(sentence: &str) -> Sides {
    let pair = || {
        let rest = sentence.split_once("expected to be called ")?.1;
        let (expected, rest) = rest.split_once(", actually called ")?;
        Some(Sides::both(expected, rest.trim_end().trim_end_matches('.')))
    };
    pair().unwrap_or_default()
}

/// Verbs behind which the expected value stands alone.
const VERBS: &[&str] = &[
    " is identical to ",
    " matches expected exception ",
    " matches expected size ",
    " matches expected ",
    " is equal to ",
    " equals ",
    " matches PCRE pattern ",
    " matches regular expression ",
    " matches JSON string ",
    " matches format description ",
    " starts with ",
    " ends with ",
    " contains ",
    " has the key ",
    " is an instance of class ",
    " is an instance of interface ",
    " is instance of class ",
    " is of type ",
];

/// Subjects that are words, not a printed value.
const NO_VALUES: &[&str] = &["an array", "a traversable", "an object", "exception message", "exception code"];

fn sides(sentence: &str) -> Option<Sides> {
    let whole = sentence;
    if let Some(rest) = whole.strip_prefix("exception of type ") {
        if let Some(expected) = rest.strip_suffix(" is thrown") {
            return Some(Sides { expected: Some(unquoted(expected).to_owned()), observed: None });
        }
        let (observed, expected) = rest.split_once(" matches expected exception ")?;
        let expected = expected.split_once(". Message was").map_or(expected, |(expected, _)| expected);
        return Some(Sides::both(unquoted(expected), unquoted(observed)));
    }
    let split = VERBS
        .iter()
        .filter_map(|verb| split_outside(whole, verb))
        .min_by_key(|(subject, _)| subject.len())
        .or_else(|| split_outside(whole, " is ").filter(|(subject, _)| !subject.ends_with(" equal")));
    let (subject, expected) = split?;
    let subject = ["exception message ", "exception code ", "actual size "]
        .iter()
        .find_map(|name| subject.strip_prefix(name))
        .unwrap_or(subject);
    let observed = (!NO_VALUES.contains(&subject)).then(|| subject.to_owned());
    Some(Sides { expected: Some(expected.to_owned()), observed })
}

fn unquoted(text: &str) -> &str {
    text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_name_two_sides() {
        let expected = |text: &str| Sides { expected: Some(text.to_owned()), observed: None };
        for (message, want) in [
            ("Failed asserting that 1359 is identical to 1360.", Sides::both("1360", "1359")),
            ("pen\nFailed asserting that 1359 is identical to 1360.", Sides::both("1360", "1359")),
            (
                "Failed asserting that Array &0 (\n    0 => 1\n) is identical to 2.",
                Sides::both("2", "Array &0 (\n    0 => 1\n)"),
            ),
            (
                "Failed asserting that 'a is identical to b' is identical to 'c'.",
                Sides::both("'c'", "'a is identical to b'"),
            ),
            ("Failed asserting that 10 matches expected 11.", Sides::both("11", "10")),
            ("Failed asserting that false is true.", Sides::both("true", "false")),
            ("Failed asserting that 3 is greater than 5.", Sides::both("greater than 5", "3")),
            ("Failed asserting that an array contains 3.", expected("3")),
            ("Failed asserting that actual size 1 matches expected size 2.", Sides::both("2", "1")),
            ("Failed asserting that exception of type \"L\" is thrown.", expected("L")),
            (
                "Failed asserting that exception of type \"R\" matches expected exception \"L\". Message was: \"other\" at\n/p.php:21\n.",
                Sides::both("L", "R"),
            ),
            (
                "Failed asserting that exception message 'other' contains 'wanted'.",
                Sides::both("'wanted'", "'other'"),
            ),
            (
                "Failed asserting that two strings are equal.\n--- Expected\n+++ Actual\n@@ @@\n-'abc'\n+'abd'",
                Sides::both("'abc'", "'abd'"),
            ),
            ("Failed asserting that 1 is not identical to 1.", Sides::both("not identical to 1", "1")),
            (
                "Expectation failed for method name is \"count\" when invoked 1 time(s).\nMethod was expected to be called 1 times, actually called 0 times.",
                Sides::both("1 times", "0 times"),
            ),
        ] {
            let got = read(&message.lines().collect::<Vec<_>>());
            assert_eq!(got, Words { asserts: true, sides: want }, "{message}");
        }
        assert_eq!(read(&["just no"]), Words::default());
    }
}

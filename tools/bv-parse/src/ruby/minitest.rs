//! The words of Minitest's and test-unit's assertions.

use crate::values::{Sides, diff_sides, split_outside};

/// What an assertion says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// One line: the user's own words, then Minitest's, where it prints both.
    pub message: Option<String>,
    /// The two sides that it names.
    pub sides: Sides,
}

/// Reads the lines below the place of a failed assertion.
pub fn words(lines: &[&str]) -> Words {
    let lines: Vec<&str> = lines.iter().copied().skip_while(|line| line.trim().is_empty()).collect();
    let head_ends = lines.iter().position(|line| is_detail(line)).unwrap_or(lines.len());
    let head: Vec<&str> =
        lines[..head_ends].iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
    let message = match (head.as_slice(), lines.first()) {
        ([], first) => first.map(|line| line.trim().to_owned()),
        ([own, rest @ ..], _) => {
            let said = rest
                .iter()
                .find(|line| line.starts_with("Expected "))
                .filter(|_| !own.starts_with("Expected "));
            Some(said.map_or((*own).to_owned(), |said| format!("{own} {said}")))
        }
    };
    let sides = labelled(&lines)
        .or_else(|| diff_sides(lines.iter().copied()))
        .or_else(|| head.iter().copied().find_map(sentence).unwrap_or_default())
        .or_else(|| raised(&lines).unwrap_or_default());
    Words { message, sides }
}

/// The first line of a comparison, below the user's own words.
fn is_detail(line: &str) -> bool {
    line.starts_with("Expected: ") || line.starts_with("--- expected") || line.starts_with('<')
}

/// `Expected: 301` and `  Actual: 300`; of several lines where a value has them.
fn labelled(lines: &[&str]) -> Sides {
    let after = |label: &str| lines.iter().find_map(|line| line.trim_start().strip_prefix(label));
    match (after("Expected: "), after("Actual: ")) {
        (Some(expected), Some(observed)) => Sides::both(expected.trim(), observed.trim()),
        _ => Sides::default(),
    }
}

/// Sides in one sentence, which ends in a full stop.
fn sentence(line: &str) -> Option<Sides> {
    let line = line.strip_suffix('.').unwrap_or(line);
    if let Some(expected) = line.strip_suffix(" expected but nothing was raised") {
        let expected = expected.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(expected);
        return Some(Sides { expected: Some(expected.to_owned()), observed: None });
    }
    let rest = line.strip_prefix("Expected ")?;
    // `Expected |1.0 - 1.1| (0.1) to be <= 0.001`
    if let Some((expected, observed)) = rest
        .strip_prefix('|')
        .and_then(|rest| rest.split_once("| ("))
        .and_then(|(pair, _)| pair.split_once(" - "))
    {
        return Some(Sides::both(expected, observed));
    }
    let (subject, phrase) = split_outside(rest, " to ")?;
    if let Some(observed) = phrase.strip_prefix("match ") {
        return Some(Sides::both(subject, observed));
    }
    if let Some((expected, observed)) = split_outside(phrase, ", not ") {
        let expected =
            ["be an instance of ", "be a kind of "].iter().find_map(|verb| expected.strip_prefix(verb))?;
        return Some(Sides::both(expected, observed));
    }
    let object = ["include ", "be the same as ", "respond to ", "be "]
        .iter()
        .find_map(|verb| phrase.strip_prefix(verb));
    Some(Sides::both(object.unwrap_or(phrase), subject))
}

/// `[KeyError] exception expected, not` and `Class: <ArgumentError>`.
fn raised(lines: &[&str]) -> Option<Sides> {
    let expected = lines.iter().find_map(|line| line.strip_suffix(" exception expected, not"))?;
    let expected = expected.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(expected);
    let class = lines.iter().find_map(|line| line.trim().strip_prefix("Class: <")?.strip_suffix('>'))?;
    Some(Sides::both(expected, class))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assertions_name_two_sides() {
        let one = |expected: &str| Sides { expected: Some(expected.to_owned()), observed: None };
        for (text, message, sides) in [
            ("Expected: 301\n  Actual: 300", "Expected: 301", Sides::both("301", "300")),
            ("three pens.\nExpected: 301\n  Actual: 300", "three pens.", Sides::both("301", "300")),
            (
                "--- expected\n+++ actual\n@@ -1 +1 @@\n-{:a=>1}\n+{:a=>2}",
                "--- expected",
                Sides::both("{:a=>1}", "{:a=>2}"),
            ),
            (
                "pen is missing.\nExpected [] to include :pen.",
                "pen is missing. Expected [] to include :pen.",
                Sides::both(":pen", "[]"),
            ),
            ("A expected but nothing was raised.", "A expected but nothing was raised.", one("A")),
            ("Expected 3 to be > 10.", "Expected 3 to be > 10.", Sides::both("> 10", "3")),
            (
                "Expected |1.0 - 1.1| (0.1) to be <= 0.001.",
                "Expected |1.0 - 1.1| (0.1) to be <= 0.001.",
                Sides::both("1.0", "1.1"),
            ),
            (
                "Expected /x/ to match \"abc\".",
                "Expected /x/ to match \"abc\".",
                Sides::both("/x/", "\"abc\""),
            ),
            (
                "Expected 1 to be a kind of String, not Integer.",
                "Expected 1 to be a kind of String, not Integer.",
                Sides::both("String", "Integer"),
            ),
            (
                "[KeyError] exception expected, not\nClass: <ArgumentError>\nMessage: <\"x\">\n---Backtrace---",
                "[KeyError] exception expected, not",
                Sides::both("KeyError", "ArgumentError"),
            ),
            ("no good", "no good", Sides::default()),
        ] {
            let got = words(&text.lines().collect::<Vec<_>>());
            assert_eq!(got, Words { message: Some(message.to_owned()), sides }, "{text}");
        }
    }
}

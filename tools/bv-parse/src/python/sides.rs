//! The two sides of a failed assertion, read from what Python's assertions say.
//!
//! Equality is read as in the tools' documentation: the left operand was observed, the right one is
//! expected. A side that the text does not print is left out.

use super::scan::{find_top, split_top};
use crate::values::Sides;

/// The sides of `assert A == B`, as pytest and others print a rewritten assertion; the word `assert`
/// may be missing. Other comparisons keep their operator in the expected side (`<= 3`, `in [1, 2]`).
pub fn asserted(text: &str) -> Option<Sides> {
    let text = text.strip_prefix("assert ").unwrap_or(text);
    if text.starts_with("not ") || find_top(text, " and ").is_some() || find_top(text, " or ").is_some() {
        return None;
    }
    compared(text)
}

/// The sides of a comparison, `A == B`, `A in B`, `A is not B`.
pub fn compared(text: &str) -> Option<Sides> {
    const OPERATORS: &[&str] = &["==", "!=", "<=", ">=", "<", ">", "not in", "in", "is not", "is"];
    OPERATORS.iter().find_map(|operator| {
        let (left, right) = split_top(text, &format!(" {operator} "))?;
        match *operator {
            "==" => of(left, right),
            _ => of(left, &format!("{operator} {right}")),
        }
    })
}

/// The sides that an assertion method of unittest or mock names in its message. `first` is the
/// message's first line, `more` the lines below it (a diff, mock's `Expected:` and `Actual:`).
pub fn said(first: &str, more: &[String]) -> Option<Sides> {
    if let Some(sides) = mocked(first, more).or_else(|| sets(first, more)) {
        return Some(sides);
    }
    if let Some(sides) = in_response(first, more) {
        return Some(sides);
    }
    let text = without_custom(first);
    quoted_pattern(text).or_else(|| phrased(text)).or_else(|| unequal(text))
}

/// Django's `assertContains`: `False is not true : Couldn't find '500' in the following response`, and the
/// response in the next line, which Django prints since 5.1.
fn in_response(first: &str, more: &[String]) -> Option<Sides> {
    let words = first.strip_prefix("False is not true : ")?;
    let (_, rest) = words.split_once("Couldn't find ")?;
    if let Some(wanted) = rest.strip_suffix(" in response") {
        return of("", wanted);
    }
    of(more.first()?, rest.strip_suffix(" in the following response")?)
}

/// The text before `: ` at the top level: pytest-check puts the author's words behind it.
pub fn without_words(text: &str) -> &str {
    find_top(text, ": ").map_or(text, |at| &text[..at])
}

/// A message of the caller's own follows ` : ` (unittest's `longMessage`).
fn without_custom(text: &str) -> &str {
    find_top(text, " : ").map_or(text, |at| &text[..at])
}

/// `A != B`, with `Lists differ: ` and its like before it, with a tolerance behind it.
fn unequal(text: &str) -> Option<Sides> {
    let text = ["Lists", "Tuples", "Sequences", "Sets", "Dicts"]
        .iter()
        .find_map(|kind| text.strip_prefix(kind)?.strip_prefix(" differ: "))
        .unwrap_or(text);
    let (observed, expected) = split_top(text, " != ")?;
    let expected = find_top(expected, " within ").map_or(expected, |at| &expected[..at]);
    of(observed, expected)
}

/// Assertion methods that say it in words; the words stay in the expected side where they are needed
/// to understand it.
fn phrased(text: &str) -> Option<Sides> {
    const AFTER: &[(&str, &str)] = &[
        (" not found in ", "found in "),
        (" not greater than or equal to ", "greater than or equal to "),
        (" not less than or equal to ", "less than or equal to "),
        (" not greater than ", "greater than "),
        (" not less than ", "less than "),
        (" is not an instance of ", "an instance of "),
    ];
    AFTER
        .iter()
        .find_map(|(words, kept)| {
            let (left, right) = split_top(text, words)?;
            of(left, &format!("{kept}{right}"))
        })
        .or_else(|| observed_only(text))
        .or_else(|| split_top(text, " is not ").and_then(|(left, right)| of(left, right)))
}

/// Methods that print what they saw and no side that must hold.
fn observed_only(text: &str) -> Option<Sides> {
    const BEFORE: &[&str] = &[" is not true", " is not false"];
    BEFORE
        .iter()
        .find_map(|words| text.strip_suffix(words))
        .or_else(|| split_top(text, " unexpectedly found in ").map(|(left, _)| left))
        .or_else(|| split_top(text, " == ").map(|(left, _)| left))
        .and_then(|left| of(left, ""))
}

/// `"pattern" does not match "text"` (`assertRaisesRegex`) and `Regex didn't match: 'p' not found in 't'`.
fn quoted_pattern(text: &str) -> Option<Sides> {
    if let Some(rest) = text.strip_prefix("Regex didn't match: ") {
        let (pattern, seen) = split_top(rest, " not found in ")?;
        return of(seen, pattern);
    }
    // Both stand in plain double quotes, unescaped, so that brackets and quotes inside need not pair.
    let (pattern, seen) = text.strip_prefix('"')?.strip_suffix('"')?.split_once("\" does not match \"")?;
    of(seen, pattern)
}

/// `Expected: mock(1)` and `  Actual: mock(2)`, below `expected call not found.` or `Calls not found.`;
/// before Python 3.8 `Expected call: …` in the first line and `Actual call: …`.
fn mocked(first: &str, more: &[String]) -> Option<Sides> {
    let after = |words: &[&str]| {
        std::iter::once(first)
            .chain(more.iter().map(String::as_str))
            .find_map(|line| words.iter().find_map(|word| line.trim_start().strip_prefix(word)))
    };
    let expected = after(&["Expected: ", "Expected call: "])?;
    let observed = after(&["Actual: ", "Actual call: "])?;
    of(observed, expected)
}

/// `Items in the first set but not the second:`, the items, then the same for the second set.
fn sets(first: &str, more: &[String]) -> Option<Sides> {
    const FIRST: &str = "Items in the first set but not the second:";
    const SECOND: &str = "Items in the second set but not the first:";
    if first != FIRST && first != SECOND {
        return None;
    }
    let mut parts = [Vec::new(), Vec::new()];
    let mut now = usize::from(first == SECOND);
    for line in more {
        match line.as_str() {
            FIRST => now = 0,
            SECOND => now = 1,
            "" => break,
            item => parts[now].push(without_custom(item)),
        }
    }
    let [observed, expected] = parts.map(|items| items.join("\n"));
    of(&observed, &expected)
}

fn of(observed: &str, expected: &str) -> Option<Sides> {
    let side = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    Sides { observed: side(observed), expected: side(expected) }.some()
}

#[cfg(test)]
mod tests {
    use super::{Sides, asserted, said};

    fn pair(sides: Option<Sides>) -> (String, String) {
        let sides = sides.unwrap_or_default();
        (sides.observed.unwrap_or_default(), sides.expected.unwrap_or_default())
    }

    #[test]
    fn a_rewritten_assertion_has_its_right_operand_expected() {
        for (text, observed, expected) in [
            ("assert 18 == 19", "18", "19"),
            ("assert 4.5 == 4.25 ± 4.2e-06", "4.5", "4.25 ± 4.2e-06"),
            ("assert 0 <= -1", "0", "<= -1"),
            ("assert False is True", "False", "is True"),
            ("assert 'x' not in ['x']", "'x'", "not in ['x']"),
            ("assert <A in b> == None", "<A in b>", "None"),
            ("assert not 1 == 1", "", ""),
            ("assert (1 == 2 or 3 == 4)", "", ""),
            ("assert 1 == 2 or 3 == 4", "", ""),
            ("assert False", "", ""),
        ] {
            assert_eq!(pair(asserted(text)), (observed.into(), expected.into()), "{text}");
        }
    }

    #[test]
    fn an_assertion_method_names_its_sides_in_words() {
        for (text, observed, expected) in [
            ("'x' != 'y'", "'x'", "'y'"),
            ("'x != y' != 'y' : never : ever", "'x != y'", "'y'"),
            ("Lists differ: [1, 2] != [1, 3]", "[1, 2]", "[1, 3]"),
            ("0.3 != 0.31 within 3 places (0.01 difference)", "0.3", "0.31"),
            ("5 != 7 within 1 delta (2 difference) : far", "5", "7"),
            ("'roll' not found in ['beat']", "'roll'", "found in ['beat']"),
            ("'roll' unexpectedly found in ['roll']", "'roll'", ""),
            ("'x' is not None", "'x'", "None"),
            ("unexpectedly None", "", ""),
            ("1 not greater than or equal to 2", "1", "greater than or equal to 2"),
            ("1 not less than 0", "1", "less than 0"),
            ("False is not true : no rows", "False", ""),
            ("5 == 5", "5", ""),
            ("'a' is not an instance of <class 'int'>", "'a'", "an instance of <class 'int'>"),
            ("\"only (\" does not match \"bad '\"", "bad '", "only ("),
            ("Regex didn't match: 'a+' not found in 'bbb'", "'bbb'", "'a+'"),
            ("expected call not found.\nExpected: m(1)\n  Actual: m(2)", "m(2)", "m(1)"),
            ("expected call not found.\nExpected: m(1)\n  Actual: not called.", "not called.", "m(1)"),
            ("Expected call: m(1)\nActual call: m(2)", "m(2)", "m(1)"),
            (
                "Items in the first set but not the second:\n'g'\nItems in the second set but not the first:\n'b'",
                "'g'",
                "'b'",
            ),
            ("Items in the second set but not the first:\n1\n2 : custom", "", "1\n2"),
            ("ValueError not raised", "", ""),
        ] {
            let mut lines = text.lines().map(str::to_owned);
            let first = lines.next().unwrap_or_default();
            let more: Vec<_> = lines.collect();
            assert_eq!(pair(said(&first, &more)), (observed.into(), expected.into()), "{text}");
        }
    }
}

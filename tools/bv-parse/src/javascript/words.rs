//! The two sides in a message of chai's manner, which Vitest shares: `expected A to equal B`. A was observed.

use crate::values::Sides;

/// The sides that the words name; `None` where they are shortened (`…`) or name none.
pub fn worded(message: &str) -> Option<Sides> {
    let text = message.split(" // ").next().unwrap_or(message).trim_end();
    let start = match text.strip_prefix("expected ") {
        Some(rest) => rest,
        // A message of the author's own stands before it.
        None => &text[find_top(text, ": expected ")? + ": expected ".len()..],
    };
    let to = find_top(start, " to ")?;
    let (subject, claim) = (start[..to].trim(), start[to + " to ".len()..].trim());
    let (subject, negated) = subject.strip_suffix(" not").map_or((subject, false), |subject| (subject, true));
    // What was seen may be said once more, as far as it matters.
    let (claim, seen) = ["but got ", "but was "]
        .iter()
        .find_map(|but| claim.split_once(but))
        .map_or((claim, None), |(claim, seen)| (claim.trim_end_matches([' ', ',']), Some(seen)));
    let claim = claim.split(", received ").next().unwrap_or(claim);
    // chai says `to not equal`, Vitest `not to equal`.
    let (claim, negated) = claim.strip_prefix("not ").map_or((claim, negated), |claim| (claim, true));
    let observed = seen.unwrap_or(subject);
    let expected = if negated { format!("not {}", claimed(claim)) } else { claimed(claim).to_owned() };
    let whole = |side: &str| !side.is_empty() && !side.contains('…') && !side.contains("[Function");
    if !whole(observed) || !whole(&expected) {
        return None;
    }
    Some(Sides { observed: Some(observed.to_owned()), expected: Some(expected) })
}

/// Equality names the value alone; other comparisons keep their words.
fn claimed(claim: &str) -> &str {
    const EQUAL: &[&str] = &[
        "be deeply equal to ",
        "deeply equal ",
        "deep equal ",
        "strictly equal ",
        "loosely deep-equal ",
        "be equal to ",
        "equal ",
        "eql ",
        "be ",
    ];
    EQUAL.iter().find_map(|words| claim.strip_prefix(words)).unwrap_or(claim)
}

/// Where `needle` stands outside of quotes and brackets.
pub fn find_top(text: &str, needle: &str) -> Option<usize> {
    let mut depth = 0_u32;
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if let Some(open) = quote {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                _ if c == open => quote = None,
                _ => {}
            }
            continue;
        }
        if depth == 0 && text[at..].starts_with(needle) {
            return Some(at);
        }
        match c {
            // An apostrophe inside a word is none of a string's.
            '\'' if at > 0 && text[..at].ends_with(|c: char| c.is_alphanumeric()) => {}
            '"' | '\'' | '`' => quote = Some(c),
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(message: &str, want: Option<(&str, &str)>) {
        let got = worded(message).map(|s| (s.observed.unwrap_or_default(), s.expected.unwrap_or_default()));
        assert_eq!(got, want.map(|(o, e)| (o.to_owned(), e.to_owned())), "{message}");
    }

    #[test]
    fn sides_in_words() {
        check("expected 1.18 to be 1.19 // Object.is equality", Some(("1.18", "1.19")));
        check("expected 'a to b' to equal 'c'", Some(("'a to b'", "'c'")));
        check("three pins: expected 1.18 to equal 1.19", Some(("1.18", "1.19")));
        check("expected 4 to be less than 4", Some(("4", "less than 4")));
        check("expected [ 1, 2 ] to have a length of 3 but got 2", Some(("2", "have a length of 3")));
        check("expected 1 not to be 1 // Object.is equality", Some(("1", "not 1")));
        check(
            "expected \"vi.fn()\" to be called 2 times, but got 0 times",
            Some(("0 times", "called 2 times")),
        );
        check(
            "expected 0.3 to be close to 0.5, received difference is 0.2, but expected 0.005",
            Some(("0.3", "close to 0.5")),
        );
        check("expected { a: 1 } to deeply equal { a: 2 }", Some(("{ a: 1 }", "{ a: 2 }")));
        check("expected 1 to not equal 1", Some(("1", "not 1")));
        check("expected { country: 'DE', …(2) } to deeply equal { country: 'DE', …(2) }", None);
        check("expected to fail", None);
        check("no tax rate for ZZ", None);
        check("", None);
    }
}

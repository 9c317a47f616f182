//! The two sides in the words of JUnit 3 to 5, Hamcrest, AssertJ, Truth, TestNG and Kotlin.

use crate::values::Sides;

/// The sides that an assertion's message names; the message may have several lines.
pub fn sides(message: &str) -> Sides {
    hamcrest(message)
        .or_else(|| multi_line(message))
        .or_else(|| but_was(message))
        .or_else(|| sentence(message))
        .unwrap_or_default()
}

/// `expected:<361> but was:<360>`, with blanks since JUnit 5; types may stand before the brackets.
fn but_was(message: &str) -> Option<Sides> {
    for (first, second) in [("expected", " but was"), ("expected", " was not")] {
        let Some(cut) = message.rfind(&format!("{second}:")).or_else(|| message.rfind(&format!("{second}<")))
        else {
            continue;
        };
        let Some(begins) = message[..cut]
            .find(&format!("{first}:"))
            .or_else(|| message[..cut].find(&format!("{first}<")))
            .or_else(|| message[..cut].find("expected same:"))
        else {
            continue;
        };
        let expected = message[begins..cut].trim_start_matches("expected same").trim_start_matches(first);
        return Some(Sides::both(value(expected), value(&message[cut + second.len()..])));
    }
    if let Some((_, observed)) = message.split_once("expected null, but was:") {
        return Some(Sides::both("null", value(observed)));
    }
    let (head, observed) = message.rsplit_once("] but found [")?;
    let expected = head.rsplit_once("expected [")?.1;
    Some(Sides::both(expected, observed.strip_suffix(']')?))
}

/// A value in its angle brackets, or as it stands.
fn value(text: &str) -> &str {
    let text = text.trim_start_matches(':').trim();
    text.strip_prefix('<').and_then(|inner| inner.strip_suffix('>')).unwrap_or(text)
}

/// Hamcrest's `Expected: is <5>` and `     but: was <3>`, each over several lines where the value is.
fn hamcrest(message: &str) -> Option<Sides> {
    let begins = message.find("Expected: ").filter(|&at| at == 0 || message.as_bytes()[at - 1] == b'\n')?;
    let rest = &message[begins + "Expected: ".len()..];
    let (expected, observed) = rest.split_once("\n     but: ").or_else(|| rest.split_once("\n     got: "))?;
    let observed = observed.trim_end();
    Some(Sides::both(expected.trim_end(), observed.strip_prefix("was ").unwrap_or(observed)))
}

/// AssertJ's and Truth's labelled lines.
fn multi_line(message: &str) -> Option<Sides> {
    let lines: Vec<&str> = message.lines().map(str::trim).collect();
    let after = |labels: &[&str]| {
        lines.iter().enumerate().find_map(|(at, line)| {
            let rest = labels.iter().find_map(|label| line.strip_prefix(label))?;
            // The value stands below its label where it has several lines.
            Some(if rest.trim().is_empty() { *lines.get(at + 1)? } else { rest.trim() })
        })
    };
    if lines.len() > 1
        && let (Some(expected), Some(observed)) =
            (after(&["expected:", "expected :"]), after(&["but was:", "but was :"]))
    {
        return Some(Sides::both(value(expected), value(observed)));
    }
    let observed = after(&["Expecting actual:", "Expecting:", "Expecting actual ", "Expecting "])?;
    let verb = lines.iter().position(|line| line.starts_with("to ") || line.starts_with("not to "))?;
    let phrase = lines[verb].trim_end_matches(':');
    let below = if lines[verb].ends_with(':') { lines.get(verb + 1).copied() } else { None };
    let expected = match (phrase, below) {
        ("to be equal to" | "to contain" | "to be", Some(below)) => value(below).to_owned(),
        (_, Some(below)) => format!("{phrase} {below}"),
        (_, None) => phrase.to_owned(),
    };
    Some(Sides::both(&expected, value(observed)))
}

/// `Expected exception: java.lang.X`, `Expected X to be thrown, but nothing was thrown.`, Kotlin's
/// `Expected <1>, actual <2>.`
fn sentence(message: &str) -> Option<Sides> {
    let first = message.lines().find(|line| !line.trim().is_empty())?.trim();
    let one = |expected: &str| Some(Sides { expected: Some(expected.to_owned()), observed: None });
    if let Some(expected) = first.strip_prefix("Expected exception: ") {
        return one(expected);
    }
    if let Some((_, expected)) = first.split_once("expected: not <") {
        return one(&format!("not <{expected}"));
    }
    let begins = first.find("Expected ")?;
    let rest = &first[begins + "Expected ".len()..];
    if let Some(expected) = rest.strip_suffix(" to be thrown, but nothing was thrown.") {
        return one(expected);
    }
    let (expected, observed) = rest.split_once(", actual ")?;
    Some(Sides::both(value(expected), value(observed.trim_end_matches('.'))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assertions_name_two_sides() {
        let one = |expected: &str| Sides { expected: Some(expected.to_owned()), observed: None };
        for (message, want) in [
            ("three pens expected:<361> but was:<360>", Sides::both("361", "360")),
            (
                "expected:<Invoice [17] for A> but was:<Invoice [71] for A>",
                Sides::both("Invoice [17] for A", "Invoice [71] for A"),
            ),
            ("expected:<a\nb> but was:<a\nc>", Sides::both("a\nb", "a\nc")),
            ("total ==> expected: <1> but was: <2>", Sides::both("1", "2")),
            (
                "expected: java.lang.Long<1> but was: java.lang.Integer<1>",
                Sides::both("java.lang.Long<1>", "java.lang.Integer<1>"),
            ),
            ("array contents differ at index [1], expected: <2> but was: <9>", Sides::both("2", "9")),
            ("Unexpected exception, expected<a.B> but was<a.C>", Sides::both("a.B", "a.C")),
            ("expected null, but was:<5>", Sides::both("null", "5")),
            ("expected same:<a> was not:<b>", Sides::both("a", "b")),
            ("expected [1] but found [2]", Sides::both("1", "2")),
            ("\nExpected: is <5>\n     but: was <3>", Sides::both("is <5>", "<3>")),
            ("\nexpected: 5\n but was: 3", Sides::both("5", "3")),
            ("[total] \nexpected: \n  \"a\"\n but was: \n  \"b\"", Sides::both("\"a\"", "\"b\"")),
            (
                "\nExpecting actual:\n  3\nto be greater than:\n  5\n",
                Sides::both("to be greater than 5", "3"),
            ),
            ("\nExpecting:\n <3>\nto be equal to:\n <5>\nbut was not.", Sides::both("5", "3")),
            ("Expected exception: java.lang.X", one("java.lang.X")),
            ("Expected java.lang.X to be thrown, but nothing was thrown.", one("java.lang.X")),
            ("total. Expected <1>, actual <2>.", Sides::both("1", "2")),
            ("expected: 1\nbut was : 2", Sides::both("1", "2")),
            ("total ==> expected: not <null>", one("not <null>")),
            ("expected: not equal but was: <1>", Sides::both("not equal", "1")),
            ("it is no good", Sides::default()),
            ("", Sides::default()),
        ] {
            assert_eq!(sides(message), want, "{message}");
        }
    }
}

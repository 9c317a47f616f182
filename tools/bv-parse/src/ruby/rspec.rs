//! What RSpec prints of one exception, whether in its text, its JSON or a JUnit report:
//!
//! ```text
//! Failure/Error: raise OutOfStock, "only #{left} left"
//!
//! Cart::OutOfStock:
//!   only 3 left
//! # ./lib/cart.rb:15:in `add'
//! ```
//!
//! An exception of RSpec's own is printed without its class. Source:
//! `rspec-core/lib/rspec/core/formatters/exception_presenter.rb`, and the matchers of rspec-expectations.

use super::backtrace::frame;
use crate::values::{Sides, diff_sides, split_outside};
use bv_schemas::Place;

/// One exception, as printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exception {
    /// Its class; absent for an expectation that did not hold.
    pub class: Option<String>,
    /// The first line of its message that is not blank.
    pub message: Option<String>,
    /// The two sides that the message names.
    pub sides: Sides,
    /// All frames, innermost first; those of a cause are left out, those of an error that the message quotes
    /// come first.
    pub frames: Vec<Place>,
}

/// Reads the lines of one exception, without the block's own indentation.
pub fn exception(lines: &[&str]) -> Exception {
    let body = without_source(lines);
    let is_frame = |line: &&str| frame_line(line).is_some();
    let message_ends = body.iter().position(is_frame).unwrap_or(body.len());
    let mut message: Vec<&str> = body[..message_ends]
        .iter()
        .copied()
        .filter(|line| !line.starts_with("Shared Example Group: "))
        .skip_while(|line| line.trim().is_empty())
        .collect();
    let class = message.first().and_then(|line| class_line(line)).map(str::to_owned);
    if class.is_some() {
        message.remove(0);
    }
    let message: Vec<&str> =
        message.into_iter().map(|line| line.strip_prefix("  ").unwrap_or(line)).collect();
    let mut said = said(class, &message);
    said.frames.extend(body[message_ends..].iter().map_while(|line| frame_line(line)));
    said
}

impl Exception {
    /// From the parts of a report that names the class and the message apart.
    pub fn of(class: Option<&str>, message: &str) -> Exception {
        said(class.map(str::to_owned), &message.lines().collect::<Vec<_>>())
    }

    /// Whether a class is one that RSpec raises itself: then a check did not hold.
    pub fn is_own(class: &str) -> bool {
        class.contains("RSpec")
    }
}

fn said(class: Option<String>, message: &[&str]) -> Exception {
    let first = message.iter().map(|line| line.trim()).find(|line| !line.is_empty());
    Exception {
        message: first.map(str::to_owned),
        sides: if class.as_deref().is_none_or(Exception::is_own) { sides(message) } else { Sides::default() },
        class,
        frames: quoted_frames(message),
    }
}

/// The frames of an error that `raise_error` did not expect: they lie deeper than those of the matcher.
fn quoted_frames(message: &[&str]) -> Vec<Place> {
    let below = message.iter().skip_while(|line| !line.ends_with(" with backtrace:")).skip(1);
    below.map_while(|line| frame_line(line.trim_start())).collect()
}

/// The lines below the source that failed. Source of several lines ends with a blank one.
fn without_source<'a, 'b>(lines: &'b [&'a str]) -> &'b [&'a str] {
    let Some((first, rest)) = lines.split_first() else { return lines };
    match first.strip_prefix("Failure/Error:") {
        None => lines,
        Some(source) if source.trim().is_empty() => {
            let source_ends = rest.iter().position(|line| !line.starts_with(' ')).unwrap_or(rest.len());
            &rest[source_ends..]
        }
        Some(_) => rest,
    }
}

/// `# ./lib/cart.rb:15:in `add'`; in a JUnit report without the sign.
fn frame_line(line: &str) -> Option<Place> {
    if line.starts_with([' ', '(']) || line.starts_with("Shared Example Group: ") {
        return None;
    }
    let (signed, rest) = line.strip_prefix("# ").map_or((false, line), |rest| (true, rest));
    // Without the sign, a line of prose may end in a number.
    let sure = signed || rest.ends_with('\'') || rest.contains(".rb:");
    if rest.starts_with(' ') || !sure { None } else { frame(rest) }
}

/// `Cart::OutOfStock:` alone in its line.
fn class_line(line: &str) -> Option<&str> {
    let class = line.strip_suffix(':')?;
    let named = class == "(anonymous error class)"
        || class.starts_with(|c: char| c.is_uppercase())
            && class.chars().all(|c| c.is_alphanumeric() || c == '_' || c == ':');
    named.then_some(class)
}

/// The two sides that a matcher's message names.
fn sides(message: &[&str]) -> Sides {
    let diff_begins = message.iter().position(|line| line.trim() == "Diff:").unwrap_or(message.len());
    let (words, diff) = message.split_at(diff_begins);
    let words: Vec<&str> = words.iter().map(|line| line.trim()).collect();
    labelled(&words)
        .or_else(|| words.iter().copied().find_map(sentence).unwrap_or_default())
        .or_else(|| diff_sides(diff.iter().copied()))
}

/// Sides in lines of their own.
fn labelled(words: &[&str]) -> Sides {
    const LABELS: &[(&str, &str)] = &[
        ("expected: ", "got: "),
        ("expected: ", "received: "),
        ("expected collection contained: ", "actual collection contained: "),
        ("expected ", "got "),
    ];
    let after = |label: &str| words.iter().find_map(|line| line.strip_prefix(label)).map(str::trim);
    let pair = |(expected, observed): &(&str, &str)| Some(Sides::both(after(expected)?, after(observed)?));
    LABELS.iter().find_map(pair).unwrap_or_default()
}

/// Sides in one sentence.
fn sentence(line: &str) -> Option<Sides> {
    let rest = line.strip_prefix("expected ")?;
    if let Some((expected, observed)) = rest.split_once(", got #<") {
        let observed = observed.strip_suffix(" with backtrace:").unwrap_or(observed);
        return Some(Sides::both(expected, &format!("#<{observed}")));
    }
    if let Some(expected) = rest.strip_suffix(" but nothing was raised") {
        return Some(Sides { expected: Some(expected.to_owned()), observed: None });
    }
    let (subject, rest) = split_outside(rest, " to ").or_else(|| split_outside(rest, " not to "))?;
    if let Some(sides) = changed(rest) {
        return Some(sides);
    }
    if let Some((expected, observed)) =
        rest.strip_prefix("have attributes ").and_then(|rest| split_outside(rest, " but had attributes "))
    {
        return Some(Sides::both(expected, observed));
    }
    // `expected `[1].empty?` to be truthy, got false`
    if let Some((phrase, observed)) = split_outside(rest, ", got ") {
        return Some(Sides::both(object(phrase), observed));
    }
    Some(match subject.strip_suffix(" not") {
        Some(subject) => Sides::both(&format!("not to {rest}"), subject),
        None => Sides::both(object(rest), subject),
    })
}

/// `expected `x` to have changed by 2, but was changed by 1`.
fn changed(rest: &str) -> Option<Sides> {
    const VERBS: &[&str] = &["have changed by ", "have changed to ", "have initially been "];
    const BUTS: &[&str] = &[", but was changed by ", ", but is now ", ", but was ", ", but did not change"];
    let rest = VERBS.iter().find_map(|verb| rest.strip_prefix(verb))?;
    let (expected, observed) = BUTS.iter().find_map(|but| split_outside(rest, but))?;
    let observed = (!observed.is_empty()).then(|| observed.to_owned());
    Some(Sides { expected: Some(expected.to_owned()), observed })
}

/// The value behind a verb that takes one; other phrases are the expectation themselves.
fn object(phrase: &str) -> &str {
    const VERBS: &[&str] = &[
        "include ",
        "match ",
        "contain exactly ",
        "start with ",
        "end with ",
        "eq ",
        "eql ",
        "equal ",
        "be a kind of ",
        "be an instance of ",
        "respond to ",
        "be ",
    ];
    let object = VERBS.iter().find_map(|verb| phrase.strip_prefix(verb)).unwrap_or(phrase);
    // What follows the value in some versions.
    object.split_once(", but ").map_or(object, |(object, _)| object)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Exception {
        exception(&text.lines().collect::<Vec<_>>())
    }

    #[test]
    fn an_exception_has_a_class_and_an_expectation_has_none() {
        let raised = "Failure/Error: raise \"x\"\n\nCart::OutOfStock:\n  only 3\n  left\n# ./lib/cart.rb:15:in `add'\n\
                      # ./spec/a_spec.rb:2\n# ------------------\n# --- Caused by: ---\n# KeyError:\n#   ./b.rb:1:in `c'";
        let got = read(raised);
        assert_eq!(got.class.as_deref(), Some("Cart::OutOfStock"));
        assert_eq!(got.message.as_deref(), Some("only 3"));
        assert_eq!(got.frames.len(), 2);
        let source =
            "Failure/Error:\n  expect(\n    1\n  ).to eq 2\n\n  expected: 2\n       got: 1\n# a.rb:1";
        let got = read(source);
        assert_eq!((got.class, got.sides), (None, Sides::both("2", "1")));
        let unsigned = "Failure/Error: x\n  it is no good\n./a.rb:3:in `b'\n./c.rb:4:in `d'";
        let got = read(unsigned);
        assert_eq!((got.message.as_deref(), got.frames.len()), (Some("it is no good"), 2));
    }

    #[test]
    fn matchers_name_two_sides() {
        let none = Sides::default;
        for (message, want) in [
            ("\nexpected: 19\n     got: 0\n\n(compared using ==)\n", Sides::both("19", "0")),
            ("expected: > 5\n     got:   3", Sides::both("> 5", "3")),
            ("expected false\n     got true", Sides::both("false", "true")),
            ("expected [1, 2] to include 3", Sides::both("3", "[1, 2]")),
            ("expected [1] not to include 1", Sides::both("not to include 1", "[1]")),
            ("expected 5 to be between 7 and 8 (inclusive)", Sides::both("between 7 and 8 (inclusive)", "5")),
            ("expected `[1].empty?` to be truthy, got false", Sides::both("truthy", "false")),
            ("expected `x` to have changed by 2, but was changed by 1", Sides::both("2", "1")),
            (
                "expected #<A @n=1> to have attributes {:n => 2} but had attributes {:n => 1}",
                Sides::both("{:n => 2}", "{:n => 1}"),
            ),
            (
                "expected A, got #<KeyError: key not found: \"cup\"> with backtrace:\n  # x",
                Sides::both("A", "#<KeyError: key not found: \"cup\">"),
            ),
            ("expected A but nothing was raised", Sides { expected: Some("A".into()), observed: None }),
            (
                "expected collection contained:  [1, 2]\nactual collection contained:    [1]",
                Sides::both("[1, 2]", "[1]"),
            ),
            (
                "(Double \"till\").charge(*(any args))\n    expected: 1 time\n    received: 0 times",
                Sides::both("1 time", "0 times"),
            ),
            ("the cart did not grow", none()),
            ("", none()),
        ] {
            assert_eq!(sides(&message.lines().collect::<Vec<_>>()), want, "{message}");
        }
    }
}

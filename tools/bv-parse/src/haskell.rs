//! What Haskell's test libraries print below a failed test, whoever runs it: HUnit's two sides, QuickCheck's
//! values, an exception's call stack.

use crate::values::Sides;
use bv_schemas::{Failure, Kind, Place};
use serde_json::{Map, Value};

/// Arguments of one property that are kept.
const ARGUMENTS_MAX: usize = 50;

/// Reads the lines, which have lost the indentation that they have in common, into the failure.
pub fn read(lines: &[&str], failure: &mut Failure) {
    let first = lines.iter().copied().find(|line| !line.is_empty()).unwrap_or_default();
    if let Some(thrown) = first.strip_prefix("uncaught exception: ") {
        uncaught(thrown, lines, failure);
    } else if let Some(message) = first.strip_prefix("Exception: ") {
        failure.kind = Kind::Exception;
        failure.message = Some(message.to_owned());
    } else if first.starts_with("Timed out after ") {
        failure.kind = Kind::Timeout;
        failure.message = Some(first.to_owned());
    } else if let Some(at) = lines.iter().position(|line| falsified(line)) {
        failure.kind = Kind::Property;
        failure.message = Some(lines[at].trim_start_matches("*** Failed! ").trim_end_matches(':').to_owned());
        failure.counterexample = arguments(&lines[at + 1..]);
        sides(lines).fill(failure);
    } else {
        let both = sides(lines);
        failure.message = Some(message(first, lines)).filter(|message| !message.is_empty());
        if let Some(value) = first.strip_prefix("predicate failed on: ") {
            failure.observed = Some(value.to_owned());
        } else {
            both.fill(failure);
        }
    }
    failure.fault = failure.fault.take().or_else(|| called_at(lines));
}

/// `NoStock` and the words below it, or `ErrorCall (Prelude.head: empty list)` in older versions.
fn uncaught(thrown: &str, lines: &[&str], failure: &mut Failure) {
    failure.kind = Kind::Exception;
    let (name, inside) = match thrown.split_once(" (") {
        Some((name, rest)) => (name, rest.strip_suffix(')')),
        None => (thrown, None),
    };
    let below = || lines.iter().skip_while(|line| !line.starts_with("uncaught exception: ")).nth(1).copied();
    failure.exception_type = Some(name.trim_end_matches(" of type").to_owned());
    failure.message = inside.or_else(below).map(str::to_owned).filter(|message| !message.is_empty());
}

/// A first line of its own, or both sides in one.
fn message(first: &str, lines: &[&str]) -> String {
    let got = |line: &&&str| line.trim_start().starts_with("but got: ");
    match lines.iter().find(got).filter(|_| first.starts_with("expected: ")) {
        Some(got) => format!("{first} {}", got.trim_start()),
        None => first.to_owned(),
    }
}

fn falsified(line: &str) -> bool {
    let line = line.strip_prefix("*** Failed! ").unwrap_or(line);
    ["Falsified (after ", "Falsifiable (after ", "Falsifiable, after "]
        .iter()
        .any(|word| line.starts_with(word))
        || line.starts_with("Exception: '") && line.contains(" (after ")
}

/// The values below QuickCheck's words, one a line.
fn arguments(lines: &[&str]) -> Option<Map<String, Value>> {
    let ends = |line: &str| {
        let text = line.trim_start();
        text.is_empty()
            || [
                "expected: ",
                "but got: ",
                "uncaught exception: ",
                "predicate failed on: ",
                "Use --",
                "Exception",
                "*** ",
            ]
            .iter()
            .any(|word| text.starts_with(word))
    };
    let values = lines.iter().map(|line| line.trim()).take_while(|line| !ends(line)).take(ARGUMENTS_MAX);
    let values: Map<String, Value> = values
        .enumerate()
        .map(|(at, text)| {
            let value = serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()));
            (format!("arg{at}"), value)
        })
        .collect();
    (!values.is_empty()).then_some(values)
}

/// `expected: 8` and ` but got: 9`, whose values may go over lines.
fn sides(lines: &[&str]) -> Sides {
    let side = |label: &str| {
        let (at, first) = lines
            .iter()
            .enumerate()
            .find_map(|(at, line)| Some((at, line.trim_start().strip_prefix(label)?)))?;
        let column = lines[at].len() - first.len();
        let more = lines[at + 1..].iter().map_while(|line| {
            (line.len() - line.trim_start().len() >= column).then(|| line.get(column..)).flatten()
        });
        Some(std::iter::once(first).chain(more).collect::<Vec<_>>().join("\n"))
    };
    Sides { expected: side("expected: "), observed: side("but got: ") }
}

/// The innermost entry of a call stack that names a file: `error, called at src/Cart.hs:10:5 in main:Cart`.
fn called_at(lines: &[&str]) -> Option<Place> {
    let (_, rest) = lines.iter().find_map(|line| line.split_once(", called at "))?;
    let place = rest.split_once(" in ").map_or(rest, |(place, _)| place);
    let (file, line) = crate::finding::position(place)?;
    // A library's own sources are not at hand.
    (!file.starts_with("libraries/")).then(|| Place {
        file: Some(file.to_owned()),
        line: Some(line),
        function: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, want: Failure) {
        let lines: Vec<&str> = text.lines().collect();
        let mut failure = Failure::default();
        read(&lines, &mut failure);
        assert_eq!(failure, want, "{text}");
    }

    fn said(kind: Kind, message: &str) -> Failure {
        Failure { kind, message: Some(message.into()), ..Failure::default() }
    }

    #[test]
    fn details() {
        check(
            "expected: [1,\n           2]\n but got: [1]",
            Failure {
                expected: Some("[1,\n 2]".into()),
                observed: Some("[1]".into()),
                ..said(Kind::Assertion, "expected: [1, but got: [1]")
            },
        );
        check(
            "uncaught exception: ErrorCall\nboom\nCallStack (from HasCallStack):\n  error, called at src/Cart.hs:10:5 in main:Cart",
            Failure {
                exception_type: Some("ErrorCall".into()),
                fault: Some(Place { file: Some("src/Cart.hs".into()), line: Some(10), function: None }),
                ..said(Kind::Exception, "boom")
            },
        );
        check(
            "uncaught exception: ErrorCall (boom)",
            Failure { exception_type: Some("ErrorCall".into()), ..said(Kind::Exception, "boom") },
        );
        check(
            "*** Failed! Falsified (after 29 tests and 2 shrinks):\n0\n\"a b\"\nUse --quickcheck-replay=4 to reproduce.",
            Failure {
                counterexample: Some(Map::from_iter([
                    ("arg0".to_owned(), Value::from(0)),
                    ("arg1".to_owned(), Value::from("a b")),
                ])),
                ..said(Kind::Property, "Falsified (after 29 tests and 2 shrinks)")
            },
        );
        check("by hand\nover lines", said(Kind::Assertion, "by hand"));
        check("Timed out after 0.1s", said(Kind::Timeout, "Timed out after 0.1s"));
    }
}

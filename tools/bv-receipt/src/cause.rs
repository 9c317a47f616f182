//! Failures grouped by cause, so that forty tests that one fault breaks are one thing to read.
//!
//! In come the failures in the order of the stream, out go their causes, the one to show first. The
//! same cause have: vectors that break the same rule of a gate; findings of the same code and wording;
//! errors of the same type at the same place below the test; errors of the same type and wording raised
//! at the tests themselves; failed checks at the same place; what one function, inferred without doubt, is behind. Wordings are compared with numbers, addresses
//! and quoted values taken out. Nothing is guessed about failures that share none of this.

use bv_schemas::{Failure, Kind};
use std::cmp::Reverse;
use std::collections::HashMap;

/// Failures with one cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cause {
    /// Index of the failure printed first.
    pub first: usize,
    /// How many failures have it.
    pub failures: u64,
}

/// The causes of `failures`, first the one to show: a compile or collection error, else the one with most
/// failures, else the one that tells most, else the one printed first.
pub fn causes(failures: &[Failure]) -> Vec<Cause> {
    let mut known: HashMap<Key, usize> = HashMap::new();
    let mut causes: Vec<Cause> = Vec::new();
    for (index, failure) in failures.iter().enumerate() {
        let nth = *known.entry(key(index, failure)).or_insert_with(|| {
            causes.push(Cause { first: index, failures: 0 });
            causes.len() - 1
        });
        causes[nth].failures += 1;
    }
    sort(&mut causes, failures);
    causes
}

/// The causes of `failures` where it is known of some that one function is behind them: `function` gives it by
/// the index of a failure.
pub fn causes_by(failures: &[Failure], function: impl Fn(usize) -> Option<u32>) -> Vec<Cause> {
    let mut of_function: HashMap<u32, usize> = HashMap::new();
    let mut merged: Vec<Cause> = Vec::new();
    for cause in causes(failures) {
        match function(cause.first).map(|function| *of_function.entry(function).or_insert(merged.len())) {
            Some(known) if known < merged.len() => merged[known].failures += cause.failures,
            _ => merged.push(cause),
        }
    }
    sort(&mut merged, failures);
    merged
}

fn sort(causes: &mut [Cause], failures: &[Failure]) {
    causes.sort_by_key(|cause| {
        let shown = &failures[cause.first];
        (!is_load_error(shown.kind), Reverse(cause.failures), Reverse(facts(shown)), cause.first)
    });
}

/// How much a failure tells: name, place, both sides, type, inputs.
fn facts(failure: &Failure) -> usize {
    let place = failure.fault.as_ref().or(failure.test.as_ref());
    let told = [
        failure.id.is_some(),
        place.is_some_and(|place| place.file.is_some()),
        place.is_some_and(|place| place.line.is_some()),
        place.is_some_and(|place| place.function.is_some()),
        failure.expected.is_some(),
        failure.observed.is_some(),
        failure.exception_type.is_some() || failure.message.is_some() && failure.expected.is_none(),
    ];
    let inputs = failure.counterexample.as_ref().map_or(0, |inputs| inputs.len());
    told.iter().filter(|&&told| told).count() + inputs
}

/// Whether a failure of this kind keeps tests from running at all.
pub fn is_load_error(kind: Kind) -> bool {
    matches!(kind, Kind::CompileError | Kind::CollectionError)
}

/// What failures of one cause have in common.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    is_load_error: bool,
    name: Option<String>,
    mark: Mark,
}

#[derive(PartialEq, Eq, Hash)]
enum Mark {
    Rule,
    Place(String, u64),
    Wording(String),
    /// Nothing is known that another failure could share: a cause of its own, by its index.
    Alone(usize),
}

fn key(index: usize, failure: &Failure) -> Key {
    let alone = Mark::Alone(index);
    let (name, mark) = match failure.kind {
        _ if failure.vector_index.is_some() && failure.rule.is_some() => (&failure.rule, Mark::Rule),
        Kind::Lint => (&failure.rule, wording(failure).or_else(|| place(failure)).unwrap_or(alone)),
        Kind::Assertion | Kind::Snapshot | Kind::Property => {
            (&failure.exception_type, place(failure).or_else(|| wording(failure)).unwrap_or(alone))
        }
        _ => {
            let below_the_test = failure.fault.as_ref().and(place(failure));
            let mark = below_the_test.or_else(|| wording(failure)).or_else(|| place(failure));
            (&failure.exception_type, mark.unwrap_or(alone))
        }
    };
    Key { is_load_error: is_load_error(failure.kind), name: name.clone(), mark }
}

fn place(failure: &Failure) -> Option<Mark> {
    let place = failure.fault.as_ref().or(failure.test.as_ref())?;
    Some(Mark::Place(place.file.clone()?, place.line?))
}

fn wording(failure: &Failure) -> Option<Mark> {
    failure.message.as_deref().map(|message| Mark::Wording(without_values(message)))
}

/// `message` with each number, address and quoted value as one `#`.
fn without_values(message: &str) -> String {
    let mut wording = String::with_capacity(message.len());
    let mut rest = message;
    let mut in_word = false;
    while let Some(c) = rest.chars().next() {
        let value = if in_word { 0 } else { quoted_bytes(rest).or_else(|| number_bytes(rest)).unwrap_or(0) };
        if value > 0 {
            wording.push('#');
            rest = &rest[value..];
            in_word = false;
        } else {
            wording.push(c);
            rest = &rest[c.len_utf8()..];
            // A digit or an apostrophe inside a word (`utf8`, `can't`) is part of it.
            in_word = c.is_alphanumeric() || c == '_';
        }
    }
    wording
}

fn quoted_bytes(text: &str) -> Option<usize> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let inside = text.get(1..)?;
    Some(inside.find(quote)? + 2)
}

fn number_bytes(text: &str) -> Option<usize> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.starts_with(|c: char| c.is_ascii_digit()).then_some(())?;
    let end =
        digits.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_'))).unwrap_or(digits.len());
    Some(text.len() - digits.len() + end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bv_schemas::Place;

    fn at(line: u64) -> Option<Place> {
        Some(Place { file: Some("a.py".into()), line: Some(line), function: None })
    }

    fn failure(kind: Kind, name: &str, message: &str) -> Failure {
        Failure {
            kind,
            exception_type: (!name.is_empty()).then(|| name.into()),
            message: (!message.is_empty()).then(|| message.into()),
            ..Failure::default()
        }
    }

    fn check(failures: &[Failure], expected: &[(usize, u64)]) {
        let got: Vec<_> = causes(failures).iter().map(|cause| (cause.first, cause.failures)).collect();
        assert_eq!(got, expected);
    }

    #[test]
    fn values_are_taken_out_of_wordings() {
        for (message, expected) in [
            ("got 17 of 20", "got # of #"),
            ("at 0x7ffee3 -1.5e3 ms", "at # # ms"),
            ("no such key: 'a b'", "no such key: #"),
            ("can't open \"x\" and `y`", "can't open # and #"),
            ("utf8 don't", "utf8 don't"),
            ("open 'quote", "open 'quote"),
            ("é 3", "é #"),
        ] {
            assert_eq!(without_values(message), expected, "{message:?}");
        }
    }

    #[test]
    fn one_fault_below_many_tests_is_one_cause() {
        let below = |line, test| Failure {
            fault: at(line),
            test: at(test),
            ..failure(Kind::Exception, "KeyError", "")
        };
        check(&[below(1, 10), below(2, 11), below(2, 12)], &[(1, 2), (0, 1)]);
    }

    #[test]
    fn errors_raised_at_the_tests_go_by_their_wording() {
        let error =
            |line, message| Failure { test: at(line), ..failure(Kind::Exception, "TypeError", message) };
        check(&[error(1, "got 1"), error(2, "want x"), error(3, "got 2")], &[(0, 2), (1, 1)]);
    }

    #[test]
    fn failed_checks_go_by_their_place() {
        let check_at =
            |line| Failure { test: at(line), ..failure(Kind::Assertion, "AssertionError", "assert 1 == 2") };
        check(&[check_at(1), check_at(2), check_at(1)], &[(0, 2), (1, 1)]);
        check(
            &[failure(Kind::Assertion, "", "1 is not 2"), failure(Kind::Assertion, "", "3 is not 4")],
            &[(0, 2)],
        );
    }

    #[test]
    fn what_keeps_tests_from_running_is_shown_first() {
        let many = failure(Kind::Assertion, "", "x");
        check(&[many.clone(), many, failure(Kind::CollectionError, "", "y")], &[(2, 1), (0, 2)]);
    }

    #[test]
    fn vectors_go_by_their_rule_and_findings_by_their_code() {
        let vector = |index, message| Failure {
            rule: Some("r1".into()),
            vector_index: Some(index),
            ..failure(Kind::Assertion, "", message)
        };
        check(&[vector(0, "a"), vector(7, "b")], &[(0, 2)]);
        let lint = |rule: &str, line| Failure {
            rule: Some(rule.into()),
            test: at(line),
            ..failure(Kind::Lint, "", "`os` is unused")
        };
        check(&[lint("F1", 1), lint("F2", 1), lint("F1", 3)], &[(0, 2), (1, 1)]);
    }
}

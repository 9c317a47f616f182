//! A failed documentation test, from what rustdoc printed of it.

use crate::machine::Line;
use crate::rust_output::{About, failure};
use crate::rustc::{Level, Reader, is_summary};
use bv_schemas::{Check, Failure, Kind, Place};

/// The record of the doctest `id`; `name` is what its id says of its place.
pub fn doctest(id: &str, name: (&str, &str, u64), lines: &[String]) -> Failure {
    let (file, item, line) = name;
    let function = (!item.is_empty()).then(|| item.rsplit("::").next().unwrap_or(item).to_owned());
    let test = Place { file: Some(file.to_owned()), line: Some(line), function };
    let with = |mut failure: Failure| {
        failure.id = Some(id.to_owned());
        failure
    };
    if lines.iter().any(|line| line == "Couldn't compile the test.")
        && let Some(refused) = refused(lines, &test)
    {
        return with(refused);
    }
    let verdict = lines.iter().find(|line| is_verdict(line));
    let ran = failure(&About { id: "main", root: Some(file), unit: true }, lines);
    if ran.message.is_some() {
        return with(ran_wrong(ran, test));
    }
    let said = verdict.map(|line| line.trim_end_matches(':').to_owned());
    let died = said.as_deref().is_some_and(|said| said.starts_with("Test executable failed ("));
    let signal =
        said.as_deref().and_then(|said| said.split(['(', ')', ' ']).find(|word| word.starts_with("SIG")));
    with(Failure {
        kind: if died { Kind::Crash } else { Kind::Assertion },
        exception_type: signal.map(str::to_owned),
        message: said,
        test: Some(test),
        ..Failure::default()
    })
}

/// What rustdoc says of a test that did not go as its fence says.
fn is_verdict(line: &str) -> bool {
    line.starts_with("Test executable ")
        || line.starts_with("Test compiled successfully, but ")
        || line.starts_with("Test didn't panic, but ")
        || line.starts_with("Some expected error codes were not found: ")
}

/// It did not compile: the first error is the failure, the others go beside it.
fn refused(lines: &[String], test: &Place) -> Option<Failure> {
    let mut reader = Reader::default();
    let mut found = Vec::new();
    for text in lines {
        found.extend(reader.line(&Line { text, span: [0, 0], overwritten: false }));
    }
    found.extend(reader.end());
    let mut errors = found.into_iter().filter(|d| d.level == Level::Error && !is_summary(&d.message));
    let mut failure = errors.next()?.into_failure();
    failure.span = None;
    match &mut failure.test {
        Some(place) => place.function.clone_from(&test.function),
        None => failure.test = Some(test.clone()),
    }
    failure.also.extend(errors.take(ALSO_MAX).map(|error| Check {
        line: error.place.and_then(|place| place.line),
        message: Some(error.message),
        expected: error.expected,
        observed: error.observed,
    }));
    Some(failure)
}

/// Further errors of one doctest that are kept.
const ALSO_MAX: usize = 16;

/// It ran and panicked, or returned an error. A panic's line is the fence's or within the test where a
/// check failed; any other place is the product's.
fn ran_wrong(mut ran: Failure, test: Place) -> Failure {
    let shown = ran.test.take().filter(|place| place.line.is_some()).or_else(|| ran.fault.take());
    let Some(place) = shown else {
        ran.test = Some(test);
        return ran;
    };
    let fence = test.line.unwrap_or(0);
    let at_fence = place.line.is_some_and(|line| line == fence || line == fence + 1);
    if place.file == test.file && (at_fence || ran.kind == Kind::Assertion) {
        ran.test = Some(Place { function: test.function, ..place });
        ran.fault = None;
    } else {
        ran.test = Some(test);
        ran.fault = Some(Place { function: None, ..place });
    }
    ran
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verdict_of_rustdoc() {
        type Want<'a> =
            (Kind, Option<&'a str>, Option<&'a str>, Option<(&'a str, u64)>, Option<(&'a str, u64)>);
        let check = |text: &str, expected: Want<'_>| {
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            let found = doctest("s.rs - m::f (line 4)", ("s.rs", "m::f", 4), &lines);
            let place = |place: &Option<Place>| place.clone().and_then(|p| Some((p.file?, p.line?)));
            let (test, fault) = (place(&found.test), place(&found.fault));
            let at = |place: &Option<(String, u64)>| place.as_ref().map(|(file, line)| (file.clone(), *line));
            let want = |place: Option<(&str, u64)>| place.map(|(file, line)| (file.to_owned(), line));
            assert_eq!(
                (
                    found.kind,
                    found.message.as_deref(),
                    found.exception_type.as_deref(),
                    at(&test),
                    at(&fault)
                ),
                (expected.0, expected.1, expected.2, want(expected.3), want(expected.4)),
                "{text}"
            );
            assert_eq!(found.test.and_then(|p| p.function), Some("f".into()), "{text}");
        };
        check(
            "error[E0425]: no `x`\n --> s.rs:6:7\n  |\n\nerror: aborting due to 1 previous error\n\nCouldn't compile the test.",
            (Kind::CompileError, Some("no `x`"), Some("E0425"), Some(("s.rs", 6)), None),
        );
        check(
            "Test executable failed (exit status: 101).\n\nstderr:\n\nthread 'main' (1) panicked at s.rs:5:1:\nassertion `left == right` failed\n  left: 1\n right: 2\n",
            (Kind::Assertion, Some("assertion `left == right` failed"), None, Some(("s.rs", 5)), None),
        );
        check(
            "Test executable failed (exit status: 101).\n\nstderr:\n\nthread 'main' (1) panicked at s.rs:27:1:\nattempt to divide by zero\n",
            (Kind::Exception, Some("attempt to divide by zero"), None, Some(("s.rs", 4)), Some(("s.rs", 27))),
        );
        check(
            "Test executable failed (exit status: 1).\n\nstderr:\nError: Broken(3)\n\n",
            (Kind::Exception, Some("Broken(3)"), None, Some(("s.rs", 4)), None),
        );
        check(
            "Test executable failed (exit status: 3).\n",
            (Kind::Crash, Some("Test executable failed (exit status: 3)."), None, Some(("s.rs", 4)), None),
        );
        check(
            "Test executable failed (signal: 11 (SIGSEGV) (core dumped)).\n",
            (
                Kind::Crash,
                Some("Test executable failed (signal: 11 (SIGSEGV) (core dumped))."),
                Some("SIGSEGV"),
                Some(("s.rs", 4)),
                None,
            ),
        );
        check(
            "Test compiled successfully, but it's marked `compile_fail`.",
            (
                Kind::Assertion,
                Some("Test compiled successfully, but it's marked `compile_fail`."),
                None,
                Some(("s.rs", 4)),
                None,
            ),
        );
        check(
            "Some expected error codes were not found: [\"E0425\"]",
            (
                Kind::Assertion,
                Some("Some expected error codes were not found: [\"E0425\"]"),
                None,
                Some(("s.rs", 4)),
                None,
            ),
        );
        check("", (Kind::Assertion, None, None, Some(("s.rs", 4)), None));
    }
}

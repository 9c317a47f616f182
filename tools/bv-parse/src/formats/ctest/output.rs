//! A test's output, read for why it failed: by the runners that CTest usually runs, else by the words of a
//! program that checks for itself.

use crate::formats::{catch2, gtest};
use crate::machine::{Event, Line, Machine, Out};
use crate::words;
use bv_schemas::{Check, Failure, Kind, Place};

/// Lines kept of one test's output; those that follow are not read.
const LINES_MAX: usize = 5000;
/// Bytes kept of it.
const BYTES_MAX: usize = 256 << 10;
/// Further checks in one record.
const ALSO_MAX: usize = 50;

/// One test's output.
#[derive(Debug, Default)]
pub struct Output {
    text: String,
    lines: usize,
}

impl Output {
    /// Takes a line.
    pub fn line(&mut self, line: &str) {
        if self.lines < LINES_MAX && self.text.len() + line.len() < BYTES_MAX {
            self.lines += 1;
            self.text.push_str(line);
            self.text.push('\n');
        }
    }

    /// Writes why the test failed into its failure.
    pub fn tell(&self, failure: &mut Failure) {
        tell(&self.text, failure);
    }
}

/// Writes into the failure of a test what its output says of the reason.
pub fn tell(output: &str, failure: &mut Failure) {
    let mut inner = [gtest::FORMAT, catch2::FORMAT].iter().find_map(|format| {
        let found = failures((format.new)(), output);
        (!found.is_empty()).then_some(found)
    });
    if let Some(found) = &mut inner {
        let first = found.remove(0);
        let also = found.drain(..).map(|other| Check {
            line: other.test.and_then(|place| place.line),
            message: other.message,
            expected: other.expected,
            observed: other.observed,
        });
        failure.also = first.also.into_iter().chain(also).take(ALSO_MAX).collect();
        if failure.kind == Kind::Assertion {
            failure.kind = first.kind;
        }
        failure.message = first.message.or(failure.message.take());
        (failure.expected, failure.observed) = (first.expected, first.observed);
        (failure.exception_type, failure.counterexample) = (first.exception_type, first.counterexample);
        (failure.test, failure.fault) = (first.test, first.fault);
        return;
    }
    if failure.kind == Kind::Timeout {
        return;
    }
    if let Some((place, message)) = output.lines().find_map(placed) {
        if failure.kind == Kind::Crash {
            failure.fault = Some(place);
        } else {
            failure.test = Some(place);
        }
        if let Some(sides) = words::said(message) {
            (failure.expected, failure.observed) = (Some(sides.expected), Some(sides.observed));
        }
        failure.message = Some(message.to_owned());
    }
}

/// What another format finds in the output.
fn failures(mut machine: Box<dyn Machine>, output: &str) -> Vec<Failure> {
    let mut out = Out::default();
    for text in output.lines() {
        machine.line(&Line { text, span: [0, 0], overwritten: false }, &mut out);
    }
    machine.end(&mut out);
    let failure = |event| match event {
        Event::Failure(failure) => Some(*failure),
        _ => None,
    };
    out.events.into_iter().filter_map(failure).collect()
}

/// `test_step.c:10: step: expected 2.5, got 2`; `prog: a.c:10: f: Assertion `x' failed.`
fn placed(line: &str) -> Option<(Place, &str)> {
    const SOURCES: &[&str] =
        &[".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".f90", ".cu", ".m", ".mm", ".rs", ".py"];
    let line = line.trim();
    let (file, rest) = SOURCES.iter().find_map(|end| {
        let (before, rest) = line.split_once(&[*end, ":"].concat())?;
        let start = before.rfind(' ').map_or(0, |at| at + 1);
        // A program's name stands before it at most.
        (start == 0 || before[..start].trim_end().ends_with(':'))
            .then(|| ([&before[start..], *end].concat(), rest))
    })?;
    let (number, message) = rest.split_once(": ")?;
    let number = number.split(':').next()?.parse().ok()?;
    let (file, line) = (Some(file), Some(number));
    let function = message.split_once(": ").filter(|(name, _)| is_function(name));
    let named = function.filter(|(_, rest)| rest.starts_with("Assertion "));
    let message = function.map_or(message, |(_, rest)| rest).trim();
    let message = message.strip_prefix("error: ").or(message.strip_prefix("FAIL: ")).unwrap_or(message);
    let function = named.map(|(name, _)| {
        name.split('(').next().unwrap_or(name).rsplit([' ', '*']).next().unwrap_or(name).to_owned()
    });
    (!message.is_empty()).then_some((Place { file, line, function }, message))
}

/// A name, or a signature.
fn is_function(text: &str) -> bool {
    let name = text.split('(').next().unwrap_or(text);
    !name.is_empty()
        && name.len() < 200
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_:~ *&<>,".contains(&b))
        && (text.contains('(') || !name.contains(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons() {
        for (output, message, expected, place) in [
            (
                "test_step.c:10: step: expected 2.5, got 2",
                Some("expected 2.5, got 2"),
                Some("2.5"),
                Some(("test_step.c", 10, None)),
            ),
            (
                "noise\nprog: src/a.cpp:7: int f(int): Assertion `n > 0' failed.\nmore",
                Some("Assertion `n > 0' failed."),
                None,
                Some(("src/a.cpp", 7, Some("f"))),
            ),
            ("it went wrong", None, None, None),
        ] {
            let mut failure = Failure::default();
            tell(output, &mut failure);
            let place_of = failure
                .test
                .as_ref()
                .map(|p| (p.file.as_deref().unwrap(), p.line.unwrap(), p.function.as_deref()));
            assert_eq!(
                (failure.message.as_deref(), failure.expected.as_deref(), place_of),
                (message, expected, place),
                "{output}"
            );
        }
    }
}

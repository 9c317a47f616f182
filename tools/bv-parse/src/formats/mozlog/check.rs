//! One failed check: its line, and the message's rest and the stack below it.

use crate::values::{Sides, split_outside};
use bv_schemas::record::FRAMES_MAX;
use bv_schemas::{Failure, Kind, Place};

/// Lines that are read below a check.
const LINES_MAX: usize = 200;

/// A check that is being read.
#[derive(Debug)]
pub struct Check {
    failure: Failure,
    lines: usize,
}

impl Check {
    /// Begins with `TEST-UNEXPECTED-FAIL | test | message`.
    pub fn begins(status: &str, rest: &str, span: [u64; 2]) -> Option<Check> {
        let (id, message) = rest.split_once(" | ").unwrap_or((rest, ""));
        let failure = Failure { span: Some(span), ..failure(id.trim(), status.trim(), message.trim()) };
        Some(Check { failure, lines: 0 })
    }

    /// Takes a line below.
    pub fn line(&mut self, text: &str, span: [u64; 2]) {
        self.lines += 1;
        if self.lines > LINES_MAX {
            return;
        }
        let text = text.trim();
        if let Some(place) = frame(text) {
            if let Some(span_now) = &mut self.failure.span {
                span_now[1] = span[1];
            }
            if self.failure.frames.len() < FRAMES_MAX && !is_harness(&place) {
                self.failure.frames.push(place);
            }
        } else if self.lines == 1 && self.failure.observed.is_none() {
            // The pixels of the WebGL conformance tests stand below the words.
            fill_absent(&mut self.failure, pixels(text));
        }
    }

    /// The failure that it is.
    pub fn failure(mut self) -> Failure {
        settle(&mut self.failure);
        self.failure
    }
}

/// A failure of this test, by its status and message; its frames may still come.
pub fn failure(id: &str, status: &str, message: &str) -> Failure {
    let raised =
        ["uncaught exception", "A promise chain failed to handle a rejection", "Unexpected exception "]
            .iter()
            .any(|words| message.contains(words));
    let kind = match status {
        "TIMEOUT" => Kind::Timeout,
        "CRASH" => Kind::Crash,
        "ERROR" | "NOTRUN" => Kind::Exception,
        _ if raised => Kind::Exception,
        _ => Kind::Assertion,
    };
    let mut failure = Failure {
        id: Some(id.to_owned()).filter(|id| !id.is_empty()),
        kind,
        message: message.lines().next().map(str::to_owned),
        ..Failure::default()
    };
    let first = message.lines().next().unwrap_or_default();
    if kind == Kind::Assertion {
        fill_absent(&mut failure, sides(first));
        fill_absent(&mut failure, message.lines().nth(1).and_then(pixels));
    }
    failure.fault = thrown_at(first);
    failure
}

/// Puts the places into the failure, once all its frames are there.
pub fn settle(failure: &mut Failure) {
    let test_file = failure.id.as_deref().and_then(|id| id.rsplit('/').next()).unwrap_or_default();
    let own = |place: &&Place| {
        !test_file.is_empty() && place.file.as_deref().is_some_and(|file| file.ends_with(test_file))
    };
    let test = failure.frames.iter().find(own).cloned();
    failure.test = test.or_else(|| failure.test.take());
    if failure.kind == Kind::Exception && failure.fault.is_none() {
        failure.fault = failure.frames.first().filter(|&first| Some(first) != failure.test.as_ref()).cloned();
    }
}

/// `fn@file:1:2`, `file:fn:1`; a URL may have its own colons and a query.
pub fn frame(text: &str) -> Option<Place> {
    if text.contains(' ') {
        return None;
    }
    let (before, last) = text.rsplit_once(':')?;
    let last: u64 = last.parse().ok()?;
    let known = |file: &str| file.contains('/') && file.contains('.');
    if let Some((function, at)) = before.split_once('@') {
        let (file, line) = match at.rsplit_once(':') {
            Some((file, line)) if line.bytes().all(|b| b.is_ascii_digit()) => (file, line.parse().ok()?),
            _ => (at, last),
        };
        return known(file).then(|| place(file, line, function));
    }
    let (file, function) = before.rsplit_once(':')?;
    (known(file) && !function.starts_with('/')).then(|| place(file, last, function))
}

fn place(file: &str, line: u64, function: &str) -> Place {
    let name = function.rsplit('*').next().unwrap_or(function);
    let name = name.split(['/', '<']).next().unwrap_or(name);
    let function = Some(name.to_owned()).filter(|name| !name.is_empty());
    Place { file: Some(file.to_owned()), line: Some(line), function }
}

/// Frames of the harness itself, and of the conformance tests' own library.
pub fn is_harness(place: &Place) -> bool {
    const HARNESS: &[&str] = &[
        "chrome://mochikit/",
        "SimpleTest/",
        "resource://testing-common/",
        "testing/xpcshell/",
        "webgl-conf/checkout/js/",
        "webgl-conf/mochi-single.html",
        "resource://gre/",
    ];
    place.file.as_deref().is_some_and(|file| HARNESS.iter().any(|part| file.contains(part)))
}

/// `… (resource://a/b.js:99:13)` in an exception's message.
fn thrown_at(message: &str) -> Option<Place> {
    let (_, rest) = message.split_once('(')?;
    let at = rest.split(['(', ')']).find(|part| part.contains("://") && !part.contains(' '))?;
    let (before, _) = at.rsplit_once(':')?;
    let (file, line) = before.rsplit_once(':')?;
    Some(Place { file: Some(file.to_owned()), line: Some(line.parse().ok()?), function: None })
}

/// The sides that the words name: `sum - got 1, expected 2`, `[f : 3] 1 == 2`, `shouldBe 255,0,0`.
fn sides(message: &str) -> Option<Sides> {
    if let Some((_, rest)) = message.rsplit_once(" - got ")
        && let Some((observed, expected)) = split_outside(rest, ", expected ")
    {
        return Some(Sides::both(expected, observed));
    }
    if let Some(expected) = message.strip_prefix("shouldBe ") {
        return Some(Sides { expected: Some(expected.to_owned()), observed: None });
    }
    // xpcshell puts the function and the line before the words.
    let placed = message.split_once('[').and_then(|(_, rest)| rest.split_once("] "));
    let compared = match placed.filter(|(place, _)| place.contains(" : ")) {
        Some((_, words)) => words,
        None => message.rsplit_once(" - ")?.1,
    };
    let (observed, expected) =
        split_outside(compared, " == ").or_else(|| split_outside(compared, " === "))?;
    Some(Sides::both(expected, observed))
}

/// The conformance tests' words on a pixel (`sdk/tests/js/webgl-test-utils.js` in
/// <https://github.com/KhronosGroup/WebGL>): `at (0, 16) expected: 255,0,0 was 0,0,0`.
fn pixels(text: &str) -> Option<Sides> {
    if let Some(rest) = text.strip_prefix("at (") {
        let (_, rest) = rest.split_once(") expected: ")?;
        let (expected, observed) = rest.split_once(" was ")?;
        return Some(Sides::both(expected.trim(), observed.trim()));
    }
    let (_, rest) = text.split_once(" should be ")?;
    let (expected, observed) = rest.split_once(", but the actual color is ")?;
    Some(Sides::both(expected.trim(), observed.trim()))
}

/// Adds the sides that the failure lacks.
fn fill_absent(failure: &mut Failure, sides: Option<Sides>) {
    let sides = sides.unwrap_or_default();
    failure.expected = failure.expected.take().or(sides.expected);
    failure.observed = failure.observed.take().or(sides.observed);
}

//! Soft assertions of pytest-check: several failed checks in one test, in a text of their own.

use crate::python;
use bv_schemas::record::FRAMES_MAX;
use bv_schemas::{Check, Failure, Kind, Place};

/// Failed checks of one test that are kept.
const CHECKS_MAX: usize = 100;

/// Reads `FAILURE: …` and the frames below it.
#[derive(Debug, Default)]
pub struct Checks {
    seen: Vec<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    message: String,
    exception_type: Option<String>,
    /// Outermost first.
    frames: Vec<Place>,
}

impl Checks {
    /// Takes a line; whether it belongs to a check.
    pub fn line(&mut self, text: &str) -> bool {
        if let Some(message) = text.strip_prefix("FAILURE: ") {
            if self.seen.len() < CHECKS_MAX {
                self.seen.push(Seen { message: message.to_owned(), ..Seen::default() });
            }
            return true;
        }
        let Some(now) = self.seen.last_mut() else { return false };
        if let Some(place) = frame(text) {
            now.frames.push(place);
        } else if let Some(exception) = python::exception(text) {
            now.exception_type.get_or_insert(exception.name);
        }
        true
    }

    /// The first check as the failure, the others beside it.
    pub fn failure(self) -> Option<Failure> {
        let mut seen = self.seen.into_iter();
        let main = seen.next()?;
        let (message, expected, observed) = main.sides();
        let mut frames = main.frames.into_iter().rev();
        let test = frames.next();
        Some(Failure {
            kind: Kind::Assertion,
            message: Some(message),
            exception_type: main.exception_type,
            expected,
            observed,
            frames: test.iter().cloned().chain(frames).take(FRAMES_MAX).collect(),
            test,
            also: seen.map(Seen::check).collect(),
            ..Failure::default()
        })
    }
}

impl Seen {
    /// `check 7 == 12: words of the author`, or an assertion that `with check:` caught.
    fn sides(&self) -> (String, Option<String>, Option<String>) {
        let text = self.message.strip_prefix("check ").unwrap_or(&self.message);
        let bare = python::without_words(text);
        let sides = python::asserted(bare).unwrap_or_default();
        (self.message.clone(), sides.expected, sides.observed)
    }

    fn check(self) -> Check {
        let (message, expected, observed) = self.sides();
        Check {
            line: self.frames.last().and_then(|place| place.line),
            message: Some(message),
            expected,
            observed,
        }
    }
}

/// `tests/test_a.py:8 in test_box() -> check.equal(…)`
fn frame(text: &str) -> Option<Place> {
    let (place, _) = text.split_once(" -> ")?;
    let (place, function) = place.rsplit_once(" in ")?;
    let (file, line) = place.rsplit_once(':')?;
    Some(Place {
        file: Some(file.to_owned()),
        line: Some(line.parse().ok()?),
        function: Some(function.strip_suffix("()").unwrap_or(function).to_owned()),
    })
}

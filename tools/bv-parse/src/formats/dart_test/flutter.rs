//! Flutter's box around an error that its test framework caught; the reporter's `[E]` only points to it.

use super::block::{self, frame, sides};
use bv_schemas::{Failure, Kind, Place};

/// Lines kept of one box.
const LINES_MAX: usize = 400;
/// Boxes kept until their test's `[E]`.
const BOXES_MAX: usize = 1000;

/// Boxes that no test has claimed.
#[derive(Default)]
pub struct Boxes {
    open: Option<Vec<String>>,
    done: Vec<Vec<String>>,
}

impl Boxes {
    /// Takes a line; true when it is part of a box.
    pub fn line(&mut self, text: &str) -> bool {
        if text.starts_with("══╡ EXCEPTION CAUGHT BY ") {
            self.open = Some(Vec::new());
            return true;
        }
        let Some(lines) = &mut self.open else { return false };
        if text.starts_with("════════") {
            let lines = self.open.take().unwrap_or_default();
            if self.done.len() < BOXES_MAX {
                self.done.push(lines);
            }
        } else if lines.len() < LINES_MAX {
            lines.push(text.to_owned());
        }
        true
    }

    /// Whether a box is open.
    pub fn in_box(&self) -> bool {
        self.open.is_some()
    }

    /// Puts the first box into the failure that points to it.
    pub fn tell(&mut self, failure: &mut Failure) {
        if failure
            .message
            .as_deref()
            .is_none_or(|words| !words.starts_with("Test failed. See exception logs above"))
        {
            return;
        }
        let id = failure.id.clone().unwrap_or_default();
        let is_of = |lines: &Vec<String>| {
            let at = lines.iter().position(|line| line == "The test description was:");
            at.and_then(|at| lines.get(at + 1)).is_some_and(|name| id.ends_with(name.trim()))
        };
        let own = self.done.iter().position(is_of);
        if let Some(lines) = own.map(|at| self.done.drain(..=at).next_back().unwrap_or_default()) {
            fill(failure, &lines);
        }
    }
}

/// `The following TestFailure was thrown running a test:`, its words up to a blank line, the stack.
fn fill(failure: &mut Failure, lines: &[String]) {
    let head = lines.iter().find_map(|line| line.strip_prefix("The following ")).unwrap_or_default();
    let class = head.split(" was thrown").next().filter(|class| !class.is_empty() && !class.contains(' '));
    let begin = lines.iter().position(|line| line.starts_with("The following ")).map_or(0, |at| at + 1);
    let end = lines[begin..].iter().position(|line| line.is_empty()).map_or(lines.len(), |at| begin + at);
    let words: Vec<&str> = lines[begin..end].iter().map(String::as_str).collect();
    let (expected, observed) = sides(&words);
    let asserted = class == Some("TestFailure") || expected.is_some();
    failure.kind = if asserted { Kind::Assertion } else { Kind::Exception };
    failure.exception_type = class.filter(|_| !asserted).map(str::to_owned);
    failure.message = words.first().map(|words| words.trim().to_owned()).or(failure.message.take());
    failure.expected = expected;
    failure.observed = observed;
    let frames: Vec<Place> = lines[end..].iter().filter_map(|line| frame(line)).collect();
    block::place(failure, &frames, None);
}

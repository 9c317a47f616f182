//! Rust: a panic outside of a test.

use super::{Block, Said, Taken};
use crate::machine::Line;
use bv_schemas::{Failure, Kind, Place};

/// Lines of a message that are read.
const MESSAGE_LINES_MAX: usize = 20;

/// Whether a panic begins here: `thread 'main' panicked at src/main.rs:3:5:`.
pub fn begins(line: &Line<'_>) -> Option<Said> {
    let (before, rest) =
        line.text.split_once("' panicked at ").or_else(|| line.text.split_once(") panicked at "))?;
    before.find("thread '")?;
    let (message, place) = match rest.strip_prefix('\'').and_then(|rest| rest.rsplit_once("', ")) {
        // Before Rust 1.73 the message stands first.
        Some((message, place)) => (Some(message.to_owned()), place),
        None => (None, rest.strip_suffix(':')?),
    };
    let (rest, _column) = place.rsplit_once(':')?;
    let (file, number) = rest.rsplit_once(':')?;
    let fault = Place { file: Some(file.to_owned()), line: Some(number.parse().ok()?), function: None };
    let foreign = file.starts_with("/rustc/") || file.contains("/.cargo/registry/");
    let whole = message.is_some();
    let failure = Failure {
        kind: Kind::Exception,
        message,
        fault: (!foreign).then_some(fault),
        span: Some(line.span),
        ..Failure::default()
    };
    if whole {
        return Some(Said::Failure(failure));
    }
    Some(Said::Block(Box::new(Panic { failure, lines: 0 })))
}

#[derive(Debug)]
struct Panic {
    failure: Failure,
    lines: usize,
}

impl Block for Panic {
    fn line(&mut self, line: &Line<'_>) -> Taken {
        let text = line.text;
        self.lines += 1;
        if text.starts_with("note: run with ") || text == "stack backtrace:" || self.lines > MESSAGE_LINES_MAX
        {
            return Taken::Last;
        }
        if self.failure.message.is_none() && !text.trim().is_empty() {
            self.failure.message = Some(text.to_owned());
            if text.starts_with("assertion ") {
                self.failure.kind = Kind::Assertion;
                self.failure.test = self.failure.fault.take();
            }
        } else if let Some(side) = text.trim_start().strip_prefix("left: ") {
            self.failure.observed = Some(side.to_owned());
        } else if let Some(side) = text.trim_start().strip_prefix("right: ") {
            self.failure.expected = Some(side.to_owned());
        }
        Taken::Yes
    }

    fn end(self: Box<Self>) -> Option<Said> {
        Some(Said::Failure(self.failure))
    }
}

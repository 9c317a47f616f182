//! Rust: a panic outside of a test.

use super::{Block, Said, Taken};
use crate::machine::Line;
use crate::rust_panic::{self, bare_name, header, is_own};
use crate::rust_sides;
use bv_schemas::{Failure, Kind, Place};

/// Whether a panic begins here: `thread 'main' panicked at src/main.rs:3:5:`.
pub fn begins(line: &Line<'_>) -> Option<Said> {
    let thread = line.text.contains(" panicked at ");
    thread.then(|| header(line.text)).flatten()?;
    Some(Said::Block(Box::new(Panic {
        lines: vec![line.text.to_owned()],
        span: line.span,
        backtrace: false,
    })))
}

#[derive(Debug)]
struct Panic {
    lines: Vec<String>,
    span: [u64; 2],
    backtrace: bool,
}

impl Block for Panic {
    /// A message has no end of its own: one line is taken, and what is set in below it, so that what
    /// another program says next is not lost.
    fn line(&mut self, line: &Line<'_>) -> Taken {
        let text = line.text;
        if text.starts_with("note: ") {
            return Taken::Last;
        }
        self.backtrace = self.backtrace || text == "stack backtrace:";
        let message = self.lines.len() == 1 && !self.backtrace;
        if !(message || text.starts_with(' ') || text == "stack backtrace:") {
            return Taken::No;
        }
        self.lines.push(text.to_owned());
        self.span[1] = line.span[1];
        Taken::Yes
    }

    fn end(self: Box<Self>) -> Option<Said> {
        let panic = rust_panic::panics(&self.lines).into_iter().next()?;
        let sides = rust_sides::sides(&panic.message);
        let own = |place: &Place| place.file.as_deref().is_some_and(is_own);
        let mut frames: Vec<Place> =
            panic.frames.iter().filter(|place| own(place)).cloned().map(named).collect();
        let line = |place: &Place| (place.file.clone(), place.line);
        if let Some(place) = panic.place.filter(own)
            && frames.first().is_none_or(|first| line(first).1 != place.line)
        {
            frames.insert(0, place);
        }
        let assertion = rust_sides::is_assertion(&rust_sides::join(&panic.message));
        let mut failure = Failure {
            kind: if assertion { Kind::Assertion } else { Kind::Exception },
            message: Some(sides.message).filter(|message| !message.is_empty()),
            observed: sides.observed,
            expected: sides.expected,
            span: Some(self.span),
            ..Failure::default()
        };
        super::place(frames, &mut failure);
        Some(Said::Failure(failure))
    }
}

fn named(place: Place) -> Place {
    let function = place.function.as_deref().and_then(bare_name).map(str::to_owned);
    Place { function, ..place }
}

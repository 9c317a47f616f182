//! The errors that Bun prints above the result of the test that they failed: an excerpt of the source, a pointer,
//! `error: words` or `Name: words`, the frames.
//!
//! A logged error looks the same, and its cause stands behind a blank line in the same manner: which of several is
//! the test's is read from their order and places.

use crate::javascript::{Names, Naming, add, error, frame, is_error_name, name_and_message};
use crate::machine::Line;
use crate::values::Sides;
use bv_schemas::{Failure, Kind, Place};

/// Lines kept of one error.
const LINES_MAX: usize = 1000;
/// Bytes kept of one error.
const BYTES_MAX: usize = 64 << 10;
/// Errors kept of one test.
const ERRORS_MAX: usize = 20;

/// What was printed since the last result.
#[derive(Debug, Default)]
pub struct Errors {
    errors: Vec<Printed>,
    state: State,
    /// Where the excerpt begins in the raw stream.
    from: u64,
    /// A blank line stands between the last error and what comes.
    apart: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Nothing, or other text.
    #[default]
    Outside,
    /// `12 | source`
    Excerpt,
    /// The pointer came: the error's first line is next.
    Pointed,
    /// Its message. Without an excerpt above it may be a test's own words.
    Message { pointed: bool },
    /// Its frames.
    Frames,
    /// One blank line behind its frames.
    Behind,
}

/// One error.
#[derive(Debug)]
struct Printed {
    lines: Vec<String>,
    bytes: usize,
    /// A blank line stands between it and the one before it.
    apart: bool,
    span: [u64; 2],
}

impl Errors {
    /// Whether what comes is an error's own text.
    pub fn in_error(&self) -> bool {
        matches!(
            self.state,
            State::Excerpt | State::Pointed | State::Message { pointed: true } | State::Frames
        )
    }

    /// Takes a line that is no result.
    pub fn line(&mut self, line: &Line<'_>) {
        let text = line.text.trim_end();
        self.state = match self.state {
            State::Message { pointed } if !is_excerpt(text) => self.message(text, line, pointed),
            State::Pointed => self.begin(text, line, true),
            State::Frames if is_call(text) => self.message(text, line, true),
            State::Frames if text.is_empty() => State::Behind,
            before => self.between(text, line, before),
        };
    }

    /// A line that is not inside an error's own lines.
    fn between(&mut self, text: &str, line: &Line<'_>, before: State) -> State {
        if is_excerpt(text) {
            if before != State::Excerpt {
                self.from = line.span[0];
            }
            // Other text above it parts it from what is older: that was logged.
            if matches!(before, State::Outside | State::Message { pointed: false }) {
                self.errors.clear();
            }
            self.apart |= before == State::Behind;
            return State::Excerpt;
        }
        if before == State::Excerpt && is_pointer(text) {
            return State::Pointed;
        }
        if before != State::Excerpt && is_head(text) {
            if before == State::Outside {
                self.errors.clear();
            }
            self.from = line.span[0];
            return self.begin(text, line, false);
        }
        if text.is_empty() && matches!(before, State::Outside | State::Behind) && self.errors.is_empty() {
            return State::Outside;
        }
        if !text.is_empty() {
            self.errors.clear();
        }
        State::Outside
    }

    fn begin(&mut self, text: &str, line: &Line<'_>, pointed: bool) -> State {
        let apart = std::mem::take(&mut self.apart);
        if self.errors.len() == ERRORS_MAX {
            self.errors.remove(0);
        }
        let span = [self.from, line.span[1]];
        self.errors.push(Printed { lines: Vec::new(), bytes: 0, apart, span });
        self.message(text, line, pointed)
    }

    fn message(&mut self, text: &str, line: &Line<'_>, pointed: bool) -> State {
        let Some(printed) = self.errors.last_mut() else { return State::Outside };
        if printed.lines.len() == LINES_MAX || printed.bytes + text.len() > BYTES_MAX {
            return State::Outside;
        }
        printed.bytes += text.len();
        printed.span[1] = line.span[1];
        printed.lines.push(text.to_owned());
        if self.state == State::Frames || frame(text).is_some() {
            State::Frames
        } else {
            State::Message { pointed }
        }
    }

    /// The failure that they tell of, and where it stands in the stream; it is empty again.
    pub fn take(&mut self) -> Option<Failure> {
        let errors = std::mem::take(self).errors;
        let mut read: Vec<(Failure, bool)> =
            errors.iter().map(|printed| (printed.failure(), printed.apart)).collect();
        // What stands below a blank line and later in the test was raised later: what is above it was logged.
        while let Some(at) = (1..read.len()).find(|&at| read[at].1 && is_later(&read[at].0, &read[at - 1].0))
        {
            read.drain(..at);
            read[0].1 = false;
        }
        let mut read = read.into_iter();
        let (mut first, _) = read.next()?;
        // Causes stand apart; what stands close was raised by a hook of the same test.
        read.filter(|(_, apart)| !apart).for_each(|(next, _)| add(&mut first, next));
        Some(first)
    }

    /// Lets go of all: the test that they were printed in did not fail.
    pub fn clear(&mut self) {
        *self = Errors::default();
    }
}

impl Printed {
    fn failure(&self) -> Failure {
        let mut lines: Vec<&str> = self.lines.iter().map(String::as_str).collect();
        let bare = lines[0].strip_prefix("error:");
        let naming = if bare.is_some() { Naming::Surely } else { Naming::Always };
        if let Some(bare) = bare {
            lines[0] = bare.trim_start();
        } else if lines[0] == "error" {
            // What was thrown is no error: its value stands below.
            lines[0] = "";
        }
        let value = (lines[0].is_empty() && !self.has_frames()).then(|| in_one_line(&lines));
        let mut failure = error(&lines, naming, Names::Own);
        if let Some(sides) = promised(&lines) {
            sides.fill(&mut failure);
        }
        if let Some(value) = value {
            failure.message = Some(value).filter(|value| !value.is_empty());
        }
        if failure.test.is_none() {
            failure.test = failure.message.as_deref().and_then(importer);
        }
        failure.span = Some(self.span);
        failure
    }

    fn has_frames(&self) -> bool {
        self.lines.iter().any(|line| frame(line).is_some())
    }
}

fn in_one_line(lines: &[&str]) -> String {
    lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// `Expected promise that rejects` and `Received promise that resolved: Promise { <resolved> }`
fn promised(lines: &[&str]) -> Option<Sides> {
    let side = |label: &str| lines.iter().find_map(|line| line.strip_prefix(label)).map(str::trim);
    let expected = side("Expected ").filter(|words| words.starts_with("promise that "))?;
    Some(Sides { expected: Some(expected.to_owned()), observed: side("Received ").map(str::to_owned) })
}

/// Whether an error was raised further down in the test than the one that was printed before it. A failed check is
/// no cause of anything.
fn is_later(next: &Failure, before: &Failure) -> bool {
    if next.kind == Kind::Assertion {
        return true;
    }
    match (&next.test, &before.test) {
        (Some(next), Some(before)) => next.file == before.file && next.line > before.line,
        _ => false,
    }
}

/// `Cannot find module './haversine.js' from '/w/src/geo.js'`: the file that imports it.
fn importer(message: &str) -> Option<Place> {
    let rest = message.strip_prefix("Cannot find ")?;
    let file = rest.strip_suffix('\'')?.rsplit_once(" from '")?.1;
    Some(Place { file: Some(file.to_owned()), ..Place::default() })
}

/// `      at forEach (1:11)`: a call, whose place may be in no file.
fn is_call(text: &str) -> bool {
    text.starts_with(' ') && text.trim_start().starts_with("at ")
}

/// `12 |   source`
fn is_excerpt(text: &str) -> bool {
    let text = text.trim_start();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    (1..=7).contains(&digits) && (text[digits..].starts_with(" | ") || &text[digits..] == " |")
}

/// `        ^`
fn is_pointer(text: &str) -> bool {
    text.starts_with(' ') && text.trim_start() == "^"
}

/// `error: words`, `error`, `TypeError: words`
fn is_head(text: &str) -> bool {
    match text.as_bytes() {
        [b'e', ..] => text == "error" || text.starts_with("error: "),
        [b'A'..=b'Z', ..] => name_and_message(text).is_some_and(|(name, _)| is_error_name(name)),
        _ => false,
    }
}

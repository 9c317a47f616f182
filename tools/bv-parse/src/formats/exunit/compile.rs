//! What did not compile or could not be loaded: Elixir's diagnostics and mix's heading over the error that
//! ended it.
//!
//! ```text
//! == Compilation error in file lib/broken.ex ==
//! ** (CompileError) lib/broken.ex:8: Missing.__struct__/1 is undefined
//! ```
//!
//! Since 1.15 each error is printed above that, and the heading only says that there were some:
//!
//! ```text
//!     error: undefined function nope/0
//!     │
//!   4 │     nope()
//!     │     ^^^^
//!     │
//!     └─ lib/broken.ex:4:5: Broken.run/1
//! ```

use super::block::banner;
use super::reason_of;
use super::stack;
use crate::machine::{Closing, Line, Out, Says};
use bv_schemas::{Counts, Failure, Kind, Place, Reason};

/// Errors kept of one compilation.
const ERRORS_MAX: usize = 1000;
/// Lines of one diagnostic.
const LINES_MAX: usize = 60;

/// Reads diagnostics and the heading below them.
#[derive(Debug, Default)]
pub struct Broken {
    errors: Vec<Failure>,
    reading: Option<Reading>,
    lines: usize,
    /// The heading came, and the error below it was read.
    over: Option<Reason>,
}

#[derive(Debug)]
enum Reading {
    /// `error: …`, until its place.
    Diagnostic(Failure),
    /// The heading, until the error below it.
    Heading,
    /// That error, until its first place.
    Error(Failure),
}

impl Broken {
    /// Whether the next line is wanted.
    pub fn is_reading(&self) -> bool {
        self.reading.is_some()
    }

    /// Whether the heading stands above.
    pub fn expects_error(&self) -> bool {
        matches!(self.reading, Some(Reading::Heading))
    }

    /// Something begins in this line, or not.
    pub fn begin(&mut self, text: &str, line_span: [u64; 2]) {
        self.lines = 0;
        if let Some(message) = text.trim_start().strip_prefix("error: ") {
            let failure = Failure {
                kind: Kind::CompileError,
                message: Some(message.to_owned()),
                span: Some(line_span),
                ..Failure::default()
            };
            self.reading = Some(Reading::Diagnostic(failure));
        } else if text.starts_with("== Compilation error in file ") && text.ends_with(" ==") {
            self.reading = Some(Reading::Heading);
        }
    }

    /// Takes the line, unless what is read ended before it.
    pub fn take(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        self.lines += 1;
        let Some(reading) = self.reading.take() else { return false };
        let late = self.lines > LINES_MAX;
        match reading {
            Reading::Diagnostic(mut failure) => {
                let place = text.trim_start().trim_start_matches("└─ ");
                if let Some(place) = stack::frame(place).filter(|_| text.starts_with("  ")) {
                    failure.fault = Some(place.place);
                    failure.span = failure.span.map(|span| [span[0], line.span[1]]);
                    self.keep(failure);
                    return true;
                }
                if text.is_empty() || late {
                    self.keep(failure);
                    return false;
                }
                self.reading = Some(Reading::Diagnostic(failure));
                true
            }
            Reading::Heading => {
                if let Some((name, message)) = banner(text) {
                    self.reading = Some(Reading::Error(error(name, message, line.span)));
                    return true;
                }
                false
            }
            Reading::Error(mut failure) => {
                if text.is_empty() || !text.starts_with(' ') || late {
                    self.end_error(failure);
                    return false;
                }
                detail(&mut failure, text.trim_start());
                self.reading = Some(Reading::Error(failure));
                true
            }
        }
    }

    /// The stream ended.
    pub fn end(&mut self) {
        match self.reading.take() {
            Some(Reading::Error(failure)) => self.end_error(failure),
            Some(Reading::Diagnostic(failure)) => self.keep(failure),
            _ => {}
        }
    }

    /// All errors, once the heading and the error below it were read.
    pub fn whole(&mut self) -> Option<(Vec<Failure>, Reason)> {
        let reason = self.over.take()?;
        Some((std::mem::take(&mut self.errors), reason))
    }

    fn end_error(&mut self, failure: Failure) {
        let reason = reason_of(failure.exception_type.as_deref().unwrap_or_default());
        let said = failure.message.as_deref().is_some_and(|text| text.ends_with("(errors have been logged)"));
        if !said || self.errors.is_empty() {
            self.keep(failure);
        }
        self.over = Some(reason);
    }

    fn keep(&mut self, failure: Failure) {
        // Two processes may compile the same file.
        let same = |known: &Failure| known.message == failure.message && known.fault == failure.fault;
        if self.errors.len() < ERRORS_MAX && !self.errors.iter().any(same) {
            self.errors.push(failure);
        }
    }
}

/// `** (CompileError) lib/broken.ex:8: undefined function …`; the place is no part of the words.
fn error(name: &str, message: &str, span: [u64; 2]) -> Failure {
    let message = message.trim_end();
    let kind = match reason_of(name) {
        Reason::CompileError => Kind::CompileError,
        _ => Kind::CollectionError,
    };
    let mut failure =
        Failure { kind, exception_type: Some(name.to_owned()), span: Some(span), ..Failure::default() };
    let at =
        |file: &str, line: Option<u64>| Some(Place { file: Some(file.to_owned()), line, function: None });
    // `invalid syntax found on lib/a.ex:4:3:` has its words below.
    if let Some((_, place)) = message.strip_suffix(':').and_then(|text| text.rsplit_once(" found on "))
        && let Some((file, line, "")) = stack::placed(place)
    {
        failure.fault = at(file, Some(line));
        return failure;
    }
    failure.message = Some(message.to_owned());
    if kind != Kind::CompileError {
        return failure;
    }
    if let Some((file, line, words)) = stack::placed(message) {
        failure.fault = at(file, Some(line));
        failure.message = Some(words.to_owned());
    } else if let Some((file, words)) = message.split_once(": ")
        && (file.ends_with(".ex") || file.ends_with(".exs"))
    {
        failure.fault = at(file, None);
        failure.message = Some(words.to_owned());
    }
    failure
}

/// A line below the error: its words, or a frame.
fn detail(failure: &mut Failure, text: &str) {
    if failure.message.is_none() {
        failure.message = text.strip_prefix("error: ").map(str::to_owned);
        return;
    }
    if failure.fault.is_none()
        && let Some(frame) = stack::frame(text).filter(|frame| frame.is_own)
    {
        failure.fault = Some(frame.place);
    }
}

/// An error that reached the top: it stopped the run, unless a closing statement follows.
#[derive(Debug)]
pub struct Stopped {
    failure: Failure,
    reason: Reason,
}

impl Stopped {
    /// `** (Mix) The task "tset" could not be found`, `** (RuntimeError) no database`.
    pub fn begin(text: &str, span: [u64; 2]) -> Option<Stopped> {
        let (name, message) = banner(text)?;
        Some(Stopped { failure: error(name, message, span), reason: reason_of(name) })
    }

    /// Nothing followed.
    pub fn say(self, out: &mut Out) {
        let message = self.failure.message.clone();
        if self.reason != Reason::NotRunnable {
            out.failure(self.failure);
        }
        let says = Says::Refused(self.reason);
        out.close(Closing { says, counts: Counts::default(), duration_ms: None, message });
    }
}

//! What a dying interpreter prints: faulthandler's `Fatal Python error`, pytest-timeout's stacks.

use crate::python;
use bv_schemas::{Failure, Kind, Place};

/// Frames of one dump that are kept.
const DUMP_FRAMES_MAX: usize = 200;

/// The words with which faulthandler begins.
pub const FATAL: &str = "Fatal Python error: ";

/// The ruler that begins and ends what pytest-timeout prints; a test's line may stand before it.
pub const TIMEOUT: &str = "+++ Timeout +++";

/// One dump: why, and the stack of the thread that died.
#[derive(Debug)]
pub struct Dump {
    kind: Kind,
    message: String,
    /// The test that was running, where the runner had said so.
    pub id: Option<String>,
    /// Outermost first.
    frames: Vec<Place>,
    /// Its last line came.
    ended: bool,
    /// This thread's frames are wanted.
    wanted: bool,
    /// Frames come innermost first.
    innermost_first: bool,
    /// Where it lies in the raw stream.
    pub span: [u64; 2],
}

impl Dump {
    /// A dump of the interpreter, from the words behind [`FATAL`] on.
    pub fn fatal(message: &str, id: Option<String>, span: [u64; 2]) -> Dump {
        Dump {
            kind: Kind::Crash,
            message: format!("{FATAL}{message}"),
            id,
            frames: Vec::new(),
            ended: false,
            wanted: false,
            innermost_first: true,
            span,
        }
    }

    /// pytest-timeout's thread method: it prints all stacks and ends the process.
    pub fn timeout(id: Option<String>, span: [u64; 2]) -> Dump {
        Dump {
            kind: Kind::Timeout,
            message: "Timeout".to_owned(),
            innermost_first: false,
            ..Dump::fatal("", id, span)
        }
    }

    /// Takes a line; whether it belongs to the dump.
    pub fn line(&mut self, text: &str, span: [u64; 2]) -> bool {
        let fits = !self.ended
            && match self.kind {
                Kind::Timeout => self.stack_line(text),
                _ => self.thread_line(text),
            };
        if fits {
            self.span[1] = span[1];
        }
        fits
    }

    fn thread_line(&mut self, text: &str) -> bool {
        if text.starts_with("Current thread ") {
            self.wanted = true;
        } else if text.starts_with("Thread 0x") {
            self.wanted = false;
        } else if let Some(place) = frame(text) {
            self.keep(place);
        } else {
            return text.is_empty()
                || text.starts_with("  ")
                || text.starts_with("Python runtime state")
                || text.starts_with("Extension modules:");
        }
        true
    }

    fn stack_line(&mut self, text: &str) -> bool {
        if let Some(title) = super::closing::titled(text, '~') {
            self.wanted = title.starts_with("Stack of MainThread");
        } else if let Some(place) = python::frame(text) {
            self.keep(place);
        } else {
            self.ended = super::closing::titled(text, '+') == Some("Timeout");
        }
        true
    }

    /// The outermost frame is pytest's start script, which has no ending.
    fn keep(&mut self, place: Place) {
        let module = place.file.as_deref().is_some_and(|file| file.ends_with(".py"));
        if module && self.wanted && self.frames.len() < DUMP_FRAMES_MAX {
            self.frames.push(place);
        }
    }

    /// The failure of the test that was running.
    pub fn failure(mut self) -> Failure {
        if self.innermost_first {
            self.frames.reverse();
        }
        let mut failure = Failure {
            kind: self.kind,
            message: Some(self.message),
            span: Some(self.span),
            ..Failure::default()
        };
        let traceback = python::Traceback { frames: self.frames, ..python::Traceback::default() };
        traceback.place(&mut failure, self.id.as_deref().and_then(super::names::function));
        failure.id = self.id;
        failure
    }
}

/// `  File "x.py", line 6 in checksum`
fn frame(text: &str) -> Option<Place> {
    let (file, rest) = text.strip_prefix("  File \"")?.rsplit_once("\", line ")?;
    let (line, function) = rest.split_once(" in ")?;
    Some(Place {
        file: Some(file.to_owned()),
        line: Some(line.parse().ok()?),
        function: Some(function.to_owned()),
    })
}

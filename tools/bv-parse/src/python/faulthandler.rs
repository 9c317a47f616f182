//! The interpreter died: faulthandler's report.
//!
//! `Fatal Python error: Segmentation fault`, then `Current thread 0x… (most recent call first):` and
//! `  File "x.py", line 5 in f`, innermost first; `Timeout (0:00:05)!` heads the same report of
//! `faulthandler.dump_traceback_later`.

use super::is_user_file;
use crate::machine::Line;
use bv_schemas::record::FRAMES_MAX;
use bv_schemas::{Failure, Kind, Place};

/// What the report says so far.
#[derive(Debug)]
pub struct Fatal {
    kind: Kind,
    message: String,
    frames: Vec<Place>,
    /// The frames of the thread that failed have been read.
    done: bool,
    span: [u64; 2],
}

impl Fatal {
    /// Whether the report begins in this line.
    pub fn begins(line: &Line<'_>) -> Option<Fatal> {
        let fatal = line.text.find("Fatal Python error: ").map(|at| (Kind::Crash, &line.text[at..]));
        let timeout = || {
            let text = line.text;
            (text.starts_with("Timeout (") && text.ends_with(")!")).then_some((Kind::Timeout, text))
        };
        let (kind, message) = fatal.or_else(timeout)?;
        Some(Fatal { kind, message: message.to_owned(), frames: Vec::new(), done: false, span: line.span })
    }

    /// Takes a line below it.
    pub fn line(&mut self, line: &Line<'_>) {
        if self.done {
            return;
        }
        if let Some(place) = frame(line.text) {
            self.frames.push(place);
            self.span[1] = line.span[1];
        } else {
            self.done = !self.frames.is_empty();
        }
        // faulthandler itself stops at 100 frames.
        self.done = self.done || self.frames.len() >= 200;
    }

    /// Whether no more lines belong to it.
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// The record; `function` is the test that ran, where it is known.
    pub fn failure(self, function: Option<&str>) -> Failure {
        let own = |place: &&Place| place.file.as_deref().is_some_and(is_user_file);
        let frames: Vec<Place> = self.frames.iter().filter(own).take(FRAMES_MAX).cloned().collect();
        let in_test = |place: &&Place| function.is_some() && place.function.as_deref() == function;
        let test = frames.iter().find(in_test).cloned();
        let fault = frames.first().filter(|place| Some(*place) != test.as_ref()).cloned();
        let (kind, message) = (self.kind, Some(self.message));
        Failure { kind, message, test, fault, frames, span: Some(self.span), ..Failure::default() }
    }
}

/// `  File "x.py", line 5 in f`.
fn frame(text: &str) -> Option<Place> {
    let (file, rest) = text.strip_prefix("  File \"")?.split_once("\", line ")?;
    let (line, function) = rest.split_once(" in ")?;
    Some(Place { file: Some(file.to_owned()), line: line.parse().ok(), function: Some(function.to_owned()) })
}

//! The interpreter died while a test ran: faulthandler's report below the `-v` line.
//!
//! `Fatal Python error: Segmentation fault`, then `Current thread 0x… (most recent call first):` and
//! `  File "x.py", line 5 in f`, innermost first; `Timeout (0:00:05)!` heads the same report of
//! `faulthandler.dump_traceback_later`.

use super::title::Title;
use crate::machine::Line;
use crate::python;
use bv_schemas::record::FRAMES_MAX;
use bv_schemas::{Failure, Kind, Place};

/// What the report says so far.
pub struct Crash {
    kind: Kind,
    message: String,
    frames: Vec<Place>,
    /// The frames of the thread that failed have been read.
    done: bool,
    end: u64,
}

impl Crash {
    /// Whether the report begins in this line.
    pub fn begins(line: &Line<'_>) -> Option<Crash> {
        let fatal = line.text.find("Fatal Python error: ").map(|at| (Kind::Crash, &line.text[at..]));
        let timeout = || {
            let text = line.text;
            (text.starts_with("Timeout (") && text.ends_with(")!")).then_some((Kind::Timeout, text))
        };
        let (kind, message) = fatal.or_else(timeout)?;
        Some(Crash { kind, message: message.to_owned(), frames: Vec::new(), done: false, end: line.span[1] })
    }

    /// Takes a line below it.
    pub fn line(&mut self, line: &Line<'_>) {
        if self.done {
            return;
        }
        if let Some(place) = frame(line.text) {
            self.frames.push(place);
            self.end = line.span[1];
        } else {
            self.done = !self.frames.is_empty();
        }
        // faulthandler itself stops at 100 frames.
        self.done = self.done || self.frames.len() >= 200;
    }

    /// The record of the test that ran.
    pub fn failure(self, title: &Title, span: [u64; 2]) -> Failure {
        let own = |place: &&Place| place.file.as_deref().is_some_and(python::is_user_file);
        let frames: Vec<Place> = self.frames.iter().filter(own).take(FRAMES_MAX).cloned().collect();
        let in_test = |place: &&Place| title.function.is_some() && place.function == title.function;
        let test = frames.iter().find(in_test).or(frames.last()).cloned();
        let fault = frames.first().filter(|place| Some(*place) != test.as_ref()).cloned();
        Failure {
            id: Some(title.id.clone()),
            kind: self.kind,
            message: Some(self.message),
            test,
            fault,
            frames,
            span: Some([span[0], self.end]),
            ..Failure::default()
        }
    }
}

/// `  File "x.py", line 5 in f`.
fn frame(text: &str) -> Option<Place> {
    let (file, rest) = text.strip_prefix("  File \"")?.split_once("\", line ")?;
    let (line, function) = rest.split_once(" in ")?;
    Some(Place { file: Some(file.to_owned()), line: line.parse().ok(), function: Some(function.to_owned()) })
}

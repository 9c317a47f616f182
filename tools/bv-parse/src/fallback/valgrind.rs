//! valgrind's tools (3.19: memcheck, helgrind, drd): a line of words, then the stack that it happened in.

use super::{Block, Said, Taken};
use crate::machine::Line;
use bv_schemas::{Failure, Kind, Place};

/// How the tools' errors begin (`mc_errors.c`, `hg_errors.c`, `drd_error.c`).
const HEADS: &[&str] = &[
    "Invalid ",
    "Conditional jump or move depends on uninitialised",
    "Use of uninitialised value",
    "Mismatched free()",
    "Syscall param ",
    "Source and destination overlap",
    "Jump to the invalid address",
    "Process terminating with",
    "Possible data race ",
    "Conflicting ",
];

/// Whether an error's report begins here.
pub fn begins(line: &Line<'_>) -> Option<Said> {
    let words = said(line.text)?;
    let lost = words.contains(" definitely lost in loss record ");
    if !lost && !HEADS.iter().any(|head| words.starts_with(head)) {
        return None;
    }
    // Which record it is among how many changes with every other leak.
    let message = words.split(" in loss record ").next().unwrap_or(words);
    let signal =
        words.split_once(" (SIG").and_then(|(_, name)| Some(format!("SIG{}", name.strip_suffix(')')?)));
    let failure = Failure {
        kind: Kind::Crash,
        exception_type: signal,
        message: Some(message.to_owned()),
        span: Some(line.span),
        ..Failure::default()
    };
    Some(Said::Block(Box::new(Report { failure, frames: Vec::new() })))
}

/// What stands behind `==2997== `.
fn said(text: &str) -> Option<&str> {
    let (process, rest) = text.strip_prefix("==")?.split_once("== ")?;
    process.bytes().all(|byte| byte.is_ascii_digit()).then_some(rest)
}

#[derive(Debug)]
struct Report {
    failure: Failure,
    frames: Vec<Place>,
}

impl Block for Report {
    fn line(&mut self, line: &Line<'_>) -> Taken {
        // The first stack is where it happened; those below tell where its memory came from.
        let Some(at) = said(line.text).map(str::trim_start) else { return Taken::No };
        let Some(at) = at.strip_prefix("at ").or(at.strip_prefix("by ")) else { return Taken::No };
        if let Some(span) = &mut self.failure.span {
            span[1] = line.span[1];
        }
        self.frames.extend(frame(at));
        Taken::Yes
    }

    fn end(mut self: Box<Self>) -> Option<Said> {
        super::place(self.frames, &mut self.failure);
        Some(Said::Fatal(self.failure))
    }
}

/// `0x109269: use_after (sim.c:30)`, of the user's own: valgrind's replacements of the C library have files
/// of their own, other libraries only `(in /usr/lib/…)`.
fn frame(text: &str) -> Option<Place> {
    let (_, rest) = text.split_once(": ")?;
    let (function, place) = rest.strip_suffix(')')?.rsplit_once(" (")?;
    let (file, line) = place.rsplit_once(':')?;
    let line = line.parse().ok()?;
    if file.starts_with("vg_") || file.starts_with("in ") {
        return None;
    }
    let function = function.split('(').next().unwrap_or(function);
    let name = function.rsplit("::").next().unwrap_or(function);
    Some(Place { file: Some(file.to_owned()), line: Some(line), function: Some(name.to_owned()) })
}

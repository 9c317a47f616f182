//! Python: an uncaught exception's traceback, and faulthandler's report of a dead interpreter.

use super::{Block, Said, Taken};
use crate::machine::Line;
use crate::python::{self, Fatal, Traceback};
use bv_schemas::{Failure, Kind};

/// Whether a traceback or a report begins here.
pub fn begins(line: &Line<'_>) -> Option<Said> {
    if let Some(fatal) = line.text.contains("Fatal Python error: ").then(|| Fatal::begins(line)).flatten() {
        return Some(Said::Block(Box::new(Report(fatal))));
    }
    // Python goes on after an exception in `__del__` and its like.
    let ignored = line.text.starts_with("Exception ignored ");
    if !ignored && !python::header(line.text) {
        return None;
    }
    let indent = line.text.len() - line.text.trim_start().len();
    let grouped = line.text.ends_with("+ Exception Group Traceback (most recent call last):");
    let state = if ignored { State::Header } else { State::Frames };
    let lines = vec![line.text.trim_start().to_owned()];
    let indent = if grouped { indent.saturating_sub(2) } else { indent };
    let lines = if grouped { vec![format!("  {}", lines[0])] } else { lines };
    Some(Said::Block(Box::new(Trace { lines, indent, grouped, ignored, state, span: line.span })))
}

/// A traceback, chained ones with it.
#[derive(Debug)]
struct Trace {
    lines: Vec<String>,
    /// Columns that the whole traceback stands to the right.
    indent: usize,
    grouped: bool,
    ignored: bool,
    state: State,
    span: [u64; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// A header must follow, blank lines before it.
    Header,
    /// Frames, up to the exception.
    Frames,
    /// The exception stands.
    Raised,
    /// A blank line below it: the words that lead to the next traceback may follow.
    Blank,
}

impl Block for Trace {
    fn line(&mut self, line: &Line<'_>) -> Taken {
        let text = line.text.trim_end();
        let outside = text.len() - text.trim_start().len() < self.indent;
        if !text.is_empty() && outside {
            return Taken::No;
        }
        let text = text.get(self.indent..).unwrap_or_default();
        let Some(state) = self.next(text) else { return Taken::No };
        self.state = state;
        if state == State::Raised {
            self.span[1] = line.span[1];
        }
        self.lines.push(text.to_owned());
        Taken::Yes
    }

    fn end(self: Box<Self>) -> Option<Said> {
        let read = Traceback::read(self.lines.iter().map(String::as_str));
        let exception = read.exception.as_ref()?;
        // Ctrl-C says nothing of the code.
        if self.ignored || read.frames.is_empty() || exception.name == "KeyboardInterrupt" {
            return None;
        }
        let kind = if exception.name == "AssertionError" { Kind::Assertion } else { Kind::Exception };
        let mut failure = Failure { kind, span: Some(self.span), ..Failure::default() };
        read.describe(&mut failure);
        read.place(&mut failure, None);
        super::place(std::mem::take(&mut failure.frames), &mut failure);
        Some(Said::Failure(failure))
    }
}

impl Trace {
    fn next(&mut self, text: &str) -> Option<State> {
        match self.state {
            State::Header if text.is_empty() => Some(State::Header),
            State::Header => {
                self.grouped = self.grouped || text.starts_with("  + Exception Group");
                python::header(text).then_some(State::Frames)
            }
            State::Frames if text.starts_with(' ') => Some(State::Frames),
            // A group's exception stands inside its margin.
            State::Frames if self.grouped && text.is_empty() => Some(State::Blank),
            State::Frames => python::exception(text).map(|_| State::Raised),
            State::Raised | State::Blank if text.is_empty() => Some(State::Blank),
            State::Raised => None,
            State::Blank => python::chained(text).then_some(State::Header),
        }
    }
}

/// faulthandler's report.
#[derive(Debug)]
struct Report(Fatal);

impl Block for Report {
    fn line(&mut self, line: &Line<'_>) -> Taken {
        self.0.line(line);
        // Words of a shell and of other tools may follow at once.
        let own = line.text.is_empty()
            || line.text.starts_with("  ")
            || ["Current thread ", "Thread ", "Python runtime state: ", "Extension modules: "]
                .iter()
                .any(|head| line.text.starts_with(head));
        match (own, self.0.is_done()) {
            (false, _) => Taken::No,
            (true, true) => Taken::Last,
            (true, false) => Taken::Yes,
        }
    }

    fn end(self: Box<Self>) -> Option<Said> {
        let mut failure = self.0.failure(None);
        super::place(std::mem::take(&mut failure.frames), &mut failure);
        Some(Said::Fatal(failure))
    }
}

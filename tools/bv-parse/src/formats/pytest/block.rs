//! One failure as pytest prints it, in any `--tb` style: between two headings of the terminal, in
//! the text of a JUnit element, in the `longrepr` of a JSON report.
//!
//! Lines come in one at a time, a [`Failure`] without its id goes out. Captured output is left alone.

use super::checks::Checks;
use super::closing::titled;
use super::doctest::Doctest;
use crate::python::{self, Exception, Traceback};
use bv_schemas::{Failure, Kind, Place};
use std::mem::take;

/// Frames that one block may hold; over it the middle ones go, as in an endless recursion.
const BLOCK_FRAMES_MAX: usize = 256;
/// Lines of one exception's text that are kept.
const BLOCK_LINES_MAX: usize = 2000;
/// Bytes of one line that are kept.
const BLOCK_LINE_BYTES_MAX: usize = 16 << 10;

/// What was running when it failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// The test itself.
    #[default]
    Call,
    /// A fixture before it.
    Setup,
    /// A fixture after it.
    Teardown,
    /// The loading of the test's file.
    Collect,
}

/// Reads one failure.
#[derive(Debug, Default)]
pub struct Block {
    /// Of the exception that surfaces last, outermost first.
    frames: Vec<Place>,
    /// Its `E` lines without that letter.
    said: Vec<String>,
    /// The type that stands behind the place of the last entry.
    type_at_place: Option<String>,
    /// A traceback in Python's own form (`--tb=native`, exception groups, doctests).
    native: Vec<String>,
    /// All else.
    plain: Vec<String>,
    /// The function whose source this entry shows.
    entry: Entry,
    /// `file …, line …` of a fixture that was not found: the `def` follows.
    lookup: bool,
    captured: Option<Captured>,
    checks: Checks,
    doctest: Doctest,
}

/// The source of one entry, as far as it tells the function's name.
#[derive(Debug, Default)]
enum Entry {
    #[default]
    Start,
    Decorated,
    Known(String),
    Unknown,
}

/// What the captured output below the traceback is.
#[derive(Debug, PartialEq, Eq)]
enum Captured {
    /// A test's output.
    Output,
    /// Before 6.60 Hypothesis reports in a section of its own.
    Hypothesis,
}

impl Block {
    /// Takes the next line.
    pub fn line(&mut self, text: &str) {
        if let Some(title) = titled(text, '-').filter(|_| text.starts_with("---")) {
            self.captured = Some(match title {
                "Hypothesis" => Captured::Hypothesis,
                _ => Captured::Output,
            });
            return;
        }
        match self.captured {
            Some(Captured::Output) => {}
            Some(Captured::Hypothesis) => keep(&mut self.said, text),
            None => self.told(text),
        }
    }

    /// Whether captured output is being read, in which anything may stand.
    pub fn in_captured(&self) -> bool {
        self.captured.is_some()
    }

    /// Whether nothing was told yet.
    pub fn is_empty(&self) -> bool {
        self.said.is_empty() && self.frames.is_empty() && self.plain.is_empty() && self.native.is_empty()
    }

    /// Whether the exception's own words were told: the block may end.
    pub fn has_said(&self) -> bool {
        !self.said.is_empty()
    }

    /// A line of the exception's text that carries no `E` (`--tb=line`).
    pub fn say(&mut self, text: &str) {
        keep(&mut self.said, text);
    }

    /// Takes a line with `--tb=line`; whether it is the block's last, which has the place and repeats
    /// the first line of the message. Before pytest 9 it is the only one.
    pub fn terse(&mut self, text: &str) -> bool {
        if let Some((place, message)) = crash_line(text) {
            let known = self.said.first().map(|said| said.trim());
            if known.is_none_or(|said| said == message.trim()) {
                if known.is_none() {
                    keep(&mut self.said, message);
                }
                self.frames.push(place);
                return true;
            }
        }
        // What is no exception (`[XPASS(strict)] reason`) is repeated up to 50 characters.
        if self.plain.first().is_some_and(|first| first.chars().take(50).eq(text.chars())) {
            return true;
        }
        match text.strip_prefix("    ") {
            Some(more) if !self.said.is_empty() && self.captured.is_none() => {
                keep(&mut self.said, &format!("   {more}"));
            }
            _ => self.line(text),
        }
        false
    }

    fn told(&mut self, text: &str) {
        if self.checks.line(text) || self.doctest.line(text) {
            return;
        }
        if !self.native.is_empty() {
            return keep(&mut self.native, text);
        }
        let group = text.starts_with("  + Exception Group Traceback");
        if group || text == "Traceback (most recent call last):" {
            return keep(&mut self.native, text);
        }
        if python::chained(text) {
            self.frames.clear();
            self.said.clear();
            self.type_at_place = None;
            self.entry = Entry::Start;
            return;
        }
        match text.as_bytes() {
            [b'E'] => keep(&mut self.said, ""),
            [b'E', b' ', ..] => keep(&mut self.said, &text[1..]),
            [b'>', ..] => self.entry.source(text),
            [b'_', b' ', b'_', ..] => self.entry = Entry::Start,
            [b' ', ..] => self.source(text),
            [] => self.entry.blank(),
            _ => self.place(text),
        }
    }

    fn source(&mut self, text: &str) {
        if take(&mut self.lookup) {
            if let (Some(function), Some(frame)) = (defined(text.trim_start()), self.frames.last_mut()) {
                frame.function = Some(function.to_owned());
            } else {
                // Decorators stand above the `def`.
                self.lookup = true;
            }
        }
        self.entry.source(text);
    }

    fn place(&mut self, text: &str) {
        if let Some((place, rest)) = located(text) {
            let mut place = place;
            match rest.strip_prefix("in ") {
                Some(function) => place.function = Some(function.to_owned()),
                None => {
                    place.function = take(&mut self.entry).function();
                    self.type_at_place = (!rest.is_empty()).then(|| rest.to_owned());
                }
            }
            self.entry = Entry::Start;
            return self.frame(place);
        }
        if let Some(place) = looked_up(text) {
            self.lookup = true;
            return self.frame(place);
        }
        let worker = text.starts_with("[gw") && text.contains(" -- Python ");
        if !worker {
            keep(&mut self.plain, text);
        }
    }

    fn frame(&mut self, place: Place) {
        if self.frames.len() == BLOCK_FRAMES_MAX {
            self.frames.remove(BLOCK_FRAMES_MAX / 2);
        }
        self.frames.push(place);
    }

    /// What the block says of a failure in this phase of this test.
    pub fn failure(mut self, phase: Phase, function: Option<&str>) -> Failure {
        let mut failure = Failure::default();
        if let Some(main) = take(&mut self.checks).failure() {
            return main;
        }
        let doctest = take(&mut self.doctest);
        let (traceback, lines) = self.traceback();
        traceback.place(&mut failure, function);
        if let Some(exception) = &traceback.exception {
            failure.message.clone_from(&exception.message);
            failure.exception_type = Some(exception.name.clone()).filter(|name| !name.is_empty());
            sides(exception, &mut failure);
        } else {
            failure.message =
                lines.iter().find(|line| !line.trim().is_empty()).map(|line| line.trim().to_owned());
        }
        let inner = traceback.inner.iter().filter_map(|inner| inner.exception.as_ref());
        let notes = traceback.exception.iter().chain(inner);
        let notes = notes.flat_map(|exception| exception.more.iter());
        failure.counterexample = python::counterexample(notes.chain(&lines).map(String::as_str));
        failure.kind = kind(phase, &failure, &traceback);
        doctest.fill(&mut failure, function);
        failure
    }

    /// The traceback, whichever style it was printed in, and the lines that are no exception.
    fn traceback(self) -> (Traceback, Vec<String>) {
        if !self.native.is_empty() {
            let mut traceback = Traceback::read(self.native.iter().map(String::as_str));
            if let Some(exception) = &mut traceback.exception {
                asserted(exception);
            }
            return (traceback, Vec::new());
        }
        let mut traceback = Traceback { frames: self.frames, ..Traceback::default() };
        if self.said.is_empty() {
            return (traceback, self.plain);
        }
        let said = dedented(self.said);
        if said[0].starts_with("  File \"") || said[0].starts_with("File \"") {
            let parsed = Traceback::read(said.iter().map(String::as_str));
            traceback.frames.extend(parsed.frames);
            traceback.exception = parsed.exception;
            return (traceback, said);
        }
        traceback.exception = exception(&said, self.type_at_place);
        (traceback, said)
    }
}

impl Entry {
    /// A source line, four columns of margin before it; the first `def` at its left edge names the
    /// function, and where the source begins with neither `def` nor decorator it is a module's.
    fn source(&mut self, text: &str) {
        if !matches!(self, Entry::Start | Entry::Decorated) {
            return;
        }
        let Some(code) = text.strip_prefix("    ").or_else(|| text.strip_prefix(">   ")) else { return };
        if let Some(function) = defined(code) {
            *self = Entry::Known(function.to_owned());
        } else if code.starts_with('@') {
            *self = Entry::Decorated;
        } else if matches!(self, Entry::Start) {
            *self = Entry::Unknown;
        }
    }

    /// An empty line parts the arguments, whose values may run over several lines, from the source.
    fn blank(&mut self) {
        if matches!(self, Entry::Unknown) {
            *self = Entry::Start;
        }
    }

    fn function(self) -> Option<String> {
        match self {
            Entry::Known(function) => Some(function),
            Entry::Start | Entry::Decorated | Entry::Unknown => None,
        }
    }
}

/// Keeps a line within the bounds.
fn keep(lines: &mut Vec<String>, text: &str) {
    if lines.len() < BLOCK_LINES_MAX {
        if text.len() <= BLOCK_LINE_BYTES_MAX {
            return lines.push(text.to_owned());
        }
        let cut = text.char_indices().map(|(at, _)| at).find(|&at| at >= BLOCK_LINE_BYTES_MAX);
        lines.push(text[..cut.unwrap_or(text.len())].to_owned());
    }
}

/// The name in `def name(`, `async def name(`, `class Name`.
fn defined(code: &str) -> Option<&str> {
    let code = code.strip_prefix("async ").unwrap_or(code);
    let name = code.strip_prefix("def ").or_else(|| code.strip_prefix("class "))?;
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    (end > 0).then(|| &name[..end])
}

/// `path:12: `, `path:12: in function`, `path:12: ExceptionType`.
fn located(text: &str) -> Option<(Place, &str)> {
    // A colon stands in Windows' paths too; the last one that a number and a colon follow is meant.
    let (before, rest) = match text.strip_suffix(':') {
        Some(before) => (before, ""),
        None => text.rsplit_once(": ")?,
    };
    let (file, line) = before.rsplit_once(':')?;
    let line: u64 = line.parse().ok()?;
    let rest = rest.trim_end();
    let named =
        |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_.<>".contains(c));
    let fits = rest.is_empty() || named(rest.strip_prefix("in ").unwrap_or(rest));
    if !fits || line == 0 || file.is_empty() || file.contains(" = ") {
        return None;
    }
    let place = Place { file: Some(file.to_owned()), line: Some(line), function: None };
    Some((place, rest))
}

/// `/a/b.py:14: ZeroDivisionError: division by zero`
fn crash_line(text: &str) -> Option<(Place, &str)> {
    let mut from = 0;
    while let Some(colon) = text[from..].find(':') {
        let at = from + colon;
        let rest = &text[at + 1..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if let Some(message) = rest[digits..].strip_prefix(": ")
            && digits > 0
            && at > 0
        {
            let place = Place {
                file: Some(text[..at].to_owned()),
                line: rest[..digits].parse().ok(),
                function: None,
            };
            return Some((place, message));
        }
        from = at + 1;
    }
    None
}

/// `file /a/test_a.py, line 40`: where a fixture was asked for that is not there.
fn looked_up(text: &str) -> Option<Place> {
    let (file, line) = text.strip_prefix("file ")?.rsplit_once(", line ")?;
    Some(Place { file: Some(file.to_owned()), line: Some(line.parse().ok()?), function: None })
}

/// The lines without the margin that all of them have.
fn dedented(lines: Vec<String>) -> Vec<String> {
    let margin = |line: &String| line.len() - line.trim_start_matches(' ').len();
    let least = lines.iter().filter(|line| !line.trim().is_empty()).map(margin).min().unwrap_or(0);
    let cut = |line: String| line.get(least..).map(str::to_owned).unwrap_or_default();
    lines.into_iter().map(cut).collect()
}

/// The exception that the `E` lines tell of. pytest leaves `AssertionError: ` off before a rewritten
/// assertion (`assert 1 == 2`).
fn exception(said: &[String], type_at_place: Option<String>) -> Option<Exception> {
    let first = said.first()?;
    let more = said[1..].to_vec();
    if first.starts_with("assert ") {
        return Some(Exception { name: "AssertionError".to_owned(), message: Some(first.clone()), more });
    }
    if let Some(exception) = python::exception(first) {
        return Some(Exception { more, ..exception });
    }
    // A type that only its place names, as of a message with a type that Python could not print.
    let name = type_at_place?;
    let short = name.rsplit('.').next().unwrap_or(&name);
    let message = first.strip_prefix(short).and_then(|rest| rest.strip_prefix(": "));
    let message = message.unwrap_or(first).to_owned();
    Some(Exception { name, message: Some(message), more })
}

/// In Python's own form the rewritten assertion follows the type at once.
fn asserted(exception: &mut Exception) {
    if exception.name.starts_with("assert ") {
        exception.message = Some(std::mem::replace(&mut exception.name, "AssertionError".to_owned()));
    }
}

/// The two sides that the exception's words name.
fn sides(exception: &Exception, failure: &mut Failure) {
    let Some(message) = &exception.message else { return };
    if message.starts_with("assert [+ received] == [- snapshot]") {
        return snapshot(exception, failure);
    }
    let rewritten = std::iter::once(message)
        .chain(exception.more.iter().take_while(|line| !is_example(line)))
        .find(|line| line.starts_with("assert "));
    let own = exception.name.rsplit('.').next() == Some("AssertionError");
    let found = match rewritten {
        Some(line) if own => python::asserted(line),
        _ if own => python::said(message, &exception.more),
        _ => None,
    };
    if let Some(found) = found {
        found.fill(failure);
    }
}

fn is_example(line: &str) -> bool {
    line.starts_with("Falsifying ") || line.starts_with("Failing ")
}

/// syrupy's diff: `-` is the stored snapshot, `+` what came.
fn snapshot(exception: &Exception, failure: &mut Failure) {
    let side = |sign: char| {
        let lines = exception.more.iter().filter_map(|line| line.trim_start().strip_prefix(sign));
        let lines: Vec<&str> = lines.map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end()).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    };
    failure.expected = side('-');
    failure.observed = side('+');
}

fn kind(phase: Phase, failure: &Failure, traceback: &Traceback) -> Kind {
    let message = failure.message.as_deref().unwrap_or_default();
    let name = failure.exception_type.as_deref().unwrap_or_default();
    let name = name.rsplit('.').next().unwrap_or_default();
    if name == "Failed" && message.starts_with("Timeout ") {
        return Kind::Timeout;
    }
    match phase {
        Phase::Collect => return Kind::CollectionError,
        Phase::Setup | Phase::Teardown => return Kind::SetupError,
        Phase::Call => {}
    }
    let more = traceback.exception.iter().flat_map(|exception| exception.more.iter());
    if failure.counterexample.is_some() || more.into_iter().any(|line| is_example(line)) {
        return Kind::Property;
    }
    if message.starts_with("assert [+ received] == [- snapshot]")
        || message.starts_with("value does not match the expected value in snapshot")
    {
        return Kind::Snapshot;
    }
    if name.is_empty() && message.starts_with("worker '") && message.contains(" crashed while running ") {
        return Kind::Crash;
    }
    match name {
        "" | "AssertionError" | "Failed" => Kind::Assertion,
        _ => Kind::Exception,
    }
}

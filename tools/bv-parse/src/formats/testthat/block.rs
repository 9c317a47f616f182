//! One expectation that failed, and the words and calls below its heading.
//!
//! ```text
//! ── Error ('test-cart.R:6'): ship fails ─────────────────────
//! Error in `check_to(to)`: nowhere to ship: NA
//! Backtrace:
//!  1. global ship(NA)
//!       at test-cart.R:6:2
//!  2. global check_to(to)
//! ```

use crate::machine::Line;
use crate::values::Sides;
use bv_schemas::record::FRAMES_MAX;
use bv_schemas::{Failure, Kind, Place};

/// Lines kept of one block.
const LINES_MAX: usize = 500;

/// What a heading begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// An expectation that does not hold.
    Failure,
    /// An error.
    Error,
    /// A skip, a warning.
    Other,
}

/// A heading.
#[derive(Debug, PartialEq, Eq)]
pub struct Head {
    /// What it begins with.
    pub label: Label,
    place: Option<Place>,
    /// The test's name; absent for code outside of tests.
    id: Option<String>,
}

impl Head {
    /// `── 3. Error ('test-cart.R:6:3'): ship fails ───`, with or without the rule and the number.
    pub fn read(text: &str) -> Option<Head> {
        let text = text.strip_prefix("── ").unwrap_or(text);
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let text = text[digits..].strip_prefix(". ").filter(|_| digits > 0).unwrap_or(text);
        let (word, rest) = text.split_once(" (")?;
        let label = match word {
            "Failure" => Label::Failure,
            "Error" => Label::Error,
            "Skip" | "Warning" => Label::Other,
            _ => return None,
        };
        let (place, name) = rest.split_once("): ")?;
        let place = place.trim_matches(['\'', '‘', '’']);
        let name = name.trim_end_matches(['─', ' ']);
        let outside = name.starts_with("(code run outside of ") || name.is_empty();
        let place = crate::finding::position(place).map(|(file, line)| Place {
            file: Some(file.to_owned()),
            line: Some(line),
            function: None,
        });
        // A dash stands where testthat knows no place.
        (place.is_some() || rest.starts_with("-)")).then_some(())?;
        Some(Head { label, place, id: (!outside).then(|| name.to_owned()) })
    }
}

/// A heading and the lines below it.
#[derive(Debug)]
pub struct Block {
    head: Head,
    lines: Vec<String>,
    span: [u64; 2],
}

impl Block {
    /// Begins below its heading.
    pub fn new(head: Head, span: [u64; 2]) -> Block {
        Block { head, lines: Vec::new(), span }
    }

    /// Takes a line.
    pub fn push(&mut self, line: &Line<'_>, text: &str) {
        if self.lines.len() < LINES_MAX {
            self.lines.push(text.to_owned());
        }
        if !text.is_empty() {
            self.span[1] = line.span[1];
        }
    }

    /// The failure, unless it tells of none.
    pub fn failure(self) -> Option<Failure> {
        if self.head.label == Label::Other {
            return None;
        }
        let lines: Vec<&str> = self.lines.iter().map(String::as_str).collect();
        let trace = lines.iter().position(|line| line.trim() == "Backtrace:").unwrap_or(lines.len());
        let (words, trace) = lines.split_at(trace);
        let first = words.iter().map(|line| line.trim()).find(|line| !line.is_empty()).unwrap_or_default();
        let mut failure =
            Failure { id: self.head.id, test: self.head.place, span: Some(self.span), ..Failure::default() };
        if self.head.label == Label::Error {
            failure.kind = Kind::Exception;
            let (thrown_by, message) = thrown(first);
            // The condition's own words may stand below the call.
            let below = || words.iter().map(|line| line.trim()).find_map(|line| line.strip_prefix("! "));
            failure.message =
                Some(if message.is_empty() { below().unwrap_or(first) } else { message }.to_owned());
            locate(trace, thrown_by, &mut failure);
        } else {
            if first.starts_with("Snapshot of ") {
                failure.kind = Kind::Snapshot;
            }
            failure.message = Some(first.to_owned()).filter(|message| !message.is_empty());
            sides(words).fill(&mut failure);
        }
        Some(failure)
    }
}

/// ``Error in `check_to(to)`: nowhere to ship: NA``: the function, and the words.
fn thrown(text: &str) -> (Option<&str>, &str) {
    if let Some(message) = text.strip_prefix("Error: ") {
        return (None, message);
    }
    let read = || {
        let (call, message) = text.strip_prefix("Error in `")?.split_once("`:")?;
        let function = call.split_once('(').map_or(call, |(name, _)| name);
        Some((Some(function), message.trim_start()))
    };
    read().unwrap_or((None, text))
}

/// A place in a backtrace is that of a call: it stands in the function of the call above it. Where the calls lead
/// out of the test's file, the deepest place is the fault's; else the function that raised the error is all that is
/// known of it.
fn locate(trace: &[&str], thrown_by: Option<&str>, failure: &mut Failure) {
    let mut calls: Vec<(Option<String>, Option<Place>)> = Vec::new();
    for line in trace {
        if let Some(call) = called(line) {
            calls.push((call, None));
        }
        let place = line.rsplit_once(" at ").and_then(|(_, at)| crate::finding::position(at.trim()));
        if let (Some((file, line)), Some(last)) =
            (place.filter(|(file, _)| !file.contains(' ')), calls.last_mut())
        {
            last.1 = Some(Place { file: Some(file.to_owned()), line: Some(line), function: None });
        }
    }
    let mut around = None;
    let mut frames = Vec::new();
    for (function, place) in calls {
        if let Some(place) = place {
            frames.push(Place { function: around, ..place });
        }
        around = function;
    }
    frames.reverse();
    let tail =
        |place: &Place| place.file.as_deref().and_then(|file| file.rsplit('/').next()).map(str::to_owned);
    let in_test = |frame: &Place| failure.test.as_ref().is_some_and(|test| tail(test) == tail(frame));
    let deepest = frames.first().filter(|frame| !in_test(frame)).cloned();
    let named = || {
        thrown_by
            .filter(|name| around.as_deref() == Some(*name))
            .map(|name| Place { function: Some(name.to_owned()), ..Place::default() })
    };
    let fault = deepest.or_else(named);
    failure.fault = fault;
    if frames.len() > 1 {
        frames.truncate(FRAMES_MAX);
        failure.frames = frames;
    }
}

/// ` 2. └─cart:::check_to(to) at R/cart.R:6:2`: the user's function that is called, if it is one.
fn called(line: &str) -> Option<Option<String>> {
    let text = line.trim_start();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let text = text[digits..].strip_prefix(". ").filter(|_| digits > 0)?;
    let text = text.trim_start_matches([' ', '│', '├', '└', '─']);
    let (name, _) = text.split_once('(')?;
    let name = name.strip_prefix("global ").unwrap_or(name);
    let library =
        name.split_once("::").is_some_and(|(package, _)| matches!(package, "testthat" | "base" | "rlang"));
    let name = name.rsplit("::").next().unwrap_or(name).trim_start_matches(':');
    Some((!library && !name.is_empty()).then(|| name.to_owned()))
}

/// What waldo or testthat's second edition shows of both sides.
fn sides(words: &[&str]) -> Sides {
    let side = |name: &str| {
        words.iter().find_map(|line| {
            let rest = line.trim_start().strip_prefix('`')?.strip_prefix(name)?;
            // `actual$b`, `actual[[1]]`: a part of it.
            let (part, value) = rest.split_once('`')?;
            let value = value.strip_prefix(':').or_else(|| value.strip_prefix(" is "))?;
            (part.is_empty() || part.starts_with(['$', '['])).then(|| value.trim().to_owned())
        })
    };
    let named = |label: &str| words.iter().find_map(|line| line.strip_prefix(label)).map(str::to_owned);
    Sides { expected: side("expected"), observed: side("actual").or_else(|| named("Actual value: ")) }
}

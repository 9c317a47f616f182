//! One block of busted's, and luassert's message in it:
//!
//! ```text
//! Failure -> spec/vec_spec.lua @ 10
//! vec len is five
//! spec/vec_spec.lua:11: Expected objects to be equal.
//! Passed in:
//! (number) 5
//! Expected:
//! (number) 6
//! ```

use crate::values::Sides;
use bv_schemas::record::FRAMES_MAX;
use bv_schemas::{Failure, Kind, Place};

/// Lines kept of one block.
const LINES_MAX: usize = 500;

/// What a block tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// A test that did not run.
    Pending,
    /// A check that failed.
    Failure,
    /// An error that was thrown, or a file that could not be loaded.
    Error,
}

/// One block, as far as it came.
#[derive(Debug)]
pub struct Block {
    /// What it tells of.
    pub label: Label,
    /// What stands behind the arrow.
    head: String,
    lines: Vec<String>,
    span: [u64; 2],
}

impl Block {
    /// The block that begins in this line.
    pub fn begins(text: &str, span: [u64; 2]) -> Option<Block> {
        let (word, rest) = text.split_once(' ')?;
        let label = match word {
            "Pending" => Label::Pending,
            "Failure" => Label::Failure,
            "Error" => Label::Error,
            _ => return None,
        };
        let head = rest.strip_prefix("-> ").or_else(|| rest.strip_prefix("→ "))?;
        Some(Block { label, head: head.to_owned(), lines: Vec::new(), span })
    }

    /// Takes a line.
    pub fn push(&mut self, text: &str, span: [u64; 2]) {
        if self.lines.len() < LINES_MAX {
            self.lines.push(text.to_owned());
        }
        if !text.is_empty() {
            self.span[1] = span[1];
        }
    }

    /// Whether the name of its test came.
    pub fn is_named(&self) -> bool {
        !self.lines.is_empty()
    }

    /// Whether the line below those that came may be its own.
    pub fn goes_on(&self, text: &str) -> bool {
        match (self.label, start(&self.head)) {
            (Label::Error, Some(_)) => {
                let lines: Vec<&str> = self.lines.iter().map(String::as_str).collect();
                lines.len() < 2 || text.starts_with([' ', '\t']) || is_open(&lines[1..])
            }
            (Label::Error, None) => {
                let file = placed(&self.head).0.and_then(|place| place.file);
                file.is_none_or(|file| !self.lines.contains(&file))
            }
            _ => true,
        }
    }

    /// The failure that it tells of.
    pub fn failure(self) -> Failure {
        let kind = if self.label == Label::Error { Kind::Exception } else { Kind::Assertion };
        let lines: Vec<&str> = self.lines.iter().map(String::as_str).collect();
        match start(&self.head) {
            Some(start) => {
                let (name, message) = lines.split_first().map_or(("", &[][..]), |(name, rest)| (*name, rest));
                failure(name, Some(start), kind, message, self.span)
            }
            None => unloaded(&self.head, &lines, self.span),
        }
    }
}

/// `spec/vec_spec.lua @ 10`: where a test begins.
pub fn start(text: &str) -> Option<Place> {
    let (file, line) = text.rsplit_once(" @ ")?;
    Some(Place { file: Some(file.to_owned()), line: Some(line.parse().ok()?), function: None })
}

/// A file that could not be loaded: the message comes first, its name last.
fn unloaded(head: &str, lines: &[&str], span: [u64; 2]) -> Failure {
    let (place, message) = placed(head);
    let file = place.as_ref().and_then(|place| place.file.as_deref());
    let last = || lines.iter().rev().find(|line| !line.is_empty());
    let id = lines.iter().find(|line| Some(**line) == file).or_else(last).map(|line| (*line).to_owned());
    Failure {
        id,
        kind: Kind::CollectionError,
        message: Some(message.to_owned()),
        test: place,
        span: Some(span),
        ..Failure::default()
    }
}

/// The failure of a test that begins at `start`.
pub fn failure(name: &str, start: Option<Place>, kind: Kind, lines: &[&str], span: [u64; 2]) -> Failure {
    let traceback = lines.iter().position(|line| line.starts_with("stack traceback:"));
    let (lines, traceback) = lines.split_at(traceback.unwrap_or(lines.len()));
    let (place, first) = placed(lines.first().copied().unwrap_or_default());
    let mut failure = Failure { kind, span: Some(span), ..Failure::default() };
    failure.message = Some(match kind {
        // A table that was thrown is printed over several lines.
        Kind::Exception => {
            let more = (1..lines.len()).take_while(|&at| is_open(&lines[..at])).map(|at| lines[at].trim());
            std::iter::once(first).chain(more).collect::<Vec<_>>().join(" ")
        }
        _ => first.to_owned(),
    })
    .filter(|message| !message.is_empty());
    if kind == Kind::Assertion {
        sides(lines).fill(&mut failure);
    }
    locate(place, start, &frames(traceback), &mut failure);
    failure.id = Some(name.to_owned()).filter(|name| !name.is_empty());
    failure
}

/// Whether a table begins in these lines that does not end in them.
fn is_open(lines: &[&str]) -> bool {
    let count = |brace: char| lines.iter().map(|line| line.matches(brace).count()).sum::<usize>();
    count('{') > count('}')
}

/// The message stands in the test's own file, or in another: then that is the fault's.
fn locate(place: Option<Place>, start: Option<Place>, frames: &[Place], failure: &mut Failure) {
    let same = |a: &Place, b: &Place| own_path(a) == own_path(b);
    let Some(start) = start else {
        failure.test = place;
        return;
    };
    // The test's line, where a traceback tells it.
    let called = || frames.iter().find(|frame| same(frame, &start)).map(|frame| frame.line);
    match place {
        Some(place) if same(&place, &start) => failure.test = Some(Place { file: start.file, ..place }),
        place => {
            let line = called().unwrap_or(start.line);
            let named = |fault: Place| {
                frames.iter().find(|f| same(f, &fault) && f.line == fault.line).cloned().unwrap_or(fault)
            };
            failure.fault = place.map(named);
            failure.test = Some(Place { line, ..start });
        }
    }
    if frames.len() > 1 {
        failure.frames = frames.iter().take(FRAMES_MAX).cloned().collect();
    }
}

fn own_path(place: &Place) -> &str {
    let file = place.file.as_deref().unwrap_or_default();
    file.strip_prefix("./").unwrap_or(file)
}

/// The user's own frames: `\t./lib/cart.lua:9: in function 'ship'`.
fn frames(traceback: &[&str]) -> Vec<Place> {
    let read = |line: &&str| {
        let (place, function) = line.trim_start().split_once(": in ")?;
        let (file, line) = place.rsplit_once(':')?;
        let function = function
            .rsplit_once('\'')
            .and_then(|(rest, _)| rest.rsplit_once('\''))
            .map(|(_, name)| name.to_owned());
        Some(Place { file: Some(file.to_owned()), line: Some(line.parse().ok()?), function })
    };
    let is_own = |place: &Place| {
        let file = own_path(place);
        !(file.starts_with('[')
            || file.contains("/busted/")
            || file.contains("/luassert/")
            || file.contains("mediator.lua"))
    };
    traceback.iter().filter_map(read).filter(is_own).collect()
}

/// `./lib/vec.lua:9: vector expected` to the place and the rest.
fn placed(text: &str) -> (Option<Place>, &str) {
    let read = || {
        let (file, rest) = text.split_once(".lua:")?;
        let (line, message) = rest.split_once(": ")?;
        let file = format!("{file}.lua");
        (!file.contains(' ')).then_some(())?;
        Some((Place { file: Some(file), line: Some(line.parse().ok()?), function: None }, message))
    };
    read().map_or((None, text), |(place, message)| (Some(place), message))
}

/// Luassert's two sides. What must not be is no expectation.
fn sides(lines: &[&str]) -> Sides {
    let after = |label: &str| {
        let at = lines.iter().position(|line| line.ends_with(label))?;
        let is_label = |line: &str| {
            line.is_empty() || matches!(line, "Passed in:" | "Expected:" | "Caught:" | "Did not expect:")
        };
        let value: Vec<&str> = lines[at + 1..].iter().copied().take_while(|line| !is_label(line)).collect();
        (!value.is_empty()).then(|| changed(&value).unwrap_or_else(|| value.join("\n")))
    };
    Sides {
        expected: after("Expected:"),
        observed: after("Passed in:").or_else(|| after("Caught:")).or_else(|| after("but value was:")),
    }
}

/// The lines of a table that luassert stars for they differ; those around a starred one are starred too.
fn changed(value: &[&str]) -> Option<String> {
    if !value[0].starts_with("(table") {
        return None;
    }
    let starred = value[1..].iter().filter_map(|line| line.trim_start().strip_prefix('*'));
    let lines: Vec<&str> = starred.filter(|line| !line.ends_with('{')).map(without_closers).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// The last field of a table is followed by the brace that closes it.
fn without_closers(line: &str) -> &str {
    let mut line = line.trim();
    while let Some(rest) = line.strip_suffix(" }")
        && line.matches('{').count() < line.matches('}').count()
    {
        line = rest;
    }
    line
}

/// Whether a TAP comment begins busted's message.
pub fn is_tap_message(comment: &str) -> bool {
    comment.starts_with("Failure message: ")
}

/// The failure of a TAP result with these comments. TAP does not tell a failed check from an error: Lua's own
/// words and those from other files are errors.
pub fn tap_failure(name: &str, comments: &[&str], span: [u64; 2]) -> Failure {
    let start = comments.iter().find_map(|comment| start(comment));
    let at = comments.iter().position(|comment| is_tap_message(comment)).unwrap_or(0);
    let mut lines = comments[at..].to_vec();
    if let Some(first) = lines.first_mut() {
        *first = first.strip_prefix("Failure message: ").unwrap_or(first);
    }
    let (place, message) = placed(lines.first().copied().unwrap_or_default());
    let elsewhere =
        place.zip(start.as_ref()).is_some_and(|(place, start)| own_path(&place) != own_path(start));
    let checked = !sides(&lines).is_empty();
    let kind = match !checked && (elsewhere || message.starts_with("attempt to ")) {
        true => Kind::Exception,
        false => Kind::Assertion,
    };
    failure(name, start, kind, &lines, span)
}

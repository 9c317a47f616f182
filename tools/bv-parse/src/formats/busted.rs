//! busted 2, Lua's test runner: the plain and UTF-8 terminal output, and the JSON one
//! (`busted/outputHandlers/` in <https://github.com/lunarmodules/busted>). Its TAP is read by `tap.rs`, with the
//! messages of `busted/block.rs`; its imitation of GoogleTest by `gtest.rs`.
//!
//! busted prints its tally first (`1 success / 2 failures / 2 errors / 1 pending : 0.018679 seconds`) and then
//! one block a pending, failed or broken test. A red run's section opens with the tally and closes when that
//! many blocks came. A test may print a tally too: where none of the marks that tests leave (`++-*.`) stands
//! above one, a later tally makes it void.

mod block;
mod json;

use crate::document::{Document, Taken};
use crate::held::Held;
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use crate::values::milliseconds;
use block::{Block, Label};
use bv_schemas::{Counts, Failure, Kind, Reason};

pub use block::{is_tap_message, tap_failure};

/// The table's line.
pub const FORMAT: Format = Format {
    name: "busted",
    commands: &["busted"],
    needles: &[" pending : ", "\"pendings\":["],
    new: || Box::<Busted>::default(),
};

/// See the head of this file.
#[derive(Default)]
struct Busted {
    /// The line before ends with a test's mark.
    marked: bool,
    run: Option<Run>,
    json: Option<Document>,
}

/// A run whose tally came.
struct Run {
    tally: Tally,
    /// A test's mark stood above it.
    sure: bool,
    /// Blocks that are still to come.
    owed: u64,
    block: Option<Block>,
    /// The last block met a blank line.
    paused: bool,
    held: Held,
}

/// The numbers of a tally.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    successes: u64,
    failures: u64,
    errors: u64,
    pendings: u64,
    duration_ms: Option<u64>,
}

impl Machine for Busted {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten || self.in_document(line, out) {
            return;
        }
        let text = line.text.trim_end();
        if text.contains(" pending : ")
            && let Some(tally) = Tally::read(text)
        {
            self.tally(tally, out);
        } else if let Some(run) = &mut self.run
            && !run.line(text, line.span)
        {
            self.close(out);
        }
        self.marked = is_mark(text);
    }

    fn end(&mut self, out: &mut Out) {
        if self.json.is_some() {
            out.open();
        }
        self.close(out);
    }

    fn owns_lines(&self) -> bool {
        self.json.is_some() || self.run.as_ref().is_some_and(|run| run.block.is_some() && !run.is_whole())
    }
}

impl Busted {
    fn tally(&mut self, tally: Tally, out: &mut Out) {
        let sure = self.marked;
        if self.run.as_ref().is_some_and(|run| run.sure) {
            self.close(out);
        }
        out.open();
        let owed = tally.failures + tally.errors + tally.pendings;
        self.run = Some(Run { tally, sure, owed, block: None, paused: false, held: Held::default() });
        if sure && tally.red() == 0 {
            self.close(out);
        }
    }

    fn close(&mut self, out: &mut Out) {
        if let Some(mut run) = self.run.take() {
            run.block_ends();
            out.tests_seen += run.tally.successes + run.tally.red();
            close(&run.tally, run.held, out);
        }
    }

    /// Whether the line is part of a JSON document.
    fn in_document(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let (document, taken) = match self.json.take() {
            Some(mut document) => {
                let taken = document.take(line.text, line.span);
                (document, taken)
            }
            None if line.text.starts_with('{')
                && line.text.contains("\"pendings\":[")
                && line.text.contains("\"successes\":[") =>
            {
                Document::begin(line.text, line.span)
            }
            None => return false,
        };
        match taken {
            Taken::More => self.json = Some(document),
            Taken::Whole(report) => {
                if let Some((tally, held)) = json::read(&report, line.span) {
                    out.open();
                    close(&tally, held, out);
                }
            }
            Taken::Broken => {}
        }
        true
    }
}

impl Run {
    /// Takes a line; false where the run is over.
    fn line(&mut self, text: &str, span: [u64; 2]) -> bool {
        let follows = text.starts_with("stack traceback:");
        let over = self.paused || self.block.as_ref().is_some_and(|block| !block.goes_on(text));
        if self.is_whole() && over && !text.is_empty() && !follows {
            return false;
        }
        self.paused = text.is_empty() && self.block.as_ref().is_some_and(Block::is_named);
        if self.owed > 0
            && let Some(block) = Block::begins(text, span)
        {
            self.block_ends();
            self.owed -= 1;
            self.block = Some(block);
        } else if let Some(block) = &mut self.block {
            block.push(text, span);
        }
        true
    }

    fn is_whole(&self) -> bool {
        self.owed == 0
    }

    fn block_ends(&mut self) {
        let Some(block) = self.block.take() else { return };
        if block.label != Label::Pending {
            self.held.push(block.failure());
        }
    }
}

/// Says what is held and closes the section.
fn close(tally: &Tally, mut held: Held, out: &mut Out) {
    const NOTHING: &str = "No test files found matching Lua pattern: ";
    let message = |failure: &Failure| failure.message.clone().unwrap_or_default();
    let nothing =
        held.iter_mut().map(|failure| message(failure)).find(|message| message.starts_with(NOTHING));
    let ran = tally.successes + tally.failures > 0
        || held.iter_mut().any(|failure| failure.kind != Kind::CollectionError);
    let says = match (tally.red().max(held.len()), nothing.is_some() && !ran, ran, tally.successes) {
        // An error to busted, too.
        (_, true, ..) => Says::Refused(Reason::NoTests),
        (1.., _, false, _) if !held.is_empty() => Says::Refused(Reason::CollectionError),
        (1.., ..) => Says::Red,
        (0, _, _, 0) => Says::NoTests,
        _ => Says::Green,
    };
    let counts = Counts {
        passed: Some(tally.successes),
        failed: Some(tally.failures),
        // What stands in its place where nothing was found is no test.
        errored: Some(tally.errors).filter(|_| says != Says::Refused(Reason::NoTests)),
        skipped: Some(tally.pendings),
    };
    if says != Says::Refused(Reason::NoTests) {
        let unnamed = tally.red().saturating_sub(held.len());
        held.say(out);
        out.unnamed(unnamed);
    }
    let message = nothing.filter(|_| says == Says::Refused(Reason::NoTests));
    out.close(Closing { says, counts, duration_ms: tally.duration_ms, message });
}

impl Tally {
    fn read(text: &str) -> Option<Tally> {
        let (numbers, time) = text.split_once(" : ")?;
        let seconds = time.strip_suffix(" seconds")?;
        let mut tally = Tally { duration_ms: milliseconds(seconds.parse().ok()?), ..Tally::default() };
        let mut parts = numbers.split(" / ");
        let mut number = |one: &str, many: &str| {
            let (number, word) = parts.next()?.split_once(' ')?;
            (word == one || word == many).then(|| number.parse::<u64>().ok()).flatten()
        };
        tally.successes = number("success", "successes")?;
        tally.failures = number("failure", "failures")?;
        tally.errors = number("error", "errors")?;
        tally.pendings = number("pending", "pending")?;
        parts.next().is_none().then_some(tally)
    }

    fn red(&self) -> u64 {
        self.failures + self.errors
    }
}

/// Whether the line ends with a test's mark. A full stop is a pending test's only among others.
fn is_mark(text: &str) -> bool {
    const MARKS: &[char] = &['+', '-', '*', '.', '●', '◼', '✱', '◌'];
    match text.chars().next_back() {
        None => false,
        Some('.') => text.chars().all(|mark| MARKS.contains(&mark)),
        Some(last) => MARKS.contains(&last),
    }
}

#[cfg(test)]
mod tests;

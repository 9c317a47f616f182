//! What a runner's format is: a line machine, and what it may say.
//!
//! A machine takes cleaned lines one at a time and says what it learned through [`Out`]. It never
//! fails: what it cannot read it leaves out. It does not know of other machines, of the exit status
//! or of the verdict; the engine and `verdict.rs` do.

use bv_schemas::{Counts, Failure, Reason, Test};

/// A runner that is known by its output. One table, `formats::FORMATS`, holds them all.
pub struct Format {
    /// The runner's name in `end.runner`, and for `--format`. A result file that several runners
    /// write has its own name here, and says through [`Out::runner`] who wrote it.
    pub name: &'static str,
    /// The runner's commands, for a shell's `command not found` and the `bv-run:` line.
    pub commands: &'static [&'static str],
    /// Texts of which one must stand in a line before a machine is made: few, long, and rare in
    /// other output. Case counts.
    pub needles: &'static [&'static str],
    /// A fresh machine, made when a line holds one of `needles`; that line is the first it gets.
    pub new: fn() -> Box<dyn Machine>,
}

/// One line of the stream after cleaning.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// The text without escapes, wrapper prefix and newline. TABs are kept; no other control
    /// character is in it.
    pub text: &'a str,
    /// `[first byte, past last byte]` of the line in the raw stream, its newline included.
    pub span: [u64; 2],
    /// A carriage return overwrote this text and it speaks of failure; a terminal would not show it.
    pub overwritten: bool,
}

/// Reads one runner's output, line by line.
pub trait Machine {
    /// Takes the next line.
    fn line(&mut self, line: &Line<'_>, out: &mut Out);

    /// The stream ended; whatever is held must be said now, and a section that is open stays open.
    fn end(&mut self, out: &mut Out);

    /// Whether the lines to come are this runner's alone (a failure block with captured output, a result
    /// file): no other machine gets them then. A section that is open needs no word: another runner that
    /// speaks in it is a test's output, unless the section never closes.
    fn owns_lines(&self) -> bool {
        false
    }
}

/// How a section ends, in the runner's own words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Says {
    /// At least one test ran and none failed.
    Green,
    /// Nothing failed as far as the runner shows, but it has no closing words for that (`pytest -qq`), or counts
    /// warnings that may be too many for it (ESLint): green where the exit status is known to be 0, unclosed
    /// where none is known.
    GreenAtExit0,
    /// All commands that it ran ended well; whether a test ran in them is for their own runners to say. Green
    /// where one of those is green, or where commands were seen and the exit status is known to be 0; else
    /// nothing ran, as far as is known.
    GreenInside {
        /// Commands were seen to run.
        commands: bool,
    },
    /// Something failed.
    Red,
    /// Nothing ran: none found, none selected, all skipped.
    NoTests,
    /// Nothing could run.
    Refused(Reason),
}

impl Says {
    /// By how many tests or checks failed and how many were good: green where there was one and none failed.
    pub fn of(red: u64, good: u64) -> Says {
        match (red, good) {
            (1.., _) => Says::Red,
            (0, 1..) => Says::Green,
            (0, 0) => Says::NoTests,
        }
    }
}

/// A runner's closing statement on one section.
#[derive(Clone, Debug, PartialEq)]
pub struct Closing {
    /// Its verdict.
    pub says: Says,
    /// Its own counts.
    pub counts: Counts,
    /// Its own time.
    pub duration_ms: Option<u64>,
    /// Its words for a refusal, one line.
    pub message: Option<String>,
}

/// What a machine may say. Order is kept.
#[derive(Debug)]
pub enum Event {
    /// A section began (a session, a test binary): it must close before anything can pass.
    Open,
    /// The same of a runner of other runners (tox): what they say in it is no test's output but stands.
    OpenAround,
    /// One failure, complete. Say it when the section closes, so that retries, recaps and details
    /// printed elsewhere are in it.
    Failure(Box<Failure>),
    /// Failures that are counted and not named, or over [`HELD_MAX`].
    Unnamed(u64),
    /// One test that did not fail.
    Test(Test),
    /// The section closed. Without an `Open` before it, it is a section of its own.
    Close(Closing),
    /// The runner that wrote this result file names itself.
    Runner(&'static str),
    /// The section that closed last was this runner's: its own lines came late (standard output below
    /// standard error, in a pipe).
    RanBy(&'static str),
    /// The section that this machine closed last goes on: its closing statement was a test's own words. What was
    /// said of it is void, and is said again when it closes.
    Reopen,
    /// The section that is open says again what this machine's sections said that closed since it last
    /// said so: a wrapper's summary of what it passed on. They count no more.
    Restate,
}

/// Failures that a machine holds at most; what is over is counted with [`Event::Unnamed`].
pub const HELD_MAX: usize = 10_000;

/// Where a machine puts what it says.
#[derive(Debug, Default)]
pub struct Out {
    /// In the order said; the engine drains it after each line.
    pub events: Vec<Event>,
    /// Whether `test` records are wanted (`--all`).
    pub all: bool,
    /// Tests that a machine saw end, for a progress line; machines count here, whatever `all` says.
    pub tests_seen: u64,
    /// See [`Out::mine`].
    pub is_mine: bool,
    /// The checker that the `bv-run:` line or `--format` names (`clippy`), for what its output alone does not
    /// tell from another's.
    pub checker: Option<&'static str>,
}

impl Out {
    /// A section began.
    pub fn open(&mut self) {
        self.events.push(Event::Open);
    }

    /// A section began in which other runners speak for themselves.
    pub fn open_around(&mut self) {
        self.events.push(Event::OpenAround);
    }

    /// One complete failure.
    pub fn failure(&mut self, failure: Failure) {
        self.events.push(Event::Failure(Box::new(failure)));
    }

    /// One test that did not fail; dropped unless `--all` asks for it.
    pub fn test(&mut self, test: Test) {
        if self.all {
            self.events.push(Event::Test(test));
        }
    }

    /// `n` failures that the runner counts and nothing names.
    pub fn unnamed(&mut self, n: u64) {
        if n > 0 {
            self.events.push(Event::Unnamed(n));
        }
    }

    /// This line is in the runner's own grammar, such as a test's result: no other runner can mean it, so
    /// that nobody needs to look for needles in it. Most lines of a long log are of this kind.
    pub fn mine(&mut self) {
        self.is_mine = true;
    }

    /// The section closed.
    pub fn close(&mut self, closing: Closing) {
        self.events.push(Event::Close(closing));
    }

    /// The runner that wrote this result file names itself.
    pub fn runner(&mut self, name: &'static str) {
        self.events.push(Event::Runner(name));
    }

    /// The section that closed last was this runner's.
    pub fn ran_by(&mut self, name: &'static str) {
        self.events.push(Event::RanBy(name));
    }

    /// The section that closed last goes on.
    pub fn reopen(&mut self) {
        self.events.push(Event::Reopen);
    }

    /// The open section says again what those said that closed before it.
    pub fn restate(&mut self) {
        self.events.push(Event::Restate);
    }
}

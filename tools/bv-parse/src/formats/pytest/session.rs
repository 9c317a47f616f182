//! What one session of pytest told so far, and how its parts become failures when it ends.

mod join;

use super::block::{Block, Phase};
use super::closing::Summary;
use super::dump::Dump;
use super::names::{Heading, Short};
use crate::held::Held;
use crate::machine::{Closing, HELD_MAX, Says};
use bv_schemas::{Failure, Reason};
pub use join::{complete, counts_subtests};
use std::collections::HashSet;

/// Everything seen between a session's header and its closing line.
#[derive(Debug, Default)]
pub struct Session {
    /// Columns of its rulers, once one was seen.
    pub width: Option<usize>,
    /// Its closing line stands bare (`-q`), where that is known.
    pub bare: Option<bool>,
    /// Tests that it means to run, where it says so.
    pub planned: Option<u64>,
    /// Tests that letters told of.
    ended: u64,
    /// Those of them that passed, or failed as announced.
    well: u64,
    /// Progress reached its end.
    pub all_done: bool,
    /// What stopped it: `!!! KeyboardInterrupt !!!`.
    pub stopped: Option<String>,
    /// Collection errors stopped it before any test.
    pub collection_stopped: bool,
    /// What it could not find, as it says.
    pub refusal: Option<String>,
    /// Blocks, in the order printed.
    told: Vec<Told>,
    /// Lines of the short summary, in the order printed.
    shorts: Vec<Short>,
    /// Failing tests with `-v`: id, and whether it was an error.
    words: Vec<Worded>,
    /// Failing letters: index into `files`, and whether it was an error.
    letters: Vec<(Option<usize>, bool)>,
    files: Vec<String>,
    /// Deaths of the interpreter.
    dumps: Vec<Dump>,
    /// Tests that are run again.
    pub reruns: HashSet<String>,
    /// Failures of no test: an internal error, a limit that was not kept.
    beside: Vec<Failure>,
    /// Tests run in several processes, perhaps each in each.
    pub distributed: bool,
    /// Failures that are over the cap.
    over: u64,
}

/// A result line that says that a test failed.
#[derive(Debug)]
struct Worded {
    id: String,
    error: bool,
    /// The line names the test; a word that stands alone may be a test's output.
    sure: bool,
}

/// One block.
#[derive(Debug)]
struct Told {
    /// `None` with `--tb=line`.
    heading: Option<Heading>,
    failure: Failure,
}

impl Session {
    /// A session whose header has so many columns, or whose closing line is known to stand bare or not.
    pub fn new(width: Option<usize>, bare: Option<bool>, refusal: Option<String>) -> Session {
        Session { width, bare, refusal, ..Session::default() }
    }

    /// One block was read.
    pub fn block(&mut self, heading: Option<Heading>, block: Block, span: [u64; 2]) {
        if self.told.len() == HELD_MAX {
            self.over += 1;
            return;
        }
        let phase = heading.as_ref().map_or(Phase::Call, |heading| heading.phase);
        let function = heading.as_ref().and_then(Heading::function);
        let mut failure = block.failure(phase, function);
        failure.span = Some(span);
        self.told.push(Told { heading, failure });
    }

    /// A line of the short summary.
    pub fn short(&mut self, short: Short) {
        if self.shorts.len() < HELD_MAX {
            self.shorts.push(short);
        }
    }

    /// A test's line with `-v` said that it failed.
    pub fn word(&mut self, id: &str, error: bool, sure: bool) {
        if self.words.len() < HELD_MAX {
            self.words.push(Worded { id: id.to_owned(), error, sure });
        }
    }

    /// The letters of one file; where progress stands behind them, no test's output is among them.
    pub fn letters(&mut self, file: Option<&str>, letters: &str, sure: bool) {
        if sure {
            let count = |which: &[u8]| letters.bytes().filter(|b| which.contains(b)).count() as u64;
            self.ended += count(b".FEsxX");
            self.well += count(b".xX");
        }
        if !letters.contains(['F', 'E', 'u']) {
            if let Some(file) = file {
                self.file(file);
            }
            return;
        }
        match file {
            Some(file) => self.file(file),
            // `-q` names no file: what an earlier line named does not hold for it.
            None if self.bare == Some(true) => self.files.clear(),
            None => {}
        }
        let at = self.files.len().checked_sub(1);
        for letter in letters.chars().filter(|letter| matches!(letter, 'F' | 'E' | 'u')) {
            if self.letters.len() < HELD_MAX {
                self.letters.push((at, letter == 'E'));
            }
        }
    }

    /// The file whose tests run now.
    fn file(&mut self, file: &str) {
        if self.files.len() < HELD_MAX && self.files.last().is_none_or(|last| last != file) {
            self.files.push(file.to_owned());
        }
    }

    /// The interpreter died.
    pub fn dump(&mut self, dump: Dump) {
        if self.dumps.len() < HELD_MAX {
            self.dumps.push(dump);
        }
    }

    /// A failure that belongs to no test.
    pub fn beside(&mut self, failure: Failure) {
        if self.beside.len() < HELD_MAX {
            self.beside.push(failure);
        }
    }

    /// Whether a closing line with these numbers can be this session's own. A test may print one, too.
    pub fn fits(&self, found: &Summary, bare: bool) -> bool {
        if self.bare.is_some_and(|own| own != bare) {
            return false;
        }
        let ended = found.well() + found.failed + found.errors;
        // Letters tell of each test: none is lost in the closing line, and none fails in it alone.
        let lettered = self.ended > 0 && self.all_done && self.stopped.is_none();
        if bare && ended < self.ended || lettered && found.is_red() && !self.failed() {
            return false;
        }
        let enough = self.planned.is_none_or(|planned| {
            let stopped = self.stopped.is_some() || !self.beside.is_empty() || found.collected_only;
            (ended >= planned || stopped) && (found.passed <= planned || self.distributed)
        });
        let quiet = self.bare != Some(true) || self.all_done || self.stopped.is_some() || found.is_red();
        enough && (found.is_red() || !self.failed() && quiet)
    }

    /// What the closing line says of the run.
    pub fn closing(&self, found: &Summary) -> Closing {
        let stopped = self.stopped.as_deref().filter(|_| !self.collection_stopped);
        let nothing = found.passed + found.failed + found.xfailed + found.xpassed == 0;
        let mut message = None;
        let says = if let Some(refusal) = self.refusal.as_ref().filter(|_| nothing && found.errors == 0) {
            message = Some(refusal.clone());
            Says::Refused(Reason::NotRunnable)
        } else if nothing
            && found.errors > 0
            && self.beside.is_empty()
            && (self.only_collection() || found.collected_only)
        {
            Says::Refused(Reason::CollectionError)
        } else if found.is_red() || self.failed() || !self.beside.is_empty() {
            Says::Red
        } else if let Some(words) = stopped {
            // What did not run is not known to be well.
            message = Some(words.to_owned());
            let timeout = words.starts_with("session-timeout: ");
            Says::Refused(if timeout { Reason::Timeout } else { Reason::Truncated })
        } else if found.is_green() {
            Says::Green
        } else {
            Says::NoTests
        };
        Closing { says, counts: found.counts(), duration_ms: found.duration_ms, message }
    }

    /// Failing tests that letters told of, where a line of results is certain to be the runner's.
    pub fn lettered(&self) -> u64 {
        if self.all_done { self.letters.len() as u64 } else { 0 }
    }

    /// `-qq` has no closing line: letters to 100 %, none of them red, are all that it says.
    pub fn is_quietly_done(&self) -> bool {
        let undisturbed = self.stopped.is_none() && self.beside.is_empty() && self.dumps.is_empty();
        self.bare == Some(true) && self.all_done && self.well > 0 && undisturbed && !self.failed()
    }

    /// Whether any test failed so far.
    fn failed(&self) -> bool {
        !(self.told.is_empty()
            && self.shorts.is_empty()
            && !self.words.iter().any(|word| word.sure)
            && self.letters.is_empty())
    }

    /// Whether all that failed is files that could not be loaded.
    fn only_collection(&self) -> bool {
        let of_file = |heading: &Heading| heading.phase == Phase::Collect;
        self.collection_stopped
            || !self.told.is_empty()
                && self.told.iter().all(|told| told.heading.as_ref().is_some_and(of_file))
    }

    /// All failures, each with its id where the runner names it; `failed` and `errors` are the closing
    /// line's counts, where there is one.
    pub fn failures(self, counted: Option<(u64, u64)>) -> (Held, u64) {
        join::Join::new(self).all(counted)
    }
}

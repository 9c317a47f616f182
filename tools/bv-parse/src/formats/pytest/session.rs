//! What one session of pytest told so far, and how its parts become failures when it ends.

use super::block::{Block, Phase};
use super::closing::Summary;
use super::dump::Dump;
use super::names::{self, Heading, Short};
use crate::held::Held;
use crate::machine::{Closing, HELD_MAX, Says};
use bv_schemas::{Failure, Kind, Place, Reason};
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
    words: Vec<(String, bool)>,
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
    pub fn word(&mut self, id: &str, error: bool) {
        if self.words.len() < HELD_MAX {
            self.words.push((id.to_owned(), error));
        }
    }

    /// The letters of one file; where progress stands behind them, no test's output is among them.
    pub fn letters(&mut self, file: Option<&str>, letters: &str, sure: bool) {
        if sure {
            self.ended += letters.bytes().filter(|b| b".FEsxX".contains(b)).count() as u64;
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
        if bare && ended < self.ended {
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

    /// Whether any test failed so far.
    fn failed(&self) -> bool {
        !(self.told.is_empty() && self.shorts.is_empty() && self.words.is_empty() && self.letters.is_empty())
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
        let mut join = Join::new(self);
        join.lines_to_tests();
        join.blocks(counted);
        join.rest();
        for failure in std::mem::take(&mut join.session.beside) {
            join.held.push(failure);
        }
        let deaths = counted.is_none();
        join.dumps(deaths);
        (join.held, join.over)
    }
}

/// Puts the parts together.
struct Join {
    session: Session,
    taken: Vec<bool>,
    /// Where the search for the next line begins: blocks and lines have one order.
    next: [usize; 2],
    held: Held,
    over: u64,
}

impl Join {
    fn new(session: Session) -> Join {
        let taken = vec![false; session.shorts.len()];
        let over = session.over;
        Join { session, taken, next: [0, 0], held: Held::default(), over }
    }

    /// With `--tb=line` blocks have no headings; their number alone can tell whose they are. Where it does
    /// not, the summary's names are worth more than nameless places.
    fn lines_to_tests(&mut self) {
        let blocks = self.session.told.iter().filter(|told| told.heading.is_none()).count();
        if blocks == 0 {
            return;
        }
        let failed = |short: &Short| !short.error;
        let mut ids: Vec<String> = Vec::new();
        if self.session.shorts.is_empty() {
            ids.extend(self.session.words.iter().filter(|(_, error)| !error).map(|(id, _)| id.clone()));
        }
        for short in self.session.shorts.iter().filter(|short| failed(short)) {
            ids.push(short.split(self.session.words.iter().map(|(id, _)| id.as_str())).0);
        }
        if ids.len() == blocks {
            for (at, short) in self.session.shorts.iter().enumerate() {
                self.taken[at] |= failed(short);
            }
            self.session.words.retain(|(id, _)| !ids.contains(id));
            let nameless = self.session.told.iter_mut().filter(|told| told.heading.is_none());
            nameless.zip(ids).for_each(|(told, id)| told.failure.id = Some(id));
        } else if !ids.is_empty() {
            self.session.told.retain(|told| told.heading.is_some());
        }
    }

    fn blocks(&mut self, counted: Option<(u64, u64)>) {
        let mut loose = Vec::new();
        for told in std::mem::take(&mut self.session.told) {
            let mut failure = told.failure;
            let Some(heading) = told.heading else {
                if !is_aggregate(&failure) {
                    self.hold(failure);
                }
                continue;
            };
            match self.find(&heading) {
                Some(_) if is_aggregate(&failure) => {}
                Some(id) => {
                    failure.id = Some(id);
                    self.hold(failure);
                }
                None => loose.push((heading, failure)),
            }
        }
        // A summary that names as many as the closing line counts names them all: what else looks like a
        // block was printed by a test, unless a result line names it, too.
        let named = |error| self.session.shorts.iter().filter(|short| short.error == error).count() as u64;
        let all_named = counted.is_some_and(|counts| counts == (named(false), named(true)));
        if !self.session.shorts.is_empty() && all_named {
            loose.retain(|(heading, _)| self.word_of(heading).is_some());
        }
        let order = self.by_order(&loose).unwrap_or_default();
        let files = order.into_iter().chain(std::iter::repeat(None));
        for ((heading, mut failure), file) in loose.into_iter().zip(files) {
            let id = self.unsummarised(&heading, &failure, file.as_deref());
            if !is_aggregate(&failure) {
                failure.id = Some(id);
                self.hold(failure);
            }
        }
    }

    /// The result line that named the failing test of this heading.
    fn word_of(&self, heading: &Heading) -> Option<usize> {
        let tail = format!("::{}", heading.tail());
        let error = heading.phase != Phase::Call;
        let words = &self.session.words;
        words.iter().position(|(id, e)| *e == error && (id.ends_with(&tail) || *id == heading.name))
    }

    /// The summary line of this heading, and the id in it.
    fn find(&mut self, heading: &Heading) -> Option<String> {
        if heading.phase == Phase::Call
            && let Some(at) = self.crashed(heading)
        {
            return Some(at);
        }
        let list = usize::from(heading.phase != Phase::Call);
        let from = self.next[list];
        let count = self.session.shorts.len();
        let order = (from..count).chain(0..from.min(count));
        for at in order {
            if self.taken[at] {
                continue;
            }
            if let Some((id, _)) = self.session.shorts[at].id_for(heading) {
                self.taken[at] = true;
                self.next[list] = at + 1;
                return Some(id);
            }
        }
        None
    }

    /// A worker that died has a block that is headed by the file alone.
    fn crashed(&mut self, heading: &Heading) -> Option<String> {
        let file = &heading.name;
        if !file.contains('.') || file.contains('[') {
            return None;
        }
        let prefix = format!("{file}::");
        let fits = |short: &Short| short.rest.starts_with(&prefix) && short.rest.contains(" - worker '");
        let at = (0..self.taken.len()).find(|&at| !self.taken[at] && fits(&self.session.shorts[at]))?;
        self.taken[at] = true;
        Some(self.session.shorts[at].split(std::iter::empty()).0)
    }

    /// Where the letters give as many failing tests as there are blocks, their files in order.
    fn by_order(&self, loose: &[(Heading, Failure)]) -> Option<Vec<Option<String>>> {
        let letters = &self.session.letters;
        let mut of = [false, true].map(|error| letters.iter().filter(move |(_, e)| *e == error));
        let errors = |wanted: bool| loose.iter().filter(|(h, _)| (h.phase != Phase::Call) == wanted).count();
        let fits = self.session.shorts.is_empty()
            && of[0].clone().count() == errors(false)
            && of[1].clone().count() == errors(true);
        fits.then(|| {
            let file = |at: Option<usize>| at.and_then(|at| self.session.files.get(at).cloned());
            let next = |(heading, _): &(Heading, Failure)| {
                of[usize::from(heading.phase != Phase::Call)].next().and_then(|(at, _)| file(*at))
            };
            loose.iter().map(next).collect()
        })
    }

    /// The id without a summary: a result line's, or the file that the letters name, or the file of the
    /// test's own frame; else the heading as it is printed.
    fn unsummarised(&mut self, heading: &Heading, failure: &Failure, file: Option<&str>) -> String {
        if heading.phase == Phase::Collect {
            return heading.name.clone();
        }
        if let Some(at) = self.word_of(heading) {
            return self.session.words.remove(at).0;
        }
        let tail = format!("::{}", heading.tail());
        if let Some(file) = file {
            return format!("{file}{tail}");
        }
        let own = failure.test.as_ref().filter(|place| place.function.as_deref() == heading.function());
        // A class may inherit its tests from another file; a function stands where it is.
        match own.and_then(|place| place.file.as_deref()) {
            Some(file)
                if !heading.tail().split('[').next().unwrap_or_default().contains("::")
                    && is_relative(file) =>
            {
                format!("{file}{tail}")
            }
            _ => heading.name.clone(),
        }
    }

    /// Lines of the summary without a block (`--tb=no`), and result lines without either.
    fn rest(&mut self) {
        for at in 0..self.session.shorts.len() {
            if self.taken[at] {
                continue;
            }
            let short = &self.session.shorts[at];
            let known = self.session.words.iter().map(|(id, _)| id.as_str());
            let (id, message) = short.split(known);
            let mut failure = from_short(short, &id, message);
            if is_aggregate(&failure) {
                continue;
            }
            failure.id = Some(id);
            self.hold(failure);
        }
        if !self.session.shorts.is_empty() {
            return;
        }
        for (id, error) in std::mem::take(&mut self.session.words) {
            if self.held.find(&id).is_none() {
                let kind = if error { Kind::SetupError } else { Kind::Assertion };
                let failure = Failure { id: Some(id), kind, ..Failure::default() };
                self.hold(failure);
            }
        }
    }

    /// Stacks of what died belong to the failure of the same test; one that has none is a failure
    /// itself where the session never closed.
    fn dumps(&mut self, deaths: bool) {
        for dump in std::mem::take(&mut self.session.dumps) {
            let known = dump.id.as_deref().and_then(|id| self.held.find(id));
            if let Some(failure) = known {
                let stack = dump.failure();
                if failure.frames.is_empty() && failure.kind == Kind::Crash {
                    failure.test = stack.test;
                    failure.fault = stack.fault;
                    failure.frames = stack.frames;
                }
            } else if deaths {
                self.hold(dump.failure());
            }
        }
    }

    fn hold(&mut self, mut failure: Failure) {
        complete(&mut failure);
        self.held.push(failure);
    }
}

/// What the id says beyond the block: with `--tb=line` and `--tb=no` the file and the function.
pub fn complete(failure: &mut Failure) {
    let Some(id) = failure.id.as_deref().filter(|id| id.contains("::")) else { return };
    let (file, function) = (names::file(id), names::function(id));
    if let Some(test) = &mut failure.test {
        let unnamed = test.function.is_none() && failure.kind == Kind::Assertion;
        if unnamed && test.file.as_deref().is_some_and(|of| names::same_file(of, file)) {
            // An assertion in the test's own file.
            test.function = function.map(str::to_owned);
            if let Some(first) = failure.frames.first_mut() {
                first.function.clone_from(&test.function);
            }
            return;
        }
        if test.function.is_some() {
            return;
        }
        failure.fault = failure.fault.take().or(failure.test.take());
    }
    failure.test =
        Some(Place { file: Some(file.to_owned()), line: None, function: function.map(str::to_owned) });
}

fn is_aggregate(failure: &Failure) -> bool {
    failure.message.as_deref().is_some_and(counts_subtests)
}

/// pytest's own words for a test whose subtests failed.
pub fn counts_subtests(message: &str) -> bool {
    let Some(rest) = message.strip_prefix("contains ") else { return false };
    rest.ends_with(" failed subtests") || rest.ends_with(" failed subtest")
}

/// What a line of the short summary says; pytest shortens it to the terminal's width.
fn from_short(short: &Short, id: &str, message: Option<&str>) -> Failure {
    let mut failure = Failure { span: Some(short.span), ..Failure::default() };
    let mut block = Block::default();
    let cut = message.is_some_and(|message| message.ends_with("..."));
    if let Some(message) = message {
        block.say(message);
        let phase = if short.error { Phase::Setup } else { Phase::Call };
        let said = block.failure(phase, None);
        failure.kind = said.kind;
        failure.message = said.message;
        failure.exception_type = said.exception_type;
        if !cut {
            failure.expected = said.expected;
            failure.observed = said.observed;
        }
    } else if short.error {
        failure.kind = Kind::SetupError;
    }
    if short.error && !id.contains("::") {
        failure.kind = Kind::CollectionError;
    }
    if cut {
        shortened(&mut failure);
    }
    failure
}

/// A type or a message that the cut leaves no word of is left out.
fn shortened(failure: &mut Failure) {
    let words = failure.message.as_deref().unwrap_or_default();
    if failure.exception_type.is_none() {
        let name = words.trim_end_matches("...");
        let type_like = name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
        if type_like && name.starts_with(|c: char| c.is_alphabetic()) {
            let assertion = ["AssertionError", "Failed", "assert"].iter().any(|full| full.starts_with(name));
            failure.kind = match (failure.kind, assertion) {
                (Kind::Assertion, false) => Kind::Exception,
                (kind, _) => kind,
            };
            failure.message = None;
            return;
        }
    }
    if words == "..." || words.is_empty() {
        failure.message = None;
    }
}

fn is_relative(file: &str) -> bool {
    !file.starts_with(['/', '\\', '.']) && !file.contains(':')
}

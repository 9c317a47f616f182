//! The parts of a session put together: which block, line and stack belong to which test.

use super::{Session, Worded};
use crate::formats::pytest::block::{Block, Phase};
use crate::formats::pytest::names::{self, Heading, Short};
use crate::held::Held;
use bv_schemas::{Failure, Kind, Place};

/// Puts the parts together.
pub struct Join {
    session: Session,
    taken: Vec<bool>,
    /// Where the search for the next line begins: blocks and lines have one order.
    next: [usize; 2],
    held: Held,
    over: u64,
}

impl Join {
    /// All parts of `session`.
    pub fn new(session: Session) -> Join {
        let taken = vec![false; session.shorts.len()];
        let over = session.over;
        Join { session, taken, next: [0, 0], held: Held::default(), over }
    }

    /// All failures, and how many are over the cap. `counted` are the closing line's failures and errors,
    /// where there is one.
    pub fn all(mut self, counted: Option<(u64, u64)>) -> (Held, u64) {
        self.lines_to_tests();
        self.blocks(counted);
        self.rest();
        for failure in std::mem::take(&mut self.session.beside) {
            self.held.push(failure);
        }
        self.dumps(counted.is_none());
        (self.held, self.over)
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
            ids.extend(self.session.words.iter().filter(|word| !word.error).map(|word| word.id.clone()));
        }
        for short in self.session.shorts.iter().filter(|short| failed(short)) {
            ids.push(short.split(self.session.words.iter().map(|word| word.id.as_str())).0);
        }
        if ids.len() == blocks {
            for (at, short) in self.session.shorts.iter().enumerate() {
                self.taken[at] |= failed(short);
            }
            self.session.words.retain(|word| !ids.contains(&word.id));
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
        let named = |word: &Worded| word.id.ends_with(&tail) || word.id == heading.name;
        words.iter().position(|word| word.error == error && named(word))
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
            return self.session.words.remove(at).id;
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
            let known = self.session.words.iter().map(|word| word.id.as_str());
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
        for Worded { id, error, sure } in std::mem::take(&mut self.session.words) {
            if sure && self.held.find(&id).is_none() {
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

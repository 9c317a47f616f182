//! What one package's test binary printed, gathered by test, until the go command's line on the package
//! says how it ended; then its failures.

use super::dump::{Dump, Race};
use super::failed::{Failed, Log, Races, place_of, span_of};
use super::markers::Result;
use crate::go::Entry;
use bv_schemas::{Failure, Kind};
use std::collections::{HashMap, HashSet};

/// Tests that run at the same time, and names of ended ones, kept at most.
const NAMES_MAX: usize = 100_000;
/// Failed tests kept with their logs.
const FAILED_MAX: usize = 10_000;
/// Race reports kept.
const RACES_MAX: usize = 100;

/// One package.
#[derive(Debug, Default)]
pub struct Package {
    running: HashMap<String, Log>,
    /// Ended without failing, so that a marker that a test printed of itself is not believed.
    ended: HashSet<String>,
    failed: Vec<Failed>,
    failed_at: HashMap<String, usize>,
    over: u64,
    /// Steps were seen: every test is announced.
    pub verbose: bool,
    /// The test whose output comes.
    pub current: Option<String>,
    /// The failed test whose log follows its end.
    after: Option<usize>,
    dump: Option<Dump>,
    /// Reports of the race detector, in order.
    pub races: Vec<Race>,
    in_race: bool,
    /// A marker of a test that does not run was printed: what is indented below it is output, too.
    ghost: bool,
    /// The last line of output was an entry's, or an example's.
    in_entry: bool,
    /// The last line of output outside of any test.
    pub last_words: Option<String>,
    /// `exit status 2`, `signal: killed`.
    pub exit: Option<String>,
    /// The bare `PASS` or `FAIL` that the test binary printed last.
    pub bare: Option<bool>,
    /// Tests that passed, failed and were skipped, by the markers.
    pub tally: [u64; 3],
    span: Option<[u64; 2]>,
}

impl Package {
    /// A test begins.
    pub fn run(&mut self, name: &str, span: [u64; 2]) {
        self.verbose = true;
        self.after = None;
        if let Some(&at) = self.failed_at.get(name) {
            self.failed[at].settled = true;
            self.failed_at.remove(name);
        }
        if self.running.len() < NAMES_MAX {
            self.running.insert(name.to_owned(), Log::begun(span));
        }
        self.be_current(name);
    }

    fn be_current(&mut self, name: &str) {
        let current = self.current.get_or_insert_default();
        current.clear();
        current.push_str(name);
    }

    /// What follows is this test's output.
    pub fn output_of(&mut self, name: &str) {
        if self.running.contains_key(name) {
            self.be_current(name);
        }
    }

    /// Whether a test of this name runs, or is a child of one that runs.
    pub fn is_running(&self, name: &str) -> bool {
        self.running.contains_key(name)
    }

    /// Whether any test runs.
    pub fn any_running(&self) -> bool {
        !self.running.is_empty()
    }

    /// The runner's own event says how a test ended, whether it said that the test began or not.
    pub fn surely_ended(&mut self, name: &str, result: Result, span: [u64; 2]) {
        if !self.running.contains_key(name) && !self.failed_at.contains_key(name) {
            self.running.entry(name.to_owned()).or_default();
        }
        self.ended(name, result, span);
    }

    /// A marker says how a test ended; false when no such test can have ended here.
    pub fn ended(&mut self, name: &str, result: Result, span: [u64; 2]) -> bool {
        let log = self.running.remove(name);
        let known = log.is_some() || self.ended.contains(name) || self.failed_at.contains_key(name);
        if self.verbose && !known {
            self.ghost = true;
            return false;
        }
        if self.current.as_deref() == Some(name) {
            self.current = None;
        }
        match result {
            Result::Fail => self.fail(name, log, span),
            Result::Pass | Result::Skip | Result::Bench => self.unfail(name, result),
        }
        true
    }

    fn fail(&mut self, name: &str, log: Option<Log>, span: [u64; 2]) {
        if let Some(&at) = self.failed_at.get(name) {
            // Fuzzing writes a test's end twice, the log below the second.
            self.failed[at].log.extend(span);
            self.after = Some(at);
            return;
        }
        self.tally[1] += 1;
        if self.failed.len() == FAILED_MAX {
            self.over += 1;
            return;
        }
        let mut log = log.unwrap_or_default();
        log.extend(span);
        log.open = false;
        self.failed_at.insert(name.to_owned(), self.failed.len());
        self.after = Some(self.failed.len());
        self.failed.push(Failed { name: name.to_owned(), log, settled: false, void: false });
    }

    fn unfail(&mut self, name: &str, result: Result) {
        self.after = None;
        if let Some(at) = self.failed_at.remove(name) {
            // The test printed that of itself; this is its true end.
            if !self.failed[at].settled {
                self.failed[at].void = true;
                self.tally[1] = self.tally[1].saturating_sub(1);
            }
        }
        match result {
            Result::Skip => self.tally[2] += 1,
            _ => self.tally[0] += 1,
        }
        if self.ended.len() < NAMES_MAX {
            self.ended.insert(name.to_owned());
        }
    }

    /// A line of output, of `test` where the runner says so.
    pub fn output(&mut self, line: &str, span: [u64; 2], test: Option<&str>, error: bool) {
        let log = match (test.or(self.current.as_deref()), self.after) {
            (Some(name), _) if self.running.contains_key(name) => self.running.get_mut(name),
            (Some(name), _) if self.failed_at.contains_key(name) => {
                self.failed_at.get(name).map(|&at| &mut self.failed[at].log)
            }
            (_, Some(at)) => self.failed.get_mut(at).map(|failed| {
                failed.log.examples(&failed.name, line);
                &mut failed.log
            }),
            _ => None,
        };
        self.in_entry = log.is_some_and(|log| log.line(line, span, error) || log.is_example());
        if !self.in_entry {
            self.word(line);
        }
    }

    /// Output outside of any test: the last words of a program that ends itself.
    pub fn word(&mut self, line: &str) {
        if !self.verbose && !line.trim().is_empty() {
            let words = self.last_words.get_or_insert_default();
            words.clear();
            words.push_str(line);
        }
    }

    /// A line of output: of a dump, of a race report, or of a test.
    pub fn raw(&mut self, line: &str, span: [u64; 2], test: Option<&str>, error: bool) {
        if self.in_race {
            self.in_race = self.races.last_mut().is_some_and(|race| race.line(line));
            return;
        }
        if line == "WARNING: DATA RACE" && self.races.len() < RACES_MAX {
            self.races.push(Race::new(test.map(str::to_owned).or_else(|| self.current.clone())));
            self.in_race = true;
            return;
        }
        if line.starts_with("panic: ") && self.dump.as_ref().is_some_and(Dump::is_headed) {
            // What was dumped before was output, or killed nothing.
            self.dump = None;
        }
        if self.ghost {
            self.ghost = line.starts_with([' ', '\t']);
            if self.ghost {
                return;
            }
        }
        if self.dump.as_ref().is_some_and(|dump| !dump.is_headed()) && Entry::begins(line).is_some() {
            self.dump = None;
        }
        if let Some(dump) = self.dump.as_mut().filter(|dump| dump.is_of(test)) {
            dump.push(line, span);
            return;
        }
        if self.dump.is_none() && Dump::begins(line) {
            let at_hand = test.map(str::to_owned).or_else(|| self.at_hand());
            self.dump = Some(Dump::new(line, span, at_hand, test));
            return;
        }
        self.output(line, span, test, error);
    }

    /// Whether the next line is wanted, whatever it is: an entry, a dump or a report goes on.
    pub fn is_gathering(&self) -> bool {
        self.ghost || self.in_race || self.in_entry || self.dump.is_some()
    }

    /// Whether the line begins what is worth gathering before a test is known.
    pub fn wants(&self, line: &str) -> bool {
        self.in_race || self.dump.is_some() || line == "WARNING: DATA RACE" || Dump::begins(line)
    }

    /// Whether a program's dump is being gathered, a stack in it.
    pub fn in_dump(&self) -> bool {
        self.dump.as_ref().is_some_and(Dump::is_headed)
    }

    /// The tests go on: what looked like a dump was output.
    pub fn forget_dump(&mut self) {
        self.dump = None;
    }

    /// The test that a dump or a race without better knowledge belongs to.
    pub fn at_hand(&self) -> Option<String> {
        self.current.clone().or_else(|| self.failed.last().map(|failed| failed.name.clone()))
    }

    /// Whether a test failed.
    pub fn any_failed(&self) -> bool {
        self.over > 0 || self.failed.iter().any(|failed| !failed.void)
    }

    /// Ran, and every one was skipped, as far as the markers say.
    pub fn all_skipped(&self) -> bool {
        self.verbose && self.tally[0] == 0 && self.tally[1] == 0 && self.tally[2] > 0
    }

    /// Its failures; `package` is its import path where the go command named it.
    pub fn failures(mut self, package: Option<&str>, closed: bool) -> (Vec<Failure>, u64) {
        let dumped = self.dump.take().and_then(|dump| self.dumped(&dump));
        let mut races = Races { all: std::mem::take(&mut self.races) };
        let parents = self.parents();
        let mut found = Vec::new();
        let mut crashed = dumped;
        for failed in self.failed.iter().filter(|failed| !failed.void) {
            if crashed.as_ref().is_some_and(|(name, _)| name.as_deref() == Some(&failed.name)) {
                if let Some((_, mut failure)) = crashed.take() {
                    failure.span = span_of(failure.span, failed.log.span);
                    found.push(failure);
                }
                continue;
            }
            let failure = failed.failure(&mut races);
            if !(parents.contains(failed.name.as_str()) && failed.log.is_quiet()) {
                found.push(failure);
            }
        }
        if let Some((name, mut failure)) = crashed {
            failure.id = name.or_else(|| package.map(str::to_owned));
            found.push(failure);
        }
        if found.is_empty() && self.over == 0 && closed {
            found.extend(self.unnamed(package, &mut races));
        }
        (found, self.over)
    }

    /// Tests of which a child failed.
    fn parents(&self) -> HashSet<&str> {
        let mut parents = HashSet::new();
        for failed in self.failed.iter().filter(|failed| !failed.void) {
            let mut name = failed.name.as_str();
            while let Some((parent, _)) = name.rsplit_once('/') {
                parents.insert(parent);
                name = parent;
            }
        }
        parents
    }

    /// The failure that a dump tells of, and the test that it belongs to.
    fn dumped(&self, dump: &Dump) -> Option<(Option<String>, Failure)> {
        let mut names: Vec<&str> = self.running.keys().map(String::as_str).collect();
        names.sort_unstable();
        names.extend(self.failed.iter().filter(|failed| !failed.void).map(|failed| failed.name.as_str()));
        dump.failure(&names)
    }

    /// The package failed and no test is named: the one that ran last, else the package itself.
    fn unnamed(&self, package: Option<&str>, races: &mut Races) -> Option<Failure> {
        let current = self.current.as_ref().filter(|name| self.running.contains_key(*name));
        let leaf = current.or_else(|| self.running.keys().max_by_key(|name| (name.len(), *name)));
        let mut failure = Failure { kind: Kind::Crash, span: self.span, ..Failure::default() };
        if let Some(race) = races.all.first() {
            race.tell(&mut failure);
            failure.id = race.test().or_else(|| package.map(str::to_owned));
            return Some(failure);
        }
        if let Some(name) = leaf {
            failure.id = Some(name.clone());
            failure.test = Some(place_of(name, None));
            failure.message = self.exit.clone();
            return Some(failure);
        }
        let message = self.last_words.clone().or_else(|| self.exit.clone())?;
        failure.id = Some(package?.to_owned());
        failure.message = Some(message);
        Some(failure)
    }

    /// Takes the span of a line into the package's.
    pub fn extend(&mut self, span: [u64; 2]) {
        self.span = span_of(self.span, Some(span));
    }
}

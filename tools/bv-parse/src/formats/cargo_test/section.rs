//! One test binary's run, from `running N tests` to its `test result:`.
//!
//! While tests run, the lines are results, or what tests print past the capture. A result line may be
//! torn: with one thread (or past the capture) the name comes first, then the test's output, then the
//! result, on a line of its own or glued to the output. From the first `failures:` on, `recap.rs` reads.

use super::doctest::doctest;
use super::lines::{self, Part, Result, Summary, Target};
use super::recap::Recap;
use crate::machine::{Closing, HELD_MAX, Line, Out, Says};
use crate::rust_output::{About, Captured, bare, died, failure};
use crate::rust_panic::{Panic, header, is_own, panics};
use bv_schemas::{Counts, Failure, Kind, Place, Test, TestOutcome};
use std::collections::{HashMap, HashSet};

/// What a line did to the section.
#[derive(Debug)]
pub enum Step {
    /// It goes on.
    Stay,
    /// `running N tests` stands inside it.
    Nested(u64),
    /// Cargo announced a binary inside it.
    Announced(Target),
    /// It closed; whether red.
    Closed(bool),
}

/// One open section.
#[derive(Debug)]
pub struct Section {
    announced: Option<u64>,
    pub(super) target: Target,
    ok: u64,
    failed: u64,
    others: u64,
    reds: Vec<Named>,
    by_name: HashMap<String, usize>,
    pending: Option<Pending>,
    /// What came between results.
    stray: Captured,
    recap: Option<Recap>,
    /// `error: test failed` was said: the binary ended.
    ended: bool,
}

/// A test that failed.
#[derive(Debug)]
struct Named {
    name: String,
    /// Read from its block of captured output, or from what it printed past the capture.
    failure: Option<Failure>,
    has_block: bool,
}

/// A test whose name was printed and whose result was not yet.
#[derive(Debug)]
struct Pending {
    name: String,
    from: u64,
    /// The result that its last line of output ends with, if it does.
    glued: Option<Result>,
}

/// Lines of stray output that are searched for a failed test's panic.
const STRAY_LINES_READ: usize = 400;

impl Section {
    /// A section as announced.
    pub fn new(announced: Option<u64>, target: Target) -> Section {
        Section {
            announced,
            target,
            ok: 0,
            failed: 0,
            others: 0,
            reds: Vec::new(),
            by_name: HashMap::new(),
            pending: None,
            stray: Captured::default(),
            recap: None,
            ended: false,
        }
    }

    /// The section of a log whose head is cut off, if this line surely stands in one.
    pub fn unannounced(text: &str, target: &Target) -> Option<Section> {
        if let Some((name, rest)) = lines::test(text) {
            let sure = lines::is_rust_name(name) && lines::result(rest).is_some();
            return sure.then(|| Section::new(None, target.clone()));
        }
        let name = lines::block(text)?;
        lines::is_rust_name(name).then(|| {
            let recap = Some(Recap::new(Part::Failures));
            Section { recap, ..Section::new(None, target.clone()) }
        })
    }

    /// Whether captured output is being printed.
    pub fn in_recap(&self) -> bool {
        self.recap.is_some()
    }

    /// Takes the next line.
    pub fn line(&mut self, line: &Line<'_>, out: &mut Out) -> Step {
        if let Some(mut recap) = self.recap.take() {
            if recap.is_empty() && self.goes_on(line.text) {
                return self.free_line(line, out);
            }
            let closed = recap.line(line, self);
            self.recap = Some(recap);
            return match closed {
                Some(summary) => self.close(summary, out),
                None => Step::Stay,
            };
        }
        if self.pending.is_some() && !self.pending_line(line, out) {
            return Step::Stay;
        }
        self.free_line(line, out)
    }

    /// The stream ended here: what was seen of failures is said. Returns whether cargo said that a test
    /// failed and none was seen.
    pub fn cut(&mut self, out: &mut Out) -> bool {
        if let Some(mut recap) = self.recap.take() {
            recap.cut(self);
        }
        self.say(None, out) == 0 && self.ended
    }

    /// Whether this line shows that the head of a recap was a test's output: tests still end.
    fn goes_on(&self, text: &str) -> bool {
        let missing = self.announced.is_some_and(|n| self.ok + self.failed + self.others < n);
        missing
            && lines::test(text)
                .is_some_and(|(name, rest)| lines::is_rust_name(name) && lines::result(rest).is_some())
    }

    /// A line while a test's result is awaited; whether it is to be read as any other line.
    fn pending_line(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let text = line.text;
        let Some(pending) = &mut self.pending else { return true };
        if let Some((result, time)) = lines::result(text) {
            self.finish(result, time, line, out);
            return false;
        }
        let starts_test = lines::test(text).is_some_and(|(name, _)| lines::is_rust_name(name));
        let structural = starts_test || lines::part(text).is_some() || lines::summary(text).is_some();
        if structural && let Some(result) = pending.glued {
            self.finish(result, None, line, out);
            return true;
        }
        if !text.trim().is_empty() {
            pending.glued = lines::glued(text).filter(|_| !structural);
        }
        if lines::summary(text).is_some_and(|summary| self.resolves_pending(&summary)) {
            self.finish(Result::Ok, None, line, out);
            return true;
        }
        if lines::rerun(text).is_some() || lines::died(text).is_some() {
            return true;
        }
        self.stray.push(text);
        false
    }

    /// A line while no result is awaited.
    fn free_line(&mut self, line: &Line<'_>, out: &mut Out) -> Step {
        let text = line.text;
        match text.as_bytes().first() {
            Some(b't') => {
                if let Some(summary) = lines::summary(text)
                    && self.fits(&summary)
                {
                    return self.close(summary, out);
                }
                if let Some((name, rest)) = lines::test(text) {
                    self.test_line(name, rest, line, out);
                    return Step::Stay;
                }
            }
            Some(b'f' | b's') => {
                if let Some(part) = lines::part(text) {
                    self.recap = Some(Recap::new(part));
                    return Step::Stay;
                }
            }
            Some(b'r') => {
                if let Some(count) = lines::running(text) {
                    return Step::Nested(count);
                }
            }
            Some(b' ') => {
                if let Some(target) = lines::target(text) {
                    return Step::Announced(target);
                }
                if let Some(died) = lines::died(text).filter(|_| self.ended) {
                    return self.die(&died, line, out);
                }
            }
            // A test's own carriage return wiped its name from the line; the result is left.
            Some(b'o' | b'F') if matches!(text, "ok" | "FAILED") => {
                self.ok += u64::from(text == "ok");
                self.failed += u64::from(text == "FAILED");
                return Step::Stay;
            }
            Some(b'.' | b'F' | b'i') => {
                if let Some([ok, failed, ignored]) = lines::terse(text) {
                    self.ok += ok;
                    self.failed += failed;
                    self.others += ignored;
                    out.tests_seen += ok + failed + ignored;
                    return Step::Stay;
                }
            }
            _ => {}
        }
        if let Some(name) = lines::terse_failed(text) {
            let name = name.to_owned();
            self.record(&name, Result::Failed, None, line, out);
        } else if lines::rerun(text).is_some() {
            self.ended = true;
        } else if !text.is_empty() {
            self.stray.push(text);
        }
        Step::Stay
    }

    fn test_line(&mut self, name: &str, rest: &str, line: &Line<'_>, out: &mut Out) {
        if let Some((result, time)) = lines::result(rest) {
            if result != Result::Failed && self.announced.is_some() {
                out.mine();
            }
            return self.record(name, result, time, line, out);
        }
        if !lines::is_rust_name(name) {
            return self.stray.push(line.text);
        }
        if let Some(at) = lines::rerun(rest) {
            self.ended = true;
            self.stray.clear();
            self.stray.push(&rest[..at]);
        } else {
            self.stray.clear();
            self.stray.push(rest);
        }
        // A result line that the test itself prints is no result of its own.
        let glued = lines::glued(rest).filter(|_| lines::test(rest).is_none());
        self.pending = Some(Pending { name: name.to_owned(), from: line.span[0], glued });
    }

    /// The awaited result came.
    fn finish(&mut self, result: Result, time: Option<u64>, line: &Line<'_>, out: &mut Out) {
        let Some(pending) = self.pending.take() else { return };
        self.record(&pending.name, result, time, line, out);
        if result == Result::Failed
            && let Some(&at) = self.by_name.get(&pending.name)
        {
            let target = self.target.clone();
            let mut found = read(&pending.name, &target, self.stray.lines());
            found.span = Some([pending.from, line.span[1]]);
            self.reds[at].failure = Some(found);
        }
        self.stray.clear();
    }

    fn record(&mut self, name: &str, result: Result, time: Option<u64>, line: &Line<'_>, out: &mut Out) {
        out.tests_seen += 1;
        let outcome = match result {
            Result::Failed => {
                self.failed += 1;
                self.red(name, line);
                return;
            }
            Result::Ok => {
                self.ok += 1;
                TestOutcome::Passed
            }
            Result::Ignored => {
                self.others += 1;
                TestOutcome::Skipped
            }
            Result::Measured => {
                self.others += 1;
                TestOutcome::Passed
            }
        };
        if out.all {
            out.test(Test { id: name.to_owned(), outcome, duration_ms: time });
        }
    }

    /// A test failed; past the capture its panic stands just before.
    fn red(&mut self, name: &str, line: &Line<'_>) {
        let Some(at) = self.name(name) else { return };
        let stray = self.stray.lines();
        let near = &stray[stray.len().saturating_sub(STRAY_LINES_READ)..];
        if self.pending.is_none() && near.iter().any(|text| header(text).is_some_and(|h| h.thread == name)) {
            let mut found = read(name, &self.target, near);
            found.span = Some(line.span);
            self.reds[at].failure = Some(found);
        }
    }

    /// The place of a failed test in the list; `None` where that is full.
    fn name(&mut self, name: &str) -> Option<usize> {
        if let Some(&at) = self.by_name.get(name) {
            return Some(at);
        }
        if self.reds.len() == HELD_MAX {
            return None;
        }
        self.by_name.insert(name.to_owned(), self.reds.len());
        self.reds.push(Named { name: name.to_owned(), failure: None, has_block: false });
        Some(self.reds.len() - 1)
    }

    /// Whether a block of captured output may be that of this test: it failed and has none yet. Where
    /// results were missed (terse marks, torn lines), an unknown name may be, too.
    pub(super) fn may_head_block(&self, name: &str) -> bool {
        match self.by_name.get(name) {
            Some(&at) => !self.reds[at].has_block,
            None => self.reds.len() == HELD_MAX || !self.all_names_known(),
        }
    }

    /// Whether every failed test's name was seen.
    fn all_names_known(&self) -> bool {
        let all = self.announced.is_some_and(|n| self.ok + self.failed + self.others >= n);
        all && self.by_name.len() as u64 >= self.failed
    }

    /// Takes the captured output of one failed test.
    pub(super) fn block(&mut self, name: &str, span: [u64; 2], lines: &[String]) {
        let Some(at) = self.name(name) else { return };
        let mut found = read(name, &self.target, lines);
        found.span = Some(span);
        self.reds[at].has_block = true;
        if found.message.is_some() || self.reds[at].failure.is_none() {
            self.reds[at].failure = Some(found);
        }
    }

    /// Whether a list of names can be libtest's own list of all failed tests. Past the capture no block
    /// stands above it, and some of the names that were seen may be a test's own words.
    pub(super) fn may_list_failures(&self, names: &[String], captured: bool) -> bool {
        let known = |name: &String| self.by_name.contains_key(name) || !self.all_names_known();
        let whole = names.len() >= self.reds.len() || self.surplus() || !captured;
        !names.is_empty() && whole && names.iter().all(known)
    }

    /// Whether a list of names can be libtest's own list of all tests that held.
    pub(super) fn may_list_successes(&self, names: &[String]) -> bool {
        let held = names.len() as u64;
        self.ok == held || self.ok + self.others == held || self.announced.is_none()
    }

    /// More results were seen than tests were announced: a test printed some of them.
    fn surplus(&self) -> bool {
        self.announced.is_some_and(|n| self.ok + self.failed + self.others > n)
    }

    /// Whether a closing line agrees with what was seen.
    pub(super) fn fits(&self, summary: &Summary) -> bool {
        let accounts = self.announced.is_none_or(|n| summary.sum() == n);
        if !summary.ok {
            return accounts && summary.failed > 0;
        }
        let green = self.failed == 0 || self.surplus() && self.ok >= summary.passed;
        accounts && summary.failed == 0 && green
    }

    /// Whether a closing line accounts for the awaited test as one that held.
    fn resolves_pending(&self, summary: &Summary) -> bool {
        summary.ok && self.announced.is_some() && self.fits(summary) && summary.passed == self.ok + 1
    }

    fn close(&mut self, summary: Summary, out: &mut Out) -> Step {
        if summary.ok {
            close(summary, 0, out);
            return Step::Closed(false);
        }
        let listed = self.recap.take().map(|recap| recap.listed);
        let said = self.say(listed.filter(|names| !names.is_empty()), out);
        close(summary, said, out);
        Step::Closed(true)
    }

    /// Says the failures: those that libtest lists at the end, else those seen. Returns how many.
    fn say(&mut self, listed: Option<Vec<String>>, out: &mut Out) -> u64 {
        let mut names: Vec<String> = self.reds.iter().map(|red| red.name.clone()).collect();
        if let Some(listed) = listed {
            let real: HashSet<&String> = listed.iter().collect();
            names.retain(|name| real.contains(name));
            let unseen: Vec<String> = listed.into_iter().filter(|n| !self.by_name.contains_key(n)).collect();
            names.extend(unseen);
        }
        for name in &names {
            let held = self.by_name.get(name).and_then(|&at| self.reds[at].failure.take());
            out.failure(held.unwrap_or_else(|| read(name, &self.target, &[])));
        }
        names.len() as u64
    }

    /// The binary died with the section open.
    fn die(&mut self, died: &lines::Died<'_>, line: &Line<'_>, out: &mut Out) -> Step {
        self.say(None, out);
        let pending = self.pending.take();
        let from = pending.as_ref().map_or(line.span[0], |pending| pending.from);
        let mut crash = Death::of(self.stray.lines()).record(pending.map(|p| p.name), &self.target);
        crash.message = crash.message.or_else(|| Some(died.how.to_owned()));
        crash.exception_type = died.signal.map(str::to_owned);
        crash.span = Some([from, line.span[1]]);
        out.failure(crash);
        out.close(Closing { says: Says::Red, counts: Counts::default(), duration_ms: None, message: None });
        Step::Closed(true)
    }
}

/// Says that a section closed, `named` of whose failures were said.
pub fn close(summary: Summary, named: u64, out: &mut Out) {
    out.unnamed(summary.failed.saturating_sub(named));
    let ran = summary.passed > 0 || summary.measured > 0;
    out.close(Closing {
        says: match (summary.ok, ran) {
            (false, _) => Says::Red,
            (true, true) => Says::Green,
            (true, false) => Says::NoTests,
        },
        counts: summary.counts(),
        duration_ms: summary.duration_ms,
        message: None,
    });
}

fn about<'a>(name: &'a str, target: &'a Target) -> About<'a> {
    About { id: name, root: target.root.as_deref(), unit: target.unit }
}

/// The record of one failed test, from what it printed.
pub fn read(name: &str, target: &Target, lines: &[String]) -> Failure {
    match lines::doctest(name) {
        Some(place) => doctest(name, place, lines),
        None => failure(&about(name, target), lines),
    }
}

/// What a dying process said last.
#[derive(Debug, Default)]
struct Death {
    /// The thread, where it is surely a test's.
    thread: Option<String>,
    message: Option<String>,
    /// The panic that could not be unwound.
    panic: Option<Panic>,
}

impl Death {
    fn of(lines: &[String]) -> Death {
        let mut death = Death::default();
        for line in lines {
            // `thread 'x' (1) has overflowed its stack`
            if let Some((head, _)) = line.split_once(" has overflowed its stack") {
                death.thread = head.split('\'').nth(1).map(str::to_owned);
            } else if let Some(said) = line.strip_prefix("fatal runtime error: ") {
                death.message = Some(said.to_owned());
            }
        }
        if lines.iter().any(|line| line == "thread caused non-unwinding panic. aborting.") {
            let own = |place: &Place| place.file.as_deref().is_some_and(is_own);
            death.panic = panics(lines).into_iter().rfind(|panic| panic.place.as_ref().is_some_and(own));
            death.thread = death.panic.as_ref().map(|panic| panic.thread.clone());
        }
        // libtest names a thread after its test.
        death.thread = death.thread.filter(|name| name != "main" && lines::is_rust_name(name));
        death
    }

    /// As the record of the test that was running, where that is known.
    fn record(self, pending: Option<String>, target: &Target) -> Failure {
        let crash = Failure { kind: Kind::Crash, message: self.message, ..Failure::default() };
        let Some(name) = pending.or(self.thread) else { return crash };
        let about = about(&name, target);
        match &self.panic {
            Some(panic) => died(&about, panic),
            None => Failure { kind: crash.kind, message: crash.message, ..bare(&about) },
        }
    }
}

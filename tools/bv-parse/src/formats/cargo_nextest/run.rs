//! One run, from its head to its summary and the recap below it.
//!
//! The summary closes a green run at once, so that the next command of the same log stands beside it and
//! not in it. A red run closes below its recap, which may hold the output.

use super::entry::{Entry, How, script};
use super::lines::{self, Status, Summary, Word};
use super::reds::Reds;
use crate::machine::{Closing, Line, Out, Says};
use crate::rust_output::Captured;
use bv_schemas::{Counts, Reason, Test, TestOutcome};
use std::collections::HashSet;

/// What a line did to the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It is the run's.
    Stay,
    /// It was the run's last.
    Closed,
    /// The run had ended; the line is not its.
    Left,
    /// The line begins another run; this one has not closed.
    Broken,
}

/// See the head of this file.
#[derive(Debug, Default)]
pub struct Run {
    /// Tests to be run.
    announced: Option<u64>,
    seen: Seen,
    /// Tests that were said to start (`--no-capture`, `--verbose`) and have not ended.
    started: HashSet<String>,
    /// Output outside all blocks, of the test that is running (`--no-capture`).
    stray: Captured,
    /// The failed attempt whose block is being read.
    entry: Option<Entry>,
    /// A setup script that failed.
    setup: Option<Entry>,
    /// A flaky pass that the next line may call a failure.
    flaky: Option<Entry>,
    block: Option<Block>,
    reds: Reds,
    cancelled: bool,
    summary: Option<Summary>,
    /// Why tests were not run, in nextest's words.
    warning: Option<String>,
    /// Red tests that the recap lists.
    recap: Vec<String>,
    /// The closing was said.
    closed: bool,
}

/// Results that were printed while the tests ran.
#[derive(Debug, Default)]
struct Seen {
    passed: u64,
    /// Passes are shown at all.
    plain: bool,
    setup_failed: u64,
}

/// Captured output.
#[derive(Clone, Copy, Debug)]
struct Block {
    indented: bool,
    /// The line before was blank.
    after_blank: bool,
}

/// Tests that run at one time at most; more than a machine starts.
const STARTED_MAX: usize = 10_000;

/// Names of the recap that are kept; a longer one is not compared.
const RECAP_MAX: usize = crate::machine::HELD_MAX;

impl Run {
    /// Takes the next line; `after_rule` where the line before was a rule.
    pub fn line(&mut self, line: &Line<'_>, after_rule: bool, out: &mut Out) -> Step {
        let text = line.text;
        if after_rule
            && let Some(summary) = lines::summary(text)
            && self.accepts(&summary)
        {
            return self.sum_up(summary, out);
        }
        if self.block.is_some() && self.in_block(line) {
            return Step::Stay;
        }
        self.block = None;
        if let Some(status) = lines::status(text).filter(|status| self.is_own(status)) {
            out.mine();
            self.status(&status, line, out);
            return Step::Stay;
        }
        if let Some(header) = lines::header(text).filter(|_| self.started.is_empty() || self.captures()) {
            self.block = Some(Block { indented: header.indented, after_blank: false });
            return Step::Stay;
        }
        self.around(line, out)
    }

    /// The stream ended.
    pub fn end(&mut self, out: &mut Out) {
        self.settle(out);
        if self.summary.is_some() {
            self.close(out);
        } else if !self.closed {
            self.reds.say(&[], out);
        }
    }

    /// What the run claims of the next lines.
    pub fn owns_lines(&self) -> bool {
        match self.block {
            // What follows a closed run may be another runner's.
            Some(block) if !self.closed || block.indented => true,
            _ => !self.closed && !self.started.is_empty(),
        }
    }

    /// Takes a line of captured output; false where the block has ended before it.
    fn in_block(&mut self, line: &Line<'_>) -> bool {
        let Some(block) = &mut self.block else { return false };
        let text = line.text;
        let after_blank = std::mem::replace(&mut block.after_blank, text.is_empty());
        if !block.indented {
            if lines::header(text).is_some_and(|header| !header.indented) {
                return true;
            }
        } else if !text.is_empty() && !text.starts_with("    ") {
            return false;
        }
        if after_blank && (lines::status(text).is_some() || !block.indented && is_end(text)) {
            return false;
        }
        let aside = lines::aside(text).filter(|_| after_blank);
        let indented = block.indented;
        for entry in self.entry.iter_mut().chain(&mut self.setup) {
            entry.span[1] = line.span[1];
            match aside {
                Some(aside) => entry.aside = Some(aside.to_owned()),
                None => entry.push(if indented { text.get(4..).unwrap_or("") } else { text }),
            }
        }
        true
    }

    /// Whether a status can be nextest's: where starts are shown, only a test that started can end.
    fn is_own(&self, status: &Status<'_>) -> bool {
        self.started.is_empty()
            || self.summary.is_some()
            || matches!(status.word, Word::Start | Word::Notice | Word::Skip)
            || self.started.contains(status.id)
    }

    /// Whether output is captured although starts are shown: more than one test runs, or one has ended
    /// with a block.
    fn captures(&self) -> bool {
        self.entry.is_some() || self.started.len() > 1
    }

    fn status(&mut self, status: &Status<'_>, line: &Line<'_>, out: &mut Out) {
        self.settle(out);
        if self.closed || self.summary.is_some() {
            self.recapped(status, line);
            return;
        }
        match status.word {
            Word::Start => {
                if self.started.len() < STARTED_MAX {
                    self.started.insert(status.id.to_owned());
                }
                self.stray.clear();
            }
            Word::Notice | Word::Setup | Word::SetupPass => {}
            Word::Skip => self.test(status, TestOutcome::Skipped, out),
            Word::Pass | Word::Flaky => self.passed(status, line, out),
            Word::SetupFail => {
                self.seen.setup_failed += 1;
                self.setup = Some(self.entry(status, line));
            }
            _ => self.entry = Some(self.entry(status, line)),
        }
    }

    fn passed(&mut self, status: &Status<'_>, line: &Line<'_>, out: &mut Out) {
        self.seen.passed += 1;
        out.tests_seen += 1;
        self.started.remove(status.id);
        self.stray.clear();
        if status.attempt.is_some() {
            self.flaky = Some(self.entry(status, line));
        } else {
            self.seen.plain = true;
            self.test(status, TestOutcome::Passed, out);
        }
    }

    fn test(&self, status: &Status<'_>, outcome: TestOutcome, out: &mut Out) {
        if out.all {
            out.test(Test { id: status.id.to_owned(), outcome, duration_ms: status.ms });
        }
    }

    fn entry(&mut self, status: &Status<'_>, line: &Line<'_>) -> Entry {
        self.started.remove(status.id);
        let mut entry = Entry {
            id: status.id.to_owned(),
            how: How::of(status.word),
            span: line.span,
            ..Entry::default()
        };
        for text in self.stray.lines() {
            entry.push(text);
        }
        self.stray.clear();
        entry
    }

    /// A status below the summary: the test is known as a rule, its output may not be.
    fn recapped(&mut self, status: &Status<'_>, line: &Line<'_>) {
        if status.word.is_red() {
            if self.recap.len() < RECAP_MAX && !self.recap.iter().rev().take(1).any(|id| id == status.id) {
                self.recap.push(status.id.to_owned());
            }
            self.entry = Some(self.entry(status, line));
        }
    }

    /// Books the attempt that was being read.
    fn settle(&mut self, out: &mut Out) {
        if let Some(entry) = self.entry.take() {
            self.reds.put(entry);
        }
        if let Some(setup) = self.setup.take() {
            self.reds.script(script(&setup.id, setup.aside, setup.span));
        }
        if let Some(flaky) = self.flaky.take() {
            self.reds.forgive(&flaky.id);
            if out.all {
                out.test(Test { id: flaky.id, outcome: TestOutcome::Flaky, duration_ms: None });
            }
        }
    }

    /// Lines that are no status and no output of a block.
    fn around(&mut self, line: &Line<'_>, out: &mut Out) -> Step {
        let text = line.text;
        if let Some(detail) = lines::detail(text) {
            self.detail(detail);
            return Step::Stay;
        }
        if let Some(aside) = lines::aside(text).filter(|_| self.entry.is_some() || self.setup.is_some()) {
            for entry in self.entry.iter_mut().chain(&mut self.setup) {
                entry.aside = Some(aside.to_owned());
                entry.span[1] = line.span[1];
            }
            return Step::Stay;
        }
        if !self.started.is_empty() {
            self.stray.push(text);
            return Step::Stay;
        }
        if let Some(count) = lines::starting(text).filter(|_| self.announced.is_none()) {
            self.announced = Some(count);
            return Step::Stay;
        }
        self.cancelled |= text.starts_with("  Cancel") || text.starts_with("     Killing");
        if self.closed || self.summary.is_some() {
            return self.below(text, out);
        }
        let again = lines::is_run(text) || lines::starting(text).is_some();
        if again && self.announced.is_some() {
            self.end(out);
            return Step::Broken;
        }
        Step::Stay
    }

    fn detail(&mut self, detail: &str) {
        if detail == "test configured to fail if flaky"
            && let Some(mut entry) = self.flaky.take()
        {
            self.seen.passed -= 1;
            entry.how = How::Held;
            entry.aside = Some(detail.to_owned());
            self.reds.blame(entry);
        } else if let Some(entry) = &mut self.entry {
            entry.aside.get_or_insert_with(|| detail.to_owned());
        }
    }

    /// Lines below the summary.
    fn below(&mut self, text: &str, out: &mut Out) -> Step {
        if text.is_empty() || text.starts_with("   ") && !is_cargo(text) || lines::is_rule(text) {
            return Step::Stay;
        }
        if let Some(warning) = text.strip_prefix("warning: ").filter(|warning| warning.contains(" not run")) {
            self.warning = Some(warning.to_owned());
            return Step::Stay;
        }
        self.settle(out);
        let last = text.starts_with("error: ");
        if self.summary.is_some() {
            if let Some(error) = text.strip_prefix("error: ").filter(|_| self.warning.is_none()) {
                self.warning = Some(error.to_owned());
            }
            self.close(out);
            return if last { Step::Closed } else { Step::Left };
        }
        Step::Left
    }

    /// Whether a summary can be this run's, and not one that a test printed.
    fn accepts(&self, summary: &Summary) -> bool {
        if summary.stress {
            return true;
        }
        if self.closed || self.announced.is_some_and(|count| count != summary.total) {
            return false;
        }
        if !self.started.is_empty() && !self.cancelled {
            return false;
        }
        let passed = self.seen.passed;
        if summary.red() > 0 {
            return passed <= summary.passed;
        }
        // A log without its head shows a part of the results.
        let seen_all = self.announced.is_none() || !self.seen.plain || passed == summary.passed;
        seen_all && summary.passed == summary.finished
    }

    fn sum_up(&mut self, summary: Summary, out: &mut Out) -> Step {
        self.settle(out);
        self.block = None;
        let green = summary.red() == 0 && summary.finished == summary.total && summary.passed > 0;
        self.summary = Some(summary);
        if green && self.seen.setup_failed == 0 {
            self.close(out);
        }
        Step::Stay
    }

    fn close(&mut self, out: &mut Out) {
        let Some(summary) = self.summary.take() else { return };
        self.closed = true;
        let named = if summary.red() == 0 && self.is_surplus(&summary) {
            self.reds.clear();
            0
        } else {
            let listed = if self.recap.len() as u64 == summary.red() { &self.recap[..] } else { &[] };
            self.reds.say(listed, out)
        };
        if !summary.stress {
            out.unnamed((summary.red() + self.seen.setup_failed).saturating_sub(named));
        }
        let says = if summary.red() + named > 0 {
            Says::Red
        } else if summary.total == 0 {
            Says::NoTests
        } else if summary.finished < summary.total {
            let late = self.warning.as_ref().is_some_and(|warning| warning.contains("timeout"));
            Says::Refused(if late { Reason::Timeout } else { Reason::Truncated })
        } else {
            Says::Green
        };
        let message = self.warning.take().filter(|_| matches!(says, Says::NoTests | Says::Refused(_)));
        let counts = if summary.stress && named == 0 && summary.red() == 0 {
            Counts { passed: Some(summary.passed), ..Counts::default() }
        } else {
            summary.counts()
        };
        out.close(Closing { says, counts, duration_ms: summary.ms, message });
    }

    /// More results were printed than tests ran, and all tests held: a test printed the others.
    fn is_surplus(&self, summary: &Summary) -> bool {
        self.announced == Some(summary.passed) && self.seen.plain && self.seen.passed == summary.passed
    }
}

/// What may stand behind a block of unindented output.
fn is_end(text: &str) -> bool {
    text.starts_with("  Cancel")
        || text == "error: test run failed"
        || text.starts_with("warning: ") && text.contains(" not run due to ")
}

/// cargo's own lines are indented, too.
fn is_cargo(text: &str) -> bool {
    const WORDS: &[&str] =
        &["Compiling ", "Finished ", "Doc-tests ", "Running ", "Building ", "Blocking ", "Checking "];
    let inner = text.trim_start();
    WORDS.iter().any(|word| inner.starts_with(word))
}

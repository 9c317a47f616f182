//! One invocation of Gradle: its tasks, what their tests told, why it failed.

use super::task::{State, Task};
use crate::held::Held;
use crate::jvm;
use crate::machine::{Closing, HELD_MAX, Out, Says};
use crate::values;
use bv_schemas::{Counts, Failure, Kind, Reason, Test, TestOutcome};
use std::collections::HashSet;

/// Lines kept below `* What went wrong:`.
const WRONG_LINES_MAX: usize = 100;
/// Bytes of a refusal's words.
const MESSAGE_BYTES_MAX: usize = 400;

/// See the head of this file.
#[derive(Default)]
pub struct Build {
    opened: bool,
    /// A task or Gradle's own word for a failure was seen.
    seen: bool,
    task: Option<CurrentTask>,
    /// A task ran tests, or its tests from before still hold.
    ran: bool,
    /// A task had no tests to run.
    idle: bool,
    /// Failures of the task that runs.
    current: Vec<Failure>,
    held: Held,
    counts: Option<Counts>,
    unnamed: u64,
    /// Names of tests that passed, to see a retry.
    passed: HashSet<String>,
    compile_errors: Vec<Failure>,
    explaining: bool,
    wrong: Vec<String>,
    /// `There were failing tests`, where the build goes on all the same.
    failing: bool,
}

#[derive(Clone, Copy)]
struct CurrentTask {
    tests: bool,
    compiles: bool,
}

/// `5 tests completed, 2 failed, 1 skipped`, which Gradle prints where a test failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Completed {
    ran: u64,
    failed: u64,
    skipped: u64,
}

impl Completed {
    /// Reads the line.
    pub fn read(text: &str) -> Option<Completed> {
        let (ran, rest) =
            text.split_once(" tests completed, ").or_else(|| text.split_once(" test completed, "))?;
        let mut completed = Completed { ran: ran.parse().ok()?, ..Completed::default() };
        for part in rest.split(", ") {
            let (number, word) = part.split_once(' ')?;
            let number = number.parse().ok()?;
            match word {
                "failed" => completed.failed = number,
                "skipped" => completed.skipped = number,
                _ => return None,
            }
        }
        Some(completed)
    }
}

impl Build {
    /// The section opens.
    pub fn open(&mut self, out: &mut Out) {
        self.seen = true;
        if !std::mem::replace(&mut self.opened, true) {
            out.open();
        }
    }

    /// Whether Gradle surely speaks.
    pub fn is_seen(&self) -> bool {
        self.seen
    }

    /// A task's line.
    pub fn task(&mut self, task: Task<'_>) {
        self.seen = true;
        let tests = task.runs_tests();
        match task.state {
            State::Ran | State::Failed | State::Cached if tests => self.ran = true,
            State::Idle if tests => self.idle = true,
            _ => {}
        }
        self.task = Some(CurrentTask { tests, compiles: task.compiles() });
    }

    /// Whether a line may be a test's: no task is known, or it is one that runs tests.
    pub fn may_test(&self) -> bool {
        self.task.is_none_or(|task| task.tests)
    }

    /// A test failed.
    pub fn test_failed(&mut self, failure: Failure) {
        if self.current.len() < HELD_MAX {
            self.current.push(failure);
        } else {
            self.unnamed += 1;
        }
    }

    /// A test passed.
    pub fn passed(&mut self, id: &str, out: &mut Out) {
        out.tests_seen += 1;
        out.test(Test { id: id.to_owned(), outcome: TestOutcome::Passed, duration_ms: None });
        if self.passed.len() < HELD_MAX && (!self.current.is_empty() || !self.held.is_empty()) {
            self.passed.insert(id.to_owned());
        }
    }

    /// A test was skipped.
    pub fn skipped(&mut self, id: &str, out: &mut Out) {
        out.tests_seen += 1;
        out.test(Test { id: id.to_owned(), outcome: TestOutcome::Skipped, duration_ms: None });
    }

    /// A task's tests are over: the last of its failures are those that it counts.
    pub fn completed(&mut self, told: Completed) {
        let failed = usize::try_from(told.failed).unwrap_or(usize::MAX);
        let forged = self.current.len().saturating_sub(failed);
        self.unnamed += (failed - (self.current.len() - forged)) as u64;
        self.current.drain(..).skip(forged).for_each(|failure| self.held.push(failure));
        let sum = self.counts.get_or_insert_with(Counts::default);
        sum.add(&Counts {
            passed: Some(told.ran.saturating_sub(told.failed + told.skipped)),
            failed: Some(told.failed),
            errored: None,
            skipped: Some(told.skipped),
        });
        self.ran = true;
    }

    /// A line that may be a compiler's error.
    pub fn compile_error(&mut self, text: &str, span: [u64; 2]) {
        if self.task.is_some_and(|task| !task.compiles) || self.compile_errors.len() == HELD_MAX {
            return;
        }
        self.compile_errors.extend(jvm::compile_error(text, span));
    }

    /// Gradle says that the build failed.
    pub fn failed(&mut self) {
        self.seen = true;
    }

    /// Why it failed follows.
    pub fn wrong(&mut self) {
        self.seen = true;
        self.explaining = true;
    }

    /// Whether the lines to come say why.
    pub fn is_explaining(&self) -> bool {
        self.explaining
    }

    /// Takes a line that says why; false where they are over.
    pub fn explains(&mut self, text: &str) -> bool {
        if text.starts_with("* ") || text.starts_with("BUILD ") {
            self.explaining = false;
            return false;
        }
        if self.wrong.len() < WRONG_LINES_MAX {
            self.wrong.push(text.to_owned());
        }
        true
    }

    /// The stream ended before Gradle's last words.
    pub fn cut(mut self, out: &mut Out) {
        if self.opened {
            self.held.say(out);
            self.current.drain(..).for_each(|failure| out.failure(failure));
            out.unnamed(self.unnamed);
        }
    }

    /// Gradle's last words; whether tests ran and all was well.
    pub fn close(mut self, ok: bool, duration_ms: Option<u64>, green_before: bool, out: &mut Out) -> bool {
        self.current.drain(..).for_each(|failure| self.held.push(failure));
        self.failing = self.says("There were failing tests");
        if ok && !self.failing {
            self.forgive_retried();
        }
        if let Some(crash) = self.crash() {
            self.held.push(crash);
        }
        let (says, message) = self.verdict(ok);
        // It has nothing to do with tests, or is another step of a job whose tests are over.
        let elsewhere = says == Says::NoTests && ok && !self.idle && !self.opened;
        if elsewhere || says == refused(Reason::NotRunnable) && green_before && !self.opened {
            return false;
        }
        self.open(out);
        self.held.say(out);
        if matches!(says, Says::Red | Says::Refused(Reason::CompileError)) {
            self.compile_errors.drain(..).for_each(|failure| out.failure(failure));
        }
        out.unnamed(self.unnamed);
        out.close(Closing { says, counts: self.counts.unwrap_or_default(), duration_ms, message });
        says == Says::Green
    }

    fn says(&self, words: &str) -> bool {
        self.wrong.iter().any(|line| line.contains(words))
    }

    /// A test that failed, ran again and passed, in a build that is well: the test-retry plugin's.
    fn forgive_retried(&mut self) {
        let before = self.held.len();
        let passed = &self.passed;
        self.held.forget(|failure| failure.id.as_ref().is_some_and(|id| passed.contains(id)));
        let forgiven = before - self.held.len();
        if let Some(failed) = self.counts.as_mut().and_then(|counts| counts.failed.as_mut()) {
            *failed = failed.saturating_sub(forgiven);
        }
    }

    /// The process of the tests died, or was given up.
    fn crash(&self) -> Option<Failure> {
        let kind = |line: &&String| {
            let died = line.contains("Process 'Gradle Test Executor ")
                && line.contains("non-zero exit value")
                || line.contains("Test process encountered an unexpected problem");
            let kind = if died { Kind::Crash } else { Kind::Timeout };
            (died || line.contains("Timeout has been exceeded")).then_some(kind)
        };
        self.wrong.iter().find_map(|line| {
            Some(Failure {
                kind: kind(&line)?,
                message: Some(line.trim_start_matches(['>', ' ']).to_owned()),
                ..Failure::default()
            })
        })
    }

    fn verdict(&self, ok: bool) -> (Says, Option<String>) {
        let red = self.counts.and_then(|counts| counts.failed).unwrap_or(0) + self.unnamed;
        if !self.held.is_empty() || red > 0 || self.failing {
            return (Says::Red, None);
        }
        if ok {
            return (if self.ran { Says::Green } else { Says::NoTests }, None);
        }
        let words = self.words();
        if self.says("No tests found ") {
            // The build failed for want of them.
            return (refused(Reason::NoTests), words);
        }
        if !self.compile_errors.is_empty()
            || self.says("Compilation failed")
            || self.says("Compilation error")
        {
            return (refused(Reason::CompileError), words);
        }
        (refused(Reason::NotRunnable), words)
    }

    /// The first reason, in one line.
    fn words(&self) -> Option<String> {
        let lines = self.wrong.iter().map(|line| line.trim_start_matches(['>', ' ']));
        let words = lines.filter(|line| !line.is_empty()).take(2).collect::<Vec<_>>().join(" ");
        let end = words.char_indices().map(|(at, _)| at).find(|&at| at >= MESSAGE_BYTES_MAX);
        (!words.is_empty()).then(|| words[..end.unwrap_or(words.len())].to_owned())
    }
}

const fn refused(reason: Reason) -> Says {
    Says::Refused(reason)
}

/// `3s`, `1m 5s`, `1h 2m 3s`, `850ms`.
pub fn milliseconds(spent: &str) -> Option<u64> {
    let mut sum = 0.0;
    for part in spent.split(' ') {
        let digits = part.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
        let number: f64 = part[..digits].parse().ok()?;
        sum += number
            * match &part[digits..] {
                "h" => 3600.0,
                "m" => 60.0,
                "s" => 1.0,
                "ms" => 0.001,
                _ => return None,
            };
    }
    values::milliseconds(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_times() {
        for (text, want) in [
            ("5 tests completed, 2 failed, 1 skipped", Some((5, 2, 1))),
            ("1 test completed, 1 failed", Some((1, 1, 0))),
            ("5 tests completed, all well", None),
            ("5 tests", None),
        ] {
            let got = Completed::read(text).map(|told| (told.ran, told.failed, told.skipped));
            assert_eq!(got, want, "{text}");
        }
        for (text, want) in
            [("3s", Some(3000)), ("1m 5s", Some(65_000)), ("850ms", Some(850)), ("a while", None), ("", None)]
        {
            assert_eq!(milliseconds(text), want, "{text}");
        }
    }
}

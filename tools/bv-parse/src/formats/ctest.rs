//! CTest: one line a test, with `--output-on-failure` or `-V` its output, then the tally.
//!
//! A section opens with `Test project …` and closes with the lines below `N% tests passed, M tests failed
//! out of T`. What a test prints is not CTest's: a runner in it is read only to tell why the test failed.

mod output;
mod result;

use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use bv_schemas::{Counts, Failure, Kind, Test, TestOutcome};
use output::Output;
use result::{Outcome, TestLine};
use std::collections::HashMap;

pub use output::tell;

/// The table's line.
pub const FORMAT: Format = Format {
    name: "ctest",
    commands: &["ctest"],
    needles: &["Test project ", "% tests passed, ", " Test #", " Test  #", "No tests were found!!!"],
    new: || Box::<Ctest>::default(),
};

/// Tests kept at most.
const TESTS_MAX: usize = 100_000;

/// See the head of this file.
#[derive(Default)]
struct Ctest {
    opened: bool,
    /// By name, the last word on each: a repeated test's earlier ones are void.
    tests: HashMap<String, Outcome>,
    /// In the order in which they first failed.
    failed: Vec<Failed>,
    /// The failed test whose output comes.
    at: Option<usize>,
    /// Lines between a test's start and its result: CTest's own on why it cannot run.
    before: Option<String>,
    /// Output of the tests that run, under `-V`.
    verbose: HashMap<u64, Output>,
    tally: Option<Tally>,
    listing: Listing,
}

struct Failed {
    name: String,
    line: TestLine,
    output: Output,
    span: [u64; 2],
}

/// `33% tests passed, 4 tests failed out of 6`.
#[derive(Clone, Copy)]
struct Tally {
    failed: u64,
    total: u64,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Listing {
    #[default]
    None,
    Failed,
}

impl Machine for Ctest {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let text = line.text;
        if self.tally.is_some() {
            return self.below(text, line.span, out);
        }
        if text.starts_with("Test project ") {
            if !self.opened {
                self.open(out);
            }
            return;
        }
        if let Some(test) = result::line(text) {
            self.open(out);
            return self.result(test, line.span, out);
        }
        if let Some(tally) = tally(text) {
            self.open(out);
            self.at = None;
            self.tally = Some(tally);
            return;
        }
        if text.trim() == "No tests were found!!!"
            && (self.opened || self.tests.is_empty())
            && self.at.is_none()
        {
            self.open(out);
            return self.close(Says::NoTests, Counts::default(), None, out);
        }
        if self.opened {
            self.other(text, line.span);
        }
    }

    fn end(&mut self, out: &mut Out) {
        if self.opened {
            if let Some(tally) = self.tally.take() {
                return self.verdict(tally, None, out);
            }
            self.say(out);
        }
    }
}

impl Ctest {
    fn open(&mut self, out: &mut Out) {
        if !self.opened {
            self.opened = true;
            out.open();
        }
    }

    fn result(&mut self, test: TestLine, span: [u64; 2], out: &mut Out) {
        self.at = None;
        out.tests_seen += 1;
        let outcome = test.outcome;
        let name = test.name.clone();
        let output = self.verbose.remove(&test.number).unwrap_or_default();
        let known = self.failed.iter().position(|failed| failed.name == name);
        match outcome {
            Outcome::Passed | Outcome::Skipped => {
                if let Some(at) = known {
                    // It was repeated until it passed.
                    self.failed.remove(at);
                }
                let id = name.clone();
                let outcome =
                    if outcome == Outcome::Passed { TestOutcome::Passed } else { TestOutcome::Skipped };
                let outcome = if known.is_some() && outcome == TestOutcome::Passed {
                    TestOutcome::Flaky
                } else {
                    outcome
                };
                out.test(Test { id, outcome, duration_ms: test.duration_ms });
            }
            _ => {
                let mut failed = Failed { name: name.clone(), line: test, output, span };
                if let Some(words) = self.before.take().filter(|_| outcome == Outcome::NotRun) {
                    failed.line.message = words;
                }
                match known {
                    Some(at) => self.failed[at] = failed,
                    None if self.failed.len() < TESTS_MAX => self.failed.push(failed),
                    None => {}
                }
                self.at = known.or(self.failed.len().checked_sub(1));
            }
        }
        self.before = None;
        if self.tests.len() < TESTS_MAX {
            self.tests.insert(name, outcome);
        }
    }

    /// A line that is none of CTest's table: output of the failed test above it, or `-V`'s.
    fn other(&mut self, text: &str, span: [u64; 2]) {
        if result::is_start(text) {
            self.at = None;
            self.before = None;
            return;
        }
        if let Some((number, line)) = result::prefixed(text) {
            const RUNNING_MAX: usize = 1000;
            if self.verbose.len() < RUNNING_MAX || self.verbose.contains_key(&number) {
                self.verbose.entry(number).or_default().line(line);
            }
            return;
        }
        match self.at {
            Some(at) => {
                let failed = &mut self.failed[at];
                failed.output.line(text);
                failed.span[1] = span[1];
            }
            None if text.starts_with("Could not find executable ")
                || text.starts_with("Unable to find executable") =>
            {
                self.before.get_or_insert_with(|| text.trim().to_owned());
            }
            None => {}
        }
    }

    /// Below the tally: the time, then lists of what did not run and what failed.
    fn below(&mut self, text: &str, span: [u64; 2], out: &mut Out) {
        let Some(tally) = self.tally else { return };
        if let Some(time) = text.strip_prefix("Total Test time (real) =") {
            let seconds = time.trim().strip_suffix(" sec").and_then(|time| time.parse().ok());
            let duration = seconds.and_then(crate::values::milliseconds);
            if tally.failed == 0 || tally.failed <= self.failed.len() as u64 {
                self.tally = None;
                self.verdict(tally, duration, out);
            }
            return;
        }
        match text.trim_end() {
            "The following tests FAILED:" => self.listing = Listing::Failed,
            "The following tests did not run:" => self.listing = Listing::None,
            "Errors while running CTest" => {
                self.tally = None;
                self.verdict(tally, None, out);
            }
            text if self.listing == Listing::Failed => {
                if let Some(line) = result::listed(text)
                    && !self.failed.iter().any(|failed| failed.name == line.name)
                    && self.failed.len() < TESTS_MAX
                {
                    self.failed.push(Failed {
                        name: line.name.clone(),
                        line,
                        output: Output::default(),
                        span,
                    });
                }
            }
            _ => {}
        }
    }

    fn verdict(&mut self, tally: Tally, duration_ms: Option<u64>, out: &mut Out) {
        let count =
            |wanted: Outcome| self.tests.values().filter(|outcome| **outcome == wanted).count() as u64;
        let skipped = count(Outcome::Skipped);
        // Under `-Q` and in a tail of the log the table is not there.
        let seen = !self.tests.is_empty();
        let passed = if seen { count(Outcome::Passed) } else { tally.total.saturating_sub(tally.failed) };
        let says = Says::of(tally.failed, passed);
        let counts = Counts {
            passed: Some(passed),
            failed: Some(tally.failed),
            errored: None,
            skipped: seen.then_some(skipped),
        };
        self.close(says, counts, duration_ms, out);
    }

    fn close(&mut self, says: Says, counts: Counts, duration_ms: Option<u64>, out: &mut Out) {
        if says == Says::Red {
            self.say(out);
        }
        out.close(Closing { says, counts, duration_ms, message: None });
        *self = Ctest::default();
    }

    fn say(&mut self, out: &mut Out) {
        for failed in std::mem::take(&mut self.failed) {
            let mut failure = Failure {
                id: Some(failed.name),
                kind: failed.line.outcome.kind(),
                message: Some(failed.line.message).filter(|message| !message.is_empty()),
                span: Some(failed.span),
                ..Failure::default()
            };
            if failed.line.outcome != Outcome::NotRun {
                failed.output.tell(&mut failure);
            }
            out.failure(failure);
        }
    }
}

/// `100% tests passed, 0 tests failed out of 3`.
fn tally(text: &str) -> Option<Tally> {
    let (percent, rest) = text.split_once("% tests passed, ")?;
    percent.trim().parse::<u64>().ok()?;
    let (failed, total) = rest.split_once(" failed out of ")?;
    let failed = failed.strip_suffix(" tests").or(failed.strip_suffix(" test"))?;
    Some(Tally { failed: failed.parse().ok()?, total: total.trim().parse().ok()? })
}

impl Outcome {
    fn kind(self) -> Kind {
        match self {
            Outcome::Crashed => Kind::Crash,
            Outcome::TimedOut => Kind::Timeout,
            Outcome::NotRun => Kind::SetupError,
            Outcome::Failed | Outcome::Passed | Outcome::Skipped => Kind::Assertion,
        }
    }
}

#[cfg(test)]
mod tests;

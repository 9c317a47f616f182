//! AVA's closing statement, a count a line below a rule: `5 tests failed`, `2 tests passed`, `1 uncaught exception`.

use crate::machine::{Closing, Says};
use bv_schemas::{Counts, TestOutcome};

/// Tests of which a line above the counts says that they did not run, or fail as expected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Announced {
    skipped: u64,
    todo: u64,
    known: u64,
}

impl Announced {
    /// One more such test; others do not matter.
    pub fn add(&mut self, outcome: TestOutcome) {
        match outcome {
            TestOutcome::Skipped => self.skipped += 1,
            TestOutcome::Todo => self.todo += 1,
            TestOutcome::Xfailed => self.known += 1,
            _ => {}
        }
    }
}

/// The statement, as far as it has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statement {
    any: bool,
    /// Hooks that failed.
    pub hooks: u64,
    /// Tests that failed.
    pub failed: u64,
    passed: Option<u64>,
    known: u64,
    skipped: u64,
    todo: u64,
    /// Errors that nobody caught.
    pub uncaught: u64,
    /// Tests that never ended, and failures of files that were not run again.
    pub others: u64,
}

impl Statement {
    /// Takes a line; whether it is part of the statement.
    pub fn line(&mut self, text: &str) -> bool {
        let Some((number, words)) = text.strip_prefix("  ").and_then(|text| text.split_once(' ')) else {
            return false;
        };
        let Ok(number) = number.parse::<u64>() else { return false };
        match words {
            "hook failed" | "hooks failed" => self.hooks = number,
            "test failed" | "tests failed" => self.failed = number,
            "test passed" | "tests passed" => self.passed = Some(number),
            "known failure" | "known failures" => self.known = number,
            "test skipped" | "tests skipped" => self.skipped = number,
            "test todo" | "tests todo" => self.todo = number,
            "unhandled rejection" | "unhandled rejections" | "uncaught exception" | "uncaught exceptions" => {
                self.uncaught = self.uncaught.saturating_add(number);
            }
            _ if words.ends_with(" remained pending after a timeout")
                || words.contains("previous failure") =>
            {
                self.others = self.others.saturating_add(number);
            }
            _ => return false,
        }
        self.any = true;
        true
    }

    /// Whether anything of it has come.
    pub fn began(&self) -> bool {
        self.any
    }

    /// Whether it tells of all that was announced: its lines come one by one, the one of the tests that passed
    /// before these.
    pub fn tells(&self, announced: &Announced) -> bool {
        let failed = self.hooks + self.failed + self.uncaught + self.others > 0;
        failed
            || self.skipped >= announced.skipped
                && self.todo >= announced.todo
                && self.known >= announced.known
    }

    /// The statement as a whole, where so many failures were seen.
    pub fn closing(&self, seen: bool) -> Closing {
        let red = self.hooks + self.failed + self.uncaught + self.others;
        let says = match (red > 0 || seen, self.passed.unwrap_or(0) + self.known) {
            (true, _) => Says::Red,
            (false, 1..) => Says::Green,
            (false, 0) => Says::NoTests,
        };
        let counts = Counts {
            passed: self.passed,
            failed: Some(self.failed),
            errored: Some(self.hooks + self.uncaught).filter(|n| *n > 0),
            skipped: Some(self.skipped),
        };
        Closing { says, counts, duration_ms: None, message: None }
    }
}

/// Whether AVA says here that there is nothing to run.
pub fn nothing_to_run(text: &str) -> Option<&str> {
    let words = text.trim_start().strip_prefix(['✘', '✖'])?.trim_start();
    let nothing = words.starts_with("Couldn’t find any files to test")
        || words.starts_with("Couldn’t find any matching tests")
        || words.starts_with("Based on your configuration, ") && words.contains("did not match the filters");
    nothing.then_some(words)
}

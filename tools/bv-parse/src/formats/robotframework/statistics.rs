//! `5 tests, 1 passed, 3 failed, 1 skipped`: what a suite says of its tests.

use crate::machine::{Closing, Says};
use bv_schemas::Counts;

/// A test's or a suite's verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// `PASS`
    Pass,
    /// `FAIL`
    Fail,
    /// `SKIP`
    Skip,
}

impl Status {
    /// The verdict of this name.
    pub fn of(name: &str) -> Option<Status> {
        match name {
            "PASS" | "PASSED" => Some(Status::Pass),
            "FAIL" | "FAILED" => Some(Status::Fail),
            "SKIP" | "SKIPPED" => Some(Status::Skip),
            _ => None,
        }
    }
}

/// The numbers of a suite's tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    total: u64,
    passed: u64,
    /// Tests that failed.
    pub failed: u64,
    skipped: u64,
}

impl Statistics {
    /// Reads the line; with `--rpa` the tests are tasks.
    pub fn read(text: &str) -> Option<Statistics> {
        let (total, rest) = text.split_once(' ')?;
        let (noun, rest) = rest.split_once(", ")?;
        let nouns = ["test", "tests", "task", "tasks", "tests total", "test total"];
        nouns.contains(&noun).then_some(())?;
        Statistics::numbers(total, rest)
    }

    /// The line above it up to version 3: only tests that are critical decide.
    pub fn critical(text: &str) -> Option<Statistics> {
        let (total, rest) = text.split_once(' ')?;
        let rest = rest.strip_prefix("critical tests, ").or_else(|| rest.strip_prefix("critical test, "))?;
        Statistics::numbers(total, rest)
    }

    fn numbers(total: &str, rest: &str) -> Option<Statistics> {
        let mut parts = rest.split(", ");
        let mut next = |word: &str| parts.next().and_then(|part| number(part, word));
        let passed = next(" passed")?;
        let failed = next(" failed")?;
        let skipped = match parts.next() {
            Some(part) => number(part, " skipped")?,
            None => 0,
        };
        let total = total.parse().ok()?;
        (parts.next().is_none() && passed + failed + skipped == total).then_some(Statistics {
            total,
            passed,
            failed,
            skipped,
        })
    }

    /// The statement that they make together with the root suite's verdict.
    pub fn closing(self, status: Status) -> Closing {
        let says = match status {
            Status::Fail => Says::Red,
            Status::Pass if self.passed > 0 => Says::Green,
            Status::Pass | Status::Skip => Says::NoTests,
        };
        let counts = Counts {
            passed: Some(self.passed),
            failed: Some(self.failed),
            errored: None,
            skipped: Some(self.skipped),
        };
        Closing { says, counts, duration_ms: None, message: None }
    }
}

fn number(text: &str, word: &str) -> Option<u64> {
    text.strip_suffix(word)?.parse().ok()
}

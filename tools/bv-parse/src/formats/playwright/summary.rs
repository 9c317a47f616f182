//! Playwright's closing statement: `  4 failed` with the titles below, `  1 flaky`, `  1 skipped`, `  1 passed (9.7s)`.

use super::block::title_of;
use crate::machine::{Closing, HELD_MAX, Says};
use bv_schemas::Counts;

/// The statement, as far as it has come.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    failed: u64,
    interrupted: u64,
    flaky: u64,
    skipped: u64,
    did_not_run: u64,
    passed: u64,
    /// Errors that belong to no test.
    pub errors: u64,
    /// The failed tests' titles.
    pub titles: Vec<String>,
    under: Under,
    duration_ms: Option<u64>,
    any: bool,
}

/// Whose titles come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Under {
    #[default]
    Nothing,
    Failed,
    Others,
}

impl Summary {
    /// Takes a line; whether it is part of the statement.
    pub fn line(&mut self, text: &str) -> bool {
        if self.under != Under::Nothing
            && let Some(title) = text.strip_prefix("    ").and_then(title_of)
        {
            if self.under == Under::Failed && self.titles.len() < HELD_MAX {
                self.titles.push(title.to_owned());
            }
            return true;
        }
        let Some(text) = text.strip_prefix("  ") else { return false };
        let Some((number, words)) = text.split_once(' ') else { return false };
        let Ok(number) = number.parse::<u64>() else { return false };
        let (word, tail) = words.split_once(" (").map_or((words, ""), |(word, tail)| (word, tail));
        let (count, under) = match word {
            "failed" => (&mut self.failed, Under::Failed),
            "interrupted" => (&mut self.interrupted, Under::Others),
            "flaky" => (&mut self.flaky, Under::Others),
            "skipped" => (&mut self.skipped, Under::Nothing),
            "did not run" => (&mut self.did_not_run, Under::Nothing),
            "passed" if tail.ends_with(')') => {
                self.duration_ms = duration_ms(tail.trim_end_matches(')'));
                (&mut self.passed, Under::Nothing)
            }
            _ if words.contains("not a part of any test") => (&mut self.errors, Under::Nothing),
            _ => return false,
        };
        *count = number;
        (self.under, self.any) = (under, true);
        true
    }

    /// Whether anything of it has come.
    pub fn began(&self) -> bool {
        self.any
    }

    /// Tests that it counts.
    pub fn total(&self) -> u64 {
        [self.failed, self.interrupted, self.flaky, self.skipped, self.did_not_run, self.passed]
            .iter()
            .fold(0, |sum, n| sum.saturating_add(*n))
    }

    /// Failed tests that it counts.
    pub fn failed(&self) -> u64 {
        self.failed
    }

    /// Whether it says how many tests passed; only errors outside of tests may follow.
    pub fn is_last(&self) -> bool {
        self.passed > 0
    }

    /// The statement as a whole.
    pub fn closing(&self) -> Closing {
        let says = match (self.failed + self.errors + self.interrupted, self.passed + self.flaky) {
            (1.., _) => Says::Red,
            (0, 1..) if self.did_not_run == 0 => Says::Green,
            (0, 1..) => Says::Red,
            (0, 0) => Says::NoTests,
        };
        let counts = Counts {
            passed: Some(self.passed),
            failed: Some(self.failed),
            errored: (self.errors > 0).then_some(self.errors),
            skipped: Some(self.skipped),
        };
        Closing { says, counts, duration_ms: self.duration_ms, message: None }
    }
}

/// `806ms`, `9.7s`, `1.2m`, `2.0h`
fn duration_ms(text: &str) -> Option<u64> {
    let unit = text.find(|c: char| c.is_ascii_alphabetic())?;
    let number: f64 = text[..unit].parse().ok()?;
    let factor = match &text[unit..] {
        "ms" => 1.0,
        "s" => 1000.0,
        "m" => 60_000.0,
        "h" => 3_600_000.0,
        _ => return None,
    };
    Some((number * factor).round() as u64)
}

//! Vitest's closing statement: ` Test Files`, `Tests`, `Type Errors`, `Errors`, `Start at`, `Duration`.

use crate::machine::{Closing, Says};
use bv_schemas::Counts;

/// The statement, as far as it has come.
#[derive(Debug, Default)]
pub struct Summary {
    began: bool,
    files_failed: u64,
    tests: Numbers,
    type_errors: u64,
    errors: Option<u64>,
    started: bool,
    duration_ms: Option<u64>,
}

/// What a line is to the statement.
#[derive(Debug, PartialEq, Eq)]
pub enum Part {
    /// No part of it.
    None,
    /// A part, and not the last.
    More,
    /// The last.
    Closed,
}

impl Summary {
    /// Takes a line. The statement begins with the files; a line that belongs to none ends it unsaid.
    pub fn line(&mut self, text: &str) -> Part {
        if let Some(rest) = text.strip_prefix(" Test Files  ") {
            *self = Summary { began: true, files_failed: Numbers::of(rest).failed, ..Summary::default() };
            return Part::More;
        }
        if !self.began {
            return Part::None;
        }
        // The titles are set flush right.
        let Some((title, rest)) = text.trim_start().split_once("  ") else {
            *self = Summary::default();
            return Part::None;
        };
        match title {
            "Tests" => self.tests = Numbers::of(rest),
            "Type Errors" => self.type_errors = Numbers::of(rest).failed,
            "Errors" => self.errors = rest.split(' ').next().and_then(|n| n.parse().ok()),
            "Leaks" => {}
            "Start at" => self.started = true,
            "Duration" if self.started => {
                self.duration_ms = duration_ms(rest.split(" (").next().unwrap_or_default());
                self.began = false;
                return Part::Closed;
            }
            _ => {
                *self = Summary::default();
                return Part::None;
            }
        }
        Part::More
    }

    /// Failing tests that it counts.
    pub fn failed(&self) -> u64 {
        self.tests.failed
    }

    /// Not one test ran.
    pub fn nothing_ran(&self) -> bool {
        self.tests.failed + self.tests.passed + self.tests.skipped == 0 && self.errors.is_none()
    }

    /// The statement as a whole.
    pub fn closing(self) -> Closing {
        let red = self.files_failed + self.tests.failed + self.type_errors + self.errors.unwrap_or(0);
        let says = Says::of(red, self.tests.passed + self.tests.expected_failures);
        let counts = Counts {
            passed: Some(self.tests.passed),
            failed: Some(self.tests.failed),
            errored: self.errors,
            skipped: Some(self.tests.skipped),
        };
        Closing { says, counts, duration_ms: self.duration_ms, message: None }
    }
}

/// `4 failed | 3 passed | 1 expected fail | 2 skipped | 1 todo (11)`, `no tests`.
#[derive(Debug, Default)]
struct Numbers {
    failed: u64,
    passed: u64,
    expected_failures: u64,
    skipped: u64,
}

impl Numbers {
    fn of(text: &str) -> Numbers {
        let mut numbers = Numbers::default();
        for part in text.split(" (").next().unwrap_or_default().split(" | ") {
            let Some((number, word)) = part.trim().split_once(' ') else { continue };
            let Ok(number) = number.parse() else { continue };
            match word {
                "failed" => numbers.failed = number,
                "passed" => numbers.passed = number,
                "expected fail" => numbers.expected_failures = number,
                "skipped" => numbers.skipped = number,
                _ => {}
            }
        }
        numbers
    }
}

/// `198ms`, `1.71s`, `2m 3s`.
fn duration_ms(text: &str) -> Option<u64> {
    text.split_whitespace().try_fold(0_u64, |sum, part| {
        let unit = part.find(|c: char| c.is_ascii_alphabetic())?;
        let number: f64 = part[..unit].parse().ok()?;
        let factor = match &part[unit..] {
            "ms" => 1.0,
            "s" => 1000.0,
            "m" => 60_000.0,
            "h" => 3_600_000.0,
            _ => return None,
        };
        Some(sum.saturating_add((number * factor).round() as u64))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &[&str], want: Option<(Says, [u64; 4], Option<u64>)>) {
        let mut summary = Summary::default();
        let last = lines.iter().map(|line| summary.line(line)).last();
        let got = (last == Some(Part::Closed)).then(|| {
            let c = summary.closing();
            let n = [c.counts.passed, c.counts.failed, c.counts.errored, c.counts.skipped]
                .map(Option::unwrap_or_default);
            (c.says, n, c.duration_ms)
        });
        assert_eq!(got, want, "{lines:?}");
    }

    #[test]
    fn statements() {
        let start = "   Start at  15:41:20";
        let took = "   Duration  1.71s (transform 243ms, tests 303ms)";
        check(
            &[" Test Files  1 passed (1)", "      Tests  2 passed | 1 skipped | 1 todo (4)", start, took],
            Some((Says::Green, [2, 0, 0, 1], Some(1710))),
        );
        check(
            &[" Test Files  1 passed (1)", "      Tests  2 passed (2)", "     Errors  1 error", start, took],
            Some((Says::Red, [2, 0, 1, 0], Some(1710))),
        );
        check(
            &[" Test Files  1 failed | 1 passed (2)", "      Tests  2 passed (2)", start, took],
            Some((Says::Red, [2, 0, 0, 0], Some(1710))),
        );
        check(
            &[" Test Files  1 skipped (1)", "      Tests  2 skipped (2)", start, took],
            Some((Says::NoTests, [0, 0, 0, 2], Some(1710))),
        );
        check(&[" Test Files  1 passed (1)", "      Tests  2 passed (2)", took], None);
        check(&[" Test Files  1 passed (1)", " printed", "      Tests  2 passed (2)", start, took], None);
    }
}

//! Jest's closing statement: `Test Suites:`, `Tests:`, `Snapshots:`, `Time:`, in this order.

use crate::machine::{Closing, Says};
use bv_schemas::Counts;

/// The statement, as far as it has come.
#[derive(Debug, Default)]
pub struct Summary {
    lines: u8,
    suites_failed: u64,
    /// Snapshots that no test asks for any more: Jest ends red for them, whatever else it says.
    obsolete: bool,
    counts: Counts,
    total: u64,
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
    /// Takes a line. A line that is out of order begins anew, so that single look-alikes say nothing.
    pub fn line(&mut self, text: &str) -> Part {
        const LABELS: [&str; 4] = ["Test Suites: ", "Tests: ", "Snapshots: ", "Time: "];
        if let Some(rest) = text.strip_prefix(LABELS[0]) {
            let Some(numbers) = Numbers::of(rest) else { return Part::None };
            *self = Summary { lines: 1, suites_failed: numbers.failed, ..Summary::default() };
            return Part::More;
        }
        let Some(rest) = LABELS.get(usize::from(self.lines)).and_then(|label| text.strip_prefix(label))
        else {
            self.lines = 0;
            return Part::None;
        };
        match self.lines {
            1 => {
                let Some(numbers) = Numbers::of(rest) else { return Part::None };
                self.total = numbers.total;
                self.counts = Counts {
                    passed: Some(numbers.passed),
                    failed: Some(numbers.failed),
                    errored: None,
                    skipped: Some(numbers.skipped),
                };
            }
            2 => self.obsolete = rest.split(", ").any(|part| part.ends_with(" obsolete")),
            3 => {
                self.duration_ms = duration_ms(rest.split(',').next().unwrap_or_default());
                self.lines = 0;
                return Part::Closed;
            }
            0 => return Part::None,
            _ => {}
        }
        self.lines += 1;
        Part::More
    }

    /// Failing tests that it counts.
    pub fn failed(&self) -> u64 {
        self.counts.failed.unwrap_or(0)
    }

    /// Files failed and no test ran: none could be loaded.
    pub fn nothing_loaded(&self) -> bool {
        self.total == 0 && self.suites_failed > 0
    }

    /// The statement as a whole.
    pub fn closing(self) -> Closing {
        let red = self.failed() + self.suites_failed + u64::from(self.obsolete);
        let says = match (red, self.counts.passed) {
            (1.., _) => Says::Red,
            (0, Some(1..)) => Says::Green,
            _ => Says::NoTests,
        };
        Closing { says, counts: self.counts, duration_ms: self.duration_ms, message: None }
    }
}

/// `1 failed, 2 skipped, 3 passed, 6 total`; suites that `--bail` left out make it `3 of 4 total`.
#[derive(Default)]
struct Numbers {
    failed: u64,
    skipped: u64,
    passed: u64,
    total: u64,
}

impl Numbers {
    fn of(text: &str) -> Option<Numbers> {
        let mut numbers = Numbers::default();
        let mut seen = false;
        for part in text.trim().split(", ") {
            let (number, word) = part.split_once(' ')?;
            let number = number.parse().ok()?;
            match word.rsplit(' ').next()? {
                "failed" => numbers.failed = number,
                "skipped" | "pending" => numbers.skipped = number,
                "passed" => numbers.passed = number,
                "todo" => {}
                "total" => {
                    numbers.total = number;
                    seen = true;
                }
                _ => return None,
            }
        }
        seen.then_some(numbers)
    }
}

/// `3.641 s`, `12 ms`, `1.234s`, `2 m`.
pub fn duration_ms(text: &str) -> Option<u64> {
    let text = text.trim();
    let unit = text.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
    let number: f64 = text[..unit].parse().ok()?;
    let factor = match text[unit..].trim() {
        "ms" => 1.0,
        "s" => 1000.0,
        "m" => 60_000.0,
        _ => return None,
    };
    Some((number * factor).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &[&str], want: Option<(Says, [u64; 3], Option<u64>)>) {
        let mut summary = Summary::default();
        let last = lines.iter().map(|line| summary.line(line)).last();
        let got = (last == Some(Part::Closed)).then(|| {
            let c = summary.closing();
            let count = |n: Option<u64>| n.unwrap_or(0);
            (c.says, [count(c.counts.passed), count(c.counts.failed), count(c.counts.skipped)], c.duration_ms)
        });
        assert_eq!(got, want, "{lines:?}");
    }

    #[test]
    fn statements() {
        let snapshots = "Snapshots:   0 total";
        check(
            &[
                "Test Suites: 1 passed, 1 total",
                "Tests:       1 skipped, 1 todo, 3 passed, 5 total",
                snapshots,
                "Time:        0.479 s",
            ],
            Some((Says::Green, [3, 0, 1], Some(479))),
        );
        check(
            &[
                "Test Suites: 1 failed, 1 passed, 2 of 3 total",
                "Tests:       1 failed, 1 total",
                snapshots,
                "Time:        1 s, estimated 2 s",
            ],
            Some((Says::Red, [0, 1, 0], Some(1000))),
        );
        check(
            &[
                "Test Suites: 1 failed, 1 passed, 2 total",
                "Tests:       1 passed, 1 total",
                snapshots,
                "Time:        12 ms",
            ],
            Some((Says::Red, [1, 0, 0], Some(12))),
        );
        check(
            &[
                "Test Suites: 1 skipped, 0 of 1 total",
                "Tests:       2 skipped, 2 total",
                snapshots,
                "Time:        12 ms",
            ],
            Some((Says::NoTests, [0, 0, 2], Some(12))),
        );
        check(
            &[
                "Test Suites: 1 passed, 1 total",
                "Tests:       1 passed, 1 total",
                "Snapshots:   1 obsolete, 0 total",
                "Time:        12 ms",
            ],
            Some((Says::Red, [1, 0, 0], Some(12))),
        );
        check(&["Test Suites: 1 passed, 1 total", "Tests:       1 passed, 1 total"], None);
        check(&["Tests:       1 passed, 1 total", snapshots, "Time:        12 ms"], None);
        check(
            &[
                "Test Suites: 1 passed, 1 total",
                "noise",
                "Tests:       1 passed, 1 total",
                snapshots,
                "Time:        12 ms",
            ],
            None,
        );
    }
}

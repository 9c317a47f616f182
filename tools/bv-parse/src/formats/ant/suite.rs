//! One test class, from `Testsuite: shop.CartTest` on.

use crate::machine::HELD_MAX;
use bv_schemas::Failure;

/// `Tests run: 5, Failures: 1, Errors: 2, Skipped: 1, Time elapsed: 0.107 sec`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// All that ran; a class whose fixture failed ran none.
    pub ran: u64,
    /// Failed assertions.
    pub failed: u64,
    /// Other exceptions.
    pub errored: u64,
    /// Skipped, or aborted by an assumption.
    pub skipped: u64,
}

impl Totals {
    /// Reads the line.
    pub fn read(text: &str) -> Option<Totals> {
        let (numbers, _) = text.strip_prefix("Tests run: ")?.split_once(", Time elapsed: ")?;
        let mut parts = numbers.split(", ");
        let mut totals = Totals { ran: parts.next()?.parse().ok()?, ..Totals::default() };
        for part in parts {
            let (name, number) = part.split_once(": ")?;
            let number: u64 = number.parse().ok()?;
            match name {
                "Failures" => totals.failed = number,
                "Errors" => totals.errored = number,
                "Skipped" | "Aborted" => totals.skipped += number,
                _ => return None,
            }
        }
        Some(totals)
    }

    /// Adds another suite's.
    pub fn add(&mut self, other: Totals) {
        self.ran += other.ran;
        self.failed += other.failed;
        self.errored += other.errored;
        self.skipped += other.skipped;
    }
}

/// See the head of this file.
pub struct Suite {
    /// The class.
    pub name: String,
    totals: Option<Totals>,
    failures: Vec<Failure>,
    within: Within,
    /// `Test shop.CartTest FAILED`
    red: bool,
}

/// Whose text is being read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    /// Ant's.
    Report,
    /// What the tests printed, between rules.
    Output,
    /// What the tests printed, below a summary; its end shows in the totals that are said again.
    SummaryOutput,
}

impl Suite {
    /// One that begins.
    pub fn new(name: String) -> Suite {
        Suite { name, totals: None, failures: Vec::new(), within: Within::Report, red: false }
    }

    /// Its report begins below its summary's first line.
    pub fn reported(&mut self) {
        self.within = Within::Report;
    }

    /// Takes a line; false for one that may begin a test's.
    pub fn line(&mut self, text: &str) -> bool {
        match self.within {
            Within::Output => {
                if text == "------------- ---------------- ---------------" {
                    self.within = Within::Report;
                }
                return true;
            }
            Within::SummaryOutput => {
                let again = Totals::read(text).is_some_and(|totals| Some(totals) == self.totals);
                if again {
                    self.within = Within::Report;
                }
                if !self.is_verdict(text) {
                    return true;
                }
            }
            Within::Report => {}
        }
        if let Some(totals) = Totals::read(text) {
            // What came before it, the tests printed.
            self.failures.clear();
            self.totals = Some(totals);
        } else if text.starts_with("------------- Standard ") {
            self.within = Within::Output;
        } else if matches!(text, "Output:" | "Error:") && self.totals.is_some() {
            self.within = Within::SummaryOutput;
        } else if self.is_verdict(text) {
            self.red = true;
        } else {
            return false;
        }
        true
    }

    fn is_verdict(&self, text: &str) -> bool {
        text.strip_prefix("Test ")
            .and_then(|rest| rest.strip_prefix(self.name.as_str()))
            .is_some_and(|rest| rest.starts_with(" FAILED"))
    }

    /// A test failed.
    pub fn failed(&mut self, failure: Failure) {
        if self.failures.len() < HELD_MAX {
            self.failures.push(failure);
        }
    }

    /// Its numbers, the failures that they count, and how many of them nothing names.
    pub fn end(mut self) -> (Totals, Vec<Failure>, u64) {
        let totals = self.totals.unwrap_or_default();
        let red = totals.failed + totals.errored;
        let wanted = usize::try_from(red).unwrap_or(usize::MAX);
        if self.totals.is_some() {
            let forged = self.failures.len().saturating_sub(wanted);
            self.failures.drain(..forged);
        }
        let due = red.max(u64::from(self.red));
        let unnamed = due.saturating_sub(self.failures.len() as u64);
        (totals, self.failures, unnamed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals() {
        for (text, want) in [
            ("Tests run: 5, Failures: 1, Errors: 2, Skipped: 1, Time elapsed: 0.1 sec", Some((5, 1, 2, 1))),
            ("Tests run: 5, Failures: 1, Errors: 2, Time elapsed: 0.1 sec", Some((5, 1, 2, 0))),
            ("Tests run: 5, Failures: 1, Aborted: 1, Skipped: 1, Time elapsed: 0.1 sec", Some((5, 1, 0, 2))),
            ("Tests run: 5, Failures: 1, Errors: 2", None),
        ] {
            let got = Totals::read(text).map(|t| (t.ran, t.failed, t.errored, t.skipped));
            assert_eq!(got, want, "{text}");
        }
    }
}

//! Bun's closing statement: a count a line, ` 3 pass` first, then `Ran 8 tests across 1 file. [255.00ms]`; or, after
//! `--bail`, the last line alone and `Bailed out after 1 failure`. And what it says where there is nothing to run.

use super::mark::duration_ms;
use crate::machine::{Closing, Says};
use bv_schemas::Counts;

/// The statement, as far as it has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Tests that passed; the first line is theirs, and the others count only below it.
    pub passed: Option<u64>,
    /// Tests that failed, and files whose loading did.
    pub failed: u64,
    /// Errors outside of all tests, those of loading among them.
    pub errors: u64,
    skipped: u64,
    todo: u64,
    /// Tests that it says ran, once the last line came.
    ran: Option<u64>,
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
    Whole,
}

impl Summary {
    /// Takes a line. Without `--dots`, a blank stands before each count.
    pub fn line(&mut self, text: &str) -> Part {
        let text = text.trim();
        if let Some(rest) = text.strip_prefix("Ran ")
            && let Some((ran, duration_ms)) = ran(rest)
        {
            (self.ran, self.duration_ms) = (Some(ran), duration_ms);
            return if self.passed.is_some() { Part::Whole } else { Part::More };
        }
        if let Some(rest) = text.strip_prefix("Bailed out after ")
            && self.ran.is_some()
            && let Some(failed) = rest.split(' ').next().and_then(|n| n.parse().ok())
        {
            (self.passed, self.failed) = (None, failed);
            return Part::Whole;
        }
        if self.count(text).is_some() {
            return Part::More;
        }
        if self.passed.is_some() || self.ran.is_some() && !text.is_empty() {
            *self = Summary::default();
        }
        Part::None
    }

    fn count(&mut self, text: &str) -> Option<()> {
        if let Some(rest) = text.strip_prefix("snapshots: ") {
            return (self.passed.is_some() && rest.starts_with(|c: char| c == '+' || c.is_ascii_digit()))
                .then_some(());
        }
        let (number, word) = text.split_once(' ')?;
        let number: u64 = number.parse().ok()?;
        if word == "pass" {
            *self = Summary { passed: Some(number), ..Summary::default() };
            return Some(());
        }
        self.passed?;
        match word {
            "fail" => self.failed = number,
            "skip" => self.skipped = number,
            "todo" => self.todo = number,
            "error" | "errors" => self.errors = number,
            "filtered out" | "expect() calls" => {}
            _ if word.starts_with("snapshots, ") => {}
            _ => return None,
        }
        Some(())
    }

    /// Whether it says that nothing failed.
    pub fn is_green(&self) -> bool {
        self.failed + self.errors == 0
    }

    /// The statement as a whole.
    pub fn closing(&self) -> Closing {
        let says = match (self.is_green(), self.passed) {
            (false, _) => Says::Red,
            (true, Some(1..)) => Says::Green,
            (true, _) => Says::NoTests,
        };
        let whole = self.passed.is_some();
        let counts = Counts {
            passed: self.passed,
            failed: Some(self.failed),
            errored: (self.errors > 0).then_some(self.errors),
            skipped: whole.then_some(self.skipped),
        };
        Closing { says, counts, duration_ms: self.duration_ms, message: None }
    }
}

/// `8 tests across 1 file. [255.00ms]`, behind `Ran `.
fn ran(text: &str) -> Option<(u64, Option<u64>)> {
    let (number, rest) = text.split_once(" test")?;
    let rest = rest.strip_prefix('s').unwrap_or(rest).strip_prefix(" across ")?;
    let (files, rest) = rest.split_once(" file")?;
    files.parse::<u64>().ok()?;
    let time = rest.strip_prefix('s').unwrap_or(rest).strip_prefix(". [")?.strip_suffix(']')?;
    Some((number.parse().ok()?, duration_ms(time)))
}

/// Whether Bun says here that it found nothing to run: no file, no filter that matches, no test of that name.
pub fn nothing_to_run(text: &str) -> bool {
    text == "No tests found!"
        || text.starts_with("The following filters did not match any test files")
        || text.starts_with("error: 0 test files matching ")
        || text.starts_with("error: regex ") && text.contains(" matched 0 tests. Searched ")
        || text.starts_with("Test filter ") && text.contains(" had no matches")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, want: Option<(Says, [Option<u64>; 4])>) {
        let mut summary = Summary::default();
        let last = text.lines().map(|line| summary.line(line)).last();
        let got = (last == Some(Part::Whole)).then(|| {
            let c = summary.closing();
            (c.says, [c.counts.passed, c.counts.failed, c.counts.errored, c.counts.skipped])
        });
        assert_eq!(got, want, "{text}");
    }

    #[test]
    fn statements() {
        let n = Some;
        check(
            " 3 pass\n 1 skip\n 1 todo\n 5 fail\n 1 error\nsnapshots: 2 passed, 1 failed\n 5 expect() calls\nRan 8 tests across 1 file. [255.00ms]",
            Some((Says::Red, [n(3), n(5), n(1), n(1)])),
        );
        check(
            " 2 pass\n 4 filtered out\n 0 fail\n 3 snapshots, 4 expect() calls\nRan 2 tests across 2 files. [1.20s]",
            Some((Says::Green, [n(2), n(0), None, n(0)])),
        );
        check(
            "3 pass\n0 fail\nRan 3 tests across 1 file. [9.00ms]",
            Some((Says::Green, [n(3), n(0), None, n(0)])),
        );
        check(
            " 0 pass\n 2 skip\n 0 fail\nRan 2 tests across 1 file. [9.00ms]",
            Some((Says::NoTests, [n(0), n(0), None, n(2)])),
        );
        check(
            "Ran 2 tests across 1 file. [15.00ms]\nBailed out after 1 failure",
            Some((Says::Red, [None, n(1), None, None])),
        );
        check("Ran 2 tests across 1 file. [15.00ms]", None);
        check(" 3 pass\nprinted\n 0 fail\nRan 3 tests across 1 file. [9.00ms]", None);
        check(" 0 fail\nRan 3 tests across 1 file. [9.00ms]", None);
    }
}

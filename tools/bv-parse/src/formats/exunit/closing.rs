//! ExUnit's last lines: its time, its totals, and which of the blocks above them are its own.

use super::block::Block;
use crate::machine::{Closing, Says};
use crate::values;
use bv_schemas::Counts;

/// The line `Finished in …`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finished {
    /// How long that was.
    pub duration_ms: Option<u64>,
    /// It is in words that no other runner uses.
    pub sealed: bool,
}

/// The numbers of `1 doctest, 9 tests, 7 failures, 2 invalid, 1 skipped (3 excluded)`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Tests that ran, the skipped ones included.
    pub ran: u64,
    /// Tests that failed.
    pub failed: u64,
    /// Tests of a module whose `setup_all` failed.
    pub invalid: u64,
    /// Skipped tests.
    pub skipped: u64,
    /// From the line `Finished in …`.
    pub duration_ms: Option<u64>,
}

/// `Finished in 0.3 seconds (0.2s on load, 0.05s async, 0.05s sync)`, before 1.12 without the parts.
pub fn finished(text: &str) -> Option<Finished> {
    let (seconds, rest) = text.strip_prefix("Finished in ")?.split_once(" seconds")?;
    let sealed = match rest {
        "" => false,
        _ => rest.starts_with(" (") && (rest.ends_with("s sync)") || rest.ends_with("s on tests)")),
    };
    (sealed || rest.is_empty())
        .then(|| Some(Finished { duration_ms: values::milliseconds(seconds.parse().ok()?), sealed }))?
}

/// The totals in a line that is nothing else.
pub fn totals(text: &str) -> Option<Totals> {
    let (text, apart) = match text.strip_suffix(" excluded)").and_then(|head| head.rsplit_once(" (")) {
        // Since 1.18 what is excluded is not counted before.
        Some((text, number)) => (text, Some(number.parse::<u64>().ok()?)),
        None => (text, None),
    };
    let (mut totals, mut failures, mut excluded) = (Totals::default(), false, 0);
    for part in text.split(", ") {
        let (number, name) = part.split_once(' ')?;
        let number: u64 = number.parse().ok()?;
        match name {
            "failure" | "failures" if !failures => (totals.failed, failures) = (number, true),
            "excluded" if failures && apart.is_none() => excluded = number,
            "invalid" if failures => totals.invalid = number,
            "skipped" if failures => totals.skipped = number,
            // Kinds of tests have any name: test, doctest, property, feature.
            _ if !failures && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_') => {
                totals.ran += number
            }
            _ => return None,
        }
    }
    totals.ran = totals.ran.saturating_sub(excluded);
    failures.then_some(totals)
}

impl Totals {
    /// The closing statement that they are.
    pub fn closing(&self) -> Closing {
        let red = self.failed + self.invalid;
        let passed = self.ran.saturating_sub(red + self.skipped);
        Closing {
            says: Says::of(red, passed),
            counts: Counts {
                passed: Some(passed),
                failed: Some(self.failed),
                errored: Some(self.invalid),
                skipped: Some(self.skipped),
            },
            duration_ms: self.duration_ms,
            message: None,
        }
    }
}

/// Which blocks are the runner's: it numbers them from 1 to the number of failures, in the order printed. The
/// failure of a whole module counts its tests, so that the number before it is any smaller one.
pub fn own(blocks: &[Block], totals: &Totals) -> Vec<usize> {
    let (mut own, mut after, mut any) = (Vec::new(), totals.failed + 1, false);
    for (at, block) in blocks.iter().enumerate().rev() {
        let fits = match block.is_module() {
            true => totals.failed + totals.invalid > 0 && block.number < after,
            false => block.number + 1 == after || any && block.number < after,
        };
        if !fits {
            continue;
        }
        own.push(at);
        any = block.is_module();
        if !any {
            after = block.number;
        }
    }
    own.reverse();
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_of_all_versions() {
        let of =
            |ran, failed, invalid, skipped| Some(Totals { ran, failed, invalid, skipped, duration_ms: None });
        for (text, want) in [
            ("9 tests, 7 failures, 1 skipped", of(9, 7, 0, 1)),
            ("1 doctest, 3 tests, 0 failures, 1 excluded, 1 skipped", of(3, 0, 0, 1)),
            ("2 properties, 1 test, 1 failure", of(3, 1, 0, 0)),
            ("2 tests, 0 failures, 2 invalid", of(2, 0, 2, 0)),
            ("0 tests, 0 failures (17 excluded)", of(0, 0, 0, 0)),
            ("5 tests, 1 failure, 1 skipped (2 excluded)", of(5, 1, 0, 1)),
            ("5 tests, 1 failure left", None),
            ("8 tests, 7 assertions, 5 failures, 1 errors, 1 skips", None),
            ("3 tests", None),
            ("7 specs, 4 failures, 2 pending specs", None),
        ] {
            assert_eq!(totals(text), want, "{text}");
        }
    }

    #[test]
    fn times() {
        let at = |duration_ms, sealed| Some(Finished { duration_ms: Some(duration_ms), sealed });
        for (text, want) in [
            ("Finished in 0.09 seconds (0.00s async, 0.09s sync)", at(90, true)),
            ("Finished in 0.3 seconds (0.2s on load, 0.1s on tests)", at(300, true)),
            ("Finished in 0.1 seconds", at(100, false)),
            ("Finished in 0.1 seconds (files took 0.2 seconds to load)", None),
            ("Finished in 0.1s", None),
        ] {
            assert_eq!(finished(text), want, "{text}");
        }
    }
}

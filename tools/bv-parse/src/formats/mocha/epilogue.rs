//! `  2 passing (181ms)`, `  1 pending`, `  5 failing`, then a blank line.

use crate::machine::{Closing, Says};
use bv_schemas::Counts;

/// The epilogue's counts, as far as they have come.
#[derive(Clone, Debug, Default)]
pub struct Epilogue {
    passing: u64,
    pending: u64,
    /// Failing tests and hooks.
    pub failing: u64,
    duration_ms: Option<u64>,
}

/// What a line is to the epilogue.
#[derive(Debug, PartialEq, Eq)]
pub enum Part {
    /// A count, or a part of one that was cut off.
    More,
    /// The blank line that ends it.
    Ended,
}

impl Epilogue {
    /// Whether a line is the first: `  2 passing (181ms)`.
    pub fn begins(text: &str) -> Option<Epilogue> {
        let (number, rest) = text.strip_prefix("  ")?.split_once(" passing (")?;
        let duration_ms = duration_ms(rest.trim_end().strip_suffix(')')?)?;
        Some(Epilogue { passing: count(number)?, duration_ms: Some(duration_ms), ..Epilogue::default() })
    }

    /// Takes a line after the first.
    pub fn line(&mut self, text: &str) -> Part {
        // Not one of blanks, which may be the beginning of a count.
        if text.is_empty() {
            return Part::Ended;
        }
        let counted = text.strip_prefix("  ").and_then(|text| text.trim_end().split_once(' '));
        match counted.and_then(|(number, word)| Some((count(number)?, word))) {
            Some((number, "pending")) => self.pending = number,
            Some((number, "failing")) => self.failing = number,
            _ => {}
        }
        Part::More
    }

    /// The statement as a whole.
    pub fn closing(self) -> Closing {
        let says = Says::of(self.failing, self.passing);
        let counts = Counts {
            passed: Some(self.passing),
            failed: Some(self.failing),
            errored: None,
            skipped: Some(self.pending),
        };
        Closing { says, counts, duration_ms: self.duration_ms, message: None }
    }
}

fn count(text: &str) -> Option<u64> {
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok())?
}

/// `181ms`, `2s`, `1m`: Mocha rounds to its largest unit.
fn duration_ms(text: &str) -> Option<u64> {
    let unit = text.find(|c: char| !c.is_ascii_digit())?;
    let factor = match &text[unit..] {
        "ms" => 1,
        "s" => 1000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    text[..unit].parse::<u64>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &[&str], want: Option<(Says, [u64; 3])>) {
        let got = Epilogue::begins(lines[0]).map(|mut epilogue| {
            assert!(lines[1..].iter().all(|line| epilogue.line(line) == Part::More), "{lines:?}");
            assert_eq!(epilogue.line(""), Part::Ended);
            let c = epilogue.closing();
            (c.says, [c.counts.passed, c.counts.failed, c.counts.skipped].map(Option::unwrap_or_default))
        });
        assert_eq!(got, want, "{lines:?}");
    }

    #[test]
    fn epilogues() {
        check(&["  2 passing (181ms)", "  1 pending", "  5 failing"], Some((Says::Red, [2, 5, 1])));
        check(&["  3 passing (2s)"], Some((Says::Green, [3, 0, 0])));
        check(&["  0 passing (0ms)", "  2 pending"], Some((Says::NoTests, [0, 0, 2])));
        check(&["2 passing (181ms)"], None);
        check(&["  two passing (181ms)"], None);
        check(&["  2 passing (cars)"], None);
    }
}

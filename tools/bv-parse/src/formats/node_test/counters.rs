//! Node's closing statement: one counter a line, from `ℹ tests 7` to `ℹ duration_ms 402.01`.

use crate::machine::{Closing, Says};
use bv_schemas::Counts;

/// The counters in the order in which they come; older versions have fewer.
const NAMES: [&str; 8] = ["tests", "suites", "pass", "fail", "cancelled", "skipped", "todo", "duration_ms"];

/// The counters, as far as they have come.
#[derive(Debug, Default)]
pub struct Counters {
    next: usize,
    values: [Option<u64>; 8],
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

impl Counters {
    /// Takes a line of the `spec` reporter.
    pub fn line(&mut self, text: &str) -> Part {
        let part = text.strip_prefix("ℹ ").map_or(Part::None, |text| self.counter(text));
        if part == Part::None {
            self.next = 0;
        }
        part
    }

    /// Takes a line without its mark.
    pub fn counter(&mut self, text: &str) -> Part {
        let Some((name, value)) = text.trim_end().split_once(' ') else { return Part::None };
        let Some(at) = NAMES.iter().position(|known| *known == name) else { return Part::None };
        let Ok(value) = value.parse::<f64>() else { return Part::None };
        if at == 0 {
            *self = Counters::default();
        } else if at < self.next || self.next == 0 {
            return Part::None;
        }
        self.values[at] = Some(value.max(0.0).round() as u64);
        self.next = at + 1;
        if at + 1 == NAMES.len() { Part::Closed } else { Part::More }
    }

    /// Whether some have come.
    pub fn began(&self) -> bool {
        self.values.iter().any(Option::is_some)
    }

    /// Whether all have come.
    pub fn whole(&self) -> bool {
        self.values[NAMES.len() - 1].is_some()
    }

    fn value(&self, name: &str) -> Option<u64> {
        NAMES.iter().position(|known| *known == name).and_then(|at| self.values[at])
    }

    /// Tests that failed or were cancelled.
    pub fn red(&self) -> u64 {
        self.value("fail").unwrap_or(0).saturating_add(self.value("cancelled").unwrap_or(0))
    }

    /// Whether something failed.
    pub fn is_red(&self) -> bool {
        self.red() > 0
    }

    /// The statement as a whole.
    pub fn closing(&self) -> Closing {
        let says = match (self.red(), self.value("pass")) {
            (1.., _) => Says::Red,
            (0, Some(1..)) => Says::Green,
            _ => Says::NoTests,
        };
        let counts = Counts {
            passed: self.value("pass"),
            failed: self.value("fail"),
            errored: None,
            skipped: self.value("skipped"),
        };
        Closing { says, counts, duration_ms: self.value("duration_ms"), message: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &[&str], want: Option<(Says, [Option<u64>; 3])>) {
        let mut counters = Counters::default();
        let last = lines.iter().map(|line| counters.line(line)).last();
        let got = (last == Some(Part::Closed)).then(|| {
            let closing = counters.closing();
            (closing.says, [closing.counts.passed, closing.counts.failed, closing.counts.skipped])
        });
        assert_eq!(got, want, "{lines:?}");
    }

    #[test]
    fn statements() {
        let old = [
            "ℹ tests 2",
            "ℹ pass 2",
            "ℹ fail 0",
            "ℹ cancelled 0",
            "ℹ skipped 0",
            "ℹ todo 0",
            "ℹ duration_ms 7.1",
        ];
        check(&old, Some((Says::Green, [Some(2), Some(0), Some(0)])));
        check(
            &["ℹ tests 1", "ℹ pass 0", "ℹ fail 0", "ℹ cancelled 1", "ℹ duration_ms 7"],
            Some((Says::Red, [Some(0), Some(0), None])),
        );
        check(
            &["ℹ tests 0", "ℹ pass 0", "ℹ fail 0", "ℹ duration_ms 7"],
            Some((Says::NoTests, [Some(0), Some(0), None])),
        );
        check(&["ℹ tests 2", "ℹ pass 2", "printed", "ℹ fail 0", "ℹ duration_ms 7"], None);
        check(&["ℹ duration_ms 7"], None);
        check(&["ℹ tests two"], None);
    }
}

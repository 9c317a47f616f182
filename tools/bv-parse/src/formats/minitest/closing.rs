//! Minitest's last lines: its time and its totals.

use crate::values;

/// The numbers of `8 runs, 7 assertions, 5 failures, 1 errors, 1 skips`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Tests that ran, the skipped ones included.
    pub runs: u64,
    /// Failed assertions.
    pub failed: u64,
    /// Other exceptions.
    pub errored: u64,
    /// Skipped tests.
    pub skipped: u64,
    /// From the line `Finished in …`.
    pub duration_ms: Option<u64>,
}

/// The totals in a line that is nothing else.
pub fn totals(text: &str, duration_ms: Option<u64>) -> Option<Totals> {
    let mut totals = Totals { duration_ms, ..Totals::default() };
    let (mut ran, mut whole) = (false, false);
    for part in text.split(", ") {
        let (number, name) = part.split_once(' ')?;
        let number = number.parse().ok()?;
        match name {
            "runs" | "run" | "tests" | "test" => (totals.runs, ran) = (number, true),
            "failures" | "failure" => totals.failed = number,
            "errors" | "error" => totals.errored = number,
            "skips" | "skip" => (totals.skipped, whole) = (number, true),
            "assertions" | "assertion" | "warnings" | "pendings" | "omissions" | "notifications" => {}
            _ => return None,
        }
    }
    // The skipped ones come last.
    (ran && whole).then_some(totals)
}

/// `Finished in 0.044789s, 178.6153 runs/s, 156.2884 assertions/s.`, in whatever words.
pub fn is_finished(text: &str) -> bool {
    text.ends_with(" assertions/s.")
        && (text.starts_with("Finished ") || text.starts_with("Fabulous run in "))
}

/// How long that was.
pub fn milliseconds(text: &str) -> Option<u64> {
    let seconds = text.split_once(" in ")?.1.split_once("s, ")?.0;
    values::milliseconds(seconds.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines() {
        let base = Totals { runs: 8, failed: 5, errored: 1, skipped: 1, duration_ms: Some(9) };
        for (text, want) in [
            ("8 runs, 7 assertions, 5 failures, 1 errors, 1 skips", Some(base.clone())),
            ("8 tests, 7 assertions, 5 failures, 1 errors, 1 skips", Some(base.clone())),
            ("8 runs, 7 assertions, 5 failures, 1 error, 1 skip", Some(base)),
            ("8 runs, 7 assertions, 5 failures, 1 errors", None),
            ("8 runs, 7 assertions, 5 failures, 1 errors, 1 skips left", None),
            ("8 examples, 5 failures, 1 errors, 0 skips", None),
        ] {
            assert_eq!(totals(text, Some(9)), want, "{text}");
        }
        assert!(is_finished("Finished in 0.044789s, 178.6153 runs/s, 156.2884 assertions/s."));
        assert!(!is_finished("Finished in 0.1s."));
        assert_eq!(milliseconds("Finished in 0.044789s, 178.6153 runs/s, 1 assertions/s."), Some(45));
    }
}

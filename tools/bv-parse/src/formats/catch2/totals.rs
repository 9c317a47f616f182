//! The totals: `All tests passed (4 assertions in 2 test cases)`, or `test cases: 5 | 2 passed | 3 failed`
//! above `assertions: …`.

use crate::machine::Says;
use bv_schemas::Counts;

/// The line on test cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    passed: u64,
    failed: u64,
    /// `failed as expected`.
    expected: u64,
    skipped: u64,
}

impl Totals {
    /// From `test cases: 5 | 2 passed | 1 failed | 1 failed as expected | 1 skipped`.
    pub fn read(text: &str) -> Option<Totals> {
        let mut totals = Totals::default();
        for part in text.strip_prefix("test cases:")?.split('|').skip(1) {
            let (number, word) = part.trim().split_once(' ')?;
            let number = number.parse().ok()?;
            match word {
                "passed" => totals.passed = number,
                "failed" => totals.failed = number,
                "failed as expected" => totals.expected = number,
                "skipped" => totals.skipped = number,
                _ => return None,
            }
        }
        Some(totals)
    }

    /// The counts and what they say.
    pub fn verdict(&self) -> (Counts, Says) {
        let says = Says::of(self.failed, self.passed + self.expected);
        let passed = Some(self.passed);
        (Counts { passed, failed: Some(self.failed), errored: None, skipped: Some(self.skipped) }, says)
    }
}

/// From `All tests passed (4 assertions in 2 test cases)`.
pub fn all_passed(text: &str) -> Option<Counts> {
    let inside = text.strip_prefix("All tests passed (")?.strip_suffix(')')?;
    let (_, cases) = inside.split_once(" in ")?;
    let passed = cases.strip_suffix(" test cases").or(cases.strip_suffix(" test case"))?.parse().ok();
    Some(Counts { passed: Some(passed?), failed: Some(0), errored: None, skipped: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals() {
        let read = |text: &str| Totals::read(text).map(|t| [t.passed, t.failed, t.expected, t.skipped]);
        assert_eq!(read("test cases:  5 |  3 passed |  1 failed | 1 failed as expected"), Some([3, 1, 1, 0]));
        assert_eq!(read("test cases: 2 | 1 passed | 1 skipped"), Some([1, 0, 0, 1]));
        assert_eq!(read("test cases: many | of them"), None);
        assert_eq!(
            all_passed("All tests passed (200 assertions in 1 test case)").and_then(|c| c.passed),
            Some(1)
        );
        assert_eq!(all_passed("All tests passed (mostly)"), None);
    }
}

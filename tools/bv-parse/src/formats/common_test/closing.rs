//! The totals of a run of Common Test.

use crate::machine::{Closing, Says};
use bv_schemas::Counts;

/// `1 ok, 5 failed, 1 skipped of 7 test cases`
pub fn complete(text: &str) -> Option<Closing> {
    let counts = text.strip_suffix(" test cases").or_else(|| text.strip_suffix(" test case"))?;
    let counts = counts.rsplit_once(" of ")?.0;
    let (mut passed, mut failed, mut skipped) = (None, None, None);
    for part in counts.split(", ") {
        let (number, name) = part.split_once(' ')?;
        let number = Some(number.parse().ok()?);
        match name {
            "ok" => passed = number,
            "failed" => failed = number,
            "skipped" => skipped = number,
            _ => return None,
        }
    }
    Some(closing(passed?, failed.unwrap_or(0), skipped))
}

/// `All 2 tests passed.`, `Failed 5 tests. Skipped 1 (1, 0) tests. Passed 1 tests.`, rebar3's.
pub fn rebar(text: &str) -> Option<Closing> {
    if let Some(number) = text.strip_prefix("All ") {
        return Some(closing(number.strip_suffix(" tests passed.")?.parse().ok()?, 0, None));
    }
    let (mut passed, mut failed, mut skipped) = (None, None, None);
    for part in text.trim_end().split_terminator('.') {
        let mut words = part.trim().split(' ');
        let (name, number) = (words.next()?, words.next()?.parse().ok()?);
        match name {
            "Failed" => failed = Some(number),
            "Skipped" => skipped = Some(number),
            "Passed" => passed = Some(number),
            _ => return None,
        }
    }
    Some(closing(passed?, failed?, skipped))
}

fn closing(passed: u64, failed: u64, skipped: Option<u64>) -> Closing {
    let says = Says::of(failed, passed);
    let counts = Counts { passed: Some(passed), failed: Some(failed), errored: None, skipped };
    Closing { says, counts, duration_ms: None, message: None }
}

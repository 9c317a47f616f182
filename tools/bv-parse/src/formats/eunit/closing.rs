//! EUnit's last lines.

use crate::machine::Says;
use bv_schemas::Counts;

/// `  All 4 tests passed.`, verbose in some versions `  2 tests passed.`, `  Test passed.`, `  There were no tests
/// to run.`
pub fn passed(text: &str) -> Option<(Says, Counts)> {
    let text = text.strip_prefix("  ")?;
    let number = match text {
        "There were no tests to run." => return Some((Says::NoTests, Counts::default())),
        "Test passed." => 1,
        _ => {
            let text = text.strip_suffix(" tests passed.")?;
            text.strip_prefix("All ").unwrap_or(text).parse().ok()?
        }
    };
    let says = if number == 0 { Says::NoTests } else { Says::Green };
    Some((says, Counts { passed: Some(number), failed: Some(0), errored: None, skipped: None }))
}

/// `  Failed: 4.  Skipped: 0.  Passed: 1.`
pub fn totals(text: &str) -> Option<Counts> {
    let (failed, rest) = text.strip_prefix("  Failed: ")?.split_once(".  Skipped: ")?;
    let (skipped, passed) = rest.strip_suffix('.')?.split_once(".  Passed: ")?;
    let number = |text: &str| text.parse::<u64>().ok();
    let (failed, skipped, passed) = (number(failed)?, number(skipped)?, number(passed)?);
    Some(Counts { passed: Some(passed), failed: Some(failed), errored: None, skipped: Some(skipped) })
}

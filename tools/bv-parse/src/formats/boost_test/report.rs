//! The block that `--report_level=short` and `detailed` print on the whole module:
//! `Test module "x" has failed with:` above one line a count.

use crate::machine::Says;
use bv_schemas::Counts;

/// What the block says.
#[derive(Debug)]
pub struct Report {
    says: Says,
    counts: Counts,
    total: u64,
}

impl Report {
    /// Whether the block begins here.
    pub fn begins(text: &str) -> Option<Report> {
        let (_, verdict) = text.strip_prefix("Test module \"")?.split_once("\" ")?;
        let says = match verdict.strip_suffix(" with:").unwrap_or(verdict) {
            "has passed" => Says::Green,
            "was skipped" => Says::NoTests,
            "has timed out" | "was aborted" | "has failed" => Says::Red,
            _ => return None,
        };
        Some(Report { says, counts: Counts::default(), total: 0 })
    }

    /// Takes the next line; false when it is none of the block's: `  2 test cases out of 3 passed`.
    pub fn line(&mut self, text: &str) -> bool {
        let Some((number, words)) = text.trim_start().split_once(' ') else { return false };
        let Ok(number) = number.parse::<u64>() else { return false };
        let cases = words.strip_prefix("test cases out of ").or(words.strip_prefix("test case out of "));
        let Some((total, what)) = cases.and_then(|rest| rest.split_once(' ')) else { return true };
        self.total = total.parse().unwrap_or(self.total);
        let count = match what {
            "passed" | "passed with warnings" => &mut self.counts.passed,
            "failed" => &mut self.counts.failed,
            "skipped" => &mut self.counts.skipped,
            // Aborted ones are among the failed.
            _ => return true,
        };
        *count = Some(count.unwrap_or(0) + number);
        true
    }

    /// The verdict and the counts.
    pub fn verdict(&self) -> (Says, Counts) {
        let mut counts = self.counts;
        if self.says == Says::Green && self.total > 0 {
            counts.failed = counts.failed.or(Some(0));
        }
        let says = match (self.says, counts.passed) {
            (Says::Green, None | Some(0)) => Says::NoTests,
            (says, _) => says,
        };
        (says, counts)
    }
}

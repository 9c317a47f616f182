//! `00:02 +2 ~1 -1: test/cart_test.dart: Cart totals [E]`

use bv_schemas::Counts;

/// One line of a text reporter.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    passed: u64,
    skipped: u64,
    failed: u64,
    seconds: u64,
    /// What stands behind the counts.
    pub message: String,
}

impl Progress {
    /// Reads a line.
    pub fn read(text: &str) -> Option<Progress> {
        if !text.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let (clock, rest) = text.split_once(" +")?;
        let (minutes, seconds) = clock.split_once(':')?;
        if minutes.len() < 2 || seconds.len() != 2 {
            return None;
        }
        let seconds = minutes.parse::<u64>().ok()?.checked_mul(60)? + seconds.parse::<u64>().ok()?;
        let (counts, message) = rest.split_once(": ")?;
        let mut words = counts.split(' ');
        let mut progress = Progress {
            passed: words.next()?.parse().ok()?,
            skipped: 0,
            failed: 0,
            seconds,
            message: message.trim_end().to_owned(),
        };
        for word in words {
            if let Some(skipped) = word.strip_prefix('~') {
                progress.skipped = skipped.parse().ok()?;
            } else {
                progress.failed = word.strip_prefix('-')?.parse().ok()?;
            }
        }
        Some(progress)
    }

    /// Whether a run may begin with it: nothing has ended yet, something failed, or it is the last.
    pub fn opens(&self) -> bool {
        self.passed == 0
            || self.error().is_some()
            || self.message.starts_with("loading ")
            || self.message.ends_with('.')
            || self.message.ends_with('!')
    }

    /// Whether it may come after the other: counts and clock only grow.
    pub fn follows(&self, last: &Progress) -> bool {
        self.passed >= last.passed
            && self.skipped >= last.skipped
            && self.failed >= last.failed
            && self.seconds >= last.seconds
    }

    /// Whether it is the line of a test that begins, with more tests passed than in the other.
    pub fn begins_after(&self, last: &Progress) -> bool {
        self.passed > last.passed && self.error().is_none() && !self.message.ends_with(['!', '.'])
    }

    /// The name of a test that failed, and whether it never ended.
    pub fn error(&self) -> Option<(&str, bool)> {
        let name = self.message.strip_suffix(" [E]")?;
        Some(match name.strip_suffix(" - did not complete") {
            Some(name) => (name, true),
            None => (name, false),
        })
    }

    /// As counts.
    pub fn counts(&self) -> Counts {
        Counts {
            passed: Some(self.passed),
            failed: Some(self.failed),
            errored: None,
            skipped: Some(self.skipped),
        }
    }
}

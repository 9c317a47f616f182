//! The closing statement:
//!
//! ```text
//! 0 features passed, 1 failed, 0 skipped
//! 1 scenario passed, 1 failed, 2 error, 0 skipped
//! 4 steps passed, 1 failed, 1 error, 0 skipped, 1 undefined
//! Took 0min 0.002s
//! ```

use crate::machine::{Closing, Says};
use crate::values::milliseconds;
use bv_schemas::Counts;

/// The numbers of one line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    passed: u64,
    failed: u64,
    errored: u64,
    skipped: u64,
    /// Not run, or not known how.
    other: u64,
}

impl Numbers {
    /// Reads a line on this noun.
    pub fn read(text: &str, noun: &str) -> Option<Numbers> {
        let mut numbers = Numbers::default();
        let mut parts = text.split(", ");
        let first = parts.next()?.strip_suffix(" passed")?;
        let (passed, counted) = first.split_once(' ')?;
        (counted == noun || counted.strip_suffix('s') == Some(noun)).then_some(())?;
        numbers.passed = passed.parse().ok()?;
        for part in parts {
            let (number, word) = part.split_once(' ')?;
            let number: u64 = number.parse().ok()?;
            match word {
                "failed" => numbers.failed += number,
                "error" | "hook_error" | "cleanup_error" => numbers.errored += number,
                "skipped" => numbers.skipped += number,
                "untested" | "undefined" | "pending" | "pending_warn" | "untested_pending" => {
                    numbers.other += number;
                }
                _ => return None,
            }
        }
        Some(numbers)
    }

    /// How many failed, in whatever way.
    pub fn red(self) -> u64 {
        self.failed + self.errored
    }

    /// How many there were.
    pub fn total(self) -> u64 {
        self.passed + self.red() + self.skipped + self.other
    }
}

/// The statement of scenarios; features fail by their hooks as well.
pub fn closing(features: Numbers, scenarios: Numbers, duration_ms: Option<u64>) -> Closing {
    let says = Says::of(features.red() + scenarios.red(), scenarios.passed);
    let counts = Counts {
        passed: Some(scenarios.passed),
        failed: Some(scenarios.failed),
        errored: Some(scenarios.errored),
        skipped: Some(scenarios.skipped),
    };
    Closing { says, counts, duration_ms, message: None }
}

/// `Took 0min 0.002s`, `Took 1h2m3.000s` up to version 1.2: whether the line is that, and the time.
pub fn took(text: &str) -> Option<Option<u64>> {
    let text = text.strip_prefix("Took ")?;
    let (minutes, seconds) = text.split_once("min ").or_else(|| text.split_once('m'))?;
    let seconds: f64 = seconds.strip_suffix('s')?.parse().ok()?;
    Some(minutes.parse::<u32>().ok().and_then(|minutes| milliseconds(f64::from(minutes) * 60.0 + seconds)))
}

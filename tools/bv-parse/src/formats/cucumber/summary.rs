//! The closing statement: `3 scenarios (1 failed, 2 passed)`, the same of steps, and the time. The JVM's begins
//! its nouns in upper case.

use crate::machine::{Closing, Says};
use crate::values::milliseconds;
use bv_schemas::Counts;

/// The numbers of one line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    passed: u64,
    /// A step failed.
    failed: u64,
    /// Steps without one definition.
    unclear: u64,
    skipped: u64,
    /// To be done yet; whether that fails the run is a setting.
    pending: u64,
    /// The JVM's.
    pub of_jvm: bool,
}

impl Numbers {
    /// Reads a line on this noun, `scenario` or `step`.
    pub fn read(text: &str, noun: &str) -> Option<Numbers> {
        let (total, rest) = text.split_once(' ')?;
        let total: u64 = total.parse().ok()?;
        let (counted, rest) = rest.split_once(" (").map_or((rest, None), |(noun, rest)| (noun, Some(rest)));
        let lower = counted.to_ascii_lowercase();
        (lower.strip_suffix('s').unwrap_or(&lower) == noun).then_some(())?;
        let mut numbers = Numbers { of_jvm: counted != lower, ..Numbers::default() };
        let Some(parts) = rest else { return (total == 0).then_some(numbers) };
        for part in parts.strip_suffix(')')?.split(", ") {
            let (number, word) = part.split_once(' ')?;
            let number: u64 = number.parse().ok()?;
            match word {
                "passed" | "flaky" => numbers.passed += number,
                "failed" => numbers.failed += number,
                "ambiguous" | "undefined" => numbers.unclear += number,
                "skipped" => numbers.skipped += number,
                "pending" | "unknown" => numbers.pending += number,
                _ => return None,
            }
        }
        let sum = numbers.passed + numbers.failed + numbers.unclear + numbers.skipped + numbers.pending;
        (sum == total).then_some(numbers)
    }

    /// How many may have failed at most.
    pub fn red_max(self) -> u64 {
        self.failed + self.unclear
    }

    /// The statement of scenarios. `named` failures were listed, which tells whether an undefined step fails.
    pub fn closing(self, named: u64, duration_ms: Option<u64>) -> Closing {
        let fails = named > self.failed;
        let errored = if fails { self.unclear } else { 0 };
        let says = if self.failed + errored + named > 0 {
            Says::Red
        } else if self.unclear + self.pending > 0 {
            // Strict runs fail for them, others do not, and neither says so.
            Says::GreenAtExit0
        } else if self.passed > 0 {
            Says::Green
        } else {
            Says::NoTests
        };
        let unclear = if fails { 0 } else { self.unclear };
        let counts = Counts {
            passed: Some(self.passed),
            failed: Some(self.failed),
            errored: Some(errored),
            skipped: Some(self.skipped + self.pending + unclear),
        };
        Closing { says, counts, duration_ms, message: None }
    }
}

/// `0m0.083s`, `0m 0.083s`, `0m00.253s (executing steps: 0m00.138s)`: whether the line is that, and the time.
pub fn took(text: &str) -> Option<Option<u64>> {
    let time = text.split(" (").next().unwrap_or(text);
    let (minutes, seconds) = time.strip_suffix('s')?.split_once('m')?;
    let minutes: u32 = minutes.parse().ok()?;
    // Written in the machine's own locale.
    let seconds: f64 = seconds.trim_start().replace(',', ".").parse().ok()?;
    Some(milliseconds(f64::from(minutes) * 60.0 + seconds))
}

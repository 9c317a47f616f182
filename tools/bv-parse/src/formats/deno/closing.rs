//! Deno's closing statement: `FAILED | 3 passed (1 step) | 13 failed (2 steps) | 1 ignored (359ms)`.

use crate::machine::{Closing, Says};
use bv_schemas::Counts;

/// The closing statement in this line.
pub fn read(text: &str) -> Option<Closing> {
    let (is_ok, rest) = match text.strip_prefix("ok | ") {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix("FAILED | ")?),
    };
    let (counted, time) = rest.strip_suffix(')')?.rsplit_once(" (")?;
    let duration_ms = Some(duration_ms(time)?);
    let mut parts = counted.split(" | ");
    let mut number = |word: &str| {
        let part = parts.next()?;
        let (number, rest) = part.split_once(' ')?;
        (rest.split(" (").next() == Some(word)).then(|| number.parse::<u64>().ok())?
    };
    let (passed, failed) = (number("passed")?, number("failed")?);
    let ignored = counted.split(" | ").find_map(|part| {
        part.split_once(' ')
            .filter(|(_, rest)| rest.starts_with("ignored"))
            .and_then(|(n, _)| n.parse::<u64>().ok())
    });
    let says = match (is_ok && failed == 0, passed) {
        (false, _) => Says::Red,
        (true, 0) => Says::NoTests,
        (true, _) => Says::Green,
    };
    let counts = Counts {
        passed: Some(passed),
        failed: Some(failed),
        errored: None,
        skipped: Some(ignored.unwrap_or(0)),
    };
    Some(Closing { says, counts, duration_ms, message: None })
}

/// `883µs`, `359ms`, `2s`, `1m2s`
fn duration_ms(text: &str) -> Option<u64> {
    let mut sum = 0.0;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').filter(|at| *at > 0)?;
        let number: f64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let (unit, factor) = [("µs", 0.001), ("ms", 1.0), ("m", 60_000.0), ("s", 1000.0), ("h", 3_600_000.0)]
            .into_iter()
            .find(|(unit, _)| rest.starts_with(unit))?;
        sum += number * factor;
        rest = &rest[unit.len()..];
    }
    Some(sum.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements() {
        for (text, want) in [
            (
                "FAILED | 3 passed (1 step) | 13 failed (2 steps) | 1 ignored (359ms)",
                Some((Says::Red, 3, 13, 1, Some(359))),
            ),
            ("ok | 3 passed | 0 failed (1m2s)", Some((Says::Green, 3, 0, 0, Some(62_000)))),
            ("ok | 0 passed | 0 failed | 4 filtered out (883µs)", Some((Says::NoTests, 0, 0, 0, Some(1)))),
            ("FAILED | 0 passed | 0 failed (1ms)", Some((Says::Red, 0, 0, 0, Some(1)))),
            ("ok | 3 passed", None),
            ("ok | all (well)", None),
        ] {
            let got = read(text).map(|c| {
                let n = |n: Option<u64>| n.unwrap_or_default();
                (c.says, n(c.counts.passed), n(c.counts.failed), n(c.counts.skipped), c.duration_ms)
            });
            assert_eq!(got, want, "{text}");
        }
    }
}

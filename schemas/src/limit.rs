//! A length of time as people write it (`1h30m`), and as `bv-exit: timeout` repeats it.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A length of time in the user's own units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    text: String,
    duration: Duration,
}

const SHAPE: &str = "expected a time such as 30s, 5m, 1h30m or 500ms";

/// Milliseconds of each unit.
const UNITS: [(&str, u64); 5] = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];

impl Limit {
    /// The time itself.
    pub fn duration(&self) -> Duration {
        self.duration
    }

    /// As [`Limit::from_str`], for a limit that must leave some time.
    ///
    /// # Errors
    /// Those of [`Limit::from_str`], and no time at all.
    pub fn above_zero(text: &str) -> Result<Limit, String> {
        let limit: Limit = text.parse()?;
        if limit.duration.is_zero() {
            return Err("no time at all; leave the option out for no limit".into());
        }
        Ok(limit)
    }
}

impl FromStr for Limit {
    type Err = String;

    /// Reads whole numbers with the units `d`, `h`, `m`, `s`, `ms`, one after the other; a number
    /// alone is seconds.
    fn from_str(text: &str) -> Result<Limit, String> {
        let mut rest = text.trim();
        if rest.is_empty() {
            return Err(SHAPE.into());
        }
        if rest.bytes().all(|byte| byte.is_ascii_digit()) {
            return format!("{rest}s").parse();
        }
        let mut total: u64 = 0;
        let mut plain = String::new();
        while !rest.is_empty() {
            let (number, after) = split(rest, |c| c.is_ascii_digit());
            let (unit, after) = split(after, |c| c.is_ascii_alphabetic());
            let number: u64 = number.parse().map_err(|_| SHAPE)?;
            let (name, each) = UNITS.iter().find(|(name, _)| *name == unit).ok_or(SHAPE)?;
            total = number
                .checked_mul(*each)
                .and_then(|part| total.checked_add(part))
                .ok_or("too long a time")?;
            plain += &format!("{number}{name}");
            rest = after;
        }
        Ok(Limit { text: plain, duration: Duration::from_millis(total) })
    }
}

/// Splits where `belongs` first says no.
fn split(text: &str, belongs: fn(char) -> bool) -> (&str, &str) {
    let at = text.find(|c| !belongs(c)).unwrap_or(text.len());
    text.split_at(at)
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<(&str, u64), &str>) {
        let got = Limit::above_zero(text);
        let got = got
            .as_ref()
            .map(|limit| (limit.text.as_str(), limit.duration.as_millis() as u64))
            .map_err(String::as_str);
        assert_eq!(got, expected, "{text:?}");
    }

    #[test]
    fn times_are_read_and_repeated_in_the_units_they_came_in() {
        check("30s", Ok(("30s", 30_000)));
        check("30", Ok(("30s", 30_000)));
        check(" 090s ", Ok(("90s", 90_000)));
        check("5m", Ok(("5m", 300_000)));
        check("1h30m", Ok(("1h30m", 5_400_000)));
        check("500ms", Ok(("500ms", 500)));
        check("1d1ms", Ok(("1d1ms", 86_400_001)));
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in ["", " ", "s", "-5s", "1.5s", "5 m", "5x", "5m3", "5mm", "5S", "٣s"] {
            check(text, Err(SHAPE));
        }
        check("0", Err("no time at all; leave the option out for no limit"));
        check("99999999999999999d", Err("too long a time"));
        check("99999999999999999999s", Err(SHAPE));
    }
}

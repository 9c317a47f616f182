//! unittest's closing statement: `Ran 8 tests in 0.021s`, a blank line, and the word.

use crate::python::ran;

/// Lines of other text between the two that are borne: output of threads, flushed late.
const BETWEEN_MAX: u8 = 5;

/// Categories beside the usual ones.
const NAMED_MAX: usize = 16;

/// The word and its numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Closed {
    /// `FAILED`.
    pub red: bool,
    /// Tests run.
    pub ran: u64,
    /// The runner's time.
    pub duration_ms: u64,
    /// `failures=`.
    pub failures: u64,
    /// `errors=`.
    pub errors: u64,
    /// `skipped=`.
    pub skipped: u64,
    /// `expected failures=`.
    pub xfailed: u64,
    /// `unexpected successes=`.
    pub xpassed: u64,
    /// Categories that plugins of nose and nose2 add.
    pub named: Vec<(String, u64)>,
    /// testtools' statement, which has one number for all that failed and none for what was skipped.
    pub testtools: bool,
}

impl Closed {
    /// How many failed, in any of the three ways; where the word is red and none of them has a number, the
    /// category that has one failed. An unexpected success below a green word is none.
    pub fn red(&self) -> u64 {
        let xpassed = if self.red { self.xpassed } else { 0 };
        let usual = self.failures.saturating_add(self.errors).saturating_add(xpassed);
        if self.red && usual == 0 { self.named() } else { usual }
    }

    /// Failures that are no assertions.
    pub fn errored(&self) -> u64 {
        let xpassed = if self.red { self.xpassed } else { 0 };
        self.red().saturating_sub(self.failures.saturating_add(xpassed))
    }

    fn named(&self) -> u64 {
        self.named.iter().fold(0, |sum, (_, n)| sum.saturating_add(*n))
    }
}

/// Waits for the word.
#[derive(Default)]
pub struct Closer {
    ran: Option<(u64, u64)>,
    between: u8,
}

impl Closer {
    /// Takes a line; gives the statement where this line completes it.
    pub fn line(&mut self, text: &str) -> Option<Closed> {
        if let Some(ran) = ran(text) {
            *self = Closer { ran: Some(ran), between: 0 };
            return None;
        }
        let (ran, duration_ms) = self.ran?;
        if text.trim().is_empty() {
            return None;
        }
        if let Some(closed) = word(text.trim_end()) {
            *self = Closer::default();
            return Some(Closed { ran, duration_ms, ..closed });
        }
        self.between += 1;
        if self.between > BETWEEN_MAX {
            *self = Closer::default();
        }
        None
    }

    /// `Ran N tests` stands, the word does not yet.
    pub fn waiting(&self) -> bool {
        self.ran.is_some()
    }
}

/// `OK`, `FAILED (failures=1, errors=2)`, `NO TESTS RAN`.
fn word(text: &str) -> Option<Closed> {
    let (word, numbers) = match text.split_once(" (") {
        Some((word, numbers)) => (word, numbers.strip_suffix(')')?),
        None => (text, ""),
    };
    let red = match word {
        "FAILED" => true,
        "OK" | "NO TESTS RAN" => false,
        _ => return None,
    };
    let mut closed = Closed { red, ..Closed::default() };
    for pair in numbers.split(", ").filter(|pair| !pair.is_empty()) {
        let (name, number) = pair.split_once('=')?;
        let number = number.parse().ok()?;
        match name {
            "failures" => closed.failures = number,
            "errors" => closed.errors = number,
            // nose writes the second.
            "skipped" | "SKIP" => closed.skipped = number,
            "expected failures" => closed.xfailed = number,
            "unexpected successes" => closed.xpassed = number,
            // Trial's closing statement, which its own format reads.
            "successes" => return None,
            _ if closed.named.len() < NAMED_MAX => closed.named.push((name.to_owned(), number)),
            _ => {}
        }
    }
    Some(closed)
}

#[cfg(test)]
mod tests {
    use super::{Closed, Closer};

    #[test]
    fn the_word_closes_only_below_the_number() {
        let base = Closed { ran: 8, duration_ms: 21, ..Closed::default() };
        for (text, want) in [
            ("Ran 8 tests in 0.021s\n\nOK", Some(base.clone())),
            ("Ran 8 tests in 0.021s\n\nOK             ", Some(base.clone())),
            (
                "Ran 8 tests in 0.021s\n\nOK (skipped=1, expected failures=2)",
                Some(Closed { skipped: 1, xfailed: 2, ..base.clone() }),
            ),
            (
                "Ran 8 tests in 0.021s\nFAILED (failures=1, errors=2, unexpected successes=3)",
                Some(Closed { red: true, failures: 1, errors: 2, xpassed: 3, ..base.clone() }),
            ),
            ("Ran 8 tests in 0.021s\n\nsome thread\nNO TESTS RAN", Some(base)),
            ("Ran 8 tests in 0.021s\n\nOK then", None),
            ("Ran 8 tests in 0.021s\n\nFAILED to connect", None),
            ("Ran 8 tests in 0.021s\n1\n2\n3\n4\n5\n6\nOK", None),
            ("OK", None),
        ] {
            let mut closer = Closer::default();
            assert_eq!(text.lines().find_map(|line| closer.line(line)), want, "{text}");
        }
    }
}

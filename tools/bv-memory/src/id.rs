//! Ids: of runs, of failures, and the prefixes by which people name them. All are lower-case hex digits.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

/// A run: 12 hex digits of its start in milliseconds since 1970, then 20 random ones. Ids sort as their
/// runs began.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(u128);

const RANDOM_BITS: u32 = 80;

impl RunId {
    /// After every run.
    pub const MAX: RunId = RunId(u128::MAX);

    /// An id for a run that begins at `start`.
    pub fn new(start: SystemTime) -> RunId {
        let ms = start.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
        let random = u128::from(random()) << 64 | u128::from(random());
        RunId(ms << RANDOM_BITS | random >> (128 - RANDOM_BITS))
    }

    /// When the run began, in milliseconds since 1970.
    pub fn started_ms(self) -> u64 {
        u64::try_from(self.0 >> RANDOM_BITS).unwrap_or(u64::MAX)
    }

    /// The id of the run's failure number `nth`, from 0: 32 hex digits.
    pub fn failure(self, nth: usize) -> String {
        let hash = blake3::hash(format!("{self}/{nth}").as_bytes()).to_hex();
        hash[..32].to_owned()
    }
}

/// 64 bits that no other process has: the standard library seeds its hash maps from the system's own
/// source. They keep names apart and guard nothing.
pub fn random() -> u64 {
    RandomState::new().hash_one(std::process::id())
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl FromStr for RunId {
    type Err = String;

    fn from_str(text: &str) -> Result<RunId, String> {
        let whole = text.len() == 32 && is_hex(text);
        let digits = whole.then(|| u128::from_str_radix(text, 16).ok()).flatten();
        digits.map(RunId).ok_or_else(|| "not an id of a run".to_owned())
    }
}

/// The beginning of an id, as a person types it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefix(String);

impl Prefix {
    /// Its digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Fewer digits name nothing in particular.
const DIGITS_MIN: usize = 4;
/// Digits of a whole BLAKE3.
const DIGITS_MAX: usize = 64;

impl FromStr for Prefix {
    type Err = String;

    fn from_str(text: &str) -> Result<Prefix, String> {
        let long_enough = (DIGITS_MIN..=DIGITS_MAX).contains(&text.len());
        if long_enough && is_hex(text) {
            Ok(Prefix(text.to_owned()))
        } else {
            Err(format!("an id is {DIGITS_MIN} to {DIGITS_MAX} digits 0-9 a-f"))
        }
    }
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn ids_sort_as_their_runs_began_and_are_read_again() {
        let at = |ms| RunId::new(UNIX_EPOCH + Duration::from_millis(ms));
        let (one, other) = (at(1), at(1 << 44));
        assert!(one < other && one.to_string() < other.to_string());
        assert_eq!((one.started_ms(), other.started_ms()), (1, 1 << 44));
        assert_ne!(at(1), at(1));
        assert_eq!(other.to_string().parse(), Ok(other));
        assert_ne!(one.failure(0), one.failure(1));
    }

    #[test]
    fn what_is_no_id_is_refused() {
        for text in ["", "abc", "../..", "ABCD", "abcg", "%61bc", "ａｂｃｄ"] {
            assert!(text.parse::<Prefix>().is_err(), "{text}");
        }
        assert!("0".repeat(65).parse::<Prefix>().is_err() && "0".repeat(64).parse::<Prefix>().is_ok());
        assert!("+0000000000000000000000000000001".parse::<RunId>().is_err());
    }
}

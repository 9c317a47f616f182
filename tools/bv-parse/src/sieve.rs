//! Whether a text may hold one of many needles, at a price that does not grow with their number.
//!
//! An automaton goes from state to state and so takes one byte at a time, each after the one before. The sieve
//! looks up four bytes at every place, each lookup for itself, in a table: most texts hold no window of
//! any needle and are done. What passes is only a maybe, and goes to the automaton.

/// Bytes of a needle that are looked up.
const WINDOW: usize = 4;
/// Bits of a window's place in the table. A thousand windows fill a 260th of it; the text of a log reads few of
/// its 256 KiB.
const PLACE_BITS: u32 = 18;

/// The windows of the needles.
pub struct Sieve {
    /// 1 at the [`place`] of each window. Bytes, since a bit takes longer to read than a byte.
    table: Box<[u8; 1 << PLACE_BITS]>,
    /// Needles shorter than a window: to be few, since each is a search of its own.
    short: Vec<memchr::memmem::Finder<'static>>,
}

impl Sieve {
    /// Of the rarest window of each needle.
    pub fn new<'a>(needles: impl IntoIterator<Item = &'a str>) -> Sieve {
        let table = vec![0; 1 << PLACE_BITS].try_into().expect("it is of the length that is asked for");
        let mut sieve = Sieve { table, short: Vec::new() };
        for needle in needles {
            match needle.as_bytes().windows(WINDOW).min_by_key(|window| commonness(window)) {
                Some(window) => sieve.table[place(window)] = 1,
                None => sieve.short.push(memchr::memmem::Finder::new(needle).into_owned()),
            }
        }
        sieve
    }

    /// False only where no needle stands in the text.
    pub fn may_hold(&self, text: &str) -> bool {
        let text = text.as_bytes();
        let mut found = 0;
        for window in text.windows(WINDOW) {
            found |= self.table[place(window)];
        }
        found == 1 || self.short.iter().any(|needle| needle.find(text).is_some())
    }
}

/// Where a window lies in the table: the high bits of its product with an odd number near 2^32 / phi.
fn place(window: &[u8]) -> usize {
    let word = u32::from_le_bytes([window[0], window[1], window[2], window[3]]);
    (word.wrapping_mul(0x9E37_79B1) >> (32 - PLACE_BITS)) as usize
}

/// How often such bytes stand in a log, roughly: what a needle is looked up by should be rare there.
fn commonness(window: &[u8]) -> u32 {
    let of_byte = |byte: &u8| match byte {
        b'e' | b't' | b'a' | b'o' | b'i' | b'n' | b's' | b'r' => 7,
        b'a'..=b'z' | b' ' => 6,
        b'0'..=b'9' => 5,
        b'.' | b':' | b'-' | b'/' | b'_' | b'=' => 4,
        _ => 2,
    };
    window.iter().map(of_byte).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_a_needle_passes_and_other_texts_do_not() {
        let needles = ["FAILED (", "panic: ", "%]", "✖ ", "ok 1"];
        let sieve = Sieve::new(needles);
        for needle in needles {
            for text in [needle.to_owned(), format!("x{needle}"), format!("some words {needle} and more")] {
                assert!(sieve.may_hold(&text), "{text:?}");
            }
        }
        for text in ["", "a", "%", "ok", "GET /api/v1/items 200 in 4 ms", "FAI LED", "✔ passed", "50%"] {
            assert!(!sieve.may_hold(text), "{text:?}");
        }
    }

    #[test]
    fn the_rarest_window_is_looked_up() {
        let sieve = Sieve::new(["test result: ok"]);
        assert!(!sieve.may_hold("the test of a result"));
        assert!(sieve.may_hold("ult:"));
    }
}

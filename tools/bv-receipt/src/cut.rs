//! How a string is shortened: pieces of it kept, `…` for what is left out.
//!
//! In come a text and how many of its bytes to keep; out goes the text itself where shortening would
//! gain nothing. Cuts lie between characters, and not before a combining mark where that can be helped.
//! When and what to cut is decided by the callers.

/// What stands for the part left out.
pub const ELLIPSIS: &str = "…";
/// Bytes of each piece that are kept at least.
pub const PIECE_BYTES_MIN: usize = 12;
/// How far a cut is moved to keep a character and its combining marks together.
const CLUSTER_BYTES_MAX: usize = 16;

/// `head…tail`, `kept` bytes of the text in all, at least [`PIECE_BYTES_MIN`] of each.
pub fn middle(text: &str, kept: usize) -> String {
    join(text, kept - kept / 2, kept / 2)
}

/// `…tail`, `kept` bytes of the text.
pub fn start(text: &str, kept: usize) -> String {
    if text.len() <= kept + ELLIPSIS.len() {
        return text.to_owned();
    }
    let from = at_or_after(text, text.len() - kept);
    format!("{ELLIPSIS}{}", &text[from..])
}

/// `head…window…tail`, or `head…tail` where the window reaches one of them: `kept` bytes of the text, the
/// byte `at` and what follows it among them. `kept` is at least three times [`PIECE_BYTES_MIN`].
pub fn around(text: &str, at: usize, kept: usize) -> String {
    if text.len() <= kept + ELLIPSIS.len() {
        return text.to_owned();
    }
    let window = kept.saturating_sub(2 * PIECE_BYTES_MIN).max(PIECE_BYTES_MIN);
    let from = at.min(text.len()).saturating_sub(window / 3);
    let to = from + window;
    if from <= PIECE_BYTES_MIN + ELLIPSIS.len() {
        return join(text, window + PIECE_BYTES_MIN, PIECE_BYTES_MIN);
    }
    if to + PIECE_BYTES_MIN + ELLIPSIS.len() >= text.len() {
        return join(text, PIECE_BYTES_MIN, window + PIECE_BYTES_MIN);
    }
    let head = at_or_after(text, PIECE_BYTES_MIN);
    let tail = at_or_before(text, text.len() - PIECE_BYTES_MIN);
    let (from, to) = (at_or_before(text, from), at_or_after(text, to));
    if from <= head || to >= tail {
        return join(text, PIECE_BYTES_MIN, window + PIECE_BYTES_MIN);
    }
    format!("{}{ELLIPSIS}{}{ELLIPSIS}{}", &text[..head], &text[from..to], &text[tail..])
}

/// How many bytes the two begin with in common, in whole characters.
pub fn first_difference(one: &str, other: &str) -> usize {
    let same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    (0..=same).rev().find(|&at| one.is_char_boundary(at) && other.is_char_boundary(at)).unwrap_or(0)
}

fn join(text: &str, head: usize, tail: usize) -> String {
    if text.len() <= head + tail + ELLIPSIS.len() {
        return text.to_owned();
    }
    let mut head_to = at_or_before(text, head);
    if head_to < PIECE_BYTES_MIN.min(head) {
        head_to = at_or_after(text, head);
    }
    let mut tail_from = at_or_after(text, text.len() - tail);
    if text.len() - tail_from < PIECE_BYTES_MIN.min(tail) {
        tail_from = at_or_before(text, text.len() - tail);
    }
    if head_to + ELLIPSIS.len() >= tail_from {
        return text.to_owned();
    }
    format!("{}{ELLIPSIS}{}", &text[..head_to], &text[tail_from..])
}

fn at_or_before(text: &str, at: usize) -> usize {
    let low = at.saturating_sub(CLUSTER_BYTES_MAX);
    let mut places = (low..=at.min(text.len())).rev();
    places
        .clone()
        .find(|&i| is_break(text, i))
        .or_else(|| places.find(|&i| text.is_char_boundary(i)))
        .unwrap_or(0)
}

fn at_or_after(text: &str, at: usize) -> usize {
    let high = (at + CLUSTER_BYTES_MAX).min(text.len());
    let mut places = at.min(text.len())..=high;
    places
        .clone()
        .find(|&i| is_break(text, i))
        .or_else(|| places.find(|&i| text.is_char_boundary(i)))
        .unwrap_or(text.len())
}

fn is_break(text: &str, at: usize) -> bool {
    let joins = |c: char| {
        matches!(c,
            '\u{300}'..='\u{36f}' | '\u{200d}' | '\u{20d0}'..='\u{20ff}' | '\u{fe00}'..='\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}')
    };
    text.is_char_boundary(at)
        && !text[at..].chars().next().is_some_and(joins)
        && !text[..at].ends_with('\u{200d}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

    #[test]
    fn the_middle_goes_and_twelve_bytes_of_each_end_stay() {
        assert_eq!(middle(LETTERS, 24), "abcdefghijkl…YZ0123456789");
        assert_eq!(middle(LETTERS, 31), "abcdefghijklmnop…VWXYZ0123456789");
        assert_eq!(middle("abcdefghijklmnopqrstuvwxyz", 24), "abcdefghijklmnopqrstuvwxyz");
        assert_eq!(middle(&"é".repeat(20), 25), format!("{0}…{0}", "é".repeat(6)));
        assert_eq!(middle(&"👍🏽".repeat(9), 24), "👍🏽👍🏽…👍🏽👍🏽");
    }

    #[test]
    fn the_start_goes() {
        assert_eq!(start(LETTERS, 12), "…YZ0123456789");
        assert_eq!(start("short", 3), "short");
        assert_eq!(start("ééééé", 3), "…é");
    }

    #[test]
    fn the_difference_stays_wherever_it_is() {
        assert_eq!(around(LETTERS, 2, 36), "abcdefghijklmnopqrstuvwx…YZ0123456789");
        assert_eq!(around(LETTERS, 30, 36), "abcdefghijkl…ABCDEFGHIJKL…YZ0123456789");
        assert_eq!(around(LETTERS, 61, 36), "abcdefghijkl…MNOPQRSTUVWXYZ0123456789");
        assert_eq!(around(LETTERS, 62, 36), "abcdefghijkl…MNOPQRSTUVWXYZ0123456789");
    }

    #[test]
    fn a_difference_is_found_in_whole_characters() {
        for (one, other, expected) in
            [("abc", "abd", 2), ("abc", "abc", 3), ("abc", "ab", 2), ("é", "è", 0), ("", "x", 0)]
        {
            assert_eq!(first_difference(one, other), expected, "{one:?} {other:?}");
        }
    }
}

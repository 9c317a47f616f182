//! One raw line in, its text as a terminal would leave it out: no escapes, no control characters.
//!
//! TABs stay. CSI, OSC and DCS sequences (7-bit, C1 and, for CSI, the caret form `^[[31m` of logs that
//! were printed once too often), byte order marks and other control characters go. A carriage return or
//! backspace moves the cursor and what follows overwrites; text that is lost so and speaks of failure is
//! kept beside the line. Invalid UTF-8 becomes U+FFFD. Sequences never reach past the end of a line, so
//! cleaning needs no state between lines. Source of the grammar: ECMA-48, xterm's ctlseqs.

use crate::wrappers;
use std::borrow::Cow;

/// A string sequence (OSC, DCS, SOS, PM, APC) that has no end within this many bytes is not taken for one.
pub const STRING_BYTES_MAX: usize = 4 << 10;
/// Overwritten texts kept of one line.
pub const OVERWRITTEN_MAX: usize = 16;
/// Characters of a wrapper's prefix that a cursor movement may follow.
const PREFIX_MAX: usize = 200;
/// Columns that a cursor movement can add to a line.
const CURSOR_COLUMN_MAX: usize = 4 << 10;

/// A clean line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clean<'a> {
    /// What a terminal would show, TABs kept.
    pub text: Cow<'a, str>,
    /// What it would no longer show although it speaks of failure, oldest first.
    pub overwritten: Vec<String>,
}

/// Cleans one line, given without its `\n`.
pub fn clean(raw: &[u8]) -> Clean<'_> {
    let raw = match memchr::memrchr(b'\r', raw) {
        Some(at) if at + 1 == raw.len() => trim_returns(raw),
        _ => raw,
    };
    if let Ok(text) = std::str::from_utf8(raw)
        && is_clean(text)
    {
        return Clean { text: Cow::Borrowed(text), overwritten: Vec::new() };
    }
    let mut row = Row::default();
    let text = String::from_utf8_lossy(raw);
    let mut rest: &str = &text;
    while let Some(first) = rest.chars().next() {
        rest = match first {
            '\u{1b}' => escape(&rest[1..], &mut row),
            '^' if rest.starts_with("^[[") => caret(rest, &mut row),
            '\u{9b}' => csi(&rest[2..], &mut row),
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => string(&rest[2..]),
            _ => {
                row.take(first);
                &rest[first.len_utf8()..]
            }
        };
    }
    row.finish()
}

fn trim_returns(raw: &[u8]) -> &[u8] {
    let kept = raw.iter().rposition(|&b| b != b'\r').map_or(0, |at| at + 1);
    &raw[..kept]
}

/// Whether nothing is to be done: most lines.
fn is_clean(text: &str) -> bool {
    let bytes = text.as_bytes();
    let odd = |&b: &u8| u8::from((b < 0x20) & (b != b'\t') | (b == 0x7f) | (b == 0xc2) | (b == 0xef));
    if bytes.iter().fold(0, |any, b| any | odd(b)) == 0 {
        return memchr::memmem::find(bytes, b"^[[").is_none();
    }
    // U+0080 to U+009F and U+FEFF share their first byte with common letters.
    !text.chars().any(|c| c != '\t' && (c.is_control() || c == '\u{feff}')) && !text.contains("^[[")
}

/// After ESC.
fn escape<'a>(rest: &'a str, row: &mut Row) -> &'a str {
    let Some(first) = rest.chars().next() else {
        return rest;
    };
    match first {
        '[' => csi(&rest[1..], row),
        ']' | 'P' | 'X' | '^' | '_' => string(&rest[1..]),
        // nF sequences such as the charset selection `ESC ( B`: intermediates, then one final byte.
        ' '..='/' => {
            let after = rest.trim_start_matches(|c| (' '..='/').contains(&c));
            match after.chars().next() {
                Some('0'..='~') => &after[1..],
                _ => after,
            }
        }
        '0'..='~' => &rest[1..],
        _ => rest,
    }
}

/// After the introducer of a control sequence.
fn csi<'a>(rest: &'a str, row: &mut Row) -> &'a str {
    let params = rest.bytes().take_while(|b| (0x30..=0x3f).contains(b)).count();
    let middle = rest[params..].bytes().take_while(|b| (0x20..=0x2f).contains(b)).count();
    let after = &rest[params + middle..];
    match after.bytes().next() {
        Some(last @ 0x40..=0x7e) => {
            row.control(&rest[..params], last);
            &after[1..]
        }
        // Broken off: what follows is text again.
        _ => after,
    }
}

/// At `^[[`: a control sequence in caret form, or else text (`[^[[]` stands in many a regex).
fn caret<'a>(rest: &'a str, row: &mut Row) -> &'a str {
    let params = rest[3..].bytes().take_while(|b| b.is_ascii_digit() || *b == b';' || *b == b'?').count();
    let last = rest[3 + params..].bytes().next();
    match last {
        Some(last @ (b'm' | b'K')) => {
            row.control(&rest[3..3 + params], last);
            &rest[3 + params + 1..]
        }
        Some(last @ (b'A'..=b'H' | b'J' | b'h' | b'l')) if params > 0 => {
            row.control(&rest[3..3 + params], last);
            &rest[3 + params + 1..]
        }
        _ => {
            row.take('^');
            &rest[1..]
        }
    }
}

/// After the introducer of a string sequence. One that does not end is no sequence: its introducer alone
/// goes, so that nothing that was printed can hide behind it.
fn string(rest: &str) -> &str {
    let mut limit = rest.len().min(STRING_BYTES_MAX);
    while !rest.is_char_boundary(limit) {
        limit -= 1;
    }
    let mut from = 0;
    while let Some(at) = rest[from..limit].find(['\u{7}', '\u{1b}', '\u{9c}']) {
        let end = &rest[from + at..];
        if let Some(after) = ["\u{7}", "\u{1b}\\", "\u{9c}"].iter().find_map(|st| end.strip_prefix(st)) {
            return after;
        }
        from += at + 1;
    }
    rest
}

/// One row of a terminal.
#[derive(Default)]
struct Row {
    cells: Vec<char>,
    cursor: usize,
    /// Where a carriage return goes: behind a wrapper's prefix, once one was asked for.
    origin: Option<usize>,
    overwritten: Vec<String>,
}

impl Row {
    fn take(&mut self, c: char) {
        match c {
            '\r' => {
                self.remember();
                self.cursor = self.origin();
            }
            '\u{8}' => self.cursor = self.cursor.saturating_sub(1),
            '\t' => self.put('\t'),
            '\u{feff}' => {}
            c if c.is_control() => {}
            c => self.put(c),
        }
    }

    fn put(&mut self, c: char) {
        if self.cursor < self.cells.len() {
            self.cells[self.cursor] = c;
        } else {
            self.cells.resize(self.cursor, ' ');
            self.cells.push(c);
        }
        self.cursor += 1;
    }

    /// Cursor movements and erasures within the row; anything else (colours) only goes.
    fn control(&mut self, params: &str, last: u8) {
        let number = |absent: usize| params.split(';').next().and_then(|n| n.parse().ok()).unwrap_or(absent);
        if matches!(last, b'A' | b'G' | b'K') {
            self.leave_prefix();
        }
        match last {
            b'C' => self.cursor = (self.cursor + number(1).clamp(1, CURSOR_COLUMN_MAX)).min(self.reach()),
            b'D' => self.cursor = self.cursor.saturating_sub(number(1).max(1)),
            // The first column of what a wrapper's prefix stands before.
            b'G' => self.cursor = (self.origin() + number(1).max(1) - 1).min(self.reach()),
            b'K' => {
                self.remember();
                match number(0) {
                    0 => self.cells.truncate(self.cursor),
                    1 => self.blank(),
                    2 => {
                        let origin = self.origin();
                        self.cells.truncate(origin);
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// A program that begins a line with a movement does not mean the prefix that a wrapper put before it.
    fn leave_prefix(&mut self) {
        let ends = |blank: &[char]| matches!(blank, [':' | '|' | ']', ' ']);
        let cells = &self.cells;
        if self.origin.is_none()
            && cells.len() <= PREFIX_MAX
            && cells.last_chunk::<2>().is_some_and(|c| ends(c))
        {
            self.origin = Some(cells.len());
        }
    }

    fn origin(&mut self) -> usize {
        *self.origin.get_or_insert_with(|| {
            let text: String = self.cells.iter().collect();
            text[..wrappers::certain_prefix(&text)].chars().count()
        })
    }

    fn reach(&self) -> usize {
        self.cells.len().max(CURSOR_COLUMN_MAX)
    }

    fn blank(&mut self) {
        let upto = self.cells.len().min(self.cursor + 1);
        self.cells[..upto].fill(' ');
    }

    /// Keeps what may now be overwritten, when it speaks of failure.
    fn remember(&mut self) {
        let origin = self.origin();
        if self.cells.len() <= origin || self.overwritten.len() == OVERWRITTEN_MAX {
            return;
        }
        let text: String = self.cells.iter().collect();
        let text = text.trim_end();
        if speaks_of_failure(text) && self.overwritten.last().is_none_or(|last| last != text) {
            self.overwritten.push(text.to_owned());
        }
    }

    fn finish(self) -> Clean<'static> {
        let text: String = self.cells.into_iter().collect();
        let shown = text.trim_end();
        let overwritten =
            self.overwritten.into_iter().filter(|lost| !shown.contains(lost.as_str())).collect();
        Clean { text: Cow::Owned(text), overwritten }
    }
}

/// Words by which runners say that something is wrong.
fn speaks_of_failure(text: &str) -> bool {
    const WORDS: [&str; 9] =
        ["fail", "error", "panic", "fatal", "abort", "assert", "crash", "exception", "not ok"];
    let lower = text.to_ascii_lowercase();
    WORDS.iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(raw: &[u8], text: &str, overwritten: &[&str]) {
        let got = clean(raw);
        assert_eq!(got.text, text, "{:?}", String::from_utf8_lossy(raw));
        assert_eq!(got.overwritten, overwritten, "{:?}", String::from_utf8_lossy(raw));
    }

    #[test]
    fn escapes_go_and_text_stays() {
        for (raw, text) in [
            (&b"plain\ttext"[..], "plain\ttext"),
            (b"\x1b[1;31mFAILED\x1b[0m x", "FAILED x"),
            (b"\x1b[38;2;1;2;3mrgb\x1b[m", "rgb"),
            (b"\x1b]8;;http://a/b\x1b\\link\x1b]8;;\x1b\\", "link"),
            (b"\x1b]0;title\x07after", "after"),
            (b"\x1bPq#0\x1b\\after", "after"),
            ("\u{9b}31mred\u{9b}0m".as_bytes(), "red"),
            ("\u{9d}0;title\u{9c}after".as_bytes(), "after"),
            (b"\x1b(B\x1b[m ok", " ok"),
            (b"\x1b7\x1b8\x1b=x", "x"),
            (b"^[[31mred^[[0m and ^[[K", "red and "),
            (b"regex [^[[] and ^[[a-z]", "regex [^[[] and ^[[a-z]"),
            ("\u{feff}bom \u{feff}inside".as_bytes(), "bom inside"),
            (b"bell\x07 nul\0 del\x7f", "bell nul del"),
            (b"latin \xe9", "latin \u{fffd}"),
            ("größe ✓ \u{e9}".as_bytes(), "größe ✓ \u{e9}"),
            (b"crlf\r", "crlf"),
            (b"crcrlf\r\r", "crcrlf"),
            (b"", ""),
            (b"\r", ""),
        ] {
            check(raw, text, &[]);
        }
    }

    #[test]
    fn a_sequence_without_an_end_hides_nothing() {
        check(b"\x1b]0;FAILED test", "0;FAILED test", &[]);
        check(b"\x1bPFAILED", "FAILED", &[]);
        check(b"\x1b[31", "", &[]);
        check(b"\x1b[31\xc3\xa4", "ä", &[]);
        check(b"end\x1b", "end", &[]);
        let mut long = b"\x1b]".to_vec();
        long.resize(STRING_BYTES_MAX + 2, b'x');
        long.extend_from_slice(b"FAILED\x07");
        assert!(clean(&long).text.ends_with("FAILED"));
    }

    #[test]
    fn a_carriage_return_overwrites_and_failure_is_not_lost() {
        check(b"10 %\r20 %\rdone", "done", &[]);
        check(b"abcdef\rxy", "xycdef", &[]);
        check(b"FAILED (failures=1)\rOK                 ", "OK                 ", &["FAILED (failures=1)"]);
        check(b"1 failed\x1b[2K\r2 passed", "2 passed", &["1 failed"]);
        check(b"1 failed\r\x1b[K2 passed", "2 passed", &["1 failed"]);
        check(b"1 failed\r1 failed", "1 failed", &[]);
        check(b"2026-11-30T16:00:01.1Z 10 %\r20 %\x1b[2K\rdone", "2026-11-30T16:00:01.1Z done", &[]);
        check(b"typo\x08\x08ing", "tying", &[]);
        check(b"\x1b[1mcollecting ... \x1b[0m\x1b[1m\rcollected 3 items", "collected 3 items", &[]);
        check(b"a\x1b[3Cb\x1b[1Gc", "c   b", &[]);
        check(b"tests_1  | \x1b[1A\x1b[2KHeadless one FAILED", "tests_1  | Headless one FAILED", &[]);
        check(b"app-1  | \x1b[1G \xe2\x9c\x97 divides\x1b[K\x1b[2G", "app-1  |  \u{2717} divides", &[]);
    }

    #[test]
    fn cursor_movements_cannot_grow_a_line_without_bound() {
        let raw = b"\x1b[999999999Cx".repeat(1000);
        assert!(clean(&raw).text.len() < 2 * CURSOR_COLUMN_MAX + 2000);
    }

    proptest! {
        #[test]
        fn no_control_character_comes_out(raw in proptest::collection::vec(any::<u8>(), 0..300)) {
            let text = clean(&raw).text.into_owned();
            prop_assert!(text.chars().all(|c| c == '\t' || !c.is_control()), "{text:?}");
        }

        /// On whole sequences between printable texts the crate of that name says the same.
        #[test]
        fn agrees_with_strip_ansi_escapes(parts in proptest::collection::vec(
            prop_oneof![
                "[ -\\]_-~äß✓]{0,12}",
                "\u{1b}\\[[0-9]{0,3}(;[0-9]{1,3}){0,3}m",
                "\u{1b}\\]8;;[a-z:/.]{0,12}\u{7}",
                "\u{1b}\\]0;[a-z ]{0,12}\u{1b}\\\\",
            ], 0..12))
        {
            let raw = parts.concat();
            prop_assert_eq!(clean(raw.as_bytes()).text.into_owned(), strip_ansi_escapes::strip_str(&raw));
        }
    }
}

//! Raw bytes in, raw lines out, in bounded memory: no cleaning, no meaning.
//!
//! Lines do not depend on how reads are split. A line over [`LINE_BYTES_MAX`] is handed on as its head
//! and its tail around a visible mark; what stood between is counted in its span and hashed, not kept.

use std::io::{self, Read};

/// Longest raw line that is handed on whole.
pub const LINE_BYTES_MAX: usize = 1 << 20;
/// What stands between the head and the tail of a longer line.
pub const LINE_CUT_MARK: &str = " … ";
/// Bytes read at once.
const CHUNK_BYTES: usize = 256 << 10;

/// A raw line without its `\n`.
#[derive(Clone, Copy, Debug)]
pub struct RawLine<'a> {
    /// The bytes; a `\r` before the `\n` is still there.
    pub bytes: &'a [u8],
    /// `[first byte, past last byte]` in the stream, the `\n` included.
    pub span: [u64; 2],
    /// The same as text, where it is known to be printable ASCII and TABs alone, so that no cleaning is needed.
    pub plain: Option<&'a str>,
}

/// What was read in all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Totals {
    /// BLAKE3 of all bytes, in hex.
    pub hash: String,
    /// Bytes read.
    pub bytes: u64,
    /// Lines read, an unended last one included.
    pub lines: u64,
}

/// Reads `input` to its end and gives each line to `take`.
///
/// # Errors
/// Those of `input`, except for interruptions, which are tried again.
pub fn read(input: &mut impl Read, take: &mut impl FnMut(RawLine<'_>)) -> io::Result<Totals> {
    let mut buffer = vec![0; CHUNK_BYTES];
    let mut hasher = blake3::Hasher::new();
    let mut lines = Lines::default();
    let mut filled = 0;
    loop {
        let read = match input.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => read,
            Err(wrong) if wrong.kind() == io::ErrorKind::Interrupted => continue,
            Err(wrong) => return Err(wrong),
        };
        hasher.update(&buffer[filled..filled + read]);
        filled += read;
        let used = lines.whole(&buffer[..filled], filled - read, take);
        buffer.copy_within(used..filled, 0);
        filled -= used;
        if filled == buffer.len() {
            lines.long.push(&buffer);
            filled = 0;
        }
    }
    lines.last(&buffer[..filled], take);
    Ok(Totals { hash: hasher.finalize().to_hex().to_string(), bytes: lines.at, lines: lines.count })
}

#[derive(Default)]
struct Lines {
    /// Offset of the first byte that is not yet in a line that was handed on.
    at: u64,
    count: u64,
    long: Long,
}

impl Lines {
    /// Hands on the lines that end in `bytes`, looking for newlines from `from`; says how many bytes
    /// they are.
    fn whole(&mut self, bytes: &[u8], from: usize, take: &mut impl FnMut(RawLine<'_>)) -> usize {
        let Some(last) = memchr::memrchr(b'\n', &bytes[from..]).map(|at| from + at) else {
            return 0;
        };
        let plain = plain(&bytes[..last]);
        let mut start = 0;
        for newline in memchr::memchr_iter(b'\n', &bytes[..=last]) {
            let text = plain.and_then(|text| text.get(start..newline));
            self.line(&bytes[start..newline], 1, text, take);
            start = newline + 1;
        }
        start
    }

    fn last(&mut self, bytes: &[u8], take: &mut impl FnMut(RawLine<'_>)) {
        if !bytes.is_empty() || self.long.bytes > 0 {
            self.line(bytes, 0, None, take);
        }
    }

    fn line(&mut self, bytes: &[u8], newline: u64, plain: Option<&str>, take: &mut impl FnMut(RawLine<'_>)) {
        self.count += 1;
        if self.long.bytes == 0 {
            let end = self.at + bytes.len() as u64 + newline;
            take(RawLine { bytes, span: [self.at, end], plain });
            self.at = end;
            return;
        }
        self.long.push(bytes);
        let end = self.at + self.long.bytes + newline;
        let joined = self.long.take();
        take(RawLine { bytes: &joined, span: [self.at, end], plain: None });
        self.at = end;
    }
}

/// A line that did not fit the buffer: its head, and the newest bytes of the rest.
#[derive(Default)]
struct Long {
    head: Vec<u8>,
    tail: Vec<u8>,
    bytes: u64,
}

const HALF: usize = LINE_BYTES_MAX / 2;

impl Long {
    fn push(&mut self, mut bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        let room = HALF - self.head.len();
        let (to_head, rest) = bytes.split_at(bytes.len().min(room));
        self.head.extend_from_slice(to_head);
        bytes = rest;
        self.tail.extend_from_slice(bytes);
        if self.tail.len() > 2 * HALF {
            let over = self.tail.len() - HALF;
            self.tail.drain(..over);
        }
    }

    fn take(&mut self) -> Vec<u8> {
        let over = self.tail.len().saturating_sub(HALF);
        let mut joined = std::mem::take(&mut self.head);
        if self.bytes > (joined.len() + self.tail.len() - over) as u64 {
            joined.extend_from_slice(LINE_CUT_MARK.as_bytes());
        }
        joined.extend_from_slice(&self.tail[over..]);
        self.tail.clear();
        self.bytes = 0;
        joined
    }
}

/// These bytes as text, if they are printable ASCII, TABs and newlines alone, without the caret form of ESC.
fn plain(bytes: &[u8]) -> Option<&str> {
    let odd = |&b: &u8| u8::from(!(0x20..0x7f).contains(&b) & (b != b'\t') & (b != b'\n'));
    let plain =
        bytes.iter().fold(0, |any, b| any | odd(b)) == 0 && memchr::memmem::find(bytes, b"^[").is_none();
    std::str::from_utf8(bytes).ok().filter(|_| plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte more a read than the last time, and fails the first read of each size.
    struct Dribble<'a> {
        rest: &'a [u8],
        step: usize,
        interrupted: bool,
    }

    impl Read for Dribble<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            self.interrupted = !self.interrupted;
            if self.interrupted {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let n = self.step.min(self.rest.len()).min(into.len());
            into[..n].copy_from_slice(&self.rest[..n]);
            self.rest = &self.rest[n..];
            Ok(n)
        }
    }

    type Owned = (Vec<u8>, [u64; 2]);

    fn all(text: &[u8], step: usize) -> (Vec<Owned>, Totals) {
        let mut seen = Vec::new();
        let mut input = Dribble { rest: text, step, interrupted: false };
        let totals = read(&mut input, &mut |line| seen.push((line.bytes.to_vec(), line.span)))
            .expect("memory does not fail");
        (seen, totals)
    }

    #[test]
    fn lines_do_not_depend_on_how_reads_are_split() {
        let text = "one\r\n\ntäb\t\u{1b}[31mred\nlast".as_bytes();
        let (whole, totals) = all(text, text.len());
        assert_eq!(
            whole.iter().map(|(_, span)| *span).collect::<Vec<_>>(),
            [[0, 5], [5, 6], [6, 20], [20, 24]]
        );
        assert_eq!((totals.bytes, totals.lines), (text.len() as u64, 4));
        assert_eq!(totals.hash, blake3::hash(text).to_hex().to_string());
        for step in 1..text.len() {
            assert_eq!(all(text, step), (whole.clone(), totals.clone()), "reads of {step} bytes");
        }
    }

    #[test]
    fn a_line_over_the_limit_keeps_its_head_and_tail() {
        let mut text = b"head".to_vec();
        text.resize(5 * LINE_BYTES_MAX, b'x');
        text.extend_from_slice(b"tail\nnext\n");
        for step in [1000, CHUNK_BYTES, usize::MAX] {
            let (seen, totals) = all(&text, step);
            let (long, span) = &seen[0];
            assert_eq!(long.len(), LINE_BYTES_MAX + LINE_CUT_MARK.len());
            assert!(long.starts_with(b"headxxx") && long.ends_with(b"xxxtail"));
            assert_eq!(*span, [0, 5 * LINE_BYTES_MAX as u64 + 5]);
            assert_eq!(seen[1].0, b"next");
            assert_eq!(totals.lines, 2);
        }
    }

    #[test]
    fn a_line_between_the_buffer_and_the_limit_is_whole() {
        let mut text = vec![b'y'; CHUNK_BYTES + 10];
        text.push(b'\n');
        let (seen, _) = all(&text, usize::MAX);
        assert_eq!(seen, [(vec![b'y'; CHUNK_BYTES + 10], [0, CHUNK_BYTES as u64 + 11])]);
    }

    #[test]
    fn only_printable_ascii_is_plain() {
        for (text, plain) in [
            ("a\tb\n ~", true),
            ("^ [", true),
            ("", true),
            ("^[[31m", false),
            ("\u{1b}[m", false),
            ("ä", false),
            ("\r\n", false),
            ("\u{7f}", false),
        ] {
            assert_eq!(super::plain(text.as_bytes()).is_some(), plain, "{text:?}");
        }
    }
}

//! NDJSON framing: UTF-8, one JSON object a line, `\n` ends a line.

use serde::Serialize;
use std::io::{self, BufRead, Write};

/// Longest line that a stage reads; what is over is cut and the line is no record then.
pub const LINE_BYTES_MAX: usize = 8 << 20;

/// Writes `value` as one line.
///
/// # Errors
/// Those of `output`.
pub fn write(output: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *output, value).map_err(io::Error::from)?;
    output.write_all(b"\n")
}

/// Reads the next line into `line` without its newline; `false` at the end of input.
///
/// A line over [`LINE_BYTES_MAX`] is read to its end and kept cut at that length, so that memory is
/// bounded on any input.
///
/// # Errors
/// Those of `input`.
pub fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let mut any = false;
    loop {
        let chunk = match input.fill_buf() {
            Ok(chunk) => chunk,
            Err(wrong) if wrong.kind() == io::ErrorKind::Interrupted => continue,
            Err(wrong) => return Err(wrong),
        };
        if chunk.is_empty() {
            return Ok(any);
        }
        any = true;
        let newline = chunk.iter().position(|&b| b == b'\n');
        let part = &chunk[..newline.unwrap_or(chunk.len())];
        let room = LINE_BYTES_MAX - line.len();
        line.extend_from_slice(&part[..part.len().min(room)]);
        let used = newline.map_or(part.len(), |at| at + 1);
        input.consume(used);
        if newline.is_some() {
            return Ok(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_without_newlines_and_the_last_needs_none() {
        let mut input = io::BufReader::with_capacity(3, &b"one\n\nthree"[..]);
        let (mut line, mut seen) = (Vec::new(), Vec::new());
        while read_line(&mut input, &mut line).expect("memory does not fail") {
            seen.push(String::from_utf8_lossy(&line).into_owned());
        }
        assert_eq!(seen, ["one", "", "three"]);
    }

    #[test]
    fn a_line_over_the_limit_is_cut_and_the_next_is_whole() {
        let mut text = vec![b'x'; LINE_BYTES_MAX + 10];
        text.extend_from_slice(b"\nnext\n");
        let mut input = io::BufReader::new(&text[..]);
        let mut line = Vec::new();
        assert!(read_line(&mut input, &mut line).expect("memory does not fail"));
        assert_eq!(line.len(), LINE_BYTES_MAX);
        assert!(read_line(&mut input, &mut line).expect("memory does not fail"));
        assert_eq!(line, b"next");
    }
}

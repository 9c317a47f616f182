//! A file of JSON objects, one a line or in one array, taken apart while it comes in.
//!
//! In: bytes, in pieces of any size. Out: the text of one object after the other, with the line on which
//! it begins. Objects may span lines. Whether the text between the outer braces is JSON is left to whoever
//! reads it; no more than one object is held.

use crate::filter::DEPTH_MAX;
use memchr::memchr2;

/// Longest object that is read. A failure's record repeats it as its counterexample, and has to be shorter
/// than a line of the stream may be.
pub const OBJECT_BYTES_MAX: usize = 3 << 20;

/// Takes objects out of the bytes that it is fed.
#[derive(Debug, Default)]
pub struct Document {
    bytes: Vec<u8>,
    /// Up to here all is taken.
    taken: usize,
    /// Up to here all is looked at.
    seen: usize,
    place: Place,
    /// 1-based line of `seen`, less one.
    lines: u64,
    /// Where the open object begins.
    begun_lines: u64,
    depth: usize,
    ended: bool,
}

/// What may come next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Start,
    /// Between objects that follow each other.
    Between,
    /// After `[`.
    Opened,
    /// In the array, after an object.
    After,
    /// In the array, after a comma.
    Comma,
    /// After `]`.
    Closed,
    /// In an object.
    Object,
    /// In an object of the array.
    Element,
}

/// What is wrong, and on which line, from 1.
#[derive(Debug, PartialEq, Eq)]
pub struct Wrong {
    /// 1-based.
    pub line: u64,
    /// In words.
    pub what: String,
}

/// One object.
#[derive(Debug, PartialEq, Eq)]
pub struct Object<'a> {
    /// Its text, from brace to brace.
    pub text: &'a str,
    /// The line on which it begins, from 1.
    pub line: u64,
}

impl Document {
    /// Takes in the next bytes; none at all mean the end.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.taken);
        self.seen -= self.taken;
        self.taken = 0;
        self.ended |= bytes.is_empty();
        self.bytes.extend_from_slice(bytes);
    }

    /// Whether the end has been fed.
    pub fn ended(&self) -> bool {
        self.ended
    }

    /// The next whole object, `None` where more has to be fed or nothing more comes.
    ///
    /// # Errors
    /// Where something else stands in an object's place, an object is too long or too deep, or the end
    /// comes too early. Nothing can be read after that.
    pub fn next(&mut self) -> Result<Option<Object<'_>>, Wrong> {
        while self.seen < self.bytes.len() {
            if matches!(self.place, Place::Object | Place::Element) {
                let Some(end) = self.object()? else { break };
                let (from, line) = (self.taken, self.begun_lines + 1);
                self.taken = end;
                let text = std::str::from_utf8(&self.bytes[from..end]);
                let text = text.map_err(|_| Wrong { line, what: "it is not UTF-8".into() })?;
                return Ok(Some(Object { text, line }));
            }
            self.between()?;
        }
        match self.place {
            Place::Start | Place::Between | Place::Closed => Ok(None),
            _ if !self.ended => Ok(None),
            Place::Object | Place::Element => {
                Err(Wrong { line: self.begun_lines + 1, what: "cut off within an object".into() })
            }
            Place::Opened | Place::After | Place::Comma => Err(self.wrong("cut off within the array")),
        }
    }

    /// One byte that belongs to no object.
    fn between(&mut self) -> Result<(), Wrong> {
        let byte = self.bytes[self.seen];
        self.place = match (byte, self.place) {
            (b'\n', same) => {
                self.lines += 1;
                same
            }
            (b' ' | b'\t' | b'\r', same) => same,
            // A byte order mark, as some editors write it.
            (0xef | 0xbb | 0xbf, Place::Start) => Place::Start,
            (b'[', Place::Start) => Place::Opened,
            (b'{', Place::Start | Place::Between) => self.begin(Place::Object),
            (b'{', Place::Opened | Place::Comma) => self.begin(Place::Element),
            (b',', Place::After) => Place::Comma,
            (b']', Place::Opened | Place::After) => Place::Closed,
            (_, Place::After) => return Err(self.wrong("expected `,` or `]` after an object")),
            (_, Place::Closed) => return Err(self.wrong("something stands after the array")),
            _ => return Err(self.wrong("expected a JSON object")),
        };
        if !matches!(self.place, Place::Object | Place::Element) {
            self.seen += 1;
            self.taken = self.seen;
        }
        Ok(())
    }

    fn begin(&mut self, place: Place) -> Place {
        self.begun_lines = self.lines;
        self.depth = 0;
        place
    }

    /// Goes on through the open object; where it ends, past its brace, or `None` where more is needed.
    fn object(&mut self) -> Result<Option<usize>, Wrong> {
        while let Some(&byte) = self.bytes.get(self.seen) {
            match byte {
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => self.depth -= 1,
                b'\n' => self.lines += 1,
                b'"' => match string_end(&self.bytes[self.seen + 1..]) {
                    Some(past) => self.seen += past,
                    None => break,
                },
                _ => {}
            }
            self.seen += 1;
            if self.depth == 0 {
                self.place = if self.place == Place::Object { Place::Between } else { Place::After };
                return Ok(Some(self.seen));
            }
            if self.depth > DEPTH_MAX {
                return Err(self.wrong(&format!("nested deeper than {DEPTH_MAX}")));
            }
        }
        if self.bytes.len() - self.taken > OBJECT_BYTES_MAX {
            return Err(self.wrong(&format!("an object of over {OBJECT_BYTES_MAX} bytes")));
        }
        Ok(None)
    }

    fn wrong(&self, what: &str) -> Wrong {
        Wrong { line: self.lines + 1, what: what.into() }
    }
}

/// How many bytes to the end of a string that has begun, its closing quote counted; `None` where it is not
/// there yet.
fn string_end(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        at += found;
        if bytes[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same whatever the pieces.
    fn check(text: &str, expected: &[(u64, &str)], wrong: Option<(u64, &str)>) {
        for size in [1, 2, 3, 7, 1 << 16] {
            let (mut document, mut seen, mut error) = (Document::default(), Vec::new(), None);
            'fed: for piece in text.as_bytes().chunks(size).chain([&b""[..]]) {
                document.feed(piece);
                loop {
                    match document.next() {
                        Ok(Some(object)) => seen.push((object.line, object.text.to_owned())),
                        Ok(None) => break,
                        Err(wrong) => {
                            error = Some((wrong.line, wrong.what));
                            break 'fed;
                        }
                    }
                }
            }
            let seen: Vec<_> = seen.iter().map(|(line, text)| (*line, text.as_str())).collect();
            let error = error.as_ref().map(|(line, what)| (*line, what.as_str()));
            assert_eq!((&seen[..], error), (expected, wrong), "{text:?} by {size}");
        }
    }

    #[test]
    fn lines_and_arrays_are_read_alike() {
        check("", &[], None);
        check("\n \r\n", &[], None);
        check("[]", &[], None);
        check("{}\n{\"a\":1}", &[(1, "{}"), (2, "{\"a\":1}")], None);
        check("\u{feff}\n{}{}\r\n\n{}\n", &[(2, "{}"), (2, "{}"), (4, "{}")], None);
        check("[{},\n{\"a\":[1]}\n, {}]\n", &[(1, "{}"), (2, "{\"a\":[1]}"), (3, "{}")], None);
        check("{\n\"a\":\n1}\n{}", &[(1, "{\n\"a\":\n1}"), (4, "{}")], None);
        check(r#"{"a":"}\"{\\"}{}"#, &[(1, r#"{"a":"}\"{\\"}"#), (1, "{}")], None);
    }

    #[test]
    fn what_is_no_object_is_said_with_its_line() {
        let object = "expected a JSON object";
        check("{}\nhello\n", &[(1, "{}")], Some((2, object)));
        check("[1]", &[], Some((1, object)));
        check("[[", &[], Some((1, object)));
        check("[{},]", &[(1, "{}")], Some((1, object)));
        check("{},{}", &[(1, "{}")], Some((1, object)));
        check("{}\n[{}]", &[(1, "{}")], Some((2, object)));
        check("[{}\n{}]", &[(1, "{}")], Some((2, "expected `,` or `]` after an object")));
        check("[{}]\n{}", &[(1, "{}")], Some((2, "something stands after the array")));
    }

    #[test]
    fn a_cut_is_no_end() {
        check("{}\n{\"a\":", &[(1, "{}")], Some((2, "cut off within an object")));
        check("{\"a\":\"}", &[], Some((1, "cut off within an object")));
        check("[", &[], Some((1, "cut off within the array")));
        check("[{}", &[(1, "{}")], Some((1, "cut off within the array")));
        check("[{},\n", &[(1, "{}")], Some((2, "cut off within the array")));
    }

    fn refused(text: &str, what: &str) {
        let mut document = Document::default();
        document.feed(text.as_bytes());
        assert_eq!(document.next().map_err(|wrong| wrong.what), Err(what.into()));
    }

    #[test]
    fn bounds_hold() {
        refused(&format!("{{\"a\":{}", "[".repeat(200)), "nested deeper than 128");
        refused(&format!("{{\"a\":\"{}", "x".repeat(OBJECT_BYTES_MAX)), "an object of over 3145728 bytes");
    }
}

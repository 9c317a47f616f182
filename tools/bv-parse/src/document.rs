//! A JSON document that stands in the stream as text: on one line or spread over many.
//!
//! Lines come in from the one that was recognised on, which may be the second (a pretty-printed `{`
//! stands alone in the first); the parsed document goes out once its last bracket came.

use serde_json::Value;

/// Bytes of one document at most; a longer one is never complete.
pub const DOCUMENT_BYTES_MAX: usize = 16 << 20;

/// Collects one document.
#[derive(Debug, Default)]
pub struct Document {
    text: String,
    depth: u32,
    in_string: bool,
    escaped: bool,
    too_long: bool,
    /// Where it lies in the raw stream so far.
    pub span: [u64; 2],
}

/// What a line did to the document.
#[derive(Debug, PartialEq)]
pub enum Taken {
    /// It goes on.
    More,
    /// It is whole.
    Whole(Value),
    /// It is no JSON.
    Broken,
}

impl Document {
    /// One whose first line comes next, from `span` on.
    pub fn new(span: [u64; 2]) -> Document {
        Document { span, ..Document::default() }
    }

    /// Begins with this line; an object whose `{` stood in the line before is opened here.
    pub fn begin(text: &str, span: [u64; 2]) -> (Document, Taken) {
        let mut document = Document::new(span);
        if !text.trim_start().starts_with(['{', '[']) {
            document.take("{", span);
        }
        let taken = document.take(text, span);
        (document, taken)
    }

    /// Takes the next line.
    pub fn take(&mut self, text: &str, span: [u64; 2]) -> Taken {
        self.span[1] = span[1];
        let Some(end) = self.scan(text.as_bytes()) else {
            self.too_long |= self.text.len() + text.len() > DOCUMENT_BYTES_MAX;
            if self.too_long {
                self.text = String::new();
            } else {
                self.text.push_str(text);
                self.text.push('\n');
            }
            // A string does not go over the end of a line.
            return if self.in_string { Taken::Broken } else { Taken::More };
        };
        self.text.push_str(&text[..end]);
        match serde_json::from_str(&std::mem::take(&mut self.text)) {
            Ok(value) => Taken::Whole(value),
            Err(_) => Taken::Broken,
        }
    }

    /// The byte past the bracket that closes the document, when it stands in this line.
    fn scan(&mut self, bytes: &[u8]) -> Option<usize> {
        for (at, &byte) in bytes.iter().enumerate() {
            if self.in_string {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.in_string = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return Some(at + 1);
                    }
                }
                _ => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_document_is_whole_at_its_last_bracket() {
        for (lines, expected) in [
            (&["{\"a\": [1, 2]} tail"][..], Taken::Whole(json!({"a": [1, 2]}))),
            (&[" \"a\": 1,", " \"b\": \"}\\\"\"", "}"], Taken::Whole(json!({"a": 1, "b": "}\""}))),
            (&["{\"a\":", "1"], Taken::More),
            (&["[", "1", "]"], Taken::Whole(json!([1]))),
            (&["{\"a\": oops}"], Taken::Broken),
            (&["{\"a\": \"cut"], Taken::Broken),
        ] {
            let (mut document, mut taken) = Document::begin(lines[0], [0, 1]);
            for line in &lines[1..] {
                taken = document.take(line, [1, 2]);
            }
            assert_eq!(taken, expected, "{lines:?}");
        }
    }
}

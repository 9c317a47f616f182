//! A JSON document that a runner prints whole, over one line or many: collected, bounded, until it ends.

use serde_json::Value;

/// Longest document that is kept; a longer one is not read.
pub const DOCUMENT_BYTES_MAX: usize = 16 << 20;

/// A document that is being collected.
#[derive(Debug, Default)]
pub struct Document {
    text: String,
    depth: u32,
    in_string: bool,
    escaped: bool,
    began: bool,
}

/// Where a document stands after a line.
#[derive(Debug, PartialEq)]
pub enum Progress {
    /// It goes on.
    More,
    /// It ended with this line, and this is it.
    Whole(Value),
    /// It ended, or grew over [`DOCUMENT_BYTES_MAX`], and is no JSON that can be read.
    Broken,
}

impl Document {
    /// Takes the next line, the first of which holds the opening brace or bracket.
    pub fn push(&mut self, line: &str) -> Progress {
        if self.text.len() + line.len() > DOCUMENT_BYTES_MAX {
            return Progress::Broken;
        }
        self.text.push_str(line);
        self.text.push('\n');
        for &byte in line.as_bytes() {
            self.byte(byte);
        }
        // A string does not go over the end of a line.
        if self.in_string {
            return Progress::Broken;
        }
        if !self.began || self.depth > 0 {
            return Progress::More;
        }
        serde_json::from_str(&self.text).map_or(Progress::Broken, Progress::Whole)
    }

    /// Lines taken so far.
    pub fn lines(&self) -> usize {
        self.text.bytes().filter(|&byte| byte == b'\n').count()
    }

    fn byte(&mut self, byte: u8) {
        if self.in_string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => {
                self.began = true;
                self.depth += 1;
            }
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(lines: &[&str], want: Progress) {
        let mut document = Document::default();
        let (last, first) = lines.split_last().unwrap();
        for line in first {
            assert_eq!(document.push(line), Progress::More, "{line}");
        }
        assert_eq!(document.push(last), want, "{lines:?}");
    }

    #[test]
    fn a_document_ends_with_its_last_brace() {
        check(&[r#"{"a": "}\"{"}"#], Progress::Whole(json!({"a": "}\"{"})));
        check(&["{", r#" "a": ["#, "1, 2", "]", "}"], Progress::Whole(json!({"a": [1, 2]})));
        check(&["", "[", "]"], Progress::Whole(json!([])));
        check(&["{} trailing"], Progress::Broken);
        check(&["{", "not json }"], Progress::Broken);
        check(&["{\"a\": \"cut"], Progress::Broken);
        check(&["{"], Progress::More);
    }

    #[test]
    fn a_document_is_bounded() {
        let line = format!("[\"{}\"", "x".repeat(1 << 20));
        let mut document = Document::default();
        let states: Vec<_> = (0..20).map(|_| document.push(&line)).collect();
        assert_eq!(states.iter().position(|s| *s == Progress::Broken), Some(15));
    }
}

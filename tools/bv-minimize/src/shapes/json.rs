//! JSON text into a tree.
//!
//! In: bytes. Out: a tree that keeps the order of members, duplicate names, the spelling of numbers and lone
//! surrogates; nothing where the bytes are no JSON (RFC 8259) in UTF-8. A string that holds the text of a JSON
//! object or array is taken apart too. Blanks between tokens and the spelling of strings are left behind.

use super::tree::{Kind, Node, Text, Tree};

/// One JSON value.
pub(crate) fn parse(bytes: &[u8]) -> Option<Tree> {
    Some(Tree { nodes: value(bytes, QUOTED_DEPTH_MAX)?, tail: Text::default() })
}

/// A JSON value a line; a line that is none is kept as it is, blank lines are left out. Nothing where not one
/// line is JSON.
pub(crate) fn parse_lines(bytes: &[u8]) -> Option<Tree> {
    let mut nodes = vec![Node { kind: Kind::Lines(b'\n'), ..Node::scalar(Kind::Raw, b"") }];
    let mut any = false;
    for line in bytes.split(|&b| b == b'\n') {
        if line.trim_ascii().is_empty() {
            continue;
        }
        match value(line, QUOTED_DEPTH_MAX) {
            Some(value) => {
                any = true;
                nodes.extend(value);
            }
            None => nodes.push(Node::scalar(Kind::Raw, line)),
        }
    }
    nodes[0].span = nodes.len();
    any.then(|| Tree { nodes, tail: Text::default() })
}

/// Whether the bytes are one JSON number and nothing else.
pub(crate) fn is_number(bytes: &[u8]) -> bool {
    let mut read = Reader { bytes, at: 0, quoted: 0 };
    read.number().is_some_and(|number| number.len() == bytes.len())
}

/// How deep strings that hold JSON are taken apart within each other.
const QUOTED_DEPTH_MAX: usize = 4;

/// What is expected next.
#[derive(Clone, Copy, PartialEq)]
enum Want {
    Value,
    /// A value, or the end of an array that has just begun.
    ValueOrEnd,
    Key,
    /// A name, or the end of an object that has just begun.
    KeyOrEnd,
    CommaOrEnd,
}

fn value(bytes: &[u8], quoted: usize) -> Option<Vec<Node>> {
    let mut read = Reader { bytes, at: 0, quoted };
    let mut nodes: Vec<Node> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut key = None;
    let mut want = Want::Value;
    loop {
        read.blanks();
        let first = read.peek();
        match (want, first) {
            (Want::KeyOrEnd, Some(b'}'))
            | (Want::ValueOrEnd, Some(b']'))
            | (Want::CommaOrEnd, Some(b'}' | b']')) => {
                let at = open.pop()?;
                let closer = if nodes[at].kind == Kind::Object { b'}' } else { b']' };
                read.expect(closer)?;
                nodes[at].span = nodes.len() - at;
                want = Want::CommaOrEnd;
            }
            (Want::CommaOrEnd, Some(b',')) => {
                read.at += 1;
                want = if nodes[*open.last()?].kind == Kind::Object { Want::Key } else { Want::Value };
            }
            (Want::Key | Want::KeyOrEnd, Some(b'"')) => {
                key = Some(Text::from(read.string()?));
                read.blanks();
                read.expect(b':')?;
                want = Want::Value;
            }
            (Want::Value | Want::ValueOrEnd, Some(b'{' | b'[')) => {
                let (kind, next) = if read.expect(b'{').is_some() {
                    (Kind::Object, Want::KeyOrEnd)
                } else {
                    read.expect(b'[')?;
                    (Kind::Array, Want::ValueOrEnd)
                };
                open.push(nodes.len());
                nodes.push(Node { kind, key: key.take(), text: Text::default(), span: 1 });
                want = next;
            }
            (Want::Value | Want::ValueOrEnd, Some(_)) => {
                read.scalar(key.take(), &mut nodes)?;
                want = Want::CommaOrEnd;
            }
            _ => return None,
        }
        if open.is_empty() {
            read.blanks();
            return (read.at == bytes.len()).then_some(nodes);
        }
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    quoted: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.peek() == Some(byte)).then(|| self.at += 1)
    }

    /// A string, a number or a word. A string's content is taken apart where it is a JSON container.
    fn scalar(&mut self, key: Option<Text>, nodes: &mut Vec<Node>) -> Option<()> {
        let (kind, text) = match self.peek()? {
            b'"' => (Kind::String, self.string()?),
            b'-' | b'0'..=b'9' => (Kind::Number, self.number()?.to_vec()),
            _ => (Kind::Word, self.word()?.to_vec()),
        };
        let holds_json =
            kind == Kind::String && matches!(text.trim_ascii(), [b'{', .., b'}'] | [b'[', .., b']']);
        if holds_json
            && self.quoted > 0
            && let Some(inner) = value(&text, self.quoted - 1)
        {
            nodes.push(Node { kind: Kind::Quoted, key, text: Text::default(), span: inner.len() + 1 });
            nodes.extend(inner);
        } else {
            nodes.push(Node { kind, key, text: text.into(), span: 1 });
        }
        Some(())
    }

    fn word(&mut self) -> Option<&[u8]> {
        let rest = &self.bytes[self.at..];
        let words: [&[u8]; 3] = [b"true", b"false", b"null"];
        let word = words.into_iter().find(|word| rest.starts_with(word))?;
        self.at += word.len();
        Some(word)
    }

    fn digits(&mut self) -> usize {
        let from = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - from
    }

    fn number(&mut self) -> Option<&[u8]> {
        let from = self.at;
        let _ = self.expect(b'-');
        let leads_with_zero = self.peek() == Some(b'0');
        let digits = self.digits();
        if digits == 0 || leads_with_zero && digits > 1 {
            return None;
        }
        if self.expect(b'.').is_some() && self.digits() == 0 {
            return None;
        }
        if self.peek().is_some_and(|b| matches!(b, b'e' | b'E')) {
            self.at += 1;
            if self.peek().is_some_and(|b| matches!(b, b'+' | b'-')) {
                self.at += 1;
            }
            if self.digits() == 0 {
                return None;
            }
        }
        Some(&self.bytes[from..self.at])
    }

    /// The string's text without its escapes.
    fn string(&mut self) -> Option<Vec<u8>> {
        self.expect(b'"')?;
        let mut text = Vec::new();
        loop {
            let from = self.at;
            while self.peek().is_some_and(|b| b != b'"' && b != b'\\' && b >= 0x20) {
                self.at += 1;
            }
            text.extend_from_slice(std::str::from_utf8(&self.bytes[from..self.at]).ok()?.as_bytes());
            match self.peek()? {
                b'"' => {
                    self.at += 1;
                    return Some(text);
                }
                b'\\' => self.escape(&mut text)?,
                _ => return None,
            }
        }
    }

    fn escape(&mut self, text: &mut Vec<u8>) -> Option<()> {
        let letter = *self.bytes.get(self.at + 1)?;
        self.at += 2;
        text.push(match letter {
            b'"' | b'\\' | b'/' => letter,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => {
                let unit = self.unit()?;
                let pair = (0xD800..0xDC00).contains(&unit).then(|| self.low_surrogate()).flatten();
                push_unit(text, pair.map_or(unit, |low| 0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00)));
                return Some(());
            }
            _ => return None,
        });
        Some(())
    }

    fn unit(&mut self) -> Option<u32> {
        let hex = self.bytes.get(self.at..self.at + 4)?;
        let hex = std::str::from_utf8(hex).ok().filter(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()))?;
        self.at += 4;
        u32::from_str_radix(hex, 16).ok()
    }

    /// The second half of a pair, where one follows.
    fn low_surrogate(&mut self) -> Option<u32> {
        let from = self.at;
        let low = if self.bytes[from..].starts_with(b"\\u") {
            self.at += 2;
            self.unit().filter(|unit| (0xDC00..0xE000).contains(unit))
        } else {
            None
        };
        if low.is_none() {
            self.at = from;
        }
        low
    }
}

/// Appends a code point, a lone surrogate as the three bytes that UTF-8 would have for it.
fn push_unit(text: &mut Vec<u8>, unit: u32) {
    match char::from_u32(unit) {
        Some(c) => text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        None => {
            let byte = |shift: u32, mark: u32| (mark | (unit >> shift & 0x3F)) as u8;
            text.extend_from_slice(&[byte(12, 0xE0), byte(6, 0x80), byte(0, 0x80)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Form;

    fn check(input: &str, expected: Option<&str>) {
        let written = parse(input.as_bytes()).map(|tree| String::from_utf8_lossy(&tree.bytes()).into_owned());
        assert_eq!(written.as_deref(), expected, "{input}");
    }

    #[test]
    fn what_is_read_is_written() {
        check(r#" { "b" : 1 , "a" : [ ] , "b" : null } "#, Some(r#"{"b":1,"a":[],"b":null}"#));
        check("9007199254740993", Some("9007199254740993"));
        check("-0.10E+05", Some("-0.10E+05"));
        check(r#""\ud800\ud83d\ude80\ud83dx\u00e9\/\n\u0000""#, Some(r#""\ud800🚀\ud83dxé/\n\u0000""#));
        check(r#"["{\"a\":[\"\\\"\"]}"]"#, Some(r#"["{\"a\":[\"\\\"\"]}"]"#));
        check(r#"["{broken}","[1, 2]"]"#, Some(r#"["{broken}","[1,2]"]"#));
    }

    #[test]
    fn what_is_no_json_is_none() {
        for input in [
            "",
            "{",
            "[1,]",
            "{\"a\"}",
            "{\"a\":1,}",
            "01",
            "1.",
            "-",
            "1e",
            "nul",
            "\"\\x\"",
            "\"a",
            "1 2",
            "]",
            ",",
            "[1}",
        ] {
            check(input, None);
        }
        assert_eq!(parse(b"\"\xff\""), None);
        assert_eq!(parse(b"\"\n\""), None);
    }

    #[test]
    fn depth_is_no_danger() {
        let deep = "[".repeat(200_000) + &"]".repeat(200_000);
        check(&deep, Some(&deep));
    }
}

//! JSON as the text that it is: values are spans of the document, found again by walking, never rebuilt.
//!
//! In: a text that [`is_json`] has accepted. Out: where its members, items and strings lie. Nothing is
//! copied but the strings that are asked for, so that a document of any size costs no tree. What a walk meets
//! that it does not expect (it was accepted, so there is none) ends the walk early.

use serde::de::IgnoredAny;
use std::borrow::Cow;
use std::ops::Range;

/// A value within the document: its first byte is never white space.
#[derive(Clone, Copy, Debug)]
pub struct Value<'a> {
    document: &'a str,
    start: usize,
    end: usize,
}

/// Whether the whole text is one JSON value, white space around it left aside. Nesting has no limit here, and costs
/// one byte a level.
pub fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

impl<'a> Value<'a> {
    /// The value that fills `span` of the document; `None` where there is only white space.
    pub fn within(document: &'a str, span: Range<usize>) -> Option<Value<'a>> {
        let bytes = document.as_bytes();
        let start = blank(bytes, span.start, span.end);
        (start < span.end).then(|| Value { document, start, end: past(bytes, start, span.end) })
    }

    /// Where the value lies in the document.
    pub fn span(&self) -> Range<usize> {
        self.start..self.end
    }

    /// The value as it is written.
    pub fn raw(&self) -> &'a str {
        &self.document[self.start..self.end]
    }

    /// Whether it is an object.
    pub fn is_object(&self) -> bool {
        self.raw().starts_with('{')
    }

    /// Whether it is an array.
    pub fn is_array(&self) -> bool {
        self.raw().starts_with('[')
    }

    /// Whether it is a string.
    pub fn is_string(&self) -> bool {
        self.raw().starts_with('"')
    }

    /// Whether it is the literal `true`.
    pub fn is_true(&self) -> bool {
        self.raw() == "true"
    }

    /// The number, where it is a whole one.
    pub fn integer(&self) -> Option<i64> {
        self.raw().parse().ok()
    }

    /// The string's text; `None` for another value, and for a string that no text can stand for (half of a
    /// surrogate pair).
    pub fn text(&self) -> Option<Cow<'a, str>> {
        let raw = self.raw();
        let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
        if !inner.contains('\\') {
            return Some(Cow::Borrowed(inner));
        }
        serde_json::from_str(raw).ok().map(Cow::Owned)
    }

    /// The string where it is short enough to be a name, an id or a role.
    pub fn word(&self) -> Option<Cow<'a, str>> {
        /// An id of 64 characters is the longest in use; escapes may make it longer.
        const WORD_BYTES_MAX: usize = 1024;
        if self.end - self.start <= WORD_BYTES_MAX { self.text() } else { None }
    }

    /// The member of an object. `None` where there is none, and where there are several: which of them a
    /// reader takes is not known.
    pub fn get(&self, name: &str) -> Option<Value<'a>> {
        let mut named = self.members().filter(|(key, _)| key.word().as_deref() == Some(name));
        let (_, value) = named.next()?;
        if named.next().is_some() { None } else { Some(value) }
    }

    /// The members of an object in order; none of another value.
    pub fn members(&self) -> impl Iterator<Item = (Value<'a>, Value<'a>)> + use<'a> {
        let mut walk = Walk::into(*self, b'{');
        std::iter::from_fn(move || {
            let key = walk.value()?;
            walk.skip(b':')?;
            let value = walk.value()?;
            walk.skip(b',');
            Some((key, value))
        })
    }

    /// The items of an array in order; none of another value.
    pub fn items(&self) -> impl Iterator<Item = Value<'a>> + use<'a> {
        let mut walk = Walk::into(*self, b'[');
        std::iter::from_fn(move || {
            let value = walk.value()?;
            walk.skip(b',');
            Some(value)
        })
    }
}

/// A walk through the inside of an object or array.
struct Walk<'a> {
    document: &'a str,
    at: usize,
    end: usize,
}

impl<'a> Walk<'a> {
    fn into(value: Value<'a>, open: u8) -> Walk<'a> {
        let opens = value.raw().as_bytes().first() == Some(&open);
        let end = value.end.saturating_sub(1);
        let at = if opens { value.start + 1 } else { end };
        Walk { document: value.document, at, end }
    }

    fn value(&mut self) -> Option<Value<'a>> {
        let value = Value::within(self.document, self.at..self.end)?;
        self.at = value.end;
        Some(value)
    }

    fn skip(&mut self, mark: u8) -> Option<()> {
        let bytes = self.document.as_bytes();
        let at = blank(bytes, self.at, self.end);
        if at < self.end && bytes[at] == mark {
            self.at = at + 1;
            return Some(());
        }
        None
    }
}

/// The first byte from `at` on that is no white space.
fn blank(bytes: &[u8], at: usize, end: usize) -> usize {
    let white = bytes[at..end].iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
    at + white.count()
}

/// Past the end of the value that begins at `start`.
fn past(bytes: &[u8], start: usize, end: usize) -> usize {
    match bytes[start] {
        b'"' => past_string(bytes, start, end),
        b'{' | b'[' => past_nested(bytes, start, end),
        _ => {
            let ends = |byte: &u8| matches!(byte, b',' | b':' | b']' | b'}' | b' ' | b'\t' | b'\r' | b'\n');
            let len = bytes[start..end].iter().position(ends).unwrap_or(end - start);
            // A stray mark is one byte long, so that every walk moves on.
            start + len.max(1)
        }
    }
}

fn past_string(bytes: &[u8], start: usize, end: usize) -> usize {
    let mut at = start + 1;
    while let Some(found) = memchr::memchr2(b'"', b'\\', &bytes[at..end]) {
        at += found;
        if bytes[at] == b'"' {
            return at + 1;
        }
        at = (at + 2).min(end);
    }
    end
}

fn past_nested(bytes: &[u8], start: usize, end: usize) -> usize {
    let (mut at, mut depth) = (start, 0usize);
    while at < end {
        match bytes[at] {
            b'"' => {
                at = past_string(bytes, at, end);
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(document: &str) -> Value<'_> {
        assert!(is_json(document), "{document}");
        Value::within(document, 0..document.len()).expect("it holds a value")
    }

    fn members(document: &str) -> Vec<(String, &str)> {
        let text = |key: Value<'_>| key.text().expect("a key").into_owned();
        whole(document).members().map(|(key, value)| (text(key), value.raw())).collect()
    }

    #[test]
    fn members_are_found_however_they_are_written() {
        let pairs = |list: &[(&str, &'static str)]| -> Vec<(String, &str)> {
            list.iter().map(|(key, value)| ((*key).to_owned(), *value)).collect()
        };
        for (document, expected) in [
            ("{}", &[][..]),
            (" { } \r\n", &[]),
            (r#"{"a":1.50e+3,"b":[{"a":2}]}"#, &[("a", "1.50e+3"), ("b", r#"[{"a":2}]"#)]),
            ("{\t\"a\" :\r\n null , \"a\" : true }", &[("a", "null"), ("a", "true")]),
            (r#"{"\u0061\n":"}\"]\\","":{"x":"{"}}"#, &[("a\n", r#""}\"]\\""#), ("", r#"{"x":"{"}"#)]),
            (r#"["a"]"#, &[]),
            ("3", &[]),
        ] {
            assert_eq!(members(document), pairs(expected), "{document}");
        }
    }

    #[test]
    fn items_come_in_order_and_at_their_place() {
        let document = "[1 ,[ 2,3],\"a,]\", {\"b\":[]}\n]";
        let items: Vec<_> = whole(document).items().map(|item| &document[item.span()]).collect();
        assert_eq!(items, ["1", "[ 2,3]", "\"a,]\"", "{\"b\":[]}"]);
    }

    #[test]
    fn a_member_that_stands_twice_is_none() {
        let value = whole(r#"{"a":1,"b":2,"a":3}"#);
        assert_eq!(value.get("b").map(|b| b.raw()), Some("2"));
        assert!(value.get("a").is_none() && value.get("c").is_none());
    }

    #[test]
    fn half_a_surrogate_pair_is_no_text() {
        assert_eq!(whole(r#""\ud83d\ude00\/""#).text().as_deref(), Some("\u{1f600}/"));
        assert_eq!(whole(r#""\ud83d""#).text(), None);
        assert_eq!(whole("17").text(), None);
    }
}

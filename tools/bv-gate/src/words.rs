//! Texts of others, made fit for a record: one line, bounded.

/// Bytes of one side, message or path that a record repeats.
pub const TEXT_BYTES_MAX: usize = 64 << 10;

/// The beginning of `text`, with `…` where it was cut.
pub fn head(text: &str, bytes_max: usize) -> String {
    if text.len() <= bytes_max {
        return text.to_owned();
    }
    format!("{}…", start(text, bytes_max))
}

/// The first bytes, no character cut in two.
fn start(text: &str, bytes_max: usize) -> &str {
    let end = (0..=bytes_max.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    &text[..end]
}

/// `text` on one line, its blanks made one each, and bounded; `None` where nothing is left.
pub fn one_line(text: &str) -> Option<String> {
    // More than is kept need not be looked at.
    let text = start(text, TEXT_BYTES_MAX);
    let words: Vec<&str> = text.split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// JSON on one line: blanks between its tokens go, where there is a line break at all.
pub fn json_line(json: &str) -> String {
    if !json.contains(['\n', '\r']) {
        return json.to_owned();
    }
    let mut line = String::with_capacity(json.len());
    let (mut in_string, mut escaped) = (false, false);
    for c in json.chars() {
        // No string of JSON holds a line break as it is.
        if in_string || !matches!(c, ' ' | '\t' | '\n' | '\r') {
            line.push(c);
        }
        in_string = if in_string { escaped || c != '"' } else { c == '"' };
        escaped = in_string && !escaped && c == '\\';
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!(head("abc", 3), "abc");
        assert_eq!(head("äöü", 3), "ä…");
    }

    #[test]
    fn texts_come_on_one_line() {
        assert_eq!(one_line(" a\n  b\t"), Some("a b".into()));
        assert_eq!(one_line(" \n"), None);
    }

    #[test]
    fn json_keeps_its_strings() {
        let check = |from: &str, to: &str| assert_eq!(json_line(from), to);
        check("{\"a\": 1}", "{\"a\": 1}");
        check("{\n  \"a b\": \"c \\\" d \\\\\" ,\r\n \"e\" : [1, 2]\n}", r#"{"a b":"c \" d \\","e":[1,2]}"#);
    }
}

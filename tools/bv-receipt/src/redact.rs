//! Text from the log made fit for a receipt: no control characters, no terminal escapes, no characters
//! that reorder or hide text, no secrets of a known shape.
//!
//! In comes any text; out goes one line. What is only unusual (emoji, other scripts, repeated blanks) is
//! left alone, because it may be the very thing that a test compares.

use bv_schemas::secrets;

/// What stands for a secret.
pub const REDACTED: &str = "[redacted]";

/// One line of `text`: line breaks and tabs become blanks, everything that does not print goes.
pub fn clean(text: &str) -> String {
    redacted(printable(text))
}

/// `text` with what [`clean`] would take out written as an escape (`\n`, `\u{202e}`) instead.
///
/// For two sides that differ in nothing else: cleaned they would look equal.
pub fn escaped(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || is_hidden(c) {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
    redacted(line)
}

fn printable(text: &str) -> String {
    // Most text is plain ASCII, and bytes are looked at faster than characters.
    let is_plain = text.bytes().all(|b| (b' '..=b'~').contains(&b));
    if is_plain || !text.chars().any(|c| c.is_control() || is_hidden(c)) {
        return text.to_owned();
    }
    let flat = text.replace("\r\n", " ").replace(['\n', '\r', '\t', '\u{2028}', '\u{2029}'], " ");
    let plain = if flat.contains('\u{1b}') {
        String::from_utf8_lossy(&strip_ansi_escapes::strip(&flat)).into_owned()
    } else {
        flat
    };
    plain.chars().filter(|&c| !c.is_control() && !is_hidden(c)).collect()
}

/// Characters that reorder what stands beside them, that end a line for some readers, or that carry
/// text which nobody sees (the tag block).
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        | '\u{e0000}'..='\u{e007f}')
}

fn redacted(text: String) -> String {
    let places = secrets::find(text.as_bytes());
    let mut shown = text;
    for place in places.into_iter().rev() {
        // A shape holds whole characters; one that did not would keep its text.
        if shown.is_char_boundary(place.start) && shown.is_char_boundary(place.end) {
            shown.replace_range(place, REDACTED);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(clean(text), expected, "{text:?}");
    }

    #[test]
    fn what_does_not_print_goes() {
        check("plain ütf 👩‍👩‍👧", "plain ütf 👩‍👩‍👧");
        check("a\nb\r\nc\td", "a b c d");
        check("\u{1b}[31mred\u{1b}[0m and \u{1b}]8;;http://x\u{7}link\u{1b}]8;;\u{7}", "red and link");
        check("bell\u{7} nul\0 del\u{7f} c1\u{9b}", "bell nul del c1");
        check("ab\u{202e}cd\u{2066}ef\u{200f}\u{61c}", "abcdef");
        check("line\u{2028}sep", "line sep");
        check("tag\u{e0041}ged", "tagged");
    }

    #[test]
    fn secrets_go_and_their_likes_stay() {
        check("key AKIAIOSFODNN7EXAMPLE.", "key [redacted].");
        check("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "[redacted]");
        check("t=github_pat_11ABCDEFG0abcdefghijkl_mnop", "t=[redacted]");
        check("sk-proj-abc123abc123abc123abc123", "[redacted]");
        check("sk-ing-for-a-friend-or-two-of-them", "sk-ing-for-a-friend-or-two-of-them");
        check("task-runner-1-with-a-rather-long-name", "task-runner-1-with-a-rather-long-name");
        check("xoxb-123456789012-abcdef", "[redacted]");
        check("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "[redacted]");
        check("Authorization: Bearer abcdefgh12345678", "Authorization: Bearer [redacted]");
        check("Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic [redacted]");
        check("postgres://app:hunter2@db:5432/x", "postgres://app:[redacted]@db:5432/x");
        check("http://host:80/a@b", "http://host:80/a@b");
        check("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- ok", "[redacted] ok");
        check("-----BEGIN PRIVATE KEY-----\nMIIE", "[redacted]");
        check("gh\u{200e}p_abcdefghijklmnopqrstuvwxyz0123456789", "[redacted]");
        check("standing bearer of news", "standing bearer of news");
    }

    #[test]
    fn escapes_show_what_cleaning_would_take() {
        assert_eq!(escaped("a\nb\u{202e}\u{1b}[0m"), "a\\nb\\u{202e}\\u{1b}[0m");
    }
}

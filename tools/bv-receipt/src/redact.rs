//! Text from the log made fit for a receipt: no control characters, no terminal escapes, no characters
//! that reorder or hide text, no secrets of a known shape.
//!
//! In comes any text; out goes one line. What is only unusual (emoji, other scripts, repeated blanks) is
//! left alone, because it may be the very thing that a test compares.

use regex::{Captures, Regex};
use std::sync::LazyLock;

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

/// Literals of which every secret below holds one: a text without them, nearly every text, is spared
/// the search.
static HINTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        "AKIA|ASIA|ABIA|ACCA|ghp_|gho_|ghu_|ghs_|ghr_|github_pat_|glpat-|sk-|k_live_|k_test_|xox|xapp-",
        "|-----BEGIN|eyJ|earer |EARER |asic |://|AIza|npm_|pypi-|SG\\.|hf_|dop_v1_|secret_access_key|SECRET_ACCESS_KEY",
    ))
    .ok()
});

/// Secrets by their published shapes. What a group holds is kept: the words that say what the secret is.
static SECRETS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let shapes = [
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|$)",
        r"(?-u:\b)(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?-u:\b)",
        r"((?i:secret_access_key)['\x22]?\s*[=:]\s*['\x22]?)[A-Za-z0-9/+=]{40}",
        r"(?-u:\b)gh[pousr]_[A-Za-z0-9]{20,}",
        r"(?-u:\b)github_pat_[A-Za-z0-9_]{20,}",
        r"(?-u:\b)glpat-[A-Za-z0-9_-]{20,}",
        r"(?-u:\b)[spr]k_(?:live|test)_[A-Za-z0-9]{16,}",
        r"(?-u:\b)sk-[A-Za-z0-9_-]{20,}",
        r"(?-u:\b)xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}",
        r"(?-u:\b)xapp-[0-9]-[A-Za-z0-9-]{10,}",
        r"(?-u:\b)eyJ[A-Za-z0-9_-]{6,}\.eyJ[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*)?",
        r"((?i:bearer)\s+)[A-Za-z0-9._~+/-]{16,}=*",
        r"((?i:authorization['\x22]?\s*[:=]\s*['\x22]?basic)\s+)[A-Za-z0-9+/]{8,}=*",
        r"(?-u:\b)((?i:[a-z][a-z0-9+.-]*)://[^\s/:@'\x22]*:)[^\s/@'\x22]+@",
        r"(?-u:\b)AIza[A-Za-z0-9_-]{35}",
        r"(?-u:\b)npm_[A-Za-z0-9]{36}",
        r"(?-u:\b)pypi-[A-Za-z0-9_-]{50,}",
        r"(?-u:\b)SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
        r"(?-u:\b)hf_[A-Za-z0-9]{30,}",
        r"(?-u:\b)dop_v1_[a-f0-9]{64}",
    ];
    Regex::new(&format!("(?s){}", shapes.join("|"))).ok()
});

fn redacted(text: String) -> String {
    let hinted = HINTS.as_ref().is_some_and(|hints| hints.is_match(&text));
    match SECRETS.as_ref() {
        Some(secrets) if hinted => secrets.replace_all(&text, replacement).into_owned(),
        _ => text,
    }
}

fn replacement(found: &Captures) -> String {
    let whole = &found[0];
    // `sk-` also begins ordinary hyphenated names, which hold no digits.
    if whole.starts_with("sk-") && !whole.bytes().any(|b| b.is_ascii_digit()) {
        return whole.to_owned();
    }
    let kept = found.iter().skip(1).flatten().next().map_or("", |group| group.as_str());
    let at = if whole.ends_with('@') { "@" } else { "" };
    format!("{kept}{REDACTED}{at}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(clean(text), expected, "{text:?}");
    }

    #[test]
    fn the_patterns_compile() {
        assert!(HINTS.is_some() && SECRETS.is_some());
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

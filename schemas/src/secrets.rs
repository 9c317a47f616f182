//! Secrets of well-known shapes in the text of a log: what a receipt does not print is what the archive does
//! not keep.
//!
//! In comes text; out go the places of the secrets in it, without the words that say what they are. The
//! shapes are those that their issuers publish, plus values that are called secret (`X_TOKEN=…`, the password
//! in an address). Only what is surely meant as a secret counts: a log is evidence, and what is masked is lost.

use regex::bytes::{Captures, Regex};
use std::ops::Range;
use std::sync::LazyLock;

/// Longest prefix that must be seen together to recognise a secret by it, in bytes.
///
/// Longer than any literal of the shapes; a reader in pieces keeps that much back.
pub const PREFIX_BYTES_MAX: usize = 256;

/// The places of the secrets in `text`, in order, none touching another.
pub fn find(text: &[u8]) -> Vec<Range<usize>> {
    match (HINTS.as_ref(), SHAPES.as_ref()) {
        (Some(hints), Some(shapes)) if hints.is_match(text) => {
            shapes.captures_iter(text).filter_map(|found| place(&found)).collect()
        }
        _ => Vec::new(),
    }
}

/// Overwrites the secrets in `text` with as many asterisks; whether there were any. UTF-8 stays UTF-8:
/// no shape holds a part of a character.
pub fn mask(text: &mut [u8]) -> bool {
    let places = find(text);
    for place in &places {
        for byte in &mut text[place.clone()] {
            // What separates lines still does, so that places in the text hold.
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b'*';
            }
        }
    }
    !places.is_empty()
}

/// Literals of which every shape below holds one: a text without them, nearly every text, is spared the
/// search.
static HINTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        "AKIA|ASIA|ABIA|ACCA|ghp_|gho_|ghu_|ghs_|ghr_|github_pat_|glpat-|sk-|k_live_|k_test_|xox|xapp-",
        "|-----BEGIN|eyJ|earer |EARER |asic |://|AIza|npm_|pypi-|SG\\.|hf_|dop_v1_|secret_access_key",
        "|_TOKEN|_SECRET|_PASSWORD|_API_KEY|_ACCESS_KEY|_PRIVATE_KEY",
    ))
    .ok()
});

/// What a group holds is the secret, where a shape has one; else the whole is.
static SHAPES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let shapes = [
        // Without an end (a cut log) as far as the words look like a key's.
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:[\sA-Za-z0-9+/=:,.|>\\\x22'-]*?-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|(?:(?:\s|\\[rn])+[A-Za-z0-9+/=]{40,})*(?:(?:\s|\\[rn])+[A-Za-z0-9+/=]+)?)",
        r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b",
        r"(?i:secret_access_key)['\x22]?\s*[=:]\s*['\x22]?([A-Za-z0-9/+=]{40})",
        r"\bgh[pousr]_[A-Za-z0-9]{20,}",
        r"\bgithub_pat_[A-Za-z0-9_]{20,}",
        r"\bglpat-[A-Za-z0-9_-]{20,}",
        r"\b[spr]k_(?:live|test)_[A-Za-z0-9]{16,}",
        r"\bsk-[A-Za-z0-9_-]{20,}",
        r"\bxox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}",
        r"\bxapp-[0-9]-[A-Za-z0-9-]{10,}",
        r"\beyJ[A-Za-z0-9_-]{6,}\.eyJ[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*)?",
        r"(?i:bearer)\s+([A-Za-z0-9._~+/-]{16,}=*)",
        r"(?i:authorization['\x22]?\s*[:=]\s*['\x22]?basic)\s+([A-Za-z0-9+/]{8,}=*)",
        r"\b(?i:[a-z][a-z0-9+.-]*)://[^\s/:@'\x22]*:([^\s/@'\x22]+)@",
        r"\bAIza[A-Za-z0-9_-]{35}",
        r"\bnpm_[A-Za-z0-9]{36}",
        r"\bpypi-[A-Za-z0-9_-]{50,}",
        r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
        r"\bhf_[A-Za-z0-9]{30,}",
        r"\bdop_v1_[a-f0-9]{64}",
        // As the environment and the logs of CI systems print it; a lower-case name is most often code.
        r"\b[A-Z][A-Z0-9_]*_(?:TOKEN|SECRET|PASSWORD|API_KEY|ACCESS_KEY|PRIVATE_KEY)['\x22]?(?:=|:[ \t]?)['\x22]?([A-Za-z0-9+/._~!@#%^&*-][A-Za-z0-9+/=._~!@#%^&*-]{7,})",
    ];
    Regex::new(&format!("(?s-u){}", shapes.join("|"))).ok()
});

fn place(found: &Captures) -> Option<Range<usize>> {
    let whole = found.get(0)?;
    // `sk-` also begins ordinary hyphenated names, which hold no digits.
    if whole.as_bytes().starts_with(b"sk-") && !whole.as_bytes().iter().any(u8::is_ascii_digit) {
        return None;
    }
    Some(found.iter().skip(1).flatten().next().unwrap_or(whole).range())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let mut masked = text.as_bytes().to_vec();
        let any = mask(&mut masked);
        assert_eq!(
            (String::from_utf8_lossy(&masked).as_ref(), any),
            (expected, text != expected),
            "{text:?}"
        );
    }

    #[test]
    fn the_patterns_compile() {
        assert!(HINTS.is_some() && SHAPES.is_some());
    }

    #[test]
    fn each_shape_is_masked_in_its_length() {
        check("key AKIAIOSFODNN7EXAMPLE.", "key ********************.");
        check("t=ghp_abcdefghijklmnopqrst", "t=************************");
        check("xoxb-123456789012-abcdef é", "************************ é");
        check("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "*****************************************");
        check("Authorization: Bearer abcdefgh12345678", "Authorization: Bearer ****************");
        check("postgres://app:hunter2@db:5432/x", "postgres://app:*******@db:5432/x");
        check("DEPLOY_TOKEN=s3cr3t-value x", "DEPLOY_TOKEN=************ x");
        check("APP_SECRET: 'abcdefgh'", "APP_SECRET: '********'");
        check("\"DB_PASSWORD\":\"p4ssw0rd!\"", "\"DB_PASSWORD\":\"*********\"");
        check(
            "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nb",
            "a\n*******************************\n****\n*****************************\nb",
        );
    }

    #[test]
    fn likes_of_secrets_stay() {
        for text in [
            "http://host:80/a@b",
            "max_tokens=12345678",
            "MAX_TOKEN = limit",
            "assert X_TOKEN == 'abcdefghijk'",
            "API_TOKEN=$CI_TOKEN",
            "sk-ing-for-a-friend-or-two-of-them",
            "standing bearer of news",
            "-----BEGIN CERTIFICATE-----",
        ] {
            check(text, text);
        }
    }
}

//! The line that stands where a superseded result stood: what it was, that it is gone from here, how to get it
//! back.
//!
//! Printable ASCII without quotes and backslashes, so that it is the same in every style of JSON, and so that
//! nothing that a test printed reaches the model through it but a name.

use super::evidence::Evidence;
use blake3::Hash;
use std::fmt::Write as _;

const PREFIX: &str = "[bv-memory: superseded test output, removed: ";
/// As in a receipt's `trace`: enough to be unique in any archive.
const ID_DIGITS: usize = 12;
const NAME_CHARS_MAX: usize = 80;

/// The stub for a text of `bytes` bytes with this hash.
pub fn make(evidence: &Evidence, bytes: usize, hash: Hash) -> String {
    let runner = match evidence.run.runner() {
        runner if runner.is_empty() => "receipt".to_owned(),
        runner => runner,
    };
    let mut stub = format!("{PREFIX}{}, {} failed", plain(&runner), evidence.failed());
    if let Some(first) = evidence.first() {
        // Writing to a string does not fail.
        let _ = write!(stub, ", {}", plain(&first));
    }
    let id = hash.to_hex();
    let _ = write!(stub, "; {bytes} bytes: bv-memory show {}]", &id[..ID_DIGITS]);
    stub
}

/// Whether a text is a stub already.
pub fn is_stub(text: &str) -> bool {
    text.starts_with(PREFIX) && text.ends_with(']') && !text.contains('\n')
}

/// A name as far as it is plain; what is not becomes `?`, and the middle of a long one goes.
fn plain(name: &str) -> String {
    let inert = |c: char| match c {
        '"' | '\\' | '`' => '?',
        ' '..='~' => c,
        _ => '?',
    };
    let chars: Vec<char> = name.chars().map(inert).collect();
    if chars.len() <= NAME_CHARS_MAX {
        return chars.into_iter().collect();
    }
    let half = NAME_CHARS_MAX / 2 - 2;
    let (head, tail) = (&chars[..half], &chars[chars.len() - half..]);
    head.iter().chain(&['.', '.', '.']).chain(tail).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Seen;
    use serde_json::{Value, json};

    fn evidence(id: &str) -> Evidence {
        let object = |value: Value| value.as_object().cloned().expect("an object");
        let mut evidence = Evidence::default();
        evidence.run.end = Some(object(json!({ "type": "end", "outcome": "failed", "runner": "pytest" })));
        evidence
            .failures
            .push(Seen { record: object(json!({ "type": "failure", "id": id })), receipt: None });
        evidence.unnamed = 2;
        evidence
    }

    fn check(id: &str, expected: &str) {
        let hash = Hash::from_bytes([0xab; 32]);
        let stub = make(&evidence(id), 4711, hash);
        let want = format!(
            "[bv-memory: superseded test output, removed: pytest, 3 failed, {expected}; 4711 bytes: bv-memory show abababababab]"
        );
        assert_eq!(stub, want);
        assert!(is_stub(&stub));
    }

    #[test]
    fn a_stub_is_one_plain_line_whatever_a_test_is_called() {
        check("tests/test_a.py::test_b", "tests/test_a.py::test_b");
        check("t[\"a\\b\"]\n\u{1b}[31m\u{202e}é", "t[?a?b?]??[31m??");
        check(&"x".repeat(100), &format!("{}...{}", "x".repeat(38), "x".repeat(38)));
    }

    #[test]
    fn other_text_is_no_stub() {
        for text in ["", "[bv-memory]", "[bv-memory: superseded test output, removed: x]\n1 failed]"] {
            assert!(!is_stub(text), "{text}");
        }
    }
}

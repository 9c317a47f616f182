//! `rustfmt --check` and `cargo fmt --check`: one finding a difference.
//!
//! A formatted tree prints nothing, and nothing closes the list: it ends with the first line that is no
//! part of a difference.

use crate::finding::{self, Findings, lint};
use crate::machine::{Claim, Format, Line, Machine, Out};

/// The format.
pub const FORMAT: Format = Format {
    name: "rustfmt",
    commands: &["rustfmt", "cargo-fmt"],
    needles: &["Diff in "],
    new: || Box::<Rustfmt>::default(),
};

/// A side of a difference is cut here, in bytes.
const SIDE_BYTES_MAX: usize = 2_000;

#[derive(Debug, Default)]
struct Rustfmt {
    findings: Findings,
}

impl Machine for Rustfmt {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        let text = line.text;
        if let Some((file, number)) = head(text) {
            self.findings.push(lint(finding::place(file, Some(number)), text, None, line.span), out);
            return;
        }
        if !self.findings.is_open() {
            return;
        }
        let Some(failure) = self.findings.last_mut() else { return };
        let side = match text.as_bytes().first() {
            Some(b'-') => Some(&mut failure.observed),
            Some(b'+') => Some(&mut failure.expected),
            Some(b' ') | None => None,
            Some(_) => return self.findings.close(None, out),
        };
        if let Some(span) = &mut failure.span {
            span[1] = line.span[1];
        }
        if let Some(side) = side {
            changed(side, &text[1..]);
        }
    }

    fn end(&mut self, out: &mut Out) {
        if self.findings.is_open() {
            self.findings.close(None, out);
        }
    }

    fn claim(&self) -> Claim {
        if self.findings.is_open() { Claim::Section } else { Claim::Nothing }
    }
}

/// `Diff in /w/src/lib.rs:5:`, before Rust 1.72 `Diff in /w/src/lib.rs at line 5:`.
fn head(text: &str) -> Option<(&str, u64)> {
    let rest = text.strip_prefix("Diff in ")?.strip_suffix(':')?;
    let (file, line) = rest.rsplit_once(" at line ").or_else(|| rest.rsplit_once(':'))?;
    Some((file, line.parse().ok()?))
}

fn changed(side: &mut Option<String>, text: &str) {
    match side {
        None if text.len() <= SIDE_BYTES_MAX => *side = Some(text.to_owned()),
        Some(side) if side.len() + text.len() < SIDE_BYTES_MAX => {
            side.push('\n');
            side.push_str(text);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads() {
        for (text, want) in [
            ("Diff in /w/src/lib.rs:5:", Some(("/w/src/lib.rs", 5))),
            ("Diff in /w/src/lib.rs at line 5:", Some(("/w/src/lib.rs", 5))),
            ("Diff in C:\\w\\lib.rs:12:", Some(("C:\\w\\lib.rs", 12))),
            ("Diff in /w/src/lib.rs", None),
            (" Diff in /w/src/lib.rs:5:", None),
        ] {
            assert_eq!(head(text), want, "{text}");
        }
    }
}

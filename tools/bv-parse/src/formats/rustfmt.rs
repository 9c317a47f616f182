//! `rustfmt --check` and `cargo fmt --check`: one finding a difference.
//!
//! A formatted tree prints nothing, and nothing closes the list: it ends with the first line that is no
//! part of a difference.

use crate::finding::{self, Findings, lint};
use crate::machine::{Format, Line, Machine, Out};

/// The format.
pub const FORMAT: Format = Format {
    name: "rustfmt",
    commands: &["rustfmt", "cargo-fmt"],
    needles: &["Diff in "],
    new: || Box::<Rustfmt>::default(),
};

#[derive(Debug, Default)]
struct Rustfmt {
    findings: Findings,
    was: Side,
    wants: Side,
}

/// One side of the difference that is being read.
#[derive(Debug, Default)]
struct Side {
    lines: usize,
}

impl Side {
    /// Only a side of one line is printed in one piece; a longer one has other lines in between.
    fn take(&mut self, text: &str, side: &mut Option<String>) {
        self.lines += 1;
        *side = (self.lines == 1).then(|| text.trim().to_owned());
    }
}

impl Machine for Rustfmt {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        let text = line.text;
        if let Some((file, number)) = head(text) {
            (self.was, self.wants) = (Side::default(), Side::default());
            self.findings.push(lint(finding::place(file, Some(number)), text, None, line.span), out);
            return;
        }
        if !self.findings.is_open() {
            return;
        }
        let Some(failure) = self.findings.last_mut() else { return };
        match text.as_bytes().first() {
            Some(b'-') => self.was.take(&text[1..], &mut failure.observed),
            Some(b'+') => self.wants.take(&text[1..], &mut failure.expected),
            Some(b' ') | None => {}
            Some(_) => return self.findings.close(None, out),
        }
        if let Some(span) = &mut failure.span {
            span[1] = line.span[1];
        }
    }

    fn end(&mut self, out: &mut Out) {
        if self.findings.is_open() {
            self.findings.close(None, out);
        }
    }
}

/// `Diff in /w/src/lib.rs:5:`, before Rust 1.72 `Diff in /w/src/lib.rs at line 5:`.
fn head(text: &str) -> Option<(&str, u64)> {
    let rest = text.strip_prefix("Diff in ")?.strip_suffix(':')?;
    let (file, line) = rest.rsplit_once(" at line ").or_else(|| rest.rsplit_once(':'))?;
    Some((file, line.parse().ok()?))
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

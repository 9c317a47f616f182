//! TypeScript's compiler as a type checker: plain and `--pretty` diagnostics, one project or many.
//!
//! Plain output has no closing line: a run of diagnostics ends with the first line that is none of its.
//! Related places and code frames are left alone, as are the diagnostics that ts-node throws as an
//! exception.

use crate::finding::{self, Findings, lint};
use crate::machine::{Format, Line, Machine, Out};
use bv_schemas::{Place, Reason};
use memchr::memmem::Finder;
use std::sync::LazyLock;

/// The format.
pub const FORMAT: Format = Format {
    name: "tsc",
    commands: &["tsc", "vue-tsc"],
    needles: &["error TS", "Unable to compile TypeScript"],
    new: || Box::<Tsc>::default(),
};

static ERROR: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("error TS"));

#[derive(Debug, Default)]
struct Tsc {
    findings: Findings,
    pretty: bool,
    /// All findings so far are of the options or the project's files: nothing was checked.
    unconfigured: Option<String>,
    /// The diagnostics to come are the message of an exception.
    thrown: bool,
}

impl Machine for Tsc {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        let text = line.text;
        let at = ERROR.find(text.as_bytes());
        if at.is_none() && !self.findings.is_open() && !self.thrown {
            self.thrown = text.contains("Unable to compile TypeScript");
            return;
        }
        if self.thrown {
            self.thrown = at.is_some() || text.starts_with("  ");
        } else if let Some(found) = at.and_then(|at| diagnostic(text, at)) {
            self.found(&found, line.span, out);
        } else if let Some(count) = closing(text) {
            self.close(Some(count), out);
        } else if !self.is_part(text) {
            self.close(None, out);
        }
    }

    fn end(&mut self, out: &mut Out) {
        if !self.findings.is_open() {
        } else if self.pretty {
            self.findings.cut(out);
        } else {
            self.close(None, out);
        }
    }
}

impl Tsc {
    fn found(&mut self, found: &Diagnostic<'_>, span: [u64; 2], out: &mut Out) {
        let first = self.findings.is_empty();
        if is_configuration(found) && (first || self.unconfigured.is_some()) {
            self.unconfigured.get_or_insert_with(|| found.message.to_owned());
        } else {
            self.unconfigured = None;
        }
        self.pretty = found.pretty;
        self.findings.push(lint(found.place.clone(), found.message, Some(found.code), span), out);
    }

    fn close(&mut self, count: Option<u64>, out: &mut Out) {
        if !self.findings.is_open() {
            return;
        }
        match self.unconfigured.take() {
            Some(message) => self.findings.refuse(Reason::NotRunnable, &message, out),
            None => self.findings.close(count, out),
        }
    }

    /// A line that belongs to the diagnostic before it.
    fn is_part(&self, text: &str) -> bool {
        if self.pretty {
            // Blank lines, the picture of the source, what else is said of it.
            text.trim_start().len() < text.len()
                || text.is_empty()
                || text.starts_with(|c: char| c.is_ascii_digit() || c == '~')
                || text == "..."
        } else {
            text.starts_with("  ")
        }
    }
}

/// One diagnostic's first line.
#[derive(Debug, PartialEq)]
struct Diagnostic<'a> {
    place: Option<Place>,
    /// `TS2322`.
    code: &'a str,
    message: &'a str,
    pretty: bool,
}

/// `src/a.ts(4,21): error TS2322: …`, `src/a.ts:4:21 - error TS2322: …`, `error TS18003: …`; `at` is where
/// `error TS` stands. A monorepo's tool may put the project's name before it (`web:build: src/a.ts(…`).
fn diagnostic(text: &str, at: usize) -> Option<Diagnostic<'_>> {
    let (code, message) = text[at + "error ".len()..].split_once(": ")?;
    if code.len() < 3 || !code[2..].bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let before = &text[..at];
    let own = |place: &'_ str| place.rsplit(": ").next().unwrap_or(place).trim().to_owned();
    let (place, pretty) = if let Some(place) = before.strip_suffix("): ") {
        let (file, position) = place.rsplit_once('(')?;
        let line = position.split(',').next()?.parse().ok()?;
        (finding::place(&own(file), Some(line)), false)
    } else if let Some(place) = before.strip_suffix(" - ") {
        let (file, line) = finding::position(place)?;
        (finding::place(&own(file), Some(line)), true)
    } else if before.is_empty() {
        (None, false)
    } else {
        return None;
    };
    Some(Diagnostic { place, code, message, pretty })
}

/// Options that are wrong and projects without files: TS5xxx and TS6xxx, and two of TS18xxx.
fn is_configuration(found: &Diagnostic<'_>) -> bool {
    let number: u32 = found.code[2..].parse().unwrap_or(0);
    found.place.is_none() && matches!(number, 5_000..=6_999 | 18_002 | 18_003)
}

/// `Found 4 errors in 2 files.`, `Found 1 error in src/a.ts:4`, `Found 2 errors in the same file, …`.
fn closing(text: &str) -> Option<u64> {
    let (count, rest) = text.strip_prefix("Found ")?.split_once(' ')?;
    (rest.starts_with("error in ") || rest.starts_with("errors in ") || matches!(rest, "error." | "errors."))
        .then(|| count.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagnostics() {
        type Found<'a> = (Option<(&'a str, u64)>, &'a str, &'a str);
        let check = |text: &str, want: Option<Found<'_>>| {
            let got = text.find("error TS").and_then(|at| diagnostic(text, at));
            let want = want.map(|(at, code, message)| {
                (at.and_then(|(file, line)| finding::place(file, Some(line))), code, message)
            });
            assert_eq!(got.map(|d| (d.place, d.code, d.message)), want, "{text}");
        };
        let at = Some(("src/a.ts", 4));
        check("src/a.ts(4,21): error TS2322: Type: x", Some((at, "TS2322", "Type: x")));
        check("src/a.ts:4:21 - error TS2322: T", Some((at, "TS2322", "T")));
        check("web:build: src/a.ts(4,21): error TS2322: T", Some((at, "TS2322", "T")));
        check("src/(b)/a.ts(4,21): error TS1: T", Some((Some(("src/(b)/a.ts", 4)), "TS1", "T")));
        check("error TS18003: No inputs", Some((None, "TS18003", "No inputs")));
        check("an error TS2322: x", None);
        check("a.ts(4): error TSX: x", None);
        check("error TS", None);
    }

    #[test]
    fn closings() {
        for (text, want) in [
            ("Found 4 errors in 2 files.", Some(4)),
            ("Found 1 error in src/a.ts:4", Some(1)),
            ("Found 2 errors in the same file, starting at: a.ts:1", Some(2)),
            ("Found 1 error.", Some(1)),
            ("Found 2 erroneous", None),
            ("Found it", None),
        ] {
            assert_eq!(closing(text), want, "{text}");
        }
    }
}

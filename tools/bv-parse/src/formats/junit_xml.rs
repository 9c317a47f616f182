//! JUnit XML: one document that many runners write, each in its own dialect.
//!
//! Lines come in from the root's start tag on; when its end tag came the document is read: one failure a
//! failed `testcase`, the counts of the suites. Which runner wrote it, and how its texts are to be read,
//! stands in [`DIALECTS`]; what none of them owns is read by the elements and attributes alone. Captured
//! output (`system-out`, `system-err`) is left alone.

mod cpp;
mod ctest;
mod document;
mod go;
mod javascript;
mod jvm;
mod php;
mod ruby;
mod rust;
mod scan;

use super::{playwright, pytest};
use crate::machine::{Format, Line, Machine, Out};
pub use document::{Case, Fault, Tag};
use scan::{Scan, Scanned};

/// A JUnit XML report.
pub const FORMAT: Format =
    Format { name: "junit", commands: &[], needles: &["<testsuite"], new: || Box::<JunitXml>::default() };

/// Bytes of one document at most; a longer one is never complete.
pub const DOCUMENT_BYTES_MAX: usize = 64 << 20;

/// How one runner writes JUnit XML.
pub struct Dialect {
    /// The runner's name, as in `formats::FORMATS`.
    pub runner: &'static str,
    /// Whether it wrote a report that begins so.
    pub owns: fn(head: &Head<'_>) -> bool,
    /// Reads a failed test; the id is in it.
    pub failure: fn(case: &Case, fault: &Fault) -> bv_schemas::Failure,
    /// Whether a fault only says that the same test's others, written before it, are there.
    pub repeats: fn(fault: &Fault) -> bool,
    /// It writes a test that failed twice, in itself and after itself, as two cases and counts one.
    pub counts_pairs_once: bool,
    /// Its terminal tells of errors before failures; so does a report of the same run, then.
    pub errors_first: bool,
}

/// What a report says of itself above its tests.
pub struct Head<'a> {
    /// The name of the `testsuites` around the suites; empty where there is none.
    pub root: &'a str,
    /// Whether there is such a root.
    pub wrapped: bool,
    /// The suite's name.
    pub suite: &'a str,
    /// The suite's attributes.
    pub attributes: &'a [(String, String)],
}

impl Head<'_> {
    /// An attribute of the suite.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// A dialect that only has a name and reads failures; for `..` in those that have more.
const fn dialect(
    runner: &'static str,
    owns: fn(&Head<'_>) -> bool,
    failure: fn(&Case, &Fault) -> bv_schemas::Failure,
) -> Dialect {
    Dialect { runner, owns, failure, repeats: |_| false, counts_pairs_once: false, errors_first: false }
}

/// The dialects that are known.
const DIALECTS: &[Dialect] = &[
    pytest::JUNIT,
    javascript::JEST,
    javascript::VITEST,
    javascript::MOCHA,
    javascript::BUN,
    javascript::DENO,
    playwright::JUNIT,
    ruby::RSPEC,
    ruby::MINITEST,
    php::PHPUNIT,
    rust::NEXTEST,
    jvm::SUREFIRE,
    ctest::CTEST,
    cpp::GTEST,
    cpp::CATCH2,
];

/// See the head of this file.
#[derive(Default)]
struct JunitXml {
    text: String,
    /// Where each line of `text` begins in it, and its place in the raw stream.
    lines: Vec<(usize, [u64; 2])>,
    scan: Option<Scan>,
    /// The section was opened.
    opened: bool,
}

impl Machine for JunitXml {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        let mut rest = line.text;
        // Reports without a newline at their end stand behind each other in one line.
        while let Some(behind) = self.part(rest, line.span, out) {
            rest = behind;
        }
    }

    fn end(&mut self, out: &mut Out) {
        // A report that is cut off: what it told stands, and the section stays open.
        if self.scan.is_some() {
            self.open(true, out);
            document::say_cut(&self.text, &self.lines, DIALECTS, out);
        }
    }

    fn owns_lines(&self) -> bool {
        self.scan.is_some()
    }
}

impl JunitXml {
    /// Takes a line, or what of it stands behind a report that ended in it; gives what stands behind the next.
    fn part<'a>(&mut self, text: &'a str, span: [u64; 2], out: &mut Out) -> Option<&'a str> {
        let text = self.started(text)?;
        let scanned = self.scan.as_mut()?.line(text);
        let (text, behind) = match scanned {
            Scanned::Whole { end } => text.split_at_checked(end)?,
            _ => (text, ""),
        };
        if self.text.len() + text.len() > DOCUMENT_BYTES_MAX {
            self.over(out);
            return None;
        }
        self.lines.push((self.text.len(), span));
        self.text.push_str(text);
        self.text.push('\n');
        match scanned {
            Scanned::NoReport => *self = JunitXml { opened: self.opened, ..JunitXml::default() },
            Scanned::More { tested } => self.open(tested, out),
            Scanned::Whole { .. } => {
                self.open(true, out);
                document::say(&self.text, &self.lines, DIALECTS, out);
                *self = JunitXml::default();
                return Some(behind);
            }
        }
        None
    }

    /// What of the line belongs to a report; a new one begins with its root's tag, before which an XML
    /// declaration may stand.
    fn started<'a>(&mut self, text: &'a str) -> Option<&'a str> {
        if self.scan.is_some() {
            return Some(text);
        }
        let at = text.find("<testsuite")?;
        let before = text[..at].trim();
        (before.is_empty() || before.starts_with("<?xml") && before.ends_with('>')).then(|| {
            self.scan = Some(Scan::default());
            &text[at..]
        })
    }

    fn open(&mut self, due: bool, out: &mut Out) {
        if due && !self.opened {
            self.opened = true;
            out.open();
        }
    }

    /// Too long: the section stays open, for nothing is known of its end.
    fn over(&mut self, out: &mut Out) {
        self.open(true, out);
        self.text = String::new();
        self.lines = Vec::new();
        self.scan = None;
    }
}

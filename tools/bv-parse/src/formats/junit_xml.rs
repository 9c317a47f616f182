//! JUnit XML: one document that many runners write, each in its own dialect.
//!
//! Lines come in from the root's start tag to its end tag, and are read in pieces that end between two tests:
//! one failure a failed `testcase`, the counts of the suites. Which runner wrote it, and how its texts are to be read,
//! stands in [`DIALECTS`]; what none of them owns is read by the elements and attributes alone. Captured
//! output (`system-out`, `system-err`) is left alone.

mod cpp;
mod ctest;
mod document;
mod dotnet;
mod go;
mod javascript;
mod jvm;
mod php;
mod ruby;
mod rust;
mod shell;

use super::{playwright, pytest};
use crate::machine::{Format, Line, Machine, Out};
use crate::xml::{self, Collector, Taken};
use bv_schemas::Failure;
use document::Report;
pub use document::{Case, Fault, Tag};
use std::borrow::Cow;

/// A JUnit XML report.
pub const FORMAT: Format =
    Format { name: "junit", commands: &[], needles: &["<testsuite"], new: || Box::new(JunitXml::new()) };

/// What a report is from outside.
const SHAPE: xml::Shape = xml::Shape {
    root: |text| text.find("<testsuite"),
    structure: &["testsuites", "testsuite", "testcase"],
    case: "testcase",
};

/// How one runner writes JUnit XML.
pub struct Dialect {
    /// The runner's name, as in `formats::FORMATS`.
    pub runner: &'static str,
    /// Whether it wrote a report that begins so.
    pub owns: fn(head: &Head<'_>) -> bool,
    /// Reads a failed test; the id is in it.
    pub failure: fn(case: &Case, fault: &Fault) -> Failure,
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
    pub attributes: &'a [(&'a str, Cow<'a, str>)],
}

impl Head<'_> {
    /// An attribute of the suite.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| *key == name).map(|(_, value)| &**value)
    }
}

/// A dialect that only has a name and reads failures; for `..` in those that have more.
const fn dialect(
    runner: &'static str,
    owns: fn(&Head<'_>) -> bool,
    failure: fn(&Case, &Fault) -> Failure,
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
    shell::BATS,
];

/// A failed test as another report than JUnit's tells of it, read by what its texts show.
pub fn told(id: &str, message: &str, text: &str) -> Failure {
    let case = Case::named(id);
    let fault = Fault { message: message.to_owned(), text: text.to_owned(), ..Fault::default() };
    document::plain(&case, &fault)
}

/// See the head of this file.
struct JunitXml {
    file: Collector,
    report: Report,
    /// The section was opened.
    opened: bool,
    /// A report in it was no XML, so that nothing is known of its end.
    broken: bool,
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
        if let Some(document) = self.file.cut() {
            self.open(true, out);
            self.cut(&document, out);
        }
    }

    fn owns_lines(&self) -> bool {
        self.file.is_open()
    }
}

impl JunitXml {
    fn new() -> JunitXml {
        JunitXml { file: Collector::new(&SHAPE), report: Report::new(DIALECTS), opened: false, broken: false }
    }

    /// Takes a line, or what of it stands behind a report that ended in it; gives what stands behind the next.
    fn part<'a>(&mut self, text: &'a str, span: [u64; 2], out: &mut Out) -> Option<&'a str> {
        match self.file.take(text, span) {
            Taken::Not => {}
            Taken::NoReport => self.report = Report::new(DIALECTS),
            Taken::More { tested } => {
                self.open(tested, out);
                if let Some(piece) = self.file.piece() {
                    self.broken |= self.report.read(&piece, out).is_none();
                }
            }
            Taken::Broken(document) => {
                self.open(true, out);
                self.cut(&document, out);
            }
            Taken::TooLong => {
                self.open(true, out);
                self.cut(&xml::Document::default(), out);
            }
            Taken::Whole(document, behind) => {
                self.open(true, out);
                self.broken |= self.report.read(&document, out).is_none();
                let report = std::mem::replace(&mut self.report, Report::new(DIALECTS));
                if self.broken {
                    report.say_cut(out);
                } else {
                    report.say(out);
                    self.opened = false;
                }
                return Some(behind);
            }
        }
        None
    }

    /// What was told stands; of the end nothing is known.
    fn cut(&mut self, document: &xml::Document, out: &mut Out) {
        self.broken = true;
        // Where the reader gives up is where the document ends.
        let _ = self.report.read(document, out);
        std::mem::replace(&mut self.report, Report::new(DIALECTS)).say_cut(out);
    }

    fn open(&mut self, due: bool, out: &mut Out) {
        if due && !self.opened {
            self.opened = true;
            out.open();
        }
    }
}

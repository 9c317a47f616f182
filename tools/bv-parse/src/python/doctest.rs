//! The report on one example of a docstring that failed, as Python's doctest writes it, alone or inside a
//! unittest's message:
//!
//! ```text
//! File "/tmp/app/phone.py", line 11, in phone.normalise
//! Failed example:
//!     normalise("+49 30")
//! Expected:
//!     '+4930'
//! Got:
//!     '4930'
//! ```
//!
//! Source: `DocTestRunner._failure_header` and `OutputChecker.output_difference` in `Lib/doctest.py`.

use super::Traceback;
use crate::values::{Sides, diff_sides};
use bv_schemas::{Check, Failure, Kind, Place};

/// What unittest's message begins with where a docstring is the test.
pub const HEAD: &str = "AssertionError: Failed doctest test for ";
/// Lines of one part that are kept.
const PART_LINES_MAX: usize = 1000;

/// One example that failed.
#[derive(Debug)]
pub struct Example {
    /// The docstring's name: `phone.normalise`.
    pub name: String,
    /// Where the example stands.
    place: Place,
    part: Part,
    source: Vec<String>,
    expected: Option<Vec<String>>,
    observed: Option<Vec<String>>,
    raised: Option<Vec<String>>,
    differences: Option<(Diff, Vec<String>)>,
}

/// What the lines to come are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// `Failed example:` must follow.
    Head,
    Source,
    Expected,
    Observed,
    Raised,
    Differences,
    /// Both sides stand in one word.
    Done,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Diff {
    /// `unified diff with -expected +actual`.
    Unified,
    /// `ndiff with -expected +actual`.
    Marked,
    /// `context diff with expected followed by actual`, which shows no sides line by line.
    Context,
}

impl Example {
    /// The head of one: `File "x.py", line 11, in phone.normalise`, or `Line 3, in name` where the text comes
    /// from no file. It is one only if `Failed example:` follows.
    pub fn head(text: &str) -> Option<Example> {
        let place = if let Some(rest) = text.strip_prefix("Line ") {
            let (line, name) = rest.split_once(", in ")?;
            Place { file: None, line: Some(line.parse().ok()?), function: Some(name.to_owned()) }
        } else {
            let (file, rest) = text.strip_prefix("File \"")?.split_once("\", line ")?;
            let (line, name) = rest.split_once(", in ")?;
            // The line is `?` where the docstring's own is unknown.
            let line = line.parse().ok().or((line == "?").then_some(0))?;
            Place {
                file: Some(file.to_owned()),
                line: Some(line).filter(|&n| n > 0),
                function: Some(name.into()),
            }
        };
        Some(Example {
            name: place.function.clone().unwrap_or_default(),
            place,
            part: Part::Head,
            source: Vec::new(),
            expected: None,
            observed: None,
            raised: None,
            differences: None,
        })
    }

    /// Whether it is known to be one.
    pub fn is_sure(&self) -> bool {
        self.part != Part::Head
    }

    /// Takes the next line; `false` where the line is no part of it any more.
    pub fn line(&mut self, text: &str) -> bool {
        if self.part == Part::Head {
            self.part = if text == "Failed example:" { Part::Source } else { return false };
            return true;
        }
        if text.is_empty() || text.starts_with("    ") {
            let line = text.strip_prefix("    ").unwrap_or(text);
            let lines = match self.part {
                Part::Head | Part::Done => return text.is_empty(),
                Part::Source => Some(&mut self.source),
                Part::Expected => self.expected.as_mut(),
                Part::Observed => self.observed.as_mut(),
                Part::Raised => self.raised.as_mut(),
                Part::Differences => self.differences.as_mut().map(|(_, lines)| lines),
            };
            lines
                .into_iter()
                .filter(|lines| lines.len() < PART_LINES_MAX)
                .for_each(|l| l.push(line.to_owned()));
            return true;
        }
        self.begin(text)
    }

    /// The headings of the parts.
    fn begin(&mut self, text: &str) -> bool {
        let nothing = || Some(vec!["nothing".to_owned()]);
        match (self.part, text) {
            (Part::Source, "Expected:") => (self.part, self.expected) = (Part::Expected, Some(Vec::new())),
            (Part::Source, "Expected nothing") => (self.part, self.expected) = (Part::Expected, nothing()),
            (Part::Expected, "Got:") => (self.part, self.observed) = (Part::Observed, Some(Vec::new())),
            (Part::Expected, "Got nothing") => (self.part, self.observed) = (Part::Done, nothing()),
            (Part::Source, "Exception raised:") => {
                (self.part, self.raised) = (Part::Raised, Some(Vec::new()))
            }
            (Part::Source, _) => {
                let kind = text.strip_prefix("Differences (").and_then(|text| text.strip_suffix("):"));
                let diff = match kind.and_then(|kind| kind.split(' ').next()) {
                    Some("unified") => Diff::Unified,
                    Some("ndiff") => Diff::Marked,
                    Some("context") => Diff::Context,
                    _ => return false,
                };
                (self.part, self.differences) = (Part::Differences, Some((diff, Vec::new())));
            }
            _ => return false,
        }
        true
    }

    /// The record; `wanted` is what doctest announced to expect before it ran the example (`-v`).
    pub fn failure(self, wanted: Option<String>) -> Failure {
        let function = self.function();
        let mut failure = Failure {
            id: Some(self.name),
            kind: Kind::Assertion,
            test: Some(Place { function, ..self.place }),
            ..Failure::default()
        };
        if let Some(raised) = self.raised {
            failure.kind = Kind::Exception;
            let read = Traceback::read(raised.iter().map(String::as_str));
            let test = failure.test.take();
            read.place(&mut failure, None);
            failure.fault = failure.fault.take().or(failure.test.take());
            failure.test = test;
            failure.expected = wanted;
            if let Some(exception) = read.exception {
                (failure.exception_type, failure.message) = (Some(exception.name), exception.message);
            }
            return failure;
        }
        let sides = match self.differences {
            Some((diff, lines)) => diff.sides(&lines),
            None => Sides { expected: joined(self.expected), observed: joined(self.observed) },
        };
        sides.fill(&mut failure);
        failure
    }

    /// The function or class that has the docstring; a module and a text file have none.
    fn function(&self) -> Option<String> {
        let base = self.place.file.as_deref().and_then(|file| file.rsplit(['/', '\\']).next());
        let (_, last) = self.name.rsplit_once('.').filter(|_| base != Some(&self.name))?;
        Some(last.to_owned())
    }
}

impl Diff {
    fn sides(self, lines: &[String]) -> Sides {
        let marked = |mark: &str| {
            let side = lines.iter().filter_map(|line| line.strip_prefix(mark));
            joined(Some(side.map(str::to_owned).collect())).filter(|side| !side.is_empty())
        };
        match self {
            Diff::Unified => diff_sides(lines.iter().map(String::as_str)),
            Diff::Marked => Sides { expected: marked("- "), observed: marked("+ ") },
            Diff::Context => Sides::default(),
        }
    }
}

/// Puts the examples of unittest's message into the test's record: the first one's places and sides, the
/// others as further checks.
pub fn fill<'a>(failure: &mut Failure, lines: impl IntoIterator<Item = &'a str>) {
    let mut found: Vec<Example> = Vec::new();
    let mut open = false;
    for line in lines {
        open = open && found.last_mut().is_some_and(|example| example.line(line));
        if !open && let Some(example) = Example::head(line).filter(|_| found.len() < PART_LINES_MAX) {
            found.retain(Example::is_sure);
            found.push(example);
            open = true;
        }
    }
    let mut found = found.into_iter().filter(Example::is_sure).map(|example| example.failure(None));
    let Some(first) = found.next() else { return };
    let (id, span) = (failure.id.take(), failure.span);
    *failure = Failure { id, span, also: found.map(check).collect(), ..first };
}

fn check(failure: Failure) -> Check {
    Check {
        line: failure.test.and_then(|place| place.line),
        message: failure.message,
        expected: failure.expected,
        observed: failure.observed,
    }
}

/// The lines of one side, without blank ones at its end.
fn joined(lines: Option<Vec<String>>) -> Option<String> {
    Some(lines?.join("\n").trim_end().to_owned())
}

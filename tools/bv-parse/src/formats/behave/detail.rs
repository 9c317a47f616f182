//! What is printed of a step that failed, below it: `ASSERT FAILED: …` or a traceback.

use crate::python::{self, Traceback};
use crate::values::Sides;
use bv_schemas::{Failure, Kind, Place};

/// Lines of one detail that are kept.
const LINES_MAX: usize = 400;

/// The text of one failed step.
#[derive(Clone, Debug)]
pub struct Detail {
    lines: Vec<String>,
    indent: usize,
    /// Where it lies in the raw stream.
    pub span: [u64; 2],
}

/// Heads of the words of a failed assertion; the second one up to version 1.2.
const ASSERTED: &[&str] = &["ASSERT FAILED:", "Assertion Failed:"];

impl Detail {
    /// Begins with this line.
    pub fn begins(text: &str, span: [u64; 2]) -> Option<Detail> {
        let bare = text.trim_start_matches(' ');
        let begins = ASSERTED.iter().any(|head| bare.starts_with(head)) || python::header(bare);
        let indent = text.len() - bare.len();
        begins.then(|| Detail { lines: vec![bare.to_owned()], indent, span })
    }

    /// A failed step of `--junit` (`behave/reporter/junit.py`): the step, its place, and the same text.
    pub fn junit(text: &str) -> Option<(String, Place, Option<Detail>)> {
        let mut lines = text.trim_start().lines();
        let step = lines.next()?.strip_prefix("Failing step: ")?.rsplit_once(" ... ")?.0;
        let (file, line) = lines.next()?.strip_prefix("Location: ")?.rsplit_once(':')?;
        let place = Place { file: Some(file.to_owned()), line: Some(line.parse().ok()?), function: None };
        let mut detail = lines.next().and_then(|first| Detail::begins(first, [0, 0]));
        if let Some(detail) = &mut detail {
            lines.for_each(|line| _ = detail.line(line, [0, 0]));
        }
        Some((step.to_owned(), place, detail))
    }

    /// Takes the next line; whether it belongs here.
    pub fn line(&mut self, text: &str, span: [u64; 2]) -> bool {
        let blank = text.trim().is_empty();
        let indent = text.len() - text.trim_start_matches(' ').len();
        if !blank && indent < self.indent {
            return false;
        }
        self.span[1] = span[1];
        if self.lines.len() < LINES_MAX {
            self.lines.push(text.get(self.indent..).unwrap_or_default().trim_end().to_owned());
        }
        true
    }

    /// Puts it into the failure.
    pub fn fill(&self, failure: &mut Failure) {
        failure.span = Some(self.span);
        let asserted = self
            .lines
            .first()
            .and_then(|first| ASSERTED.iter().find_map(|head| first.strip_prefix(head)).map(str::trim));
        let Some(said) = asserted else {
            let traceback = Traceback::read(self.lines.iter().map(String::as_str));
            failure.kind = Kind::Exception;
            traceback.describe(failure);
            let scenario = failure.test.take();
            traceback.place(failure, None);
            failure.test = failure.test.take().or(scenario);
            return;
        };
        failure.kind = Kind::Assertion;
        let words = std::iter::once(said).chain(self.lines[1..].iter().map(|line| line.trim()));
        let mut words = words.filter(|line| !line.is_empty());
        failure.message = words.next().map(|first| match words.next() {
            Some(more) if first.ends_with(':') => format!("{first} {more}"),
            _ => first.to_owned(),
        });
        if let Some(sides) = self.matched() {
            sides.fill(failure);
        }
    }

    /// Hamcrest's words: `Expected: <650>`, `but: was <649>`.
    fn matched(&self) -> Option<Sides> {
        let lines = || self.lines.iter().map(|line| line.trim());
        let at = lines().position(|line| line.starts_with("Expected: "))?;
        let observed = lines().nth(at + 1)?.strip_prefix("but: was ")?;
        Some(Sides::both(lines().nth(at)?.strip_prefix("Expected: ")?, observed))
    }
}

/// Where a line says that it comes from, behind its last ` # `: `features/a.feature:7`.
pub fn location(text: &str) -> Option<(&str, Place)> {
    let (before, at) = text.rsplit_once("# ")?;
    let (file, line) = at.trim_end().rsplit_once(':')?;
    let known = file.ends_with(".feature") || file.ends_with(".py");
    let line = line.parse().ok().filter(|_| known)?;
    Some((before.trim(), Place { file: Some(file.to_owned()), line: Some(line), function: None }))
}

/// Whether the line is a step, with the place of its definition, or without one.
pub fn is_step(text: &str) -> bool {
    text.starts_with("  ")
        && (text.ends_with("# None")
            || location(text).is_some_and(|(_, at)| at.file.is_some_and(|file| file.ends_with(".py"))))
}

//! Test::Builder's diagnostics of failed tests:
//!
//! ```text
//! #   Failed test 'mean is rounded'
//! #   at t/mean.t line 7.
//! #          got: '1.5'
//! #     expected: '2'
//! ```
//!
//! Those of a subtest are indented by four and stand above those of the test around it, which failed through
//! it alone and is no failure of its own.

use crate::machine::HELD_MAX;
use crate::values::Sides;
use bv_schemas::{Failure, Kind, Place};

/// Lines of one value that are kept.
const VALUE_LINES_MAX: usize = 200;

/// One failed test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnosed {
    /// The names of the tests around it and its own; empty where it has none.
    pub path: Vec<String>,
    /// Where it stands.
    pub place: Option<Place>,
    /// One line.
    pub message: String,
    /// The two sides.
    pub sides: Sides,
    /// Its lines in the raw stream.
    pub span: [u64; 2],
    indent: usize,
    todo: bool,
}

/// Reads diagnostics, line by line.
#[derive(Debug, Default)]
pub struct Diagnostics {
    reading: Option<Reading>,
    done: Vec<Diagnosed>,
    over: u64,
}

#[derive(Debug)]
struct Reading {
    test: Diagnosed,
    /// The name, until its place ends it.
    name: Option<String>,
    details: Vec<String>,
}

impl Diagnostics {
    /// Takes a line; whether it is a diagnostic's.
    pub fn line(&mut self, text: &str, span: [u64; 2]) -> bool {
        let bare = text.trim_start_matches(' ');
        let indent = text.len() - bare.len();
        let Some(comment) = bare.strip_prefix('#') else {
            self.finish();
            return false;
        };
        if let Some(reading) = Reading::begins(comment, indent, span) {
            self.finish();
            self.reading = Some(reading);
            return true;
        }
        let Some(reading) = &mut self.reading else { return false };
        if reading.test.indent == indent && reading.take(comment) {
            reading.test.span[1] = span[1];
            return true;
        }
        self.finish();
        false
    }

    /// The tests diagnosed so far, in the order printed, and how many were too many to be kept.
    pub fn take(&mut self) -> (Vec<Diagnosed>, u64) {
        self.finish();
        (std::mem::take(&mut self.done), std::mem::take(&mut self.over))
    }

    /// How many stand in the list, the one that is being read included.
    pub fn len(&self) -> usize {
        self.done.len() + usize::from(self.reading.is_some())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn finish(&mut self) {
        let Some(reading) = self.reading.take() else { return };
        let test = reading.finish();
        let inside = self.done.iter().rposition(|done| done.indent <= test.indent).map_or(0, |at| at + 1);
        let children = &mut self.done[inside..];
        if !children.is_empty() {
            // The test around the subtests above it.
            for child in children {
                child.path.splice(0..0, test.path.iter().cloned());
                child.indent = test.indent;
            }
            return;
        }
        if test.todo {
            return;
        }
        if self.done.len() < HELD_MAX {
            self.done.push(test);
        } else {
            self.over += 1;
        }
    }
}

impl Reading {
    fn begins(comment: &str, indent: usize, span: [u64; 2]) -> Option<Reading> {
        let said = comment.strip_prefix("   Failed ")?;
        // A test that is expected to fail says so in brackets.
        let (todo, said) = match said.strip_prefix('(').and_then(|rest| rest.split_once(") ")) {
            Some((_, said)) => (true, said),
            None => (false, said),
        };
        let rest = said.strip_prefix("test")?;
        let message = format!("Failed {said}");
        let test = Diagnosed { message, span, indent, todo, ..Diagnosed::default() };
        let mut reading = Reading { test, name: None, details: Vec::new() };
        match rest.strip_prefix(" '") {
            Some(name) => reading.name = Some(name.to_owned()),
            None => reading.test.place = Some(place(rest.trim_start())?),
        }
        Some(reading)
    }

    /// Whether the line, behind its `#`, goes on.
    fn take(&mut self, comment: &str) -> bool {
        if self.test.place.is_none() {
            if let Some(place) = comment.strip_prefix("   ").and_then(place) {
                self.test.place = Some(place);
                return true;
            }
            // A name of several lines.
            let name = self.name.as_mut().filter(|name| name.len() < 10_000);
            return name.is_some_and(|name| {
                name.push('\n');
                name.push_str(comment.strip_prefix(' ').unwrap_or(comment));
                true
            });
        }
        let open = self.details.last().is_some_and(|last| is_open(last));
        if !(comment.starts_with("    ") || open) || self.details.len() >= VALUE_LINES_MAX {
            return false;
        }
        match self.details.last_mut().filter(|_| open) {
            Some(last) => {
                last.push('\n');
                last.push_str(comment.strip_prefix(' ').unwrap_or(comment));
            }
            None => self.details.push(comment.trim().to_owned()),
        }
        true
    }

    fn finish(self) -> Diagnosed {
        let mut test = self.test;
        if let Some(name) = self.name {
            let name = name.strip_suffix('\'').unwrap_or(&name).to_owned();
            test.message = test.message.lines().next().unwrap_or_default().to_owned();
            test.path.push(name);
        }
        test.sides = sides(&self.details);
        if self.details.first().is_some_and(|first| first.starts_with("Structures begin differing at:")) {
            test.message = self.details.iter().take(3).map(String::as_str).collect::<Vec<_>>().join(" ");
        }
        test
    }
}

impl Diagnosed {
    /// The record of it.
    pub fn failure(self) -> Failure {
        Failure {
            id: (!self.path.is_empty()).then(|| self.path.join(" > ")),
            kind: Kind::Assertion,
            message: Some(self.message),
            expected: self.sides.expected,
            observed: self.sides.observed,
            test: self.place,
            span: Some(self.span),
            ..Failure::default()
        }
    }
}

/// `at t/mean.t line 7.`, formerly `in t/mean.t at line 7.`
fn place(text: &str) -> Option<Place> {
    let text = text.trim_end().trim_end_matches('.');
    let (file, line) = match text.strip_prefix("in ") {
        Some(rest) => rest.rsplit_once(" at line ")?,
        None => text.strip_prefix("at ")?.rsplit_once(" line ")?,
    };
    Some(Place { file: Some(file.to_owned()), line: Some(line.parse().ok()?), function: None })
}

/// A value whose quote did not close in its line.
fn is_open(detail: &str) -> bool {
    let value = detail.strip_prefix("got: ").or_else(|| detail.strip_prefix("expected: "));
    value.is_some_and(|value| value.starts_with('\'') && (value.len() == 1 || !value.ends_with('\'')))
}

fn sides(details: &[String]) -> Sides {
    let after = |label: &str| details.iter().find_map(|line| line.strip_prefix(label));
    if let (Some(observed), Some(expected)) = (after("got: "), after("expected: ")) {
        return Sides::both(expected, observed);
    }
    let differs = |side: &str| {
        let line = details.iter().find(|line| line.starts_with(side))?;
        line.split_once(" = ").map(|(_, value)| value)
    };
    if let (Some(observed), Some(expected)) = (differs("$got"), differs("$expected")) {
        return Sides::both(expected, observed);
    }
    match details {
        [observed, rest, ..] if rest.starts_with("doesn't match ") => {
            Sides::both(rest.trim_start_matches("doesn't match "), observed)
        }
        // What must not match has no expected side.
        [observed, rest, ..] if rest.starts_with("matches ") => {
            Sides { expected: None, observed: Some(observed.clone()) }
        }
        [observed, operator, expected] if !operator.contains(' ') => Sides::both(expected, observed),
        _ => Sides::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Path, line, expected, observed.
    type Row<'a> = (&'a [&'a str], Option<u64>, Option<&'a str>, Option<&'a str>);

    fn check(text: &str, want: &[Row<'_>]) {
        let mut diagnostics = Diagnostics::default();
        for line in text.lines() {
            diagnostics.line(line, [0, 1]);
        }
        let (got, _) = diagnostics.take();
        let got: Vec<_> = got
            .iter()
            .map(|test| {
                let path: Vec<&str> = test.path.iter().map(String::as_str).collect();
                let line = test.place.as_ref().and_then(|place| place.line);
                (path, line, test.sides.expected.as_deref(), test.sides.observed.as_deref())
            })
            .collect();
        let want: Vec<_> = want.iter().map(|(path, line, e, o)| (path.to_vec(), *line, *e, *o)).collect();
        assert_eq!(got, want, "{text}");
    }

    #[test]
    fn tests_are_diagnosed() {
        check(
            "#   Failed test 'mean'\n#   at t/m.t line 7.\n#          got: '1.5'\n#     expected: '2'\n# Looks like x",
            &[(&["mean"], Some(7), Some("'2'"), Some("'1.5'"))],
        );
        check(
            "#   Failed test 'a'\n#   at t/m.t line 7.\n\n#   Failed test at t/m.t line 9.\n#     '3'\n#         >\n#     '4'",
            &[(&["a"], Some(7), None, None), (&[], Some(9), Some("'4'"), Some("'3'"))],
        );
        check(
            "#   Failed test 'multi\n# line'\n#   at t/m.t line 14.\n#          got: 'a\n# b'\n#     expected: 'a\n# c'",
            &[(&["multi\nline"], Some(14), Some("'a\nc'"), Some("'a\nb'"))],
        );
        check(
            "#   Failed test 'r'\n#   at t/m.t line 1.\n#     Structures begin differing at:\n#          $got->{v} = '5'\n#     $expected->{v} = '6'",
            &[(&["r"], Some(1), Some("'6'"), Some("'5'"))],
        );
        check(
            "#   Failed test 'r'\n#   at t/m.t line 1.\n#                   'abc'\n#     doesn't match '(?^:x)'",
            &[(&["r"], Some(1), Some("'(?^:x)'"), Some("'abc'"))],
        );
        check("#   Failed (later) test 'r'\n#   at t/m.t line 1.\n#          got: '1'", &[]);
        check("# a diagnostic\n#   Failed to start", &[]);
    }

    #[test]
    fn a_test_that_failed_through_its_subtests_is_their_name() {
        check(
            "        #   Failed test 'deepest'\n        #   at t/m.t line 19.\n\n    #   Failed test 'inner'\n    #   at t/m.t line 19.\n\n\
             #   Failed test 'outer'\n#   at t/m.t line 19.\n\n#   Failed test 'next'\n#   at t/m.t line 20.",
            &[(&["outer", "inner", "deepest"], Some(19), None, None), (&["next"], Some(20), None, None)],
        );
    }
}

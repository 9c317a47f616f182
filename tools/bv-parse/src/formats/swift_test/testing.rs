//! Swift Testing's text: `✘ Test total() recorded an issue at CartTests.swift:12:5: Expectation failed: …`.
//!
//! Each line begins with a symbol, which differs by platform; what follows it is the same on all.

use super::build::Fatal;
use crate::held::{Held, further};
use crate::machine::{Closing, Out, Says};
use crate::values::{Sides, milliseconds, split_outside};
use bv_schemas::{Counts, Failure, Kind, Place, Test, TestOutcome};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Tests that run at a time, as far as they are followed.
const RUNNING_MAX: usize = 100_000;

/// See the head of this file.
#[derive(Default)]
pub struct Testing {
    open: bool,
    /// Tests that began, with the byte where they did.
    running: HashMap<String, u64>,
    /// Tests with an issue that have not ended.
    failing: Vec<Failure>,
    failed: u64,
    skipped: u64,
    /// What failed.
    pub held: Held,
}

impl Testing {
    /// Whether a run is open.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Takes a line; gives the closing statement.
    pub fn line(&mut self, text: &str, span: [u64; 2], out: &mut Out) -> Option<Closing> {
        let said = unmarked(text)?;
        if said == "Test run started." {
            self.open = true;
            return None;
        }
        if let Some(rest) = said.strip_prefix("Test run with ") {
            return closing(rest).map(|closing| self.close(closing));
        }
        let (rest, is_test) = match said.strip_prefix("Test ") {
            Some(rest) => (rest, true),
            None => (said.strip_prefix("Suite ")?, false),
        };
        if !self.open {
            return None;
        }
        if let Some(issue) = Issue::read(rest) {
            self.issue(issue, span);
        } else if is_test {
            self.state(rest, span, out);
        } else if let Some((name, _)) = rest.split_once(" failed after ") {
            self.finish(unquoted(name), span, false);
        }
        None
    }

    fn state(&mut self, rest: &str, span: [u64; 2], out: &mut Out) {
        if let Some(name) = rest.strip_suffix(" started.") {
            if self.running.len() < RUNNING_MAX {
                self.running.insert(unquoted(name).to_owned(), span[0]);
            }
        } else if let Some((name, time)) = rest.split_once(" passed after ") {
            out.tests_seen += 1;
            let id = unquoted(name).to_owned();
            self.running.remove(&id);
            let duration_ms =
                time.split(' ').next().and_then(|time| time.parse().ok()).and_then(milliseconds);
            out.test(Test { id, outcome: TestOutcome::Passed, duration_ms });
        } else if let Some((name, _)) = rest.split_once(" failed after ") {
            out.tests_seen += 1;
            self.finish(unquoted(name), span, true);
        } else if let Some(name) =
            rest.strip_suffix(" skipped.").or_else(|| Some(rest.split_once(" skipped: ")?.0))
        {
            out.tests_seen += 1;
            self.skipped += 1;
            let id = unquoted(name).to_owned();
            self.running.remove(&id);
            out.test(Test { id, outcome: TestOutcome::Skipped, duration_ms: None });
        }
    }

    fn issue(&mut self, issue: Issue<'_>, span: [u64; 2]) {
        let failure = issue.failure(span);
        let known = self.failing.iter_mut().find(|known| known.id == failure.id);
        let Some(known) = known else {
            if self.failing.len() < crate::machine::HELD_MAX {
                self.failing.push(failure);
            }
            return;
        };
        if let Some(own) = &mut known.span {
            own[1] = span[1];
        }
        further(known, failure);
    }

    /// A test ended and failed; another one of its name may follow.
    fn finish(&mut self, id: &str, span: [u64; 2], is_test: bool) {
        self.running.remove(id);
        self.failed += u64::from(is_test);
        match self.failing.iter().position(|failure| failure.id.as_deref() == Some(id)) {
            Some(at) => {
                let failure = self.failing.remove(at);
                self.held.push(failure);
            }
            None if is_test => {
                self.held.push(Failure { id: Some(id.to_owned()), span: Some(span), ..Failure::default() });
            }
            None => {}
        }
    }

    /// The stream ended, or the process did.
    pub fn cut(&mut self, fatal: Option<&Fatal>) {
        for failure in self.failing.drain(..) {
            self.held.push(failure);
        }
        if let Some(fatal) = fatal.filter(|_| self.open) {
            let mut failure = Failure { kind: Kind::Crash, ..Failure::default() };
            // Several run at a time; which of them died is not said.
            if self.running.len() == 1 {
                failure.id = self.running.keys().next().cloned();
            }
            fatal.tell(&mut failure);
            self.held.push(failure);
        }
        self.running.clear();
    }

    /// Whatever is open is closed by somebody else's word.
    pub fn leave(&mut self) {
        self.open = false;
    }

    fn close(&mut self, (tests, red, duration_ms): (u64, bool, Option<u64>)) -> Closing {
        self.cut(None);
        let failed = if red { self.failed.max(1) } else { self.failed };
        let counts = Counts {
            passed: Some(tests.saturating_sub(failed + self.skipped)),
            failed: Some(failed),
            errored: None,
            skipped: Some(self.skipped),
        };
        let says = match (red || failed > 0, counts.passed) {
            (true, _) => Says::Red,
            (false, Some(1..)) => Says::Green,
            (false, _) => Says::NoTests,
        };
        let held = std::mem::take(&mut self.held);
        *self = Testing { held, ..Testing::default() };
        Closing { says, counts, duration_ms, message: None }
    }
}

/// What stands behind the symbol: one of these, a private one of Apple's, or a letter in brackets elsewhere.
fn unmarked(text: &str) -> Option<&str> {
    let mut chars = text.chars();
    let symbol = chars.next()?;
    let known = matches!(symbol, '◇' | '✔' | '✘' | '↳' | '➜' | '⚠' | '×' | '√' | '♦' | '→' | '!')
        || ('\u{100000}'..='\u{10ffff}').contains(&symbol);
    let rest = chars.as_str();
    (known && rest.starts_with([' ', '\u{fe0e}', '\u{fe0f}']))
        .then(|| rest.trim_start_matches([' ', '\u{fe0e}', '\u{fe0f}']))
}

/// `3 tests in 2 suites failed after 0.001 seconds with 1 issue.`
fn closing(rest: &str) -> Option<(u64, bool, Option<u64>)> {
    let tests = rest.split(' ').next()?.parse().ok()?;
    let (red, time) = match (rest.split_once(" failed after "), rest.split_once(" passed after ")) {
        (Some((_, time)), _) => (true, time),
        (_, Some((_, time))) => (false, time),
        _ => return None,
    };
    Some((tests, red, time.split(' ').next().and_then(|time| time.parse().ok()).and_then(milliseconds)))
}

fn unquoted(name: &str) -> &str {
    name.strip_prefix('"').and_then(|name| name.strip_suffix('"')).unwrap_or(name)
}

/// `total() recorded an issue with 1 argument n → 3 at CartTests.swift:12:5: Expectation failed: …`
struct Issue<'a> {
    name: &'a str,
    arguments: Option<&'a str>,
    place: Option<(&'a str, u64)>,
    words: &'a str,
}

impl<'a> Issue<'a> {
    fn read(rest: &'a str) -> Option<Issue<'a>> {
        let (name, rest) = rest.split_once(" recorded an issue")?;
        let (arguments, rest) = match rest.strip_prefix(" with ") {
            Some(rest) => {
                let (_, rest) = rest.split_once(" argument")?;
                (true, rest.trim_start_matches('s').trim_start())
            }
            None => (false, rest),
        };
        let placed = || {
            let at = rest.match_indices(" at ").find_map(|(at, _)| Some((at, located(&rest[at + 4..])?)))?;
            Some((&rest[..at.0], at.1))
        };
        let (before, place, words) = match placed() {
            Some((before, (file, line, words))) => (before, Some((file, line)), words),
            None => {
                let (before, words) = rest.split_once(": ")?;
                (before, None, words)
            }
        };
        let arguments = arguments.then_some(before);
        Some(Issue { name: unquoted(name), arguments, place, words })
    }

    fn failure(self, span: [u64; 2]) -> Failure {
        let kind = if self.words.starts_with("Caught error: ") {
            Kind::Exception
        } else if self.words.starts_with("Time limit was exceeded") {
            Kind::Timeout
        } else {
            Kind::Assertion
        };
        let sides = sides(self.words);
        let function = self.name.ends_with(')').then(|| self.name.to_owned());
        Failure {
            id: Some(self.name.to_owned()),
            kind,
            message: Some(self.words.to_owned()),
            expected: sides.expected,
            observed: sides.observed,
            counterexample: self.arguments.and_then(arguments),
            test: self.place.map(|(file, line)| Place {
                file: Some(file.to_owned()),
                line: Some(line),
                function,
            }),
            span: Some(span),
            ..Failure::default()
        }
    }
}

/// `CartTests.swift:12:5: words`
fn located(text: &str) -> Option<(&str, u64, &str)> {
    let (place, words) = text.split_once(": ")?;
    let (rest, column) = place.rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    column.parse::<u64>().ok()?;
    file.ends_with(".swift").then_some((file, line.parse().ok()?, words))
}

/// `n → 3, word → "x"`
fn arguments(text: &str) -> Option<Map<String, Value>> {
    let mut found = Map::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (part, after) = split_outside(rest, ", ").unwrap_or((rest, ""));
        let (name, value) = part.split_once(" → ")?;
        let typed = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
        found.insert(name.to_owned(), typed);
        rest = after;
    }
    (!found.is_empty()).then_some(found)
}

/// `Expectation failed: (total → 7) == 6`: the first is what was seen. Without an arrow only source is printed.
fn sides(words: &str) -> Sides {
    let Some(text) = words.strip_prefix("Expectation failed: ").filter(|text| text.contains(" → ")) else {
        return Sides::default();
    };
    let Some((left, right)) = split_outside(text, " == ") else { return Sides::default() };
    let value = |operand: &str| {
        let inner = operand.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).unwrap_or(operand);
        inner.rsplit_once(" → ").map_or(operand, |(_, value)| value).to_owned()
    };
    Sides { expected: Some(value(right)), observed: Some(value(left)) }
}

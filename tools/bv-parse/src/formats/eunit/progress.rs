//! `rebar3 eunit`'s own report: a numbered list of failures, what was cancelled, the time and the totals.

use crate::erlang;
use crate::held::Held;
use crate::machine::{Closing, Line, Out, Says};
use crate::values;
use bv_schemas::{Counts, Failure, Kind};

/// Lines kept of one entry.
const LINES_MAX: usize = 2000;

/// A run that is being read.
#[derive(Debug, Default)]
pub struct Progress {
    list: List,
    entry: Option<Entry>,
    number: u64,
    held: Held,
    /// Failures that the list of the cancelled adds.
    cancelled: u64,
    finished: Option<Option<u64>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum List {
    #[default]
    None,
    Failures,
    Pending,
}

#[derive(Debug)]
struct Entry {
    id: String,
    lines: Vec<String>,
    span: [u64; 2],
}

impl Progress {
    /// The run begins.
    pub fn begin(out: &mut Out) -> Progress {
        out.open();
        Progress::default()
    }

    /// Whether the lines to come are the runner's alone.
    pub fn owns_lines(&self) -> bool {
        self.list != List::None
    }

    /// Takes the next line; whether the run closed with it.
    pub fn line(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let text = line.text.trim_end();
        match text {
            "Failures:" if self.list == List::None => {
                self.list = List::Failures;
                return false;
            }
            "Pending:" if self.list != List::Pending => {
                self.entry_ends();
                self.list = List::Pending;
                return false;
            }
            _ => {}
        }
        if text.starts_with("===> ") || text == "Error running tests" {
            // rebar3 itself speaks again: the report broke off.
            self.entry_ends();
            self.list = List::None;
            return false;
        }
        if let Some(time) = text.strip_prefix("Finished in ").and_then(|rest| rest.strip_suffix(" seconds")) {
            self.entry_ends();
            self.list = List::None;
            self.finished = Some(time.parse().ok().and_then(values::milliseconds));
            return false;
        }
        if let Some(duration_ms) = self.finished
            && let Some(closing) = totals(text, duration_ms, self.cancelled)
        {
            self.close(closing, out);
            return true;
        }
        let begins = match self.list {
            List::None => None,
            List::Failures => self.numbered(text),
            List::Pending => {
                text.strip_prefix("  ").filter(|rest| !rest.starts_with(' ') && !rest.is_empty())
            }
        };
        if let Some(id) = begins {
            self.entry_ends();
            self.number += 1;
            self.entry = Some(Entry { id: id.to_owned(), lines: Vec::new(), span: line.span });
        } else if let Some(entry) = &mut self.entry {
            entry.span[1] = line.span[1];
            if entry.lines.len() < LINES_MAX {
                entry.lines.push(text.to_owned());
            }
        }
        false
    }

    /// The stream ended.
    pub fn end(&mut self, out: &mut Out) {
        self.entry_ends();
        self.held.say(out);
    }

    /// `  2) ledger_tests:withdraw_test/0`, when it is the next.
    fn numbered<'a>(&self, text: &'a str) -> Option<&'a str> {
        let (number, id) = text.strip_prefix("  ")?.split_once(") ")?;
        (number.parse::<u64>().ok()? == self.number + 1 && id.contains(':')).then_some(id)
    }

    fn entry_ends(&mut self) {
        let Some(entry) = self.entry.take() else { return };
        match self.list {
            List::Pending => {
                if let Some(failure) = cancelled(&entry) {
                    self.cancelled += 1;
                    self.held.push(failure);
                }
            }
            _ => self.held.push(failed(&entry)),
        }
    }

    fn close(&mut self, closing: Closing, out: &mut Out) {
        let named = self.held.len().saturating_sub(self.cancelled);
        out.unnamed(closing.counts.failed.unwrap_or(0).saturating_sub(named));
        self.held.say(out);
        out.close(closing);
    }
}

/// `14 tests, 10 failures, 3 cancelled`
fn totals(text: &str, duration_ms: Option<u64>, seen: u64) -> Option<Closing> {
    let (mut tests, mut failed, mut skipped, mut cancelled) = (None, None, None, 0);
    for part in text.split(", ") {
        let (number, name) = part.split_once(' ')?;
        let number: u64 = number.parse().ok()?;
        match name {
            "tests" | "test" => tests = Some(number),
            "failures" | "failure" => failed = Some(number),
            "skipped" => skipped = Some(number),
            "cancelled" => cancelled = number,
            _ => return None,
        }
    }
    let (tests, failed) = (tests?, failed?);
    let red = failed + cancelled + seen;
    let passed = tests.saturating_sub(failed + cancelled + skipped.unwrap_or(0));
    let says = Says::of(red, passed);
    let counts = Counts { passed: Some(passed), failed: Some(failed), errored: None, skipped };
    Some(Closing { says, counts, duration_ms, message: None })
}

/// An entry of the list of failures.
fn failed(entry: &Entry) -> Failure {
    let reason: Vec<&str> = entry
        .lines
        .iter()
        .map(String::as_str)
        .take_while(|line| !line.starts_with("     %% ") && !line.starts_with("     Output:"))
        .filter(|line| !line.is_empty())
        .collect();
    let first = reason.first().map_or("", |line| line.trim_start());
    let said = first.strip_prefix("Failure/Error: ").unwrap_or_default();
    let (mut failure, frames) = if said.is_empty() {
        // The report itself broke.
        (Failure { kind: Kind::Exception, ..Failure::default() }, Vec::new())
    } else if said.starts_with("?assert") {
        (asserted(said, &reason[1..]), Vec::new())
    } else {
        let term = erlang::joined(std::iter::once(said).chain(reason[1..].iter().copied()));
        (raised(&term), erlang::frames_in(&term))
    };
    let (module, rest) = entry.id.split_once(':').unwrap_or((&entry.id, ""));
    // `m:f/0:22: description`, and the line that a check's own frame has.
    let line = rest.split(':').nth(1).and_then(|line| line.parse().ok());
    let inside = entry.lines.iter().filter_map(|line| placed(line.trim_start())).find(erlang::is_own);
    let frames: Vec<_> = frames.into_iter().chain(inside).collect();
    erlang::place(&mut failure, &frames, module, erlang::bare(rest), line);
    failure.id = Some(entry.id.clone());
    failure.span = Some(entry.span);
    failure
}

/// `%% test/a_tests.erl:12:in `a_tests:b_test/0``
fn placed(line: &str) -> Option<erlang::Frame> {
    let (place, function) = line.strip_prefix("%% ")?.strip_suffix('`')?.split_once(":in `")?;
    let (file, number) = place.rsplit_once(':')?;
    erlang::frame(&format!("in function {function} ({file}, line {number})"))
}

fn asserted(said: &str, below: &[&str]) -> Failure {
    let labelled = |label: &str| {
        let at = below.iter().position(|line| line.trim_start().starts_with(label))?;
        let value = std::iter::once(&below[at].trim_start()[label.len()..]).chain(
            below[at + 1..].iter().take_while(|line| !line.trim_start().starts_with("got: ")).copied(),
        );
        Some(erlang::joined(value))
    };
    let raised = " but nothing was raised";
    let expected = labelled("expected: ").map(|text| text.trim_end_matches(raised).to_owned());
    let not = labelled("expected not: ").map(|text| format!("not {text}"));
    let observed = labelled("got: ").map(|text| text.trim_start_matches("value ").to_owned());
    Failure {
        kind: Kind::Assertion,
        message: Some(said.to_owned()),
        expected: expected.or(not),
        observed,
        ..Failure::default()
    }
}

/// `{error,{overdrawn,10},[…]}`
fn raised(term: &str) -> Failure {
    let parts = term.strip_prefix('{').and_then(erlang::element);
    match parts.and_then(|(class, rest)| Some((class, erlang::element(rest)?.0))) {
        Some((class, thrown)) if matches!(class, "error" | "exit" | "throw") => {
            erlang::thrown(Some(class), thrown)
        }
        _ => erlang::thrown(None, term),
    }
}

/// An entry of the list of what was cancelled; a group that was so only through one of its tests is none.
fn cancelled(entry: &Entry) -> Option<Failure> {
    let text = erlang::joined(entry.lines.iter().map(String::as_str));
    let words = text.strip_prefix("%% ")?;
    let mut failure = match words.strip_prefix("Unknown error: ") {
        Some(reason) if reason.starts_with("{timeout") => {
            Failure { kind: Kind::Timeout, message: Some("timeout".to_owned()), ..Failure::default() }
        }
        Some(reason) if reason.starts_with("{blame,") => return None,
        Some(reason) => {
            let inner =
                reason.strip_prefix("{abort,{").and_then(erlang::element).map(|(_, thrown)| raised(thrown));
            let mut failure = inner.unwrap_or_else(|| erlang::thrown(None, reason));
            failure.kind = Kind::SetupError;
            failure
        }
        None => Failure { kind: Kind::Crash, message: Some(words.to_owned()), ..Failure::default() },
    };
    let frames = erlang::frames_in(words);
    let (module, function) = match entry.id.split_once(':') {
        Some((module, rest)) if rest.contains('/') => (module.to_owned(), erlang::bare(rest).to_owned()),
        _ => frames.iter().rfind(|frame| erlang::is_own(frame)).map_or_else(Default::default, |frame| {
            (frame.module.clone(), frame.place.function.clone().unwrap_or_default())
        }),
    };
    erlang::place(&mut failure, &frames, &module, &function, None);
    failure.id = (entry.id != "undefined").then(|| entry.id.clone());
    failure.span = Some(entry.span);
    Some(failure)
}

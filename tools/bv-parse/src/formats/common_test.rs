//! Common Test: what `ct_run` prints (Erlang/OTP 17 to 28: `lib/common_test/src/test_server_ctrl.erl` and
//! `ct_framework.erl` in <https://github.com/erlang/otp>) and how `rebar3 ct` words it
//! (`cth_readable_shell.erl` in <https://github.com/ferd/cth_readable>).
//!
//! A section opens at `Testing app: Starting test, 7 test cases` and closes at `Testing app: TEST COMPLETE, 1 ok, 5
//! failed, 1 skipped of 7 test cases`; under rebar3 it opens at `Running Common Test suites...` and closes at
//! `All 2 tests passed.` or `Failed 5 tests. Skipped 1 (1, 0) tests. Passed 1 tests.` `ct_run` names the function
//! that failed, which need not be the test.

mod closing;

use crate::erlang;
use crate::held::Held;
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use bv_schemas::{Failure, Kind, Place};

/// The table's line.
pub const FORMAT: Format = Format {
    name: "common-test",
    commands: &["ct_run"],
    needles: &[": Starting test, ", ": TEST COMPLETE, ", "Running Common Test suites...", "%%% "],
    new: || Box::<CommonTest>::default(),
};

/// Lines kept of one reason.
const LINES_MAX: usize = 2000;

/// See the head of this file.
#[derive(Default)]
struct CommonTest {
    opened: bool,
    rebar: bool,
    reading: Option<Reading>,
    held: Held,
}

/// A failure that is being read.
struct Reading {
    /// As the runner prints it.
    id: Option<String>,
    module: String,
    function: String,
    line: Option<u64>,
    reason: Vec<String>,
    /// `ct_run` draws a line below it; rebar3 leaves one empty.
    ruled: bool,
    span: [u64; 2],
}

impl Machine for CommonTest {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let text = line.text.trim_end();
        if let Some(reading) = &mut self.reading {
            if reading.take(text, line.span[1]) {
                return;
            }
            let reading = self.reading.take().map(Reading::failure);
            reading.into_iter().for_each(|failure| self.held.push(failure));
        }
        match text.as_bytes().first() {
            Some(b'T') if text.starts_with("Testing ") => self.testing(text, out),
            Some(b'=' | b'R') if text.trim_start_matches("===> ") == "Running Common Test suites..." => {
                self.open(out);
                self.rebar = true;
            }
            Some(b'%') => self.readable(text, line.span, out),
            Some(b'A' | b'F') if self.rebar => {
                if let Some(closing) = closing::rebar(text) {
                    self.close(closing, out);
                }
            }
            Some(b'a'..=b'z') if self.opened && !self.rebar => self.reading = failed_on(text, line.span),
            _ => {}
        }
    }

    fn end(&mut self, out: &mut Out) {
        let reading = self.reading.take().map(Reading::failure);
        reading.into_iter().for_each(|failure| self.held.push(failure));
        self.held.say(out);
    }

    fn owns_lines(&self) -> bool {
        self.reading.is_some()
    }
}

impl CommonTest {
    fn open(&mut self, out: &mut Out) {
        if !std::mem::replace(&mut self.opened, true) {
            out.open();
        }
    }

    /// `Testing tmp.app: Starting test, 7 test cases`, `…: TEST COMPLETE, 1 ok, 5 failed of 6 test cases`
    fn testing(&mut self, text: &str, out: &mut Out) {
        let Some((_, rest)) = text.split_once(": ") else { return };
        if self.rebar {
            // rebar3 says the totals itself: a run below it is a test's.
            return;
        }
        if rest.starts_with("Starting test") {
            self.open(out);
        } else if let Some(closing) = rest.strip_prefix("TEST COMPLETE, ").and_then(closing::complete) {
            self.close(closing, out);
        }
    }

    /// `%%% bank_SUITE ==> adds: FAILED`, and the reason in the line with the same head.
    fn readable(&mut self, text: &str, span: [u64; 2], out: &mut Out) {
        let Some((suite, rest)) = text.strip_prefix("%%% ").and_then(|text| text.split_once(" ==> ")) else {
            return;
        };
        if !self.rebar || suite.contains(' ') {
            return;
        }
        self.open(out);
        let Some(case) = rest.strip_suffix(": FAILED") else { return };
        let function = case.rsplit('.').next().unwrap_or(case);
        self.reading = Some(Reading {
            id: Some(format!("{suite} ==> {case}")),
            module: suite.to_owned(),
            function: function.to_owned(),
            line: None,
            reason: Vec::new(),
            ruled: false,
            span,
        });
    }

    fn close(&mut self, closing: Closing, out: &mut Out) {
        self.open(out);
        if closing.says == Says::Green {
            // The runner counted none: what looked like a failure was text.
            self.held = Held::default();
        }
        out.unnamed(closing.counts.failed.unwrap_or(0).saturating_sub(self.held.len()));
        self.held.say(out);
        out.close(closing);
        (self.opened, self.rebar) = (false, false);
    }
}

/// `bank_SUITE:adds failed on line 9`
fn failed_on(text: &str, span: [u64; 2]) -> Option<Reading> {
    let (function, rest) = text.split_once(" failed")?;
    let line = match rest {
        "" => None,
        _ => Some(rest.strip_prefix(" on line ")?.parse().ok()?),
    };
    let (module, function) = function.split_once(':')?;
    if module.contains(' ') || function.contains(' ') || function.is_empty() {
        return None;
    }
    let suite = module.ends_with("_SUITE");
    Some(Reading {
        id: suite.then(|| format!("{module}:{function}")),
        module: module.to_owned(),
        function: function.to_owned(),
        line,
        reason: Vec::new(),
        ruled: true,
        span,
    })
}

impl Reading {
    /// Takes the line, unless what is read ended before it.
    fn take(&mut self, text: &str, end: u64) -> bool {
        let over = match self.ruled {
            true => text.starts_with("- - - ") || self.reason.is_empty() && !text.starts_with("Reason: "),
            // Its first line has the head again, and those that it goes on for are indented.
            false => {
                text.is_empty()
                    || !text.starts_with(' ') && self.reason.iter().any(|line| !line.trim().is_empty())
            }
        };
        if over || self.reason.len() == LINES_MAX {
            return false;
        }
        let head = format!("%%% {} ==>", self.module);
        let words = if self.ruled { text.strip_prefix("Reason: ") } else { text.strip_prefix(&*head) };
        self.reason.push(words.unwrap_or(text).to_owned());
        self.span[1] = end;
        true
    }

    fn failure(self) -> Failure {
        let lines: Vec<&str> =
            self.reason.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
        let term = erlang::joined(lines.iter().copied());
        let mut failure = match lines.first().and_then(|line| line.strip_prefix("Failure/Error: ")) {
            Some(said) => asserted(said, &lines[1..]),
            None => thrown(&term),
        };
        if self.function.starts_with("init_per_") || self.function.starts_with("end_per_") {
            failure.kind = Kind::SetupError;
        }
        let frames = erlang::frames_in(&term);
        if self.id.is_some() {
            erlang::place(&mut failure, &frames, &self.module, &self.function, self.line);
        } else if is_user(&self.module) {
            failure.fault = Some(Place {
                file: Some(format!("{}.erl", self.module)),
                line: self.line,
                function: Some(self.function),
            });
        }
        failure.id = self.id;
        failure.span = Some(self.span);
        failure
    }
}

fn is_user(module: &str) -> bool {
    erlang::is_own(&erlang::Frame { module: module.to_owned(), place: Place::default() })
}

/// `{badmatch,9}`, `{{badmatch,9},[{bank_SUITE,…}]}`, `{test_case_failed,by hand}`, `{timetrap_timeout,200}`
fn thrown(term: &str) -> Failure {
    let parts = term.strip_prefix('{').and_then(erlang::element);
    let (first, rest) = parts.unwrap_or((term, ""));
    match first {
        "test_case_failed" => {
            let words = rest.strip_suffix('}').unwrap_or(rest).trim_matches('"');
            Failure { kind: Kind::Assertion, message: Some(words.to_owned()), ..Failure::default() }
        }
        "timetrap_timeout" => {
            Failure { kind: Kind::Timeout, message: Some(term.to_owned()), ..Failure::default() }
        }
        // The term and where it was thrown.
        _ if rest.starts_with("[{") && rest.contains("{file,") => erlang::thrown(None, first),
        _ => erlang::thrown(None, term),
    }
}

/// `?assertEqual(301, ledger : total ( [ 1 , 2 ] ))` with `expected: 301`, `got: 3`, `line: 9` below it.
fn asserted(said: &str, below: &[&str]) -> Failure {
    let labelled = |label: &str| below.iter().find_map(|line| line.strip_prefix(label)).map(str::to_owned);
    let line = labelled("line: ").and_then(|line| line.parse().ok());
    Failure {
        kind: Kind::Assertion,
        message: Some(said.to_owned()),
        expected: labelled("expected: "),
        observed: labelled("got: "),
        test: line.map(|line| Place { line: Some(line), ..Place::default() }),
        ..Failure::default()
    }
}

#[cfg(test)]
mod tests;

//! Mozilla's harnesses (mochitest, xpcshell, reftest, web-platform-tests) as mozlog prints them: the `tbpl` lines
//! of the build machines, and the raw JSON lines
//! (`testing/mozbase/mozlog/mozlog/formatters/tbplformatter.py` in <https://github.com/mozilla-firefox/firefox>).
//!
//! ```text
//! TEST-START | dom/test_a.html
//! TEST-UNEXPECTED-FAIL | dom/test_a.html | sum - got 1, expected 2
//! TEST-OK | dom/test_a.html | took 31ms
//! SUITE-END | took 2s
//! ```
//!
//! `TEST-FAIL` and `TEST-KNOWN-FAIL` are failures that are expected, and none. Several failed checks of one
//! test are one failure. A section opens with the suite or the first test and closes with `SUITE-END`.

mod check;
mod raw;

use crate::held::Held;
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use bv_schemas::{Counts, Failure, Kind};
use check::Check;

/// The table's line.
pub const FORMAT: Format = Format {
    name: "mozlog",
    commands: &["mach"],
    needles: &[
        "SUITE-START | ",
        "TEST-START | ",
        "TEST-UNEXPECTED-",
        "PROCESS-CRASH | ",
        "\"action\": \"suite_start\"",
        "\"action\":\"suite_start\"",
    ],
    new: || Box::<Mozlog>::default(),
};

/// See the head of this file.
#[derive(Default)]
struct Mozlog {
    opened: bool,
    /// The failed check whose lines come.
    check: Option<Check>,
    held: Held,
    ended: u64,
    passed: Option<u64>,
    todo: Option<u64>,
    failed: Option<u64>,
    /// The last suite ended well; what wraps it may say that it did not.
    was_green: bool,
}

impl Machine for Mozlog {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let text = line.text.trim_start_matches(' ');
        let text = text.strip_prefix("REFTEST ").unwrap_or(text);
        match text.as_bytes().first() {
            Some(b'{') => return self.json(text, line, out),
            Some(b'T' | b'S' | b'P' | b'#' | b'I' | b'0'..=b'9' | b'F') => {}
            _ => {
                if let Some(check) = &mut self.check {
                    check.line(text, line.span);
                }
                return;
            }
        }
        let Some((action, rest)) = text.split_once(" | ") else { return self.other(text, line, out) };
        match action {
            "SUITE-START" | "TEST-START" => {
                self.end_check();
                self.open(out);
            }
            "TEST-OK" | "TEST-PASS" | "TEST-FAIL" | "TEST-SKIP" | "TEST-KNOWN-FAIL" | "TEST-TIMEOUT" => {
                self.end_check();
                self.ended += u64::from(rest.contains(" | took ") || action != "TEST-SKIP");
            }
            "PROCESS-CRASH" => {
                self.end_check();
                self.open(out);
                self.crash(rest, line.span);
            }
            "SUITE-END" => {
                self.end_check();
                self.close(out);
            }
            "INFO" => self.number(rest),
            _ => match action.strip_prefix("TEST-UNEXPECTED-") {
                Some(status) => {
                    self.end_check();
                    self.open(out);
                    self.check = Check::begins(status, rest, line.span);
                }
                None => self.other(text, line, out),
            },
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.end_check();
        self.held.say(out);
    }
}

impl Mozlog {
    fn open(&mut self, out: &mut Out) {
        if !std::mem::replace(&mut self.opened, true) {
            self.was_green = false;
            out.open();
        }
    }

    fn end_check(&mut self) {
        if let Some(check) = self.check.take() {
            self.failed(check.failure());
        }
    }

    /// A failed check, or a test's own result; one without words repeats what its checks said.
    fn failed(&mut self, failure: Failure) {
        let known = failure.id.as_deref().is_some_and(|id| self.held.find(id).is_some());
        if failure.message.is_some() || !known {
            self.held.check(failure);
        }
    }

    /// A line of no test: a harness' numbers, what mozharness makes of the run, or the check's own.
    fn other(&mut self, text: &str, line: &Line<'_>, out: &mut Out) {
        if let Some(verdict) = text.strip_prefix("# TBPL ").and_then(|rest| rest.strip_suffix(" #")) {
            if verdict != "SUCCESS" && verdict != "RETRY" && self.was_green && !self.opened {
                let message = Some(text.to_owned());
                out.close(Closing { says: Says::Red, counts: Counts::default(), duration_ms: None, message });
                self.was_green = false;
            }
            return;
        }
        let bare = text.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
        match bare.strip_prefix("INFO ").filter(|_| bare.len() < text.len()) {
            Some(rest) => self.number(rest),
            None => {
                if let Some(check) = &mut self.check {
                    check.line(text, line.span);
                }
            }
        }
    }

    /// `Passed:  19`: checks, not tests; mochitest says it once a manifest.
    fn number(&mut self, text: &str) {
        let Some((word, number)) = text.split_once(':') else { return };
        let sum = match word {
            "Passed" => &mut self.passed,
            "Failed" => &mut self.failed,
            "Todo" => &mut self.todo,
            _ => return,
        };
        if let Ok(number) = number.trim().parse::<u64>() {
            *sum = Some(sum.unwrap_or(0).saturating_add(number));
        }
    }

    /// `application crashed [@ f] | test`; the test stood first up to 2022.
    fn crash(&mut self, rest: &str, span: [u64; 2]) {
        let (first, second) = rest.split_once(" | ").unwrap_or((rest, ""));
        let (message, id) =
            match first.starts_with("application crashed") || !second.starts_with("application ") {
                true => (first, second),
                false => (second, first),
            };
        self.held.check(Failure {
            id: Some(id.trim().to_owned()).filter(|id| !id.is_empty()),
            kind: Kind::Crash,
            message: Some(message.to_owned()),
            span: Some(span),
            ..Failure::default()
        });
    }

    fn close(&mut self, out: &mut Out) {
        self.open(out);
        // A check that failed and a test that did are two numbers: one failure at least stands for them.
        let unnamed = u64::from(self.held.is_empty() && self.failed.unwrap_or(0) > 0);
        let says = Says::of(self.held.len() + unnamed, self.ended);
        let counts = Counts { passed: self.passed, failed: self.failed, errored: None, skipped: self.todo };
        self.held.say(out);
        out.unnamed(unnamed);
        out.close(Closing { says, counts, duration_ms: None, message: None });
        *self = Mozlog { was_green: says == Says::Green, ..Mozlog::default() };
    }

    /// A line of the raw log.
    fn json(&mut self, text: &str, line: &Line<'_>, out: &mut Out) {
        let Some(entry) = raw::Entry::read(text, line.span) else { return };
        match entry {
            raw::Entry::Start => self.open(out),
            raw::Entry::Ended => self.ended += 1,
            raw::Entry::Failed { failure, test_ended } => {
                self.open(out);
                self.ended += u64::from(test_ended);
                self.failed(*failure);
            }
            raw::Entry::End => self.close(out),
        }
    }
}

#[cfg(test)]
mod tests;

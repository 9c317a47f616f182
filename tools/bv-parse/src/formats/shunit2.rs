//! shunit2 2.1 (`_shunit_execSuite`, `_shunit_assertFail` and `_shunit_generateReport` in
//! <https://github.com/kward/shunit2>).
//!
//! Each test's name stands alone in a line, its failed checks (`ASSERT:adding expected:<6> but was:<5>`) below
//! it. A section opens with the first of them and closes with the report, `Ran 4 tests.` and below it `OK` or
//! `FAILED (failures=5)`. What that counts are checks and tests that returned non-zero, together. A test may print
//! a report too: one that does not fit what stands above it waits for the next, which shows whose it is.

use crate::held::Held;
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use crate::values::Sides;
use bv_schemas::{Counts, Failure, Kind, Place};

/// The table's line.
pub const FORMAT: Format = Format {
    name: "shunit2",
    commands: &["shunit2"],
    needles: &["ASSERT:", "shunit2:", " tests.", "Ran 1 test."],
    new: || Box::<Shunit2>::default(),
};

/// See the head of this file.
#[derive(Default)]
struct Shunit2 {
    opened: bool,
    /// The test that runs.
    test: Option<String>,
    /// What shunit2 said of a call with wrong arguments.
    usage: Option<String>,
    /// Since the last report.
    since: Since,
    held: Held,
    /// `Ran 4 tests.` came.
    ran: Option<u64>,
    waiting: Option<Waiting>,
}

/// What stands above a report.
#[derive(Clone, Copy, Default)]
struct Since {
    /// Names of tests.
    names: u64,
    /// Checks and tests that failed, as the report counts them.
    failed: u64,
}

/// A report that does not fit what stands above it.
struct Waiting {
    report: Report,
    since: Since,
    held: Held,
}

impl Waiting {
    /// `OK` below checks that failed and more tests than it counts is a test's output: the stream was cut.
    fn covers(&self) -> bool {
        self.report.failures.is_some() || self.since.failed == 0 || self.since.names == self.report.tests
    }
}

impl Machine for Shunit2 {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let text = line.text.trim_end();
        let ran = self.ran.take();
        match text.as_bytes().first() {
            None => self.ran = ran,
            Some(b'A') => {
                if let Some(message) = text.strip_prefix("ASSERT:") {
                    self.check(message, line.span, out);
                }
            }
            Some(b's') => {
                if let Some(said) = text.strip_prefix("shunit2:") {
                    self.said(said, line.span, out);
                }
            }
            Some(b'R') => self.ran = number_of_tests(text),
            Some(b'O' | b'F') => {
                if let Some(report) = ran.and_then(|tests| Report::read(tests, text)) {
                    self.reported(report, out);
                }
            }
            Some(b't') if is_test(text) => {
                self.test = Some(text.to_owned());
                self.since.names += 1;
            }
            Some(_) => {}
        }
    }

    fn end(&mut self, out: &mut Out) {
        // Tests that run below a report show that it was not the last word.
        if self.since.names + self.since.failed == 0
            && let Some(waiting) = self.waiting.take_if(|waiting| waiting.covers())
        {
            close(&waiting.report, waiting.since, waiting.held, out);
        } else {
            self.waiting.take().into_iter().for_each(|mut waiting| waiting.held.say(out));
        }
        self.held.say(out);
    }
}

impl Shunit2 {
    fn open(&mut self, out: &mut Out) {
        if !self.opened {
            self.opened = true;
            out.open();
        }
    }

    fn check(&mut self, message: &str, span: [u64; 2], out: &mut Out) {
        self.open(out);
        self.since.failed += 1;
        let died = message.eq_ignore_ascii_case("unknown failure encountered running a test");
        if died && self.held.last_mut().is_some_and(|last| last.kind == Kind::SetupError) {
            // The script ended there.
            return;
        }
        let kind = if died { Kind::Exception } else { Kind::Assertion };
        let (line, message) = lined(message);
        let mut failure = self.failure(kind, message, span);
        if line.is_some() {
            failure.test.get_or_insert_default().line = line;
        }
        sides(message).fill(&mut failure);
        self.held.check(failure);
    }

    /// `ERROR testAdd() returned non-zero return code.`
    fn said(&mut self, said: &str, span: [u64; 2], out: &mut Out) {
        let Some((level, message)) = said.split_once(' ') else { return };
        match (level, message.strip_suffix("() returned non-zero return code.")) {
            ("ERROR", Some(test)) => {
                self.open(out);
                self.since.failed += 1;
                self.test = Some(test.to_owned());
                let usage = self.usage.take();
                // What its checks said stands above.
                if self.held.find(test).is_none() {
                    let failure = self.failure(Kind::Exception, usage.as_deref().unwrap_or(message), span);
                    self.held.push(failure);
                }
            }
            ("ERROR", None) => self.usage = Some(message.to_owned()),
            ("FATAL", _) => {
                self.open(out);
                let mut failure = self.failure(Kind::SetupError, message, span);
                if !message.starts_with("tearDown()") {
                    // No test runs yet, or none any more.
                    (failure.id, failure.test) = (None, None);
                }
                self.held.push(failure);
            }
            _ => {}
        }
    }

    fn failure(&self, kind: Kind, message: &str, span: [u64; 2]) -> Failure {
        let test = self.test.as_ref().map(|name| Place { function: Some(name.clone()), ..Place::default() });
        let message = Some(message.trim().to_owned()).filter(|message| !message.is_empty());
        Failure { id: self.test.clone(), kind, message, test, span: Some(span), ..Failure::default() }
    }

    fn reported(&mut self, report: Report, out: &mut Out) {
        self.open(out);
        let mut since = std::mem::take(&mut self.since);
        let mut held = std::mem::take(&mut self.held);
        if let Some(mut waiting) = self.waiting.take() {
            if waiting.since.names + since.names == report.tests && since.names < report.tests {
                // The tests above the waiting report are this one's: it was a test's output.
                since = Since { names: report.tests, failed: waiting.since.failed + since.failed };
                held.iter_mut().for_each(|failure| waiting.held.check(failure.clone()));
                held = waiting.held;
            } else {
                close(&waiting.report, waiting.since, waiting.held, out);
                out.open();
            }
        }
        let fits =
            report.failures.unwrap_or(0) == since.failed && (since.names == 0 || since.names == report.tests);
        if fits {
            close(&report, since, held, out);
            self.opened = false;
        } else {
            self.waiting = Some(Waiting { report, since, held });
        }
        self.test = None;
    }
}

/// Says what is held and closes the section.
fn close(report: &Report, since: Since, mut held: Held, out: &mut Out) {
    out.tests_seen += report.tests;
    let says = match report {
        Report { failures: Some(_), .. } => Says::Red,
        // How many tests ran none of their checks is not said.
        Report { skipped, tests, .. } if skipped >= tests => Says::NoTests,
        _ => Says::Green,
    };
    let failures = report.failures.unwrap_or(0);
    if report.failures.is_some() {
        held.say(out);
        out.unnamed(failures.saturating_sub(since.failed));
    }
    let counts = Counts {
        passed: report.failures.is_none().then_some(report.tests),
        failed: Some(failures),
        errored: None,
        skipped: Some(report.skipped).filter(|&skipped| skipped > 0),
    };
    out.close(Closing { says, counts, duration_ms: None, message: None });
}

/// `Ran 4 tests.` and `OK (skipped=2)`, `FAILED (failures=5,skipped=1)`
#[derive(Debug, PartialEq, Eq)]
struct Report {
    tests: u64,
    failures: Option<u64>,
    skipped: u64,
}

impl Report {
    fn read(tests: u64, text: &str) -> Option<Report> {
        let green = Report { tests, failures: None, skipped: 0 };
        if text == "OK" {
            return Some(green);
        }
        let number = |text: &str, name: &str| text.strip_prefix(name)?.parse::<u64>().ok();
        if let Some(rest) = text.strip_prefix("OK (") {
            return Some(Report { skipped: number(rest.strip_suffix(')')?, "skipped=")?, ..green });
        }
        let rest = text.strip_prefix("FAILED (")?.strip_suffix(')')?;
        let (failures, skipped) = rest.split_once(',').unwrap_or((rest, "skipped=0"));
        Some(Report {
            tests,
            failures: Some(number(failures, "failures=")?),
            skipped: number(skipped, "skipped=")?,
        })
    }
}

/// `Ran 4 tests.`
fn number_of_tests(text: &str) -> Option<u64> {
    let rest = text.strip_prefix("Ran ")?;
    rest.strip_suffix(" tests.").or_else(|| rest.strip_suffix(" test."))?.parse().ok()
}

/// The name of a function that shunit2 runs unless it is told others.
fn is_test(text: &str) -> bool {
    text.starts_with("test") && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The line of the caller stands first where its macros are used: `[12] adding expected:<6> but was:<5>`.
fn lined(message: &str) -> (Option<u64>, &str) {
    let read = || {
        let (line, rest) = message.strip_prefix('[')?.split_once(']')?;
        Some((line.parse().ok()?, rest.trim_start()))
    };
    read().map_or((None, message), |(line, rest)| (Some(line), rest))
}

/// `adding expected:<6> but was:<5>`, unless a value has these words too. What must not be is no expectation (`expected not same`).
fn sides(message: &str) -> Sides {
    let both = || {
        let (_, rest) = message.split_once("expected:<")?;
        let (expected, observed) =
            rest.split_once("> but was:<").filter(|(_, rest)| !rest.contains("> but was:<"))?;
        Some(Sides::both(expected, observed.strip_suffix('>')?))
    };
    both().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::said::said;

    fn check(text: &str, want: &[&str]) {
        assert_eq!(said(&FORMAT, text), want, "{text}");
    }

    #[test]
    fn checks_and_tests_that_return_non_zero_are_counted_together() {
        check(
            "testAdd\nASSERT:adding expected:<6> but was:<5>\nASSERT:again\nshunit2:ERROR testAdd() returned non-zero return code.\n\
             testRun\nshunit2:ERROR testRun() returned non-zero return code.\n\nRan 3 tests.\n\nFAILED (failures=5)\n",
            &[
                "open",
                "assertion testAdd: adding expected:<6> but was:<5>",
                "exception testRun: testRun() returned non-zero return code.",
                "unnamed 1",
                "red -/5/-",
            ],
        );
    }

    #[test]
    fn green_runs_and_runs_of_nothing() {
        check("testA\n\nRan 2 tests.\n\nOK\n", &["open", "green 2/0/-"]);
        check("Ran 2 tests.\n\nOK (skipped=1)\n", &["open", "green 2/0/1"]);
        check("Ran 1 test.\n\nOK (skipped=3)\n", &["open", "notests 1/0/3"]);
        check("Ran 0 tests.\n\nOK\n", &["open", "notests 0/0/-"]);
    }

    #[test]
    fn what_a_test_prints_closes_nothing_and_fails_nothing() {
        check("Ran 2 tests.\nmore\nOK\n", &[]);
        check("testA\nASSERT:fake\n\nRan 1 test.\n\nOK\n", &["open", "green 1/0/-"]);
        check(
            "testA\nASSERT:fake\nRan 3 tests.\n\nFAILED (failures=2)\ntestB\n\nRan 2 tests.\n\nOK\n",
            &["open", "green 2/0/-"],
        );
        check(
            "testA\nASSERT:one\ntestB\nRan 3 tests.\n\nOK\ntestC\nASSERT:two\n\nRan 3 tests.\n\nFAILED (failures=2)\n",
            &["open", "assertion testA: one", "assertion testC: two", "red -/2/-"],
        );
        // The stream was cut below a report that a test printed.
        check("testA\nASSERT:one\ntestB\n\nRan 3 tests.\n\nOK\n", &["open", "assertion testA: one"]);
        // Its script was ended in the test that follows.
        check("testA\nRan 3 tests.\n\nOK\ntestB\n", &["open"]);
    }

    #[test]
    fn two_scripts_in_one_stream() {
        check(
            "testA\nASSERT:one\nASSERT:printed\n\nRan 1 test.\n\nFAILED (failures=1)\ntestB\n\nRan 1 test.\n\nOK\n",
            &["open", "assertion testA: one", "red -/1/-", "open", "green 1/0/-"],
        );
    }

    #[test]
    fn a_script_that_dies_in_its_setup() {
        check(
            "testA\nshunit2:FATAL oneTimeSetUp() returned non-zero return code.\n",
            &["open", "setuperror -: oneTimeSetUp() returned non-zero return code."],
        );
    }

    #[test]
    fn the_sides_and_the_line_of_a_check() {
        let both = |text: &str| (sides(text).expected, sides(text).observed);
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(both("adding expected:<6> but was:<5>"), (some("6"), some("5")));
        assert_eq!(both("expected:<a b> but was:<>"), (some("a b"), some("")));
        assert_eq!(both("expected not same"), (None, None));
        assert_eq!(both("expected:<a> but was:<b> but was:<c>"), (None, None));
        assert_eq!(lined("[12] adding"), (Some(12), "adding"));
        assert_eq!(lined("[a] adding"), (None, "[a] adding"));
    }
}

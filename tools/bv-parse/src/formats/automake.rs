//! Automake's parallel test harness, `make check` (`lib/am/check.am` of Automake 1.12 and later).
//!
//! `make  check-TESTS` begins; each test has a line (`FAIL: test-mem`), and the summary below
//! `Testsuite summary for …` counts them. A section opens with the first such line and closes with the summary's
//! last, `# ERROR: 1`. With `VERBOSE=1` the log of the tests that failed stands above the summary, with counts of
//! its own; what a test wrote last in it, above `FAIL t/crash (exit status: 134)`, is the test's message. A test that passes although it is expected to fail counts as failed.

use crate::held::Held;
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use bv_schemas::{Counts, Failure, Kind, Test, TestOutcome};

/// The table's line.
pub const FORMAT: Format = Format {
    name: "automake",
    commands: &[],
    needles: &["check-TESTS", "Testsuite summary for "],
    new: || Box::<Automake>::default(),
};

/// See the head of this file.
#[derive(Default)]
struct Automake {
    opened: bool,
    held: Held,
    /// In the log of `VERBOSE=1`: the last line that is not blank.
    log: Option<String>,
    /// In the summary: its numbers so far.
    summary: Option<Numbers>,
}

#[derive(Clone, Copy, Default)]
struct Numbers {
    pass: u64,
    skip: u64,
    xfail: u64,
    fail: u64,
    xpass: u64,
}

impl Machine for Automake {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let text = line.text.trim_end();
        if text.starts_with("Testsuite summary for ") {
            self.open(out);
            self.log = None;
            self.summary = Some(Numbers::default());
        } else if self.log.is_some() {
            self.in_log(text);
        } else if self.opened && text.starts_with("   ") && text.ends_with("test-suite.log") {
            self.log = Some(String::new());
        }
        if self.log.is_some() {
            return;
        }
        match text.as_bytes().first() {
            Some(b'#') => self.count(text, out),
            Some(b'P' | b'F' | b'X' | b'E' | b'S') => self.result(text, line.span, out),
            _ => {}
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.held.say(out);
    }
}

impl Automake {
    fn open(&mut self, out: &mut Out) {
        if !std::mem::replace(&mut self.opened, true) {
            out.open();
        }
    }

    /// `XPASS: test-mem`
    fn result(&mut self, text: &str, span: [u64; 2], out: &mut Out) {
        let Some((word, name)) = text.split_once(": ").filter(|(_, name)| is_name(name)) else { return };
        let outcome = match word {
            "PASS" => Some(TestOutcome::Passed),
            "SKIP" => Some(TestOutcome::Skipped),
            "XFAIL" => Some(TestOutcome::Xfailed),
            "FAIL" | "XPASS" | "ERROR" => None,
            _ => return,
        };
        self.open(out);
        match outcome {
            Some(outcome) => {
                out.tests_seen += 1;
                out.test(Test { id: name.to_owned(), outcome, duration_ms: None });
            }
            // The log repeats it.
            None if self.held.find(name).is_some() => {}
            None => {
                out.tests_seen += 1;
                self.held.push(Failure {
                    id: Some(name.to_owned()),
                    kind: if word == "ERROR" { Kind::Exception } else { Kind::Assertion },
                    message: Some(word.to_owned()),
                    span: Some(span),
                    ..Failure::default()
                });
            }
        }
    }

    /// `FAIL t/crash (exit status: 134)` ends a test's part of the log.
    fn in_log(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let last = self.log.replace(text.to_owned()).unwrap_or_default();
        let Some((head, status)) =
            text.strip_suffix(')').and_then(|text| text.rsplit_once(" (exit status: "))
        else {
            return;
        };
        let Some(failure) = head.split_once(' ').and_then(|(_, name)| self.held.find(name)) else { return };
        // A heading's rule: the test wrote nothing.
        if !last.bytes().all(|byte| byte == b'=') {
            failure.message = Some(last);
        }
        if status.parse::<u64>().is_ok_and(|status| status > 128) {
            failure.kind = Kind::Crash;
        }
    }

    /// `# FAIL:  0`, in the summary.
    fn count(&mut self, text: &str, out: &mut Out) {
        let Some(numbers) = &mut self.summary else { return };
        let Some((name, number)) = text.strip_prefix("# ").and_then(|text| text.split_once(':')) else {
            return;
        };
        let Ok(number) = number.trim().parse() else { return };
        match name {
            "PASS" => numbers.pass = number,
            "SKIP" => numbers.skip = number,
            "XFAIL" => numbers.xfail = number,
            "FAIL" => numbers.fail = number,
            "XPASS" => numbers.xpass = number,
            "ERROR" => {
                let numbers = *numbers;
                self.close(numbers, number, out);
            }
            _ => {}
        }
    }

    fn close(&mut self, numbers: Numbers, errors: u64, out: &mut Out) {
        let failed = numbers.fail + numbers.xpass;
        let says = Says::of(failed + errors, numbers.pass + numbers.xfail);
        let unnamed = (failed + errors).saturating_sub(self.held.len());
        if says == Says::Red {
            self.held.say(out);
            out.unnamed(unnamed);
        }
        let counts = Counts {
            passed: Some(numbers.pass),
            failed: Some(failed),
            errored: Some(errors),
            skipped: Some(numbers.skip),
        };
        out.close(Closing { says, counts, duration_ms: None, message: None });
        *self = Automake::default();
    }
}

/// A test's file, with the number and name that its own protocol gives: `t/a.test 3 - adds`.
fn is_name(name: &str) -> bool {
    let file = name.split(' ').next().unwrap_or_default();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-+/@$".contains(&byte);
    let rest = name.get(file.len()..).unwrap_or_default().trim_start();
    let numbered = || rest.starts_with(|c: char| c.is_ascii_digit()) || rest.starts_with("- ");
    !file.is_empty() && file.bytes().all(plain) && (rest.is_empty() || numbered())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::said::said;

    fn check(text: &str, want: &[&str]) {
        assert_eq!(said(&FORMAT, text), want, "{text}");
    }

    fn summary(fail: u64, xpass: u64, error: u64) -> String {
        format!(
            "====\nTestsuite summary for lib 1.0\n====\n# TOTAL: 9\n# PASS:  3\n# SKIP:  1\n# XFAIL: 1\n# FAIL:  {fail}\n\
             # XPASS: {xpass}\n# ERROR: {error}\n====\n"
        )
    }

    #[test]
    fn two_suites() {
        check(
            &format!(
                "make  check-TESTS\nPASS: a.sh\nFAIL: b.sh 2 - adds\nXPASS: c\nERROR: d\nERROR: d - exited with status 1\nSKIP: e\n{}\
                 make  check-TESTS\nXFAIL: f\n{}",
                summary(1, 1, 1),
                summary(0, 0, 0)
            ),
            &[
                "open",
                "passed a.sh",
                "skipped e",
                "assertion b.sh 2 - adds: FAIL",
                "assertion c: XPASS",
                "exception d: ERROR",
                "exception d - exited with status 1: ERROR",
                "red 3/2/1, 1 errored",
                "open",
                "xfailed f",
                "green 3/0/1",
            ],
        );
    }

    #[test]
    fn the_log_repeats_names_and_has_counts_of_its_own() {
        check(
            &format!(
                "make  check-TESTS\nFAIL: b\n===\n   lib 1.0: ./test-suite.log\n===\n\n# TOTAL: 9\n# ERROR: 0\n\nFAIL: b\n=======\n\n\
                 FAIL: fake\nboom\nFAIL b (exit status: 134)\n\n===\n{}",
                summary(2, 0, 0)
            ),
            &["open", "crash b: boom", "unnamed 1", "red 3/2/1"],
        );
    }

    #[test]
    fn words_that_are_no_results_and_a_stream_that_is_cut() {
        check("make  check-TESTS\nERROR: could not open the file\nError: x\n", &[]);
        check("make  check-TESTS\nFAIL: b\n", &["open", "assertion b: FAIL"]);
    }
}

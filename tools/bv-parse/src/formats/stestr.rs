//! stestr, and what prints as its subunit trace does (OpenStack's `subunit-trace`): a line a test, what a failed
//! one captured, and the totals.
//!
//! ```text
//! {1} tests.test_calc.T.test_fail [0.007128s] ... FAILED
//!
//! Captured traceback:
//! ~~~~~~~~~~~~~~~~~~~
//!     Traceback (most recent call last):
//!     …
//! ```
//!
//! A section opens at the first test and closes at the last line of `Totals`. The repetition of all failures
//! above them is left alone. Source: `stestr/subunit_trace.py`.

use crate::held::Held;
use crate::machine::{Closing, Format, HELD_MAX, Line, Machine, Out, Says};
use crate::python::{self, Traceback};
use crate::values::milliseconds;
use bv_schemas::{Counts, Failure, Kind, Test, TestOutcome};

/// The table's line.
pub const FORMAT: Format = Format {
    name: "stestr",
    commands: &["stestr", "ostestr", "subunit-trace"],
    needles: &["s] ... ok", "s] ... FAILED", " ... SKIPPED", "Sum of execute time for each test: "],
    new: || Box::<Stestr>::default(),
};

/// Lines of one traceback that are kept.
const LINES_MAX: usize = 4000;

#[derive(Default)]
struct Stestr {
    open: bool,
    held: Held,
    /// Of those held, the tests that captured nothing: a test may have printed them.
    doubtful: Vec<String>,
    /// The test that failed last, and what it captured.
    failed: Option<Failed>,
    totals: Option<Totals>,
}

#[derive(Default)]
struct Failed {
    id: String,
    lines: Vec<String>,
    /// Something was captured, as it is of every test that fails.
    captured: bool,
    /// Below `Captured traceback:`, not below another heading.
    reading: bool,
    /// All of it stands four columns to the right.
    indented: bool,
    /// The line before was a frame's.
    after_frame: bool,
    span: [u64; 2],
}

#[derive(Default)]
struct Totals {
    duration_ms: Option<u64>,
    passed: u64,
    skipped: u64,
    xfailed: u64,
    xpassed: u64,
    failed: u64,
}

impl Machine for Stestr {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        let text = line.text;
        if text.starts_with('{')
            && let Some((id, word)) = result(text)
        {
            self.finish();
            self.open(out);
            return self.result(id, word, line.span, out);
        }
        if !self.open {
            return;
        }
        if let Some(totals) = &mut self.totals {
            if text.starts_with("Sum of execute time for each test: ") {
                return self.close(out);
            }
            return totals.line(text);
        }
        if text.starts_with("Failed ") && text.ends_with(" tests - output below:") {
            self.finish();
        } else if let Some(rest) = text.strip_prefix("Ran: ")
            && let Some((_, time)) = rest.split_once(" tests in ")
        {
            self.finish();
            let seconds = time.trim_end_matches('.').strip_suffix(" sec").and_then(|time| time.parse().ok());
            self.totals = Some(Totals { duration_ms: seconds.and_then(milliseconds), ..Totals::default() });
        } else if let Some(failed) = &mut self.failed {
            failed.line(line);
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.finish();
        self.held.say(out);
    }

    fn owns_lines(&self) -> bool {
        self.failed.is_some()
    }
}

impl Stestr {
    fn open(&mut self, out: &mut Out) {
        if !self.open {
            self.open = true;
            out.open();
        }
    }

    fn result(&mut self, id: &str, word: &str, span: [u64; 2], out: &mut Out) {
        out.tests_seen += 1;
        let outcome = match word {
            "ok" => TestOutcome::Passed,
            _ if word.starts_with("SKIPPED") => TestOutcome::Skipped,
            _ => {
                let id = id.to_owned();
                self.failed = Some(Failed { id, span, ..Failed::default() });
                return;
            }
        };
        out.test(Test { id: id.to_owned(), outcome, duration_ms: None });
    }

    fn finish(&mut self) {
        if let Some(failed) = self.failed.take() {
            if !failed.captured && self.doubtful.len() < HELD_MAX {
                self.doubtful.push(failed.id.clone());
            }
            self.held.push(failed.failure());
        }
    }

    fn close(&mut self, out: &mut Out) {
        let mut run = std::mem::take(self);
        let totals = run.totals.unwrap_or_default();
        let red = totals.failed.saturating_add(totals.xpassed);
        let says = Says::of(red, totals.passed.saturating_add(totals.xfailed));
        let counts = Counts {
            passed: Some(totals.passed),
            failed: Some(totals.failed),
            errored: None,
            skipped: Some(totals.skipped),
        };
        if red < run.held.len() {
            let doubtful = run.doubtful;
            run.held.forget(|held| held.id.as_ref().is_some_and(|id| doubtful.contains(id)));
        }
        out.unnamed(red.saturating_sub(run.held.len()));
        run.held.say(out);
        out.close(Closing { says, counts, duration_ms: totals.duration_ms, message: None });
    }
}

impl Totals {
    /// ` - Passed: 1`
    fn line(&mut self, text: &str) {
        let Some((name, number)) = text.strip_prefix(" - ").and_then(|text| text.split_once(": ")) else {
            return;
        };
        let Ok(number) = number.parse() else { return };
        match name {
            "Passed" => self.passed = number,
            "Skipped" => self.skipped = number,
            "Expected Fail" => self.xfailed = number,
            "Unexpected Success" => self.xpassed = number,
            "Failed" => self.failed = number,
            _ => {}
        }
    }
}

impl Failed {
    /// A line below the test's: a heading, its rule, or what was captured. A run prints all of it four columns
    /// to the right, with blank lines around each frame and its source below without indentation of its own;
    /// `stestr last` prints it as Python does, its first line apart.
    fn line(&mut self, line: &Line<'_>) {
        let text = line.text;
        if text.starts_with("Captured ") && text.ends_with(':') {
            self.captured = true;
            self.reading = text == "Captured traceback:" && self.lines.is_empty();
            return;
        }
        let is_rule = text.bytes().all(|b| b == b'~');
        if !self.reading || is_rule || self.lines.len() >= LINES_MAX {
            return;
        }
        self.span[1] = line.span[1];
        self.indented = self.indented || text.starts_with("      File \"");
        let dedent = self.indented || python::header(text);
        let text = text.strip_prefix("    ").filter(|_| dedent).unwrap_or(text);
        let is_source = self.after_frame && !text.starts_with("  ");
        self.after_frame = python::frame(text).is_some();
        self.lines.push(if is_source { format!("    {text}") } else { text.to_owned() });
    }

    fn failure(self) -> Failure {
        let read = Traceback::read(self.lines.iter().map(String::as_str));
        let class = self.id.strip_suffix(')').and_then(|id| id.split_once(" ("));
        let mut failure = Failure { span: Some(self.span), ..Failure::default() };
        let method = class.map_or_else(|| self.id.rsplit('.').next(), |(hook, _)| Some(hook));
        read.place(&mut failure, method);
        read.describe(&mut failure);
        let name = failure.exception_type.as_deref().unwrap_or_default();
        failure.kind = match name {
            _ if class.is_some() => Kind::SetupError,
            "AssertionError" => Kind::Assertion,
            _ if name.ends_with("MismatchError") => Kind::Assertion,
            _ if self.id.starts_with("unittest.loader._FailedTest.") => Kind::CollectionError,
            _ => Kind::Exception,
        };
        failure.id = Some(self.id);
        failure
    }
}

/// `{1} tests.test_calc.T.test_ok [0.000051s] ... ok`
fn result(text: &str) -> Option<(&str, &str)> {
    let (worker, rest) = text.strip_prefix('{')?.split_once("} ")?;
    let (test, word) = rest.rsplit_once(" ... ")?;
    let is_word = matches!(word, "ok" | "FAILED") || word.starts_with("SKIPPED");
    let id = test.rsplit_once(" [").filter(|(_, time)| time.ends_with("s]")).map_or(test, |(id, _)| id);
    (is_word && worker.bytes().all(|b| b.is_ascii_digit())).then_some((id, word))
}

#[cfg(test)]
mod tests {
    use super::FORMAT;
    use crate::said::said;

    const TOTALS: &str = "\n======\nTotals\n======\nRan: 2 tests in 0.0299 sec.\n - Passed: 1\n - Skipped: 0\n - Expected Fail: 0\n - Unexpected Success: 0\n - Failed: {f}\nSum of execute time for each test: 0.0106 sec.\n";

    fn check(text: &str, failed: u64, want: &[&str]) {
        let text = text.replace("{totals}", &TOTALS.replace("{f}", &failed.to_string()));
        assert_eq!(said(&FORMAT, &text), want, "{text}");
    }

    #[test]
    fn a_run_closes_below_its_totals() {
        let red = "{0} t.T.test_b [0.1s] ... FAILED\n\nCaptured traceback:\n~~~~~~~~~~~~~~~~~~~\n    Traceback (most recent call last):\n\n      File \"/a/t.py\", line 3, in test_b\n    f()\n\n    ValueError: bad\n\n";
        check("{0} t.T.test_a [0.1s] ... ok\n{totals}", 0, &["open", "passed t.T.test_a", "green 1/0/0"]);
        check("{0} t.T.test_a [0.1s] ... ok\n", 0, &["open", "passed t.T.test_a"]);
        check("{totals}", 0, &[]);
        // A test printed the first line.
        check(
            "{0} t.T.test_x [0.1s] ... FAILED\n{0} t.T.test_a [0.1s] ... ok\n{totals}",
            0,
            &["open", "passed t.T.test_a", "green 1/0/0"],
        );
        check(
            &format!(
                "{red}{{0}} t.T.test_a [0.1s] ... ok\n==\nFailed 1 tests - output below:\n==\n\nCaptured traceback:\n{{totals}}"
            ),
            2,
            &["open", "passed t.T.test_a", "unnamed 1", "exception t.T.test_b: bad", "red 1/2/0"],
        );
    }
}

//! Ant's `junit` and `junitlauncher` tasks on the console (`PlainJUnitResultFormatter`,
//! `BriefJUnitResultFormatter`, `SummaryJUnitResultFormatter` in <https://github.com/apache/ant>), its `javac`
//! task's errors, and the build's own verdict. `[junit]` before a line was taken off with the other wrappers.
//!
//! A section opens with the first `Testsuite:` or `Running`, spans all suites of a build, and closes with
//! `Total time:` below `BUILD SUCCESSFUL` or `BUILD FAILED`; these words alone may be a test's. What a suite
//! counts is its last word: a summary and a report both tell of it. Captured output is left alone.

mod case;
mod suite;

use crate::jvm;
use crate::machine::{Closing, Format, HELD_MAX, Line, Machine, Out, Says};
use crate::values;
use bv_schemas::{Counts, Failure, Reason};
use case::Case;
use suite::{Suite, Totals};

/// The table's line.
pub const FORMAT: Format = Format {
    name: "ant",
    commands: &["ant"],
    needles: &["Buildfile: ", "Testsuite: ", "Testcase: "],
    new: || Box::<Ant>::default(),
};

/// See the head of this file.
#[derive(Default)]
struct Ant {
    /// Ant itself was seen.
    framed: bool,
    opened: bool,
    suite: Option<Suite>,
    case: Option<Case>,
    sum: Totals,
    suites: u64,
    failures: Vec<Failure>,
    unnamed: u64,
    compile_errors: Vec<Failure>,
    verdict: Option<Verdict>,
}

/// `BUILD FAILED`, and why, until the time below shows that it is Ant's.
struct Verdict {
    ok: bool,
    words: Option<String>,
    lines: usize,
}

/// Lines between the verdict and the time; a reason may have some, from nested calls.
const VERDICT_LINES_MAX: usize = 60;

impl Machine for Ant {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let text = line.text.trim_end();
        if let Some(case) = &mut self.case {
            if case.line(text, line.span) {
                return;
            }
            self.end_case();
        }
        if self.verdict.is_some() && self.below_verdict(text, out) {
            return;
        }
        match text.as_bytes().first() {
            Some(b'B') => self.build(text),
            Some(b'T' | b'R' | b'N' | b'O' | b'-' | b'F') => self.tests(text, line, out),
            Some(b' ') if text.trim_start().starts_with("[javac] ") => {
                let said = text.trim_start().trim_start_matches("[javac] ");
                let room = self.compile_errors.len() < HELD_MAX;
                self.compile_errors.extend(jvm::compile_error(said, line.span).filter(|_| room));
            }
            _ => {}
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.end_case();
        self.end_suite(out);
        if self.opened {
            self.failures.drain(..).for_each(|failure| out.failure(failure));
            out.unnamed(self.unnamed);
        }
    }

    fn owns_lines(&self) -> bool {
        self.case.is_some()
    }
}

impl Ant {
    fn build(&mut self, text: &str) {
        match text {
            _ if text.starts_with("Buildfile: ") => self.framed = true,
            "BUILD SUCCESSFUL" | "BUILD FAILED" if self.framed => {
                self.verdict = Some(Verdict { ok: text == "BUILD SUCCESSFUL", words: None, lines: 0 });
            }
            _ => {}
        }
    }

    fn below_verdict(&mut self, text: &str, out: &mut Out) -> bool {
        let Some(verdict) = &mut self.verdict else { return false };
        if let Some(spent) = text.strip_prefix("Total time: ") {
            let duration_ms = milliseconds(spent);
            self.close(duration_ms, out);
            return true;
        }
        verdict.lines += 1;
        let tests = ["Testsuite: ", "Testcase: ", "Tests run: ", "Running ", "BUILD "]
            .iter()
            .any(|own| text.starts_with(own));
        if tests || verdict.lines > VERDICT_LINES_MAX {
            self.verdict = None;
            return false;
        }
        if verdict.words.is_none() && !text.is_empty() {
            // `/p/build.xml:11: tests failed`
            let words = text.split_once(".xml:").and_then(|(_, rest)| rest.split_once(": "));
            verdict.words = Some(words.map_or(text, |(_, words)| words).to_owned());
        }
        true
    }

    fn tests(&mut self, text: &str, line: &Line<'_>, out: &mut Out) {
        let name = text.strip_prefix("Testsuite: ").or_else(|| text.strip_prefix("Running "));
        if let Some(name) = name.filter(|name| !name.contains(' ')) {
            if self.suite.as_ref().is_none_or(|suite| suite.name != name) {
                self.end_suite(out);
                self.open(out);
                self.suite = Some(Suite::new(name.to_owned()));
            } else if let Some(suite) = &mut self.suite {
                suite.reported();
            }
            return;
        }
        let Some(suite) = &mut self.suite else { return };
        if suite.line(text) {
            return;
        }
        let name = suite.name.clone();
        self.case = Case::begins(text, &name, line.span);
    }

    fn open(&mut self, out: &mut Out) {
        if !std::mem::replace(&mut self.opened, true) {
            out.open();
        }
    }

    fn end_case(&mut self) {
        if let (Some(case), Some(suite)) = (self.case.take(), self.suite.as_mut()) {
            case.failure().into_iter().for_each(|failure| suite.failed(failure));
        }
    }

    fn end_suite(&mut self, out: &mut Out) {
        let Some(suite) = self.suite.take() else { return };
        self.suites += 1;
        let (totals, failures, unnamed) = suite.end();
        out.tests_seen += totals.ran;
        self.sum.add(totals);
        let room = HELD_MAX.saturating_sub(self.failures.len());
        self.unnamed += unnamed + failures.len().saturating_sub(room) as u64;
        self.failures.extend(failures.into_iter().take(room));
    }

    fn close(&mut self, duration_ms: Option<u64>, out: &mut Out) {
        self.end_suite(out);
        let Ant { sum, suites, failures, unnamed, compile_errors, verdict, .. } = std::mem::take(self);
        // A target may run Ant anew, and its own build fail after that.
        self.framed = true;
        let Some(verdict) = verdict else { return };
        let red = sum.failed + sum.errored + unnamed > 0 || !failures.is_empty();
        let passed = sum.ran.saturating_sub(sum.failed + sum.errored + sum.skipped);
        let says = match (verdict.ok, red, passed) {
            (_, true, _) => Says::Red,
            (true, false, _) if suites == 0 => return,
            (true, false, 0) => Says::NoTests,
            (true, false, _) => Says::Green,
            (false, false, _) if !compile_errors.is_empty() => Says::Refused(Reason::CompileError),
            (false, false, _) => Says::Refused(Reason::NotRunnable),
        };
        if suites == 0 {
            out.open();
        }
        failures.into_iter().for_each(|failure| out.failure(failure));
        if !verdict.ok {
            compile_errors.into_iter().for_each(|failure| out.failure(failure));
        }
        out.unnamed(unnamed);
        let count = |n: u64| (suites > 0).then_some(n);
        out.close(Closing {
            says,
            counts: Counts {
                passed: count(passed),
                failed: count(sum.failed),
                errored: count(sum.errored),
                skipped: count(sum.skipped),
            },
            duration_ms,
            message: verdict.words.filter(|_| matches!(says, Says::Refused(_))),
        });
    }
}

/// `0 seconds`, `2 minutes 5 seconds`.
fn milliseconds(spent: &str) -> Option<u64> {
    let words: Vec<&str> = spent.split(' ').collect();
    let seconds = words.chunks_exact(2).try_fold(0.0, |sum, pair| {
        let number: f64 = pair[0].parse().ok()?;
        Some(sum + number * if pair[1].starts_with("minute") { 60.0 } else { 1.0 })
    });
    values::milliseconds(seconds?)
}

#[cfg(test)]
mod tests;

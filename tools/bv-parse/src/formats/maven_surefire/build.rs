//! The build around the modules: compile errors, the verdict, and why it failed.

use super::Level;
use super::module::{Module, Totals};
use crate::machine::{Closing, HELD_MAX, Out, Says};
use bv_schemas::{Counts, Failure, Kind, Place, Reason};
use std::collections::HashSet;

/// One build.
#[derive(Default)]
pub struct Build {
    open: bool,
    /// Maven's own frame was seen: then its verdict must come.
    framed: bool,
    /// The last line was a rule.
    ruled: bool,
    verdict: Option<bool>,
    over: bool,
    totals: Totals,
    modules: u64,
    failures: Vec<Failure>,
    unnamed: u64,
    /// A module began and no totals came.
    lost: bool,
    compile_errors: Vec<Failure>,
    seen: HashSet<String>,
    /// Why the build failed, in Maven's words.
    goal: Option<String>,
    crash: Option<Failure>,
    /// `Crashed tests:` came; their names follow.
    crashed: bool,
    crashed_tests: Vec<String>,
    duration_ms: Option<u64>,
}

impl Build {
    /// Takes a line that is the build's own; `module` is the one whose tests run.
    pub fn line(
        &mut self,
        level: Option<Level>,
        rest: &str,
        span: [u64; 2],
        module: Option<&Module>,
        out: &mut Out,
    ) -> bool {
        let Some(level) = level else { return false };
        let ruled = std::mem::replace(&mut self.ruled, rest.len() > 60 && rest.bytes().all(|b| b == b'-'));
        if rest.starts_with("Scanning for projects...") {
            self.framed = true;
            return true;
        }
        let in_tests = module.is_some_and(|module| !module.in_recap());
        match (level, rest) {
            (Level::Info | Level::Error, "BUILD FAILURE") if ruled => self.verdict(false, out),
            (Level::Info, "BUILD SUCCESS" | "BUILD SUCCESSFUL") if ruled && !in_tests => {
                self.verdict(true, out)
            }
            (Level::Error, _) if in_tests && self.verdict.is_none() => return false,
            (Level::Error, "COMPILATION ERROR :" | "COMPILATION ERROR : ") => self.open(out),
            (Level::Error, _) => return self.error(rest, span, out),
            (Level::Info, _) if self.verdict.is_some() => self.after_verdict(rest),
            _ => return false,
        }
        true
    }

    fn verdict(&mut self, green: bool, out: &mut Out) {
        self.open(out);
        self.framed = true;
        self.verdict = Some(green);
    }

    fn after_verdict(&mut self, rest: &str) {
        if let Some(spent) = rest.strip_prefix("Total time:") {
            self.duration_ms = milliseconds(spent.trim());
        }
        // A failed build goes on to say why.
        self.over = self.verdict == Some(true) && rest.starts_with("Finished at:");
    }

    /// An error outside of the tests.
    fn error(&mut self, rest: &str, span: [u64; 2], out: &mut Out) -> bool {
        if let Some(failure) = compile_error(rest, span) {
            self.open(out);
            let key = format!("{:?}{:?}", failure.test, failure.message);
            if self.compile_errors.len() < HELD_MAX && self.seen.insert(key) {
                self.compile_errors.push(failure);
            }
        } else if let Some(goal) = rest.strip_prefix("Failed to execute goal ") {
            self.goal = self.goal.take().or(Some(reason(goal).to_owned()));
            self.crash(goal, span);
        } else if rest == "Crashed tests:" {
            self.crashed = true;
        } else if self.crashed && super::block::is_class(rest) {
            if !self.crashed_tests.iter().any(|test| test == rest) {
                self.crashed_tests.push(rest.to_owned());
            }
        } else {
            self.crashed = false;
            self.crash(rest, span);
            // The last words of a failed build.
            self.over = self.verdict == Some(false) && rest.starts_with("[Help 1] http");
            return self.over;
        }
        true
    }

    /// A forked JVM died or hung.
    fn crash(&mut self, rest: &str, span: [u64; 2]) {
        const DIED: &str = "The forked VM terminated without ";
        const HUNG: &str = "There was a timeout ";
        let found = [(DIED, Kind::Crash), (HUNG, Kind::Timeout)]
            .into_iter()
            .find_map(|(words, kind)| Some((rest.find(words)?, kind)));
        if let Some((at, kind)) = found
            && self.crash.is_none()
        {
            let message = rest[at..].split(" -> [Help").next().unwrap_or_default();
            self.crash = Some(Failure {
                kind,
                message: Some(message.to_owned()),
                span: Some(span),
                ..Failure::default()
            });
        }
    }

    /// Opens the section.
    pub fn open(&mut self, out: &mut Out) {
        if !self.open {
            self.open = true;
            out.open();
        }
    }

    /// Whether the build said all.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// A module's totals.
    pub fn totals(&mut self, module: Module, totals: Totals) {
        self.modules += 1;
        self.totals.ran += totals.ran;
        self.totals.failed += totals.failed;
        self.totals.errored += totals.errored;
        self.totals.skipped += totals.skipped;
        let (failures, unnamed) = module.own(totals);
        let room = HELD_MAX.saturating_sub(self.failures.len());
        self.unnamed += unnamed + failures.len().saturating_sub(room) as u64;
        self.failures.extend(failures.into_iter().take(room));
    }

    /// A module whose totals never came.
    pub fn unfinished(&mut self, module: Module) {
        self.lost = true;
        self.failures.extend(module.seen().into_iter().take(HELD_MAX));
    }

    /// Whether the end of the stream may close the section: the verdict came, or there is no frame that
    /// would give one and all modules closed.
    pub fn can_close(&self, module: Option<&Module>) -> bool {
        self.open
            && (self.verdict.is_some() || !self.framed && self.modules > 0 && module.is_none() && !self.lost)
    }

    /// The stream ended before the verdict.
    pub fn end(&mut self, out: &mut Out) {
        if self.open {
            self.failures.drain(..).for_each(|failure| out.failure(failure));
            self.compile_errors.drain(..).for_each(|failure| out.failure(failure));
            out.unnamed(self.unnamed);
        }
    }

    /// Says all and closes.
    pub fn close(mut self, out: &mut Out) {
        let totals = self.totals;
        let red = totals.failed + totals.errored;
        let passed = totals.ran.saturating_sub(red + totals.skipped);
        let crashes = self.crashes();
        let says = self.says(passed, red, !crashes.is_empty());
        out.tests_seen += totals.ran;
        out.unnamed(self.unnamed);
        let all = self.failures.into_iter().chain(crashes).chain(self.compile_errors);
        all.for_each(|failure| out.failure(failure));
        let counted = self.modules > 0;
        let count = |n: u64| counted.then_some(n);
        out.close(Closing {
            says,
            counts: Counts {
                passed: count(passed),
                failed: count(totals.failed),
                errored: count(totals.errored),
                skipped: count(totals.skipped),
            },
            duration_ms: self.duration_ms,
            message: if matches!(says, Says::Refused(_)) { self.goal } else { None },
        });
    }

    /// One record a test class that the fork was at when it died.
    fn crashes(&mut self) -> Vec<Failure> {
        let Some(crash) = self.crash.take() else { return Vec::new() };
        if self.crashed_tests.is_empty() {
            return vec![crash];
        }
        let of = |id: &String| Failure { id: Some(id.clone()), ..crash.clone() };
        self.crashed_tests.iter().map(of).collect()
    }

    fn says(&self, passed: u64, red: u64, crashed: bool) -> Says {
        if red > 0 || crashed || !self.failures.is_empty() {
            return Says::Red;
        }
        if !self.compile_errors.is_empty() {
            return Says::Refused(Reason::CompileError);
        }
        if self.verdict == Some(false) {
            let none = self.goal.as_deref().is_some_and(|goal| {
                goal.contains("No tests were executed") || goal.contains("No tests matching pattern")
            });
            return if none { Says::NoTests } else { Says::Refused(self.refusal()) };
        }
        match passed {
            // A fork that left without a word took its tests along.
            _ if self.lost => Says::Red,
            0 => Says::NoTests,
            _ => Says::Green,
        }
    }

    fn refusal(&self) -> Reason {
        match self.goal.as_deref() {
            Some(goal) if goal.contains("Compilation failure") || goal.contains("Compilation error") => {
                Reason::CompileError
            }
            _ => Reason::NotRunnable,
        }
    }
}

/// `/p/src/Cart.java:[3,102] cannot find symbol`; Kotlin's plugin wrote `(3, 102)`.
fn compile_error(rest: &str, span: [u64; 2]) -> Option<Failure> {
    let (file, rest) = rest.split_once(":[").or_else(|| rest.split_once(": ("))?;
    let (place, message) = rest.split_once(']').or_else(|| rest.split_once(')'))?;
    let (line, column) = place.split_once(',')?;
    let source = [".java", ".kt", ".scala", ".groovy"].iter().any(|end| file.ends_with(end));
    let column: Option<u64> = column.trim().parse().ok();
    if !source || column.is_none() {
        return None;
    }
    let message = message.trim();
    Some(Failure {
        kind: Kind::CompileError,
        message: Some(message.strip_prefix("error: ").unwrap_or(message).to_owned()),
        test: Some(Place { file: Some(file.to_owned()), line: Some(line.parse().ok()?), function: None }),
        span: Some(span),
        ..Failure::default()
    })
}

/// What stands behind `plugin:goal (execution) on project x: `.
fn reason(goal: &str) -> &str {
    let words = goal.split(" -> [Help").next().unwrap_or(goal);
    words
        .split_once("on project ")
        .and_then(|(_, rest)| rest.split_once(": "))
        .map_or(words, |(_, words)| words)
}

/// `10.507 s`, `01:02 min`, `1:02:03 h`.
fn milliseconds(spent: &str) -> Option<u64> {
    let (number, unit) = spent.split_once(' ')?;
    let parts: Vec<f64> = number.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let seconds = match (unit.split(' ').next()?, parts.as_slice()) {
        ("s", [s]) => *s,
        ("min", [m, s]) => m * 60.0 + s,
        ("h", [h, m]) => h * 3600.0 + m * 60.0,
        _ => return None,
    };
    crate::values::milliseconds(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_a_compiler() {
        let check = |rest: &str, want: Option<(&str, u64, &str)>| {
            let got = compile_error(rest, [0, 1]);
            let got = got.as_ref().and_then(|failure| {
                let at = failure.test.as_ref()?;
                Some((at.file.as_deref()?, at.line?, failure.message.as_deref()?))
            });
            assert_eq!(got, want, "{rest}");
        };
        check("/p/Cart.java:[3,102] cannot find symbol", Some(("/p/Cart.java", 3, "cannot find symbol")));
        check(
            "/p/Cart.kt: (3, 102) Unresolved reference: m",
            Some(("/p/Cart.kt", 3, "Unresolved reference: m")),
        );
        check("Failed: [3,4] x", None);
        check("/p/Cart.java:[all] x", None);
    }

    #[test]
    fn times_and_reasons() {
        assert_eq!(milliseconds("10.507 s"), Some(10_507));
        assert_eq!(milliseconds("01:02 min"), Some(62_000));
        assert_eq!(reason("on project p: Could not resolve x: y -> [Help 1]"), "Could not resolve x: y");
        assert_eq!(milliseconds("soon"), None);
        assert_eq!(
            reason("a:b:1:test (x) on project p: No tests were executed! -> [Help 1]"),
            "No tests were executed!"
        );
    }
}

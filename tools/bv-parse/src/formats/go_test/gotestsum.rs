//! gotestsum's own lines: its summary (`=== Failed`, `=== FAIL: package Test (0.00s)`, the test's output
//! again) and `DONE 5 tests, 2 failures in 0.9s`.
//!
//! Its formats (`dots`, `testname`, `pkgname`, …) print anything between nothing and all of go test's text
//! before that; the summary has every failure whole, so that it alone is believed.

use super::build::{self, Builds};
use super::markers;
use super::package::Package;
use bv_schemas::{Counts, Failure, Kind};
use std::collections::{HashMap, HashSet};

/// `DONE 2 runs, 4 tests, 1 skipped, 1 failure, 1 error in 1.332s`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// 1 without reruns.
    pub runs: u64,
    /// All tests, those run again each time.
    pub tests: u64,
    /// Left out.
    pub skipped: u64,
    /// Failed, each time that they did.
    pub failures: u64,
    /// Lines of the go command's own errors.
    pub errors: u64,
    /// Wall time.
    pub duration_ms: u64,
}

/// The closing line.
pub fn done(line: &str) -> Option<Done> {
    let (said, time) = line.strip_prefix("DONE ")?.rsplit_once(" in ")?;
    let mut done =
        Done { runs: 1, duration_ms: markers::millis(time.strip_suffix('s')?)?, ..Done::default() };
    let mut tests = false;
    for part in said.split(", ") {
        let (number, word) = part.split_once(' ')?;
        let number: u64 = number.parse().ok()?;
        match word {
            "runs" => done.runs = number,
            "tests" | "test" => (done.tests, tests) = (number, true),
            "skipped" => done.skipped = number,
            "failures" | "failure" => done.failures = number,
            "errors" | "error" => done.errors = number,
            _ => return None,
        }
    }
    tests.then_some(done)
}

/// The part of the summary that lines stand in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Skipped,
    Failed,
    Errors,
}

/// The summary, as it comes.
#[derive(Default)]
pub struct Summary {
    part: Option<Part>,
    packages: Vec<(String, Package)>,
    /// The highest `re-run` number with which each test failed; 0 for the first run.
    attempts: HashMap<String, u64>,
    /// The test of the block that is read.
    test: Option<String>,
    errors: Vec<String>,
    /// Failed tests were listed.
    pub listed: bool,
}

impl Summary {
    /// Whether the line is the summary's; once a part has begun, all are.
    pub fn line(&mut self, line: &str, span: [u64; 2]) -> bool {
        let part = match line.trim_end() {
            "=== Skipped" => Some(Part::Skipped),
            "=== Failed" => Some(Part::Failed),
            "=== Errors" => Some(Part::Errors),
            _ => None,
        };
        if part.is_some() {
            self.part = part;
            self.test = None;
            return true;
        }
        match self.part {
            None => return false,
            Some(Part::Skipped) => {}
            Some(Part::Errors) => {
                const ERRORS_MAX: usize = 100;
                if !line.is_empty() && self.errors.len() < ERRORS_MAX {
                    self.errors.push(line.to_owned());
                }
            }
            Some(Part::Failed) => self.failed(line, span),
        }
        true
    }

    /// Whether a part is being read.
    pub fn reading(&self) -> bool {
        self.part.is_some()
    }

    fn failed(&mut self, line: &str, span: [u64; 2]) {
        if let Some((package, test, attempt)) = block(line) {
            self.listed = true;
            if self.packages.last().is_none_or(|(last, _)| last != package) {
                self.packages.push((package.to_owned(), Package::default()));
            }
            let Some((_, gathered)) = self.packages.last_mut() else { return };
            self.test = test.map(str::to_owned);
            if let Some(test) = test {
                let before = self.attempts.insert(test.to_owned(), attempt);
                if before.is_none() {
                    gathered.ended(test, markers::Result::Fail, span);
                } else {
                    // A further attempt: its text is the first one's again.
                    self.test = None;
                }
            }
            return;
        }
        let Some((_, gathered)) = self.packages.last_mut() else { return };
        let marker = markers::ended(line).is_some_and(|ended| Some(ended.name) == self.test.as_deref());
        let framed = marker || markers::package(line).is_some() || markers::step(line).is_some();
        if !framed {
            gathered.raw(line, span, self.test.clone().as_deref(), false);
        }
    }

    /// All failures, those that a later run made good left out.
    pub fn failures(self, done: &Done, builds: &mut Builds) -> Vec<Failure> {
        let mut found = Vec::new();
        for (name, package) in self.packages {
            let (mut failures, _) = package.failures(Some(&name), true);
            if failures.is_empty() {
                // Nothing says why.
                failures.push(Failure { id: Some(name.clone()), kind: Kind::Crash, ..Failure::default() });
            }
            let stands = |failure: &Failure| {
                let attempt = failure.id.as_ref().and_then(|id| self.attempts.get(id));
                done.runs == 1 || attempt.is_none_or(|attempt| attempt + 1 == done.runs)
            };
            found.extend(failures.into_iter().filter(stands));
        }
        let mut unbuilt = builds.take_all();
        if unbuilt.is_empty() {
            unbuilt = self.errors.iter().filter_map(|line| build::diagnostic(line, [0, 0])).collect();
            unbuilt.iter_mut().for_each(|failure| failure.span = None);
        }
        found.extend(unbuilt);
        found
    }

    /// The tests and packages that it lists as failed, in any run.
    pub fn ids(&self) -> HashSet<String> {
        let packages = self.packages.iter().map(|(name, _)| name.clone());
        self.attempts.keys().cloned().chain(packages).collect()
    }

    /// The go command's own words, when there are any.
    pub fn error(&self) -> Option<String> {
        self.errors.first().cloned()
    }

    /// How many tests of the last run failed.
    pub fn failed_last(&self, done: &Done) -> u64 {
        self.attempts.values().filter(|&&attempt| attempt + 1 == done.runs).count() as u64
    }
}

/// `=== FAIL: package Test (re-run 1) (0.00s)`; a package that failed without a test has no name there.
fn block(line: &str) -> Option<(&str, Option<&str>, u64)> {
    let rest = line.strip_prefix("=== FAIL: ")?;
    let (rest, time) = rest.trim_end().rsplit_once(" (")?;
    markers::spent(time.strip_suffix(')')?)?;
    let (rest, attempt) = match rest.rsplit_once(" (re-run ") {
        Some((rest, number)) => (rest, number.strip_suffix(')')?.parse().ok()?),
        None => (rest, 0),
    };
    let (package, test) = rest.split_once(' ')?;
    let test = test.trim();
    Some((package, (!test.is_empty()).then_some(test), attempt))
}

/// `FAIL package.Test (0.00s)`, `✖  package`: a line of one of its formats, that go test never prints.
pub fn is_progress(line: &str) -> bool {
    let word = ["FAIL ", "PASS ", "SKIP "].iter().find_map(|word| line.strip_prefix(word));
    word.is_some_and(|rest| {
        let timed = rest.rsplit_once(" (").is_some_and(|(_, time)| time.ends_with("s)"));
        timed && !rest.starts_with(' ')
    })
}

/// Its counts: a test that was run again counts once.
pub fn counts(done: &Done, failed_last: u64) -> Counts {
    let failed = if done.runs > 1 { failed_last } else { done.failures };
    Counts {
        passed: Some(done.tests.saturating_sub(done.skipped + done.failures)),
        failed: Some(failed),
        errored: Some(done.errors),
        skipped: Some(done.skipped),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines() {
        for (line, want) in [
            ("DONE 2 tests in 0.247s", Some([1, 2, 0, 0, 0, 247])),
            ("DONE 4 tests, 1 skipped, 2 failures in 0.902s", Some([1, 4, 1, 2, 0, 902])),
            ("DONE 2 runs, 4 tests, 1 failure, 1 error in 1.332s", Some([2, 4, 0, 1, 1, 1332])),
            ("DONE in 3s", None),
            ("DONE 3 things in 3s", None),
        ] {
            let got = done(line).map(|d| [d.runs, d.tests, d.skipped, d.failures, d.errors, d.duration_ms]);
            assert_eq!(got, want, "{line}");
        }
    }

    #[test]
    fn blocks() {
        for (line, want) in [
            ("=== FAIL: . TestRate (0.00s)", Some((".", Some("TestRate"), 0))),
            ("=== FAIL: . TestRate (unknown)", Some((".", Some("TestRate"), 0))),
            ("=== FAIL: boom  (0.00s)", Some(("boom", None, 0))),
            ("=== FAIL: a/b TestX/y (re-run 2) (1.00s)", Some(("a/b", Some("TestX/y"), 2))),
            ("=== FAIL: TestX", None),
        ] {
            assert_eq!(block(line), want, "{line}");
        }
    }
}

//! xcodebuild's own words: tests on several simulators, the list of what failed, its last line.

use crate::held::Held;
use crate::machine::{Closing, Out, Says};
use bv_schemas::{Counts, Failure, Test, TestOutcome};

/// See the head of this file.
#[derive(Default)]
pub struct Xcode {
    open: bool,
    spoke: bool,
    passed: u64,
    failed: u64,
    skipped: u64,
    /// Below `Failing tests:`.
    listing: bool,
    /// What failed.
    pub held: Held,
}

/// What xcodebuild closes with.
pub enum Said {
    /// `** BUILD FAILED **`
    BuildFailed,
    /// `** TEST FAILED **`, `** TEST SUCCEEDED **`
    Tested(Closing),
}

impl Xcode {
    /// Whether tests run on simulators of their own.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Whether xcodebuild named itself.
    pub fn spoke(&self) -> bool {
        self.spoke || self.open
    }

    /// Takes a line.
    pub fn line(&mut self, text: &str, span: [u64; 2], out: &mut Out) -> Option<Said> {
        if self.listing {
            self.listing = text.starts_with(['\t', ' ']) || text.is_empty();
            if text.starts_with('\t') {
                self.listed(text.trim(), span);
            }
        }
        if let Some(rest) = text.strip_prefix("Test case '") {
            self.case(rest, span, out);
        } else if text.starts_with("Test suite '") && text.contains("' started on '") {
            self.open = true;
        } else if text == "Failing tests:" {
            self.listing = true;
        } else if text == "Command line invocation:" || text.starts_with("=== BUILD TARGET ") {
            self.spoke = true;
        } else if let Some(word) = text.strip_prefix("** ").and_then(|text| text.split_once(" **")) {
            return self.last_word(word.0);
        }
        None
    }

    /// `Cart.total()' failed on 'Clone 1 of iPhone 13 mini - xctest (59522)' (0.278 seconds)`
    fn case(&mut self, rest: &str, span: [u64; 2], out: &mut Out) {
        let Some((id, what)) = rest.split_once("' ") else { return };
        if !what.contains(" on '") {
            return;
        }
        self.open = true;
        out.tests_seen += 1;
        let outcome = if what.starts_with("passed on ") {
            self.passed += 1;
            TestOutcome::Passed
        } else if what.starts_with("skipped on ") {
            self.skipped += 1;
            TestOutcome::Skipped
        } else {
            if what.starts_with("failed on ") {
                self.failed += 1;
                self.held.push(Failure { id: Some(id.to_owned()), span: Some(span), ..Failure::default() });
            }
            return;
        };
        out.test(Test { id: id.to_owned(), outcome, duration_ms: None });
    }

    /// A name of the list, which tells of no more than that it failed.
    fn listed(&mut self, name: &str, span: [u64; 2]) {
        let same = |id: &str| {
            let method = |id: &str| {
                id.trim_end_matches("()").trim_end_matches(']').rsplit(['.', ' ']).next().map(str::to_owned)
            };
            method(id) == method(name)
        };
        let known = self.held.iter_mut().any(|failure| failure.id.as_deref().is_some_and(same));
        if self.open && !known {
            self.held.push(Failure { id: Some(name.to_owned()), span: Some(span), ..Failure::default() });
        }
    }

    fn last_word(&mut self, word: &str) -> Option<Said> {
        let red = word.ends_with("FAILED");
        if word.starts_with("BUILD") && red || word == "TEST BUILD FAILED" {
            self.spoke = true;
            return Some(Said::BuildFailed);
        }
        if !word.starts_with("TEST") || !(red || word.ends_with("SUCCEEDED")) {
            return None;
        }
        let counts = match self.open {
            true => Counts {
                passed: Some(self.passed),
                failed: Some(self.failed),
                errored: None,
                skipped: Some(self.skipped),
            },
            false => Counts::default(),
        };
        let says = match (red || self.failed > 0, self.passed) {
            (true, _) => Says::Red,
            (false, 1..) => Says::Green,
            (false, 0) => Says::NoTests,
        };
        let held = std::mem::take(&mut self.held);
        *self = Xcode { held, spoke: true, ..Xcode::default() };
        Some(Said::Tested(Closing { says, counts, duration_ms: None, message: None }))
    }
}

//! What a result file of .NET's runners (TRX, NUnit's, xUnit.net's) comes down to: failures, tests, counts.

use super::Fault;
use crate::held::Held;
use crate::machine::{Closing, Out, Says};
use crate::xml::{Document, Element};
use bv_schemas::{Counts, Failure, Kind, Reason, Test, TestOutcome};

/// Collected while a document is walked.
#[derive(Debug, Default)]
pub struct Report {
    held: Held,
    tests: Vec<Test>,
    /// Failures that are no test's: a fixture's, a load error; the runner counts no test for them.
    beside: u64,
    /// Load errors among those.
    unloaded: u64,
    /// What the file says of itself.
    pub counts: Counts,
    /// The file's own word for a run that failed, whatever it counts.
    pub is_red: bool,
    /// Milliseconds.
    pub duration_ms: Option<u64>,
}

impl Report {
    /// One test that failed.
    pub fn failed(&mut self, fault: &Fault, element: &Element, document: &Document) -> &mut Failure {
        let mut failure = fault.failure();
        failure.span = document.span(element.at[0], element.at[1]);
        self.hold(failure)
    }

    /// Something outside of all tests failed.
    pub fn failed_beside(&mut self, mut failure: Failure, element: &Element, document: &Document) {
        self.beside += 1;
        self.unloaded += u64::from(failure.kind == Kind::CollectionError);
        failure.span = document.span(element.at[0], element.at[1]);
        self.hold(failure);
    }

    /// One that did not.
    pub fn ended(&mut self, id: &str, outcome: TestOutcome, duration_ms: Option<u64>) {
        self.tests.push(Test { id: id.to_owned(), outcome, duration_ms });
    }

    /// Says all of it; a document that is cut off closes nothing.
    pub fn say(mut self, whole: bool, out: &mut Out) {
        let named = self.held.len();
        out.tests_seen += named + self.tests.len() as u64;
        self.tests.drain(..).for_each(|test| out.test(test));
        self.held.say(out);
        if !whole {
            return;
        }
        let red = self.counts.failed.unwrap_or(0) + self.counts.errored.unwrap_or(0);
        out.unnamed(red.saturating_sub(named - self.beside));
        let passed = self.counts.passed.unwrap_or(0);
        let says = match (red.max(named), passed) {
            (0, _) if self.is_red => Says::Red,
            (0, 0) => Says::NoTests,
            (0, _) => Says::Green,
            (_, 0) if red == 0 && named == self.unloaded => Says::Refused(Reason::CollectionError),
            _ => Says::Red,
        };
        out.close(Closing { says, counts: self.counts, duration_ms: self.duration_ms, message: None });
    }

    fn hold(&mut self, failure: Failure) -> &mut Failure {
        self.held.push(failure);
        // Over the bound the last one takes what is meant for this.
        self.held.last_mut().expect("one was just held")
    }
}

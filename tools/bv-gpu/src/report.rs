//! The event stream: failures as they are found, and one verdict.
//!
//! What is counted is a rule held against a vector: a rule over 10,000 vectors counts 10,000 times, `compile`,
//! `link` and `limits` once each. A failure stands for one rule of one check, whatever the number of vectors that
//! break it.

use bv_schemas::{Counts, End, Failure, Kind, Outcome, Reason, Record, ndjson};
use std::io::{self, Write};

/// The stream of one run.
#[derive(Debug)]
pub struct Report<W> {
    output: W,
    passed: u64,
    failed: u64,
    errored: u64,
    skipped: u64,
    /// Failures other than of the front end.
    drawn: u64,
    refusal: Option<(Reason, String)>,
}

impl<W: Write> Report<W> {
    /// An empty one.
    pub fn new(output: W) -> Report<W> {
        Report { output, passed: 0, failed: 0, errored: 0, skipped: 0, drawn: 0, refusal: None }
    }

    /// So many times a rule held.
    pub fn passed(&mut self, times: u64) {
        self.passed += times;
    }

    /// So many rules were not held against anything.
    pub fn skipped(&mut self, rules: u64) {
        self.skipped += rules;
    }

    /// A rule that does not hold of so many vectors, or a shader that could not be compiled or drawn.
    ///
    /// # Errors
    /// Those of the output.
    pub fn failure(&mut self, failure: Failure, times: u64) -> io::Result<()> {
        match failure.kind {
            Kind::Crash | Kind::Timeout => self.errored += times,
            _ => self.failed += times,
        }
        self.drawn += u64::from(failure.kind != Kind::CompileError);
        ndjson::write(&mut self.output, &Record::Failure(Box::new(failure)))?;
        self.output.flush()
    }

    /// Something kept rules from being held; the first reason stands.
    pub fn refuse(&mut self, reason: Reason, why: String) {
        self.refusal.get_or_insert((reason, why));
    }

    /// The verdict.
    ///
    /// # Errors
    /// Those of the output.
    pub fn end(mut self) -> io::Result<()> {
        let red = self.failed + self.errored > 0;
        let (outcome, refusal) = match self.refusal.take() {
            // Nothing but the front end could speak: no rule was held against anything drawn or compiled.
            None if red && self.drawn == 0 && self.passed == 0 => (
                Outcome::Refused,
                Some((Reason::CompileError, "no shader pair compiles and links".to_owned())),
            ),
            Some(refusal) if !red => (Outcome::Refused, Some(refusal)),
            _ if red => (Outcome::Failed, None),
            _ if self.passed == 0 => {
                (Outcome::Refused, Some((Reason::NoTests, "no rule was held against anything".to_owned())))
            }
            _ => (Outcome::Passed, None),
        };
        let (reason, message) = refusal.unzip();
        let said = |n: u64| Some(n).filter(|n| *n > 0);
        let end = End {
            outcome,
            reason,
            message,
            runner: "bv-gpu".into(),
            counts: Counts {
                passed: Some(self.passed),
                failed: Some(self.failed),
                errored: said(self.errored),
                skipped: said(self.skipped),
            },
            ..End::default()
        };
        ndjson::write(&mut self.output, &Record::End(Box::new(end)))?;
        self.output.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kinds with how often, times passed, and a refusal, to outcome and reason.
    fn check(failures: &[(Kind, u64)], passed: u64, refusal: Option<Reason>, expected: (&str, Option<&str>)) {
        let mut written = Vec::new();
        let mut report = Report::new(&mut written);
        report.passed(passed);
        for (kind, times) in failures {
            let failure = Failure { kind: *kind, ..Failure::default() };
            report.failure(failure, *times).expect("memory does not fail");
        }
        if let Some(reason) = refusal {
            report.refuse(reason, "why".into());
        }
        report.end().expect("memory does not fail");
        let last = written.split(|byte| *byte == b'\n').rfind(|line| !line.is_empty()).unwrap_or_default();
        let end: serde_json::Value = serde_json::from_slice(last).expect("JSON");
        assert_eq!(
            (end["outcome"].as_str(), end["reason"].as_str()),
            (Some(expected.0), expected.1),
            "{end}"
        );
    }

    #[test]
    fn the_verdict() {
        check(&[], 3, None, ("passed", None));
        check(&[], 0, None, ("refused", Some("no_tests")));
        check(&[], 3, Some(Reason::NoAdapter), ("refused", Some("no_adapter")));
        check(&[(Kind::Property, 5)], 3, None, ("failed", None));
        check(&[(Kind::Property, 5)], 0, Some(Reason::NoAdapter), ("failed", None));
        check(&[(Kind::Timeout, 1)], 0, None, ("failed", None));
        check(&[(Kind::CompileError, 1)], 0, None, ("refused", Some("compile_error")));
        check(&[(Kind::CompileError, 1)], 1, None, ("failed", None));
        check(&[(Kind::CompileError, 1), (Kind::Crash, 1)], 0, None, ("failed", None));
    }
}

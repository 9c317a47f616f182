//! What a receipt says, before it is shortened: from the stream, the rules and the sources.
//!
//! In comes a stream that was read, out go receipts of any length. The words of a log become values here, never
//! keys, but for the names of inputs inside `minimal_counterexample`.

use crate::cause::{self, Cause, causes_by};
use crate::infer::Inference;
use crate::locate::Sources;
use crate::read::Stream;
use crate::rules::Rules;
use crate::verdict::{Verdict, verdict};
use bv_schemas::{Failure, Kind, Location, Receipt, State, Status, rule};

/// What receipts are made from.
pub struct Composer<'run> {
    /// What came in.
    pub stream: &'run Stream,
    /// The rules file.
    pub rules: &'run Rules,
    /// The sources under the root.
    pub sources: &'run Sources,
    /// What the failures' texts do not say.
    pub inference: &'run Inference,
}

impl Composer<'_> {
    /// The receipt of the whole run.
    pub fn whole(&self) -> Receipt {
        let verdict = verdict(self.stream);
        let causes = self.causes();
        let mut receipt = self.receipt(&verdict, causes.first());
        if verdict != Verdict::Passed {
            let named = self.stream.seen;
            let counted = self.stream.end.as_ref().map_or(0, |end| end.counts.red());
            let failures = named.max(counted);
            receipt.failures = Some(failures).filter(|&n| n > 1);
            // With failures that were not looked at, nobody knows how many causes they have.
            let all_are_grouped = failures == self.stream.failures.len() as u64;
            receipt.distinct = Some(causes.len() as u64).filter(|_| all_are_grouped && failures > 1);
        }
        receipt
    }

    /// One receipt for each cause; that of the whole run where no failure is named.
    pub fn each_cause(&self) -> Vec<Receipt> {
        self.each(&self.causes())
    }

    /// One receipt for each failure, in the order of the stream; that of the whole run where none is named.
    pub fn each_failure(&self) -> Vec<Receipt> {
        let alone = |first| Cause { first, failures: 1 };
        self.each(&(0..self.stream.failures.len()).map(alone).collect::<Vec<_>>())
    }

    fn each(&self, causes: &[Cause]) -> Vec<Receipt> {
        let verdict = verdict(self.stream);
        if causes.is_empty() {
            return vec![self.whole()];
        }
        let one = |cause: &Cause| {
            let failures = Some(cause.failures).filter(|&n| n > 1);
            Receipt { failures, ..self.receipt(&verdict, Some(cause)) }
        };
        causes.iter().map(one).collect()
    }

    fn causes(&self) -> Vec<Cause> {
        causes_by(&self.stream.failures, |index| self.inference.for_failure(index)?.cause)
    }

    fn receipt(&self, verdict: &Verdict, cause: Option<&Cause>) -> Receipt {
        let failure = cause.and_then(|cause| self.stream.failures.get(cause.first));
        let mut receipt = match verdict {
            Verdict::Passed => self.passed(),
            Verdict::Failed => failure.map_or_else(|| self.unnamed(), |failure| self.failed(failure)),
            Verdict::Refused { rule, reason } => self.refused(rule, reason, failure),
        };
        if let Some(cause) = cause {
            self.infer(&mut receipt, cause);
        }
        receipt.trace = self.stream.end.as_ref().and_then(|end| end.trace.clone());
        receipt
    }

    /// Puts the inferred place where the printed one is only a test's.
    fn infer(&self, receipt: &mut Receipt, cause: &Cause) {
        let Some(inferred) = self.inference.for_failure(cause.first) else { return };
        let place = |at: &Location| (at.file.clone(), at.symbol.clone());
        if receipt.ast_location.as_ref().map(place) == Some(place(&inferred.location)) {
            // It is what the text says, to the line: no inference.
            return;
        }
        let printed = receipt.ast_location.replace(inferred.location.clone());
        receipt.asserted_at = printed.map(|at| match at.line {
            Some(line) => format!("{}:{line}", at.file),
            None => at.file,
        });
        receipt.suspects.clone_from(&inferred.suspects);
    }

    fn passed(&self) -> Receipt {
        let counts = self.stream.end.as_ref().map(|end| end.counts).unwrap_or_default();
        Receipt {
            status: Status::Passed,
            vectors_verified: Some(counts.passed.unwrap_or(0)),
            skipped: counts.skipped.filter(|&n| n > 0),
            ..Receipt::default()
        }
    }

    fn failed(&self, failure: &Failure) -> Receipt {
        let constraint = self.rules.constraint(failure);
        let (rule, words) = match constraint {
            Some(broken) => (broken.id, broken.invariant),
            None => (rule::named(failure), None),
        };
        Receipt { status: status(failure.kind), ..self.details(failure, rule, words) }
    }

    /// Failures that the runner counts and does not name.
    fn unnamed(&self) -> Receipt {
        let counts = self.stream.end.as_ref().map(|end| end.counts).unwrap_or_default();
        let only_errors = counts.errored.unwrap_or(0) > 0 && counts.failed.unwrap_or(0) == 0;
        Receipt {
            status: if only_errors { Status::RuntimeException } else { Status::FailedAssertion },
            failed_rule_id: Some("bv.unnamed_failures".into()),
            ..Receipt::default()
        }
    }

    /// A refusal says what kept the run from a verdict; with it goes what is known of the first failure.
    fn refused(&self, rule: &str, reason: &str, failure: Option<&Failure>) -> Receipt {
        let bare = Receipt {
            status: Status::RefusedPrecondition,
            failed_rule_id: Some(rule.into()),
            reason: Some(reason.into()),
            ..Receipt::default()
        };
        let Some(failure) = failure else { return bare };
        let better = self.rules.constraint(failure).filter(|_| self.stream.broken.is_none());
        let (id, words) = better.map_or((rule.to_owned(), None), |broken| (broken.id, broken.invariant));
        Receipt { status: bare.status, reason: bare.reason, ..self.details(failure, id, words) }
    }

    /// Everything about a failure but the verdict.
    fn details(&self, failure: &Failure, rule: String, words: Option<String>) -> Receipt {
        let is_error = status(failure.kind) == Status::RuntimeException;
        let place = [&failure.fault, &failure.test].into_iter().flatten().find(|place| place.file.is_some());
        let test_id = failure.id.clone().filter(|id| *id != rule);
        let remembered = failure.state.filter(|&state| state != State::New);
        let message = failure.message.clone();
        // A compiler prints sides as well; its message is the error's, not an invariant.
        let sides = !is_error || cause::is_load_error(failure.kind);
        let invariant = words.or_else(|| failure.expected.clone()).filter(|_| sides);
        Receipt {
            failed_rule_id: Some(rule),
            minimal_counterexample: failure.counterexample.clone(),
            observed_output: failure.observed.clone().filter(|_| sides),
            expected_invariant: if is_error { invariant } else { invariant.or_else(|| message.clone()) },
            exception_type: failure.exception_type.clone(),
            exception_msg: message.filter(|_| is_error),
            ast_location: place.and_then(|place| self.sources.locate(place)),
            test_id,
            vector_index: failure.vector_index,
            state: remembered,
            attempt: failure.attempt.filter(|_| remembered.is_some()),
            ..Receipt::default()
        }
    }
}

fn status(kind: Kind) -> Status {
    match kind {
        Kind::Assertion | Kind::Snapshot | Kind::Property | Kind::Lint => Status::FailedAssertion,
        Kind::Exception | Kind::Crash | Kind::Timeout | Kind::SetupError => Status::RuntimeException,
        // Where they kept every test from running, the verdict is a refusal and this is not asked.
        Kind::CompileError | Kind::CollectionError => Status::RuntimeException,
    }
}

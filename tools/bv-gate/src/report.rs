//! The event stream: one `failure` a vector that fails, one `end`.

use crate::refusal::Refusal;
use crate::source::Vector;
use crate::talk::{Trouble, What};
use crate::words::{TEXT_BYTES_MAX, head};
use bv_schemas::{Check, Counts, End, ExitStatus, Kind, Outcome, Place, Reason, Record, ndjson};
use serde::Serialize;
use serde_json::value::RawValue;
use signal_hook::low_level::signal_name;
use std::io::{self, Write};
use std::os::unix::process::ExitStatusExt;
use std::process;

/// The members of `bv_schemas::Failure` that a gate fills, in their order there. The counterexample is
/// the vector's own text: as a value, its numbers could become others.
#[derive(Debug, Default, Serialize)]
pub struct Failure<'a> {
    #[serde(rename = "type")]
    record: Type,
    /// What sort of failure it is.
    pub kind: Kind,
    /// What went wrong, on one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// An exception's type, a signal's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exception_type: Option<String>,
    /// What must hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// The output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed: Option<String>,
    /// The input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counterexample: Option<&'a RawValue>,
    /// Where an exception was raised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<Place>,
    /// The rule's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Further checks that the same output breaks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Check>,
    /// The vector's number in its file, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vector_index: Option<u64>,
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "snake_case")]
enum Type {
    #[default]
    Failure,
}

impl Failure<'_> {
    /// The same failure, of this vector.
    pub fn of(self, vector: &Vector) -> Failure<'_> {
        Failure {
            // It was JSON when it was read.
            counterexample: serde_json::from_str(&vector.input).ok(),
            rule: Some(vector.rule_id.clone()),
            vector_index: vector.index,
            ..self
        }
    }

    /// The same failure with a reservation behind its message.
    pub fn but(mut self, words: &str) -> Self {
        let message = self.message.unwrap_or_default();
        self.message = Some(format!("{message}; {words}"));
        self
    }
}

/// An output that breaks these checks, of which there is one at least.
pub fn broken(mut checks: Vec<Check>) -> Failure<'static> {
    if checks.is_empty() {
        return Failure::default();
    }
    let first = checks.remove(0);
    let also = checks.into_iter().map(|check| Check { observed: None, ..check }).collect();
    let (message, expected, observed) = (first.message, first.expected, first.observed);
    Failure { kind: Kind::Assertion, message, expected, observed, also, ..Failure::default() }
}

/// An output in which `word` stands for a number.
pub fn not_finite(output: &str, word: &str, words: Option<String>) -> Failure<'static> {
    Failure {
        kind: Kind::Assertion,
        message: Some(format!("the output holds {word}, which no JSON number is")),
        expected: words,
        observed: Some(head(output, TEXT_BYTES_MAX)),
        ..Failure::default()
    }
}

/// What the candidate says kept it from an output.
pub fn exception(kind: Option<String>, message: Option<String>, place: Place) -> Failure<'static> {
    Failure {
        kind: Kind::Exception,
        message,
        exception_type: kind,
        fault: Some(place).filter(|place| *place != Place::default()),
        ..Failure::default()
    }
}

/// What kept the candidate from an answer.
pub fn trouble(trouble: &Trouble, timeout: &str) -> Failure<'static> {
    let (kind, exception_type, what) = match &trouble.what {
        What::Ended(status) if status.success() => {
            (Kind::Crash, None, format!("{} without an answer", ending(*status)))
        }
        What::Ended(status) => (Kind::Crash, signal(*status), ending(*status)),
        What::Closed => (Kind::Crash, None, "closed its output".into()),
        What::TimedOut => (Kind::Timeout, None, format!("no answer within {timeout}")),
        What::Garbled(what) => (Kind::SetupError, None, what.clone()),
        What::Surplus(line) => (Kind::SetupError, None, format!("more than one answer: {line}")),
    };
    let died = matches!(trouble.what, What::Ended(_) | What::Closed);
    let message = match &trouble.last_words {
        Some(words) if died => format!("{what}: {words}"),
        _ => what,
    };
    let message = Some(head(&message, TEXT_BYTES_MAX));
    Failure { kind, message, exception_type, ..Failure::default() }
}

/// How a process ended, in words.
pub fn ending(status: process::ExitStatus) -> String {
    match (signal(status), status.code()) {
        (Some(signal), _) => format!("ended by {signal}"),
        (None, Some(code)) => format!("ended with exit status {code}"),
        (None, None) => "ended".into(),
    }
}

fn signal(status: process::ExitStatus) -> Option<String> {
    let number = status.signal()?;
    Some(signal_name(number).map_or_else(|| format!("signal {number}"), str::to_owned))
}

/// Writes the stream and counts.
#[derive(Debug)]
pub struct Report<W> {
    output: W,
    /// Vectors of which all checks held.
    pub verified: u64,
    /// Failure records written.
    pub failed: u64,
}

impl<W: Write> Report<W> {
    /// An empty stream on `output`.
    pub fn new(output: W) -> Report<W> {
        Report { output, verified: 0, failed: 0 }
    }

    /// Writes one failure; it can be read downstream at once.
    ///
    /// # Errors
    /// Those of the output.
    pub fn failure(&mut self, failure: &Failure<'_>) -> io::Result<()> {
        self.failed += 1;
        ndjson::write(&mut self.output, failure)?;
        self.output.flush()
    }

    /// Writes the verdict: what failed outweighs what was refused, and nothing verified is no pass.
    ///
    /// # Errors
    /// Those of the output.
    pub fn end(&mut self, closing: Closing) -> io::Result<()> {
        let some = |n: u64| Some(n).filter(|&n| n > 0);
        let counts = Counts {
            passed: Some(self.verified),
            failed: some(self.failed),
            errored: None,
            skipped: some(closing.skipped),
        };
        let none = || (self.verified == 0).then(|| no_vectors(closing.skipped));
        let (outcome, refusal) = match closing.refusal.or_else(none) {
            _ if self.failed > 0 => (Outcome::Failed, None),
            Some(refusal) => (Outcome::Refused, Some(refusal)),
            None => (Outcome::Passed, None),
        };
        let (reason, message) = refusal.map(|refusal| (refusal.reason, refusal.message)).unzip();
        let (runner, command) = ("bv-gate".into(), closing.command);
        let exit = closing.exit.map(exit_status);
        let end = End { outcome, reason, message, runner, counts, command, exit, ..End::default() };
        ndjson::write(&mut self.output, &Record::End(Box::new(end)))?;
        self.output.flush()
    }
}

/// What the `end` record says beside its counts.
#[derive(Debug, Default)]
pub struct Closing {
    /// Vectors that did not apply.
    pub skipped: u64,
    /// The candidate.
    pub command: Vec<String>,
    /// Why nothing can be said, if so.
    pub refusal: Option<Refusal>,
    /// How the candidate ended once all was answered, where it did so by itself.
    pub exit: Option<process::ExitStatus>,
}

fn no_vectors(skipped: u64) -> Refusal {
    let message = match skipped {
        0 => "no vectors were given".into(),
        1 => "the only vector does not meet its precondition".into(),
        n => format!("none of {n} vectors meets its precondition"),
    };
    Refusal { reason: Reason::NoVectors, message }
}

/// The status as the `end` record has it.
fn exit_status(status: process::ExitStatus) -> ExitStatus {
    match (status.code(), signal(status)) {
        (Some(code), _) => ExitStatus::Code((code & 0xff) as u8),
        (None, signal) => ExitStatus::Words(format!("signal {}", signal.unwrap_or_default())),
    }
}

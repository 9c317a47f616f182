//! The records of the event stream (bv/1): any number of `failure` and `test`, then exactly one `end`.
//!
//! One JSON object a line, `"type"` first. An absent field means that the runner did not say; `null` is
//! never written, and a field never holds a guess.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One line of the stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Record {
    /// One failing test, vector, check or diagnostic.
    Failure(Box<Failure>),
    /// One test that did not fail; only written by `bv-parse --all`.
    Test(Test),
    /// The verdict on the run: exactly one, and the last record.
    End(Box<End>),
}

/// One failing test, vector, check or diagnostic.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Failure {
    /// The runner's own full name of the test, as it prints it (`tests/test_a.py::test_b[case0]`);
    /// absent for a diagnostic that belongs to no test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What sort of failure it is.
    #[serde(default)]
    pub kind: Kind,
    /// What the runner says went wrong, one line, as printed, without severity labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// As printed (`ZeroDivisionError`, `E0308`, `SIGSEGV`); absent where the runner names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exception_type: Option<String>,
    /// The side that must hold, in the runner's own rendering.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// The side that was seen, in the runner's own rendering.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed: Option<String>,
    /// Input name to value: JSON where the printed value is JSON, else the printed string.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counterexample: Option<Map<String, Value>>,
    /// The failing assertion or call inside the test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<Place>,
    /// The deepest frame in the user's own code of the exception that finally surfaced; absent when
    /// it is the same as `test`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Place>,
    /// The user's own frames, innermost first, at most [`FRAMES_MAX`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(length(max = 16)))]
    pub frames: Vec<Place>,
    /// Constraint id, when known: a gate's rule, a linter's or compiler's code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Further failed checks of the same test; there is one `failure` a test.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Check>,
    /// Which vector of the gate's file, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vector_index: Option<u64>,
    /// The graphics adapter that a pixel check ran on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adapter: Option<String>,
    /// `[first byte, past last byte]` of this failure's block in the raw stream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<[u64; 2]>,
    /// Added by bv-minimize.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimized: Option<Minimized>,
    /// Added by bv-memory: what is known of this failure from earlier runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<State>,
    /// Added by bv-memory: how often this failure has been seen, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u64>,
    /// Added by bv-memory: the trace hash of the run in which it was first seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
}

/// Frames kept in one failure.
pub const FRAMES_MAX: usize = 16;

/// What sort of failure it is; it decides the receipt's `status`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A check of the test did not hold.
    #[default]
    Assertion,
    /// An error that no check raised.
    Exception,
    /// The test, or what it called, ran out of time.
    Timeout,
    /// The process died: a signal, a sanitizer's report, a data race.
    Crash,
    /// A compiler refused the code.
    CompileError,
    /// The runner could not load the tests.
    CollectionError,
    /// A fixture or hook around the test failed.
    SetupError,
    /// A stored snapshot differs.
    Snapshot,
    /// A property has a counterexample.
    Property,
    /// A finding of a linter, formatter or type checker.
    Lint,
}

/// A place in the source, as the runner prints it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Place {
    /// Path as printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// 1-based.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Function or method as printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
}

/// A further failed check of the same test.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Check {
    /// 1-based line of the check.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// As [`Failure::message`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// As [`Failure::expected`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// As [`Failure::observed`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed: Option<String>,
}

/// What bv-minimize did to the counterexample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Minimized {
    /// Bytes before.
    pub from_bytes: u64,
    /// Bytes after.
    pub to_bytes: u64,
    /// Oracle calls.
    pub calls: u64,
    /// Whether the search ended by itself, not by a limit.
    pub complete: bool,
    /// Share of repeats in which the failure came back, 0 to 1; absent when always.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reproduces: Option<f64>,
}

/// What bv-memory knows of a failure from earlier runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Not seen before.
    New,
    /// Failed in the run before, too.
    Still,
    /// Was fixed, is broken again.
    Regressed,
    /// Both outcomes on the same state of the code.
    Flaky,
}

/// One test that did not fail.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Test {
    /// The runner's own full name of the test.
    pub id: String,
    /// How it ended.
    pub outcome: TestOutcome,
    /// Milliseconds as the runner reports them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

/// How a test that did not fail ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TestOutcome {
    /// It ran and held.
    Passed,
    /// It did not run.
    Skipped,
    /// It failed as its author expected.
    Xfailed,
    /// It passed although its author expected a failure, and the runner does not mind.
    Xpassed,
    /// It is announced, not written.
    Todo,
    /// It failed, was run again by the runner, and passed.
    Flaky,
}

/// The verdict on the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct End {
    /// The verdict.
    pub outcome: Outcome,
    /// Why the run was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// The reason in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The runner that decides the verdict; `unknown` where none was recognised.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub runner: String,
    /// All runners that spoke, when several did, in the order of their first words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runners: Vec<String>,
    /// As the runner reports them, summed over runners and sections.
    #[serde(default, skip_serializing_if = "Counts::is_empty")]
    pub counts: Counts,
    /// What was run, from the `bv-run:` line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// How it ended, from the `bv-exit:` line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<ExitStatus>,
    /// Milliseconds as the runner reports them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// The raw bytes that were read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
}

/// The verdict. Unknown is never `passed`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The runner itself says that at least one test ran and none failed.
    Passed,
    /// Something failed.
    Failed,
    /// Nothing can be said of the code: see [`Reason`].
    #[default]
    Refused,
}

/// Why a run was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// No byte but white space came in.
    NoInput,
    /// No known runner spoke.
    UnrecognisedOutput,
    /// The runner ran no test.
    NoTests,
    /// A compiler error kept every test from running.
    CompileError,
    /// The runner could not load the tests.
    CollectionError,
    /// The command could not be started, or refused its own arguments or configuration.
    NotRunnable,
    /// The output ends before the runner's closing statement.
    Truncated,
    /// The time limit ended the run before a failure was seen.
    Timeout,
    /// The runner says green, the exit status does not.
    ExitContradicts,
    /// The stream between the stages is broken.
    BrokenStream,
    /// bv-gpu: no graphics adapter.
    NoAdapter,
    /// bv-gpu: the check needs what the adapter lacks.
    UnsupportedFeature,
    /// A file that the check names is missing.
    MissingFile,
    /// The check or vector cannot be read.
    BadInput,
    /// bv-gate: no vector applied.
    NoVectors,
}

/// Tests as the runner itself counts them; a key is absent where nothing says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Counts {
    /// Ran and held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passed: Option<u64>,
    /// Ran and did not hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<u64>,
    /// Could not be run to their end (pytest and unittest "errors").
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errored: Option<u64>,
    /// Left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<u64>,
}

impl Counts {
    /// Whether nothing is said at all.
    pub fn is_empty(&self) -> bool {
        *self == Counts::default()
    }

    /// Adds `other` key by key; a key that only one side has keeps that side's number.
    pub fn add(&mut self, other: &Counts) {
        fn sum(to: &mut Option<u64>, from: Option<u64>) {
            if let Some(n) = from {
                *to = Some(to.unwrap_or(0).saturating_add(n));
            }
        }
        sum(&mut self.passed, other.passed);
        sum(&mut self.failed, other.failed);
        sum(&mut self.errored, other.errored);
        sum(&mut self.skipped, other.skipped);
    }

    /// Tests that failed or errored, where anything says so.
    pub fn red(&self) -> u64 {
        self.failed.unwrap_or(0).saturating_add(self.errored.unwrap_or(0))
    }
}

/// How the command ended: its exit code, or words (`signal SIGSEGV`, `timeout 30s`, `cannot run: …`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum ExitStatus {
    /// An exit code, 0 to 255.
    Code(u8),
    /// Anything else that the `bv-exit:` line says.
    Words(String),
}

/// The raw bytes that were read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Trace {
    /// BLAKE3, 64 hex digits.
    pub hash: String,
    /// How many bytes.
    pub bytes: u64,
    /// How many lines, an unended last one included.
    pub lines: u64,
    /// Added by bv-memory: the bytes lie in its store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archived: Option<bool>,
}

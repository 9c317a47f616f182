//! The words of a TOML file of formats, as serde reads them: every key that there is, and no other.
//!
//! The README describes the keys; `pipelines/formats.toml` is a whole example. Patterns are regular expressions
//! of the crate `regex`: linear time on any line, so no look-around and no back-references. What a pattern
//! catches by name (`(?<id>...)`) goes into the field of that name:
//!
//! - of a failure: `id`, `file`, `line`, `function`, `message`, `expected`, `observed`, `exception`, `rule`;
//!   `fault_file`, `fault_line`, `fault_function` (the place in the product, where it is another one);
//!   `input_NAME` (a value of the counterexample); `column` (read and left out, records have none);
//! - of `summary` and `counts`: `passed`, `failed`, `errored`, `skipped`, `total`, `seconds`, `milliseconds`;
//! - of `test`: `id`, `seconds`, `milliseconds`.

use bv_schemas::{Kind, Outcome, Reason, TestOutcome};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// Its formats.
    #[serde(default)]
    pub format: Vec<Format>,
}

/// `[[format]]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Format {
    /// The runner's name in records; none of the table's.
    pub name: String,
    /// Its commands, so that a missing one is told by its name.
    #[serde(default)]
    pub commands: Vec<String>,
    /// Texts of which one stands in every line that begins something; derived from the patterns where absent.
    #[serde(default)]
    pub needles: Vec<String>,
    /// What sort its failures are unless they say otherwise.
    #[serde(default)]
    pub kind: Kind,
    /// A run begins: it must come to a summary before anything can pass.
    pub start: Option<String>,
    /// Lines with numbers before the summary that closes.
    #[serde(default)]
    pub counts: Vec<String>,
    /// `[[format.failure]]`
    #[serde(default)]
    pub failure: Vec<Failure>,
    /// `[[format.test]]`
    #[serde(default)]
    pub test: Vec<Test>,
    /// `[[format.summary]]`
    #[serde(default)]
    pub summary: Vec<Summary>,
    /// `[[format.example]]`
    #[serde(default)]
    pub example: Vec<Example>,
}

/// `[[format.failure]]`: one line, or a block of them.
///
/// A block ends behind the line that `last` fits, before the one that `until` fits, or, with neither, before
/// the first line that none of `lines` fits.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// Its first line.
    pub first: String,
    /// What the lines below it carry; the first that fits is taken.
    #[serde(default)]
    pub lines: Vec<Detail>,
    /// The block's last line.
    pub last: Option<String>,
    /// The line behind the block, which is none of it.
    pub until: Option<String>,
    /// What sort it is.
    pub kind: Option<Kind>,
}

/// A line of a block: a pattern, or a pattern and what it says of the failure's sort.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Detail {
    /// The pattern alone.
    Line(String),
    /// With a sort.
    Of {
        /// The pattern.
        line: String,
        /// A failure that has such a line is of this sort.
        kind: Kind,
    },
}

/// `[[format.test]]`: a line that says of one test that it did not fail.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Test {
    /// The pattern.
    pub line: String,
    /// How the test ended.
    pub outcome: TestOutcome,
}

/// `[[format.summary]]`: the runner's closing statement.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// The pattern.
    pub line: String,
    /// What it says; its numbers decide where this is absent.
    pub says: Option<Word>,
}

/// What a closing statement says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Word {
    /// At least one test ran and none failed; a number that says otherwise counts more.
    Passed,
    /// Something failed.
    Failed,
    /// No test ran.
    NoTests,
}

/// `[[format.example]]`: what must come of a text.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// The runner's output; a line `bv-exit: 0` behind it counts as everywhere.
    pub text: String,
    /// The verdict.
    pub outcome: Outcome,
    /// Why it is refused.
    pub reason: Option<Reason>,
    /// The numbers that must be said, and no other.
    #[serde(default)]
    pub counts: BTreeMap<String, u64>,
    /// The failures, in the order said: each with all the fields that it must have, by the names that patterns
    /// catch them under.
    #[serde(default)]
    pub failures: Vec<BTreeMap<String, serde_json::Value>>,
    /// The tests that did not fail, by their outcome; not held where absent.
    pub tests: Option<BTreeMap<String, TestOutcome>>,
}

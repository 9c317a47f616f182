//! The receipt: one line of JSON, at most [`BYTES_MAX`] bytes without its newline, keys in this order.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Default bound of a receipt in bytes, its newline not counted.
pub const BYTES_MAX: usize = 400;
/// The smallest bound that can be asked for.
pub const BYTES_MIN: usize = 160;

/// What a harness reads. Absent means unknown; `null` is never written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Receipt {
    /// The verdict.
    pub status: Status,
    /// Passed: tests or vectors that passed; 0 for a checker that is silent when all is well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vectors_verified: Option<u64>,
    /// Passed: tests left out, when any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<u64>,
    /// Not passed: the rule, else the test, else `bv.REASON`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_rule_id: Option<String>,
    /// The input that breaks the rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimal_counterexample: Option<Map<String, Value>>,
    /// The observed side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_output: Option<String>,
    /// The rule's words, else the expected side, else the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_invariant: Option<String>,
    /// The error's type as printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exception_type: Option<String>,
    /// The error's message as printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exception_msg: Option<String>,
    /// Refused: why, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The place that is implicated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ast_location: Option<Location>,
    /// Inferred location: the `file:line` that was printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asserted_at: Option<String>,
    /// Inferred location: the next candidates when unsure.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suspects: Vec<String>,
    /// What to run again, where `failed_rule_id` is not it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test_id: Option<String>,
    /// How many failed, when more than one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failures: Option<u64>,
    /// How many causes they have, when more than one failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distinct: Option<u64>,
    /// Which vector of the gate's file, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vector_index: Option<u64>,
    /// From bv-memory, where other than new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<crate::State>,
    /// From bv-memory, where the state is other than new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u64>,
    /// First 12 hex digits of the archived trace's hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
}

/// The verdict as the receipt words it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// All that ran held, and something ran.
    Passed,
    /// A check did not hold.
    FailedAssertion,
    /// An error, a crash or a time-out.
    RuntimeException,
    /// Nothing can be said of the code.
    #[default]
    RefusedPrecondition,
}

/// A place in the source under the root.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Location {
    /// Path relative to the root; as printed where it is not found there.
    pub file: String,
    /// Enclosing function or method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// First and last line of the symbol, 1-based; `[line, line]` without a symbol.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<[u64; 2]>,
    /// 1-based.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// True where the place is inferred, not printed; else absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inferred: Option<bool>,
}

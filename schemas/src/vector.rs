//! Test vectors and the answers to them: what whoever writes vectors, bv-gate and a candidate must agree on.
//!
//! A vectors file holds one [`Vector`] a line, or an array of them; a rules file the same without `input`. A
//! candidate gets the inputs, one a line, and gives one [`Answer`] a line, in the same order. Values keep the
//! text that they came in: a number is never made another one.

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// One input and what must hold of the output; without `input` a rule that vectors may name.
///
/// A vector is held to its own checks and to those of the rule that it names. At least one of `predicate`,
/// `expected` and `schema` must stand in one of the two.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Vector<'a> {
    /// What the candidate is given: names and values. Only a rule goes without.
    #[serde(borrow, default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<serde_json::Map<String, serde_json::Value>>"))]
    pub input: Option<&'a RawValue>,
    /// The rule's name; it becomes the receipt's `failed_rule_id`.
    pub rule_id: String,
    /// A jq filter over `{input}`; the vector counts only where it yields `true`, and is skipped where it
    /// yields `false` or `null`.
    #[serde(default)]
    pub precondition: Option<String>,
    /// A jq filter over `{input, output}` that must yield `true`, and nothing else.
    #[serde(default)]
    pub predicate: Option<String>,
    /// What the output must be equal to; members of objects in any order.
    #[serde(borrow, default, deserialize_with = "there")]
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Value"))]
    pub expected: Option<&'a RawValue>,
    /// How far a number may be from the expected one.
    #[serde(default)]
    pub tolerance: Option<Tolerance>,
    /// A JSON Schema that the output must satisfy; it refers to nothing outside itself.
    #[serde(borrow, default, deserialize_with = "there")]
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Value"))]
    pub schema: Option<&'a RawValue>,
    /// The rule in words; it becomes the receipt's `expected_invariant`.
    #[serde(default)]
    pub invariant: Option<String>,
    /// For the reader of the file; no tool looks at it.
    #[serde(borrow, default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<serde_json::Value>"))]
    pub comment: Option<&'a RawValue>,
}

/// A number is near enough when it is within either.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Tolerance {
    /// The largest difference.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub abs: Option<f64>,
    /// The largest difference as a share of the expected number.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub rel: Option<f64>,
}

/// What a candidate answers to one input: an output, or the exception that kept it from one. Fields that are
/// not known are left alone, and `null` for a text means that it is not known.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Answer<'a> {
    /// Any value, `null` too.
    #[serde(borrow, default, deserialize_with = "there")]
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Value"))]
    pub output: Option<&'a RawValue>,
    /// The exception's type as its language names it (`ZeroDivisionError`).
    #[serde(default)]
    pub exception_type: Option<String>,
    /// Its message.
    #[serde(default)]
    pub exception_msg: Option<String>,
    /// The source file in which it was raised.
    #[serde(default)]
    pub file: Option<String>,
    /// The line there, from 1.
    #[serde(default)]
    pub line: Option<u64>,
    /// The function or method around it.
    #[serde(default)]
    pub function: Option<String>,
}

/// `null` is a value like any other: only a field that is not there is `None`.
fn there<'de: 'a, 'a, D: Deserializer<'de>>(from: D) -> Result<Option<&'a RawValue>, D::Error> {
    <&RawValue>::deserialize(from).map(Some)
}

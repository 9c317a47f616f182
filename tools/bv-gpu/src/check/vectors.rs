//! The inputs of a check file.

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Most vectors of one check.
pub const VECTORS_MAX: u64 = 1_000_000;

/// The inputs, one uniform vector each.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(untagged))]
pub enum Vectors {
    /// Each sets some uniforms; the others keep the value that `uniforms` gives them.
    List(Vec<Map<String, Value>>),
    /// Drawn from ranges.
    Sampled(Sampled),
}

/// Inputs drawn from ranges, the same ones for the same seed everywhere. The first three put every value at its
/// lowest, at its highest and next to 0.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Sampled {
    /// Where the sequence begins (0).
    #[serde(default)]
    pub seed: u64,
    /// How many, up to 1,000,000.
    pub count: u64,
    /// By the uniform's name: what each of its components is drawn from.
    pub uniforms: BTreeMap<String, Domain>,
}

/// What a value is drawn from: exactly one of these.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum Domain {
    /// Any 32-bit float from the first to the second.
    Range([f64; 2]),
    /// Any whole number from the first to the second.
    Int([i64; 2]),
    /// One of these values of the whole uniform.
    Of(Vec<Value>),
}

impl<'de> Deserialize<'de> for Vectors {
    /// By hand, so that an error names the key: an untagged enum would only say that nothing fits.
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Vectors, D::Error> {
        use serde::de::Error;
        let value = Value::deserialize(from)?;
        let read = match value {
            Value::Array(_) => serde_json::from_value(value).map(Vectors::List),
            _ => serde_json::from_value(value).map(Vectors::Sampled),
        };
        read.map_err(|wrong| D::Error::custom(format!("`vectors`: {wrong}")))
    }
}

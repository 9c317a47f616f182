//! A function of Rust as a candidate, by the adapter that users copy.

#[path = "../../pipelines/adapters/candidate.rs"]
mod candidate;

use std::collections::BTreeMap;

fn main() -> std::io::Result<()> {
    candidate::serve(remainder)
}

fn remainder(input: BTreeMap<String, i64>) -> Result<i64, std::num::TryFromIntError> {
    let (a, b) = (input["a"], input["b"]);
    u8::try_from(a)?;
    Ok(inner(a, b))
}

fn inner(a: i64, b: i64) -> i64 {
    a % b
}

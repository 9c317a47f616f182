//! `7 specs, 4 failures, 2 pending specs`, and what stands in its place where nothing ran.

use crate::machine::{Closing, Says};
use bv_schemas::Counts;

/// The closing statement in this line, when so many failures were seen.
pub fn read(text: &str, seen: u64) -> Option<Closing> {
    if text == "No specs found" || text == "Incomplete: No specs found" {
        let message = Some("no specs found".to_owned());
        return Some(Closing { says: Says::NoTests, counts: Counts::default(), duration_ms: None, message });
    }
    let mut parts = text.split(", ");
    let specs = counted(parts.next()?, "spec")?;
    let failures = counted(parts.next()?, "failure")?;
    let pending = match parts.next() {
        Some(part) => counted(part, "pending spec")?,
        None => 0,
    };
    parts.next().is_none().then_some(())?;
    // A suite's error is a failure and no spec.
    let passed = specs.saturating_sub(failures + pending);
    let says = Says::of(failures.max(seen), specs.saturating_sub(pending));
    let counts =
        Counts { passed: Some(passed), failed: Some(failures), errored: None, skipped: Some(pending) };
    Some(Closing { says, counts, duration_ms: None, message: None })
}

/// `1 spec`, `2 specs`.
fn counted(text: &str, noun: &str) -> Option<u64> {
    let (number, word) = text.split_once(' ')?;
    let singular = word.strip_suffix('s').unwrap_or(word);
    (singular == noun).then(|| number.parse().ok())?
}

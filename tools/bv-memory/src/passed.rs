//! The tests that passed in a run, as an object: JSON strings, one a line, sorted.
//!
//! Runs of the same tests have the same list, which is stored once.

use crate::masked;
use crate::object;
use crate::store::Store;
use blake3::Hash;
use bv_schemas::TestOutcome;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::{BTreeSet, HashSet};
use std::io;

/// Bytes of names that a run's list holds at most; a longer list is none, and every test in it unknown.
const BYTES_MAX: usize = 64 << 20;

/// The test that a record of this kind says ran without failing.
pub fn name<'a>(kind: &str, record: &'a Map<String, Value>) -> Option<&'a str> {
    let outcome = record.get("outcome").and_then(|outcome| TestOutcome::deserialize(outcome).ok());
    // What failed as its author expects is no failure of the run any more.
    let ran = matches!(
        outcome?,
        TestOutcome::Passed | TestOutcome::Xfailed | TestOutcome::Xpassed | TestOutcome::Flaky
    );
    if kind == "test" && ran { record.get("id")?.as_str() } else { None }
}

/// The names in the list that is the object `hash`.
///
/// # Errors
/// Where it cannot be read.
pub fn fetch(store: &dyn Store, hash: &str) -> io::Result<HashSet<String>> {
    let hash = Hash::from_hex(hash).map_err(io::Error::other)?;
    let object = object::fetch(store, hash)?;
    if object.length > BYTES_MAX as u64 {
        return Err(io::Error::other("the list of tests is too long"));
    }
    let mut text = Vec::new();
    object.copy(&mut text)?;
    let lines = text.split(|&b| b == b'\n').filter(|line| !line.is_empty());
    Ok(lines.map(serde_json::from_slice).collect::<Result<_, _>>()?)
}

/// A list in the making.
#[derive(Debug, Default)]
pub struct Passing {
    names: BTreeSet<String>,
    bytes: usize,
}

impl Passing {
    /// Takes the name of a test that passed, masked as everything in the store is.
    pub fn add(&mut self, name: &str) {
        if self.bytes <= BYTES_MAX {
            self.bytes += name.len() + 3;
            self.names.insert(masked::text(name));
        }
    }

    /// Whether there were too many to remember.
    pub fn is_too_long(&self) -> bool {
        self.bytes > BYTES_MAX
    }

    /// Stores the list; its hash, where there is one.
    ///
    /// # Errors
    /// Those of the store.
    pub fn store(&self, store: &dyn Store) -> io::Result<Option<String>> {
        if self.names.is_empty() || self.is_too_long() {
            return Ok(None);
        }
        let mut text = Vec::with_capacity(self.bytes);
        for name in &self.names {
            bv_schemas::ndjson::write(&mut text, name)?;
        }
        Ok(Some(object::keep(store, &text)?.hash.to_string()))
    }
}

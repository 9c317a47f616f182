//! Failures that a machine holds until its section closes, so that a recap, a retry or details
//! printed elsewhere merge into one record a test.

use crate::machine::{HELD_MAX, Out};
use bv_schemas::{Check, Failure};
use std::collections::HashMap;

/// Further checks in one record.
pub const ALSO_MAX: usize = 50;

/// Failures of one open section, in the order in which they were first seen.
#[derive(Debug, Default)]
pub struct Held {
    failures: Vec<Failure>,
    by_id: HashMap<String, usize>,
    over: u64,
}

impl Held {
    /// Holds one more failure; over [`HELD_MAX`] it is only counted.
    pub fn push(&mut self, failure: Failure) {
        if self.failures.len() == HELD_MAX {
            self.over += 1;
            return;
        }
        if let Some(id) = &failure.id {
            self.by_id.entry(id.clone()).or_insert(self.failures.len());
        }
        self.failures.push(failure);
    }

    /// Holds one more failure under a key of the machine's own, where ids alone do not tell tests apart.
    pub fn push_as(&mut self, key: String, failure: Failure) {
        if self.failures.len() < HELD_MAX {
            self.by_id.entry(key).or_insert(self.failures.len());
        }
        self.push(failure);
    }

    /// Holds one failed check: a failure of a test that is held already is one of its further checks, of
    /// which [`ALSO_MAX`] are kept.
    pub fn check(&mut self, failure: Failure) {
        let known = failure.id.as_deref().and_then(|id| self.by_id.get(id));
        match known.map(|&at| &mut self.failures[at]) {
            Some(known) => further(known, failure),
            None => self.push(failure),
        }
    }

    /// Lets go of the failures that the runner itself takes back.
    pub fn forget(&mut self, mut is_forgotten: impl FnMut(&Failure) -> bool) {
        self.failures.retain(|failure| !is_forgotten(failure));
        self.by_id.clear();
        for (at, failure) in self.failures.iter().enumerate() {
            if let Some(id) = &failure.id {
                self.by_id.entry(id.clone()).or_insert(at);
            }
        }
    }

    /// The first failure held under this id or key.
    pub fn find(&mut self, id: &str) -> Option<&mut Failure> {
        self.by_id.get(id).map(|&at| &mut self.failures[at])
    }

    /// The failure that was held last.
    pub fn last_mut(&mut self) -> Option<&mut Failure> {
        self.failures.last_mut()
    }

    /// All held failures, in order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Failure> {
        self.failures.iter_mut()
    }

    /// How many are held or were counted.
    pub fn len(&self) -> u64 {
        self.failures.len() as u64 + self.over
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes them all out, in order; those that were only counted are left.
    pub fn take_all(&mut self) -> Vec<Failure> {
        self.by_id.clear();
        std::mem::take(&mut self.failures)
    }

    /// Says them all and is empty again.
    pub fn say(&mut self, out: &mut Out) {
        for failure in self.failures.drain(..) {
            out.failure(failure);
        }
        self.by_id.clear();
        out.unnamed(std::mem::take(&mut self.over));
    }
}

/// Adds a further failed check to the failure of its test; over [`ALSO_MAX`] it is left out.
pub fn further(known: &mut Failure, check: Failure) {
    if known.also.len() < ALSO_MAX {
        known.also.push(Check {
            line: check.test.and_then(|place| place.line),
            message: check.message,
            expected: check.expected,
            observed: check.observed,
        });
    }
}

//! A compiler's errors that were seen and not yet said, once each, and what is said of them: in the section that
//! is open, or as what kept all from running.

use crate::machine::{Closing, Out, Says};
use bv_schemas::{Counts, Failure, Reason};
use std::collections::HashSet;
use std::hash::Hash;

/// Errors kept; the rest is counted.
const ERRORS_MAX: usize = 1000;

/// Errors by what tells them apart.
#[derive(Debug)]
pub struct CompileErrors<Key> {
    seen: HashSet<Key>,
    failures: Vec<Failure>,
    over: u64,
}

impl<Key> Default for CompileErrors<Key> {
    fn default() -> Self {
        CompileErrors { seen: HashSet::new(), failures: Vec::new(), over: 0 }
    }
}

impl<Key: Eq + Hash> CompileErrors<Key> {
    /// One more, unless it was seen.
    pub fn push(&mut self, key: Key, failure: Failure) {
        if self.failures.len() == ERRORS_MAX {
            self.over += 1;
        } else if self.seen.insert(key) {
            self.failures.push(failure);
        }
    }

    /// Whether there are any to say.
    pub fn any(&self) -> bool {
        !self.failures.is_empty()
    }

    /// Says them in the section that is open.
    pub fn say(&mut self, out: &mut Out) {
        self.failures.drain(..).for_each(|failure| out.failure(failure));
        out.unnamed(std::mem::take(&mut self.over));
    }

    /// Says them as what kept all from running.
    pub fn refuse(&mut self, out: &mut Out) {
        if !self.any() {
            return;
        }
        out.open();
        self.say(out);
        let says = Says::Refused(Reason::CompileError);
        out.close(Closing { says, counts: Counts::default(), duration_ms: None, message: None });
    }
}

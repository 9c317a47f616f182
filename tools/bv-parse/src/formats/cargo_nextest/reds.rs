//! The tests of a run that failed, one record each: the last attempt's, with the most that was printed.

use super::entry::{Entry, How};
use crate::machine::{HELD_MAX, Out};
use bv_schemas::Failure;
use std::collections::{HashMap, HashSet};

/// See the head of this file.
#[derive(Debug, Default)]
pub struct Reds {
    tests: Vec<Red>,
    by_id: HashMap<String, usize>,
    over: u64,
    scripts: Vec<Failure>,
}

#[derive(Debug)]
struct Red {
    failure: Failure,
    /// The record is made of the test's own output.
    has_output: bool,
    /// A later attempt held.
    forgiven: bool,
}

/// Failed setup scripts that are kept; the first ends the run.
const SCRIPTS_MAX: usize = 16;

impl Reds {
    /// Books a failed attempt. A later one replaces it, and so does the recap where it alone shows output.
    pub fn put(&mut self, entry: Entry) {
        let has_output = entry.has_output;
        match self.find(&entry.id) {
            Some(at) => {
                let red = &mut self.tests[at];
                red.forgiven = false;
                if entry.how == How::Held {
                    red.failure.message = entry.aside.or(red.failure.message.take());
                } else if has_output || !red.has_output {
                    let failure = entry.record();
                    let said = has_output || failure.message.is_some() || red.failure.message.is_none();
                    if said {
                        red.failure = failure;
                    }
                    red.has_output |= has_output;
                }
            }
            None if self.tests.len() == HELD_MAX => self.over += 1,
            None => {
                self.by_id.insert(entry.id.clone(), self.tests.len());
                self.tests.push(Red { failure: entry.record(), has_output, forgiven: false });
            }
        }
    }

    /// A later attempt held, and the test counts as failed all the same: what the earlier one said stands.
    pub fn blame(&mut self, entry: Entry) {
        match self.find(&entry.id) {
            Some(at) => self.tests[at].forgiven = false,
            None => self.put(entry),
        }
    }

    /// A later attempt held.
    pub fn forgive(&mut self, id: &str) {
        if let Some(at) = self.find(id) {
            self.tests[at].forgiven = true;
        }
    }

    fn find(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// Books a setup script that failed.
    pub fn script(&mut self, failure: Failure) {
        if self.scripts.len() < SCRIPTS_MAX {
            self.scripts.push(failure);
        }
    }

    /// Says them, those that are `listed` alone where any are; returns how many.
    pub fn say(&mut self, listed: &[String], out: &mut Out) -> u64 {
        let listed: HashSet<&str> = listed.iter().map(String::as_str).collect();
        let real = |failure: &Failure| {
            listed.is_empty() || failure.id.as_deref().is_some_and(|id| listed.contains(id))
        };
        let mut said = self.over + self.scripts.len() as u64;
        self.scripts.drain(..).for_each(|failure| out.failure(failure));
        for red in self.tests.drain(..).filter(|red| !red.forgiven && real(&red.failure)) {
            said += 1;
            out.failure(red.failure);
        }
        out.unnamed(std::mem::take(&mut self.over));
        self.by_id.clear();
        said
    }

    /// Forgets them.
    pub fn clear(&mut self) {
        *self = Reds::default();
    }
}

//! How a section of GoogleTest's ends: the tally and its lists, or none of them.

use super::markers::{self, Name};
use super::{Block, Gtest, Tally, failure, told};
use crate::held::Held;
use crate::machine::{Closing, Out, Says};
use bv_schemas::{Counts, Failure, Kind};

impl Gtest {
    /// The recap: a failure that was not seen where it happened, or its parameters.
    pub(super) fn listed(&mut self, name: &Name<'_>, span: [u64; 2]) {
        let Some(tally) = &mut self.tally else { return };
        let suite = name.id.strip_suffix(markers::SUITE_HOOKS);
        if suite.is_some() {
            tally.failed.get_or_insert(0);
        } else if tally.failed.is_none() {
            return;
        }
        if let Some(known) = self.held.find(suite.unwrap_or(name.id)) {
            if known.counterexample.is_none() {
                known.counterexample = name.parameters();
            }
            return;
        }
        let Some(suite) = suite else {
            let failure = failure(name.id, &[]);
            self.held.push(Failure { counterexample: name.parameters(), span: Some(span), ..failure });
            return;
        };
        self.say_loose();
        if self.held.find(suite).is_none() {
            let (id, span) = (Some(suite.to_owned()), Some(span));
            self.held.push(Failure { id, kind: Kind::SetupError, span, ..Failure::default() });
        }
    }

    pub(super) fn count(&mut self, out: &mut Out, set: impl FnOnce(&mut Tally)) {
        let Some(tally) = &mut self.tally else { return };
        set(tally);
        let passed = tally.passed.unwrap_or(0);
        if tally.passed.is_some() && tally.failed.is_none() && passed + tally.skipped == tally.total {
            // A hook's failed check fails the run and no test.
            let says = match passed {
                _ if !self.loose.is_empty() => Says::Red,
                0 => Says::NoTests,
                _ => Says::Green,
            };
            self.close(says, out);
        }
    }

    pub(super) fn close(&mut self, says: Says, out: &mut Out) {
        self.end_block();
        let tally = self.tally.take().unwrap_or_default();
        if says == Says::Red {
            self.say_loose();
            self.held.say(out);
        } else {
            // A test printed what looked like another's end.
            self.held = Held::default();
        }
        self.loose = Vec::new();
        self.opened = false;
        let counts = Counts {
            passed: tally.passed,
            failed: Some(tally.failed.unwrap_or(0)),
            errored: None,
            skipped: Some(tally.skipped),
        };
        out.close(Closing { says, counts, duration_ms: tally.duration_ms, message: None });
    }

    /// Failed checks in an environment's or a suite's hooks belong to no test.
    fn say_loose(&mut self) {
        let mut by_suite: Vec<(Option<String>, Vec<Block>)> = Vec::new();
        for (suite, block) in std::mem::take(&mut self.loose) {
            match by_suite.last_mut().filter(|(last, _)| *last == suite) {
                Some((_, blocks)) => blocks.push(block),
                None => by_suite.push((suite, vec![block])),
            }
        }
        for (suite, blocks) in by_suite {
            let failure = told(Failure { id: suite, ..Failure::default() }, &blocks);
            self.held.push(Failure { kind: Kind::SetupError, ..failure });
        }
    }

    /// Another run begins and this one has not ended.
    pub(super) fn aborted(&mut self, out: &mut Out) {
        if self.tally.is_none() && self.running.is_none() && self.held.is_empty() {
            return;
        }
        self.died(out);
        self.tally = None;
        self.opened = false;
        out.close(Closing { says: Says::Red, counts: Counts::default(), duration_ms: None, message: None });
    }

    /// No end comes: the test that ran is what died.
    pub(super) fn died(&mut self, out: &mut Out) {
        self.end_block();
        self.say_loose();
        if let Some(running) = self.running.take() {
            let mut crash = failure(&running.name, &running.blocks);
            if running.blocks.is_empty() || running.words.any() {
                let checks =
                    failure(&running.name, &[&[Block::default()], &running.blocks[..]].concat()).also;
                crash = Failure { id: crash.id, test: crash.test, also: checks, ..Failure::default() };
                running.words.tell(&mut crash);
            }
            crash.kind = Kind::Crash;
            crash.span = Some(running.span);
            self.held.push(crash);
        }
        if let Some(Tally { total, passed: Some(passed), skipped, failed: failed @ None, .. }) =
            &mut self.tally
            && self.brief
            && !self.held.is_empty()
        {
            *failed = Some(total.saturating_sub(*passed + *skipped));
        }
        self.held.say(out);
        if self.tally.as_ref().is_some_and(|tally| tally.failed.is_some()) {
            self.close(Says::Red, out);
        }
    }
}

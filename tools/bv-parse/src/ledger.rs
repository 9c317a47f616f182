//! The sections of all runners and what was seen in them, until the end of the stream decides.
//!
//! Failures are held to the end, since a retry that is announced later may supersede them; what is over
//! [`HELD_MAX`] or [`HELD_BYTES_MAX`] is counted.

use crate::exit_line::Exit;
use crate::machine::{Closing, HELD_MAX, Says};
use crate::verdict;
use bv_schemas::{Counts, Failure, Test};
use std::collections::HashSet;

/// Bytes of failures held at most, about.
pub const HELD_BYTES_MAX: usize = 24 << 20;
/// Sections kept one by one; later ones of the same runner are counted into the last.
pub const SECTIONS_MAX: usize = 10_000;
/// `test` records held of a section that stands inside another.
pub const HELD_TESTS_MAX: usize = 10_000;

/// Index of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SectionId(usize);

/// See the head of this file.
#[derive(Debug, Default)]
pub struct Ledger<'f> {
    sections: Vec<Booked<'f>>,
    failures: Vec<(SectionId, Failure)>,
    failure_bytes: usize,
    failures_seen: u64,
}

/// How a section stands to others of its lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// What speaks while it is open is its output.
    Runner,
    /// Other runners speak for themselves in it.
    Around,
    /// A format that the user brought: what else speaks while it is open stands for itself, so that no pattern
    /// of a user's can hide a failure.
    Own,
    /// The same of a problem matcher: what it finds in a failure of a runner's is that failure.
    Matcher,
}

#[derive(Debug)]
struct Booked<'f> {
    lane: usize,
    runner: &'f str,
    closing: Option<Closing>,
    named: u64,
    unnamed: u64,
    /// Sections past [`SECTIONS_MAX`] that were counted into this one and have not closed.
    reopened: u64,
    standing: Standing,
    /// The open section of another runner that this one began in.
    inside: Option<SectionId>,
    /// That section closed: this one is its output.
    dropped: bool,
    /// A retry of the command was announced after it.
    retried: bool,
    /// The retry makes it void.
    superseded: bool,
    tests: Vec<Test>,
}

impl Booked<'_> {
    fn counts(&self) -> bool {
        !self.dropped && !self.superseded
    }

    fn encloses(&self) -> bool {
        self.standing == Standing::Runner
    }

    fn is_open(&self) -> bool {
        self.closing.is_none() || self.reopened > 0
    }
}

impl<'f> Ledger<'f> {
    /// A section began in `lane`.
    pub fn open(&mut self, lane: usize, runner: &'f str, standing: Standing) -> SectionId {
        if self.sections.len() == SECTIONS_MAX {
            self.sections[SECTIONS_MAX - 1].reopened += 1;
            return SectionId(SECTIONS_MAX - 1);
        }
        let around = |s: &Booked<'_>| s.lane == lane && s.encloses() && s.is_open() && s.counts();
        let inside = self.sections.iter().position(around);
        self.sections.push(Booked {
            lane,
            runner,
            closing: None,
            named: 0,
            unnamed: 0,
            reopened: 0,
            standing,
            inside: inside.map(SectionId),
            dropped: false,
            retried: false,
            superseded: false,
            tests: Vec::new(),
        });
        SectionId(self.sections.len() - 1)
    }

    /// The runner that wrote a result file names itself.
    pub fn rename(&mut self, id: SectionId, runner: &'f str) {
        self.sections[id.0].runner = runner;
    }

    /// One failure of a section.
    pub fn failure(&mut self, id: SectionId, failure: Failure) {
        self.failures_seen += 1;
        let bytes = bytes_of(&failure);
        if self.failures.len() == HELD_MAX || self.failure_bytes + bytes > HELD_BYTES_MAX {
            self.sections[id.0].unnamed += 1;
            return;
        }
        self.failure_bytes += bytes;
        self.sections[id.0].named += 1;
        self.failures.push((id, failure));
    }

    /// Failures of a section that only are counted.
    pub fn unnamed(&mut self, id: SectionId, n: u64) {
        self.failures_seen += n;
        self.sections[id.0].unnamed += n;
    }

    /// Gives the test back when it may be said at once; holds it when its section may yet be dropped.
    pub fn hold_test(&mut self, id: SectionId, test: Test) -> Option<Test> {
        let section = &mut self.sections[id.0];
        if section.inside.is_none() {
            return Some(test);
        }
        if section.tests.len() < HELD_TESTS_MAX {
            section.tests.push(test);
        }
        None
    }

    /// The section closed: what spoke inside it was its output.
    pub fn close(&mut self, id: SectionId, closing: Closing) {
        let section = &mut self.sections[id.0];
        match &mut section.closing {
            Some(before) => {
                section.reopened = section.reopened.saturating_sub(1);
                merge(before, closing);
            }
            None => section.closing = Some(closing),
        }
        for at in id.0 + 1..self.sections.len() {
            if self.sections[at].inside == Some(id) {
                self.sections[at].dropped = true;
                self.sections[at].tests = Vec::new();
            }
        }
        let sections = &self.sections;
        self.failures.retain(|(of, _)| !sections[of.0].dropped);
    }

    /// The section goes on, and its failures will be said again.
    pub fn reopen(&mut self, id: SectionId) {
        let section = &mut self.sections[id.0];
        if id.0 == SECTIONS_MAX - 1 {
            // Others are counted into it.
            section.reopened += 1;
            return;
        }
        section.closing = None;
        (section.named, section.unnamed) = (0, 0);
        self.failures.retain(|(of, _)| *of != id);
    }

    /// A later section says again what this closed one said.
    pub fn restated(&mut self, id: SectionId) {
        if id.0 == SECTIONS_MAX - 1 {
            // Others are counted into it.
            return;
        }
        let section = &mut self.sections[id.0];
        section.dropped = true;
        section.tests = Vec::new();
        self.failures.retain(|(of, _)| *of != id);
    }

    /// A wrapper announces that it runs the command of this lane again.
    pub fn retry(&mut self, lane: usize) {
        for section in self.sections.iter_mut().filter(|s| s.lane == lane) {
            section.retried = true;
        }
    }

    /// Decides which attempts a later one makes void: those whose runner spoke again and closed. Where the
    /// exit status is known and not 0, only failures that came back are void, so that none is lost.
    pub fn settle_retries(&mut self, exit: Option<&Exit>) {
        let again: Vec<bool> = (0..self.sections.len()).map(|at| self.was_run_again(at)).collect();
        let clean = matches!(exit, None | Some(Exit::Code(0)));
        let back: HashSet<String> = self
            .failures
            .iter()
            .filter(|(of, _)| !again[of.0])
            .filter_map(|(_, failure)| failure.id.clone())
            .collect();
        self.failures.retain(|(of, failure)| {
            !again[of.0] || !clean && failure.id.as_ref().is_none_or(|id| !back.contains(id))
        });
        for (at, section) in self.sections.iter_mut().enumerate().filter(|(at, _)| again[*at]) {
            section.superseded = clean || !self.failures.iter().any(|(of, _)| of.0 == at);
        }
    }

    /// Lets go of what a problem matcher finds in a failure of a runner's: the checker's own format reads the
    /// same line. A matcher's section that says nothing else goes with it.
    pub fn settle_doubles(&mut self) {
        let theirs = |of: &SectionId| self.sections[of.0].encloses() && self.sections[of.0].counts();
        let told: Vec<[u64; 2]> = self
            .failures
            .iter()
            .filter(|(of, _)| theirs(of))
            .filter_map(|(_, failure)| failure.span)
            .collect();
        let is_told = |span: [u64; 2]| told.iter().any(|told| told[0] < span[1] && span[0] < told[1]);
        let sections = &mut self.sections;
        self.failures.retain(|(of, failure)| {
            let section = &mut sections[of.0];
            let again = section.standing == Standing::Matcher && failure.span.is_some_and(is_told);
            section.named -= u64::from(again);
            section.superseded = section.superseded || again && section.named + section.unnamed == 0;
            !again
        });
    }

    fn was_run_again(&self, at: usize) -> bool {
        let section = &self.sections[at];
        section.retried
            && !section.is_open()
            && self.sections[at + 1..].iter().any(|later| {
                later.lane == section.lane
                    && later.runner == section.runner
                    && !later.retried
                    && !later.is_open()
                    && later.counts()
            })
    }

    /// Whether a section that counts never closed.
    pub fn any_open(&self) -> bool {
        self.sections.iter().any(|s| s.counts() && s.is_open())
    }

    /// Failures booked so far, for a progress line.
    pub fn failures_seen(&self) -> u64 {
        self.failures_seen
    }

    /// The sections that count, as the verdict wants them.
    pub fn counted(&self) -> Vec<verdict::Section<'f>> {
        let section = |s: &Booked<'f>| verdict::Section {
            runner: s.runner,
            closing: s.closing.clone().filter(|_| !s.is_open()),
            failures: s.named + s.unnamed,
        };
        self.sections.iter().filter(|s| s.counts()).map(section).collect()
    }

    /// The runner of the section at this place of [`Ledger::counted`].
    pub fn counted_runner(&self, at: usize) -> &'f str {
        self.sections.iter().filter(|s| s.counts()).nth(at).map_or("unknown", |s| s.runner)
    }

    /// What that section's runner says of a refusal.
    pub fn counted_message(&self, at: usize) -> Option<String> {
        self.sections.iter().filter(|s| s.counts()).nth(at)?.closing.as_ref()?.message.clone()
    }

    /// All runners that spoke for themselves, in the order of their first words.
    pub fn runners(&self) -> Vec<&'f str> {
        let mut seen = Vec::new();
        for section in self.sections.iter().filter(|s| s.counts()) {
            if !seen.contains(&section.runner) {
                seen.push(section.runner);
            }
        }
        seen
    }

    /// The runners' own counts, summed.
    pub fn counts(&self) -> Counts {
        let mut sum = Counts::default();
        for section in self.sections.iter().filter(|s| s.counts()) {
            if let Some(closing) = &section.closing {
                sum.add(&closing.counts);
            }
        }
        sum
    }

    /// The runners' own times, summed.
    pub fn duration_ms(&self) -> Option<u64> {
        let of = |s: &Booked<'_>| s.closing.as_ref().and_then(|closing| closing.duration_ms);
        self.sections.iter().filter(|s| s.counts()).filter_map(of).reduce(u64::saturating_add)
    }

    /// Tests held of sections whose outer section never closed.
    pub fn promoted_tests(&mut self) -> Vec<Test> {
        self.sections.iter_mut().filter(|s| s.counts()).flat_map(|s| std::mem::take(&mut s.tests)).collect()
    }

    /// All failures that stand, each with its lane, in the order in which they were booked.
    pub fn failures(&mut self) -> Vec<(usize, Failure)> {
        let sections = &self.sections;
        self.failures
            .drain(..)
            .filter(|(of, _)| sections[of.0].counts())
            .map(|(of, failure)| (sections[of.0].lane, failure))
            .collect()
    }
}

/// Two closing statements booked as one: the redder word holds.
fn merge(before: &mut Closing, closing: Closing) {
    let weight = |says: Says| match says {
        Says::Red => 4,
        Says::Refused(_) => 3,
        Says::NoTests => 2,
        Says::GreenAtExit0 | Says::GreenInside { .. } => 1,
        Says::Green => 0,
    };
    if weight(closing.says) > weight(before.says) {
        before.says = closing.says;
        before.message = closing.message;
    }
    before.counts.add(&closing.counts);
}

fn bytes_of(failure: &Failure) -> usize {
    let text = |field: &Option<String>| field.as_ref().map_or(0, String::len);
    let values = failure.counterexample.as_ref().map_or(0, |map| {
        map.iter().map(|(name, value)| name.len() + value.as_str().map_or(64, str::len)).sum()
    });
    let frames: usize =
        failure.frames.iter().map(|place| text(&place.file) + text(&place.function) + 64).sum();
    let also: usize =
        failure.also.iter().map(|c| text(&c.message) + text(&c.expected) + text(&c.observed) + 64).sum();
    size_of::<Failure>()
        + [
            &failure.id,
            &failure.message,
            &failure.exception_type,
            &failure.expected,
            &failure.observed,
            &failure.rule,
        ]
        .into_iter()
        .map(text)
        .sum::<usize>()
        + values
        + frames
        + also
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closing(says: Says) -> Closing {
        let passed = Some(1);
        Closing { says, counts: Counts { passed, ..Counts::default() }, duration_ms: None, message: None }
    }

    fn failing(id: &str) -> Failure {
        Failure { id: Some(id.into()), ..Failure::default() }
    }

    fn ids(ledger: &mut Ledger) -> Vec<String> {
        ledger.failures().into_iter().filter_map(|(_, failure)| failure.id).collect()
    }

    #[test]
    fn a_runner_inside_a_section_that_closes_is_its_output() {
        let mut ledger = Ledger::default();
        let outer = ledger.open(0, "outer", Standing::Runner);
        let inner = ledger.open(0, "inner", Standing::Runner);
        ledger.failure(inner, failing("x"));
        ledger.close(inner, closing(Says::Red));
        ledger.close(outer, closing(Says::Green));
        assert_eq!(ledger.runners(), ["outer"]);
        assert_eq!(ids(&mut ledger), [""; 0]);
    }

    #[test]
    fn a_runner_inside_a_section_that_never_closes_speaks_for_itself() {
        let mut ledger = Ledger::default();
        ledger.open(0, "outer", Standing::Runner);
        let inner = ledger.open(0, "inner", Standing::Runner);
        ledger.failure(inner, failing("x"));
        ledger.close(inner, closing(Says::Red));
        assert_eq!(ledger.runners(), ["outer", "inner"]);
        assert_eq!(ids(&mut ledger), ["x"]);
    }

    #[test]
    fn a_section_beside_others_hides_nothing() {
        let mut ledger = Ledger::default();
        let own = ledger.open(0, "own", Standing::Own);
        let inner = ledger.open(0, "inner", Standing::Runner);
        ledger.failure(inner, failing("x"));
        ledger.close(inner, closing(Says::Red));
        ledger.close(own, closing(Says::Green));
        assert_eq!(ledger.runners(), ["own", "inner"]);
        assert_eq!(ids(&mut ledger), ["x"]);
    }

    #[test]
    fn what_a_matcher_finds_in_a_runners_failure_is_that_failure() {
        let at = |span| Failure { id: Some(format!("{span:?}")), span: Some(span), ..Failure::default() };
        let check = |found: [u64; 2], runners: &[&str], count: usize| {
            let mut ledger = Ledger::default();
            let matcher = ledger.open(0, "matcher", Standing::Matcher);
            ledger.failure(matcher, at(found));
            ledger.close(matcher, closing(Says::Red));
            let runner = ledger.open(0, "runner", Standing::Runner);
            ledger.failure(runner, at([10, 20]));
            ledger.close(runner, closing(Says::Red));
            ledger.settle_doubles();
            assert_eq!((ledger.runners(), ids(&mut ledger).len()), (runners.to_vec(), count), "{found:?}");
        };
        check([12, 15], &["runner"], 1);
        check([0, 11], &["runner"], 1);
        check([20, 25], &["matcher", "runner"], 2);
    }

    #[test]
    fn lanes_do_not_stand_inside_each_other() {
        let mut ledger = Ledger::default();
        let outer = ledger.open(1, "outer", Standing::Runner);
        let beside = ledger.open(2, "beside", Standing::Runner);
        ledger.failure(beside, failing("x"));
        ledger.close(beside, closing(Says::Red));
        ledger.close(outer, closing(Says::Green));
        assert_eq!(ids(&mut ledger), ["x"]);
    }

    /// Each attempt is the ids that fail in it; `None` where it never closes.
    fn retried(attempts: &[&[&str]], last_closes: bool, exit: Option<Exit>) -> (Vec<String>, usize) {
        let mut ledger = Ledger::default();
        for (n, failures) in attempts.iter().enumerate() {
            let id = ledger.open(0, "r", Standing::Runner);
            failures.iter().for_each(|name| ledger.failure(id, failing(name)));
            let says = if failures.is_empty() { Says::Green } else { Says::Red };
            if n + 1 < attempts.len() {
                ledger.close(id, closing(says));
                ledger.retry(0);
            } else if last_closes {
                ledger.close(id, closing(says));
            }
        }
        ledger.settle_retries(exit.as_ref());
        let counted = ledger.counted().len();
        (ids(&mut ledger), counted)
    }

    #[test]
    fn a_retry_makes_void_what_it_ran_again() {
        let strings = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        let one = Some(Exit::Code(1));
        for (attempts, closes, exit, want) in [
            (&[&["a"][..], &[]][..], true, None, (strings(&[]), 1)),
            (&[&["a"], &[]], true, Some(Exit::Code(0)), (strings(&[]), 1)),
            (&[&["a"], &[]], true, one.clone(), (strings(&["a"]), 2)),
            (&[&["a"], &["a"]], true, one.clone(), (strings(&["a"]), 1)),
            (&[&["a", "b"], &["b"], &["b"]], true, one, (strings(&["a", "b"]), 2)),
            (&[&["a"], &["a"]], true, None, (strings(&["a"]), 1)),
            (&[&["a"], &[]], false, None, (strings(&["a"]), 2)),
        ] {
            assert_eq!(retried(attempts, closes, exit.clone()), want, "{attempts:?} {closes} {exit:?}");
        }
    }

    #[test]
    fn what_is_held_is_bounded_and_the_rest_counted() {
        let mut ledger = Ledger::default();
        let id = ledger.open(0, "r", Standing::Runner);
        for n in 0..HELD_MAX + 5 {
            ledger.failure(id, failing(&n.to_string()));
        }
        let big = Failure { message: Some("x".repeat(HELD_BYTES_MAX)), ..Failure::default() };
        ledger.failure(id, big);
        assert_eq!(ledger.counted()[0].failures, HELD_MAX as u64 + 6);
        assert_eq!(ledger.failures().len(), HELD_MAX);
    }

    #[test]
    fn sections_are_bounded_and_a_red_one_past_the_bound_shows() {
        let mut ledger = Ledger::default();
        for n in 0..SECTIONS_MAX + 10 {
            let id = ledger.open(0, "r", Standing::Runner);
            ledger.close(id, closing(if n == SECTIONS_MAX + 5 { Says::Red } else { Says::Green }));
        }
        let counted = ledger.counted();
        assert_eq!(counted.len(), SECTIONS_MAX);
        assert_eq!(counted.last().and_then(|s| s.closing.as_ref()).map(|c| c.says), Some(Says::Red));
        ledger.open(0, "r", Standing::Runner);
        assert!(ledger.any_open() && ledger.counted().last().is_some_and(|s| s.closing.is_none()));
    }
}

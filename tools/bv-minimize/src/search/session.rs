//! What the search knows: the best so far, what was asked, what is left of the limits.
//!
//! In: a [`Plan`], which says what it would try next and is told the answer. Out: the last form that was
//! accepted. With several jobs the plan is followed along its likeliest answers and those candidates are
//! asked about early; decisions are taken in the plan's own order, so the jobs change nothing but the time.

use super::plan::Plan;
use super::pool::{Job, Key, Pool};
use crate::ask::{Answer, Limits, Watch};
use std::collections::{BinaryHeap, HashMap};
use std::io;
use std::sync::Arc;

/// Why a pass ends early.
pub(crate) enum Stop {
    /// A limit was reached or somebody said stop; the best so far stands.
    Limit,
    /// The oracle or the watch failed.
    Failed(io::Error),
}

/// What a pass returns.
pub(crate) type Step<T> = Result<T, Stop>;

/// Something that can be written out as a candidate.
pub(crate) trait Form {
    /// The candidate's bytes.
    fn bytes(&self) -> Vec<u8>;
}

impl Form for Vec<u8> {
    fn bytes(&self) -> Vec<u8> {
        self.clone()
    }
}

/// The state of one search.
pub(crate) struct Session<'a> {
    pool: &'a Pool,
    watch: &'a mut dyn Watch,
    jobs: usize,
    calls_max: u64,
    asked: HashMap<Key, bool>,
    pass: &'static str,
    /// The smallest candidate that fails in the same way.
    pub best: Vec<u8>,
    /// How many answers were used.
    pub calls: u64,
}

/// How likely a candidate is to be accepted, for choosing what to ask about early.
const LIKELY: f64 = 0.3;
/// How many answers are assumed in a row before looking ahead ends.
const AHEAD_MAX: usize = 64;

impl<'a> Session<'a> {
    /// Begins at `best`, which is taken to fail.
    pub fn new(pool: &'a Pool, watch: &'a mut dyn Watch, limits: &Limits, best: Vec<u8>) -> Self {
        let calls_max = limits.calls_max.unwrap_or(u64::MAX);
        Self {
            pool,
            watch,
            jobs: limits.jobs.max(1),
            calls_max,
            asked: HashMap::new(),
            pass: "",
            best,
            calls: 0,
        }
    }

    /// Says which pass the next questions belong to.
    pub fn pass(&mut self, name: &'static str) {
        if self.pass != name {
            self.pass = name;
            self.watch.pass(name);
        }
    }

    /// Follows `plan` to its end. `make` turns what it would try into a form, or into nothing where there
    /// is no such candidate. Returns the last form accepted.
    pub fn run<P: Plan, F: Form>(
        &mut self,
        plan: &mut P,
        make: &dyn Fn(&P::Edit) -> Option<F>,
    ) -> Step<Option<F>> {
        let mut accepted = None;
        while let Some(edit) = plan.next() {
            let Some(form) = make(&edit) else {
                plan.told(false);
                continue;
            };
            let bytes = form.bytes();
            let same = simpler(&bytes, &self.best)
                && self.same(bytes, |session, bytes| session.ahead(plan, make, bytes))?;
            plan.told(same);
            if same {
                accepted = Some(form);
            }
        }
        Ok(accepted)
    }

    /// Asks about one candidate, and keeps it where it fails in the same way and is simpler.
    pub fn keep(&mut self, bytes: Vec<u8>) -> Step<bool> {
        Ok(simpler(&bytes, &self.best) && self.same(bytes, |_, _| Vec::new())?)
    }

    /// Asks about one candidate whatever its size, and makes it the best where it fails in the same way.
    pub fn same(&mut self, bytes: Vec<u8>, ahead: impl FnOnce(&Self, &Arc<[u8]>) -> Vec<Job>) -> Step<bool> {
        let job = Job::new(bytes);
        let same = match self.asked.get(&job.key) {
            Some(known) => *known,
            None => {
                if self.calls >= self.calls_max {
                    return Err(Stop::Limit);
                }
                let ahead = if self.jobs > 1 { ahead(self, &job.bytes) } else { Vec::new() };
                let same = self.pool.answer(&job, &ahead)? == Answer::Same;
                self.calls += 1;
                self.asked.insert(job.key, same);
                same
            }
        };
        if same {
            self.best = job.bytes.to_vec();
            self.watch.accepted(&self.best, self.pass).map_err(Stop::Failed)?;
        }
        Ok(same)
    }

    /// The candidates that `plan` may ask about after `now`, the likeliest first.
    fn ahead<P: Plan, F: Form>(
        &self,
        plan: &P,
        make: &dyn Fn(&P::Edit) -> Option<F>,
        now: &Arc<[u8]>,
    ) -> Vec<Job> {
        let best: Arc<[u8]> = self.best.as_slice().into();
        let mut open = BinaryHeap::new();
        branch(&mut open, 1.0, plan, now, &best);
        let mut jobs: Vec<Job> = Vec::new();
        for _ in 0..AHEAD_MAX {
            let Some(Guess { likely, mut plan, best }) = open.pop() else { break };
            let Some(edit) = plan.next() else { continue };
            let candidate = make(&edit).map(|form| form.bytes()).filter(|bytes| simpler(bytes, &best));
            let Some(job) = candidate.map(Job::new) else {
                plan.told(false);
                open.push(Guess { likely, plan, best });
                continue;
            };
            match self.asked.get(&job.key) {
                Some(known) => {
                    plan.told(*known);
                    let best = if *known { job.bytes } else { best };
                    open.push(Guess { likely, plan, best });
                }
                None => {
                    branch(&mut open, likely, &plan, &job.bytes, &best);
                    jobs.push(job);
                }
            }
            if jobs.len() + 1 >= self.jobs {
                break;
            }
        }
        jobs
    }
}

impl Job {
    fn new(bytes: Vec<u8>) -> Self {
        let mut key = Key::default();
        key.copy_from_slice(&blake3::hash(&bytes).as_bytes()[..16]);
        Self { key, bytes: bytes.into() }
    }
}

/// A plan after answers that were only assumed.
struct Guess<P> {
    likely: f64,
    plan: P,
    best: Arc<[u8]>,
}

/// Both answers to `asked`.
fn branch<P: Plan>(
    open: &mut BinaryHeap<Guess<P>>,
    likely: f64,
    plan: &P,
    asked: &Arc<[u8]>,
    best: &Arc<[u8]>,
) {
    for same in [false, true] {
        let mut plan = plan.clone();
        plan.told(same);
        let likely = likely * if same { LIKELY } else { 1.0 - LIKELY };
        open.push(Guess { likely, plan, best: Arc::clone(if same { asked } else { best }) });
    }
}

impl<P> PartialEq for Guess<P> {
    fn eq(&self, other: &Self) -> bool {
        self.likely.total_cmp(&other.likely).is_eq()
    }
}
impl<P> Eq for Guess<P> {}
impl<P> PartialOrd for Guess<P> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<P> Ord for Guess<P> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.likely.total_cmp(&other.likely)
    }
}

/// Whether `a` is better than `b`: fewer bytes, else digits before letters before all else.
pub(crate) fn simpler(a: &[u8], b: &[u8]) -> bool {
    let rank = |byte: &u8| match byte {
        b'0'..=b'9' => (0, *byte),
        b'a'..=b'z' => (1, *byte),
        b'A'..=b'Z' => (2, *byte),
        b'\n' | b' '..=b'~' => (3, *byte),
        _ => (4, *byte),
    };
    a.len() < b.len() || a.len() == b.len() && a.iter().map(rank).lt(b.iter().map(rank))
}

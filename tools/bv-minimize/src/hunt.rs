//! One hunt for the smallest input: the first runs, the search, and what makes its result reliable.
//!
//! In: an input and a judge. Out: the smallest candidate that was found, or what was seen instead of the
//! failure. An oracle that wavers is noticed by running the best again now and then; answers are voted on from
//! then on, the search is repeated until a whole one changes nothing, and a best that does not fail any more
//! gives way to the one before it.

use crate::ask::{Cancel, Limits, Watch};
use crate::journal::{Key, Line, hex};
use crate::oracle::{Judge, Sample};
use crate::progress::Progress;
use crate::search::reduce;
use crate::shapes::Shape;
use bv_schemas::Failure;
use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::time::Instant;

/// First runs of an input. With those of the best during the search and at its end they make it unlikely that
/// an oracle that wavers passes for a steady one: of those that lose the failure in one run of five, one in fifty.
const FIRST_RUNS: u32 = 5;
/// First runs of an input that does not fail in all of them, and runs of a best that failed once: enough to
/// tell its rate.
const RATE_RUNS: u32 = 10;
/// Each so many steps the best is run again.
const CHECK_EVERY: u64 = 3;
/// Whole searches with an oracle that wavers.
const SEARCHES_MAX: u32 = 6;
/// Bests that are remembered to go back to, and their bytes in all.
const BESTS_MAX: usize = 64;
const BESTS_BYTES_MAX: usize = 64 << 20;
/// A best that fails this many times more rarely than the input is none.
const RARER: f64 = 3.0;

/// How a hunt goes.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What the input is.
    pub shape: Shape,
    /// Candidates asked about at once.
    pub jobs: usize,
    /// Calls of the oracle, in all.
    pub calls_max: Option<u64>,
    /// When to stop.
    pub deadline: Option<Instant>,
    /// Ended from outside.
    pub stop: Cancel,
    /// Runs of the result that end the hunt.
    pub confirm: u32,
}

/// What a hunt found.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The input itself does not fail: what it did instead.
    NoFailure(Box<Sample>),
    /// It ended before the input had run.
    Stopped,
    /// The oracle takes an empty candidate for the failure.
    Empty(Found),
    /// The smallest candidate.
    Found(Found),
}

/// The smallest candidate, and what is known of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// The candidate.
    pub best: Vec<u8>,
    /// Oracle calls.
    pub calls: u64,
    /// Whether the search ended by itself.
    pub complete: bool,
    /// The share of runs in which it fails, where that is not all.
    pub reproduces: Option<f64>,
    /// The failure as the oracle printed it for this candidate.
    pub failure: Option<Failure>,
}

/// Where each new best is put.
pub type Keep<'a> = &'a mut dyn FnMut(&[u8]) -> io::Result<()>;

/// Hunts for the smallest candidate. `keep` is given the input once it is known to fail, and then each better
/// one.
///
/// # Errors
/// Those of the oracle, the journal and `keep`.
pub fn hunt(input: &[u8], judge: &mut Judge<'_>, plan: &Plan, keep: Keep<'_>) -> io::Result<Outcome> {
    judge.progress.begin(input.len());
    let mut first = judge.begin(input, FIRST_RUNS, &plan.stop)?;
    if first.runs < FIRST_RUNS {
        return Ok(Outcome::Stopped);
    }
    if first.same == 0 {
        // A failure that comes in half of the runs may have stayed away so far.
        first = judge.begin(input, FIRST_RUNS, &plan.stop)?;
    }
    if first.same == 0 {
        return Ok(Outcome::NoFailure(Box::new(first)));
    }
    if first.same < first.runs && judge.rate().is_none() {
        first = judge.begin(input, RATE_RUNS, &plan.stop)?;
        judge.waver(share(&first))?;
    }
    keep(input)?;
    let judge = &*judge;
    let mut hunt = Hunt {
        judge,
        plan,
        calls: 0,
        steps: Steps {
            judge,
            progress: judge.progress,
            stop: plan.stop.clone(),
            keep,
            taken: 0,
            failure: first.failure,
            bests: VecDeque::from([input.to_vec()]),
        },
    };
    let found = hunt.run()?;
    let empty = found.best.is_empty() && !input.is_empty();
    Ok(if empty { Outcome::Empty(found) } else { Outcome::Found(found) })
}

struct Hunt<'a> {
    judge: &'a Judge<'a>,
    plan: &'a Plan,
    /// Answers that searches used.
    calls: u64,
    steps: Steps<'a>,
}

impl Hunt<'_> {
    fn run(&mut self) -> io::Result<Found> {
        let mut complete = false;
        let mut reproduces = self.judge.rate();
        for _ in 0..SEARCHES_MAX {
            let votes = self.judge.rate().is_some();
            let before = self.steps.best().to_vec();
            if !self.search()? {
                break;
            }
            if let Some(rate) = self.judge.rate()
                && (!votes || self.steps.best() != before)
            {
                // A "no" of this search may have been wrong: until a whole one with votes changes nothing.
                self.judge.waver(rate)?;
                continue;
            }
            if self.judge.patience.raise() {
                continue;
            }
            let confirmed = self.confirm()?;
            if confirmed.sample.runs > 0 {
                let sample = &confirmed.sample;
                reproduces = (sample.same < sample.runs).then(|| share(sample));
            }
            if !confirmed.in_doubt {
                complete = !self.over();
                break;
            }
        }
        Ok(Found {
            best: self.steps.best().to_vec(),
            calls: self.calls(),
            complete,
            reproduces,
            failure: self.steps.failure.take(),
        })
    }

    /// One whole search from the best so far; whether it came to its end.
    fn search(&mut self) -> io::Result<bool> {
        // A vote takes two runs at least.
        let runs_each = if self.judge.rate().is_some() { 2 } else { 1 };
        let calls_left = self.plan.calls_max.map(|max| max.saturating_sub(self.calls()) / runs_each);
        if self.over() || calls_left == Some(0) {
            return Ok(false);
        }
        let limits = Limits {
            jobs: self.plan.jobs,
            calls_max: calls_left,
            deadline: self.plan.deadline,
            stop: self.plan.stop.clone(),
        };
        let from = self.steps.best().to_vec();
        match reduce(&from, self.plan.shape, self.judge, &mut self.steps, &limits) {
            Ok(reduced) => {
                self.calls += reduced.calls;
                Ok(reduced.complete)
            }
            Err(wrong) if WentBack::is(&wrong) => Ok(true),
            Err(wrong) => Err(wrong),
        }
    }

    /// Runs the result again; goes back where it does not fail any more.
    fn confirm(&mut self) -> io::Result<Confirmed> {
        let votes = self.judge.rate().is_some();
        let runs = if votes { self.plan.confirm.max(RATE_RUNS) } else { self.plan.confirm };
        if self.over() || runs == 0 {
            return Ok(Confirmed::default());
        }
        let best = self.steps.best().to_vec();
        let mut sample = self.judge.sample(&best, runs, &self.plan.stop)?;
        if let Some(failure) = &sample.failure {
            self.steps.failure = Some(failure.clone());
        }
        let went_back = sample.same < sample.runs && self.steps.doubt(&mut sample)?;
        Ok(Confirmed { in_doubt: went_back || votes != self.judge.rate().is_some(), sample })
    }

    /// Calls of the oracle. What a search asks about ahead of need, with several jobs, is not among them, so
    /// that the number does not depend on the jobs; with votes it does in any case.
    fn calls(&self) -> u64 {
        if self.judge.rate().is_some() { self.judge.runs() } else { self.calls + self.judge.extra_runs() }
    }

    fn over(&self) -> bool {
        self.plan.stop.is_cancelled() || self.plan.deadline.is_some_and(|deadline| deadline <= Instant::now())
    }
}

/// What runs of the result showed.
#[derive(Debug, Default)]
struct Confirmed {
    sample: Sample,
    /// Whether the search has to go on from here: the oracle turned out to waver, or the best to be none.
    in_doubt: bool,
}

/// What follows from each step of the search.
struct Steps<'a> {
    judge: &'a Judge<'a>,
    progress: &'a Progress,
    stop: Cancel,
    keep: Keep<'a>,
    taken: u64,
    /// The best's failure as printed.
    failure: Option<Failure>,
    /// The best last, the ones before it in front; never empty.
    bests: VecDeque<Vec<u8>>,
}

impl Steps<'_> {
    fn best(&self) -> &[u8] {
        self.bests.back().map_or(&[], Vec::as_slice)
    }

    /// The best failed to fail. Finds out how often it does, and has answers voted on from here; where it
    /// hardly ever does, goes back to the last one that does. Whether it went back.
    fn doubt(&mut self, seen: &mut Sample) -> io::Result<bool> {
        let best = self.best().to_vec();
        let more = self.judge.sample(&best, RATE_RUNS.saturating_sub(seen.runs), &self.stop)?;
        seen.runs += more.runs;
        seen.same += more.same;
        if self.stop.is_cancelled() {
            return Ok(false);
        }
        let input_rate = self.judge.rate().unwrap_or(1.0);
        if share(seen) * RARER >= input_rate {
            if self.judge.rate().is_none() {
                self.judge.waver(share(seen))?;
            }
            return Ok(false);
        }
        self.go_back()?;
        Ok(true)
    }

    /// Drops bests until one fails again.
    fn go_back(&mut self) -> io::Result<()> {
        let mut rate = self.judge.rate().unwrap_or(1.0);
        while self.bests.len() > 1 {
            if let Some(none) = self.bests.pop_back() {
                self.judge.forget(&none);
            }
            let sample = self.judge.sample(self.best(), RATE_RUNS, &self.stop)?;
            if share(&sample) * RARER >= rate || self.stop.is_cancelled() {
                rate = share(&sample).max(1.0 / f64::from(RATE_RUNS));
                self.failure = sample.failure;
                break;
            }
        }
        self.judge.waver(rate)?;
        let best = self.best().to_vec();
        self.progress.best(best.len());
        self.judge.note(&Line::Best { key: hex(&self.judge.key(&best)), bytes: best.len() as u64 })?;
        (self.keep)(&best)
    }

    fn remember(&mut self, best: &[u8]) {
        self.bests.push_back(best.to_vec());
        let mut bytes: usize = self.bests.iter().map(Vec::len).sum();
        while self.bests.len() > 1 && (self.bests.len() > BESTS_MAX || bytes > BESTS_BYTES_MAX) {
            // The input itself stays where it can: it is what one can always go back to.
            let second = if self.bests.len() > 2 { 1 } else { 0 };
            bytes -= self.bests.remove(second).map_or(0, |old| old.len());
        }
    }
}

impl Watch for Steps<'_> {
    fn accepted(&mut self, best: &[u8], pass: &'static str) -> io::Result<()> {
        self.remember(best);
        self.taken += 1;
        self.progress.pass(pass);
        self.progress.best(best.len());
        self.failure = self.judge.printed(best);
        let key: Key = self.judge.key(best);
        self.judge.note(&Line::Best { key: hex(&key), bytes: best.len() as u64 })?;
        (self.keep)(best)?;
        // With votes each step was looked at more than once.
        let due = self.taken.is_multiple_of(CHECK_EVERY) && self.judge.rate().is_none();
        if due && !self.stop.is_cancelled() && !self.judge.check(best, &self.stop)? {
            let mut seen = Sample { runs: 1, ..Sample::default() };
            if self.doubt(&mut seen)? {
                return Err(io::Error::other(WentBack));
            }
        }
        Ok(())
    }

    fn pass(&mut self, name: &'static str) {
        self.progress.pass(name);
    }
}

/// Ends a search whose best is none.
#[derive(Debug)]
struct WentBack;

impl WentBack {
    fn is(wrong: &io::Error) -> bool {
        wrong.get_ref().is_some_and(|inner| inner.is::<WentBack>())
    }
}

impl fmt::Display for WentBack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the best does not fail any more")
    }
}

impl std::error::Error for WentBack {}

/// In hundredths: a few runs tell no more.
fn share(sample: &Sample) -> f64 {
    (100.0 * f64::from(sample.same) / f64::from(sample.runs.max(1))).round() / 100.0
}

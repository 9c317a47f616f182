//! The oracle as the search sees it: each question answered once, and the answer kept.
//!
//! In: candidates, from several threads. Out: answers. Beside the answer stand the failure as the oracle
//! printed it, for the best candidate's record, and the smallest example of every other failure.

use super::ballot::Ballot;
use super::guard::{Guard, Judged};
use super::patience::Patience;
use super::run::{Ran, Runner, Seen};
use crate::also::Also;
use crate::ask::{Answer, Cancel, Oracle};
use crate::journal::{ANSWERS_MAX, Begun, Journal, Key, Known, Line, Past, hex};
use crate::progress::Progress;
use bv_schemas::Failure;
use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Printed failures that are kept until the search says which candidate it takes.
const FAILURES_MAX: usize = 64;

/// Which candidates are asked about at all.
pub type Admits<'a> = Box<dyn Fn(&[u8]) -> bool + Sync + 'a>;

/// The oracle as the search sees it.
pub struct Judge<'a> {
    /// Runs the command.
    pub runner: Runner,
    /// What counts as the same failure.
    pub guard: Guard,
    /// How long a run may take.
    pub patience: Patience,
    /// Which candidates are asked about at all; the others are refused.
    pub admits: Admits<'a>,
    /// Keeps examples of other failures.
    pub also: Option<&'a Also>,
    /// Keeps the answers beyond this process.
    pub journal: Option<&'a Journal>,
    /// Told of each run.
    pub progress: &'a Progress,
    context: String,
    memory: Mutex<Memory>,
    /// All runs of the oracle.
    runs: AtomicU64,
    /// Runs that no answer to the search came of.
    extra_runs: AtomicU64,
}

#[derive(Debug, Default)]
struct Memory {
    answers: HashMap<Key, Known>,
    begun: HashMap<Key, Begun>,
    checked: Vec<Key>,
    failures: VecDeque<(Key, Failure)>,
    /// The share of runs in which the input fails, where that is not all.
    rate: Option<f64>,
}

/// Several runs on one candidate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// How often it ran.
    pub runs: u32,
    /// How often it failed as wanted.
    pub same: u32,
    /// What the last run of all showed.
    pub last: Option<Seen>,
    /// The failure as printed, the last time.
    pub failure: Option<Failure>,
}

impl<'a> Judge<'a> {
    /// One that knows what `past` holds.
    pub fn new(
        runner: Runner,
        guard: Guard,
        patience: Patience,
        admits: Admits<'a>,
        past: Past,
        progress: &'a Progress,
    ) -> Judge<'a> {
        let context = guard.rule.clone().unwrap_or_default();
        let memory = Memory {
            answers: past.answers,
            begun: past.begun,
            checked: past.checked,
            rate: past.rate,
            ..Memory::default()
        };
        Judge {
            runner,
            guard,
            patience,
            admits,
            also: None,
            journal: None,
            progress,
            context,
            memory: Mutex::new(memory),
            runs: AtomicU64::new(0),
            extra_runs: AtomicU64::new(0),
        }
    }

    /// Runs the input itself, learns from it what is looked for and how long it takes, and what share of the
    /// runs it fails in.
    ///
    /// # Errors
    /// Those of running the oracle and of the journal.
    pub fn begin(&mut self, input: &[u8], runs: u32, cancel: &Cancel) -> io::Result<Sample> {
        let key = self.key(input);
        let begun = self.memory().begun.get(&key).cloned();
        if let Some(begun) = begun {
            self.extra_runs.fetch_add(u64::from(begun.runs), SeqCst);
            self.guard.rule = begun.rule;
            self.guard.speaks = begun.speaks;
            self.patience.took(Duration::from_micros(begun.slowest_us));
            return Ok(Sample { runs: begun.runs, same: begun.same, ..Sample::default() });
        }
        let mut sample = Sample::default();
        while sample.runs < runs {
            let limit = self.patience.limit().or(self.patience.first_limit());
            let Ran::Seen(seen) = self.runner.run(input, limit, cancel)? else { break };
            sample.runs += 1;
            let known = sample.same > 0;
            let same =
                if known { self.guard.judge(&seen).answer == Answer::Same } else { self.guard.learn(&seen) };
            if same {
                sample.same += 1;
                sample.failure = self.guard.judge(&seen).failure;
                self.patience.took(seen.elapsed);
            }
            sample.last = Some(*seen);
            self.ran();
        }
        self.extra_runs.fetch_add(u64::from(sample.runs), SeqCst);
        if sample.same > 0 && sample.runs == runs {
            let slowest = self.patience.slowest().unwrap_or_default();
            let begun = Begun {
                runs,
                same: sample.same,
                rule: self.guard.rule.clone(),
                speaks: self.guard.speaks,
                slowest_us: u64::try_from(slowest.as_micros()).unwrap_or(u64::MAX),
            };
            self.note(&Line::Begun { key: hex(&key), begun })?;
        }
        Ok(sample)
    }

    /// Runs a candidate `runs` times whatever is known of it.
    ///
    /// # Errors
    /// Those of running the oracle.
    pub fn sample(&self, candidate: &[u8], runs: u32, cancel: &Cancel) -> io::Result<Sample> {
        let mut sample = Sample::default();
        while sample.runs < runs {
            let Some(judged) = self.once(candidate, cancel)? else { break };
            sample.runs += 1;
            sample.same += u32::from(judged.answer == Answer::Same);
            sample.failure = judged.failure.or(sample.failure);
        }
        self.extra_runs.fetch_add(u64::from(sample.runs), SeqCst);
        Ok(sample)
    }

    /// Runs the best once more, unless a journal says that this was done; whether it still fails.
    ///
    /// # Errors
    /// Those of running the oracle and of the journal.
    pub fn check(&self, best: &[u8], cancel: &Cancel) -> io::Result<bool> {
        let key = self.key(best);
        if self.memory().checked.contains(&key) {
            self.extra_runs.fetch_add(1, SeqCst);
            return Ok(true);
        }
        let sample = self.sample(best, 1, cancel)?;
        let holds = sample.same == sample.runs;
        if holds && sample.runs > 0 {
            self.note(&Line::Checked { key: hex(&key) })?;
        }
        Ok(holds)
    }

    /// The share of runs in which the input fails; `None`: all that were seen.
    pub fn rate(&self) -> Option<f64> {
        self.memory().rate
    }

    /// From here on answers are voted on, and no "no" from before counts.
    ///
    /// # Errors
    /// Those of the journal.
    pub fn waver(&self, rate: f64) -> io::Result<()> {
        {
            let mut memory = self.memory();
            memory.rate = Some(rate);
            memory.answers.retain(|_, known| known.answer == Answer::Same);
        }
        self.note(&Line::Unsteady { rate })
    }

    /// Forgets what is known of a candidate that was taken for a failing one and is none.
    pub fn forget(&self, candidate: &[u8]) {
        let key = self.key(candidate);
        self.memory().answers.remove(&key);
    }

    /// The failure as the oracle printed it for this candidate.
    pub fn printed(&self, candidate: &[u8]) -> Option<Failure> {
        let key = self.key(candidate);
        let memory = self.memory();
        memory.failures.iter().rev().find(|(of, _)| *of == key).map(|(_, failure)| failure.clone())
    }

    /// All runs of the oracle: with several jobs also those whose answer was not needed in the end.
    pub fn runs(&self) -> u64 {
        self.runs.load(SeqCst)
    }

    /// Runs that no answer to the search came of: the first ones and the repeats.
    pub fn extra_runs(&self) -> u64 {
        self.extra_runs.load(SeqCst)
    }

    /// The name of a candidate under the rule.
    pub fn key(&self, candidate: &[u8]) -> Key {
        key(&self.context, candidate)
    }

    /// Writes a line to the journal, where there is one.
    ///
    /// # Errors
    /// Those of the journal.
    pub fn note(&self, line: &Line) -> io::Result<()> {
        self.journal.map_or(Ok(()), |journal| journal.add(line))
    }

    fn once(&self, candidate: &[u8], cancel: &Cancel) -> io::Result<Option<Judged>> {
        let seen = match self.runner.run(candidate, self.patience.limit(), cancel)? {
            Ran::Cancelled => return Ok(None),
            Ran::Unfit => return Ok(Some(Judged { answer: Answer::Refused, failure: None })),
            Ran::Seen(seen) => seen,
        };
        self.ran();
        let judged = self.guard.judge(&seen);
        match &judged.answer {
            Answer::Same => self.patience.took(seen.elapsed),
            Answer::TimedOut => self.patience.timed_out(),
            Answer::Different(Some(rule)) => {
                if let Some(also) = self.also {
                    also.keep(rule, candidate)?;
                }
            }
            Answer::Different(None) | Answer::Passed | Answer::Refused => {}
        }
        Ok(Some(judged))
    }

    fn ran(&self) {
        self.runs.fetch_add(1, SeqCst);
        self.progress.ran();
    }

    fn vote(&self, candidate: &[u8], rate: f64, cancel: &Cancel) -> io::Result<Option<Judged>> {
        let mut ballot = Ballot::new(rate);
        let (mut yes, mut no) = (None, None);
        loop {
            let Some(judged) = self.once(candidate, cancel)? else { return Ok(None) };
            let same = judged.answer == Answer::Same;
            *(if same { &mut yes } else { &mut no }) = Some(judged);
            match ballot.add(same) {
                Some(true) => return Ok(yes),
                Some(false) => return Ok(no),
                None => {}
            }
        }
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The name of a candidate under a rule.
pub fn key(rule: &str, candidate: &[u8]) -> Key {
    let mut hasher = blake3::Hasher::new();
    hasher.update(rule.as_bytes()).update(&[0]).update(candidate);
    let mut key = Key::default();
    hasher.finalize_xof().fill(&mut key);
    key
}

impl Oracle for Judge<'_> {
    fn ask(&self, candidate: &[u8], cancel: &Cancel) -> io::Result<Option<Answer>> {
        if !(self.admits)(candidate) {
            return Ok(Some(Answer::Refused));
        }
        let key = self.key(candidate);
        let raised = self.patience.raised();
        let (known, rate) = {
            let memory = self.memory();
            (memory.answers.get(&key).cloned(), memory.rate)
        };
        // An answer that came of the limit as it was before it was raised is no answer now.
        let stale = |known: &Known| known.answer == Answer::TimedOut && raised && !known.raised;
        if let Some(known) = known.filter(|known| !stale(known)) {
            if known.answer == Answer::TimedOut {
                self.patience.timed_out();
            }
            return Ok(Some(known.answer));
        }
        let judged = match rate {
            None => self.once(candidate, cancel)?,
            Some(rate) => self.vote(candidate, rate, cancel)?,
        };
        let Some(judged) = judged else { return Ok(None) };
        let known = Known { answer: judged.answer.clone(), raised };
        {
            let mut memory = self.memory();
            if let Some(failure) = judged.failure {
                memory.failures.push_back((key, failure));
                if memory.failures.len() > FAILURES_MAX {
                    memory.failures.pop_front();
                }
            }
            // One that was asked before the oracle was known to waver was not voted on.
            if memory.rate != rate {
                return Ok(Some(judged.answer));
            }
            // Two threads may have asked at once: the first answer stands.
            if let Some(first) = memory.answers.get(&key).filter(|known| !stale(known)) {
                return Ok(Some(first.answer.clone()));
            }
            if memory.answers.len() < ANSWERS_MAX {
                memory.answers.insert(key, known.clone());
            }
        }
        self.note(&Line::answer(&key, &known))?;
        Ok(Some(judged.answer))
    }
}

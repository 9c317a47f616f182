//! Workers that ask the oracle about several candidates at once.
//!
//! In: the candidate whose answer is waited for, and those that may be wanted next. Out: its answer.
//! The order of decisions is the session's alone: an answer that came early lies here until it is
//! asked for, one that no longer matters is cancelled.

use super::session::Stop;
use crate::ask::{Answer, Cancel, Limits, Oracle, Waiting};
use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Scope;
use std::time::Instant;

/// The first 16 bytes of a candidate's BLAKE3.
pub(crate) type Key = [u8; 16];

/// A candidate to ask about.
#[derive(Clone)]
pub(crate) struct Job {
    /// Names the bytes.
    pub key: Key,
    /// What the oracle gets.
    pub bytes: Arc<[u8]>,
}

/// The workers' shared state; closed when dropped.
pub(crate) struct Pool {
    shared: Arc<Shared>,
    deadline: Option<Instant>,
    _stop: Waiting,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    work: Condvar,
    done: Condvar,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Job>,
    running: Vec<(Key, Cancel)>,
    answers: HashMap<Key, io::Result<Answer>>,
    closed: bool,
}

impl Pool {
    /// Starts the workers; they end when the pool is dropped.
    pub fn start<'scope, 'env>(
        scope: &'scope Scope<'scope, 'env>,
        oracle: &'env dyn Oracle,
        limits: &Limits,
    ) -> Self {
        let shared = Arc::new(Shared::default());
        for _ in 0..limits.jobs.max(1) {
            let shared = Arc::clone(&shared);
            scope.spawn(move || work(&shared, oracle));
        }
        let stopped = Arc::clone(&shared);
        let stop = limits.stop.when(move || stopped.close());
        Self { shared, deadline: limits.deadline, _stop: stop }
    }

    /// Waits for the answer to `job`; meanwhile idle workers ask about `ahead`, in this order.
    /// Whatever is neither is cancelled.
    pub fn answer(&self, job: &Job, ahead: &[Job]) -> Result<Answer, Stop> {
        let mut queue = self.shared.queue();
        queue.want(job, ahead);
        self.shared.work.notify_all();
        loop {
            if let Some(answer) = queue.answers.remove(&job.key) {
                return answer.map_err(Stop::Failed);
            }
            let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if queue.closed || left.is_some_and(|left| left.is_zero()) {
                return Err(Stop::Limit);
            }
            queue = match left {
                Some(left) => {
                    self.shared.done.wait_timeout(queue, left).unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.shared.done.wait(queue).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.close();
    }
}

impl Queue {
    /// Makes the running and the waiting candidates those that are wanted, in the order of wanting.
    fn want(&mut self, job: &Job, ahead: &[Job]) {
        let wanted = || std::iter::once(job).chain(ahead);
        for (key, cancel) in &self.running {
            if !wanted().any(|job| job.key == *key) {
                cancel.cancel();
            }
        }
        let runs = |key: &Key| self.running.iter().any(|(k, cancel)| k == key && !cancel.is_cancelled());
        let new = |job: &&Job| !self.answers.contains_key(&job.key) && !runs(&job.key);
        self.waiting = wanted().filter(new).cloned().collect();
    }
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&self) {
        let mut queue = self.queue();
        queue.closed = true;
        queue.waiting.clear();
        for (_, cancel) in &queue.running {
            cancel.cancel();
        }
        self.work.notify_all();
        self.done.notify_all();
    }
}

/// One worker: takes candidates until the pool is closed.
fn work(shared: &Shared, oracle: &dyn Oracle) {
    let mut queue = shared.queue();
    while !queue.closed {
        let Some(job) = queue.waiting.pop_front() else {
            queue = shared.work.wait(queue).unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        let cancel = Cancel::new();
        queue.running.push((job.key, cancel.clone()));
        drop(queue);
        let answer = oracle.ask(&job.bytes, &cancel).transpose();
        queue = shared.queue();
        if let Some(at) = queue.running.iter().position(|(_, running)| running.is(&cancel)) {
            queue.running.swap_remove(at);
        }
        if let Some(answer) = answer {
            queue.answers.insert(job.key, answer);
        }
        shared.done.notify_all();
    }
}

//! What the search and the oracle say to each other.
//!
//! In: nothing; these are the words between the two. The search (`search/`) proposes candidates and
//! decides; an [`Oracle`] runs one candidate and answers; a [`Watch`] is told of each step taken.

use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// What an oracle says of one candidate.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Answer {
    /// It fails in the same way as the input.
    Same,
    /// It fails in another way; the other failure's rule, where one was named.
    Different(Option<String>),
    /// It does not fail.
    Passed,
    /// It is no legal input.
    Refused,
    /// It was stopped at the time limit of one call.
    TimedOut,
}

/// Runs one candidate and answers. Asked from several threads at once.
pub trait Oracle: Sync {
    /// Says what becomes of `candidate`; `None` once `cancel` was called, as soon as that can be.
    ///
    /// # Errors
    /// Where the oracle cannot be run at all: the search ends with the error.
    fn ask(&self, candidate: &[u8], cancel: &Cancel) -> io::Result<Option<Answer>>;
}

/// Told of each step that the search has taken, in an order that does not depend on the number of jobs.
pub trait Watch {
    /// `best` still fails in the same way and takes the place of what was the best before.
    ///
    /// # Errors
    /// Where the step cannot be kept: the search ends with the error.
    fn accepted(&mut self, best: &[u8], pass: &'static str) -> io::Result<()>;

    /// The search goes over to this pass; passes come again until nothing changes.
    fn pass(&mut self, name: &'static str);
}

/// When the search stops, beside having nothing left to try.
#[derive(Debug)]
pub struct Limits {
    /// How many candidates are asked about at once, 1 at least; the result does not depend on it.
    pub jobs: usize,
    /// How many answers the search may use.
    pub calls_max: Option<u64>,
    /// When to stop.
    pub deadline: Option<Instant>,
    /// Cancelled from outside: stop and keep the best so far.
    pub stop: Cancel,
}

/// What the search found.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Reduced {
    /// The smallest candidate that fails in the same way; the input where none was smaller.
    pub best: Vec<u8>,
    /// Whether the search came to its end by itself: no limit or stop cut it short.
    pub complete: bool,
    /// How many answers were used; the same for any number of jobs.
    pub calls: u64,
}

/// Says that an answer no longer matters. Clones are one and the same.
#[derive(Clone, Default)]
pub struct Cancel(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    cancelled: bool,
    next: u64,
    wake: Vec<(u64, Box<dyn FnOnce() + Send>)>,
}

/// Keeps a [`Cancel::when`] alive; dropped, what it holds is never called.
#[must_use]
pub struct Waiting {
    cancel: Cancel,
    number: u64,
}

impl Cancel {
    /// One that nobody has cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels, and wakes everybody who waits. Once is enough, more does no harm.
    pub fn cancel(&self) {
        let wake = {
            let mut state = self.state();
            state.cancelled = true;
            std::mem::take(&mut state.wake)
        };
        // Outside the lock: what is woken may ask this very `Cancel`.
        for (_, wake) in wake {
            wake();
        }
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.state().cancelled
    }

    /// Has `wake` called when this is cancelled, from the cancelling thread; at once when it already is.
    /// It wakes a blocked wait (kills a process group, writes to a pipe), so it should be quick.
    pub fn when(&self, wake: impl FnOnce() + Send + 'static) -> Waiting {
        let mut state = self.state();
        let number = state.next;
        state.next += 1;
        if state.cancelled {
            drop(state);
            wake();
        } else {
            state.wake.push((number, Box::new(wake)));
        }
        Waiting { cancel: self.clone(), number }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A flag and a list are whole between any two statements, whoever panicked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.cancel.state().wake.retain(|(number, _)| *number != self.number);
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cancel").field(&self.is_cancelled()).finish()
    }
}

impl fmt::Debug for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Waiting").finish_non_exhaustive()
    }
}

//! How long a run of the oracle may take, measured on runs that failed as wanted.
//!
//! A limit of the user's stands. Else it is ten times the slowest of the last interesting runs, one second at
//! least; before the first such run there is none. When the search is stuck, the limit is raised once, for as
//! long as that changes any answer.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

const LEAST: Duration = Duration::from_secs(1);
const TIMES_SLOWEST: u32 = 10;
/// How many runs back the slowest is looked for: candidates get smaller and runs faster.
const REMEMBERED_MAX: usize = 8;
/// What raising the limit multiplies it by.
const RAISE: u32 = 4;
/// So many runs in a row that time out under the raised limit too say that it changes nothing.
const VAIN_MAX: u32 = 2;

/// The time limit of one run.
#[derive(Debug, Default)]
pub struct Patience {
    fixed: Option<Duration>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    recent: VecDeque<Duration>,
    timed_out: u64,
    raised: bool,
    was_raised: bool,
    vain: u32,
}

impl Patience {
    /// With the user's limit, or one that is measured.
    pub fn new(fixed: Option<Duration>) -> Patience {
        Patience { fixed, state: Mutex::default() }
    }

    /// The limit of the next run.
    pub fn limit(&self) -> Option<Duration> {
        let state = self.state();
        let slowest = state.recent.iter().max()?;
        let measured = LEAST.max(slowest.saturating_mul(TIMES_SLOWEST));
        let times = if state.raised { RAISE } else { 1 };
        Some(self.fixed.unwrap_or(measured.saturating_mul(times)))
    }

    /// The limit of runs before anything was measured.
    pub fn first_limit(&self) -> Option<Duration> {
        self.fixed
    }

    /// An interesting run took so long.
    pub fn took(&self, elapsed: Duration) {
        let mut state = self.state();
        state.vain = 0;
        state.recent.push_back(elapsed);
        if state.recent.len() > REMEMBERED_MAX {
            state.recent.pop_front();
        }
    }

    /// The slowest of the last interesting runs.
    pub fn slowest(&self) -> Option<Duration> {
        self.state().recent.iter().max().copied()
    }

    /// A run timed out.
    pub fn timed_out(&self) {
        let mut state = self.state();
        state.timed_out += 1;
        if state.raised {
            state.vain += 1;
            state.raised = state.vain < VAIN_MAX;
        }
    }

    /// Whether answers that came of the limit as it was before are asked for again.
    pub fn raised(&self) -> bool {
        self.state().raised
    }

    /// Raises the limit where that can change anything and was not done before; whether it was done now.
    pub fn raise(&self) -> bool {
        let mut state = self.state();
        let useful = self.fixed.is_none() && state.timed_out > 0 && !state.was_raised;
        if useful {
            state.raised = true;
            state.was_raised = true;
        }
        useful
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn the_limit_follows_what_was_measured() {
        let patience = Patience::new(None);
        assert_eq!(patience.limit(), None);
        patience.took(ms(5));
        assert_eq!(patience.limit(), Some(ms(1000)));
        patience.took(ms(300));
        assert_eq!((patience.limit(), patience.slowest()), (Some(ms(3000)), Some(ms(300))));
        for _ in 0..REMEMBERED_MAX {
            patience.took(ms(120));
        }
        assert_eq!(patience.limit(), Some(ms(1200)));
        let fixed = Patience::new(Some(ms(50)));
        fixed.took(ms(300));
        fixed.timed_out();
        assert_eq!((fixed.first_limit(), fixed.limit(), fixed.raise()), (Some(ms(50)), Some(ms(50)), false));
    }

    #[test]
    fn it_is_raised_until_that_is_in_vain() {
        let patience = Patience::new(None);
        patience.took(ms(5));
        assert!(!patience.raise(), "nothing timed out");
        patience.timed_out();
        assert_eq!((patience.raise(), patience.limit()), (true, Some(ms(4000))));
        patience.timed_out();
        patience.took(ms(3000));
        patience.timed_out();
        assert!(patience.raised());
        patience.timed_out();
        assert!(!patience.raised() && !patience.raise(), "once is enough");
    }
}

//! The signals that end a search: the first one stops it and its best is kept, a second one ends us at once.

use crate::ask::Cancel;
use bv_schemas::exit;
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::SeqCst};
use std::thread;

/// Whether a signal asked for the end.
#[derive(Clone, Debug)]
pub struct Stop {
    /// Cancelled by the first signal.
    pub cancel: Cancel,
    number: Arc<AtomicI32>,
}

impl Stop {
    /// Watches from here on.
    ///
    /// # Errors
    /// Where the system refuses a handler or a thread.
    pub fn on_signals() -> io::Result<Stop> {
        let stop = Stop { cancel: Cancel::new(), number: Arc::new(AtomicI32::new(0)) };
        let told = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            // In this order: the second signal finds the flag set, the first one sets it.
            flag::register_conditional_default(signal, Arc::clone(&told))?;
            flag::register(signal, Arc::clone(&told))?;
        }
        // SIGCHLD without a handler may be ignored by inheritance, and then no exit status is kept.
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGCHLD])?;
        let tell = stop.clone();
        thread::Builder::new().name("signals".into()).spawn(move || {
            for number in signals.forever().filter(|number| *number != SIGCHLD) {
                tell.number.store(number, SeqCst);
                tell.cancel.cancel();
            }
        })?;
        Ok(stop)
    }

    /// The exit status that says so, where a signal came: 130 after SIGINT, 143 after SIGTERM.
    pub fn status(&self) -> Option<u8> {
        let number = self.number.load(SeqCst);
        (number != 0).then(|| u8::try_from(number).map_or(u8::MAX, |n| exit::SIGNAL.saturating_add(n)))
    }
}

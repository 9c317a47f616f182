//! The signals that ask the gate to stop.
//!
//! A terminal sends them to the gate and not to the candidate, which is in a group of its own: the gate has to
//! end it.

use signal_hook::consts::{SIGCHLD, SIGINT, SIGTERM};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

/// Whether one has come.
#[derive(Debug)]
pub struct Stop {
    signal: Arc<AtomicUsize>,
    /// Readable once one has come.
    told: UnixStream,
}

impl Stop {
    /// Watches them from here on.
    ///
    /// # Errors
    /// Where the system refuses.
    pub fn listen() -> io::Result<Stop> {
        let signal = Arc::new(AtomicUsize::new(0));
        let (told, tell) = UnixStream::pair()?;
        for number in [SIGINT, SIGTERM] {
            signal_hook::flag::register_usize(number, Arc::clone(&signal), number.unsigned_abs() as usize)?;
            signal_hook::low_level::pipe::register(number, tell.try_clone()?)?;
        }
        // Ignored by inheritance, it would take the exit status of every child with it.
        signal_hook::flag::register(SIGCHLD, Arc::new(AtomicBool::new(false)))?;
        Ok(Stop { signal, told })
    }

    /// The signal's number.
    pub fn signal(&self) -> Option<u8> {
        u8::try_from(self.signal.load(SeqCst)).ok().filter(|&number| number > 0)
    }

    /// What to wait for.
    pub fn told(&self) -> BorrowedFd<'_> {
        self.told.as_fd()
    }
}

//! The signals that bv-run watches, and what each means for the command.
//!
//! A terminal sends them to bv-run and its neighbours in the pipe, not to the command, which is in a
//! group of its own: passed on here, Ctrl-C reaches it once. Ctrl-Z is left to the system, which
//! stops bv-run alone.

use rustix::process::Signal;
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::Signals;
use std::io;

/// What a signal asks of bv-run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// Pass it on, and see to it that the command ends.
    Stop(Signal),
    /// Pass it on.
    Pass(Signal),
    /// Nothing.
    Nothing,
}

impl Told {
    /// What signal `number` asks for.
    pub fn by(number: i32) -> Told {
        match number {
            SIGINT => Told::Stop(Signal::INT),
            SIGTERM => Told::Stop(Signal::TERM),
            SIGHUP => Told::Stop(Signal::HUP),
            // A request for a dump to some runtimes (JVM), which go on after it.
            SIGQUIT => Told::Pass(Signal::QUIT),
            SIGUSR1 => Told::Pass(Signal::USR1),
            SIGUSR2 => Told::Pass(Signal::USR2),
            _ => Told::Nothing,
        }
    }
}

/// Watches them from here on.
///
/// A signal that we were started to ignore stays ignored, by the command too: `nohup bv-run …` must
/// survive the HUP. Only Linux lets us see which those are without unsafe code.
///
/// # Errors
/// Where the system refuses a handler.
pub fn signals() -> io::Result<Signals> {
    let ignored = ignored();
    let wanted = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2];
    // SIGCHLD without a handler may be ignored by inheritance, and then no exit status is kept.
    Signals::new(wanted.into_iter().filter(|number| ignored >> (number - 1) & 1 == 0).chain([SIGCHLD]))
}

/// The signals that are ignored, signal n at bit n - 1; none where the system does not say.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}

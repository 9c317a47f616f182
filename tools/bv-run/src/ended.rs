//! How a command ended: the words after `bv-exit:`, and the exit status that repeats them.

use bv_schemas::Limit;
use bv_schemas::exit;
use signal_hook::low_level::signal_name;
use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// How a command ended. Its `Display` is what follows `bv-exit: `.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with this code.
    Code(u8),
    /// By this signal.
    Signal(i32),
    /// By the time limit, whatever it did with the request to stop.
    Timeout(Limit),
    /// It never started.
    CannotRun {
        /// Why, one line without control characters.
        why: String,
        /// 127 where it was not found, 126 otherwise, as a shell has it.
        exit: u8,
    },
}

impl Ended {
    /// What the system says of a command that ended.
    pub fn of(status: ExitStatus) -> Ended {
        match (status.code(), status.signal()) {
            // Unix keeps the low eight bits of a code, so nothing is lost here.
            (Some(code), _) => Ended::Code((code & 0xff) as u8),
            (None, signal) => Ended::Signal(signal.unwrap_or(0)),
        }
    }

    /// What the system says of a command that could not be started.
    pub fn cannot_run(program: &OsStr, wrong: &io::Error) -> Ended {
        let name: String =
            program.to_string_lossy().chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
        let missing = wrong.kind() == io::ErrorKind::NotFound;
        let reason =
            if missing && !name.contains('/') { "command not found".to_owned() } else { plain(wrong) };
        Ended::CannotRun {
            why: format!("{name}: {reason}"),
            exit: if missing { exit::NOT_FOUND } else { exit::CANNOT_RUN },
        }
    }

    /// The exit status of bv-run.
    pub fn exit(&self) -> u8 {
        match self {
            Ended::Code(code) => *code,
            Ended::Signal(signal) => {
                u8::try_from(*signal).map_or(u8::MAX, |n| exit::SIGNAL.saturating_add(n))
            }
            Ended::Timeout(_) => exit::TIMEOUT,
            Ended::CannotRun { exit, .. } => *exit,
        }
    }
}

/// The system's words without Rust's ` (os error 13)`.
fn plain(wrong: &io::Error) -> String {
    let words = wrong.to_string();
    match words.find(" (os error") {
        Some(at) => words[..at].to_owned(),
        None => words,
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ended::Code(code) => write!(f, "{code}"),
            Ended::Signal(signal) => match signal_name(*signal) {
                Some(name) => write!(f, "signal {name}"),
                None => write!(f, "signal {signal}"),
            },
            Ended::Timeout(limit) => write!(f, "timeout {limit}"),
            Ended::CannotRun { why, .. } => write!(f, "cannot run: {why}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ended: Ended, expected: (&str, u8)) {
        assert_eq!((ended.to_string().as_str(), ended.exit()), expected);
    }

    #[test]
    fn words_and_status_of_each_end() {
        check(Ended::of(ExitStatus::from_raw(0)), ("0", 0));
        check(Ended::of(ExitStatus::from_raw(101 << 8)), ("101", 101));
        check(Ended::of(ExitStatus::from_raw(11)), ("signal SIGSEGV", 139));
        check(Ended::of(ExitStatus::from_raw(0x80 | 6)), ("signal SIGABRT", 134));
        check(Ended::Signal(50), ("signal 50", 178));
        let half_an_hour = "30m".parse().expect("it is a time");
        check(Ended::Timeout(half_an_hour), ("timeout 30m", 124));
        let missing = io::Error::from_raw_os_error(2);
        check(
            Ended::cannot_run(OsStr::new("pyt\nst"), &missing),
            ("cannot run: pyt\u{fffd}st: command not found", 127),
        );
        check(
            Ended::cannot_run(OsStr::new("./run"), &missing),
            ("cannot run: ./run: No such file or directory", 127),
        );
        check(
            Ended::cannot_run(OsStr::new("./run"), &io::Error::from_raw_os_error(13)),
            ("cannot run: ./run: Permission denied", 126),
        );
    }
}

//! The candidate's process: what it is told, what it says, how it ends.
//!
//! It has a process group of its own, which is killed when the gate is done with it. Nothing here blocks on
//! one of its pipes alone: a turn waits for all of them at once, so neither side can make the other wait for
//! ever. What the bytes mean is left to `talk.rs`.

use crate::words::one_line;
use bv_schemas::child::{GRACE, Group};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Read or written at once.
const CHUNK_BYTES: usize = 64 << 10;
/// The last of its stderr that is kept.
const STDERR_BYTES_MAX: usize = 16 << 10;
/// The longest single wait that the system is asked for; a longer one is waited in parts.
const WAIT_MAX: Duration = Duration::from_secs(3600);

/// A running candidate.
#[derive(Debug)]
pub struct Candidate {
    group: Group,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    /// What it has yet to be told.
    told: Vec<u8>,
    written: usize,
    /// Whether its stdin closes once all is told.
    closing: bool,
    /// What it said and nobody has taken.
    pub heard: Vec<u8>,
    last_words: Vec<u8>,
    chunk: Vec<u8>,
}

/// What a turn was woken by beside the candidate itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Woken {
    /// `others[0]`, `others[1]` can be read.
    pub others: [bool; 2],
    /// The time is over and nothing has happened.
    pub late: bool,
}

/// How a candidate ended.
#[derive(Debug)]
pub struct Ended {
    /// `None` where it had to be killed.
    pub status: Option<ExitStatus>,
    /// What its stderr ended with, on one line.
    pub last_words: Option<String>,
}

impl Candidate {
    /// Starts `command`.
    ///
    /// # Errors
    /// Where it cannot be started.
    pub fn start(command: &[OsString]) -> io::Result<Candidate> {
        let [program, arguments @ ..] = command else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "no command"));
        };
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut group = Group::spawn(&mut command)?;
        let (stdin, stdout, stderr) = (group.take_stdin(), group.take_stdout(), group.take_stderr());
        stdin.as_ref().map_or(Ok(()), without_blocking)?;
        stdout.as_ref().map_or(Ok(()), without_blocking)?;
        stderr.as_ref().map_or(Ok(()), without_blocking)?;
        Ok(Candidate {
            group,
            stdin,
            stdout,
            stderr,
            told: Vec::new(),
            written: 0,
            closing: false,
            heard: Vec::new(),
            last_words: Vec::new(),
            chunk: vec![0; CHUNK_BYTES],
        })
    }

    /// Gives it one line to read, some time.
    pub fn tell(&mut self, line: &str) {
        if self.stdin.is_some() {
            self.told.extend_from_slice(line.as_bytes());
            self.told.push(b'\n');
        }
    }

    /// Ends its input after what it was told.
    pub fn close(&mut self) {
        self.closing = true;
        if self.told.is_empty() {
            self.stdin = None;
        }
    }

    /// Whether it can say nothing more.
    pub fn is_mute(&self) -> bool {
        self.stdout.is_none()
    }

    /// Whether the process has ended by itself, whoever may hold its output open.
    ///
    /// # Errors
    /// Where the system cannot tell.
    pub fn has_ended(&self) -> io::Result<bool> {
        self.group.wait_until(Some(Instant::now()))
    }

    /// Waits until there is something to read, to write or to do, or `until` is reached, and reads and writes
    /// what it can.
    ///
    /// # Errors
    /// Where the system cannot wait.
    pub fn turn(&mut self, others: [Option<BorrowedFd<'_>>; 2], until: Option<Instant>) -> io::Result<Woken> {
        let writing = self.stdin.as_ref().filter(|_| !self.told.is_empty());
        let watched = [
            (writing.map(AsFd::as_fd), PollFlags::OUT, Who::Stdin),
            (self.stdout.as_ref().map(AsFd::as_fd), PollFlags::IN, Who::Stdout),
            (self.stderr.as_ref().map(AsFd::as_fd), PollFlags::IN, Who::Stderr),
            (others[0], PollFlags::IN, Who::Other(0)),
            (others[1], PollFlags::IN, Who::Other(1)),
        ];
        let watched = watched.into_iter().filter_map(|(fd, flags, who)| Some((fd?, flags, who)));
        let (mut on, who): (Vec<_>, Vec<_>) =
            watched.map(|(fd, flags, who)| (PollFd::from_borrowed_fd(fd, flags), who)).unzip();
        let left = until.map(|until| until.saturating_duration_since(Instant::now()).min(WAIT_MAX));
        let ready = match poll(&mut on, left.and_then(|left| Timespec::try_from(left).ok()).as_ref()) {
            Ok(ready) => ready,
            Err(Errno::INTR) => return Ok(Woken::default()),
            Err(wrong) => return Err(wrong.into()),
        };
        let awake: Vec<Who> =
            on.iter().zip(who).filter(|(one, _)| !one.revents().is_empty()).map(|(_, who)| who).collect();
        drop(on);
        let mut woken = Woken {
            others: [false; 2],
            late: ready == 0 && until.is_some_and(|until| until <= Instant::now()),
        };
        for who in awake {
            match who {
                Who::Stdin => self.write(),
                Who::Stdout => self.hear(),
                Who::Stderr => self.overhear(),
                Who::Other(nth) => woken.others[nth] = true,
            }
        }
        Ok(woken)
    }

    /// A candidate that reads no further may still answer.
    fn write(&mut self) {
        let Some(pipe) = &mut self.stdin else { return };
        let open = match pipe.write(&self.told[self.written..]) {
            Ok(n) => {
                self.written += n;
                true
            }
            Err(wrong) => for_now(&wrong),
        };
        if !open || self.written == self.told.len() {
            self.told.clear();
            self.written = 0;
        }
        if !open || (self.closing && self.told.is_empty()) {
            self.stdin = None;
        }
    }

    fn hear(&mut self) {
        let Some(pipe) = &mut self.stdout else { return };
        match pipe.read(&mut self.chunk) {
            Ok(n) if n > 0 => self.heard.extend_from_slice(&self.chunk[..n]),
            Err(wrong) if for_now(&wrong) => {}
            Ok(_) | Err(_) => self.stdout = None,
        }
    }

    fn overhear(&mut self) {
        let Some(pipe) = &mut self.stderr else { return };
        match pipe.read(&mut self.chunk) {
            Ok(n) if n > 0 => {
                self.last_words.extend_from_slice(&self.chunk[..n]);
                let over = self.last_words.len().saturating_sub(STDERR_BYTES_MAX);
                self.last_words.drain(..over);
            }
            Err(wrong) if for_now(&wrong) => {}
            Ok(_) | Err(_) => self.stderr = None,
        }
    }

    /// Waits for its end, at most until `until`, kills what is left of its group, and says how it ended.
    ///
    /// # Errors
    /// Where the system does not tell.
    pub fn end(&mut self, until: Instant) -> io::Result<Ended> {
        self.stdin = None;
        // It may have much to say to stderr, and would not end before that is read.
        while !self.has_ended()? && Instant::now() < until {
            if self.stderr.is_none() && self.stdout.is_none() {
                self.group.wait_until(Some(until))?;
                break;
            }
            self.turn([None, None], Some(until.min(Instant::now() + GRACE)))?;
            self.heard.clear();
        }
        let by_itself = self.has_ended()?;
        let status = self.group.kill()?;
        for _ in 0..=STDERR_BYTES_MAX.max(PIPE_BYTES_MAX) / CHUNK_BYTES {
            self.overhear();
        }
        Ok(Ended { status: by_itself.then_some(status), last_words: last_words(&self.last_words) })
    }
}

/// The most that a pipe holds without privileges (Linux `pipe-max-size`).
const PIPE_BYTES_MAX: usize = 1 << 20;

#[derive(Clone, Copy)]
enum Who {
    Stdin,
    Stdout,
    Stderr,
    Other(usize),
}

fn for_now(wrong: &io::Error) -> bool {
    matches!(wrong.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

/// Our end of a pipe only: the candidate's own end still blocks.
fn without_blocking(pipe: &impl AsFd) -> io::Result<()> {
    let flags = fcntl_getfl(pipe)?;
    fcntl_setfl(pipe, flags | OFlags::NONBLOCK).map_err(io::Error::from)
}

/// Words by which runtimes and sanitizers begin the line that says why a process dies.
const CAUSES: &[&str] = &[
    "Error: ",
    "Exception: ",
    "Exception in thread ",
    "panic: ",
    "terminate called",
    "SUMMARY: ",
    "Assertion ",
];

/// The line of stderr that says most: the last that names a cause, else the last at all.
fn last_words(stderr: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(stderr);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    // Rust prints the message below the line that says where it panicked.
    let panic = lines.iter().rposition(|line| line.contains("panicked at "));
    let cause = lines.iter().rposition(|line| CAUSES.iter().any(|cause| line.contains(cause)));
    let at = panic.map(|at| (at + 1).min(lines.len() - 1)).or(cause).unwrap_or(lines.len().checked_sub(1)?);
    one_line(lines[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_names_the_cause_is_the_last_word() {
        let check = |stderr: &str, expected: Option<&str>| {
            assert_eq!(last_words(stderr.as_bytes()).as_deref(), expected, "{stderr}");
        };
        check("", None);
        check("\n \n", None);
        check("working\ngiving up\n\n", Some("giving up"));
        check(
            "Traceback (most recent call last):\n  File \"a.py\", line 1\nValueError: no\n",
            Some("ValueError: no"),
        );
        check(
            "TypeError: x is no function\n    at f (a.js:1:2)\n\nNode.js v20.1.0\n",
            Some("TypeError: x is no function"),
        );
        check(
            "\nthread 'main' panicked at src/main.rs:3:5:\nno way\nnote: run with `RUST_BACKTRACE=1`\n",
            Some("no way"),
        );
        check("panic: no way\n\ngoroutine 1 [running]:\nmain.main()\nexit status 2\n", Some("panic: no way"));
        check(
            "SUMMARY: AddressSanitizer: heap-use-after-free a.c:3 in f\n==1==ABORTING\n",
            Some("SUMMARY: AddressSanitizer: heap-use-after-free a.c:3 in f"),
        );
    }
}

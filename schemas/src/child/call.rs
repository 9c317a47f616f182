//! One whole call of a command: started, fed, read, ended.

use super::{Cancel, GRACE, Group, wait_for};
use rustix::event::{PollFd, PollFlags};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Read or written at once: what a pipe holds on Linux by default.
const CHUNK_BYTES: usize = 64 << 10;

/// What a call gives its command, and how far it may go.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// What the command reads; `None` for an empty stdin.
    pub stdin: Option<&'a [u8]>,
    /// Kept of stdout and of stderr, each; the rest is read and counted.
    pub kept_bytes_max: usize,
    /// How long the command may run.
    pub timeout: Option<Duration>,
    /// Ends the call early.
    pub cancel: &'a Cancel,
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Called {
    /// How the command ended.
    pub ended: Ended,
    /// The first bytes of its stdout.
    pub stdout: Vec<u8>,
    /// The first bytes of its stderr.
    pub stderr: Vec<u8>,
    /// Bytes of both that were not kept.
    pub dropped_bytes: u64,
    /// From start to end.
    pub elapsed: Duration,
}

/// How a called command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself.
    Itself(ExitStatus),
    /// By the time limit, whatever it made of the request to end.
    TimedOut,
    /// By [`Cancel`].
    Cancelled,
}

/// Runs `command` to its end and ends all that it started with it. Its streams and its process group are set
/// here.
///
/// A process that outlives the command and holds its output open is waited for, at most [`GRACE`].
///
/// # Errors
/// Where the command cannot be started, or the system cannot wait for it.
pub fn call(command: &mut Command, call: &Call<'_>) -> io::Result<Called> {
    let begun = Instant::now();
    if call.cancel.is_cancelled() {
        return Ok(Called::nothing(Ended::Cancelled));
    }
    let stdin = if call.stdin.is_some() { Stdio::piped() } else { Stdio::null() };
    command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut group = Group::spawn(command)?;
    let mut input = Input::of(group.take_stdin(), call.stdin.unwrap_or_default())?;
    let mut stdout = Output::of(group.take_stdout(), call.kept_bytes_max)?;
    let mut stderr = Output::of(group.take_stderr(), call.kept_bytes_max)?;

    let mut chunk = vec![0; CHUNK_BYTES];
    let mut phase = Phase::Running { until: call.timeout.and_then(|time| begun.checked_add(time)) };
    while !phase.over(stdout.closed() && stderr.closed()) {
        let ready = Ready::wait(&group, call.cancel, &phase, &input, &stdout, &stderr)?;
        if ready.input {
            input.write();
        }
        if ready.stdout {
            stdout.read(&mut chunk);
        }
        if ready.stderr {
            stderr.read(&mut chunk);
        }
        phase = phase.after(&ready, &group);
    }
    let status = group.kill()?;
    // What the pipes still hold; whoever may write to them now is none of ours.
    stdout.drain(&mut chunk);
    stderr.drain(&mut chunk);
    Ok(Called {
        ended: phase.why().unwrap_or(Ended::Itself(status)),
        dropped_bytes: stdout.dropped_bytes + stderr.dropped_bytes,
        stdout: stdout.kept,
        stderr: stderr.kept,
        elapsed: begun.elapsed(),
    })
}

impl Called {
    fn nothing(ended: Ended) -> Called {
        let (stdout, stderr) = (Vec::new(), Vec::new());
        Called { ended, stdout, stderr, dropped_bytes: 0, elapsed: Duration::ZERO }
    }
}

/// Where a call stands.
#[derive(Clone, Copy)]
enum Phase {
    /// The command runs.
    Running { until: Option<Instant> },
    /// It was asked to end.
    Stopping { why: Ended, until: Instant },
    /// It has ended, and another may write to its output still.
    Draining { until: Instant },
    /// Nothing more is waited for.
    Over { why: Option<Ended> },
}

impl Phase {
    fn until(&self) -> Option<Instant> {
        match self {
            Phase::Running { until } => *until,
            Phase::Stopping { until, .. } | Phase::Draining { until } => Some(*until),
            Phase::Over { .. } => None,
        }
    }

    fn over(&self, outputs_closed: bool) -> bool {
        matches!(self, Phase::Over { .. }) || matches!(self, Phase::Draining { .. } if outputs_closed)
    }

    fn why(&self) -> Option<Ended> {
        if let Phase::Over { why } = self { *why } else { None }
    }

    fn after(self, ready: &Ready, group: &Group) -> Phase {
        let late = self.until().is_some_and(|until| until <= Instant::now());
        match self {
            // An end that comes with the last moment is the command's own.
            Phase::Running { .. } if ready.ended => Phase::Draining { until: Instant::now() + GRACE },
            Phase::Running { .. } if ready.cancelled || late => {
                group.ask_to_end();
                let why = if ready.cancelled { Ended::Cancelled } else { Ended::TimedOut };
                Phase::Stopping { why, until: Instant::now() + GRACE }
            }
            Phase::Stopping { why, .. } if ready.ended || late => Phase::Over { why: Some(why) },
            Phase::Draining { .. } if late || ready.cancelled => Phase::Over { why: None },
            same => same,
        }
    }
}

/// What a wait ended by.
#[derive(Default)]
struct Ready {
    ended: bool,
    cancelled: bool,
    input: bool,
    stdout: bool,
    stderr: bool,
}

impl Ready {
    fn wait(
        group: &Group,
        cancel: &Cancel,
        phase: &Phase,
        input: &Input<'_>,
        stdout: &Output<impl AsFd>,
        stderr: &Output<impl AsFd>,
    ) -> io::Result<Ready> {
        let mut ready = Ready::default();
        let mut on = Vec::with_capacity(5);
        let mut tell = Vec::with_capacity(5);
        if !matches!(phase, Phase::Draining { .. }) {
            on.push(PollFd::new(&group.ended, PollFlags::IN));
            tell.push(&mut ready.ended);
        }
        if !matches!(phase, Phase::Stopping { .. }) {
            on.push(PollFd::new(&cancel.told, PollFlags::IN));
            tell.push(&mut ready.cancelled);
        }
        if let Some(pipe) = &input.pipe {
            on.push(PollFd::new(pipe, PollFlags::OUT));
            tell.push(&mut ready.input);
        }
        if let Some(pipe) = &stdout.pipe {
            on.push(PollFd::new(pipe, PollFlags::IN));
            tell.push(&mut ready.stdout);
        }
        if let Some(pipe) = &stderr.pipe {
            on.push(PollFd::new(pipe, PollFlags::IN));
            tell.push(&mut ready.stderr);
        }
        wait_for(&mut on, phase.until())?;
        for (one, tell) in on.iter().zip(tell) {
            *tell = !one.revents().is_empty();
        }
        Ok(ready)
    }
}

/// What the command has yet to be told.
struct Input<'a> {
    pipe: Option<ChildStdin>,
    left: &'a [u8],
}

impl<'a> Input<'a> {
    fn of(pipe: Option<ChildStdin>, left: &'a [u8]) -> io::Result<Input<'a>> {
        let pipe = pipe.filter(|_| !left.is_empty());
        if let Some(pipe) = &pipe {
            without_blocking(pipe)?;
        }
        Ok(Input { pipe, left })
    }

    /// A command that reads no further has its reasons.
    fn write(&mut self) {
        let Some(pipe) = &mut self.pipe else { return };
        match pipe.write(&self.left[..self.left.len().min(CHUNK_BYTES)]) {
            Ok(n) => self.left = &self.left[n..],
            Err(wrong) if for_now(&wrong) => {}
            Err(_) => self.left = &[],
        }
        if self.left.is_empty() {
            self.pipe = None;
        }
    }
}

/// One of the command's outputs, as far as it is kept.
struct Output<R> {
    pipe: Option<R>,
    kept: Vec<u8>,
    kept_bytes_max: usize,
    dropped_bytes: u64,
}

impl<R: AsFd> Output<R> {
    fn of(pipe: Option<R>, kept_bytes_max: usize) -> io::Result<Output<R>> {
        if let Some(pipe) = &pipe {
            without_blocking(pipe)?;
        }
        Ok(Output { pipe, kept: Vec::new(), kept_bytes_max, dropped_bytes: 0 })
    }

    fn closed(&self) -> bool {
        self.pipe.is_none()
    }
}

impl<R: AsFd + Read> Output<R> {
    /// Reads once; whether there may be more at once.
    fn read(&mut self, chunk: &mut [u8]) -> bool {
        let Some(pipe) = &mut self.pipe else { return false };
        match pipe.read(chunk) {
            Ok(n) if n > 0 => {
                let room = (self.kept_bytes_max - self.kept.len()).min(n);
                self.kept.extend_from_slice(&chunk[..room]);
                self.dropped_bytes += (n - room) as u64;
                true
            }
            Err(wrong) if for_now(&wrong) => false,
            Ok(_) | Err(_) => {
                self.pipe = None;
                false
            }
        }
    }

    /// Reads what is there, at most what a pipe can hold without privileges (Linux `pipe-max-size`).
    fn drain(&mut self, chunk: &mut [u8]) {
        const PIPE_BYTES_MAX: usize = 1 << 20;
        for _ in 0..=PIPE_BYTES_MAX / CHUNK_BYTES {
            if !self.read(chunk) {
                return;
            }
        }
    }
}

fn for_now(wrong: &io::Error) -> bool {
    matches!(wrong.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

/// Our end of a pipe only: the command's own end still blocks.
fn without_blocking(pipe: &impl AsFd) -> io::Result<()> {
    let flags = fcntl_getfl(pipe)?;
    fcntl_setfl(pipe, flags | OFlags::NONBLOCK).map_err(io::Error::from)
}

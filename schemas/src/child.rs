//! A child process that leaves nothing behind: it has a process group of its own, and the whole group ends
//! with it, grandchildren too.
//!
//! [`call`] starts a command, feeds it, reads it and sees it end, within bounds of time and memory; [`Group`]
//! is the same for a child that lives longer than one question. Nothing is polled: a thread waits for the
//! child, and everything else waits for descriptors. What a child does on its own (a session of its own, a
//! file that it writes) is left alone.
//!
//! `SIGCHLD` must not be ignored, as it may be by inheritance: the system keeps no exit status then and every
//! wait fails. A tool that handles signals handles this one too.

mod call;
mod limited;
#[cfg(test)]
mod tests;

pub use call::{Call, Called, Ended, call};
pub use limited::command;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::io::{self, PipeReader, PipeWriter, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

/// Time between asking a group to end and killing it.
pub const GRACE: Duration = Duration::from_millis(200);

/// Stack of the thread that waits for a child; it does nothing else.
const WAIT_STACK_BYTES: usize = 64 << 10;

/// A running child and all that it starts, unless that leaves the group. Dropped, the group is killed.
#[derive(Debug)]
pub struct Group {
    child: Child,
    id: Pid,
    /// Readable once the child has ended.
    ended: PipeReader,
    status: Option<ExitStatus>,
}

impl Group {
    /// Starts `command` in a process group of its own; its streams are the caller's to set and to use.
    ///
    /// # Errors
    /// Where it cannot be started, or no pipe or thread can be made.
    pub fn spawn(command: &mut Command) -> io::Result<Group> {
        let (ended, tell) = io::pipe()?;
        let child = command.process_group(0).spawn()?;
        let id = Pid::from_child(&child);
        let group = Group { child, id, ended, status: None };
        let wait = thread::Builder::new().name("child".into()).stack_size(WAIT_STACK_BYTES);
        wait.spawn(move || tell_the_end(id, tell))?;
        Ok(group)
    }

    /// The child's process id, which is the group's too.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The child's stdin, once, where it was piped.
    pub fn take_stdin(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    /// The child's stdout, once, where it was piped.
    pub fn take_stdout(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    /// The child's stderr, once, where it was piped.
    pub fn take_stderr(&mut self) -> Option<ChildStderr> {
        self.child.stderr.take()
    }

    /// Waits until the child has ended or `until` is reached (`None`: without bound); whether it has ended.
    ///
    /// # Errors
    /// Where the system cannot wait.
    pub fn wait_until(&self, until: Option<Instant>) -> io::Result<bool> {
        if self.status.is_some() {
            return Ok(true);
        }
        let mut end = [PollFd::new(&self.ended, PollFlags::IN)];
        wait_for(&mut end, until)?;
        Ok(!end[0].revents().is_empty())
    }

    /// Waits for the child's own end, then kills what it left behind.
    ///
    /// # Errors
    /// Where the system does not tell how the child ended.
    pub fn wait(&mut self) -> io::Result<ExitStatus> {
        self.wait_until(None)?;
        self.kill()
    }

    /// Asks the group to end (`SIGTERM`), and kills what is left of it once the child has ended or
    /// [`GRACE`] is over.
    ///
    /// # Errors
    /// Where the system does not tell how the child ended.
    pub fn end(&mut self) -> io::Result<ExitStatus> {
        self.ask_to_end();
        self.wait_until(Some(Instant::now() + GRACE))?;
        self.kill()
    }

    /// Kills the group and says how the child ended, which may have been before. Nothing is sent a second
    /// time, when the number may be another's.
    ///
    /// # Errors
    /// Where the system does not tell how the child ended.
    pub fn kill(&mut self) -> io::Result<ExitStatus> {
        if let Some(status) = self.status {
            return Ok(status);
        }
        // The child is not reaped yet, so its number belongs to no stranger.
        self.send(Signal::KILL);
        let status = self.child.wait()?;
        self.status = Some(status);
        Ok(status)
    }

    /// Sends `SIGTERM`, and `SIGCONT` because a stopped process hears nothing else.
    fn ask_to_end(&self) {
        if self.status.is_none() {
            self.send(Signal::TERM);
            self.send(Signal::CONT);
        }
    }

    fn send(&self, signal: Signal) {
        // It fails where nobody is left in the group, which is what was wanted.
        let _ = kill_process_group(self.id, signal);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Nobody is left to tell.
        let _ = self.kill();
    }
}

/// Waits for the end of the child and leaves it unreaped, then makes `tell`'s other end readable.
fn tell_the_end(child: Pid, mut tell: PipeWriter) {
    while let Err(rustix::io::Errno::INTR) =
        waitid(WaitId::Pid(child), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)
    {}
    // A byte, not only the closed end: a sibling that is being started holds a copy of it for a moment.
    let _ = tell.write_all(&[0]);
}

/// Ends calls from another thread, those under way and those to come.
#[derive(Debug)]
pub struct Cancel {
    cancelled: AtomicBool,
    /// Readable once cancelled, and from then on.
    told: PipeReader,
    tell: PipeWriter,
}

impl Cancel {
    /// One that is not cancelled.
    ///
    /// # Errors
    /// Where no pipe can be made.
    pub fn new() -> io::Result<Cancel> {
        let (told, tell) = io::pipe()?;
        Ok(Cancel { cancelled: AtomicBool::new(false), told, tell })
    }

    /// Cancels, for good.
    pub fn cancel(&self) {
        if !self.cancelled.swap(true, SeqCst) {
            // An empty pipe has room for one byte.
            let _ = (&self.tell).write_all(&[0]);
        }
    }

    /// Whether it is cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(SeqCst)
    }
}

/// Waits until one of `on` is ready or `until` is reached.
fn wait_for(on: &mut [PollFd<'_>], until: Option<Instant>) -> io::Result<()> {
    loop {
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        // A time that the system's clock cannot count is as good as none.
        let left = left.and_then(|left| Timespec::try_from(left).ok());
        match poll(on, left.as_ref()) {
            Err(rustix::io::Errno::INTR) => {}
            other => return other.map(drop).map_err(io::Error::from),
        }
    }
}

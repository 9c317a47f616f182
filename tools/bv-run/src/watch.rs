//! Watches a running command until it and its output have ended, and sees to it that they do.
//!
//! Three threads report here: one waits for the command, one for signals, one for the end of its
//! output. Nothing is polled but the silence of an output that outlives its command.

use crate::copy::{Progress, copy};
use crate::ended::Ended;
use crate::output::{Output, complain};
use crate::told::Told;
use bv_schemas::Limit;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use signal_hook::iterator::Signals;
use std::io::{self, PipeReader};
use std::process::Child;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// A process that the command left behind may hold the output open for ever; after the command's end
/// so long a silence ends the wait for it.
const QUIET: Duration = Duration::from_secs(1);
/// The longest such wait when that process goes on writing.
const DRAIN_MAX: Duration = Duration::from_secs(10);
/// The most that a pipe holds without privileges (Linux `pipe-max-size`). Once so much has been read
/// after the command's end, all that the command itself wrote has been read.
const PIPE_BYTES_MAX: u64 = 1 << 20;
/// Reports that wait to be read; more make the reporting thread wait, never lose one.
const REPORTS_MAX: usize = 16;

/// How long the command may take.
#[derive(Debug)]
pub struct Limits {
    /// Until it is asked to stop.
    pub timeout: Option<Limit>,
    /// From there until it is killed.
    pub grace: Duration,
}

/// Waits until the command has ended and its output is read, and says how it ended.
///
/// # Errors
/// Where no thread can be made, or the system does not tell how the command ended.
pub fn until_it_ends(
    mut child: Child,
    pipe: PipeReader,
    signals: Signals,
    output: &Arc<Output>,
    limits: Limits,
) -> io::Result<Ended> {
    let group = Pid::from_child(&child);
    let progress = Arc::new(Progress::default());
    let reports = listen(group, pipe, signals, output, &progress)?;
    let timeout = limits.timeout.as_ref().map(Limit::duration);
    let mut watch = Watch {
        group,
        reports,
        progress,
        grace: limits.grace,
        timeout_at: timeout.and_then(|after| Instant::now().checked_add(after)),
        timed_out: false,
        stopping: false,
        kill_at: None,
        ended_at: None,
        closed: false,
        stuck: None,
    };
    watch.run();
    if watch.stopping {
        // What is left of the group although it was asked to stop. The command is not reaped yet, so
        // the number cannot belong to anyone else.
        watch.send(Signal::KILL);
    }
    let status = child.wait()?;
    if !watch.closed {
        complain("a process that the command left behind holds its output open; the rest is not read");
    }
    Ok(match (limits.timeout, watch.stuck) {
        (Some(limit), _) if watch.timed_out => Ended::Timeout(limit),
        (_, Some(signal)) => Ended::Signal(signal),
        _ => Ended::of(status),
    })
}

/// What the threads report.
#[derive(Debug)]
enum Report {
    /// bv-run got this signal.
    Signal(i32),
    /// The command was stopped, not ended, by this signal.
    Stopped(i32),
    /// The command ended.
    Ended,
    /// Nobody holds the output open any more, and all of it is written.
    Closed,
}

fn listen(
    command: Pid,
    pipe: PipeReader,
    mut signals: Signals,
    output: &Arc<Output>,
    progress: &Arc<Progress>,
) -> io::Result<Receiver<Report>> {
    let (to, reports) = sync_channel(REPORTS_MAX);
    // A report that nobody takes any more is not missed.
    let tell = to.clone();
    spawn("signals", move || {
        for number in signals.forever() {
            let _ = tell.send(Report::Signal(number));
        }
    })?;
    let tell = to.clone();
    let (output, progress) = (Arc::clone(output), Arc::clone(progress));
    spawn("output", move || {
        copy(pipe, &output, &progress);
        let _ = tell.send(Report::Closed);
    })?;
    spawn("command", move || wait(command, &to))?;
    Ok(reports)
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name(name.into()).spawn(work).map(drop)
}

/// Reports each stop and the end of the command. It is left unreaped, so that its process group
/// cannot be taken over by a stranger while signals may still be sent to it.
fn wait(command: Pid, to: &SyncSender<Report>) {
    let look = WaitIdOptions::EXITED | WaitIdOptions::STOPPED | WaitIdOptions::NOWAIT;
    loop {
        match waitid(WaitId::Pid(command), look) {
            Err(rustix::io::Errno::INTR) => {}
            Ok(Some(status)) if status.stopped() => {
                // A stop that was only looked at would be reported again at once.
                let take = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG;
                let _ = waitid(WaitId::Pid(command), take);
                let _ = to.send(Report::Stopped(status.stopping_signal().unwrap_or(0)));
            }
            Ok(_) | Err(_) => {
                let _ = to.send(Report::Ended);
                return;
            }
        }
    }
}

struct Watch {
    group: Pid,
    reports: Receiver<Report>,
    progress: Arc<Progress>,
    grace: Duration,
    timeout_at: Option<Instant>,
    timed_out: bool,
    /// The group was asked to stop.
    stopping: bool,
    /// When it is killed; absent again afterwards.
    kill_at: Option<Instant>,
    ended_at: Option<Instant>,
    closed: bool,
    /// The signal with which the terminal stopped the command for good.
    stuck: Option<i32>,
}

impl Watch {
    fn run(&mut self) {
        let mut drain: Option<Drain> = None;
        while !(self.closed && self.ended_at.is_some()) {
            let wake = [self.timeout_at, self.kill_at, drain.as_ref().map(|d| d.look_at)];
            let report = self.next(wake.into_iter().flatten().min());
            if let Some(report) = report {
                self.take(report);
            }
            self.keep_time();
            // While the group has its grace, it may take its time to close the output.
            if self.ended_at.is_some() && self.kill_at.is_none() {
                let drain = drain.get_or_insert_with(|| Drain::new(&self.progress));
                if drain.over(&self.progress) {
                    return;
                }
            }
        }
    }

    fn next(&self, wake: Option<Instant>) -> Option<Report> {
        let Some(wake) = wake else {
            return self.reports.recv().ok();
        };
        let wait = wake.saturating_duration_since(Instant::now());
        self.reports.recv_timeout(wait).ok()
    }

    fn take(&mut self, report: Report) {
        match report {
            Report::Ended => {
                self.ended_at = Some(Instant::now());
                self.timeout_at = None;
            }
            Report::Closed => self.closed = true,
            Report::Stopped(signal) => self.stopped(signal),
            Report::Signal(number) => match Told::by(number) {
                Told::Stop(signal) => self.stop(signal),
                Told::Pass(signal) => self.send(signal),
                Told::Nothing => {}
            },
        }
    }

    /// Only the terminal's own stops are final: nobody will continue the command from them.
    fn stopped(&mut self, signal: i32) {
        if signal == Signal::TTIN.as_raw() || signal == Signal::TTOU.as_raw() {
            complain("the command wants the terminal, which it cannot have here; it is killed");
            self.stuck = Some(signal);
            self.stopping = true;
            self.send(Signal::KILL);
        }
    }

    fn keep_time(&mut self) {
        let now = Instant::now();
        if self.timeout_at.is_some_and(|at| at <= now) {
            self.timeout_at = None;
            self.timed_out = true;
            self.stop(Signal::TERM);
        }
        if self.kill_at.is_some_and(|at| at <= now) {
            self.kill_at = None;
            self.send(Signal::KILL);
        }
    }

    /// Asks the group to stop; the first time starts the grace.
    fn stop(&mut self, signal: Signal) {
        self.send(signal);
        // A process that is paused takes no signal until it goes on.
        self.send(Signal::CONT);
        if !self.stopping {
            self.stopping = true;
            self.kill_at = Instant::now().checked_add(self.grace);
        }
    }

    fn send(&self, signal: Signal) {
        // It fails where nobody is left in the group, which is what was wanted.
        let _ = kill_process_group(self.group, signal);
    }
}

/// The wait for an output that outlives its command.
struct Drain {
    since: Instant,
    bytes_then: u64,
    bytes_seen: u64,
    look_at: Instant,
}

impl Drain {
    fn new(progress: &Progress) -> Drain {
        let now = Instant::now();
        let bytes = progress.bytes();
        Drain { since: now, bytes_then: bytes, bytes_seen: bytes, look_at: now + QUIET }
    }

    /// Whether to wait no longer. While our own reader is slow and the command's last words may
    /// still be on their way, the wait has no bound.
    fn over(&mut self, progress: &Progress) -> bool {
        let now = Instant::now();
        if now < self.look_at {
            return false;
        }
        let (bytes, writing) = (progress.bytes(), progress.writing());
        let quiet = bytes == self.bytes_seen;
        let long = now - self.since >= DRAIN_MAX;
        let all_written = !writing || bytes - self.bytes_then > PIPE_BYTES_MAX;
        self.bytes_seen = bytes;
        self.look_at = now + QUIET;
        all_written && (quiet || long)
    }
}

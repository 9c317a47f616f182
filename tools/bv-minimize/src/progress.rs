//! One line on stderr for a person who watches, and for nobody else: bytes, calls, the pass, calls a second.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often the line is written anew.
const EVERY: Duration = Duration::from_millis(100);

/// What a person sees of a search.
#[derive(Debug)]
pub struct Progress {
    /// Absent where stderr is no terminal.
    line: Option<Mutex<Line>>,
}

#[derive(Debug)]
struct Line {
    begun: Instant,
    from_bytes: usize,
    best_bytes: usize,
    runs: u64,
    pass: &'static str,
    shown: Option<Instant>,
}

impl Progress {
    /// Shown where stderr is a terminal.
    pub fn new() -> Progress {
        let line =
            Line { begun: Instant::now(), from_bytes: 0, best_bytes: 0, runs: 0, pass: "", shown: None };
        Progress { line: io::stderr().is_terminal().then(|| Mutex::new(line)) }
    }

    /// A search over so many bytes begins.
    pub fn begin(&self, bytes: usize) {
        self.change(|line| (line.from_bytes, line.best_bytes) = (bytes, bytes));
    }

    /// The oracle ran once more.
    pub fn ran(&self) {
        self.change(|line| line.runs += 1);
    }

    /// The best has so many bytes.
    pub fn best(&self, bytes: usize) {
        self.change(|line| line.best_bytes = bytes);
    }

    /// The search is at this pass.
    pub fn pass(&self, name: &'static str) {
        self.change(|line| line.pass = name);
    }

    /// Takes the line away, so that a message can stand in its place.
    pub fn clear(&self) {
        if let Some(mut line) = self.line()
            && line.shown.take().is_some()
        {
            // Where the terminal is gone there is nobody to see it.
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }

    fn change(&self, change: impl FnOnce(&mut Line)) {
        if let Some(mut line) = self.line() {
            change(&mut line);
            line.show();
        }
    }

    fn line(&self) -> Option<MutexGuard<'_, Line>> {
        self.line.as_ref().map(|line| line.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Line {
    fn show(&mut self) {
        let now = Instant::now();
        if self.shown.is_some_and(|shown| now - shown < EVERY) {
            return;
        }
        self.shown = Some(now);
        let seconds = (now - self.begun).as_secs_f64().max(0.001);
        let _ = write!(
            io::stderr(),
            "\r\x1b[K{} of {} bytes  {} calls, {:.0}/s  {}",
            self.best_bytes,
            self.from_bytes,
            self.runs,
            self.runs as f64 / seconds,
            self.pass
        );
    }
}

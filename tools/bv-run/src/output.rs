//! Our stdout: the first line, the command's bytes, the last line.
//!
//! Bytes go out as they come, without a buffer. A reader that went away is no error: the command must
//! not be killed by it, so what comes later is read and dropped.

use crate::ended::Ended;
use rustix::event::{PollFd, PollFlags, poll};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Where the raw stream goes; one thread writes at a time.
#[derive(Debug)]
pub struct Output {
    streams: Mutex<Streams>,
}

#[derive(Debug)]
struct Streams {
    stdout: Stream,
    watcher: Option<Stream>,
    /// Whether the last byte written ended a line.
    fresh: bool,
    /// Whether the last line is written: nothing may follow it.
    ended: bool,
}

impl Output {
    /// Our stdout, and our stderr too where somebody watches it.
    ///
    /// # Errors
    /// Where the descriptors cannot be duplicated.
    pub fn new(tee: bool) -> io::Result<Output> {
        let watcher = match tee {
            true => Some(Stream::new(io::stderr(), "stderr")?),
            false => None,
        };
        Ok(Output {
            streams: Mutex::new(Streams {
                stdout: Stream::new(io::stdout(), "stdout")?,
                watcher,
                fresh: true,
                ended: false,
            }),
        })
    }

    /// Writes the first line: what is run, as a JSON array. Bytes that are no UTF-8 become U+FFFD.
    pub fn begin(&self, command: &[OsString]) {
        let words: Vec<_> = command.iter().map(|word| word.to_string_lossy()).collect();
        let line = format!("bv-run: {}\n", serde_json::json!(words));
        self.streams().stdout.write(line.as_bytes());
    }

    /// Writes a piece of the command's output; after [`Output::end`] it is dropped.
    pub fn copy(&self, bytes: &[u8]) {
        let mut streams = self.streams();
        if streams.ended {
            return;
        }
        streams.stdout.write(bytes);
        if let Some(watcher) = &mut streams.watcher {
            watcher.write(bytes);
        }
        if let Some(last) = bytes.last() {
            streams.fresh = *last == b'\n';
        }
    }

    /// Writes the last line, on a line of its own.
    pub fn end(&self, ended: &Ended) {
        let mut streams = self.streams();
        let newline = if streams.fresh { "" } else { "\n" };
        let line = format!("{newline}bv-exit: {ended}\n");
        streams.stdout.write(line.as_bytes());
        streams.ended = true;
    }

    fn streams(&self) -> MutexGuard<'_, Streams> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One descriptor, until its reader goes away.
#[derive(Debug)]
struct Stream {
    file: File,
    name: &'static str,
    closed: bool,
}

impl Stream {
    fn new(descriptor: impl AsFd, name: &'static str) -> io::Result<Stream> {
        let file = File::from(descriptor.as_fd().try_clone_to_owned()?);
        let closed = false;
        Ok(Stream { file, name, closed })
    }

    fn write(&mut self, mut bytes: &[u8]) {
        while !self.closed && !bytes.is_empty() {
            match self.file.write(bytes) {
                Ok(n) => bytes = &bytes[n..],
                Err(wrong) => self.failed(&wrong),
            }
        }
    }

    fn failed(&mut self, wrong: &io::Error) {
        match wrong.kind() {
            io::ErrorKind::Interrupted => {}
            // Another process made the pipe that we share non-blocking, as Node.js does.
            io::ErrorKind::WouldBlock => {
                // A wait that fails only means that the write is tried again.
                let _ = poll(&mut [PollFd::new(&self.file, PollFlags::OUT)], None);
            }
            io::ErrorKind::BrokenPipe => self.closed = true,
            _ => {
                self.closed = true;
                complain(&format!("cannot write to {}: {wrong}", self.name));
            }
        }
    }
}

/// Says one line on stderr; where that is closed too there is nobody to tell.
pub fn complain(what: &str) {
    let _ = writeln!(io::stderr(), "bv-run: {what}");
}

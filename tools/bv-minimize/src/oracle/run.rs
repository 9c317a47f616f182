//! One run of the oracle on one candidate.
//!
//! In: the candidate's bytes. Out: how the oracle ended, what it said and how long it took. A candidate that is
//! a file lies in a private folder, alone in it, under the input's own name.

use super::said::Said;
use super::template::Template;
use crate::ask::Cancel;
use crate::shapes::Shape;
use bv_schemas::child::{self, Call, Ended};
use bv_schemas::ndjson;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tempfile::TempDir;

/// Kept of what an oracle prints: one record may be this long.
const KEPT_BYTES_MAX: usize = ndjson::LINE_BYTES_MAX;

/// Runs the oracle; several threads may do so at once.
#[derive(Debug)]
pub struct Runner {
    template: Template,
    shape: Shape,
    memory_bytes_max: Option<u64>,
    /// What the candidate's file is called.
    name: OsString,
    folders: Folders,
}

/// What came of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// How the oracle ended.
    pub end: End,
    /// What it said on stdout.
    pub said: Said,
    /// From start to end.
    pub elapsed: Duration,
}

/// How a run of the oracle ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself, with this code.
    Code(u8),
    /// By this signal.
    Signal(i32),
    /// By the time limit.
    TimedOut,
}

/// What an attempt to run the oracle gave.
#[derive(Clone, Debug, PartialEq)]
pub enum Ran {
    /// It ran.
    Seen(Box<Seen>),
    /// It was cancelled.
    Cancelled,
    /// The candidate cannot be handed to it.
    Unfit,
}

impl Runner {
    /// One for this command line. `name` is what the candidate's file is called.
    ///
    /// # Errors
    /// Where no private folder can be made.
    pub fn new(
        template: Template,
        shape: Shape,
        name: OsString,
        memory_bytes_max: Option<u64>,
    ) -> io::Result<Runner> {
        Ok(Runner { template, shape, memory_bytes_max, name, folders: Folders::new()? })
    }

    /// Shows `candidate` to the oracle.
    ///
    /// # Errors
    /// Where the oracle cannot be started or the candidate not be written; with what to do about it.
    pub fn run(&self, candidate: &[u8], timeout: Option<Duration>, cancel: &Cancel) -> io::Result<Ran> {
        let told = Arc::new(child::Cancel::new()?);
        let tell = Arc::clone(&told);
        let _waiting = cancel.when(move || tell.cancel());

        let folder = self.folders.take()?;
        let file = folder.join(&self.name);
        if self.template.takes_file() {
            write(&file, candidate)?;
        }
        let Some(argv) = self.template.argv(candidate, self.shape, &file) else {
            self.folders.give_back(folder);
            return Ok(Ran::Unfit);
        };
        let stdin = self.template.takes_stdin().then_some(candidate);
        let call = Call { stdin, kept_bytes_max: KEPT_BYTES_MAX, timeout, cancel: &told };
        let called = child::command(&argv, self.memory_bytes_max)
            .and_then(|mut command| child::call(&mut command, &call));
        self.folders.give_back(folder);
        let called = called.map_err(|wrong| self.cannot(&wrong))?;

        let end = match called.ended {
            Ended::Cancelled => return Ok(Ran::Cancelled),
            Ended::TimedOut => End::TimedOut,
            Ended::Itself(status) => match (status.code(), status.signal()) {
                // Unix keeps the low eight bits of a code, so nothing is lost here.
                (Some(code), _) => End::Code((code & 0xff) as u8),
                (None, signal) => End::Signal(signal.unwrap_or(0)),
            },
        };
        Ok(Ran::Seen(Box::new(Seen { end, said: Said::read(&called.stdout), elapsed: called.elapsed })))
    }

    fn cannot(&self, wrong: &io::Error) -> io::Error {
        let why = match wrong.kind() {
            io::ErrorKind::NotFound => "not found; is it on PATH?".to_owned(),
            io::ErrorKind::PermissionDenied => "not executable; chmod +x it?".to_owned(),
            io::ErrorKind::ArgumentListTooLong => {
                "the candidate is too long for arguments; use @@ or stdin".to_owned()
            }
            _ => wrong.to_string(),
        };
        io::Error::new(wrong.kind(), format!("cannot run the oracle: {}: {why}", self.template.program()))
    }
}

fn write(file: &Path, candidate: &[u8]) -> io::Result<()> {
    let written = match fs::write(file, candidate) {
        // The oracle may have tidied up its own surroundings.
        Err(wrong) if wrong.kind() == io::ErrorKind::NotFound => {
            let folder = file.parent().unwrap_or(Path::new("."));
            fs::create_dir_all(folder).and_then(|()| fs::write(file, candidate))
        }
        other => other,
    };
    written.map_err(|wrong| {
        io::Error::new(wrong.kind(), format!("cannot write a candidate: {}: {wrong}", file.display()))
    })
}

/// Folders for candidates, one for each run under way, used again and again; removed with all that is in them.
#[derive(Debug)]
struct Folders {
    all: TempDir,
    free: Mutex<Free>,
}

#[derive(Debug, Default)]
struct Free {
    folders: Vec<PathBuf>,
    made: usize,
}

impl Folders {
    fn new() -> io::Result<Folders> {
        let all = tempfile::Builder::new().prefix("bv-minimize-").tempdir().map_err(|wrong| {
            io::Error::new(
                wrong.kind(),
                format!("cannot make a folder for candidates: {wrong}; is TMPDIR set well?"),
            )
        })?;
        Ok(Folders { all, free: Mutex::default() })
    }

    fn take(&self) -> io::Result<PathBuf> {
        let number = {
            let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(folder) = free.folders.pop() {
                return Ok(folder);
            }
            free.made += 1;
            free.made
        };
        let folder = self.all.path().join(number.to_string());
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    fn give_back(&self, folder: PathBuf) {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).folders.push(folder);
    }
}

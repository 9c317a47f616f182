//! bv-parse, run on a text: what a runner's raw output says, as records.
//!
//! The program is the one beside this one, else the one on PATH; it gets its arguments as they are, no shell
//! between. Its input, its output and its time are bounded; a text that passes a bound has no records.

use std::io::{self, ErrorKind, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

/// Text in one tool result that is looked at; a harness cuts at some 100 KB.
pub const TEXT_BYTES_MAX: usize = 64 << 20;
/// Records of it that are read.
const RECORD_BYTES_MAX: u64 = 64 << 20;
/// bv-parse needs a millisecond for what a harness lets through.
const TIME_MAX: Duration = Duration::from_secs(20);

/// The program.
#[derive(Clone, Debug)]
pub struct Parser {
    program: PathBuf,
}

impl Parser {
    /// The bv-parse that belongs to this program.
    pub fn of_this_program() -> Parser {
        const NAME: &str = "bv-parse";
        let beside = std::env::current_exe().ok().and_then(|own| Some(own.parent()?.join(NAME)));
        Parser { program: beside.filter(|path| path.is_file()).unwrap_or_else(|| NAME.into()) }
    }

    /// A program that is nowhere.
    #[cfg(test)]
    pub fn nowhere() -> Parser {
        Parser { program: "/nowhere/bv-parse".into() }
    }

    /// The records of `text`, tests that did not fail among them; `exit` is how the command ended, where that is
    /// known and the text does not say it itself.
    ///
    /// # Errors
    /// Where the program cannot be started, does not end in time or says more than is read.
    pub fn records(&self, text: &str, exit: Option<i64>) -> io::Result<Vec<u8>> {
        if text.len() > TEXT_BYTES_MAX {
            return Err(ErrorKind::FileTooLarge.into());
        }
        let mut command = Command::new(&self.program);
        command.arg("--all").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command
            .spawn()
            .map_err(|wrong| io::Error::new(wrong.kind(), format!("{}: {wrong}", self.program.display())))?;
        let records = exchange(&mut child, text, exit);
        if records.is_err() {
            // It may have ended by itself, which is as well.
            let _ = child.kill();
        }
        let status = child.wait()?;
        records.and_then(|records| if status.success() { Ok(records) } else { Err(ErrorKind::Other.into()) })
    }
}

/// Writes and reads at the same time, so that no side waits for the other.
fn exchange(child: &mut Child, text: &str, exit: Option<i64>) -> io::Result<Vec<u8>> {
    let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(ErrorKind::BrokenPipe.into());
    };
    let (to, done) = channel();
    thread::Builder::new().name("records".into()).spawn(move || {
        let mut records = Vec::new();
        let read = stdout.take(RECORD_BYTES_MAX + 1).read_to_end(&mut records);
        // Nobody waits any more where the time is over.
        let _ = to.send(read.map(|_| records));
    })?;
    let fed = thread::scope(|scope| {
        let feeding = scope.spawn(move || {
            stdin.write_all(text.as_bytes())?;
            match exit {
                Some(code) => write!(stdin, "\nbv-exit: {code}\n"),
                None => Ok(()),
            }
        });
        let records = done.recv_timeout(TIME_MAX);
        if records.is_err() {
            // The feeding ends with the program.
            let _ = child.kill();
        }
        let fed = feeding.join().unwrap_or_else(|_| Err(ErrorKind::Other.into()));
        records.map_err(|_| io::Error::from(ErrorKind::TimedOut))?.and_then(|records| fed.map(|()| records))
    });
    fed.and_then(|records| {
        if records.len() as u64 > RECORD_BYTES_MAX {
            Err(ErrorKind::FileTooLarge.into())
        } else {
            Ok(records)
        }
    })
}

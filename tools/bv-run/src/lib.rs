//! Runs a command, forwards its merged output, ends with how it ended.
//!
//! In: a command line. Out, on stdout: `bv-run: ["cmd","arg"]`, then the command's stdout and stderr
//! byte for byte in the order in which they were written, then `bv-exit: …`. The exit status is the
//! command's own. The output itself is left alone: nothing is cleaned, cut or held back.

mod copy;
mod ended;
mod output;
mod told;
mod watch;

use bv_schemas::Limit;
use clap::Parser;
pub use ended::Ended;
use output::Output;
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use watch::Limits;

/// Runs a command, forwards its merged output, ends with how it ended.
///
/// Writes the line `bv-run: ["cmd","arg"]`, then the command's stdout and stderr in the order in
/// which they came, then `bv-exit: CODE` (or `signal SIGSEGV`, `timeout 30s`, `cannot run: ...`), all
/// on stdout. Exits as the command did: its code, 128+n after signal n, 124 after the time limit,
/// 126 when it cannot be started, 127 when it is not found; 2 when bv-run itself is misused.
///
/// The command gets a process group of its own, and never the terminal: where stdin is a terminal it
/// reads an empty stdin. INT, TERM and HUP are passed on and mean "stop": the whole group is killed
/// after the grace. QUIT, USR1 and USR2 are only passed on.
#[derive(Debug, Parser)]
#[command(name = "bv-run", version, override_usage = "bv-run [OPTIONS] -- <CMD> [ARG]...")]
pub struct Args {
    /// Stop the command after this long: 30s, 5m, 1h30m, 500ms; a plain number is seconds
    #[arg(long, value_name = "DUR", value_parser = Limit::above_zero)]
    timeout: Option<Limit>,

    /// Time between asking the command to stop and killing it
    #[arg(long, value_name = "DUR", default_value = "10s")]
    grace: Limit,

    /// Copy the command's output to stderr too, for a person who watches
    #[arg(long)]
    tee: bool,

    /// The command and its arguments; nothing in them is an option of bv-run
    #[arg(value_name = "CMD", required = true, trailing_var_arg = true)]
    command: Vec<OsString>,
}

/// Runs the command to its end and returns its exit status.
///
/// # Errors
/// Where signals cannot be watched or no pipe or thread can be made. That the command cannot be
/// started or that stdout is closed is not an error.
pub fn run(args: Args) -> io::Result<u8> {
    let output = Arc::new(Output::new(args.tee)?);
    // Before the command exists, so that no signal falls between the two.
    let signals = told::signals()?;
    output.begin(&args.command);

    let (pipe, child) = match start(&args.command)? {
        Ok(started) => started,
        Err(wrong) => {
            let ended = Ended::cannot_run(&args.command[0], &wrong);
            output.end(&ended);
            return Ok(ended.exit());
        }
    };
    let limits = Limits { timeout: args.timeout, grace: args.grace.duration() };
    let ended = watch::until_it_ends(child, pipe, signals, &output, limits)?;
    output.end(&ended);
    Ok(ended.exit())
}

/// Starts the command in its own process group, both of its streams in one pipe. The outer error is
/// ours, the inner one the command's.
fn start(command: &[OsString]) -> io::Result<io::Result<(io::PipeReader, Child)>> {
    let (reader, writer) = io::pipe()?;
    let mut ready = Command::new(&command[0]);
    ready.args(&command[1..]).stdout(writer.try_clone()?).stderr(writer).process_group(0);
    // A background group that reads the terminal is stopped by it (SIGTTIN) and would hang.
    if io::stdin().is_terminal() {
        ready.stdin(Stdio::null());
    }
    // `ready` holds the pipe's writing end; dropped here, the pipe closes when the command does.
    Ok(ready.spawn().map(|child| (reader, child)))
}

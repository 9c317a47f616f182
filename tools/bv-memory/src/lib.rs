//! bv-memory: raw traces and runs kept, superseded failures told from live ones.
//!
//! Two filters write the archive: `tee` passes the raw bytes on and stores them under their BLAKE3, `archive`
//! passes the records on and stores the run; bv-parse names the trace by the same hash, and that is the
//! only link. The other commands read the archive. What cannot be stored is said once on stderr and never
//! changes a byte of what passes, nor the exit status: the verdict is not this tool's business.

pub mod archive;
mod commands;
pub mod git;
mod history;
pub mod id;
pub mod index;
pub mod journal;
mod masked;
mod masking;
pub mod object;
mod passed;
mod receipts;
pub mod store;
pub mod supersession;
pub mod tokens;
pub mod transcript;

use archive::Archive;
use clap::{Parser, Subcommand};
use commands::{
    archive as archiving, bundle, compact, fsck, gc, live, log, restore, search, show, stats, tee,
};
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use store::Address;

/// Keeps raw traces and runs, tells superseded failures from live ones, gives everything back.
///
/// `bv-run -- CMD | bv-memory tee | bv-parse --all | bv-memory archive | bv-receipt` is the sentence with
/// an archive. Exit status: 0 done, 1 fsck found damage, 2 usage error, or input, output or archive that
/// could not be read or written; `tee` and `archive` exit 0 whatever happens to the archive.
#[derive(Clone, Debug, Parser)]
#[command(name = "bv-memory", version)]
pub struct Args {
    /// Where the archive lies: a folder or s3://bucket/prefix; the user's data folder unless given
    #[arg(long, global = true, env = "BV_STORE", hide_env_values = true, value_name = "DIR")]
    pub store: Option<Address>,
    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

/// What bv-memory does.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Pass raw bytes through untouched and store them under their BLAKE3
    Tee,
    /// Pass records through, store the run, and add to each failure its history
    Archive(archiving::Args),
    /// Take superseded test output out of an agent's transcript, and keep it in the archive
    Compact(compact::Args),
    /// Write the receipts that are still true, one a line
    Live(live::Args),
    /// Write the block of one failure, or a whole trace
    Show(show::Args),
    /// Write a stored trace, every byte of it
    Restore(restore::Args),
    /// Write the stored runs, the newest first
    Log(log::Args),
    /// Write where a text stands, in failures and traces
    Search(search::Args),
    /// Write what receipts save, in bytes and tokens
    Stats(stats::Args),
    /// Hold everything stored to its hash, and the index to the journals
    Fsck(fsck::Args),
    /// Take away old runs, and traces that no run needs
    Gc(gc::Args),
    /// Write the archive, or one project of it, as one stream
    Export(bundle::ExportArgs),
    /// Take in what export wrote
    Import(bundle::ImportArgs),
}

/// Does what `args` says.
///
/// # Errors
/// Those of `input` and `output`; of the archive too in every command but `tee` and `archive`.
pub fn run(args: &Args, input: impl BufRead, mut output: impl Write) -> io::Result<u8> {
    outlive_a_limit();
    let address = args.store.clone().map_or_else(Address::of_user, Ok);
    let archive = |address: io::Result<Address>| Archive::open(&address?);
    match &args.command {
        Command::Tee => tee::run(address, input, output),
        Command::Archive(args) => archiving::run(args, address, input, output),
        Command::Compact(args) => compact::run(args, address, input, output),
        Command::Live(args) => live::run(args, &archive(address)?, &mut output),
        Command::Show(args) => show::run(args, &archive(address)?, &mut output),
        Command::Restore(args) => restore::run(args, &archive(address)?, &mut output),
        Command::Log(args) => log::run(args, &archive(address)?, &mut output),
        Command::Search(args) => search::run(args, &archive(address)?, &mut output),
        Command::Stats(args) => stats::run(args, || archive(address), input, &mut output),
        Command::Fsck(args) => fsck::run(args, &archive(address)?, &mut output),
        Command::Gc(args) => gc::run(args, &archive(address)?, &mut output),
        Command::Export(args) => bundle::export(args, &archive(address)?, &mut output),
        Command::Import(args) => bundle::import(args, &archive(address)?, input),
    }
}

/// A file that would grow over the limit of the shell (`ulimit -f`) ends the process by a signal, unless
/// somebody listens to it; then the write fails, as on a full disk.
fn outlive_a_limit() {
    let nobody_asks = Arc::new(AtomicBool::new(false));
    // Where that cannot be arranged the limit does what it always does.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, nobody_asks);
}

/// One line on stderr about what did not work and changes nothing; where stderr is closed there is nobody
/// to tell.
fn warn(what: &str) {
    let _ = writeln!(io::stderr(), "bv-memory: {what}");
}

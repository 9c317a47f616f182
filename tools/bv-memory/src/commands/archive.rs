//! `archive`: records pass, the run is stored, and each failure learns its history.
//!
//! A failure does not say its runner, the `end` record does: so from the first failure on the lines are held until
//! the stream ends. bv-parse gives them all at once in any case. When a run cannot be stored or asked for,
//! that is one line on stderr; the records pass as they came.

mod stream;

use crate::archive::Archive;
use crate::history::{self, History};
use crate::id::RunId;
use crate::journal::{Journal, Run, Seen};
use crate::store::{Address, Key};
use crate::{git, masked, receipts};
use blake3::Hash;
use bv_schemas::{Outcome, exit};
use serde_json::{Map, Value};
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::SystemTime;
use stream::Stream;

/// Which run it is.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Directory that holds the sources
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// Name of the project; else the address of its git remote, else its path, and the folder in it
    #[arg(long, value_name = "NAME")]
    project: Option<String>,
    /// State of the code, such as a commit's hash; else git is asked for commit, changes and new files
    #[arg(long, value_name = "STATE")]
    code: Option<String>,
}

/// Passes the records of `input` to `output` and stores the run.
///
/// # Errors
/// Those of `input` and `output`; of the archive none.
pub fn run(
    args: &Args,
    address: io::Result<Address>,
    input: impl BufRead,
    output: impl Write,
) -> io::Result<u8> {
    let id = RunId::new(SystemTime::now());
    thread::scope(|scope| {
        // While the tests run: the state of the code that they run on.
        let asked = scope.spawn(|| {
            let place = git::place(&args.root);
            let project = args.project.clone().unwrap_or_else(|| place.project());
            (project, args.code.clone().or_else(|| place.code()))
        });
        let mut stream = Stream::new(output);
        stream.read(input)?;
        let (project, code) = asked.join().unwrap_or_default();
        if stream.has_records() {
            store(&mut stream, address, &args.root, id, Run { project, code, ..Run::default() });
        }
        stream.finish()?;
        Ok(exit::PASSED)
    })
}

/// Stores the run of `stream` and adds to its records what the archive knows. Whatever does not work is one
/// line on stderr: the worst of it.
fn store(stream: &mut Stream<impl Write>, address: io::Result<Address>, root: &Path, id: RunId, run: Run) {
    let archive = address.and_then(|address| Archive::open(&address));
    match archive.and_then(|archive| put(stream, archive, root, id, run)) {
        Ok(None) => {}
        Ok(Some(lack)) => crate::warn(&format!("the run is archived without {lack}")),
        Err(wrong) => crate::warn(&format!("the run is not archived: {wrong}")),
    }
}

/// Puts the run; what it lacks, where it could be put all the same.
fn put(
    stream: &mut Stream<impl Write>,
    mut archive: Archive,
    root: &Path,
    id: RunId,
    mut run: Run,
) -> io::Result<Option<String>> {
    if archive_has(&archive, stream.end())? {
        stream.mark_archived();
    }
    run.end = stream.verdict().map(masked::record);
    run.passed = stream.passing().store(archive.store())?;
    let seen = |record: &Map<String, Value>| Seen { record: masked::record(record), receipt: None };
    let mut journal = Journal { run, failures: stream.failures().map(seen).collect(), sealed: true };
    let mut lacks = Vec::new();
    match archive.index().and_then(|index| history::of(index, archive.store(), id, &journal)) {
        Ok(histories) => {
            for (seen, history) in journal.failures.iter_mut().zip(&histories) {
                add(&mut seen.record, history);
            }
            stream.add(&histories);
        }
        Err(wrong) => lacks.push(format!("the histories of its failures: {wrong}")),
    }
    if let Err(wrong) = add_receipts(&mut journal, root) {
        lacks.push(format!("receipts: {wrong}"));
    }
    archive.store().put(Key::Journal(id), &journal.to_bytes()?)?;
    // The run is on the disk; an index that lags behind takes it in with the next command.
    if let Err(wrong) = archive.add(id, &journal) {
        lacks.push(format!("its place in the index: {wrong}"));
    }
    Ok(lacks.into_iter().next())
}

fn archive_has(archive: &Archive, end: Option<&Map<String, Value>>) -> io::Result<bool> {
    let hash = end.and_then(|end| end.get("trace")?.get("hash")?.as_str());
    match hash.and_then(|hash| Hash::from_hex(hash).ok()) {
        Some(hash) => archive.store().has(Key::Object(hash)),
        None => Ok(false),
    }
}

/// A run that passed has no receipt that could be live.
fn add_receipts(journal: &mut Journal, root: &Path) -> io::Result<()> {
    let Some(end) = journal.run.end.as_ref().filter(|_| journal.run.outcome() != Some(Outcome::Passed))
    else {
        return Ok(());
    };
    let mut receipts = receipts::of(root, journal.failures.iter().map(|seen| &seen.record), end)?;
    if journal.failures.is_empty() {
        journal.run.receipt = receipts.pop();
    }
    for (seen, receipt) in journal.failures.iter_mut().zip(receipts) {
        seen.receipt = Some(receipt);
    }
    Ok(())
}

/// Adds a history to a record, where it belongs: behind what the runner said.
fn add(record: &mut Map<String, Value>, history: &History) {
    for (name, value) in stream::members(history) {
        record.insert(name.into(), value);
    }
}

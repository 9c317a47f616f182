//! `fsck`: everything in the store is read and held to its hash, the index to the journals.
//!
//! Out goes one line for each fault; the exit status is 1 where there is one. What a killed writer left behind
//! is no fault: nothing of it was ever acknowledged.

use crate::archive::Archive;
use crate::index::Index;
use crate::journal::Journal;
use crate::object;
use crate::store::{Key, Kind, Store};
use bv_schemas::exit;
use std::collections::BTreeSet;
use std::io::{self, Write};

/// Whether to mend.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Make the index again from the journals first
    #[arg(long)]
    rebuild: bool,
}

/// Checks the store, and says what is wrong.
///
/// # Errors
/// Those of the store's listing and of `output`.
pub fn run(args: &Args, archive: &Archive, output: &mut impl Write) -> io::Result<u8> {
    let store = archive.store();
    if args.rebuild {
        Index::remove(store.index_folder())?;
    }
    let mut faults = 0;
    let mut fault = |key: &str, how: &str| {
        faults += 1;
        writeln!(output, "{key}: {how}")
    };
    let objects = store.list(Kind::Objects)?;
    let journals = store.list(Kind::Journals)?;
    let mut sound = BTreeSet::new();
    for entry in &objects {
        let Key::Object(hash) = entry.key else { continue };
        match object::fetch(store, hash).and_then(|object| object.copy(&mut io::sink())) {
            Ok(()) => drop(sound.insert(hash.to_string())),
            Err(wrong) => fault(&entry.key.path(), &wrong.to_string())?,
        }
    }
    for entry in &journals {
        match store.get(entry.key).and_then(Journal::read) {
            Ok(journal) => {
                if !journal.sealed {
                    fault(&entry.key.path(), "the journal is damaged behind its first lines")?;
                }
                for hash in objects_of(&journal).filter(|hash| !sound.contains(hash)) {
                    fault(
                        &entry.key.path(),
                        &format!("it needs an object that is not there or not sound: {hash}"),
                    )?;
                }
            }
            Err(wrong) => fault(&entry.key.path(), &wrong.to_string())?,
        }
    }
    match index_differs(archive, store) {
        Ok(false) => {}
        Ok(true) => fault("index.sqlite", "it is not what the journals say; run bv-memory fsck --rebuild")?,
        Err(wrong) => fault("index.sqlite", &wrong.to_string())?,
    }
    output.flush()?;
    let (objects, journals) = (objects.len(), journals.len());
    let found = if faults == 0 { "no fault".to_owned() } else { format!("{faults} faults") };
    crate::warn(&format!("{objects} objects and {journals} journals read: {found}"));
    Ok(if faults == 0 { exit::PASSED } else { exit::FAILED })
}

/// The objects that a journal says are there.
pub fn objects_of(journal: &Journal) -> impl Iterator<Item = String> {
    let trace = journal.run.trace().filter(|_| journal.run.trace_is_archived());
    trace.into_iter().chain(journal.run.passed.clone())
}

fn index_differs(archive: &Archive, store: &dyn Store) -> io::Result<bool> {
    let mut again = Index::in_memory()?;
    again.sync(store)?;
    Ok(archive.index()?.dump()? != again.dump()?)
}

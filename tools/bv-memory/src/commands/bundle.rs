//! `export` and `import`: an archive, or one project of it, as one stream that another machine takes in.
//!
//! ```text
//! {"type":"bv-bundle","v":1}
//! {"type":"entry","path":"objects/ab/cd…","bytes":512}   then so many bytes as they are stored
//! …
//! {"type":"end","entries":9}
//! ```
//!
//! Objects stand before the journals that need them. An import believes nothing: paths are keys or
//! refused, objects are unpacked and held to their hash, journals to their seal, and sizes are bounded.

use crate::archive::Archive;
use crate::commands::fsck::objects_of;
use crate::journal::{self, Journal};
use crate::object::{self, Unpacking};
use crate::store::{Key, Kind, Put, Store};
use bv_schemas::{exit, ndjson};
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, Read, Write};

/// What to export.
#[derive(Clone, Debug, clap::Args)]
pub struct ExportArgs {
    /// Only the runs of this project, and what they need
    #[arg(long, value_name = "NAME")]
    project: Option<String>,
}

/// How much to take in.
#[derive(Clone, Debug, clap::Args)]
pub struct ImportArgs {
    /// Bytes to take in at most, unpacked
    #[arg(long, value_name = "N", default_value_t = 8 << 30)]
    max_bytes: u64,
}

/// Raw bytes for each stored one: what unpacks to more is no log.
const RATIO_MAX: u64 = 4_000;
/// A small object may hold one long run of the same line.
const RATIO_FREE_BYTES: u64 = 16 << 20;
/// The longest line of the framing.
const LINE_BYTES_MAX: u64 = 4096;

#[derive(Serialize, Deserialize)]
#[serde(tag = "type")]
enum Mark {
    #[serde(rename = "bv-bundle")]
    Begin { v: u64 },
    #[serde(rename = "entry")]
    Entry { path: String, bytes: u64 },
    #[serde(rename = "end")]
    End { entries: u64 },
}

/// Writes a bundle to `output`.
///
/// # Errors
/// Those of the store and of `output`.
pub fn export(args: &ExportArgs, archive: &Archive, output: &mut impl Write) -> io::Result<u8> {
    let store = archive.store();
    let mut output = io::BufWriter::new(output);
    ndjson::write(&mut output, &Mark::Begin { v: 1 })?;
    let (objects, journals) = chosen(args, store)?;
    let mut entries = 0;
    for key in objects.into_iter().chain(journals) {
        let mut bytes = Vec::new();
        store.get(key)?.read_to_end(&mut bytes)?;
        ndjson::write(&mut output, &Mark::Entry { path: key.path(), bytes: bytes.len() as u64 })?;
        output.write_all(&bytes)?;
        entries += 1;
    }
    ndjson::write(&mut output, &Mark::End { entries })?;
    output.flush()?;
    Ok(exit::PASSED)
}

/// The objects and the journals to export: all, or those of one project.
fn chosen(args: &ExportArgs, store: &dyn Store) -> io::Result<(Vec<Key>, Vec<Key>)> {
    let keys =
        |kind| Ok::<_, io::Error>(store.list(kind)?.into_iter().map(|entry| entry.key).collect::<Vec<_>>());
    let (objects, journals) = (keys(Kind::Objects)?, keys(Kind::Journals)?);
    let Some(project) = &args.project else { return Ok((objects, journals)) };
    let mut of_project = Vec::new();
    let mut needed = Vec::new();
    for key in journals {
        let journal = Journal::read(store.get(key)?)?;
        if journal.run.project == *project {
            of_project.push(key);
            needed.extend(objects_of(&journal));
        }
    }
    let is_needed = |key: &Key| matches!(key, Key::Object(hash) if needed.contains(&hash.to_string()));
    Ok((objects.into_iter().filter(is_needed).collect(), of_project))
}

/// Takes a bundle in; what is there already stays as it is.
///
/// # Errors
/// Those of `input` and of the store; `InvalidData` where the bundle is damaged, cut off or too large. What
/// was taken in before stays: every entry stands for itself.
pub fn import(args: &ImportArgs, archive: &Archive, mut input: impl BufRead) -> io::Result<u8> {
    let Some(Mark::Begin { v: 1 }) = mark(&mut input)? else {
        return Err(refused("no bundle of this version"));
    };
    let (mut entries, mut taken, mut left) = (0, 0, args.max_bytes);
    loop {
        match mark(&mut input)? {
            Some(Mark::Entry { path, bytes }) => {
                let key =
                    Key::from_path(&path).ok_or_else(|| refused("an entry with a path that is no key"))?;
                taken +=
                    u64::from(entry(archive.store(), key, bytes, &mut input, &mut left)? == Put::Written);
                entries += 1;
            }
            Some(Mark::End { entries: said }) if said == entries => break,
            _ => return Err(refused("it is damaged or cut off")),
        }
    }
    crate::warn(&format!("{taken} of {entries} entries were new"));
    Ok(exit::PASSED)
}

fn entry(store: &dyn Store, key: Key, bytes: u64, input: &mut impl Read, left: &mut u64) -> io::Result<Put> {
    let longest = if matches!(key, Key::Journal(_)) { journal::BYTES_MAX } else { object::BYTES_MAX };
    if bytes > longest.min(*left) {
        return Err(refused("an entry is too large"));
    }
    let mut spool = store.spool()?;
    if io::copy(&mut input.take(bytes), &mut spool.file)? != bytes {
        return Err(refused("it is cut off within an entry"));
    }
    let mut stored = spool.file.try_clone()?;
    io::Seek::rewind(&mut stored)?;
    let unpacked = match key {
        Key::Journal(_) => {
            if !Journal::read(stored)?.sealed {
                return Err(refused("a journal is damaged"));
            }
            bytes
        }
        Key::Object(hash) => {
            let object = Unpacking::new(hash, stored)?;
            let length = object.length;
            if length > *left || length > RATIO_FREE_BYTES && length / bytes.max(1) > RATIO_MAX {
                return Err(refused("an object unpacks to too much"));
            }
            object.copy(&mut io::sink())?;
            length
        }
    };
    *left = left.saturating_sub(unpacked);
    store.put_spool(key, spool)
}

fn mark(input: &mut impl BufRead) -> io::Result<Option<Mark>> {
    let mut line = Vec::new();
    input.take(LINE_BYTES_MAX).read_until(b'\n', &mut line)?;
    Ok(serde_json::from_slice(&line).ok())
}

fn refused(how: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the bundle is not taken in: {how}"))
}

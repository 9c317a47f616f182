//! `gc`: old runs go, and the objects that no run needs.
//!
//! What goes: runs beyond the newest so many, older ones, and the oldest while the store is too large, each with
//! the objects that only it needs. What stays whatever the limits: runs with live failures and their traces, and
//! anything that was put within the last hour, since its run may not be stored yet.

use crate::archive::Archive;
use crate::commands::fsck::objects_of;
use crate::id::RunId;
use crate::journal::Journal;
use crate::store::{Entry, Key, Kind, Store};
use bv_schemas::{Limit, exit};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::io::{self, Write};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What to keep.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Runs to keep at most
    #[arg(long, value_name = "N", default_value_t = 100)]
    max_runs: usize,
    /// Bytes to keep at most
    #[arg(long, value_name = "N", default_value_t = 1 << 30)]
    max_bytes: u64,
    /// Age of a run that is kept at most: 30d, 12h
    #[arg(long, value_name = "AGE", default_value = "30d")]
    max_age: Limit,
    /// Say what would go, and let it be
    #[arg(long)]
    dry_run: bool,
}

/// How long something that was put is left alone.
const GRACE: Duration = Duration::from_secs(60 * 60);

/// A stored run, as gc weighs it.
struct Stored {
    entry: Entry,
    id: RunId,
    objects: Vec<String>,
}

/// What is to go and what stays.
#[derive(Default)]
struct Plan {
    gone: Vec<Entry>,
    runs_kept: usize,
    bytes_kept: u64,
    /// Objects that some kept run needs.
    needed: HashSet<String>,
    /// A limit was passed: what is older goes too.
    full: bool,
}

/// Takes away what is over the limits; writes a line for each thing that went.
///
/// # Errors
/// Those of the archive and of `output`. Where the index cannot be read nothing goes: nobody knows what is live.
pub fn run(args: &Args, archive: &Archive, output: &mut impl Write) -> io::Result<u8> {
    let (now, store) = (SystemTime::now(), archive.store());
    let plan = plan(args, archive, now)?;
    let freed: u64 = plan.gone.iter().map(|entry| entry.bytes).sum();
    for entry in &plan.gone {
        if !args.dry_run {
            store.delete(entry.key)?;
        }
        writeln!(output, "{} {}", entry.key.path(), entry.bytes)?;
    }
    output.flush()?;
    if !args.dry_run {
        store.sweep(now.checked_sub(GRACE).unwrap_or(UNIX_EPOCH))?;
    }
    let verb = if args.dry_run { "would go" } else { "gone" };
    crate::warn(&format!("{freed} bytes {verb}, {} runs stay", plan.runs_kept));
    Ok(exit::PASSED)
}

fn plan(args: &Args, archive: &Archive, now: SystemTime) -> io::Result<Plan> {
    let held = held(archive)?;
    let is_young = |entry: &Entry| now.duration_since(entry.put).map_or(true, |age| age < GRACE);
    let is_old = |at: SystemTime| now.duration_since(at).is_ok_and(|age| age > args.max_age.duration());
    let mut objects: BTreeMap<String, Entry> = BTreeMap::new();
    for entry in archive.store().list(Kind::Objects)? {
        if let Key::Object(hash) = entry.key {
            objects.insert(hash.to_string(), entry);
        }
    }
    let mut runs = stored(archive.store())?;
    let of_runs: HashSet<String> = runs.iter().flat_map(|run| run.objects.iter().cloned()).collect();
    runs.sort_by_key(|run| Reverse(run.id));
    let mut plan = Plan::default();
    for run in runs {
        let own: HashSet<&String> = run.objects.iter().filter(|hash| !plan.needed.contains(*hash)).collect();
        let size = run.entry.bytes
            + own.iter().filter_map(|hash| objects.get(*hash)).map(|entry| entry.bytes).sum::<u64>();
        let began = UNIX_EPOCH + Duration::from_millis(run.id.started_ms());
        plan.full |=
            plan.runs_kept >= args.max_runs || is_old(began) || plan.bytes_kept + size > args.max_bytes;
        if plan.full && !held.contains(&run.id.to_string()) && !is_young(&run.entry) {
            plan.gone.push(run.entry);
        } else {
            plan.runs_kept += 1;
            plan.bytes_kept += size;
            plan.needed.extend(run.objects);
        }
    }
    // The oldest first: were gc killed half-way, no failure would have outlived the run that superseded it.
    plan.gone.reverse();
    let mut loose: Vec<(&String, &Entry)> =
        objects.iter().filter(|(hash, entry)| !plan.needed.contains(*hash) && !is_young(entry)).collect();
    loose.sort_by_key(|(_, entry)| Reverse(entry.put));
    for (hash, entry) in loose {
        // What no run ever named (a trace without `archive`, what `compact` put away) goes by its own age.
        let fits = plan.bytes_kept + entry.bytes <= args.max_bytes;
        if !of_runs.contains(hash) && !is_old(entry.put) && fits {
            plan.bytes_kept += entry.bytes;
        } else {
            plan.gone.push(entry.clone());
        }
    }
    Ok(plan)
}

/// Runs that stay whatever the limits: those with live failures, and those that superseded a failure of a
/// run that stays, since without them it would seem live again.
fn held(archive: &Archive) -> io::Result<HashSet<String>> {
    let index = archive.index()?;
    let superseders = index.superseders()?;
    let mut held = HashSet::new();
    let mut open = index.live_runs()?;
    while let Some(run) = open.pop() {
        if held.insert(run.clone()) {
            open.extend(superseders.get(&run).into_iter().flatten().cloned());
        }
    }
    Ok(held)
}

/// All runs. One whose journal cannot be read needs no object and goes by its age.
fn stored(store: &dyn Store) -> io::Result<Vec<Stored>> {
    let mut runs = Vec::new();
    for entry in store.list(Kind::Journals)? {
        let Key::Journal(id) = entry.key else { continue };
        let journal = store.get(entry.key).and_then(Journal::read);
        let objects = journal.map_or_else(|_| Vec::new(), |journal| objects_of(&journal).collect());
        runs.push(Stored { entry, id, objects });
    }
    Ok(runs)
}

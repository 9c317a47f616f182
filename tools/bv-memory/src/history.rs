//! What the archive knows of a failure from the runs before: how often it was seen, since when, and in which
//! state it comes back.

use crate::id::RunId;
use crate::index::Index;
use crate::journal::{Journal, Seen};
use crate::store::Store;
use crate::supersession::{Older, passes};
use bv_schemas::State;
use std::collections::{BTreeSet, HashMap};
use std::io;

/// Runs on the same state of the code that are asked whether a test passed in them.
const RUNS_MAX: usize = 50;

/// What is added to a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    /// New, still, regressed or flaky.
    pub state: State,
    /// How many runs saw it, this one included.
    pub attempt: u64,
    /// The hash of the trace in which it was seen first; absent where that run had none.
    pub since: Option<String>,
}

/// The histories of the failures of the run `id`, which `journal` holds, in their order.
///
/// # Errors
/// Those of the index.
pub fn of(index: &Index, store: &dyn Store, id: RunId, journal: &Journal) -> io::Result<Vec<History>> {
    let (run, runner) = (&journal.run, journal.run.runner());
    let keys: Vec<String> = journal.failures.iter().map(Seen::key).collect();
    let names: BTreeSet<&str> = keys.iter().map(String::as_str).collect();
    let flaky = passed_too(index, store, journal, &names)?;
    let mut known: HashMap<&str, History> = HashMap::new();
    for &key in &names {
        let seen = index.seen(&run.project, &runner, key, id)?;
        let state = match seen.last() {
            _ if flaky.contains(key) => State::Flaky,
            None => State::New,
            Some(last) if last.superseded_by.is_some() => State::Regressed,
            Some(_) => State::Still,
        };
        let since = seen.first().map_or_else(|| run.trace(), |first| first.trace.clone());
        known.insert(key, History { state, attempt: seen.len() as u64 + 1, since });
    }
    Ok(keys.iter().filter_map(|key| known.get(key.as_str()).cloned()).collect())
}

/// Those of `names` that passed in another run on the same state of the code.
fn passed_too<'a>(
    index: &Index,
    store: &dyn Store,
    journal: &Journal,
    names: &BTreeSet<&'a str>,
) -> io::Result<BTreeSet<&'a str>> {
    let run = &journal.run;
    let Some(code) = &run.code else { return Ok(BTreeSet::new()) };
    let (runner, command) = (run.runner(), run.command());
    let tests = run.tests().unwrap_or(0).max(names.len() as u64);
    let mut passed = BTreeSet::new();
    let mut before = None;
    // One after the other: a list of names may be long.
    for other in index.on_code(&run.project, code)?.into_iter().take(RUNS_MAX) {
        let ran = index.ran(store, other, before.take())?;
        passed.extend(names.iter().filter(|&&key| {
            let this = Older {
                runner: &runner,
                command: &command,
                tests,
                key: Some(key),
                kept_all_from_running: false,
            };
            passes(&ran.newer(), &this)
        }));
        before = Some(ran);
    }
    Ok(passed)
}

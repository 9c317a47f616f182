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
    let run = &journal.run;
    let (runner, command) = (run.runner(), run.command());
    let same_code = match &run.code {
        Some(code) => index.on_code(store, &run.project, code, RUNS_MAX)?,
        None => Vec::new(),
    };
    let keys: Vec<String> = journal.failures.iter().map(Seen::key).collect();
    let tests = run.tests().unwrap_or(0).max(keys.iter().collect::<BTreeSet<_>>().len() as u64);
    let mut known: HashMap<&str, History> = HashMap::new();
    for key in &keys {
        if known.contains_key(key.as_str()) {
            continue;
        }
        let this =
            Older { runner: &runner, command: &command, tests, key: Some(key), kept_all_from_running: false };
        let seen = index.seen(&run.project, &runner, key, id)?;
        let state = match seen.last() {
            _ if same_code.iter().any(|ran| passes(&ran.newer(), &this)) => State::Flaky,
            None => State::New,
            Some(last) if last.superseded_by.is_some() => State::Regressed,
            Some(_) => State::Still,
        };
        let since = seen.first().map_or_else(|| run.trace(), |first| first.trace.clone());
        known.insert(key, History { state, attempt: seen.len() as u64 + 1, since });
    }
    Ok(keys.iter().filter_map(|key| known.get(key.as_str()).cloned()).collect())
}

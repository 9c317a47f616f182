//! How a journal becomes rows, and which failures it supersedes or finds superseded already.
//!
//! `superseded_by` names the *first* later run of the project that supersedes the failure. That is a function of
//! the set of runs, so the order in which they are added does not show.

use super::Change;
use super::ran::Ran;
use super::rows::{self, Run};
use crate::id::RunId;
use crate::journal::Journal;
use crate::store::Store;
use crate::supersession::{Older, supersedes};
use bv_schemas::{Outcome, Reason};
use rusqlite::{params, params_from_iter};
use std::collections::HashSet;

/// Adds the rows of `journal`.
pub fn add(change: &Change, store: &dyn Store, id: RunId, journal: &Journal) -> rusqlite::Result<()> {
    insert(change, id, journal)?;
    let Some(run) = rows::run(change, id)? else { return Ok(()) };
    supersede_older(change, store, &run)?;
    let own = failures(change, "failure.run = ?1", &[&run.id])?;
    find_superseding(change, store, &run.id, &own)
}

/// Takes the rows of `runs` away; what they superseded is settled anew.
pub fn forget<'a>(
    change: &Change,
    store: &dyn Store,
    runs: impl Iterator<Item = &'a RunId>,
) -> rusqlite::Result<()> {
    let mut open = Vec::new();
    for run in runs {
        let run = run.to_string();
        change.execute("delete from failure where run = ?1", [&run])?;
        change.execute("delete from run where id = ?1", [&run])?;
        open.extend(failures(change, "failure.superseded_by = ?1", &[&run])?);
        change.execute("update failure set superseded_by = null where superseded_by = ?1", [&run])?;
    }
    for failure in open {
        let run = failure.run.clone();
        find_superseding(change, store, &run, &[failure])?;
    }
    Ok(())
}

fn insert(change: &Change, id: RunId, journal: &Journal) -> rusqlite::Result<()> {
    let run = &journal.run;
    let text = id.to_string();
    let (runner, outcome) = (run.runner(), run.outcome().filter(|_| journal.sealed));
    let keys: Vec<String> = journal.failures.iter().map(|seen| seen.key()).collect();
    let named = keys.iter().zip(&journal.failures).filter(|(_, seen)| seen.record.contains_key("id"));
    let named = named.map(|(key, _)| key).collect::<HashSet<_>>().len() as i64;
    let json = |value: &serde_json::Map<_, _>| serde_json::Value::Object(value.clone()).to_string();
    change
        .prepare_cached("insert into run values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)")?
        .execute(params![
            text,
            run.project,
            runner,
            serde_json::json!(run.command()).to_string(),
            outcome.map(rows::outcome_name),
            run.tests().and_then(|tests| i64::try_from(tests).ok()),
            named,
            run.code,
            run.trace(),
            run.passed,
            journal.sealed,
            run.end.as_ref().map(json),
        ])?;
    let refused_to_load = matches!(run.reason(), Some(Reason::CompileError | Reason::CollectionError));
    let mut add =
        change.prepare_cached("insert into failure values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, null)")?;
    for (nth, (seen, key)) in journal.failures.iter().zip(&keys).enumerate() {
        let loads = refused_to_load && seen.is_load_error();
        let (record, receipt) = (json(&seen.record), &seen.receipt);
        add.execute(params![
            text,
            nth as i64,
            id.failure(nth),
            run.project,
            runner,
            key,
            loads,
            record,
            receipt
        ])?;
    }
    if journal.failures.is_empty() && outcome == Some(Outcome::Failed) {
        // The runner counted failures that it did not name.
        let none: Option<&str> = None;
        let receipt = &journal.run.receipt;
        add.execute(params![text, 0, id.failure(0), run.project, runner, none, false, "{}", receipt])?;
    }
    Ok(())
}

/// Marks older failures that `run` supersedes, where no earlier run did.
fn supersede_older(change: &Change, store: &dyn Store, run: &Run) -> rusqlite::Result<()> {
    let open = failures(
        change,
        "failure.project = ?1 and failure.run < ?2 and (superseded_by is null or superseded_by > ?2)",
        &[&run.project, &run.id],
    )?;
    if open.is_empty() {
        return Ok(());
    }
    let ran = Ran::new(change, store, run.clone(), None)?;
    for failure in open.iter().filter(|failure| supersedes(&ran.newer(), &failure.older())) {
        mark(change, failure, &run.id)?;
    }
    Ok(())
}

/// Finds the first later run that supersedes each of `own`, failures of the run `id`.
fn find_superseding(change: &Change, store: &dyn Store, id: &str, own: &[Open]) -> rusqlite::Result<()> {
    let Some(first) = own.first() else { return Ok(()) };
    let mut open: Vec<&Open> = own.iter().collect();
    let mut before = None;
    for later in rows::runs(change, "project = ?1 and id > ?2 order by id", &[&first.project, id])? {
        let ran = Ran::new(change, store, later, before.take())?;
        let mut still = Vec::new();
        for failure in open {
            if supersedes(&ran.newer(), &failure.older()) {
                mark(change, failure, ran.id())?;
            } else {
                still.push(failure);
            }
        }
        open = still;
        if open.is_empty() {
            break;
        }
        before = Some(ran);
    }
    Ok(())
}

fn mark(change: &Change, failure: &Open, by: &str) -> rusqlite::Result<()> {
    let mut mark =
        change.prepare_cached("update failure set superseded_by = ?3 where run = ?1 and nth = ?2")?;
    mark.execute(params![failure.run, failure.nth, by]).map(drop)
}

/// A failure with what supersession asks of its run.
struct Open {
    run: String,
    nth: i64,
    project: String,
    runner: String,
    key: Option<String>,
    loads: bool,
    command: Vec<String>,
    tests: u64,
}

impl Open {
    fn older(&self) -> Older<'_> {
        Older {
            runner: &self.runner,
            command: &self.command,
            tests: self.tests,
            key: self.key.as_deref(),
            kept_all_from_running: self.loads,
        }
    }
}

fn failures(change: &Change, which: &str, values: &[&str]) -> rusqlite::Result<Vec<Open>> {
    let query = format!(
        "select failure.run, nth, failure.project, failure.runner, key, loads, command, max(ifnull(tests, 0), named)
         from failure join run on run.id = failure.run where {which}"
    );
    let mut statement = change.prepare_cached(&query)?;
    let rows = statement.query_map(params_from_iter(values), |row| {
        Ok(Open {
            run: row.get(0)?,
            nth: row.get(1)?,
            project: row.get(2)?,
            runner: row.get(3)?,
            key: row.get(4)?,
            loads: row.get(5)?,
            command: rows::words(&row.get::<_, String>(6)?),
            tests: row.get::<_, i64>(7)?.try_into().unwrap_or(u64::MAX),
        })
    })?;
    rows.collect()
}

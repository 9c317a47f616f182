//! The rows of the index as the commands read them.

use crate::id::RunId;
use bv_schemas::Outcome;
use rusqlite::{Connection, Row, params_from_iter};
use std::collections::HashMap;

/// A stored run.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Its id, 32 hex digits that sort as runs began.
    pub id: String,
    /// The project.
    pub project: String,
    /// The runner, or all that spoke.
    pub runner: String,
    /// What was run; empty where nothing says.
    pub command: Vec<String>,
    /// The verdict; absent where the stream was cut off or the journal is damaged.
    pub outcome: Option<Outcome>,
    /// How many tests the runner says it ran.
    pub tests: Option<u64>,
    /// How many tests it names as failed.
    pub named: u64,
    /// The state of the code.
    pub code: Option<String>,
    /// The hash of the trace.
    pub trace: Option<String>,
    /// The hash of the list of tests that passed.
    pub passed: Option<String>,
    /// The `end` record, JSON.
    pub end: Option<String>,
}

/// A stored failure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Failure {
    /// Its id, 32 hex digits.
    pub id: String,
    /// Its run.
    pub run: String,
    /// The hash of its run's trace.
    pub trace: Option<String>,
    /// The test, else the rule and its file; absent for failures that the runner did not name.
    pub key: Option<String>,
    /// The runner.
    pub runner: String,
    /// The record, JSON.
    pub record: String,
    /// The receipt, a line of JSON; absent where bv-receipt was not found.
    pub receipt: Option<String>,
    /// The run that superseded it; absent while it is live.
    pub superseded_by: Option<String>,
}

/// The run `id`.
pub fn run(connection: &Connection, id: RunId) -> rusqlite::Result<Option<Run>> {
    Ok(runs(connection, "id = ?1", &[&id.to_string()])?.pop())
}

/// The runs for which the condition `which` holds, a constant of this program.
pub fn runs(connection: &Connection, which: &str, values: &[&str]) -> rusqlite::Result<Vec<Run>> {
    let query = format!(
        "select id, project, runner, command, outcome, tests, named, code, trace, passed, end from run where {which}"
    );
    let mut statement = connection.prepare_cached(&query)?;
    let rows = statement.query_map(params_from_iter(values), |row| {
        Ok(Run {
            id: row.get(0)?,
            project: row.get(1)?,
            runner: row.get(2)?,
            command: words(&row.get::<_, String>(3)?),
            outcome: row.get::<_, Option<String>>(4)?.and_then(|name| outcome(&name)),
            tests: number(row, 5)?,
            named: number(row, 6)?.unwrap_or(0),
            code: row.get(7)?,
            trace: row.get(8)?,
            passed: row.get(9)?,
            end: row.get(10)?,
        })
    })?;
    rows.collect()
}

/// The failures for which `which` holds, a constant of this program.
pub fn failures(connection: &Connection, which: &str, values: &[&str]) -> rusqlite::Result<Vec<Failure>> {
    let query = format!(
        "select failure.id, failure.run, run.trace, key, failure.runner, record, receipt, superseded_by
         from failure join run on run.id = failure.run where {which}"
    );
    let mut statement = connection.prepare_cached(&query)?;
    let rows = statement.query_map(params_from_iter(values), |row| {
        Ok(Failure {
            id: row.get(0)?,
            run: row.get(1)?,
            trace: row.get(2)?,
            key: row.get(3)?,
            runner: row.get(4)?,
            record: row.get(5)?,
            receipt: row.get(6)?,
            superseded_by: row.get(7)?,
        })
    })?;
    rows.collect()
}

/// How many failures the run `id` has, and how many of them are live.
pub fn counts(connection: &Connection, id: &str) -> rusqlite::Result<(u64, u64)> {
    let query = "select count(*), count(*) - count(superseded_by) from failure where run = ?1";
    let mut statement = connection.prepare_cached(query)?;
    statement.query_row([id], |row| Ok((number(row, 0)?.unwrap_or(0), number(row, 1)?.unwrap_or(0))))
}

/// The runs with live failures.
pub fn live_runs(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement =
        connection.prepare_cached("select distinct run from failure where superseded_by is null")?;
    statement.query_map([], |row| row.get(0))?.collect()
}

/// For each run the runs that superseded failures of it.
pub fn superseders(connection: &Connection) -> rusqlite::Result<HashMap<String, Vec<String>>> {
    let query = "select distinct run, superseded_by from failure where superseded_by is not null";
    let mut statement = connection.prepare_cached(query)?;
    let mut of: HashMap<String, Vec<String>> = HashMap::new();
    for pair in statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))? {
        let (run, by): (String, String) = pair?;
        of.entry(run).or_default().push(by);
    }
    Ok(of)
}

/// A command as it is stored.
pub fn words(json: &str) -> Vec<String> {
    serde_json::from_str(json).unwrap_or_default()
}

/// A verdict as it is stored.
pub fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Passed => "passed",
        Outcome::Failed => "failed",
        Outcome::Refused => "refused",
    }
}

fn outcome(name: &str) -> Option<Outcome> {
    [Outcome::Passed, Outcome::Failed, Outcome::Refused]
        .into_iter()
        .find(|&known| outcome_name(known) == name)
}

fn number(row: &Row, column: usize) -> rusqlite::Result<Option<u64>> {
    Ok(row.get::<_, Option<i64>>(column)?.and_then(|n| n.try_into().ok()))
}

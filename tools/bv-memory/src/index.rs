//! The index: what the journals say, in SQLite, so that a question is answered without reading them all.
//!
//! It is a cache. Every row is a function of the set of journals, whatever the order in which they came in:
//! made again from them it is equal, which [`Index::dump`] shows. So it is written without waiting for the disk,
//! a damaged one is made again, and [`Index::sync`] takes in what other processes and machines have stored.

mod ran;
mod rows;
mod settle;

pub use ran::Ran;
pub use rows::{Failure, Run};

use crate::id::{Prefix, RunId};
use crate::journal::Journal;
use crate::store::{Key, Kind, Store};
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior, params};
use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::Path;
use std::time::Duration;

/// How long another process may hold the index.
const BUSY_MAX: Duration = Duration::from_secs(5);
/// Changes with the tables: an index of another version is made again.
const VERSION: i64 = 1;

const TABLES: &str = "
create table run (
    id text primary key, project text not null, runner text not null, command text not null, outcome text,
    tests integer, named integer not null, code text, trace text, passed text, sealed integer not null,
    end text
) without rowid;
create index run_project on run (project, id);
create index run_trace on run (trace);
create table failure (
    run text not null, nth integer not null, id text not null, project text not null, runner text not null,
    key text, loads integer not null, record text not null, receipt text, superseded_by text,
    primary key (run, nth)
) without rowid;
create index failure_key on failure (project, key);
create index failure_live on failure (project, superseded_by);
create index failure_id on failure (id);
";

/// An open index.
#[derive(Debug)]
pub struct Index {
    connection: Connection,
}

impl Index {
    /// Opens the index in `folder`; one that is missing, damaged or of another version is made anew, empty.
    ///
    /// # Errors
    /// Where it can neither be opened nor made.
    pub fn open(folder: &Path) -> io::Result<Index> {
        let path = folder.join("index.sqlite");
        match Index::at(&path) {
            Err(wrong) if is_damage(&wrong) => {
                Index::remove(folder)?;
                Index::at(&path).map_err(told)
            }
            other => other.map_err(told),
        }
    }

    /// Takes the index away, with what belongs to it.
    ///
    /// # Errors
    /// Where that is not possible.
    pub fn remove(folder: &Path) -> io::Result<()> {
        for name in ["index.sqlite-wal", "index.sqlite-shm", "index.sqlite"] {
            match std::fs::remove_file(folder.join(name)) {
                Err(wrong) if wrong.kind() != io::ErrorKind::NotFound => return Err(wrong),
                _ => {}
            }
        }
        Ok(())
    }

    /// An index in memory, to compare with.
    ///
    /// # Errors
    /// None that memory does not have.
    pub fn in_memory() -> io::Result<Index> {
        Index::prepared(Connection::open_in_memory().map_err(told)?).map_err(told)
    }

    fn at(path: &Path) -> rusqlite::Result<Index> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        Index::prepared(Connection::open_with_flags(path, flags)?)
    }

    fn prepared(mut connection: Connection) -> rusqlite::Result<Index> {
        connection.busy_timeout(BUSY_MAX)?;
        connection.pragma_update(None, "journal_mode", "wal")?;
        // The journals are the truth and on the disk already.
        connection.pragma_update(None, "synchronous", "off")?;
        if version(&connection)? != VERSION {
            let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            // Another process may have been quicker.
            if version(&change)? != VERSION {
                change.execute_batch("drop table if exists run; drop table if exists failure;")?;
                change.execute_batch(TABLES)?;
                change.pragma_update(None, "user_version", VERSION)?;
            }
            change.commit()?;
        }
        Ok(Index { connection })
    }

    /// Takes in the journals of `store` that it lacks and forgets those that are gone. Journals that cannot
    /// be read are left out; how many.
    ///
    /// # Errors
    /// Those of the store's listing and of the index.
    pub fn sync(&mut self, store: &dyn Store) -> io::Result<u64> {
        let stored: BTreeSet<RunId> = store
            .list(Kind::Journals)?
            .into_iter()
            .filter_map(|entry| match entry.key {
                Key::Journal(run) => Some(run),
                Key::Object(_) => None,
            })
            .collect();
        if stored == self.runs().map_err(told)? {
            return Ok(0);
        }
        let change =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(told)?;
        let known = known(&change).map_err(told)?;
        let mut unreadable = 0;
        settle::forget(&change, store, known.difference(&stored)).map_err(told)?;
        // In the order of time nothing has to be settled twice.
        for &run in stored.difference(&known) {
            match store.get(Key::Journal(run)).and_then(Journal::read) {
                Ok(journal) => settle::add(&change, store, run, &journal).map_err(told)?,
                Err(_) => unreadable += 1,
            }
        }
        change.commit().map_err(told)?;
        Ok(unreadable)
    }

    /// Takes in one journal that was just stored.
    ///
    /// # Errors
    /// Those of the index.
    pub fn add(&mut self, store: &dyn Store, run: RunId, journal: &Journal) -> io::Result<()> {
        let change =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(told)?;
        // A process that synchronised in between has it already.
        if !known(&change).map_err(told)?.contains(&run) {
            settle::add(&change, store, run, journal).map_err(told)?;
        }
        change.commit().map_err(told)
    }

    /// The runs of `project` on the state `code`, the newest first.
    ///
    /// # Errors
    /// Those of the index.
    pub fn on_code(&self, project: &str, code: &str) -> io::Result<Vec<Run>> {
        let which = "project = ?1 and code = ?2 order by id desc";
        rows::runs(&self.connection, which, &[project, code]).map_err(told)
    }

    /// `run` with the names of its tests; `before` is the run that was looked at before it.
    ///
    /// # Errors
    /// Those of the index.
    pub fn ran(&self, store: &dyn Store, run: Run, before: Option<Ran>) -> io::Result<Ran> {
        Ran::new(&self.connection, store, run, before).map_err(told)
    }

    /// The failures of the test `key` in runs before `before`, the oldest first.
    ///
    /// # Errors
    /// Those of the index.
    pub fn seen(&self, project: &str, runner: &str, key: &str, before: RunId) -> io::Result<Vec<Failure>> {
        let which = "failure.project = ?1 and failure.runner = ?2 and key = ?3 and failure.run < ?4
            group by failure.run order by failure.run";
        self.failures(which, &[project, runner, key, &before.to_string()])
    }

    /// The failures of `project` that nothing has superseded, the newest run first.
    ///
    /// # Errors
    /// Those of the index.
    pub fn live(&self, project: &str) -> io::Result<Vec<Failure>> {
        self.failures(
            "failure.project = ?1 and superseded_by is null order by failure.run desc, nth",
            &[project],
        )
    }

    /// The failures of the runs whose trace's hash begins with `trace`.
    ///
    /// # Errors
    /// Those of the index.
    pub fn failures_of(&self, trace: &Prefix) -> io::Result<Vec<Failure>> {
        // Hex digits: nothing in them is a pattern.
        let which = "run.trace glob ?1 || '*' order by failure.run, nth";
        self.failures(which, &[trace.as_str()])
    }

    /// The failures whose id begins with `prefix`.
    ///
    /// # Errors
    /// Those of the index.
    pub fn by_id(&self, prefix: &Prefix) -> io::Result<Vec<Failure>> {
        self.failures("failure.id glob ?1 || '*'", &[prefix.as_str()])
    }

    /// The failures in whose record or receipt `text` stands, the newest run first.
    ///
    /// # Errors
    /// Those of the index.
    pub fn with_text(&self, text: &str) -> io::Result<Vec<Failure>> {
        let json = serde_json::Value::from(text).to_string();
        // As it stands in the JSON: a quote in the text is an escaped one there.
        let inside = &json[1..json.len() - 1];
        let which = "instr(record, ?1) or instr(ifnull(receipt, ''), ?1) order by failure.run desc, nth";
        self.failures(which, &[inside])
    }

    /// The runs of `project`, the newest first.
    ///
    /// # Errors
    /// Those of the index.
    pub fn runs_of(&self, project: &str) -> io::Result<Vec<Run>> {
        rows::runs(&self.connection, "project = ?1 order by id desc", &[project]).map_err(told)
    }

    /// All runs, the newest first.
    ///
    /// # Errors
    /// Those of the index.
    pub fn all_runs(&self) -> io::Result<Vec<Run>> {
        rows::runs(&self.connection, "true order by id desc", &[]).map_err(told)
    }

    /// How many failures the run `id` has, and how many of them are live.
    ///
    /// # Errors
    /// Those of the index.
    pub fn counts(&self, id: &str) -> io::Result<(u64, u64)> {
        rows::counts(&self.connection, id).map_err(told)
    }

    /// The runs with live failures.
    ///
    /// # Errors
    /// Those of the index.
    pub fn live_runs(&self) -> io::Result<Vec<String>> {
        rows::live_runs(&self.connection).map_err(told)
    }

    /// For each run the runs that superseded failures of it.
    ///
    /// # Errors
    /// Those of the index.
    pub fn superseders(&self) -> io::Result<HashMap<String, Vec<String>>> {
        rows::superseders(&self.connection).map_err(told)
    }

    fn failures(&self, which: &str, values: &[&str]) -> io::Result<Vec<Failure>> {
        rows::failures(&self.connection, which, values).map_err(told)
    }

    /// All rows as text, in their order: equal for equal sets of journals.
    ///
    /// # Errors
    /// Those of the index.
    pub fn dump(&self) -> io::Result<String> {
        let mut text = String::new();
        for table in ["run", "failure"] {
            let query = format!("select * from {table} order by 1, 2");
            let mut statement = self.connection.prepare(&query).map_err(told)?;
            let columns = statement.column_count();
            let mut rows = statement.query(params![]).map_err(told)?;
            while let Some(row) = rows.next().map_err(told)? {
                let values: rusqlite::Result<Vec<_>> = (0..columns).map(|n| row.get_ref(n)).collect();
                text += &format!("{table} {:?}\n", values.map_err(told)?);
            }
        }
        Ok(text)
    }

    fn runs(&self) -> rusqlite::Result<BTreeSet<RunId>> {
        known(&self.connection)
    }
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

fn known(connection: &Connection) -> rusqlite::Result<BTreeSet<RunId>> {
    let mut statement = connection.prepare_cached("select id from run")?;
    let ids = statement.query_map(params![], |row| row.get::<_, String>(0))?;
    ids.map(|id| Ok(id?.parse().ok())).filter_map(Result::transpose).collect()
}

fn is_damage(wrong: &rusqlite::Error) -> bool {
    matches!(wrong.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

/// An error of the index in words; what kind it is decides nothing above.
fn told(wrong: rusqlite::Error) -> io::Error {
    let hint = if is_damage(&wrong) { "; run bv-memory fsck --rebuild" } else { "" };
    io::Error::other(format!("the index: {wrong}{hint}"))
}

/// A change in the making.
type Change<'a> = Transaction<'a>;

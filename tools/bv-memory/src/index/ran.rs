//! A stored run with the names of its tests: what a newer run knows.

use super::rows::Run;
use crate::passed;
use crate::store::Store;
use crate::supersession::Newer;
use rusqlite::Connection;
use std::collections::HashSet;

/// A run with the names of its tests.
#[derive(Clone, Debug)]
pub struct Ran {
    run: Run,
    failed: HashSet<String>,
    passed: HashSet<String>,
}

impl Ran {
    /// Reads the names of `run`. A list that cannot be read names nothing; that of the run looked at `before` is
    /// taken over where it is the same, as it mostly is.
    pub fn new(
        connection: &Connection,
        store: &dyn Store,
        run: Run,
        before: Option<Ran>,
    ) -> rusqlite::Result<Ran> {
        let mut statement =
            connection.prepare_cached("select key from failure where run = ?1 and key is not null")?;
        let failed = statement.query_map([&run.id], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
        let passed = match before {
            Some(before) if before.run.passed == run.passed => before.passed,
            _ => run.passed.as_deref().and_then(|hash| passed::fetch(store, hash).ok()).unwrap_or_default(),
        };
        Ok(Ran { run, failed, passed })
    }

    /// The run's id.
    pub fn id(&self) -> &str {
        &self.run.id
    }

    /// As supersession sees it.
    pub fn newer(&self) -> Newer<'_> {
        Newer {
            runner: &self.run.runner,
            command: &self.run.command,
            outcome: self.run.outcome,
            tests: self.run.tests,
            failed: &self.failed,
            passed: &self.passed,
        }
    }
}

//! Which runs of a conversation are superseded by later ones.
//!
//! The rule for one failure and one later run is the archive's ([`crate::supersession`]). What is added here is what
//! a transcript needs beyond it: runs of one turn go at the same time and none is the newer one; runs in different
//! folders have nothing to say of each other; and a name that several tests of a project may have (a cargo
//! test's, a Go test's) tells nothing across commands.

use super::evidence::Evidence;
use super::read::Call;
use crate::supersession::{Newer, Older, supersedes};
use std::collections::HashSet;
use std::sync::LazyLock;

/// A run that a tool result tells of.
#[derive(Debug)]
pub struct Ran<'a> {
    /// The call that it answers.
    pub call: &'a Call,
    /// What it says.
    pub evidence: &'a Evidence,
    /// What was run, in words that are the same for the same command.
    command: Vec<String>,
    failed: HashSet<String>,
}

impl<'a> Ran<'a> {
    /// The run that answered `call`.
    pub fn new(call: &'a Call, evidence: &'a Evidence) -> Ran<'a> {
        let told = evidence.run.command();
        let command = if told.is_empty() { vec![call.command.clone()] } else { told };
        Ran { call, evidence, command, failed: evidence.failures.iter().map(|seen| seen.key()).collect() }
    }
}

/// For each run whether it has failures and all of them are superseded by later ones.
pub fn superseded(runs: &[Ran<'_>]) -> Vec<bool> {
    let later = |older: &Ran<'_>| {
        let (turn, folder) = (older.call.turn, older.call.folder.clone());
        runs.iter().filter(move |newer| newer.call.turn > turn && newer.call.folder == folder)
    };
    runs.iter()
        .map(|older| {
            older.evidence.failed() > 0
                && failures(older)
                    .iter()
                    .all(|failure| later(older).any(|newer| knows(newer, older, failure)))
        })
        .collect()
}

/// The failures of a run as the rule wants them: the named ones, and one for all that have no name.
fn failures<'a>(run: &'a Ran<'_>) -> Vec<Older<'a>> {
    let older = |key, is_load_error| Older {
        runner: "",
        command: &run.command,
        tests: run.evidence.run.tests().unwrap_or(0),
        key,
        kept_all_from_running: is_load_error,
    };
    let mut all: Vec<Older<'a>> = Vec::new();
    for key in &run.failed {
        // A name that also passed is that of two tests: which of them a later run means is not known.
        let is_one_test = !run.evidence.passed.contains(key);
        all.push(older(Some(key.as_str()).filter(|_| is_one_test), false));
    }
    let load_errors = run.evidence.failures.iter().filter(|seen| seen.is_load_error());
    let load_errors: HashSet<String> = load_errors.map(|seen| seen.key()).collect();
    for failure in &mut all {
        failure.kept_all_from_running = failure.key.is_some_and(|key| load_errors.contains(key));
    }
    if run.evidence.unnamed > 0 {
        all.push(older(None, false));
    }
    all
}

fn knows(newer: &Ran<'_>, older: &Ran<'_>, failure: &Older<'_>) -> bool {
    static NONE: LazyLock<HashSet<String>> = LazyLock::new(HashSet::new);
    let (runner, was) = (newer.evidence.run.runner(), older.evidence.run.runner());
    let names_count = newer.command == older.command || names_say_where(&was);
    let newer = Newer {
        runner: &runner,
        command: &newer.command,
        outcome: newer.evidence.run.outcome(),
        tests: newer.evidence.run.tests(),
        failed: if names_count { &newer.failed } else { &NONE },
        passed: if names_count { &newer.evidence.passed } else { &NONE },
    };
    supersedes(&newer, &Older { runner: &was, ..*failure })
}

/// Runners whose name for a test holds its file, its class or its binary. The others' names may be those of two
/// tests of one project, in two crates, packages or files.
fn names_say_where(runner: &str) -> bool {
    matches!(
        runner,
        "cargo-nextest" | "junit4" | "maven-surefire" | "phpunit" | "pytest" | "unittest" | "vitest"
    )
}

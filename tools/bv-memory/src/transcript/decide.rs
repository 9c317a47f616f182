//! Which runs of a conversation are superseded by later ones.
//!
//! The rule for one failure and one later run is the archive's ([`crate::supersession`]). What is added here is what
//! a transcript needs beyond it: runs of one turn go at the same time and none is the newer one, and runs in different
//! folders have nothing to say of each other.

use super::evidence::Evidence;
use super::read::Call;
use crate::supersession::{Newer, Older, supersedes};
use std::collections::HashSet;

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
        tests: run.evidence.tests.unwrap_or(0).max(run.failed.len() as u64),
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
    let (runner, was) = (newer.evidence.run.runner(), older.evidence.run.runner());
    let skips = newer.evidence.skips();
    let newer = Newer {
        runner: &runner,
        command: &newer.command,
        outcome: newer.evidence.run.outcome(),
        tests: newer.evidence.run.tests(),
        failed: &newer.failed,
        passed: &newer.evidence.passed,
    };
    // How many tests there were is not known: one that is left out now may be the one that failed.
    let may_be_left_out = older.evidence.tests.is_none() && skips;
    let tests = if may_be_left_out { u64::MAX } else { failure.tests };
    supersedes(&newer, &Older { runner: &was, tests, ..*failure })
}

#[cfg(test)]
mod tests {
    use super::super::evidence::{receipts, records};
    use super::*;

    /// A run: turn, folder, command, runner, counts of passed and failed, names that failed, names that passed.
    type Case<'a> = (usize, &'a str, &'a str, &'a str, (u64, u64), &'a [&'a str], &'a [&'a str]);

    fn call(case: &Case<'_>) -> Call {
        let (turn, folder, command, ..) = *case;
        Call { turn, command: command.into(), folder: folder.into(), runs: true, also_prints: false }
    }

    fn evidence(case: &Case<'_>) -> Evidence {
        let &(.., runner, (passed, failed), red, green) = case;
        let mut stream = String::new();
        for name in red {
            stream += &format!("{{\"type\":\"failure\",\"id\":\"{name}\"}}\n");
        }
        for name in green {
            stream += &format!("{{\"type\":\"test\",\"id\":\"{name}\",\"outcome\":\"passed\"}}\n");
        }
        let outcome = if failed > 0 { "failed" } else { "passed" };
        stream += &format!(
            "{{\"type\":\"end\",\"outcome\":\"{outcome}\",\"runner\":\"{runner}\",\"counts\":{{\"passed\":{passed},\"failed\":{failed}}}}}\n"
        );
        records(&stream).expect("a stream")
    }

    fn check(why: &str, cases: &[Case<'_>], expected: &[bool]) {
        let all: Vec<(Call, Evidence)> = cases.iter().map(|case| (call(case), evidence(case))).collect();
        let runs: Vec<Ran<'_>> = all.iter().map(|(call, evidence)| Ran::new(call, evidence)).collect();
        assert_eq!(superseded(&runs), expected, "{why}");
    }

    const RED: Case<'_> = (0, "/r", "pytest", "pytest", (2, 1), &["t"], &[]);

    #[test]
    fn a_later_run_that_executed_the_tests_supersedes() {
        check("again", &[RED, (1, "/r", "pytest", "pytest", (2, 1), &["t"], &[])], &[true, false]);
        check("all passed", &[RED, (1, "/r", "pytest", "pytest", (3, 0), &[], &[])], &[true, false]);
        check(
            "it alone passed",
            &[RED, (1, "/r", "pytest t", "pytest", (1, 0), &[], &["t"])],
            &[true, false],
        );
        let two = (0, "/r", "pytest", "pytest", (1, 2), &["t", "u"][..], &[][..]);
        check(
            "one by one",
            &[
                two,
                (1, "/r", "pytest t", "pytest", (1, 0), &[], &["t"]),
                (2, "/r", "pytest u", "pytest", (0, 1), &["u"], &[]),
            ],
            &[true, false, false],
        );
    }

    #[test]
    fn a_run_that_did_not_supersedes_nothing() {
        check("alone", &[RED], &[false]);
        check("other tests", &[RED, (1, "/r", "pytest u", "pytest", (1, 0), &[], &["u"])], &[false, false]);
        check("fewer", &[RED, (1, "/r", "pytest", "pytest", (2, 0), &[], &[])], &[false, false]);
        check("the same turn", &[RED, (0, "/r", "pytest", "pytest", (3, 0), &[], &["t"])], &[false, false]);
        check(
            "an earlier turn",
            &[
                (1, "/r", "pytest", "pytest", (2, 1), &["t"], &[]),
                (0, "/r", "pytest", "pytest", (3, 0), &[], &["t"]),
            ],
            &[false, false],
        );
        check("another folder", &[RED, (1, "/s", "pytest", "pytest", (3, 0), &[], &["t"])], &[false, false]);
        let two = (0, "/r", "pytest", "pytest", (1, 2), &["t", "u"][..], &[][..]);
        check("one of two", &[two, (1, "/r", "pytest t", "pytest", (1, 0), &[], &["t"])], &[false, false]);
        let unnamed = (0, "/r", "pytest", "pytest", (1, 2), &["t"][..], &[][..]);
        check(
            "the other has no name",
            &[unnamed, (1, "/r", "pytest t", "pytest", (1, 0), &[], &["t"])],
            &[false, false],
        );
        check(
            "all pass, the unnamed too",
            &[unnamed, (1, "/r", "pytest", "pytest", (3, 0), &[], &[])],
            &[true, false],
        );
    }

    /// A receipt of a failure does not say how many tests there were.
    #[test]
    fn a_pass_that_leaves_tests_out_supersedes_no_receipt() {
        let red = receipts(r#"{"status":"failed_assertion","failed_rule_id":"t"}"#).expect("a receipt");
        for (green, expected) in [
            (r#"{"status":"passed","vectors_verified":11}"#, true),
            (r#"{"status":"passed","vectors_verified":11,"skipped":1}"#, false),
            (r#"{"status":"failed_assertion","failed_rule_id":"t"}"#, true),
            (r#"{"status":"failed_assertion","failed_rule_id":"u"}"#, false),
            (r#"{"status":"refused_precondition","failed_rule_id":"bv.no_tests"}"#, false),
        ] {
            let green = receipts(green).expect("a receipt");
            let calls = [call(&RED), call(&(1, "/r", "pytest", "", (0, 0), &[], &[]))];
            let runs = [Ran::new(&calls[0], &red), Ran::new(&calls[1], &green)];
            assert_eq!(superseded(&runs), [expected, false], "{green:?}");
        }
    }

    /// Two crates may have a test of one name.
    #[test]
    fn a_name_that_says_no_place_counts_within_one_command() {
        let red = (0, "/r", "cargo test -p a", "cargo-test", (2, 1), &["tests::adds"][..], &[][..]);
        let green = |command| (1, "/r", command, "cargo-test", (3, 0), &[][..], &["tests::adds"][..]);
        check("another crate", &[red, green("cargo test -p b")], &[false, false]);
        check("the same", &[red, green("cargo test -p a")], &[true, false]);
        let both = (0, "/r", "cargo test", "cargo-test", (3, 1), &["tests::adds"][..], &["tests::adds"][..]);
        let half = (1, "/r", "cargo test", "cargo-test", (1, 1), &["tests::sums"][..], &["tests::adds"][..]);
        check("two of one name, of which one ran", &[both, half], &[false, false]);
    }
}

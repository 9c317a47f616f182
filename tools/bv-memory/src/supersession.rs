//! Which newer run makes an older failure one of the past: the rule, a pure function.
//!
//! A failure is superseded by what a newer run *knows*, never by its silence: by the same test failing
//! again, by the test having passed, or by a whole run of the same command in which everything passed. A run
//! that did not execute the test (a subset, a filter, a crash, a stream that is cut off, a refusal) knows
//! nothing of it. Where in doubt the failure stays: a failure that is shown too long costs a line, one
//! that is hidden costs the truth.

use bv_schemas::Outcome;
use std::collections::HashSet;

/// An older failure and the run that saw it.
#[derive(Clone, Copy, Debug)]
pub struct Older<'a> {
    /// The runner of its run; empty where its stream was cut off before it said.
    pub runner: &'a str,
    /// What was run; empty where nothing says.
    pub command: &'a [String],
    /// How many tests its run had: as the runner says, and no fewer than it names.
    pub tests: u64,
    /// The failure's key; absent for failures that the runner counted and did not name.
    pub key: Option<&'a str>,
    /// Whether it is a compile or collection error that kept every test from running.
    pub kept_all_from_running: bool,
}

/// A run that began later, in the same project.
#[derive(Clone, Copy, Debug)]
pub struct Newer<'a> {
    /// Its runner.
    pub runner: &'a str,
    /// What was run; empty where nothing says.
    pub command: &'a [String],
    /// Its verdict; absent where the stream had none, was broken, or the journal is damaged.
    pub outcome: Option<Outcome>,
    /// How many tests the runner says it ran; absent where it does not say.
    pub tests: Option<u64>,
    /// The keys of its failures.
    pub failed: &'a HashSet<String>,
    /// The names of the tests that passed, as far as they are known.
    pub passed: &'a HashSet<String>,
}

/// Whether `newer` supersedes `older`.
pub fn supersedes(newer: &Newer, older: &Older) -> bool {
    failed_again(newer, older) || passes(newer, older) || runs_now(newer, older)
}

/// Whether the test of `older` passed in `newer`: by its name, or because all did.
pub fn passes(newer: &Newer, older: &Older) -> bool {
    passed(newer, older) || all_passed(newer, older)
}

/// The newer failure stands for the older one, whatever else became of its run.
fn failed_again(newer: &Newer, older: &Older) -> bool {
    same_names(newer, older) && older.key.is_some_and(|key| newer.failed.contains(key))
}

/// A runner that was cut off may have had more to say of a test that it printed as passed (an error in its
/// teardown), so it must have closed: it says its counts then.
fn passed(newer: &Newer, older: &Older) -> bool {
    let closed = matches!(newer.outcome, Some(Outcome::Passed | Outcome::Failed)) && newer.tests.is_some();
    closed && same_names(newer, older) && older.key.is_some_and(|key| newer.passed.contains(key))
}

/// Also what is not named: dots, the default output of jest. Fewer tests than before are a subset, whatever the
/// command says (a filter in a file or in the environment), or the failing test is skipped now. A checker
/// counts nothing, neither before nor now.
fn all_passed(newer: &Newer, older: &Older) -> bool {
    newer.outcome == Some(Outcome::Passed)
        && same_command(newer, older)
        && newer.tests.unwrap_or(0) >= older.tests
}

/// What kept every test from running does so no longer where the same command runs tests.
fn runs_now(newer: &Newer, older: &Older) -> bool {
    let ran = matches!(newer.outcome, Some(Outcome::Passed | Outcome::Failed)) && newer.tests > Some(0);
    older.kept_all_from_running && ran && same_command(newer, older)
}

/// Whether a name means the same test in both. `tests::adds` of `cargo test -p a` is another test than that of
/// `cargo test -p b`: where a runner's names do not say where a test lies, they count only within one command.
fn same_names(newer: &Newer, older: &Older) -> bool {
    let other_command =
        !newer.command.is_empty() && !older.command.is_empty() && newer.command != older.command;
    same_runner(newer, older) && (!other_command || older.runner.split('+').all(names_say_where))
}

/// Runners whose names hold the test's file, class or binary, and checkers, whose findings go by their file.
fn names_say_where(runner: &str) -> bool {
    const THESE: &[&str] = &[
        "cargo-nextest",
        "clang",
        "clippy",
        "eslint",
        "flake8",
        "gcc",
        "junit4",
        "maven-surefire",
        "mypy",
        "phpunit",
        "pytest",
        "ruff",
        "rustc",
        "rustfmt",
        "tsc",
        "unittest",
        "vitest",
    ];
    THESE.contains(&runner)
}

/// A stream that was cut off before its end says no runner; its tests still have their names.
fn same_runner(newer: &Newer, older: &Older) -> bool {
    older.runner.is_empty() || newer.runner == older.runner
}

/// Where nothing says what was run, nobody knows that it is the same.
fn same_command(newer: &Newer, older: &Older) -> bool {
    !older.command.is_empty() && newer.command == older.command
}

#[cfg(test)]
mod tests {
    use super::*;
    use Outcome::{Failed, Passed, Refused};

    const CMD: &str = "pytest -q";

    /// A newer run: what was run, verdict, tests, names that failed, names that passed.
    type Case<'a> = (&'a str, Option<Outcome>, Option<u64>, &'a [&'a str], &'a [&'a str]);

    fn words(command: &str) -> Vec<String> {
        command.split_whitespace().map(str::to_owned).collect()
    }

    /// Against a failure of the test `t` in a run of `pytest -q` with 3 tests.
    fn check(why: &str, case: Case, expected: bool) {
        let command = words(CMD);
        let older = Older {
            runner: "pytest",
            command: &command,
            tests: 3,
            key: Some("t"),
            kept_all_from_running: false,
        };
        check_against(why, "pytest", case, &older, expected);
    }

    fn check_against(why: &str, runner: &str, case: Case, older: &Older, expected: bool) {
        let (command, outcome, tests, failed, passed) = case;
        let command = words(command);
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let (failed, passed) = (&names(failed), &names(passed));
        let newer = Newer { runner, command: &command, outcome, tests, failed, passed };
        assert_eq!(supersedes(&newer, older), expected, "{why}");
    }

    #[test]
    fn a_run_that_executed_the_test_supersedes_it() {
        check("it failed again", (CMD, Some(Failed), Some(3), &["t"], &[]), true);
        check("it failed again in a subset", ("pytest t", Some(Failed), Some(1), &["t"], &[]), true);
        check("it failed again, then the run was cut off", (CMD, None, None, &["t"], &[]), true);
        check("it passed", (CMD, Some(Passed), Some(3), &[], &["s", "t", "u"]), true);
        check("it passed in a subset", ("pytest t", Some(Passed), Some(1), &[], &["t"]), true);
        check("it passed, another failed", (CMD, Some(Failed), Some(3), &["u"], &["s", "t"]), true);
        check("it passed, nobody knows in what", ("", Some(Passed), Some(1), &[], &["t"]), true);
    }

    #[test]
    fn a_whole_run_that_passed_supersedes_what_it_does_not_name() {
        check("dots", (CMD, Some(Passed), Some(3), &[], &[]), true);
        check("more tests than before", (CMD, Some(Passed), Some(4), &[], &[]), true);
        check("fewer tests than before", (CMD, Some(Passed), Some(2), &[], &[]), false);
        check("the failing test skipped now", (CMD, Some(Passed), Some(2), &[], &["s", "u"]), false);
        check("no counts although there were some", (CMD, Some(Passed), None, &[], &[]), false);
        check("another command", ("pytest -q -k s", Some(Passed), Some(3), &[], &[]), false);
        check("nothing says what was run", ("", Some(Passed), Some(3), &[], &[]), false);
    }

    #[test]
    fn a_run_that_did_not_execute_the_test_supersedes_nothing() {
        check("another failed", (CMD, Some(Failed), Some(3), &["u"], &[]), false);
        check("only others passed", (CMD, Some(Failed), Some(3), &[], &["s"]), false);
        check("a subset passed", ("pytest s", Some(Passed), Some(1), &[], &["s"]), false);
        check("a crash", (CMD, Some(Failed), None, &["bv.crash"], &[]), false);
        check(
            "a crash after it was printed as passed",
            (CMD, Some(Failed), None, &["bv.crash"], &["t"]),
            false,
        );
        check("a refusal", (CMD, Some(Refused), Some(3), &[], &[]), false);
        check("a refusal after it was printed as passed", (CMD, Some(Refused), Some(3), &[], &["t"]), false);
        check("a stream that is cut off", (CMD, None, None, &[], &["t"]), false);
        check("a stream without a known verdict", (CMD, None, Some(3), &[], &["t"]), false);
    }

    #[test]
    fn another_runners_test_of_the_same_name_is_another_test() {
        let command = words(CMD);
        let older = Older {
            runner: "pytest",
            command: &command,
            tests: 3,
            key: Some("t"),
            kept_all_from_running: false,
        };
        check_against("passed", "jest", ("jest", Some(Passed), Some(3), &[], &["t"]), &older, false);
        check_against("failed", "jest", ("jest", Some(Failed), Some(3), &["t"], &[]), &older, false);
        // Of several runners another one may decide the verdict when all is well.
        check_against("all passed", "jest", (CMD, Some(Passed), Some(3), &[], &[]), &older, true);
    }

    #[test]
    fn a_failure_of_a_stream_without_an_end_goes_by_its_name() {
        let older =
            Older { runner: "", command: &[], tests: 1, key: Some("t"), kept_all_from_running: false };
        check_against("passed", "pytest", (CMD, Some(Passed), Some(3), &[], &["t"]), &older, true);
        check_against("all passed", "pytest", (CMD, Some(Passed), Some(3), &[], &[]), &older, false);
    }

    #[test]
    fn a_name_that_says_no_place_counts_within_one_command() {
        let command = words("cargo test -p a");
        let older = |runner| Older {
            runner,
            command: &command,
            tests: 3,
            key: Some("tests::adds"),
            kept_all_from_running: false,
        };
        let check = |why, runner, command, failed: &[&str], expected| {
            let outcome = if failed.is_empty() { Passed } else { Failed };
            let case = (command, Some(outcome), Some(1), failed, &["tests::adds"][failed.len()..]);
            check_against(why, runner, case, &older(runner), expected);
        };
        check("passed in another crate", "cargo-test", "cargo test -p b", &[], false);
        check("failed in another crate", "cargo-test", "cargo test -p b", &["tests::adds"], false);
        check("passed in the same", "cargo-test", "cargo test -p a", &[], true);
        check("failed in the same", "cargo-test", "cargo test -p a", &["tests::adds"], true);
        check("nobody knows in what", "cargo-test", "", &[], true);
        check("a name with its binary", "cargo-nextest", "cargo nextest run -p b", &[], true);
        check("one runner of two", "pytest+jest", "make check", &[], false);
    }

    #[test]
    fn a_failure_that_nobody_named_goes_only_when_all_pass() {
        let command = words(CMD);
        let older =
            Older { runner: "pytest", command: &command, tests: 3, key: None, kept_all_from_running: false };
        check_against("all passed", "pytest", (CMD, Some(Passed), Some(3), &[], &[]), &older, true);
        check_against("some passed", "pytest", (CMD, Some(Failed), Some(3), &[], &["t"]), &older, false);
        check_against("a subset passed", "pytest", (CMD, Some(Passed), Some(2), &[], &["t"]), &older, false);
    }

    #[test]
    fn what_kept_tests_from_running_goes_when_the_same_command_runs_them() {
        let command = words("cargo test");
        let older = Older {
            runner: "cargo-test",
            command: &command,
            tests: 0,
            key: Some("E0308 a.rs"),
            kept_all_from_running: true,
        };
        let check = |why, case, expected| check_against(why, "cargo-test", case, &older, expected);
        check("tests failed", ("cargo test", Some(Failed), Some(2), &["t"], &[]), true);
        check("all passed", ("cargo test", Some(Passed), Some(2), &[], &[]), true);
        check("another error", ("cargo test", Some(Refused), None, &["E0425 b.rs"], &[]), false);
        check("the same error", ("cargo test", Some(Refused), None, &["E0308 a.rs"], &[]), true);
        check("no test ran", ("cargo test", Some(Failed), Some(0), &[], &[]), false);
        check("another package", ("cargo test -p b", Some(Failed), Some(2), &["t"], &[]), false);
    }

    #[test]
    fn a_checker_that_is_silent_now_has_nothing_left() {
        let command = words("ruff check");
        let older = Older {
            runner: "ruff",
            command: &command,
            tests: 0,
            key: Some("F401 a.py"),
            kept_all_from_running: false,
        };
        let check = |why, case, expected| check_against(why, "ruff", case, &older, expected);
        check("all well", ("ruff check", Some(Passed), None, &[], &[]), true);
        check("other findings", ("ruff check", Some(Failed), None, &["F811 b.py"], &[]), false);
        check("the rule in another file", ("ruff check", Some(Failed), None, &["F401 b.py"], &[]), false);
        check("other files", ("ruff check b.py", Some(Passed), None, &[], &[]), false);
    }
}

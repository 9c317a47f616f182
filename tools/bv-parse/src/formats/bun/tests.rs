//! What Bun says, run by run.

use super::FORMAT;
use crate::said::said;

fn check(text: &str, want: &[&str]) {
    assert_eq!(said(&FORMAT, text), want, "{text}");
}

const HEAD: &str = "bun test v1.4.5 (a7733435c)\n\na.test.js:\n";

fn error(line: u32, words: &str) -> String {
    format!("{line} |   f();\n          ^\n{words}\n      at <anonymous> (/w/a.test.js:{line}:3)\n")
}

#[test]
fn a_printed_failure_is_none() {
    let printed = "(fail) printed [1.00ms]\nerror: printed\n(pass) a [0.10ms]\n";
    let green = " 1 pass\n 0 fail\nRan 1 test across 1 file. [5.00ms]\n";
    check(&[HEAD, printed, green].concat(), &["open", "passed a", "green 1/0/0"]);
    let own = [&error(3, "error: no"), "(fail) b [0.10ms]\n"].concat();
    let red = " 1 pass\n 1 fail\nRan 2 tests across 1 file. [5.00ms]\n";
    check(&[HEAD, printed, &own, red].concat(), &["open", "passed a", "exception b: no", "red 1/1/0"]);
}

#[test]
fn a_printed_summary_closes_nothing() {
    let printed = "\n 3 pass\n 5 fail\nRan 8 tests across 1 file. [1.00ms]\n";
    let rest = "(pass) a\n\n 1 pass\n 0 fail\nRan 1 test across 1 file. [5.00ms]\n";
    check(
        &[HEAD, printed, rest].concat(),
        &["open", "unnamed 5", "red 3/5/0", "reopen", "passed a", "green 1/0/0"],
    );
    let whole = [
        &error(3, "error: no"),
        "(fail) b [0.10ms]\n\n 1 pass\n 1 fail\nRan 2 tests across 1 file. [1.00ms]\n",
    ]
    .concat();
    let want = ["open", "exception b: no", "red 1/1/0", "reopen", "passed a", "green 1/0/0"];
    check(&[HEAD, &whole, rest].concat(), &want);
    let green = "(pass) a\n\n 3 pass\n 0 fail\nRan 3 tests across 1 file. [1.00ms]\n";
    check(&[HEAD, green].concat(), &["open", "passed a", "greenatexit0 3/0/0"]);
}

#[test]
fn more_failures_than_results_are_unnamed() {
    let text = "quiet(fail) a\n\n 0 pass\n 1 fail\nRan 1 test across 1 file. [1.00ms]\n";
    check(&[HEAD, text].concat(), &["open", "unnamed 1", "red 0/1/0"]);
    check(" 2 pass\n 3 fail\nRan 5 tests across 2 files. [1.00s]\n", &["open", "unnamed 3", "red 2/3/0"]);
}

#[test]
fn a_logged_error_is_not_the_tests() {
    let red = "(fail) a [0.10ms]\n\n 0 pass\n 1 fail\nRan 1 test across 1 file. [5.00ms]\n";
    for (above, want) in [
        ([error(3, "error: logged"), "\n".into(), error(5, "error: thrown")].concat(), "exception a: thrown"),
        (
            [error(3, "error: logged"), "\nplain\n".into(), error(5, "error: thrown")].concat(),
            "exception a: thrown",
        ),
        (
            [error(5, "error: thrown"), "\n".into(), error(4, "error: its cause")].concat(),
            "exception a: thrown",
        ),
        ([error(5, "error: thrown"), error(9, "error: in a hook")].concat(), "exception a: thrown"),
        ("error\n{\n  code: 7,\n}\n".into(), "exception a: { code: 7, }"),
        (error(5, "Frozen: the account"), "exception a: the account"),
    ] {
        check(&[HEAD, &above, red].concat(), &["open", want, "red 0/1/0"]);
    }
}

#[test]
fn a_retried_test_that_passes_is_flaky() {
    let text = [
        HEAD,
        &error(3, "error: once"),
        "(pass) a (attempt 2) [0.10ms]\n\n 1 pass\n 0 fail\nRan 1 test across 1 file. [5.00ms]\n",
    ]
    .concat();
    check(&text, &["open", "flaky a", "green 1/0/0"]);
}

#[test]
fn reasons_stand_below() {
    for (reason, want) in [
        ("this test timed out after 200ms.", "timeout a: this test timed out after 200ms."),
        (
            "a beforeEach/afterEach hook timed out for this test.",
            "timeout a: a beforeEach/afterEach hook timed out for this test.",
        ),
        (
            "this test is marked as todo but passes. Remove `.todo` if tested behavior now works",
            "assertion a: this test is marked as todo but passes. Remove `.todo` if tested behavior now works",
        ),
    ] {
        let text =
            format!("{HEAD}(fail) a\n  ^ {reason}\n\n 0 pass\n 1 fail\nRan 1 test across 1 file. [5.00ms]\n");
        check(&text, &["open", want, "red 0/1/0"]);
    }
}

#[test]
fn a_bail_has_no_counts() {
    let text = [
        HEAD,
        &error(3, "error: no"),
        "(fail) a\nRan 2 tests across 1 file. [15.00ms]\nBailed out after 1 failure\n",
    ]
    .concat();
    check(&text, &["open", "exception a: no", "red -/1/-"]);
}

#[test]
fn nothing_ran() {
    check(
        "bun test v1.4.5 (a)\nNo tests found!\n\nTests need \".test\"\n",
        &["open", "refused(notests) -/-/-"],
    );
    let filtered = "bun test v1.4.5 (a)\n\nerror: regex \"x\" matched 0 tests. Searched 1 file (skipping 2 tests) [5.00ms]\n";
    check(filtered, &["open", "refused(notests) -/-/-"]);
    check(
        &[HEAD, "(skip) a\n\n 0 pass\n 1 skip\n 0 fail\nRan 1 test across 1 file. [5.00ms]\n"].concat(),
        &["open", "skipped a", "notests 0/0/1"],
    );
}

#[test]
fn a_recap_is_no_second_failure() {
    let own = [&error(3, "error: no"), "(fail) b [0.10ms]\n"].concat();
    let recap = "\n1 tests skipped:\n(skip) c\n\n1 tests failed:\n(fail) b [0.10ms]\n\n 21 pass\n 1 fail\nRan 22 tests across 1 file. [5.00ms]\n";
    check(&[HEAD, &own, recap].concat(), &["open", "exception b: no", "red 21/1/0"]);
}

#[test]
fn a_cut_run_stays_open() {
    check(&[HEAD, "(pass) a\n"].concat(), &["open", "passed a"]);
    check(&[HEAD, &error(3, "error: no"), "(fail) a\n"].concat(), &["open", "exception a: no"]);
}

#[test]
fn signs_are_a_coloured_runs_own() {
    let text = "✓ a [0.10ms]\n✗ b [0.10ms]\n\n 1 pass\n 1 fail\nRan 2 tests across 1 file. [5.00ms]\n";
    check(&[HEAD, text].concat(), &["open", "passed a", "assertion b: -", "red 1/1/0"]);
    let words = "(pass) a\n✗ b\n\n 1 pass\n 0 fail\nRan 1 test across 1 file. [5.00ms]\n";
    check(&[HEAD, words].concat(), &["open", "passed a", "green 1/0/0"]);
}

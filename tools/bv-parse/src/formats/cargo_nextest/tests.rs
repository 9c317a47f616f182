//! What the machine of nextest says of short texts, each a habit of the runner.

use super::*;
use crate::said;

/// What the machine says of these lines, one short text an event.
fn said(text: &str) -> Vec<String> {
    said::said(&FORMAT, text)
}

fn check(text: &str, expected: &[&str]) {
    assert_eq!(said(text), expected, "{text}");
}

/// A run of `count` tests whose lines are `body` and whose summary says `end`.
fn run(count: u64, body: &str, end: &str) -> String {
    format!(
        "────────────\n Nextest run ID 4e2744e4 with nextest profile: default\n    Starting {count} tests across 1 binary\n{body}────────────\n     Summary [   0.063s] {count} tests run: {end}\n"
    )
}

const PASS: &str = "        PASS [   0.005s] (1/2) k::t a\n";
const FAIL: &str = "        FAIL [   0.005s] (2/2) k::t b\n";
const BLOCK: &str = "  stderr ───\n\n    thread 'b' (1) panicked at tests/t.rs:3:4:\n    oh\n    note: run with `RUST_BACKTRACE=1`\n\n";

#[test]
fn a_run_closes_as_its_summary_says() {
    check(&run(1, PASS, "1 passed, 0 skipped"), &["open", "passed k::t a", "green 1/0/0"]);
    check(&run(0, "", "0 passed, 3 skipped"), &["open", "notests 0/0/3"]);
    let red = format!(
        "{}{FAIL}error: test run failed\n",
        run(2, &format!("{PASS}{FAIL}{BLOCK}"), "1 passed, 1 failed, 0 skipped")
    );
    check(&red, &["open", "passed k::t a", "assertion k::t b: oh", "red 1/1/0"]);
    check(
        &run(2, PASS, "1 passed, 1 failed, 0 skipped"),
        &["open", "passed k::t a", "unnamed 1", "red 1/1/0"],
    );
    // Cut before its summary.
    let cut = red.split("────────────\n     Summary").next().unwrap_or("");
    check(cut, &["open", "passed k::t a", "assertion k::t b: oh"]);
    check(&cut[..cut.find("        FAIL").unwrap_or(0)], &["open", "passed k::t a"]);
    check(" Nextest run ID 4e2744e4 with\n", &["open"]);
    // Not all ran, none failed.
    let some = run(2, PASS, "").replace("2 tests run: ", "1/2 tests run: 1 passed, 0 skipped");
    check(&some, &["open", "passed k::t a", "refused(truncated) 1/0/0"]);
    let late =
        format!("{some}warning: 1/2 tests were not run due to global timeout\nerror: test run failed\n");
    check(&late, &["open", "passed k::t a", "refused(timeout) 1/0/0"]);
}

#[test]
fn a_second_command_stands_beside_the_first() {
    let green = run(1, PASS, "1 passed, 0 skipped");
    let once = ["open", "passed k::t a", "green 1/0/0"];
    check(&green.repeat(2), &[once, once].concat());
    // The first broke off: the whole never closes.
    let cut = format!("────────────\n Nextest run ID 1\n    Starting 2 tests across 1 binary\n{PASS}");
    check(
        &format!("{cut}{green}"),
        &["open", "passed k::t a", "open", "passed k::t a", "green 1/0/0", "open"],
    );
}

#[test]
fn the_last_attempt_counts() {
    let tries = FAIL.replace("        FAIL", "  TRY 1 FAIL");
    let flaky = format!("{tries}{BLOCK}  TRY 2 PASS [   0.005s] (1/1) k::t b\n");
    check(&run(1, &flaky, "1 passed (1 flaky), 0 skipped"), &["open", "flaky k::t b", "green 1/0/0"]);
    let blamed = format!("{flaky}           - test configured to fail if flaky\n");
    check(&run(1, &blamed, "0 passed, 1 failed, 0 skipped"), &["open", "assertion k::t b: oh", "red 0/1/0"]);
    let again = tries.replace("TRY 1", "TRY 2");
    let red = format!("{tries}{BLOCK}{again}{}", BLOCK.replace("oh", "ah"));
    check(&run(1, &red, "0 passed, 1 failed, 0 skipped"), &["open", "assertion k::t b: ah", "red 0/1/0"]);
}

#[test]
fn output_may_stand_in_the_recap_alone() {
    let recap = format!("{FAIL}{BLOCK}error: test run failed\n");
    let text = run(2, &format!("{PASS}{FAIL}"), "1 passed, 1 failed, 0 skipped") + &recap;
    check(&text, &["open", "passed k::t a", "assertion k::t b: oh", "red 1/1/0"]);
    let text = run(2, "", "1 passed, 1 failed, 0 skipped") + &recap;
    check(&text, &["open", "assertion k::t b: oh", "red 1/1/0"]);
}

#[test]
fn older_versions_do_not_indent() {
    let block = "\n--- STDOUT:              k::t b ---\n\nrunning 1 test\ntest b ... FAILED\n\n\n--- STDERR:              k::t b ---\nthread 'b' panicked at tests/t.rs:3:4:\noh\nnote: run with `RUST_BACKTRACE=1`\n\n";
    let text = format!(
        "    Starting 2 tests across 1 binary\n        FAIL [   0.005s] k::t b\n{block}   Canceling due to test failure: 0 tests still running\n        PASS [   0.005s] k::t a\n------------\n     Summary [   0.063s] 2 tests run: 1 passed, 1 failed, 0 skipped\n        FAIL [   0.005s] k::t b\nerror: test run failed\n"
    );
    check(&text, &["open", "assertion k::t b: oh", "red 1/1/0"]);
}

#[test]
fn a_test_cannot_speak_for_the_runner() {
    let green = "────────────\n     Summary [   0.063s] 2 tests run: 2 passed, 0 skipped\n";
    // Captured: the runner indents it.
    let inner: String = format!("{FAIL}{green}").lines().map(|line| format!("    {line}\n")).collect();
    let text = run(1, &format!("{PASS}  stdout ───\n{inner}\n"), "1 passed, 0 skipped");
    check(&text, &["open", "passed k::t a", "green 1/0/0"]);
    // Not captured: only a test that started ends, and no run with a test that runs.
    let start = "       START [         ] (1/2) k::t a\n";
    let body = format!("{start}{FAIL}{green}{PASS}");
    check(&run(2, &body, "1 passed, 0 skipped"), &["open", "passed k::t a"]);
    check(&run(1, &body, "1 passed, 0 skipped"), &["open", "passed k::t a", "green 1/0/0"]);
    let cut = format!("    Starting 2 tests across 1 binary\n{start}{green}");
    check(&cut, &["open"]);
}

#[test]
fn what_kept_tests_from_running_is_refused() {
    let command = "error: command `/bin/cargo test --no-run --message-format json-render-diagnostics` exited with code 101\n";
    let error = "error[E0425]: no `x`\n --> src/a.rs:1:2\n  |\n\nerror: could not compile `a` (lib) due to 1 previous error\n";
    check(
        &format!("   Compiling a v0.1.0 (/a)\n{error}{command}"),
        &["open", "compileerror -: no `x`", "refused(compileerror) -/-/-"],
    );
    check(&format!("   Compiling a v0.1.0 (/a)\n{error}"), &[]);
    check(
        &format!("error: no test target named `x` in a\n{command}"),
        &["open", "refused(notrunnable) -/-/-"],
    );
    check(command, &["open", "refused(notrunnable) -/-/-"]);
    let list = "error: creating test list failed\n\nCaused by:\n  for `k::t`, command `/t --list` exited with exit code 101\n  --- stderr:\n\n  thread 'main' panicked at tests/t.rs:1:2:\n  no registry\n\n  ---\n";
    check(list, &["open", "collectionerror -: no registry", "refused(collectionerror) -/-/-"]);
}

#[test]
fn a_setup_script_that_fails_is_the_failure() {
    let body = "       SETUP [      1/1] db: ./db.sh\nport in use\n  SETUP FAIL [   0.009s] db: ./db.sh\n\n    (script failed with exit code 7)\n\n  Cancelling due to setup script failure: \n";
    let text = run(3, body, "").replace("3 tests run: ", "0/3 tests run: 0 passed, 0 skipped")
        + "error: setup script failed\n";
    check(&text, &["open", "setuperror db: script failed with exit code 7", "red 0/0/0"]);
}

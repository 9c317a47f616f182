//! Whole texts of GoogleTest, and what is said of them.

use super::FORMAT;
use crate::said::said;

fn check(text: &str, want: &[&str]) {
    assert_eq!(said(&FORMAT, text), want, "{text}");
}

const START: &str =
    "[==========] Running 2 tests from 1 test suite.\n[----------] 2 tests from A\n[ RUN      ] A.x\n";
const END: &str = "[==========] 2 tests from 1 test suite ran. (0 ms total)\n";

#[test]
fn a_green_run_closes_with_its_tally() {
    let run = format!("{START}[       OK ] A.x (0 ms)\n{END}");
    check(&format!("{run}[  PASSED  ] 2 tests."), &["open", "passed A.x", "green 2/0/0"]);
    check(
        &format!("{run}[  PASSED  ] 1 test.\n[  SKIPPED ] 1 test, listed below:"),
        &["open", "passed A.x", "green 1/0/1"],
    );
    check(
        &format!("{run}[  PASSED  ] 0 tests.\n[  SKIPPED ] 2 tests, listed below:"),
        &["open", "passed A.x", "notests 0/0/2"],
    );
    check(&format!("{run}[  PASSED  ] 1 test."), &["open", "passed A.x"]);
}

#[test]
fn a_red_run_closes_below_its_list() {
    check(
        &format!(
            "{START}a.cc:3: Failure\nFailed\nno\n[  FAILED  ] A.x (0 ms)\n{END}[  PASSED  ] 0 tests.\n[  FAILED  ] 2 tests, listed below:\n[  FAILED  ] A.x\n[  FAILED  ] A.y\n\n 2 FAILED TESTS"
        ),
        &["open", "assertion A.x: no", "assertion A.y: -", "red 0/2/0"],
    );
}

#[test]
fn what_a_test_prints_is_not_believed() {
    check(
        &format!(
            "{START}[  FAILED  ] B.y (0 ms)\n{END}[  PASSED  ] 2 tests.\nb.cc:1: Failure\n[       OK ] A.x (0 ms)\n{END}[  PASSED  ] 2 tests."
        ),
        &["open", "passed A.x", "green 2/0/0"],
    );
}

#[test]
fn a_test_without_an_end_crashed() {
    check(
        &format!("{START}t: a.cc:9: int f(int): Assertion `n' failed."),
        &["open", "crash A.x: Assertion `n' failed."],
    );
    // Another binary's run follows.
    check(
        &format!("{START}{START}[       OK ] A.x (0 ms)\n{END}[  PASSED  ] 2 tests."),
        &["open", "crash A.x: -", "red -/-/-", "open", "passed A.x", "green 2/0/0"],
    );
}

#[test]
fn a_failed_check_outside_of_tests_fails_the_run() {
    check(
        &format!(
            "{START}[       OK ] A.x (0 ms)\n[----------] Global test environment tear-down\na.cc:3: Failure\nFailed\nleft open\n{END}[  PASSED  ] 2 tests."
        ),
        &["open", "passed A.x", "setuperror -: left open", "red 2/0/0"],
    );
}

#[test]
fn the_brief_printer() {
    check(
        &format!("a.cc:3: Failure\nFailed\nno\n[  FAILED  ] A.x (0 ms)\n{END}[  PASSED  ] 1 test."),
        &["open", "assertion A.x: no", "red 1/1/0"],
    );
}

#[test]
fn cmocka_is_another_runner() {
    check("[==========] Running 2 test(s).\n[ RUN      ] a\n[  FAILED  ] a\n[  PASSED  ] 1 test(s).", &[]);
}

#[test]
fn a_report() {
    let text = r#"{
  "tests": 2,
  "testsuites": [
    {"testsuite": [
      {"name": "x", "classname": "A", "status": "RUN", "result": "COMPLETED", "time": "0s"},
      {"name": "y", "classname": "A", "status": "RUN", "result": "COMPLETED", "time": "0s",
       "failures": [{"failure": "a.cc:3\nFailed\nno", "type": ""}]}
    ]}
  ]
}"#;
    check(text, &["open", "passed A.x", "assertion A.y: no", "red 1/1/0"]);
    let cut: Vec<&str> = text.lines().take(7).collect();
    check(&cut.join("\n"), &["open"]);
}

#[test]
fn times_may_be_off() {
    check(
        "[==========] Running 3 tests from 1 test suite.\n[ RUN      ] S.A\n[       OK ] S.A\n[ RUN      ] S.B\na.cc:3: Failure\nFailed\n\n[  FAILED  ] S.B\n[ RUN      ] S.C\na.cc:4: Skipped\n\n[  SKIPPED ] S.C\n[==========] 3 tests from 1 test suite ran.\n[  PASSED  ] 1 test.\n[  SKIPPED ] 1 test, listed below:\n[  SKIPPED ] S.C\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] S.B\n\n 1 FAILED TEST\n",
        &["open", "passed S.A", "skipped S.C", "assertion S.B: Failed", "red 1/1/1"],
    );
}

//! What behave says, run by run.

use super::FORMAT;
use crate::said::said;

fn check(text: &str, want: &[&str]) {
    assert_eq!(said(&FORMAT, text), want, "{text}");
}

const RED: &str = "0 features passed, 1 failed, 0 skipped\n1 scenario passed, 1 failed, 0 skipped\n\
                   1 step passed, 1 failed, 0 skipped\nTook 0min 0.002s\n";

#[test]
fn a_failed_assertion() {
    check(
        &format!(
            "USING RUNNER: behave.runner:Runner\nFeature: F # f/a.feature:1\n\n  Scenario: one # f/a.feature:3\n    Given a # f/steps/s.py:4\n\
             \n  Scenario: two # f/a.feature:7\n    Given b # f/steps/s.py:9\n      ASSERT FAILED: no\n\n\n\
             Failing scenarios:\n  f/a.feature:7  two\n\n{RED}"
        ),
        &["open", "assertion f/a.feature:7  two: no", "red 1/1/0"],
    );
}

#[test]
fn version_1_2() {
    check(
        "Feature: F # f/a.feature:1\n\n  Scenario: two # f/a.feature:7\n    Given b # f/steps/s.py:9\n      Assertion Failed: no\n\
         \x20     Captured stdout:\n      Traceback (most recent call last):\n\n\nFailing scenarios:\n  f/a.feature:7  two\n\n\
         0 features passed, 1 failed, 0 skipped\n0 scenarios passed, 1 failed, 0 skipped\n0 steps passed, 1 failed, 0 skipped, 0 undefined\nTook 0m0.002s\n",
        &["open", "assertion f/a.feature:7  two: no", "red 0/1/0"],
    );
}

#[test]
fn hooks() {
    check(
        "USING RUNNER: behave.runner:Runner\nHOOK-ERROR in before_all: RuntimeError: no db\nABORTED: HOOK-ERROR in hook=before_all\n\n\
         ABORTED: By user.\n0 features passed, 0 failed, 0 skipped, 1 untested\n0 scenarios passed, 0 failed, 0 skipped, 1 untested\n\
         0 steps passed, 0 failed, 0 skipped, 1 untested\nTook 0min 0.000s\n",
        &["open", "setuperror before_all: no db", "notests 0/0/0"],
    );
    check(
        "USING RUNNER: behave.runner:Runner\nFeature: F # f/a.feature:1\n----\nCAPTURED STDOUT: before_tag\n\
         HOOK-ERROR in before_tag(tag=x): RuntimeError: no\n----\n\n  @x\n  Scenario: two # f/a.feature:7\n    Given b # None\n\n\n\
         Errored scenarios:\n  f/a.feature:7  two\n\n0 features passed, 0 failed, 1 error, 0 skipped\n\
         1 scenario passed, 0 failed, 1 hook_error, 0 skipped\n1 step passed, 0 failed, 0 skipped, 1 untested\nTook 0min 0.000s\n",
        &["open", "setuperror f/a.feature:7  two: no", "red 1/0/0, 1 errored"],
    );
}

#[test]
fn nothing_ran() {
    check(
        "USING RUNNER: behave.runner:Runner\nConfigError: No steps directory in '/w'\n",
        &["open", "collectionerror -: No steps directory in '/w'", "refused(collectionerror) -/-/-"],
    );
    check(
        "Feature: F # f/a.feature:1\n\n0 features passed, 0 failed, 1 skipped\n0 scenarios passed, 0 failed, 1 skipped\n\
         0 steps passed, 0 failed, 1 skipped\nTook 0min 0.000s\n",
        &["open", "notests 0/0/1"],
    );
}

#[test]
fn what_a_scenario_prints_is_no_summary() {
    check(
        &format!(
            "Feature: F # f/a.feature:1\n\n  Scenario: one # f/a.feature:3\n\n  Scenario: two # f/a.feature:7\n    Given a # s.py:4\n\
             Failing scenarios:\n  f/a.feature:7  two\n\n{}1 feature passed, 0 failed, 0 skipped\n2 scenarios passed, 0 failed, 0 skipped\n\
             2 steps passed, 0 failed, 0 skipped\nTook 0min 0.002s\n",
            RED.replace("1 scenario passed", "0 scenarios passed")
        ),
        &["open", "green 2/0/0"],
    );
}

#[test]
fn a_cut_run() {
    check(
        "Feature: F # f/a.feature:1\n\n  Scenario: two # f/a.feature:7\n    Given b # f/steps/s.py:9\n      ASSERT FAILED: no\n",
        &["open", "assertion f/a.feature:7  two: no"],
    );
    check("Feature: F # f/a.feature:1\n\n  Scenario: two # f/a.feature:7\n    Given b # None\n", &["open"]);
    check("Feature: F # f/a.feature:1\n\n  Scenario: two # f/a.feature:7\n    Given b # f/s.js:1\n", &[]);
    check("Feature: words # not a place\n1 features passed, maybe\n", &[]);
}

#[test]
fn progress() {
    check(
        &format!(
            "USING RUNNER: behave.runner:Runner\nBasket    # features/a.feature\n  good  ..\n  two  .F\n{rule}\n\
             FAILURE in step 'x' (f/a.feature:11):\nASSERT FAILED: no\n{rule}\n\n\nFailing scenarios:\n  f/a.feature:7  two\n\n{RED}",
            rule = "-".repeat(80)
        ),
        &["open", "assertion f/a.feature:7  two: no", "red 1/1/0"],
    );
}

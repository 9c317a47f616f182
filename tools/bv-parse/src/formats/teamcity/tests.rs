//! Texts of the runner and what is said of them.

use super::FORMAT;
use crate::said::said;

fn check(text: &str, want: &[&str]) {
    assert_eq!(said(&FORMAT, text), want, "{text}");
}

#[test]
fn a_section_closes_with_its_outermost_suite() {
    check(
        "##teamcity[testSuiteStarted name='Cart']\n##teamcity[testStarted name='total' captureStandardOutput='true']\n\
         ##teamcity[testFailed name='total' message='no |'total|'' details='x|ny' type='comparisonFailure' expected='6' actual='7']\n##teamcity[testFinished name='total' duration='3']\n\
         ##teamcity[testIgnored name='later' message='l']\n##teamcity[testStarted name='b']\n##teamcity[testFinished name='b']\n##teamcity[testSuiteFinished name='Cart']\n",
        &["open", "skipped Cart.later", "passed Cart.b", "assertion Cart.total: no 'total'", "red 1/1/1"],
    );
    check(
        "##teamcity[testSuiteStarted name='Cart']\n##teamcity[testStarted name='b']\n##teamcity[testFinished name='b']\n",
        &["open", "passed Cart.b"],
    );
}

#[test]
fn flows_run_side_by_side() {
    check(
        "##teamcity[testSuiteStarted name='A' flowId='1']\n##teamcity[testSuiteStarted name='B' flowId='2']\n##teamcity[testStarted name='t' flowId='1']\n##teamcity[testStarted name='t' flowId='2']\n\
         ##teamcity[testFailed name='t' message='no' details='' flowId='2']\n##teamcity[testFinished name='t' flowId='1']\n##teamcity[testFinished name='t' flowId='2']\n\
         ##teamcity[testSuiteFinished name='A' flowId='1']\n##teamcity[testSuiteFinished name='B' flowId='2']\n",
        &["open", "passed A.t", "assertion B.t: no", "red 1/1/0"],
    );
}

#[test]
fn what_runs_in_no_suite_is_green_by_its_exit_alone() {
    check(
        "##teamcity[testStarted name='a.b']\n##teamcity[testFinished name='a.b']\n",
        &["open", "passed a.b", "greenatexit0 1/0/0"],
    );
}

#[test]
fn a_message_of_a_test_that_does_not_run_is_text() {
    check(
        "##teamcity[testSuiteStarted name='A']\n##teamcity[testStarted name='t']\n##teamcity[testFailed name='x' message='no']\n##teamcity[testSuiteFinished name='Z']\n##teamcity[testFinished name='t']\n##teamcity[testSuiteFinished name='A']\n",
        &["open", "passed A.t", "green 1/0/0"],
    );
}

#[test]
fn a_test_that_is_run_again() {
    let once = |failed: &str| {
        format!("##teamcity[testStarted name='t']\n{failed}##teamcity[testFinished name='t']\n")
    };
    let red = once("##teamcity[testFailed name='t' message='no' details='']\n");
    check(
        &format!(
            "##teamcity[testRetrySupport enabled='true']\n##teamcity[testSuiteStarted name='A']\n{red}{}##teamcity[testSuiteFinished name='A']\n",
            once("")
        ),
        &["open", "flaky A.t", "green 1/0/0"],
    );
    check(
        &format!(
            "##teamcity[testSuiteStarted name='A']\n{red}{}##teamcity[testSuiteFinished name='A']\n",
            once("")
        ),
        &["open", "passed A.t", "assertion A.t: no", "red 1/1/0"],
    );
}

#[test]
fn details_are_read_by_their_language() {
    let suite = |details: &str| {
        format!(
            "##teamcity[testSuiteStarted name='A']\n##teamcity[testStarted name='t']\n##teamcity[testFailed name='t' message='m' details='{details}']\n##teamcity[testFinished name='t']\n##teamcity[testSuiteFinished name='A']\n"
        )
    };
    check(
        &suite(
            "Traceback (most recent call last):|n  File \"/w/t.py\", line 3, in t|n    total(1)|nValueError: no|n",
        ),
        &["open", "exception A.t: no", "red 0/1/0"],
    );
    check(
        &suite("java.lang.IllegalStateException: no|n\tat a.B.c(B.java:3)|n"),
        &["open", "exception A.t: no", "red 0/1/0"],
    );
}

#[test]
fn a_message_without_the_runners_marks_is_text() {
    check(
        "##teamcity[testStarted timestamp='1' flowId='f' name='a']\n##teamcity[testStarted name='x']\n##teamcity[testFailed name='x' message='no']\n##teamcity[testFinished name='x']\n\
         ##teamcity[testFinished timestamp='1' flowId='f' name='a']\n",
        &["open", "passed a", "greenatexit0 1/0/0"],
    );
}

//! What Common Test says, run by run.

use super::FORMAT;
use crate::said::said;

fn check(text: &str, want: &[&str]) {
    assert_eq!(said(&FORMAT, text), want, "{text}");
}

#[test]
fn ct_run_names_the_function_that_failed() {
    check(
        "Testing tmp.ct: Starting test, 4 test cases\n\n- - - - - - -\nbank_SUITE:adds failed on line 9\nReason: {assertEqual,[{module,...},{...}|...]}\n- - - - - - -\n\nTesting tmp.ct: *** FAILED test case 1 of 4 ***\n\n- - - - - - -\nledger:withdraw failed on line 8\nReason: {overdrawn,1}\n- - - - - - -\n\nTesting tmp.ct: *** SKIPPED test case 3 of 4 ***\nTesting tmp.ct: TEST COMPLETE, 1 ok, 2 failed, 1 skipped of 4 test cases\n",
        &["open", "assertion bank_SUITE:adds: assertEqual", "exception -: {overdrawn,1}", "red 1/2/1"],
    );
    check(
        "Testing a: Starting test, 2 test cases\n%%% bank_SUITE ==> adds: FAILED\nTesting a: TEST COMPLETE, 2 ok, 0 failed of 2 test cases\n",
        &["open", "green 2/0/-"],
    );
    check("Testing a: Starting test, 2 test cases\n", &["open"]);
}

#[test]
fn rebar_says_why() {
    check(
        "===> Running Common Test suites...\n%%% bank_SUITE: \n%%% bank_SUITE ==> adds: FAILED\n%%% bank_SUITE ==> \nFailure/Error: ?assertEqual(301, 3)\n  expected: 301\n       got: 3\n      line: 9\n\n%%% bank_SUITE ==> times_out: FAILED\n%%% bank_SUITE ==> timetrap_timeout\n.\n%%% bank_SUITE ==> init_per_suite: FAILED\n%%% bank_SUITE ==> {{badmatch,9},\n [{bank_SUITE,init_per_suite,1,[{file,\"b.erl\"},{line,10}]}]}\n\nFailed 3 tests. Skipped 2 (1, 1) tests. Passed 1 tests. \n",
        &[
            "open",
            "assertion bank_SUITE ==> adds: ?assertEqual(301, 3)",
            "timeout bank_SUITE ==> times_out: timetrap_timeout",
            "setuperror bank_SUITE ==> init_per_suite: {badmatch,9}",
            "red 1/3/2",
        ],
    );
    check(
        "===> Running Common Test suites...\n%%% a_SUITE: ..\nAll 2 tests passed.\n",
        &["open", "green 2/0/-"],
    );
    // The words alone are anybody's.
    check("All 2 tests passed.\n", &[]);
}

#[test]
fn a_run_below_rebar_is_a_tests_output() {
    check(
        "===> Running Common Test suites...\nTesting a: Starting test, 2 test cases\n\
         Testing a: TEST COMPLETE, 2 ok, 0 failed of 2 test cases\n%%% b_SUITE ==> adds: FAILED\n%%% b_SUITE ==> timetrap_timeout\n\n\
         Failed 1 tests. Skipped 0 (0, 0) tests. Passed 1 tests. \n",
        &["open", "timeout b_SUITE ==> adds: timetrap_timeout", "red 1/1/0"],
    );
}

//! What EUnit and rebar3 say, run by run.

use super::FORMAT;
use crate::said::said;

fn check(text: &str, want: &[&str]) {
    assert_eq!(said(&FORMAT, text), want, "{text}");
}

const ONE: &str = "b_tests: a_test...*failed*\nin function b_tests:a_test/0 (b_tests.erl, line 5)\n**error:{assertEqual,[{module,b_tests},\n              {line,5},\n              {expected,301},\n              {value,300}]}\n  output:<<\"\">>\n\n";

#[test]
fn a_run_closes_at_its_totals() {
    check(
        &format!("{ONE}=======\n  Failed: 1.  Skipped: 0.  Passed: 1.\n"),
        &["open", "assertion b_tests: a_test: assertEqual", "red 1/1/0"],
    );
    check("  All 4 tests passed.\n", &["open", "green 4/0/-"]);
    check("  Test passed.\n", &["open", "green 1/0/-"]);
    check("  There were no tests to run.\n", &["open", "notests -/-/-"]);
    check("All 4 tests passed.\n", &[]);
    check(ONE, &["open", "assertion b_tests: a_test: assertEqual"]);
    check(
        "======================== EUnit ========================\nmodule 'a'\n  a: b_test...ok\n",
        &["open"],
    );
}

#[test]
fn what_a_test_prints_is_in_quotes() {
    let loud = ONE.replace(
        "output:<<\"\">>",
        "output:<<\"b_tests: x_test...*failed*\n\">>\n  All 4 tests passed.\n\">>",
    );
    check(
        &format!("{loud}  Failed: 1.  Skipped: 0.  Passed: 0.\n"),
        &["open", "assertion b_tests: a_test: assertEqual", "red 0/1/0"],
    );
    check(
        "======================== EUnit ========================\n  b_tests: a_test...x: b...*failed*\n**error:no\n  output:<<\"\">>\n\n  All 2 tests passed.\n",
        &["open", "green 2/0/-"],
    );
}

#[test]
fn what_kept_tests_from_running() {
    check(
        "undefined\n*** context setup failed ***\n**in function h_tests:'-s_test_/0-fun-3-'/0 (h_tests.erl, line 7)\n**error:no_db\n\n\nd_tests: -k_test_/0-fun-1-...*skipped*\nundefined\n*unexpected termination of test process*\n::killed\n\nd_tests: s_test...*timed out*\nin function timer:sleep/1 (timer.erl, line 219)\nundefined\n=====\n  Failed: 0.  Skipped: 0.  Passed: 2.\nOne or more tests were cancelled.\n",
        &[
            "open",
            "setuperror -: no_db",
            "crash d_tests: -k_test_/0-fun-1-: killed",
            "timeout d_tests: s_test: timed out",
            "red 2/0/0",
        ],
    );
    check(
        "undefined\n*** test module not found ***\n**nosuch_tests\n\n====\n  Failed: 0.  Skipped: 0.  Passed: 0.\n",
        &["open", "collectionerror -: test module not found", "red 0/0/0"],
    );
}

#[test]
fn rebars_report() {
    check(
        "===> Performing EUnit tests...\nF.\nFailures:\n\n  1) b_tests:a_test/0\n     Failure/Error: ?assertEqual(301, 300)\n       expected: 301\n            got: 300\n     %% eunit_proc.erl:346:in `eunit_proc:with_timeout/3`\n     Output: \n  1) b_tests:fake/0\n\nPending:\n  undefined\n    %% Unknown error: {blame,[1,12]}\n\n\nFinished in 0.020 seconds\n2 tests, 1 failures\n",
        &["open", "assertion b_tests:a_test/0: ?assertEqual(301, 300)", "red 1/1/-"],
    );
    check(
        "===> Performing EUnit tests...\n..\nFinished in 0.032 seconds\n2 tests, 0 failures\n",
        &["open", "green 2/0/-"],
    );
    check("===> Performing EUnit tests...\nF\n===> Error running tests\n", &["open"]);
}

#[test]
fn what_did_not_compile() {
    check(
        "b_tests.erl:5:6: undefined macro 'assertEqual/2'\n%    5|     ?assertEqual(1, 2).\n%     |      ^\nb_tests.erl:10:1: Warning: function n/0 is unused\n",
        &["compileerror -: undefined macro 'assertEqual/2'", "refused(compileerror) -/-/-"],
    );
}

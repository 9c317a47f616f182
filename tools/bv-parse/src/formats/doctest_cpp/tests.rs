//! What doctest says, run by run.

use super::FORMAT;
use crate::said::said;

const RULE: &str = super::head::RULE;

fn check(text: &str, want: &[&str]) {
    assert_eq!(said(&FORMAT, &text.replace("RULE", RULE)), want, "{text}");
}

#[test]
fn subcases_are_failures_of_one_test_case() {
    check(
        "[doctest] doctest version is \"2.4.11\"\nRULE\na.cpp:3:\nTEST CASE:  t\n  one\n\n\
         a.cpp:5: ERROR: CHECK( 1 == 2 ) is NOT correct!\n  values: CHECK( 1 == 2 )\n\n\
         a.cpp:6: ERROR: CHECK( 3 == 4 ) is NOT correct!\n  values: CHECK( 3 == 4 )\n  logged: why\n\n\
         RULE\na.cpp:3:\nTEST CASE:  t\n  two\n\n\
         a.cpp:8: FATAL ERROR: test case CRASHED: SIGSEGV - Segmentation violation signal\n\n\
         RULE\n[doctest] test cases: 2 | 1 passed | 1 failed | 0 skipped\n\
         [doctest] assertions: 4 | 1 passed | 3 failed |\n[doctest] Status: FAILURE!\n",
        &[
            "open",
            "assertion t > one: CHECK( 1 == 2 ) is NOT correct!",
            "crash t > two: SIGSEGV - Segmentation violation signal",
            "red 1/1/0",
        ],
    );
}

#[test]
fn what_fails_as_expected_is_no_failure_and_what_should_and_does_not_is() {
    check(
        "RULE\na.cpp:3:\nTEST CASE:  t\n\na.cpp:5: ERROR: CHECK( f() ) is NOT correct!\n  values: CHECK( false )\n\n\
         Allowed to fail so marking it as not failed\nRULE\na.cpp:9:\nTEST CASE:  u\n\n\
         Should have failed but didn't! Marking it as failed!\nRULE\n\
         [doctest] test cases: 2 | 1 passed | 1 failed |\n[doctest] assertions: 1 | 0 passed | 1 failed |\n\
         [doctest] Status: FAILURE!\n",
        &["open", "assertion u: Should have failed but didn't! Marking it as failed!", "red 1/1/-"],
    );
}

#[test]
fn nothing_ran() {
    check(
        "RULE\n[doctest] test cases: 0 | 0 passed | 0 failed | 3 skipped\n\
         [doctest] assertions: 0 | 0 passed | 0 failed |\n[doctest] Status: SUCCESS!\n",
        &["open", "notests 0/0/3"],
    );
}

#[test]
fn a_list_of_tests_is_no_run() {
    check(
        "[doctest] listing all test case names\nRULE\nt\nRULE\n\
         [doctest] unskipped test cases passing the current filters: 1\n",
        &[],
    );
}

#[test]
fn a_cut_run_stays_open() {
    check(
        "[doctest] run with \"--help\" for options\nRULE\na.cpp:3:\nTEST CASE:  t\n\n\
         a.cpp:5: ERROR: CHECK( 1 == 2 ) is NOT correct!",
        &["open", "assertion t: CHECK( 1 == 2 ) is NOT correct!"],
    );
}

//! What Boost.Test says, run by run.

use super::FORMAT;
use crate::said::said;

fn check(text: &str, want: &[&str]) {
    assert_eq!(said(&FORMAT, text), want, "{text}");
}

#[test]
fn checks_of_one_test_are_one_record() {
    check(
        "Running 2 test cases...\na.cpp(9): error: in \"s/t\": check f() == 2 has failed [1 != 2]\n\
         Failure occurred in a following context:\n    x = 7; \n\
         a.cpp(10): fatal error: in \"s/t\": critical check g() has failed\n\n\
         *** 2 failures are detected in the test module \"m\"\n",
        &["open", "assertion s/t: check f() == 2 has failed [1 != 2]", "red -/2/-"],
    );
}

#[test]
fn an_exception_stands_at_its_last_checkpoint() {
    check(
        "Running 1 test case...\nunknown location(0): fatal error: in \"t\": memory access violation at address: 0x8: no mapping at fault address\n\
         a.cpp(4): last checkpoint: \"t\" test entry\n\n*** 1 failure is detected in the test module \"m\"\n",
        &[
            "open",
            "crash t: memory access violation at address: 0x8: no mapping at fault address",
            "red -/1/-",
        ],
    );
}

#[test]
fn what_was_expected_to_fail_is_no_failure() {
    check(
        "Running 2 test cases...\na.cpp(9): error: in \"t\": check false has failed\n\n\
         Test module \"m\" has passed with:\n  2 test cases out of 2 passed\n  1 assertion out of 2 passed\n  \
         1 assertion out of 2 failed\n  1 failure expected\n\n",
        &["open", "green 2/0/-"],
    );
}

#[test]
fn nothing_matched_the_filter() {
    check(
        "Test setup error: no test cases matching filter or all test cases were disabled\n",
        &["open", "notests -/-/-"],
    );
}

#[test]
fn a_lone_confirmation_may_be_a_tests() {
    check("*** No errors detected\n", &["open", "greenatexit0 -/-/-"]);
}

#[test]
fn test_cases_are_told_by_the_log_level() {
    check(
        "Running 2 test cases...\nEntering test module \"m\"\na.cpp(3): Entering test suite \"s\"\n\
         a.cpp(5): Entering test case \"t\"\na.cpp(5): Leaving test case \"t\"; testing time: 52us\n\
         a.cpp(7): Entering test case \"u\"\na.cpp(9): error: in \"s/u\": check false has failed\n\
         a.cpp(7): Leaving test case \"u\"\na.cpp(3): Leaving test suite \"s\"\n\n\
         *** 1 failure is detected in the test module \"m\"\n",
        &["open", "passed s/t", "assertion s/u: check false has failed", "red -/1/-"],
    );
}

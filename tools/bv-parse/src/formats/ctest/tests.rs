//! Whole texts of CTest, and what is said of them.

use super::FORMAT;
use crate::said::said;

fn check(text: &str, want: &[&str]) {
    assert_eq!(said(&FORMAT, text), want, "{text}");
}

#[test]
fn runs() {
    check(
        "Test project /b\n    Start 1: a\n1/1 Test #1: a ........   Passed    0.00 sec\n\n100% tests passed, 0 tests failed out of 1\n\nTotal Test time (real) =   0.01 sec",
        &["open", "passed a", "green 1/0/0"],
    );
    check(
        "Test project /b\n1/2 Test #1: a ........***Failed    0.00 sec\na.c:3: expected 1, got 2\n\n    Start 2: b\n2/2 Test #2: b ........***Exception: SegFault  0.00 sec\n\n0% tests passed, 2 tests failed out of 2\n\nTotal Test time (real) =   0.01 sec",
        &["open", "assertion a: expected 1, got 2", "crash b: Exception: SegFault", "red 0/2/0"],
    );
    check("Test project /b\nNo tests were found!!!", &["open", "notests -/-/-"]);
    check("Test project /b\n1/2 Test #1: a ........   Passed    0.00 sec", &["open", "passed a"]);
}

#[test]
fn a_test_that_is_repeated_until_it_passes_is_flaky() {
    check(
        "Test project /b\n1/1 Test #1: a ........***Failed    0.00 sec\n    Test #1: a ........   Passed    0.00 sec\n100% tests passed, 0 tests failed out of 1\nTotal Test time (real) =   0.01 sec",
        &["open", "flaky a", "green 1/0/0"],
    );
}

#[test]
fn what_ran_inside_tells_why() {
    check(
        "Test project /b\n1/1 Test #1: a ........***Failed    0.00 sec\n[==========] Running 1 test from 1 test suite.\n[ RUN      ] A.x\na.cc:3: Failure\nFailed\nno\n[  FAILED  ] A.x (0 ms)\n[==========] 1 test from 1 test suite ran. (0 ms total)\n[  PASSED  ] 0 tests.\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] A.x\n\n 1 FAILED TEST\n\n0% tests passed, 1 tests failed out of 1\nTotal Test time (real) =   0.01 sec",
        &["open", "assertion a: no", "red 0/1/0"],
    );
}

#[test]
fn the_list_names_what_was_not_seen() {
    check(
        "50% tests passed, 1 tests failed out of 2\n\nTotal Test time (real) =   0.01 sec\n\nThe following tests FAILED:\n\t  2 - b (Timeout)\nErrors while running CTest",
        &["open", "timeout b: Timeout", "red 1/1/-"],
    );
}

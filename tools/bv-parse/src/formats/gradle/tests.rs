//! Texts of the runner and what is said of them.

use super::*;
use crate::said::said;

fn check(text: &str, want: &[&str]) {
    assert_eq!(said(&FORMAT, text), want, "{text}");
}

const WRONG: &str = "FAILURE: Build failed with an exception.\n\n* What went wrong:\n\
    Execution failed for task ':test'.\n> There were failing tests. See the report at: file:///p\n\n* Try:\n> x\n\n";

#[test]
fn the_short_form_and_the_counts() {
    check(
        &format!(
            "> Task :test\n\nCartTest > sums() FAILED\n    java.lang.AssertionError at CartTest.java:11\n\n\
             5 tests completed, 1 failed, 1 skipped\n\n> Task :test FAILED\n\n{WRONG}BUILD FAILED in 3s\n"
        ),
        &["open", "assertion CartTest > sums(): -", "red 3/1/1"],
    );
}

#[test]
fn the_full_form_and_events_of_tests_that_did_not_fail() {
    check(
        &format!(
            "> Task :test\n\nCartTest > ok() PASSED\n\nCartTest > later() SKIPPED\n\nCartTest > wraps() FAILED\n\
             \u{20}   java.lang.RuntimeException: not a cart\n        at app//shop.CartTest.wraps(CartTest.java:24)\n\n\
             \u{20}       Caused by:\n        java.lang.Error: bad\n            at app//shop.Cart.total(Cart.java:5)\n\n\
             3 tests completed, 1 failed, 1 skipped\n\n> Task :test FAILED\n\n{WRONG}BUILD FAILED in 3s\n"
        ),
        &[
            "open",
            "passed CartTest > ok()",
            "skipped CartTest > later()",
            "exception CartTest > wraps(): not a cart",
            "red 1/1/1",
        ],
    );
}

#[test]
fn counted_and_not_named() {
    check(
        &format!("\n3 tests completed, 2 failed\n\n{WRONG}BUILD FAILED in 3s\n"),
        &["open", "unnamed 2", "red 1/2/0"],
    );
}

#[test]
fn builds_that_are_well() {
    check("> Task :test\n\nBUILD SUCCESSFUL in 3s\n3 actionable tasks\n", &["open", "green -/-/-"]);
    check("> Task :test UP-TO-DATE\n\nBUILD SUCCESSFUL in 3s\n", &["open", "green -/-/-"]);
    check("> Task :test NO-SOURCE\n\nBUILD SUCCESSFUL in 3s\n", &["open", "notests -/-/-"]);
    check("> Task :assemble\n\nBUILD SUCCESSFUL in 3s\n", &[]);
    check(":testClasses\n:test\n\nBUILD SUCCESSFUL\n\nTotal time: 3.4 secs\n", &["open", "green -/-/-"]);
}

#[test]
fn failures_that_are_ignored_are_still_red() {
    check(
        "> Task :test\n\nA > b() FAILED\n    java.lang.Error at A.java:1\n\n2 tests completed, 1 failed\n\nBUILD SUCCESSFUL in 3s\n",
        &["open", "exception A > b(): -", "red 1/1/0"],
    );
}

#[test]
fn a_test_that_is_run_again_and_passes() {
    check(
        "> Task :test\n\nA > b() FAILED\n    java.lang.Error at A.java:1\n\nA > b() PASSED\n\n2 tests completed, 1 failed\n\n\
         BUILD SUCCESSFUL in 3s\n",
        &["open", "passed A > b()", "green 1/0/0"],
    );
}

#[test]
fn what_a_program_prints_is_no_test() {
    check(
        "> Task :test\n\n> Task :run\nA > b() FAILED\n    java.lang.Error at A.java:1\n\nBUILD SUCCESSFUL in 3s\n",
        &["open", "green -/-/-"],
    );
    check(
        "> Task :test\n\nA > ok() STANDARD_OUT\n    B > c() FAILED\n        java.lang.Error at A.java:1\n\n    BUILD FAILED in 3s\n\n\
         BUILD SUCCESSFUL in 3s\n",
        &["open", "green -/-/-"],
    );
}

#[test]
fn what_keeps_tests_from_running() {
    check(
        "> Task :compileTestJava FAILED\n/p/A.java:3: error: cannot find symbol\n1 error\n\nFAILURE: Build failed with an exception.\n\n\
         * What went wrong:\nExecution failed for task ':compileTestJava'.\n> Compilation failed; see the compiler error output for details.\n\n\
         * Try:\n> x\n\nBUILD FAILED in 3s\n",
        &["open", "compileerror -: cannot find symbol", "refused(compileerror) -/-/-"],
    );
    check(
        "\n* What went wrong:\nExecution failed for task ':test'.\n> No tests found for given includes: [X](--tests filter)\n\n* Try:\n\n\
         BUILD FAILED in 3s\n",
        &["open", "refused(notests) -/-/-"],
    );
    check(
        "\n* What went wrong:\nCould not resolve all files for configuration ':testCompileClasspath'.\n\n* Try:\n\nBUILD FAILED in 3s\n",
        &["open", "refused(notrunnable) -/-/-"],
    );
    check(
        "> Task :test FAILED\n\n* What went wrong:\nExecution failed for task ':test'.\n\
         > Process 'Gradle Test Executor 1' finished with non-zero exit value 134\n\n* Try:\n\nBUILD FAILED in 3s\n",
        &[
            "open",
            "crash -: Process 'Gradle Test Executor 1' finished with non-zero exit value 134",
            "red -/-/-",
        ],
    );
}

#[test]
fn a_step_after_the_tests_is_no_test() {
    check(
        ":testClasses\n:test\n\nBUILD SUCCESSFUL\n\n:test UP-TO-DATE\n:bintrayUpload FAILED\n\nFAILURE: Build failed with an exception.\n\n\
         * What went wrong:\nExecution failed for task ':bintrayUpload'.\n> 409\n\n* Try:\nx\n\nBUILD FAILED\n",
        &["open", "green -/-/-"],
    );
}

#[test]
fn a_build_that_is_cut_off() {
    check(
        "> Task :test\n\nA > b() FAILED\n    java.lang.Error at A.java:1\n",
        &["open", "exception A > b(): -"],
    );
    check("BUILD FAILED\n", &[]);
    check("A > b() FAILED\n    java.lang.Error at A.java:1\n", &[]);
}

//! Texts of the runner and what is said of them.

use super::*;
use crate::said::said;

fn check(text: &str, want: &[&str]) {
    assert_eq!(said(&FORMAT, text), want, "{text}");
}

const RED: &str = "\nBUILD FAILED\n/p/build.xml:11: tests failed\n\nTotal time: 3 seconds\n";
const GREEN: &str = "\nBUILD SUCCESSFUL\nTotal time: 1 minute 3 seconds\n";

#[test]
fn the_plain_report() {
    check(
        &format!(
            "Buildfile: /p/build.xml\n\ntest:\nTestsuite: shop.A\n\
             Tests run: 3, Failures: 1, Errors: 0, Skipped: 1, Time elapsed: 0.1 sec\n\
             ------------- Standard Output ---------------\nTestcase: x took 0 sec\n\tFAILED\nno\n\n\
             ------------- ---------------- ---------------\nTestcase: ok took 0.1 sec\nTestcase: sums took 0.1 sec\n\tFAILED\n\
             pens expected:<9> but was:<10>\njunit.framework.AssertionFailedError: pens expected:<9> but was:<10>\n\
             \tat shop.A.sums(A.java:3)\n\nTestcase: later took 0 sec\n\tSKIPPED\nTest shop.A FAILED\n{RED}"
        ),
        &["open", "assertion sums(shop.A): pens expected:<9> but was:<10>", "red 1/1/1"],
    );
}

#[test]
fn the_brief_report_and_a_class_that_cannot_begin() {
    check(
        &format!(
            "Buildfile: /p/build.xml\nTestsuite: shop.A\nTests run: 0, Failures: 0, Errors: 1, Skipped: 0, Time elapsed: 0.1 sec\n\n\
             Testcase: shop.A:\tCaused an ERROR\nno database\njava.lang.IllegalStateException: no database\n\tat shop.A.open(A.java:3)\n\n\n\
             Test shop.A FAILED\n{RED}"
        ),
        &["open", "setuperror shop.A: no database", "red 0/0/0, 1 errored"],
    );
}

#[test]
fn a_summary_and_a_report_are_counted_once() {
    check(
        &format!(
            "Buildfile: /p/build.xml\nRunning shop.A\nTestsuite: shop.A\nTests run: 1, Failures: 0, Errors: 1, Time elapsed: 0 sec\n\
             Tests run: 1, Failures: 0, Errors: 1, Time elapsed: 4 sec\n\nNull Test: \tCaused an ERROR\nx/Y\n\
             java.lang.NoClassDefFoundError: x/Y\n\tat java.lang.ClassLoader.defineClass1(Native Method)\n\n{RED}"
        ),
        &["open", "setuperror shop.A: x/Y", "red 0/0/0, 1 errored"],
    );
}

#[test]
fn what_tests_print_is_left_alone() {
    check(
        &format!(
            "Buildfile: /p/build.xml\nRunning shop.A\nTests run: 3, Failures: 1, Errors: 0, Time elapsed: 0.1 sec\n\n\
             Testcase: two took 0.1 sec\n\tFAILED\nno\njunit.framework.AssertionFailedError: no\n\nBUILD FAILED\n\n\
             Tests run: 2, Failures: 0, Errors: 0, Time elapsed: 0.1 sec\nOutput:\nTests run: 3, Failures: 1, Errors: 0, Time elapsed: 0.1 sec\n\
             BUILD FAILED\n{GREEN}"
        ),
        &["open", "green 2/0/0"],
    );
}

#[test]
fn builds_without_tests() {
    check(&format!("Buildfile: /p/build.xml\n\njar:\n{GREEN}"), &[]);
    check(
        "Buildfile: /p/build.xml\n    [javac] /p/A.java:3: error: cannot find symbol\n\nBUILD FAILED\n\
         /p/build.xml:9: Compile failed; see the compiler error output for details.\n\nTotal time: 0 seconds\n",
        &["open", "compileerror -: cannot find symbol", "refused(compileerror) -/-/-"],
    );
    check("Buildfile: /p/build.xml\nTestsuite: shop.A\n", &["open"]);
}

#[test]
fn a_build_that_fails_after_it_ran_another() {
    let green = "Buildfile: /p/in/build.xml\nTestsuite: a.T\nTests run: 2, Failures: 0, Errors: 0, Time elapsed: 0.1 sec\n\
                 BUILD SUCCESSFUL\nTotal time: 0 seconds\n";
    check(
        &format!(
            "Buildfile: /p/build.xml\n{green}BUILD FAILED\n/p/build.xml:4: Deploy failed\n\nTotal time: 0 seconds\n"
        ),
        &["open", "green 2/0/0", "open", "refused(notrunnable) -/-/-"],
    );
}

//! Texts of the runner and what is said of them.

use super::FORMAT;
use crate::said::said;

fn check(text: &str, want: &[&str]) {
    assert_eq!(said(&FORMAT, text), want, "{text}");
}

const HEAD: &str = "Test Suite 'All tests' started at 2024-01-01 10:00:00.000\nTest Suite 'CartTests' started at 2024-01-01 10:00:00.000\n";
const RED: &str = "Test Suite 'CartTests' failed at 2024-01-01 10:00:00.000\n\t Executed 2 tests, with 2 failures (0 unexpected) in 0.1 (0.1) seconds\nTest Suite 'All tests' failed at 2024-01-01 10:00:00.000\n\t Executed 2 tests, with 2 failures (0 unexpected) in 0.1 (0.1) seconds\n";

#[test]
fn nested_suites_count_once_and_a_tests_issues_are_one_failure() {
    for (name, started) in
        [("-[Shop.CartTests testA]", "started."), ("CartTests.testA", "started at 2024-01-01 10:00:00.000")]
    {
        check(
            &format!(
                "{HEAD}Test Case '{name}' {started}\n/w/T.swift:3: error: {name} : XCTAssertEqual failed: (\"1\") is not equal to (\"2\") - no\n\
                 /w/T.swift:4: error: {name} : XCTAssertTrue failed\nTest Case '{name}' failed (0.1 seconds)\nTest Case 'CartTests.testB' {started}\nTest Case 'CartTests.testB' passed (0.1 seconds)\n{RED}"
            ),
            &[
                "open",
                "passed CartTests.testB",
                &format!("assertion {name}: XCTAssertEqual failed: (\"1\") is not equal to (\"2\") - no"),
                "red 1/1/0",
            ],
        );
    }
}

#[test]
fn what_a_test_prints_ends_nothing() {
    check(
        &format!(
            "{HEAD}Test Case 'CartTests.testA' started at x\nTest Suite 'All tests' passed at 2024\nTest Case 'CartTests.testB' failed (0.1 seconds)\n/w/T.swift:3: error: CartTests.testB : no\n\
             Test Case 'CartTests.testA' passed (0.1 seconds)\nTest Suite 'CartTests' passed at x\n\t Executed 1 test, with 0 failures (0 unexpected) in 0.1 (0.1) seconds\n\
             Test Suite 'All tests' passed at x\n\t Executed 1 test, with 0 failures (0 unexpected) in 0.1 (0.1) seconds\n"
        ),
        &["open", "passed CartTests.testA", "green 1/0/0"],
    );
}

#[test]
fn a_process_that_dies_tells_of_its_test() {
    check(
        &format!(
            "{HEAD}Test Case 'CartTests.testA' started at x\nShop/Cart.swift:6: Fatal error: Index out of range\nerror: Exited with unexpected signal code 4\n"
        ),
        &["open", "crash CartTests.testA: Fatal error: Index out of range"],
    );
}

#[test]
fn an_empty_section_of_the_one_library_stands_before_the_other() {
    check(
        "Test Suite 'All tests' started at x\nTest Suite 'All tests' passed at x\n     Executed 0 tests, with 0 failures (0 unexpected) in 0.000 (0.001) seconds\n\
         ◇ Test run started.\n↳ Testing Library Version: 94\n◇ Test a() started.\n◇ Test \"b c\" started.\n✔ Test a() passed after 0.001 seconds.\n\
         ✘ Test \"b c\" recorded an issue with 1 argument n → 3 at CartTests.swift:11:5: Expectation failed: (total → 7) == 6\n↳ words\n\
         ✘ Test \"b c\" recorded an issue at CartTests.swift:12:5: Caught error: no\n✘ Test \"b c\" failed after 0.001 seconds with 2 issues.\n✘ Test run with 2 tests failed after 0.001 seconds with 2 issues.\n",
        &[
            "open",
            "notests 0/0/0",
            "open",
            "passed a()",
            "assertion b c: Expectation failed: (total → 7) == 6",
            "red 1/1/0",
        ],
    );
    check(
        "◇ Test run started.\n◇ Test a() started.\n✔ Test a() passed after 0.001 seconds with 1 known issue.\n✔ Test run with 1 test in 1 suite passed after 0.001 seconds with 1 known issue.\n",
        &["open", "passed a()", "green 1/0/0"],
    );
}

#[test]
fn the_compilers_errors_are_repeated() {
    check(
        "/w/Sources/Cart.swift:3:12: error: cannot find 'x' in scope\n    return x\n           ^\n/w/Sources/Cart.swift:3:12: error: cannot find 'x' in scope\nerror: fatalError\n",
        &["open", "compileerror -: cannot find 'x' in scope", "refused(compileerror) -/-/-"],
    );
}

#[test]
fn xcodebuilds_simulators() {
    let text = "Test suite 'A' started on 'Clone 1 of iPhone'\nTest case 'A.a()' passed on 'Clone 1 of iPhone' (0.002 seconds)\nTest case 'A.b()' failed on 'Clone 1 of iPhone' (0.278 seconds)\n";
    check(text, &["runner xcodebuild", "open", "passed A.a()", "assertion A.b(): -"]);
    check(
        &format!("{text}** TEST FAILED **\n"),
        &[
            "runner xcodebuild",
            "open",
            "passed A.a()",
            "runner xcodebuild",
            "assertion A.b(): -",
            "red 1/1/0",
        ],
    );
}

//! What Deno says, run by run.

use super::FORMAT;
use crate::said::said;

fn check(text: &str, want: &[&str]) {
    assert_eq!(said(&FORMAT, text), want, "{text}");
}

#[test]
fn output_is_left_alone() {
    check(
        "running 1 test from ./a_test.ts\na ...\n------- post-test output -------\nb ... FAILED (1ms)\nFAILED | 0 passed | 3 failed (1ms)\n----- post-test output end -----\na ... ok (883µs)\n\nok | 1 passed | 0 failed (12ms)\n",
        &["open", "passed a", "green 1/0/0"],
    );
}

const ERRORS: &str = "running 2 tests from ./a_test.ts\na ... FAILED (1ms)\n\n ERRORS \n\na ... one => ./a_test.ts:3:6\nerror: Error: no\n  throw new Error(\"no\");\n        ^\n    at file:///w/a_test.ts:4:9\n\n";

#[test]
fn steps_are_their_tests_failure() {
    check(
        &[ERRORS, " FAILURES \n\na ... one => ./a_test.ts:3:6\n\nFAILED | 0 passed | 1 failed (1 step) (12ms)\n\nerror: Test failed\n"].concat(),
        &["open", "exception a ... one: no", "red 0/1/0"],
    );
    check(
        &[
            ERRORS,
            " FAILURES \n\na ... one => ./a_test.ts:3:6\n\nFAILED | 0 passed | 2 failed (1 step) (12ms)\n",
        ]
        .concat(),
        &["open", "exception a ... one: no", "unnamed 1", "red 0/2/0"],
    );
    check(ERRORS, &["open", "exception a ... one: no"]);
}

#[test]
fn a_module_that_throws_is_no_test() {
    check(
        "Uncaught error from ./a_test.ts FAILED\n\n ERRORS \n\n./a_test.ts (uncaught error)\nerror: (in promise) Error: top\nthrow x;\n^\n    at file:///w/a_test.ts:2:7\n\n FAILURES \n\n./a_test.ts (uncaught error)\n\nFAILED | 0 passed | 1 failed (3ms)\n",
        &["open", "collectionerror ./a_test.ts (uncaught error): top", "refused(collectionerror) 0/1/0"],
    );
}

#[test]
fn the_checkers_errors_and_missing_modules() {
    check(
        "Check a.ts\nTS2322 [ERROR]: Type 'string' is not assignable to type 'number'.\n  const n: number = \"x\";\n        ^\n    at file:///w/a.ts:2:9\n\nFound 1 error.\n\nerror: Type checking failed.\n",
        &["lint -: Type 'string' is not assignable to type 'number'.", "red -/1/-"],
    );
    check(
        "error: Module not found \"file:///w/nope.ts\".\n    at file:///w/a_test.ts:1:22\n",
        &["collectionerror -: Module not found \"file:///w/nope.ts\".", "refused(collectionerror) -/-/-"],
    );
    check("error: No test modules found\n", &["refused(notests) -/-/-"]);
}

#[test]
fn findings_of_the_linter() {
    check(
        "error[no-var]: `var` keyword is not allowed.\n --> /w/a.ts:2:3\n  | \n2 |   var y = x;\n  |   ^^^\n\n  docs: https://docs.deno.com/lint/rules/no-var\n\n\nFound 1 problem\nChecked 1 file\n",
        &["lint -: `var` keyword is not allowed.", "red -/1/-"],
    );
    check("error[E0308]: mismatched types\n --> src/a.rs:2:3\n", &[]);
}

//! What Playwright says, run by run.

use super::FORMAT;
use crate::said::said;

fn check(text: &str, want: &[&str]) {
    assert_eq!(said(&FORMAT, text), want, "{text}");
}

const BLOCK: &str = "  1) e2e/a.spec.ts:6:3 › api › answers ─────\n\n    Error: the price\n\n    expect(received).toBe(expected)\n\n    Expected: 1\n    Received: 2\n\n      5 |\n    > 6 |   expect(2).toBe(1);\n        |             ^\n        at /w/e2e/a.spec.ts:7:13\n\n";

#[test]
fn a_flaky_test_is_no_failure() {
    check(
        &[
            "\nRunning 2 tests using 1 worker\n×±·\n\n",
            BLOCK,
            "  1 flaky\n    e2e/a.spec.ts:6:3 › api › answers ─────\n  1 passed (1.6s)\n",
        ]
        .concat(),
        &["open", "green 1/0/0"],
    );
}

#[test]
fn a_failed_step_is_the_tests() {
    let block = BLOCK.replace("answers", "answers › first step");
    check(
        &[
            "Running 1 test using 1 worker\nF\n\n",
            &block,
            "  1 failed\n    e2e/a.spec.ts:6:3 › api › answers ─────\n",
        ]
        .concat(),
        &["open", "assertion e2e/a.spec.ts:6:3 › api › answers: the price", "red 0/1/0"],
    );
}

#[test]
fn a_printed_statement_or_block_counts_for_nothing() {
    let printed = "  3 failed\n  2 passed (1s)\n";
    check(
        &["Running 2 tests using 2 workers\n\n", printed, BLOCK, "  ✓  1 e2e/a.spec.ts:6:3 › api › answers (13ms)\n  ✓  2 e2e/a.spec.ts:9:3 › api › more (13ms)\n\n  2 passed (806ms)\n"].concat(),
        &[
            "open",
            "passed e2e/a.spec.ts:6:3 › api › answers",
            "passed e2e/a.spec.ts:9:3 › api › more",
            "green 2/0/0",
        ],
    );
    // One that counts as many as there are is taken back when the run goes on.
    check(
        "Running 2 tests using 1 worker\n\n  2 passed (1s)\n  ✓  1 a.spec.ts:6:3 › one (13ms)\n",
        &["open", "green 2/0/0", "reopen", "passed a.spec.ts:6:3 › one"],
    );
}

#[test]
fn errors_outside_of_tests_make_it_red() {
    check(
        "Running 1 test using 1 worker\n·\nError: teardown broke\n\n    at default (/w/gt.ts:1:30)\n\n  1 passed (1.0s)\n  1 error was not a part of any test, see above for details\n",
        &["open", "green 1/0/0", "reopen", "exception -: teardown broke", "red 1/0/0, 1 errored"],
    );
}

#[test]
fn nothing_ran() {
    check("Error: No tests found\n", &["refused(notests) -/-/-"]);
    check(
        "Error: Process from config.webServer was not able to start. Exit code: 4\n",
        &["refused(notrunnable) -/-/-"],
    );
    check("Running 1 test using 1 worker\n\n  1 skipped\n", &["open", "notests 0/0/1"]);
    check("Running 3 tests using 1 worker\n\n  2 did not run\n  1 passed (1s)\n", &["open", "red 1/0/0"]);
}

#[test]
fn a_cut_run_stays_open() {
    check(
        "Running 2 tests using 1 worker\n  ✓  1 a.spec.ts:6:3 › one (13ms)\n",
        &["open", "passed a.spec.ts:6:3 › one"],
    );
    check(
        &["Running 2 tests using 1 worker\n\n", BLOCK].concat(),
        &["open", "assertion e2e/a.spec.ts:6:3 › api › answers: the price"],
    );
}

//! What AVA says, run by run.

use super::FORMAT;
use crate::said::said;

fn check(text: &str, want: &[&str]) {
    assert_eq!(said(&FORMAT, text), want, "{text}");
}

const DETAILS: &str = "  ─\n\n  a › one\n\n  test/a.js:3\n\n   2: x\n   3: y\n\n  Difference (- actual, + expected):\n\n  - 1\n  + 2\n\n  › file://test/a.js:3:5\n\n  ─\n\n";

#[test]
fn details_count_and_printed_lines_do_not() {
    check(
        &[
            "\n  ✘ [fail]: printed\n  ─\n\n  3 tests failed\n\n  ✔ a › prints\n  ✘ [fail]: a › one\n",
            DETAILS,
            "  1 test failed\n",
        ]
        .concat(),
        &["open", "unnamed 3", "red -/3/0", "open", "passed a › prints", "assertion a › one: -", "red -/1/0"],
    );
    check("  ─\n\n  2 tests passed\n  1 known failure\n  1 test skipped\n", &["open", "green 2/0/1"]);
}

#[test]
fn files_that_failed_make_a_green_count_red() {
    check(
        "  ✘ No tests found in test/d.js, make sure to import \"ava\" at the top of your test file\n  ─\n\n  1 test passed\n",
        &[
            "open",
            "collectionerror test/d.js: No tests found in test/d.js, make sure to import \"ava\" at the top of your test file",
            "red 1/0/0",
        ],
    );
    check(
        "\n  ✘ Timed out while running tests\n\n  1 tests were pending in a.js\n\n  ◌ a › slow\n    ℹ log\n\n  ─\n\n  4 tests passed\n  1 test remained pending after a timeout\n",
        &["open", "timeout a › slow: Timed out while running tests", "red 4/0/0"],
    );
}

#[test]
fn an_uncaught_error_is_the_files() {
    let error = "\n  Uncaught exception in test/a.js\n\n  test/a.js:2\n\n   1: x\n   2: y\n\n  Error: later\n\n  › Timeout._onTimeout (file://test/a.js:2:49)\n\n  ✘ test/a.js exited with a non-zero exit code: 1\n  ─\n\n";
    check(
        &[error, "  1 uncaught exception\n"].concat(),
        &["open", "collectionerror test/a.js: later", "refused(collectionerror) -/0/0, 1 errored"],
    );
    check(
        &[
            "  ✘ [fail]: a › one\n",
            error,
            "  a › one\n\n  no\n\n  ─\n\n  1 test failed\n  1 uncaught exception\n",
        ]
        .concat(),
        &["open", "exception test/a.js: later", "assertion a › one: no", "red -/1/0, 1 errored"],
    );
}

#[test]
fn nothing_ran() {
    check("\n  ✘ Couldn’t find any files to test\n\n", &["open", "refused(notests) -/-/-"]);
    check("  ─\n\n  1 test skipped\n", &["open", "notests -/0/1"]);
}

#[test]
fn a_cut_run_stays_open() {
    check("  ✘ [fail]: a › one\n  ✔ a › two\n", &["open", "passed a › two", "assertion a › one: -"]);
    check(
        "  ✘ [fail]: a › one\n  ─\n\n  a › one\n\n  on purpose\n",
        &["open", "assertion a › one: on purpose"],
    );
}

#[test]
fn counts_that_are_cut_close_nothing() {
    let skipped = "  - [skip] a › later\n  ✔ a › one\n  ─\n\n  1 test passed\n";
    check(skipped, &["open"]);
    check(&[skipped, "  1 test sk"].concat(), &["open"]);
    check(&[skipped, "  1 test skipped\n"].concat(), &["open", "green 1/0/1"]);
}

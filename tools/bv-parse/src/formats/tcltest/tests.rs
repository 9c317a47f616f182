//! Texts of the runner and what is said of them.

use super::*;
use crate::said::said;

fn check(text: &str, want: &[&str]) {
    assert_eq!(said(&FORMAT, text), want, "{text}");
}

const TALLY: &str = "a.test:\tTotal\t3\tPassed\t1\tSkipped\t0\tFailed\t2\n";

#[test]
fn a_run_with_every_outcome() {
    check(
        &format!(
            "\n\n==== push-1.1 push FAILED\n==== Contents of test case:\n\n    push a\n\n---- Result was:\na\n\
             ---- Result should have been (exact matching):\na b\n==== push-1.1 FAILED\n\n\n\n==== pop-1.2 pop FAILED\n\
             ---- Test generated error; Return code was: 1\n---- Return code should have been one of: 0 2\n\
             ---- errorInfo: stack is empty\n    while executing\n---- errorCode: NONE\n==== pop-1.2 FAILED\n\n{TALLY}"
        ),
        &[
            "open",
            "assertion push-1.1: push-1.1 push FAILED",
            "exception pop-1.2: stack is empty",
            "red 1/2/0",
        ],
    );
}

#[test]
fn failures_that_are_not_named_and_none_at_all() {
    check(TALLY, &["open", "unnamed 2", "red 1/2/0"]);
    check("a.test:\tTotal\t1\tPassed\t0\tSkipped\t1\tFailed\t0\n", &["open", "notests 0/0/1"]);
    check("a.test:\tTotal\t1\tPassed\t1\tSkipped\t0\tFailed\t0\n", &["open", "green 1/0/0"]);
}

#[test]
fn what_a_test_prints_ends_no_other_block() {
    check(
        &format!(
            "==== a-1 one\nof two FAILED\n---- Result was:\n==== b-1 FAILED\n{TALLY}==== a-1 FAILED\n{TALLY}"
        ),
        &["open", "assertion a-1: a-1 one of two FAILED", "unnamed 1", "red 1/2/0"],
    );
}

#[test]
fn a_stream_that_is_cut_and_a_file_that_dies() {
    check("==== a-1 one FAILED\n---- Result was:\n", &["open", "assertion -: a-1 one FAILED"]);
    check(
        "Tests running in interp:  /usr/bin/tclsh\nb.test\nTest file error: no such file\n\
         all.tcl:\tTotal\t1\tPassed\t1\tSkipped\t0\tFailed\t0\n",
        &["open", "collectionerror b.test: no such file", "red 1/0/0"],
    );
}

#[test]
fn blocks_above_a_tally_without_failures_are_a_tests_output() {
    check(
        "==== a-1 one FAILED\n---- Result was:\n==== a-1 FAILED\na.test:\tTotal\t1\tPassed\t1\tSkipped\t0\tFailed\t0\n",
        &["open", "green 1/0/0"],
    );
    check("==== Build FAILED\nmake: ***\n", &[]);
}

#[test]
fn sides() {
    let block = |text: &str| Block {
        title: "a-1 one".into(),
        place: None,
        lines: text.lines().map(str::to_owned).collect(),
        span: [0, 1],
    };
    for (text, expected, observed) in [
        ("---- Result was:\na\nb\n---- Result should have been (exact matching):\nc", "c", "a\nb"),
        (
            "---- Test completed normally; Return code was: 0\n---- Return code should have been one of: 1",
            "1",
            "0",
        ),
        (
            "---- Test generated error; Return code was: 1\n---- Return code should have been one of: 0 2",
            "0 2",
            "1",
        ),
    ] {
        let failure = block(text).failure(Some("a-1"), "a-1 one");
        assert_eq!(
            (failure.expected.as_deref(), failure.observed.as_deref()),
            (Some(expected), Some(observed)),
            "{text}"
        );
    }
    assert_eq!(
        block("---- Test setup failed:\nno disk\n").failure(None, "t").message.as_deref(),
        Some("no disk")
    );
}

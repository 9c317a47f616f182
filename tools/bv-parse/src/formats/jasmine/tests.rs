//! What Jasmine says, run by run.

use super::FORMAT;
use crate::said::said;

fn check(text: &str, want: &[&str]) {
    assert_eq!(said(&FORMAT, text), want, "{text}");
}

#[test]
fn a_suites_error_is_a_failure_of_its_hook() {
    check(
        "Failures:\n1) a one\n  Message:\n    Not run because a beforeAll function failed. The beforeAll failure will be reported on the suite that caused it.\n  Stack:\n        at <Jasmine>\n\n\
         Suite error: a\n  Message:\n    TypeError: no\n  Stack:\n        at UserContext.<anonymous> (/w/spec/aSpec.js:2:3)\n\n2 specs, 2 failures\nFinished in 0.1 seconds\n",
        &[
            "open",
            "setuperror a one: Not run because a beforeAll function failed. The beforeAll failure will be reported on the suite that caused it.",
            "setuperror a: no",
            "red 0/2/0",
        ],
    );
}

#[test]
fn nothing_ran() {
    check("No specs found\nFinished in 0 seconds\n", &["open", "notests -/-/-"]);
    check("2 specs, 0 failures, 2 pending specs\n", &["open", "notests 0/0/2"]);
}

#[test]
fn a_cut_list_stays_open() {
    check(
        "Failures:\n1) a one\n  Message:\n    Expected 1 to be 2.\n  Stack:\n        at <Jasmine>",
        &["open", "assertion a one: Expected 1 to be 2."],
    );
}

#[test]
fn other_runners_lists_are_not_jasmines() {
    check(
        "Failures:\n\n  1) Cart total\n     Failure/Error: expect(1).to eq 2\n\n3 examples, 1 failure\n",
        &[],
    );
}

//! What test-unit says, run by run.

use super::FORMAT;
use crate::said::said;

const RULE: &str = "===============================================================================";
const END: &str = "-------------------------------------------------------------------------------";

fn check(text: &str, want: &[&str]) {
    let text = text.replace("=RULE=", RULE).replace("=END=", END);
    assert_eq!(said(&FORMAT, &text), want, "{text}");
}

#[test]
fn a_run_closes_at_its_totals() {
    check(
        "Loaded suite a\nStarted\nF\n=RULE=\nFailure: test_a(ATest)\na.rb:3:in `test_a'\n  => 3:     assert_equal(1, 2)\n<1> expected but was\n<2>\n=RULE=\nE\n=RULE=\nError: test_a(ATest): RuntimeError: teardown\na.rb:9:in `teardown'\n=RULE=\n.\nFinished in 0.07 seconds.\n=END=\n2 tests, 1 assertions, 1 failures, 1 errors, 0 pendings, 0 omissions, 0 notifications\n50% passed\n=END=\n",
        &["open", "assertion test_a(ATest): <1> expected but was", "red 1/1/0, 1 errored"],
    );
    check(
        "Loaded suite a\nStarted\nO\n=RULE=\nOmission: later [test_o(ATest)]\na.rb:3:in `test_o'\n=RULE=\n.\n=END=\n2 tests, 1 assertions, 0 failures, 0 errors, 0 pendings, 1 omissions, 0 notifications\n100% passed\n",
        &["open", "green 1/0/1"],
    );
    // `--verbose=important-only` names nothing.
    check(
        "=END=\n2 tests, 1 assertions, 1 failures, 0 errors, 0 pendings, 0 omissions, 0 notifications\n50% passed\n",
        &["open", "unnamed 1", "red 1/1/0"],
    );
    check("Loaded suite a\nStarted\n..\n", &["open"]);
}

#[test]
fn text_that_a_test_prints() {
    check(
        "Loaded suite a\nStarted\n=RULE=\nFailure: test_fake(FakeTest)\nx.rb:3:in `y'\n<1> expected but was\n<2>\n=RULE=\n.\n1 tests, 1 assertions, 1 failures, 0 errors, 0 pendings, 0 omissions, 0 notifications\n.\n=END=\n2 tests, 2 assertions, 0 failures, 0 errors, 0 pendings, 0 omissions, 0 notifications\n100% passed\n",
        &["open", "green 2/0/0"],
    );
}

#[test]
fn a_suite_that_could_not_start() {
    check(
        "Loaded suite a\nStarted\nE\n=RULE=\nError: BoomTest: RuntimeError: no database\na.rb:3:in `startup'\n=RULE=\n\n=END=\n1 tests, 1 assertions, 0 failures, 1 errors, 0 pendings, 0 omissions, 0 notifications\n100% passed\n",
        &["open", "setuperror BoomTest: no database", "red 1/0/0, 1 errored"],
    );
}

//! What ExUnit and mix say, run by run.

use super::FORMAT;
use crate::said::said;

fn check(text: &str, want: &[&str]) {
    assert_eq!(said(&FORMAT, text), want, "{text}");
}

const ONE: &str = "  1) test a (ATest)\n     test/a_test.exs:3\n     Assertion with == failed\n     code:  assert 1 == 2\n     left:  1\n     right: 2\n     stacktrace:\n       test/a_test.exs:4: (test)\n\n";
const TIME: &str = "Finished in 0.1 seconds (0.00s async, 0.1s sync)\n";

#[test]
fn a_run_closes_below_its_time() {
    check(
        &format!("Running ExUnit with seed: 1, max_cases: 4\n\n{ONE}.\n{TIME}2 tests, 1 failure\n"),
        &["open", "assertion test a (ATest): Assertion with == failed", "red 1/1/0"],
    );
    check(&format!("..\n{TIME}2 tests, 0 failures\n\nRandomized with seed 0\n"), &["open", "green 2/0/0"]);
    check(
        "Finished in 0.1 seconds\n2 tests, 0 failures\n\nRandomized with seed 0\n",
        &["open", "green 2/0/0"],
    );
    // So does rebar3's report of EUnit end.
    check("Finished in 0.032 seconds\n2 tests, 0 failures\n", &[]);
    check("2 tests, 0 failures\n", &[]);
}

#[test]
fn a_cut_run_stays_open() {
    check(ONE, &["open", "assertion test a (ATest): Assertion with == failed"]);
    check("Running ExUnit with seed: 1, max_cases: 4\n\n...\n", &["open"]);
}

#[test]
fn text_that_a_test_prints_is_no_failure() {
    let fake = ONE.replace("ATest", "FakeTest");
    check(&format!("{fake}.\n{TIME}1 test, 0 failures\n"), &["open", "green 1/0/0"]);
    let real = ONE.replace("1) ", "2) ").replace("test a", "test b");
    check(
        &format!("{ONE}\n{real}\n{fake}.\n{TIME}3 tests, 2 failures\n"),
        &[
            "open",
            "assertion test a (ATest): Assertion with == failed",
            "assertion test b (ATest): Assertion with == failed",
            "red 1/2/0",
        ],
    );
    // A run inside a test: the announced one closes last, and says it all again.
    check(
        &format!(
            "Running ExUnit with seed: 1\n{ONE}\n{TIME}1 test, 0 failures\n\n.\n{TIME}2 tests, 1 failure\n"
        ),
        &[
            "open",
            "green 1/0/0",
            "open",
            "restate",
            "assertion test a (ATest): Assertion with == failed",
            "red 1/1/0",
        ],
    );
}

#[test]
fn a_whole_module_is_invalid() {
    check(
        &format!(
            "??\n\n  0) AllTest: failure on setup_all callback, all tests have been invalidated\n     ** (RuntimeError) no database\n     stacktrace:\n       test/a_test.exs:9: AllTest.__ex_unit_setup_all_0/1\n\n{ONE}\n{TIME}3 tests, 1 failure, 2 invalid\n"
        ),
        &[
            "open",
            "setuperror AllTest: no database",
            "assertion test a (ATest): Assertion with == failed",
            "red 0/1/0, 2 errored",
        ],
    );
}

#[test]
fn traced_tests() {
    check(
        &format!(
            "ATest [test/a_test.exs]\n  * test a (0.1ms) [L#3]\n\n{ONE}\n  * test b (12.5ms) [L#8]\n  * test c (skipped) [L#9]\n  * test d (excluded) [L#10]\n\n{TIME}3 tests, 1 failure, 1 skipped (1 excluded)\n"
        ),
        &[
            "open",
            "passed test b (ATest)",
            "skipped test c (ATest)",
            "assertion test a (ATest): Assertion with == failed",
            "red 1/1/1",
        ],
    );
}

#[test]
fn what_did_not_compile() {
    let refused = "refused(compileerror) -/-/-";
    check(
        "Compiling 2 files (.ex)\n\n== Compilation error in file lib/b.ex ==\n** (CompileError) lib/b.ex:8: undefined function x/0\n    lib/b.ex:8: B.c/1\n",
        &["compileerror -: undefined function x/0", refused],
    );
    check(
        "    error: undefined function x/0\n    │\n  4 │     x()\n    │     ^\n    │\n    └─ lib/b.ex:4:5: B.run/1\n\n\n== Compilation error in file lib/b.ex ==\n** (CompileError) lib/b.ex: cannot compile module B (errors have been logged)\n",
        &["compileerror -: undefined function x/0", refused],
    );
    check(
        "== Compilation error in file lib/b.ex ==\n** (SyntaxError) invalid syntax found on lib/b.ex:4:3:\n    error: unexpected reserved word: end\n    │\n  4 │   end\n    │   ^\n    │\n    └─ lib/b.ex:4:3\n    (elixir 1.17.0) lib/kernel.ex:3: A.b/1\n",
        &["compileerror -: unexpected reserved word: end", refused],
    );
    check(
        "== Compilation error in file test/b_test.exs ==\n** (RuntimeError) at load\n    test/b_test.exs:3: (module)\n",
        &["collectionerror -: at load", "refused(collectionerror) -/-/-"],
    );
}

#[test]
fn nothing_ran() {
    check("There are no tests to run\n", &["notests -/-/-"]);
    check(&format!("{TIME}29 tests, 0 failures, 29 excluded\n"), &["open", "notests 0/0/0"]);
    check("** (Mix) The task \"tset\" could not be found\n", &["refused(notrunnable) -/-/-"]);
    // A log line of a run that goes on.
    check(&format!("** (RuntimeError) logged\n{TIME}1 test, 0 failures\n"), &["open", "green 1/0/0"]);
}

#[test]
fn green_tests_and_a_red_run() {
    check(
        &format!(
            "{TIME}1 test, 0 failures\n\nGenerating cover results ...\n\nCoverage test failed, threshold not met:\n"
        ),
        &["open", "green 1/0/0", "lint -: Coverage test failed, threshold not met", "red -/-/-"],
    );
}

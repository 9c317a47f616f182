//! Texts of the runner and what is said of them.

use super::*;
use crate::said::said;
use bv_schemas::Place;

fn check(text: &str, want: &[&str]) {
    assert_eq!(said(&FORMAT, text), want, "{text}");
}

#[test]
fn the_progress_reporter() {
    check(
        "✔ | F W S  OK | Context\n[ FAIL 0 | WARN 0 | SKIP 0 | PASS 9 ]\n✖ | 2     1   3 | cart [1.7s]\n────────────────\n\
         Failure ('test-cart.R:2'): total of two\ntotal(4, 2) (`actual`) not equal to 8 (`expected`).\n\nSkip ('test-cart.R:5'): later\n\
         Reason: no printer\n\nError ('test-cart.R:6'): ship\nError in `check_to(to)`: nowhere\n────────────────\n\n\
         ══ Results ══\n[ FAIL 2 | WARN 0 | SKIP 1 | PASS 3 ]\nError: Test failures\nExecution halted\n",
        &[
            "open",
            "assertion total of two: total(4, 2) (`actual`) not equal to 8 (`expected`).",
            "exception ship: nowhere",
            "red 3/2/1",
        ],
    );
}

#[test]
fn the_check_reporter_says_its_counts_twice() {
    check(
        "[ FAIL 1 | WARN 0 | SKIP 1 | PASS 4 ]\n\n══ Failed tests ══\n── Failure ('test-cart.R:2'): total ────\nnot 8\n\n\
         [ FAIL 1 | WARN 0 | SKIP 1 | PASS 4 ]\nError: Test failures\n",
        &["open", "assertion total: not 8", "red 4/1/1"],
    );
    check("[ FAIL 0 | WARN 0 | SKIP 0 | PASS 4 ]\n", &["open", "green 4/0/0"]);
    check(
        "── Failure (test-x.R:3:3): fake ──\n[ FAIL 1 | WARN 0 | SKIP 0 | PASS 9 ]\n[ FAIL 0 | WARN 1 | SKIP 1 | PASS 2 ]\n\n\
         [ FAIL 0 | WARN 1 | SKIP 1 | PASS 2 ]\n",
        &["open", "green 2/0/1"],
    );
    check("[ FAIL 0 | WARN 0 | SKIP 1 | PASS 4 ]\n", &["open"]);
}

#[test]
fn the_tail_that_r_cmd_check_shows() {
    check(
        "Last 13 lines of output:\n  ── Failure ('test-cart.R:2'): total ────\n  not 8\n  \n  [ FAIL 2 | WARN 0 | SKIP 0 | PASS 4 ]\n  \
         Error: Test failures\n  Execution halted\n* DONE\n",
        &["open", "assertion total: not 8", "unnamed 1", "red 4/2/0"],
    );
}

#[test]
fn counts_that_a_test_prints_are_not_the_last_word() {
    check(
        "[ FAIL 0 | WARN 0 | SKIP 0 | PASS 9 ]\nEnd test: prints\nError: Test failures\nExecution halted\n",
        &["open", "green 9/0/0", "open", "red -/-/-"],
    );
    check("Error:\n! Test failures.\n", &["open", "red -/-/-"]);
}

#[test]
fn the_summary_reporter() {
    check(
        "══ Failed ══\n── 1. Failure ('test-cart.R:2'): total ────\nnot 8\n\n══ DONE ══\nError: Test failures\n",
        &["open", "assertion total: not 8", "red -/-/-"],
    );
    check("══ DONE ══\n", &["open", "greenatexit0 -/-/-"]);
}

#[test]
fn the_location_reporter() {
    let red = "Start test: adds\n  'test-a.R:2' [failure]\nEnd test: adds\n\nStart test: prints\n\
               [ FAIL 0 | WARN 0 | SKIP 0 | PASS 9 ]\n  'test-a.R:6' [success]\nEnd test: prints\n\n";
    check(&format!("{red}Error: Test failures\n"), &["open", "assertion adds: -", "red -/-/-"]);
    check(red, &["open", "assertion adds: -"]);
    check("Start test: adds\n  'test-a.R:2' [success]\nEnd test: adds\n", &[]);
}

#[test]
fn what_could_not_be_read_and_what_is_not_there() {
    check(
        "✔ | F W S  OK | Context\n⠏ |         0 | b     Error in parse(con, n = -1) : \n  test-b.R:3:0: unexpected end of input\nExecution halted\n",
        &["open", "collectionerror -: unexpected end of input", "refused(collectionerror) -/-/-"],
    );
    check("Error in `testthat::test_dir()`:\n! No test files found\n", &["refused(notests) -/-/-"]);
}

#[test]
fn the_calls_of_an_error() {
    let failure = |text: &str| {
        let mut lines = text.lines();
        let head = Head::read(lines.next().unwrap_or_default()).expect("a heading");
        let mut block = Block::new(head, [0, 1]);
        lines.for_each(|text| block.push(&Line { text, span: [1, 2], overwritten: false }, text));
        block.failure().expect("a failure")
    };
    let place = |file: Option<&str>, line, function: &str| {
        Some(Place { file: file.map(str::to_owned), line, function: Some(function.to_owned()) })
    };
    let head = "── Error ('test-cart.R:6:3'): ship ────\nError in `check_to(to)`: nowhere\nBacktrace:\n";
    let told = failure(&format!(
        "{head} 1. └─cart::ship(NA) at test-cart.R:6:3\n 2.   └─cart:::check_to(to) at cart/R/cart.R:5:5"
    ));
    assert_eq!(told.fault, place(Some("cart/R/cart.R"), Some(5), "ship"));
    let told =
        failure(&format!("{head} 1. global ship(NA)\n      at test-cart.R:6:2\n 2. global check_to(to)"));
    assert_eq!(told.fault, place(None, None, "check_to"));
}

//! What Karma says, run by run.

use super::FORMAT;
use crate::said::said;

fn check(text: &str, want: &[&str]) {
    assert_eq!(said(&FORMAT, text), want, "{text}");
}

const HEAD: &str = "01 12 2026 01:07:33.878:INFO [Chrome Headless 156.0.0.0 (Linux 0.0.0)]: Connected on socket x with id 1\n";
const B: &str = "Chrome Headless 156.0.0.0 (Linux 0.0.0)";

#[test]
fn a_browser_closes_once_it_executed_all() {
    let text = format!(
        "{HEAD}{B}: Executed 0 of 3 SUCCESS (0 secs / 0 secs)\nLOG: 'x FAILED'\n{B} cart rounds FAILED\n\tExpected 1 to be 2.\n\t    at <Jasmine>\n\t    at UserContext.<anonymous> (test/a.js:4:1)\n\tExpected 3 to be 4.\n\t    at UserContext.<anonymous> (test/a.js:5:1)\n{B}: Executed 1 of 3 (1 FAILED) (0 secs / 0.009 secs)\n{B}: Executed 2 of 3 (1 FAILED) (skipped 1) (0 secs / 0.1 secs)\n{B}: Executed 2 of 3 (1 FAILED) (skipped 1) (0.144 secs / 0.113 secs)\nTOTAL: 1 FAILED, 1 SUCCESS\n"
    );
    let red = ["assertion cart rounds: Expected 1 to be 2.", "red 1/1/1"];
    check(&text, &["open", red[0], red[1], "reopen", red[0], red[1]]);
}

#[test]
fn a_green_run_and_an_empty_one() {
    check(&format!("{HEAD}{B}: Executed 1 of 1 SUCCESS (0.03 secs / 0.01 secs)\n"), &["open", "green 1/0/0"]);
    check(
        &format!("{HEAD}{B}: Executed 0 of 0 SUCCESS (0.03 secs / 0.01 secs)\n"),
        &["open", "notests 0/0/0"],
    );
}

#[test]
fn a_browser_that_breaks() {
    let text = format!(
        "{HEAD}{B} ERROR\n  An error was thrown in afterAll\n  Uncaught SyntaxError: bad\n{B}: Executed 0 of 0 ERROR (0.1 secs / 0 secs)\n"
    );
    check(&text, &["open", "collectionerror -: bad", "refused(collectionerror) 0/0/0"]);
    check(
        &format!("{HEAD}{B}: Executed 3 of 9 DISCONNECTED (10 secs / 0 secs)\n"),
        &["open", "crash -: the browser broke or went away", "red 3/0/0"],
    );
}

#[test]
fn a_run_is_over_when_all_browsers_are() {
    let firefox = "Firefox 120.0 (Linux)";
    let text = format!(
        "{HEAD}INFO [{firefox}]: Connected on socket y with id 2\n{B}: Executed 1 of 1 SUCCESS (0.03 secs / 0.01 secs)\n"
    );
    check(&text, &["open"]);
    check(
        &format!("{text}{firefox}: Executed 1 of 1 (1 FAILED) (0.03 secs / 0.01 secs)\n"),
        &["open", "unnamed 1", "red 1/1/0"],
    );
}

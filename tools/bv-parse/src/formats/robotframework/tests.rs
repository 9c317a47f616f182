//! What Robot Framework's consoles say, run by run.

use super::FORMAT;
use crate::said::said;

/// `rows` are the lines; those that begin with `|` are a verdict below its title, `=` and `-` separators.
fn console(rows: &[&str]) -> String {
    let line = |row: &&str| match row.split_once('|') {
        _ if *row == "=" || *row == "-" => row.repeat(78),
        Some(("", status)) => format!("| {status} |"),
        Some((title, "")) => format!("{title:<69} "),
        Some((title, "=")) => format!("{title:<78}"),
        Some((title, status)) if status.len() == 4 => format!("{title:<69} | {status} |"),
        Some((title, printed)) => format!("{title:<69} {printed}"),
        None => (*row).to_owned(),
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn check(rows: &[&str], want: &[&str]) {
    assert_eq!(said(&FORMAT, &console(rows)), want, "{rows:?}");
}

#[test]
fn a_suite_of_suites() {
    check(
        &[
            "=",
            "Root|=",
            "=",
            "Root.A|=",
            "=",
            "One :: its doc|FAIL",
            "level: 10 != 11",
            "-",
            "Root.A|FAIL",
            "1 test, 0 passed, 1 failed",
            "=",
            "Root.B|=",
            "=",
            "Two|PASS",
            "-",
            "Three|SKIP",
            "later",
            "-",
            "Root.B|PASS",
            "2 tests, 1 passed, 0 failed, 1 skipped",
            "=",
            "Root|FAIL",
            "3 tests, 1 passed, 1 failed, 1 skipped",
            "=",
            "Output:  /w/output.xml",
        ],
        &[
            "open",
            "passed Root.B.Two",
            "skipped Root.B.Three",
            "assertion Root.A.One: level: 10 != 11",
            "red 1/1/1",
        ],
    );
}

#[test]
fn what_tests_print_is_no_verdict() {
    check(
        &[
            "=",
            "Root|=",
            "=",
            "setup speaks",
            "One|hello",
            "Fake|FAIL",
            "1 != 2",
            "|PASS",
            "-",
            "Two|x",
            "Fake|FAIL",
            "-",
            "|PASS",
            "-",
            "Root|PASS",
            "2 tests, 2 passed, 0 failed",
            "=",
        ],
        &["open", "passed Root.One", "passed Root.Two", "green 2/0/0"],
    );
}

#[test]
fn suites_that_fail_as_a_whole() {
    check(
        &[
            "=",
            "Root|=",
            "=",
            "One|FAIL",
            "Parent suite setup failed:",
            "no power",
            "-",
            "Root|FAIL",
            "Suite setup failed:",
            "no power",
            "",
            "1 test, 0 passed, 1 failed",
            "=",
        ],
        &["open", "setuperror Root.One: Parent suite setup failed: no power", "red 0/1/0"],
    );
    check(
        &[
            "=",
            "Root|=",
            "=",
            "One|PASS",
            "-",
            "Two|PASS",
            "-",
            "Root|FAIL",
            "Suite teardown failed:",
            "fuse",
            "",
            "2 tests, 0 passed, 2 failed",
            "=",
        ],
        &[
            "open",
            "passed Root.One",
            "passed Root.Two",
            "setuperror Root: Suite teardown failed: fuse",
            "unnamed 1",
            "red 0/2/0",
        ],
    );
}

#[test]
fn runs_that_stop_or_are_cut() {
    check(
        &[
            "=",
            "Root|=",
            "=",
            "One|FAIL",
            "x",
            "-",
            "Two|FAIL",
            "Failure occurred and exit-on-failure mode is in use.",
            "-",
            "Root|FAIL",
            "2 tests, 0 passed, 2 failed",
            "=",
        ],
        &["open", "assertion Root.One: x", "unnamed 1", "red 0/2/0"],
    );
    check(&["=", "Root|=", "=", "One|PASS", "-", "Two|"], &["open", "passed Root.One"]);
    check(
        &["One|FAIL", "x", "-", "Root|FAIL", "1 test, 0 passed, 1 failed", "="],
        &["open", "assertion One: x"],
    );
    check(
        &["One|FAIL", "x", "-", "Root|FAIL", "1 test, 0 passed, 1 failed", "=", "Output:  NONE"],
        &["open", "assertion One: x", "red 0/1/0"],
    );
    check(
        &["=", "Root|=", "=", "One|SKIP", "-", "Root|SKIP", "1 test, 0 passed, 0 failed, 1 skipped", "="],
        &["open", "skipped Root.One", "notests 0/0/1"],
    );
}

#[test]
fn only_critical_tests_decide_up_to_version_3() {
    check(
        &[
            "=",
            "Root|=",
            "=",
            "One|FAIL",
            "x",
            "-",
            "Two|PASS",
            "-",
            "Root|PASS",
            "1 critical test, 1 passed, 0 failed",
            "2 tests total, 1 passed, 1 failed",
            "=",
        ],
        &["open", "passed Root.Two", "green 1/0/0"],
    );
}

#[test]
fn tables_and_banners_are_not_robots() {
    check(&["| PASS |", "| a | FAIL |", "=", "Build results", "=", "a line", "another"], &[]);
    check(&["name          | FAIL |", "x", "y"], &[]);
}

#[test]
fn nothing_could_begin() {
    check(
        &["[ ERROR ] Suite 'A' contains no tests matching tag 'x'.", "", "Try --help for usage information."],
        &["refused(notests) -/-/-"],
    );
    check(
        &["[ ERROR ] Parsing '/a' failed: gone", "", "Try --help for usage information."],
        &["refused(notrunnable) -/-/-"],
    );
    check(&["[ ERROR ] my own words", "more"], &[]);
}

#[test]
fn dots() {
    check(
        &[
            "Running suite 'A' with 3 tests.",
            "=",
            ".F",
            "-",
            "FAIL: A.Fake",
            "x",
            "-",
            "..",
            "-",
            "FAIL: A.One",
            "KeyError: 'gin'",
            "=",
            "Run suite 'A' with 3 tests in 7 milliseconds.",
            "",
            "FAILED",
            "3 tests, 1 passed, 2 failed",
            "",
            "Output:  NONE",
        ],
        &["open", "assertion A.Fake: x", "exception A.One: 'gin'", "red 1/2/0"],
    );
    check(
        &[
            "Running suite 'A' with 1 test.",
            "=",
            "-",
            "FAIL: A.Fake",
            "x",
            "-",
            ".",
            "=",
            "Run suite 'A' with 1 test in 7 milliseconds.",
            "",
            "PASSED",
            "1 test, 1 passed, 0 failed",
        ],
        &["open", "green 1/0/0"],
    );
}

#[test]
fn words() {
    use super::message;
    use bv_schemas::Kind;
    let check = |text: &str, kind, sides: Option<(&str, &str)>| {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let got = message::failure(None, &lines, [0, 1]);
        let got_sides = got.expected.as_deref().zip(got.observed.as_deref());
        assert_eq!((got.kind, got_sides), (kind, sides), "{text}");
    };
    check("10 != 11", Kind::Assertion, Some(("11", "10")));
    check("level: 10 != 11", Kind::Assertion, Some(("11", "10")));
    check("a: 1 != b: 2", Kind::Assertion, Some(("b: 2", "a: 1")));
    check("10 (string) != 10 (integer)", Kind::Assertion, Some(("10 (integer)", "10 (string)")));
    check("Lists are different:\nIndex 1: 2 != 3", Kind::Assertion, Some(("3", "2")));
    check("Following keys have different values:\nKey b: 2 != 3", Kind::Assertion, Some(("3", "2")));
    check(
        "Multiline strings are different:\n--- first\n+++ second\n@@ -1 +1 @@\n a\n-b\n+B",
        Kind::Assertion,
        Some(("B", "b")),
    );
    check("Expected error 'Foo' but got 'Bar'.", Kind::Assertion, Some(("Foo", "Bar")));
    check("Length of 'abc' should be 4 but is 3.", Kind::Assertion, Some(("4", "3")));
    check("KeyError: 'a != b'", Kind::Exception, None);
    check("Test timeout 1 second exceeded.", Kind::Timeout, None);
    check("No keyword with name 'Drain' found.", Kind::Exception, None);
    check("Setup failed:\n1 != 2", Kind::SetupError, Some(("2", "1")));
    check(
        "Several failures occurred:\n\n1) 1 != 2\n\n2) 'abc' does not contain 'x'",
        Kind::Assertion,
        Some(("2", "1")),
    );
}

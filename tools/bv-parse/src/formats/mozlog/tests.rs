//! What Mozilla's harnesses say, run by run.

use super::FORMAT;
use crate::said::said;

fn check(text: &str, want: &[&str]) {
    assert_eq!(said(&FORMAT, text), want, "{text}");
}

#[test]
fn a_mochitest() {
    check(
        "SUITE-START | Running 2 tests\nTEST-START | d/test_a.html\nTEST-UNEXPECTED-FAIL | d/test_a.html | sum - got 1, expected 2\n\
         SimpleTest.is@SimpleTest/SimpleTest.js:1:1\nTEST-PASS | d/test_a.html | more\nTEST-UNEXPECTED-FAIL | d/test_a.html | sign\n\
         TEST-OK | d/test_a.html | took 31ms\n0 INFO TEST-START | Shutdown\n1 INFO Passed:  1\n2 INFO Failed:  2\n3 INFO Todo:    0\nSUITE-END | took 2s\n",
        &["open", "assertion d/test_a.html: sum - got 1, expected 2", "red 1/2/0"],
    );
}

#[test]
fn expected_failures_are_none() {
    check(
        "SUITE-START | Running 1 tests\nTEST-START | a.html\nTEST-FAIL | a.html | known\nTEST-KNOWN-FAIL | a.html | x\nTEST-OK | a.html | took 1ms\nSUITE-END | took 2s\n# TBPL SUCCESS #\n",
        &["open", "green -/-/-"],
    );
    check("SUITE-START | Running 0 tests\nSUITE-END | took 2s\n", &["open", "notests -/-/-"]);
}

#[test]
fn crashes_and_timeouts() {
    check(
        "PROCESS-CRASH | application crashed [@ f] | a.js\nProcess type: unknown\n",
        &["open", "crash a.js: application crashed [@ f]"],
    );
    check(
        "PROCESS-CRASH | a.js | application crashed [@ f]\n",
        &["open", "crash a.js: application crashed [@ f]"],
    );
    check(
        "TEST-UNEXPECTED-TIMEOUT | automation.py | application timed out\n",
        &["open", "timeout automation.py: application timed out"],
    );
}

#[test]
fn the_wrappers_word_counts() {
    check(
        "TEST-START | a.js\nTEST-PASS | a.js | took 1ms\nINFO | Passed: 1\nINFO | Failed: 0\nSUITE-END | took 2s\n# TBPL FAILURE #\n",
        &["open", "green 1/0/-", "red -/-/-"],
    );
}

#[test]
fn raw_lines() {
    check(
        "{\"action\": \"suite_start\", \"tests\": {}}\n{\"action\": \"test_start\", \"test\": \"a.js\"}\n\
         {\"action\": \"test_status\", \"test\": \"a.js\", \"subtest\": \"s\", \"status\": \"FAIL\", \"expected\": \"PASS\", \"message\": \"[f : 3] 1 == 2\", \"stack\": \"/w/a.js:f:3\"}\n\
         {\"action\": \"test_status\", \"test\": \"a.js\", \"subtest\": \"t\", \"status\": \"PASS\"}\n\
         {\"action\": \"test_end\", \"test\": \"a.js\", \"status\": \"OK\"}\n{\"action\": \"suite_end\"}\n",
        &["open", "assertion a.js: [f : 3] 1 == 2", "red -/-/-"],
    );
    check(
        "{\"action\":\"suite_start\"}\n{\"action\":\"test_end\",\"test\":\"a.js\",\"status\":\"PASS\"}\n{\"action\":\"suite_end\"}\n",
        &["open", "green -/-/-"],
    );
}

#[test]
fn places_and_sides() {
    use super::check::{Check, frame};
    let read = |message: &str, below: &[&str]| {
        let mut check = Check::begins("FAIL", &format!("d/test_a.js | {message}"), [0, 1]).unwrap();
        below.iter().for_each(|line| check.line(line, [1, 2]));
        check.failure()
    };
    let sides = |message: &str, below: &[&str], want: Option<(&str, &str)>| {
        let got = read(message, below);
        assert_eq!(got.expected.as_deref().zip(got.observed.as_deref()), want, "{message}");
    };
    sides("sum - got \"a, b\", expected 2", &[], Some(("2", "\"a, b\"")));
    sides("[run_test : 12] 5 == 6", &[], Some(("6", "5")));
    sides("run_test - [run_test : 12] 5 == 6", &[], Some(("6", "5")));
    sides("shouldBe 255,0,0", &["at (0, 16) expected: 255,0,0 was 0,0,0 "], Some(("255,0,0", "0,0,0")));
    sides(
        "should be white",
        &["at (0, 0) expected: 255,255,255,255 was 0,0,0,0"],
        Some(("255,255,255,255", "0,0,0,0")),
    );
    sides("it holds", &[], None);
    let got = read(
        "x",
        &[
            "Stack trace:",
            "chrome://mochitests/content/d/test_a.js:go:37",
            "chrome://mochikit/content/browser-test.js:f:1",
        ],
    );
    let test = got.test.unwrap();
    assert_eq!((test.line, test.function.as_deref()), (Some(37), Some("go")));
    let got = frame("async*go/<@resource://a/b.js:65:20").unwrap();
    assert_eq!(
        (got.file.as_deref(), got.line, got.function.as_deref()),
        (Some("resource://a/b.js"), Some(65), Some("go"))
    );
    assert_eq!(frame("http://a.b/c:8080"), None);
}

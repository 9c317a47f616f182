//! What Cucumber says, run by run.

use super::FORMAT;
use crate::said::said;

fn check(text: &str, want: &[&str]) {
    assert_eq!(said(&FORMAT, text), want, "{text}");
}

#[test]
fn javascript() {
    check(
        "..F\n\nFailures:\n\n1) Scenario: equal (attempt 2) # f/a.feature:8\n   ✔ Given a shop # f/s.js:4\n   ✖ Then total is 3 # f/s.js:7\n\
         \x20      Error: no\n           at World.<anonymous> (/w/f/s.js:7:46)\n   - And more\n\n2) Scenario: u # f/a.feature:12\n   ? Then never\n\
         \x20      Undefined. Implement with the following snippet:\n\nWarnings:\n\n1) Scenario: equal (attempt 1, retried) # f/a.feature:8\n   ✖ Then x # f/s.js:7\n\n\
         3 scenarios (1 failed, 1 undefined, 1 passed)\n4 steps (1 failed, 3 passed)\n0m00.080s (executing steps: 0m00.002s)\n",
        &[
            "open",
            "exception Scenario: equal # f/a.feature:8: no",
            "setuperror Scenario: u # f/a.feature:12: Then never",
            "red 1/1/0, 1 errored",
        ],
    );
}

#[test]
fn ruby_progress() {
    check(
        ".F\n\n(::) failed steps (::)\n\nexpected 3, got 2 (RuntimeError)\n./f/s.rb:5:in `/^x$/'\nf/a.feature:9:in `Then x'\n\n\
         Failing Scenarios:\ncucumber -p ci f/a.feature:8 # Scenario: equal\n\n2 scenarios (1 failed, 1 passed)\n3 steps (1 failed, 2 passed)\n0m0.088s\n",
        &["open", "exception f/a.feature:8 # Scenario: equal: expected 3, got 2", "red 1/1/0"],
    );
}

#[test]
fn ruby_pretty() {
    check(
        "Feature: F\n\n  Scenario: equal   # f/a.feature:8\n    Then total is 3 # f/s.rb:5\n      two\n      lines (ArgumentError)\n      ./shop.rb:1:in `f'\n\
         \x20     ./f/s.rb:5:in `/^x$/'\n      f/a.feature:9:in `Then x'\n\nFailing Scenarios:\ncucumber f/a.feature:8 # Scenario: equal\n\n\
         1 scenario (1 failed)\n1 step (1 failed)\n0m0.088s\n",
        &["open", "exception f/a.feature:8 # Scenario: equal: two", "red 0/1/0"],
    );
}

#[test]
fn jvm() {
    check(
        "\nFailed scenarios:\nfile:///w/a.feature:3 # one\nfile:///w/a.feature:9 # two\n\n3 Scenarios (2 failed, 1 passed)\n3 Steps (2 failed, 1 passed)\n0m 0.123s\n\n\n\
         java.lang.AssertionError: no\n\tat com.x.Steps.a(Steps.java:12)\n\njava.lang.IllegalStateException: gone\n\tat com.x.Steps.b(Steps.java:16)\n\nnext\n",
        &[
            "open",
            "assertion file:///w/a.feature:3 # one: no",
            "exception file:///w/a.feature:9 # two: gone",
            "red 1/2/0",
        ],
    );
}

#[test]
fn green_and_empty_runs() {
    check("..\n\n2 scenarios (2 passed)\n2 steps (2 passed)\n0m0.088s\n", &["open", "green 2/0/0"]);
    check("0 scenarios\n0 steps\n0m0.000s\n", &["open", "notests 0/0/0"]);
    check("1 scenario (1 skipped)\n2 steps (1 skipped, 1 passed)\n0m0.033s\n", &["open", "notests 0/0/1"]);
    check(
        "1 scenario (1 pending)\n2 steps (1 pending, 1 passed)\n0m0.033s\n",
        &["open", "greenatexit0 0/0/1"],
    );
    check("2 scenarios (2 passed)\n2 steps (2 passed)\nand so on\n", &["open"]);
    check("2 scenarios (1 passed)\n2 steps (2 passed)\n0m0.088s\n", &[]);
    check("Read f/a.feature:3 first\n2 scenarios (of many)\n", &[]);
}

//! Whole texts of `go test` and gotestsum, and what is said of them.

use super::FORMAT;
use crate::said::said;

fn check(text: &str, want: &[&str]) {
    assert_eq!(said(&FORMAT, text), want, "{text}");
}

#[test]
fn packages_are_sections() {
    check(
        "ok  \ta.example/m\t0.004s\n?   \ta.example/m/cmd\t[no test files]",
        &["runner go-test", "open", "green -/-/-", "runner go-test", "open", "notests -/-/-"],
    );
    check(
        "--- FAIL: TestA (0.00s)\n    a_test.go:3: got 1, want 2\nFAIL\nFAIL\ta.example/m\t0.1s\nFAIL",
        &["runner go-test", "open", "assertion TestA: got 1, want 2", "red -/-/-"],
    );
}

#[test]
fn a_bare_pass_closes_nothing() {
    check("=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS", &["runner go-test", "open", "passed TestA"]);
}

#[test]
fn what_a_test_prints_is_not_believed() {
    check(
        "=== RUN   TestA\n--- FAIL: TestGhost (0.00s)\n    g_test.go:1: boo\nFAIL\nFAIL\ta.example/m\t0.1s\npanic: no\n--- PASS: TestA (0.00s)\nPASS\nok  \ta.example/m\t0.1s",
        &["runner go-test", "open", "passed TestA", "green 1/0/0"],
    );
    check(
        "=== RUN   TestA\n--- PASS: TestA (0.00s)\n    a_test.go:3: got 1, want 2\n--- FAIL: TestA (0.00s)\nFAIL\nFAIL\ta.example/m\t0.1s",
        &["runner go-test", "open", "passed TestA", "assertion TestA: -", "red 1/1/0"],
    );
    check(
        "=== RUN   TestA\nno newline--- FAIL: TestA (0.00s)\nFAIL\nFAIL\ta.example/m\t0.1s",
        &["runner go-test", "open", "assertion TestA: -", "red 0/1/0"],
    );
}

#[test]
fn a_parent_that_fails_by_its_child_is_not_listed() {
    check(
        "--- FAIL: TestA (0.00s)\n    a_test.go:2: table\n    --- FAIL: TestA/one (0.00s)\n        a_test.go:3: bad one\nFAIL\ta.example/m\t0.1s",
        &["runner go-test", "open", "assertion TestA/one: bad one", "red -/-/-"],
    );
}

#[test]
fn a_test_main_that_drops_what_its_tests_return_is_red() {
    check(
        "--- FAIL: TestA (0.00s)\n    a_test.go:3: bad\nFAIL\nok  \ta.example/m\t0.1s",
        &["runner go-test", "open", "assertion TestA: bad", "red -/-/-"],
    );
}

#[test]
fn a_test_that_ends_the_process_is_a_crash() {
    check(
        "=== RUN   TestA\nbye\nexit status 3\nFAIL\ta.example/m\t0.1s\n=== RUN   TestB\n--- PASS: TestB (0.00s)\nPASS\nok  \ta.example/n\t0.1s",
        &[
            "runner go-test",
            "open",
            "crash TestA: exit status 3",
            "red 0/1/0",
            "runner go-test",
            "open",
            "passed TestB",
            "green 1/0/0",
        ],
    );
    check(
        "?   \ta.example/x\t[no test files]\n2020/01/02 no database\nFAIL\ta.example/m\t0.1s",
        &[
            "runner go-test",
            "open",
            "notests -/-/-",
            "runner go-test",
            "open",
            "crash a.example/m: 2020/01/02 no database",
            "red -/-/-",
        ],
    );
}

#[test]
fn builds_that_fail() {
    check(
        "# a.example/m\n./m.go:2:14: undefined: x\n?   \ta.example/n\t[no test files]\nFAIL\ta.example/m [build failed]",
        &[
            "runner go-test",
            "open",
            "notests -/-/-",
            "runner go-test",
            "open",
            "compileerror -: undefined: x",
            "refused(compileerror) -/-/-",
        ],
    );
    check(
        "# a.example/m\n./m.go:2:14: undefined: x",
        &["compileerror -: undefined: x", "refused(compileerror) -/-/-"],
    );
    check(
        "go: go.mod file not found in current directory or any parent directory; see 'go help modules'",
        &["refused(notrunnable) -/-/-"],
    );
}

#[test]
fn events() {
    let event = |action: &str, rest: &str| {
        format!(
            "{{\"Time\":\"2026-11-30T15:18:47Z\",\"Action\":\"{action}\",\"Package\":\"a.example/m\"{rest}}}\n"
        )
    };
    let test = ",\"Test\":\"TestA\"";
    let text = [
        event("run", test),
        event("output", &format!("{test},\"Output\":\"{{\\\"Action\\\":\\\"fail\\\"}}\\n\"")),
        event("output", &format!("{test},\"Output\":\"    a_test.go:3: got 1, \"")),
        event("output", &format!("{test},\"Output\":\"want 2\\n\"")),
        event("fail", test),
        event("fail", ""),
    ]
    .concat();
    check(&text, &["open", "assertion TestA: got 1, want 2", "red 0/1/0"]);
    let cut: String = text.lines().take(5).map(|line| format!("{line}\n")).collect();
    check(&cut, &["open", "assertion TestA: got 1, want 2"]);
    check(
        &[event("run", test), event("pass", test), event("pass", "")].concat(),
        &["open", "passed TestA", "green 1/0/0"],
    );
    check(
        &[event("run", test), event("skip", test), event("pass", "")].concat(),
        &["open", "skipped TestA", "notests 0/0/1"],
    );
}

#[test]
fn gotestsums_summary_is_believed() {
    check(
        "[m]·✖\n\n=== Failed\n=== FAIL: m TestA (0.00s)\n    a_test.go:3: bad\n\nDONE 2 tests, 1 failure in 0.5s",
        &["runner go-test", "open", "runner gotestsum", "assertion TestA: bad", "red 1/1/0"],
    );
    check("[m]·\nDONE 1 tests in 0.2s", &["runner go-test", "open", "runner gotestsum", "green 1/0/0"]);
}

#[test]
fn gotestsum_runs_again_what_failed() {
    check(
        "[m]·✖\nDONE 2 tests, 1 failure in 0.5s\n\n·\n=== Failed\n=== FAIL: m TestA (0.00s)\n    a_test.go:3: bad\n\nDONE 2 runs, 3 tests, 1 failure in 1.5s",
        &["runner go-test", "open", "runner gotestsum", "green 2/0/0"],
    );
    check(
        "[m]·✖\nDONE 2 tests, 1 failure in 0.5s",
        &["runner go-test", "open", "runner gotestsum", "red 1/1/0"],
    );
}

#[test]
fn gotestsum_says_again_what_it_passed_on() {
    check(
        "--- FAIL: TestA (0.00s)\n    a_test.go:3: bad\nFAIL\nFAIL\ta.example/m\t0.1s\n\n=== Failed\n=== FAIL: m TestA (0.00s)\n    a_test.go:3: bad\n\nDONE 2 tests, 1 failure in 0.5s",
        &[
            "runner go-test",
            "open",
            "assertion TestA: bad",
            "red -/-/-",
            "runner go-test",
            "open",
            "runner gotestsum",
            "restate",
            "assertion TestA: bad",
            "red 1/1/0",
        ],
    );
    // A plain run before it is not its own.
    check(
        "--- FAIL: TestB (0.00s)\n    b_test.go:3: bad\nFAIL\nFAIL\ta.example/b\t0.1s\nDONE 2 tests in 0.5s",
        &[
            "runner go-test",
            "open",
            "assertion TestB: bad",
            "red -/-/-",
            "runner go-test",
            "open",
            "runner gotestsum",
            "green 2/0/0",
        ],
    );
}

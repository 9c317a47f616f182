//! Whole runs that a fixture folder would be too much for.

use crate::Args;
use serde_json::Value;

const THICK: &str = "======================================================================";
const THIN: &str = "----------------------------------------------------------------------";

/// `id kind` of each failure, then `outcome reason passed/failed/errored/skipped`.
fn told(text: &str) -> String {
    let mut out = Vec::new();
    crate::run(&Args::default(), &mut text.as_bytes(), &mut out).expect("memory takes all");
    let text = String::from_utf8(out).expect("JSON is UTF-8");
    let mut said = Vec::new();
    for line in text.lines() {
        let record: Value = serde_json::from_str(line).expect("a record");
        let field = |name: &str| record[name].as_str().unwrap_or("-").to_owned();
        if record["type"] == "failure" {
            said.push(format!("{} {}", field("id"), field("kind")));
        } else {
            let counts = &record["counts"];
            let count = |name: &str| counts[name].as_u64().map_or("-".to_owned(), |n| n.to_string());
            let counts = ["passed", "failed", "errored", "skipped"].map(count).join("/");
            said.push(format!("{} {} {counts}", field("outcome"), field("reason")));
        }
    }
    said.join("; ")
}

fn check(cases: &[(&str, &str)]) {
    for (text, want) in cases {
        let text = text.replace("{=}", THICK).replace("{-}", THIN);
        assert_eq!(told(&text), *want, "{text}");
    }
}

/// A block of `test_x`.
const BLOCK: &str = "{=}\nFAIL: test_x (m.T.test_x)\n{-}\nTraceback (most recent call last):\n  File \"/a/m.py\", line 3, in test_x\n    self.assertEqual(1, 2)\nAssertionError: 1 != 2\n\n";

fn with_block(text: &str) -> String {
    text.replace("{block}", BLOCK)
}

#[test]
fn only_a_closed_run_passes() {
    check(&[
        ("..\n{-}\nRan 2 tests in 0.001s\n\nOK\n", "passed - 2/0/0/0"),
        ("..\n{-}\nRan 2 tests in 0.001s\n", "refused truncated -/-/-/-"),
        ("ss\n{-}\nRan 2 tests in 0.001s\n\nOK (skipped=2)\n", "refused no_tests 0/0/0/2"),
        ("\n{-}\nRan 0 tests in 0.000s\n\nNO TESTS RAN\n", "refused no_tests 0/0/0/0"),
        ("test_x (m.T.test_x) ... ok\ntest_y (m.T.test_y) ... ", "refused truncated -/-/-/-"),
        ("test_x (m.T) ... ok\n\n{-}\nRan 1 test in 0.1s\n\nOK\n", "passed - 1/0/0/0"),
        ("Installing foo (a.b) ... done\nRan 5 tests in 3s\n", "refused unrecognised_output -/-/-/-"),
    ]);
}

#[test]
fn a_red_run_names_what_failed_or_counts_it() {
    check(&[
        (
            &with_block("F\n{block}{-}\nRan 1 test in 0.1s\n\nFAILED (failures=1)\n"),
            "m.T.test_x assertion; failed - 0/1/0/0",
        ),
        // Cut inside the block.
        (&with_block("F\n{block}"), "m.T.test_x assertion; failed - -/-/-/-"),
        ("F\n{-}\nRan 3 tests in 0.1s\n\nFAILED (failures=1)\n", "failed - 2/1/0/0"),
        ("test_x (m.T.test_x) ... FAIL\ntest_y (m.T.test_y) ... ", "m.T.test_x assertion; failed - -/-/-/-"),
        // Python 3.10 and older list no unexpected successes.
        (
            "test_x (m.T) ... unexpected success\n\n{-}\nRan 1 test in 0.1s\n\nFAILED (unexpected successes=1)\n",
            "m.T.test_x assertion; failed - 0/0/0/0",
        ),
        // A word that the code under test printed does not outweigh a block.
        (&with_block("F\n{block}{-}\nRan 1 test in 0.1s\n\nOK\n"), "m.T.test_x assertion; failed - 0/0/0/0"),
    ]);
}

#[test]
fn a_run_inside_a_test_is_that_tests_output() {
    let inner = with_block("F\n{block}{-}\nRan 1 test in 0.0s\n\nFAILED (failures=1)\n");
    check(&[
        (
            &format!("test_r (m.R.test_r) ... {inner}ok\n\n{{-}}\nRan 1 test in 0.1s\n\nOK\n"),
            "passed - 1/0/0/0",
        ),
        // The verdict never comes, and what closed was no run of its own.
        ("test_r (m.R.test_r) ... setup ok\n.\n{-}\nRan 1 test in 0.0s\n\nOK\n", "refused truncated -/-/-/-"),
        (
            "test_r (m.R.test_r) ... setup ok\n\n.\n{-}\nRan 1 test in 0.0s\n\nOK\n",
            "refused truncated -/-/-/-",
        ),
        // The verdict never comes: the inner failure stands.
        (&format!("test_r (m.R.test_r) ... {inner}"), "m.T.test_x assertion; failed - -/-/-/-"),
        // Verbose, too.
        (
            "test_r (m.R.test_r) ... test_i (m.I.test_i) ... FAIL\n\n{-}\nRan 1 test in 0.0s\n\nFAILED (failures=1)\nok\n\n{-}\nRan 1 test in 0.1s\n\nOK\n",
            "passed - 1/0/0/0",
        ),
        // What -b repeats of a failing test.
        (
            &format!(
                "\nStderr:\n{inner}F\n{}\nStderr:\n{inner}\n{{-}}\nRan 1 test in 0.1s\n\nFAILED (failures=1)\n",
                BLOCK.replace("test_x", "test_outer")
            ),
            "m.T.test_outer assertion; failed - 0/1/0/0",
        ),
    ]);
}

#[test]
fn the_runners_made_from_it_are_told_apart() {
    let runner = |text: &str| {
        let text = text.replace("{=}", THICK).replace("{-}", THIN);
        let mut out = Vec::new();
        crate::run(&Args::default(), &mut text.as_bytes(), &mut out).expect("memory takes all");
        let text = String::from_utf8(out).expect("JSON is UTF-8");
        let end: Value = serde_json::from_str(text.lines().last().unwrap_or_default()).expect("a record");
        end["runner"].as_str().unwrap_or_default().to_owned()
    };
    let found = "Found 2 test(s).\nSystem check identified no issues (0 silenced).\n";
    let ok = "..\n{-}\nRan 2 tests in 0.001s\n\nOK\n";
    for (text, want) in [
        (ok.to_owned(), "unittest"),
        (format!("{found}{ok}"), "django"),
        // Standard output came late.
        (format!("{ok}{found}"), "django"),
        ("Creating test database for alias 'default'...\n..\n".to_owned() + ok, "django"),
        ("test_x (m.T.test_x) ... skipped dry\n".to_owned() + ok, "nose2"),
        ("test_a (m.T.test_a) ... ok\nm.test_x:1\n3, 4 ... ok\n".to_owned() + ok, "nose2"),
        ("test_x (m.T.test_x) ... SKIP: dry\n".to_owned() + ok, "nose"),
        ("test_a (m.T.test_a) ... ok\n".to_owned() + &ok.replace("{-}", &THIN[..40]), "nose"),
    ] {
        assert_eq!(runner(&text), want, "{text}");
    }
}

#[test]
fn what_a_plugin_of_nose_counts_apart_is_a_failure_once_it_is_counted() {
    let block = "{=}\nSyntaxProblem: test_x (m.T)\n{-}\nSyntaxProblem: bad\n\n@@ -1 +1 @@\n-a\n+b\n\n{-}\n";
    check(&[
        (
            &format!("{block}Ran 3 tests in 0.1s\n\nFAILED (SyntaxProblem=1, SKIP=1)\n"),
            "m.T.test_x exception; failed - 1/0/1/1",
        ),
        (&format!("{block}Ran 3 tests in 0.1s\n\nOK (SKIP=1)\n"), "passed - 2/0/0/1"),
        (block, "refused unrecognised_output -/-/-/-"),
    ]);
}

#[test]
fn a_system_check_that_fails_refuses_the_run() {
    let check_of = |tail: &str| {
        format!(
            "SystemCheckError: System check identified some issues:\n\nERRORS:\nzoo.A.b: (fields.E120) no length.\n\tHINT: add one\n\nWARNINGS:\n?: (zoo.W1) w\n\n{tail}"
        )
    };
    check(&[
        (
            &check_of("System check identified 2 issues (0 silenced).\n"),
            "zoo.A.b collection_error; refused collection_error -/-/-/-",
        ),
        (&check_of(""), "zoo.A.b collection_error; failed - -/-/-/-"),
        // A test printed it.
        (&check_of(".\n{-}\nRan 1 test in 0.1s\n\nOK\n"), "passed - 1/0/0/0"),
    ]);
}

#[test]
fn a_subtest_that_failed_is_its_tests_failure_in_the_lines_of_v() {
    let block = BLOCK.replace("(m.T.test_x)", "(m.T.test_x) (i=1)");
    check(&[(
        &format!("test_x (m.T.test_x) ... FAIL\n\n{block}{{-}}\nRan 1 test in 0.1s\n\nFAILED (failures=1)\n"),
        "m.T.test_x (i=1) assertion; failed - 0/1/0/0",
    )]);
}

#[test]
fn a_verdict_glued_to_output_ends_its_test() {
    let block = BLOCK.replace("test_x", "test_y");
    check(&[
        ("test_x (m.T.test_x) ... no newlineok\n\n{-}\nRan 1 test in 0.1s\n\nOK\n", "passed - 1/0/0/0"),
        (
            "test_x (m.T.test_x) ... no newlineok\ntest_y (m.T.test_y) ... ok\n\n{-}\nRan 2 tests in 0.1s\n\nOK\n",
            "passed - 2/0/0/0",
        ),
        (
            &format!(
                "test_x (m.T.test_x) ... textok\ntest_y (m.T.test_y) ... textFAIL\n\n{block}{{-}}\nRan 2 tests in 0.1s\n\nFAILED (failures=1)\n"
            ),
            "m.T.test_y assertion; failed - 1/1/0/0",
        ),
        // Two runs, the first one's last verdict glued.
        (
            &format!(
                "test_y (m.T.test_y) ... textFAIL\n\n{block}{{-}}\nRan 1 test in 0.1s\n\nFAILED (failures=1)\ntest_x (m.T.test_x) ... ok\n\n{{-}}\nRan 1 test in 0.1s\n\nOK\n"
            ),
            "m.T.test_y assertion; failed - 1/1/0/0",
        ),
    ]);
}

#[test]
fn a_dead_interpreter_is_a_crash_of_the_test_that_ran() {
    check(&[(
        "test_x (m.T.test_x) ... ok\ntest_y (m.T.test_y) ... Fatal Python error: Aborted\n\nCurrent thread 0x1 (most recent call first):\n  File \"/a/n.py\", line 4 in f\n  File \"/a/m.py\", line 9 in test_y\n",
        "m.T.test_y crash; failed - -/-/-/-",
    )]);
}

#[test]
fn modules_that_cannot_be_loaded_refuse_the_run_only_when_nothing_else_ran() {
    let block = "{=}\nERROR: test_pay (unittest.loader._FailedTest.test_pay)\n{-}\nImportError: Failed to import test module: test_pay\nTraceback (most recent call last):\n  File \"/a/test_pay.py\", line 1, in <module>\n    import x\nModuleNotFoundError: No module named 'x'\n\n\n";
    let id = "unittest.loader._FailedTest.test_pay collection_error";
    check(&[
        (
            &format!("E\n{block}{{-}}\nRan 1 test in 0.1s\n\nFAILED (errors=1)\n"),
            &format!("{id}; refused collection_error 0/0/1/0"),
        ),
        (
            &format!("E.\n{block}{{-}}\nRan 2 tests in 0.1s\n\nFAILED (errors=1)\n"),
            &format!("{id}; failed - 1/0/1/0"),
        ),
    ]);
}

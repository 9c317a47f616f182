//! Texts of the runner and what is said of them.

use super::FORMAT;
use crate::said::said;

fn check(text: &str, want: &[&str]) {
    assert_eq!(said(&FORMAT, text), want, "{text}");
}

const HEAD: &str = "Test run for /w/bin/A.Tests.dll (.NETCoreApp,Version=v8.0)\nVSTest version 17.11.1 (x64)\n\nStarting test execution, please wait...\nA total of 1 test files matched the specified pattern.\n";

#[test]
fn a_failure_stands_in_the_live_lines_and_in_a_block() {
    check(
        &format!(
            "{HEAD}[xUnit.net 00:00:00.50]     A.B.C [FAIL]\n  Failed A.B.C [5 ms]\n  Error Message:\n   Assert.Equal() Failure: Values differ\nExpected: 5\nActual:   4\n\
             \x20 Stack Trace:\n     at A.B.C() in /w/B.cs:line 14\n\nFailed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3, Duration: 8 ms - A.Tests.dll (net8.0)\n"
        ),
        &["open", "assertion A.B.C: Assert.Equal() Failure: Values differ", "red 2/1/0"],
    );
}

#[test]
fn with_totals() {
    check(
        &format!(
            "{HEAD}  Passed A.B.C [5 ms]\n  Failed A.B.D [1 s]\n  Error Message:\n   System.Exception : no\n  Stack Trace:\n     at A.B.D() in /w/B.cs:line 14\n\
             \x20 Skipped A.B.E [1 ms]\n\nTest Run Failed.\nTotal tests: 3\n     Passed: 1\n     Failed: 1\n    Skipped: 1\n Total time: 1.2 Seconds\n"
        ),
        &["open", "passed A.B.C", "skipped A.B.E", "exception A.B.D: no", "red 1/1/1"],
    );
    check(
        &format!(
            "{HEAD}Total tests: 1. Passed: 1. Failed: 0. Skipped: 0.\nTest Run Successful.\nTest execution time: 1.9607 Seconds\n"
        ),
        &["open", "green 1/0/0"],
    );
}

#[test]
fn a_green_word_whose_counts_were_cut_off_closes_nothing() {
    check(&format!("{HEAD}Test Run Successful.\n"), &["open"]);
    check(&format!("{HEAD}Test Run Successful.\nTotal tests: 2\n"), &["open"]);
    check("Test run summary: Passed!\n  total: 2\n  failed: 0\n", &["open"]);
}

#[test]
fn a_section_closes_when_all_announced_assemblies_did() {
    let line = |word: &str, failed: u64| {
        format!(
            "{word}!  - Failed:     {failed}, Passed:     2, Skipped:     0, Total:     3, Duration: 8 ms - A.Tests.dll (net8.0)\n"
        )
    };
    check(&format!("{HEAD}{HEAD}{}", line("Passed", 0)), &["open"]);
    check(
        &format!("{HEAD}{HEAD}{}{}", line("Passed", 0), line("Failed", 1)),
        &["open", "unnamed 1", "red 4/1/0"],
    );
    check(&format!("{HEAD}{}{HEAD}", line("Passed", 0)), &["open", "green 2/0/0", "open"]);
    check(
        &format!(
            "{HEAD}{HEAD}No test matches the given testcase filter `x` in /w/A.dll\n{}",
            line("Passed", 0)
        ),
        &["open", "green 2/0/0"],
    );
    check(&format!("{HEAD}No test is available in /w/A.dll. Make sure\n"), &["open", "notests -/-/-"]);
}

#[test]
fn a_host_that_died_is_red_whatever_its_counts_say() {
    let passed = "Passed!  - Failed:     0, Passed:     2, Skipped:     0, Total:     2, Duration: 8 ms - A.Tests.dll (net8.0)\n";
    check(
        &format!(
            "{HEAD}The active test run was aborted. Reason: Test host process crashed : Unhandled exception. System.X: no\n   at A.B.C() in /w/B.cs:line 3\n\n{passed}Test Run Aborted.\n"
        ),
        &["open", "crash -: no", "red 2/0/0"],
    );
    check(
        &format!("{HEAD}{passed}Test Run Aborted.\n"),
        &["open", "green 2/0/0", "open", "crash -: Test Run Aborted.", "red -/-/-"],
    );
}

#[test]
fn what_a_test_prints_is_its_output() {
    check(
        &format!(
            "{HEAD}  Passed A.B.C [5 ms]\n  Standard Output Messages:\n   Failed A.B.X [1 ms]\n  Failed A.B.Y [1 ms]\n  Error Message:\n   no\nFailed!  - Failed:     1, Passed:     0, Skipped:     0, Total:     1, Duration: 1 ms - X.dll (net8.0)\n\n\n\
             Test Run Successful.\nTotal tests: 1\n     Passed: 1\n Total time: 1.2 Seconds\n"
        ),
        &["open", "passed A.B.C", "green 1/0/0"],
    );
}

#[test]
fn the_terminal_loggers_list() {
    check(
        "  A.Tests test net9.0 failed with 1 error(s) (1.0s)\n    /w/B.cs(122): error TESTERROR: \n      A.B.C(a: 1) (4ms): Error Message: Assert.Throws() Failure: No exception was thrown\n      Expected: typeof(System.X)\n\
         \x20     Stack Trace:\n         at A.B.C(Int32 a) in /w/B.cs:line 122\n\nTest summary: total: 17, failed: 1, succeeded: 16, skipped: 0, duration: 1.0s\nBuild failed with 1 error(s) in 1.7s\n",
        &["open", "assertion A.B.C(a: 1): Assert.Throws() Failure: No exception was thrown", "red 16/1/0"],
    );
    check(
        "  A.Tests net10.0 failed with 1 error(s) (2.0s)\n    /w/B.cs(13,26): error CS0103: no x\n\nBuild failed with 1 error(s) and 1 warning(s) in 10.4s\n",
        &["open", "compileerror -: no x", "refused(compileerror) -/-/-"],
    );
}

#[test]
fn the_platforms_blocks() {
    check(
        "Running tests from /w/A.Tests.dll (net10.0|x64)\nfailed A.B.C(\"x\") (33ms)\n  from /w/A.Tests.dll (net10.0|x64)\n  Expected total to be 5, but found 4.\n    at A.B.C(String x) in /w/B.cs:915\n\
         /w/A.Tests.dll (net10.0|x64) failed with 1 error(s) (8s 406ms)\n\nTest run summary: Failed!\n  /w/A.Tests.dll (net10.0|x64) failed with 1 error(s)\n\n  total: 56\n  failed: 1\n  succeeded: 55\n  skipped: 0\n  duration: 9s 1ms\n",
        &["open", "assertion A.B.C(\"x\"): Expected total to be 5, but found 4.", "red 55/1/0"],
    );
    check(
        "Test run summary: Zero tests ran\n  total: 0\n  failed: 0\n  succeeded: 0\n  skipped: 0\n  duration: 2s\n",
        &["open", "notests 0/0/0"],
    );
    check("Running tests from /w/A.Tests.dll (net10.0|x64)\n", &["open"]);
    check(
        "Test run summary: Aborted - a.dll (net9.0|x64)\n  total: 800\n  failed: 0\n  succeeded: 800\n",
        &["open", "red 800/0/-"],
    );
}

#[test]
fn a_build_that_fails_is_repeated_by_its_summary() {
    let error = "/w/Cart.cs(12,5): error CS0103: The name 'x' does not exist [/w/Shop.csproj]\n";
    check(
        &format!("  Determining projects to restore...\n{error}{error}"),
        &["open", "compileerror -: The name 'x' does not exist", "refused(compileerror) -/-/-"],
    );
    check(
        &format!(
            "{HEAD}{error}Passed!  - Failed:     0, Passed:     2, Skipped:     0, Total:     2, Duration: 8 ms - A.Tests.dll (net8.0)\n"
        ),
        &["open", "compileerror -: The name 'x' does not exist", "red 2/0/0"],
    );
}

#[test]
fn a_trx_file() {
    check(
        "\u{feff}<?xml version=\"1.0\"?>\n<TestRun id=\"1\" name=\"x\">\n<Results><UnitTestResult testName=\"A.B.C\" outcome=\"Failed\" duration=\"00:00:00.1\"><Output><ErrorInfo>\
         <Message>System.Exception : no&#xD;</Message><StackTrace>   at A.B.C() in /w/B.cs:line 3</StackTrace></ErrorInfo></Output></UnitTestResult>\n\
         <UnitTestResult testName=\"A.B.D\" outcome=\"NotExecuted\"/></Results><ResultSummary outcome=\"Failed\"><Counters total=\"2\" executed=\"1\" passed=\"0\" failed=\"1\" error=\"0\"/></ResultSummary></TestRun>",
        &["open", "skipped A.B.D", "exception A.B.C: no", "red 0/1/1"],
    );
}

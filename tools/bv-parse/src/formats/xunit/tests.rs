//! Texts of the runner and what is said of them.

use super::FORMAT;
use crate::said::said;

fn check(text: &str, want: &[&str]) {
    assert_eq!(said(&FORMAT, text), want, "{text}");
}

const HEAD: &str = "xUnit.net v3 In-Process Runner v3.0.0 (64-bit .NET 9.0.4)\n  Discovering: A.Tests\n  Discovered:  A.Tests\n  Starting:    A.Tests\n";

#[test]
fn a_failure_is_what_is_indented_below_its_name() {
    check(
        &format!(
            "{HEAD}    A.B.C(a: 1) [FAIL]\n      Assert.Equal() Failure: Values differ\n      Expected: 5\n      Actual:   4\n\
             \x20     Stack Trace:\n        B.cs(14,0): at A.B.C()\n      Output:\n        A.B.X [FAIL]\n  Finished:    A.Tests\n\
             === TEST EXECUTION SUMMARY ===\n   A.Tests  Total: 3, Errors: 0, Failed: 1, Skipped: 1, Not Run: 0, Time: 0.07s\n"
        ),
        &["open", "assertion A.B.C(a: 1): Assert.Equal() Failure: Values differ", "red 1/1/1"],
    );
}

#[test]
fn several_assemblies_are_summed() {
    check(
        &format!(
            "{HEAD}  Finished:    A.Tests\n=== TEST EXECUTION SUMMARY ===\n   A.Tests       Total:  3, Errors: 0, Failed: 0, Skipped: 0, Time: 0.1s\n\
             \x20  B.Tests       Total: 10, Errors: 0, Failed: 0, Skipped: 1, Time: 0.2s\n                        --          -          -           -\n          GRAND TOTAL: 13          0          0           1         0.3s\n"
        ),
        &["open", "green 12/0/1"],
    );
}

#[test]
fn without_a_summary_nothing_closes() {
    check(&format!("{HEAD}    A.B.C [FAIL]\n      no\n"), &["open", "assertion A.B.C: no"]);
    check("=== TEST EXECUTION SUMMARY ===\n", &["open"]);
}

#[test]
fn a_file() {
    check(
        "<assemblies><assembly name=\"a.dll\" total=\"2\" passed=\"1\" failed=\"1\" skipped=\"0\" errors=\"0\" time=\"0.2\"><collection>\
         <test name=\"A.B.C\" result=\"Pass\" time=\"0.1\"/><test name=\"A.B.D\" result=\"Fail\"><failure exception-type=\"System.Exception\">\
         <message><![CDATA[System.Exception : no]]></message><stack-trace>   at A.B.D() in /w/B.cs:line 3</stack-trace></failure></test>\
         </collection></assembly></assemblies>",
        &["open", "passed A.B.C", "exception A.B.D: no", "red 1/1/0"],
    );
    check("<assembly xmlns=\"urn:schemas-microsoft-com:asm.v1\">\n", &[]);
}

//! Texts of the runner and what is said of them.

use super::FORMAT;
use crate::said::said;

fn check(text: &str, want: &[&str]) {
    assert_eq!(said(&FORMAT, text), want, "{text}");
}

#[test]
fn the_second_consoles_list_comes_below_its_counts() {
    check(
        ".F.\nTests run: 2, Errors: 1, Failures: 0, Inconclusive: 0, Time: 0.2 seconds\n  Not run: 0, Invalid: 0, Ignored: 0, Skipped: 0\n\n\
         Errors and Failures:\n1) Test Error : A.B.C\n   System.ArgumentException : no\n  at A.D.E (System.Int32 a) [0x00018] in /w/D.cs:6 \n\n",
        &["open", "exception A.B.C: no", "red 1/0/-, 1 errored"],
    );
}

#[test]
fn the_third_consoles_counts_come_below_its_list() {
    check(
        "Errors, Failures and Warnings\n\n1) Failed : A.B.C(1)\n  Expected: 5\n  But was:  4\nat A.B.C() in /w/B.cs:line 12\n\n\
         2) Warning : A.B.W\nmind\n\nRun Settings\n    x: 1\n\nTest Run Summary\n  Overall result: Failed\n  Test Count: 3, Pass: 1, Fail: 1, Warn: 1, Inconclusive: 0, Skip: 0\n  Duration: 0.5 seconds\n\nResults (nunit3) saved as TestResult.xml\n",
        &["open", "assertion A.B.C(1): Expected: 5", "red 2/1/0"],
    );
}

#[test]
fn a_list_without_its_counts_is_cut_off() {
    check(
        "Errors, Failures and Warnings\n\n1) Failed : A.B.C\n  Expected: 5\n",
        &["open", "assertion A.B.C: Expected: 5"],
    );
}

#[test]
fn counts_that_a_test_prints_in_other_words_are_none() {
    check("Tests run: 9, Errors: 1, Failures: 1\n", &[]);
    check("Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.1 sec\n", &[]);
}

#[test]
fn files_of_both_generations() {
    check(
        "<?xml version=\"1.0\"?><test-run total=\"3\" passed=\"1\" failed=\"1\" inconclusive=\"0\" skipped=\"1\" result=\"Failed\" duration=\"0.5\">\
         <test-suite><test-case fullname=\"A.B.C\" result=\"Passed\"/><test-case fullname=\"A.B.D\" result=\"Failed\" label=\"Error\">\
         <failure><message><![CDATA[System.Exception : no]]></message><stack-trace>at A.B.D() in /w/B.cs:line 3</stack-trace></failure></test-case>\
         <test-case fullname=\"A.B.E\" result=\"Skipped\"/></test-suite></test-run>",
        &["open", "passed A.B.C", "skipped A.B.E", "exception A.B.D: no", "red 1/1/1"],
    );
    check(
        "<test-results name=\"a.dll\" total=\"1\" errors=\"0\" failures=\"0\" not-run=\"0\" inconclusive=\"0\">\n\
         <test-suite><results><test-case name=\"A.B.C\" executed=\"True\" result=\"Success\" success=\"True\"/></results></test-suite></test-results>",
        &["open", "passed A.B.C", "green 1/0/0"],
    );
    check(
        "<test-results name=\"a.dll\" total=\"1\" errors=\"0\" failures=\"0\" not-run=\"0\" inconclusive=\"0\">\n\
         <test-suite><results><test-case name=\"A.B.C\" executed=\"True\"",
        &["open"],
    );
}

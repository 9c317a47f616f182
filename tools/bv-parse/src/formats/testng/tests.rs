//! Texts of the runner and what is said of them.

use super::*;
use crate::said::said;

fn check(text: &str, want: &[&str]) {
    assert_eq!(said(&FORMAT, text), want, "{text}");
}

const TOTALS: &str = "\n===============================================\n    T\n    Tests run: 2, Failures: 1, Skips: 0\n\
    ===============================================\n\n\n===============================================\n\
    S\nTotal tests run: 2, Failures: 1, Skips: 0\n===============================================\n";

#[test]
fn what_a_test_prints_is_not_listed() {
    check(
        &format!(
            "[TestNG] Running:\n  S\n\nFAILED: other\njava.lang.Error: forged\n\tat a.B.c(B.java:1)\n\n\
             PASSED: ok\nFAILED: sums\n        three pens\njava.lang.AssertionError: n expected [1] but found [2]\n\
             \tat shop.Cart.sums(Cart.java:3)\n\n{TOTALS}"
        ),
        &["open", "passed ok", "assertion sums: n expected [1] but found [2]", "red 1/1/0"],
    );
}

#[test]
fn totals_without_names() {
    check(
        &format!("... TestNG 7.4.0 by Cédric Beust (cedric@beust.com)\n...\n{TOTALS}"),
        &["open", "unnamed 1", "red 1/1/0"],
    );
}

#[test]
fn a_configuration_method_that_fails_is_red_and_no_test() {
    check(
        "[TestNG] Running:\n  S\n\nFAILED CONFIGURATION: @BeforeClass open\njava.lang.Error: no db\n\tat shop.C.open(C.java:3)\n\n\
         SKIPPED: reads\n\n===============================================\n    T\n    Tests run: 1, Failures: 0, Skips: 1\n\
         \u{20}   Configuration Failures: 1, Skips: 0\n===============================================\n\n\
         ===============================================\nS\nTotal tests run: 1, Failures: 0, Skips: 1\n\
         Configuration Failures: 1, Skips: 0\n===============================================\n",
        &["open", "skipped reads", "setuperror @BeforeClass open: no db", "red 0/0/1, 1 errored"],
    );
}

#[test]
fn a_class_that_is_not_there() {
    check(
        "Exception in thread \"main\" org.testng.TestNGException: \nCannot load class from file: shop.Nope\n\
         \tat org.testng.TestNG.main(TestNG.java:1374)\n",
        &[
            "open",
            "collectionerror -: Cannot load class from file: shop.Nope",
            "refused(collectionerror) -/-/-",
        ],
    );
}

#[test]
fn a_run_that_dies_stays_open() {
    check("[TestNG] Running:\n  S\n\nFAILED: a\njava.lang.Error: x\n", &["open", "exception a: x"]);
    check("Total tests run: 3, Failures: 0, Skips: 0\n", &[]);
}

#[test]
fn a_result_file() {
    check(
        "<?xml version=\"1.0\"?>\n<testng-results total=\"2\" passed=\"1\" failed=\"1\" skipped=\"0\">\n<suite duration-ms=\"3\">\
         <class name=\"shop.C\">\n<test-method name=\"ok\" status=\"PASS\"/>\n\
         <test-method name=\"sums\" status=\"FAIL\"><params><param index=\"0\"><value><![CDATA[2]]></value></param></params>\
         <exception class=\"java.lang.AssertionError\"><message><![CDATA[no]]></message>\n\
         <full-stacktrace><![CDATA[java.lang.AssertionError: no </testng-results>\n\tat shop.C.sums(C.java:3)]]></full-stacktrace>\
         </exception></test-method>\n</class></suite></testng-results>\n",
        &["open", "passed shop.C.ok", "assertion shop.C.sums(2): no </testng-results>", "red 1/1/0"],
    );
    check("<testng-results total=\"2\">\n<suite>\n", &["open"]);
}

//! Texts of the runner and what is said of them.

use super::*;
use crate::said::said;

fn check(text: &str, want: &[&str]) {
    assert_eq!(said(&FORMAT, text), want, "{text}");
}

#[test]
fn scalatest_under_sbt() {
    check(
        "[info] welcome to sbt 1.9.7\n[info] CartSuite:\n[info] Cart\n[info] - adds (3 milliseconds)\nprinted *** FAILED ***\n\
         [info] - sums *** FAILED *** (16 milliseconds)\n[info]   6 did not equal 7 (CartSuite.scala:11)\n\
         [info] - throws *** FAILED ***\n[info]   java.lang.RuntimeException: boom\n[info]   at shop.Cart.total(Cart.scala:3)\n\
         [info] Run completed in 310 milliseconds.\n[info] Total number of tests run: 3\n[info] Suites: completed 1, aborted 0\n\
         [info] Tests: succeeded 1, failed 2, canceled 0, ignored 0, pending 0\n[info] *** 2 TESTS FAILED ***\n\
         [error] Failed tests:\n[error] \tshop.CartSuite\n[error] (Test / test) sbt.TestsFailedException: Tests unsuccessful\n\
         [error] Total time: 2 s, completed\n",
        &[
            "runner scalatest",
            "open",
            "runner scalatest",
            "assertion CartSuite Cart sums: 6 did not equal 7",
            "exception CartSuite Cart throws: boom",
            "red 1/2/0",
        ],
    );
}

#[test]
fn scalatest_passes() {
    check(
        "[info] A:\n[info] Run completed in 3 milliseconds.\n[info] Total number of tests run: 1\n[info] Suites: completed 1, aborted 0\n\
         [info] Tests: succeeded 1, failed 0, canceled 0, ignored 1, pending 0\n[info] All tests passed.\n[success] Total time: 2 s\n",
        &["runner scalatest", "open", "runner scalatest", "green 1/0/1"],
    );
}

#[test]
fn a_suite_that_aborts() {
    check(
        "shop.DbSuite *** ABORTED ***\n  java.lang.IllegalStateException: no db\n  at shop.DbSuite.<init>(DbSuite.scala:3)\n\
         Run completed in 3 milliseconds.\nTotal number of tests run: 0\nSuites: completed 0, aborted 1\n\
         Tests: succeeded 0, failed 0, canceled 0, ignored 0, pending 0\n*** 1 SUITE ABORTED ***\n",
        &[
            "runner scalatest",
            "open",
            "runner scalatest",
            "setuperror shop.DbSuite: no db",
            "red 0/0/0, 1 errored",
        ],
    );
}

#[test]
fn munit_under_sbt() {
    check(
        "[info] loading settings for project root from build.sbt...\nshop.CartSuite:\n\
         [error] ==> X shop.CartSuite.sums  0.05s munit.ComparisonFailException: /p/CartSuite.scala:10\n[error] 9:  test(\"sums\") {\n\
         [error] 10:    assertEquals(6, 7)\n[error] values are not the same\n[error] => Obtained\n[error] 6\n\
         [error] => Diff (- expected, + obtained)\n[error] -7\n[error] +6\n[error]     at munit.FunSuite.assertEquals(FunSuite.scala:12)\n\
         [error] Failed: Total 2, Failed 1, Errors 0, Passed 1\n[error] Failed tests:\n[error] \tshop.CartSuite\n\
         [error] (Test / test) sbt.TestsFailedException: Tests unsuccessful\n[error] Total time: 1 s\n",
        &[
            "runner munit",
            "open",
            "runner munit",
            "assertion shop.CartSuite.sums: values are not the same",
            "red 1/1/0",
        ],
    );
}

#[test]
fn specs2_under_sbt() {
    check(
        "[info] welcome to sbt 1.9.7\n[info] CartSpec\n[info] The cart should\n[info]   + add\n[error]   x sum\n[error]    6 != 7 (CartSpec.scala:12)\n\
         [info] Total for specification CartSpec\n[info] Finished in 20 ms\n[info] 2 examples, 1 failure, 0 error\n\
         [error] Failed: Total 2, Failed 1, Errors 0, Passed 1\n[error] Total time: 1 s\n",
        &[
            "runner specs2",
            "open",
            "runner specs2",
            "assertion CartSpec The cart should sum: 6 != 7",
            "red 1/1/0",
        ],
    );
}

#[test]
fn zio_weaver_and_utest() {
    check(
        "+ Cart\n  + adds\n  - sums\n    ✗ 6 was not equal to 7\n    result = 6\n    at /p/CartSpec.scala:13 \n\n\
         1 tests passed. 1 tests failed. 0 tests ignored.\n\n  - Cart / sums\n    ✗ 6 was not equal to 7\n    at /p/CartSpec.scala:13 \n\nExecuted in 191 ms\n",
        &[
            "runner zio-test",
            "open",
            "runner zio-test",
            "assertion Cart / sums: 6 was not equal to 7",
            "red 1/1/0",
        ],
    );
    check(
        "[info] shop.CartSuite\n[info] - sums 3ms\n[info] *************FAILURES*************\n[info] shop.CartSuite\n[error] - sums 3ms\n\
         [error]   assertion failed (src/test/scala/CartSuite.scala:10)\n\n[error] Failed: Total 2, Failed 1, Errors 0, Passed 1\n",
        &[
            "runner weaver",
            "open",
            "runner weaver",
            "assertion shop.CartSuite.sums: assertion failed",
            "red 1/1/0",
        ],
    );
    check(
        "------------------------------- Running Tests -------------------------------\nX shop.CartTests.sums 4ms\n  utest.AssertionError: 6 == 7\n\
         \u{20}   shop.CartTests$.sums(CartTests.scala:9)\n+ shop.CartTests.ok 0ms\nTests: 2, Passed: 1, Failed: 1\n",
        &["runner utest", "open", "runner utest", "assertion shop.CartTests.sums: 6 == 7", "red 1/1/0"],
    );
}

#[test]
fn what_keeps_tests_from_running() {
    check(
        "[info] welcome to sbt 1.9.7\n[error] /p/Cart.scala:12:5: not found: value totl\n[error]     totl(1)\n[error]     ^\n\
         [error] one error found\n[error] (Test / compileIncremental) Compilation failed\n[error] Total time: 3 s\n",
        &["open", "compileerror -: not found: value totl", "refused(compileerror) -/-/-"],
    );
    check(
        "[info] welcome to sbt 1.9.7\n[info] No tests were executed.\n[success] Total time: 3 s\n",
        &["open", "notests 0/0/0"],
    );
}

#[test]
fn a_run_that_is_cut_off() {
    check(
        "- sums *** FAILED ***\n  6 did not equal 7 (A.scala:1)\n",
        &["runner scalatest", "open", "runner scalatest", "assertion sums: 6 did not equal 7"],
    );
    check("Test run example.A started\n", &["open"]);
    check(
        "Test run example.A started\nTest run example.A finished: 0 failed, 0 ignored, 4 total 0.088s\n",
        &["open", "green 4/0/0"],
    );
}

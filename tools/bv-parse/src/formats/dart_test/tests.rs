//! Texts of the runner and what is said of them.

use super::FORMAT;
use crate::said::said;

fn check(text: &str, want: &[&str]) {
    assert_eq!(said(&FORMAT, text), want, "{text}");
}

#[test]
fn the_expanded_reporter() {
    check(
        "00:00 +0: loading test/cart_test.dart\n00:00 +0: Cart doubles\n00:00 +0 -1: Cart doubles [E]\n  Expected: <2>\n    Actual: <1>\n\n  package:matcher            expect\n  test/cart_test.dart 12:5   main.<fn>\n  \n\
         00:00 +0 -1: Cart throws\n00:00 +1 ~1 -2: Cart throws [E]\n  Exception: no\n  package:shop/cart.dart 4:5  Cart.total\n  test/cart_test.dart 17:9    main.<fn>\n\n00:01 +1 ~1 -2: Some tests failed.\n\nFailing tests:\n  test/cart_test.dart: Cart doubles\n",
        &[
            "open",
            "assertion Cart doubles: Expected: <2>",
            "exception Cart throws: Exception: no",
            "red 1/2/1",
        ],
    );
    check(
        "00:00 +0: loading test/a_test.dart\n00:00 +0: a\n00:00 +1: All tests passed!\n",
        &["open", "green 1/0/0"],
    );
    check(
        "00:00 +0: loading test/a_test.dart\n00:00 +0 ~1: All tests skipped.\n",
        &["open", "notests 0/0/1"],
    );
    check("00:00 +0: loading test/a_test.dart\n00:00 +0: a\n", &["open"]);
    check("00:00 +0: loading test/a_test.dart\nNo tests ran.\n", &["open", "notests -/-/-"]);
    check("No tests ran.\n", &[]);
}

#[test]
fn a_line_that_a_test_prints_goes_back() {
    check(
        "00:00 +0: a\n00:01 +3: b\n00:00 +1 -1: x [E]\n  no\n00:02 +4: All tests passed!\n",
        &["open", "green 4/0/0"],
    );
    check(
        "00:00 +0: a\n00:00 +0 -1: x [E]\n  no\n00:00 +1: b\n00:00 +2: All tests passed!\n",
        &["open", "green 2/0/0"],
    );
    check(
        "00:00 +0: a\n00:00 +0 -1: a [E]\n  no\n00:00 +9: All tests passed!\n",
        &["open", "assertion a: no"],
    );
}

#[test]
fn a_file_that_does_not_load() {
    check(
        "00:00 +0: loading test/a_test.dart\n00:00 +0 -1: loading test/a_test.dart [E]\n  Failed to load \"test/a_test.dart\":\n  test/a_test.dart:3:12: Error: Undefined name 'x'.\n    return x;\n           ^\n00:00 +0 -1: Some tests failed.\n",
        &["open", "collectionerror -: Undefined name 'x'.", "refused(collectionerror) 0/1/0"],
    );
}

#[test]
fn flutters_box() {
    check(
        "00:00 +0: loading /w/test/w_test.dart\n══╡ EXCEPTION CAUGHT BY FLUTTER TEST FRAMEWORK ╞══════\nThe following TestFailure was thrown running a test:\nExpected: exactly one matching candidate\n  Actual: _TextWidgetFinder:<Found 0 widgets>\n   Which: means none were found\n\nWhen the exception was thrown, this was the stack:\n#4      main.<anonymous closure> (file:///w/test/w_test.dart:19:5)\n\nThe test description was:\n  Counter smoke test\n════════════════════\n\
         00:02 +0 -1: Counter smoke test [E]\n  Test failed. See exception logs above.\n  The test description was: Counter smoke test\n  \n00:02 +0 -1: Some tests failed.\n",
        &["open", "assertion Counter smoke test: Expected: exactly one matching candidate", "red 0/1/0"],
    );
}

#[test]
fn the_github_reporter() {
    check(
        "::group::✅ Passing tests\n✅ test/a_test.dart: a\n::endgroup::\n::group::❌ test/a_test.dart: b (failed)\nprinted\nExpected: <2>\n  Actual: <1>\n\ntest/a_test.dart 12:5  main.<fn>\n::endgroup::\n\n::error::1 test passed, 1 failed.\n",
        &["open", "passed test/a_test.dart: a", "assertion test/a_test.dart: b: Expected: <2>", "red 1/1/0"],
    );
    check(
        "::group::✅ Passing tests\n✅ a\n::endgroup::\n\n🎉 1 test passed.\n",
        &["open", "passed a", "green 1/0/0"],
    );
    check("🎉 1 test passed.\n", &[]);
}

#[test]
fn the_json_reporter() {
    let start =
        "{\"protocolVersion\":\"0.1.1\",\"runnerVersion\":\"1.15.4\",\"type\":\"start\",\"time\":0}\n";
    let test = "{\"suite\":{\"id\":0,\"path\":\"test/a_test.dart\"},\"type\":\"suite\",\"time\":0}\n{\"test\":{\"id\":3,\"name\":\"a\",\"suiteID\":0,\"line\":7},\"type\":\"testStart\",\"time\":1}\n";
    check(
        &format!(
            "{start}{test}{{\"testID\":3,\"error\":\"Expected: <2>\\n  Actual: <1>\\n\",\"stackTrace\":\"test/a_test.dart 8:3  main.<fn>\\n\",\"isFailure\":true,\"type\":\"error\",\"time\":2}}\n\
             {{\"testID\":3,\"result\":\"failure\",\"skipped\":false,\"hidden\":false,\"type\":\"testDone\",\"time\":3}}\n{{\"success\":false,\"type\":\"done\",\"time\":9}}\n"
        ),
        &["open", "assertion a: Expected: <2>", "red 0/1/0"],
    );
    check(&format!("{start}{test}"), &["open"]);
    check(&format!("{start}{{\"success\":true,\"type\":\"done\",\"time\":9}}\n"), &["open", "notests 0/0/0"]);
}

//! Texts of the runner and what is said of them.

use super::*;
use crate::said::said;

fn check(text: &str, want: &[&str]) {
    assert_eq!(said(&FORMAT, text), want, "{text}");
}

#[test]
fn a_run_with_every_outcome() {
    check(
        "+-*.\n1 success / 1 failure / 1 error / 1 pending : 0.01 seconds\n\nPending -> spec/a.lua @ 18\nruns\n\n\
         Failure -> spec/a.lua @ 5\na adds\nspec/a.lua:6: Expected objects to be equal.\nPassed in:\n(number) 5\n\
         Expected:\n(number) 6\n\nError -> spec/a.lua @ 14\na len\n./lib/vec.lua:9: {\n  code = 5\n}\n\n\
         stack traceback:\n\t./lib/vec.lua:9: in function 'len'\n\nmake: done\n",
        &[
            "open",
            "assertion a adds: Expected objects to be equal.",
            "exception a len: { code = 5 }",
            "red 1/1/1, 1 errored",
        ],
    );
}

#[test]
fn a_tally_that_a_test_prints_is_void() {
    check(
        "0 successes / 1 failure / 0 errors / 0 pending : 0.1 seconds\n\nFailure -> spec/x.lua @ 3\nfake\nwords\n++\n\
         2 successes / 0 failures / 0 errors / 0 pending : 0.004513 seconds\n",
        &["open", "open", "green 2/0/0"],
    );
}

#[test]
fn nothing_to_run_and_nothing_that_could_be_loaded() {
    check(
        "\n0 successes / 0 failures / 1 error / 0 pending : 0.0 seconds\n\n\
         Error -> No test files found matching Lua pattern: _spec\n\n",
        &["open", "refused(notests) 0/0/0"],
    );
    check(
        "*\n0 successes / 0 failures / 1 error / 0 pending : 0.0 seconds\n\n\
         Error -> bad/bad_spec.lua:1: ')' expected near 'function'\nbad/bad_spec.lua\n",
        &[
            "open",
            "collectionerror bad/bad_spec.lua: ')' expected near 'function'",
            "refused(collectionerror) 0/0/0, 1 errored",
        ],
    );
}

#[test]
fn failures_that_are_not_named_and_two_runs() {
    check(
        "--\n0 successes / 2 failures / 0 errors / 0 pending : 0.0 seconds\n\n+\n\
         1 success / 0 failures / 0 errors / 0 pending : 0.0 seconds\n",
        &["open", "unnamed 2", "red 0/2/0", "open", "green 1/0/0"],
    );
}

#[test]
fn a_document() {
    check(
        "{\"successes\":[{}],\"pendings\":[],\"failures\":[{\"name\":\"a adds\",\"message\":\"spec/a.lua:6: no\",\
         \"element\":{\"trace\":{\"short_src\":\"spec/a.lua\",\"currentline\":5}}}],\"errors\":[],\"duration\":0.1}\n",
        &["open", "assertion a adds: no", "red 1/1/0"],
    );
}

#[test]
fn changed_fields_of_tables() {
    let failure = |text: &str| {
        let lines: Vec<&str> = text.lines().collect();
        block::failure("t", None, Kind::Assertion, &lines, [0, 1])
    };
    let told = failure(
        "a.lua:1: Expected objects to be the same.\nPassed in:\n(table: 0x1) {\n *[a] = {\n   *[b] = 2 }\n  [d] = 1 }\n\
         Expected:\n(table: 0x2) {\n *[a] = {\n   *[b] = {} }\n  [d] = 1 }",
    );
    assert_eq!((told.expected.as_deref(), told.observed.as_deref()), (Some("[b] = {}"), Some("[b] = 2")));
    let told = failure(
        "a.lua:1: Expected objects to not be equal.\nPassed in:\n(number) 1\nDid not expect:\n(number) 1",
    );
    assert_eq!((told.expected.as_deref(), told.observed.as_deref()), (None, Some("(number) 1")));
}

#[test]
fn what_follows_the_last_block_is_not_its_own() {
    check(
        "*\n0 successes / 0 failures / 1 error / 0 pending : 0.1 seconds\n\nError -> bad/a_spec.lua:1: ')' expected\nbad/a_spec.lua\nDone in 3s.\n",
        &[
            "open",
            "collectionerror bad/a_spec.lua: ')' expected",
            "refused(collectionerror) 0/0/0, 1 errored",
        ],
    );
    check(
        "*\n0 successes / 0 failures / 1 error / 0 pending : 0.1 seconds\n\nError -> a_spec.lua @ 2\nadds\na_spec.lua:3: no\nDone in 3s.\n",
        &["open", "exception adds: no", "red 0/0/0, 1 errored"],
    );
}

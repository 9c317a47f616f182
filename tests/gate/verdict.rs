//! Vectors and rules, and the verdict on them.

use super::{check, failed, passed, refused};

const GOOD: &str = r#"{"input":{"a":1},"rule_id":"r","predicate":".output == 2"}"#;

/// The first failure of one vector, whose output is `line`.
fn check_one(rest: &str, line: &str, record: &str) {
    let input = serde_json::json!({ "do": "raw", "line": line });
    let vector = format!(r#"{{"input":{input},"rule_id":"r",{rest}}}"#);
    let record =
        format!(r#"{{"type":"failure",{record},"counterexample":{input},"rule":"r","vector_index":0}}"#);
    check(&[], &[], &[&vector], &[&record, &failed(0, 1)]);
}

#[test]
fn vectors_that_hold_pass() {
    check(&[], &[], &[GOOD, GOOD, GOOD], &[&passed(3)]);
    check(&[], &[], &["[", GOOD, ",", GOOD, "]"], &[&passed(2)]);
    check(&["--per-vector"], &[], &[GOOD, GOOD], &[&passed(2).replace(r#","exit":0"#, "")]);
    let all = r#"{"input":{"a":2},"rule_id":"r","predicate":".output == 4","expected":4.0,"schema":{"type":"integer"},"comment":[1]}"#;
    check(&[], &[], &[all], &[&passed(1)]);
    check(
        &[],
        &[],
        &[r#"{"input":{"do":"raw","line":"{\"output\":null}"},"rule_id":"r","expected":null}"#],
        &[&passed(1)],
    );
    let near = r#"{"input":{"do":"raw","line":"{\"output\":{\"t\":[0.30000000000000004]}}"},"rule_id":"r","expected":{"t":[0.3]},"tolerance":{"abs":1e-12}}"#;
    check(&[], &[], &[near], &[&passed(1)]);
}

#[test]
fn a_check_that_does_not_hold_says_what_was_seen() {
    check_one(
        r#""predicate":".output > 5","invariant":"more than five""#,
        r#"{"output": 4.50}"#,
        r#""kind":"assertion","message":"the predicate yields false","expected":"more than five","observed":"4.50""#,
    );
    check_one(
        r#""predicate":".output.ok""#,
        r#"{"output":{}}"#,
        r#""kind":"assertion","message":"the predicate yields null","expected":".output.ok","observed":"{}""#,
    );
    check_one(
        r#""predicate":".output[] | . > 0""#,
        r#"{"output":[]}"#,
        r#""kind":"assertion","message":"the predicate yields nothing","expected":".output[] | . > 0","observed":"[]""#,
    );
    check_one(
        r#""predicate":".output.t < 1""#,
        r#"{"output":7}"#,
        r#""kind":"assertion","message":"the predicate fails: cannot index 7 with \"t\"","expected":".output.t < 1","observed":"7""#,
    );
    check_one(
        r#""expected":{"t":[0.25,1]},"tolerance":{"rel":0.01}"#,
        r#"{"output":{"t":[0.251,2]}}"#,
        r#""kind":"assertion","message":".t[1] is 2, expected 1","expected":"{\"t\":[0.25,1]}","observed":"{\"t\":[0.251,2]}""#,
    );
    check_one(
        r#""schema":{"properties":{"t":{"type":"number"}}}"#,
        r#"{"output":{"t":"1"}}"#,
        r#""kind":"assertion","message":"/t breaks the schema: \"1\" is not of type \"number\"","expected":"{\"properties\":{\"t\":{\"type\":\"number\"}}}","observed":"{\"t\":\"1\"}""#,
    );
    check_one(
        r#""predicate":"true","invariant":"finite""#,
        r#"{"output":{"t":NaN}}"#,
        r#""kind":"assertion","message":"the output holds NaN, which no JSON number is","expected":"finite","observed":"{\"t\":NaN}""#,
    );
}

#[test]
fn every_check_is_made() {
    let vector = r#"{"input":{"a":1},"rule_id":"r","predicate":".output == 3","expected":4,"schema":{"type":"string"}}"#;
    check(
        &[],
        &[],
        &[vector],
        &[
            r#"{"type":"failure","kind":"assertion","message":"the predicate yields false","expected":".output == 3","observed":"2","counterexample":{"a":1},"rule":"r","also":[{"message":"the output is 2, expected 4","expected":"4"},{"message":"the output breaks the schema: 2 is not of type \"string\"","expected":"{\"type\":\"string\"}"}],"vector_index":0}"#,
            &failed(0, 1),
        ],
    );
}

#[test]
fn numbers_stay_what_they_are() {
    let digits = "12345678901234567890123456789.000";
    let input = format!(r#"{{"a": 1, "n": {digits}, "x": 1e300, "s": "é\u00e9"}}"#);
    let vector = format!(r#"{{"input": {input}, "rule_id":"r", "expected": 12345678901234567890124}}"#);
    let output = super::gate(&[], &[super::example("candidate").to_str().expect("plain names")], &vector);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let record = format!(
        r#"{{"type":"failure","kind":"assertion","message":"the output is 2, expected 12345678901234567890124","expected":"12345678901234567890124","observed":"2","counterexample":{input},"rule":"r","vector_index":0}}"#
    );
    assert_eq!(text.lines().next(), Some(record.as_str()));
}

#[test]
fn a_vector_may_take_several_lines_its_input_is_one() {
    let vector =
        "{\n \"rule_id\": \"r\",\n \"input\": {\n  \"a\": 1,\n  \"s\": \"a b\"\n },\n \"expected\": 3\n}";
    check(
        &[],
        &[],
        &[vector],
        &[
            r#"{"type":"failure","kind":"assertion","message":"the output is 2, expected 3","expected":"3","observed":"2","counterexample":{"a":1,"s":"a b"},"rule":"r","vector_index":0}"#,
            &failed(0, 1),
        ],
    );
}

#[test]
fn exceptions_come_with_their_place() {
    let line = r#"{"exception_type":"ZeroDivisionError","exception_msg":"by\nzero","file":"a.py","line":3,"function":"f"}"#;
    let input = serde_json::json!({ "do": "raw", "line": line });
    let vector = format!(r#"{{"input":{input},"rule_id":"r","predicate":"true"}}"#);
    let record = format!(
        r#"{{"type":"failure","kind":"exception","message":"by zero","exception_type":"ZeroDivisionError","counterexample":{input},"fault":{{"file":"a.py","line":3,"function":"f"}},"rule":"r","vector_index":0}}"#
    );
    check(&[], &[], &[&vector], &[&record, &failed(0, 1)]);
}

#[test]
fn a_precondition_that_does_not_hold_skips_the_vector() {
    let skipped =
        r#"{"input":{"do":"abort"},"rule_id":"r","precondition":".input.a > 1","predicate":"true"}"#;
    let null = r#"{"input":{"do":"abort"},"rule_id":"r","precondition":".input.ready","predicate":"true"}"#;
    let end =
        r#"{"type":"end","outcome":"passed","runner":"bv-gate","counts":{"passed":1,"skipped":2},"exit":0}"#;
    check(&[], &[], &[skipped, GOOD, null], &[end]);
    let none = refused("no_vectors", "none of 2 vectors meets its precondition", 0);
    check(&[], &[], &[skipped, null], &[&none.replace(r#""passed":0"#, r#""passed":0,"skipped":2"#)]);
    check(&[], &[], &[], &[&refused("no_vectors", "no vectors were given", 0)]);
    check(&[], &[], &["[]"], &[&refused("no_vectors", "no vectors were given", 0)]);
}

/// What is wrong with the second line of stdin, after a vector that holds.
fn check_bad(line: &str, message: &str) {
    let end = refused("bad_input", message, 1).replace(r#""passed":1}"#, r#""passed":1},"exit":0"#);
    check(&[], &[], &[GOOD, line], &[&end]);
}

#[test]
fn what_is_no_vector_is_said_with_its_line() {
    check_bad("hello", "stdin:2: expected a JSON object");
    check_bad("{\"input\":{}", "stdin:2: cut off within an object");
    check_bad(
        r#"{"input":{},"rule_id":"r","predciate":"true"}"#,
        "stdin:2: unknown field `predciate`, expected one of `input`, `rule_id`, `precondition`, `predicate`, `expected`, `tolerance`, `schema`, `invariant`, `comment`",
    );
    check_bad(r#"{"input":{},"predicate":"true"}"#, "stdin:2: missing field `rule_id`");
    check_bad(r#"{"rule_id":"r","predicate":"true"}"#, "stdin:2: no `input`: it is a rule");
    check_bad(r#"{"input":5,"rule_id":"r","predicate":"true"}"#, "stdin:2: `input` is no object");
    check_bad(r#"{"input":{"a":1e400},"rule_id":"r","predicate":"true"}"#, "stdin:2: number out of range");
    check_bad(r#"{"input":{},"rule_id":"r"}"#, "stdin:2: nothing to check, and no rule r is known");
    check_bad(
        r#"{"input":{},"rule_id":"r","predicate":".output =="}"#,
        "stdin:2: predicate: expected term, found its end",
    );
    check_bad(
        r#"{"input":{},"rule_id":"r","precondition":"nosuch","predicate":"true"}"#,
        "stdin:2: precondition: undefined filter: nosuch",
    );
    check_bad(
        r#"{"input":{},"rule_id":"r","precondition":".input.a.b.c | error","predicate":"true"}"#,
        "stdin:2: precondition fails: null",
    );
    check_bad(
        r#"{"input":{},"rule_id":"r","precondition":"1","predicate":"true"}"#,
        "stdin:2: precondition yields 1, neither true nor false",
    );
    check_bad(
        r#"{"input":{},"rule_id":"r","precondition":"empty","predicate":"true"}"#,
        "stdin:2: precondition yields nothing, neither true nor false",
    );
    check_bad(
        r#"{"input":{},"rule_id":"r","expected":1,"tolerance":{"abs":-1}}"#,
        "stdin:2: tolerance: below zero",
    );
    check_bad(
        r#"{"input":{},"rule_id":"r","schema":{"type":"numbre"}}"#,
        "stdin:2: schema: \"numbre\" is not valid under any of the schemas listed in the 'anyOf' keyword",
    );
}

/// What a rule says of every output decides nothing, so it is no verdict.
#[test]
fn a_predicate_that_is_none_refuses_the_run() {
    let vector = r#"{"input":{"a":4},"rule_id":"r","predicate":".output"}"#;
    let end = refused("bad_input", "rule r of vector 1: predicate yields 8, neither true nor false", 1);
    check(&[], &[], &[GOOD, vector], &[&end]);
}

#[test]
fn remote_schemas_are_not_fetched() {
    let vector = r#"{"input":{},"rule_id":"r","schema":{"$ref":"https://example.com/schema.json"}}"#;
    let candidate = super::example("candidate");
    let output = super::gate(&[], &[candidate.to_str().expect("plain names")], vector);
    let end: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one record");
    assert_eq!((&end["outcome"], &end["reason"]), (&"refused".into(), &"bad_input".into()), "{end}");
}

/// The order is the vectors', and a failure outweighs what comes after it.
#[test]
fn the_first_failure_is_the_first_in_the_file() {
    let bad = |n: usize| format!(r#"{{"input":{{"a":{n}}},"rule_id":"r","expected":0}}"#);
    let record = |n: usize, index: usize| {
        format!(
            r#"{{"type":"failure","kind":"assertion","message":"the output is {0}, expected 0","expected":"0","observed":"{0}","counterexample":{{"a":{n}}},"rule":"r","vector_index":{index}}}"#,
            2 * n
        )
    };
    let (three, four) = (bad(3), bad(4));
    let vectors = [GOOD, &three, GOOD, &four, "hello"];
    check(&[], &[], &vectors, &[&record(3, 1), &failed(1, 1)]);
    let end = failed(2, 2).replace("}}", r#"},"exit":0}"#);
    check(&["--all"], &[], &vectors, &[&record(3, 1), &record(4, 3), &end]);
}

//! What holds for every input and every bound: tests over generated streams and over bytes of no sense.

use crate::{Args, Each, run};
use bv_schemas::{Receipt, Status, exit};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

fn args(max_bytes: usize) -> Args {
    Args { root: PathBuf::from("src"), max_bytes, each: None, rules: None, exit_zero: false, pretty: false }
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[ -~]{0,60}",
        2 => "\\PC{0,40}",
        1 => any::<String>(),
        1 => "[\u{0}-\u{1f}\u{202a}-\u{202e}\u{1b}\\[31m\"\\\\]{0,30}",
        1 => "[a-f\"]{500,900}",
        1 => Just("src/redact.rs".to_owned()),
        1 => Just("ghp_abcdefghijklmnopqrstuvwxyz0123456789".to_owned()),
    ]
}

/// A field's value: most often a text, else a place, a number, or something that no field holds.
fn value() -> impl Strategy<Value = Value> {
    let place = (text(), any::<u32>(), text())
        .prop_map(|(file, line, function)| json!({"file": file, "line": line, "function": function}));
    let inputs = prop::collection::vec((text(), text()), 0..6).prop_map(|inputs| {
        Value::Object(inputs.into_iter().map(|(name, value)| (name, value.into())).collect::<Map<_, _>>())
    });
    prop_oneof![
        6 => text().prop_map(Value::from),
        3 => place,
        2 => any::<u64>().prop_map(Value::from),
        2 => inputs,
        1 => Just(json!([[], {"a": "\u{1b}[0m"}, null, -1.5])),
        1 => prop::sample::select(vec!["assertion", "exception", "lint", "compile_error", "still"]).prop_map(Value::from),
    ]
}

fn record(kind: &'static str, names: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop::collection::vec((prop::sample::select(names), value()), 0..12).prop_map(move |fields| {
        let mut record = Map::from_iter([("type".to_owned(), Value::from(kind))]);
        record.extend(fields.into_iter().map(|(name, value)| (name.to_owned(), value)));
        Value::Object(record).to_string()
    })
}

fn failure() -> impl Strategy<Value = String> {
    record(
        "failure",
        &[
            "id",
            "kind",
            "message",
            "exception_type",
            "expected",
            "observed",
            "counterexample",
            "test",
            "fault",
            "rule",
            "vector_index",
            "state",
            "attempt",
            "unknown",
        ],
    )
}

fn end() -> impl Strategy<Value = String> {
    let outcome = prop::sample::select(vec!["passed", "failed", "refused", "unheard_of"]);
    let reason = prop::sample::select(vec!["no_tests", "compile_error", "timeout", "Un\u{1b}heard"]);
    (outcome, reason, prop::option::of(text()), any::<u8>(), any::<u64>(), any::<bool>()).prop_map(
        |(outcome, reason, message, passed, failed, archived)| {
            json!({
                "type": "end", "outcome": outcome, "reason": reason, "message": message,
                "counts": {"passed": passed, "failed": if archived { failed } else { 0 }, "skipped": 2},
                "trace": {"hash": "0123456789abcdef", "archived": archived},
            })
            .to_string()
        },
    )
}

fn stream() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        8 => failure(),
        1 => record("test", &["id", "outcome"]),
        1 => text(),
    ];
    (prop::collection::vec(line, 0..6), prop::collection::vec(end(), 0..=2)).prop_map(|(mut lines, ends)| {
        lines.extend(ends);
        lines.join("\n")
    })
}

fn receipt(input: &[u8], args: &Args) -> (String, u8) {
    let mut output = Vec::new();
    let code = run(args, input, &mut output).expect("memory does not fail");
    (String::from_utf8(output).expect("a receipt is UTF-8"), code)
}

/// What must hold of any output; its receipt comes back.
fn check(input: &[u8], max_bytes: usize) -> Result<Receipt, TestCaseError> {
    let (output, code) = receipt(input, &args(max_bytes));
    prop_assert_eq!(
        &receipt(input, &args(max_bytes)),
        &(output.clone(), code),
        "the same stream, other bytes"
    );
    let line = output.strip_suffix('\n').expect("a line ends");
    prop_assert!(line.len() <= max_bytes, "{} bytes of {max_bytes}: {line}", line.len());
    prop_assert!(!output.contains("ghp_abc"), "{line}");
    let value: Value = serde_json::from_str(line).expect("a receipt is JSON");
    prop_assert_eq!(printable(&value), Ok(()));
    // The keys are those of the contract, in its order, and nothing is null.
    let receipt: Receipt = serde_json::from_str(line).expect("a receipt is a receipt");
    prop_assert_eq!(serde_json::to_string(&receipt).expect("a receipt is JSON"), line);
    let expected = match receipt.status {
        Status::Passed => exit::PASSED,
        Status::FailedAssertion | Status::RuntimeException => exit::FAILED,
        Status::RefusedPrecondition => exit::REFUSED,
    };
    prop_assert_eq!(code, expected);
    if receipt.status != Status::Passed {
        prop_assert!(receipt.failed_rule_id.as_deref().is_some_and(|rule| !rule.is_empty()), "{line}");
    }
    Ok(receipt)
}

/// The first text in `value`, names included, that holds what must not reach a receipt.
fn printable(value: &Value) -> Result<(), String> {
    let text = |text: &String| {
        let bad = |c: char| {
            c.is_control()
                || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}')
        };
        if text.contains(bad) { Err(text.clone()) } else { Ok(()) }
    };
    match value {
        Value::String(string) => text(string),
        Value::Array(items) => items.iter().try_for_each(printable),
        Value::Object(fields) => {
            fields.iter().try_for_each(|(name, value)| text(name).and_then(|()| printable(value)))
        }
        Value::Null => Err("null".into()),
        Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn any_stream_gives_one_receipt_within_the_bound(stream in stream(), max_bytes in 160..900usize) {
        let receipt = check(stream.as_bytes(), max_bytes)?;
        if receipt.status == Status::Passed {
            let failure = stream.lines().find(|line| line.starts_with(r#"{"type":"failure""#));
            prop_assert_eq!(failure, None, "green with a failure");
            prop_assert_eq!(stream.matches(r#""type":"end""#).count(), 1, "green without one end");
        }
    }

    #[test]
    fn any_bytes_give_one_receipt_and_never_a_pass(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let receipt = check(&bytes, 160)?;
        prop_assert_eq!(receipt.failed_rule_id.as_deref(), Some("bv.broken_stream"));
    }

    #[test]
    fn a_stream_cut_anywhere_is_no_pass(failures in prop::collection::vec(failure(), 0..3), at in any::<prop::sample::Index>()) {
        let passed = r#"{"type":"end","outcome":"passed","counts":{"passed":1}}"#;
        let whole = [failures.join("\n"), passed.to_owned()].join("\n");
        let cut = at.index(whole.len());
        let receipt = check(&whole.as_bytes()[..cut], 400)?;
        prop_assert!(receipt.status != Status::Passed, "{:?}", &whole[..whole.floor_char_boundary(cut)]);
    }

    #[test]
    fn each_gives_every_failure_one_place(failures in prop::collection::vec(failure(), 1..8)) {
        let stream = [failures.join("\n"), r#"{"type":"end","outcome":"failed"}"#.to_owned()].join("\n");
        let (output, code) = receipt(stream.as_bytes(), &Args { each: Some(Each::Cause), ..args(400) });
        let receipts: Vec<Receipt> = output.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let counted: u64 = receipts.iter().map(|receipt| receipt.failures.unwrap_or(1)).sum();
        prop_assert_eq!((counted, code), (failures.len() as u64, exit::FAILED));
    }
}

/// `flags` change one thing each; the receipt of a small stream is compared whole.
fn says(stream: &str, args: &Args, expected: &str, code: u8) {
    assert_eq!(receipt(stream.as_bytes(), args), (expected.to_owned(), code));
}

const RED: &str = concat!(
    r#"{"type":"failure","id":"t.py::test_a","kind":"assertion","message":"assert 1 == 2","exception_type":"AssertionError","expected":"2","observed":"1","test":{"file":"t.py","line":3,"function":"test_a"}}"#,
    "\n",
    r#"{"type":"failure","id":"t.py::test_b","kind":"exception","message":"'k'","exception_type":"KeyError","test":{"file":"t.py","line":9,"function":"test_b"},"fault":{"file":"m.py","line":4,"function":"get"},"counterexample":{"n":0},"state":"still","attempt":3}"#,
    "\n",
    r#"{"type":"end","outcome":"failed","runner":"pytest","counts":{"passed":1,"failed":2},"trace":{"hash":"0123456789abcdef","bytes":1,"lines":1,"archived":true}}"#,
);

#[test]
fn receipts_are_worded_by_the_contract() {
    let assertion = r#"{"status":"failed_assertion","failed_rule_id":"t.py::test_a","observed_output":"1","expected_invariant":"2","exception_type":"AssertionError","ast_location":{"file":"t.py","symbol":"test_a","lines":[3,3],"line":3}"#;
    let exception = r#"{"status":"runtime_exception","failed_rule_id":"t.py::test_b","minimal_counterexample":{"n":0},"exception_type":"KeyError","exception_msg":"'k'","ast_location":{"file":"m.py","symbol":"get","lines":[4,4],"line":4}"#;
    let memory = r#","state":"still","attempt":3"#;
    let trace = r#","trace":"0123456789ab"}"#;
    says(RED, &args(400), &format!("{assertion},\"failures\":2,\"distinct\":2{trace}\n"), 1);
    says(
        RED,
        &Args { each: Some(Each::Cause), exit_zero: true, ..args(400) },
        &format!("{assertion}{trace}\n{exception}{memory}{trace}\n"),
        0,
    );
    let green = r#"{"type":"end","outcome":"passed","counts":{"passed":7,"skipped":1}}"#;
    says(green, &args(400), "{\"status\":\"passed\",\"vectors_verified\":7,\"skipped\":1}\n", 0);
    let unnamed = r#"{"type":"end","outcome":"failed","counts":{"errored":65}}"#;
    says(
        unnamed,
        &args(400),
        "{\"status\":\"runtime_exception\",\"failed_rule_id\":\"bv.unnamed_failures\",\"failures\":65}\n",
        1,
    );
    let compile = concat!(
        r#"{"type":"failure","kind":"compile_error","message":"mismatched types","exception_type":"E0308","expected":"String","observed":"i32","test":{"file":"x.rs","line":3}}"#,
        "\n",
        r#"{"type":"end","outcome":"refused","reason":"compile_error"}"#,
    );
    let refused = r#"{"status":"refused_precondition","failed_rule_id":"bv.compile_error","observed_output":"i32","expected_invariant":"String","exception_type":"E0308","exception_msg":"mismatched types","reason":"the code does not compile, no test ran","ast_location":{"file":"x.rs","lines":[3,3],"line":3}}"#;
    says(compile, &args(400), &format!("{refused}\n"), 3);
    let empty = r#"{"status":"refused_precondition","failed_rule_id":"bv.broken_stream","reason":"no stream: standard input is empty"}"#;
    says("", &args(400), &format!("{empty}\n"), 3);
}

#[test]
fn a_page_for_a_person_says_the_same() {
    let expected = "\
status                   failed_assertion
failed_rule_id           t.py::test_a
observed_output          1
expected_invariant       2
exception_type           AssertionError
ast_location
  file                   t.py
  symbol                 test_a
  lines                  [3,3]
  line                   3
failures                 2
distinct                 2
trace                    0123456789ab
";
    says(RED, &Args { pretty: true, ..args(400) }, expected, 1);
}

#[test]
fn ten_thousand_large_failures_are_counted_and_held_small() {
    let failure =
        json!({"type": "failure", "id": "t", "kind": "exception", "message": "m".repeat(20_000)}).to_string();
    let mut stream = format!("{failure}\n").repeat(crate::read::FAILURES_MAX / 10);
    stream.push_str(&"{\"type\":\"failure\",\"id\":\"u\"}\n".repeat(crate::read::FAILURES_MAX));
    stream.push_str(r#"{"type":"end","outcome":"failed"}"#);
    let m = "m".repeat(35);
    let expected = format!(
        "{{\"status\":\"runtime_exception\",\"failed_rule_id\":\"t\",\"exception_msg\":\"{m}…{m}\",\"failures\":11000}}\n"
    );
    says(&stream, &args(160), &expected, 1);
}

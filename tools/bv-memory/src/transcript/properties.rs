//! What holds of any bytes at all: nothing panics, and nothing changes but literals that became stubs.

use super::parser::Parser;
use super::{Plan, apply, plan_with, stub};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Receipts and streams are read without bv-parse; no other text is looked at here.
fn plan(document: &[u8]) -> Plan {
    plan_with(document, None, &Parser::nowhere())
}

/// What came out is what came in but for the stubs, is the same when it goes through again, and is JSON as before.
fn check(document: &[u8]) -> usize {
    let plan = plan(document);
    let after = apply(document, &plan.told);
    let (mut from, mut to) = (0, 0);
    let mut stubs = 0;
    for (span, stub) in plan.told.iter().filter_map(|told| Some((&told.span, told.stub.as_ref()?))) {
        let between = &document[from..span.start];
        assert_eq!(&after[to..to + between.len()], between);
        to += between.len();
        assert_eq!(&after[to..to + stub.len() + 2], format!("\"{stub}\"").as_bytes());
        assert!(stub::is_stub(stub) && stub.len() + 2 < span.len());
        (from, to, stubs) = (span.end, to + stub.len() + 2, stubs + 1);
    }
    assert_eq!(&after[to..], &document[from..]);
    let again = self::plan(&after);
    assert_eq!(apply(&after, &again.told), after);
    assert_eq!((plan.texts, is_json(document)), (again.texts, is_json(&after)));
    stubs
}

fn is_json(bytes: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok()
}

/// Pieces of transcripts, in and out of place.
fn piece() -> impl Strategy<Value = String> {
    let receipt = r#"{\"status\":\"failed_assertion\",\"failed_rule_id\":\"t::a\",\"expected_invariant\":\"19\",\"observed_output\":\"18, and this goes on so that a stub is shorter than it, with words and words and words and words\"}"#;
    let passed = r#"{\"status\":\"passed\",\"vectors_verified\":9}"#;
    let call = |id: &str| {
        format!(
            r#"{{"role":"assistant","content":[{{"type":"tool_use","id":"{id}","name":"bash","input":{{"command":"make test"}}}}]}}"#
        )
    };
    let result = |id: &str, text: &str| {
        format!(
            r#"{{ "role":"user","content" : [{{"type":"tool_result","tool_use_id":"{id}","content":"{text}"}}]}}"#
        )
    };
    prop_oneof![
        4 => Just(call("a")),
        4 => Just(call("b")),
        6 => Just(result("a", receipt)),
        4 => Just(result("b", receipt)),
        2 => Just(result("b", passed)),
        1 => "[ -~\\n]{0,12}",
        1 => Just(r#"{"a":1.50e+3,"a":[],"\u0061":"\ud83d"}"#.to_owned()),
        1 => Just("\u{feff}".to_owned()),
    ]
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    let name = prop_oneof![
        Just("role"),
        Just("content"),
        Just("type"),
        Just("messages"),
        Just("input"),
        Just("message"),
        Just("payload"),
        Just("tool_use_id"),
        Just("tool_calls"),
        Just("output"),
        Just("call_id"),
        Just("x"),
    ];
    leaf.prop_recursive(6, 64, 6, move |inner| {
        let members = proptest::collection::vec((name.clone(), inner.clone()), 0..6);
        prop_oneof![
            proptest::collection::vec(inner, 0..6).prop_map(Value::from),
            members.prop_map(|members| members
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect()),
        ]
    })
}

proptest! {
    #[test]
    fn any_bytes_come_back(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert_eq!(check(&bytes), 0);
    }

    #[test]
    fn any_json_comes_back(values in proptest::collection::vec(any_json(), 0..6), form in 0..3u8) {
        let document = match form {
            0 => json!(values).to_string(),
            1 => serde_json::to_string_pretty(&values).expect("JSON is written"),
            _ => values.iter().map(|value| format!("{value}\r\n")).collect(),
        };
        prop_assert_eq!(check(document.as_bytes()), 0);
    }

    #[test]
    fn transcripts_in_any_disorder_change_only_where_stubs_stand(
        pieces in proptest::collection::vec(piece(), 0..14),
        between in prop_oneof![Just(","), Just(" ,\n"), Just("\n"), Just("\r\n"), Just("")],
        around in prop_oneof![Just(("[", "]")), Just(("{\"messages\":[", "]}")), Just(("", "")), Just(("\u{feff}[", "]"))],
        cut in 0..4usize,
    ) {
        let mut document = format!("{}{}{}", around.0, pieces.join(between), around.1);
        if cut == 0 {
            let half = document.len() / 2;
            document.truncate((0..=half).rev().find(|&at| document.is_char_boundary(at)).unwrap_or(0));
        }
        check(document.as_bytes());
    }
}

/// The properties above are of something: such a transcript does lose its past.
#[test]
fn a_receipt_that_was_followed_by_a_pass_goes() {
    let receipt = json!({
        "status": "failed_assertion", "failed_rule_id": "t::a",
        "expected_invariant": "a text that is long enough for a stub to be shorter than the whole of the receipt that held it",
        "observed_output": "another text of which the same is true, word for word",
    });
    let call = json!({ "type": "tool_use", "id": "a", "name": "bash", "input": { "command": "make test" } });
    let said = |text: String| json!({ "type": "tool_result", "tool_use_id": "a", "content": text });
    let turn = |text: String| {
        [
            json!({ "role": "assistant", "content": [call] }),
            json!({ "role": "user", "content": [said(text)] }),
        ]
    };
    let green = r#"{"status":"passed","vectors_verified":9}"#.to_owned();
    let messages = [turn(receipt.to_string()), turn(green)].concat();
    assert_eq!(check(json!(messages).to_string().as_bytes()), 1);
    let lines: String = messages.iter().map(|message| format!("{message}\r\n")).collect();
    assert_eq!(check(lines.as_bytes()), 1);
    assert_eq!(check(format!("\u{feff}{lines}").as_bytes()), 1);
}

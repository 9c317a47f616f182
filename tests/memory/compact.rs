//! `compact`: what goes from a transcript, what stays, and that nothing is lost.

use super::repair::{self, FORMS, Form, Said, Turn};
use bv_memory::tokens;
use bv_tests::stages;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// Tokens of superseded test output that must go, in thousandths.
const GONE_MIN: u64 = 891;

/// `bv-memory ARGS < stdin`, which must succeed in silence.
fn memory(store: &Path, args: &[&str], stdin: &[u8]) -> Vec<u8> {
    let output = super::run(super::memory(store).args(args), stdin);
    assert!(output.status.success() && output.stderr.is_empty(), "{args:?}: {output:?}");
    output.stdout
}

/// A transcript in which `make test` answered with these texts, one after the other.
fn transcript(texts: &[&str]) -> String {
    let call = json!({ "type": "tool_use", "id": "a", "name": "bash", "input": { "command": "make test" } });
    let turns = texts.iter().flat_map(|text| {
        let result = json!({ "type": "tool_result", "tool_use_id": "a", "content": text });
        [json!({ "role": "assistant", "content": [call] }), json!({ "role": "user", "content": [result] })]
    });
    Value::from(turns.collect::<Vec<_>>()).to_string()
}

const RED: &str = r#"{"status":"failed_assertion","failed_rule_id":"tests/test_invoice.py::test_vat","observed_output":"18","expected_invariant":"19","exception_type":"AssertionError","ast_location":{"file":"tests/test_invoice.py","symbol":"test_vat","lines":[16,18],"line":18}}"#;
const GREEN: &str = r#"{"status":"passed","vectors_verified":12}"#;
const STUB: &str = "[bv-memory: superseded test output, removed: receipt, 1 failed, tests/test_invoice.py::test_vat; 247 bytes: bv-memory show ID]";

fn stub(text: &str) -> String {
    STUB.replace("247", &text.len().to_string()).replace("ID", &id(text))
}

#[test]
fn a_dry_run_says_what_would_go_and_keeps_nothing() {
    let store = tempfile::tempdir().expect("a folder can be made");
    let before = transcript(&[RED, GREEN]);
    let report = memory(store.path(), &["compact", "--dry-run"], before.as_bytes());
    let (trace, stub) = (blake3::hash(RED.as_bytes()).to_hex().to_string(), stub(RED));
    let (tokens, left) = (tokens::count(RED), tokens::count(&stub));
    let (bytes, saved) = (RED.len(), quoted(RED).len() - quoted(&stub).len());
    let expected = [
        json!({ "type": "superseded", "failed": 1, "first": "tests/test_invoice.py::test_vat", "bytes": bytes, "tokens": tokens, "trace": trace }),
        json!({ "type": "compact", "texts": 2, "runs": 2, "superseded": 1, "bytes": bytes, "bytes_saved": saved, "tokens": tokens, "tokens_saved": tokens - left, "estimator": "o200k_base" }),
    ];
    assert_eq!(super::records(&report), expected);
    assert_eq!(std::fs::read_dir(store.path().join("objects")).expect("a folder").count(), 0);
    let after = memory(store.path(), &["compact"], before.as_bytes());
    assert_eq!(String::from_utf8_lossy(&after), before.replace(&quoted(RED), &quoted(&stub)));
    assert_eq!(before.len() - after.len(), saved);
}

/// What a run was superseded by may not be in the transcript: the archive knows it by the trace that the receipt names.
#[test]
fn the_archive_knows_of_later_runs() {
    let place = super::Place::new();
    let trace = "0123456789ab";
    let archive = |failed: &[&str], passed: &[&str], trace: &str| {
        let stream = super::stream(failed, passed).replace(
            "\"command\"",
            &format!(
                "\"trace\":{{\"hash\":\"{}\",\"bytes\":9,\"lines\":1}},\"command\"",
                &trace.repeat(6)[..64]
            ),
        );
        place.archive(&stream);
    };
    let red = RED.replace("}}", &format!("}},\"trace\":\"{trace}\"}}"));
    let before = transcript(&[&red]);
    let compact = || {
        let output = place.run(&["compact"], before.as_bytes());
        assert_eq!((super::said(&output).as_str(), output.status.code()), ("", Some(0)));
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    assert_eq!(compact(), before);
    archive(&["tests/test_invoice.py::test_vat"], &[], trace);
    assert_eq!(compact(), before);
    archive(&[], &["tests/test_invoice.py::test_vat"], "ffffffffffff");
    assert_eq!(compact(), before.replace(&quoted(&red), &quoted(&stub(&red))));
}

/// Nothing goes that is not kept.
#[test]
fn an_archive_that_cannot_be_written_leaves_the_transcript_as_it_is() {
    let before = transcript(&[RED, GREEN]);
    let output = super::run(super::memory(Path::new("/dev/null/store")).arg("compact"), before.as_bytes());
    assert_eq!(
        (String::from_utf8_lossy(&output.stdout).as_ref(), output.status.code()),
        (before.as_str(), Some(0))
    );
    let said = super::said(&output);
    assert!(said.starts_with("bv-memory: what cannot be archived stays in the transcript: "), "{said}");
    assert_eq!(said.lines().count(), 1);
}

#[test]
fn what_is_no_transcript_passes_as_it_is() {
    let store = tempfile::tempdir().expect("a folder can be made");
    let told = "bv-memory: no tool result in it, or no transcript; it passes as it is\n";
    for (document, expected) in
        [(&b""[..], ""), (b"plain text", told), (b"\xff\xfe{\x00", told), (b"{}", told)]
    {
        let output = super::run(super::memory(store.path()).arg("compact"), document);
        assert_eq!((&output.stdout[..], super::said(&output).as_str()), (document, expected));
        assert!(output.status.success());
    }
}

#[test]
fn stats_hold_raw_output_against_receipts() {
    let store = tempfile::tempdir().expect("a folder can be made");
    let raw =
        std::fs::read_to_string(bv_tests::root().join("tests/fixtures/pytest/simple_assert/output.txt"));
    let raw = raw.expect("it is there");
    let events = stages::parse(&["--all"], raw.as_bytes());
    let receipt = stages::receipt(Path::new("/nowhere"), &["--each=failure"], &events).0;
    let receipt = receipt.trim_end();
    let transcript = transcript(&[&raw, GREEN]);
    let args = ["stats", "--transcript", "--root", "/nowhere"];
    let said = super::records(&memory(store.path(), &args, transcript.as_bytes()));
    let expected = json!({
        "type": "transcript", "runs": 2, "left_out": 0,
        "raw_bytes": raw.len() + GREEN.len(), "raw_tokens": tokens::count(&raw) + tokens::count(GREEN),
        "receipt_bytes": receipt.len() + GREEN.len(), "receipt_tokens": tokens::count(receipt) + tokens::count(GREEN),
        "superseded": 1, "estimator": "o200k_base",
    });
    assert_eq!(said, [expected]);
    memory(store.path(), &["tee"], raw.as_bytes());
    memory(store.path(), &["archive", "--root", "/nowhere", "--project", "p", "--code", "c"], &events);
    let said = super::records(&memory(store.path(), &["stats"], b""));
    let stored: Vec<u64> = ["runs", "left_out", "raw_bytes"]
        .iter()
        .map(|name| said[0][*name].as_u64().expect("a number"))
        .collect();
    assert_eq!(stored, [1, 0, raw.len() as u64]);
    let receipts = said[0]["receipt_bytes"].as_u64().expect("a number");
    assert!((160..=400).contains(&receipts), "{receipts}");
}

/// The superseded output of 200 turns goes, in every form; nothing else changes by a byte; what went is given back.
#[test]
fn a_long_repair_keeps_its_live_failures_and_nothing_of_the_past() {
    let turns = repair::turns(200);
    let said: Vec<&Said> = turns.iter().flatten().collect();
    let past = said.iter().filter(|said| said.goes).count();
    assert!(past > 60 && said.len() - past > 120, "{past} of {} go", said.len());
    for form in FORMS {
        check(form, &turns);
    }
}

fn check(form: &Form, turns: &[Turn]) {
    let store = tempfile::tempdir().expect("a folder can be made");
    let before = (form.write)(turns);
    let after =
        String::from_utf8(memory(store.path(), &["compact"], before.as_bytes())).expect("it was UTF-8");

    // The same output is often said twice, under one stub.
    let past: BTreeMap<String, String> = turns
        .iter()
        .flatten()
        .filter(|said| said.goes)
        .map(|said| (form.text)(said))
        .map(|t| (id(&t), t))
        .collect();
    let stubs = stubs(&after);
    let (mut restored, mut all, mut gone) = (after.clone(), 0, 0);
    for (id, text) in &past {
        let times =
            turns.iter().flatten().filter(|said| said.goes && (form.text)(said) == *text).count() as u64;
        let count = tokens::count(text);
        all += times * count;
        let Some(stub) = stubs.get(id) else { continue };
        gone += times * (count - tokens::count(stub));
        let back = memory(store.path(), &["restore", id], b"");
        assert_eq!(String::from_utf8_lossy(&back), *text, "{}: {stub}", form.name);
        restored = restored.replace(&quoted(stub), &quoted(text));
    }
    assert!(restored == before, "{}: more changed than results that became stubs", form.name);
    let kept = texts(&after);
    for said in turns.iter().flatten().filter(|said| !said.goes) {
        assert_eq!(
            kept.get(&said.id),
            Some(&(form.text)(said)),
            "{}: {}: {}",
            form.name,
            said.id,
            said.given
        );
    }
    let share = gone * 1000 / all;
    eprintln!("compact: {}: {gone} of {all} tokens of superseded output are gone", form.name);
    assert!(share >= GONE_MIN, "{}: {share} thousandths are gone", form.name);

    let again = memory(store.path(), &["compact"], after.as_bytes());
    assert!(again == after.as_bytes(), "{}: a second run changes something", form.name);
}

/// The stubs by the id that they name.
fn stubs(document: &str) -> BTreeMap<String, String> {
    let pattern =
        regex::Regex::new(r"\[bv-memory: [^\n]*?bv-memory show ([0-9a-f]{12})\]").expect("a pattern");
    let found = pattern.captures_iter(document);
    found.map(|found| (found[1].to_owned(), found[0].to_owned())).collect()
}

/// As a stub names a text.
fn id(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..12].to_owned()
}

/// A text as JSON.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// The texts of all results by the id of their call, read by a reader that is not ours.
fn texts(document: &str) -> BTreeMap<String, String> {
    let values = serde_json::Deserializer::from_str(document).into_iter::<Value>();
    let mut texts = BTreeMap::new();
    values.for_each(|value| collect(&value.expect("JSON"), &mut texts));
    texts
}

fn collect(value: &Value, texts: &mut BTreeMap<String, String>) {
    let id = ["tool_use_id", "tool_call_id", "call_id"].iter().find_map(|name| value[*name].as_str());
    let said = ["content", "output"].iter().find_map(|name| value.get(*name));
    if let (Some(id), Some(said)) = (id, said) {
        let text = said.as_str().or_else(|| said[0]["text"].as_str());
        texts.insert(id.to_owned(), text.unwrap_or_default().to_owned());
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(members) => members.values().for_each(|member| collect(member, texts)),
        _ => {}
    }
}

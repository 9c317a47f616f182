//! `compact`: what goes from a transcript, what stays, and that nothing is lost.

use super::repair::{self, FORMS, Form, Said, Turn};
use bv_memory::tokens;
use serde_json::Value;
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
        restored = restored.replace(&json(stub), &json(text));
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

fn json(text: &str) -> String {
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

//! The examples of a file of formats, held to what bv-parse makes of them.
//!
//! An example is read as a stream is, with all formats there are: what differs here would differ there.

use super::words::Example;
use super::{FormatFile, Own, Reads};
use crate::needles::Needles;
use bv_schemas::{End, Failure, Kind, Outcome, Place, Record, Test};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Each difference in a line of its own (`what: where; what to do`), for the formats of `file`.
pub fn differences(file: &FormatFile, own: &[Own]) -> Vec<String> {
    let mut wrong = Vec::new();
    let needles = Needles::new(own);
    for format in own.iter().filter(|format| format.file == file.path) {
        // Problem matchers have no place for examples.
        let Reads::Rules(rules) = &format.reads else { continue };
        if rules.examples.is_empty() {
            wrong
                .push(format!("no example: {}: format {}; add a [[format.example]]", file.path, format.name));
        }
        for (n, example) in rules.examples.iter().enumerate() {
            let at = format!("{}: format {}, example {}", file.path, format.name, n + 1);
            let mut records = Vec::new();
            crate::read_whole(&needles, &example.text, &mut |record| records.push(record));
            wrong.extend(
                compare(&format.name, rules.kind, example, &records)
                    .into_iter()
                    .map(|what| format!("{what}: {at}; mend the patterns or the example")),
            );
        }
    }
    wrong
}

fn compare(runner: &str, kind: Kind, example: &Example, records: &[Record]) -> Vec<String> {
    let mut wrong = Vec::new();
    let (mut failures, mut tests, mut end) = (Vec::new(), Vec::new(), None);
    for record in records {
        match record {
            Record::Failure(failure) => failures.push(&**failure),
            Record::Test(test) => tests.push(test),
            Record::End(found) => end = Some(&**found),
        }
    }
    if let Some(end) = end {
        verdict(runner, example, end, &mut wrong);
    }
    if failures.len() != example.failures.len() {
        wrong.push(format!("there are {} failures, not {}", failures.len(), example.failures.len()));
    }
    for (n, (failure, want)) in failures.iter().zip(&example.failures).enumerate() {
        fields(n, failure, want, kind, &mut wrong);
    }
    if let Some(want) = &example.tests {
        let got: BTreeMap<&String, _> = tests.iter().map(|test: &&Test| (&test.id, test.outcome)).collect();
        let want: BTreeMap<&String, _> = want.iter().map(|(id, outcome)| (id, *outcome)).collect();
        if got != want {
            wrong.push(format!("the tests are {got:?}, not {want:?}"));
        }
    }
    wrong
}

fn verdict(runner: &str, example: &Example, end: &End, wrong: &mut Vec<String>) {
    let word = |outcome: Outcome, reason: Option<_>| {
        let reason = reason.map_or(String::new(), |reason| format!(" ({})", name(&reason)));
        name(&outcome) + &reason
    };
    // A refusal may leave its reason open.
    let other_reason = example.reason.is_some_and(|reason| end.reason != Some(reason));
    if example.outcome != end.outcome || other_reason {
        wrong.push(format!(
            "the outcome is {}, not {}",
            word(end.outcome, end.reason),
            word(example.outcome, example.reason)
        ));
    }
    if end.outcome != Outcome::Refused && end.runner != runner {
        wrong.push(format!("the runner is {}", end.runner));
    }
    let counts = &end.counts;
    let got = [
        ("passed", counts.passed),
        ("failed", counts.failed),
        ("errored", counts.errored),
        ("skipped", counts.skipped),
    ];
    for (key, got) in got {
        told(
            &format!("counts.{key}"),
            got.map(|n| n.to_string()),
            example.counts.get(key).map(u64::to_string),
            wrong,
        );
    }
    for key in example.counts.keys().filter(|key| !got.iter().any(|(known, _)| known == key)) {
        wrong.push(format!("counts has no {key}"));
    }
}

/// Every field that is there is in the example, and the other way round.
fn fields(n: usize, failure: &Failure, want: &BTreeMap<String, Value>, usual: Kind, wrong: &mut Vec<String>) {
    let mut got = said(failure);
    // The format's own sort goes without saying.
    if !want.contains_key("kind") && failure.kind == usual {
        got.remove("kind");
    }
    let mut want: BTreeMap<String, String> =
        want.iter().map(|(key, value)| (key.clone(), plain(value))).collect();
    // A finding's place is in the product, and the example calls it what the pattern does.
    if matches!(failure.kind, Kind::Lint | Kind::CompileError) {
        for key in ["file", "line", "function"] {
            if let Some(value) = want.remove(key) {
                want.insert(format!("fault_{key}"), value);
            }
        }
    }
    let keys: BTreeSet<&String> = got.keys().chain(want.keys()).collect();
    for key in keys {
        told(&format!("failures[{n}].{key}"), got.get(key).cloned(), want.get(key).cloned(), wrong);
    }
}

/// A failure by the names of fields.
fn said(failure: &Failure) -> BTreeMap<String, String> {
    let place = |place: &Option<Place>| place.clone().unwrap_or_default();
    let (test, fault) = (place(&failure.test), place(&failure.fault));
    let line = |line: Option<u64>| line.map(|line| line.to_string());
    let mut said: BTreeMap<String, String> = [
        ("id", failure.id.clone()),
        ("kind", Some(name(&failure.kind))),
        ("message", failure.message.clone()),
        ("exception", failure.exception_type.clone()),
        ("expected", failure.expected.clone()),
        ("observed", failure.observed.clone()),
        ("rule", failure.rule.clone()),
        ("file", test.file),
        ("line", line(test.line)),
        ("function", test.function),
        ("fault_file", fault.file),
        ("fault_line", line(fault.line)),
        ("fault_function", fault.function),
        ("also", (!failure.also.is_empty()).then(|| failure.also.len().to_string())),
    ]
    .into_iter()
    .filter_map(|(key, value)| Some((key.to_owned(), value?)))
    .collect();
    for (input, value) in failure.counterexample.iter().flatten() {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        said.insert(format!("input_{input}"), text);
    }
    said
}

fn told(key: &str, got: Option<String>, want: Option<String>, wrong: &mut Vec<String>) {
    if got != want {
        let word = |value: Option<String>| value.map_or("absent".to_owned(), |value| format!("{value:?}"));
        wrong.push(format!("{key} is {}, not {}", word(got), word(want)));
    }
}

/// A value of an example as a record prints it.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

/// The word that JSON has for it.
fn name(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(name)) => name,
        _ => String::new(),
    }
}

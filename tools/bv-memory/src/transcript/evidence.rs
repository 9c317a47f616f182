//! What the text of a tool result says of a test run: a receipt, a stream of records, or a runner's own output.
//!
//! In: the text out of its wrapping. Out: the run as a journal has it, so that one rule decides here and in the
//! archive what is superseded. A text that is none of the three, or whose runner nobody knows, is no evidence of
//! anything, and so is a stream that is broken or cut off.

use super::parser::Parser;
use crate::archive::Archive;
use crate::journal::{Run, Seen};
use crate::passed;
use bv_schemas::{Counts, Outcome, Receipt, Status};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::io;

/// A run, as a text tells of it.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// The run.
    pub run: Run,
    /// The failures that it names.
    pub failures: Vec<Seen>,
    /// How many more it counts and does not name.
    pub unnamed: u64,
    /// The tests that it says passed.
    pub passed: HashSet<String>,
    /// How many tests ran, where that is told: a receipt of a failure does not.
    pub tests: Option<u64>,
    /// First digits of the hash of a trace that lies in the archive already.
    pub trace: Option<String>,
}

/// The evidence in `text`, whose command ended with `exit`.
///
/// # Errors
/// Where bv-parse is needed and cannot be run.
pub fn read(text: &str, exit: Option<i64>, parser: &Parser) -> io::Result<Option<Evidence>> {
    if let Some(evidence) = receipts(text) {
        return Ok(Some(evidence));
    }
    if let Some(evidence) = records(text) {
        return Ok(Some(evidence).filter(Evidence::is_of_a_known_runner));
    }
    if !may_be_output(text) {
        return Ok(None);
    }
    let exit = if last_line(text).is_some_and(|line| line.starts_with("bv-exit:")) { None } else { exit };
    match parser.records(text, exit) {
        Ok(stream) => {
            let evidence = std::str::from_utf8(&stream).ok().and_then(records);
            Ok(evidence.filter(Evidence::is_of_a_known_runner))
        }
        // What is too much for bv-parse is left alone, as is all that it does not know.
        Err(wrong) if matches!(wrong.kind(), io::ErrorKind::FileTooLarge | io::ErrorKind::TimedOut) => {
            Ok(None)
        }
        Err(wrong) => Err(wrong),
    }
}

impl Evidence {
    /// How many failures there are, named or not.
    pub fn failed(&self) -> u64 {
        self.failures.len() as u64 + self.unnamed
    }

    /// The first failure that it names.
    pub fn first(&self) -> Option<String> {
        self.failures.first().map(Seen::key)
    }

    /// Whether the archive holds this very run, and every failure of it is superseded there.
    ///
    /// It is asked by the trace alone: what it knows of the test's name may be older than this run.
    pub fn is_superseded_in(&self, archive: &Archive) -> bool {
        let stored = self.trace.as_deref().and_then(|trace| archive.failures_of(&trace.parse().ok()?).ok());
        let stored = stored.unwrap_or_default();
        self.failed() > 0
            && !stored.is_empty()
            && stored.iter().all(|failure| failure.superseded_by.is_some())
    }

    /// Whether it says that tests were left out.
    pub fn skips(&self) -> bool {
        let skipped = self.run.end.as_ref().and_then(|end| end.get("counts")?.get("skipped")?.as_u64());
        skipped.is_some_and(|skipped| skipped > 0)
    }

    fn is_of_a_known_runner(&self) -> bool {
        !matches!(self.run.runner().as_str(), "" | "unknown")
    }
}

/// The shortest thing that a runner says of a failure; and it says it with a digit or a word of its own.
fn may_be_output(text: &str) -> bool {
    const BYTES_MIN: usize = 12;
    text.trim().len() >= BYTES_MIN
}

fn last_line(text: &str) -> Option<&str> {
    text.trim_end().lines().next_back()
}

/// Receipts, one a line and nothing else.
pub fn receipts(text: &str) -> Option<Evidence> {
    /// A file of causes (`--each`) is no longer than this.
    const LINES_MAX: usize = 1_000;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut receipts = Vec::new();
    for line in lines {
        if receipts.len() == LINES_MAX || !line.starts_with(r#"{"status":""#) {
            return None;
        }
        receipts.push(serde_json::from_str::<Receipt>(line).ok()?);
    }
    if receipts.is_empty() { None } else { Some(of_receipts(&receipts)) }
}

/// A receipt has no runner and names one failure; what it counts beyond that is unnamed.
fn of_receipts(receipts: &[Receipt]) -> Evidence {
    let mut evidence = Evidence::default();
    let mut counts = Counts::default();
    for receipt in receipts {
        evidence.trace = evidence.trace.take().or_else(|| receipt.trace.clone());
        match receipt.status {
            Status::Passed => counts.add(&Counts { passed: receipt.vectors_verified, ..Counts::default() }),
            _ if is_about_failures(receipt) => {
                let failed = receipt.failures.unwrap_or(1).max(1);
                counts.add(&Counts { failed: Some(failed), ..Counts::default() });
                match failure(receipt) {
                    Some(record) => {
                        evidence.failures.push(Seen { record, receipt: None });
                        evidence.unnamed += failed - 1;
                    }
                    None => evidence.unnamed += failed,
                }
            }
            _ => {}
        }
    }
    counts.add(&Counts { skipped: receipts.iter().find_map(|receipt| receipt.skipped), ..Counts::default() });
    let all_passed = receipts.iter().all(|receipt| receipt.status == Status::Passed);
    let outcome = match evidence.failed() {
        0 if all_passed => Outcome::Passed,
        0 => Outcome::Refused,
        _ => Outcome::Failed,
    };
    evidence.run.end = object(json!({ "outcome": outcome, "counts": counts }));
    evidence
}

/// Whether something failed, rather than that nothing can be said.
fn is_about_failures(receipt: &Receipt) -> bool {
    let rule = receipt.failed_rule_id.as_deref().unwrap_or("");
    receipt.status != Status::RefusedPrecondition
        || matches!(rule, "bv.compile_error" | "bv.collection_error")
}

fn failure(receipt: &Receipt) -> Option<Map<String, Value>> {
    let name = receipt.test_id.as_deref().or(receipt.failed_rule_id.as_deref())?;
    // A name that was cut to fit may be another test's too.
    if name.contains('\u{2026}') || name == "bv.unnamed_failures" {
        return None;
    }
    let file = receipt.ast_location.as_ref().map(|place| place.file.as_str());
    match name.strip_prefix("bv.") {
        Some(kind) => object(json!({ "kind": kind, "test": { "file": file.unwrap_or_default() } })),
        None => object(json!({ "id": name })),
    }
}

/// A stream of records: whole, its `end` the last line.
pub fn records(text: &str) -> Option<Evidence> {
    if !text.trim_start().starts_with(r#"{"type":""#) {
        return None;
    }
    let mut evidence = Evidence::default();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let record: Map<String, Value> = serde_json::from_str(line).ok()?;
        if evidence.run.end.is_some() {
            return None;
        }
        match record.get("type")?.as_str()? {
            "failure" => evidence.failures.push(Seen { record, receipt: None }),
            "test" => evidence.passed.extend(passed::name("test", &record).map(str::to_owned)),
            "end" => evidence.run.end = Some(record),
            _ => {}
        }
    }
    let end = evidence.run.end.as_ref()?;
    let counts: Counts =
        end.get("counts").and_then(|counts| serde_json::from_value(counts.clone()).ok()).unwrap_or_default();
    evidence.trace = end.get("trace").and_then(|trace| {
        let archived = trace.get("archived").and_then(Value::as_bool);
        archived.filter(|&archived| archived).and_then(|_| trace.get("hash")?.as_str().map(str::to_owned))
    });
    evidence.tests = evidence.run.tests();
    evidence.unnamed = counts.red().saturating_sub(evidence.failures.len() as u64);
    Some(evidence)
}

fn object(value: Value) -> Option<Map<String, Value>> {
    match value {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Outcome, failures by key, unnamed, tests that passed, trace.
    fn said(text: &str) -> Option<String> {
        let found = read(text, None, &Parser::nowhere()).ok()??;
        let keys: Vec<_> = found.failures.iter().map(Seen::key).collect();
        let outcome = found.run.outcome().map_or("none".into(), |outcome| format!("{outcome:?}"));
        let mut passed: Vec<_> = found.passed.iter().cloned().collect();
        passed.sort();
        let trace = found.trace.as_deref().unwrap_or("-");
        Some(format!("{outcome} {keys:?}+{} of {:?} {passed:?} {trace}", found.unnamed, found.run.tests()))
    }

    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(said(text).as_deref(), expected, "{text}");
    }

    #[test]
    fn a_receipt_tells_of_a_run() {
        for (text, expected) in [
            (r#"{"status":"passed","vectors_verified":3}"#, r#"Passed []+0 of Some(3) [] -"#),
            (r#"{"status":"failed_assertion","failed_rule_id":"t"}"#, r#"Failed ["t"]+0 of Some(1) [] -"#),
            (
                r#"{"status":"failed_assertion","failed_rule_id":"rule_3","test_id":"t","failures":4,"trace":"0123456789ab"}"#,
                r#"Failed ["t"]+3 of Some(4) [] 0123456789ab"#,
            ),
            (r#"{"status":"runtime_exception","failed_rule_id":"a\u2026z"}"#, "Failed []+1 of Some(1) [] -"),
            (
                r#"{"status":"failed_assertion","failed_rule_id":"bv.unnamed_failures","failures":2}"#,
                "Failed []+2 of Some(2) [] -",
            ),
            (
                r#"{"status":"refused_precondition","failed_rule_id":"bv.compile_error","ast_location":{"file":"a.rs"}}"#,
                r#"Failed ["bv.compile_error a.rs"]+0 of Some(1) [] -"#,
            ),
            (
                r#"{"status":"refused_precondition","failed_rule_id":"bv.no_tests"}"#,
                "Refused []+0 of None [] -",
            ),
            (
                "{\"status\":\"failed_assertion\",\"failed_rule_id\":\"t\"}\n{\"status\":\"runtime_exception\",\"failed_rule_id\":\"u\",\"failures\":2}\n",
                r#"Failed ["t", "u"]+1 of Some(3) [] -"#,
            ),
        ] {
            check(text, Some(expected));
        }
    }

    #[test]
    fn a_whole_stream_tells_of_a_run() {
        let failure = r#"{"type":"failure","id":"t"}"#;
        let test = |outcome| format!(r#"{{"type":"test","id":"u","outcome":"{outcome}"}}"#);
        let end = r#"{"type":"end","outcome":"failed","runner":"pytest","counts":{"passed":1,"failed":2},"trace":{"hash":"ab","archived":true}}"#;
        let whole = format!("{failure}\n{}\n{end}\n", test("passed"));
        check(&whole, Some(r#"Failed ["t"]+1 of Some(3) ["u"] ab"#));
        check(&format!("{failure}\n{}\n{end}", test("skipped")), Some(r#"Failed ["t"]+1 of Some(3) [] ab"#));
        check(&format!("{failure}\n"), None);
        check(&format!("{end}\n{failure}\n"), None);
        check(&format!("{end}\nmore\n"), None);
        check(&whole.replace("pytest", "unknown"), None);
    }

    #[test]
    fn other_text_is_no_evidence_without_bv_parse() {
        for text in ["", "short", r#"{"status":"passed"} and more that is text"#, r#"{"type":"x"} and more"#]
        {
            check(text, None);
        }
    }
}

//! The stream as a receipt needs it, read leniently: any bytes give a [`Stream`].
//!
//! In comes NDJSON, or what should be; out go the failures, cleaned of what must not reach a receipt, the
//! verdict of the `end` record, and what is wrong with the framing. A record of type `failure` with
//! a field of the wrong type is still a failure; that field is left out. Records of other types, and
//! the fields that no receipt needs (`also`, `span`), are left alone.

use crate::{budget, cut, redact};
use bv_schemas::{Counts, Failure, Outcome, Place, State, ndjson};
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::io::{self, BufRead};

/// Failures kept for grouping and showing; the rest are counted.
pub const FAILURES_MAX: usize = 10_000;
/// Bytes of one text that are kept.
const TEXT_BYTES_MAX: usize = 16 << 10;
/// Bytes of all texts after which only [`TEXT_BYTES_FULL`] of each further one are kept.
const HELD_BYTES_MAX: usize = 32 << 20;
/// Bytes of one text that are kept when much is held already.
const TEXT_BYTES_FULL: usize = 256;
/// Inputs of one counterexample that are kept.
const INPUTS_MAX: usize = 256;
/// Names of passed tests that are kept.
const PASSED_MAX: usize = 50_000;
/// Lines and counts of lines above this are no line numbers.
const LINE_MAX: u64 = u32::MAX as u64;

/// What came in.
#[derive(Debug, Default)]
pub struct Stream {
    /// The failures in the order of the stream, at most [`FAILURES_MAX`].
    pub failures: Vec<Failure>,
    /// How many failure records there were, those not kept and those not readable included.
    pub seen: u64,
    /// The tests that passed, where the stream names them, without their parameters in brackets.
    pub passed: HashSet<String>,
    /// The verdict, where a readable `end` record stands in the stream.
    pub end: Option<End>,
    /// What is wrong with the framing.
    pub broken: Option<Broken>,
}

/// The `end` record as a receipt needs it.
#[derive(Debug, Default)]
pub struct End {
    /// The verdict.
    pub outcome: Outcome,
    /// Why the run was refused, as written: a later version may know more reasons than this one.
    pub reason: Option<String>,
    /// The reason in words.
    pub message: Option<String>,
    /// As the runner reports them.
    pub counts: Counts,
    /// Whether the command ended with code 0, where that is known.
    pub exit_is_zero: Option<bool>,
    /// First 12 hex digits of the trace's hash, where the trace is archived.
    pub trace: Option<String>,
}

/// How the framing is broken. Only [`Broken::Unreadable`] leaves a verdict to trust.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// Not one byte.
    Empty,
    /// No line is a record: most likely a log that was not piped through bv-parse.
    NoRecords,
    /// The stream was cut off before its `end`.
    NoEnd,
    /// There are several `end` records.
    SeveralEnds,
    /// A record stands behind `end`.
    BehindEnd,
    /// The line with this number, from 1, is no record.
    Unreadable(u64),
}

/// Reads `input` to its end.
///
/// # Errors
/// Those of `input`; nothing in it is an error.
pub fn read(mut input: impl BufRead) -> io::Result<Stream> {
    let mut reading = Reading::default();
    let mut line = Vec::new();
    while ndjson::read_line(&mut input, &mut line)? {
        reading.take(&line);
    }
    Ok(reading.finish())
}

#[derive(Default)]
struct Reading {
    stream: Stream,
    lines: u64,
    records: u64,
    ends: u64,
    behind_end: bool,
    unreadable: Option<u64>,
    held_bytes: usize,
}

impl Reading {
    fn take(&mut self, line: &[u8]) {
        self.lines += 1;
        // PowerShell begins a piped stream with a byte order mark.
        let line = if self.lines == 1 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
        if line.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        let Some((kind, record)) = record(line) else { return self.unreadable(line) };
        self.records += 1;
        self.behind_end |= self.ends > 0;
        match kind.as_str() {
            "failure" => self.failure(record),
            "end" => self.end(record),
            "test" => self.test(record),
            _ => {}
        }
    }

    /// A failure record that was cut on its way is still evidence of a failure.
    fn unreadable(&mut self, line: &[u8]) {
        self.unreadable.get_or_insert(self.lines);
        if line.starts_with(br#"{"type":"failure""#) {
            self.stream.seen += 1;
        }
    }

    fn failure(&mut self, record: Map<String, Value>) {
        self.stream.seen += 1;
        if self.stream.failures.len() < FAILURES_MAX {
            let full = self.held_bytes >= HELD_BYTES_MAX;
            let mut texts =
                Texts { bytes_max: if full { TEXT_BYTES_FULL } else { TEXT_BYTES_MAX }, held_bytes: 0 };
            self.stream.failures.push(texts.failure(record));
            self.held_bytes += texts.held_bytes;
        }
    }

    /// Of the tests that did not fail only the passed ones are evidence of anything.
    fn test(&mut self, mut record: Map<String, Value>) {
        let passed = string(&mut record, "outcome").is_some_and(|outcome| outcome == "passed");
        let id = string(&mut record, "id").filter(|id| passed && id.len() <= TEXT_BYTES_FULL);
        if let Some(id) = id.filter(|_| self.stream.passed.len() < PASSED_MAX) {
            let plain = id.split('[').next().unwrap_or(&id);
            self.stream.passed.insert(plain.to_owned());
        }
    }

    fn end(&mut self, record: Map<String, Value>) {
        self.ends += 1;
        match end(record) {
            Some(end) => self.stream.end = Some(end),
            None => drop(self.unreadable.get_or_insert(self.lines)),
        }
    }

    fn finish(mut self) -> Stream {
        self.stream.broken = if self.lines == 0 {
            Some(Broken::Empty)
        } else if self.records == 0 {
            Some(Broken::NoRecords)
        } else if self.ends == 0 {
            Some(Broken::NoEnd)
        } else if self.ends > 1 {
            Some(Broken::SeveralEnds)
        } else if self.behind_end {
            Some(Broken::BehindEnd)
        } else {
            self.unreadable.map(Broken::Unreadable)
        };
        self.stream
    }
}

/// A line's type and fields; a byte that is not UTF-8 costs itself, not the record.
fn record(line: &[u8]) -> Option<(String, Map<String, Value>)> {
    let Ok(Value::Object(mut record)) = serde_json::from_str(&String::from_utf8_lossy(line)) else {
        return None;
    };
    match record.swap_remove("type") {
        Some(Value::String(kind)) => Some((kind, record)),
        _ => None,
    }
}

/// `None` where the record holds no verdict that this version knows.
fn end(mut record: Map<String, Value>) -> Option<End> {
    let mut texts = Texts { bytes_max: TEXT_BYTES_MAX, held_bytes: 0 };
    let outcome = typed(&mut record, "outcome")?;
    let mut counts = object(&mut record, "counts");
    let mut trace = object(&mut record, "trace");
    Some(End {
        outcome,
        reason: texts.text(&mut record, "reason").filter(|reason| is_word(reason)),
        message: texts.text(&mut record, "message"),
        counts: Counts {
            passed: typed(&mut counts, "passed"),
            failed: typed(&mut counts, "failed"),
            errored: typed(&mut counts, "errored"),
            skipped: typed(&mut counts, "skipped"),
        },
        exit_is_zero: record.get("exit").map(|exit| exit.as_u64() == Some(0)),
        trace: typed(&mut trace, "hash")
            .filter(|_| typed(&mut trace, "archived") == Some(true))
            .and_then(short_hash),
    })
}

/// A reason's name: it becomes part of a rule's id.
fn is_word(reason: &str) -> bool {
    (1..=32).contains(&reason.len()) && reason.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
}

fn short_hash(hash: String) -> Option<String> {
    let digits = hash.get(..12)?;
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| digits.to_owned())
}

/// Takes texts out of a record, cleaned and cut, and counts their bytes.
struct Texts {
    bytes_max: usize,
    held_bytes: usize,
}

impl Texts {
    fn failure(&mut self, mut record: Map<String, Value>) -> Failure {
        let record = &mut record;
        let (expected, observed) = self.sides(record);
        Failure {
            id: self.text(record, "id"),
            kind: typed(record, "kind").unwrap_or_default(),
            message: self.text(record, "message"),
            exception_type: self.text(record, "exception_type"),
            expected,
            observed,
            counterexample: self.counterexample(record),
            test: self.place(record, "test"),
            fault: self.place(record, "fault"),
            frames: self.frames(record),
            rule: self.text(record, "rule"),
            vector_index: typed(record, "vector_index"),
            adapter: self.text(record, "adapter"),
            state: typed::<State>(record, "state"),
            attempt: typed(record, "attempt"),
            ..Failure::default()
        }
    }

    /// A text field; an empty one says nothing.
    fn text(&mut self, record: &mut Map<String, Value>, name: &str) -> Option<String> {
        let text = redact::clean(&string(record, name)?).trim().to_owned();
        (!text.is_empty()).then(|| self.held(cut::middle(&text, self.bytes_max)))
    }

    /// The two sides. An empty side is a value like any other, and blanks at the ends belong to it. Sides
    /// that differ only in what cleaning takes out are shown with escapes.
    fn sides(&mut self, record: &mut Map<String, Value>) -> (Option<String>, Option<String>) {
        let (expected, observed) = (string(record, "expected"), string(record, "observed"));
        let mut clean = [expected.as_deref().map(redact::clean), observed.as_deref().map(redact::clean)];
        if clean[0] == clean[1] && expected != observed {
            clean = [expected.as_deref().map(redact::escaped), observed.as_deref().map(redact::escaped)];
        }
        match clean {
            [Some(expected), Some(observed)] => {
                let (expected, observed) = budget::sides(&expected, &observed, self.bytes_max);
                (Some(self.held(expected)), Some(self.held(observed)))
            }
            clean => {
                let [expected, observed] =
                    clean.map(|side| side.map(|side| self.held(cut::middle(&side, self.bytes_max))));
                (expected, observed)
            }
        }
    }

    fn counterexample(&mut self, record: &mut Map<String, Value>) -> Option<Map<String, Value>> {
        let inputs = object(record, "counterexample");
        let mut kept = Map::new();
        for (name, mut value) in inputs.into_iter().take(INPUTS_MAX) {
            let name = cut::middle(&redact::clean(&name), TEXT_BYTES_FULL);
            clean_value(&mut value);
            let text = match &value {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            self.held_bytes += name.len() + text.len().min(self.bytes_max);
            if text.len() > self.bytes_max {
                value = Value::String(cut::middle(&text, self.bytes_max));
            }
            kept.insert(name, value);
        }
        (!kept.is_empty()).then_some(kept)
    }

    fn frames(&mut self, record: &mut Map<String, Value>) -> Vec<Place> {
        let Some(Value::Array(frames)) = record.swap_remove("frames") else { return Vec::new() };
        let frames =
            frames.into_iter().take(bv_schemas::record::FRAMES_MAX).filter_map(|frame| match frame {
                Value::Object(frame) => self.place_of(frame),
                _ => None,
            });
        frames.collect()
    }

    fn place(&mut self, record: &mut Map<String, Value>, name: &str) -> Option<Place> {
        self.place_of(object(record, name))
    }

    fn place_of(&mut self, mut place: Map<String, Value>) -> Option<Place> {
        let place = Place {
            file: self.text(&mut place, "file"),
            line: typed(&mut place, "line").filter(|line| (1..=LINE_MAX).contains(line)),
            function: self.text(&mut place, "function"),
        };
        (place != Place::default()).then_some(place)
    }

    fn held(&mut self, text: String) -> String {
        self.held_bytes += text.len();
        text
    }
}

/// Values nest at most as deep as the JSON reader lets them, so recursion is bounded.
fn clean_value(value: &mut Value) {
    match value {
        Value::String(text) => *text = redact::clean(text),
        Value::Array(items) => items.iter_mut().for_each(clean_value),
        Value::Object(fields) => {
            *fields = std::mem::take(fields)
                .into_iter()
                .map(|(name, mut value)| {
                    clean_value(&mut value);
                    (redact::clean(&name), value)
                })
                .collect();
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn string(record: &mut Map<String, Value>, name: &str) -> Option<String> {
    match record.swap_remove(name) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

fn object(record: &mut Map<String, Value>, name: &str) -> Map<String, Value> {
    match record.swap_remove(name) {
        Some(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

fn typed<T: for<'de> serde::Deserialize<'de>>(record: &mut Map<String, Value>, name: &str) -> Option<T> {
    serde_json::from_value(record.swap_remove(name)?).ok()
}

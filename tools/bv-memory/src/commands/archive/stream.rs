//! The stream as `archive` sees it: lines that pass at once, lines that are held, what they say.

use crate::history::History;
use crate::passed::{self, Passing};
use bv_schemas::ndjson;
use serde_json::{Map, Value};
use std::io::{self, BufRead, Write};

/// Failures that are held and stored; bv-parse gives no more.
const FAILURES_MAX: usize = 10_000;
/// Bytes of lines that are held.
const HELD_BYTES_MAX: usize = 64 << 20;
/// Lines that are no records and are named one by one.
const STRANGERS_MAX: u64 = 10;

/// A stream on its way.
pub struct Stream<W: Write> {
    output: io::BufWriter<W>,
    /// Why `output` takes no more; the reading goes on.
    gone: Option<io::Error>,
    held: Vec<Held>,
    held_bytes: usize,
    passing: Passing,
    lines: u64,
    /// Lines that are no records.
    strangers: u64,
    records: u64,
    failures: usize,
    ends: u64,
    /// Whether lines passed without being stored, or behind the end: then the stream has no verdict.
    broken: bool,
}

/// A line that is held.
enum Held {
    /// Passes as it came.
    Line(Vec<u8>),
    /// A failure, as it came and as it is read.
    Failure { line: Vec<u8>, record: Map<String, Value>, history: Option<History> },
    /// The end record; its record instead of its line where something was added.
    End { line: Vec<u8>, record: Map<String, Value>, changed: bool },
}

impl<W: Write> Stream<W> {
    /// A stream that goes on to `output`.
    pub fn new(output: W) -> Stream<W> {
        Stream {
            output: io::BufWriter::new(output),
            gone: None,
            held: Vec::new(),
            held_bytes: 0,
            passing: Passing::default(),
            lines: 0,
            strangers: 0,
            records: 0,
            failures: 0,
            ends: 0,
            broken: false,
        }
    }

    /// Reads `input` to its end.
    ///
    /// # Errors
    /// Those of `input`.
    pub fn read(&mut self, mut input: impl BufRead) -> io::Result<()> {
        let mut line = Vec::new();
        while ndjson::read_line(&mut input, &mut line)? {
            self.lines += 1;
            self.take(&line);
        }
        if self.strangers > STRANGERS_MAX {
            crate::warn(&format!("{} lines are no records, passed on", self.strangers));
        }
        if self.passing.is_too_long() {
            crate::warn("too many tests to remember which of them passed");
        }
        Ok(())
    }

    fn take(&mut self, line: &[u8]) {
        let Some((kind, record)) = record(line) else {
            if !line.iter().all(u8::is_ascii_whitespace) {
                self.broken = true;
                self.strangers += 1;
                if self.strangers <= STRANGERS_MAX {
                    crate::warn(&format!("no record, passed on: line {}", self.lines));
                }
            }
            return self.keep(Held::Line(line.to_vec()), line.len());
        };
        self.records += 1;
        self.broken |= self.ends > 0;
        let (line, bytes) = (line.to_vec(), line.len());
        match kind.as_str() {
            "failure" if self.failures < FAILURES_MAX => {
                self.failures += 1;
                // A record is as large as its line twice: as it came, and as it is read.
                self.keep(Held::Failure { line, record, history: None }, 2 * bytes);
            }
            "failure" => {
                self.broken = true;
                self.keep(Held::Line(line), bytes);
            }
            "end" => {
                self.ends += 1;
                self.keep(Held::End { line, record, changed: false }, 2 * bytes);
            }
            _ => {
                if let Some(name) = passed::name(&kind, &record) {
                    self.passing.add(name);
                }
                self.keep(Held::Line(line), bytes);
            }
        }
    }

    /// Lines before the first failure pass at once, and all lines once there are too many to hold.
    fn keep(&mut self, held: Held, bytes: usize) {
        if self.held.is_empty() && matches!(held, Held::Line(_)) || self.held_bytes + bytes > HELD_BYTES_MAX {
            self.overflow(&held);
            return self.write(&held);
        }
        self.held_bytes += bytes;
        self.held.push(held);
    }

    /// Lets all go that is held, for good, when `held` is one too many.
    fn overflow(&mut self, held: &Held) {
        if self.held.is_empty() && matches!(held, Held::Line(_)) {
            return;
        }
        if !self.broken {
            crate::warn("the stream is too large to be archived whole");
        }
        self.broken = true;
        for held in std::mem::take(&mut self.held) {
            self.write(&held);
        }
    }

    fn write(&mut self, held: &Held) {
        if self.gone.is_some() {
            return;
        }
        let written = match held {
            Held::Line(line) | Held::Failure { line, history: None, .. } => whole(&mut self.output, line),
            Held::Failure { line, record, history: Some(history) } => self
                .output
                .write_all(&enriched(line, record, history))
                .and_then(|()| self.output.write_all(b"\n")),
            Held::End { line, changed: false, .. } => whole(&mut self.output, line),
            Held::End { record, .. } => ndjson::write(&mut self.output, record),
        };
        self.gone = written.err();
    }

    /// Writes what is held.
    ///
    /// # Errors
    /// Those of the output.
    pub fn finish(mut self) -> io::Result<()> {
        for held in std::mem::take(&mut self.held) {
            self.write(&held);
        }
        match self.gone.take() {
            Some(wrong) => {
                // What could not be written is dropped here, not tried again by the writer's own drop.
                let _ = self.output.into_parts();
                Err(wrong)
            }
            None => self.output.flush(),
        }
    }

    /// Whether there was any record at all.
    pub fn has_records(&self) -> bool {
        self.records > 0
    }

    /// The failures, in order.
    pub fn failures(&self) -> impl Iterator<Item = &Map<String, Value>> {
        self.held.iter().filter_map(|held| match held {
            Held::Failure { record, .. } => Some(record),
            _ => None,
        })
    }

    /// The last `end` record.
    pub fn end(&self) -> Option<&Map<String, Value>> {
        self.held.iter().rev().find_map(|held| match held {
            Held::End { record, .. } => Some(record),
            _ => None,
        })
    }

    /// The `end` record, where the framing of the stream leaves it to be trusted.
    pub fn verdict(&self) -> Option<&Map<String, Value>> {
        self.end().filter(|_| self.ends == 1 && !self.broken)
    }

    /// The tests that passed.
    pub fn passing(&self) -> &Passing {
        &self.passing
    }

    /// Says in the `end` record that its trace is archived.
    pub fn mark_archived(&mut self) {
        for held in &mut self.held {
            if let Held::End { record, changed, .. } = held
                && let Some(Value::Object(trace)) = record.get_mut("trace")
            {
                trace.insert("archived".into(), true.into());
                *changed = true;
            }
        }
    }

    /// Gives each failure its history.
    pub fn add(&mut self, histories: &[History]) {
        let failures = self.held.iter_mut().filter_map(|held| match held {
            Held::Failure { history, .. } => Some(history),
            _ => None,
        });
        for (slot, history) in failures.zip(histories) {
            *slot = Some(history.clone());
        }
    }
}

/// What a history adds to a record.
pub fn members(history: &History) -> Vec<(&'static str, Value)> {
    let mut members = vec![
        ("state", serde_json::to_value(history.state).unwrap_or_default()),
        ("attempt", history.attempt.into()),
    ];
    members.extend(history.since.clone().map(|since| ("since", since.into())));
    members
}

/// The line with the history at its end, everything else byte for byte as it came; a line that has been
/// archived before is written anew.
fn enriched(line: &[u8], record: &Map<String, Value>, history: &History) -> Vec<u8> {
    let members = members(history);
    let open = line.trim_ascii_end().strip_suffix(b"}");
    match open {
        Some(open) if !members.iter().any(|(name, _)| record.contains_key(*name)) => {
            let mut line = open.trim_ascii_end().to_vec();
            for (name, value) in members {
                line.extend_from_slice(format!(",\"{name}\":{value}").as_bytes());
            }
            line.push(b'}');
            line
        }
        _ => {
            let mut record = record.clone();
            for (name, value) in members {
                record.insert(name.into(), value);
            }
            Value::Object(record).to_string().into_bytes()
        }
    }
}

fn whole(output: &mut impl Write, line: &[u8]) -> io::Result<()> {
    output.write_all(line)?;
    output.write_all(b"\n")
}

/// A line's type, and all its members.
fn record(line: &[u8]) -> Option<(String, Map<String, Value>)> {
    let Ok(Value::Object(record)) = serde_json::from_slice(line) else { return None };
    let kind = record.get("type")?.as_str()?.to_owned();
    Some((kind, record))
}

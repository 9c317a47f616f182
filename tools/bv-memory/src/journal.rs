//! The journal of a run: what the archive knows of it, one file, written once and never changed.
//!
//! ```text
//! {"type":"run", …}       the run: project, runner, command, its `end` record
//! {"type":"failure", …}   each failure record, with its receipt
//! {"type":"seal", …}      how many lines stand above, and their BLAKE3
//! ```
//!
//! All text in it is masked. A journal without its seal was damaged after it was written; what is whole of
//! it is still evidence of failures, and of nothing else.

use bv_schemas::{Counts, Kind, Outcome, Reason};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::io::{self, Read};

/// The longest journal that is read, in bytes.
pub const BYTES_MAX: u64 = 256 << 20;

/// A run and its failures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Journal {
    /// The run.
    pub run: Run,
    /// Its failures, in the order of the stream.
    pub failures: Vec<Seen>,
    /// Whether the seal is there and right.
    pub sealed: bool,
}

/// What a run was.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Which project: the name that `git.rs` makes, or `--project`.
    pub project: String,
    /// The state of the code that ran, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The `end` record; absent where the stream was cut off before it, or broken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<Map<String, Value>>,
    /// The hash of the object that lists the tests that passed, as JSON strings, one a line, sorted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passed: Option<String>,
    /// The receipt of a run that names no failure and did not pass, a line of JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt: Option<String>,
}

/// A failure of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// The `failure` record as it was passed on.
    pub record: Map<String, Value>,
    /// Its receipt, a line of JSON; absent where bv-receipt was not found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line {
    Run(Run),
    Failure(Seen),
    Seal { lines: u64, hash: String },
}

impl Journal {
    /// The journal as it is stored.
    ///
    /// # Errors
    /// None that memory does not have.
    pub fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut lines = 1;
        bv_schemas::ndjson::write(&mut bytes, &Line::Run(self.run.clone()))?;
        for seen in &self.failures {
            bv_schemas::ndjson::write(&mut bytes, &Line::Failure(seen.clone()))?;
            lines += 1;
        }
        let hash = blake3::hash(&bytes).to_hex().to_string();
        bv_schemas::ndjson::write(&mut bytes, &Line::Seal { lines, hash })?;
        Ok(bytes)
    }

    /// Reads a journal as far as it is whole.
    ///
    /// # Errors
    /// Those of `input`; `InvalidData` where not even its first line can be read.
    pub fn read(input: impl Read) -> io::Result<Journal> {
        let mut bytes = Vec::new();
        input.take(BYTES_MAX).read_to_end(&mut bytes)?;
        let (mut run, mut failures, mut sealed) = (None, Vec::new(), false);
        let (mut above, mut count) = (0, 0);
        for line in bytes.split_inclusive(|&b| b == b'\n') {
            match serde_json::from_slice(line) {
                Ok(Line::Run(first)) if run.is_none() => run = Some(first),
                Ok(Line::Failure(seen)) if run.is_some() => failures.push(seen),
                Ok(Line::Seal { lines, hash }) => {
                    let is_last = above + line.len() == bytes.len() && line.ends_with(b"\n");
                    let is_right = blake3::hash(&bytes[..above]).to_hex().as_str() == hash;
                    sealed = is_last && is_right && lines == count;
                    break;
                }
                // Torn, or of a later version: nothing below can be trusted to be whole.
                _ => break,
            }
            above += line.len();
            count += 1;
        }
        let run = run.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "the journal has no run"))?;
        Ok(Journal { run, failures, sealed })
    }
}

impl Run {
    /// The verdict, where the stream had one that this version knows.
    pub fn outcome(&self) -> Option<Outcome> {
        typed(self.end.as_ref()?, "outcome")
    }

    /// Why it was refused.
    pub fn reason(&self) -> Option<Reason> {
        typed(self.end.as_ref()?, "reason")
    }

    /// The runner; all of them, joined, where several spoke.
    pub fn runner(&self) -> String {
        let end = self.end.as_ref();
        let all: Vec<String> = end.and_then(|end| typed(end, "runners")).unwrap_or_default();
        if all.is_empty() {
            end.and_then(|end| typed(end, "runner")).unwrap_or_default()
        } else {
            all.join("+")
        }
    }

    /// What was run; nothing where the stream does not say.
    pub fn command(&self) -> Vec<String> {
        self.end.as_ref().and_then(|end| typed(end, "command")).unwrap_or_default()
    }

    /// How many tests the runner says it ran, those left out not counted.
    pub fn tests(&self) -> Option<u64> {
        let counts: Counts = self.end.as_ref().and_then(|end| typed(end, "counts"))?;
        let ran = [counts.passed, counts.failed, counts.errored];
        let known = ran.iter().any(Option::is_some);
        known.then(|| ran.into_iter().flatten().fold(0, u64::saturating_add))
    }

    /// The hash of its trace.
    pub fn trace(&self) -> Option<String> {
        self.end.as_ref()?.get("trace")?.get("hash")?.as_str().map(str::to_owned)
    }

    /// Whether the trace was in the archive when the run was stored.
    pub fn trace_is_archived(&self) -> bool {
        let said = self.end.as_ref().and_then(|end| end.get("trace")?.get("archived")?.as_bool());
        said.unwrap_or(false)
    }
}

impl Seen {
    /// By which a newer run names the same failure: the test, else the rule in its file, else the kind.
    ///
    /// A finding of a checker belongs to no test. Its file keeps a run over other files from superseding it.
    pub fn key(&self) -> String {
        let text = |name| self.record.get(name).and_then(Value::as_str);
        if let Some(id) = text("id") {
            return id.to_owned();
        }
        let file = ["fault", "test"].iter().find_map(|place| self.record.get(*place)?.get("file")?.as_str());
        let rule =
            text("rule").map_or_else(|| format!("bv.{}", text("kind").unwrap_or("failure")), str::to_owned);
        file.map_or_else(|| rule.clone(), |file| format!("{rule} {file}"))
    }

    /// Whether it keeps tests from being run at all.
    pub fn is_load_error(&self) -> bool {
        matches!(typed(&self.record, "kind"), Some(Kind::CompileError | Kind::CollectionError))
    }

    /// Its block in the trace.
    pub fn span(&self) -> Option<[u64; 2]> {
        typed(&self.record, "span")
    }
}

/// A field as this version knows it.
fn typed<T: serde::de::DeserializeOwned>(record: &Map<String, Value>, name: &str) -> Option<T> {
    T::deserialize(record.get(name)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(text: &str) -> Map<String, Value> {
        serde_json::from_str(text).expect("an object")
    }

    fn journal() -> Journal {
        let end = r#"{"type":"end","outcome":"failed","runner":"pytest","counts":{"failed":1,"passed":2,"skipped":9}}"#;
        let run = Run { project: "p".into(), end: Some(object(end)), ..Run::default() };
        let seen =
            |id| Seen { record: object(&format!(r#"{{"type":"failure","id":"{id}"}}"#)), receipt: None };
        Journal { run, failures: vec![seen("a"), seen("b")], sealed: true }
    }

    #[test]
    fn what_was_written_is_read() {
        let journal = journal();
        let bytes = journal.to_bytes().expect("memory does not fail");
        assert_eq!(Journal::read(&bytes[..]).expect("it is whole"), journal);
        assert_eq!((journal.run.tests(), journal.run.runner().as_str()), (Some(3), "pytest"));
    }

    #[test]
    fn a_journal_cut_anywhere_is_never_sealed_and_gives_its_whole_lines() {
        let journal = journal();
        let bytes = journal.to_bytes().expect("memory does not fail");
        for cut in 0..bytes.len() {
            let lines = bytes[..cut].iter().filter(|&&b| b == b'\n').count();
            match Journal::read(&bytes[..cut]) {
                Ok(read) => {
                    assert!(!read.sealed && read.run == journal.run, "{cut}");
                    let whole = lines.saturating_sub(1);
                    assert!(
                        read.failures.len() >= whole && journal.failures.starts_with(&read.failures),
                        "{cut}"
                    );
                }
                Err(wrong) => assert!(wrong.kind() == io::ErrorKind::InvalidData && lines == 0, "{cut}"),
            }
        }
    }

    #[test]
    fn a_journal_that_was_changed_is_not_sealed() {
        let bytes = journal().to_bytes().expect("memory does not fail");
        let changed = String::from_utf8(bytes).expect("JSON").replace(r#""id":"a""#, r#""id":"z""#);
        assert!(!Journal::read(changed.as_bytes()).expect("it reads").sealed);
    }

    #[test]
    fn a_failure_goes_by_its_test_else_by_rule_and_file() {
        for (record, expected) in [
            (r#"{"id":"t","rule":"r"}"#, "t"),
            (r#"{"rule":"F401","test":{"file":"a.py","line":3}}"#, "F401 a.py"),
            (r#"{"kind":"crash"}"#, "bv.crash"),
            (r#"{}"#, "bv.failure"),
        ] {
            assert_eq!(Seen { record: object(record), receipt: None }.key(), expected, "{record}");
        }
    }
}

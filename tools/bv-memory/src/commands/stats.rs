//! `stats`: raw output against receipts, in bytes and tokens: of all runs in the archive, or of a transcript.
//!
//! Tokens are an estimate, and the line names the estimator. A run counts when both sides are known: its trace is in
//! the archive, and it has a receipt.

use crate::archive::Archive;
use crate::commands::compact;
use crate::journal::{Journal, Run};
use crate::store::{Key, Kind};
use crate::transcript::{self, Evidence};
use crate::{receipts, tokens};
use blake3::Hash;
use bv_schemas::{Counts, Outcome, Receipt, Status, exit, ndjson};
use serde::Serialize;
use serde_json::{Map, Value};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// What to count.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Count the test output in the transcript on standard input, instead of the archive
    #[arg(long)]
    transcript: bool,
    /// Directory that holds the sources which a transcript's receipts name
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
}

/// Counting the tokens of a longer trace would take minutes.
const TRACE_BYTES_MAX: u64 = 64 << 20;

/// Raw output against receipts.
#[derive(Debug, Default, Serialize)]
struct Sides {
    /// Runs that count.
    runs: u64,
    /// Runs that do not: one of the sides is not known, or the trace is longer than is counted.
    left_out: u64,
    raw_bytes: u64,
    raw_tokens: u64,
    receipt_bytes: u64,
    receipt_tokens: u64,
}

#[derive(Serialize)]
struct Line {
    r#type: &'static str,
    #[serde(flatten)]
    sides: Sides,
    #[serde(skip_serializing_if = "Option::is_none")]
    superseded: Option<usize>,
    estimator: &'static str,
}

/// Writes one line of JSON.
///
/// # Errors
/// Those of the archive, of `input` and of `output`.
pub fn run(
    args: &Args,
    archive: impl FnOnce() -> io::Result<Archive>,
    mut input: impl Read,
    output: &mut impl Write,
) -> io::Result<u8> {
    let mut sides = Sides::default();
    let superseded = if args.transcript {
        let document = compact::read(&mut input, |_| Ok(()))?.unwrap_or_default();
        let plan = transcript::plan(&document, archive().ok().as_ref());
        compact::warn_of(&plan, &document);
        for told in &plan.told {
            sides.add(told.text.as_bytes(), of_evidence(&told.evidence, &args.root).as_deref());
        }
        Some(plan.told.iter().filter(|told| told.stub.is_some()).count())
    } else {
        of_archive(&archive()?, &mut sides)?;
        None
    };
    let kind = if args.transcript { "transcript" } else { "archive" };
    ndjson::write(output, &Line { r#type: kind, sides, superseded, estimator: tokens::ESTIMATOR })?;
    output.flush()?;
    Ok(exit::PASSED)
}

impl Sides {
    fn add(&mut self, raw: &[u8], receipt: Option<&str>) {
        let Some(receipt) = receipt else {
            self.left_out += 1;
            return;
        };
        self.runs += 1;
        self.raw_bytes += raw.len() as u64;
        self.raw_tokens += tokens::count(&String::from_utf8_lossy(raw));
        self.receipt_bytes += receipt.len() as u64;
        self.receipt_tokens += tokens::count(receipt);
    }
}

fn of_archive(archive: &Archive, sides: &mut Sides) -> io::Result<()> {
    for entry in archive.store().list(Kind::Journals)? {
        let journal = archive.store().get(entry.key).and_then(Journal::read).unwrap_or_default();
        let receipt = of_journal(&journal);
        match trace(archive, &journal.run) {
            Some(raw) => sides.add(&raw, receipt.as_deref()),
            None => sides.left_out += 1,
        }
    }
    Ok(())
}

fn trace(archive: &Archive, run: &Run) -> Option<Vec<u8>> {
    let hash = Hash::from_hex(run.trace()?).ok()?;
    if !archive.store().has(Key::Object(hash)).ok()? {
        return None;
    }
    let object = archive.fetch(hash).ok().filter(|object| object.length <= TRACE_BYTES_MAX)?;
    let mut raw = Vec::new();
    object.copy(&mut raw).ok()?;
    Some(raw)
}

/// What the run was answered with. Of the receipts of its failures one was shown.
fn of_journal(journal: &Journal) -> Option<String> {
    let first = journal.failures.first().and_then(|seen| seen.receipt.clone());
    first.or_else(|| journal.run.receipt.clone()).or_else(|| of_pass(&journal.run))
}

/// What bv-receipt would have answered with.
fn of_evidence(evidence: &Evidence, root: &Path) -> Option<String> {
    let first = evidence.failures.iter().take(1).map(|seen| &seen.record);
    let end: &Map<String, Value> = evidence.run.end.as_ref()?;
    of_pass(&evidence.run).or_else(|| receipts::of(root, first, end).ok()?.pop())
}

fn of_pass(run: &Run) -> Option<String> {
    let counts = run.end.as_ref()?.get("counts").cloned().unwrap_or_default();
    let counts: Counts = serde_json::from_value(counts).unwrap_or_default();
    let receipt = Receipt {
        status: Status::Passed,
        vectors_verified: Some(counts.passed.unwrap_or(0)),
        skipped: counts.skipped.filter(|&skipped| skipped > 0),
        ..Receipt::default()
    };
    let passed = run.outcome() == Some(Outcome::Passed);
    passed.then(|| serde_json::to_string(&receipt).ok()).flatten()
}

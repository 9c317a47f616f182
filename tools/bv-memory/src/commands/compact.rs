//! `compact`: a transcript passes, test output of the past is taken out of it and kept in the archive.

use crate::archive::Archive;
use crate::store::Address;
use crate::tokens;
use crate::transcript::{self, Plan, Removal};
use bv_schemas::{exit, ndjson};
use serde::Serialize;
use std::io::{self, Read, Write};

/// The longest transcript that is looked at; a longer one passes as it is.
const TRANSCRIPT_BYTES_MAX: u64 = 512 << 20;

/// What to compact.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Write what would go instead, one JSON object a result and one for all; nothing is stored
    #[arg(long)]
    dry_run: bool,
}

/// One result that would go.
#[derive(Serialize)]
struct Going<'a> {
    r#type: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    runner: &'a str,
    failed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<&'a str>,
    bytes: usize,
    tokens: u64,
    trace: String,
}

/// All of it. `bytes` and `tokens` are those of the texts, `bytes_saved` is what the transcript gets shorter by.
#[derive(Serialize)]
struct Total {
    r#type: &'static str,
    texts: usize,
    runs: usize,
    superseded: usize,
    bytes: u64,
    bytes_saved: u64,
    tokens: u64,
    tokens_saved: u64,
    estimator: &'static str,
}

/// Passes the transcript in `input` to `output`.
///
/// # Errors
/// Those of `input` and `output`; of the archive none: what cannot be kept stays where it is.
pub fn run(
    args: &Args,
    address: io::Result<Address>,
    mut input: impl Read,
    mut output: impl Write,
) -> io::Result<u8> {
    let mut document = Vec::new();
    input.by_ref().take(TRANSCRIPT_BYTES_MAX + 1).read_to_end(&mut document)?;
    if document.len() as u64 > TRANSCRIPT_BYTES_MAX {
        crate::warn(&format!(
            "the transcript is longer than {TRANSCRIPT_BYTES_MAX} bytes; it passes as it is"
        ));
        if !args.dry_run {
            output.write_all(&document)?;
            io::copy(&mut input, &mut output)?;
        }
        return Ok(exit::PASSED);
    }
    let archive = address.and_then(|address| Archive::open(&address));
    let mut plan = transcript::plan(&document, archive.as_ref().ok());
    if let Some(why) = &plan.blind {
        crate::warn(&format!("runners' raw output is left alone: {why}"));
    }
    if plan.texts == 0 && !document.is_empty() {
        crate::warn("no tool result in it, or no transcript; it passes as it is");
    }
    if args.dry_run {
        report(&plan, &mut output)?;
    } else {
        keep(&mut plan, archive);
        output.write_all(&transcript::apply(&document, &plan.removals))?;
    }
    output.flush()?;
    Ok(exit::PASSED)
}

/// Stores what goes; what cannot be stored does not go.
fn keep(plan: &mut Plan, archive: io::Result<Archive>) {
    if plan.removals.is_empty() {
        return;
    }
    let mut lost = None;
    match archive {
        Ok(archive) => plan.removals.retain(|removal| match archive.keep(removal.text.as_bytes()) {
            Ok(_) => true,
            Err(wrong) => {
                lost = Some(wrong);
                false
            }
        }),
        Err(wrong) => {
            plan.removals.clear();
            lost = Some(wrong);
        }
    }
    if let Some(wrong) = lost {
        crate::warn(&format!("what cannot be archived stays in the transcript: {wrong}"));
    }
}

fn report(plan: &Plan, output: &mut impl Write) -> io::Result<()> {
    let mut total = Total {
        r#type: "compact",
        texts: plan.texts,
        runs: plan.runs,
        superseded: plan.removals.len(),
        bytes: 0,
        bytes_saved: 0,
        tokens: 0,
        tokens_saved: 0,
        estimator: tokens::ESTIMATOR,
    };
    for Removal { span, text, stub, runner, failed, first } in &plan.removals {
        let (tokens, bytes) = (tokens::count(text), text.len() as u64);
        total.bytes += bytes;
        total.bytes_saved += (span.len() - stub.len() - "\"\"".len()) as u64;
        total.tokens += tokens;
        total.tokens_saved += tokens.saturating_sub(tokens::count(stub));
        let trace = blake3::hash(text.as_bytes()).to_hex().to_string();
        let first = first.as_deref();
        ndjson::write(
            output,
            &Going { r#type: "superseded", runner, failed: *failed, first, bytes: text.len(), tokens, trace },
        )?;
    }
    ndjson::write(output, &total)
}

//! `compact`: a transcript passes, test output of the past is taken out of it and kept in the archive.

use crate::archive::Archive;
use crate::store::Address;
use crate::tokens;
use crate::transcript::{self, Plan, Told};
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
    trace: &'a str,
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
    let Some(document) = read(&mut input, |long| output.write_all(if args.dry_run { b"" } else { long }))?
    else {
        if !args.dry_run {
            io::copy(&mut input, &mut output)?;
        }
        return Ok(exit::PASSED);
    };
    let archive = address.and_then(|address| Archive::open(&address));
    let mut plan = transcript::plan(&document, archive.as_ref().ok());
    warn_of(&plan, &document);
    if args.dry_run {
        report(&plan, &mut output)?;
    } else {
        keep(&mut plan, archive);
        output.write_all(&transcript::apply(&document, &plan.told))?;
    }
    output.flush()?;
    Ok(exit::PASSED)
}

/// The transcript; `None` where it is too long, and then `pass` has what was read of it.
///
/// # Errors
/// Those of `input` and of `pass`.
pub fn read(
    input: &mut impl Read,
    pass: impl FnOnce(&[u8]) -> io::Result<()>,
) -> io::Result<Option<Vec<u8>>> {
    let mut document = Vec::new();
    input.take(TRANSCRIPT_BYTES_MAX + 1).read_to_end(&mut document)?;
    if document.len() as u64 <= TRANSCRIPT_BYTES_MAX {
        return Ok(Some(document));
    }
    crate::warn(&format!("the transcript is longer than {TRANSCRIPT_BYTES_MAX} bytes; it is not looked at"));
    pass(&document).map(|()| None)
}

/// Says what was not looked at.
pub fn warn_of(plan: &Plan, document: &[u8]) {
    if let Some(why) = &plan.blind {
        crate::warn(&format!("runners' raw output is left alone: {why}"));
    }
    if plan.texts == 0 && !document.is_empty() {
        crate::warn("no tool result in it, or no transcript; it passes as it is");
    }
}

/// Stores what goes; what cannot be stored does not go.
fn keep(plan: &mut Plan, archive: io::Result<Archive>) {
    let mut lost = None;
    for told in plan.told.iter_mut().filter(|told| told.stub.is_some()) {
        let kept = match &archive {
            Ok(archive) => archive.keep(told.text.as_bytes()).map(drop),
            Err(wrong) => Err(io::Error::new(wrong.kind(), wrong.to_string())),
        };
        if let Err(wrong) = kept {
            told.stub = None;
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
        runs: plan.told.len(),
        superseded: 0,
        bytes: 0,
        bytes_saved: 0,
        tokens: 0,
        tokens_saved: 0,
        estimator: tokens::ESTIMATOR,
    };
    for (told, stub) in plan.told.iter().filter_map(|told| Some((told, told.stub.as_ref()?))) {
        let Told { span, text, evidence, .. } = told;
        let (tokens, first) = (tokens::count(text), evidence.first());
        total.superseded += 1;
        total.bytes += text.len() as u64;
        total.bytes_saved += (span.len() - stub.len() - "\"\"".len()) as u64;
        total.tokens += tokens;
        total.tokens_saved += tokens.saturating_sub(tokens::count(stub));
        let going = Going {
            r#type: "superseded",
            runner: &evidence.run.runner(),
            failed: evidence.failed(),
            first: first.as_deref(),
            bytes: text.len(),
            tokens,
            trace: &blake3::hash(text.as_bytes()).to_hex(),
        };
        ndjson::write(output, &going)?;
    }
    ndjson::write(output, &total)
}

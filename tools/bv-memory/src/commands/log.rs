//! `log`: the stored runs of a project, one JSON object a line, the newest first.

use crate::archive::Archive;
use crate::git;
use crate::id::RunId;
use crate::index::Run;
use bv_schemas::{exit, ndjson};
use serde::Serialize;
use serde_json::{Map, Value};
use std::io::{self, Write};
use std::path::PathBuf;

/// Which runs.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Directory that holds the sources
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// Name of the project; else the address of its git remote, else its path, and the folder in it
    #[arg(long, value_name = "NAME")]
    project: Option<String>,
    /// The runs of all projects
    #[arg(long, conflicts_with = "project")]
    all: bool,
    /// Runs to write at most
    #[arg(long, value_name = "N", default_value_t = 100)]
    max: usize,
}

#[derive(Serialize)]
struct Row<'a> {
    run: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    started_ms: Option<u64>,
    project: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    runner: &'a str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    command: &'a [String],
    /// Absent where the stream was cut off before its verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<bv_schemas::Outcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<Value>,
    failures: u64,
    /// How many of them nothing has superseded.
    live: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<&'a str>,
}

/// Writes the runs.
///
/// # Errors
/// Those of the archive and of `output`.
pub fn run(args: &Args, archive: &Archive, output: &mut impl Write) -> io::Result<u8> {
    let index = archive.index()?;
    let runs = if args.all {
        index.all_runs()?
    } else {
        index.runs_of(&args.project.clone().unwrap_or_else(|| git::project(&args.root)))?
    };
    let mut output = io::BufWriter::new(output);
    for run in runs.iter().take(args.max) {
        let (failures, live) = index.counts(&run.id)?;
        ndjson::write(&mut output, &row(run, failures, live))?;
    }
    output.flush()?;
    Ok(exit::PASSED)
}

fn row(run: &Run, failures: u64, live: u64) -> Row<'_> {
    let end: Option<Map<String, Value>> = run.end.as_deref().and_then(|end| serde_json::from_str(end).ok());
    Row {
        run: &run.id,
        started_ms: run.id.parse().ok().map(RunId::started_ms),
        project: &run.project,
        runner: &run.runner,
        command: &run.command,
        outcome: run.outcome,
        reason: end.and_then(|mut end| end.remove("reason")),
        failures,
        live,
        code: run.code.as_deref(),
        trace: run.trace.as_deref(),
    }
}

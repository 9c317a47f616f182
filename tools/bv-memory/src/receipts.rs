//! The receipts of a run's failures, made by the bv-receipt that lies beside this program or is on PATH.
//!
//! They are made when the run is stored, over the sources that just ran: made later they would name the
//! functions that stand at those lines by then.

use bv_schemas::ndjson;
use serde_json::{Map, Value};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

/// Failures of a run that get a receipt each.
pub const RECEIPTS_MAX: usize = 1_000;

/// One receipt for each of `failures` in their order, at most [`RECEIPTS_MAX`]; where there are none, the one
/// of the run.
///
/// # Errors
/// Where bv-receipt cannot be run, or answers otherwise.
pub fn of<'a>(
    root: &Path,
    failures: impl Iterator<Item = &'a Map<String, Value>>,
    end: &Map<String, Value>,
) -> io::Result<Vec<String>> {
    let mut stream = Vec::new();
    let mut count = 0;
    for failure in failures.take(RECEIPTS_MAX) {
        ndjson::write(&mut stream, failure)?;
        count += 1;
    }
    ndjson::write(&mut stream, end)?;
    let mut child = Command::new(program())
        .args(["--each=failure", "--exit-zero", "--root"])
        .arg(root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|wrong| io::Error::new(wrong.kind(), format!("cannot run bv-receipt: {wrong}")))?;
    let stdin = child.stdin.take();
    // Written by a thread of its own, so that neither pipe can fill while the other waits.
    let writer = thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(&stream)));
    let output = child.wait_with_output()?;
    let _ = writer.join();
    let text = String::from_utf8(output.stdout).map_err(io::Error::other)?;
    let receipts: Vec<String> = text.lines().map(str::to_owned).collect();
    if !output.status.success() || receipts.len() != count.max(1) {
        return Err(io::Error::other("bv-receipt did not give one receipt for each failure"));
    }
    Ok(receipts)
}

fn program() -> PathBuf {
    let name = Path::new("bv-receipt");
    let here = std::env::current_exe().ok();
    let beside = here.as_deref().and_then(Path::parent).map(|folder| folder.join(name));
    beside.filter(|program| program.is_file()).unwrap_or_else(|| name.to_owned())
}

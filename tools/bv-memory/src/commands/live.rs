//! `live`: the receipts that are still true, one a line, within a budget.
//!
//! For the start of a session and before a compaction. The same archive gives the same bytes, so that a prompt
//! that holds them stays in its cache: nothing here reads a clock or a source file.

use crate::archive::Archive;
use crate::git;
use crate::index::Failure;
use bv_schemas::exit;
use serde_json::Value;
use std::collections::HashSet;
use std::io::{self, Write};
use std::path::PathBuf;

/// Of which project, and how much.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Directory that holds the sources
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// Name of the project; else the address of its git remote, else its path, and the folder in it
    #[arg(long, value_name = "NAME")]
    project: Option<String>,
    /// Bytes to write at most, newlines counted; how many receipts are left out is said on stderr
    #[arg(long, value_name = "N")]
    max_bytes: Option<usize>,
}

/// Writes the live set.
///
/// # Errors
/// Those of the archive and of `output`.
pub fn run(args: &Args, archive: &Archive, output: &mut impl Write) -> io::Result<u8> {
    let project = args.project.clone().unwrap_or_else(|| git::project(&args.root));
    let failures = archive.index()?.live(&project)?;
    let receipts = in_order(&failures);
    let mut left = args.max_bytes.unwrap_or(usize::MAX);
    let mut written = 0;
    for receipt in receipts.iter().take_while(|receipt| {
        let fits = receipt.len() < left;
        left = left.saturating_sub(receipt.len() + 1);
        fits
    }) {
        writeln!(output, "{receipt}")?;
        written += 1;
    }
    output.flush()?;
    if written < failures.len() {
        crate::warn(&format!("{written} of {} live failures shown; bv-memory log has all", failures.len()));
    }
    Ok(exit::PASSED)
}

/// The receipts, newest run first; those that add a place before those that repeat one, so that a budget
/// is not spent on forty tests that one fault breaks.
fn in_order(failures: &[Failure]) -> Vec<&str> {
    let receipts: Vec<&str> = failures.iter().filter_map(|failure| failure.receipt.as_deref()).collect();
    let mut seen = HashSet::new();
    let (mut first, mut again) = (Vec::new(), Vec::new());
    for receipt in receipts {
        if seen.insert(place(receipt)) { &mut first } else { &mut again }.push(receipt);
    }
    first.append(&mut again);
    first
}

/// Where a receipt points; itself where it says no place.
fn place(receipt: &str) -> String {
    let value: Value = serde_json::from_str(receipt).unwrap_or_default();
    match &value["ast_location"] {
        Value::Null => receipt.to_owned(),
        place => format!("{}:{}", place["file"], place["line"]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_points_elsewhere_comes_before_what_repeats() {
        let at = |id: &str, line: u64| {
            format!(
                r#"{{"status":"x","failed_rule_id":"{id}","ast_location":{{"file":"a.py","line":{line}}}}}"#
            )
        };
        let receipts = [at("a", 1), at("b", 1), at("c", 2), r#"{"status":"x"}"#.into()];
        let failures: Vec<Failure> = receipts
            .iter()
            .map(|receipt| Failure { receipt: Some(receipt.clone()), ..Failure::default() })
            .collect();
        let expected = [&receipts[0], &receipts[2], &receipts[3], &receipts[1]];
        assert_eq!(in_order(&failures), expected.map(String::as_str));
    }
}

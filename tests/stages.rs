//! The stages, run in this process: quick, and the same code as the binaries.

use serde_json::Value;
use std::path::Path;

/// `bv-parse ARGS < raw`.
///
/// # Panics
/// When it fails: reading and writing memory does not.
pub fn parse(args: &[&str], raw: &[u8]) -> Vec<u8> {
    parse_by(&[], args, raw)
}

/// The same with formats that the user brings.
///
/// # Panics
/// When it fails, also on formats that are refused.
pub fn parse_by(formats: &[bv_parse::FormatFile], args: &[&str], raw: &[u8]) -> Vec<u8> {
    let mut args =
        <bv_parse::Args as clap::Parser>::parse_from(std::iter::once("bv-parse").chain(args.iter().copied()));
    args.format_files = formats.to_vec();
    let mut events = Vec::new();
    let code = bv_parse::run(&args, &mut &raw[..], &mut events).expect("memory does not fail");
    assert_eq!(code, 0, "bv-parse did its work");
    events
}

/// `bv-receipt --root ROOT ARGS < events`: the line, and the exit status.
///
/// # Panics
/// When it fails: it answers any input.
pub fn receipt(root: &Path, args: &[&str], events: &[u8]) -> (String, u8) {
    let root = root.to_str().expect("fixtures have plain names");
    // The fixtures lie in a work tree of our own, whose changes are not theirs.
    let asked = args.contains(&"--since") || args.contains(&"--no-diff");
    let unasked = Some("--no-diff").filter(|_| !asked);
    let line = ["bv-receipt", "--root", root].into_iter().chain(unasked).chain(args.iter().copied());
    let args = <bv_receipt::Args as clap::Parser>::parse_from(line);
    let mut receipt = Vec::new();
    let code = bv_receipt::run(&args, &mut &events[..], &mut receipt).expect("it answers any input");
    (String::from_utf8(receipt).expect("a receipt is UTF-8"), code)
}

/// The records of a stream.
///
/// # Panics
/// On a line that is no JSON object with a `type`.
pub fn records(events: &[u8]) -> Vec<Value> {
    let lines = events.split_inclusive(|&b| b == b'\n');
    lines
        .map(|line| {
            assert!(line.ends_with(b"\n"), "the last record has its newline");
            let record: Value = serde_json::from_slice(line)
                .unwrap_or_else(|wrong| panic!("{wrong}: {}", String::from_utf8_lossy(line)));
            assert!(record["type"].is_string(), "{record}");
            record
        })
        .collect()
}

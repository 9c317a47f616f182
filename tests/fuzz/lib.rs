//! What must hold of any bytes, one function a fuzz target. `tests/fuzzed.rs` holds the same of mixed lines of real
//! runs, quickly and the same each time; here an engine that sees the code's branches looks for what is left.

use bv_parse::FormatFile;
use clap::Parser;
use serde_json::Value;
use std::io::{self, Read};

/// The formats of each family, by name; those of no family are the family `others`.
const FAMILIES: &str = include_str!("families");

/// One line through the cleaner.
///
/// # Panics
/// On a control character that comes out, or a text that is not clean once it was cleaned.
pub fn clean(raw: &[u8]) {
    let clean = bv_parse::clean::clean(raw);
    for text in std::iter::once(&*clean.text).chain(clean.overwritten.iter().map(String::as_str)) {
        assert!(text.chars().all(|c| c == '\t' || !c.is_control()), "{text:?}");
    }
    assert!(clean.text.len() <= 4 * raw.len() + (8 << 10), "a line that grew");
}

/// A stream, read by all formats, and by one of the family alone.
///
/// # Panics
/// Where [`answers`] does, or on a family that is not there.
pub fn family(name: &str, raw: &[u8]) {
    answers(&[], raw);
    let members = members(name);
    let only = members[raw.len() % members.len()];
    answers(&["--format", only, "--all"], raw);
}

/// A stream of records into one receipt.
///
/// # Panics
/// On a receipt that is no JSON or over its bound.
pub fn receipt(events: &[u8]) {
    receipt_of(events);
}

/// Formats, a NUL, a stream.
///
/// # Panics
/// Where [`answers`] does, and where formats turn a run green that a runner of the table says is red.
pub fn formats(input: &[u8]) {
    let Some(nul) = input.iter().position(|&b| b == 0) else { return };
    let (Ok(text), raw) = (str::from_utf8(&input[..nul]), &input[nul + 1..]) else { return };
    let file = FormatFile { path: "fuzzed".into(), text: text.into() };
    let Ok(events) = parse(&["--all"], vec![file], &mut { raw }) else { return };
    let end = held(&events);
    let without = held(&parse(&[], Vec::new(), &mut { raw }).expect("memory does not fail"));
    let red = ["failed", "errored"].iter().any(|key| without["counts"][key].as_u64() > Some(0));
    assert!(!(red && end["outcome"] == "passed"), "a format turned a red run green");
}

/// The names of a family's formats that are there.
fn members(family: &str) -> Vec<&'static str> {
    let listed = |name: &str| {
        FAMILIES.lines().find_map(|line| {
            let (family, names) = line.split_once(": ")?;
            names.split(' ').any(|known| known == name).then_some(family)
        })
    };
    let all = bv_parse::formats::FORMATS.iter().map(|format| format.name);
    all.filter(|name| listed(name).unwrap_or("others") == family).collect()
}

/// Any stream has one `end`, the last record; nothing is green beside a failure; the reads' sizes do not matter.
fn answers(args: &[&str], raw: &[u8]) {
    let events = parse(args, Vec::new(), &mut { raw }).expect("memory does not fail");
    let end = held(&events);
    let again = parse(args, Vec::new(), &mut Bits { raw, size: 1 + raw.len() % 509 });
    assert_eq!(again.expect("memory does not fail"), events, "other reads, other records");
    let (line, code) = receipt_of(&events);
    assert_eq!(code == 0, end["outcome"] == "passed", "{line}");
}

/// The last record of a stream that is as it must be.
fn held(events: &[u8]) -> Value {
    let lines = events.split_inclusive(|&b| b == b'\n');
    let records: Vec<Value> = lines.map(|line| serde_json::from_slice(line).expect("a record")).collect();
    let end = records.last().expect("an end").clone();
    assert_eq!(records.iter().filter(|record| record["type"] == "end").count(), 1);
    assert_eq!(end["type"], "end");
    let failed = records.iter().any(|record| record["type"] == "failure");
    assert!(!(failed && end["outcome"] == "passed"), "green beside a failure");
    end
}

fn parse(args: &[&str], format_files: Vec<FormatFile>, input: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut args = bv_parse::Args::parse_from(std::iter::once("bv-parse").chain(args.iter().copied()));
    args.format_files = format_files;
    let mut events = Vec::new();
    bv_parse::run(&args, input, &mut events).map(|_| events)
}

fn receipt_of(events: &[u8]) -> (String, u8) {
    let args = bv_receipt::Args::parse_from(["bv-receipt", "--root", "/nonexistent", "--no-diff"]);
    let mut receipt = Vec::new();
    let code = bv_receipt::run(&args, &mut { events }, &mut receipt).expect("it answers any input");
    let line = String::from_utf8(receipt).expect("a receipt is UTF-8");
    assert!(line.len() <= bv_schemas::receipt::BYTES_MAX + 1 && line.ends_with('\n'), "{line}");
    let receipt: Value = serde_json::from_str(&line).expect("a receipt is JSON");
    assert!(receipt["status"].is_string(), "{line}");
    (line, code)
}

/// Short reads.
struct Bits<'a> {
    raw: &'a [u8],
    size: usize,
}

impl Read for Bits<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.size.min(self.raw.len()).min(buffer.len());
        let (now, later) = self.raw.split_at(size);
        buffer[..size].copy_from_slice(now);
        self.raw = later;
        Ok(size)
    }
}

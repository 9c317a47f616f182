//! Raw test output in, the event stream out: typed failures, then one verdict.
//!
//! It opens no file, reads no clock, environment or directory and starts no process: the same bytes in
//! give the same bytes out, anywhere. Formats that a user brings come in as text, read by `main.rs`. Only
//! reading stdin and writing stdout can fail.

mod cargo_build;
mod checker;
pub mod clean;
mod compile_errors;
mod cpp;
mod document;
mod dotnet;
mod engine;
mod erlang;
mod exit_line;
mod fallback;
mod finding;
mod folder;
pub mod formats;
mod go;
mod haskell;
mod held;
mod javascript;
mod jvm;
mod known;
mod ledger;
mod lines;
pub mod machine;
mod needles;
mod ocaml;
mod outer;
mod own;
mod perl;
mod php;
mod python;
mod retry;
mod ruby;
mod rust_output;
mod rust_panic;
mod rust_property;
mod rust_sides;
mod rustc;
#[cfg(test)]
mod said;
mod tap;
mod teamcity;
mod values;
mod verdict;
mod words;
mod wrappers;
mod xml;

use bv_schemas::{Record, exit, ndjson};
use clap::Parser;
use engine::Engine;
use known::Known;
use machine::Line;
use needles::{NEEDLES, Needles};
pub use own::{FILE_BYTES_MAX, FormatFile};
use std::io::{self, BufWriter, IsTerminal, Read, Write};

/// Turns the raw output of a test run into typed events: one failure a line, then the verdict.
///
/// Reads stdin, writes NDJSON to stdout. The runner is recognised by what it prints.
/// Put `bv-run -- CMD` before it, so that the exit status counts too, and `bv-receipt` after it.
#[derive(Debug, Default, Parser)]
#[command(name = "bv-parse", version)]
pub struct Args {
    /// Write a `test` record for each test that did not fail, too
    #[arg(long)]
    pub all: bool,
    /// Read the input as this runner's output and no other's (see --list-formats)
    #[arg(long, value_name = "NAME")]
    pub format: Option<String>,
    /// Know the formats in this file, too: TOML (see the README), or problem matchers of VS Code or GitHub in
    /// JSON; may be given several times
    #[arg(long, value_name = "FILE")]
    pub formats: Vec<String>,
    /// Hold the formats in this file to the examples in it and end: exit 0 when all are as they say
    #[arg(long, value_name = "FILE")]
    pub check_formats: Vec<String>,
    /// What stands in the files of the two flags above: `main` reads it, since [`run`] opens none.
    #[arg(skip)]
    pub format_files: Vec<FormatFile>,
    /// Print the names of all known formats and end
    #[arg(long)]
    pub list_formats: bool,
}

impl Args {
    /// The files of formats that are named, each once: whoever calls [`run`] puts them into `format_files`.
    pub fn format_paths(&self) -> Vec<&str> {
        let mut paths: Vec<&str> = Vec::new();
        for path in self.formats.iter().chain(&self.check_formats) {
            if !paths.contains(&path.as_str()) {
                paths.push(path);
            }
        }
        paths
    }
}

/// Runs the stage. A reader downstream that goes away ends the writing, not the reading, so that the
/// runner upstream is not killed.
///
/// # Errors
/// Those of reading `input` and writing `output`, a broken pipe excepted; before anything is read, what is
/// wrong with the user's formats or with the name of one.
pub fn run(args: &Args, input: &mut impl Read, output: impl Write) -> io::Result<u8> {
    let own = own::load(&args.format_files).map_err(io::Error::other)?;
    if !args.check_formats.is_empty() {
        return Ok(check(args, &own));
    }
    let mut output = Sink { output: BufWriter::new(output), gone: false, wrong: None };
    if args.list_formats {
        let names = own.iter().map(|own| &*own.name).chain(formats::FORMATS.iter().map(|format| format.name));
        names.for_each(|name| output.keep(|to| writeln!(to, "{name}")));
        return output.finish();
    }
    let with_own = (!own.is_empty()).then(|| Needles::new(&own));
    let needles = with_own.as_ref().unwrap_or(&NEEDLES);
    let mut engine = Engine::new(needles, only(args, needles)?, args.all);
    let mut progress = Progress::default();
    let totals = lines::read(input, &mut |raw| {
        give(&mut engine, raw, &mut |record| output.record(&record));
        progress.line(&engine);
    })?;
    progress.clear();
    engine.end(totals, &mut |record| output.record(&record));
    output.finish()
}

/// The format that the user wants alone.
fn only<'f>(args: &Args, needles: &Needles<'f>) -> io::Result<Option<Known<'f>>> {
    let Some(name) = &args.format else { return Ok(None) };
    let known = needles.named(name);
    known.map(Some).ok_or_else(|| io::Error::other(format!("no format {name}: --format; see --list-formats")))
}

/// Holds the formats to their examples; each difference is a line on stderr.
fn check(args: &Args, own: &[own::Own]) -> u8 {
    let checked = args.format_files.iter().filter(|file| args.check_formats.contains(&file.path));
    let wrong: Vec<String> = checked.flat_map(|file| own::example::differences(file, own)).collect();
    wrong.iter().for_each(|wrong| eprintln!("bv-parse: {wrong}"));
    if wrong.is_empty() { exit::PASSED } else { exit::USAGE }
}

/// Reads a whole text, with all formats there are.
fn read_whole(needles: &Needles<'_>, text: &str, say: &mut impl FnMut(Record)) {
    let mut engine = Engine::new(needles, None, true);
    // Memory can be read without an error.
    let read = lines::read(&mut text.as_bytes(), &mut |raw| give(&mut engine, raw, say));
    if let Ok(totals) = read {
        engine.end(totals, say);
    }
}

fn give(engine: &mut Engine<'_>, raw: lines::RawLine<'_>, say: &mut impl FnMut(Record)) {
    let mut say = |test| say(Record::Test(test));
    if let Some(text) = raw.plain {
        engine.line(&Line { text, span: raw.span, overwritten: false }, &mut say);
        return;
    }
    let clean = clean::clean(raw.bytes);
    for lost in &clean.overwritten {
        engine.line(&Line { text: lost, span: raw.span, overwritten: true }, &mut say);
    }
    // A log that is cut within an escape sequence ends with no line: a blank one would be a statement.
    let cut = clean.text.is_empty() && raw.span[1] - raw.span[0] == raw.bytes.len() as u64;
    if !cut {
        engine.line(&Line { text: &clean.text, span: raw.span, overwritten: false }, &mut say);
    }
}

/// Stdout, as long as somebody reads it.
struct Sink<W: Write> {
    output: BufWriter<W>,
    gone: bool,
    wrong: Option<io::Error>,
}

impl<W: Write> Sink<W> {
    fn record(&mut self, record: &Record) {
        self.keep(|to| ndjson::write(to, record));
    }

    fn keep(&mut self, write: impl FnOnce(&mut BufWriter<W>) -> io::Result<()>) {
        if self.gone {
            return;
        }
        if let Err(wrong) = write(&mut self.output) {
            self.gone = true;
            self.wrong = (wrong.kind() != io::ErrorKind::BrokenPipe).then_some(wrong);
        }
    }

    fn finish(mut self) -> io::Result<u8> {
        self.keep(|to| to.flush());
        // What could not be written is dropped here, not tried again by the writer's own drop.
        let (_, _) = self.output.into_parts();
        self.wrong.map_or(Ok(exit::PASSED), Err)
    }
}

/// A line on stderr for a person who watches; nothing where stderr is no terminal.
#[derive(Default)]
struct Progress {
    lines: u64,
    shown: bool,
    watched: Option<bool>,
}

impl Progress {
    /// Lines between two updates: no clock is read.
    const LINES: u64 = 512;

    fn line(&mut self, engine: &Engine<'_>) {
        self.lines += 1;
        if self.lines.is_multiple_of(Self::LINES)
            && *self.watched.get_or_insert_with(|| io::stderr().is_terminal())
        {
            let (tests, failures) = engine.progress();
            eprint!("\r\x1b[K{} lines, {tests} tests, {failures} failures", self.lines);
            self.shown = true;
        }
    }

    fn clear(&self) {
        if self.shown {
            eprint!("\r\x1b[K");
        }
    }
}

//! Raw test output in, the event stream out: typed failures, then one verdict.
//!
//! It opens no file, reads no clock, environment or directory and starts no process: the same bytes in
//! give the same bytes out, anywhere. Only reading stdin and writing stdout can fail.

mod cargo_build;
mod checker;
pub mod clean;
mod cpp;
mod document;
mod engine;
mod exit_line;
mod fallback;
mod finding;
pub mod formats;
mod go;
mod haskell;
mod held;
mod javascript;
mod jvm;
mod ledger;
mod lines;
pub mod machine;
mod ocaml;
mod outer;
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
mod values;
mod verdict;
mod words;
mod wrappers;

use bv_schemas::{Record, exit, ndjson};
use clap::Parser;
use engine::Engine;
use machine::{Format, Line};
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
    #[arg(long, value_name = "NAME", value_parser = format_named)]
    pub format: Option<FormatName>,
    /// Print the names of all known formats and end
    #[arg(long)]
    pub list_formats: bool,
}

/// A format that exists.
#[derive(Clone, Copy)]
pub struct FormatName(&'static Format);

impl std::fmt::Debug for FormatName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.name)
    }
}

fn format_named(name: &str) -> Result<FormatName, String> {
    formats::named(name).map(FormatName).ok_or_else(|| "no such format; see --list-formats".to_owned())
}

/// Runs the stage. A reader downstream that goes away ends the writing, not the reading, so that the
/// runner upstream is not killed.
///
/// # Errors
/// Those of reading `input` and writing `output`, a broken pipe excepted.
pub fn run(args: &Args, input: &mut impl Read, output: impl Write) -> io::Result<u8> {
    let mut output = Sink { output: BufWriter::new(output), gone: false, wrong: None };
    if args.list_formats {
        for format in formats::FORMATS {
            output.keep(|to| writeln!(to, "{}", format.name));
        }
        return output.finish();
    }
    let mut engine = Engine::new(args.format.map(|FormatName(format)| format), args.all);
    let mut progress = Progress::default();
    let totals = lines::read(input, &mut |raw| {
        give(&mut engine, raw, &mut output);
        progress.line(&engine);
    })?;
    progress.clear();
    engine.end(totals, &mut |record| output.record(&record));
    output.finish()
}

fn give(engine: &mut Engine, raw: lines::RawLine<'_>, output: &mut Sink<impl Write>) {
    let mut say = |test| output.record(&Record::Test(test));
    if raw.plain {
        // Known to be ASCII; the check is one pass over a short line.
        if let Ok(text) = std::str::from_utf8(raw.bytes) {
            engine.line(&Line { text, span: raw.span, overwritten: false }, &mut say);
        }
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

    fn line(&mut self, engine: &Engine) {
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

//! One file, shrunk.
//!
//! In: the file, read once. Out: the smallest candidate, in the output file at each step or on stdout at the
//! end.

use crate::also::Also;
use crate::args::Args;
use crate::hunt::{Found, Outcome, Plan, hunt};
use crate::journal::{About, FORMAT, Journal, Past};
use crate::oracle::{Guard, Judge, Patience, Runner, Template, key, unlike};
use crate::output::Output;
use crate::progress::Progress;
use crate::shapes::Shape;
use crate::stop::Stop;
use bv_schemas::{Limit, exit};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Instant;

/// Longest input; a search holds it a few times.
const INPUT_BYTES_MAX: u64 = 256 << 20;

/// Shrinks `file`, or what `stdin` holds where it is `-`.
///
/// # Errors
/// Those of reading and writing, of the journal, and an oracle that cannot be run.
pub fn run(
    args: &Args,
    file: &Path,
    stdin: impl Read,
    mut stdout: impl Write,
    stop: &Stop,
) -> io::Result<u8> {
    let begun = Instant::now();
    let input = read(file, stdin)?;
    let shape = shape(args, file, &input);
    let template = Template::new(&args.oracle, args.rule.as_deref()).map_err(io::Error::other)?;
    let output = args.output.as_deref().map(|path| Output::new(path, file)).transpose()?;
    let also = args.also.as_deref().map(|folder| Also::new(folder, extension(file))).transpose()?;
    let journal = journal(args, &input)?;

    // The oracle's exit status, as reducers have it; a list is a failing run of tests.
    let exit = args.interesting_exit.or((!args.list).then_some(exit::PASSED));
    let guard = Guard { exit, rule: args.rule.clone(), any: args.any_failure, speaks: false };
    let runner = Runner::new(template, shape, name(file), args.memory_limit)?;
    let patience = Patience::new(args.timeout.as_ref().map(Limit::duration));
    let progress = Progress::new();
    let (journal, past) = journal.map_or((None, Past::default()), |(journal, past)| (Some(journal), past));
    let shown = past.best;
    // No entry at all is no part of a list: many runners run everything then.
    let admits = |candidate: &[u8]| !args.list || !candidate.trim_ascii().is_empty();
    let mut judge = Judge::new(runner, guard, patience, Box::new(admits), past, &progress);
    judge.also = also.as_ref();
    judge.journal = journal.as_ref();

    let plan = Plan {
        shape,
        jobs: args.jobs(),
        calls_max: args.max_calls,
        deadline: args.max_time.as_ref().and_then(|limit| begun.checked_add(limit.duration())),
        stop: stop.cancel.clone(),
        confirm: args.confirm,
    };
    // A search that goes on retraces its steps: until it is where it was, the output holds more than it has.
    let held = output.as_ref().and_then(Output::get).map(|bytes| judge.key(&bytes));
    let mut retracing = shown.filter(|best| held == Some(*best));
    let rule = args.rule.clone().unwrap_or_default();
    let mut keep = |best: &[u8]| {
        if retracing.is_some_and(|until| until != key(&rule, best)) {
            return Ok(());
        }
        retracing = None;
        output.as_ref().map_or(Ok(()), |output| output.put(best))
    };
    let outcome = hunt(&input, &mut judge, &plan, &mut keep);
    progress.clear();
    let status = match outcome? {
        Outcome::NoFailure(sample) => {
            let why = unlike(&sample, &judge.guard);
            eprintln!("bv-minimize: the input does not fail: {}: {why}", file.display());
            return Ok(exit::REFUSED);
        }
        Outcome::Stopped => exit::PASSED,
        Outcome::Empty(found) => {
            eprintln!(
                "bv-minimize: the oracle accepts an empty input: {}; does it read what it is given?",
                args.oracle[0].display()
            );
            tell(&found, args.list, &mut stdout, output.as_ref())?;
            exit::EMPTY
        }
        Outcome::Found(found) => {
            if let Some(share) = found.reproduces {
                eprintln!(
                    "bv-minimize: the oracle wavers: the result fails in {:.0} % of its runs",
                    share * 100.0
                );
            }
            tell(&found, args.list, &mut stdout, output.as_ref())?;
            exit::PASSED
        }
    };
    Ok(stop.status().unwrap_or(status))
}

fn tell(found: &Found, list: bool, stdout: &mut impl Write, output: Option<&Output>) -> io::Result<()> {
    if let Some(output) = output {
        // The last best is there already, unless a search went on whose output somebody changed.
        return if output.get().as_deref() == Some(&found.best) { Ok(()) } else { output.put(&found.best) };
    }
    stdout.write_all(&found.best)?;
    // The last entry of a list needs no newline to be one, whoever reads it next may.
    let unended = list && !found.best.ends_with(b"\n");
    stdout.write_all(if unended { b"\n" } else { b"" })?;
    stdout.flush()
}

fn read(file: &Path, stdin: impl Read) -> io::Result<Vec<u8>> {
    let cannot = |wrong: &dyn std::fmt::Display| {
        io::Error::other(format!("cannot read the input: {}: {wrong}", file.display()))
    };
    let mut input = Vec::new();
    let read = if is_stdin(file) {
        stdin.take(INPUT_BYTES_MAX + 1).read_to_end(&mut input)
    } else {
        let file = File::open(file).map_err(|wrong| cannot(&wrong))?;
        file.take(INPUT_BYTES_MAX + 1).read_to_end(&mut input)
    };
    read.map_err(|wrong| cannot(&wrong))?;
    if input.len() as u64 > INPUT_BYTES_MAX {
        return Err(cannot(&format!("longer than {} MiB", INPUT_BYTES_MAX >> 20)));
    }
    Ok(input)
}

fn is_stdin(file: &Path) -> bool {
    file.as_os_str() == "-"
}

fn shape(args: &Args, file: &Path, input: &[u8]) -> Shape {
    match args.shape {
        _ if args.list => Shape::List,
        Some(name) => name.into(),
        None => Shape::of(file.extension().and_then(OsStr::to_str), input),
    }
}

/// The candidate's file is called as the input is, so that its extension and imports by name hold.
fn name(file: &Path) -> OsString {
    match file.file_name() {
        Some(name) if !is_stdin(file) => name.to_owned(),
        _ => "input".into(),
    }
}

fn extension(file: &Path) -> String {
    file.extension().map_or_else(String::new, |extension| format!(".{}", extension.to_string_lossy()))
}

fn journal(args: &Args, input: &[u8]) -> io::Result<Option<(Journal, Past)>> {
    let Some(path) = &args.journal else { return Ok(None) };
    let about = About {
        journal: FORMAT.into(),
        input: Some(blake3::hash(input).to_hex().to_string()),
        command: args.oracle.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
        settings: args.settings(),
        rule: args.rule.clone(),
    };
    Journal::open(path, &about, args.resume).map(Some)
}

//! A stream of records with smaller counterexamples.
//!
//! In: records. Out: the same lines in the same order; a failure that has a counterexample gets a smaller one
//! that the oracle confirms, what the oracle prints of it, and `minimized`. Every other byte passes on
//! untouched, a failure that the oracle does not confirm too. What is run never comes from the stream.

use crate::also::Also;
use crate::args::Args;
use crate::fields::Fields;
use crate::hunt::{Found, Outcome, Plan, hunt};
use crate::journal::{About, FORMAT, Journal, Past};
use crate::oracle::{Guard, Judge, Patience, Runner, Template, lenient, unlike};
use crate::progress::Progress;
use crate::shapes::Shape;
use crate::stop::Stop;
use bv_schemas::{Failure, Kind, Limit, Minimized, exit, ndjson, rule};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use std::io::{self, BufRead, Write};
use std::time::{Duration, Instant};

/// Time for a whole stream when nobody says how much: somebody waits at the end of the pipe.
const TIME: Duration = Duration::from_secs(60);
/// What a candidate's file is called.
const NAME: &str = "counterexample.json";
/// Members that come after `minimized` in a record.
const AFTER: &[&str] = &["state", "attempt", "since"];

/// Shrinks the counterexamples of the stream.
///
/// # Errors
/// Those of reading and writing and of the journal. An oracle that cannot be run is told on stderr once, and
/// the exit status says so; the stream passes on.
pub fn run(args: &Args, mut input: impl BufRead, mut output: impl Write, stop: &Stop) -> io::Result<u8> {
    let progress = Progress::new();
    let mut stage = Stage::new(args, stop, &progress)?;
    let mut line = Vec::new();
    let mut number = 0_u64;
    while next(&mut input, &mut line)? {
        number += 1;
        if line.len() > ndjson::LINE_BYTES_MAX {
            complain(&format!("no record, passed on: line {number}"));
            output.write_all(&line)?;
            pass_on(&mut input, &mut output)?;
            continue;
        }
        match stage.record(&line, &mut output) {
            Ok(Some(changed)) => {
                output.write_all(changed.as_bytes())?;
                output.write_all(if line.ends_with(b"\n") { b"\n" } else { b"" })?;
            }
            Ok(None) => output.write_all(&line)?,
            Err(NoRecord) => {
                complain(&format!("no record, passed on: line {number}"));
                output.write_all(&line)?;
            }
        }
    }
    output.flush()?;
    stage.finish();
    Ok(stop.status().unwrap_or(stage.status))
}

/// A line that is no record.
struct NoRecord;

/// The next line with its newline, or its beginning where it is longer than a record may be.
fn next(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let bytes_max = ndjson::LINE_BYTES_MAX as u64 + 1;
    io::Read::take(&mut *input, bytes_max).read_until(b'\n', line)?;
    Ok(!line.is_empty())
}

/// The rest of a line.
fn pass_on(input: &mut impl BufRead, output: &mut impl Write) -> io::Result<()> {
    let mut chunk = Vec::new();
    while !chunk.ends_with(b"\n") && next(input, &mut chunk)? {
        output.write_all(&chunk)?;
    }
    Ok(())
}

fn complain(what: &str) {
    // Where stderr is closed there is nobody to tell.
    let _ = writeln!(io::stderr(), "bv-minimize: {what}");
}

struct Stage<'a> {
    args: &'a Args,
    stop: &'a Stop,
    progress: &'a Progress,
    deadline: Option<Instant>,
    also: Option<Also>,
    journal: Option<Journal>,
    past: Past,
    calls: u64,
    /// Counterexamples that were left as they are because time or calls were used up.
    left: u64,
    status: u8,
}

impl<'a> Stage<'a> {
    fn new(args: &'a Args, stop: &'a Stop, progress: &'a Progress) -> io::Result<Stage<'a>> {
        let time = args.max_time.as_ref().map_or(TIME, Limit::duration);
        let about = About {
            journal: FORMAT.into(),
            input: None,
            command: args.oracle.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
            settings: args.settings(),
            rule: None,
        };
        let journal =
            args.journal.as_deref().map(|path| Journal::open(path, &about, args.resume)).transpose()?;
        let (journal, past) =
            journal.map_or((None, Past::default()), |(journal, past)| (Some(journal), past));
        Ok(Stage {
            args,
            stop,
            progress,
            deadline: Instant::now().checked_add(time),
            also: args.also.as_deref().map(|folder| Also::new(folder, ".json".into())).transpose()?,
            journal,
            past,
            calls: 0,
            left: 0,
            status: exit::PASSED,
        })
    }

    /// The record in this line with a smaller counterexample; `None` where it passes on untouched.
    fn record(&mut self, line: &[u8], output: &mut impl Write) -> Result<Option<String>, NoRecord> {
        let mut fields = Fields::read(line).ok_or(NoRecord)?;
        let kind: String =
            fields.get("type").and_then(|kind| serde_json::from_str(kind.get()).ok()).ok_or(NoRecord)?;
        let Some(given) = fields.get("counterexample").map(|value| value.get().to_owned()) else {
            return Ok(None);
        };
        if kind != "failure" || Fields::read(given.as_bytes()).is_none() || self.status != exit::PASSED {
            return Ok(None);
        }
        if self.over() {
            self.left += 1;
            return Ok(None);
        }
        // Whoever reads has what is known so far while this takes its time.
        let _ = output.flush();
        let failure = serde_json::from_slice(line).map(lenient).unwrap_or_default();
        let rule = rule::of(&failure);
        let outcome = self.hunt(given.as_bytes(), &rule);
        self.progress.clear();
        match outcome {
            Err(wrong) => {
                complain(&format!("{wrong}"));
                self.status = exit::USAGE;
                Ok(None)
            }
            Ok(None) => Ok(None),
            Ok(Some(found)) => {
                self.calls += found.calls;
                change(&mut fields, &given, &failure, &found);
                Ok(Some(fields.line()))
            }
        }
    }

    fn hunt(&mut self, given: &[u8], rule: &str) -> io::Result<Option<Found>> {
        let args = self.args;
        let template = Template::new(&args.oracle, Some(rule)).map_err(io::Error::other)?;
        let guard = Guard {
            exit: args.interesting_exit,
            rule: Some(rule.to_owned()),
            any: args.any_failure,
            speaks: false,
        };
        let runner = Runner::new(template, Shape::Json, NAME.into(), args.memory_limit)?;
        let patience = Patience::new(args.timeout.as_ref().map(Limit::duration));
        // A counterexample is an object: input name to value.
        let admits = Box::new(|candidate: &[u8]| Fields::read(candidate).is_some());
        let mut judge = Judge::new(runner, guard, patience, admits, self.past.clone(), self.progress);
        judge.also = self.also.as_ref();
        judge.journal = self.journal.as_ref();
        let plan = Plan {
            shape: Shape::Json,
            jobs: args.jobs(),
            calls_max: args.max_calls.map(|max| max.saturating_sub(self.calls)),
            deadline: self.deadline,
            stop: self.stop.cancel.clone(),
            confirm: args.confirm,
        };
        match hunt(given, &mut judge, &plan, &mut |_| Ok(()))? {
            Outcome::NoFailure(sample) => {
                let why = unlike(&sample, &judge.guard);
                self.progress.clear();
                complain(&format!(
                    "the oracle does not confirm a counterexample, passed on as it is: {rule}: {why}"
                ));
                Ok(None)
            }
            Outcome::Stopped => Ok(None),
            Outcome::Empty(found) | Outcome::Found(found) => {
                if found.best == b"{}" {
                    self.progress.clear();
                    complain(&format!(
                        "the oracle accepts an empty counterexample: {rule}; does it read what it is given?"
                    ));
                }
                Ok(Some(found))
            }
        }
    }

    fn over(&self) -> bool {
        self.stop.cancel.is_cancelled()
            || self.deadline.is_some_and(|deadline| deadline <= Instant::now())
            || self.args.max_calls.is_some_and(|max| max <= self.calls)
    }

    fn finish(&self) {
        if self.left > 0 && !self.stop.cancel.is_cancelled() {
            complain(&format!(
                "time or calls are used up: {} counterexamples passed on as they are; see --max-time and --max-calls",
                self.left
            ));
        }
    }
}

/// Writes what was found into the record.
fn change(fields: &mut Fields, given: &str, failure: &Failure, found: &Found) {
    let minimized = Minimized {
        from_bytes: given.len() as u64,
        to_bytes: found.best.len() as u64,
        calls: found.calls,
        complete: found.complete,
        reproduces: found.reproduces,
    };
    let best = String::from_utf8_lossy(&found.best).into_owned();
    if best != given
        && let Ok(best) = RawValue::from_string(best)
    {
        fields.set("counterexample", best, &[]);
        match &found.failure {
            Some(printed) => refresh(fields, failure, printed),
            // They are of another input.
            None => ["expected", "observed", "also"].into_iter().for_each(|name| fields.remove(name)),
        }
    }
    if let Some(value) = raw(&minimized) {
        fields.set("minimized", value, AFTER);
    }
}

/// What the oracle prints of the smaller counterexample takes the place of what was said of the other.
fn refresh(fields: &mut Fields, old: &Failure, new: &Failure) {
    // Kinds of one status differ by who looks: a property of the runner's is an assertion of the gate's.
    if status(old.kind) != status(new.kind) {
        put(fields, "kind", Some(&new.kind));
    }
    put(fields, "message", new.message.as_ref());
    put(fields, "exception_type", new.exception_type.as_ref());
    put(fields, "expected", new.expected.as_ref());
    put(fields, "observed", new.observed.as_ref());
    put(fields, "also", (!new.also.is_empty()).then_some(&new.also));
    // A receipt and many an oracle say nothing of places; those of the first run hold then.
    if new.test.is_some() || new.fault.is_some() || !new.frames.is_empty() {
        put(fields, "test", new.test.as_ref());
        put(fields, "fault", new.fault.as_ref());
        put(fields, "frames", (!new.frames.is_empty()).then_some(&new.frames));
    }
}

/// A member in its place, or none where it is not known.
fn put(fields: &mut Fields, name: &str, value: Option<&impl Serialize>) {
    /// The members of a failure in their order.
    const ORDER: &[&str] = &[
        "kind",
        "message",
        "exception_type",
        "expected",
        "observed",
        "counterexample",
        "test",
        "fault",
        "frames",
        "rule",
        "also",
        "vector_index",
        "adapter",
        "span",
        "minimized",
        "state",
        "attempt",
        "since",
    ];
    match value.and_then(raw) {
        Some(value) => {
            let after = ORDER.iter().position(|other| *other == name).map_or(0, |at| at + 1);
            fields.set(name, value, &ORDER[after..]);
        }
        None => fields.remove(name),
    }
}

fn raw(value: &impl Serialize) -> Option<Box<RawValue>> {
    to_raw_value(value).ok()
}

/// Kinds that a receipt gives one status.
fn status(kind: Kind) -> u8 {
    match kind {
        Kind::Assertion | Kind::Snapshot | Kind::Property | Kind::Lint => 0,
        Kind::Exception | Kind::Crash | Kind::Timeout | Kind::SetupError => 1,
        Kind::CompileError | Kind::CollectionError => 2,
    }
}

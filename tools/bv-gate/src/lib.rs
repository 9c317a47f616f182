//! Runs test vectors against a candidate command and emits the event stream.
//!
//! In: vectors (`bv_schemas::vector`), and a candidate's command line. Out: one `failure` record for the first
//! vector that fails, or for every one, and one `end` record, the verdict. The candidate may be written in
//! any language; it is told inputs as JSON and answers in JSON. The exit status is 0 whatever the verdict:
//! bv-receipt turns it into one.

mod answer;
mod candidate;
mod checks;
mod compare;
mod document;
mod filter;
mod gate;
mod lookup;
mod number;
mod refusal;
mod replay;
mod report;
mod source;
mod stop;
mod talk;
mod words;

use bv_schemas::Limit;
use clap::Parser;
use gate::{Gate, Plan};
use refusal::Refusal;
use report::{Closing, Report};
use source::{Rules, Source};
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use stop::Stop;

/// Runs test vectors against a candidate command and writes what fails as an event stream.
///
/// A vector is a JSON object: an input, and what must hold of the output:
///
///   {"input": {"a": 7, "b": 2}, "rule_id": "rule_03_remainder",
///    "precondition": ".input.b != 0", "predicate": ".output < .input.b"}
///
/// `precondition` and `predicate` are jq filters, over `{input}` and `{input, output}`. Beside or instead of
/// `predicate` there may be `expected` (a value; `tolerance` may say how near a number must be) and `schema` (a
/// JSON Schema); `invariant` is the rule in words. A predicate holds only if it yields true and nothing
/// else: false, null, nothing at all or an error break it.
///
/// The candidate reads one input a line and answers each with one line, in order: {"output": ...} or
/// {"exception_type": ..., "exception_msg": ..., "file": ..., "line": ..., "function": ...}. With
/// --per-vector it is started for every vector, reads one input, and all that it prints is the answer.
///
/// Writes the first failure, or all, and one `end` record. Exits with 0 whatever the verdict, with 2 on a
/// usage error; pipe the stream to bv-receipt for the verdict.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "bv-gate",
    version,
    verbatim_doc_comment,
    override_usage = "bv-gate [OPTIONS] -- <CANDIDATE> [ARG]..."
)]
pub struct Args {
    /// Vectors, one a line or in one array; - is standard input, which is also the default
    #[arg(long, value_name = "FILE")]
    vectors: Option<PathBuf>,

    /// Rules that vectors name: objects like vectors, without input, one a line or in one array
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,

    /// Run the vectors of this rule only
    #[arg(long, value_name = "ID")]
    rule: Option<String>,

    /// Check this one input against the rule of --rule instead of running vectors; - is standard input
    #[arg(long, value_name = "FILE", requires = "rule")]
    input: Option<PathBuf>,

    /// Write every failure, not only the first
    #[arg(long)]
    all: bool,

    /// Start the candidate for every vector: one input on its stdin, its whole stdout is the answer
    #[arg(long)]
    per_vector: bool,

    /// Longest time that a vector may take: 10s, 500ms, 1m; a plain number is seconds
    #[arg(long, value_name = "DUR", default_value = "10s", value_parser = Limit::above_zero)]
    timeout: Limit,

    /// The candidate and its arguments; nothing in them is an option of bv-gate
    #[arg(value_name = "CANDIDATE", required = true, trailing_var_arg = true)]
    command: Vec<OsString>,
}

/// Runs the vectors and writes the stream; the exit status comes back.
///
/// # Errors
/// Those of `output` and of the system; and stdin for two things at once. What is wrong with vectors, rules or
/// the candidate is said in the stream.
pub fn run(args: Args, output: impl Write) -> io::Result<u8> {
    if args.reads_stdin_twice() {
        let what = "standard input is asked for twice; give one of --vectors, --rules and --input a file";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    let stop = Stop::listen()?;
    let mut report = Report::new(output);
    let plan = Plan {
        protocol: talk::Protocol { timeout: args.timeout.duration(), whole_output: args.per_vector },
        timeout: args.timeout.to_string(),
        all: args.all,
        alone: args.per_vector || args.input.is_some(),
        command: args.command.clone(),
    };
    match args.source() {
        Ok(source) => Gate::new(&plan, &stop, source, report).run(),
        Err(refusal) => {
            let command = gate::command(&plan.command);
            report.end(Closing { command, refusal: Some(refusal), ..Closing::default() })?;
            Ok(bv_schemas::exit::PASSED)
        }
    }
}

impl Args {
    fn source(&self) -> Result<Source, Refusal> {
        let rules = self.rules.as_deref().map_or_else(|| Ok(Rules::default()), Rules::load)?;
        let stdin = Path::new("-");
        match (&self.input, &self.rule) {
            (Some(path), Some(rule)) => {
                let input = source::input(path, source::open(path)?)?;
                lookup::vector(rules, self.vectors.as_deref(), rule, &input).map(Source::one)
            }
            _ => Source::file(self.vectors.as_deref().unwrap_or(stdin), rules, self.rule.clone()),
        }
    }

    fn reads_stdin_twice(&self) -> bool {
        let stdin = Path::new("-");
        let vectors = self.vectors.as_deref().or(self.input.is_none().then_some(stdin));
        let all = [vectors, self.rules.as_deref(), self.input.as_deref()];
        all.into_iter().flatten().filter(|path| *path == stdin).count() > 1
    }
}

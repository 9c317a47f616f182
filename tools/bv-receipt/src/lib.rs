//! bv-receipt: an event stream in, one receipt of at most 400 bytes out.
//!
//! In comes the stream of bv-parse, bv-gate or bv-gpu, or any bytes at all; out goes one line of JSON,
//! whatever came in. Beyond its input it reads the source files under `--root` that the failures name,
//! and the file of `--rules`; it reads no clock and no environment and starts no process. The same
//! stream over the same sources gives the same bytes.

mod budget;
mod cause;
mod compose;
mod cut;
mod locate;
mod pretty;
#[cfg(test)]
mod properties;
mod read;
mod redact;
mod rules;
mod symbols;
mod verdict;

use bv_schemas::{exit, receipt};
use std::io::{self, BufRead, Write};
use std::path::PathBuf;

/// Reads an event stream and writes one receipt: a line of JSON that says what failed, where and why.
///
/// Reads standard input, writes standard output. Exit status: 0 passed, 1 failed, 3 refused (nothing can
/// be said of the code), 2 usage error, or input or output that could not be read or written.
#[derive(Clone, Debug, clap::Parser)]
#[command(name = "bv-receipt", version)]
pub struct Args {
    /// Directory that holds the sources; no file outside it is read
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub root: PathBuf,
    /// Longest receipt in bytes, its newline not counted; 160 at least
    #[arg(long, value_name = "N", default_value_t = receipt::BYTES_MAX, value_parser = max_bytes)]
    pub max_bytes: usize,
    /// Write one receipt for each cause, or for each failure, instead of one for the run
    #[arg(long, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "cause")]
    pub each: Option<Each>,
    /// Constraints by name: JSON objects {"id", "match", "invariant"}, one a line or in an array
    ///
    /// "match" is a regular expression, searched in the test's id, then in the message; the first
    /// rule that matches is the `failed_rule_id`. "invariant" may hold its wording.
    #[arg(long, value_name = "FILE")]
    pub rules: Option<PathBuf>,
    /// Exit with 0 whatever the verdict, for callers that only read the receipt
    #[arg(long)]
    pub exit_zero: bool,
    /// Write the receipt for a person's eyes instead of as JSON
    #[arg(long)]
    pub pretty: bool,
}

/// What gets a receipt of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Each {
    /// Failures with one cause share a receipt
    Cause,
    /// Each failure, in the order of the stream
    Failure,
}

/// Reads the stream `input` to its end and writes its receipt; the exit status comes back.
///
/// # Errors
/// Those of `input` and `output`, and a rules file that cannot be used.
pub fn run(args: &Args, input: impl BufRead, mut output: impl Write) -> io::Result<u8> {
    let rules = match &args.rules {
        Some(path) => rules::Rules::load(path)?,
        None => rules::Rules::default(),
    };
    let stream = read::read(input)?;
    if stream.seen > stream.failures.len() as u64 {
        let held = stream.failures.len();
        eprintln!("bv-receipt: {held} of {} failure records looked at, all of them counted", stream.seen);
    }
    let sources = locate::Sources::under(&args.root);
    let composer = compose::Composer { stream: &stream, rules: &rules, sources: &sources };
    let receipts = match args.each {
        None => vec![composer.whole()],
        Some(Each::Cause) => composer.each_cause(),
        Some(Each::Failure) => composer.each_failure(),
    };
    let mut worst = exit::PASSED;
    for (nth, receipt) in receipts.into_iter().enumerate() {
        worst = worse(worst, verdict::exit_code(receipt.status));
        let fitted = budget::fit(receipt, args.max_bytes);
        if args.pretty {
            if nth > 0 {
                output.write_all(b"\n")?;
            }
            output.write_all(pretty::page(&fitted).as_bytes())?;
        } else {
            bv_schemas::ndjson::write(&mut output, &fitted)?;
        }
    }
    output.flush()?;
    Ok(if args.exit_zero { exit::PASSED } else { worst })
}

fn max_bytes(given: &str) -> Result<usize, String> {
    let bytes: usize = given.parse().map_err(|_| "not a number of bytes".to_owned())?;
    if bytes < receipt::BYTES_MIN {
        return Err(format!("a receipt needs {} bytes at least", receipt::BYTES_MIN));
    }
    Ok(bytes)
}

/// A failure is worse than a refusal, and a refusal worse than a pass.
fn worse(one: u8, other: u8) -> u8 {
    let rank = |code| match code {
        exit::PASSED => 0,
        exit::REFUSED => 1,
        _ => 2,
    };
    if rank(other) > rank(one) { other } else { one }
}

//! The command line.

use crate::shapes::Shape;
use bv_schemas::Limit;
use clap::{Parser, ValueEnum};
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Finds the smallest input that still fails in the same way.
///
/// With FILE: shrinks it against the oracle, a command that exits with 0 while the input it is given is
/// still interesting. Without FILE: reads a stream of records from stdin, shrinks the counterexample of
/// each failure against the oracle, and passes everything else on untouched. FILE `-` is stdin.
///
/// The oracle is a command, never a shell's line. In its arguments, `@@` is the name of a file that holds the
/// candidate (with FILE's own name, in a folder of its own), `{}` is the candidate as arguments (the entries
/// of a list, the values of a JSON object or array), `@RULE` is the rule of the failure. Without `@@` and `{}`
/// the candidate is its stdin.
///
/// What fails the same way: where the oracle prints a stream of records or a receipt, the rule that it names
/// must be the one of the record, or for FILE the first that it names for FILE itself. Where it prints
/// neither, its exit status decides: 0 is interesting for FILE, 1 is a failure for records and lists.
///
/// Exit status: 0 done, 2 usage error or an oracle that cannot be run, 3 FILE does not fail, 4 the oracle
/// accepts an empty input, 130 and 143 ended by a signal, with the best so far in place. A stream of
/// records ends with 0 also where a counterexample could not be shrunk.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "bv-minimize",
    version,
    override_usage = "bv-minimize [OPTIONS] FILE -o OUT -- ORACLE [ARG]...\n       ... | bv-minimize [OPTIONS] -- ORACLE [ARG]... | bv-receipt"
)]
pub struct Args {
    /// The input to shrink; it is never written to
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// Where the smallest input goes, at each step and whole at any time; stdout when left out
    #[arg(short, long, value_name = "FILE", requires = "file")]
    pub output: Option<PathBuf>,

    /// FILE is a list, one entry a line: find the smallest part of it that still fails together
    ///
    /// Entries (ids of tests, say) are taken out, never changed or put in another order.
    #[arg(long, requires = "file", conflicts_with = "shape")]
    pub list: bool,

    /// What FILE is; found by its name and what it holds when left out
    #[arg(long, value_enum, value_name = "SHAPE", requires = "file")]
    pub shape: Option<ShapeName>,

    /// The oracle's exit status for a failure; 128+n is signal n
    ///
    /// Given here, it must be met whatever the oracle prints.
    #[arg(long, value_name = "N")]
    pub interesting_exit: Option<u8>,

    /// The failure to keep, by its rule or its test's id, instead of the first that the oracle names
    #[arg(long, value_name = "RULE", requires = "file", conflicts_with = "any_failure")]
    pub rule: Option<String>,

    /// Take any failure for the same
    #[arg(long)]
    pub any_failure: bool,

    /// Keep the smallest example of every other failure in this folder
    #[arg(long, value_name = "DIR")]
    pub also: Option<PathBuf>,

    /// Candidates tried at once; the result does not depend on it [default: the cores, 4 at most]
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,

    /// Longest run of the oracle: 30s, 500ms [default: 10 times what the input takes, 1s at least]
    #[arg(long, value_name = "DUR", value_parser = Limit::above_zero)]
    pub timeout: Option<Limit>,

    /// Stop after this long with the best so far [default: none for FILE, 60s for a stream]
    #[arg(long, value_name = "DUR", value_parser = Limit::above_zero)]
    pub max_time: Option<Limit>,

    /// Stop after so many calls of the oracle with the best so far
    #[arg(long, value_name = "N")]
    pub max_calls: Option<u64>,

    /// How often the result is run again at the end
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub confirm: u32,

    /// Most memory for each of the oracle's processes: 512M, 2G (Linux)
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub memory_limit: Option<u64>,

    /// Write every answer to this file, so that a search which was ended can go on
    #[arg(long, value_name = "FILE")]
    pub journal: Option<PathBuf>,

    /// Go on with the search of the journal: nothing is asked a second time
    #[arg(long, requires = "journal")]
    pub resume: bool,

    /// The oracle and its arguments; nothing in them is an option of bv-minimize
    #[arg(value_name = "ORACLE", required = true, last = true)]
    pub oracle: Vec<OsString>,
}

/// A shape by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ShapeName {
    /// One JSON value
    Json,
    /// A JSON value a line
    Ndjson,
    /// Records of fields with commas between
    Csv,
    /// Arguments, one a line
    Lines,
    /// Arguments, each ended by a NUL byte
    Nul,
    /// Any text, source code too
    Text,
}

impl From<ShapeName> for Shape {
    fn from(name: ShapeName) -> Shape {
        match name {
            ShapeName::Json => Shape::Json,
            ShapeName::Ndjson => Shape::Ndjson,
            ShapeName::Csv => Shape::Csv,
            ShapeName::Lines => Shape::Lines,
            ShapeName::Nul => Shape::Nul,
            ShapeName::Text => Shape::Text,
        }
    }
}

/// The most jobs when nobody says how many: an oracle often uses more than one core itself.
const JOBS_MAX: usize = 4;

impl Args {
    /// Candidates tried at once.
    pub fn jobs(&self) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        self.jobs.map_or(cores.min(JOBS_MAX), NonZeroUsize::get)
    }

    /// The options that decide what an answer is, for the journal.
    pub fn settings(&self) -> Vec<String> {
        let mut settings = Vec::new();
        let mut add = |name: &str, value: Option<String>| {
            settings.extend(value.map(|value| format!("{name}={value}")));
        };
        add("list", self.list.then(|| "yes".into()));
        add("shape", self.shape.map(|shape| format!("{shape:?}").to_lowercase()));
        add("interesting-exit", self.interesting_exit.map(|n| n.to_string()));
        add("any-failure", self.any_failure.then(|| "yes".into()));
        add("timeout", self.timeout.as_ref().map(Limit::to_string));
        add("memory-limit", self.memory_limit.map(|n| n.to_string()));
        settings
    }
}

/// Bytes, with the units of `ulimit` and `dd`: K, M, G, each 1024 times the one before.
fn size(text: &str) -> Result<u64, String> {
    const SHAPE: &str = "expected a size such as 512M or 2G";
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let power = match unit.to_ascii_uppercase().as_str() {
        "" => 0,
        "K" => 1,
        "M" => 2,
        "G" => 3,
        _ => return Err(SHAPE.into()),
    };
    let number: u64 = number.parse().map_err(|_| SHAPE)?;
    let bytes = number.checked_mul(1024_u64.pow(power)).ok_or("too large a size")?;
    if bytes < 1024 { Err("too small for any process".into()) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        <Args as clap::CommandFactory>::command().debug_assert();
    }

    #[test]
    fn sizes_have_units() {
        let sizes = ["4096", "512M", "2g", "64K", "0", "2T", "G", "99999999999G"].map(|text| size(text).ok());
        assert_eq!(
            sizes,
            [Some(4096), Some(512 << 20), Some(2 << 30), Some(64 << 10), None, None, None, None]
        );
    }
}

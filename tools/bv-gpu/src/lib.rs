//! Runs a WebGL2 shader headless, checks it, and names the uniform vector and pixel that break it.
//!
//! In: check files, and the shaders and pictures that they name. Out: `failure` records, then one `end`, the stream
//! that bv-receipt reads. Drivers and compilers run in a second process of this binary, which may hang or die.
//! Nothing is written but what a failed picture leaves beside its reference, and what `--bless` asks for.

pub mod adapters;
pub mod check;
mod draw;
pub mod eval;
pub mod expr;
pub mod front;
mod judge;
mod picture;
mod report;
mod run;
mod scene;
mod session;
mod shrink;
mod texels;
mod values;
mod vectors;
mod wire;
mod worker;

use adapters::Wanted;
use bv_schemas::{Limit, Reason, exit};
use check::Check;
use clap::{Args as ClapArgs, Parser, Subcommand};
use report::Report;
use run::CheckFile;
use session::Session;
use std::fs::File;
use std::io::{self, BufRead, Read, Write};
use std::path::PathBuf;
use worker::Backend;

/// Runs a WebGL2 shader headless, checks it, and names the uniform vector and pixel that break it.
///
/// Reads check files (or one on stdin, or as -) and writes one record a broken rule, then one `end`: pipe it into
/// bv-receipt. Rules that need no picture (compile, link, limits) need no driver either. Where no driver is found,
/// or a file is missing, or the adapter lacks what a check needs, the run is refused and never passed. A shader that
/// does not end or kills its driver is a failure. See `bv-gpu --schema` for all that a check file may hold.
#[derive(Debug, Parser)]
#[command(
    name = "bv-gpu",
    version,
    args_conflicts_with_subcommands = true,
    subcommand_help_heading = "Other uses"
)]
pub struct Args {
    #[command(subcommand)]
    other: Option<Other>,

    /// Check files; their own names for shaders and pictures are relative to them
    #[arg(value_name = "CHECK")]
    checks: Vec<PathBuf>,

    /// Print the JSON Schema of check files
    #[arg(long)]
    schema: bool,

    /// Write the reference pictures of `image` rules instead of comparing with them
    #[arg(long)]
    bless: bool,

    #[command(flatten)]
    driver: Driver,
}

/// How a driver is found, and how long it may take.
#[derive(Debug, Clone, ClapArgs)]
pub struct Driver {
    /// A Vulkan driver's manifest (.json), or a SwiftShader library; nothing else is tried
    #[arg(long, value_name = "FILE", env = "BV_GPU_ICD", hide_env_values = true)]
    icd: Option<PathBuf>,

    /// The only sort of driver to look for
    #[arg(long, value_name = "SORT", env = "BV_GPU_BACKEND", hide_env_values = true)]
    backend: Option<Wanted>,

    /// Longest that compiling a shader pair or drawing one batch of vectors may take
    #[arg(long, value_name = "DUR", default_value = "10s", value_parser = Limit::above_zero)]
    timeout: Limit,
}

#[derive(Debug, Subcommand)]
enum Other {
    /// List the graphics adapters that are found, and how
    Adapters {
        #[command(flatten)]
        driver: Driver,
    },
    /// Answer uniform vectors on stdin (NDJSON) with what the shader draws for them: a candidate for bv-gate
    Eval(eval::Args),
    #[command(hide = true)]
    Worker { backend: Backend },
}

/// The schema of check files, as `--schema` prints it.
pub const SCHEMA: &str = include_str!("../../../schemas/gpu-check.schema.json");

/// The same, made from the types.
#[cfg(feature = "schema")]
pub fn schema() -> serde_json::Value {
    bv_schemas::schema::of::<Check>("bv/1 GPU check")
}

/// Does what the command line asks.
///
/// # Errors
/// Where input or output fails, or no process can be started.
pub fn run(args: &Args, input: impl BufRead + Send + 'static, mut output: impl Write) -> io::Result<u8> {
    match &args.other {
        Some(Other::Worker { backend }) => worker::run(*backend),
        Some(Other::Adapters { driver }) => list(driver, output),
        Some(Other::Eval(eval)) => eval::run(eval, input, output),
        None if args.schema => {
            output.write_all(SCHEMA.as_bytes())?;
            Ok(exit::PASSED)
        }
        None => checks(args, input, output),
    }
}

/// Runs all checks in one worker, as long as it lives.
fn checks(args: &Args, mut input: impl BufRead, output: impl Write) -> io::Result<u8> {
    let mut report = Report::new(output);
    let mut read = Vec::new();
    for path in named(&args.checks) {
        match read_check(path, &mut input) {
            Ok((file, check)) => read.push((file, check)),
            Err((reason, why, rules)) => {
                report.refuse(reason, why);
                report.skipped(rules);
            }
        }
    }
    let draws = read.iter().any(|(_, check)| check.draws());
    let mut session = match args.driver.places(draws) {
        Ok(places) => Session::new(places, args.driver.timeout.clone()),
        Err(why) => {
            report.refuse(Reason::NoAdapter, why);
            Session::new(Vec::new(), args.driver.timeout.clone())
        }
    };
    for (file, check) in &read {
        run::check(file, check, &mut session, args.bless, &mut report)?;
    }
    report.end()?;
    Ok(exit::PASSED)
}

impl Driver {
    fn places(&self, draws: bool) -> Result<Vec<adapters::Place>, String> {
        if draws { adapters::places(self.icd.as_deref(), self.backend) } else { Ok(Vec::new()) }
    }
}

/// Without a file, stdin.
fn named(checks: &[PathBuf]) -> Vec<Option<&PathBuf>> {
    match checks {
        [] => vec![None],
        several => several.iter().map(|path| Some(path).filter(|path| path.as_os_str() != "-")).collect(),
    }
}

fn read_check(
    path: Option<&PathBuf>,
    input: &mut impl BufRead,
) -> Result<(CheckFile, Check), (Reason, String, u64)> {
    let mut text = Vec::new();
    let most = check::CHECK_BYTES_MAX as u64 + 1;
    let name = path.map_or_else(|| "stdin".into(), |path| path.display().to_string());
    let read = match path {
        Some(path) => File::open(path).and_then(|file| file.take(most).read_to_end(&mut text)),
        None => input.take(most).read_to_end(&mut text),
    };
    read.map_err(|wrong| (Reason::MissingFile, format!("{name}: {wrong}"), 0))?;
    let check = Check::read(&text).map_err(|wrong| (Reason::BadInput, format!("{name}: {wrong}"), 0))?;
    Ok((CheckFile { path: path.cloned(), text }, check))
}

/// One line of JSON for each place that is looked at.
fn list(driver: &Driver, mut output: impl Write) -> io::Result<u8> {
    let places = adapters::places(driver.icd.as_deref(), driver.backend).map_err(io::Error::other)?;
    let mut chosen = false;
    for place in places {
        let found = place.found.clone();
        let mut session = Session::new(vec![place], driver.timeout.clone());
        let line = match session.adapter()? {
            Ok(adapter) => {
                let line = serde_json::json!({
                    "found": found, "adapter": adapter.name, "backend": adapter.backend,
                    "driver": adapter.driver, "software": adapter.software, "chosen": !chosen,
                });
                chosen = true;
                line
            }
            Err(why) => serde_json::json!({ "found": found, "missing": why, "chosen": false }),
        };
        bv_schemas::ndjson::write(&mut output, &line)?;
    }
    Ok(if chosen { exit::PASSED } else { exit::REFUSED })
}

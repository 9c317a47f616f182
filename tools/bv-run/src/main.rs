//! `bv-run [--timeout DUR] [--tee] -- CMD ARG...`: see the library.

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = bv_run::Args::parse();
    bv_schemas::stage::finish("bv-run", bv_run::run(args))
}

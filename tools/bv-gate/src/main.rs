//! `bv-gate --vectors FILE -- CANDIDATE ARG...`: see the library.

use clap::Parser;
use std::io::{self, BufWriter};
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = bv_gate::Args::parse();
    bv_schemas::stage::finish("bv-gate", bv_gate::run(args, BufWriter::new(io::stdout().lock())))
}

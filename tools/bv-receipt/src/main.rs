//! The command `bv-receipt`: standard input to standard output, nothing else.

use bv_receipt::{Args, run};
use bv_schemas::stage::finish;
use clap::Parser;
use std::io;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = Args::parse();
    finish("bv-receipt", run(&args, io::stdin().lock(), io::BufWriter::new(io::stdout().lock())))
}

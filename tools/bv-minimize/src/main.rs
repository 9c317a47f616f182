//! `bv-minimize FILE -o OUT -- ORACLE ARG...`, or the same without FILE in a pipe: see the library.

use clap::Parser;
use std::io::{self, BufWriter};
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = bv_minimize::Args::parse();
    let done = bv_minimize::run(&args, io::stdin().lock(), BufWriter::new(io::stdout().lock()));
    bv_schemas::stage::finish("bv-minimize", done)
}

//! The command `bv-memory`; all of it is in the library.

use clap::Parser;
use std::io;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = bv_memory::Args::parse();
    bv_schemas::stage::finish("bv-memory", bv_memory::run(&args, io::stdin().lock(), io::stdout().lock()))
}

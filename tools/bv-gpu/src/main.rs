//! `bv-gpu [OPTIONS] [CHECK]...`: see the library.

use clap::Parser;
use std::io;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = bv_gpu::Args::parse();
    bv_schemas::stage::finish(
        "bv-gpu",
        bv_gpu::run(&args, io::BufReader::new(io::stdin()), io::stdout().lock()),
    )
}

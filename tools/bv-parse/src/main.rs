//! The command `bv-parse`; all of it is in the library.

use clap::Parser;
use std::io;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = bv_parse::Args::parse();
    let result = bv_parse::run(&args, &mut io::stdin().lock(), io::stdout().lock());
    bv_schemas::stage::finish("bv-parse", result)
}

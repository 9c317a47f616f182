//! The command `bv-parse`; all of it is in the library, but for reading the files that the command line names.

use bv_parse::{Args, FILE_BYTES_MAX, FormatFile};
use clap::Parser;
use std::fs::File;
use std::io::{self, Read};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = Args::parse();
    let files: io::Result<Vec<FormatFile>> = args.format_paths().into_iter().map(format_file).collect();
    let result = files.and_then(|files| {
        args.format_files = files;
        bv_parse::run(&args, &mut io::stdin().lock(), io::stdout().lock())
    });
    bv_schemas::stage::finish("bv-parse", result)
}

/// A file of formats, read one byte over its limit at most, so that the library can say that it is too long.
fn format_file(path: &str) -> io::Result<FormatFile> {
    let mut text = String::new();
    let read =
        File::open(path).and_then(|file| file.take(FILE_BYTES_MAX as u64 + 1).read_to_string(&mut text));
    match read {
        Ok(_) => Ok(FormatFile { path: path.to_owned(), text }),
        Err(wrong) => {
            Err(io::Error::other(format!("cannot read formats: {path}: {wrong}; name a text file")))
        }
    }
}

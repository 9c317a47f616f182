//! Finds the smallest input that still fails in the same way.
//!
//! In: a file, or a stream of records whose failures have counterexamples, and an oracle that tells whether a
//! candidate still fails. Out: the smallest candidate found, or the stream with smaller counterexamples. The
//! input itself is never touched, and what is run comes from the command line alone.

mod also;
mod args;
mod ask;
mod fields;
mod hunt;
mod journal;
mod oracle;
mod output;
mod progress;
mod search;
mod shapes;
mod single;
mod stop;
mod stream;

pub use args::Args;
pub use ask::{Answer, Cancel, Limits, Oracle, Reduced, Waiting, Watch};
pub use search::reduce;
pub use shapes::Shape;

use std::io::{self, BufRead, Write};

/// Does what the command line says: shrinks one file, or the counterexamples of the stream `input`. The exit
/// status comes back.
///
/// # Errors
/// Those of input and output, of the journal, and an oracle that cannot be run.
pub fn run(args: &Args, input: impl BufRead, output: impl Write) -> io::Result<u8> {
    let stop = stop::Stop::on_signals()?;
    match &args.file {
        Some(file) => single::run(args, file, input, output, &stop),
        None => stream::run(args, input, output, &stop),
    }
}

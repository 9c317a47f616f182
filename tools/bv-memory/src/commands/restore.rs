//! `restore`: the stored bytes of a trace, to standard output.

use crate::archive::Archive;
use crate::id::Prefix;
use bv_schemas::exit;
use std::io::{self, Write};

/// What to restore.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// The hash of the trace, or enough of its first digits
    #[arg(value_name = "ID")]
    id: Prefix,
}

/// Writes the bytes; whether secrets are masked in them is said on stderr.
///
/// # Errors
/// Those of the archive and of `output`.
pub fn run(args: &Args, archive: &Archive, output: &mut impl Write) -> io::Result<u8> {
    let hash = archive.object(&args.id)?;
    let object = archive.fetch(hash)?;
    if object.masked {
        eprintln!("bv-memory: secrets are masked in it: {hash}");
    }
    object.copy(output)?;
    output.flush()?;
    Ok(exit::PASSED)
}

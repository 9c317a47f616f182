//! `show`: what an id names, as the runner printed it: the block of one failure, or a whole trace.

use crate::archive::Archive;
use crate::id::Prefix;
use crate::index::Failure;
use bv_schemas::exit;
use serde_json::Value;
use std::io::{self, Write};

/// What to show.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// A failure (see `search`), or a trace (a receipt's `trace`); enough of its first digits will do
    #[arg(value_name = "ID")]
    id: Prefix,
    /// Of the trace, only the block of this test
    #[arg(long, value_name = "TEST")]
    test: Option<String>,
}

/// Writes the block or the trace.
///
/// # Errors
/// Those of the archive and of `output`; `NotFound` where the id names nothing, `InvalidInput` where several.
pub fn run(args: &Args, archive: &Archive, output: &mut impl Write) -> io::Result<u8> {
    match failure(args, archive)? {
        Some(failure) => block(&failure, archive, output)?,
        None => archive.fetch(archive.object(&args.id)?)?.copy(output)?,
    }
    output.flush()?;
    Ok(exit::PASSED)
}

/// The failure that is meant; none where it is a whole trace.
fn failure(args: &Args, archive: &Archive) -> io::Result<Option<Failure>> {
    let id = args.id.as_str();
    if let Some(test) = &args.test {
        let of_trace = archive.failures_of(&args.id)?;
        let of_test = of_trace.into_iter().find(|failure| failure.key.as_deref() == Some(test));
        let none = || io::Error::new(io::ErrorKind::NotFound, format!("no failure of {test} in trace {id}"));
        return of_test.ok_or_else(none).map(Some);
    }
    let mut failures = archive.index()?.by_id(&args.id)?;
    if failures.len() > 1 {
        let several = format!("several failures begin with {id}; give more digits");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, several));
    }
    Ok(failures.pop())
}

/// The bytes of the failure's span; its record where the trace or the span is not known.
fn block(failure: &Failure, archive: &Archive, output: &mut impl Write) -> io::Result<()> {
    let record: Value = serde_json::from_str(&failure.record)?;
    let span = record.get("span").and_then(|span| Some((span.get(0)?.as_u64()?, span.get(1)?.as_u64()?)));
    let hash = failure.trace.as_deref().and_then(|hash| blake3::Hash::from_hex(hash).ok());
    let (Some((first, past)), Some(hash)) = (span, hash) else {
        return writeln!(output, "{record}");
    };
    match archive.fetch(hash) {
        Ok(object) => object.copy(&mut Window { output, at: 0, first, past }),
        Err(wrong) if wrong.kind() == io::ErrorKind::NotFound => writeln!(output, "{record}"),
        Err(wrong) => Err(wrong),
    }
}

/// Lets only the bytes from `first` on and before `past` through.
struct Window<'a, W: Write> {
    output: &'a mut W,
    at: u64,
    first: u64,
    past: u64,
}

impl<W: Write> Write for Window<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let inside = |place: u64| {
            usize::try_from(place.saturating_sub(self.at)).unwrap_or(usize::MAX).min(bytes.len())
        };
        let (from, to) = (inside(self.first), inside(self.past));
        if from < to {
            self.output.write_all(&bytes[from..to])?;
        }
        self.at += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_shows_its_bytes_whatever_the_pieces() {
        let text = b"0123456789";
        for size in 1..text.len() + 1 {
            for (first, past, expected) in
                [(0, 10, "0123456789"), (3, 7, "3456"), (8, 99, "89"), (5, 5, ""), (7, 3, "")]
            {
                let mut shown = Vec::new();
                let mut window = Window { output: &mut shown, at: 0, first, past };
                for piece in text.chunks(size) {
                    window.write_all(piece).expect("memory does not fail");
                }
                assert_eq!(String::from_utf8_lossy(&shown), expected, "{size} {first} {past}");
            }
        }
    }
}

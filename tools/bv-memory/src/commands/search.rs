//! `search`: where a text stands in the archive: failures first, then lines of traces; one JSON object a line.

use crate::archive::Archive;
use crate::store::{Key, Kind};
use bv_schemas::{exit, ndjson};
use memchr::memmem::Finder;
use serde::Serialize;
use std::io::{self, Write};

/// What to look for.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// The text, as it is: letters of the same case, no pattern
    #[arg(value_name = "TEXT", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    text: String,
    /// Places to write at most
    #[arg(long, value_name = "N", default_value_t = 100)]
    max: usize,
}

/// Bytes of a line that are shown, around the text.
const SHOWN_BYTES_MAX: usize = 200;
/// Bytes of a line that are looked at; a longer one is looked at in pieces.
const LINE_BYTES_MAX: usize = 64 << 10;

#[derive(Serialize)]
#[serde(untagged)]
enum Found<'a> {
    Failure {
        failure: &'a str,
        run: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        test: Option<&'a str>,
        live: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        trace: Option<&'a str>,
    },
    Line {
        trace: String,
        line: u64,
        text: String,
    },
}

/// Writes what is found.
///
/// # Errors
/// Those of the archive and of `output`.
pub fn run(args: &Args, archive: &Archive, output: &mut impl Write) -> io::Result<u8> {
    let mut output = io::BufWriter::new(output);
    let mut left = args.max;
    for failure in archive.index()?.with_text(&args.text)?.iter().take(left) {
        left -= 1;
        let found = Found::Failure {
            failure: &failure.id,
            run: &failure.run,
            test: failure.key.as_deref(),
            live: failure.superseded_by.is_none(),
            trace: failure.trace.as_deref(),
        };
        ndjson::write(&mut output, &found)?;
    }
    for entry in archive.store().list(Kind::Objects)? {
        let Key::Object(hash) = entry.key else { continue };
        if left == 0 {
            break;
        }
        let mut lines = Lines {
            trace: hash,
            finder: Finder::new(&args.text),
            held: Vec::new(),
            line: 1,
            found: Vec::new(),
            left,
        };
        // A damaged object is fsck's business; what could be read of it counts.
        if let Ok(object) = archive.fetch(hash)
            && let Err(wrong) = object.copy(&mut lines)
        {
            crate::warn(&format!("{wrong}: {hash}"));
        }
        lines.end();
        for found in &lines.found {
            ndjson::write(&mut output, found)?;
        }
        left = lines.left;
    }
    output.flush()?;
    Ok(exit::PASSED)
}

/// Lines of a trace that hold the text.
struct Lines<'a> {
    trace: blake3::Hash,
    finder: Finder<'a>,
    held: Vec<u8>,
    line: u64,
    found: Vec<Found<'a>>,
    left: usize,
}

impl Lines<'_> {
    fn end(&mut self) {
        let last = std::mem::take(&mut self.held);
        self.look(&last);
    }

    fn look(&mut self, line: &[u8]) {
        if self.left > 0
            && let Some(at) = self.finder.find(line)
        {
            self.left -= 1;
            let from = at.saturating_sub(SHOWN_BYTES_MAX / 2);
            let shown = &line[from..line.len().min(from + SHOWN_BYTES_MAX)];
            let text = String::from_utf8_lossy(shown).trim_end().to_owned();
            self.found.push(Found::Line { trace: self.trace.to_string(), line: self.line, text });
        }
    }
}

impl Write for Lines<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for piece in bytes.split_inclusive(|&b| b == b'\n') {
            self.held.extend_from_slice(piece);
            let ended = piece.ends_with(b"\n");
            if ended || self.held.len() > LINE_BYTES_MAX {
                let line = std::mem::take(&mut self.held);
                self.look(&line);
                if !ended {
                    // The text may stand across the pieces.
                    let kept = line.len().saturating_sub(self.finder.needle().len() - 1);
                    self.held.extend_from_slice(&line[kept..]);
                }
                self.line += u64::from(ended);
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

//! `tee`: raw bytes pass untouched and are stored under their BLAKE3.
//!
//! The bytes are passed on first and stored by a second thread. The store is complete before standard
//! output closes, so that a stage downstream which sees the end finds the object. An archive that fails
//! costs one line on stderr; the bytes go on passing.

use crate::object::Packing;
use crate::store::Address;
use bv_schemas::exit;
use std::io::{self, Read, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// Bytes that are read at once.
const PIECE_BYTES: usize = 256 << 10;
/// Pieces that wait to be stored; then the pipe waits.
const PIECES_MAX: usize = 16;

/// Passes `input` to `output` and stores it.
///
/// # Errors
/// Those of `input` and `output`; of the archive none. A closed `output` ends neither the reading, so
/// that the command upstream is not killed, nor the storing.
pub fn run(address: io::Result<Address>, input: impl Read, output: impl Write) -> io::Result<u8> {
    thread::scope(|scope| {
        let (sender, receiver) = sync_channel(PIECES_MAX);
        let storing = scope.spawn(move || keep(address, receiver));
        let passed = pass(input, output, sender);
        if let Err(wrong) = storing.join().unwrap_or_else(|_| Err(io::Error::other("a panic"))) {
            crate::warn(&format!("the trace is not archived: {wrong}"));
        }
        passed
    })
}

fn pass(mut input: impl Read, mut output: impl Write, keep: SyncSender<Vec<u8>>) -> io::Result<u8> {
    let mut gone = None;
    loop {
        let mut piece = vec![0; PIECE_BYTES];
        let n = match input.read(&mut piece) {
            Ok(0) => break,
            Ok(n) => n,
            Err(wrong) if wrong.kind() == io::ErrorKind::Interrupted => continue,
            Err(wrong) => return Err(wrong),
        };
        piece.truncate(n);
        if gone.is_none() {
            gone = output.write_all(&piece).and_then(|()| output.flush()).err();
        }
        // A receiver that gave up has said so, or will.
        let _ = keep.send(piece);
    }
    match gone {
        Some(wrong) if wrong.kind() != io::ErrorKind::BrokenPipe => Err(wrong),
        _ => Ok(exit::PASSED),
    }
}

fn keep(address: io::Result<Address>, pieces: Receiver<Vec<u8>>) -> io::Result<()> {
    let store = address?.open()?;
    let mut packing = Packing::new(&*store);
    let mut any = false;
    for piece in pieces {
        any = true;
        packing.take(&piece)?;
    }
    // Nothing is the trace of nothing.
    if any {
        packing.end()?;
    }
    Ok(())
}

//! The thread that copies the command's pipe to our output, and what others may know of it.

use crate::output::Output;
use std::io::{ErrorKind, PipeReader, Read};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

/// Read at once: what a pipe holds on Linux by default.
const CHUNK_BYTES: usize = 64 << 10;

/// How far the copy has come.
#[derive(Debug, Default)]
pub struct Progress {
    bytes: AtomicU64,
    writing: AtomicBool,
}

impl Progress {
    /// Bytes read from the command so far.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(SeqCst)
    }

    /// Whether bytes that were read wait for whoever reads our output.
    pub fn writing(&self) -> bool {
        self.writing.load(SeqCst)
    }
}

/// Copies until the last process that holds the pipe's other end lets go of it.
pub fn copy(mut pipe: PipeReader, output: &Output, progress: &Progress) {
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        match pipe.read(&mut chunk) {
            Ok(0) => return,
            Ok(n) => {
                progress.writing.store(true, SeqCst);
                progress.bytes.fetch_add(n as u64, SeqCst);
                output.copy(&chunk[..n]);
                progress.writing.store(false, SeqCst);
            }
            Err(wrong) if wrong.kind() == ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

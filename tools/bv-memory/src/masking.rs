//! Secrets masked in a stream of bytes, whatever the size of its pieces.
//!
//! In come pieces of any size; out go the same bytes in the same number, secrets overwritten. A piece is held
//! back to its last newline, and further back where a secret may still be going on; the bytes held are
//! bounded by [`HELD_BYTES_MAX`], and a secret that is longer is masked as far as it was held.

use bv_schemas::secrets;
use memchr::memmem;

/// Bytes that are held back at most, while no line ends or a private key goes on.
const HELD_BYTES_MAX: usize = 1 << 20;
/// A private key is no longer than this, its armour included.
const KEY_BYTES_MAX: usize = 32 << 10;

/// A stream that is being masked.
#[derive(Debug, Default)]
pub struct Masking {
    held: Vec<u8>,
    masked: bool,
}

impl Masking {
    /// Takes the next piece; `give` gets what is ready.
    ///
    /// # Errors
    /// Those of `give`.
    pub fn take<E>(&mut self, piece: &[u8], give: impl FnOnce(&[u8]) -> Result<(), E>) -> Result<(), E> {
        self.held.extend_from_slice(piece);
        let ready = self.ready();
        self.give(ready, give)
    }

    /// The end of the stream; whether anything was masked.
    ///
    /// # Errors
    /// Those of `give`.
    pub fn end<E>(mut self, give: impl FnOnce(&[u8]) -> Result<(), E>) -> Result<bool, E> {
        self.give(self.held.len(), give)?;
        Ok(self.masked)
    }

    /// How many of the bytes held can be judged now.
    fn ready(&self) -> usize {
        let held = &self.held[..];
        let Some(newline) = memchr::memrchr(b'\n', held) else {
            return if held.len() < HELD_BYTES_MAX { 0 } else { self.within_a_line() };
        };
        let lines = newline + 1;
        match open_key(&held[..lines]) {
            Some(begun) if lines - begun < KEY_BYTES_MAX => begun,
            _ => lines,
        }
    }

    /// In a line that is longer than what can be held: up to its last secret that may go on, and short of
    /// what may be the beginning of one.
    fn within_a_line(&self) -> usize {
        let tail = self.held.len() - secrets::PREFIX_BYTES_MAX;
        let from = self.held.len() - KEY_BYTES_MAX;
        let last = secrets::find(&self.held[from..]).pop().map(|place| from + place.start);
        last.filter(|&begun| begun < tail).unwrap_or(tail)
    }

    fn give<E>(&mut self, ready: usize, give: impl FnOnce(&[u8]) -> Result<(), E>) -> Result<(), E> {
        if ready == 0 {
            return Ok(());
        }
        self.masked |= secrets::mask(&mut self.held[..ready]);
        let given = give(&self.held[..ready]);
        self.held.drain(..ready);
        given
    }
}

/// Where a private key begins whose end is not seen yet.
fn open_key(text: &[u8]) -> Option<usize> {
    let begun = memmem::rfind(text, b"-----BEGIN ")?;
    let rest = &text[begun..];
    let line = &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())];
    let is_open = memmem::find(line, b"PRIVATE KEY").is_some() && memmem::find(rest, b"-----END ").is_none();
    is_open.then_some(begun)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    fn masked(text: &[u8], piece_bytes: usize) -> (Vec<u8>, bool) {
        let mut out = Vec::new();
        let mut masking = Masking::default();
        let mut add = |bytes: &[u8]| {
            out.extend_from_slice(bytes);
            Ok::<(), Infallible>(())
        };
        for piece in text.chunks(piece_bytes) {
            masking.take(piece, &mut add).expect("memory does not fail");
        }
        let any = masking.end(&mut add).expect("memory does not fail");
        (out, any)
    }

    #[test]
    fn pieces_of_any_size_are_masked_as_the_whole_is() {
        let text = b"one\r\nGH_TOKEN=ghp_abcdefghijklmnopqrstuvwxyz0123456789\nE   -----BEGIN PRIVATE KEY-----\n\
            E   MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\nE   -----END PRIVATE KEY-----\nAKIAIOSFODNN7EXAMPLE";
        let mut whole = text.to_vec();
        assert!(secrets::mask(&mut whole));
        assert_eq!(memmem::find(&whole, b"MIIE"), None);
        for piece_bytes in 1..text.len() + 1 {
            assert_eq!(masked(text, piece_bytes), (whole.clone(), true), "{piece_bytes}");
        }
    }

    #[test]
    fn a_secret_at_any_place_of_an_endless_line_is_masked() {
        for at in [0, 70_000, HELD_BYTES_MAX - 300, HELD_BYTES_MAX - 20, HELD_BYTES_MAX + 5] {
            let mut text = vec![b'.'; 2 * HELD_BYTES_MAX];
            let secret = b" AKIAIOSFODNN7EXAMPLE ";
            text[at..at + secret.len()].copy_from_slice(secret);
            let (out, any) = masked(&text, 65_536);
            assert!(any && out.len() == text.len(), "{at}");
            assert_eq!(memmem::find(&out, b"AKIA"), None, "{at}");
        }
    }

    #[test]
    fn a_key_that_never_ends_does_not_hold_the_stream() {
        let mut text = b"-----BEGIN PRIVATE KEY-----\n".to_vec();
        for _ in 0..100_000 {
            text.extend_from_slice(b"PASSED tests::one_of_many\n");
        }
        let (out, any) = masked(&text, 8192);
        assert!(any && out.len() == text.len());
        assert_eq!(&out[1000..], &text[1000..]);
    }
}

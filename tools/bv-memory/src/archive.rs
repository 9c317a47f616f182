//! The archive as the commands use it: a store, and what its journals say.
//!
//! It gives bytes back by their hash, and says of a failure whether a newer run superseded it.

use crate::id::{Prefix, RunId};
use crate::object::{Packed, Packing, Unpacking};
use crate::store::{Address, Key, Kind, Store};
use blake3::Hash;
use std::io;

/// An open archive.
#[derive(Debug)]
pub struct Archive {
    store: Box<dyn Store>,
}

/// Where a failure stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// No run of the archive saw it.
    Unknown,
    /// Its newest failure is not superseded.
    Live,
    /// A newer run ran the test, or all there is.
    Superseded(RunId),
}

impl Archive {
    /// Opens the archive at `address`.
    ///
    /// # Errors
    /// Where the store cannot be opened.
    pub fn open(address: &Address) -> io::Result<Archive> {
        Ok(Archive { store: address.open()? })
    }

    /// Keeps raw bytes, masked, under the hash of what they were.
    ///
    /// # Errors
    /// Those of the store.
    pub fn keep(&self, raw: &[u8]) -> io::Result<Packed> {
        let mut packing = Packing::new(&*self.store);
        packing.take(raw)?;
        packing.end()
    }

    /// The stored bytes of `hash`.
    ///
    /// # Errors
    /// `NotFound` where there are none.
    pub fn fetch(&self, hash: Hash) -> io::Result<Unpacking> {
        Unpacking::new(hash, self.store.get(Key::Object(hash))?)
    }

    /// The one object whose hash begins with `prefix`.
    ///
    /// # Errors
    /// `NotFound` where there is none, `InvalidInput` where there are several.
    pub fn object(&self, prefix: &Prefix) -> io::Result<Hash> {
        let mut found = None;
        for entry in self.store.list(Kind::Objects)? {
            let Key::Object(hash) = entry.key else { continue };
            if hash.to_hex().starts_with(prefix.as_str()) && found.replace(hash).is_some() {
                let several = format!("several objects begin with {}; give more digits", prefix.as_str());
                return Err(io::Error::new(io::ErrorKind::InvalidInput, several));
            }
        }
        let none = || io::Error::new(io::ErrorKind::NotFound, format!("no object: {}", prefix.as_str()));
        found.ok_or_else(none)
    }
}

//! The archive as the commands use it: a store, and the index of what its journals say.
//!
//! It gives bytes back by their hash, and says of a failure whether a newer run superseded it.

use crate::id::{Prefix, RunId};
use crate::index::{Failure, Index};
use crate::journal::Journal;
use crate::object::{self, Packed, Unpacking};
use crate::store::{Address, Key, Kind, Store};
use blake3::Hash;
use std::cell::OnceCell;
use std::io;

/// An open archive.
#[derive(Debug)]
pub struct Archive {
    store: Box<dyn Store>,
    /// Opened when it is first needed: bytes are given back without it.
    index: OnceCell<Index>,
}

/// Where a failure stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// No run of the archive saw it.
    Unknown,
    /// Its newest failure is not superseded.
    Live,
    /// The run with this id, or one before it, ran the test without the failure.
    Superseded(String),
}

impl Archive {
    /// Opens the archive at `address`.
    ///
    /// # Errors
    /// Where the store cannot be opened.
    pub fn open(address: &Address) -> io::Result<Archive> {
        Ok(Archive { store: address.open()?, index: OnceCell::new() })
    }

    /// The store.
    pub fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// The index, up to date with the store.
    ///
    /// # Errors
    /// Where it cannot be opened, or the store not be listed.
    pub fn index(&self) -> io::Result<&Index> {
        if let Some(index) = self.index.get() {
            return Ok(index);
        }
        let mut index = Index::open(self.store.index_folder())?;
        let unreadable = index.sync(&*self.store)?;
        if unreadable > 0 {
            crate::warn(&format!("{unreadable} journals cannot be read: run bv-memory fsck"));
        }
        Ok(self.index.get_or_init(|| index))
    }

    /// Takes a journal that was just stored into the index.
    ///
    /// # Errors
    /// Those of the index.
    pub fn add(&mut self, run: RunId, journal: &Journal) -> io::Result<()> {
        match self.index.get_mut() {
            Some(index) => index.add(&*self.store, run, journal),
            None => self.index().map(drop),
        }
    }

    /// Where the newest failure of the test `key` (or of a rule and its file) stands.
    ///
    /// # Errors
    /// Those of the index.
    pub fn standing(&self, project: &str, runner: &str, key: &str) -> io::Result<Standing> {
        let newest = self.index()?.seen(project, runner, key, RunId::MAX)?.pop();
        Ok(match newest.map(|failure| failure.superseded_by) {
            None => Standing::Unknown,
            Some(None) => Standing::Live,
            Some(Some(run)) => Standing::Superseded(run),
        })
    }

    /// The failures of the runs whose trace's hash begins with `trace`, with their receipts.
    ///
    /// # Errors
    /// Those of the index.
    pub fn failures_of(&self, trace: &Prefix) -> io::Result<Vec<Failure>> {
        self.index()?.failures_of(trace)
    }

    /// Keeps raw bytes, masked, under the hash of what they were.
    ///
    /// # Errors
    /// Those of the store.
    pub fn keep(&self, raw: &[u8]) -> io::Result<Packed> {
        object::keep(&*self.store, raw)
    }

    /// The stored bytes of `hash`.
    ///
    /// # Errors
    /// `NotFound` where there are none.
    pub fn fetch(&self, hash: Hash) -> io::Result<Unpacking> {
        object::fetch(&*self.store, hash)
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
        let none =
            || io::Error::new(io::ErrorKind::NotFound, format!("not in the archive: {}", prefix.as_str()));
        found.ok_or_else(none)
    }
}

//! Where objects and journals lie: what a store must do, and how its address is written.
//!
//! A store keeps immutable things under typed keys, so that no text from outside ever becomes a path. An
//! object is the (masked, compressed) bytes of a trace under the BLAKE3 of its raw bytes; a journal is one
//! run, written once and whole. What is put is durable when the call returns. Everything else, the index
//! foremost, is derived and can be made again from these two.

#[cfg(feature = "s3")]
mod bucket;
mod folder;

#[cfg(feature = "s3")]
pub use bucket::Bucket;
pub use folder::Folder;

use crate::id::RunId;
use blake3::Hash;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::SystemTime;

/// What a thing in the store is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// The bytes whose raw form has this BLAKE3.
    Object(Hash),
    /// The journal of a run.
    Journal(RunId),
}

/// The two kinds of things, for listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// All objects.
    Objects,
    /// All journals.
    Journals,
}

/// One thing that a store holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub key: Key,
    /// Its length as stored.
    pub bytes: u64,
    /// When it was put last: a put of what is there already counts.
    pub put: SystemTime,
}

/// What a put found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Put {
    /// It was not there and is now.
    Written,
    /// It was there already.
    Present,
}

/// A private file for bytes whose key is known only at their end. It goes when it is dropped.
#[derive(Debug)]
pub struct Spool {
    /// Open for reading and writing.
    pub file: File,
    /// Where it lies, until it is put.
    pub path: PathBuf,
}

impl Drop for Spool {
    fn drop(&mut self) {
        // After a put it is gone already.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// A place that keeps objects and journals. Safe for any number of processes at once.
pub trait Store: fmt::Debug + Send + Sync {
    /// Keeps `bytes` under `key` unless something is there; durable when it returns.
    ///
    /// # Errors
    /// Where it cannot be kept; nothing half-written is ever seen under `key`.
    fn put(&self, key: Key, bytes: &[u8]) -> io::Result<Put>;

    /// A private file on the side, to be put when its key is known.
    ///
    /// # Errors
    /// Where none can be made.
    fn spool(&self) -> io::Result<Spool>;

    /// As [`Store::put`], with the bytes of `spool`, however its cursor stands.
    ///
    /// # Errors
    /// As [`Store::put`].
    fn put_spool(&self, key: Key, spool: Spool) -> io::Result<Put>;

    /// The bytes under `key`.
    ///
    /// # Errors
    /// `NotFound` where nothing is there.
    fn get(&self, key: Key) -> io::Result<Box<dyn Read + Send>>;

    /// Whether something is under `key`.
    ///
    /// # Errors
    /// Where nobody can tell.
    fn has(&self, key: Key) -> io::Result<bool>;

    /// Whether something is under `key`; where a store can, it counts as put now, so that no garbage collector
    /// takes it from under the one who relies on it.
    ///
    /// # Errors
    /// Where nobody can tell.
    fn touch(&self, key: Key) -> io::Result<bool> {
        self.has(key)
    }

    /// All that there is of `kind`, ordered by key. What is no key is not listed.
    ///
    /// # Errors
    /// Where it cannot be listed.
    fn list(&self, kind: Kind) -> io::Result<Vec<Entry>>;

    /// Takes away what is under `key`; nothing there is no error.
    ///
    /// # Errors
    /// Where it cannot be taken away.
    fn delete(&self, key: Key) -> io::Result<()>;

    /// Takes away what writers that were killed left behind, where it is older than `before`; how many.
    ///
    /// # Errors
    /// Where the leftovers cannot be listed.
    fn sweep(&self, before: SystemTime) -> io::Result<u64>;

    /// A local folder for the index, mode 0700, no link in its path.
    fn index_folder(&self) -> &Path;
}

impl Key {
    /// The key as a relative path of two or three plain names.
    pub fn path(&self) -> String {
        match self {
            Key::Object(hash) => {
                let hex = hash.to_hex();
                format!("objects/{}/{}", &hex[..2], &hex[2..])
            }
            Key::Journal(run) => format!("journals/{run}.ndjson"),
        }
    }

    /// The key with this path; `None` for any other text.
    pub fn from_path(path: &str) -> Option<Key> {
        let names: Vec<&str> = path.split('/').collect();
        let key = match names[..] {
            ["objects", two, rest] => Key::Object(Hash::from_hex(format!("{two}{rest}")).ok()?),
            ["journals", name] => Key::Journal(name.strip_suffix(".ndjson")?.parse().ok()?),
            _ => return None,
        };
        // Upper-case digits would be a second name for the same key.
        (key.path() == path).then_some(key)
    }
}

/// Where a store is, as `--store` says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A local folder.
    Folder(PathBuf),
    /// `s3://bucket/prefix`.
    Bucket(String),
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Address, String> {
        match text {
            "" => Err("an empty address; name a folder or s3://bucket/prefix".into()),
            _ if text.starts_with("s3://") => Ok(Address::Bucket(text.into())),
            _ if text.contains("://") => Err("neither a folder nor s3://bucket/prefix".into()),
            _ => Ok(Address::Folder(text.into())),
        }
    }
}

impl Address {
    /// The folder `bv` among the user's data: `$XDG_DATA_HOME/bv`, else `~/.local/share/bv`.
    ///
    /// # Errors
    /// Where the environment names neither.
    pub fn of_user() -> io::Result<Address> {
        let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let data = absolute("XDG_DATA_HOME").or_else(|| Some(absolute("HOME")?.join(".local/share")));
        data.map(|data| Address::Folder(data.join("bv"))).ok_or_else(|| {
            io::Error::new(io::ErrorKind::NotFound, "no home folder; name the store with --store or BV_STORE")
        })
    }

    /// Opens the store, making its folders where they are missing.
    ///
    /// # Errors
    /// Where it cannot be reached or made.
    pub fn open(&self) -> io::Result<Box<dyn Store>> {
        match self {
            Address::Folder(path) => Ok(Box::new(Folder::open(path)?)),
            #[cfg(feature = "s3")]
            Address::Bucket(url) => Ok(Box::new(Bucket::open(url)?)),
            #[cfg(not(feature = "s3"))]
            Address::Bucket(url) => Err(io::Error::new(
                io::ErrorKind::Unsupported,
                format!("this bv-memory is built without s3: {url}; build it with --features s3"),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, is_key: bool) {
        assert_eq!(Key::from_path(path).map(|key| key.path()), is_key.then(|| path.to_owned()), "{path}");
    }

    #[test]
    fn only_whole_keys_are_paths() {
        let rest = "c".repeat(62);
        check(&format!("objects/ab/{rest}"), true);
        check(&format!("objects/AB/{rest}"), false);
        check(&format!("objects/a/b{rest}"), false);
        check(&format!("objects/../{rest}"), false);
        check(&format!("objects/ab/{rest}c"), false);
        check(&format!("journals/{}.ndjson", "0".repeat(32)), true);
        check(&format!("journals/{}", "0".repeat(32)), false);
        check(&format!("journals/{}.ndjson", "0".repeat(31)), false);
        check("journals/../../etc/passwd.ndjson", false);
        check("index.sqlite", false);
        check("", false);
    }

    #[test]
    fn addresses_are_folders_or_buckets() {
        assert_eq!("x/y".parse(), Ok(Address::Folder("x/y".into())));
        assert_eq!("s3://b/p".parse(), Ok(Address::Bucket("s3://b/p".into())));
        assert!("".parse::<Address>().is_err() && "http://x".parse::<Address>().is_err());
    }
}

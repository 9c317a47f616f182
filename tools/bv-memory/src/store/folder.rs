//! A store in a local folder: one file a thing, made whole on the side and then renamed into place.
//!
//! Every file is opened from its folder's descriptor and no link is followed below the store's own folder, so
//! that nothing planted there leads a write elsewhere. Folders have mode 0700, files 0600.
//!
//! The order of a put is what makes it durable: the bytes reach the disk (`fsync`), then they get their
//! name (`rename`), then the name reaches the disk (`fsync` of the folder). A process that is killed in
//! between leaves a file in `tmp/`, which nothing reads and [`Store::sweep`] takes away.

use super::{Entry, Key, Kind, Put, Spool, Store};
use crate::id;
use rustix::fs::{AtFlags, Mode, OFlags, Timespec, Timestamps, UTIME_NOW};
use rustix::fs::{fsync, mkdirat, openat, renameat, statat, unlinkat, utimensat};
use rustix::io::Errno;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const OBJECTS: &str = "objects";
const JOURNALS: &str = "journals";
const TMP: &str = "tmp";

/// An open store folder.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    objects: OwnedFd,
    journals: OwnedFd,
    tmp: OwnedFd,
}

impl Folder {
    /// Opens the store at `path`, which is made where it is missing. Links in `path` itself are the user's.
    ///
    /// # Errors
    /// Where a folder cannot be made or opened, or is a link.
    pub fn open(path: &Path) -> io::Result<Folder> {
        let told = |wrong: io::Error| io::Error::new(wrong.kind(), format!("{wrong}: {}", path.display()));
        fs::DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(told)?;
        let path = path.canonicalize().map_err(told)?;
        let root = rustix::fs::open(&path, FOLDER, Mode::empty())?;
        let below = |name| folder(&root, name).map_err(|wrong| io::Error::other(format!("{wrong}: {name}")));
        Ok(Folder { objects: below(OBJECTS)?, journals: below(JOURNALS)?, tmp: below(TMP)?, path })
    }

    /// The folder that holds `key`, made where it is missing if `make`, and its name in there.
    fn place(&self, key: Key, make: bool) -> io::Result<(OwnedFd, String)> {
        match key {
            Key::Journal(run) => Ok((self.journals.try_clone()?, format!("{run}.ndjson"))),
            Key::Object(hash) => {
                let hex = hash.to_hex();
                let (two, rest) = hex.split_at(2);
                let shard = if make { folder(&self.objects, two)? } else { existing(&self.objects, two)? };
                Ok((shard, rest.to_owned()))
            }
        }
    }

    fn files(&self, folder: &OwnedFd) -> io::Result<Vec<(String, rustix::fs::Stat)>> {
        let mut files = Vec::new();
        for name in names(folder)? {
            match statat(folder, name.as_str(), AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) if rustix::fs::FileType::from_raw_mode(stat.st_mode).is_file() => {
                    files.push((name, stat));
                }
                // Not a file, or gone since it was listed.
                Ok(_) | Err(Errno::NOENT) => {}
                Err(wrong) => return Err(wrong.into()),
            }
        }
        Ok(files)
    }
}

impl Store for Folder {
    fn put(&self, key: Key, bytes: &[u8]) -> io::Result<Put> {
        if self.touch(key)? {
            return Ok(Put::Present);
        }
        let mut spool = self.spool()?;
        spool.file.write_all(bytes)?;
        self.put_spool(key, spool)
    }

    fn spool(&self) -> io::Result<Spool> {
        let name = format!("{:016x}", id::random());
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = File::from(openat(&self.tmp, name.as_str(), flags, Mode::from_raw_mode(0o600))?);
        Ok(Spool { file, path: self.path.join(TMP).join(name) })
    }

    fn put_spool(&self, key: Key, spool: Spool) -> io::Result<Put> {
        if self.touch(key)? {
            return Ok(Put::Present);
        }
        let name = spool.path.file_name().ok_or_else(|| io::Error::other("a spool without a name"))?;
        let (folder, to) = self.place(key, true)?;
        spool.file.sync_all()?;
        renameat(&self.tmp, name, &folder, to.as_str())?;
        fsync(&folder)?;
        Ok(Put::Written)
    }

    fn get(&self, key: Key) -> io::Result<Box<dyn Read + Send>> {
        let (folder, name) = self.place(key, false)?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(Box::new(File::from(openat(&folder, name.as_str(), flags, Mode::empty())?)))
    }

    fn has(&self, key: Key) -> io::Result<bool> {
        let stat = self
            .place(key, false)
            .and_then(|(folder, name)| Ok(statat(&folder, name.as_str(), AtFlags::SYMLINK_NOFOLLOW)?));
        match stat {
            Ok(stat) => Ok(rustix::fs::FileType::from_raw_mode(stat.st_mode).is_file()),
            Err(wrong) if wrong.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(wrong) => Err(wrong),
        }
    }

    fn touch(&self, key: Key) -> io::Result<bool> {
        let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW as _ };
        let times = Timestamps { last_access: now, last_modification: now };
        let touched = self.place(key, false).and_then(|(folder, name)| {
            Ok(utimensat(&folder, name.as_str(), &times, AtFlags::SYMLINK_NOFOLLOW)?)
        });
        match touched {
            // What is there and is no file (a link that somebody planted) is not what was put.
            Ok(()) => self.has(key),
            Err(wrong) if wrong.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(wrong) => Err(wrong),
        }
    }

    fn list(&self, kind: Kind) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        let mut add = |path: String, stat: &rustix::fs::Stat| {
            if let Some(key) = Key::from_path(&path) {
                let bytes = u64::try_from(stat.st_size).unwrap_or(0);
                entries.push(Entry { key, bytes, put: modified(stat) });
            }
        };
        match kind {
            Kind::Journals => {
                for (name, stat) in self.files(&self.journals)? {
                    add(format!("{JOURNALS}/{name}"), &stat);
                }
            }
            Kind::Objects => {
                for shard in names(&self.objects)? {
                    let Ok(folder) = existing(&self.objects, &shard) else { continue };
                    for (name, stat) in self.files(&folder)? {
                        add(format!("{OBJECTS}/{shard}/{name}"), &stat);
                    }
                }
            }
        }
        entries.sort_by_key(|entry| entry.key.path());
        Ok(entries)
    }

    fn delete(&self, key: Key) -> io::Result<()> {
        let gone = self
            .place(key, false)
            .and_then(|(folder, name)| Ok(unlinkat(&folder, name.as_str(), AtFlags::empty())?));
        match gone {
            Err(wrong) if wrong.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        }
    }

    fn sweep(&self, before: SystemTime) -> io::Result<u64> {
        let mut swept = 0;
        for (name, stat) in self.files(&self.tmp)? {
            if modified(&stat) < before {
                unlinkat(&self.tmp, name.as_str(), AtFlags::empty())?;
                swept += 1;
            }
        }
        Ok(swept)
    }

    fn index_folder(&self) -> &Path {
        &self.path
    }
}

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// The folder `name` in `parent`, made durably where it is missing.
fn folder(parent: &OwnedFd, name: &str) -> io::Result<OwnedFd> {
    match existing(parent, name) {
        Err(wrong) if wrong.kind() == io::ErrorKind::NotFound => {
            match mkdirat(parent, name, Mode::from_raw_mode(0o700)) {
                // Another process was quicker.
                Ok(()) | Err(Errno::EXIST) => {}
                Err(wrong) => return Err(wrong.into()),
            }
            fsync(parent)?;
            existing(parent, name)
        }
        other => other,
    }
}

fn existing(parent: &OwnedFd, name: &str) -> io::Result<OwnedFd> {
    Ok(openat(parent.as_fd(), name, FOLDER | OFlags::NOFOLLOW, Mode::empty())?)
}

fn names(folder: &OwnedFd) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in rustix::fs::Dir::read_from(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name != "." && name != ".." {
            names.push(name);
        }
    }
    Ok(names)
}

fn modified(stat: &rustix::fs::Stat) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(u64::try_from(stat.st_mtime).unwrap_or(0))
}

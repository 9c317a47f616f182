//! A file that always holds one whole candidate: written beside its place, then put there at once.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The file of the result.
#[derive(Clone, Debug)]
pub struct Output {
    path: PathBuf,
}

impl Output {
    /// The file at `path`, which may be there already; `input` is not to be it.
    ///
    /// # Errors
    /// Where the two are one file.
    pub fn new(path: &Path, input: &Path) -> io::Result<Output> {
        let same = match (fs::canonicalize(path), fs::canonicalize(input)) {
            (Ok(one), Ok(other)) => one == other || same_file(path, input),
            _ => false,
        };
        if same {
            let what = format!("the output is the input: {}; the input is never written to", path.display());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        Ok(Output { path: path.to_owned() })
    }

    /// Puts these bytes there: a reader sees the old ones or the new ones, also after a crash.
    ///
    /// # Errors
    /// Those of writing; a file that is there stays as it was then.
    pub fn put(&self, bytes: &[u8]) -> io::Result<()> {
        put(&self.path, bytes).map_err(|wrong| {
            io::Error::new(wrong.kind(), format!("cannot write: {}: {wrong}", self.path.display()))
        })
    }

    /// What is there.
    pub fn get(&self) -> Option<Vec<u8>> {
        fs::read(&self.path).ok()
    }
}

/// Writes a file at once.
///
/// # Errors
/// Those of writing.
pub fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".bv-minimize-").tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().set_permissions(fs::Permissions::from_mode(mode(path)))?;
    file.as_file().sync_all()?;
    file.persist(path).map(drop).map_err(|wrong| wrong.error)
}

/// The mode of the file that is replaced, else what programs give new files. A temporary file has 0600, and the
/// process's own mask cannot be read without setting it.
fn mode(path: &Path) -> u32 {
    const NEW: u32 = 0o644;
    fs::metadata(path).map_or(NEW, |about| about.permissions().mode())
}

/// Two names of one file (hard links).
fn same_file(one: &Path, other: &Path) -> bool {
    let id = |path: &Path| fs::metadata(path).map(|about| (about.dev(), about.ino()));
    matches!((id(one), id(other)), (Ok(one), Ok(other)) if one == other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_the_input_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let (input, output) = (folder.path().join("in"), folder.path().join("out"));
        fs::write(&input, "input").expect("it can be written");
        let out = Output::new(&output, &input).expect("it is another file");
        for text in ["one", "", "three"] {
            out.put(text.as_bytes()).expect("it can be written");
            assert_eq!(out.get().as_deref(), Some(text.as_bytes()));
        }
        let names: Vec<_> =
            fs::read_dir(&folder).expect("it is there").flatten().map(|e| e.file_name()).collect();
        assert_eq!(names.len(), 2, "{names:?}");
        let (link, hard) = (folder.path().join("link"), folder.path().join("hard"));
        std::os::unix::fs::symlink(&input, &link).expect("a link");
        fs::hard_link(&input, &hard).expect("a link");
        for same in [input.clone(), link, hard, folder.path().join("./in")] {
            assert!(Output::new(&same, &input).is_err(), "{}", same.display());
        }
    }
}

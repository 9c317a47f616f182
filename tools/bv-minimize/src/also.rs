//! The smallest example of every other failure that candidates run into, each in a file named by its rule.
//!
//! A search may come across failures that nobody knew of. Which candidates are run depends on the number of
//! jobs, and so does what is found here; the result of the search does not.

use crate::output;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Failures that are kept; a rule that holds a time or an address would make endlessly many.
const RULES_MAX: usize = 1000;
/// Longest name of a file, its hash and extension apart.
const NAME_CHARS_MAX: usize = 80;

/// A folder of examples.
#[derive(Debug)]
pub struct Also {
    folder: PathBuf,
    extension: String,
    smallest: Mutex<HashMap<String, Vec<u8>>>,
}

impl Also {
    /// Examples in `folder`, which is made; files end in `extension` (with its dot, or empty).
    ///
    /// # Errors
    /// Where the folder cannot be made.
    pub fn new(folder: &Path, extension: String) -> io::Result<Also> {
        std::fs::create_dir_all(folder).map_err(|wrong| {
            io::Error::new(wrong.kind(), format!("cannot make {}: {wrong}", folder.display()))
        })?;
        Ok(Also { folder: folder.to_owned(), extension, smallest: Mutex::default() })
    }

    /// Keeps `example` where it is the smallest of its rule so far.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn keep(&self, rule: &str, example: &[u8]) -> io::Result<()> {
        // Held while the file is written, so that two threads do not write one.
        let mut smallest = self.smallest.lock().unwrap_or_else(PoisonError::into_inner);
        let better = match smallest.get(rule) {
            Some(known) => (example.len(), example) < (known.len(), known.as_slice()),
            None => smallest.len() < RULES_MAX,
        };
        if !better {
            return Ok(());
        }
        let file = self.folder.join(name(rule) + &self.extension);
        output::put(&file, example).map_err(|wrong| {
            io::Error::new(wrong.kind(), format!("cannot write: {}: {wrong}", file.display()))
        })?;
        smallest.insert(rule.to_owned(), example.to_vec());
        Ok(())
    }
}

/// A file name for a rule; one that had to be changed gets a hash, so that two rules never share a file.
fn name(rule: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let safe: String = rule.chars().map(|c| if plain(c) { c } else { '-' }).take(NAME_CHARS_MAX).collect();
    if safe == rule && !safe.starts_with('.') {
        return safe;
    }
    let hash = blake3::hash(rule.as_bytes()).to_hex();
    format!("{}-{}", safe.trim_start_matches('.'), &hash[..8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_example_of_each_rule_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let also = Also::new(&folder.path().join("new"), ".json".into()).expect("it can be made");
        for (rule, example) in [("R-1", "[1,2]"), ("R-1", "[]"), ("R-1", "[3]"), ("../x", "0"), ("..-x", "7")]
        {
            also.keep(rule, example.as_bytes()).expect("it can be written");
        }
        let mut files: Vec<(String, String)> = std::fs::read_dir(folder.path().join("new"))
            .expect("it is there")
            .flatten()
            .map(|entry| {
                let text = std::fs::read_to_string(entry.path()).expect("it is text");
                (entry.file_name().to_string_lossy().into_owned(), text)
            })
            .collect();
        files.sort();
        let hash = |rule: &str| blake3::hash(rule.as_bytes()).to_hex()[..8].to_owned();
        let mut expected = vec![
            (format!("-x-{}.json", hash("../x")), "0".to_owned()),
            (format!("-x-{}.json", hash("..-x")), "7".to_owned()),
            ("R-1.json".to_owned(), "[]".to_owned()),
        ];
        expected.sort();
        assert_eq!(files, expected);
    }
}

//! A fixture: one recorded run of a real runner, with its ground truth.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// `tests/fixtures/<format>/<case>/`.
#[derive(Clone, Debug)]
pub struct Case {
    /// The folder.
    pub folder: PathBuf,
    /// `<format>/<case>`.
    pub name: String,
    /// `expect.json`: what is true of the run, written by a person.
    pub expect: Value,
    /// The exit status as recorded.
    pub exit: Option<String>,
    /// The recorded streams: `output`, and `output.ansi` where there is one.
    pub streams: Vec<(&'static str, Vec<u8>)>,
}

impl Case {
    /// The project that was run, where it is kept.
    pub fn root(&self) -> PathBuf {
        let src = self.folder.join("src");
        if src.is_dir() { src } else { self.folder.clone() }
    }

    /// A stream with the line that bv-run ends it with.
    pub fn with_exit(&self, raw: &[u8]) -> Option<Vec<u8>> {
        let exit = self.exit.as_ref()?;
        let mut raw = raw.to_vec();
        if !raw.is_empty() && !raw.ends_with(b"\n") {
            raw.push(b'\n');
        }
        raw.extend_from_slice(format!("bv-exit: {exit}\n").as_bytes());
        Some(raw)
    }
}

/// All fixtures, by name.
///
/// # Panics
/// On a fixture that cannot be read: it must be mended.
pub fn all() -> Vec<Case> {
    let fixtures = crate::root().join("tests/fixtures");
    let mut cases: Vec<Case> =
        folders(&fixtures).iter().flat_map(|format| folders(format)).map(|folder| read(&folder)).collect();
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    cases
}

/// The names of the folders of fixtures.
pub fn groups() -> Vec<String> {
    folders(&crate::root().join("tests/fixtures")).iter().map(|folder| file_name(folder)).collect()
}

fn folders(of: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(of).unwrap_or_else(|wrong| panic!("{}: {wrong}", of.display()));
    let mut folders: Vec<PathBuf> =
        entries.map(|entry| entry.expect("a listed entry").path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn read(folder: &Path) -> Case {
    let text = |name: &str| fs::read_to_string(folder.join(name));
    let group = folder.parent().map(file_name).unwrap_or_default();
    let name = format!("{group}/{}", file_name(folder));
    let expect = text("expect.json").unwrap_or_else(|wrong| panic!("{name}/expect.json: {wrong}"));
    let expect = serde_json::from_str(&expect).unwrap_or_else(|wrong| panic!("{name}/expect.json: {wrong}"));
    let streams: Vec<_> =
        ["output", "output.ansi"].into_iter().filter_map(|s| Some((s, stream(folder, s)?))).collect();
    assert!(!streams.is_empty(), "{name}: no output.txt");
    let exit = text("exit").ok().map(|exit| exit.trim().to_owned());
    Case { folder: folder.to_path_buf(), name, expect, exit, streams }
}

/// A recorded stream, `output` or `output.ansi`; long ones are kept compressed.
///
/// # Panics
/// When what is compressed cannot be read.
pub fn stream(folder: &Path, name: &str) -> Option<Vec<u8>> {
    if let Ok(raw) = fs::read(folder.join(format!("{name}.txt"))) {
        return Some(raw);
    }
    let packed = fs::read(folder.join(format!("{name}.txt.zst"))).ok()?;
    Some(zstd::decode_all(&packed[..]).unwrap_or_else(|wrong| panic!("{}/{name}: {wrong}", folder.display())))
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

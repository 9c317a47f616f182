//! From a place as a runner prints it to a place in the sources under the root.
//!
//! In comes file, line and function as printed; out goes the receipt's location. Only regular files under
//! the root are read, also through links; what is missing, outside or too long costs the symbol and
//! nothing else. A path of another machine is matched by its longest tail that exactly one file under
//! the root has, or one of few has with the printed function around the line. What is printed is never replaced by what merely looks likely.

use crate::symbols::{Symbol, Symbols, plain_name};
use bv_schemas::{Location, Place};
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Longest source file that is read.
const FILE_BYTES_MAX: u64 = 4 << 20;
/// Files and folders under the root that are looked at when a path must be matched by its tail.
const ENTRIES_MAX: usize = 100_000;
/// Files of one name that are read to see which of them has the printed function.
const NAMESAKES_MAX: usize = 16;
/// Entries of one folder that are looked at when its files are asked for.
const FOLDER_ENTRIES_MAX: usize = 2_000;
/// Files kept in memory at a time.
const FILES_HELD_MAX: usize = 64;

/// The sources under the root, read when asked for.
pub struct Sources {
    /// Without links; `None` where there is no such folder.
    root: Option<PathBuf>,
    /// As given, made absolute: runners print paths under it, too.
    given: Option<PathBuf>,
    files: OnceCell<Option<Vec<String>>>,
    read: RefCell<HashMap<String, Option<Rc<Source>>>>,
}

struct Source {
    text: Rc<str>,
    lines: u64,
    /// Looked for when a symbol is asked for: most files are only read.
    symbols: OnceCell<Option<Symbols>>,
}

impl Source {
    fn symbols(&self, file: &str) -> Option<&Symbols> {
        self.symbols.get_or_init(|| Symbols::of(file, &self.text)).as_ref()
    }
}

impl Sources {
    /// The sources under `root`. A folder that is missing is one without sources.
    pub fn under(root: &Path) -> Sources {
        Sources {
            root: root.canonicalize().ok().filter(|root| root.is_dir()),
            given: std::path::absolute(root).ok(),
            files: OnceCell::new(),
            read: RefCell::default(),
        }
    }

    /// The location of a place; `None` where no file is printed.
    pub fn locate(&self, place: &Place) -> Option<Location> {
        let printed_file = place.file.as_deref()?;
        let (file, source) = self.find(printed_file, place);
        // A closure has no name that a person could look for; module level has no symbol.
        let plain = place.function.as_deref().and_then(|printed| plain_name(&file, printed));
        let at_module_level = place.function.as_deref().is_some_and(is_module_level);
        let symbols = source.as_ref().filter(|_| !at_module_level).and_then(|source| source.symbols(&file));
        let known_line =
            place.line.filter(|&line| source.as_ref().is_some_and(|source| line <= source.lines));
        let found = symbols.and_then(|symbols| symbol(symbols, known_line, plain));
        let lines = match (place.line, &found) {
            (Some(line), Some(found)) if (found.lines[0]..=found.lines[1]).contains(&line) => {
                Some(found.lines)
            }
            (Some(line), _) => Some([line, line]),
            (None, found) => found.as_ref().map(|found| found.lines),
        };
        let printed = place.function.clone().filter(|_| plain.is_some());
        let symbol = found.map(|found| found.name).or(printed);
        Some(Location { file, symbol, lines, line: place.line, inferred: None })
    }

    /// The file of a place, relative to the root; `None` where there is no such file.
    pub fn file(&self, place: &Place) -> Option<String> {
        let (file, source) = self.find(place.file.as_deref()?, place);
        source.map(|_| file)
    }

    /// The text of a file by its path relative to the root.
    pub fn text(&self, file: &str) -> Option<Rc<str>> {
        self.source(file).map(|source| source.text.clone())
    }

    /// The regular files of a folder, by path relative to the root, in the order of their names.
    pub fn folder(&self, folder: &str) -> Vec<String> {
        self.entries(folder, false)
    }

    /// The folders of a folder, without those that tools put there.
    pub fn folders(&self, folder: &str) -> Vec<String> {
        self.entries(folder, true)
    }

    fn entries(&self, folder: &str, folders: bool) -> Vec<String> {
        let Some(root) = self.root.as_ref() else { return Vec::new() };
        let Some(path) = root.join(folder).canonicalize().ok().filter(|path| path.starts_with(root)) else {
            return Vec::new();
        };
        let Ok(entries) = fs::read_dir(path) else { return Vec::new() };
        let mut found = Vec::new();
        for entry in entries.flatten().take(FOLDER_ENTRIES_MAX) {
            let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
            let is_asked_for =
                entry.file_type().is_ok_and(|kind| if folders { kind.is_dir() } else { kind.is_file() });
            if is_asked_for && !(folders && is_skipped(&name)) {
                found.push(if folder.is_empty() { name } else { format!("{folder}/{name}") });
            }
        }
        found.sort();
        found
    }

    /// The file's path relative to the root and its text; the path as printed where there is no such file.
    fn find(&self, printed: &str, place: &Place) -> (String, Option<Rc<Source>>) {
        let as_printed = || (printed.to_owned(), None);
        let plain = printed.strip_prefix("file://").unwrap_or(printed);
        let plain = if plain.contains('/') { plain.to_owned() } else { plain.replace('\\', "/") };
        let is_absolute = plain.starts_with('/') || plain.as_bytes().get(1) == Some(&b':');
        let Some(parts) = parts(&plain) else { return as_printed() };
        let known = if is_absolute { self.without_root(&parts) } else { self.beside_root(&parts) };
        if let Some(file) = known {
            let source = self.source(&file);
            return (file, source);
        }
        if is_library(&parts) {
            return as_printed();
        }
        let parts_min = if is_absolute { 1 } else { parts.len() };
        let package = package(place);
        let parts: Vec<&str> = package.iter().copied().chain(parts).collect();
        let candidates = self.by_tail(&parts, parts_min);
        match self.only_with(candidates, place).and_then(|file| Some((self.source(&file)?, file))) {
            Some((source, file)) if place.line.is_none_or(|line| line <= source.lines) => {
                (file, Some(source))
            }
            _ => as_printed(),
        }
    }

    /// The rest of an absolute path that lies under the root, whether or not there is such a file.
    fn without_root(&self, parts: &[&str]) -> Option<String> {
        [&self.root, &self.given].into_iter().flatten().find_map(|root| {
            let root = root.to_str()?.replace('\\', "/");
            let root: Vec<&str> = root.split('/').filter(|part| !part.is_empty()).collect();
            let rest = parts.strip_prefix(&root[..])?;
            (!rest.is_empty()).then(|| rest.join("/"))
        })
    }

    /// A relative path that names a file under the root, also where it is relative to a folder above.
    fn beside_root(&self, parts: &[&str]) -> Option<String> {
        let root = self.root.as_ref()?;
        (0..parts.len())
            .filter(|&above| above == 0 || root.ends_with(parts[..above].iter().collect::<PathBuf>()))
            .map(|above| parts[above..].join("/"))
            .find(|file| self.path(file).is_some())
    }

    /// The regular file of this relative path, unless a link leads it out of the root.
    fn path(&self, file: &str) -> Option<PathBuf> {
        let root = self.root.as_ref()?;
        let path = root.join(file).canonicalize().ok()?;
        (path.starts_with(root) && path.is_file()).then_some(path)
    }

    /// The files under the root that share more of the path's end than all others, `parts_min` parts at least.
    fn by_tail(&self, parts: &[&str], parts_min: usize) -> Vec<&String> {
        let Some(root) = self.root.as_deref() else { return Vec::new() };
        let Some(files) = self.files.get_or_init(|| files(root)) else { return Vec::new() };
        let shared =
            |file: &str| file.rsplit('/').zip(parts.iter().rev()).take_while(|(a, b)| a == *b).count();
        let most = files.iter().map(|file| shared(file)).max();
        let Some(most) = most.filter(|&most| most >= parts_min.max(1)) else { return Vec::new() };
        files.iter().filter(|file| shared(file) == most).collect()
    }

    /// The only candidate; of a few, the only one that has the printed function around the printed line.
    fn only_with(&self, candidates: Vec<&String>, place: &Place) -> Option<String> {
        if let [only] = candidates[..] {
            return Some(only.clone());
        }
        let (line, printed) = (place.line?, place.function.as_deref()?);
        if candidates.len() > NAMESAKES_MAX {
            return None;
        }
        let mut holding = candidates.into_iter().filter(|file| {
            let source = self.source(file);
            let symbols = source.as_ref().and_then(|source| source.symbols(file));
            let plain = plain_name(file, printed);
            plain.is_some() && symbols.is_some_and(|symbols| symbols.at(line, plain).is_some())
        });
        match (holding.next(), holding.next()) {
            (Some(only), None) => Some(only.clone()),
            _ => None,
        }
    }

    fn source(&self, file: &str) -> Option<Rc<Source>> {
        if let Some(known) = self.read.borrow().get(file) {
            return known.clone();
        }
        let source = self.path(file).and_then(|path| read(&path)).map(|text| {
            Rc::new(Source {
                lines: text.lines().count() as u64,
                text: text.into(),
                symbols: OnceCell::new(),
            })
        });
        let mut held = self.read.borrow_mut();
        if held.len() >= FILES_HELD_MAX {
            held.clear();
        }
        held.insert(file.to_owned(), source.clone());
        source
    }
}

/// The function is what is printed, if anything is: a file that changed since, or a line that a tool counts
/// differently, must not turn it into its neighbour.
fn symbol(symbols: &Symbols, line: Option<u64>, printed: Option<&str>) -> Option<Symbol> {
    match (line, printed) {
        (Some(line), Some(printed)) => symbols.at(line, Some(printed)).or_else(|| symbols.named(printed)),
        (None, Some(printed)) => symbols.named(printed),
        (Some(line), None) => symbols.at(line, None),
        (None, None) => None,
    }
}

/// Whether a printed name stands for a file's code outside all functions, as Python, Ruby, PHP and
/// JavaScriptCore print it.
fn is_module_level(printed: &str) -> bool {
    matches!(printed, "<module>" | "<main>" | "<top (required)>" | "{main}" | "module code" | "global code")
}

/// The package's folders where a runtime prints a file's base name and its class in full, as the JVM does:
/// `shop.Invoice.add(Invoice.java:12)`.
fn package(place: &Place) -> Vec<&str> {
    let is_of_jvm = |file: &str| [".java", ".kt", ".scala", ".groovy"].iter().any(|end| file.ends_with(end));
    let base = place.file.as_deref().filter(|file| !file.contains(['/', '\\']) && is_of_jvm(file));
    let Some(function) = base.and(place.function.as_deref()) else { return Vec::new() };
    let class = function.rsplit('/').next().unwrap_or(function);
    let mut parts: Vec<&str> = class.split('.').collect();
    parts.truncate(parts.len().saturating_sub(2));
    parts
}

/// A path's parts without `.` and `..`; `None` where it leads above its start.
fn parts(path: &str) -> Option<Vec<&str>> {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    (!parts.is_empty()).then_some(parts)
}

/// Whether a path lies where toolchains and package managers put other people's code, whose files have
/// names like everyone's (`src/lib.rs`).
fn is_library(parts: &[&str]) -> bool {
    let named = |name: &str| parts.contains(&name);
    parts.first() == Some(&"rustc")
        || parts.starts_with(&["usr", "lib"])
        || parts.starts_with(&["usr", "include"])
        || parts.starts_with(&["usr", "local", "lib"])
        || parts.windows(2).any(|pair| pair == [".cargo", "registry"] || pair == ["pkg", "mod"])
        || ["site-packages", "dist-packages", "node_modules", ".rustup", "vendor"]
            .iter()
            .any(|name| named(name))
}

/// The paths of all files under `root`, without those that tools put there; `None` where they are too many
/// to say that a file is the only one of its name.
fn files(root: &Path) -> Option<Vec<String>> {
    let mut files = Vec::new();
    let mut folders = vec![String::new()];
    let mut entries_left = ENTRIES_MAX;
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(root.join(&folder)) else { continue };
        let (files_before, folders_before) = (files.len(), folders.len());
        for entry in entries.flatten() {
            entries_left = entries_left.checked_sub(1)?;
            let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            match entry.file_type() {
                // Caches and virtual environments say what they are.
                Ok(_) if matches!(name.as_str(), "CACHEDIR.TAG" | "pyvenv.cfg") => {
                    files.truncate(files_before);
                    folders.truncate(folders_before);
                    break;
                }
                Ok(kind) if kind.is_dir() && !is_skipped(&name) => folders.push(path),
                Ok(kind) if kind.is_file() => files.push(path),
                _ => {}
            }
        }
    }
    Some(files)
}

fn is_skipped(folder: &str) -> bool {
    folder.starts_with('.')
        || matches!(folder, "node_modules" | "__pycache__" | "site-packages" | "target" | "venv")
}

fn read(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    fs::File::open(path).ok()?.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= FILE_BYTES_MAX).then(|| String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &Path, file: &str, text: &str) {
        let path = root.join(file);
        fs::create_dir_all(path.parent().expect("a file has a folder")).expect("the folder is ours");
        fs::write(path, text).expect("the folder is ours");
    }

    fn project() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("there is room");
        write(folder.path(), "secret.py", "def outside():\n    pass\n");
        let root = folder.path().join("proj");
        let code = "import os\n\nclass Box:\n    def wide(self):\n        return 1\n\ndef top():\n    return [x for x in ()]\n";
        write(&root, "src/box.py", code);
        write(&root, "one/util.py", code);
        write(&root, "two/util.py", code);
        write(&root, "web/deep/only.js", "function f() {\n}\n");
        write(&root, "java/one/Util.java", "class Util {\n  void f() { go(); }\n}\n");
        write(&root, "java/two/Util.java", "class Util {\n  void f() { go(); }\n  void g() { go(); }\n}\n");
        write(&root, "env/pyvenv.cfg", "");
        write(&root, "env/lib/only.js", "");
        write(&root, "node_modules/only.js", "");
        folder
    }

    /// `expected` is file, symbol and first line of the range, a blank between them.
    fn check(printed: &str, line: u64, function: &str, expected: &str) {
        let folder = project();
        let root = folder.path().join("proj");
        let sources = Sources::under(&root);
        let place = Place {
            file: Some(printed.replace("ROOT", root.to_str().expect("a temporary path is plain"))),
            line: Some(line).filter(|&line| line > 0),
            function: Some(function.to_owned()).filter(|name| !name.is_empty()),
        };
        let at = sources.locate(&place).expect("a file is printed");
        assert!(
            at.lines.is_none_or(|[first, last]| at.line.is_none_or(|line| first <= line && line <= last)),
            "{at:?}"
        );
        let symbol = at.symbol.as_deref().unwrap_or("-");
        let range = at.lines.map_or("-".to_owned(), |[first, last]| format!("{first}-{last}"));
        assert_eq!(format!("{} {symbol} {range}", at.file), expected, "{place:?}");
    }

    #[test]
    fn a_file_under_the_root_gives_the_symbol() {
        check("src/box.py", 5, "", "src/box.py Box.wide 4-5");
        check("./src/../src/box.py", 5, "wide", "src/box.py Box.wide 4-5");
        check("ROOT/src/box.py", 5, "", "src/box.py Box.wide 4-5");
        check("file://ROOT/src/box.py", 3, "", "src/box.py Box 3-5");
        check("src\\box.py", 1, "", "src/box.py - 1-1");
        check("proj/src/box.py", 8, "<listcomp>", "src/box.py top 7-8");
        check("src/box.py", 8, "<module>", "src/box.py - 8-8");
        check("src/box.py", 0, "wide", "src/box.py Box.wide 4-5");
    }

    #[test]
    fn what_is_printed_is_never_turned_into_its_neighbour() {
        check("src/box.py", 5, "gone", "src/box.py gone 5-5");
        check("src/box.py", 2, "top", "src/box.py top 2-2");
        check("src/box.py", 99, "wide", "src/box.py Box.wide 99-99");
        check("src/box.py", 99, "", "src/box.py - 99-99");
    }

    #[test]
    fn another_machines_path_is_matched_by_its_tail() {
        check("/home/ci/work/src/box.py", 5, "", "src/box.py Box.wide 4-5");
        check("C:\\ci\\src\\box.py", 5, "", "src/box.py Box.wide 4-5");
        check("/home/ci/box.py", 5, "", "src/box.py Box.wide 4-5");
        check("/home/ci/two/util.py", 8, "top", "two/util.py top 7-8");
        check("deep/only.js", 1, "f", "web/deep/only.js f 1-2");
        check("only.js", 1, "", "web/deep/only.js f 1-2");
    }

    #[test]
    fn of_namesakes_the_one_with_the_package_or_the_function_is_meant() {
        check("Util.java", 2, "one.Util.f", "java/one/Util.java Util.f 2-2");
        check("Util.java", 2, "app//two.Util.f", "java/two/Util.java Util.f 2-2");
        check("Util.java", 3, "g", "java/two/Util.java Util.g 3-3");
        check("Util.java", 2, "f", "Util.java f 2-2");
        check("Util.java", 3, "f", "Util.java f 3-3");
        check("Util.java", 2, "", "Util.java - 2-2");
        check("Util.java", 2, "three.Util.f", "Util.java three.Util.f 2-2");
    }

    #[test]
    fn a_tail_that_says_too_little_is_left_as_printed() {
        check("/home/ci/util.py", 5, "wide", "/home/ci/util.py wide 5-5");
        check("util.py", 5, "", "util.py - 5-5");
        check("three/box.py", 5, "", "three/box.py - 5-5");
        check("/home/ci/src/box.py", 99, "", "/home/ci/src/box.py - 99-99");
        check("/usr/lib/python3/box.py", 5, "f", "/usr/lib/python3/box.py f 5-5");
        check("/rustc/0ab/library/src/box.py", 5, "", "/rustc/0ab/library/src/box.py - 5-5");
    }

    #[test]
    fn nothing_outside_the_root_is_read() {
        check("../secret.py", 1, "", "../secret.py - 1-1");
        check("src/../../secret.py", 1, "", "src/../../secret.py - 1-1");
        check("missing.py", 1, "f", "missing.py f 1-1");
        check("ROOT/missing.py", 1, "f", "missing.py f 1-1");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_out_of_the_root_is_not_followed() {
        let folder = project();
        let root = folder.path().join("proj");
        std::os::unix::fs::symlink("../secret.py", root.join("link.py")).expect("the folder is ours");
        std::os::unix::fs::symlink("src", root.join("source")).expect("the folder is ours");
        let locate = |file: &str| {
            let place = Place { file: Some(file.into()), line: Some(1), function: None };
            Sources::under(&root).locate(&place).expect("a file is printed").symbol
        };
        assert_eq!(locate("link.py"), None);
        let place = Place { file: Some("source/box.py".into()), line: Some(5), function: None };
        let found = Sources::under(&root).locate(&place).expect("a file is printed");
        assert_eq!((found.file.as_str(), found.symbol.as_deref()), ("source/box.py", Some("Box.wide")));
    }

    #[test]
    fn no_root_costs_the_symbol_only() {
        let place = Place { file: Some("a.py".into()), line: Some(3), function: Some("f".into()) };
        let expected = Location {
            file: "a.py".into(),
            symbol: Some("f".into()),
            lines: Some([3, 3]),
            line: Some(3),
            inferred: None,
        };
        assert_eq!(Sources::under(Path::new("/no/such/folder")).locate(&place), Some(expected));
    }
}

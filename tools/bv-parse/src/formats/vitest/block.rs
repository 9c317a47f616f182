//! One error below a banner, under the names of all tests that it failed.

use crate::javascript::{Names, Naming, error};
use crate::machine::Line;
use bv_schemas::{Failure, Kind, Place};
use std::collections::HashSet;

/// Text kept of one block.
const BLOCK_BYTES_MAX: usize = 256 << 10;
/// Names kept above one error.
const NAMES_MAX: usize = 1000;

/// What kind of errors stand below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Banner {
    /// `Failed Suites 1`: files that could not be loaded, hooks around tests.
    Suites,
    /// `Failed Tests 4`.
    Tests,
    /// `Unhandled Errors`, `Source Errors`: the next banner names the first.
    Unhandled,
    /// One of them: `Uncaught Exception`, `Unhandled Rejection`, …
    Error,
    /// `Startup Error`: nothing ran.
    Startup,
}

impl Banner {
    /// The banner of these words.
    pub fn of(words: &str) -> Option<Banner> {
        match words {
            "Unhandled Errors" | "Source Errors" => Some(Banner::Unhandled),
            "Startup Error" => Some(Banner::Startup),
            "Uncaught Exception" => Some(Banner::Error),
            _ if words.starts_with("Failed Suites ") => Some(Banner::Suites),
            _ if words.starts_with("Failed Tests ") => Some(Banner::Tests),
            _ if words.starts_with("Unhandled ") || words.ends_with(" Error") => Some(Banner::Error),
            _ => None,
        }
    }

    /// Whether errors below it stand under ` FAIL  name` lines.
    pub fn has_names(self) -> bool {
        matches!(self, Banner::Suites | Banner::Tests)
    }
}

/// An error that is being read.
#[derive(Debug)]
pub struct Block {
    banner: Banner,
    names: Vec<Name>,
    text: String,
    span: Option<[u64; 2]>,
}

#[derive(Debug, PartialEq, Eq)]
struct Name {
    project: String,
    /// `file > suite > test`, or the file alone.
    id: String,
    is_file: bool,
}

impl Block {
    /// Begins, with a name's line or below a banner.
    pub fn new(span: Option<[u64; 2]>, banner: Banner) -> Block {
        Block { banner, names: Vec::new(), text: String::new(), span }
    }

    /// Whether only names have come.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The line of one more test that this error failed.
    pub fn name(&mut self, text: &str) {
        let name = Name::of(text);
        // A test that was tried again stands once more.
        if self.names.len() < NAMES_MAX && self.names.last() != Some(&name) {
            self.names.push(name);
        }
    }

    /// Takes a line of it.
    pub fn push(&mut self, line: &Line<'_>) {
        if self.text.len() + line.text.len() < BLOCK_BYTES_MAX {
            self.text.push_str(line.text);
            self.text.push('\n');
            let span = self.span.get_or_insert(line.span);
            if !line.text.trim_ascii().is_empty() {
                span[1] = line.span[1];
            }
        }
    }

    /// One failure a name, each with a key that tells projects apart. A file of which no test was
    /// `collected` could not be loaded.
    pub fn failures(self, collected: &HashSet<String>) -> Vec<(String, Failure)> {
        let lines: Vec<&str> = self.text.lines().collect();
        let mut failure = error(&lines, Naming::Always, Names::Own);
        failure.span = self.span;
        if !self.banner.has_names() {
            // It belongs to no test.
            failure.fault = failure.fault.or(failure.test.take());
            if failure.exception_type.as_deref() == Some("TypeCheckError") {
                failure.kind = Kind::Lint;
            }
            return if failure.message.is_some() { vec![(String::new(), failure)] } else { Vec::new() };
        }
        let each = self.names.into_iter().map(|name| {
            let mut failure = failure.clone();
            if self.banner == Banner::Suites && failure.kind != Kind::Snapshot {
                let unloaded = name.is_file && !collected.contains(&name.id);
                failure.kind = if unloaded { Kind::CollectionError } else { Kind::SetupError };
            }
            if failure.test.is_none() {
                let file = name.id.split(" > ").next().map(str::to_owned);
                failure.test = Some(Place { file, ..Place::default() });
            }
            failure.id = Some(name.id.clone());
            (format!("{}\n{}", name.project, name.id), failure)
        });
        each.collect()
    }
}

impl Name {
    /// `test/a.test.js > suite > test`, `|web| test/a.test.js [ test/a.test.js ]`; coloured, the project's
    /// name has blanks around it instead.
    fn of(text: &str) -> Name {
        let text = text.trim();
        let barred = text.strip_prefix('|').and_then(|rest| rest.split_once("| "));
        let spaced = || text.split_once("  ").filter(|(project, _)| !project.contains(['.', '>']));
        let (project, name) = barred.or_else(spaced).unwrap_or(("", text));
        let name = name.trim();
        let file = name.strip_suffix(" ]").and_then(|name| name.rsplit_once(" [ ")).map(|(name, _)| name);
        Name { project: project.to_owned(), id: file.unwrap_or(name).to_owned(), is_file: file.is_some() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (text, want) in [
            (" test/a.test.js > s > t", ("", "test/a.test.js > s > t", false)),
            (" test/a.test.js [ test/a.test.js ]", ("", "test/a.test.js", true)),
            (" |web| test/a.test.js > a  b", ("web", "test/a.test.js > a  b", false)),
            ("  web  test/a.test.js > t", ("web", "test/a.test.js > t", false)),
            (" test/a.test.js > a  b", ("", "test/a.test.js > a  b", false)),
        ] {
            let name = Name::of(text);
            assert_eq!((name.project.as_str(), name.id.as_str(), name.is_file), want, "{text}");
        }
    }
}

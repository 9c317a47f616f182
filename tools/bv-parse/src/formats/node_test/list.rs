//! The list below the counters: `✖ failing tests:`, then for each `test at file:1:2`, its line, its details.

use super::entry::{Entry, Mark, entry};
use super::tree::Tree;
use crate::javascript::{Names, Naming, died, error, place};
use crate::machine::{HELD_MAX, Line};
use bv_schemas::{Failure, Place};

/// Text kept of one test's details.
const BLOCK_BYTES_MAX: usize = 256 << 10;
/// Lines without meaning that may stand between the counters and the list.
const WAIT_LINES_MAX: u32 = 2000;

/// The list, as far as it has come.
#[derive(Debug, Default)]
pub struct List {
    began: bool,
    waited: u32,
    place: Option<Place>,
    blocks: Vec<Block>,
}

#[derive(Debug)]
struct Block {
    entry: Entry,
    place: Option<Place>,
    text: String,
    span: [u64; 2],
}

impl List {
    /// Takes a line; `false` when the list ended before it.
    pub fn line(&mut self, line: &Line<'_>) -> bool {
        let text = line.text;
        if !self.began {
            // A coverage report may stand before it.
            self.began = text == "✖ failing tests:";
            self.waited += 1;
            return self.began || self.waited < WAIT_LINES_MAX && (text.is_empty() || text.starts_with("ℹ "));
        }
        if text.trim_ascii().is_empty() || text.starts_with("  ") {
            if let Some(block) = self.blocks.last_mut()
                && block.text.len() + text.len() < BLOCK_BYTES_MAX
            {
                block.text.push_str(text.get(2..).unwrap_or_default());
                block.text.push('\n');
                if text.len() > 2 {
                    block.span[1] = line.span[1];
                }
            }
            return true;
        }
        if let Some(at) = text.strip_prefix("test at ") {
            self.place =
                place(at).map(|(file, line, _)| Place { file: Some(file), line: Some(line), function: None });
            return true;
        }
        let Some(entry) = entry(text).filter(|entry| entry.mark == Mark::Failed && entry.depth == 0) else {
            return false;
        };
        if self.blocks.len() < HELD_MAX {
            self.blocks.push(Block { entry, place: self.place.take(), text: String::new(), span: line.span });
        }
        true
    }

    /// Whether a test's details are being read.
    pub fn in_block(&self) -> bool {
        !self.blocks.is_empty()
    }

    /// All failing tests, by the names that the tree has for them.
    pub fn failures(self, tree: &Tree) -> Vec<Failure> {
        let each = self.blocks.into_iter().filter(|block| !block.entry.is_todo()).filter_map(|block| {
            let (id, stderr) = tree.find(&block.entry).unwrap_or((&block.entry.name, None));
            let failure = failure(&block.text, &block.entry, block.place, stderr)?;
            Some(Failure { id: Some(id.to_owned()), span: Some(block.span), ..failure })
        });
        each.collect()
    }
}

/// The failure that a test's details tell of; `None` for a suite that failed only through its tests.
pub fn failure(text: &str, entry: &Entry, place: Option<Place>, stderr: Option<&str>) -> Option<Failure> {
    let lines: Vec<&str> = text.lines().collect();
    let mut failure = error(&lines, Naming::Always, Names::Own);
    let message = failure.message.as_deref().unwrap_or_default();
    if message.ends_with(" subtests failed") || message.ends_with(" subtest failed") {
        return None;
    }
    // The file itself stands as a test when its process died.
    if message == "test failed" && entry.name.contains(['/', '\\', '.']) {
        let told = died(&entry.name, stderr);
        failure = Failure { message: told.message.clone().or(failure.message), ..told };
    }
    if failure.test.is_none() {
        failure.test = place;
    }
    Some(failure)
}

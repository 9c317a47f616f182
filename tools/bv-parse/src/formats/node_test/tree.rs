//! The tree of tests above the counters, and in the `dot` reporter the flat list below `Failed tests:`.
//!
//! A failing test's details follow its line in older versions, indented by two more; a suite that failed only
//! through its tests has none, or `'3 subtests failed'`. What the process of a test file wrote to stderr when it
//! died stands before the file's line.

use super::entry::{Entry, Mark};
use super::list::failure;
use crate::javascript::Dying;
use crate::machine::{HELD_MAX, Line, Out};
use bv_schemas::{Failure, Test, TestOutcome};
use std::collections::HashMap;

/// Suites deeper than this are not followed.
const DEPTH_MAX: usize = 64;
/// Text kept of one test's details, and of what a dying process wrote.
const BLOCK_BYTES_MAX: usize = 64 << 10;

/// The tree, as far as it has come.
#[derive(Debug, Default)]
pub struct Tree {
    suites: Vec<String>,
    failed: Vec<Failed>,
    /// Failing tests by name and duration.
    by_key: HashMap<String, usize>,
    /// Indentation of the details of the last failing test, while they come.
    details: Option<usize>,
    dying: Dying,
}

#[derive(Debug)]
struct Failed {
    entry: Entry,
    id: String,
    text: String,
    span: [u64; 2],
    /// What its process wrote when it died.
    died: Option<String>,
    /// A test inside it failed.
    parent: bool,
}

impl Tree {
    /// Whether a line matters before any test was seen.
    pub fn wants(&self, text: &str) -> bool {
        self.dying.wants(text)
    }

    /// Whether a suite is open.
    pub fn in_suite(&self) -> bool {
        !self.suites.is_empty()
    }

    /// Takes a line, read as an `entry` where it is one.
    pub fn line(&mut self, line: &Line<'_>, entry: Option<Entry>, out: &mut Out) {
        let Some(entry) = entry else {
            self.other(line);
            return;
        };
        self.details = None;
        self.suites.truncate(entry.depth);
        match entry.mark {
            Mark::Suite if entry.duration.is_none() && self.suites.len() < DEPTH_MAX => {
                self.suites.push(entry.name)
            }
            Mark::Failed => {
                out.tests_seen += 1;
                self.failed(entry, line.span);
            }
            Mark::Passed | Mark::Skipped => {
                out.tests_seen += 1;
                if out.all {
                    out.test(self.test(entry));
                }
            }
            Mark::Suite => {}
        }
        self.dying.take();
    }

    fn id(&self, name: &str) -> String {
        let path = self.suites.iter().map(String::as_str).chain([name]);
        path.collect::<Vec<_>>().join(" > ")
    }

    fn test(&self, entry: Entry) -> Test {
        let outcome = match (entry.mark, entry.is_todo()) {
            (_, true) => TestOutcome::Todo,
            (Mark::Skipped, _) => TestOutcome::Skipped,
            _ => TestOutcome::Passed,
        };
        Test { id: self.id(&entry.name), outcome, duration_ms: entry.duration_ms() }
    }

    fn failed(&mut self, entry: Entry, span: [u64; 2]) {
        if self.failed.len() == HELD_MAX {
            return;
        }
        // Tests come before the suite that they are in.
        let id = self.id(&entry.name);
        let inside = format!("{id} > ");
        let parent = self.failed.iter().rev().take(1000).any(|failed| failed.id.starts_with(&inside));
        self.by_key.entry(key(&entry)).or_insert(self.failed.len());
        self.details = Some(entry.depth * 2 + 2);
        self.failed.push(Failed { entry, id, text: String::new(), span, died: self.dying.take(), parent });
    }

    fn other(&mut self, line: &Line<'_>) {
        if let (Some(indent), Some(failed)) = (self.details, self.failed.last_mut()) {
            let own = line.text.len() - line.text.trim_start_matches(' ').len();
            if line.text.trim_ascii().is_empty() || own >= indent {
                if failed.text.len() + line.text.len() < BLOCK_BYTES_MAX {
                    failed.text.push_str(line.text.get(indent..).unwrap_or_default());
                    failed.text.push('\n');
                }
                return;
            }
            self.details = None;
        }
        self.dying.line(line.text);
    }

    /// The full name of the failing test with this name and duration, and what its process wrote.
    pub fn find(&self, entry: &Entry) -> Option<(&str, Option<&str>)> {
        let failed = &self.failed[*self.by_key.get(&key(entry))?];
        Some((&failed.id, failed.died.as_deref()))
    }

    /// All failing tests, where no list follows.
    pub fn failures(self) -> Vec<Failure> {
        let each = self.failed.into_iter().filter(|failed| !failed.entry.is_todo() && !failed.parent);
        let each = each.filter_map(|failed| {
            let failure = failure(&failed.text, &failed.entry, None, failed.died.as_deref())?;
            Some(Failure { id: Some(failed.id), span: Some(failed.span), ..failure })
        });
        each.collect()
    }
}

fn key(entry: &Entry) -> String {
    format!("{}\n{}", entry.duration.as_deref().unwrap_or_default(), entry.name)
}

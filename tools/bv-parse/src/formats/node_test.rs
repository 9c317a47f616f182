//! Node's own runner, `node --test`: its `spec` and `dot` reporters.
//!
//! A section opens at the first line of a test (`✔ name (1.588668ms)`) and closes with the counters (`ℹ tests 7`
//! to `ℹ duration_ms …`) and, where something failed, the list under `✖ failing tests:`. The list names tests
//! without their suites and repeats the very duration, by which the line in the tree is found. Until the
//! counters say that something failed, nothing of this counts: what a test prints stands unmarked between.

pub mod counters;
mod entry;
mod list;
mod tree;

use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use bv_schemas::{Counts, Failure, Kind};
use counters::{Counters, Part};
use entry::{Entry, Mark, entry};
use list::List;
use std::collections::HashSet;
use tree::Tree;

/// The table's line.
pub const FORMAT: Format = Format {
    name: "node-test",
    commands: &["node"],
    needles: &["✔ ", "✖ ", "▶ ", "ℹ tests ", "ℹ Error: "],
    new: || Box::new(NodeTest::default()),
};

/// One run at a time; the next one in the stream is a new section.
#[derive(Default)]
struct NodeTest {
    open: bool,
    tree: Tree,
    counters: Counters,
    list: Option<List>,
    /// The counters closed the section already: the list that follows names failing TODO tests only.
    closed: bool,
}

impl Machine for NodeTest {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        if let Some(list) = &mut self.list {
            if list.line(line) {
                return;
            }
            match self.closed {
                true => *self = NodeTest::default(),
                false => self.close(out),
            }
        }
        match self.counters.line(line.text) {
            Part::None => {}
            Part::More => {
                self.open(out);
                return;
            }
            Part::Closed if self.counters.is_red() => {
                self.list = Some(List::default());
                return;
            }
            Part::Closed => {
                self.close(out);
                *self = NodeTest { list: Some(List::default()), closed: true, ..NodeTest::default() };
                return;
            }
        }
        if let Some(words) = line.text.strip_prefix("ℹ Error: ") {
            threshold(words, line.span, out);
            return;
        }
        let entry = entry(line.text);
        if entry.as_ref().is_some_and(Entry::opens) {
            self.open(out);
        }
        // A suite that begins, and a test in it that was cancelled, have no duration to know them by.
        let begins = entry.as_ref().is_some_and(|entry| match entry.mark {
            Mark::Suite => true,
            Mark::Failed => self.tree.in_suite(),
            Mark::Passed | Mark::Skipped => false,
        });
        if self.open || begins || self.tree.wants(line.text) {
            self.tree.line(line, entry, out);
        }
    }

    fn end(&mut self, out: &mut Out) {
        if self.list.is_some() && !self.closed {
            self.close(out);
        } else if self.open {
            let mut failures = std::mem::take(&mut self.tree).failures();
            drop_cancelled(&mut failures);
            failures.into_iter().for_each(|failure| out.failure(failure));
        }
    }

    fn owns_lines(&self) -> bool {
        self.list.as_ref().is_some_and(|list| list.in_block())
    }
}

impl NodeTest {
    fn open(&mut self, out: &mut Out) {
        if !self.open {
            self.open = true;
            out.open();
        }
    }

    fn close(&mut self, out: &mut Out) {
        let this = std::mem::take(self);
        let red = this.counters.red();
        let closing = this.counters.closing();
        if closing.says == Says::Red {
            let mut failures = this.list.map(|list| list.failures(&this.tree)).unwrap_or_default();
            if failures.is_empty() {
                failures = this.tree.failures();
            }
            if failures.is_empty() {
                out.unnamed(red);
            }
            drop_cancelled(&mut failures);
            failures.into_iter().for_each(|failure| out.failure(failure));
        }
        out.close(closing);
    }
}

/// Leaves out tests that never began because something around them failed, which is named itself.
pub fn drop_cancelled(failures: &mut Vec<Failure>) {
    const CANCELLED: &str = "test did not finish before its parent and was cancelled";
    let ids: HashSet<String> = failures.iter().filter_map(|failure| failure.id.clone()).collect();
    failures.retain(|failure| {
        let cancelled = failure.message.as_deref() == Some(CANCELLED);
        let around = failure.id.as_deref().and_then(|id| id.rsplit_once(" > ")).map(|(around, _)| around);
        !(cancelled && around.is_some_and(|around| ids.contains(around)))
    });
}

/// `66.67% line coverage does not meet threshold of 90%.`, which follows the counters.
fn threshold(words: &str, span: [u64; 2], out: &mut Out) {
    if words.contains(" coverage does not meet threshold ") {
        let message = Some(words.to_owned());
        out.failure(Failure { kind: Kind::Lint, message, span: Some(span), ..Failure::default() });
        out.close(Closing { says: Says::Red, counts: Counts::default(), duration_ms: None, message: None });
    }
}

//! Catch2's console reporter, versions 2 and 3.
//!
//! Nothing is printed of what holds. A section opens with the first failure's head (`… is a Catch2 v3.4.0
//! host application.`) and closes with the totals below a line of `=`. A test's name and its sections,
//! joined by ` > `, are one test's id; a section's further failed checks stand beside its first.

mod block;
mod header;
mod totals;

use crate::held::Held;
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
pub use block::Block;
use bv_schemas::{Counts, Failure};
use header::Header;
use totals::Totals;

/// The table's line.
pub const FORMAT: Format = Format {
    name: "catch2",
    commands: &[],
    needles: &[" host application.", RULE, ": FAILED:"],
    new: || Box::<Catch2>::default(),
};

/// The line above the totals; it is all that a green run prints before them.
const RULE: &str = "===============================================================================";

/// See the head of this file.
#[derive(Default)]
struct Catch2 {
    opened: bool,
    header: Header,
    block: Option<Block>,
    held: Held,
    /// The line before was the one of `=` that stands above the totals.
    ruled: bool,
    totals: Option<Totals>,
}

impl Machine for Catch2 {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let text = line.text.trim_end();
        if text.ends_with(" host application.") && text.contains(" is a Catch") {
            self.open(out);
            return;
        }
        let ruled = std::mem::replace(&mut self.ruled, header::is_rule(text, b'='));
        if self.ruled {
            self.end_block();
            return;
        }
        if (ruled || self.totals.is_some()) && self.closing(text, out) {
            return;
        }
        if self.header.line(text) {
            self.end_block();
            return;
        }
        if let Some(block) = Block::begins(text, line.span) {
            self.end_block();
            self.open(out);
            self.block = Some(block);
        } else if let Some(block) = &mut self.block
            && !block.line(line.text, line.span)
        {
            self.end_block();
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.end_block();
        if self.opened {
            self.held.say(out);
        }
    }
}

impl Catch2 {
    fn open(&mut self, out: &mut Out) {
        if !self.opened {
            self.opened = true;
            out.open();
        }
    }

    fn end_block(&mut self) {
        let Some(block) = self.block.take() else { return };
        let Some(failure) = block.failure() else { return };
        self.held.check(Failure { id: self.header.id(), ..failure });
    }

    /// The totals; true when the line is theirs.
    fn closing(&mut self, text: &str, out: &mut Out) -> bool {
        if let Some(totals) = &self.totals {
            let done = text.starts_with("assertions:");
            if done {
                let (counts, says) = totals.verdict();
                self.close(says, counts, out);
            }
            self.totals = None;
            return done;
        }
        if let Some(counts) = totals::all_passed(text) {
            if self.held.is_empty() {
                self.close(Says::Green, counts, out);
            }
            return true;
        }
        if text == "No tests ran" || text.starts_with("No tests ran.") {
            self.close(Says::NoTests, Counts::default(), out);
            return true;
        }
        self.totals = Totals::read(text);
        self.totals.is_some()
    }

    fn close(&mut self, says: Says, counts: Counts, out: &mut Out) {
        self.open(out);
        if says == Says::Red {
            self.held.say(out);
        }
        // What failed as expected, or may fail, is printed alike and counts not.
        self.held = Held::default();
        self.opened = false;
        out.close(Closing { says, counts, duration_ms: None, message: None });
        *self = Catch2::default();
    }
}

#[cfg(test)]
mod tests;

//! Jasmine's console reporter (3 to 7: `lib/reporters/console_reporter.js` in
//! <https://github.com/jasmine/jasmine/tree/main/packages/jasmine>).
//!
//! Only dots are printed of what runs. A section opens with `Failures:` or with its closing line,
//! `7 specs, 4 failures, 2 pending specs`; what a suite's hooks throw stands below `Suite error: …`, and is
//! counted among the failures, not among the specs.

mod block;
mod closing;

use crate::held::Held;
use crate::machine::{Format, Line, Machine, Out};
use block::Block;
pub use block::check;

/// The table's line.
pub const FORMAT: Format = Format {
    name: "jasmine",
    commands: &["jasmine"],
    needles: &["Failures:", "Suite error: ", " specs, ", " spec, ", "No specs found"],
    new: || Box::<Jasmine>::default(),
};

/// See the head of this file.
#[derive(Default)]
struct Jasmine {
    opened: bool,
    /// The head of a failure, until the line below it shows that it is one.
    head: Option<(block::Head, [u64; 2])>,
    block: Option<Block>,
    held: Held,
}

impl Machine for Jasmine {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let text = line.text.trim_end();
        if let Some((head, span)) = self.head.take()
            && text == "  Message:"
        {
            self.end_block();
            self.open(out);
            self.block = Some(Block::new(head, [span[0], line.span[1]]));
            return;
        }
        if let Some(closing) = closing::read(text, self.held.len() + u64::from(self.block.is_some())) {
            self.end_block();
            self.open(out);
            let failed = closing.counts.failed.unwrap_or(0);
            let unnamed = failed.saturating_sub(self.held.len());
            self.held.say(out);
            out.unnamed(unnamed);
            out.close(closing);
            *self = Jasmine::default();
            return;
        }
        if let Some(head) = block::Head::read(text) {
            self.head = Some((head, line.span));
        }
        if let Some(block) = &mut self.block {
            block.line(line);
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.end_block();
        if self.opened {
            self.held.say(out);
        }
    }

    fn owns_lines(&self) -> bool {
        self.block.is_some()
    }
}

impl Jasmine {
    fn open(&mut self, out: &mut Out) {
        if !std::mem::replace(&mut self.opened, true) {
            out.open();
        }
    }

    fn end_block(&mut self) {
        if let Some(failure) = self.block.take().and_then(Block::failure) {
            self.held.push(failure);
        }
    }
}

#[cfg(test)]
mod tests;

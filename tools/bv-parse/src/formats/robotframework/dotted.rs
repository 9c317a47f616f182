//! `--dotted`: a mark for each test, then the failures, then the closing statement.
//!
//! ```text
//! Running suite 'Tank' with 2 tests.
//! ==============================================================================
//! .F
//! ------------------------------------------------------------------------------
//! FAIL: Tank.Wrong Level
//! 10 != 11
//! ==============================================================================
//! Run suite 'Tank' with 2 tests in 7 milliseconds.
//!
//! FAILED
//! 2 tests, 1 passed, 1 failed
//! ```
//!
//! What tests print stands among the marks, and may look like the list of failures; the real list is the last
//! one, and no longer than the statement says.

use super::message;
use super::statistics::{Statistics, Status};
use crate::held::Held;
use crate::machine::{Line, Out};

/// Lines of one message that are kept.
const MESSAGE_LINES_MAX: usize = 400;

/// See the head of this file.
#[derive(Default)]
pub struct Dotted {
    opened: bool,
    /// The last line was a thin separator.
    ruled: bool,
    block: Option<Block>,
    held: Held,
    /// The head of the closing statement came, and perhaps its word.
    closing: Option<Option<Status>>,
}

struct Block {
    id: String,
    lines: Vec<String>,
    span: [u64; 2],
}

impl Dotted {
    /// Whether a run is being read: tests print among its marks.
    pub fn is_inside(&self) -> bool {
        self.opened
    }

    /// Takes the next line; whether it is this console's.
    pub fn line(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let text = line.text.trim_end();
        if !self.opened {
            self.opened = suite(text, "Running suite '").is_some_and(|rest| rest == ".");
            if self.opened {
                out.open();
            }
            return self.opened;
        }
        if self.close(text, out) {
            return true;
        }
        if text.len() > 20 && (is_rule(text, b'-') || is_rule(text, b'=')) {
            self.end_block();
            self.ruled = true;
            return true;
        }
        if std::mem::take(&mut self.ruled)
            && let Some(id) = text.strip_prefix("FAIL: ")
        {
            self.block = Some(Block { id: id.to_owned(), lines: Vec::new(), span: line.span });
        } else if self.block.is_none()
            && suite(text, "Run suite '").is_some_and(|rest| rest.starts_with(" in "))
        {
            self.closing = Some(None);
        } else if let Some(block) = &mut self.block {
            block.span[1] = line.span[1];
            if block.lines.len() < MESSAGE_LINES_MAX {
                block.lines.push(text.to_owned());
            }
        }
        true
    }

    /// The stream ended.
    pub fn end(&mut self, out: &mut Out) {
        self.end_block();
        self.held.say(out);
    }

    fn end_block(&mut self) {
        if let Some(block) = self.block.take() {
            self.held.push(message::failure(Some(block.id), &block.lines, block.span));
        }
    }

    /// The word and the numbers below the closing statement's head.
    fn close(&mut self, text: &str, out: &mut Out) -> bool {
        let Some(word) = self.closing.filter(|_| !text.is_empty()) else { return false };
        let Some(status) = word else {
            self.closing = Status::of(text).map(Some);
            return self.closing.is_some();
        };
        let Some(statistics) = Statistics::read(text) else {
            self.closing = None;
            return false;
        };
        let mut printed = self.held.len().saturating_sub(statistics.failed);
        self.held.forget(|_| {
            let forgotten = printed > 0;
            printed = printed.saturating_sub(1);
            forgotten
        });
        let unnamed = statistics.failed.saturating_sub(self.held.len());
        self.held.say(out);
        out.unnamed(unnamed);
        out.close(statistics.closing(status));
        *self = Dotted::default();
        true
    }
}

/// `Running suite 'Tank' with 2 tests`: what follows.
fn suite<'a>(text: &'a str, head: &str) -> Option<&'a str> {
    let (_, rest) = text.strip_prefix(head)?.rsplit_once("' with ")?;
    let (count, rest) = rest.split_once(' ')?;
    count.parse::<u64>().ok()?;
    let rest = rest.strip_prefix("test").or_else(|| rest.strip_prefix("task"))?;
    Some(rest.strip_prefix('s').unwrap_or(rest))
}

fn is_rule(text: &str, byte: u8) -> bool {
    text.bytes().all(|b| b == byte)
}

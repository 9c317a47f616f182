//! node-tap's own reporters (`base`, `terse` and those made from them), which redraw a list while tests run and
//! print it whole at the end:
//!
//! ```text
//!   🌈 TEST COMPLETE 🌈
//!
//!  FAIL  test/cart.test.js 1 failed of 2 392ms
//!
//! ✖ total > rounds half up
//!   test/cart.test.js
//!    6   t.equal(total(), 1.19, 'rounds half up');
//!   --- expected
//!   +++ actual
//!   @@ -1,1 +1,1 @@
//!   -1.19
//!   +1.18
//!   Test.<anonymous> (test/cart.test.js:6:5)
//!
//! # { total: 2, pass: 1, fail: 1 }
//! ```
//!
//! A section opens with the first `Asserts:` and closes with the numbers below the whole list. Colours and
//! cursor movements are gone before.

use crate::javascript::{Frame, Names, bare, locate};
use crate::machine::{Closing, HELD_MAX, Line, Out, Says};
use crate::values::diff_sides;
use bv_schemas::{Counts, Failure, Kind};

/// Lines kept of one failure.
const LINES_MAX: usize = 500;

/// One run.
#[derive(Default)]
pub struct Base {
    open: bool,
    complete: bool,
    block: Option<Block>,
    failures: Vec<Failure>,
    over: u64,
    /// Failed tests of the list while it was redrawn, should it never be printed whole.
    early: Vec<String>,
}

struct Block {
    id: String,
    lines: Vec<String>,
    span: [u64; 2],
}

impl Base {
    /// Takes a line; whether it is this reporter's.
    pub fn line(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let text = line.text.trim_end();
        if !self.open {
            let begins =
                text.starts_with("Asserts:  ") && text.ends_with(" complete") && text.contains(" pass  ");
            if begins {
                self.open = true;
                out.open();
            }
            return begins;
        }
        if let Some(block) = &mut self.block {
            if block.take(text, line.span) {
                return true;
            }
            self.block_ends();
        }
        if text.ends_with("TEST COMPLETE 🌈") {
            self.complete = true;
        } else if let Some(name) = text.strip_prefix("✖ ") {
            if self.complete {
                self.block = Some(Block { id: name.to_owned(), lines: Vec::new(), span: line.span });
            } else if self.early.len() < HELD_MAX {
                self.early.push(name.to_owned());
            }
        } else if self.complete
            && let Some(counts) = totals(text)
        {
            self.close(counts, out);
        }
        true
    }

    /// Whether its section is open.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Whether the lines to come are a failure's.
    pub fn in_block(&self) -> bool {
        self.block.is_some()
    }

    /// The stream ended before the numbers.
    pub fn end(&mut self, out: &mut Out) {
        self.block_ends();
        if self.failures.is_empty() {
            self.early.sort();
            self.early.dedup();
            // A test's place may stand behind its name here, so that it is no id.
            let unnamed = |name: String| Failure { message: Some(name), ..Failure::default() };
            self.early.drain(..).map(unnamed).for_each(|failure| out.failure(failure));
        }
        self.failures.drain(..).for_each(|failure| out.failure(failure));
    }

    fn block_ends(&mut self) {
        let Some(block) = self.block.take() else { return };
        if self.failures.len() < HELD_MAX {
            self.failures.push(block.failure());
        } else {
            self.over += 1;
        }
    }

    fn close(&mut self, counts: Counts, out: &mut Out) {
        let run = std::mem::take(self);
        let failed = counts.red();
        out.tests_seen += failed + counts.passed.unwrap_or(0);
        out.unnamed(run.over + failed.saturating_sub(run.failures.len() as u64 + run.over));
        run.failures.into_iter().for_each(|failure| out.failure(failure));
        let says = match (failed, counts.passed) {
            (0, Some(1..)) => Says::Green,
            (0, _) => Says::NoTests,
            _ => Says::Red,
        };
        out.close(Closing { says, counts, duration_ms: None, message: None });
    }
}

impl Block {
    fn take(&mut self, text: &str, span: [u64; 2]) -> bool {
        // A blank line inside a source or a diff has lost its indentation: it ends nothing if such follow.
        let inside = text.starts_with("  ")
            || text.is_empty() && self.lines.last().is_some_and(|last| !last.is_empty());
        if inside {
            if self.lines.len() < LINES_MAX {
                self.lines.push(text.get(2..).unwrap_or_default().to_owned());
            }
            if !text.is_empty() {
                self.span[1] = span[1];
            }
        }
        inside
    }

    fn failure(self) -> Failure {
        let lines: Vec<&str> = self.lines.iter().map(String::as_str).collect();
        let after = |label: &str| lines.iter().find_map(|line| line.strip_prefix(label));
        let class = after("type: ").filter(|class| *class != "AssertionError");
        let message = self.id.rsplit(" > ").next().unwrap_or(&self.id).to_owned();
        let diff = lines.iter().position(|line| *line == "--- expected").unwrap_or(lines.len());
        let diff = lines[diff..]
            .iter()
            .copied()
            .take_while(|line| line.is_empty() || line.starts_with(['-', '+', '@', ' ']));
        let sides = diff_sides(diff);
        let frames: Vec<Frame> =
            lines.iter().filter(|line| line.ends_with(')')).filter_map(|line| bare(line)).collect();
        let kind = match class {
            _ if message.starts_with("timeout!") => Kind::Timeout,
            Some(_) => Kind::Exception,
            None => Kind::Assertion,
        };
        let mut failure = Failure {
            kind,
            message: Some(message),
            exception_type: class.map(str::to_owned),
            expected: sides.expected,
            observed: sides.observed,
            span: Some(self.span),
            ..Failure::default()
        };
        locate(&frames, Names::Own, None, &mut failure);
        failure.id = Some(self.id);
        failure
    }
}

/// `# { total: 6, pass: 1, fail: 3, todo: 1, skip: 1 }`; a number that is 0 is left out.
fn totals(text: &str) -> Option<Counts> {
    let list = text.strip_prefix("# { ")?.strip_suffix(" }")?;
    let mut counts = Counts { passed: Some(0), failed: Some(0), errored: None, skipped: Some(0) };
    for part in list.split(", ") {
        let (name, number) = part.split_once(": ")?;
        let number = number.parse().ok()?;
        match name {
            "pass" => counts.passed = Some(number),
            "fail" => counts.failed = Some(number),
            "skip" => counts.skipped = Some(number),
            _ => {}
        }
    }
    text.contains("total: ").then_some(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let counts = |passed, failed, skipped| {
            Some(Counts { passed: Some(passed), failed: Some(failed), errored: None, skipped: Some(skipped) })
        };
        assert_eq!(totals("# { total: 6, pass: 1, fail: 3, todo: 1, skip: 1 }"), counts(1, 3, 1));
        assert_eq!(totals("# { total: 0 }"), counts(0, 0, 0));
        assert_eq!(totals("# { total: many }"), None);
        assert_eq!(totals("# time=7.5ms"), None);
    }
}

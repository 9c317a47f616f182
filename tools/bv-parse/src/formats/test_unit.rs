//! test-unit 2 and 3, Ruby's other great test library (`lib/test/unit/ui/console/testrunner.rb` in
//! <https://github.com/test-unit/test-unit>).
//!
//! A section opens at `Loaded suite test/cart_test` and closes at the totals, `7 tests, 4 assertions, 3 failures, 1
//! errors, 1 pendings, 1 omissions, 0 notifications`, between a ruled line and `16.6667% passed`. Each failure
//! stands between two ruled lines.

mod block;
mod words;

use crate::held::Held;
use crate::machine::{Closing, Format, HELD_MAX, Line, Machine, Out, Says};
use crate::values;
use block::Block;
use bv_schemas::{Counts, Test, TestOutcome};
use std::collections::HashSet;

/// The table's line.
pub const FORMAT: Format = Format {
    name: "test-unit",
    commands: &["test-unit", "testrb"],
    needles: &["Loaded suite ", " pendings, "],
    new: || Box::<TestUnit>::default(),
};

/// See the head of this file.
#[derive(Default)]
struct TestUnit {
    opened: bool,
    /// The last line was ruled.
    ruled: bool,
    block: Option<Block>,
    held: Held,
    /// The tests that failed, and how many times anything did.
    failed: HashSet<String>,
    duration_ms: Option<u64>,
    totals: Option<Totals>,
    class: Option<String>,
    passed: Vec<Test>,
}

/// The numbers of the closing line.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    tests: u64,
    failures: u64,
    errors: u64,
    skipped: u64,
}

impl Machine for TestUnit {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let text = line.text.trim_end();
        if let Some(block) = &mut self.block {
            if !is_rule(text, '=') && block.take(line) {
                return;
            }
            self.block_ends();
            return;
        }
        let ruled = std::mem::take(&mut self.ruled);
        if let Some(totals) = self.totals.take()
            && text.ends_with("% passed")
        {
            self.close(totals, out);
            return;
        }
        match text.as_bytes().first() {
            Some(b'=') => self.ruled = is_rule(text, '='),
            Some(b'-') => self.ruled = is_rule(text, '-'),
            Some(b'F' | b'E' | b'P' | b'O' | b'N') if ruled && self.opened => {
                self.block = Block::begins(line)
            }
            Some(b'F') => self.duration_ms = seconds(text).or(self.duration_ms),
            Some(b'0'..=b'9') if ruled => self.totals = totals(text),
            Some(b'L') if text.starts_with("Loaded suite ") => self.open(out),
            Some(b' ') if out.all && self.opened => self.verbose(text),
            Some(_) if out.all && text.ends_with(':') => {
                self.class = text.strip_suffix(':').map(str::to_owned)
            }
            _ => {}
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.block_ends();
        self.held.say(out);
    }

    fn owns_lines(&self) -> bool {
        self.block.is_some()
    }
}

impl TestUnit {
    fn open(&mut self, out: &mut Out) {
        if !std::mem::replace(&mut self.opened, true) {
            out.open();
        }
    }

    fn block_ends(&mut self) {
        let Some(failure) = self.block.take().and_then(Block::failure) else { return };
        // A suite's `startup` is no test.
        if let Some(id) = failure.id.as_ref().filter(|id| id.ends_with(')') && self.failed.len() < HELD_MAX) {
            self.failed.insert(id.clone());
        }
        self.held.check(failure);
    }

    /// `  test_total:  .: (0.000447)`
    fn verbose(&mut self, text: &str) {
        let Some((name, rest)) = text.trim_start().split_once(":\t") else { return };
        let Some((mark, time)) = rest.trim_start_matches('\t').split_once(": (") else { return };
        if mark == "." && self.passed.len() < HELD_MAX {
            let id = match &self.class {
                Some(class) => format!("{name}({class})"),
                None => name.to_owned(),
            };
            let duration_ms =
                time.strip_suffix(')').and_then(|time| time.parse().ok()).and_then(values::milliseconds);
            self.passed.push(Test { id, outcome: TestOutcome::Passed, duration_ms });
        }
    }

    fn close(&mut self, totals: Totals, out: &mut Out) {
        self.open(out);
        out.tests_seen += totals.tests;
        self.passed.drain(..).for_each(|test| out.test(test));
        let red = totals.failures + totals.errors;
        if red == 0 {
            // The runner counted none: what looked like a failure was text.
            self.held = Held::default();
            self.failed.clear();
        }
        // A test can fail and then break in its teardown: it is counted twice, and is one record.
        let seen: u64 = self.held.iter_mut().map(|failure| 1 + failure.also.len() as u64).sum();
        let unnamed = red.saturating_sub(seen);
        let failed = if unnamed == 0 { self.failed.len() as u64 } else { red };
        let passed = totals.tests.saturating_sub(failed + totals.skipped);
        self.held.say(out);
        out.unnamed(unnamed);
        out.close(Closing {
            says: Says::of(red, passed),
            counts: Counts {
                passed: Some(passed),
                failed: Some(totals.failures),
                errored: Some(totals.errors),
                skipped: Some(totals.skipped),
            },
            duration_ms: self.duration_ms,
            message: None,
        });
        *self = TestUnit::default();
    }
}

/// A line of one character alone; as wide as the terminal.
fn is_rule(text: &str, mark: char) -> bool {
    text.len() >= 20 && text.chars().all(|c| c == mark)
}

/// `Finished in 0.071820744 seconds.`
fn seconds(text: &str) -> Option<u64> {
    values::milliseconds(text.strip_prefix("Finished in ")?.strip_suffix(" seconds.")?.parse().ok()?)
}

fn totals(text: &str) -> Option<Totals> {
    let (mut totals, mut whole) = (Totals::default(), false);
    for part in text.split(", ") {
        let (number, name) = part.split_once(' ')?;
        let number = number.parse().ok()?;
        match name {
            "tests" => totals.tests = number,
            "failures" => totals.failures = number,
            "errors" => totals.errors = number,
            "pendings" | "omissions" => totals.skipped += number,
            "notifications" => whole = true,
            "assertions" => {}
            _ => return None,
        }
    }
    // The notes come last.
    whole.then_some(totals)
}

#[cfg(test)]
mod tests;

//! Minitest 5 and 6, its ancestor's text (`tests` for `runs`), and Rails' reporter on top of it, which
//! prints each failure at once.
//!
//! A section opens at `# Running:` and closes at `8 runs, 7 assertions, 5 failures, 1 errors, 1 skips`, which
//! must follow `Finished in …s, … runs/s, … assertions/s.`. A run that begins inside an open one is a test's
//! output, and speaks for itself only when the outer one never closes.

mod block;
mod closing;

use crate::machine::{Closing, Format, HELD_MAX, Line, Machine, Out, Says};
use crate::values;
use block::Block;
use bv_schemas::{Counts, Test, TestOutcome};
use closing::Totals;

/// The table's line.
pub const FORMAT: Format = Format {
    name: "minitest",
    commands: &["minitest", "rails"],
    needles: &["# Running:", " assertions/s."],
    new: || Box::new(Minitest::default()),
};

/// Runs inside runs that are followed; deeper ones are output and no more.
const NEST_MAX: usize = 4;

#[derive(Default)]
struct Minitest {
    /// The runs that are open, the outermost first.
    runs: Vec<Run>,
    /// `Failure:` or `Error:` stands in the last line.
    label: Option<block::Label>,
    block: Option<Block>,
}

/// One run that did not close.
#[derive(Default)]
struct Run {
    /// Blocks above `Finished in …`: Rails' reporter prints them there, or a test does.
    early: Vec<Block>,
    /// Blocks below it, which only the runner can print.
    blocks: Vec<Block>,
    finished: Option<Option<u64>>,
    /// What runs inside it left, should it never close.
    inner: Vec<Block>,
    passed: Vec<Test>,
}

impl Machine for Minitest {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        if let Some(block) = &mut self.block {
            if block.take(line) {
                return;
            }
            self.block_ends();
        }
        if let Some(label) = self.label.take() {
            self.block = Block::begins(label, line);
            if self.block.is_some() {
                return;
            }
        }
        let text = line.text.trim_end();
        match text.as_bytes().first() {
            Some(b'#') if text == "# Running:" => self.begins(out),
            Some(b'F') if closing::is_finished(text) => self.finished(text, out),
            Some(b'0'..=b'9') => self.closes(text, out),
            Some(b' ' | b'F' | b'E') if !self.runs.is_empty() => self.label = block::label(line),
            Some(_) if out.all => self.verbose(text),
            _ => {}
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.block_ends();
        for run in self.runs.drain(..) {
            let blocks = [run.early, run.blocks, run.inner].into_iter().flatten();
            blocks.filter_map(Block::failure).for_each(|failure| out.failure(failure));
        }
    }

    fn owns_lines(&self) -> bool {
        self.block.is_some()
    }
}

impl Minitest {
    fn begins(&mut self, out: &mut Out) {
        out.open();
        if self.runs.len() < NEST_MAX {
            self.runs.push(Run::default());
        }
    }

    fn finished(&mut self, text: &str, out: &mut Out) {
        if self.runs.is_empty() {
            self.begins(out);
        }
        if let Some(run) = self.runs.last_mut() {
            run.finished = Some(closing::milliseconds(text));
            run.blocks.clear();
        }
    }

    fn block_ends(&mut self) {
        let (Some(block), Some(run)) = (self.block.take(), self.runs.last_mut()) else { return };
        let list = if run.finished.is_some() { &mut run.blocks } else { &mut run.early };
        if list.len() < HELD_MAX {
            list.push(block);
        }
    }

    fn closes(&mut self, text: &str, out: &mut Out) {
        let finished = self.runs.last().and_then(|run| run.finished);
        let Some(totals) = finished.and_then(|duration_ms| closing::totals(text, duration_ms)) else {
            return;
        };
        let Some(run) = self.runs.pop() else { return };
        match self.runs.last_mut() {
            Some(outer) => outer.inner.extend(run.own(&totals)),
            None => run.close(&totals, out),
        }
    }

    /// `CartTest#test_total = 0.00 s = .`
    fn verbose(&mut self, text: &str) {
        let Some((head, code)) = text.rsplit_once(" s = ") else { return };
        let Some((id, seconds)) = head.rsplit_once(" = ") else { return };
        let outcome = match code {
            "." => TestOutcome::Passed,
            "S" => TestOutcome::Skipped,
            _ => return,
        };
        if let Some(run) = self.runs.last_mut().filter(|run| run.passed.len() < HELD_MAX) {
            let duration_ms = seconds.parse().ok().and_then(values::milliseconds);
            run.passed.push(Test { id: id.to_owned(), outcome, duration_ms });
        }
    }
}

impl Run {
    /// The blocks that are the runner's: those below `Finished in …`, or, where the reporter prints none
    /// there, as many of the earlier ones as it counts.
    fn own(self, totals: &Totals) -> Vec<Block> {
        let wanted = usize::try_from(totals.failed + totals.errored).unwrap_or(usize::MAX);
        let failed =
            |blocks: Vec<Block>| blocks.into_iter().filter(|block| !block.is_skip()).collect::<Vec<_>>();
        let mut blocks = failed(self.blocks);
        if blocks.is_empty() {
            blocks = failed(self.early);
        }
        blocks.drain(..blocks.len().saturating_sub(wanted));
        blocks
    }

    fn close(mut self, totals: &Totals, out: &mut Out) {
        out.tests_seen += totals.runs;
        self.passed.drain(..).for_each(|test| out.test(test));
        let failures: Vec<_> = self.own(totals).into_iter().filter_map(Block::failure).collect();
        let red = totals.failed + totals.errored;
        out.unnamed(red.saturating_sub(failures.len() as u64));
        failures.into_iter().for_each(|failure| out.failure(failure));
        let passed = totals.runs.saturating_sub(red + totals.skipped);
        out.close(Closing {
            says: Says::of(red, passed),
            counts: Counts {
                passed: Some(passed),
                failed: Some(totals.failed),
                errored: Some(totals.errored),
                skipped: Some(totals.skipped),
            },
            duration_ms: totals.duration_ms,
            message: None,
        });
    }
}

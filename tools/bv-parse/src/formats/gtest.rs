//! GoogleTest and GoogleMock: the printer's text (also `--gtest_brief=1`), and the report that
//! `--gtest_output=json:` writes.
//!
//! A section opens with `[==========] Running N tests from …` and closes with the tally below
//! `[==========] N tests from … ran.`, which for a red run ends in `N FAILED TESTS`. What stands between
//! `[ RUN      ] X` and X's end is X's; markers of other tests there are output. A section that ends inside
//! a test tells of a crash of that test.

mod block;
mod closing;
mod crash;
mod json;
mod markers;

use crate::document::{Document, Taken};
use crate::held::Held;
use crate::machine::{Format, Line, Machine, Out, Says};
pub use block::Block;
use bv_schemas::{Check, Failure, Place, Test, TestOutcome};
use crash::Words;
use markers::{Marker, Name};

/// The table's line.
pub const FORMAT: Format = Format {
    name: "gtest",
    commands: &[],
    needles: &[
        "[==========] ",
        "[ RUN      ] ",
        "[  FAILED  ] ",
        "[  PASSED  ] ",
        ": Failure",
        "\"testsuites\": [",
    ],
    new: || Box::<Gtest>::default(),
};

/// Further checks in one record.
const ALSO_MAX: usize = 50;
/// Failed checks of one test that are read.
const BLOCKS_MAX: usize = 200;

/// See the head of this file.
#[derive(Default)]
struct Gtest {
    /// A section is open.
    opened: bool,
    running: Option<Running>,
    /// The failed check whose lines come.
    block: Option<Block>,
    /// Failed checks outside of any test, with the suite that they stand in; in brief mode, those of the
    /// test whose end comes.
    loose: Vec<(Option<String>, Block)>,
    suite: Option<String>,
    held: Held,
    tally: Option<Tally>,
    /// No `Running …` came: the brief printer, which lists no failed tests at the end either.
    brief: bool,
    document: Option<Document>,
}

/// A test that runs.
struct Running {
    name: String,
    blocks: Vec<Block>,
    words: Words,
    span: [u64; 2],
}

/// The lines below `… ran.`
#[derive(Default)]
struct Tally {
    total: u64,
    duration_ms: Option<u64>,
    passed: Option<u64>,
    skipped: u64,
    failed: Option<u64>,
}

impl Machine for Gtest {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        if self.document.is_some() || line.text.starts_with("  \"testsuites\": [") {
            return self.json(line, out);
        }
        match markers::marker(line.text) {
            Some(marker) => self.marker(&marker, line, out),
            None if self.opened || self.block.is_some() || line.text.contains(": Failure") => {
                self.text(line, out)
            }
            None => {}
        }
    }

    fn end(&mut self, out: &mut Out) {
        if self.document.is_some() {
            out.open();
        }
        if self.opened {
            self.died(out);
        }
    }

    fn owns_lines(&self) -> bool {
        self.document.is_some()
    }
}

impl Gtest {
    fn marker(&mut self, marker: &Marker<'_>, line: &Line<'_>, out: &mut Out) {
        match marker {
            Marker::Start => {
                if self.opened {
                    self.aborted(out);
                }
                self.open(out);
                self.brief = false;
            }
            Marker::Run(name) if self.opened => {
                self.end_block();
                if let Some(running) = self.running.take() {
                    // It never ended, yet another begins: its end was glued to its output.
                    self.ended(running, line.span);
                }
                self.run(name, line.span);
            }
            Marker::Ended(name, outcome, duration_ms) => self.end_of(name, *outcome, *duration_ms, line, out),
            Marker::Ran(total, duration_ms) if self.running.is_none() => {
                self.end_block();
                self.brief = !self.opened || self.brief;
                self.open(out);
                self.tally = Some(Tally { total: *total, duration_ms: *duration_ms, ..Tally::default() });
            }
            Marker::Passed(n) => self.count(out, |tally| tally.passed = Some(*n)),
            Marker::Skipped(n) => self.count(out, |tally| tally.skipped = *n),
            Marker::Failed(n) => self.count(out, |tally| tally.failed = Some(*n)),
            Marker::Listed(name) if self.runs(name) => self.end_of(name, None, None, line, out),
            Marker::Listed(name) => self.listed(name, line.span),
            Marker::ListedSkip(name) if self.runs(name) => {
                self.end_of(name, Some(TestOutcome::Skipped), None, line, out);
            }
            Marker::FailedTests => {
                if self.tally.as_ref().is_some_and(|tally| tally.failed.is_some()) {
                    self.close(Says::Red, out);
                }
            }
            Marker::Suite(suite) => {
                self.end_block();
                self.suite = Some((*suite).to_owned());
            }
            Marker::Other | Marker::ListedSkip(_) => {
                self.end_block();
                self.suite = None;
            }
            Marker::Run(_) | Marker::Ran(..) => {}
        }
    }

    /// Whether this test ends here. `--gtest_brief=1` does not say that one begins: a failed check stands above.
    fn runs(&self, name: &Name<'_>) -> bool {
        match &self.running {
            Some(running) => running.name == name.id,
            None => self.tally.is_none() && self.block.is_some(),
        }
    }

    fn open(&mut self, out: &mut Out) {
        if !self.opened {
            self.opened = true;
            out.open();
        }
    }

    fn run(&mut self, name: &str, span: [u64; 2]) {
        self.running =
            Some(Running { name: name.to_owned(), blocks: Vec::new(), words: Words::default(), span });
    }

    fn text(&mut self, line: &Line<'_>, out: &mut Out) {
        let speaks = markers::may_speak(line.text);
        if speaks && self.spoken(line, out) {
            return;
        }
        match (&mut self.block, &mut self.running) {
            (Some(block), _) => block.line(line.text, line.span),
            (None, Some(running)) if speaks => running.words.line(line.text),
            _ => {}
        }
    }

    /// A failed check begins, or a test ends after output without a newline.
    fn spoken(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        if let Some(block) = Block::begins(line.text, line.span) {
            self.end_block();
            self.block = Some(block);
            return true;
        }
        if let Some((before, name, outcome, duration)) = markers::glued(line.text)
            && self.running.as_ref().map_or(!self.opened, |running| running.name == name.id)
        {
            if let Some(block) = &mut self.block {
                block.line(before, line.span);
            }
            self.end_of(&name, outcome, duration, line, out);
            return true;
        }
        if line.text.ends_with(": Skipped") || self.block.is_some() && Words::are_in(line.text) {
            self.end_block();
        }
        false
    }

    /// The lines of a failed check are all there.
    fn end_block(&mut self) {
        let Some(block) = self.block.take() else { return };
        match &mut self.running {
            Some(running) if running.blocks.len() < BLOCKS_MAX => running.blocks.push(block),
            None if self.loose.len() < BLOCKS_MAX => self.loose.push((self.suite.clone(), block)),
            _ => {}
        }
    }

    fn end_of(
        &mut self,
        name: &Name<'_>,
        outcome: Option<TestOutcome>,
        duration_ms: Option<u64>,
        line: &Line<'_>,
        out: &mut Out,
    ) {
        let own = self.running.as_ref().is_some_and(|running| running.name == name.id);
        if self.running.is_some() && !own {
            // A test printed it.
            return self.text(line, out);
        }
        self.end_block();
        out.tests_seen += 1;
        let running = self.running.take();
        match outcome {
            Some(outcome) => {
                self.loose.retain(|_| running.is_some());
                out.test(Test { id: name.id.to_owned(), outcome, duration_ms });
            }
            None => {
                let running = running.unwrap_or_else(|| Running {
                    name: name.id.to_owned(),
                    blocks: std::mem::take(&mut self.loose).into_iter().map(|(_, block)| block).collect(),
                    words: Words::default(),
                    span: line.span,
                });
                self.failed(name, running, line.span);
            }
        }
    }

    fn failed(&mut self, name: &Name<'_>, running: Running, end: [u64; 2]) {
        let mut failure = failure(name.id, &running.blocks);
        failure.counterexample = name.parameters().or(failure.counterexample);
        failure.span = Some([running.span[0], end[1]]);
        self.held.push(failure);
    }

    /// A test without an end that another followed.
    fn ended(&mut self, running: Running, end: [u64; 2]) {
        if !running.blocks.is_empty() {
            let id = running.name.clone();
            self.failed(&Name { id: &id, parameters: "" }, running, end);
        }
    }

    fn json(&mut self, line: &Line<'_>, out: &mut Out) {
        let taken = match &mut self.document {
            Some(document) => document.take(line.text, line.span),
            None => {
                let (document, taken) = Document::begin(line.text, line.span);
                self.document = Some(document);
                taken
            }
        };
        match taken {
            Taken::More => {}
            Taken::Whole(value) => {
                self.document = None;
                json::say(&value, out);
            }
            Taken::Broken => {
                self.document = None;
                out.open();
            }
        }
    }
}

/// A failed test: its first failed check, the others beside it.
pub fn failure(id: &str, blocks: &[Block]) -> Failure {
    let place = Place { function: Some(function(id).to_owned()), ..Place::default() };
    told(Failure { id: Some(id.to_owned()), test: Some(place), ..Failure::default() }, blocks)
}

fn told(mut failure: Failure, blocks: &[Block]) -> Failure {
    let Some(first) = blocks.first() else { return failure };
    first.tell(&mut failure);
    failure.also = blocks
        .iter()
        .filter(|block| !std::ptr::eq(*block, first))
        .take(ALSO_MAX)
        .map(|block| {
            let mut other = Failure::default();
            block.tell(&mut other);
            let Failure { message, expected, observed, test, .. } = other;
            Check { line: test.and_then(|place| place.line), message, expected, observed }
        })
        .collect();
    failure
}

/// The test's own name in `Soft/SpringTable.Period/2`: `Period`.
fn function(id: &str) -> &str {
    let name = id.split_once('.').map_or(id, |(_, name)| name);
    name.split('/').next().unwrap_or(name)
}

#[cfg(test)]
mod tests;

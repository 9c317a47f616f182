//! TestNG's own console (5 to 7: `reporters/TextReporter.java` and `SuiteRunnerWorker.java` in
//! <https://github.com/testng-team/testng>) and its `testng-results.xml`.
//!
//! A section opens with TestNG's first words or with a suite's totals, and closes with the rule below
//! `Total tests run: 6, Failures: 2, Skips: 2`. With `-verbose 2` each `<test>`'s results stand above its own
//! totals, which say how many of the failures listed are TestNG's: what the tests print stands above those.

mod listing;
mod results;

use crate::held::Held;
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use crate::xml::{Collector, Document, Shape, Taken};
use bv_schemas::{Counts, Failure, Reason, Test, TestOutcome};
use listing::{Block, Totals};

/// The table's line.
pub const FORMAT: Format = Format {
    name: "testng",
    commands: &["testng", "org.testng.TestNG"],
    needles: &[
        "[TestNG] Running:",
        "... TestNG ",
        "Total tests run: ",
        "org.testng.TestNGException",
        "<testng-results",
    ],
    new: || Box::new(TestNg::new()),
};

/// What separates TestNG's totals from all else.
const RULE: &str = "===============================================";
/// Results listed of one `<test>` that are kept.
const LISTED_MAX: usize = 20_000;

/// What a report is from outside.
const SHAPE: Shape = Shape {
    root: |text| text.find("<testng-results"),
    structure: &["testng-results", "suite", "test", "class"],
    case: "test-method",
};

/// See the head of this file.
struct TestNg {
    opened: bool,
    /// The failures of the `<test>` that is being listed, and whether each is a configuration method's.
    listed: Vec<(Failure, bool)>,
    tests: Vec<Test>,
    block: Option<Block>,
    held: Held,
    totals: Option<Totals>,
    /// Lines since a rule: the name and the numbers stand in the second and third.
    since_rule: usize,
    file: Collector,
    /// Nothing could be run, in TestNG's words.
    refused: Option<Failure>,
}

impl Machine for TestNg {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        match self.file.take(line.text, line.span) {
            Taken::Not => {}
            taken => return self.report(taken, out),
        }
        let text = line.text.trim_end();
        if let Some(block) = &mut self.block {
            if block.line(text, line.span) {
                return;
            }
            self.end_block();
        }
        if text == RULE {
            self.rule(out);
        } else if self.since_rule > 0 {
            self.in_totals(text);
        } else {
            self.listing(text, line, out);
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.end_block();
        if let Some(document) = self.file.cut() {
            self.cut(&document, out);
        }
        if let Some(failure) = self.refused.take() {
            return self.refuse(failure, out);
        }
        if self.opened {
            self.held.say(out);
            // No totals tell which of them are TestNG's, and something has ended it.
            self.listed.drain(..).for_each(|(failure, _)| out.failure(failure));
        }
    }

    fn owns_lines(&self) -> bool {
        self.block.is_some() || self.file.is_open()
    }
}

impl TestNg {
    fn new() -> TestNg {
        TestNg {
            opened: false,
            listed: Vec::new(),
            tests: Vec::new(),
            block: None,
            held: Held::default(),
            totals: None,
            since_rule: 0,
            file: Collector::new(&SHAPE),
            refused: None,
        }
    }

    fn open(&mut self, out: &mut Out) {
        if !std::mem::replace(&mut self.opened, true) {
            out.open();
        }
    }

    /// A run begins: what kept one before it from that stands.
    fn begin(&mut self, out: &mut Out) {
        if let Some(failure) = self.refused.take() {
            self.refuse(failure, out);
            self.opened = false;
        }
        self.open(out);
    }

    /// A line outside of totals.
    fn listing(&mut self, text: &str, line: &Line<'_>, out: &mut Out) {
        match text.as_bytes().first() {
            Some(b'[') if text == "[TestNG] Running:" => self.begin(out),
            Some(b'.') if text.starts_with("... TestNG ") && text.contains(" by ") => self.begin(out),
            Some(b'F') => self.block = Block::begins(text, line.span).filter(|_| self.opened),
            Some(b'P' | b'S' | b'R') if self.opened && out.all => {
                let test = listing::other(text).filter(|_| self.tests.len() < LISTED_MAX);
                self.tests.extend(test);
            }
            Some(b'o' | b'E') => {
                let thrown = text.strip_prefix("Exception in thread \"main\" ").unwrap_or(text);
                if thrown.starts_with("org.testng.TestNGException") {
                    self.open(out);
                    self.block = Some(Block::refusal(thrown, line.span));
                }
            }
            _ => {}
        }
    }

    fn end_block(&mut self) {
        match self.block.take() {
            Some(block) if block.is_refusal() => self.refused = Some(block.failure().0),
            Some(block) if self.listed.len() < LISTED_MAX => self.listed.push(block.failure()),
            _ => {}
        }
    }

    /// A name, the numbers, and those of the configuration methods.
    fn in_totals(&mut self, text: &str) {
        self.since_rule += 1;
        match (&mut self.totals, self.since_rule) {
            (None, 3) => self.totals = Totals::read(text),
            (Some(totals), 4) => totals.configurations(text),
            _ => {}
        }
        if self.since_rule > 4 || self.since_rule == 3 && self.totals.is_none() {
            self.since_rule = 0;
            self.totals = None;
        }
    }

    /// A rule begins totals or ends them.
    fn rule(&mut self, out: &mut Out) {
        let Some(totals) = self.totals.take() else {
            self.since_rule = 1;
            return;
        };
        self.since_rule = 0;
        if totals.of_suite {
            self.close(totals, out);
        } else {
            self.of_test(totals, out);
        }
    }

    /// The totals of one `<test>`: the failures that TestNG listed are the last ones.
    fn of_test(&mut self, totals: Totals, out: &mut Out) {
        let mut due = [totals.failed, totals.broken];
        let mut own: Vec<Failure> = Vec::new();
        for (failure, configuration) in self.listed.drain(..).rev() {
            let due = &mut due[usize::from(configuration)];
            if *due > 0 {
                *due -= 1;
                own.push(failure);
            }
        }
        own.into_iter().rev().for_each(|failure| self.held.push(failure));
        let tests = self.tests.len().saturating_sub(usize::try_from(totals.ran).unwrap_or(usize::MAX));
        self.tests.drain(..).skip(tests).for_each(|test| out.test(test));
    }

    fn close(&mut self, totals: Totals, out: &mut Out) {
        self.open(out);
        let red = totals.failed + totals.broken;
        let passed = totals.passed();
        out.tests_seen += totals.ran;
        let unnamed = red.saturating_sub(self.held.len());
        self.held.say(out);
        out.unnamed(unnamed);
        out.close(Closing {
            says: Says::of(red, passed),
            counts: Counts {
                passed: Some(passed),
                failed: Some(totals.failed),
                errored: (totals.broken > 0).then_some(totals.broken),
                skipped: Some(totals.skipped),
            },
            duration_ms: None,
            message: None,
        });
        *self = TestNg::new();
    }

    fn refuse(&mut self, failure: Failure, out: &mut Out) {
        let message = failure.message.clone();
        out.failure(failure);
        let counts = Counts::default();
        out.close(Closing {
            says: Says::Refused(Reason::CollectionError),
            counts,
            duration_ms: None,
            message,
        });
    }

    fn report(&mut self, taken: Taken<'_>, out: &mut Out) {
        match taken {
            Taken::Not | Taken::NoReport | Taken::More { tested: false } => {}
            // Where it is too long, the section stays open, for nothing is known of its end.
            Taken::More { tested: true } | Taken::TooLong => self.open(out),
            Taken::Broken(document) => self.cut(&document, out),
            Taken::Whole(document, _) => {
                self.open(out);
                if let Some(closing) = results::say(&document, out) {
                    out.close(closing);
                }
                *self = TestNg::new();
            }
        }
    }

    /// What a report without its end told stands, and the section stays open.
    fn cut(&mut self, document: &Document, out: &mut Out) {
        self.open(out);
        // Its numbers are no closing statement.
        let _ = results::say(document, out);
    }
}

/// An outcome that is none of a failure.
fn passed(id: String, outcome: TestOutcome, duration_ms: Option<u64>) -> Test {
    Test { id, outcome, duration_ms }
}

#[cfg(test)]
mod tests;

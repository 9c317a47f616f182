//! doctest's console reporter (C++, 2.4: `struct ConsoleReporter` in
//! <https://github.com/doctest/doctest/blob/v2.4.11/doctest/doctest.h>).
//!
//! A section opens with `[doctest] doctest version is …`, or with the first failure where the introduction is
//! switched off, and closes with the three lines of totals. A test's name and its subcases, joined by ` > `,
//! are one test's id. What fails as its author expected is printed like any failure, and taken back below it.

mod block;
mod head;

use crate::held::Held;
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use block::Block;
use bv_schemas::{Counts, Failure, Kind, Place};
use head::{Head, is_rule};

/// The table's line.
pub const FORMAT: Format = Format {
    name: "doctest-cpp",
    commands: &[],
    needles: &["[doctest] ", head::RULE],
    new: || Box::<Doctest>::default(),
};

/// See the head of this file.
#[derive(Default)]
struct Doctest {
    opened: bool,
    head: Head,
    block: Option<Block>,
    held: Held,
    counts: Option<Counts>,
}

impl Machine for Doctest {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let text = line.text.trim_end();
        if let Some(said) = text.strip_prefix("[doctest] ") {
            self.end_block();
            self.said(said, out);
        } else if is_rule(text) {
            self.end_block();
            self.head.begins();
        } else if !self.head.line(text) {
            self.in_test(line, text, out);
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.end_block();
        if self.opened {
            self.held.say(out);
        }
    }
}

impl Doctest {
    fn open(&mut self, out: &mut Out) {
        if !std::mem::replace(&mut self.opened, true) {
            out.open();
        }
    }

    /// A line of doctest's own, its mark taken off.
    fn said(&mut self, said: &str, out: &mut Out) {
        if said.starts_with("doctest version is ") || said.starts_with("run with \"") {
            self.open(out);
        } else if let Some(totals) = said.strip_prefix("test cases:") {
            self.counts = totals_of(totals);
        } else if let Some(status) = said.strip_prefix("Status: ") {
            self.close(status, out);
        }
    }

    fn close(&mut self, status: &str, out: &mut Out) {
        let Some(counts) = self.counts.take() else { return };
        let failed = counts.failed.unwrap_or(0);
        let says = match (status, failed, counts.passed) {
            ("SUCCESS!", 0, Some(0)) => Says::NoTests,
            ("SUCCESS!", 0, _) => Says::Green,
            _ => Says::Red,
        };
        self.open(out);
        if says == Says::Red {
            // A test case fails once, whatever its subcases do.
            let named = self.held.iter_mut().filter_map(|failure| failure.id.as_deref());
            let mut cases: Vec<&str> = named.map(|id| id.split(" > ").next().unwrap_or(id)).collect();
            cases.sort_unstable();
            cases.dedup();
            let unnamed = failed.saturating_sub(cases.len() as u64);
            self.held.say(out);
            out.unnamed(unnamed);
        }
        out.close(Closing { says, counts, duration_ms: None, message: None });
        *self = Doctest::default();
    }

    fn in_test(&mut self, line: &Line<'_>, text: &str, out: &mut Out) {
        if let Some(block) = Block::begins(text, line.span) {
            self.end_block();
            if self.head.id().is_some() {
                self.open(out);
                self.block = Some(block);
            }
            return;
        }
        if self.block.as_mut().is_some_and(|block| block.line(line)) {
            return;
        }
        self.end_block();
        match verdict(text) {
            Some(Verdict::NotFailed) => {
                let case = self.head.case().map(str::to_owned);
                self.held.forget(|failure| case_of(failure) == case.as_deref());
            }
            Some(Verdict::Failed) if self.head.id().is_some() => {
                let test = self.head.place().map(|(file, line)| Place {
                    file: Some(file.to_owned()),
                    line: Some(line),
                    function: None,
                });
                let kind =
                    if text.starts_with("Test case exceeded") { Kind::Timeout } else { Kind::Assertion };
                self.held.check(Failure {
                    id: self.head.id(),
                    kind,
                    message: Some(text.to_owned()),
                    test,
                    span: Some(line.span),
                    ..Failure::default()
                });
            }
            _ => {}
        }
    }

    fn end_block(&mut self) {
        if let Some(failure) = self.block.take().and_then(Block::failure) {
            self.held.check(Failure { id: self.head.id(), ..failure });
        }
    }
}

/// The name of the test case without its subcases.
fn case_of(failure: &Failure) -> Option<&str> {
    failure.id.as_deref().and_then(|id| id.split(" > ").next())
}

/// What the reporter says of a test case when it ended.
enum Verdict {
    NotFailed,
    Failed,
}

fn verdict(text: &str) -> Option<Verdict> {
    let not_failed = text == "Failed as expected so marking it as not failed"
        || text == "Allowed to fail so marking it as not failed"
        || text.starts_with("Failed exactly ") && text.ends_with(" as expected so marking it as not failed!");
    let failed = text == "Should have failed but didn't! Marking it as failed!"
        || text.starts_with("Didn't fail exactly ") && text.ends_with(" times so marking it as failed!")
        || text.starts_with("Test case exceeded time limit of ");
    not_failed.then_some(Verdict::NotFailed).or(failed.then_some(Verdict::Failed))
}

/// ` 4 | 0 passed | 4 failed | 1 skipped`; `--no-skipped-summary` leaves the last out.
fn totals_of(text: &str) -> Option<Counts> {
    let mut counts = Counts::default();
    for part in text.split('|').skip(1).map(str::trim).filter(|part| !part.is_empty()) {
        let (number, word) = part.split_once(' ')?;
        let number = Some(number.parse().ok()?);
        match word {
            "passed" => counts.passed = number,
            "failed" => counts.failed = number,
            "skipped" => counts.skipped = number,
            _ => return None,
        }
    }
    (counts.passed.is_some() && counts.failed.is_some()).then_some(counts)
}

#[cfg(test)]
mod tests;

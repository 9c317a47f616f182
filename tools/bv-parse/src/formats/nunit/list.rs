//! The consoles' text: a numbered list of what failed, and a summary.
//!
//! NUnit 2 writes the summary first (`Tests run: 9, Errors: 1, Failures: 5, …`), NUnit 3 last (`Test Run
//! Summary`). What a test prints stands above both.

use crate::dotnet::{Fault, LINES_MAX, frame};
use crate::held::Held;
use crate::machine::{Closing, Line, Out, Says};
use crate::values::milliseconds;
use bv_schemas::{Counts, Failure, Kind};

/// See the head of this file.
#[derive(Default)]
pub struct Listing {
    opened: bool,
    /// Below a heading, where only list items are expected.
    in_list: bool,
    item: Option<Item>,
    items: u64,
    held: Held,
    /// NUnit 2's counts, which come before its list.
    second: Option<Summary>,
    /// NUnit 3's, line by line.
    third: Option<Summary>,
}

#[derive(Default)]
struct Summary {
    counts: Counts,
    is_red: bool,
    duration_ms: Option<u64>,
}

struct Item {
    kind: String,
    fault: Fault,
    in_stack: bool,
    span: [u64; 2],
}

impl Listing {
    /// Takes a line.
    pub fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        let text = line.text.trim_end();
        if self.third.is_some() && self.summary(text, out) {
            return;
        }
        match text {
            "Errors, Failures and Warnings" | "Errors and Failures" => {
                self.open(out);
                self.in_list = true;
            }
            "Errors and Failures:" if self.second.is_some() => self.in_list = true,
            "Test Run Summary" => {
                self.end_item();
                self.open(out);
                self.in_list = false;
                self.third = Some(Summary::default());
            }
            "Tests Not Run:" | "Tests Not Run" | "Run Settings" if self.in_list => {
                self.end_item();
                self.in_list = false;
                self.close_second(out);
            }
            _ if self.in_list => self.item(line, text),
            _ => {
                if let Some(summary) = second(text) {
                    self.close_second(out);
                    self.open(out);
                    self.second = Some(summary);
                }
            }
        }
    }

    /// The stream ended.
    pub fn end(&mut self, out: &mut Out) {
        self.end_item();
        if self.second.is_some() {
            self.close_second(out);
        } else if self.third.as_ref().is_some_and(|summary| summary.counts != Counts::default()) {
            self.close_third(out);
        } else if self.opened {
            self.held.say(out);
        }
    }

    /// In an item nothing else speaks.
    pub fn owns_lines(&self) -> bool {
        self.item.is_some()
    }

    fn open(&mut self, out: &mut Out) {
        if !std::mem::replace(&mut self.opened, true) {
            out.open();
        }
    }

    /// `3) Test Failure : Shop.Tests.CartTests.Total`, `1) Failed : Shop.Tests.CartTests.Total`.
    fn item(&mut self, line: &Line<'_>, text: &str) {
        let head = text.split_once(") ").filter(|(number, _)| *number == (self.items + 1).to_string());
        if let Some((kind, name)) = head.and_then(|(_, rest)| rest.split_once(" : ")) {
            self.end_item();
            self.items += 1;
            let fault = Fault { name: name.trim().to_owned(), ..Fault::default() };
            self.item = Some(Item { kind: kind.to_owned(), fault, in_stack: false, span: line.span });
            return;
        }
        let Some(item) = &mut self.item else { return };
        item.span[1] = line.span[1];
        item.in_stack |= frame(text).is_some();
        let lines = if item.in_stack { &mut item.fault.stack } else { &mut item.fault.message };
        if lines.len() < LINES_MAX {
            lines.push(text.to_owned());
        }
    }

    fn end_item(&mut self) {
        let Some(item) = self.item.take() else { return };
        let mut failure = Failure { span: Some(item.span), ..item.fault.failure() };
        match item.kind.as_str() {
            "Warning" | "Ignored" | "Skipped" | "Inconclusive" => return,
            "Invalid" => failure.kind = Kind::CollectionError,
            // A fixture's own, and its tests'.
            "SetUp Error" | "TearDown Error" | "Parent Failure" => failure.kind = Kind::SetupError,
            "Error" | "Test Error" if failure.kind == Kind::Assertion => failure.kind = Kind::Exception,
            _ => {}
        }
        self.held.push(failure);
    }

    fn close_second(&mut self, out: &mut Out) {
        if let Some(summary) = self.second.take() {
            self.close(summary, out);
        }
    }

    fn close_third(&mut self, out: &mut Out) {
        if let Some(summary) = self.third.take() {
            self.close(summary, out);
        }
    }

    fn close(&mut self, summary: Summary, out: &mut Out) {
        let Summary { counts, is_red, duration_ms } = summary;
        let red = counts.failed.unwrap_or(0) + counts.errored.unwrap_or(0);
        let says = match (red.max(self.held.len()), counts.passed) {
            (0, _) if is_red => Says::Red,
            (0, Some(1..)) => Says::Green,
            (0, _) => Says::NoTests,
            _ => Says::Red,
        };
        let unnamed = red.saturating_sub(self.held.len());
        self.held.say(out);
        out.unnamed(unnamed);
        out.close(Closing { says, counts, duration_ms, message: None });
        *self = Listing::default();
    }

    /// NUnit 3's summary; false when the line is behind it.
    fn summary(&mut self, text: &str, out: &mut Out) -> bool {
        let Some(summary) = &mut self.third else { return false };
        let line = text.trim_start();
        if let Some(result) = line.strip_prefix("Overall result: ") {
            summary.is_red = result == "Failed";
        } else if line.starts_with("Test Count: ") {
            let of = |name: &str| number(line, name);
            summary.counts = Counts {
                passed: of("Pass: ")
                    .or(of("Passed: "))
                    .map(|n| n + of("Warn: ").or(of("Warnings: ")).unwrap_or(0)),
                failed: of("Fail: ").or(of("Failed: ")),
                errored: None,
                skipped: of("Skip: ").or(of("Skipped: ")).map(|n| n + of("Inconclusive: ").unwrap_or(0)),
            };
        } else if let Some(seconds) = line.strip_prefix("Duration: ") {
            summary.duration_ms =
                seconds.split(' ').next().and_then(|n| n.parse().ok()).and_then(milliseconds);
        } else if !(text.is_empty() || text.starts_with("  ")) {
            self.close_third(out);
            return false;
        }
        true
    }
}

/// `Tests run: 9, Errors: 1, Failures: 5, Inconclusive: 1, Time: 0.2212116 seconds`
fn second(text: &str) -> Option<Summary> {
    let of = |name: &str| number(text, name);
    let (ran, errors, failures) = (of("Tests run: ")?, of("Errors: ")?, of("Failures: ")?);
    let inconclusive = of("Inconclusive: ")?;
    let seconds = text.rsplit_once("Time: ")?.1.strip_suffix(" seconds")?;
    text.starts_with("Tests run: ").then(|| Summary {
        counts: Counts {
            passed: Some(ran.saturating_sub(errors + failures + inconclusive)),
            failed: Some(failures),
            errored: Some(errors),
            skipped: None,
        },
        is_red: errors + failures > 0,
        duration_ms: seconds.replace(',', ".").parse().ok().and_then(milliseconds),
    })
}

fn number(text: &str, name: &str) -> Option<u64> {
    let rest = &text[text.find(name)? + name.len()..];
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

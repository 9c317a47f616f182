//! Boost.Test's human-readable log and reports (1.59 to 1.86: `compiler_log_formatter.ipp` and
//! `plain_report_formatter.ipp` in <https://github.com/boostorg/test>).
//!
//! A section opens with `Running N test cases...` and closes with the confirmation (`*** No errors detected`,
//! `*** 4 failures are detected in the test module "x"`) or with the block of a short or detailed report on
//! the module. What it counts as failures are failed checks; of one test they are one record.

mod check;
mod report;

use crate::held::Held;
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use bv_schemas::{Counts, Reason, Test, TestOutcome};
use check::Check;
use report::Report;

/// The table's line.
pub const FORMAT: Format = Format {
    name: "boost-test",
    commands: &[],
    needles: &[
        " test cases...",
        " test case...",
        "*** No errors detected",
        "detected in the test ",
        "Test module \"",
        "rror: in \"",
        "Test setup error: ",
    ],
    new: || Box::<Boost>::default(),
};

/// Suites inside suites that are followed.
const NEST_MAX: usize = 64;

/// See the head of this file.
#[derive(Default)]
struct Boost {
    opened: bool,
    total: Option<u64>,
    check: Option<Check>,
    held: Held,
    /// Failed checks that were seen.
    checks: u64,
    /// The suites that are open, as `--log_level=test_suite` tells.
    suites: Vec<String>,
    /// A check failed in the test case that is open.
    failed: bool,
    report: Option<Report>,
}

impl Machine for Boost {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let text = line.text.trim_end();
        if let Some(report) = &mut self.report {
            if !text.is_empty() && report.line(text) {
                return;
            }
            self.reported(out);
        }
        if self.check.as_mut().is_some_and(|check| check.line(text, line.span)) {
            return;
        }
        self.end_check();
        if let Some(check) = Check::begins(text, line.span) {
            self.open(out);
            self.checks += 1;
            self.failed = true;
            self.check = Some(check);
        } else if let Some(total) = running(text) {
            self.open(out);
            self.total = Some(total);
        } else if let Some(said) = text.strip_prefix("*** ") {
            self.confirmed(said, out);
        } else if let Some(wrong) = text.strip_prefix("Test setup error: ") {
            self.refused(wrong, out);
        } else if text.starts_with("Test module \"") {
            self.report = Report::begins(text);
        } else {
            self.unit(text, out);
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.end_check();
        if self.report.is_some() {
            self.reported(out);
        } else if self.opened {
            self.held.say(out);
        }
    }
}

impl Boost {
    fn open(&mut self, out: &mut Out) {
        if !std::mem::replace(&mut self.opened, true) {
            out.open();
        }
    }

    fn end_check(&mut self) {
        if let Some(check) = self.check.take() {
            self.held.check(check.failure());
        }
    }

    /// A line of the confirmation, `*** ` taken off.
    fn confirmed(&mut self, said: &str, out: &mut Out) {
        if said == "No errors detected" {
            // Without its first line, the words may be a test's. Checks that failed were expected to.
            let says = if self.total.is_some() { Says::Green } else { Says::GreenAtExit0 };
            let failed = self.total.map(|_| 0);
            self.held = Held::default();
            self.close(says, Counts { passed: self.total, failed, ..Counts::default() }, out);
        } else if let Some((count, _)) =
            said.split_once(" detected").filter(|(_, rest)| rest.contains(" in the test "))
        {
            let failed = count.split(' ').next().and_then(|number| number.parse().ok());
            self.red(Counts { failed, ..Counts::default() }, out);
        } else if said.starts_with("The test ") && said.ends_with("; see standard output for details") {
            // What was aborted may have failed checks, which the next line counts.
            if said.contains(" was skipped") {
                self.close(Says::NoTests, Counts::default(), out);
            } else if self.checks == 0 {
                self.red(Counts::default(), out);
            }
        }
    }

    fn red(&mut self, counts: Counts, out: &mut Out) {
        let unnamed = counts.failed.unwrap_or(u64::from(self.checks == 0)).saturating_sub(self.checks);
        self.held.say(out);
        self.open(out);
        out.unnamed(unnamed);
        self.close(Says::Red, counts, out);
    }

    fn reported(&mut self, out: &mut Out) {
        let Some(report) = self.report.take() else { return };
        let (says, counts) = report.verdict();
        match says {
            Says::Red => {
                let unnamed = counts.failed.unwrap_or(1).saturating_sub(self.held.len());
                self.held.say(out);
                self.open(out);
                out.unnamed(unnamed);
            }
            // An expected failure is printed like any other.
            _ => self.held = Held::default(),
        }
        self.close(says, counts, out);
    }

    /// Nothing could be run.
    fn refused(&mut self, wrong: &str, out: &mut Out) {
        let none = wrong.starts_with("no test cases matching filter") || wrong.contains("test tree is empty");
        let says = if none { Says::NoTests } else { Says::Refused(Reason::CollectionError) };
        self.open(out);
        self.opened = false;
        out.close(Closing {
            says,
            counts: Counts::default(),
            duration_ms: None,
            message: Some(wrong.to_owned()),
        });
        *self = Boost::default();
    }

    fn close(&mut self, says: Says, counts: Counts, out: &mut Out) {
        self.open(out);
        out.close(Closing { says, counts, duration_ms: None, message: None });
        *self = Boost::default();
    }

    /// `spring_test.cpp(9): Leaving test case "linear"; testing time: 52us`
    fn unit(&mut self, text: &str, out: &mut Out) {
        if let Some(name) = named(text, "Entering test suite \"") {
            if self.suites.len() < NEST_MAX {
                self.suites.push(name.to_owned());
            }
        } else if named(text, "Leaving test suite \"").is_some() {
            self.suites.pop();
        } else if named(text, "Entering test case \"").is_some() {
            self.failed = false;
        } else if let Some(name) = named(text, "Leaving test case \"") {
            out.tests_seen += 1;
            if !self.failed && out.all {
                let id = self.suites.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join("/");
                out.test(Test { id, outcome: TestOutcome::Passed, duration_ms: None });
            }
        }
    }
}

/// The name behind `label`, which the unit's place may precede.
fn named<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    let at = text.find(label).filter(|&at| at == 0 || text[..at].ends_with("): "))?;
    text[at + label.len()..].split('"').next()
}

/// `Running 4 test cases...`
fn running(text: &str) -> Option<u64> {
    let (number, words) = text.strip_prefix("Running ")?.split_once(' ')?;
    ["test cases...", "test case..."].contains(&words).then(|| number.parse().ok())?
}

#[cfg(test)]
mod tests;

//! Closing statements of several lines: VSTest's (`Test Run Failed.`, `Total tests: 5`), the terminal logger's one
//! line, and Microsoft.Testing.Platform's (`Test run summary: Failed!`, `  total: 5`).

use super::vstest::milliseconds;
use crate::machine::{Closing, Says};
use bv_schemas::Counts;

/// What a line is to them.
#[derive(Debug)]
pub enum Said {
    /// A part, more may follow.
    Part,
    /// The statement is whole; `part_of_it`: its last line is this one.
    Closes {
        /// The statement.
        closing: Closing,
        /// See above.
        part_of_it: bool,
    },
}

/// The statement that is being read.
#[derive(Debug, Default)]
pub struct Totals {
    open: Option<Open>,
    platform: bool,
}

#[derive(Debug)]
struct Open {
    kind: Kind,
    word: Word,
    counts: Counts,
    total: Option<u64>,
    duration_ms: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Vstest,
    Platform,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    Passed,
    Failed,
    NoTests,
    /// VSTest 15 writes its counts first.
    Unsaid,
}

impl Totals {
    /// The platform announced itself: its statement will come.
    pub fn expect_platform(&mut self) {
        self.platform = true;
    }

    /// See [`Totals::expect_platform`].
    pub fn expects_platform(&self) -> bool {
        self.platform
    }

    /// Takes a line; nothing when it is none of theirs. `captured`: a test printed it.
    pub fn line(&mut self, text: &str, captured: bool) -> Option<Said> {
        if let Some(open) = &mut self.open {
            if open.line(text) {
                let last = open.kind == Kind::Platform && text.starts_with("  duration: ");
                return match last {
                    true => self.close(true),
                    false => Some(Said::Part),
                };
            }
            return self.close(false);
        }
        if captured {
            return None;
        }
        if let Some(closing) = one_line(text) {
            return Some(Said::Closes { closing, part_of_it: true });
        }
        self.open = Open::begins(text);
        self.open.is_some().then_some(Said::Part)
    }

    /// The stream ended.
    pub fn end(&mut self) -> Option<Said> {
        self.close(true)
    }

    fn close(&mut self, part_of_it: bool) -> Option<Said> {
        let open = self.open.take()?;
        open.closing().map(|closing| Said::Closes { closing, part_of_it })
    }
}

impl Open {
    fn begins(text: &str) -> Option<Open> {
        let (kind, word) = match text {
            "Test Run Failed." => (Kind::Vstest, Word::Failed),
            "Test Run Successful." => (Kind::Vstest, Word::Passed),
            _ => match text.strip_prefix("Test run summary: ") {
                Some(rest) => (Kind::Platform, word(rest)),
                None => return Open::of_counts(text),
            },
        };
        Some(Open { kind, word, counts: Counts::default(), total: None, duration_ms: None })
    }

    /// VSTest 15: `Total tests: 5. Passed: 3. Failed: 2. Skipped: 0.`
    fn of_counts(text: &str) -> Option<Open> {
        let rest = text.strip_prefix("Total tests: ")?;
        let (total, rest) = rest.split_once(". Passed: ")?;
        let (passed, rest) = rest.split_once(". Failed: ")?;
        let (failed, skipped) = rest.split_once(". Skipped: ")?;
        let number = |text: &str| text.trim_end_matches('.').parse::<u64>().ok();
        let counts = Counts {
            passed: number(passed),
            failed: number(failed),
            errored: None,
            skipped: number(skipped),
        };
        Some(Open { kind: Kind::Vstest, word: Word::Unsaid, counts, total: number(total), duration_ms: None })
    }

    fn line(&mut self, text: &str) -> bool {
        match self.kind {
            Kind::Vstest => self.vstest(text),
            Kind::Platform => self.platform(text),
        }
    }

    fn vstest(&mut self, text: &str) -> bool {
        let own = text.trim_start();
        let Some((name, value)) = own.split_once(": ") else {
            let said = match own {
                "Test Run Failed." => Word::Failed,
                "Test Run Successful." => Word::Passed,
                _ => return false,
            };
            let first = self.word == Word::Unsaid;
            if first {
                self.word = said;
            }
            return first;
        };
        let number = value.trim().parse::<u64>().ok();
        match name {
            "Total tests" => self.total = number,
            "Passed" => self.counts.passed = number,
            "Failed" => self.counts.failed = number,
            "Skipped" => self.counts.skipped = number,
            "Total time" | "Test execution time" => {
                let mut words = value.split(' ');
                let number = words.next().and_then(|n| n.replace(',', ".").parse::<f64>().ok());
                let scale = match words.next() {
                    Some("Seconds" | "seconds") => 1.0,
                    Some("Minutes" | "minutes") => 60.0,
                    _ => 3600.0,
                };
                self.duration_ms = number.and_then(|n| crate::values::milliseconds(n * scale));
            }
            _ => return false,
        }
        true
    }

    /// The assemblies' own lines may stand above the counts.
    fn platform(&mut self, text: &str) -> bool {
        let own = text.strip_prefix("  ").unwrap_or_default();
        let value = |name: &str| {
            let rest = own.strip_prefix(name)?.strip_prefix(": ")?;
            rest.split(' ').next()?.parse::<u64>().ok()
        };
        if let Some(total) = value("total") {
            self.total = Some(total);
        } else if let Some(failed) = value("failed") {
            self.counts.failed = Some(failed);
        } else if let Some(errors) = value("error") {
            self.counts.errored = Some(errors);
        } else if let Some(passed) = value("succeeded") {
            self.counts.passed = Some(passed);
        } else if let Some(skipped) = value("skipped") {
            self.counts.skipped = Some(skipped);
        } else if let Some(duration) = own.strip_prefix("duration: ") {
            self.duration_ms = milliseconds(duration);
        } else {
            return self.total.is_none() && (text.is_empty() || text.starts_with("  "))
                || own.starts_with("flaky: ");
        }
        true
    }

    fn closing(self) -> Option<Closing> {
        let mut counts = self.counts;
        if self.kind == Kind::Vstest && self.total.is_some() {
            // A count that is 0 is not printed.
            counts.passed = counts.passed.or(Some(0));
            counts.failed = counts.failed.or(Some(0));
            counts.skipped = counts.skipped.or(Some(0));
        }
        let red = counts.failed.unwrap_or(0) + counts.errored.unwrap_or(0);
        let sum = counts.passed.unwrap_or(0) + red + counts.skipped.unwrap_or(0);
        let says = match self.word {
            Word::Failed => Says::Red,
            _ if red > 0 => Says::Red,
            Word::NoTests => Says::NoTests,
            // Counts alone are no verdict.
            Word::Unsaid => return None,
            // A green word whose counts are not whole was cut off.
            Word::Passed if self.total != Some(sum) => return None,
            Word::Passed if counts.passed == Some(0) => Says::NoTests,
            Word::Passed => Says::Green,
        };
        Some(Closing { says, counts, duration_ms: self.duration_ms, message: None })
    }
}

/// What stands behind `Test run summary: `; any other word than these speaks of a run that did not do its work.
fn word(text: &str) -> Word {
    if text.starts_with("Passed!") {
        Word::Passed
    } else if text.starts_with("Zero tests ran") {
        Word::NoTests
    } else {
        Word::Failed
    }
}

/// `Test summary: total: 5, failed: 1, succeeded: 4, skipped: 0, duration: 1.0s`; other languages' lists have `;`.
fn one_line(text: &str) -> Option<Closing> {
    let rest = text.strip_prefix("Test summary: ")?;
    let of = |name: &str| {
        let value = &rest[rest.find(name)? + name.len()..];
        value.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u64>().ok()
    };
    of("total: ")?;
    let counts = Counts {
        passed: Some(of("succeeded: ")?),
        failed: Some(of("failed: ")?),
        errored: None,
        skipped: of("skipped: "),
    };
    let says = match (counts.failed, counts.passed) {
        (Some(1..), _) => Says::Red,
        (_, Some(1..)) => Says::Green,
        _ => Says::NoTests,
    };
    let duration = rest.rsplit_once("duration: ").and_then(|(_, time)| time.trim().strip_suffix('s'));
    let duration_ms = duration.and_then(|time| time.replace(',', ".").parse().ok());
    Some(Closing {
        says,
        counts,
        duration_ms: duration_ms.and_then(crate::values::milliseconds),
        message: None,
    })
}

//! TestNG's results as its `TextReporter` lists them, and its totals.
//!
//! ```text
//! FAILED: sums(2, 5, 11)
//!         what it is for
//! java.lang.AssertionError: sum of 2 expected [11] but found [10]
//!     at shop.InvoiceNGTest.sums(InvoiceNGTest.java:19)
//! ```

use crate::jvm::Exception;
use bv_schemas::{Failure, Kind, Test, TestOutcome};

/// Lines kept of one failure.
const LINES_MAX: usize = 4000;
/// Lines after which a block that did not end is given up.
const BLOCK_LINES_MAX: usize = 100_000;

/// One failure, as listed.
pub struct Block {
    name: String,
    configuration: bool,
    refusal: bool,
    lines: Vec<String>,
    seen: usize,
    span: [u64; 2],
}

impl Block {
    /// `FAILED: label`, or `FAILED CONFIGURATION: @BeforeClass open`.
    pub fn begins(text: &str, span: [u64; 2]) -> Option<Block> {
        let configuration = text.strip_prefix("FAILED CONFIGURATION: ");
        let name = configuration.or_else(|| text.strip_prefix("FAILED: "))?;
        Some(Block {
            name: name.to_owned(),
            configuration: configuration.is_some(),
            refusal: false,
            lines: Vec::new(),
            seen: 0,
            span,
        })
    }

    /// TestNG could not begin: what it throws is the reason.
    pub fn refusal(thrown: &str, span: [u64; 2]) -> Block {
        Block {
            name: String::new(),
            configuration: false,
            refusal: true,
            lines: vec![thrown.to_owned()],
            seen: 0,
            span,
        }
    }

    /// Whether it is such a reason.
    pub fn is_refusal(&self) -> bool {
        self.refusal
    }

    /// Takes the line, unless the block ended before it. A blank line ends a trace; above the first frame it
    /// is part of the message.
    pub fn line(&mut self, text: &str, span: [u64; 2]) -> bool {
        self.seen += 1;
        let traced = self.lines.iter().any(|line| line.starts_with("\tat "));
        let ends = text == super::RULE
            || [
                "PASSED: ",
                "FAILED: ",
                "SKIPPED: ",
                "RETRIED: ",
                "FAILED CONFIGURATION: ",
                "SKIPPED CONFIGURATION: ",
            ]
            .iter()
            .any(|next| text.starts_with(next))
            || text.is_empty() && traced
            || self.refusal && (text == "[TestNG] Running:" || text.starts_with("... TestNG "))
            || self.seen > BLOCK_LINES_MAX;
        if ends {
            return false;
        }
        // The test's description and its attributes stand above the exception.
        let above = text.starts_with("        ") || text.starts_with("Test Attributes: ");
        if !(self.lines.is_empty() && (above || text.is_empty())) && self.lines.len() < LINES_MAX {
            self.lines.push(text.to_owned());
        }
        if !text.is_empty() {
            self.span[1] = span[1];
        }
        true
    }

    /// The failure, and whether it is a configuration method's.
    pub fn failure(self) -> (Failure, bool) {
        let exception = Exception::read(self.lines.iter().map(String::as_str));
        let (class, method) = names(&self.name);
        let mut failure = exception.failure(class, method);
        if timed_out(exception.class.as_deref()) {
            failure.kind = Kind::Timeout;
        }
        if self.configuration {
            failure.kind = Kind::SetupError;
        }
        if self.refusal {
            failure.kind = Kind::CollectionError;
            failure.test = None;
        } else {
            failure.id = Some(self.name);
        }
        failure.span = Some(self.span);
        (failure, self.configuration)
    }
}

/// `timeOut` was over.
pub fn timed_out(class: Option<&str>) -> bool {
    class.is_some_and(|class| class.ends_with(".ThreadTimeoutException"))
}

/// The class, which TestNG 7 prints, and the bare method of `@BeforeClass shop.CartNG.sums(2, 5)`.
fn names(name: &str) -> (Option<&str>, Option<&str>) {
    let name = name.split('(').next().unwrap_or(name);
    let name = name.rsplit(' ').next().unwrap_or(name);
    match name.rsplit_once('.') {
        Some((class, method)) => (Some(class), Some(method)),
        None => (None, Some(name).filter(|name| !name.is_empty())),
    }
}

/// A test that did not fail, as listed.
pub fn other(text: &str) -> Option<Test> {
    let (status, id) = text.split_once(": ")?;
    let outcome = match status {
        "PASSED" => TestOutcome::Passed,
        "SKIPPED" => TestOutcome::Skipped,
        _ => return None,
    };
    Some(super::passed(id.to_owned(), outcome, None))
}

/// The numbers of `Tests run: 6, Failures: 2, Skips: 2`, of `Total tests run: 6, Passes: 2, …` for a suite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// All, or of one `<test>` its methods, whatever they were run with.
    pub ran: u64,
    passes: Option<u64>,
    /// Tests that failed.
    pub failed: u64,
    /// Tests that were skipped.
    pub skipped: u64,
    retried: u64,
    /// Configuration methods that failed.
    pub broken: u64,
    /// They are a whole suite's.
    pub of_suite: bool,
}

impl Totals {
    /// Reads the line.
    pub fn read(text: &str) -> Option<Totals> {
        let of_suite = text.starts_with("Total tests run: ");
        let numbers = match of_suite {
            true => text.strip_prefix("Total tests run: ")?,
            false => text.strip_prefix("    Tests run: ")?,
        };
        let mut totals = Totals { of_suite, ..Totals::default() };
        let mut parts = numbers.split(", ");
        totals.ran = parts.next()?.parse().ok()?;
        for part in parts {
            let (name, number) = part.split_once(": ")?;
            let number = number.parse().ok()?;
            match name {
                "Passes" => totals.passes = Some(number),
                "Failures" => totals.failed = number,
                "Skips" => totals.skipped = number,
                "Retries" => totals.retried = number,
                _ => return None,
            }
        }
        Some(totals)
    }

    /// `Configuration Failures: 1, Skips: 0`
    pub fn configurations(&mut self, text: &str) {
        let numbers = text.trim_start().strip_prefix("Configuration Failures: ");
        let failed = numbers.and_then(|numbers| numbers.split(',').next()?.parse().ok());
        self.broken = failed.unwrap_or(self.broken);
    }

    /// How many passed; TestNG says so itself since version 7.
    pub fn passed(&self) -> u64 {
        self.passes.unwrap_or_else(|| self.ran.saturating_sub(self.failed + self.skipped + self.retried))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tests() {
        for (name, want) in [
            ("label", (None, Some("label"))),
            ("sums(2, 5.0, a.b)", (None, Some("sums"))),
            ("shop.CartNG.sums(2)", (Some("shop.CartNG"), Some("sums"))),
            ("@BeforeClass shop.CartNG.open", (Some("shop.CartNG"), Some("open"))),
            ("@BeforeClass open", (None, Some("open"))),
        ] {
            assert_eq!(names(name), want, "{name}");
        }
    }

    #[test]
    fn totals() {
        let check = |text: &str, want: Option<(u64, u64, u64, bool)>| {
            let got = Totals::read(text).map(|t| (t.passed(), t.failed, t.skipped, t.of_suite));
            assert_eq!(got, want, "{text}");
        };
        check("    Tests run: 6, Failures: 2, Skips: 2", Some((2, 2, 2, false)));
        check("Total tests run: 6, Failures: 2, Skips: 2", Some((2, 2, 2, true)));
        check("Total tests run: 7, Passes: 2, Failures: 2, Skips: 2, Retries: 1", Some((2, 2, 2, true)));
        check("Total tests run: all", None);
        check("Tests run: 6, Failures: 2", None);
    }
}

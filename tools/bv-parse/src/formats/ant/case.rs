//! One test that failed:
//!
//! ```text
//! Testcase: sums took 0.001 sec                 Testcase: sums(shop.CartTest):<TAB>FAILED
//! <TAB>FAILED
//! three pens expected:<9> but was:<10>
//! junit.framework.AssertionFailedError: three pens expected:<9> but was:<10>
//! <TAB>at shop.CartTest.sums(CartTest.java:11)
//! ```

use super::suite::Totals;
use crate::jvm::{self, Exception};
use bv_schemas::{Failure, Kind};

/// Lines kept of one failure.
const LINES_MAX: usize = 4000;
/// Lines after which a block that did not end is given up.
const BLOCK_LINES_MAX: usize = 100_000;

/// See the head of this file.
pub struct Case {
    /// Absent for a class' own fixture, or where there is none to run.
    method: Option<String>,
    class: String,
    /// What went wrong; until it is said, the test may have passed.
    error: Option<bool>,
    lines: Vec<String>,
    seen: usize,
    span: [u64; 2],
}

impl Case {
    /// The test whose line this is, unless it passed or was skipped for all that is said.
    pub fn begins(text: &str, suite: &str, span: [u64; 2]) -> Option<Case> {
        let nobody = text.strip_prefix("Null Test: ");
        let rest = nobody.map_or_else(|| text.strip_prefix("Testcase: "), |_| Some(text))?;
        let (name, error) = match rest.split_once(":\t").or_else(|| rest.split_once(": \t")) {
            Some((name, what)) => (name, Some(fault(what)?)),
            None => (rest.rsplit_once(" took ").filter(|(_, spent)| spent.ends_with(" sec"))?.0, None),
        };
        let (method, class) = match name.strip_suffix(')').and_then(|name| name.rsplit_once('(')) {
            Some((method, class)) if !class.is_empty() => (Some(method), class),
            _ if name == suite || nobody.is_some() => (None, suite),
            _ => (Some(name), suite),
        };
        Some(Case {
            method: method.map(str::to_owned),
            class: class.to_owned(),
            error,
            lines: Vec::new(),
            seen: 0,
            span,
        })
    }

    /// Takes the line, unless the block ended before it.
    pub fn line(&mut self, text: &str, span: [u64; 2]) -> bool {
        self.seen += 1;
        if self.error.is_none() {
            self.error = text.strip_prefix('\t').and_then(fault);
            self.span[1] = span[1];
            // Another test begins, or this one was skipped: it did not fail.
            return self.error.is_some();
        }
        let traced = self.lines.iter().any(|line| line.starts_with("\tat "));
        let ends = text.is_empty() && traced
            || text.starts_with("Testcase: ")
            || text.starts_with("Testsuite: ")
            || text.starts_with("Running ")
            || Totals::read(text).is_some()
            || text.starts_with("Test ") && text.contains(" FAILED")
            || self.seen > BLOCK_LINES_MAX;
        if ends {
            return false;
        }
        if self.lines.len() < LINES_MAX {
            self.lines.push(text.to_owned());
        }
        if !text.is_empty() {
            self.span[1] = span[1];
        }
        true
    }

    /// The failure that it tells of, if it does. The message stands above the trace, which holds it again.
    pub fn failure(self) -> Option<Failure> {
        let error = self.error?;
        let first = self.lines.first().map_or("", |line| line.trim());
        let trace = self.lines.iter().position(|line| {
            let said = jvm::class_of(line).map(|(_, said)| said.trim());
            said.is_some_and(|said| said == first || matches!(first, "null" | "N/A" | ""))
        });
        let lines = self.lines[trace.unwrap_or(0)..].iter().map(String::as_str);
        let exception = Exception::read(lines);
        let mut failure = exception.failure(Some(&self.class), self.method.as_deref());
        failure.kind = match (failure.kind, error) {
            (Kind::Timeout, _) => Kind::Timeout,
            _ if first.starts_with("Forked Java VM exited abnormally") => Kind::Crash,
            _ if first.starts_with("Timeout occurred") => Kind::Timeout,
            _ if self.method.is_none() => Kind::SetupError,
            (_, true) => Kind::Exception,
            _ => Kind::Assertion,
        };
        failure.id = Some(match &self.method {
            Some(method) => format!("{method}({})", self.class),
            None => self.class,
        });
        failure.span = Some(self.span);
        Some(failure)
    }
}

/// Whether it is an error, not a failed assertion.
fn fault(what: &str) -> Option<bool> {
    match what.trim() {
        "FAILED" => Some(false),
        "Caused an ERROR" => Some(true),
        _ => None,
    }
}

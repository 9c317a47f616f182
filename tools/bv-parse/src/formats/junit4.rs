//! JUnit 4's own console runner, `java org.junit.runner.JUnitCore shop.InvoiceTest`.
//!
//! A section opens at `JUnit version 4.13.2` and closes at `OK (3 tests)`, or at the numbers below
//! `FAILURES!!!`, both below `Time: …`. What tests print stands above the time and is left alone; a run that
//! begins inside an open one is a test's output, and speaks only when the outer one never closes.

use crate::jvm::Exception;
use crate::machine::{Closing, Format, HELD_MAX, Line, Machine, Out, Says};
use crate::values;
use bv_schemas::{Counts, Failure, Kind};

/// The table's line.
pub const FORMAT: Format = Format {
    name: "junit4",
    commands: &["org.junit.runner.JUnitCore", "JUnitCore"],
    needles: &["JUnit version "],
    new: || Box::new(Junit4::default()),
};

/// Runs inside runs that are followed; deeper ones are output and no more.
const NEST_MAX: usize = 4;
/// Lines kept of one failure.
const LINES_MAX: usize = 4000;

#[derive(Default)]
struct Junit4 {
    /// The runs that are open, the outermost first.
    runs: Vec<Run>,
    block: Option<Block>,
}

#[derive(Default)]
struct Run {
    duration_ms: Option<u64>,
    timed: bool,
    /// `FAILURES!!!` came.
    red: bool,
    /// Failures listed, kept or not.
    listed: u64,
    failures: Vec<Failure>,
    /// What runs inside it left, should it never close.
    inner: Vec<Failure>,
}

/// One failure of the list.
struct Block {
    number: u64,
    title: String,
    lines: Vec<String>,
    span: [u64; 2],
}

impl Machine for Junit4 {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        let text = line.text.trim_end();
        if let Some(block) = &mut self.block {
            if block.take(text, line.span) {
                return;
            }
            self.block_ends();
        }
        match text.as_bytes().first() {
            Some(b'J') if is_header(text) => self.begins(out),
            Some(b'T' | b'O' | b'F' | b'0'..=b'9') if !self.runs.is_empty() => {
                self.flush_left(text, line.span, out)
            }
            _ => {}
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.block_ends();
        for run in self.runs.drain(..) {
            run.failures.into_iter().chain(run.inner).for_each(|failure| out.failure(failure));
        }
    }

    fn owns_lines(&self) -> bool {
        self.block.is_some()
    }
}

impl Junit4 {
    fn begins(&mut self, out: &mut Out) {
        out.open();
        if self.runs.len() < NEST_MAX {
            self.runs.push(Run::default());
        }
    }

    fn flush_left(&mut self, text: &str, span: [u64; 2], out: &mut Out) {
        let Some(run) = self.runs.last_mut() else { return };
        if let Some(seconds) = text.strip_prefix("Time: ") {
            run.duration_ms = seconds.replace(',', "").parse().ok().and_then(values::milliseconds);
            run.timed = true;
            run.failures.clear();
            run.listed = 0;
        } else if !run.timed {
        } else if text == "FAILURES!!!" {
            run.red = true;
        } else if let Some((ran, failed)) = totals(text, run.red) {
            self.close(ran, failed, out);
        } else if !run.red {
            self.block = Block::begins(text, run.listed + 1, span);
        }
    }

    fn block_ends(&mut self) {
        let (Some(block), Some(run)) = (self.block.take(), self.runs.last_mut()) else { return };
        run.listed += 1;
        if run.failures.len() < HELD_MAX {
            run.failures.push(block.failure());
        }
    }

    fn close(&mut self, ran: u64, failed: u64, out: &mut Out) {
        let Some(run) = self.runs.pop() else { return };
        if let Some(outer) = self.runs.last_mut() {
            outer.inner.extend(run.failures);
            return;
        }
        out.tests_seen += ran;
        out.unnamed(failed.saturating_sub(run.failures.len() as u64));
        run.failures.into_iter().for_each(|failure| out.failure(failure));
        let passed = ran.saturating_sub(failed);
        out.close(Closing {
            says: Says::of(failed, passed),
            // Ignored tests are not counted at all.
            counts: Counts { passed: Some(passed), failed: Some(failed), ..Counts::default() },
            duration_ms: run.duration_ms,
            message: None,
        });
    }
}

impl Block {
    /// `3) aTotal(shop.InvoiceTest)`, with the number that is due.
    fn begins(text: &str, number: u64, span: [u64; 2]) -> Option<Block> {
        let (digits, title) = text.split_once(") ")?;
        (digits.parse() == Ok(number)).then(|| Block {
            number,
            title: title.to_owned(),
            lines: Vec::new(),
            span,
        })
    }

    /// Takes the line, unless the block ended before it.
    fn take(&mut self, text: &str, span: [u64; 2]) -> bool {
        if text == "FAILURES!!!" || Block::begins(text, self.number + 1, span).is_some() {
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

    fn failure(self) -> Failure {
        let (method, class) = match self.title.strip_suffix(')').and_then(|title| title.rsplit_once('(')) {
            Some((method, class)) => (Some(method), class),
            None => (None, self.title.as_str()),
        };
        // A parameterized test has its index behind the name.
        let bare = method.map(|name| name.split('[').next().unwrap_or(name));
        let exception = Exception::read(self.lines.iter().map(String::as_str));
        let mut failure = exception.failure(Some(class), bare);
        if method.is_none() || method == Some("initializationError") {
            failure.kind = Kind::SetupError;
        }
        failure.id = Some(self.title);
        failure.span = Some(self.span);
        failure
    }
}

/// `JUnit version 4.13.2`.
fn is_header(text: &str) -> bool {
    let version = text.strip_prefix("JUnit version ").unwrap_or("");
    version.starts_with(|c: char| c.is_ascii_digit()) && !version.contains(' ')
}

/// `OK (250 tests)`, or `Tests run: 10,  Failures: 9` below `FAILURES!!!`: how many ran and how many failed.
fn totals(text: &str, red: bool) -> Option<(u64, u64)> {
    if red {
        let (ran, failed) = text.strip_prefix("Tests run: ")?.split_once(",  Failures: ")?;
        return Some((ran.parse().ok()?, failed.parse().ok()?));
    }
    let ran = text.strip_prefix("OK (")?;
    let ran = ran.strip_suffix(" tests)").or_else(|| ran.strip_suffix(" test)"))?;
    Some((ran.parse().ok()?, 0))
}

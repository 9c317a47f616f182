//! R's testthat, third edition and before (3.0 to 3.3), by its reporters `progress`, `check`, `summary`, `location` and `stop`,
//! and the tail of them that `R CMD check` shows (`R/reporter-*.R` in <https://github.com/r-lib/testthat>).
//!
//! The counts stand in `[ FAIL 1 | WARN 0 | SKIP 2 | PASS 3 ]` and are of expectations. `progress` prints that line
//! while it runs, and for good below `══ Results`; `check` prints it before and after its lists, and only once when
//! there are none; `summary` prints none. `Error: Test failures` is what R says where any failed, whoever reports
//! it: it stands against a line of counts that a test printed.

mod block;

use crate::held::Held;
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use block::{Block, Head, Label};
use bv_schemas::{Counts, Failure, Kind, Reason};

/// The table's line.
pub const FORMAT: Format = Format {
    name: "testthat",
    commands: &[],
    needles: &[
        "[ FAIL ",
        "══ DONE ══",
        "✔ | F W",
        "── Failure (",
        "── Error (",
        ". Failure (",
        ". Error (",
        "! No test files found",
        "Start test: ",
        "Error: Test failures",
        "! Test failures",
    ],
    new: || Box::<Testthat>::default(),
};

/// Steps of the `progress` reporter, whose lines the cursor writes over.
const SPINNER: &[char] = &['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏', '✔', '✖'];

/// See the head of this file.
#[derive(Default)]
struct Testthat {
    opened: bool,
    reporter: Reporter,
    /// Failures and errors that were seen.
    seen: u64,
    held: Held,
    block: Option<Block>,
    /// The counts that stand when the next line like them, or R's own word, comes.
    counted: Option<Counted>,
    /// The test that `location` named.
    test: Option<String>,
    /// R could not read a file.
    parsing: bool,
    /// The run that closed was red, and R's word for that may follow.
    was_red: bool,
}

/// Which reporter speaks, as far as that is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Reporter {
    /// Any.
    #[default]
    Unknown,
    /// `progress` before its results.
    Progress,
    /// `progress` from `══ Results` on.
    Results,
    /// `summary`.
    Summary,
    /// `location`.
    Location,
}

/// `[ FAIL 1 | WARN 0 | SKIP 2 | PASS 3 ]`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Counted {
    fail: u64,
    warn: u64,
    skip: u64,
    pass: u64,
}

impl Machine for Testthat {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let whole = line.text.trim_end();
        // `R CMD check` indents the tail of the output by two.
        let text = whole.strip_prefix("  ").filter(|text| !text.starts_with(' ')).unwrap_or(whole);
        if let Some(head) = Head::read(text) {
            self.block_ends();
            self.headed(head, line.span, out);
        } else if let Some(block) = &mut self.block
            && !ends(text)
        {
            block.push(line, whole);
        } else {
            self.block_ends();
            self.flush(text, line.span, out);
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.block_ends();
        self.held.say(out);
    }
}

impl Testthat {
    fn open(&mut self, out: &mut Out) {
        if !self.opened {
            self.opened = true;
            out.open();
        }
    }

    fn headed(&mut self, head: Head, span: [u64; 2], out: &mut Out) {
        self.open(out);
        self.seen += u64::from(head.label != Label::Other);
        self.block = Some(Block::new(head, span));
    }

    fn block_ends(&mut self) {
        if let Some(failure) = self.block.take().and_then(Block::failure) {
            self.held.check(failure);
        }
    }

    /// A line outside of all blocks.
    fn flush(&mut self, text: &str, span: [u64; 2], out: &mut Out) {
        if std::mem::take(&mut self.parsing) {
            self.unread(text.trim_start(), span);
        }
        if let Some(name) = text.strip_prefix("Start test: ") {
            self.test = Some(name.to_owned());
        } else if let Some(failure) = located(text, self.test.as_ref(), span) {
            self.open(out);
            self.reporter = Reporter::Location;
            self.seen += 1;
            self.held.push(failure);
        } else if let Some(counted) = Counted::read(text) {
            self.counted(counted, out);
        } else if text.starts_with("✔ | F W") {
            self.open(out);
            self.reporter = Reporter::Progress;
        } else if text.starts_with("══ ") {
            self.section(text, out);
        } else if is_failed(text) {
            if self.opened || !self.was_red {
                self.open(out);
                let counted = self.counted;
                self.close(counted, true, out);
            }
        } else if self.opened && text == "Execution halted" {
            self.halted(out);
        } else if self.opened && text.contains("Error in parse(") {
            self.parsing = true;
        } else if text == "! No test files found" || text == "Error: No test files found" {
            let message = Some("No test files found".to_owned());
            let says = Says::Refused(Reason::NoTests);
            out.close(Closing { says, counts: Counts::default(), duration_ms: None, message });
            *self = Testthat::default();
        }
    }

    /// A heading of a reporter.
    fn section(&mut self, text: &str, out: &mut Out) {
        if text.starts_with("══ Results ══") && self.reporter == Reporter::Progress {
            self.reporter = Reporter::Results;
        } else if text.starts_with("══ Failed ══") {
            self.open(out);
            self.reporter = Reporter::Summary;
        } else if text.starts_with("══ DONE ══") {
            self.open(out);
            self.close(None, self.seen > 0, out);
        }
    }

    fn counted(&mut self, counted: Counted, out: &mut Out) {
        self.open(out);
        match self.reporter {
            // A test printed it, or it is one of the steps on a terminal.
            Reporter::Progress | Reporter::Summary | Reporter::Location => {}
            Reporter::Results => self.close(Some(counted), counted.fail > 0, out),
            Reporter::Unknown => {
                let again = self.counted.replace(counted) == Some(counted);
                let nothing_listed = counted.fail + counted.warn + counted.skip == 0;
                if again || nothing_listed {
                    self.close(Some(counted), counted.fail > 0, out);
                }
            }
        }
    }

    /// `  test-b.R:3:0: unexpected end of input`
    fn unread(&mut self, text: &str, span: [u64; 2]) {
        let read = || {
            let (place, message) = text.split_once(": ")?;
            let (file, line) = crate::finding::position(place)?;
            Some((crate::finding::place(file, Some(line)), message))
        };
        if let Some((test, message)) = read() {
            let kind = Kind::CollectionError;
            let message = Some(message.to_owned());
            self.held.push(Failure { kind, message, test, span: Some(span), ..Failure::default() });
        }
    }

    /// R ended before the reporter did.
    fn halted(&mut self, out: &mut Out) {
        let unread = |failure: &mut Failure| failure.kind == Kind::CollectionError;
        if !self.held.is_empty() && self.held.iter_mut().all(unread) {
            self.held.say(out);
            let says = Says::Refused(Reason::CollectionError);
            out.close(Closing { says, counts: Counts::default(), duration_ms: None, message: None });
            *self = Testthat::default();
        } else if self.seen > 0 {
            let counted = self.counted;
            self.close(counted, true, out);
        }
    }

    fn close(&mut self, counted: Option<Counted>, red: bool, out: &mut Out) {
        let says = match (red, counted) {
            (true, _) => Says::Red,
            (false, Some(Counted { pass: 0, .. })) => Says::NoTests,
            (false, Some(_)) => Says::Green,
            // `summary` says that it is done, and not of how many tests.
            (false, None) => Says::GreenAtExit0,
        };
        if red {
            self.held.say(out);
            out.unnamed(counted.map_or(0, |counted| counted.fail.saturating_sub(self.seen)));
        }
        let counts = counted.map_or_else(Counts::default, |counted| {
            out.tests_seen += counted.pass + counted.fail;
            Counts {
                passed: Some(counted.pass),
                failed: Some(counted.fail),
                errored: None,
                skipped: Some(counted.skip),
            }
        });
        out.close(Closing { says, counts, duration_ms: None, message: None });
        *self = Testthat { was_red: red, ..Testthat::default() };
    }
}

impl Counted {
    fn read(text: &str) -> Option<Counted> {
        let mut parts = text.strip_prefix("[ FAIL ")?.strip_suffix(" ]")?.split(" | ");
        let fail = parts.next()?.trim().parse().ok()?;
        let mut number = |name: &str| parts.next()?.strip_prefix(name)?.trim().parse().ok();
        Some(Counted { fail, warn: number("WARN ")?, skip: number("SKIP ")?, pass: number("PASS ")? })
    }
}

/// `'test-loc.R:2' [failure]`, which is all that `location` tells below a test's name.
fn located(text: &str, test: Option<&String>, span: [u64; 2]) -> Option<Failure> {
    let (place, result) = text.strip_prefix('\'')?.split_once("' [")?;
    let kind = match result {
        "failure]" => Kind::Assertion,
        "error]" => Kind::Exception,
        _ => return None,
    };
    let (file, line) = crate::finding::position(place)?;
    let test_place = crate::finding::place(file, Some(line));
    Some(Failure { id: Some(test?.clone()), kind, test: test_place, span: Some(span), ..Failure::default() })
}

/// What R says of failed tests: in one line, or in two below `Error:`.
fn is_failed(text: &str) -> bool {
    matches!(
        text.trim_end_matches('.'),
        "Error: Test failures"
            | "! Test failures"
            | "Error: ! Test failures"
            | "Error: Test failed"
            | "! Test failed"
    )
}

/// Whether the line ends a failure's block.
fn ends(text: &str) -> bool {
    text.starts_with("══ ")
        || text.starts_with("────────────")
        || text.starts_with("[ FAIL ")
        || text.starts_with("Maximum number of ")
        || text == "Execution halted"
        || is_failed(text)
        || text.starts_with(SPINNER) && text.contains(" | ")
}

#[cfg(test)]
mod tests;

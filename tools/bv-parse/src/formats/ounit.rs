//! OUnit2, OCaml's xUnit (2.0 to 2.2: `oUnitLoggerStd.ml` in <https://github.com/gildor478/ounit>).
//!
//! Each failed test has a block between two rules (`====`, `----`), all of them after the tests. A section opens
//! with the first and closes with the two last lines, `Ran: 11 tests in: 0.16 seconds.` and
//! `FAILED: Cases: 11 Tried: 11 Errors: 1 Failures: 7 …` or `OK`.

use crate::held::Held;
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use crate::ocaml;
use crate::values::{Sides, milliseconds};
use bv_schemas::{Counts, Failure, Kind};

/// The table's line.
pub const FORMAT: Format = Format {
    name: "ounit",
    commands: &[],
    needles: &["==============================================================================", "Ran: "],
    new: || Box::<Ounit>::default(),
};

/// Lines kept of one block.
const LINES_MAX: usize = 500;

/// See the head of this file.
#[derive(Default)]
struct Ounit {
    opened: bool,
    /// A rule stands above this line.
    ruled: bool,
    block: Option<Block>,
    held: Held,
    /// `Ran: 3 tests in: 0.16 seconds.` came: the number and the time.
    ran: Option<(u64, Option<u64>)>,
}

/// From `Error: suite:0:name.` to the rule below it.
struct Block {
    id: String,
    lines: Vec<String>,
    span: [u64; 2],
}

impl Machine for Ounit {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let text = line.text.trim_end();
        if let Some(block) = &mut self.block {
            block.span[1] = line.span[1];
            if is_rule(text, b'-') {
                self.block_ends();
            } else if block.lines.len() < LINES_MAX {
                block.lines.push(text.to_owned());
            }
            return;
        }
        let ruled = std::mem::replace(&mut self.ruled, is_rule(text, b'='));
        let ran = self.ran.take();
        if ruled && let Some(id) = text.strip_prefix("Error: ").and_then(|text| text.strip_suffix('.')) {
            if !std::mem::replace(&mut self.opened, true) {
                out.open();
            }
            self.block = Some(Block { id: id.to_owned(), lines: Vec::new(), span: line.span });
        } else if text.starts_with("Ran: ") {
            self.ran = ran_line(text);
        } else if let Some((tests, duration_ms)) = ran
            && let Some(numbers) = Numbers::read(text)
        {
            self.close(tests, duration_ms, &numbers, out);
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.block_ends();
        self.held.say(out);
    }

    fn owns_lines(&self) -> bool {
        self.block.is_some()
    }
}

impl Ounit {
    fn block_ends(&mut self) {
        if let Some(block) = self.block.take() {
            self.held.push(block.failure());
        }
    }

    fn close(&mut self, tests: u64, duration_ms: Option<u64>, numbers: &Numbers, out: &mut Out) {
        out.tests_seen += tests;
        let red = numbers.failures + numbers.errors + numbers.timeouts;
        let skipped = numbers.skipped + numbers.todo;
        let passed = tests.saturating_sub(red + skipped);
        let says = match (numbers.failed || red > 0, passed) {
            (true, _) => Says::Red,
            (false, 0) => Says::NoTests,
            (false, _) => Says::Green,
        };
        if says == Says::Red {
            let unnamed = red.saturating_sub(self.held.len());
            self.held.say(out);
            out.unnamed(unnamed);
        }
        let counts = Counts {
            passed: Some(passed),
            failed: Some(numbers.failures),
            errored: Some(numbers.errors + numbers.timeouts),
            skipped: Some(skipped),
        };
        out.close(Closing { says, counts, duration_ms, message: None });
        *self = Ounit::default();
    }
}

impl Block {
    fn failure(self) -> Failure {
        let lines: Vec<&str> = self.lines.iter().map(String::as_str).collect();
        let frames: Vec<&str> = lines.iter().copied().filter(|line| ocaml::is_frame(line)).collect();
        // The message stands alone, the backtrace above it; the first paragraph is the place in a log of OUnit's.
        let last = lines.iter().rposition(|line| ocaml::is_frame(line) || line.ends_with(" (in the log)."));
        let message: Vec<&str> =
            lines[last.map_or(0, |at| at + 1)..].iter().copied().filter(|line| !line.is_empty()).collect();
        // An assertion is raised by OUnit itself.
        let checked = frames.first().is_none_or(|frame| frame.contains("OUnitAssert."));
        let first = message.first().copied().unwrap_or_default();
        let mut failure = Failure { span: Some(self.span), ..Failure::default() };
        if checked {
            let text = message.iter().find(|line| line.starts_with("expected: ")).copied().unwrap_or(first);
            sides(text).fill(&mut failure);
        } else {
            failure.kind = if first.starts_with("Timeout") { Kind::Timeout } else { Kind::Exception };
            failure.exception_type = ocaml::exception_type(first).map(str::to_owned);
        }
        ocaml::locate(&frames, &mut failure);
        failure.message = Some(message.join(" ")).filter(|message| !message.is_empty());
        failure.id = Some(self.id);
        failure
    }
}

/// `expected: 8 but got: 9`
fn sides(text: &str) -> Sides {
    let both = text.strip_prefix("expected: ").and_then(|rest| rest.split_once(" but got: "));
    both.map_or_else(Sides::default, |(expected, observed)| Sides::both(expected, observed))
}

/// The numbers of the last line; `OK` alone counts none.
#[derive(Debug, Default, PartialEq, Eq)]
struct Numbers {
    failed: bool,
    errors: u64,
    failures: u64,
    skipped: u64,
    todo: u64,
    timeouts: u64,
}

impl Numbers {
    fn read(text: &str) -> Option<Numbers> {
        if text == "OK" {
            return Some(Numbers::default());
        }
        let (word, rest) = text.split_once(": ")?;
        let failed = match word {
            "OK" => false,
            "FAILED" => true,
            _ => return None,
        };
        let number = |name: &str| {
            let (_, rest) = rest.split_once(name)?;
            rest.trim_start().split([' ', '.']).next()?.parse().ok()
        };
        Some(Numbers {
            failed,
            errors: number("Errors:").unwrap_or(0),
            failures: number("Failures:").unwrap_or(0),
            skipped: number("Skip:").unwrap_or(0),
            todo: number("Todo:").unwrap_or(0),
            timeouts: number("Timeouts:").unwrap_or(0),
        })
    }
}

/// `Ran: 11 tests in: 0.16 seconds.`
fn ran_line(text: &str) -> Option<(u64, Option<u64>)> {
    let (tests, rest) = text.strip_prefix("Ran: ")?.split_once(" tests in: ")?;
    let seconds: f64 = rest.strip_suffix(" seconds.")?.parse().ok()?;
    Some((tests.parse().ok()?, milliseconds(seconds)))
}

fn is_rule(text: &str, mark: u8) -> bool {
    text.len() >= 70 && text.bytes().all(|byte| byte == mark)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::said::said;

    fn check(text: &str, want: &[&str]) {
        assert_eq!(said(&FORMAT, text), want, "{text}");
    }

    #[test]
    fn a_run_with_every_outcome() {
        let (top, rule) = ("=".repeat(78), "-".repeat(78));
        check(
            &format!(
                "FE.\n{top}\nError: cart:4:ship.\n\nFile \"/w/oUnit-cart.log\", line 24, characters 1-1:\n\
                 Error: cart:4:ship (in the log).\n\nRaised at Cart.ship in file \"cart.ml\", line 5, characters 12-33\n\n\
                 Cart.No_stock(\"mug\")\n{rule}\n{top}\nError: cart:0:total.\n\n\
                 Raised at OUnitAssert.assert_failure in file \"src/oUnitAssert.ml\", line 45, characters 2-27\n\n\
                 expected: 8 but got: 9\n{rule}\nRan: 3 tests in: 0.16 seconds.\n\
                 FAILED: Cases: 3 Tried: 3 Errors: 1 Failures: 1 Skip:  0 Todo: 0 Timeouts: 0.\n"
            ),
            &[
                "open",
                "exception cart:4:ship: Cart.No_stock(\"mug\")",
                "assertion cart:0:total: expected: 8 but got: 9",
                "red 1/1/0, 1 errored",
            ],
        );
    }

    #[test]
    fn green_runs_and_none() {
        check("..\nRan: 2 tests in: 0.1 seconds.\nOK\n", &["green 2/0/0"]);
        check("..S\nRan: 3 tests in: 0.14 seconds.\nOK: Cases: 3 Skip: 1\n", &["green 2/0/1"]);
        check("S\nRan: 1 tests in: 0.14 seconds.\nOK: Cases: 1 Skip: 1\n", &["notests 0/0/1"]);
        check(
            "FAILED: Cases: 3 Tried: 3 Errors: 0 Failures: 1\nRan: 1 tests in: 0.14 seconds.\nmore\nOK\n",
            &[],
        );
    }
}

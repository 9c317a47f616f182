//! Trial, Twisted's runner: a tree of results, blocks that end with the names of their tests, and the count.
//!
//! ```text
//! ===============================================================================
//! [FAIL]
//! Traceback (most recent call last):
//!   …
//! twisted.trial.unittest.FailTest: 2 != 3
//!
//! test_calc.T.test_fail
//! -------------------------------------------------------------------------------
//! Ran 2 tests in 0.002s
//!
//! FAILED (failures=1, successes=1)
//! ```
//!
//! A section opens at the first block, or at the count, and closes at the last line. The tree is left alone.
//! Source: `twisted/trial/reporter.py`, `Reporter._printErrors` and `_printSummary`.

use crate::held::Held;
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use crate::python::{self, Traceback};
use bv_schemas::{Counts, Failure, Kind, Reason};

/// The table's line.
pub const FORMAT: Format = Format {
    name: "trial",
    commands: &["trial"],
    needles: &[RULE, THIN_RULE],
    new: || Box::<Trial>::default(),
};

const RULE: &str = "===============================================================================";
/// The rule above the count.
pub const THIN_RULE: &str = "-------------------------------------------------------------------------------";
/// Lines of one block that are kept.
const LINES_MAX: usize = 4000;

#[derive(Default)]
struct Trial {
    open: bool,
    state: State,
    block: Option<Block>,
    held: Held,
    load_errors: u64,
}

#[derive(Default, PartialEq, Eq)]
enum State {
    #[default]
    Outside,
    /// A rule stands; the block's tag may follow.
    Ruled,
    Block,
    /// The rule above the count stands.
    Below,
    /// The count stands: how many, how long.
    Counted(u64, u64),
}

struct Block {
    /// `[FAIL]` or `[ERROR]`; the others tell of no failure.
    red: Option<Kind>,
    lines: Vec<String>,
    span: [u64; 2],
}

impl Machine for Trial {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let text = line.text;
        match text {
            RULE => {
                self.finish_block();
                self.state = State::Ruled;
                self.block = Some(Block { red: None, lines: Vec::new(), span: line.span });
                return;
            }
            THIN_RULE => {
                self.finish_block();
                self.state = State::Below;
                return;
            }
            _ => {}
        }
        match self.state {
            State::Outside => {}
            State::Ruled => self.tag(text, out),
            State::Block => {
                if let Some(block) = self.block.as_mut().filter(|block| block.lines.len() < LINES_MAX) {
                    block.lines.push(text.to_owned());
                    block.span[1] = line.span[1];
                }
            }
            State::Below => {
                self.state = python::ran(text).map_or(State::Outside, |(ran, ms)| State::Counted(ran, ms));
                if self.state != State::Outside {
                    self.open(out);
                }
            }
            State::Counted(ran, duration_ms) if !text.is_empty() => {
                self.state = State::Outside;
                self.close(text, ran, duration_ms, out);
            }
            State::Counted(..) => {}
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.finish_block();
        self.held.say(out);
    }

    fn owns_lines(&self) -> bool {
        self.state == State::Block
    }
}

impl Trial {
    fn open(&mut self, out: &mut Out) {
        if !self.open {
            self.open = true;
            out.open();
        }
    }

    fn tag(&mut self, text: &str, out: &mut Out) {
        let red = match text {
            "[FAIL]" => Some(Kind::Assertion),
            "[ERROR]" => Some(Kind::Exception),
            "[SKIPPED]" | "[TODO]" | "[SUCCESS!?!]" => None,
            _ => {
                (self.state, self.block) = (State::Outside, None);
                return;
            }
        };
        self.open(out);
        self.state = State::Block;
        if let Some(block) = &mut self.block {
            block.red = red;
        }
    }

    /// The block is whole: below its last blank line stand the tests that ended so.
    fn finish_block(&mut self) {
        let Some(Block { red: Some(kind), lines, span }) = self.block.take() else { return };
        let end = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |at| at + 1);
        let body = lines[..end].iter().rposition(String::is_empty).unwrap_or(0);
        let loading = lines[..body].iter().any(|line| line.contains("/twisted/trial/runner.py\", line "));
        for name in lines[..end].iter().skip(body + 1) {
            self.load_errors += u64::from(loading);
            self.held.push(failure(name, kind, loading, &lines[..body], span));
        }
    }

    /// `PASSED (successes=2)` or `FAILED (skips=1, failures=1, errors=6, successes=2)`.
    fn close(&mut self, text: &str, ran: u64, duration_ms: u64, out: &mut Out) {
        let (word, numbers) = text.split_once(" (").unwrap_or((text, ")"));
        let green = match word {
            "PASSED" => true,
            "FAILED" => false,
            _ => return,
        };
        let number = |name: &str| {
            let pairs = numbers.trim_end_matches(')').split(", ").filter_map(|pair| pair.split_once('='));
            pairs.filter(|(key, _)| *key == name).find_map(|(_, n)| n.parse().ok()).unwrap_or(0u64)
        };
        let passed = number("successes");
        let red =
            number("failures").saturating_add(number("errors")).saturating_add(number("unexpectedSuccesses"));
        let mut run = std::mem::take(self);
        let counts = Counts {
            passed: Some(passed),
            failed: Some(number("failures")),
            errored: Some(number("errors")),
            skipped: Some(number("skips")),
        };
        let only_load_errors = run.load_errors > 0 && run.load_errors >= ran;
        let says = match green {
            true if passed == 0 => Says::NoTests,
            true => Says::Green,
            false if only_load_errors => Says::Refused(Reason::CollectionError),
            false => Says::Red,
        };
        let message = run.held.last_mut().filter(|_| only_load_errors).and_then(|held| held.message.clone());
        out.unnamed(if green { 0 } else { red.saturating_sub(run.held.len()) });
        run.held.say(out);
        out.close(Closing { says, counts, duration_ms: Some(duration_ms), message });
    }
}

fn failure(name: &str, kind: Kind, loading: bool, lines: &[String], span: [u64; 2]) -> Failure {
    let read = Traceback::read(lines.iter().map(|line| line.strip_prefix("Failure: ").unwrap_or(line)));
    let mut failure = Failure { id: Some(name.to_owned()), span: Some(span), ..Failure::default() };
    let method = name.rsplit('.').next().filter(|_| !loading);
    read.place(&mut failure, method);
    let in_hook = failure.test.as_ref().and_then(|place| place.function.as_deref());
    let in_hook = in_hook.is_some_and(|function| matches!(function, "setUp" | "tearDown"));
    if let Some(exception) = read.exception {
        failure.kind = match exception.name.as_str() {
            _ if loading => Kind::CollectionError,
            "twisted.internet.defer.TimeoutError" => Kind::Timeout,
            _ if in_hook && kind == Kind::Exception => Kind::SetupError,
            _ => kind,
        };
        if kind == Kind::Assertion
            && let Some(sides) =
                python::said(exception.message.as_deref().unwrap_or_default(), &exception.more)
        {
            sides.fill(&mut failure);
        }
        (failure.exception_type, failure.message) = (Some(exception.name), exception.message);
    }
    failure
}

#[cfg(test)]
mod tests {
    use super::{FORMAT, RULE, THIN_RULE};
    use crate::said::said;

    fn check(text: &str, want: &[&str]) {
        let text = text.replace("{=}", RULE).replace("{-}", THIN_RULE);
        assert_eq!(said(&FORMAT, &text), want, "{text}");
    }

    #[test]
    fn a_run_closes_at_its_last_line() {
        check("{-}\nRan 2 tests in 0.1s\n\nPASSED (successes=2)\n", &["open", "green 2/0/0"]);
        check("{-}\nRan 1 tests in 0.1s\n\nPASSED (skips=1)\n", &["open", "notests 0/0/1"]);
        check("{-}\nRan 0 tests in 0.1s\n\nPASSED\n", &["open", "notests 0/0/0"]);
        check("{-}\nRan 2 tests in 0.1s\n", &["open"]);
        check("{-}\nRan for 2 hours\n\nPASSED (successes=2)\n", &[]);
        check("{=}\nPASSED (successes=2)\n", &[]);
    }

    #[test]
    fn a_block_names_all_tests_that_failed_so() {
        check(
            "{=}\n[SKIPPED]\ndry\n\nt.T.test_s\n{=}\n[ERROR]\nTraceback (most recent call last):\n  File \"/a/t.py\", line 3, in f\n    g()\nbuiltins.ValueError: bad\n\nt.T.test_a\nt.T.test_b\n{-}\nRan 4 tests in 0.1s\n\nFAILED (skips=1, errors=3)\n",
            &[
                "open",
                "unnamed 1",
                "exception t.T.test_a: bad",
                "exception t.T.test_b: bad",
                "red 0/0/1, 3 errored",
            ],
        );
    }
}

//! bats-core's pretty formatter (1.x: `bats-format-pretty` and `bats_print_stack_trace` in
//! <https://github.com/bats-core/bats-core>). Its TAP is read by `tap.rs`, with the details of `bats/details.rs`.
//!
//! A section opens with the first result below a file's name (`cart.bats`) and closes with the tally
//! (`9 tests, 7 failures, 1 skipped`). What is indented below a failed test is its own.

pub mod details;

use crate::held::Held;
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use bv_schemas::{Counts, Reason, Test, TestOutcome};
use details::Timing;

/// The table's line.
pub const FORMAT: Format =
    Format { name: "bats", commands: &["bats"], needles: &[".bats"], new: || Box::<Bats>::default() };

/// Lines kept of one test's details.
const LINES_MAX: usize = 500;

/// See the head of this file.
#[derive(Default)]
struct Bats {
    /// A file's name came.
    headed: bool,
    opened: bool,
    timing: Timing,
    block: Option<Block>,
    held: Held,
}

/// A failed test and the lines indented below it.
struct Block {
    id: String,
    lines: Vec<String>,
    span: [u64; 2],
}

impl Machine for Bats {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let text = line.text.trim_end();
        if let Some(block) = &mut self.block {
            if let Some(detail) = line.text.strip_prefix("   ") {
                if block.lines.len() < LINES_MAX {
                    block.lines.push(detail.trim_end().to_owned());
                }
                block.span[1] = line.span[1];
                return;
            }
            if !text.is_empty() {
                self.block_ends();
            }
        }
        match text.as_bytes().first() {
            Some(b' ') => self.result(text, line.span, out),
            Some(b'0'..=b'9') if self.opened => {
                if let Some(tally) = Tally::read(text) {
                    self.close(&tally, out);
                }
            }
            Some(_) if text.ends_with(".bats") && !text.contains(": ") => self.headed = true,
            _ => {}
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.block_ends();
        if self.opened {
            self.held.say(out);
        }
    }

    fn owns_lines(&self) -> bool {
        self.block.is_some()
    }
}

impl Bats {
    /// ` ✓ opens`, ` ✗ shuts`, ` - creaks (skipped: oiled)`
    fn result(&mut self, text: &str, span: [u64; 2], out: &mut Out) {
        let (outcome, name) = if let Some(name) = text.strip_prefix(" ✓ ") {
            (Some(TestOutcome::Passed), name)
        } else if let Some(name) = text.strip_prefix(" ✗ ") {
            (None, name)
        } else if let Some((name, _)) =
            text.strip_prefix(" - ").and_then(|rest| rest.rsplit_once(" (skipped"))
        {
            (Some(TestOutcome::Skipped), name)
        } else {
            return;
        };
        if !self.headed {
            return;
        }
        if !self.opened {
            self.opened = true;
            out.open();
        }
        out.mine();
        out.tests_seen += 1;
        let name = self.timing.without(name, details::in_brackets);
        match outcome {
            Some(outcome) => out.test(Test { id: name.to_owned(), outcome, duration_ms: None }),
            None => self.block = Some(Block { id: name.to_owned(), lines: Vec::new(), span }),
        }
    }

    fn block_ends(&mut self) {
        if let Some(block) = self.block.take() {
            let lines: Vec<&str> = block.lines.iter().map(String::as_str).collect();
            self.held.push(details::failure(block.id, &lines, block.span));
        }
    }

    fn close(&mut self, tally: &Tally, out: &mut Out) {
        let red = tally.failures + tally.timed_out;
        let passed = tally.tests.saturating_sub(red + tally.skipped + tally.not_run);
        let says = match (red.max(self.held.len()), tally.not_run, passed) {
            (1.., ..) => Says::Red,
            (_, 1.., _) => Says::Refused(Reason::Truncated),
            (_, _, 0) => Says::NoTests,
            _ => Says::Green,
        };
        let unnamed = red.saturating_sub(self.held.len());
        self.held.say(out);
        out.unnamed(unnamed);
        let counts =
            Counts { passed: Some(passed), failed: Some(red), errored: None, skipped: Some(tally.skipped) };
        out.close(Closing { says, counts, duration_ms: None, message: None });
        *self = Bats::default();
    }
}

/// `9 tests, 7 failures, 1 skipped, 1 timed out, 1 not run in 3 seconds`
#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    tests: u64,
    failures: u64,
    skipped: u64,
    timed_out: u64,
    not_run: u64,
}

impl Tally {
    fn read(text: &str) -> Option<Tally> {
        let text = match text.rsplit_once(" in ") {
            Some((text, seconds)) if seconds.ends_with(" seconds") => text,
            _ => text,
        };
        let mut tally = Tally::default();
        let mut named = 0;
        for part in text.split(", ") {
            let (number, name) = part.split_once(' ')?;
            let slot = match name {
                "test" | "tests" => &mut tally.tests,
                "failure" | "failures" => &mut tally.failures,
                "skipped" => &mut tally.skipped,
                "timed out" => &mut tally.timed_out,
                "not run" => &mut tally.not_run,
                _ => return None,
            };
            *slot = number.parse().ok()?;
            named += 1;
        }
        (named >= 2).then_some(tally)
    }
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
        check(
            "cart.bats\n ✓ adds\n ✗ divides\n   (in test file cart.bats, line 15)\n     `[ 1 -eq 2 ]' failed\n   \n   \
             1 test, 0 failures\n - prints (skipped: no printer)\n\n3 tests, 1 failure, 1 skipped\n",
            &[
                "open",
                "passed adds",
                "skipped prints",
                "assertion divides: `[ 1 -eq 2 ]' failed",
                "red 1/1/1",
            ],
        );
    }

    #[test]
    fn a_test_that_ran_out_of_time_is_counted_beside_the_failures() {
        check(
            "slow.bats\n ✓ fast [32]\n ✗ slow [1028 (timeout: 1s)]\n   (in test file slow.bats, line 2)\n     \
             `sleep 5' failed due to timeout\n\n2 tests, 0 failures, 1 timed out in 2 seconds\n",
            &["open", "passed fast", "timeout slow: `sleep 5' failed due to timeout", "red 1/1/0"],
        );
    }

    #[test]
    fn a_file_that_bash_cannot_read_and_a_run_without_tests() {
        check(
            "syn.bats\n ✗ setup_file failed\n   /w/syn.bats: line 3: syntax error near unexpected token `}'\n   \
             bats warning: Executed 1 instead of expected 2 tests\n\n2 tests, 1 failure, 1 not run\n",
            &[
                "open",
                "collectionerror setup_file failed: syntax error near unexpected token `}'",
                "red 0/1/0",
            ],
        );
        check(
            "a.bats\n ✓ one\n\n2 tests, 0 failures, 1 not run\n",
            &["open", "passed one", "refused(truncated) 1/0/0"],
        );
        check(
            "a.bats\n - one (skipped)\n\n1 test, 0 failures, 1 skipped\n",
            &["open", "skipped one", "notests 0/0/1"],
        );
    }

    #[test]
    fn other_runners_ticks_and_a_stream_that_is_cut() {
        check(" ✓ src/a.test.ts (2 tests) 1ms\n3 tests, 0 failures\n", &[]);
        check("a.bats\n ✓ one\n ✗ two\n", &["open", "passed one", "assertion two: -"]);
    }
}

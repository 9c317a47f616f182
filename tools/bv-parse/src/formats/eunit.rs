//! EUnit's text (Erlang/OTP 17 to 28: `lib/eunit/src/eunit_tty.erl` and `eunit_lib.erl` in
//! <https://github.com/erlang/otp>), the report of `rebar3 eunit`
//! (`eunit_progress.erl` in <https://github.com/seancribbs/eunit_formatters>), and what erlc could not compile.
//!
//! EUnit itself prints no line when it begins, unless it is verbose: a section opens at that heading or at the
//! first failure. It closes at `  All 4 tests passed.` or at `  Failed: 4.  Skipped: 0.  Passed: 1.`. What a test
//! prints is captured, and shown in quotes below its failure.

mod block;
mod closing;
mod compile;
mod progress;

use crate::held::Held;
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use block::{Block, Head};
use bv_schemas::{Counts, Reason};
use compile::Compiler;
use progress::Progress;

/// The table's line.
pub const FORMAT: Format = Format {
    name: "eunit",
    commands: &["rebar3", "erl"],
    needles: &[
        "======== EUnit ========",
        "...*failed*",
        "...*timed out*",
        "...*did not run*",
        "...*skipped*",
        "*unexpected termination of test process*",
        "*could not start test process*",
        " failed ***",
        "*** test module not found ***",
        " is not a test ***",
        "*** bad test descriptor ***",
        " tests passed.",
        "  Test passed.",
        "There were no tests to run.",
        ".  Skipped: ",
        "Performing EUnit tests...",
        ".erl:",
    ],
    new: || Box::<EUnit>::default(),
};

/// See the head of this file.
#[derive(Default)]
struct EUnit {
    opened: bool,
    block: Option<Block>,
    held: Held,
    /// The test that a verbose run began, or the group's name in the last line.
    last: Option<Head>,
    before: String,
    /// `Failed: …` stands in the last line; the next may say that tests were cancelled.
    totals: Option<Counts>,
    progress: Option<Progress>,
    compiler: Compiler,
}

impl Machine for EUnit {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        if let Some(block) = &mut self.block {
            if block.take(line) {
                return;
            }
            self.block_ends();
        }
        let text = line.text.trim_end();
        if let Some(progress) = &mut self.progress {
            if progress.line(line, out) {
                self.progress = None;
            }
            return;
        }
        if let Some(counts) = self.totals.take() {
            self.close(Says::Red, counts, out);
        }
        if text.trim_start_matches("===> ") == "Performing EUnit tests..." {
            self.progress = Some(Progress::begin(out));
            return;
        }
        if let Some((says, counts)) = closing::passed(text) {
            if says == Says::Green {
                // The runner counted none: what looked like a failure was text.
                self.held = Held::default();
            }
            self.close(says, counts, out);
        } else if let Some(counts) = closing::totals(text) {
            self.open(out);
            self.totals = Some(counts);
        } else {
            self.begins(text, line, out);
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.block_ends();
        if let Some(progress) = &mut self.progress {
            progress.end(out);
        }
        match self.totals.take() {
            Some(counts) => self.close(Says::Red, counts, out),
            None => self.held.say(out),
        }
    }

    fn owns_lines(&self) -> bool {
        self.block.is_some() || self.progress.as_ref().is_some_and(Progress::owns_lines)
    }
}

impl EUnit {
    fn open(&mut self, out: &mut Out) {
        if !std::mem::replace(&mut self.opened, true) {
            out.open();
        }
    }

    /// A test's line, a group's trouble, the heading of a verbose run, a compiler's error.
    fn begins(&mut self, text: &str, line: &Line<'_>, out: &mut Out) {
        if text.ends_with("= EUnit ========================") && text.starts_with("======") {
            self.open(out);
        } else if text.ends_with('*') {
            let begun = Block::begins(text, &self.before, self.last.as_ref(), line.span);
            if let Some(block) = begun {
                self.open(out);
                self.block = Some(block);
            } else if let Some(head) = text.strip_suffix("...*skipped*").and_then(Head::read) {
                self.last = Some(head);
            }
        } else if let Some((head, _)) = text.split_once("...").filter(|_| self.opened) {
            let ended = text.ends_with(" ok") || text.ends_with("...ok");
            out.tests_seen += u64::from(ended);
            self.last = Head::read(head).filter(|_| !ended);
        } else if !self.opened
            && let Some(failure) = self.compiler.line(text, line.span)
        {
            let message = failure.message.clone();
            out.failure(failure);
            let says = Says::Refused(Reason::CompileError);
            out.close(Closing { says, counts: Counts::default(), duration_ms: None, message });
        }
        self.before.clear();
        if text.len() < 400 {
            self.before.push_str(text.trim());
        }
    }

    fn block_ends(&mut self) {
        if let Some(failure) = self.block.take().map(Block::failure) {
            self.held.push(failure);
        }
    }

    fn close(&mut self, says: Says, counts: Counts, out: &mut Out) {
        self.open(out);
        // Those that were cancelled are held and not counted.
        let unnamed = counts.failed.unwrap_or(0).saturating_sub(self.held.len());
        self.held.say(out);
        out.unnamed(unnamed);
        out.close(Closing { says, counts, duration_ms: None, message: None });
        (self.opened, self.last) = (false, None);
    }
}

#[cfg(test)]
mod tests;

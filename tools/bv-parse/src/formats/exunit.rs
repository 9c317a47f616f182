//! ExUnit's console formatter, as `mix test` and `elixir file.exs` print it (Elixir 1.5 to 1.20:
//! `lib/ex_unit/lib/ex_unit/cli_formatter.ex` and `formatter.ex` in <https://github.com/elixir-lang/elixir>),
//! and what mix says when nothing could be compiled or run.
//!
//! A section opens at `Running ExUnit with seed: …` (since 1.12), a test's trace line or a first failure, and
//! closes at `9 tests, 7 failures, 1 skipped` below `Finished in 0.09 seconds (…)`. Failures are numbered in
//! the order printed, which tells them from text that a test prints. A log line of the form `** (Error) …` says
//! nothing of a run that reaches its closing line.

mod block;
mod closing;
mod compile;
mod stack;

use crate::machine::{Closing, Format, HELD_MAX, Line, Machine, Out, Says};
use block::{Block, Head};
use bv_schemas::{Counts, Failure, Kind, Reason, Test, TestOutcome};
use closing::Totals;
use compile::Broken;

/// The table's line.
pub const FORMAT: Format = Format {
    name: "exunit",
    commands: &["mix", "elixir"],
    needles: &[
        "Running ExUnit with seed: ",
        " (.ex)",
        " [L#",
        ") test ",
        ") doctest ",
        ") property ",
        ": failure on setup_all callback",
        "s async, ",
        " tests, 0 failures",
        "    error: ",
        "== Compilation error in file ",
        "** (",
        "There are no tests to run",
        " \"mix test\" did not match any ",
    ],
    new: || Box::<ExUnit>::default(),
};

/// See the head of this file.
#[derive(Default)]
struct ExUnit {
    opened: bool,
    /// `Running ExUnit …` was printed for this section, so that one closing line belongs to it.
    announced: bool,
    /// It closed since it was announced.
    closed: bool,
    /// The head of a failure, until the line below it shows that it is one.
    head: Option<Head>,
    block: Option<Block>,
    blocks: Vec<Block>,
    /// `Finished in …` stands above, with this time.
    finished: Option<closing::Finished>,
    /// A closing statement of a version whose seed comes last, until it does.
    unsealed: Option<Totals>,
    module: Option<String>,
    passed: Vec<Test>,
    broken: Broken,
    /// What stopped the run, unless it goes on.
    stopped: Option<compile::Stopped>,
}

impl Machine for ExUnit {
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
        if let Some(head) = self.head.take()
            && let Some(block) = Block::begins(head, line)
        {
            self.open(out);
            self.block = Some(block);
            return;
        }
        if self.broken.is_reading() && self.broken.take(line) {
            return;
        }
        self.refused(out);
        match text.as_bytes() {
            [] => {}
            [b' ' | b'0'..=b'9', ..] => self.indented(text, line, out),
            [b'F', ..] => self.finished = closing::finished(text).or(self.finished.take()),
            [b'R', ..] => self.seed(text, out),
            [b'T' | b'P', ..] => no_tests(text, out),
            [b'C' | b'E', ..] if self.closed => after_the_end(text, line.span, out),
            [b'*' | b'=' | b'e', ..] => self.begins_broken(text, line),
            [b'A'..=b'Z', ..] => {
                if let Some((module, _)) = text.strip_suffix(']').and_then(|head| head.split_once(" [")) {
                    self.module = Some(module.to_owned());
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.block_ends();
        self.broken.end();
        self.refused(out);
        if self.opened {
            self.blocks.drain(..).for_each(|block| out.failure(block.failure()));
            return;
        }
        if let Some(stopped) = self.stopped.take() {
            stopped.say(out);
        }
    }

    fn owns_lines(&self) -> bool {
        self.block.is_some()
    }
}

impl ExUnit {
    fn open(&mut self, out: &mut Out) {
        if !std::mem::replace(&mut self.opened, true) {
            out.open();
        }
    }

    fn block_ends(&mut self) {
        if let Some(block) = self.block.take()
            && self.blocks.len() < HELD_MAX
        {
            self.blocks.push(block);
        }
    }

    /// Lines that begin with a blank or a number: a failure's head, a trace line, the totals, a diagnostic.
    fn indented(&mut self, text: &str, line: &Line<'_>, out: &mut Out) {
        if let Some(rest) = text.strip_prefix("  * ") {
            self.trace(rest, out);
        } else if let Some(head) = Head::read(text, line.span) {
            self.head = Some(head);
        } else if self.finished.is_some()
            && let Some(totals) = closing::totals(text)
        {
            self.totals(totals, out);
        } else if text.starts_with("    error: ") {
            self.broken.begin(text, line.span);
        }
    }

    /// `test adds (0.3ms) [L#8]`, and without a time while it runs.
    fn trace(&mut self, text: &str, out: &mut Out) {
        let Some((name, _)) = text.strip_suffix(']').and_then(|head| head.rsplit_once(" [L#")) else {
            return;
        };
        self.open(out);
        out.mine();
        let Some((name, note)) = name.strip_suffix(')').and_then(|head| head.rsplit_once(" (")) else {
            return;
        };
        let (outcome, duration_ms) = match note {
            "skipped" => (TestOutcome::Skipped, None),
            "excluded" => return,
            _ => match note.strip_suffix("ms").and_then(|ms| ms.parse::<f64>().ok()) {
                Some(ms) => (TestOutcome::Passed, crate::values::milliseconds(ms / 1000.0)),
                None => return,
            },
        };
        out.tests_seen += 1;
        if out.all && self.passed.len() < HELD_MAX {
            let id = match &self.module {
                Some(module) => format!("{name} ({module})"),
                None => name.to_owned(),
            };
            self.passed.push(Test { id, outcome, duration_ms });
        }
    }

    fn seed(&mut self, text: &str, out: &mut Out) {
        if text.starts_with("Running ExUnit with seed: ") {
            if self.closed {
                self.reset();
            }
            self.open(out);
            self.announced = true;
        } else if text.starts_with("Randomized with seed ")
            && let Some(totals) = self.unsealed.take()
        {
            self.close(&totals, out);
        }
    }

    fn totals(&mut self, totals: Totals, out: &mut Out) {
        match self.finished.take() {
            Some(finished) if finished.sealed || self.announced => {
                self.close(&Totals { duration_ms: finished.duration_ms, ..totals }, out);
            }
            Some(finished) => {
                self.unsealed = Some(Totals { duration_ms: finished.duration_ms, ..totals });
            }
            None => {}
        }
    }

    fn close(&mut self, totals: &Totals, out: &mut Out) {
        self.open(out);
        if self.announced && self.closed {
            // Only one run was announced: what closed before was a test's output.
            out.restate();
        }
        let own = closing::own(&self.blocks, totals);
        let failures: Vec<Failure> = own.iter().map(|&at| self.blocks[at].failure()).collect();
        let whole_modules = own.iter().any(|&at| self.blocks[at].is_module());
        let failed: Vec<&str> = failures.iter().filter_map(|failure| failure.id.as_deref()).collect();
        for test in self.passed.drain(..) {
            if !failed.contains(&&*test.id) && !whole_modules {
                out.test(test);
            }
        }
        let unnamed = if whole_modules { 0 } else { totals.failed.saturating_sub(failures.len() as u64) };
        failures.into_iter().for_each(|failure| out.failure(failure));
        out.unnamed(unnamed);
        out.close(totals.closing());
        (self.opened, self.closed, self.stopped) = (false, true, None);
        if !self.announced {
            self.reset();
            self.closed = true;
        }
    }

    /// Another run begins.
    fn reset(&mut self) {
        self.blocks.clear();
        self.passed.clear();
        (self.announced, self.closed, self.module) = (false, false, None);
    }

    /// `== Compilation error in file …`, `error: …` (1.15), and an error that reached the top.
    fn begins_broken(&mut self, text: &str, line: &Line<'_>) {
        if text.starts_with("** (") && !self.broken.expects_error() {
            self.stopped = compile::Stopped::begin(text, line.span).or(self.stopped.take());
        } else {
            self.broken.begin(text, line.span);
        }
    }

    /// Says what did not compile, once all of it was read.
    fn refused(&mut self, out: &mut Out) {
        let Some((failures, reason)) = self.broken.whole() else { return };
        let message = failures.first().and_then(|failure| failure.message.clone());
        failures.into_iter().for_each(|failure| out.failure(failure));
        out.close(Closing {
            says: Says::Refused(reason),
            counts: Counts::default(),
            duration_ms: None,
            message,
        });
        self.opened = false;
    }
}

/// What mix says when it finds no test.
fn no_tests(text: &str, out: &mut Out) {
    let paths = text.starts_with("Paths given to ") && text.contains(" \"mix test\" did not match any ");
    if paths || text == "There are no tests to run" {
        let message = Some(text.to_owned());
        let says = if paths { Says::Refused(Reason::NoTests) } else { Says::NoTests };
        out.close(Closing { says, counts: Counts::default(), duration_ms: None, message });
    }
}

/// What makes mix fail after a run in which every test passed.
fn after_the_end(text: &str, span: [u64; 2], out: &mut Out) {
    if text.starts_with("Coverage test failed, threshold not met")
        || text.starts_with("ERROR! Test suite aborted after successful execution due to warnings")
    {
        out.failure(Failure {
            kind: Kind::Lint,
            message: Some(text.trim_end_matches(':').trim_start_matches("ERROR! ").to_owned()),
            span: Some(span),
            ..Failure::default()
        });
        out.close(Closing { says: Says::Red, counts: Counts::default(), duration_ms: None, message: None });
    }
}

/// The reason that an error of this type gives.
fn reason_of(exception: &str) -> Reason {
    const COMPILER: &[&str] =
        &["CompileError", "SyntaxError", "TokenMissingError", "MismatchedDelimiterError"];
    match exception {
        _ if COMPILER.contains(&exception) => Reason::CompileError,
        "Mix" => Reason::NotRunnable,
        _ => Reason::CollectionError,
    }
}

#[cfg(test)]
mod tests;

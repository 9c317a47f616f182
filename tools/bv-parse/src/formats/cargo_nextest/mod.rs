//! `cargo nextest run`: the human output of cargo-nextest.
//!
//! In come the lines of the run, out come one section a run, its failures, and what kept it from starting.
//! Output of tests is told by its place (below a status line, between a start and a status), not by its
//! words. cargo-nextest's JUnit files and its libtest JSON are left to others.

mod entry;
mod lines;
mod list;
mod reds;
mod run;

use crate::cargo_build::{Build, Refusal, is_nextest_refusal};
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use bv_schemas::{Counts, Failure, Reason};
use list::List;
use run::{Run, Step};

/// The format.
pub const FORMAT: Format = Format {
    name: "cargo-nextest",
    commands: &["cargo-nextest"],
    needles: NEEDLES,
    new: || Box::<CargoNextest>::default(),
};

/// The run's head and end, and what stands before a run that cannot start: only its last line says whose
/// build it was.
const NEEDLES: &[&str] = &[
    " Nextest run ID ",
    "    Starting ",
    "     Summary [",
    "   Compiling ",
    "error[E",
    "error: no ",
    "error: could not ",
    "error: creating test list failed",
    " --message-format json-render-diagnostics",
];

#[derive(Debug, Default)]
struct CargoNextest {
    build: Build,
    run: Option<Run>,
    list: Option<List>,
    /// A run's lines broke off and another run began.
    unclosed: bool,
    /// cargo test speaks.
    asleep: bool,
    /// The line before was a rule.
    after_rule: bool,
}

impl Machine for CargoNextest {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        let after_rule = std::mem::replace(&mut self.after_rule, lines::is_rule(line.text));
        if let Some(run) = &mut self.run {
            match run.line(line, after_rule, out) {
                Step::Stay => return,
                Step::Closed => {
                    self.run = None;
                    return;
                }
                Step::Left => self.run = None,
                Step::Broken => {
                    self.run = None;
                    self.unclosed = true;
                }
            }
        }
        self.outside(line, after_rule, out);
    }

    fn end(&mut self, out: &mut Out) {
        if let Some(run) = &mut self.run {
            run.end(out);
        }
        if let Some(list) = self.list.take() {
            list.end(out);
        }
        if self.unclosed {
            out.open();
        }
    }

    fn owns_lines(&self) -> bool {
        match &self.run {
            None => self.list.is_some(),
            Some(run) => run.owns_lines(),
        }
    }
}

impl CargoNextest {
    fn outside(&mut self, line: &Line<'_>, after_rule: bool, out: &mut Out) {
        let text = line.text;
        if self.asleep && !text.starts_with([' ', 'e']) {
            return;
        }
        if let Some(list) = &mut self.list {
            if list.line(line) {
                return;
            }
            self.list.take().into_iter().for_each(|list| list.end(out));
        }
        let begins = lines::is_run(text) || lines::starting(text).is_some();
        // A log may lack its head.
        if begins || after_rule && lines::summary(text).is_some() {
            self.asleep = false;
            self.build.forget();
            out.open();
            let mut run = Run::default();
            if let Step::Stay = run.line(line, after_rule, out) {
                self.run = Some(run);
            }
        } else if text == "error: creating test list failed" {
            self.build.forget();
            out.open();
            self.list = Some(List::new(line));
        } else if is_nextest_refusal(text) {
            self.refuse(text.trim_start_matches("error: "), out);
        } else if is_cargo_test(text) {
            // What it says of its build is not ours, and no line of ours can follow soon.
            self.build.forget();
            self.asleep = true;
        } else if !self.asleep {
            self.build.line(line);
        } else if text.starts_with("   Compiling ") {
            self.asleep = false;
            self.build.line(line);
        }
    }

    fn refuse(&mut self, command: &str, out: &mut Out) {
        let refusal = self.build.settle();
        let silent = || Refusal {
            reason: Reason::NotRunnable,
            message: command.to_owned(),
            failures: Vec::<Failure>::new(),
            over: 0,
        };
        let refusal = refusal.unwrap_or_else(silent);
        self.build.forget();
        out.open();
        refusal.failures.into_iter().for_each(|failure| out.failure(failure));
        out.unnamed(refusal.over);
        out.close(Closing {
            says: Says::Refused(refusal.reason),
            counts: Counts::default(),
            duration_ms: None,
            message: Some(refusal.message),
        });
    }
}

fn is_cargo_test(text: &str) -> bool {
    text.starts_with("     Running ") || text.starts_with("   Doc-tests ") || text.starts_with("running ")
}

#[cfg(test)]
mod tests;

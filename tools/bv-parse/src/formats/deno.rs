//! Deno: `deno test` (1.30 to 2.9: `cli/tools/test/reporters` in <https://github.com/denoland/deno>), with the pretty
//! and the dot reporter, and the type checker's errors (`deno check`, or before the tests), and
//! the findings of `deno lint`. Its TAP and JUnit files
//! are read with all others.
//!
//! A section opens with `running 3 tests from ./a_test.ts`, and closes with `ok | 3 passed | 0 failed (12ms)`. Failed
//! tests stand in full below `ERRORS`, and by name below `FAILURES`. What tests print stands between two rules, and
//! is left alone.

pub mod body;
mod closing;

use crate::held::Held;
use crate::javascript::place;
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use bv_schemas::{Counts, Failure, Kind, Place, Reason, Test, TestOutcome};
use std::collections::HashSet;

/// The table's line.
pub const FORMAT: Format = Format {
    name: "deno",
    commands: &["deno"],
    needles: &[
        " tests from ",
        " test from ",
        "Uncaught error from ",
        " ERRORS ",
        "ok | ",
        "FAILED | ",
        " [ERROR]: ",
        "error[",
        "error: No test modules found",
        "error: Module not found \"",
    ],
    new: || Box::<Deno>::default(),
};

/// Text kept of one error.
const BLOCK_BYTES_MAX: usize = 256 << 10;
/// Files remembered.
const FILES_MAX: usize = 10_000;

/// One run at a time; the next one in the stream is a new section.
#[derive(Default)]
struct Deno {
    open: bool,
    /// A test's output comes.
    in_output: bool,
    /// Below `ERRORS`.
    in_errors: bool,
    /// Below `FAILURES`.
    in_failures: bool,
    /// A head, until `error: ` below it shows that it is one.
    head: Option<(String, [u64; 2])>,
    block: Option<Block>,
    held: Held,
    /// Files whose tests ran.
    files: HashSet<String>,
    /// An error of the type checker, or of a module that was not found.
    diagnostic: Option<Block>,
    diagnostics: Held,
    /// A finding of `deno lint`, until the address of its rule shows that it is one.
    finding: Option<Failure>,
}

/// An error that is being read.
struct Block {
    head: String,
    text: String,
    span: [u64; 2],
}

impl Block {
    fn push(&mut self, line: &Line<'_>) {
        if self.text.len() + line.text.len() < BLOCK_BYTES_MAX {
            self.text.push_str(line.text);
            self.text.push('\n');
            if !line.text.trim_ascii().is_empty() {
                self.span[1] = line.span[1];
            }
        }
    }
}

impl Machine for Deno {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let text = line.text.trim_end();
        if self.in_output {
            self.in_output = !(text.starts_with("----- ") && text.ends_with("output end -----"));
            return;
        }
        if self.diagnostic.is_some() {
            return self.in_diagnostic(text, line, out);
        }
        match text.as_bytes() {
            [b'-', ..] if self.open && text.starts_with("------- ") && text.ends_with("output -------") => {
                self.in_output = true;
            }
            [b' ', b'E', ..] | [b'E', ..] if text.trim() == "ERRORS" => {
                self.open(out);
                self.held = Held::default();
                self.in_errors = true;
            }
            [b' ', b'F', ..] | [b'F', ..] if text.trim() == "FAILURES" && self.in_errors => {
                self.end_block();
                (self.in_errors, self.in_failures) = (false, true);
            }
            [b'o' | b'F', ..]
                if !self.in_errors
                    && let Some(closing) = closing::read(text) =>
            {
                self.close(closing, out);
            }
            _ if self.in_errors => self.error(text, line),
            [b'r', ..] if let Some(file) = running(text) => {
                self.open(out);
                if self.files.len() < FILES_MAX {
                    self.files.insert(file.to_owned());
                }
            }
            [b'U', ..] if text.starts_with("Uncaught error from ") => self.open(out),
            [b'T' | b'e', ..] => self.begin_diagnostic(text, line, out),
            _ if self.open => result(text, out),
            [b' ', ..] => self.finding(text, line.span),
            [b'F', ..] if is_count(text) => self.checked(out),
            _ => {}
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.end_diagnostic();
        self.checked(out);
        self.end_block();
        if self.open {
            self.held.say(out);
        }
    }

    fn owns_lines(&self) -> bool {
        self.in_output || self.block.is_some()
    }
}

impl Deno {
    fn open(&mut self, out: &mut Out) {
        if !std::mem::replace(&mut self.open, true) {
            // What stands above kept another run from beginning.
            self.end_diagnostic();
            self.checked(out);
            out.open();
        }
    }

    /// A line below `ERRORS`.
    fn error(&mut self, text: &str, line: &Line<'_>) {
        if let Some((head, span)) = self.head.take() {
            if text.starts_with("error: ") {
                self.end_block();
                self.block = Some(Block { head, text: String::new(), span });
            } else if let Some(block) = &mut self.block {
                block.push(&Line { text: &head, span, overwritten: false });
            }
        }
        if is_head(text) {
            self.head = Some((text.to_owned(), line.span));
        } else if let Some(block) = &mut self.block {
            block.push(line);
        }
    }

    fn end_block(&mut self) {
        let Some(block) = self.block.take() else { return };
        let mut failure = body::failure(&block.text);
        failure.span = Some(block.span);
        if let Some(file) = block.head.strip_suffix(" (uncaught error)") {
            failure.kind = if self.files.contains(file) { Kind::Exception } else { Kind::CollectionError };
            failure.id = Some(block.head);
        } else if let Some((name, at)) = block.head.rsplit_once(" => ") {
            if failure.test.is_none() {
                failure.test = defined_at(at);
            }
            failure.id = Some(name.to_owned());
        }
        self.held.push(failure);
    }

    fn close(&mut self, closing: Closing, out: &mut Out) {
        self.end_block();
        self.open(out);
        let mut closing = closing;
        if closing.says == Says::Red {
            let failed = closing.counts.failed.unwrap_or(0);
            let uncaught =
                |failure: &Failure| failure.id.as_deref().is_some_and(|id| id.ends_with(" (uncaught error)"));
            // Tests that an uncaught error cancelled are counted and not listed; a test stands once for all its steps.
            let cancels = self.held.iter_mut().any(|failure| uncaught(failure));
            let unnamed = if cancels { 0 } else { failed.saturating_sub(self.tests()) };
            let unloaded =
                cancels && self.held.iter_mut().all(|failure| failure.kind == Kind::CollectionError);
            if unloaded && closing.counts.passed == Some(0) && failed <= self.held.len() {
                closing.says = Says::Refused(Reason::CollectionError);
            }
            self.held.say(out);
            out.unnamed(unnamed);
        }
        out.close(closing);
        *self = Deno::default();
    }

    /// Tests that failed themselves or in a step.
    fn tests(&mut self) -> u64 {
        let tops: HashSet<String> = self
            .held
            .iter_mut()
            .filter_map(|failure| Some(failure.id.as_deref()?.split(" ... ").next()?.to_owned()))
            .collect();
        tops.len() as u64
    }

    /// `TS2322 [ERROR]: …`, `error: Module not found "…"`, or that there is nothing to run.
    fn begin_diagnostic(&mut self, text: &str, line: &Line<'_>, out: &mut Out) {
        if self.open {
            return;
        }
        if let Some((rule, words)) = text.strip_prefix("error[").and_then(|rest| rest.split_once("]: ")) {
            let (rule, message) = (Some(rule.to_owned()), Some(words.to_owned()));
            self.finding = Some(Failure {
                kind: Kind::Lint,
                rule,
                message,
                span: Some(line.span),
                ..Failure::default()
            });
        } else if text == "error: No test modules found" {
            let message = Some(text["error: ".len()..].to_owned());
            out.close(Closing {
                says: Says::Refused(Reason::NoTests),
                counts: Counts::default(),
                duration_ms: None,
                message,
            });
        } else if checker_error(text).is_some() || text.starts_with("error: Module not found \"") {
            self.diagnostic = Some(Block { head: text.to_owned(), text: String::new(), span: line.span });
        } else if text == "error: Type checking failed." {
            self.checked(out);
        }
    }

    /// A line below `error[no-var]: …`: its place, or `docs: https://docs.deno.com/lint/rules/no-var`.
    fn finding(&mut self, text: &str, span: [u64; 2]) {
        let Some(finding) = &mut self.finding else { return };
        if let Some(at) = text.strip_prefix(" --> ") {
            finding.test = defined_at(at);
        } else if text.trim_start().starts_with("docs: https://")
            && text.rsplit('/').next() == finding.rule.as_deref()
            && let Some(mut finding) = self.finding.take()
        {
            finding.span = finding.span.map(|from| [from[0], span[1]]);
            self.diagnostics.push(finding);
        }
    }

    fn in_diagnostic(&mut self, text: &str, line: &Line<'_>, out: &mut Out) {
        if text.is_empty() {
            self.end_diagnostic();
        } else if let Some(block) = &mut self.diagnostic {
            block.push(line);
            if block.text.lines().count() > 20 {
                self.end_diagnostic();
            }
        }
        if text.starts_with("error: Type checking failed") {
            self.end_diagnostic();
            self.checked(out);
        }
    }

    fn end_diagnostic(&mut self) {
        let Some(block) = self.diagnostic.take() else { return };
        let at = block.text.lines().find_map(|line| defined_at(line.trim_start().strip_prefix("at ")?));
        let (rule, words, kind) = match checker_error(&block.head) {
            Some((code, words)) => (Some(code.to_owned()), words, Kind::Lint),
            None => (None, block.head.strip_prefix("error: ").unwrap_or(&block.head), Kind::CollectionError),
        };
        let message = Some(words.to_owned());
        self.diagnostics.push(Failure {
            kind,
            rule,
            message,
            test: at,
            span: Some(block.span),
            ..Failure::default()
        });
    }

    /// The checker is done.
    fn checked(&mut self, out: &mut Out) {
        if self.diagnostics.is_empty() {
            return;
        }
        let says = match self.diagnostics.iter_mut().all(|failure| failure.kind == Kind::CollectionError) {
            true => Says::Refused(Reason::CollectionError),
            false => Says::Red,
        };
        let failed = Some(self.diagnostics.len()).filter(|_| says == Says::Red);
        self.diagnostics.say(out);
        let counts = Counts { failed, ..Counts::default() };
        out.close(Closing { says, counts, duration_ms: None, message: None });
    }
}

/// `running 3 tests from ./a_test.ts`
fn running(text: &str) -> Option<&str> {
    let (number, rest) = text.strip_prefix("running ")?.split_once(" test")?;
    number.parse::<u64>().ok()?;
    rest.strip_prefix('s').unwrap_or(rest).strip_prefix(" from ")
}

/// `steps ... bad ... inner => ./test/cart_test.ts:23:13`, `./test/bad_test.ts (uncaught error)`
fn is_head(text: &str) -> bool {
    text.ends_with(" (uncaught error)")
        || text.rsplit_once(" => ").is_some_and(|(_, at)| defined_at(at).is_some())
}

fn defined_at(text: &str) -> Option<Place> {
    let inside = text.rsplit_once('(').map_or(text, |(_, inside)| inside.trim_end_matches(')'));
    let (file, line, column) = place(inside)?;
    column.map(|_| Place { file: Some(file), line: Some(line), function: None })
}

/// `TS2322 [ERROR]: Type 'string' …`, the code and the words.
fn checker_error(text: &str) -> Option<(&str, &str)> {
    let (code, words) = text.strip_prefix("error: ").unwrap_or(text).split_once(" [ERROR]: ")?;
    let digits = code.strip_prefix("TS")?;
    (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then_some((code, words))
}

/// `Found 4 problems`
fn is_count(text: &str) -> bool {
    let Some((number, word)) = text.strip_prefix("Found ").and_then(|rest| rest.split_once(' ')) else {
        return false;
    };
    number.parse::<u64>().is_ok() && (word == "problem" || word == "problems")
}

/// `adds tax ... ok (883µs)`
fn result(text: &str, out: &mut Out) {
    let Some((name, rest)) = text.rsplit_once(" ... ").filter(|_| !text.starts_with(' ')) else { return };
    let (word, _) = rest.split_once(' ').unwrap_or((rest, ""));
    let outcome = match word {
        "ok" => TestOutcome::Passed,
        "ignored" => TestOutcome::Skipped,
        "FAILED" => {
            out.tests_seen += 1;
            return out.mine();
        }
        _ => return,
    };
    out.tests_seen += 1;
    out.test(Test { id: name.to_owned(), outcome, duration_ms: None });
    out.mine();
}

#[cfg(test)]
mod tests;

//! PHPUnit 9 to 12 (and what comes before that still looks so): the default text, `--testdox` and
//! `--teamcity`.
//!
//! A section opens at `PHPUnit 9.6.7 by Sebastian Bergmann and contributors.` and closes at the footer below
//! `Time: …, Memory: …`, or at `No tests executed!`. Lists above the time are a test's output. A run that
//! begins inside an open one is a test's output, too, and speaks only when the outer one never closes.

mod block;
mod footer;
mod run;
mod teamcity;
mod testdox;

use crate::machine::{Format, Line, Machine, Out};
use crate::php;
use block::{Block, List};
use bv_schemas::{Failure, Kind};
use footer::Footer;
use run::Run;

/// The table's line.
pub const FORMAT: Format = Format {
    name: "phpunit",
    commands: &["phpunit", "paratest"],
    needles: &[" by Sebastian Bergmann", "PHP Fatal error:  Uncaught "],
    new: || Box::new(Phpunit::default()),
};

/// Runs inside runs that are followed; deeper ones are output and no more.
const NEST_MAX: usize = 4;

#[derive(Default)]
struct Phpunit {
    /// The runs that are open, the outermost first.
    runs: Vec<Run>,
    list: Option<List>,
    block: Option<Block>,
    /// The footer's first line came; its numbers may follow.
    footer: Option<footer::Word>,
    /// A fatal error outside of all runs: PHPUnit's own, if its stack says so.
    fatal: Option<Failure>,
}

impl Machine for Phpunit {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let text = line.text.trim_end();
        if self.fatal_outside(text, line.span, out) {
            return;
        }
        if let Some(word) = self.footer.take()
            && let Some(numbers) = footer::numbers(text)
        {
            self.close(&Footer { word, ..numbers }, out);
            return;
        }
        if let Some(block) = &mut self.block {
            if block.take(line) {
                return;
            }
            self.block_ends();
        }
        match text.as_bytes().first() {
            None | Some(b' ' | b'#') => {}
            Some(_) => self.flush_left(text, line, out),
        }
        if let Some(run) = self.runs.last_mut() {
            run.progress(line, out);
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.block_ends();
        for run in std::mem::take(&mut self.runs) {
            run.end(out);
        }
    }

    fn owns_lines(&self) -> bool {
        self.block.is_some()
    }
}

impl Phpunit {
    fn flush_left(&mut self, text: &str, line: &Line<'_>, out: &mut Out) {
        if let Some(major) = footer::header(text) {
            self.begins(major, out);
            return;
        }
        let Some(run) = self.runs.last_mut() else { return };
        if let Some(duration_ms) = footer::time(text) {
            run.timed(duration_ms);
            self.list = None;
        } else if let Some(message) = run.refusal(text) {
            self.list = None;
            let message = message.to_owned();
            self.runs.pop();
            if self.runs.is_empty() {
                run::refuse(message, out);
            }
        } else if text == "No tests executed!" {
            self.close(&Footer::default(), out);
        } else if run.is_timed() {
            if let Some(footer) = footer::ok(text) {
                self.close(&footer, out);
            } else if let Some(word) = footer::word(text) {
                self.footer = Some(word);
            } else if let Some(list) = block::list(text) {
                self.list = Some(list);
            } else if let Some(list) = self.list {
                self.block = Block::begins(list, line);
            }
        }
    }

    fn begins(&mut self, major: u32, out: &mut Out) {
        out.open();
        self.fatal = None;
        if self.runs.len() < NEST_MAX {
            self.runs.push(Run::new(major));
        }
        self.list = None;
    }

    fn block_ends(&mut self) {
        if let (Some(block), Some(run)) = (self.block.take(), self.runs.last_mut()) {
            run.listed(block.failure());
        }
    }

    fn close(&mut self, footer: &Footer, out: &mut Out) {
        self.list = None;
        let Some(run) = self.runs.pop() else { return };
        match self.runs.last_mut() {
            Some(outer) => outer.inner(run, footer),
            None => run.close(footer, out),
        }
    }

    /// A test file that PHP cannot parse ends PHPUnit 9 before its first word; the stack names it.
    fn fatal_outside(&mut self, text: &str, span: [u64; 2], out: &mut Out) -> bool {
        if !self.runs.is_empty() {
            return false;
        }
        if let Some(said) = text.strip_prefix("PHP Fatal error:  Uncaught ") {
            self.fatal = fatal(said, span);
            return true;
        }
        let own = self.fatal.is_some() && text.starts_with('#') && text.contains("PHPUnit\\");
        if own && let Some(failure) = self.fatal.take() {
            out.open();
            run::refuse_for(failure, out);
        }
        own
    }
}

/// `ParseError: syntax error, unexpected token ";" in /p/tests/PTest.php:1`.
fn fatal(said: &str, span: [u64; 2]) -> Option<Failure> {
    let (class, said) = php::class_of(said)?;
    let (message, at) = php::place_behind(said)?;
    let kind = if class == "ParseError" { Kind::CompileError } else { Kind::CollectionError };
    let exception_type = Some(class.to_owned());
    Some(Failure {
        kind,
        message: Some(message),
        exception_type,
        test: Some(at),
        span: Some(span),
        ..Failure::default()
    })
}

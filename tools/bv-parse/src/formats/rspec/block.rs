//! One entry of RSpec's lists, or one error outside of examples, as it is printed.

use super::closing::Rerun;
use crate::machine::Line;
use crate::ruby::{self, Exception};
use bv_schemas::{Check, Failure, Kind};

/// Lines kept of a block; `--backtrace` prints about forty a failure, a stack overflow ten thousand.
const LINES_MAX: usize = 2000;

/// The lines of one block, without its indentation.
#[derive(Debug, Default)]
pub struct Block {
    /// The example's full description; absent for an error outside of examples.
    title: Option<String>,
    /// The first line of an error outside of examples.
    head: String,
    indent: usize,
    lines: Vec<String>,
    span: [u64; 2],
}

impl Block {
    /// `  3) Cart grows` begins a block, whose lines are indented as far as its title.
    pub fn begins(line: &Line<'_>) -> Option<Block> {
        let rest = line.text.strip_prefix("  ")?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let title = rest[digits..].strip_prefix(") ").filter(|_| digits > 0)?;
        Some(Block {
            title: Some(title.trim_end().to_owned()),
            indent: 2 + digits + 2,
            span: line.span,
            ..Block::default()
        })
    }

    /// `An error occurred while loading ./spec/a_spec.rb.` begins one without indentation.
    pub fn outside(line: &Line<'_>) -> Block {
        Block { head: line.text.trim_end().to_owned(), span: line.span, ..Block::default() }
    }

    /// Whether it belongs to no example.
    pub fn is_outside(&self) -> bool {
        self.title.is_none()
    }

    /// Takes the line, if it is the block's.
    pub fn take(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        // An error outside of examples has no indentation to know it by; it ends with its backtrace.
        let in_backtrace = self.is_outside() && self.lines.last().is_some_and(|last| last.starts_with("# "));
        let inside = match text {
            _ if in_backtrace => text.starts_with("# "),
            "" => true,
            _ => text.len() > self.indent && text.as_bytes()[..self.indent].iter().all(|&b| b == b' '),
        };
        if inside {
            if self.lines.len() < LINES_MAX {
                self.lines.push(text.get(self.indent..).unwrap_or_default().to_owned());
            }
            self.span[1] = line.span[1];
        }
        inside
    }

    /// The failure that it tells of, with what the recap knows of the example's place.
    pub fn failure(&self, rerun: Option<&Rerun>) -> Failure {
        let lines: Vec<&str> = self.lines.iter().map(String::as_str).collect();
        let mut failure = match several(&lines) {
            Some((summary, parts)) => aggregate(summary, &parts),
            None => single(&lines),
        };
        let test = rerun.map(|rerun| (rerun.file.as_str(), rerun.line));
        let frames = std::mem::take(&mut failure.frames);
        ruby::place(&mut failure, frames, test);
        failure.span = Some(self.span);
        failure.id = self.title.as_deref().map(|title| self.without_fixed(title).to_owned());
        if self.is_outside() {
            failure.kind =
                if self.head.contains("while loading") { Kind::CollectionError } else { Kind::SetupError };
        }
        failure
    }

    /// A pending example that no longer fails has the word behind its title.
    fn without_fixed<'a>(&self, title: &'a str) -> &'a str {
        let fixed = self.lines.first().is_some_and(|line| line.starts_with("Expected pending '"));
        title.strip_suffix(" FIXED").filter(|_| fixed).unwrap_or(title)
    }
}

fn single(lines: &[&str]) -> Failure {
    let exception = ruby::exception(lines);
    let kind = if exception.class.is_some() { Kind::Exception } else { Kind::Assertion };
    Failure {
        kind,
        message: exception.message,
        exception_type: exception.class,
        expected: exception.sides.expected,
        observed: exception.sides.observed,
        frames: exception.frames,
        ..Failure::default()
    }
}

/// `Got 2 failures:` and the parts `1.1) Failure/Error: …` below it, without their indentation.
fn several<'a>(lines: &[&'a str]) -> Option<(&'a str, Vec<Vec<&'a str>>)> {
    let summary = lines.first().copied().filter(|line| line.starts_with("Got "))?;
    let mut parts: Vec<(usize, Vec<&str>)> = Vec::new();
    for line in &lines[1..] {
        if let Some((indent, first)) = part_title(line) {
            parts.push((indent, vec![first]));
        } else if let Some((indent, part)) = parts.last_mut() {
            part.push(line.get(*indent..).unwrap_or_default());
        }
    }
    (!parts.is_empty()).then(|| (summary, parts.into_iter().map(|(_, part)| part).collect()))
}

/// `1.2) Failure/Error: x`: how far the lines below it are indented, and what stands behind the number.
fn part_title(line: &str) -> Option<(usize, &str)> {
    let number = line.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
    let rest = line.get(number..)?.strip_prefix(") ")?;
    line[..number].contains('.').then_some((number + 2, rest))
}

/// The first part is the failure, the others stand beside it.
fn aggregate(summary: &str, parts: &[Vec<&str>]) -> Failure {
    let mut failures = parts.iter().map(|part| single(part));
    let Some(mut first) = failures.next() else { return Failure::default() };
    if first.message.is_none() {
        first.message = Some(summary.to_owned());
    }
    first.also = failures
        .map(|other| Check {
            line: line_of(&other),
            message: other.message,
            expected: other.expected,
            observed: other.observed,
        })
        .collect();
    first
}

fn line_of(failure: &Failure) -> Option<u64> {
    failure.frames.iter().rev().find(|at| at.file.as_deref().is_some_and(ruby::is_user_file))?.line
}

impl From<Exception> for Failure {
    fn from(exception: Exception) -> Failure {
        let own = exception.class.as_deref().is_none_or(Exception::is_own);
        Failure {
            kind: if own { Kind::Assertion } else { Kind::Exception },
            message: exception.message,
            exception_type: exception.class,
            expected: exception.sides.expected,
            observed: exception.sides.observed,
            frames: exception.frames,
            ..Failure::default()
        }
    }
}

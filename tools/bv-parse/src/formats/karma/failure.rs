//! One failure: `BROWSER suite test FAILED` or `BROWSER ERROR`, and the indented lines below.

use crate::formats::jasmine::check;
use crate::javascript::{add, frame};
use crate::machine::Line;
use bv_schemas::{Failure, Kind};

/// Text kept of one block.
const BLOCK_BYTES_MAX: usize = 64 << 10;

/// The line above.
#[derive(Debug, PartialEq, Eq)]
pub struct Head<'a> {
    /// `Chrome Headless 156.0.0.0 (Linux 0.0.0)`
    pub browser: &'a str,
    /// The suites' and the test's names; absent for an error outside of all tests.
    pub id: Option<&'a str>,
}

impl<'a> Head<'a> {
    /// Reads the line.
    pub fn read(text: &'a str) -> Option<Head<'a>> {
        let words = text.strip_suffix(" FAILED").or(text.strip_suffix(" ERROR"))?;
        let end = words.find(')')? + 1;
        let browser = &words[..end];
        match words[end..].strip_prefix(' ') {
            Some(id) => text.ends_with(" FAILED").then_some(Head { browser, id: Some(id) }),
            None => (words.len() == end && text.ends_with(" ERROR")).then_some(Head { browser, id: None }),
        }
    }
}

/// A failure that is being read.
#[derive(Debug)]
pub struct Block {
    id: Option<String>,
    lines: Vec<String>,
    bytes: usize,
    span: [u64; 2],
}

impl Block {
    /// Its head was read.
    pub fn new(head: &Head<'_>, span: [u64; 2]) -> Block {
        Block { id: head.id.map(str::to_owned), lines: Vec::new(), bytes: 0, span }
    }

    /// Takes a line; whether it is the block's.
    pub fn line(&mut self, line: &Line<'_>) -> bool {
        let Some(own) = line.text.strip_prefix('\t').or(line.text.strip_prefix("  ")) else { return false };
        if self.bytes + own.len() < BLOCK_BYTES_MAX {
            self.bytes += own.len();
            self.lines.push(own.trim_end().to_owned());
        }
        self.span[1] = line.span[1];
        true
    }

    /// The failure that it tells of.
    pub fn failure(self) -> Failure {
        // Each failed check has its stack below it.
        let mut checks: Vec<Vec<String>> = vec![Vec::new()];
        let mut in_stack = false;
        for line in self.lines {
            let is_call =
                line.starts_with(' ') && (frame(&line).is_some() || line.trim_start().starts_with("at "));
            if in_stack && !is_call {
                checks.push(Vec::new());
            }
            in_stack = is_call;
            if let Some(last) = checks.last_mut() {
                last.push(line);
            }
        }
        if self.id.is_none() {
            // Words of the framework's own stand above the error.
            let own = |line: &String| line.starts_with("An error was thrown in ");
            checks
                .iter_mut()
                .filter(|lines| lines.len() > 1)
                .for_each(|lines| lines.retain(|line| !own(line)));
        }
        let mut checks = checks.iter().map(|lines| check(lines));
        let mut failure = checks.next().unwrap_or_default();
        checks.for_each(|next| add(&mut failure, next));
        if self.id.is_none() && failure.kind == Kind::Assertion {
            failure.kind = Kind::Exception;
        }
        if failure.message.as_deref().is_some_and(|message| message.starts_with("Not run because a ")) {
            failure.kind = Kind::SetupError;
        }
        failure.id = self.id;
        failure.span = Some(self.span);
        failure
    }
}

//! One failed test: `  1) e2e/api.spec.ts:6:3 › price api › answers ───`, its errors four in, and the same of each retry.

use crate::javascript::{Names, Naming, add, error, frame, name_and_message, place};
use crate::machine::Line;
use bv_schemas::{Failure, Kind, Place};

/// Text kept of one block.
const BLOCK_BYTES_MAX: usize = 256 << 10;

/// A failed test that is being read.
#[derive(Debug)]
pub struct Block {
    /// The test's title, and the steps in which it failed behind it.
    pub title: String,
    text: String,
    /// A further attempt, or what was attached, follows: the first attempt's errors are over.
    over: bool,
    span: [u64; 2],
}

impl Block {
    /// Begins with its head.
    pub fn begins(line: &Line<'_>) -> Option<Block> {
        let (number, title) = line.text.strip_prefix("  ")?.split_once(") ")?;
        let numbered = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        let title = title_of(title).filter(|_| numbered)?;
        Some(Block { title: title.to_owned(), text: String::new(), over: false, span: line.span })
    }

    /// Takes a line; whether it is the block's.
    pub fn line(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        let Some(own) = text.strip_prefix("    ").or(text.is_empty().then_some("")) else { return false };
        self.over = self.over
            || own.starts_with("Retry #") && own.ends_with('─')
            || own.starts_with("Error Context: ")
            || own.starts_with("attachment #");
        if !self.over && self.text.len() + own.len() < BLOCK_BYTES_MAX {
            self.text.push_str(own);
            self.text.push('\n');
        }
        if !text.is_empty() {
            self.span[1] = line.span[1];
        }
        true
    }

    /// The failure, under its title.
    pub fn failure(self) -> Failure {
        let mut failure = failure(&self.text);
        defined(&mut failure, &self.title);
        failure.id = Some(self.title);
        failure.span = Some(self.span);
        failure
    }
}

/// `[api] › e2e/a.spec.ts:6:3 › price api › answers ───`, without the rule that fills the line.
pub fn title_of(text: &str) -> Option<&str> {
    let title = text.trim_end_matches('─').trim_end();
    defined_at(title).map(|_| title)
}

/// Where a test of this title is defined.
fn defined_at(title: &str) -> Option<Place> {
    let (at, _) = match title.strip_prefix('[').and_then(|rest| rest.split_once("] › ")) {
        Some((_, rest)) => rest.split_once(" › ")?,
        None => title.split_once(" › ")?,
    };
    let (file, line, column) = place(at)?;
    column.map(|_| Place { file: Some(file), line: Some(line), function: None })
}

/// A failure that names no place of its own is at the test's.
pub fn defined(failure: &mut Failure, title: &str) {
    if failure.test.is_none() {
        failure.test = defined_at(title);
    }
}

/// Reads the errors of one attempt.
pub fn failure(text: &str) -> Failure {
    let lines: Vec<&str> = text.lines().collect();
    let mut each = errors(&lines).into_iter().map(|lines| of(&lines));
    let mut failure = each.next().unwrap_or_default();
    for next in each {
        if failure.test.is_none() {
            // A test that ran out of time is told of first, and then what it waited in.
            (failure.test, failure.fault) = (next.test.clone(), next.fault.clone());
            failure.frames = next.frames.clone();
        }
        add(&mut failure, next);
    }
    failure
}

/// The lines of each error: one ends with its stack, or with the only line of a notice.
fn errors<'a>(lines: &[&'a str]) -> Vec<Vec<&'a str>> {
    let mut errors: Vec<Vec<&str>> = Vec::new();
    let (mut ended, mut blank) = (true, true);
    for line in lines {
        if line.is_empty() {
            blank = true;
            if let Some(last) = errors.last_mut() {
                last.push(line);
            }
            continue;
        }
        let notice = errors.last().is_some_and(|last| is_notice(last[0])) && name_and_message(line).is_some();
        if blank && (ended || notice) {
            errors.push(Vec::new());
            ended = false;
        }
        blank = false;
        ended = ended || line.starts_with("    at ") && frame(line).is_some();
        if let Some(last) = errors.last_mut() {
            last.push(line);
        }
    }
    errors
}

/// What is no error of the test's own code.
fn is_notice(line: &str) -> bool {
    line.starts_with("Test timeout of ")
        || line.starts_with("Expected to fail, but passed.")
        || line.starts_with("Test was interrupted.")
        || line.contains(" hook timeout of ")
        || line.starts_with("Fixture \"")
        || line.starts_with("Tearing down \"")
}

fn of(lines: &[&str]) -> Failure {
    // `   at ../src/api.ts:4` names the excerpt's file, where that is another one than the test's.
    let own: Vec<&str> = lines
        .iter()
        .filter(|line| {
            !(line.starts_with("   at ") && frame(line).is_some_and(|frame| frame.column.is_none()))
        })
        .copied()
        .collect();
    let mut failure = error(&own, Naming::Always, Names::Own);
    let asserts = own.iter().any(|line| line.starts_with("expect(") || line.contains("waiting for expect("));
    if asserts && failure.kind == Kind::Exception
        || own.first().is_some_and(|l| l.starts_with("Expected to fail"))
    {
        failure.kind = Kind::Assertion;
    }
    if failure.message.as_deref().is_some_and(|m| m.starts_with("worker process exited unexpectedly ")) {
        failure.kind = Kind::Crash;
    }
    if own.first().is_some_and(|line| is_notice(line) && line.contains("timeout of ")) {
        failure.kind = Kind::Timeout;
    }
    failure
}

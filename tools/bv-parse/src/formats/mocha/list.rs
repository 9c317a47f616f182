//! The numbered list of failures below the epilogue.
//!
//! Titles stand one a line, each two columns further in; the last ends with a colon. The message follows at
//! column five, or, with a diff, after a blank line at column six; further lines of it stand as they are.

use crate::javascript::{Names, Naming, error};
use crate::machine::{HELD_MAX, Line};
use bv_schemas::{Failure, Kind};

/// Text kept of one failure.
const BLOCK_BYTES_MAX: usize = 256 << 10;

/// The list, as far as it has come.
#[derive(Debug)]
pub struct List {
    /// How many there are.
    failing: u64,
    number: u64,
    titles: Vec<String>,
    titled: bool,
    text: String,
    span: [u64; 2],
    framed: bool,
    blanks: u32,
    failures: Vec<Failure>,
}

impl List {
    /// A list of so many.
    pub fn new(failing: u64) -> List {
        List {
            failing,
            number: 0,
            titles: Vec::new(),
            titled: false,
            text: String::new(),
            span: [0, 0],
            framed: false,
            blanks: 0,
            failures: Vec::new(),
        }
    }

    /// Takes a line; `false` when the list ended before it.
    pub fn line(&mut self, line: &Line<'_>) -> bool {
        if line.overwritten {
            return true;
        }
        if let Some(title) = numbered(line.text, self.number + 1).filter(|_| self.number < self.failing) {
            self.finish();
            self.number += 1;
            self.titles.push(title.to_owned());
            self.span = line.span;
            return true;
        }
        let blank = line.text.trim_ascii().is_empty();
        // Behind the last stack a blank line ends the list; a message without a stack has two.
        let over = self.number == self.failing && (self.framed && self.blanks > 0 || self.blanks > 1);
        if !blank && (over || self.number == 0) {
            return false;
        }
        self.blanks = if blank { self.blanks + 1 } else { 0 };
        if self.number > 0 {
            self.push(line);
        }
        true
    }

    fn push(&mut self, line: &Line<'_>) {
        let text = line.text;
        let indent = text.len() - text.trim_start_matches(' ').len();
        if !self.titled && indent == 5 + 2 * self.titles.len() && text.len() > indent {
            self.titles.push(text[indent..].to_owned());
            return;
        }
        self.titled = true;
        self.framed = self.framed || text.trim_start().starts_with("at ");
        if self.text.len() + text.len() < BLOCK_BYTES_MAX {
            self.text.push_str(text);
            self.text.push('\n');
        }
        if !text.trim_ascii().is_empty() {
            self.span[1] = line.span[1];
        }
    }

    fn finish(&mut self) {
        let titles = std::mem::take(&mut self.titles);
        let text = std::mem::take(&mut self.text);
        (self.titled, self.framed, self.blanks) = (false, false, 0);
        if titles.is_empty() || self.failures.len() == HELD_MAX {
            return;
        }
        let lines: Vec<&str> = text.lines().collect();
        let mut failure = error(&lines, Naming::Always, Names::Own);
        let id = titles.join(" ");
        let id = id.strip_suffix(':').unwrap_or(&id);
        if titles.last().is_some_and(|title| is_hook(title)) {
            failure.kind = Kind::SetupError;
        }
        failure.id = Some(id.to_owned());
        failure.span = Some(self.span);
        self.failures.push(failure);
    }

    /// All that came.
    pub fn failures(mut self) -> Vec<Failure> {
        self.finish();
        self.failures
    }
}

/// `  3) title`, with this very number.
fn numbered(text: &str, number: u64) -> Option<&str> {
    let (found, title) = text.strip_prefix("  ")?.split_once(") ")?;
    (found.bytes().all(|b| b.is_ascii_digit()) && found.parse() == Ok(number)).then_some(title)
}

/// Whether a title, or a full name, is that of a hook: `"before all" hook: open the database for "one"`.
pub fn is_hook(title: &str) -> bool {
    const HOOKS: &[&str] =
        &["\"before all\" hook", "\"before each\" hook", "\"after all\" hook", "\"after each\" hook"];
    HOOKS.iter().any(|hook| title.contains(hook))
}

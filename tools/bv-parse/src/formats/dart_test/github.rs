//! The `github` reporter: a group a failed test, `::group::❌ name (failed)`, and a closing line.

use super::block;
use crate::held::Held;
use crate::machine::{Closing, Out, Says};
use bv_schemas::{Counts, Failure, Test, TestOutcome};

/// Lines kept of one group.
const LINES_MAX: usize = 400;

/// See the head of this file.
#[derive(Default)]
pub struct Github {
    opened: bool,
    group: Option<Group>,
    passing: bool,
    held: Held,
}

struct Group {
    name: String,
    failed: bool,
    lines: Vec<String>,
    span: [u64; 2],
}

impl Github {
    /// Takes a line; true when it is this reporter's.
    pub fn line(&mut self, text: &str, span: [u64; 2], out: &mut Out) -> bool {
        if let Some(title) = text.strip_prefix("::group::") {
            return self.begin(title, span, out);
        }
        if let Some(group) = &mut self.group {
            group.span[1] = span[1];
            if text == "::endgroup::" {
                self.end_group();
            } else if group.lines.len() < LINES_MAX {
                group.lines.push(text.to_owned());
            }
            return true;
        }
        if text == "::endgroup::" {
            return std::mem::take(&mut self.passing);
        }
        if self.passing
            && let Some(name) = text.strip_prefix("✅ ").or_else(|| text.strip_prefix("❎ "))
        {
            out.tests_seen += 1;
            let skipped = name.strip_suffix(" (skipped)");
            let outcome = if skipped.is_some() { TestOutcome::Skipped } else { TestOutcome::Passed };
            out.test(Test { id: skipped.unwrap_or(name).to_owned(), outcome, duration_ms: None });
            return true;
        }
        let red = text.strip_prefix("::error::").map(|rest| (rest, true));
        let Some((words, red)) = red.or_else(|| Some((text.strip_prefix("🎉 ")?, false))) else {
            return false;
        };
        match counts(words).filter(|_| self.opened) {
            Some(counts) => {
                self.close(counts, red, out);
                true
            }
            None => false,
        }
    }

    /// The stream ended.
    pub fn end(&mut self, out: &mut Out) {
        self.end_group();
        if self.opened {
            self.held.say(out);
        }
    }

    /// Whether lines are a failed test's.
    pub fn in_group(&self) -> bool {
        self.group.is_some()
    }

    fn begin(&mut self, title: &str, span: [u64; 2], out: &mut Out) -> bool {
        let failed = title.strip_prefix("❌ ");
        let Some(name) = failed.or_else(|| title.strip_prefix("✅ ")).or_else(|| title.strip_prefix("❎ "))
        else {
            return false;
        };
        self.end_group();
        if !std::mem::replace(&mut self.opened, true) {
            out.open();
        }
        if name == "Passing tests" {
            self.passing = true;
            return true;
        }
        let name = name
            .strip_suffix(" (failed)")
            .or_else(|| name.strip_suffix(" (failed after test completion)"))
            .unwrap_or(name);
        let name = name.strip_suffix(" (skipped)").unwrap_or(name).to_owned();
        self.group = Some(Group { name, failed: failed.is_some(), lines: Vec::new(), span });
        true
    }

    fn end_group(&mut self) {
        let Some(group) = self.group.take().filter(|group| group.failed) else { return };
        let mut lines: Vec<&str> = group.lines.iter().map(String::as_str).collect();
        // What the test printed stands above what went wrong.
        if let Some(at) = lines.iter().position(|line| line.starts_with("Expected: ")) {
            lines.drain(..at);
        }
        let suite = group.name.split_once(".dart: ").map(|(path, _)| format!("{path}.dart"));
        let mut failure =
            Failure { id: Some(group.name.clone()), span: Some(group.span), ..Failure::default() };
        block::tell(&mut failure, &lines, suite.as_deref());
        self.held.check(failure);
    }

    fn close(&mut self, counts: Counts, red: bool, out: &mut Out) {
        let says = match (red || !self.held.is_empty(), counts.passed) {
            (true, _) => Says::Red,
            (false, Some(1..)) => Says::Green,
            (false, _) => Says::NoTests,
        };
        let unnamed = counts.failed.unwrap_or(0).saturating_sub(self.held.len());
        self.held.say(out);
        out.unnamed(unnamed);
        out.close(Closing { says, counts, duration_ms: None, message: None });
        *self = Github::default();
    }
}

/// `4 tests passed, 1 failed, 2 skipped.`
fn counts(words: &str) -> Option<Counts> {
    let mut counts = Counts { failed: Some(0), skipped: Some(0), ..Counts::default() };
    for part in words.strip_suffix('.')?.split(", ") {
        let (number, what) = part.split_once(' ')?;
        let number = Some(number.parse().ok()?);
        match what {
            "test passed" | "tests passed" => counts.passed = number,
            "failed" => counts.failed = number,
            "skipped" => counts.skipped = number,
            _ => return None,
        }
    }
    counts.passed.is_some().then_some(counts)
}

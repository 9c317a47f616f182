//! Gradle's console (1 to 9: `TestEventLogger`, `ShortExceptionFormatter`, `FullExceptionFormatter`,
//! `TestCountLogger` and `BuildExceptionReporter` in <https://github.com/gradle/gradle>), Android's plugin too.
//!
//! A section opens with a task that runs tests (`> Task :app:test`, before Gradle 4.7 `:app:test`) or with what
//! such a task says, and closes with `BUILD SUCCESSFUL` or `BUILD FAILED`. Gradle counts tests only where one
//! failed. A build that runs no tests and fails at nothing that they need is left alone, and so is what tests
//! print, which Gradle indents.

mod block;
mod build;
mod task;

use crate::machine::{Format, Line, Machine, Out};
use block::Block;
use build::Build;
use task::{State, Task};

/// The table's line.
pub const FORMAT: Format = Format {
    name: "gradle",
    commands: &["gradle", "gradlew"],
    needles: &[
        "> Task :",
        "Test > ",
        "() FAILED",
        " tests completed, ",
        " test completed, ",
        "* What went wrong:",
        ":testClasses",
        ":compileTestJava",
        ":compileTestKotlin",
        ":compileTestGroovy",
    ],
    new: || Box::<Gradle>::default(),
};

/// See the head of this file.
#[derive(Default)]
struct Gradle {
    build: Build,
    block: Option<Block>,
    /// A build before this one ran tests, and all was well.
    green_before: bool,
    /// The line before was blank, as it is above Gradle's last words.
    blank: bool,
}

impl Machine for Gradle {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let text = line.text.trim_end();
        if let Some(block) = &mut self.block {
            if block.line(text, line.span) {
                return;
            }
            self.end_block();
            self.blank = true;
        }
        let after_blank = std::mem::replace(&mut self.blank, text.is_empty());
        let Some(first) = text.as_bytes().first() else { return };
        if self.build.is_explaining() && self.build.explains(text) {
            return;
        }
        match first {
            b'B' if after_blank && self.is_over(text, out) => {}
            b'>' | b':' if self.task(text, line.span, out) => {}
            b'0'..=b'9' if self.counts(text, out) => {}
            b'*' if text == "* What went wrong:" => self.build.wrong(),
            b'F' if text.starts_with("FAILURE: Build ") => self.build.failed(),
            b' ' | b'\t' => {}
            _ => self.test(text, line.span, out),
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.end_block();
        std::mem::take(&mut self.build).cut(out);
    }

    fn owns_lines(&self) -> bool {
        self.block.is_some() && self.build.is_seen()
    }
}

impl Gradle {
    fn task(&mut self, text: &str, span: [u64; 2], out: &mut Out) -> bool {
        let Some((task, behind)) = Task::read(text) else { return false };
        if task.runs_tests() && matches!(task.state, State::Ran | State::Failed) {
            self.build.open(out);
        }
        self.build.task(task);
        // Before Gradle 4.7 a compiler's first line stands behind the task's name.
        self.build.compile_error(behind, span);
        true
    }

    fn test(&mut self, text: &str, span: [u64; 2], out: &mut Out) {
        if !self.build.may_test() {
            self.build.compile_error(text, span);
        } else if let Some(id) = text.strip_suffix(" FAILED").and_then(block::id) {
            // Without a task above it, it may be any program's text until Gradle's own words follow.
            if self.build.is_seen() {
                self.build.open(out);
            }
            self.block = Some(Block::new(id.to_owned(), span));
        } else if let Some(id) = text.strip_suffix(" PASSED").and_then(block::id) {
            self.build.passed(id, out);
        } else if let Some(id) = text.strip_suffix(" SKIPPED").and_then(block::id) {
            self.build.skipped(id, out);
        } else {
            self.build.compile_error(text, span);
        }
    }

    fn end_block(&mut self) {
        if let Some(block) = self.block.take() {
            self.build.test_failed(block.failure());
        }
    }

    /// `5 tests completed, 2 failed, 1 skipped`
    fn counts(&mut self, text: &str, out: &mut Out) -> bool {
        let Some(counts) = build::Completed::read(text) else { return false };
        self.build.open(out);
        self.build.completed(counts);
        true
    }

    /// `BUILD SUCCESSFUL in 3s`
    fn is_over(&mut self, text: &str, out: &mut Out) -> bool {
        let (ok, rest) = match text.strip_prefix("BUILD SUCCESSFUL") {
            Some(rest) => (true, rest),
            None => match text.strip_prefix("BUILD FAILED") {
                Some(rest) => (false, rest),
                None => return false,
            },
        };
        let spent = rest.strip_prefix(" in ").and_then(build::milliseconds);
        // Ant has the same words; before version 4 Gradle had no time behind them.
        if spent.is_none() && !(rest.is_empty() && self.build.is_seen()) {
            return false;
        }
        self.green_before |= std::mem::take(&mut self.build).close(ok, spent, self.green_before, out);
        true
    }
}

#[cfg(test)]
mod tests;

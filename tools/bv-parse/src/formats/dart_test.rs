//! `dart test` and `flutter test`: the compact, expanded and failures-only reporters, `github`, and JSON
//! (`pkgs/test_core/lib/src/runner/reporter` in <https://github.com/dart-lang/test>; Flutter's boxes:
//! `packages/flutter_test/lib/src/binding.dart` in <https://github.com/flutter/flutter>).
//!
//! The text reporters' lines begin with a clock and the tests that passed, were skipped and failed so far; the last
//! of them says how it ended. What a test prints stands between.

mod block;
mod flutter;
mod github;
mod json;
mod progress;

use crate::held::Held;
use crate::machine::{Closing, Format, HELD_MAX, Line, Machine, Out, Says};
use block::Block;
use bv_schemas::{Counts, Kind};
use flutter::Boxes;
use github::Github;
use json::Events;
use progress::Progress;

/// The table's line.
pub const FORMAT: Format = Format {
    name: "dart-test",
    commands: &["dart", "flutter"],
    needles: &[
        "00:00 +0",
        ": All tests passed!",
        ": Some tests failed.",
        ": All tests skipped.",
        "EXCEPTION CAUGHT BY FLUTTER TEST FRAMEWORK",
        "\"runnerVersion\":",
        "\"type\":\"testStart\"",
        "::group::✅",
        "::group::❌",
        "::error::",
        "🎉 ",
    ],
    new: || Box::<DartTest>::default(),
};

/// See the head of this file.
#[derive(Default)]
struct DartTest {
    opened: bool,
    events: Events,
    github: Github,
    boxes: Boxes,
    /// The counts of the last line.
    last: Option<Progress>,
    block: Option<Block>,
    held: Held,
    /// The counts before each failure, and its name.
    marks: Vec<(Progress, String)>,
}

impl Machine for DartTest {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let text = line.text.trim_end();
        if text.starts_with('{') && self.events.line(text, line.span, out) {
            return;
        }
        if self.github.line(text, line.span, out) || self.boxes.line(text) {
            return;
        }
        let progress = Progress::read(text);
        if let Some(block) = &mut self.block {
            if progress.is_none() && block.line(text, line.span) {
                return;
            }
            self.end_block();
        }
        match progress {
            Some(progress) => self.progress(progress, line.span, out),
            None if self.opened && matches!(text, "No tests ran." | "No tests were found.") => {
                self.close(Says::NoTests, Counts::default(), out);
            }
            None => {}
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.end_block();
        self.events.end(out);
        self.github.end(out);
        if self.opened {
            self.held.say(out);
        }
    }

    fn owns_lines(&self) -> bool {
        self.block.is_some() || self.boxes.in_box() || self.github.in_group() || self.events.is_open()
    }
}

impl DartTest {
    fn progress(&mut self, progress: Progress, span: [u64; 2], out: &mut Out) {
        // A line that goes back is no line of the runner's, unless those before it were what a test printed.
        if self.last.as_ref().is_some_and(|last| !progress.follows(last)) && !self.goes_back(&progress) {
            return;
        }
        if !self.opened {
            if !progress.opens() {
                return;
            }
            self.opened = true;
            out.open();
        }
        if let Some((name, unfinished)) = progress.error() {
            out.tests_seen += 1;
            if self.marks.len() < HELD_MAX {
                self.marks.push((self.last.clone().unwrap_or_default(), name.to_owned()));
            }
            self.block = Some(Block::new(name, unfinished, span));
        }
        let counts = progress.counts();
        let says = match progress.message.as_str() {
            "All tests passed!" | "All other tests passed!" if counts.passed == Some(0) => {
                Some(Says::NoTests)
            }
            "All tests passed!" | "All other tests passed!" => Some(Says::Green),
            "Some tests failed." => Some(Says::Red),
            "All tests skipped." => Some(Says::NoTests),
            _ => None,
        };
        self.last = Some(progress);
        if let Some(says) = says {
            self.close(says, counts, out);
        }
    }

    /// Failures that a test printed are taken back where the runner goes on without them: by a line of a test that
    /// begins, with more tests passed and fewer failed.
    fn goes_back(&mut self, progress: &Progress) -> bool {
        let further = self.last.as_ref().is_some_and(|last| progress.begins_after(last));
        let Some(from) =
            self.marks.iter().rposition(|(before, _)| progress.follows(before)).filter(|_| further)
        else {
            return false;
        };
        let names: Vec<String> = self.marks.drain(from..).map(|(_, name)| name).collect();
        self.held.forget(|failure| failure.id.as_ref().is_some_and(|id| names.contains(id)));
        true
    }

    fn end_block(&mut self) {
        let Some(block) = self.block.take() else { return };
        let mut failure = block.failure();
        self.boxes.tell(&mut failure);
        // An error after a test's end is one more of its checks.
        self.held.check(failure);
    }

    fn close(&mut self, says: Says, counts: Counts, out: &mut Out) {
        self.end_block();
        let says = if self.held.is_empty() { says } else { Says::Red };
        // Nothing could be loaded: then nothing ran.
        let unloaded =
            self.held.iter_mut().filter(|failure| failure.kind == Kind::CollectionError).count() as u64;
        let says = match (says, counts.passed) {
            (Says::Red, Some(0)) if unloaded > 0 && unloaded == self.held.len() => {
                Says::Refused(bv_schemas::Reason::CollectionError)
            }
            _ => says,
        };
        if !self.opened {
            out.open();
        }
        let unnamed = counts.failed.unwrap_or(0).saturating_sub(self.held.len());
        self.held.say(out);
        out.unnamed(unnamed);
        out.close(Closing { says, counts, duration_ms: None, message: None });
        *self = DartTest::default();
    }
}

#[cfg(test)]
mod tests;

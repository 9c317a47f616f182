//! Playwright Test: the `list`, `line` and `dot` reporters (1.20 to 1.65: `packages/playwright/src/reporters` in
//! <https://github.com/microsoft/playwright>), with the `github` annotations beside them, and the `json` reporter. Its `junit`
//! reporter's dialect stands in `playwright/junit.rs`.
//!
//! A section opens with `Running 6 tests using 1 worker`. Failed tests stand as numbered blocks, while the run goes
//! on or at its end, the flaky ones among them; the closing statement lists the failed ones by their titles, so that
//! a block counts only when it stands in that list. What tests print stands between all that: a statement whose sum
//! is not the number of tests is a test's own.

mod block;
mod json;
mod junit;
mod summary;

pub use junit::JUNIT;

use crate::document::{Document, Taken};
use crate::javascript::{frame, is_error_name, name_and_message};
use crate::machine::{Closing, Format, HELD_MAX, Line, Machine, Out, Says};
use block::{Block, defined, title_of};
use bv_schemas::{Counts, Failure, Kind, Reason, Test, TestOutcome};
use summary::Summary;

/// The table's line.
pub const FORMAT: Format = Format {
    name: "playwright",
    commands: &["playwright"],
    needles: &[
        " using 1 worker",
        " tests using ",
        "Error: No tests found",
        " config.webServer",
        // The rule behind a failed test's title.
        " ──────────",
        "  \"config\": {",
        "{\"config\":{\"",
    ],
    new: || Box::<Playwright>::default(),
};

/// Errors outside of all tests that are kept.
const LOOSE_MAX: usize = 20;
/// Lines kept of one of them.
const LOOSE_LINES_MAX: usize = 60;

/// One run at a time; the next one in the stream is a new section.
#[derive(Default)]
struct Playwright {
    open: bool,
    /// Tests that the first line counts.
    total: Option<u64>,
    block: Option<Block>,
    /// Blocks that were read, under their titles.
    held: Vec<Failure>,
    /// Errors at the margin.
    loose: Vec<Vec<String>>,
    in_loose: bool,
    summary: Summary,
    /// The section closed; a test may have printed the statement, or errors outside of tests follow it.
    closed: Option<Summary>,
    document: Option<Json>,
}

/// A document; it is one for sure once its second or third line came.
struct Json {
    document: Document,
    sure: bool,
}

impl Machine for Playwright {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if self.document.is_some() {
            return self.document_line(line, out);
        }
        if line.overwritten {
            return;
        }
        let text = line.text;
        if self.in_block(line) {
            return;
        }
        if self.open && self.summary.line(text) {
            self.end_block();
            if self.summary.is_last() || self.closed.is_some() && self.summary.errors > 0 {
                self.conclude(out);
            }
            return;
        }
        if self.summary.began() {
            self.conclude(out);
        }
        match text.as_bytes() {
            [b'R', ..] if let Some(total) = running(text) => {
                *self = Playwright { open: true, total: Some(total), ..Playwright::default() };
                out.open();
            }
            [b' ', b' ', b'0'..=b'9', ..] => self.begin_block(line, out),
            [b' ', b' ', b'"', ..] | [b'{', ..] => self.begin_document(line, out),
            [b' ', b' ', ..] => self.listed(text, out),
            [b'[', b'0'..=b'9', ..] if self.open && is_progress(text) => {
                self.go_on(out);
                out.mine();
            }
            [b':', b':', ..] if self.open => out.mine(),
            [b'E', ..] if (!self.open || self.closed.is_some()) && self.refused(text, out) => {}
            _ => self.loose(text),
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.end_block();
        if self.summary.began() {
            self.conclude(out);
        }
        if self.open && self.closed.is_none() {
            self.held.drain(..).for_each(|failure| out.failure(failure));
        }
    }

    fn owns_lines(&self) -> bool {
        self.block.is_some() || self.document.as_ref().is_some_and(|json| json.sure)
    }
}

impl Playwright {
    /// A line of the block that is open; whether it is one.
    fn in_block(&mut self, line: &Line<'_>) -> bool {
        if self.block.as_mut().is_some_and(|block| block.line(line)) {
            return true;
        }
        self.end_block();
        false
    }

    fn begin_block(&mut self, line: &Line<'_>, out: &mut Out) {
        if self.open
            && let Some(block) = Block::begins(line)
        {
            self.go_on(out);
            self.block = Some(block);
        }
    }

    fn end_block(&mut self) {
        if let Some(block) = self.block.take().filter(|_| self.held.len() < HELD_MAX) {
            self.held.push(block.failure());
        }
    }

    /// More of the run comes behind a closing statement: a test printed that.
    fn go_on(&mut self, out: &mut Out) {
        if self.closed.take().is_some() {
            out.reopen();
        }
    }

    /// `  ✘  1 e2e/api.spec.ts:6:3 › price api › answers (78ms)`, of the `list` reporter.
    fn listed(&mut self, text: &str, out: &mut Out) {
        let Some((mark, rest)) = text.trim_start().split_once(' ') else { return };
        let outcome = match mark {
            "✓" | "ok" => Some(TestOutcome::Passed),
            "-" => Some(TestOutcome::Skipped),
            "✘" | "x" => None,
            _ => return,
        };
        let rest = rest.trim_start();
        let Some((number, title)) = rest.split_once(' ').filter(|_| self.open) else { return };
        if !number.bytes().all(|b| b.is_ascii_digit()) {
            return;
        }
        let (title, retried) = timed(title);
        let Some(title) = title_of(title) else { return };
        self.go_on(out);
        out.mine();
        out.tests_seen += 1;
        let outcome = if retried && outcome.is_some() { Some(TestOutcome::Flaky) } else { outcome };
        // A test that is meant to fail has the sign of one that did: the statement tells.
        if let Some(outcome) = outcome {
            out.test(Test { id: title.to_owned(), outcome, duration_ms: None });
        }
    }

    /// What it says where it could not begin; whether this is that.
    fn refused(&mut self, text: &str, out: &mut Out) -> bool {
        let Some(words) = text.strip_prefix("Error: ") else { return false };
        let says = match words {
            "No tests found" | "No tests found." => Says::Refused(Reason::NoTests),
            _ if words.contains(" config.webServer") => Says::Refused(Reason::NotRunnable),
            _ => return false,
        };
        let message = Some(words.to_owned());
        out.close(Closing { says, counts: Counts::default(), duration_ms: None, message });
        true
    }

    /// An error at the margin, which may belong to no test.
    fn loose(&mut self, text: &str) {
        if !self.open {
            return;
        }
        if name_and_message(text).is_some_and(|(name, _)| is_error_name(name)) {
            if self.loose.len() == LOOSE_MAX {
                self.loose.remove(0);
            }
            self.loose.push(Vec::new());
            self.in_loose = true;
        }
        let Some(last) = self.loose.last_mut().filter(|last| self.in_loose && last.len() < LOOSE_LINES_MAX)
        else {
            return;
        };
        let after_stack =
            last.last().is_some_and(|line| frame(line).is_some() && line.starts_with("    at "));
        self.in_loose = !after_stack || text.starts_with("    at ");
        if self.in_loose {
            last.push(text.to_owned());
        }
    }

    /// The closing statement ended.
    fn conclude(&mut self, out: &mut Out) {
        let mut summary = std::mem::take(&mut self.summary);
        if let Some(before) = self.closed.take() {
            out.reopen();
            if summary.total() == 0 {
                // Errors outside of tests stand behind the rest of it.
                let errors = summary.errors;
                summary = before;
                summary.errors = errors;
            }
        }
        if self.total.is_some_and(|total| total != summary.total()) {
            return;
        }
        let closing = summary.closing();
        if closing.says == Says::Red {
            self.say(&summary, out);
        }
        out.close(closing);
        self.closed = Some(summary);
    }

    /// The failures that the statement lists, with what their blocks tell.
    fn say(&self, summary: &Summary, out: &mut Out) {
        let mut used = vec![false; self.held.len()];
        for title in &summary.titles {
            let of = |failure: &Failure| {
                let own = failure.id.as_deref().and_then(|id| id.strip_prefix(title.as_str()));
                // Behind the title stand the steps in which it failed.
                own.is_some_and(|steps| steps.is_empty() || steps.starts_with(" › "))
            };
            let at = (0..self.held.len()).find(|&at| !used[at] && of(&self.held[at]));
            let mut failure = match at {
                Some(at) => {
                    used[at] = true;
                    self.held[at].clone()
                }
                None => Failure::default(),
            };
            defined(&mut failure, title);
            failure.id = Some(title.clone());
            out.failure(failure);
        }
        out.unnamed(summary.failed().saturating_sub(summary.titles.len() as u64));
        let errors = usize::try_from(summary.errors).unwrap_or(usize::MAX).min(self.loose.len());
        for lines in &self.loose[self.loose.len() - errors..] {
            let failure = block::failure(&lines.join("\n"));
            out.failure(Failure { kind: loose_kind(failure.kind), ..failure });
        }
        out.unnamed(summary.errors.saturating_sub(errors as u64));
    }

    /// A line that begins like the reporter's document: whether it is one, a later line tells.
    fn begin_document(&mut self, line: &Line<'_>, out: &mut Out) {
        let whole = line.text.starts_with("{\"config\":{\"") && line.text.contains("\"configFile\":");
        if !whole && line.text.trim_end() != "  \"config\": {" {
            return;
        }
        let (document, taken) = Document::begin(line.text, line.span);
        self.document = Some(Json { document, sure: whole });
        if whole {
            out.open();
        }
        self.taken(taken, out);
    }

    fn document_line(&mut self, line: &Line<'_>, out: &mut Out) {
        let Some(json) = &mut self.document else { return };
        if !json.sure {
            let key = line.text.trim_start();
            if !key.starts_with("\"argv\": [") && !key.starts_with("\"configFile\": ") {
                self.document = None;
                return;
            }
            json.sure = true;
            out.open();
        }
        let taken = json.document.take(line.text, line.span);
        self.taken(taken, out);
    }

    fn taken(&mut self, taken: Taken, out: &mut Out) {
        match taken {
            Taken::More => {}
            // What was opened stays open: nothing is known of the run.
            Taken::Broken => self.document = None,
            Taken::Whole(value) => {
                self.document = None;
                if let Some(report) = json::report(&value) {
                    report.say(out);
                }
            }
        }
    }
}

/// What belongs to no test is no test's failed check.
fn loose_kind(kind: Kind) -> Kind {
    if kind == Kind::Assertion { Kind::Exception } else { kind }
}

/// `Running 6 tests using 1 worker, shard 1 of 2`
fn running(text: &str) -> Option<u64> {
    let (number, rest) = text.strip_prefix("Running ")?.split_once(" test")?;
    let rest = rest.strip_prefix('s').unwrap_or(rest).strip_prefix(" using ")?;
    (rest.split(' ').nth(1)?.starts_with("worker")).then(|| number.parse().ok())?
}

/// `[3/36] (retries) [api] › e2e/c.spec.ts:2:1 › poll (retry #1)`, of the `line` reporter.
fn is_progress(text: &str) -> bool {
    text.split_once("] ").is_some_and(|(counts, rest)| {
        counts[1..].split_once('/').is_some_and(|(at, of)| [at, of].iter().all(|n| n.parse::<u64>().is_ok()))
            && rest.contains(" › ")
    })
}

/// A title without what stands behind it: `(retry #1) (78ms)`.
fn timed(text: &str) -> (&str, bool) {
    let text = text.trim_end();
    let text = match text.rsplit_once(" (") {
        Some((title, time)) if time.ends_with(')') && time.starts_with(|c: char| c.is_ascii_digit()) => title,
        _ => text,
    };
    match text.rsplit_once(" (retry #") {
        Some((title, number)) if number.ends_with(')') => (title, true),
        _ => (text, false),
    }
}

#[cfg(test)]
mod tests;

//! The verbose console: a title and a verdict for each test and each suite.
//!
//! ```text
//! ==============================================================================
//! Tank
//! ==============================================================================
//! Wrong Level                                                           | FAIL |
//! 10 != 11
//! ------------------------------------------------------------------------------
//! Tank                                                                  | FAIL |
//! 1 test, 0 passed, 1 failed
//! ==============================================================================
//! ```
//!
//! Titles and verdicts are printed apart: what a test prints stands between them. Whether a verdict is a
//! test's or a suite's, the line below its message tells.

use super::message;
use super::statistics::{Statistics, Status};
use crate::held::Held;
use crate::machine::{Line, Out};
use bv_schemas::{Test, TestOutcome};

/// Lines of one message that are kept.
const MESSAGE_LINES_MAX: usize = 400;
/// Suites inside each other that are followed.
const SUITES_MAX: usize = 100;
/// No separator is shorter.
const WIDTH_MIN: usize = 20;
/// `| PASS |`
const STATUS_WIDTH: usize = 8;

/// See the head of this file.
#[derive(Default)]
pub struct Console {
    opened: bool,
    /// The run's beginning was not seen: which suite is the root is not known.
    headless: bool,
    /// Columns of the separators.
    width: usize,
    suites: Vec<Suite>,
    /// The line before, when it was no separator and no verdict: it may be a suite's title.
    before: Option<String>,
    /// The last separator stands right above that line.
    ruled: bool,
    /// The test that runs.
    title: Option<Title>,
    verdict: Option<Verdict>,
    doubt: Option<Doubt>,
    held: Held,
    /// Failed tests that robot did not run.
    not_run: u64,
    /// What the outermost suite that ended says, where it may not be the root.
    last: Option<(Statistics, Status)>,
}

struct Suite {
    name: String,
    failed_before: u64,
}

#[derive(Clone)]
struct Title {
    name: String,
    span: [u64; 2],
}

/// A verdict whose message is being read.
struct Verdict {
    name: String,
    status: Status,
    lines: Vec<String>,
    span: [u64; 2],
    /// Columns of the separator below it.
    width: usize,
    /// The title of another test that waits for its verdict: this one may be what that test printed.
    waiting: Option<Title>,
}

/// A test ended while another's title waited; a verdict without a title takes that back.
struct Doubt {
    title: Title,
    span: [u64; 2],
}

impl Console {
    /// Whether a run is being read.
    pub fn is_open(&self) -> bool {
        self.opened
    }

    /// Whether a test prints, or a message is being read.
    pub fn is_inside(&self) -> bool {
        self.opened && (self.verdict.is_some() || self.title.is_some())
    }

    /// Takes the next line.
    pub fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        let text = line.text;
        match text.trim_end_matches(' ').as_bytes().last() {
            Some(b'=' | b'-') if self.separates(text) => return self.separator(line, out),
            Some(b'|') if self.judged(line, out) => return,
            _ => {}
        }
        if let Some(verdict) = &mut self.verdict {
            verdict.span[1] = line.span[1];
            if verdict.lines.len() < MESSAGE_LINES_MAX {
                verdict.lines.push(text.trim_end().to_owned());
            }
            return;
        }
        if self.last.is_some() && is_output_file(text) {
            return self.close(out);
        }
        if self.width > 0 {
            self.other(line);
        }
    }

    /// The stream ended.
    pub fn end(&mut self, out: &mut Out) {
        if self.opened {
            if let Some(verdict) = self.verdict.take() {
                self.test_ended(verdict, out);
            }
            self.held.say(out);
            out.unnamed(std::mem::take(&mut self.not_run));
        }
    }

    fn separates(&self, text: &str) -> bool {
        let bytes = text.trim_end_matches(' ').as_bytes();
        let width = self.verdict.as_ref().map_or(self.width, |verdict| verdict.width);
        let fits = match self.opened || self.verdict.is_some() {
            true => bytes.len() == width,
            false => bytes.len() >= WIDTH_MIN,
        };
        fits && bytes.iter().all(|b| *b == bytes[0])
    }

    /// `====` or `----`: a verdict's message ends, or a suite begins.
    fn separator(&mut self, line: &Line<'_>, out: &mut Out) {
        let text = line.text.trim_end_matches(' ');
        let of_suites = text.starts_with('=');
        let before = self.before.take();
        let is_title = before.as_ref().is_some_and(|title| self.ruled || columns(title) == text.len());
        if let Some(verdict) = self.verdict.take() {
            self.open(out);
            match of_suites {
                true => self.suite_ended(verdict, line, out),
                false => self.test_ended(verdict, out),
            }
        } else if self.title.is_some() && !(of_suites && is_title) {
            // The test that runs printed it.
            return;
        } else if let Some(title) = before.filter(|_| of_suites && is_title) {
            if columns(&title) == text.len() {
                self.suite(&title);
                self.open(out);
            } else {
                self.suite(&title);
            }
        }
        self.width = text.len();
        self.ruled = true;
        self.title = None;
    }

    fn suite(&mut self, title: &str) {
        let name = named(title);
        if !name.is_empty() && self.suites.len() < SUITES_MAX {
            let failed_before = self.held.len() + self.not_run;
            self.suites.push(Suite { name: name.to_owned(), failed_before });
        }
    }

    fn open(&mut self, out: &mut Out) {
        if !std::mem::replace(&mut self.opened, true) {
            self.headless = self.suites.is_empty();
            out.open();
        }
    }

    /// A verdict; whether the line is one.
    fn judged(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let Some((before, status)) = verdict(line.text) else { return false };
        let width = columns(before) + STATUS_WIDTH;
        let fits = if self.width == 0 { width >= WIDTH_MIN } else { width == self.width };
        // Robot's own table of wide characters may have another width for some.
        let fits = fits || !before.is_ascii() && before.ends_with("  ");
        let titled = before.ends_with(' ') && fits && !before.trim().is_empty();
        let width = if self.width == 0 { width } else { self.width };
        let verdict =
            |name: String, span, waiting| Verdict { name, status, lines: Vec::new(), span, width, waiting };
        if titled {
            // Verdicts stand below separators: this one is in a message.
            if self.verdict.is_some() {
                return false;
            }
            self.doubt = None;
            let name = named(before).to_owned();
            let waiting = self.title.take().filter(|title| title.name != name);
            self.verdict = Some(verdict(name, line.span, waiting));
            return true;
        }
        // Below what the test printed, and perhaps below a verdict that the test printed.
        let waiting = self.title.take().or_else(|| self.verdict.as_mut()?.waiting.take());
        let title = match (waiting, self.doubt.take()) {
            (Some(title), _) => title,
            (None, Some(doubt)) => {
                self.held.forget(|failure| failure.span == Some(doubt.span));
                doubt.title
            }
            (None, None) => return false,
        };
        self.open(out);
        self.verdict = Some(verdict(title.name, [title.span[0], line.span[1]], None));
        true
    }

    /// Any other line: a title, or output.
    fn other(&mut self, line: &Line<'_>) {
        if self.before.is_some() {
            self.ruled = false;
            if !self.opened {
                // A heading that was none of robot's.
                self.suites.clear();
            }
        }
        if self.opened && self.title.is_none() {
            self.title = self.titled(line);
            if self.title.is_some() {
                self.doubt = None;
            }
        }
        self.before = Some(line.text.to_owned());
    }

    /// The title of a test that prints: it fills all columns before the verdict's.
    fn titled(&self, line: &Line<'_>) -> Option<Title> {
        let (title, rest) = cut(line.text, self.width.checked_sub(STATUS_WIDTH + 1)?)?;
        let fills = title.ends_with("  ") || title.ends_with("...");
        (fills && (rest.is_empty() || rest.starts_with(' ')))
            .then(|| Title { name: named(title).to_owned(), span: line.span })
            .filter(|title| !title.name.is_empty())
    }

    fn test_ended(&mut self, verdict: Verdict, out: &mut Out) {
        let id = match self.suites.last() {
            Some(suite) => format!("{}.{}", suite.name, verdict.name),
            None => verdict.name.clone(),
        };
        let span = verdict.span;
        out.tests_seen += 1;
        self.doubt = verdict.waiting.map(|title| Doubt { title, span });
        let outcome = match verdict.status {
            Status::Pass => TestOutcome::Passed,
            Status::Skip => TestOutcome::Skipped,
            Status::Fail if message::not_run(&verdict.lines) => {
                self.not_run += 1;
                return;
            }
            Status::Fail => return self.held.push(message::failure(Some(id), &verdict.lines, span)),
        };
        out.test(Test { id, outcome, duration_ms: None });
    }

    /// A suite ended; the root ends the run.
    fn suite_ended(&mut self, verdict: Verdict, line: &Line<'_>, out: &mut Out) {
        let Some((statistics, words)) = verdict.lines.split_last() else {
            return self.test_ended(verdict, out);
        };
        let Some(mut statistics) = Statistics::read(statistics) else { return self.test_ended(verdict, out) };
        let suite = self.suites.pop();
        let failed = self.held.len() + self.not_run;
        let seen = failed.saturating_sub(suite.as_ref().map_or(0, |suite| suite.failed_before));
        if seen < statistics.failed && words.first().is_some_and(|head| head == "Suite teardown failed:") {
            // Its tests had passed before.
            let name = suite.map_or(verdict.name, |suite| suite.name);
            self.held.push(message::failure(Some(name), words, [verdict.span[0], line.span[0]]));
        }
        let critical = words.last().and_then(|text| Statistics::critical(text));
        if let Some(critical) = critical.filter(|_| verdict.status == Status::Pass) {
            // Up to version 3 only critical tests decide.
            self.held.forget(|_| true);
            statistics = critical;
        }
        if self.suites.is_empty() {
            self.last = Some((statistics, verdict.status));
            if !self.headless {
                self.close(out);
            }
        }
    }

    fn close(&mut self, out: &mut Out) {
        let Some((statistics, status)) = self.last.take() else { return };
        let unnamed = statistics.failed.saturating_sub(self.held.len());
        self.held.say(out);
        out.unnamed(unnamed);
        out.close(statistics.closing(status));
        *self = Console::default();
    }
}

/// A line that ends with a verdict: what stands before it, and the verdict.
fn verdict(text: &str) -> Option<(&str, Status)> {
    let text = text.trim_end_matches(' ').strip_suffix(" |")?;
    let (before, name) = text.split_at_checked(text.len().checked_sub(4)?)?;
    let status = Status::of(name)?;
    Some((before.strip_suffix("| ")?, status))
}

/// `Name :: documentation`, padded, without both; a name holds no two blanks.
fn named(title: &str) -> &str {
    let name = title.split(" :: ").next().unwrap_or(title);
    name.split("  ").next().unwrap_or(name).trim()
}

/// `Output:  /w/output.xml`, below the root's statistics.
fn is_output_file(text: &str) -> bool {
    ["Output:  ", "Log:     ", "Report:  ", "XUnit:   "].iter().any(|head| text.starts_with(head))
}

/// The text's first columns and the rest; nothing where it is shorter.
fn cut(text: &str, width: usize) -> Option<(&str, &str)> {
    let mut at = 0;
    for (byte, c) in text.char_indices() {
        if at >= width {
            return Some(text.split_at(byte));
        }
        at += wide(c);
    }
    (at >= width).then_some((text, ""))
}

/// Columns that the text takes on a terminal.
fn columns(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(wide).sum() }
}

/// East Asian wide characters take two columns (`src/robot/utils/charwidth.py`).
fn wide(c: char) -> usize {
    match u32::from(c) {
        0x1100..=0x115F
        | 0x2E80..=0x303E
        | 0x3041..=0xA4CF
        | 0xAC00..=0xD7A3
        | 0xF900..=0xFAFF
        | 0xFE30..=0xFE6F
        | 0xFF01..=0xFF60
        | 0xFFE0..=0xFFE6
        | 0x1F300..=0x1F64F
        | 0x1F900..=0x1F9FF
        | 0x20000..=0x3FFFD => 2,
        _ => 1,
    }
}

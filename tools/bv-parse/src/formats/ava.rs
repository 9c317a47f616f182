//! AVA's default reporter (4 to 7: `lib/reporters/default.js` in <https://github.com/avajs/ava>). Its TAP is read
//! with all other TAP.
//!
//! All lines are two in. A section opens with a failed test's line, an uncaught error or the rule (`  ─`) below the
//! results; between two rules stand the details, each under its test's title, and below the last the counts. Files
//! that could not be loaded, that gave up, or that hold no test are told of among the results.

mod counts;
mod details;

use crate::held::Held;
use crate::machine::{Closing, Format, HELD_MAX, Line, Machine, Out, Says};
use bv_schemas::{Counts, Failure, Kind, Place, Reason, Test, TestOutcome};
use counts::Statement;
pub use details::tap;
use std::collections::HashSet;

/// The table's line.
pub const FORMAT: Format = Format {
    name: "ava",
    commands: &["ava"],
    needles: &[
        "  ─",
        "✘ [fail]: ",
        "✖ [fail]: ",
        "Uncaught exception in ",
        "Unhandled rejection in ",
        "Couldn’t find any ",
        " did not match the filters:",
        " Timed out while running tests",
        " exited with a non-zero exit code: ",
        "No tests found in ",
        // What these lines announce must stand in the counts.
        "  - [skip] ",
        "  - [todo] ",
        "✔ [expected fail] ",
    ],
    new: || Box::<Ava>::default(),
};

/// Text kept of one error.
const BLOCK_BYTES_MAX: usize = 256 << 10;
/// The line between the results, the details and the counts.
const RULE: &str = "  ─";

/// One run at a time; the next one in the stream is a new section.
#[derive(Default)]
struct Ava {
    open: bool,
    /// What stands behind `✘ [fail]: `: a test's title, and its message.
    marks: Vec<String>,
    /// Files of which a test ended: the first part of its name.
    stems: HashSet<String>,
    /// Names of tests have no file's before them.
    single: bool,
    block: Option<Block>,
    /// Files and tests that failed outside of the details.
    loose: Held,
    /// The failures of the details.
    held: Held,
    part: Part,
    /// Blank lines since the last other one.
    blanks: usize,
    statement: Statement,
    /// Tests that the counts must tell of: skipped, todo, failing as expected.
    announced: counts::Announced,
    pending: bool,
    /// How the section closed.
    closed: Option<Says>,
}

/// Where the run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    /// Above the first rule.
    #[default]
    Results,
    /// Below it: details or counts.
    Ruled,
    /// In the details.
    Details,
    /// Below the second rule.
    Counts,
}

/// An error that is being read.
struct Block {
    title: String,
    /// `Uncaught exception in`, and no failed test.
    of_file: bool,
    text: String,
    span: [u64; 2],
}

impl Block {
    fn new(title: &str, of_file: bool, span: [u64; 2]) -> Block {
        Block { title: title.to_owned(), of_file, text: String::new(), span }
    }

    fn push(&mut self, line: &Line<'_>) {
        let text = line.text.strip_prefix("  ").unwrap_or(line.text);
        if self.text.len() + text.len() < BLOCK_BYTES_MAX {
            self.text.push_str(text);
            self.text.push('\n');
            if !text.is_empty() {
                self.span[1] = line.span[1];
            }
        }
    }
}

impl Machine for Ava {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let text = line.text.trim_end();
        let blanks = std::mem::take(&mut self.blanks);
        if text.is_empty() {
            self.blanks = blanks + 1;
            if let Some(block) = &mut self.block {
                block.push(line);
            } else if self.statement.began() {
                self.conclude(out);
            }
            return;
        }
        match self.part {
            _ if text == RULE => self.rule(out),
            Part::Details if blanks >= 3 && self.is_title(&text[2.min(text.len())..]) => {
                self.titled(text, line)
            }
            Part::Details => self.push(line),
            Part::Ruled | Part::Counts if self.statement.line(text) => {}
            Part::Ruled if text.starts_with("  ") && self.is_title(&text[2..]) => {
                self.part = Part::Details;
                self.titled(text, line);
            }
            _ => {
                if self.statement.began() {
                    self.conclude(out);
                }
                self.result(text, line, out);
            }
        }
    }

    fn end(&mut self, out: &mut Out) {
        if self.statement.began() {
            self.conclude(out);
        }
        if self.open && self.closed.is_none() {
            self.end_block();
            self.loose.say(out);
            if self.held.is_empty() {
                self.held = self.marked();
            }
            self.held.say(out);
        }
    }

    fn owns_lines(&self) -> bool {
        self.open && (self.part == Part::Details || self.block.is_some())
    }
}

impl Ava {
    fn open(&mut self, out: &mut Out) {
        // More comes behind a closing statement: a test printed that, or another run begins, for AVA has no first
        // line. A red word is never taken back.
        match self.closed.take() {
            Some(Says::Green | Says::NoTests) => out.reopen(),
            Some(_) => *self = Ava { part: self.part, ..Ava::default() },
            None => {}
        }
        if !std::mem::replace(&mut self.open, true) {
            out.open();
        }
    }

    fn push(&mut self, line: &Line<'_>) {
        if let Some(block) = &mut self.block {
            block.push(line);
        }
    }

    /// Whether a failed test's line begins with this title. Where the results are missing, anything may be one.
    fn is_title(&self, text: &str) -> bool {
        self.marks.iter().any(|mark| {
            mark.strip_prefix(text).is_some_and(|message| message.is_empty() || message.starts_with(' '))
        })
    }

    fn titled(&mut self, text: &str, line: &Line<'_>) {
        self.end_block();
        self.block = Some(Block::new(&text[2..], false, line.span));
    }

    fn rule(&mut self, out: &mut Out) {
        self.end_block();
        self.statement = Statement::default();
        if self.part != Part::Details || self.closed.is_some() {
            // The results are over, or a test printed a rule before.
            self.held = Held::default();
            self.part = Part::Ruled;
        } else {
            self.part = Part::Counts;
        }
        self.open(out);
    }

    /// A line of the results.
    fn result(&mut self, text: &str, line: &Line<'_>, out: &mut Out) {
        let Some(own) = text.strip_prefix("  ") else { return self.foreign(line) };
        if let Some(words) = counts::nothing_to_run(text) {
            self.open(out);
            let message = Some(words.trim_end_matches(':').to_owned());
            let says = Says::Refused(Reason::NoTests);
            out.close(Closing { says, counts: Counts::default(), duration_ms: None, message });
            *self = Ava::default();
            return;
        }
        for head in ["Uncaught exception in ", "Unhandled rejection in "] {
            if let Some(file) = own.strip_prefix(head) {
                self.resume(out);
                self.block = Some(Block::new(file, true, line.span));
                return;
            }
        }
        if let Some(rest) = own.strip_prefix(['✘', '✖']) {
            self.failed(rest.trim_start(), line, out);
        } else if let Some((outcome, name)) = passed(own) {
            if self.open {
                self.resume(out);
                out.tests_seen += 1;
                out.test(Test { id: name.to_owned(), outcome, duration_ms: None });
            }
            self.end_block();
            self.announced.add(outcome);
            self.ended(name);
        } else if let Some(title) = own.strip_prefix("◌ ").filter(|_| self.pending) {
            let message = Some("Timed out while running tests".to_owned());
            let id = Some(title.to_owned());
            self.loose.push(Failure {
                id,
                kind: Kind::Timeout,
                message,
                span: Some(line.span),
                ..Failure::default()
            });
        } else {
            self.foreign(line);
        }
    }

    /// A line that is none of AVA's own: it belongs to an uncaught error, or a test printed it.
    fn foreign(&mut self, line: &Line<'_>) {
        if line.text.starts_with("  ") {
            self.push(line);
        } else {
            self.end_block();
        }
    }

    /// The run goes on: a rule that came was a test's.
    fn resume(&mut self, out: &mut Out) {
        self.end_block();
        self.open(out);
        self.part = Part::Results;
    }

    /// Behind `✘ `: a failed test, or what went wrong with a file.
    fn failed(&mut self, words: &str, line: &Line<'_>, out: &mut Out) {
        self.resume(out);
        if let Some(mark) = words.strip_prefix("[fail]: ").or(words.strip_prefix("[unexpected pass]: ")) {
            out.tests_seen += 1;
            self.ended(mark);
            if self.marks.len() < HELD_MAX {
                self.marks.push(mark.to_owned());
            }
        } else if words.starts_with("Timed out while running tests") {
            self.pending = true;
        } else if let Some((file, kind)) = file_failed(words) {
            if self.loose.find(file).is_none() {
                let file = file.to_owned();
                let test = Some(Place { file: Some(file.clone()), ..Place::default() });
                let (id, message) = (Some(file), Some(words.trim_end_matches(':').to_owned()));
                self.loose.push(Failure {
                    id,
                    kind,
                    message,
                    test,
                    span: Some(line.span),
                    ..Failure::default()
                });
            }
            if kind == Kind::Crash && words.ends_with(':')
                || words.starts_with("Exiting due to process.exit()")
            {
                // Its stack follows, which says nothing more.
                self.block = None;
            }
        }
    }

    /// A test of this name ended.
    fn ended(&mut self, name: &str) {
        match name.split_once(" › ") {
            Some((stem, _)) if self.stems.len() < HELD_MAX => drop(self.stems.insert(stem.to_owned())),
            Some(_) => {}
            None => self.single = true,
        }
    }

    fn end_block(&mut self) {
        let Some(block) = self.block.take() else { return };
        let lines: Vec<&str> = block.text.lines().collect();
        let mut failure = details::failure(&lines);
        failure.span = Some(block.span);
        if !block.of_file {
            if is_hook(&block.title) {
                failure.kind = Kind::SetupError;
            }
            failure.id = Some(block.title);
            self.held.push(failure);
            return;
        }
        let name = block.title.rsplit(['/', '\\']).next().unwrap_or_default();
        let stem = name.split('.').next().unwrap_or_default();
        let ran = self.single && self.stems.is_empty()
            || self.stems.iter().any(|known| known == stem || known.ends_with(stem));
        failure.kind = if ran { Kind::Exception } else { Kind::CollectionError };
        if failure.test.is_none() {
            failure.test = Some(Place { file: Some(block.title.clone()), ..Place::default() });
        }
        failure.id = Some(block.title);
        self.loose.push(failure);
    }

    /// Failed tests by their lines alone, where the details never came.
    fn marked(&mut self) -> Held {
        let mut held = Held::default();
        for mark in self.marks.drain(..) {
            held.push(Failure { id: Some(mark), ..Failure::default() });
        }
        held
    }

    /// The counts are over.
    fn conclude(&mut self, out: &mut Out) {
        let statement = std::mem::take(&mut self.statement);
        if !statement.tells(&self.announced) {
            // It is cut off.
            return;
        }
        self.open(out);
        let mut closing = statement.closing(!self.loose.is_empty());
        if closing.says == Says::Red {
            let tests = statement.hooks + statement.failed;
            let unnamed = tests.saturating_sub(self.held.len())
                + (statement.uncaught + statement.others).saturating_sub(self.loose.len());
            let unloaded = self.held.is_empty()
                && closing.counts.passed.is_none()
                && self.stems.is_empty()
                && !self.single
                && tests == 0
                && self.loose.iter_mut().all(|failure| failure.kind == Kind::CollectionError);
            if unloaded && unnamed == 0 {
                closing.says = Says::Refused(Reason::CollectionError);
            }
            for failure in self.loose.iter_mut().chain(self.held.iter_mut()) {
                out.failure(failure.clone());
            }
            out.unnamed(unnamed);
        }
        self.closed = Some(closing.says);
        out.close(closing);
    }
}

/// What a line says of a file that failed: which, and how.
fn file_failed(words: &str) -> Option<(&str, Kind)> {
    if let Some(rest) = words.strip_prefix("No tests found in ") {
        return Some((rest.split(", make sure ").next().unwrap_or(rest), Kind::CollectionError));
    }
    if let Some(file) = words.strip_prefix("Exiting due to process.exit() when running ") {
        return Some((file, Kind::Crash));
    }
    if let Some(file) = words.strip_prefix("Internal error when running ") {
        return Some((file, Kind::Exception));
    }
    let (file, _) =
        words.split_once(" exited with a non-zero exit code: ").or(words.split_once(" exited due to "))?;
    Some((file, Kind::Crash))
}

/// `✔ name (109ms)`, `✔ [expected fail] name`, `- [skip] name`, `- [todo] name`
fn passed(text: &str) -> Option<(TestOutcome, &str)> {
    if let Some(name) = text.strip_prefix("✔ ") {
        let name = match name.rsplit_once(" (") {
            Some((name, time)) if time.ends_with("s)") && time.starts_with(|c: char| c.is_ascii_digit()) => {
                name
            }
            _ => name,
        };
        return Some(match name.strip_prefix("[expected fail] ") {
            Some(name) => (TestOutcome::Xfailed, name),
            None => (TestOutcome::Passed, name),
        });
    }
    let skipped = text.strip_prefix("- [skip] ").map(|name| (TestOutcome::Skipped, name));
    skipped.or_else(|| Some((TestOutcome::Todo, text.strip_prefix("- [todo] ")?)))
}

/// `b › before hook`, `beforeEach hook for truthy`
fn is_hook(title: &str) -> bool {
    let title = title.rsplit(" › ").next().unwrap_or(title);
    ["before", "beforeEach", "after", "afterEach", "after.always", "afterEach.always"].iter().any(|kind| {
        title
            .strip_prefix(kind)
            .and_then(|rest| rest.strip_prefix(" hook"))
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(" for "))
    })
}

#[cfg(test)]
mod tests;

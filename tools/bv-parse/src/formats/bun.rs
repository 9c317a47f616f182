//! Bun's test runner (`bun test`, 1.0 to 1.4: `src/cli/test_command.zig` in <https://github.com/oven-sh/bun>), with
//! `--dots`, `--only-failures`, and the quiet form that it takes under `CLAUDECODE=1` or `AGENT=1`.
//!
//! A section opens with `bun test v1.4.5`, or with the counts where that is missing, and closes with the counts and
//! `Ran 8 tests across 1 file.` An error stands above the result of its test, a reason without one below it, and
//! what keeps a file from being loaded between two rules under `# Unhandled error between tests`. Tests print into
//! all that: the counts say how many of the results are Bun's own.

mod errors;
mod mark;
mod summary;

use crate::held::Held;
use crate::javascript::timed_out;
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use bv_schemas::{Counts, Failure, Kind, Place, Reason, Test, TestOutcome};
use errors::Errors;
use mark::Mark;
use summary::{Part, Summary};

/// The table's line.
pub const FORMAT: Format = Format {
    name: "bun",
    commands: &["bun", "bunx"],
    needles: &["bun test v", "(fail) ", " tests across ", " test across "],
    new: || Box::<Bun>::default(),
};

/// Above what went wrong outside of all tests.
const UNHANDLED: &str = "# Unhandled error between tests";
/// The rule around it.
const RULE: &str = "-------------------------------";

/// One run at a time; the next one in the stream is a new section.
#[derive(Default)]
struct Bun {
    open: bool,
    /// The first line was seen: nothing of the run is missing above.
    whole: bool,
    /// The file whose tests run.
    file: Option<String>,
    /// Whether one of its tests has ended.
    file_ran: bool,
    errors: Errors,
    unhandled: Unhandled,
    held: Held,
    /// The results below `30 tests failed:`, where they stand once more.
    recap: Option<Held>,
    seen: Seen,
    summary: Summary,
    /// The section closed; what is held is kept, for a test may have printed the statement.
    closed: bool,
    /// The last result failed, and its reason may stand below.
    reason_may_follow: bool,
}

/// Where an error outside of all tests stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Unhandled {
    #[default]
    No,
    /// Its title came.
    Titled,
    /// Its first rule came.
    Inside,
}

/// Results and errors, counted.
#[derive(Debug, Default)]
struct Seen {
    passed: u64,
    failed: u64,
    /// Errors outside of all tests.
    unhandled: u64,
    signs: bool,
    words: bool,
}

impl Machine for Bun {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let text = line.text;
        if text.starts_with("bun test v") {
            *self = Bun { whole: true, ..Bun::default() };
            self.open(out);
            return;
        }
        if self.unhandled != Unhandled::No {
            self.unhandled_line(line);
            return;
        }
        if self.own(line, out) {
            return;
        }
        if self.runs() && text.starts_with("::error ") {
            // An error once more, for GitHub.
            out.mine();
            return;
        }
        self.errors.line(line);
    }

    fn end(&mut self, out: &mut Out) {
        if self.open && !self.closed {
            self.held.say(out);
        }
    }

    fn owns_lines(&self) -> bool {
        self.runs() && self.errors.in_error()
    }
}

impl Bun {
    /// Takes one of Bun's own lines; whether it is one.
    fn own(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let text = line.text;
        if std::mem::take(&mut self.reason_may_follow)
            && let Some(reason) = text.strip_prefix("  ^ ")
        {
            self.reason(reason, line.span[1]);
            return true;
        }
        if let Some(mark) = Mark::read(text).filter(|mark| self.is_style(mark)) {
            self.mark(mark, line, out);
            return true;
        }
        match self.summary.line(text) {
            Part::None => {}
            Part::More => return true,
            Part::Whole => {
                self.counted(out);
                return true;
            }
        }
        match text.as_bytes() {
            [b'#', ..] if text == UNHANDLED => {
                self.go_on(out);
                self.errors.clear();
                self.unhandled = Unhandled::Titled;
                true
            }
            [b'0'..=b'9', ..] if is_recap(text) => {
                self.recap = Some(Held::default());
                true
            }
            [b'N' | b'T' | b'e', ..] if self.runs() && summary::nothing_to_run(text) => {
                let message = Some(text.strip_prefix("error: ").unwrap_or(text).to_owned());
                let says = Says::Refused(Reason::NoTests);
                self.close(Closing { says, counts: Counts::default(), duration_ms: None, message }, out);
                true
            }
            _ => {
                if self.runs()
                    && let Some(file) = heading(text)
                {
                    self.file = Some(file.to_owned());
                    self.file_ran = false;
                }
                false
            }
        }
    }

    /// Signs are Bun's own only where it colours, and words only where it does not.
    fn is_style(&mut self, mark: &Mark) -> bool {
        let (own, other) = match mark.is_sign {
            true => (&mut self.seen.signs, self.seen.words || !self.whole),
            false => (&mut self.seen.words, self.seen.signs),
        };
        *own |= !other;
        !other
    }

    fn open(&mut self, out: &mut Out) {
        if !std::mem::replace(&mut self.open, true) {
            out.open();
        }
    }

    fn mark(&mut self, mark: Mark, line: &Line<'_>, out: &mut Out) {
        self.go_on(out);
        let error = self.errors.take();
        // In a recap no error stands above a result, and nothing that passed.
        if let Some(mut recap) = self.recap.take_if(|_| error.is_some() || is_passed(mark.result)) {
            self.seen.failed += recap.len();
            recap.iter_mut().for_each(|failure| self.held.push(std::mem::take(failure)));
        }
        if self.recap.is_none() {
            out.tests_seen += 1;
            self.file_ran = true;
        }
        match mark.result {
            mark::Result::Failed => self.failed(mark.id, error, line),
            mark::Result::Other(outcome) => {
                if self.recap.is_none() && self.open {
                    self.seen.passed += u64::from(is_passed(mark.result));
                    out.test(Test { id: mark.id, outcome, duration_ms: mark.duration_ms });
                }
            }
        }
        if self.open {
            out.mine();
        }
    }

    fn failed(&mut self, id: String, error: Option<Failure>, line: &Line<'_>) {
        let mut failure = error.unwrap_or_default();
        // What a hook around a describe throws fails a test without a name.
        if id == "(unnamed)" || id.ends_with(" > (unnamed)") {
            failure.kind = Kind::SetupError;
        }
        if failure.kind == Kind::Exception && failure.exception_type.is_none() && failure.expected.is_some() {
            failure.kind = Kind::Assertion;
        }
        failure.span = Some([failure.span.map_or(line.span[0], |span| span[0]), line.span[1]]);
        failure.id = Some(id);
        match &mut self.recap {
            Some(recap) => recap.push(failure),
            None => {
                self.seen.failed += 1;
                self.held.push(failure);
            }
        }
        self.reason_may_follow = true;
    }

    /// `this test timed out after 200ms.`, below the result.
    fn reason(&mut self, reason: &str, end: u64) {
        let held = match &mut self.recap {
            Some(recap) => recap.last_mut(),
            None => self.held.last_mut(),
        };
        let Some(failure) = held else { return };
        let timeout = timed_out(reason) || reason.contains(" timed out ");
        let kind = if timeout { Kind::Timeout } else { Kind::Assertion };
        let span = failure.span.map(|span| [span[0], end]);
        let id = failure.id.take();
        *failure = Failure { id, kind, message: Some(reason.to_owned()), span, ..Failure::default() };
    }

    /// A line below `# Unhandled error between tests`.
    fn unhandled_line(&mut self, line: &Line<'_>) {
        if line.text != RULE {
            match self.unhandled {
                Unhandled::Inside => self.errors.line(line),
                _ => self.unhandled = Unhandled::No,
            }
            return;
        }
        if self.unhandled == Unhandled::Titled {
            self.unhandled = Unhandled::Inside;
            return;
        }
        self.unhandled = Unhandled::No;
        let mut failure = self.errors.take().unwrap_or_default();
        self.seen.unhandled += 1;
        if !self.file_ran {
            failure.kind = Kind::CollectionError;
            if let Some(file) = &self.file {
                failure.id = Some(file.clone());
                let here = Place { file: Some(file.clone()), ..Place::default() };
                if failure.test.as_ref().is_none_or(|test| test.line.is_none()) {
                    failure.fault = failure.test.replace(here).filter(|fault| fault.file != failure.id);
                }
            }
        }
        failure.span = Some([failure.span.map_or(line.span[0], |span| span[0]), line.span[1]]);
        self.held.push(failure);
    }

    /// Whether the section is open.
    fn runs(&self) -> bool {
        self.open && !self.closed
    }

    /// More of the run comes behind a closing statement: a test printed that.
    fn go_on(&mut self, out: &mut Out) {
        if std::mem::take(&mut self.closed) {
            out.reopen();
        }
    }

    /// The counts came. Where the run's first line is not there, nothing tells whether what follows is more of it.
    fn counted(&mut self, out: &mut Out) {
        self.go_on(out);
        self.open(out);
        let summary = std::mem::take(&mut self.summary);
        let mut closing = summary.closing();
        if closing.says == Says::Red {
            // A file whose loading failed is counted twice.
            let unloaded = self.held.iter_mut().filter(|failure| failure.kind == Kind::CollectionError);
            let failed = summary.failed + summary.errors.saturating_sub(unloaded.count() as u64);
            let own = self.own_failures(failed, summary.failed);
            let unnamed = failed.saturating_sub(own.len() as u64);
            let unloaded = own.iter().all(|failure| failure.kind == Kind::CollectionError);
            if unloaded && !own.is_empty() && summary.passed == Some(0) && unnamed == 0 {
                closing.says = Says::Refused(Reason::CollectionError);
            }
            own.into_iter().for_each(|failure| out.failure(failure));
            out.unnamed(unnamed);
        } else if self.whole
            && self.seen.words
            && self.seen.passed > 0
            && summary.passed != Some(self.seen.passed)
        {
            // These may be a test's words for another run.
            closing.says = Says::GreenAtExit0;
        }
        self.close(closing, out);
    }

    fn close(&mut self, closing: Closing, out: &mut Out) {
        out.close(closing);
        self.errors.clear();
        self.closed = true;
        if !self.whole {
            *self = Bun::default();
        }
    }

    /// The failures that are Bun's own, of which there are `all`, `failed` of them tests: where more were seen, tests
    /// printed some.
    fn own_failures(&mut self, all: u64, failed: u64) -> Vec<Failure> {
        let mut own: Vec<Failure> = self.held.iter_mut().map(|failure| failure.clone()).collect();
        if own.len() as u64 <= all {
            return own;
        }
        if let Some(listed) = self.recap.as_mut().filter(|recap| recap.len() == failed) {
            own.retain(|failure| {
                failure.kind == Kind::CollectionError
                    || failure.id.as_deref().is_none_or(|id| listed.find(id).is_some())
            });
        }
        // Bun gives a reason for each of its own.
        let mut over = (own.len() as u64).saturating_sub(all);
        own.retain(|failure| {
            let printed = over > 0 && failure.message.is_none();
            over -= u64::from(printed);
            !printed
        });
        own
    }
}

fn is_passed(result: mark::Result) -> bool {
    matches!(result, mark::Result::Other(TestOutcome::Passed | TestOutcome::Flaky))
}

/// `30 tests failed:`, `1 tests skipped:`, `2 tests todo:`
fn is_recap(text: &str) -> bool {
    let Some((number, rest)) = text.split_once(" tests ") else { return false };
    number.bytes().all(|b| b.is_ascii_digit()) && matches!(rest, "failed:" | "skipped:" | "todo:")
}

/// `test/cart.test.js:`, above the file's results.
fn heading(text: &str) -> Option<&str> {
    let path = text.strip_prefix("::group::").unwrap_or(text).strip_suffix(':')?;
    (path.contains('.') && !path.contains([' ', '(']) && !path.ends_with(':')).then_some(path)
}

#[cfg(test)]
mod tests;

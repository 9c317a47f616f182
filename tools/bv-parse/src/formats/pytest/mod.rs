//! pytest's terminal output, in all its verbosities and `--tb` styles, with xdist, subtests, reruns,
//! pytest-check, pytest-timeout, pytest-sugar and Hypothesis.
//!
//! A session runs from its header (with `-q` its first line of letters) to its closing line. Everything
//! told between the two is held and joined when it closes: blocks of FAILURES and ERRORS have the details
//! and the test's bare name, the short summary and the result lines have the ids. A closing line counts
//! only where it fits what was seen, since a test may print one. Captured output, warnings and logs are
//! left alone.

mod block;
mod checks;
mod closing;
mod doctest;
mod dump;
mod json_report;
mod junit;
mod names;
mod results;
mod session;

pub use block::Phase;
pub use junit::JUNIT;

use crate::machine::{Claim, Closing, Format, Line, Machine, Out, Says};
use block::Block;
use bv_schemas::{Counts, Failure, Kind, Reason, Test, TestOutcome};
use closing::{Summary, columns, summary, titled};
use dump::Dump;
use json_report::JsonReport;
use memchr::memmem;
use names::{Heading, Short};
use results::Word;
use session::{Session, complete};
use std::mem::take;

/// pytest on a terminal.
pub const FORMAT: Format = Format {
    name: "pytest",
    commands: &["pytest", "py.test"],
    needles: &[
        "test session starts",
        "Test session starts (platform",
        "= FAILURES =",
        "= ERRORS =",
        "short test summary info",
        "%]",
        "INTERNALERROR> ",
        "ImportError while loading conftest",
        "ERROR: usage: ",
        "usage: pytest ",
        "ERROR: file or directory not found: ",
        "ERROR: not found: ",
        "ERROR: found no collectors for ",
        "ERROR: Wrong expression passed to ",
        json_report::NEEDLES[0],
        json_report::NEEDLES[1],
    ],
    new: || Box::<Pytest>::default(),
};

/// Lines of a conftest's traceback that are read before it is taken for something else.
const CONFTEST_LINES_MAX: usize = 2000;
/// Lines of an internal error that are kept.
const INTERNAL_LINES_MAX: usize = 2000;

/// See the head of this file.
#[derive(Default)]
struct Pytest {
    session: Option<Session>,
    place: Place,
    /// The block that is being read, its heading (`--tb=line` has none) and its place in the stream.
    block: Option<Reading>,
    /// Sessions whose header stands in captured output and whose closing line has not come yet: tests
    /// of pytest plugins run pytest.
    nested: u32,
    /// The test that runs, with `-v`.
    running: String,
    dump: Option<Dump>,
    /// A conftest that could not be loaded: its traceback follows.
    conftest: Option<(Reading, usize)>,
    internal: Vec<String>,
    internal_span: Option<[u64; 2]>,
    /// pytest's usage line came: its error line follows.
    usage: bool,
    /// What could not be found, said before the header or instead of one.
    refusal: Option<String>,
    /// pytest-sugar's results are being counted.
    sugar: Option<Summary>,
    json: JsonReport,
}

#[derive(Default)]
struct Reading {
    heading: Option<Heading>,
    block: Block,
    span: [u64; 2],
}

/// Where in a session the next line stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    /// Tests run.
    #[default]
    Running,
    /// Under FAILURES or ERRORS.
    Blocks,
    /// In the short summary.
    Short,
    /// Under some other heading: warnings, a plugin's table.
    Other,
    /// In the captured output of tests that passed: failures were told before.
    Passes,
}

impl Machine for Pytest {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        if (self.json.is_open() || self.session.is_none()) && self.json.line(line, out) {
            return;
        }
        if let Some(dump) = &mut self.dump {
            if dump.line(line.text, line.span) {
                return;
            }
            self.dumped();
        }
        if self.conftest.is_some() && self.conftest_line(line, out) {
            return;
        }
        if self.sugar.is_some() && self.sugar_line(line.text, out) {
            return;
        }
        match (self.session.is_some(), self.place) {
            (false, _) => self.between(line, out),
            (true, Place::Running) => self.running_line(line, out),
            (true, _) => self.summary_line(line, out),
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.dumped();
        if self.conftest.is_some() {
            self.conftest_end(out);
        }
        if let Some(results) = self.sugar.take() {
            self.close(&results, out);
        }
        if self.session.is_some() {
            let session = self.finished();
            let (mut held, over) = session.failures(None);
            held.say(out);
            out.unnamed(over);
        } else if let Some(message) = self.refusal.take() {
            out.close(refused(Reason::NotRunnable, message));
        }
    }

    fn claim(&self) -> Claim {
        match (&self.session, self.place) {
            _ if self.conftest.is_some() || self.json.is_open() => Claim::Lines,
            (None, _) => Claim::Nothing,
            (Some(_), Place::Running) => Claim::Section,
            (Some(_), _) => Claim::Lines,
        }
    }
}

/// The failure that a result file tells of in pytest's own text.
pub fn failure_of(id: &str, phase: Phase, text: &str) -> Failure {
    let mut block = Block::default();
    text.lines().for_each(|line| block.line(line));
    let mut failure = block.failure(phase, names::function(id).filter(|_| phase != Phase::Collect));
    failure.id = Some(id.to_owned()).filter(|id| !id.is_empty());
    complete(&mut failure);
    failure
}

/// Outside of a session.
impl Pytest {
    fn between(&mut self, line: &Line<'_>, out: &mut Out) {
        let text = line.text;
        match text.as_bytes() {
            [b'=', ..] => {
                let Some(title) = titled(text, '=') else { return };
                match title {
                    "test session starts" => self.open(Some(columns(text)), Some(false), out),
                    "FAILURES" | "ERRORS" | "short test summary info" => {
                        self.open(Some(columns(text)), None, out);
                        self.section(title, None);
                    }
                    _ => {}
                }
            }
            [b'T', ..] if text.starts_with("Test session starts (platform") => {
                self.open(None, Some(false), out);
            }
            [b'I', ..] if text.starts_with("INTERNALERROR> ") => {
                self.open(None, None, out);
                self.running_line(line, out);
            }
            [b'I', ..] if text.starts_with("ImportError while loading conftest ") => {
                self.conftest = Some((Reading { span: line.span, ..Reading::default() }, 0));
            }
            [b'E' | b'u', ..] if is_usage(text) => self.usage = true,
            [b'E', ..] if text.starts_with("ERROR: ") => self.refusal_line(text),
            [.., b']'] => self.first_result(line, out),
            _ if take(&mut self.usage) => {
                if let Some((_, message)) = text.split_once(": error: ") {
                    out.close(refused(Reason::NotRunnable, message.to_owned()));
                }
            }
            _ => {}
        }
    }

    fn open(&mut self, width: Option<usize>, bare: Option<bool>, out: &mut Out) {
        out.open();
        self.place = Place::Running;
        self.nested = 0;
        self.running.clear();
        self.session = Some(Session::new(width, bare, self.refusal.take()));
    }

    /// With `-q` the first word of a session is its first line of letters.
    fn first_result(&mut self, line: &Line<'_>, out: &mut Out) {
        if results::progress(line.text).is_none() {
            return;
        }
        let bare = match results::letters(line.text) {
            Some((None, _)) => Some(true),
            Some((Some(_), _)) => None,
            None if results::verbose(line.text)
                .is_some_and(|told| told.word.is_some() && !told.id.is_empty()) =>
            {
                None
            }
            None => return,
        };
        self.open(None, bare, out);
        self.running_line(line, out);
    }

    /// `ERROR: file or directory not found: x` and its like.
    fn refusal_line(&mut self, text: &str) {
        const WORDS: &[&str] =
            &["file or directory not found: ", "found no collectors for ", "Wrong expression passed to "];
        let Some(message) = text.strip_prefix("ERROR: ") else { return };
        let test = message.starts_with("not found: ") && message.contains("::");
        if test || WORDS.iter().any(|words| message.starts_with(words)) {
            let refusal = match &mut self.session {
                Some(session) => &mut session.refusal,
                None => &mut self.refusal,
            };
            refusal.get_or_insert_with(|| message.to_owned());
        }
    }

    /// Whether the line belongs to the conftest's traceback.
    fn conftest_line(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let Some((reading, lines)) = &mut self.conftest else { return false };
        let more = line.text.starts_with('E') || !reading.block.has_said();
        if more && *lines < CONFTEST_LINES_MAX && !line.text.starts_with("===") {
            *lines += 1;
            reading.block.line(line.text);
            reading.span[1] = line.span[1];
            return true;
        }
        self.conftest_end(out);
        false
    }

    fn conftest_end(&mut self, out: &mut Out) {
        let Some((reading, _)) = self.conftest.take() else { return };
        let mut failure = reading.block.failure(Phase::Collect, None);
        failure.span = Some(reading.span);
        let message = failure.message.clone();
        out.failure(failure);
        self.session = None;
        out.close(Closing { message, ..refused(Reason::CollectionError, String::new()) });
    }
}

/// While tests run.
impl Pytest {
    fn running_line(&mut self, line: &Line<'_>, out: &mut Out) {
        let text = line.text;
        let bytes = text.as_bytes();
        let (Some(&first), Some(&last)) = (bytes.first(), bytes.last()) else { return };
        if matches!(last, b']' | b'D' | b'R' | b'L' | b'S' | b')' | b'N' | b' ') && self.result(text, out) {
            return;
        }
        if let Some(at) = memmem::find(bytes, dump::FATAL.as_bytes()) {
            let message = &text[at + dump::FATAL.len()..];
            self.dump = Some(Dump::fatal(message, self.running_at(&text[..at]), line.span));
            return;
        }
        if last == b'+' && memmem::find(bytes, dump::TIMEOUT.as_bytes()).is_some() {
            let before = text.split(" +++").next().unwrap_or_default();
            self.dump = Some(Dump::timeout(self.running_at(&format!("{before} ")), line.span));
            return;
        }
        match first {
            b'=' => self.ruler(line, out),
            b'!' => self.stopped(text),
            b'I' if text.starts_with("INTERNALERROR> ") => self.internal_line(line),
            b'I' if text.starts_with("ImportError while loading conftest ") => {
                self.conftest = Some((Reading { span: line.span, ..Reading::default() }, 0));
            }
            b'E' if text.starts_with("ERROR: ") => self.refusal_line(text),
            b'c' if text.starts_with("collect") => self.collected(text),
            b'F' | b'T' if self.gate(line) => {}
            b'0'..=b'9' | b'g' if self.workers(text) => {}
            b'0'..=b'9' | b'n' => self.bare_closing(text, out),
            b'R' if text.starts_with("Results (") => self.sugar_results(text),
            0xE2 if text.starts_with('―') => self.sugar_heading(line),
            _ => self.begun(text),
        }
    }

    /// Whether the line tells of tests.
    fn result(&mut self, text: &str, out: &mut Out) -> bool {
        let Some(session) = &mut self.session else { return false };
        let progress = results::progress(text);
        let line = progress.map_or(text, |(line, _)| line).trim_end();
        let all_done = progress.is_some_and(|(_, whole)| whole);
        if let Some((file, letters)) = results::letters_in(line) {
            session.letters(file, letters, progress.is_some());
            session.all_done |= all_done;
            return true;
        }
        if line.is_empty() && progress.is_some() {
            session.all_done |= all_done;
            return true;
        }
        let Some(told) = results::verbose_in(text, line) else { return false };
        let Some(word) = told.word else { return false };
        let id = if told.id.is_empty() { self.running.as_str() } else { told.id };
        if id.is_empty() {
            return false;
        }
        match word {
            Word::Failed => session.word(id, false, !told.id.is_empty()),
            Word::Error => session.word(id, true, !told.id.is_empty()),
            Word::Rerun => {
                if session.reruns.len() < crate::machine::HELD_MAX {
                    session.reruns.insert(id.to_owned());
                }
            }
            Word::Subtest => {
                if let Some(id) = results::failed_subtest(text, told.id) {
                    session.word(&id, false, true);
                }
            }
            Word::Passed | Word::Skipped | Word::Xfailed | Word::Xpassed if out.all => {
                let flaky = !session.reruns.is_empty() && session.reruns.contains(id);
                out.test(Test { id: id.to_owned(), outcome: outcome(word, flaky), duration_ms: None });
            }
            Word::Passed | Word::Skipped | Word::Xfailed | Word::Xpassed => {}
        }
        if word != Word::Subtest {
            self.running.clear();
        }
        true
    }

    /// The test that this beginning of a line names, else the one that runs.
    fn running_at(&self, before: &str) -> Option<String> {
        let named = results::verbose(before).map(|told| told.id.to_owned());
        named.or_else(|| Some(self.running.clone())).filter(|id| !id.is_empty())
    }

    /// A test's line that has no word yet.
    fn begun(&mut self, text: &str) {
        if let Some(told) = results::verbose(text)
            && told.word.is_none()
        {
            self.running.clear();
            self.running.push_str(told.id);
        }
    }

    /// `collected 5 items / 1 error / 2 deselected / 3 selected`
    fn collected(&mut self, text: &str) {
        let text = text.strip_prefix("collecting ... ").unwrap_or(text);
        let Some(rest) = text.strip_prefix("collected ") else { return };
        let Some(session) = &mut self.session else { return };
        let mut parts = rest.split(" / ");
        let number = |part: &str| part.trim().split(' ').next().and_then(|n| n.parse::<u64>().ok());
        let items = parts.next().filter(|part| part.contains(" item")).and_then(number);
        let selected = parts.find(|part| part.trim_end().ends_with(" selected")).and_then(number);
        session.planned = selected.or(items).or(session.planned);
    }

    /// xdist's `2 workers [7 items]`, before 3.2 `gw0 [7] / gw1 [7]`; whether it is one.
    fn workers(&mut self, text: &str) -> bool {
        let Some((head, rest)) = text.split_once(" [") else { return false };
        if !(head.ends_with(" workers") || head.ends_with(" worker") || head.starts_with("gw")) {
            return false;
        }
        let digits = rest.split([' ', ']']).next().and_then(|n| n.parse().ok());
        if let (Some(session), Some(items)) = (&mut self.session, digits) {
            session.planned = Some(items);
            session.distributed = true;
        }
        digits.is_some()
    }

    /// A limit that a run of green tests does not keep: pytest says so in a line of its own.
    fn gate(&mut self, line: &Line<'_>) -> bool {
        const WORDS: &[&str] =
            &["FAIL Required test coverage of ", "Tests pass, but maximum allowed warnings exceeded"];
        let found = WORDS.iter().any(|words| line.text.starts_with(words));
        if found && let Some(session) = &mut self.session {
            let message = line.text.strip_prefix("FAIL ").unwrap_or(line.text).to_owned();
            session.beside(Failure { message: Some(message), span: Some(line.span), ..Failure::default() });
        }
        found
    }

    fn internal_line(&mut self, line: &Line<'_>) {
        if self.internal.len() < INTERNAL_LINES_MAX {
            self.internal.push(line.text["INTERNALERROR> ".len()..].to_owned());
        }
        let span = self.internal_span.get_or_insert(line.span);
        span[1] = line.span[1];
    }

    fn stopped(&mut self, text: &str) {
        let Some(title) = titled(text, '!') else { return };
        let Some(session) = &mut self.session else { return };
        session.collection_stopped |=
            title.starts_with("Interrupted: ") && title.ends_with(" during collection");
        session.stopped = Some(title.to_owned());
    }

    /// A ruler with a title while tests run: a section of the summary, a closing line, or output.
    fn ruler(&mut self, line: &Line<'_>, out: &mut Out) {
        let Some(title) = titled(line.text, '=') else { return };
        if title == "test session starts" {
            // The session before never closed.
            let session = self.finished();
            let (mut held, over) = session.failures(None);
            held.say(out);
            out.unnamed(over);
            return self.open(Some(columns(line.text)), Some(false), out);
        }
        if !self.fits_width(line.text) {
            return;
        }
        match summary(title) {
            Some(found) => self.try_close(&found, false, out),
            None => self.section(title, Some(columns(line.text))),
        }
    }

    fn bare_closing(&mut self, text: &str, out: &mut Out) {
        if let Some(found) = summary(text) {
            self.try_close(&found, true, out);
        }
    }

    /// All rulers of a session are as wide as its header, or longer where the title leaves room for one
    /// character on either side; a test's rarely are.
    fn fits_width(&self, text: &str) -> bool {
        let width = self.session.as_ref().and_then(|session| session.width);
        let least = text.as_bytes().get(1) == Some(&b' ');
        let fits = |width| columns(text) == width || least && columns(text) > width;
        !text.is_ascii() || width.is_none_or(fits)
    }

    fn section(&mut self, title: &str, width: Option<usize>) {
        let known = match title {
            "FAILURES" | "ERRORS" if self.place == Place::Passes => return,
            "FAILURES" | "ERRORS" => Place::Blocks,
            "PASSES" | "XPASSES" => Place::Passes,
            "short test summary info" => Place::Short,
            "XFAILURES" | "rerun test summary info" => Place::Other,
            _ if title.starts_with("warnings summary") || title.starts_with("slowest ") => Place::Other,
            // While tests run any other title may be a test's.
            _ if matches!(self.place, Place::Running | Place::Passes) => return,
            _ => Place::Other,
        };
        self.block_end();
        self.place = known;
        if let Some(session) = &mut self.session {
            session.width = session.width.or(width);
        }
    }
}

/// Below the first heading of the summary.
impl Pytest {
    fn summary_line(&mut self, line: &Line<'_>, out: &mut Out) {
        let text = line.text;
        if self.nested > 0 {
            return self.nested_line(text);
        }
        match text.as_bytes().first() {
            Some(b'=') => {
                if let Some(title) = titled(text, '=')
                    && self.fits_width(text)
                {
                    return self.summary_ruler(title, out);
                }
            }
            Some(b'!') if self.place != Place::Blocks || self.block.is_none() => return self.stopped(text),
            Some(b'0'..=b'9' | b'n')
                if self.place != Place::Blocks || self.block.is_none() || self.is_captured() =>
            {
                self.bare_closing(text, out);
                if self.session.is_none() {
                    return;
                }
            }
            Some(b'F' | b'T') if self.place != Place::Blocks && self.gate(line) => return,
            Some(0xE2) if text.starts_with('―') => return self.sugar_heading(line),
            Some(b'R') if text.starts_with("Results (") && titled(text, '=').is_none() => {
                return self.sugar_results(text);
            }
            _ => {}
        }
        match self.place {
            Place::Blocks => self.block_line(line),
            Place::Short => self.short_line(line),
            Place::Other | Place::Passes | Place::Running => {}
        }
    }

    fn summary_ruler(&mut self, title: &str, out: &mut Out) {
        if title == "test session starts" {
            self.nested += 1;
        } else if let Some(found) = summary(title) {
            self.try_close(&found, false, out);
        } else {
            self.section(title, None);
        }
    }

    /// A session in captured output: its own closing line ends it.
    fn nested_line(&mut self, text: &str) {
        let Some(title) = titled(text, '=') else { return };
        if title == "test session starts" {
            self.nested += 1;
        } else if summary(title).is_some() {
            self.nested -= 1;
        }
    }

    fn is_captured(&self) -> bool {
        self.block.as_ref().is_some_and(|reading| reading.block.in_captured())
    }

    fn short_line(&mut self, line: &Line<'_>) {
        if let (Some(short), Some(session)) = (Short::read(line.text, line.span), &mut self.session) {
            session.short(short);
        }
    }

    fn block_line(&mut self, line: &Line<'_>) {
        let text = line.text;
        if text.starts_with('_')
            && !text.starts_with("_ _")
            && let Some(title) = titled(text, '_')
            && self.fits_width(text)
        {
            self.block_end();
            let heading = Some(Heading::read(title));
            self.block = Some(Reading { heading, span: line.span, ..Reading::default() });
            return;
        }
        match &mut self.block {
            None if text.trim().is_empty() => {}
            None => {
                // No heading: `--tb=line`.
                self.block = Some(Reading { span: line.span, ..Reading::default() });
                self.terse_line(line);
            }
            Some(Reading { heading: None, .. }) => self.terse_line(line),
            Some(reading) => {
                reading.block.line(text);
                reading.span[1] = line.span[1];
            }
        }
    }

    /// With `--tb=line` a failure is its message, since pytest 9 marked with `E`, and one line with its place.
    fn terse_line(&mut self, line: &Line<'_>) {
        let Some(reading) = &mut self.block else { return };
        reading.span[1] = line.span[1];
        if reading.block.terse(line.text) {
            self.block_end();
        }
    }

    fn block_end(&mut self) {
        if let (Some(reading), Some(session)) = (self.block.take(), &mut self.session)
            && (reading.heading.is_some() || !reading.block.is_empty())
        {
            session.block(reading.heading, reading.block, reading.span);
        }
    }
}

/// The end of a session.
impl Pytest {
    /// A closing line counts where its form is the session's and its numbers fit what was seen.
    fn try_close(&mut self, found: &Summary, bare: bool, out: &mut Out) {
        let fits = self.session.as_ref().is_some_and(|session| session.fits(found, bare));
        if fits {
            self.close(found, out);
        }
    }

    fn close(&mut self, found: &Summary, out: &mut Out) {
        let session = self.finished();
        let closing = session.closing(found);
        let (mut held, over) = session.failures(Some((found.failed, found.errors)));
        held.say(out);
        out.unnamed(over);
        out.close(closing);
    }

    /// The session with all that was still being read, and the machine ready for the next.
    fn finished(&mut self) -> Session {
        self.block_end();
        self.dumped();
        let mut session = self.session.take().unwrap_or_default();
        if let Some(span) = self.internal_span.take() {
            let mut block = Block::default();
            take(&mut self.internal).iter().for_each(|line| block.line(line));
            let failure = block.failure(Phase::Setup, None);
            session.beside(Failure { kind: Kind::SetupError, span: Some(span), ..failure });
        }
        self.place = Place::Running;
        session
    }

    fn dumped(&mut self) {
        if let (Some(dump), Some(session)) = (self.dump.take(), &mut self.session) {
            session.dump(dump);
        }
    }
}

/// pytest-sugar, which it is on a terminal only.
impl Pytest {
    fn sugar_heading(&mut self, line: &Line<'_>) {
        let Some(title) = titled(line.text, '―') else { return };
        self.block_end();
        self.place = Place::Blocks;
        let heading = Some(Heading::read(title));
        self.block = Some(Reading { heading, span: line.span, ..Reading::default() });
    }

    fn sugar_results(&mut self, text: &str) {
        let time = text.strip_prefix("Results (").and_then(|rest| rest.strip_suffix("):"));
        // The numbers stand in the lines below.
        let duration_ms =
            time.and_then(|time| summary(&format!("no tests ran in {time}"))).and_then(|s| s.duration_ms);
        if duration_ms.is_some() {
            self.sugar = Some(Summary { duration_ms, ..Summary::default() });
        }
    }

    /// `       2 passed`, `         - tests/a.py:17 TestA.test_b`; whether the line is one.
    fn sugar_line(&mut self, text: &str, out: &mut Out) -> bool {
        let Some(results) = &mut self.sugar else { return false };
        if text.trim().is_empty() || text.trim_start().starts_with("- ") || results.add(text.trim()).is_some()
        {
            return true;
        }
        if let Some(results) = self.sugar.take() {
            self.close(&results, out);
        }
        false
    }
}

fn is_usage(text: &str) -> bool {
    text.starts_with("ERROR: usage: ") || text.starts_with("usage: pytest ")
}

fn refused(reason: Reason, message: String) -> Closing {
    Closing {
        says: Says::Refused(reason),
        counts: Counts::default(),
        duration_ms: None,
        message: Some(message),
    }
}

fn outcome(word: Word, flaky: bool) -> TestOutcome {
    match word {
        Word::Passed if flaky => TestOutcome::Flaky,
        Word::Skipped => TestOutcome::Skipped,
        Word::Xfailed => TestOutcome::Xfailed,
        Word::Xpassed => TestOutcome::Xpassed,
        Word::Passed | Word::Failed | Word::Error | Word::Rerun | Word::Subtest => TestOutcome::Passed,
    }
}

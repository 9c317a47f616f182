//! Lines while tests run: results, what died, and the ruler that ends it. Tests' own output is among
//! them with `-s`.

use super::closing::{columns, summary, titled};
use super::dump::{self, Dump};
use super::results::{self, Word};
use super::{Place, Pytest, Reading};
use crate::machine::{HELD_MAX, Line, Out};
use bv_schemas::{Failure, Test, TestOutcome};
use memchr::memmem;
use std::sync::LazyLock;

/// Made once: to make it costs more than to search a line.
static FATAL: LazyLock<memmem::Finder<'_>> = LazyLock::new(|| memmem::Finder::new(dump::FATAL));

/// Lines of an internal error that are kept.
const INTERNAL_LINES_MAX: usize = 2000;

impl Pytest {
    pub(super) fn running_line(&mut self, line: &Line<'_>, out: &mut Out) {
        let text = line.text;
        let bytes = text.as_bytes();
        let (Some(&first), Some(&last)) = (bytes.first(), bytes.last()) else { return };
        if matches!(last, b']' | b'D' | b'R' | b'L' | b'S' | b')' | b'N' | b' ') && self.result(text, out) {
            return out.mine();
        }
        if let Some(at) = FATAL.find(bytes) {
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
    pub(super) fn result(&mut self, text: &str, out: &mut Out) -> bool {
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
                if session.reruns.len() < HELD_MAX {
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
    pub(super) fn running_at(&self, before: &str) -> Option<String> {
        let named = results::verbose(before).map(|told| told.id.to_owned());
        named.or_else(|| Some(self.running.clone())).filter(|id| !id.is_empty())
    }

    /// A test's line that has no word yet.
    pub(super) fn begun(&mut self, text: &str) {
        if let Some(told) = results::verbose(text)
            && told.word.is_none()
        {
            self.running.clear();
            self.running.push_str(told.id);
        }
    }

    /// `collected 5 items / 1 error / 2 deselected / 3 selected`
    pub(super) fn collected(&mut self, text: &str) {
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
    pub(super) fn workers(&mut self, text: &str) -> bool {
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
    pub(super) fn gate(&mut self, line: &Line<'_>) -> bool {
        const WORDS: &[&str] =
            &["FAIL Required test coverage of ", "Tests pass, but maximum allowed warnings exceeded"];
        let found = WORDS.iter().any(|words| line.text.starts_with(words));
        if found && let Some(session) = &mut self.session {
            let message = line.text.strip_prefix("FAIL ").unwrap_or(line.text).to_owned();
            session.beside(Failure { message: Some(message), span: Some(line.span), ..Failure::default() });
        }
        found
    }

    pub(super) fn internal_line(&mut self, line: &Line<'_>) {
        if self.internal.len() < INTERNAL_LINES_MAX {
            self.internal.push(line.text["INTERNALERROR> ".len()..].to_owned());
        }
        let span = self.internal_span.get_or_insert(line.span);
        span[1] = line.span[1];
    }

    pub(super) fn stopped(&mut self, text: &str) {
        let Some(title) = titled(text, '!') else { return };
        let Some(session) = &mut self.session else { return };
        session.collection_stopped |=
            title.starts_with("Interrupted: ") && title.ends_with(" during collection");
        session.stopped = Some(title.to_owned());
    }

    /// A ruler with a title while tests run: a section of the summary, a closing line, or output.
    pub(super) fn ruler(&mut self, line: &Line<'_>, out: &mut Out) {
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

    pub(super) fn bare_closing(&mut self, text: &str, out: &mut Out) {
        if let Some(found) = summary(text) {
            self.try_close(&found, true, out);
        }
    }

    /// All rulers of a session are as wide as its header, or longer where the title leaves room for one
    /// character on either side; a test's rarely are.
    pub(super) fn fits_width(&self, text: &str) -> bool {
        let width = self.session.as_ref().and_then(|session| session.width);
        let least = text.as_bytes().get(1) == Some(&b' ');
        let fits = |width| columns(text) == width || least && columns(text) > width;
        !text.is_ascii() || width.is_none_or(fits)
    }

    pub(super) fn section(&mut self, title: &str, width: Option<usize>) {
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

fn outcome(word: Word, flaky: bool) -> TestOutcome {
    match word {
        Word::Passed if flaky => TestOutcome::Flaky,
        Word::Skipped => TestOutcome::Skipped,
        Word::Xfailed => TestOutcome::Xfailed,
        Word::Xpassed => TestOutcome::Xpassed,
        Word::Passed | Word::Failed | Word::Error | Word::Rerun | Word::Subtest => TestOutcome::Passed,
    }
}

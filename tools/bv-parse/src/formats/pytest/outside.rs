//! Lines outside of a session: what opens one, and why none could be opened.

use super::block::Phase;
use super::closing::{Summary, columns, summary, titled};
use super::session::Session;
use super::{Place, Pytest, Reading, refused, results};
use crate::machine::{Closing, Line, Out};
use bv_schemas::Reason;
use std::mem::take;

/// Lines of a conftest's traceback that are read before it is taken for something else.
const CONFTEST_LINES_MAX: usize = 2000;

impl Pytest {
    pub(super) fn between(&mut self, line: &Line<'_>, out: &mut Out) {
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

    /// A closing line counts without a session only where it is the last word, so that one which some
    /// other runner's test printed does not; a red one counts wherever it stands.
    pub(super) fn lone(&mut self, text: &str) {
        let is_red = self.lone.as_ref().is_some_and(Summary::is_red);
        if self.any_session || is_red || text.trim_ascii().is_empty() {
            return;
        }
        self.lone = match text.as_bytes().first() {
            Some(b'=') => titled(text, '=').and_then(summary),
            Some(b'0'..=b'9') => summary(text),
            _ => None,
        };
    }

    pub(super) fn open(&mut self, width: Option<usize>, bare: Option<bool>, out: &mut Out) {
        out.open();
        self.any_session = true;
        self.place = Place::Running;
        self.nested = 0;
        self.running.clear();
        self.session = Some(Session::new(width, bare, self.refusal.take()));
    }

    /// With `-q` the first word of a session is its first line of letters.
    pub(super) fn first_result(&mut self, line: &Line<'_>, out: &mut Out) {
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
    pub(super) fn refusal_line(&mut self, text: &str) {
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
    pub(super) fn conftest_line(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
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

    pub(super) fn conftest_end(&mut self, out: &mut Out) {
        let Some((reading, _)) = self.conftest.take() else { return };
        let mut failure = reading.block.failure(Phase::Collect, None);
        failure.span = Some(reading.span);
        let message = failure.message.clone();
        out.failure(failure);
        self.session = None;
        out.close(Closing { message, ..refused(Reason::CollectionError, String::new()) });
    }
}

fn is_usage(text: &str) -> bool {
    text.starts_with("ERROR: usage: ") || text.starts_with("usage: pytest ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{Event, Machine, Says};

    fn check(lines: &[&str], want: &[Says]) {
        let (mut pytest, mut out) = (Pytest::default(), Out::default());
        for text in lines {
            pytest.line(&Line { text, span: [0, 0], overwritten: false }, &mut out);
        }
        pytest.end(&mut out);
        let closed = |event: &Event| match event {
            Event::Close(closing) => Some(closing.says),
            _ => None,
        };
        assert_eq!(out.events.iter().filter_map(closed).collect::<Vec<_>>(), want, "{lines:?}");
    }

    #[test]
    fn a_closing_line_alone_counts_as_the_last_word() {
        check(&["2 passed in 0.01s", ""], &[Says::Green]);
        check(&["=== 402 passed, 1 warning in 3.02s ==="], &[Says::Green]);
        check(&["1 failed, 2 passed in 0.01s", "make: *** [test] Error 1"], &[Says::Red]);
        check(&["1 failed in 0.01s", "2 passed in 0.01s"], &[Says::Red]);
        check(&["2 passed in 0.01s", "more"], &[]);
        check(&["hello 2 passed in 0.01s"], &[]);
        check(&["..  [100%]", "2 passed in 0.01s", "5 passed in 0.01s"], &[Says::Green]);
    }
}

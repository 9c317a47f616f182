//! nox: sessions, in each of which it runs commands.
//!
//! nox is a runner of runners, as tox is: each session is a section in which others speak for themselves, and
//! which closes at nox' own word on it (`Session tests was successful.`). The list below several sessions says
//! the same again. Source: `nox/sessions.py`, `SessionRunner.execute` and `Result.log`.

use crate::held::Held;
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use bv_schemas::{Counts, Failure, Kind, Reason};

/// The table's line.
pub const FORMAT: Format =
    Format { name: "nox", commands: &["nox"], needles: &["nox > "], new: || Box::<Nox>::default() };

#[derive(Default)]
struct Nox {
    /// The session that runs.
    session: Option<String>,
    /// A command of it was seen.
    commands: bool,
    /// Sessions that closed.
    closed: bool,
    held: Held,
    span: [u64; 2],
    /// What nox said of its end, at last: an earlier word on the same session was a test's output.
    end: Option<End>,
}

/// nox' word on a session.
struct End {
    says: Says,
    reason: Option<String>,
}

impl Machine for Nox {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        let Some(text) = line.text.strip_prefix("nox > ").filter(|_| !line.overwritten) else { return };
        self.span = line.span;
        if let Some(name) = text.strip_prefix("Running session ") {
            self.close(out);
            if self.session.is_none() {
                self.session = Some(name.to_owned());
                out.open_around();
            }
            return;
        }
        let Some(name) = &self.session else { return self.outside(text, out) };
        if let Some(words) = text
            .strip_prefix("Session ")
            .and_then(|rest| rest.strip_prefix(name.as_str()))
            .and_then(|rest| rest.strip_prefix(' '))
        {
            return self.ended(words);
        }
        if let Some(program) = text.strip_prefix("Program ")
            && program.ends_with(" not found.")
        {
            return self.setup_error(Some(text.to_owned()));
        }
        // A command, or a note on the environment: only what ran can end badly.
        self.commands = self.commands || !is_note(text);
    }

    fn end(&mut self, out: &mut Out) {
        self.close(out);
        self.held.say(out);
    }
}

impl Nox {
    /// No session runs.
    fn outside(&mut self, text: &str, out: &mut Out) {
        let missing = text.starts_with("Sessions not found: ") || text.starts_with("Failed to load Noxfile ");
        if missing && !self.closed {
            let message = Some(text.to_owned());
            let says = Says::Refused(Reason::NotRunnable);
            out.close(Closing { says, counts: Counts::default(), duration_ms: None, message });
        }
    }

    /// nox' word on the session that ran: `was successful.`, `failed.`, with its time and reason perhaps.
    fn ended(&mut self, words: &str) {
        let reason = words.split_once(": ").map(|(_, reason)| without_time(reason).to_owned());
        let says = if words.starts_with("was successful") {
            Says::GreenInside { commands: self.commands }
        } else if words.starts_with("skipped") {
            Says::NoTests
        } else if ["failed", "aborted", "interrupted"].iter().any(|word| words.starts_with(word)) {
            Says::Red
        } else {
            // `raised exception ValueError('x')`: its end follows below the traceback.
            return;
        };
        self.end = Some(End { says, reason });
    }

    /// The session's end is known: another begins, or the stream ended.
    fn close(&mut self, out: &mut Out) {
        let Some(End { mut says, reason }) = self.end.take() else { return };
        let reason = reason.filter(|_| says == Says::Red);
        if reason.is_some() {
            self.setup_error(reason);
        }
        let mut message = None;
        if says == Says::Red && !self.commands && !self.held.is_empty() {
            says = Says::Refused(Reason::NotRunnable);
            message = self.held.last_mut().and_then(|failure| failure.message.clone());
        }
        self.held.say(out);
        out.close(Closing { says, counts: Counts::default(), duration_ms: None, message });
        *self = Nox { closed: true, ..Nox::default() };
    }

    /// What no runner inside can tell of.
    fn setup_error(&mut self, message: Option<String>) {
        self.held.push(Failure {
            id: self.session.clone(),
            kind: Kind::SetupError,
            message,
            span: Some(self.span),
            ..Failure::default()
        });
    }
}

/// Lines that tell of no command of the session's own.
fn is_note(text: &str) -> bool {
    const NOTES: &[&str] = &[
        "Creating virtual environment",
        "Re-using existing virtual environment",
        "Reusing existing virtual environment",
        "Nox was installed without ",
        "Missing interpreters ",
        "python -m pip install ",
        "uv pip install ",
        "conda install ",
        "Command ",
        "Session ",
    ];
    text == "uv binary not found." || NOTES.iter().any(|note| text.starts_with(note))
}

/// The reason without `(took 2 seconds).` and the full stop behind it.
fn without_time(reason: &str) -> &str {
    let reason = reason.strip_suffix('.').unwrap_or(reason);
    reason.rsplit_once(" (took ").map_or(reason, |(reason, _)| reason)
}

#[cfg(test)]
mod tests {
    use super::FORMAT;
    use crate::said::said;

    #[test]
    fn a_session_is_a_section() {
        for (text, want) in [
            (
                "nox > Running session t-3.11\nnox > pytest -q\nnox > Session t-3.11 was successful in 3 seconds.\n",
                &["open around", "greeninside { commands: true } -/-/-"][..],
            ),
            (
                "nox > Running session t\nnox > pytest\nnox > Command pytest failed with exit code 1\nnox > Session t failed.\n",
                &["open around", "red -/-/-"],
            ),
            (
                "nox > Running session t\nnox > Program x not found.\nnox > Session t failed.\n",
                &["open around", "setuperror t: Program x not found.", "refused(notrunnable) -/-/-"],
            ),
            (
                "nox > Running session t\nnox > Session t failed: Python interpreter 2.7 not found (took 2 seconds).\n",
                &[
                    "open around",
                    "setuperror t: Python interpreter 2.7 not found",
                    "refused(notrunnable) -/-/-",
                ],
            ),
            (
                "nox > Running session t\nnox > Session t skipped: not today.\nnox > Ran 2 sessions:\nnox > * t: skipped\n",
                &["open around", "notests -/-/-"],
            ),
            ("nox > Running session t\nnox > pytest\n", &["open around"]),
            ("nox > Session t was successful.\n", &[]),
            ("nox > Sessions not found: x\n", &["refused(notrunnable) -/-/-"]),
        ] {
            assert_eq!(said(&FORMAT, text), want, "{text}");
        }
    }
}

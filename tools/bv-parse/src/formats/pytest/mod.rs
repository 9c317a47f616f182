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
mod outside;
mod results;
mod running;
mod session;
mod sugar;
mod summary;

pub use block::Phase;
pub use junit::JUNIT;

use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use block::Block;
use bv_schemas::{Counts, Failure, Kind, Reason};
use closing::Summary;
use dump::Dump;
use json_report::JsonReport;
use names::Heading;
use session::Session;
use session::complete;
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
        " passed in ",
        " failed in ",
        " skipped in ",
        " error in ",
        " errors in ",
        " passed, ",
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
    /// Any session was seen.
    any_session: bool,
    /// A closing line without a session before it, as `pytest -q -s` or `pytest -q | tail -1` leave it.
    lone: Option<Summary>,
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
            (false, _) => {
                self.lone(line.text);
                self.between(line, out);
            }
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
            let (is_quietly_done, lettered) = (session.is_quietly_done(), session.lettered());
            let (mut held, over) = session.failures(None);
            // `-qq --tb=no` and a log that ends early name nothing; the letters are what there is.
            let over = over.max(lettered.saturating_sub(held.len()));
            held.say(out);
            out.unnamed(over);
            if is_quietly_done {
                out.close(Closing {
                    says: Says::GreenAtExit0,
                    counts: Counts::default(),
                    duration_ms: None,
                    message: None,
                });
            }
        } else if let Some(lone) = self.lone.take().filter(|_| !self.any_session) {
            out.close(Session::default().closing(&lone));
        } else if let Some(message) = self.refusal.take() {
            out.close(refused(Reason::NotRunnable, message));
        }
    }

    fn owns_lines(&self) -> bool {
        let reads_blocks = self.session.is_some() && self.place != Place::Running;
        reads_blocks || self.conftest.is_some() || self.json.is_open()
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

fn refused(reason: Reason, message: String) -> Closing {
    Closing {
        says: Says::Refused(reason),
        counts: Counts::default(),
        duration_ms: None,
        message: Some(message),
    }
}

//! One run of unittest: its failures, held until its closing statement, and what that makes of them.

use super::block::{Block, Flavour};
use super::closing::Closed;
use super::title::Title;
use super::verbose::Verdict;
use crate::machine::{Closing, Event, HELD_MAX, Out, Says};
use bv_schemas::{Counts, Failure, Kind, Reason, Test, TestOutcome};
use std::collections::HashSet;

/// The failures of the run that is open.
#[derive(Default)]
pub struct Section {
    open: bool,
    held: Vec<Held>,
    over: u64,
    /// Red verdicts of `-v`, for tests that no block tells of.
    red: Vec<Failure>,
    passed_seen: u64,
    /// `-b` has repeated what a failing test wrote; that test's block must still come.
    mirrored: bool,
    /// Statements that seem to be a run's inside a test, with their blocks: said after all, should
    /// the run's own never come.
    doubted: Vec<(Vec<Held>, Closed)>,
    /// Whose run it is, where something told.
    who: Option<&'static str>,
}

impl Held {
    /// Whether the block is that test's, or one of its subtests'.
    fn tells_of(&self, test: Option<&str>) -> bool {
        self.failure.id.as_deref() == test || self.test.as_deref() == test
    }
}

/// Statements that are doubted; one more is believed.
const DOUBTED_MAX: usize = 64;

struct Held {
    failure: Failure,
    /// Its test, where it is one that `Ran N tests` counts.
    test: Option<String>,
    /// Captured output stood at its end.
    captured: bool,
    load_error: bool,
    /// The label of a block that counts only if the closing statement has it.
    doubtful: Option<String>,
}

impl Section {
    /// Opens it, if it is not.
    pub fn open(&mut self, out: &mut Out) {
        if !self.open {
            self.open = true;
            out.open();
        }
    }

    /// Whether it is.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Whose it is, where nothing told before.
    pub fn name(&mut self, who: Option<&'static str>) {
        self.who = self.who.or(who);
    }

    /// Whether something told that it is this runner's.
    pub fn is_named(&self, who: &str) -> bool {
        self.who == Some(who)
    }

    /// One more failure.
    pub fn block(&mut self, block: Block) {
        if self.held.len() == HELD_MAX {
            self.over += 1;
            return;
        }
        let counted = !block.title.hook && block.flavour != Flavour::Xpassed;
        let test = counted.then(|| block.title.test.clone());
        let (captured, load_error) = (block.captured, block.title.is_load_error());
        let doubtful = block.is_doubtful().then(|| block.label.clone());
        self.name(block.runner());
        self.held.push(Held { failure: block.failure(), test, captured, load_error, doubtful });
    }

    /// A verdict of `-v`.
    pub fn verdict(&mut self, title: Title, verdict: Verdict, span: [u64; 2], out: &mut Out) {
        let outcome = match verdict {
            Verdict::Passed => TestOutcome::Passed,
            Verdict::Skipped => TestOutcome::Skipped,
            Verdict::Xfailed => TestOutcome::Xfailed,
            Verdict::Failed => return self.red(title, Kind::Assertion, None, span),
            Verdict::Errored => return self.red(title, Kind::Exception, None, span),
            Verdict::Xpassed => {
                return self.red(title, Kind::Assertion, Some("unexpected success".to_owned()), span);
            }
        };
        out.tests_seen += 1;
        self.passed_seen += u64::from(verdict == Verdict::Passed);
        out.test(Test { id: title.id, outcome, duration_ms: None });
    }

    fn red(&mut self, title: Title, kind: Kind, message: Option<String>, span: [u64; 2]) {
        if self.red.len() < HELD_MAX {
            let kind = if title.hook { Kind::SetupError } else { kind };
            self.red.push(Failure {
                id: Some(title.id),
                kind,
                message,
                span: Some(span),
                ..Failure::default()
            });
        }
    }

    /// A line outside of all blocks. `Stdout:` or `Stderr:` heads what `-b` repeats of a failing test.
    pub fn outside(&mut self, text: &str) {
        self.mirrored = self.mirrored || text == "Stdout:" || text == "Stderr:";
    }

    /// A closing statement; whose run it was, where it is this run's.
    pub fn close(&mut self, closed: &Closed, out: &mut Out) -> Option<Option<&'static str>> {
        let counted = |label: &str| closed.named.iter().any(|(name, _)| name == label);
        self.held.retain(|held| held.doubtful.as_deref().is_none_or(counted));
        if !closed.red || self.who == Some(super::NOSE2.name) {
            // A success that was not expected is no failure to nose2, nor to Python 3.3 and older.
            self.red.retain(|failure| failure.message.is_none());
        }
        if self.is_captured(closed) {
            return None;
        }
        if !self.is_own(closed) && self.doubted.len() < DOUBTED_MAX {
            let claimed = usize::try_from(closed.red()).unwrap_or(usize::MAX);
            let theirs = self.held.split_off(self.held.len().saturating_sub(claimed));
            self.doubted.push((theirs, closed.clone()));
            self.open(out);
            return None;
        }
        self.doubted.clear();
        let who = self.who;
        self.settle(closed, out);
        Some(who)
    }

    /// No line follows, and the run did not close.
    pub fn end(&mut self, out: &mut Out) {
        self.held.retain(|held| held.doubtful.is_none());
        let held = std::mem::take(&mut self.held);
        for (theirs, closed) in std::mem::take(&mut self.doubted) {
            self.held = theirs;
            let red = std::mem::take(&mut self.red);
            self.settle(&closed, out);
            self.red = red;
        }
        self.held = held;
        self.say_who(out);
        self.say(out);
    }

    /// The runner's name, which another run of the same machine may have changed.
    fn say_who(&self, out: &mut Out) {
        if self.open {
            out.runner(self.who.unwrap_or(super::FORMAT.name));
        }
    }

    fn settle(&mut self, closed: &Closed, out: &mut Out) {
        self.open(out);
        let closing = self.closing(closed);
        let held = self.say(out);
        out.unnamed(if closed.red { closed.red().saturating_sub(held) } else { 0 });
        self.say_who(out);
        out.close(closing);
        *self = Section::default();
    }

    /// Whether a statement can be this run's: each red verdict of `-v`, and the test whose output `-b`
    /// repeated, have their block by then. A green word is doubted only where something is red, so that
    /// a doubt never hides what another runner says below.
    fn is_own(&self, closed: &Closed) -> bool {
        let told = |failure: &Failure| {
            failure.message.is_some() || self.held.iter().any(|held| held.tells_of(failure.id.as_deref()))
        };
        let captured = || self.held.iter().any(|held| held.captured);
        (!closed.red || !self.mirrored || captured()) && self.red.iter().all(told)
    }

    /// What was read as a run inside the last test was this run's own end: its blocks and its closing
    /// statement are this section's.
    pub fn adopt(&mut self, said: &mut Out, out: &mut Out) {
        let named = |event: &Event| match event {
            Event::Failure(failure) => failure.id.clone(),
            _ => None,
        };
        let known: HashSet<String> = said.events.iter().filter_map(named).collect();
        self.red.retain(|failure| failure.id.as_ref().is_none_or(|id| !known.contains(id)));
        self.say(out);
        for mut event in said.events.drain(..) {
            if let Event::Close(closing) = &mut event
                && self.passed_seen > 0
            {
                closing.counts.passed = closing.counts.passed.max(Some(self.passed_seen));
                closing.says = if closing.says == Says::NoTests { Says::Green } else { closing.says };
            }
            if let (Event::Runner(who), Some(own)) = (&mut event, self.who) {
                *who = own;
            }
            out.events.push(event);
        }
        *self = Section::default();
    }

    /// Says what is held and how many that were.
    pub fn say(&mut self, out: &mut Out) -> u64 {
        let ids = |held: &Held| [held.failure.id.clone(), held.test.clone()];
        let known: HashSet<String> = self.held.iter().flat_map(ids).flatten().collect();
        let mut said = self.held.len() as u64 + self.over;
        self.held.drain(..).for_each(|held| out.failure(held.failure));
        for failure in self.red.drain(..) {
            if failure.id.as_ref().is_none_or(|id| !known.contains(id)) {
                out.failure(failure);
                said += 1;
            }
        }
        out.unnamed(std::mem::take(&mut self.over));
        said
    }

    /// A statement that claims fewer failures than are held, below a failure with captured output: a
    /// run inside that test wrote it, and the blocks that it claims are its own, not ours.
    fn is_captured(&mut self, closed: &Closed) -> bool {
        let claimed = usize::try_from(closed.red()).unwrap_or(usize::MAX);
        let Some(ours) = self.held.len().checked_sub(claimed).filter(|ours| *ours > 0) else { return false };
        let captured = self.held[ours - 1].captured;
        if captured {
            self.held.truncate(ours);
        }
        captured
    }

    fn closing(&self, closed: &Closed) -> Closing {
        let counts = match closed.testtools {
            true => Counts { failed: Some(closed.red()), ..Counts::default() },
            false => Counts {
                passed: Some(self.passed(closed)),
                failed: Some(closed.failures),
                errored: Some(closed.errored()),
                skipped: Some(closed.skipped),
            },
        };
        let load_errors = self.held.iter().filter(|held| held.load_error).count() as u64;
        let all_load_errors =
            load_errors > 0 && load_errors == self.held.len() as u64 && load_errors >= closed.ran;
        let none_ran = closed.ran <= closed.skipped && self.passed_seen == 0;
        let says = match closed.red {
            true if all_load_errors => Says::Refused(Reason::CollectionError),
            true => Says::Red,
            false if none_ran => Says::NoTests,
            false => Says::Green,
        };
        let message =
            all_load_errors.then(|| self.held.first().and_then(|held| words(&held.failure))).flatten();
        Closing { says, counts, duration_ms: Some(closed.duration_ms), message }
    }

    /// unittest does not print how many passed: it is what ran without the others. A test with several
    /// failed subtests ran once, and a class' fixture is no test, where the blocks tell so.
    fn passed(&self, closed: &Closed) -> u64 {
        let red = closed.failures.saturating_add(closed.errored());
        let blocks =
            self.held.iter().filter(|held| held.failure.message.as_deref() != Some(XPASSED)).count() as u64;
        let tests: HashSet<&str> = self.held.iter().filter_map(|held| held.test.as_deref()).collect();
        let not_passed = if blocks >= red { tests.len() as u64 } else { red };
        let others = not_passed + closed.skipped + closed.xfailed + closed.xpassed;
        closed.ran.saturating_sub(others).max(self.passed_seen.min(closed.ran))
    }
}

/// What the runner prints before the title of a test that was expected to fail.
pub const XPASSED: &str = "UNEXPECTED SUCCESS";

fn words(failure: &Failure) -> Option<String> {
    let message = failure.message.as_deref()?;
    Some(failure.exception_type.as_deref().map_or(message.to_owned(), |name| format!("{name}: {message}")))
}

//! Python's unittest: `python -m unittest`, `unittest.main()`, and what runs under `coverage run`; and the
//! runners that print as it does: Django's `manage.py test`, nose and nose2.
//!
//! A section opens at the first failure block, at the first `-v` line or at `Ran N tests in …`, and
//! closes at the word below that (`OK`, `FAILED (…)`, `NO TESTS RAN`). While a `-v` line waits for its
//! verdict, all that comes is that test's output: another run inside it is read apart and forgotten
//! when the verdict comes. The line of dots is left alone: nothing in it can be told from output.

mod block;
mod closing;
mod django;
mod section;
mod title;
mod verbose;
mod who;

use crate::machine::{Event, Format, Line, Machine, Out, Says};
use crate::python::{self, Fatal};
use block::{Block, Blocks};
use closing::Closer;
use section::Section;
use title::Title;
use verbose::Start;

/// The table's line.
pub const FORMAT: Format = Format {
    name: "unittest",
    commands: &["unittest"],
    needles: &[
        block::RULE,
        block::THIN_RULE,
        ") ... ",
        "Ran 1 test in ",
        " tests in ",
        "Stdout:",
        "Stderr:",
        "Tests running...",
        " test database for alias '",
        "ystem check identified ",
    ],
    new: || Box::new(Unittest::default()),
};

/// Django's test runner.
pub const DJANGO: Format = Format {
    name: "django",
    commands: &["manage.py", "django-admin"],
    needles: &[],
    new: || Box::new(Unittest::of("django")),
};

/// nose, and pynose, which keeps it alive.
pub const NOSE: Format = Format {
    name: "nose",
    commands: &["nosetests", "pynose"],
    needles: &[],
    new: || Box::new(Unittest::of("nose")),
};

/// nose2.
pub const NOSE2: Format =
    Format { name: "nose2", commands: &["nose2"], needles: &[], new: || Box::new(Unittest::of("nose2")) };

/// How deep runs inside tests are followed; deeper ones are output and no more.
const NEST_MAX: usize = 3;

/// One run at a time; the next one in the stream is a new section.
#[derive(Default)]
struct Unittest {
    blocks: Blocks,
    closer: Closer,
    section: Section,
    /// The `-v` line that waits for its verdict.
    pending: Option<Box<Pending>>,
    /// The last line was a title alone; its docstring and the verdict may follow.
    title: Option<Title>,
    /// The line before was a thin rule.
    ruled: bool,
    /// It was Trial's, which is longer: what follows is that runner's count.
    trial: bool,
    nested: usize,
    check: django::Check,
    /// The runner that the user named.
    asked: Option<&'static str>,
    /// The last run closed, and nothing had told whose it was.
    closed_unnamed: bool,
}

/// A test that runs.
struct Pending {
    title: Title,
    span: [u64; 2],
    /// Its verdict may have come unseen: at the end of a line that the test left open, or none is due
    /// because a subtest failed.
    loose: bool,
    /// The lines since that place.
    tail: Tail,
    /// A rule stood where the run's own end has one: below that place and a blank line.
    own_end: bool,
    /// What speaks inside it.
    inner: Option<Unittest>,
    said: Out,
    crash: Option<Fatal>,
}

/// What stood last in a test's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tail {
    /// A verdict that may be this test's.
    Verdict,
    /// That, and one blank line.
    Blank,
    /// Anything else.
    Output,
}

impl Machine for Unittest {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if self.in_pending(line, out) || !self.blocks.reading() && self.check.line(line, out) {
            return;
        }
        if let Some(block) = self.blocks.line(line) {
            self.block(block, out);
        }
        let trial = std::mem::replace(&mut self.trial, line.text == super::trial::THIN_RULE);
        if trial {
            self.closer = Closer::default();
        } else if let Some(mut closed) = self.closer.line(line.text) {
            closed.testtools = std::mem::take(&mut self.blocks.testtools);
            // No rule that is known stood between the last block and the statement.
            if let Some(block) = self.blocks.finish() {
                self.block(block, out);
            }
            self.section.name(self.asked);
            if let Some(who) = self.section.close(&closed, out) {
                self.closed_unnamed = who.is_none();
            }
        } else if self.closer.waiting() && self.ruled {
            // Other tools say `Ran 5 tests in 3s`, too, but not below a rule.
            self.section.open(out);
        }
        self.ruled = block::is_thin_rule(line.text);
        if self.ruled && line.text != block::THIN_RULE && !self.blocks.reading() {
            self.section.name(Some(NOSE.name));
        }
        if !self.blocks.reading() {
            self.whose(line.text, out);
            self.section.outside(line.text);
            self.verbose(line, out);
        }
    }

    fn end(&mut self, out: &mut Out) {
        if let Some(block) = self.blocks.finish() {
            self.block(block, out);
        }
        self.check.end(out);
        self.section.name(self.asked);
        match self.pending.take() {
            Some(pending) => pending.end(&mut self.section, out),
            None => self.section.end(out),
        }
    }

    fn owns_lines(&self) -> bool {
        match &self.pending {
            Some(pending) => pending.inner.as_ref().is_some_and(Machine::owns_lines),
            None => self.blocks.reading() || self.check.reading(),
        }
    }
}

impl Unittest {
    /// One that the user asked for under this name.
    fn of(name: &'static str) -> Unittest {
        Unittest { asked: Some(name), ..Unittest::default() }
    }

    fn block(&mut self, block: Block, out: &mut Out) {
        if !block.is_doubtful() {
            self.section.open(out);
        }
        self.section.block(block);
    }

    /// Where a runner's own line tells whose run this is, or was: standard output may come below the run's
    /// end, which goes to standard error.
    fn whose(&mut self, text: &str, out: &mut Out) {
        let Some(who) = who::of_line(text) else {
            // Django prepares its databases before any test, and dies of what goes wrong there.
            if self.section.is_named(DJANGO.name) && python::header(text) {
                self.section.open(out);
            }
            return;
        };
        if std::mem::take(&mut self.closed_unnamed) && !self.section.is_open() {
            out.ran_by(who);
        } else {
            self.section.name(Some(who));
        }
    }

    /// Whether the line is a running test's: its verdict, or its output.
    fn in_pending(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let Some(pending) = &mut self.pending else { return false };
        let inner_waits = pending.inner.as_ref().is_some_and(|inner| inner.pending.is_some());
        if !inner_waits {
            if let Some(verdict) = verbose::verdict(line.text) {
                let title = self.pending.take().map(|pending| pending.title);
                title.into_iter().for_each(|title| self.section.verdict(title, verdict, line.span, out));
                return true;
            }
            if let Some((title, verdict)) = verbose::subtest(line.text, &pending.title) {
                (pending.loose, pending.tail) = (true, Tail::Verdict);
                self.section.verdict(title, verdict, line.span, out);
                return true;
            }
        }
        if pending.loose && verbose::start(line.text, self.title.as_ref()).is_some() {
            // The next test runs: the one before ended unseen. A run that closed meanwhile was no
            // part of it but this one's own end, and a new run begins.
            if let Some(pending) = self.pending.take() {
                pending.merge(&mut self.section, out);
            }
            return false;
        }
        self.title = verbose::title_line(line.text, self.title.as_ref());
        pending.output(line, self.nested);
        true
    }

    /// A `-v` line outside of a block.
    fn verbose(&mut self, line: &Line<'_>, out: &mut Out) {
        let before = self.title.take();
        if line.overwritten {
            return;
        }
        let Some(Start { title, rest }) = verbose::start(line.text, before.as_ref()) else {
            self.title = verbose::title_line(line.text, before.as_ref());
            return;
        };
        let rest = rest.trim_end();
        self.section.name(title.runner());
        if let Some(verdict) = verbose::verdict_at_once(rest) {
            self.section.name(who::of_skip(rest));
            self.section.open(out);
            self.section.verdict(title, verdict, line.span, out);
        } else if title.is_test() {
            self.section.open(out);
            let loose = verbose::glued(rest);
            let mut pending = Box::new(Pending::new(title, line.span, loose));
            pending.output(&Line { text: rest, ..*line }, self.nested);
            self.pending = Some(pending);
        }
    }
}

impl Pending {
    fn new(title: Title, span: [u64; 2], loose: bool) -> Pending {
        let tail = Tail::Output;
        Pending { title, span, loose, tail, own_end: false, inner: None, said: Out::default(), crash: None }
    }

    /// A line that the test, or a run inside it, wrote.
    fn output(&mut self, line: &Line<'_>, nested: usize) {
        self.tail = match (self.tail, line.text) {
            (Tail::Verdict, "") => Tail::Blank,
            (Tail::Blank, block::RULE | block::THIN_RULE) => {
                self.own_end = true;
                Tail::Output
            }
            (_, text) if verbose::glued(text) => Tail::Verdict,
            _ => Tail::Output,
        };
        self.loose = self.loose || self.tail == Tail::Verdict;
        match &mut self.crash {
            Some(crash) => crash.line(line),
            None => self.crash = Fatal::begins(line),
        }
        if nested < NEST_MAX {
            let inner =
                self.inner.get_or_insert_with(|| Unittest { nested: nested + 1, ..Unittest::default() });
            inner.line(line, &mut self.said);
        }
    }

    /// The verdict came unseen and another test began: what closed since was the run's own end.
    fn merge(mut self: Box<Self>, section: &mut Section, out: &mut Out) {
        if self.closes_run() {
            section.adopt(&mut self.said, out);
        }
    }

    /// The stream ended and no verdict came.
    fn end(mut self: Box<Self>, section: &mut Section, out: &mut Out) {
        if let Some(mut inner) = self.inner.take() {
            inner.end(&mut self.said);
        }
        if self.loose && self.closes_run() {
            // The last test's verdict was glued to its output: this is the run's own end.
            section.adopt(&mut self.said, out);
            return;
        }
        section.end(out);
        let failures = |event: &Event| matches!(event, Event::Failure(_) | Event::Unnamed(_));
        out.events.extend(self.said.events.into_iter().filter(failures));
        if let Some(crash) = self.crash {
            let mut failure = crash.failure(self.title.function.as_deref());
            failure.id = Some(self.title.id);
            failure.span = failure.span.map(|span| [self.span[0], span[1]]);
            out.failure(failure);
        }
    }

    /// Whether a statement inside is the run's own: a red one anyhow, a green one only in its place.
    fn closes_run(&self) -> bool {
        self.said.events.iter().any(|event| match event {
            Event::Close(closing) => self.own_end || !matches!(closing.says, Says::Green | Says::NoTests),
            _ => false,
        })
    }
}

#[cfg(test)]
mod tests;

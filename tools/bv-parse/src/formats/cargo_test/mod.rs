//! `cargo test`: libtest's human output, pretty or terse, or its JSON, with cargo's lines around it.
//!
//! In come the lines of the run, out come one section a test binary, its failures, compile errors, and
//! cargo's refusals. libtest's order (results, captured output, names, closing line) decides what is the
//! runner's own word and what a test printed. cargo-nextest is left to others, its JSON apart.

mod cargo;
mod doctest;
mod json;
mod lines;
mod recap;
mod section;

use crate::cargo_build::{Build, Refusal};
use crate::machine::{Closing, Event, Format, Line, Machine, Out, Says};
use bv_schemas::{Counts, Failure, Kind, Reason};
use json::Suite;
use lines::Target;
use section::{Section, Step};

/// The format.
pub const FORMAT: Format = Format {
    name: "cargo-test",
    commands: &["cargo"],
    needles: NEEDLES,
    new: || Box::<CargoTest>::default(),
};

/// What cargo and libtest say before anything that matters. In quiet mode that is `running` alone, or
/// the compiler's first error, or cargo's.
const NEEDLES: &[&str] = &[
    "running ",
    "     Running ",
    "   Doc-tests ",
    "   Compiling ",
    "    Checking ",
    "    Finished `test` profile ",
    "    Finished test [",
    "test result: ",
    " stdout ----",
    "error[E",
    "error: ",
    "\"suite\", \"event\": \"started\"",
    "\"suite\",\"event\":\"started\"",
];

/// Sections inside sections that are followed; a deeper one is output.
const DEPTH_MAX: usize = 4;

#[derive(Debug, Default)]
struct CargoTest {
    build: Build,
    /// What cargo announced last.
    target: Target,
    /// It announced a binary and no section came of it yet.
    awaits_section: bool,
    /// The open sections: the innermost last. A section inside another is a nested run's, or follows
    /// one whose binary ended without a closing line.
    open: Vec<Section>,
    /// Failures of the sections inside the open one; they count if that one never closes.
    inner: Out,
    /// The suite whose events are read.
    suite: Option<Suite>,
    /// Another runner of Rust tests speaks (cargo-nextest).
    foreign: bool,
    /// A failed test was said since the last announcement, or ever.
    red: Red,
    /// `error: test failed` was said of a binary that showed no failure.
    doubt: bool,
    /// `--list` or `--no-run` was asked for.
    ran_nothing: bool,
    any_section: bool,
    /// The line before, where it was cargo's or libtest's own error.
    last_error: Option<String>,
}

#[derive(Debug, Default)]
struct Red {
    here: bool,
    ever: bool,
}

impl Machine for CargoTest {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        // A build or a check that is known to be no more than that is the compiler's to tell.
        if matches!(out.checker, Some("rustc" | "clippy")) {
            return;
        }
        if self.foreign {
            self.foreign = !cargo::ends_nextest(line.text) && lines::target(line.text).is_none();
            if self.foreign {
                return;
            }
        }
        if let Some(suite) = &mut self.suite {
            if let Some(red) = suite.line(line, out) {
                self.suite = None;
                self.red.here |= red;
                self.red.ever |= red;
            }
        } else if self.open.is_empty() {
            self.outside(line, out);
        } else {
            self.inside(line, out);
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.settle(out);
        self.suite.take().into_iter().for_each(|mut suite| suite.end(out));
        let mut unseen = false;
        while let Some(mut section) = self.open.pop() {
            unseen |= section.cut(if self.open.is_empty() { &mut *out } else { &mut self.inner });
        }
        // What followed a section that never closed stands beside it, its closing lines do not.
        self.inner.events.retain(|event| matches!(event, Event::Failure(_) | Event::Unnamed(_)));
        out.unnamed(u64::from(unseen && self.inner.events.is_empty()));
        out.events.append(&mut self.inner.events);
        if self.awaits_section || self.build.finished && !self.any_section && !self.ran_nothing {
            out.open();
        }
    }

    fn owns_lines(&self) -> bool {
        self.open.last().is_some_and(|section| section.in_recap())
    }
}

impl CargoTest {
    fn inside(&mut self, line: &Line<'_>, out: &mut Out) {
        self.inner.all = out.all;
        let nested = self.open.len() > 1;
        let sink = if nested { &mut self.inner } else { &mut *out };
        let Some(section) = self.open.last_mut() else { return };
        match section.line(line, sink) {
            Step::Stay => {}
            Step::Nested(count) if self.open.len() < DEPTH_MAX => {
                self.open.push(Section::new(Some(count), self.target.clone()));
            }
            Step::Nested(_) => {}
            Step::Announced(target) => self.target = target,
            Step::Closed(red) => {
                self.open.pop();
                if !nested {
                    self.inner.events.clear();
                    self.red.here |= red;
                    self.red.ever |= red;
                }
            }
        }
        if self.inner.events.len() > INNER_MAX {
            self.inner.events.truncate(INNER_MAX);
        }
    }

    fn outside(&mut self, line: &Line<'_>, out: &mut Out) {
        let text = line.text;
        if let Some(target) = lines::target(text) {
            self.settle(out);
            (self.target, self.awaits_section, self.red.here) = (target, true, false);
            return;
        }
        if let Some(count) = lines::running(text) {
            self.settle(out);
            self.begin(Section::new(Some(count), self.target.clone()), out);
            return;
        }
        if text.starts_with('{')
            && let Some(suite) = Suite::begins(text, &self.target, out)
        {
            (self.suite, self.any_section, self.awaits_section) = (Some(suite), true, false);
            return;
        }
        if let Some(section) = Section::unannounced(text, &self.target) {
            self.begin(section, out);
            self.inside(line, out);
            return;
        }
        if let Some(summary) = lines::summary(text) {
            self.any_section = true;
            self.awaits_section = false;
            self.red.here |= !summary.ok;
            self.red.ever |= !summary.ok;
            section::close(summary, 0, out);
            return;
        }
        self.around(line, out);
    }

    /// Cargo's own lines, between sections.
    fn around(&mut self, line: &Line<'_>, out: &mut Out) {
        let text = line.text;
        let said = self.last_error.take();
        if lines::rerun(text).is_some() {
            self.settle(out);
            match said {
                Some(message) if !self.red.here => self.refuse(Reason::NotRunnable, message, out),
                _ => self.doubt = !self.red.here,
            }
        } else if lines::targets_failed(text) {
            self.settle(out);
            if !self.red.ever {
                self.failed(None, out);
            }
        } else if let Some(died) = lines::died(text).filter(|_| self.doubt) {
            self.doubt = false;
            let crash = died.signal.map(|signal| Failure {
                kind: Kind::Crash,
                message: Some(died.how.to_owned()),
                exception_type: Some(signal.to_owned()),
                span: Some(line.span),
                ..Failure::default()
            });
            self.failed(crash, out);
        } else if cargo::is_nextest(text) {
            self.build.forget();
            self.foreign = true;
        } else if cargo::ran_nothing(text) {
            self.settle(out);
            self.ran_nothing = true;
            self.awaits_section = false;
            out.close(Closing {
                says: Says::NoTests,
                counts: Counts::default(),
                duration_ms: None,
                message: None,
            });
        } else if text.starts_with("     Running ") && !text.contains('`') {
            // The log is cut off in this line.
            self.awaits_section = true;
        } else {
            self.last_error = cargo::plain_error(text).map(str::to_owned);
            self.build.line(line);
        }
    }

    fn begin(&mut self, section: Section, out: &mut Out) {
        out.open();
        self.open.push(section);
        self.any_section = true;
        self.awaits_section = false;
    }

    /// Says what is held of the build, and what was in doubt of the binary before.
    fn settle(&mut self, out: &mut Out) {
        if std::mem::take(&mut self.doubt) {
            self.failed(None, out);
        }
        if let Some(Refusal { reason, message, failures, over }) = self.build.settle() {
            failures.into_iter().for_each(|failure| out.failure(failure));
            out.unnamed(over);
            self.refuse(reason, message, out);
        }
    }

    /// A binary without libtest's lines failed.
    fn failed(&mut self, crash: Option<Failure>, out: &mut Out) {
        (self.red.here, self.red.ever) = (true, true);
        self.awaits_section = false;
        match crash {
            Some(crash) => out.failure(crash),
            None => out.unnamed(1),
        }
        out.close(Closing { says: Says::Red, counts: Counts::default(), duration_ms: None, message: None });
    }

    fn refuse(&mut self, reason: Reason, message: String, out: &mut Out) {
        self.any_section = true;
        self.awaits_section = false;
        out.close(Closing {
            says: Says::Refused(reason),
            counts: Counts::default(),
            duration_ms: None,
            message: Some(message),
        });
    }
}

/// Events of nested sections that are kept.
const INNER_MAX: usize = 1_000;

#[cfg(test)]
mod tests;

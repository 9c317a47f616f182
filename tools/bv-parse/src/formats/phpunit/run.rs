//! One run of PHPUnit: what it told, until its footer decides what of it is its own.

use super::block::List;
use super::footer::{Footer, Word};
use super::teamcity::Teamcity;
use super::testdox::Testdox;
use crate::machine::{Closing, HELD_MAX, Line, Out, Says};
use crate::php;
use bv_schemas::{Counts, Failure, Kind, Reason};

/// Lines below the header in which PHPUnit says why it cannot begin.
const HEAD_LINES_MAX: usize = 12;

/// One run that did not close.
#[derive(Default)]
pub struct Run {
    major: u32,
    lines: usize,
    duration_ms: Option<u64>,
    timed: bool,
    /// From the lists below the time.
    listed: Vec<(List, Failure)>,
    /// From the testdox or teamcity lines above it.
    early: Vec<Failure>,
    /// From the testdox lines below it, where PHPUnit 10 prints them and PHPUnit 9 repeats the failed ones.
    late: Vec<Failure>,
    testdox: Testdox,
    teamcity: Teamcity,
    /// PHP's fatal error, should the run never close.
    fatal: Option<Failure>,
    /// What runs inside it left, should it never close.
    inner: Vec<Failure>,
}

impl Run {
    /// A run of this major version.
    pub fn new(major: u32) -> Run {
        Run { major, ..Run::default() }
    }

    /// `Time: …` came: only the runner speaks from here on.
    pub fn timed(&mut self, duration_ms: Option<u64>) {
        self.duration_ms = duration_ms;
        self.timed = true;
        self.listed.clear();
        let last = self.testdox.finish();
        self.early(last);
    }

    /// Whether that line came.
    pub fn is_timed(&self) -> bool {
        self.timed
    }

    /// One of the lists' failures.
    pub fn listed(&mut self, failure: Option<(List, Failure)>) {
        if self.listed.len() < HELD_MAX {
            self.listed.extend(failure);
        }
    }

    /// A line of the modes that tell of tests one by one.
    pub fn progress(&mut self, line: &Line<'_>, out: &mut Out) {
        if self.timed {
            let failed = self.testdox.line(line);
            self.late(failed);
            return;
        }
        let text = line.text;
        self.lines += 1;
        if text.starts_with("##teamcity[") {
            out.tests_seen += u64::from(text.starts_with("##teamcity[testFinished"));
            let failed = self.teamcity.line(text, line.span);
            self.early(failed);
        } else if let Some(said) =
            text.strip_prefix("PHP Fatal error:  ").or(text.strip_prefix("Fatal error: "))
        {
            self.fatal = self.fatal.take().or_else(|| fatal(said, line.span));
        } else {
            let failed = self.testdox.line(line);
            self.early(failed);
        }
    }

    fn early(&mut self, failure: Option<Failure>) {
        if self.early.len() < HELD_MAX {
            self.early.extend(failure);
        }
    }

    fn late(&mut self, failure: Option<Failure>) {
        if self.late.len() < HELD_MAX {
            self.late.extend(failure);
        }
    }

    /// Why PHPUnit does not begin, in the lines below its header.
    pub fn refusal<'a>(&self, text: &'a str) -> Option<&'a str> {
        const WORDS: &[&str] = &[
            "Cannot open file \"",
            "Could not read \"",
            "Could not load \"",
            "Could not use \"",
            "Test file \"",
            "Test directory \"",
            "Class \"",
            "Class '",
            "Unknown option \"",
            "unrecognized option ",
            "Error in bootstrap script",
            "Cannot load bootstrap script",
        ];
        let early = self.lines <= HEAD_LINES_MAX && !self.timed;
        (early && WORDS.iter().any(|word| text.starts_with(word))).then_some(text)
    }

    /// A run inside this one closed.
    pub fn inner(&mut self, run: Run, footer: &Footer) {
        self.inner.extend(run.own(footer));
    }

    /// The failures that are the runner's: those of the lists, else as many of the early ones as it counts.
    fn own(mut self, footer: &Footer) -> Vec<Failure> {
        let warns = footer.word == Word::Warnings || footer.word == Word::Red && self.major < 10;
        self.listed.retain(|(list, failure)| *list != List::Warnings || warns && !is_empty_class(failure));
        if !self.listed.is_empty() {
            return self.listed.into_iter().map(|(_, failure)| failure).collect();
        }
        let told = footer.errors + footer.failures;
        if told == 0 {
            return Vec::new();
        }
        let last = self.testdox.finish();
        self.late(last);
        if !self.late.is_empty() {
            self.early = std::mem::take(&mut self.late);
        }
        // The teamcity mode tells of risky tests as failed ones.
        let wanted = usize::try_from(told + footer.risky).unwrap_or(usize::MAX);
        self.early.drain(..self.early.len().saturating_sub(wanted));
        // These modes do not say which of the two a failure is, where its words do not.
        for failure in &mut self.early {
            match failure.kind {
                Kind::Assertion if footer.failures == 0 && failure.expected.is_none() => {
                    failure.kind = Kind::Exception
                }
                Kind::Exception if footer.errors == 0 => failure.kind = Kind::Assertion,
                _ => {}
            }
        }
        self.early
    }

    /// The footer came.
    pub fn close(self, footer: &Footer, out: &mut Out) {
        let (major, duration_ms) = (self.major, self.duration_ms);
        let failures = self.own(footer);
        out.tests_seen = out.tests_seen.max(footer.tests);
        let red = footer.errors + footer.failures;
        let warned = if major < 10 { footer.warnings } else { 0 };
        let others = red + footer.skipped + footer.incomplete + footer.risky + warned;
        let passed = footer.tests.saturating_sub(others);
        let uncollected = !failures.is_empty() && failures.iter().all(|f| f.kind == Kind::CollectionError);
        let says = match footer.word {
            Word::Red if uncollected && passed + footer.failures == 0 => {
                Says::Refused(Reason::CollectionError)
            }
            Word::Red => Says::Red,
            // A test class without tests; PHPUnit 9 exits with 0.
            Word::Warnings if failures.len() as u64 > 0 => Says::Red,
            _ if passed == 0 => Says::NoTests,
            _ => Says::Green,
        };
        out.unnamed(red.saturating_sub(failures.len() as u64));
        failures.into_iter().for_each(|failure| out.failure(failure));
        out.close(Closing {
            says,
            counts: Counts {
                passed: Some(passed),
                failed: Some(footer.failures),
                errored: Some(footer.errors),
                skipped: Some(footer.skipped + footer.incomplete),
            },
            duration_ms,
            message: None,
        });
    }

    /// The stream ended first.
    pub fn end(mut self, out: &mut Out) {
        let last = self.testdox.finish();
        self.early(last);
        let listed = self.listed.into_iter().map(|(_, failure)| failure);
        let failures: Vec<Failure> = if listed.len() > 0 { listed.collect() } else { self.early };
        failures.into_iter().chain(self.fatal).chain(self.inner).for_each(|failure| out.failure(failure));
    }
}

/// PHPUnit could not begin.
pub fn refuse(message: String, out: &mut Out) {
    out.close(Closing {
        says: Says::Refused(Reason::NotRunnable),
        counts: Counts::default(),
        duration_ms: None,
        message: Some(message),
    });
}

/// PHPUnit could not load the tests.
pub fn refuse_for(failure: Failure, out: &mut Out) {
    let reason =
        if failure.kind == Kind::CompileError { Reason::CompileError } else { Reason::CollectionError };
    let message = failure.message.clone();
    out.failure(failure);
    out.close(Closing { says: Says::Refused(reason), counts: Counts::default(), duration_ms: None, message });
}

/// PHPUnit 9 warns of a class without tests; that is no failure.
fn is_empty_class(failure: &Failure) -> bool {
    failure.message.as_deref().is_some_and(|message| message.starts_with("No tests found in class "))
}

/// `Allowed memory size of … bytes exhausted in /p/src/A.php on line 3`.
fn fatal(said: &str, span: [u64; 2]) -> Option<Failure> {
    let said = said.strip_prefix("Uncaught ").unwrap_or(said);
    let (class, said) =
        php::class_of(said).map_or((None, said), |(class, said)| (Some(class.to_owned()), said));
    let (message, at) =
        php::place_behind(said).map_or((said.to_owned(), None), |(words, at)| (words, Some(at)));
    Some(Failure {
        kind: Kind::Crash,
        message: Some(message),
        exception_type: class,
        fault: at.filter(|at| at.file.as_deref().is_some_and(php::is_user_file)),
        span: Some(span),
        ..Failure::default()
    })
}

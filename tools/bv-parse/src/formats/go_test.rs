//! `go test`: its text with and without `-v`, its events (`-json`), and gotestsum around it.
//!
//! A package is a section: it opens with its first test, or its first sign of failure, and closes with the
//! go command's line on it (`ok  \tpkg\t0.1s`, `FAIL\tpkg\t0.1s`). With `-v` each test is announced, so that
//! what a test prints cannot be taken for another's end. The bare `PASS` of a test binary that runs without
//! the go command closes nothing: what comes after it may still fail.

mod build;
mod dump;
mod failed;
mod gotestsum;
mod json;
mod markers;
mod package;
mod refusal;
mod wrapped;

use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use build::Builds;
use bv_schemas::{Counts, Failure, Kind, Reason, Test, TestOutcome};
use gotestsum::{Done, Summary};
use json::Events;
use markers::{Ended, PackageLine, PackageSays, Result, Step};
use memchr::memmem;
use package::Package;
use std::collections::HashSet;

/// The table's line.
pub const FORMAT: Format = Format {
    name: "go-test",
    commands: &["go"],
    needles: &[
        "=== RUN   ",
        "--- FAIL: ",
        "--- PASS: ",
        "--- SKIP: ",
        "FAIL\t",
        "ok  \t",
        "?   \t",
        ".go:",
        "panic: ",
        "fatal error: ",
        "WARNING: DATA RACE",
        "\"Action\":\"",
        "=== Failed",
        "=== Skipped",
        "=== Errors",
        "DONE ",
        "go: ",
        "no Go files in ",
        "no packages to test",
        ".test]",
    ],
    new: || Box::<GoTest>::default(),
};

/// gotestsum is read by the same machine, for it prints go test's text in most of its formats; it names
/// itself when it has spoken.
pub const GOTESTSUM: Format =
    Format { name: "gotestsum", commands: &["gotestsum"], needles: &[], new: || Box::<GoTest>::default() };

/// See the head of this file.
#[derive(Default)]
struct GoTest {
    package: Package,
    opened: bool,
    /// gotestsum has named itself in the open section.
    named: bool,
    /// The go command's line on the package came while tests ran: a test may have printed it.
    doubtful: Option<Closed>,
    builds: Builds,
    events: Events,
    summary: Summary,
    /// A run of gotestsum that had failures and did not list them: it may run them again.
    waiting: Option<Done>,
    /// Ids of failures said of packages that closed since gotestsum last spoke.
    said: HashSet<String>,
    /// Some of them had no id, or were too many to remember.
    said_more: bool,
    /// Packages closed since gotestsum last spoke.
    closed_any: bool,
    refusal: Option<(Reason, String)>,
    spoke: bool,
}

/// A package's end.
struct Closed {
    name: String,
    says: PackageSays,
    duration_ms: Option<u64>,
}

impl Machine for GoTest {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let text = line.text;
        if text.starts_with('{')
            && !self.opened
            && let Some(event) = json::event(text)
        {
            self.spoke = true;
            out.mine();
            self.events.take(&event, line.span, &mut self.builds, out);
            return;
        }
        if (text.starts_with("=== ") || self.summary.reading()) && self.gotestsum(text, line.span, out) {
            return;
        }
        if text.starts_with("DONE ")
            && !self.package.any_running()
            && let Some(done) = gotestsum::done(text)
        {
            return self.done(&done, out);
        }
        self.text(text, line.span, out);
    }

    fn end(&mut self, out: &mut Out) {
        if let Some(closed) = self.doubtful.take() {
            self.close(&closed, out);
        }
        if let Some(done) = self.waiting.take() {
            self.finish(&done, out);
        }
        self.events.end(out);
        if self.opened {
            let (failures, over) = std::mem::take(&mut self.package).failures(None, false);
            failures.into_iter().for_each(|failure| out.failure(failure));
            out.unnamed(over);
            return;
        }
        // `go build`, `go vet`, or packages that the go command could not even list.
        let unbuilt = self.builds.take_all();
        if !unbuilt.is_empty() {
            let says = Says::Refused(reason(&unbuilt));
            let message = unbuilt[0].message.clone();
            unbuilt.into_iter().for_each(|failure| out.failure(failure));
            out.close(Closing { says, counts: Counts::default(), duration_ms: None, message });
        } else if let Some((reason, message)) = self.refusal.take()
            && !self.spoke
        {
            let says = if reason == Reason::NoTests { Says::NoTests } else { Says::Refused(reason) };
            out.close(Closing { says, counts: Counts::default(), duration_ms: None, message: Some(message) });
        }
    }
}

impl GoTest {
    /// A line of go test's own text.
    fn text(&mut self, text: &str, span: [u64; 2], out: &mut Out) {
        if !self.package.is_gathering() && !markers::may_speak(text) {
            return self.package.word(text);
        }
        let bytes = text.as_bytes();
        if memmem::find(bytes, b"=== ").is_some()
            && let Some((step, at)) = markers::step(text)
            && (at == 0 || self.package.verbose)
        {
            return self.step(step, &text[..at], span, out);
        }
        if memmem::find(bytes, b"--- ").is_some()
            && let Some(ended) = markers::ended(text)
            && self.ended(&ended, text, span, out)
        {
            return;
        }
        if let Some(line) = markers::package(text) {
            return self.package_line(&line, out);
        }
        if self.own_word(text, span) {
            return;
        }
        if gotestsum::is_progress(text) && !self.package.any_running() && self.opened {
            self.name_gotestsum(out);
        }
        if self.opened || self.package.wants(text) {
            self.package.raw(text, span, None, false);
        } else {
            self.package.word(text);
        }
        if !self.opened && !self.package.races.is_empty() {
            self.open(out);
        }
    }

    /// What the test binary or the go command says beside the tests' ends; true when the line is that.
    fn own_word(&mut self, text: &str, span: [u64; 2]) -> bool {
        let running = self.package.any_running();
        match text {
            "PASS" | "FAIL" if !running => {
                self.package.bare = Some(text == "PASS");
                return true;
            }
            _ => {}
        }
        if text.starts_with("exit status ") || text.starts_with("signal: ") {
            self.package.exit = Some(text.to_owned());
            return true;
        }
        if running || self.package.in_dump() {
            return false;
        }
        if text.contains(".go:")
            || text.starts_with("# ")
            || text.starts_with('\t')
            || text == "too many errors"
        {
            return self.builds.line(text, span);
        }
        if self.refusal.is_none()
            && let Some(reason) = refusal::reason(text)
        {
            self.refusal = Some((reason, text.to_owned()));
        }
        false
    }

    fn step(&mut self, step: Step<'_>, before: &str, span: [u64; 2], out: &mut Out) {
        if let Some(closed) = self.doubtful.take() {
            let own = match step {
                Step::Run(name) => {
                    name.rsplit_once('/').is_some_and(|(parent, _)| self.package.is_running(parent))
                }
                Step::Output(name) => self.package.is_running(name),
                Step::Pause => true,
            };
            if !own {
                self.close(&closed, out);
            }
        }
        self.open(out);
        if !before.trim().is_empty() {
            self.package.raw(before, span, None, false);
        }
        self.package.forget_dump();
        match step {
            Step::Run(name) => self.package.run(name, span),
            Step::Output(name) => self.package.output_of(name),
            Step::Pause => {}
        }
    }

    /// False when the test did not run: another's output.
    fn ended(&mut self, ended: &Ended<'_>, text: &str, span: [u64; 2], out: &mut Out) -> bool {
        let before = &text[..ended.at];
        if self.package.verbose && !before.trim().is_empty() && !self.package.is_running(ended.name) {
            return false;
        }
        if !self.package.ended(ended.name, ended.result, span) {
            return false;
        }
        self.doubtful = None;
        self.open(out);
        self.package.forget_dump();
        out.tests_seen += 1;
        let outcome = match ended.result {
            Result::Fail => return true,
            Result::Skip => TestOutcome::Skipped,
            Result::Pass | Result::Bench => TestOutcome::Passed,
        };
        out.test(Test { id: ended.name.to_owned(), outcome, duration_ms: ended.duration_ms });
        true
    }

    fn open(&mut self, out: &mut Out) {
        if !self.opened {
            self.opened = true;
            self.named = false;
            self.spoke = true;
            out.runner(FORMAT.name);
            out.open();
        }
    }

    fn package_line(&mut self, line: &PackageLine<'_>, out: &mut Out) {
        let closed = Closed { name: line.package.to_owned(), says: line.says, duration_ms: line.duration_ms };
        if let Some(before) = self.doubtful.take() {
            self.close(&before, out);
        }
        let ran = matches!(line.says, PackageSays::Ok | PackageSays::Fail);
        if ran && self.package.any_running() && !self.package.in_dump() {
            self.doubtful = Some(closed);
            return;
        }
        self.close(&closed, out);
    }

    fn close(&mut self, closed: &Closed, out: &mut Out) {
        self.open(out);
        self.opened = false;
        self.closed_any = true;
        let package = std::mem::take(&mut self.package);
        let mut counts = Counts::default();
        if package.verbose {
            let [passed, _, skipped] = package.tally.map(Some);
            counts = Counts { passed, failed: Some(0), errored: None, skipped };
        }
        let (says, failures, over) = match closed.says {
            PackageSays::NoTests => (Says::NoTests, Vec::new(), 0),
            PackageSays::BuildFailed | PackageSays::SetupFailed => {
                let mut failures = self.builds.take(&closed.name);
                if closed.says == PackageSays::SetupFailed && failures.is_empty() {
                    failures.extend(self.unloaded(&package));
                }
                let reason = match closed.says {
                    PackageSays::SetupFailed if failures.is_empty() => Reason::CollectionError,
                    _ => reason(&failures),
                };
                (Says::Refused(reason), failures, 0)
            }
            PackageSays::Ok => self.green(package),
            PackageSays::Fail => {
                let (failures, over) = package.failures(Some(&closed.name), true);
                (Says::Red, failures, over)
            }
        };
        if let Some(failed) = &mut counts.failed {
            // A parent that fails by its child is none of its own.
            *failed = failures.len() as u64 + over;
        }
        let message = match says {
            Says::Refused(_) => failures.first().and_then(|failure| failure.message.clone()),
            _ => None,
        };
        for failure in failures {
            self.remember(&failure);
            out.failure(failure);
        }
        out.unnamed(over);
        out.close(Closing { says, counts, duration_ms: closed.duration_ms, message });
    }

    /// The go command says that the test binary ended well. The binary's own last word may be `FAIL` all
    /// the same, where a `TestMain` drops what its tests returned, and so may a test never have ended.
    fn green(&self, package: Package) -> (Says, Vec<Failure>, u64) {
        let red = package.any_failed() && package.bare != Some(true) || package.any_running();
        if red {
            let (failures, over) = package.failures(None, true);
            return (Says::Red, failures, over);
        }
        let says = if package.all_skipped() { Says::NoTests } else { Says::Green };
        (says, Vec::new(), 0)
    }

    /// A package that the go command could not load says why in words without a place.
    fn unloaded(&self, package: &Package) -> Option<Failure> {
        let message = package.last_words.clone()?;
        Some(Failure { kind: Kind::CollectionError, message: Some(message), ..Failure::default() })
    }

    fn remember(&mut self, failure: &Failure) {
        const SAID_MAX: usize = 10_000;
        match &failure.id {
            Some(id) if self.said.len() < SAID_MAX => {
                self.said.insert(id.clone());
            }
            _ => self.said_more = true,
        }
    }
}

/// The failure of a test whose whole output is known, as a report has it.
pub fn failure(test: &str, output: &str) -> Failure {
    let span = [0, 0];
    let mut package = Package::default();
    package.surely_ended(test, Result::Fail, span);
    for line in output.lines() {
        let own = markers::ended(line).is_some_and(|ended| ended.name == test);
        if !own && markers::step(line).is_none() && markers::package(line).is_none() {
            package.raw(line, span, None, false);
        }
    }
    let (mut failures, _) = package.failures(None, false);
    let own = failures.iter().position(|failure| failure.id.as_deref() == Some(test)).unwrap_or(0);
    let failure = if failures.is_empty() { Failure::default() } else { failures.swap_remove(own) };
    Failure { span: None, ..failure }
}

/// Why nothing could run, by what was said: a package that could not be loaded, else a compiler.
fn reason(failures: &[Failure]) -> Reason {
    let loading =
        !failures.is_empty() && failures.iter().all(|failure| failure.kind == Kind::CollectionError);
    if loading { Reason::CollectionError } else { Reason::CompileError }
}

#[cfg(test)]
mod tests;

//! `go test -json` (cmd/test2json): one event a line, of many packages at a time.
//!
//! Each package's events are gathered as its text would be; the section closes when every package that
//! began has ended. A test's output is a string in it, so that it cannot be taken for the runner's.

use super::build::Builds;
use super::markers::{self, Result, Step};
use super::package::Package;
use crate::machine::{Closing, Out, Says};
use crate::values::milliseconds;
use bv_schemas::{Counts, Failure, Reason, Test, TestOutcome};
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::HashMap;

/// Packages that are open at the same time, at most.
const PACKAGES_MAX: usize = 10_000;
/// Bytes kept of a line whose end has not come.
const PARTIAL_BYTES_MAX: usize = 64 << 10;
/// Tests with such a line, at most.
const PARTIALS_MAX: usize = 1000;

/// One event, as far as it is read.
#[derive(Debug, Deserialize)]
pub struct Event<'a> {
    #[serde(borrow, rename = "Action")]
    action: Cow<'a, str>,
    #[serde(borrow, rename = "Package")]
    package: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "ImportPath")]
    import_path: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "Test")]
    test: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "Output")]
    output: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "OutputType")]
    output_type: Option<Cow<'a, str>>,
    #[serde(rename = "Elapsed")]
    elapsed: Option<f64>,
}

/// The event in this line.
pub fn event(line: &str) -> Option<Event<'_>> {
    let begins = line.starts_with("{\"Time\":\"")
        || line.starts_with("{\"ImportPath\":\"")
        || line.starts_with("{\"Action\":\"");
    if !begins || !line.ends_with('}') {
        return None;
    }
    let event: Event<'_> = serde_json::from_str(line).ok()?;
    const ACTIONS: &[&str] =
        &["start", "run", "pause", "cont", "pass", "bench", "fail", "output", "skip", "attr", "artifacts"];
    // `go tool test2json` knows no package unless it is told one.
    let known = event.package.is_some() || event.import_path.is_some() || ACTIONS.contains(&&*event.action);
    known.then_some(event)
}

/// All packages that have begun and not ended, and what those say that ended since all were closed.
#[derive(Default)]
pub struct Events {
    packages: HashMap<String, Open>,
    closed: Closed,
}

#[derive(Default)]
struct Open {
    package: Package,
    partial: HashMap<Option<String>, String>,
    /// A test whose step was glued to another's output, which its own lines follow (before Go 1.20).
    glued: HashMap<String, String>,
    unbuilt: bool,
}

#[derive(Default)]
struct Closed {
    failures: Vec<Failure>,
    over: u64,
    counts: [u64; 3],
    duration_ms: Option<u64>,
    red: bool,
    green: bool,
    unbuilt: bool,
    any: bool,
}

impl Events {
    /// Whether a package is open, or one has ended while others ran.
    pub fn is_open(&self) -> bool {
        !self.packages.is_empty() || self.closed.any
    }

    /// Takes an event.
    pub fn take(&mut self, event: &Event<'_>, span: [u64; 2], builds: &mut Builds, out: &mut Out) {
        let unnamed = event.import_path.is_none() && (event.test.is_some() || self.packages.contains_key(""));
        if event.package.is_none() && !unnamed {
            if event.action == "build-output"
                && let Some(text) = &event.output
            {
                builds.line(text.trim_end_matches('\n'), span);
            }
            return;
        }
        let name = event.package.as_deref().unwrap_or_default();
        if !self.packages.contains_key(name) {
            if self.packages.len() == PACKAGES_MAX {
                return;
            }
            if !self.is_open() {
                out.open();
            }
            self.packages.insert(name.to_owned(), Open::default());
        }
        let Some(open) = self.packages.get_mut(name) else { return };
        open.package.extend(span);
        match (&*event.action, event.test.as_deref()) {
            ("run", Some(test)) => open.package.run(test, span),
            ("output", test) => open.output(event, test, span),
            ("pass" | "fail" | "skip", Some(test)) => self.closed.test(open, event, test, span, out),
            ("pass" | "fail" | "skip", None) => {
                if let Some(open) = self.packages.remove(name) {
                    self.closed.package(open, name, event, builds);
                }
                if self.packages.is_empty() {
                    std::mem::take(&mut self.closed).say(out);
                }
            }
            _ => {}
        }
    }

    /// The stream ended with packages open.
    pub fn end(&mut self, out: &mut Out) {
        if !self.is_open() {
            return;
        }
        for (_, open) in std::mem::take(&mut self.packages) {
            let (failures, over) = open.package.failures(None, false);
            self.closed.failures.extend(failures);
            self.closed.over += over;
        }
        std::mem::take(&mut self.closed).failures.into_iter().for_each(|failure| out.failure(failure));
    }
}

impl Open {
    /// A piece of output; a line may come in several, and pieces of other tests between them.
    fn output(&mut self, event: &Event<'_>, test: Option<&str>, span: [u64; 2]) {
        let Some(text) = event.output.as_deref() else { return };
        if event.output_type.as_deref() == Some("frame") {
            return self.frame(text);
        }
        // Most output is a whole line of the testing package's own.
        if self.partial.is_empty()
            && self.glued.is_empty()
            && let Some(whole) = text.strip_suffix('\n')
            && test.is_some_and(|test| is_frame_of(whole, test))
        {
            return;
        }
        let key = test.map(str::to_owned);
        let error = event.output_type.as_deref() == Some("error");
        let mut held = self.partial.remove(&key).unwrap_or_default();
        let Some(whole) = text.strip_suffix('\n') else {
            if held.len() + text.len() <= PARTIAL_BYTES_MAX && self.partial.len() < PARTIALS_MAX {
                held.push_str(text);
                self.partial.insert(key, held);
            }
            return;
        };
        if held.is_empty() {
            return self.line(whole, test, error, span);
        }
        held.push_str(whole);
        self.line(&held, test, error, span);
    }

    /// What the testing package or the go command wrote itself, where the event says so.
    fn frame(&mut self, text: &str) {
        self.unbuilt |= text.ends_with(" failed]\n");
    }

    fn line(&mut self, line: &str, test: Option<&str>, error: bool, span: [u64; 2]) {
        let frame = match test {
            Some(_) => {
                matches!(markers::step(line), Some((Step::Run(_) | Step::Output(_) | Step::Pause, 0)))
                    || markers::ended(line).is_some_and(|ended| line[..ended.at].trim().is_empty())
            }
            None => line == "PASS" || line == "FAIL" || markers::package(line).is_some(),
        };
        if frame {
            self.unbuilt |= test.is_none() && line.ends_with(" failed]");
            test.and_then(|test| self.glued.remove(test));
            return;
        }
        if let Some(from) = test {
            let glued = match markers::step(line) {
                Some((Step::Run(to) | Step::Output(to), _)) => Some(to),
                _ => None,
            };
            if let Some(to) = glued
                && self.glued.len() < PARTIALS_MAX
            {
                if !self.package.is_running(to) {
                    self.package.run(to, span);
                }
                self.glued.insert(from.to_owned(), to.to_owned());
                return;
            }
        }
        let test = test.map(|from| self.glued.get(from).cloned().unwrap_or_else(|| from.to_owned()));
        let test = test.as_deref();
        if test.is_none() && (line.starts_with("exit status ") || line.starts_with("signal: ")) {
            self.package.exit = Some(line.to_owned());
            return;
        }
        self.package.raw(line, span, test, error);
    }
}

/// The usual lines about this very test, without a look at more than a few bytes.
fn is_frame_of(line: &str, test: &str) -> bool {
    let named = line.strip_prefix("=== RUN   ").or_else(|| line.strip_prefix("--- PASS: "));
    named.and_then(|rest| rest.strip_prefix(test)).is_some_and(|rest| rest.is_empty() || is_time(rest))
}

/// ` (0.00s)`.
fn is_time(text: &str) -> bool {
    let time = text.strip_prefix(" (").and_then(|text| text.strip_suffix("s)"));
    time.is_some_and(|time| {
        !time.is_empty() && time.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
    })
}

impl Closed {
    fn test(&mut self, open: &mut Open, event: &Event<'_>, test: &str, span: [u64; 2], out: &mut Out) {
        let (result, outcome, at) = match &*event.action {
            "fail" => (Result::Fail, None, 1),
            "skip" => (Result::Skip, Some(TestOutcome::Skipped), 2),
            _ => (Result::Pass, Some(TestOutcome::Passed), 0),
        };
        self.counts[at] += 1;
        open.package.surely_ended(test, result, span);
        out.tests_seen += 1;
        if let Some(outcome) = outcome {
            let duration_ms = event.elapsed.and_then(milliseconds);
            out.test(Test { id: test.to_owned(), outcome, duration_ms });
        }
    }

    fn package(&mut self, open: Open, name: &str, event: &Event<'_>, builds: &mut Builds) {
        self.any = true;
        let failed = event.action == "fail";
        if let Some(ms) = event.elapsed.and_then(milliseconds) {
            self.duration_ms = Some(self.duration_ms.unwrap_or(0).saturating_add(ms));
        }
        if failed && open.unbuilt {
            self.unbuilt = true;
            self.failures.extend(builds.take(name));
            return;
        }
        let [passed, red, _] = open.package.tally;
        self.green |= event.action == "pass" && passed > 0;
        self.red |= failed || red > 0;
        if failed || red > 0 {
            let (failures, over) = open.package.failures(Some(name), failed);
            self.failures.extend(failures);
            self.over += over;
        }
    }

    fn say(self, out: &mut Out) {
        let [passed, failed, skipped] = self.counts.map(Some);
        let says = match (self.red, self.unbuilt, self.green) {
            (true, _, _) | (_, true, true) => Says::Red,
            (_, true, false) => Says::Refused(super::reason(&self.failures)),
            (_, _, true) => Says::Green,
            _ => Says::NoTests,
        };
        let message = match says {
            Says::Refused(_) => self.failures.first().and_then(|failure| failure.message.clone()),
            _ => None,
        };
        self.failures.into_iter().for_each(|failure| out.failure(failure));
        out.unnamed(self.over);
        let counts = match says {
            Says::Refused(Reason::CompileError | Reason::CollectionError) => Counts::default(),
            _ => Counts { passed, failed, errored: None, skipped },
        };
        out.close(Closing { says, counts, duration_ms: self.duration_ms, message });
    }
}

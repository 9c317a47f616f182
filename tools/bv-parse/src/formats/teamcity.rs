//! TeamCity's service messages as a format, whichever runner prints them
//! (<https://www.jetbrains.com/help/teamcity/service-messages.html>).
//!
//! A section opens with the first suite or test and closes when the outermost suite does, in all flows; where tests
//! stand in no suite nothing closes them, and only an exit status of 0 makes them green. A failure counts for a test
//! that runs in its flow alone: what a test prints is escaped by runners that capture it. PHPUnit's own messages are
//! PHPUnit's.

use super::junit_xml;
use crate::held::{Held, further};
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use crate::python::Traceback;
use crate::teamcity::{attribute, message};
use bv_schemas::{Counts, Failure, Kind, Test, TestOutcome};
use std::collections::HashMap;

/// The table's line.
pub const FORMAT: Format = Format {
    name: "teamcity",
    commands: &[],
    needles: &["##teamcity[test"],
    new: || Box::<Teamcity>::default(),
};

/// Tests and suites that are followed at a time.
const OPEN_MAX: usize = 100_000;

/// See the head of this file.
#[derive(Default)]
struct Teamcity {
    opened: bool,
    /// Whether the runner's messages have a time, and a flow.
    marks: [bool; 2],
    /// Another format reads this runner's messages.
    others: bool,
    /// Open suites by flow.
    suites: HashMap<String, Vec<String>>,
    open_suites: u64,
    /// Running tests by flow and name.
    running: HashMap<(String, String), Running>,
    counts: Counts,
    held: Held,
    /// A test that failed and is run again with success did not fail.
    retries: bool,
}

struct Running {
    id: String,
    failure: Option<Failure>,
    ignored: bool,
    span: [u64; 2],
}

impl Machine for Teamcity {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten || self.others {
            return;
        }
        let Some((name, rest)) = message(line.text) else { return };
        if rest.contains("locationHint='php_qn:") {
            self.others = !self.opened || self.counts == Counts::default();
            return;
        }
        let marks = ["timestamp", "flowId"].map(|name| attribute(rest, name).is_some());
        if !self.opened && name.starts_with("test") {
            self.marks = marks;
        } else if self.marks.iter().zip(marks).any(|(wanted, is)| *wanted && !is) {
            // The runner marks its messages; this one is what a test prints.
            return;
        }
        let flow = attribute(rest, "flowId").unwrap_or_default();
        match name {
            "testSuiteStarted" => {
                self.open(out);
                let suite = attribute(rest, "name").unwrap_or_default();
                let suites = self.suites.entry(flow).or_default();
                if suites.len() < OPEN_MAX {
                    suites.push(suite);
                    self.open_suites += 1;
                }
            }
            "testSuiteFinished" => self.suite_finished(&flow, rest, out),
            "testStarted" => self.started(flow, rest, line, out),
            "testFailed" => self.failed(flow, rest, line.span),
            "testIgnored" => self.ignored(flow, rest, out),
            "testFinished" => self.finished(flow, rest, line.span, out),
            "testRetrySupport" => self.retries = attribute(rest, "enabled").as_deref() == Some("true"),
            "buildProblem" if self.opened => {
                let message = attribute(rest, "description");
                let span = Some(line.span);
                self.held.push(Failure { kind: Kind::Exception, message, span, ..Failure::default() });
            }
            _ => {}
        }
    }

    fn end(&mut self, out: &mut Out) {
        if !self.opened {
            return;
        }
        let ran = self.counts != Counts::default();
        if ran && self.open_suites == 0 && self.running.is_empty() {
            return self.close(Says::GreenAtExit0, out);
        }
        for (_, running) in self.in_order() {
            running.failure.into_iter().for_each(|failure| self.held.push(failure));
        }
        self.held.say(out);
    }
}

impl Teamcity {
    fn open(&mut self, out: &mut Out) {
        if !std::mem::replace(&mut self.opened, true) {
            out.open();
        }
    }

    fn suite_finished(&mut self, flow: &str, rest: &str, out: &mut Out) {
        let name = attribute(rest, "name").unwrap_or_default();
        let Some(suites) = self.suites.get_mut(flow).filter(|suites| suites.last() == Some(&name)) else {
            return;
        };
        suites.pop();
        self.open_suites -= 1;
        if self.open_suites == 0 && self.running.is_empty() {
            self.close(Says::Green, out);
        }
    }

    fn started(&mut self, flow: String, rest: &str, line: &Line<'_>, out: &mut Out) {
        let Some(name) = attribute(rest, "name").filter(|_| self.running.len() < OPEN_MAX) else { return };
        self.open(out);
        let id = self.id(&flow, &name);
        self.running.insert((flow, name), Running { id, failure: None, ignored: false, span: line.span });
    }

    fn failed(&mut self, flow: String, rest: &str, span: [u64; 2]) {
        let Some(name) = attribute(rest, "name") else { return };
        let Some(running) = self.running.get_mut(&(flow, name)) else { return };
        running.span[1] = span[1];
        let failure = failure(&running.id, rest);
        match &mut running.failure {
            None => running.failure = Some(failure),
            Some(first) => further(first, failure),
        }
    }

    fn ignored(&mut self, flow: String, rest: &str, out: &mut Out) {
        let Some(name) = attribute(rest, "name") else { return };
        let id = self.id(&flow, &name);
        if let Some(running) = self.running.get_mut(&(flow, name)) {
            running.ignored = true;
        } else if self.opened {
            // Some runners write no test around it.
            self.skip(id, None, out);
        }
    }

    fn finished(&mut self, flow: String, rest: &str, span: [u64; 2], out: &mut Out) {
        let Some(name) = attribute(rest, "name") else { return };
        let Some(running) = self.running.remove(&(flow, name)) else { return };
        let duration_ms = attribute(rest, "duration").and_then(|time| time.parse().ok());
        out.tests_seen += 1;
        if let Some(failure) = running.failure {
            *self.counts.failed.get_or_insert(0) += 1;
            self.held.push(Failure { span: Some([running.span[0], span[1]]), ..failure });
        } else if running.ignored {
            self.skip(running.id, duration_ms, out);
        } else {
            *self.counts.passed.get_or_insert(0) += 1;
            let outcome = match self.retries && self.held.find(&running.id).is_some() {
                true => {
                    let before = self.held.len();
                    self.held.forget(|failure| failure.id.as_deref() == Some(running.id.as_str()));
                    let red = self.counts.failed.get_or_insert(0);
                    *red = red.saturating_sub(before - self.held.len());
                    TestOutcome::Flaky
                }
                false => TestOutcome::Passed,
            };
            out.test(Test { id: running.id, outcome, duration_ms });
        }
    }

    fn skip(&mut self, id: String, duration_ms: Option<u64>, out: &mut Out) {
        *self.counts.skipped.get_or_insert(0) += 1;
        out.test(Test { id, outcome: TestOutcome::Skipped, duration_ms });
    }

    /// The name, below its suite where that is no file and not part of it already.
    fn id(&self, flow: &str, name: &str) -> String {
        let suite = self.suites.get(flow).and_then(|suites| suites.last()).map(String::as_str);
        match suite
            .filter(|suite| !suite.is_empty() && !suite.contains(['/', '\\']) && !name.starts_with(suite))
        {
            Some(suite) if !suite.ends_with(".dll") => format!("{suite}.{name}"),
            _ => name.to_owned(),
        }
    }

    /// Tests that run, in the order in which they began.
    fn in_order(&mut self) -> Vec<((String, String), Running)> {
        let mut running: Vec<_> = self.running.drain().collect();
        running.sort_by_key(|(_, running)| running.span[0]);
        running
    }

    fn close(&mut self, green: Says, out: &mut Out) {
        let mut counts = std::mem::take(&mut self.counts);
        for count in [&mut counts.passed, &mut counts.failed, &mut counts.skipped] {
            count.get_or_insert(0);
        }
        let says = match (counts.failed.unwrap_or(0).max(self.held.len()), counts.passed) {
            (0, Some(1..)) => green,
            (0, _) => Says::NoTests,
            _ => Says::Red,
        };
        let unnamed = counts.failed.unwrap_or(0).saturating_sub(self.held.len());
        self.held.say(out);
        out.unnamed(unnamed);
        out.close(Closing { says, counts, duration_ms: None, message: None });
        *self = Teamcity { retries: self.retries, ..Teamcity::default() };
    }
}

/// One `testFailed`, read by what its texts show.
fn failure(id: &str, rest: &str) -> Failure {
    let words = attribute(rest, "message").unwrap_or_default();
    let details = attribute(rest, "details").unwrap_or_default();
    let mut failure = match details.find("Traceback (most recent call last):") {
        Some(at) => of_python(id, &details[at..]),
        None => junit_xml::told(id, &words, &details),
    };
    let line = |text: &str| text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned);
    failure.message = failure.message.or_else(|| line(&words)).or_else(|| line(&details));
    failure.id = Some(id.to_owned());
    let sides = [attribute(rest, "expected"), attribute(rest, "actual")];
    if attribute(rest, "type").as_deref() == Some("comparisonFailure") || sides.iter().any(Option::is_some) {
        let [expected, observed] = sides;
        failure.expected = expected;
        failure.observed = observed;
        failure.kind = Kind::Assertion;
    }
    failure
}

fn of_python(id: &str, text: &str) -> Failure {
    let trace = Traceback::read(text.lines());
    let mut failure = Failure { kind: Kind::Exception, ..Failure::default() };
    trace.describe(&mut failure);
    trace.place(&mut failure, id.rsplit('.').next());
    if [".setUpClass", ".tearDownClass", ".setUpModule", ".tearDownModule"]
        .iter()
        .any(|hook| id.ends_with(hook))
    {
        failure.kind = Kind::SetupError;
    } else if trace.exception.as_ref().is_some_and(|exception| exception.name.ends_with("AssertionError")) {
        failure.kind = Kind::Assertion;
    }
    failure
}

#[cfg(test)]
mod tests;

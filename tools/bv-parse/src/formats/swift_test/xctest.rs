//! XCTest's text: nested suites, a line at each test's beginning and end, one an issue.

use super::build::Fatal;
use crate::held::Held;
use crate::machine::{Closing, Out, Says};
use crate::values::{Sides, milliseconds};
use bv_schemas::{Counts, Failure, Kind, Place, Test, TestOutcome};

/// Suites inside each other that are followed.
const DEPTH_MAX: usize = 64;
/// Lines of one issue that are put together.
const LINES_MAX: usize = 60;

/// See the head of this file.
#[derive(Default)]
pub struct XcTest {
    suites: Vec<String>,
    /// The suite that ended, whose counts come next, and whether it is the outermost.
    ended: Option<bool>,
    running: Option<Running>,
    /// Tests that failed and that were skipped in the section.
    failed: u64,
    skipped: u64,
    /// What failed.
    pub held: Held,
    /// An issue whose values go on in the next line.
    issue: Option<Issue>,
}

struct Running {
    id: String,
    issues: u64,
    span: [u64; 2],
}

struct Issue {
    place: Place,
    id: String,
    text: String,
    lines: usize,
    span: [u64; 2],
}

impl XcTest {
    /// Whether a suite is open.
    pub fn is_open(&self) -> bool {
        !self.suites.is_empty() || self.ended.is_some() || self.running.is_some()
    }

    /// Takes a line; gives the closing statement of the outermost suite.
    pub fn line(&mut self, text: &str, span: [u64; 2], out: &mut Out) -> Option<Closing> {
        if let Some(rest) = text.strip_prefix("Test Suite '") {
            self.suite(rest);
            return None;
        }
        if let Some(rest) = text.strip_prefix("Test Case '") {
            self.case(rest, span, out);
            return None;
        }
        if let Some(outermost) = self.ended
            && let Some(executed) = Executed::read(text)
        {
            self.ended = None;
            return outermost.then(|| self.close(&executed));
        }
        if self.is_open() {
            self.issue_line(text, span);
        }
        None
    }

    /// `All tests' started at …`, `CartTests' failed at …`
    fn suite(&mut self, rest: &str) {
        let Some((name, what)) = rest.rsplit_once("' ") else { return };
        if what.starts_with("started at ") {
            // A test that prints such a line runs.
            if self.running.is_none() && self.suites.len() < DEPTH_MAX {
                self.suites.push(name.to_owned());
            }
        } else if (what.starts_with("passed at ") || what.starts_with("failed at "))
            && self.suites.last().is_some_and(|open| open == name)
        {
            self.end_issue();
            // A test that died was announced to have ended by nothing else.
            self.suites.pop();
            self.ended = Some(self.suites.is_empty());
            if let Some(running) = self.running.take() {
                self.died(running, None);
            }
        }
    }

    /// `-[Shop.CartTests testTotal]' failed (0.163 seconds).`
    fn case(&mut self, rest: &str, span: [u64; 2], out: &mut Out) {
        let Some((id, what)) = rest.rsplit_once("' ") else { return };
        if what == "started." || what.starts_with("started at ") {
            self.end_issue();
            if let Some(running) = self.running.take() {
                self.died(running, None);
            }
            self.running = Some(Running { id: id.to_owned(), issues: 0, span });
            return;
        }
        let Some(running) = self.running.take_if(|running| running.id == id) else { return };
        self.end_issue();
        out.tests_seen += 1;
        let duration_ms = what.split_once('(').and_then(|(_, time)| time.split(' ').next()?.parse().ok());
        let duration_ms = duration_ms.and_then(milliseconds);
        let outcome = if what.starts_with("passed") {
            TestOutcome::Passed
        } else if what.starts_with("skipped") {
            self.skipped += 1;
            TestOutcome::Skipped
        } else {
            self.failed += 1;
            if self.held.find(id).is_none() {
                let span = Some([running.span[0], span[1]]);
                self.held.push(Failure { id: Some(id.to_owned()), span, ..Failure::default() });
            }
            return;
        };
        out.test(Test { id: id.to_owned(), outcome, duration_ms });
    }

    /// `/w/F.swift:34: error: -[M.C testA] : XCTAssertTrue failed - words`, and what goes on below it.
    fn issue_line(&mut self, text: &str, span: [u64; 2]) {
        if let Some(issue) = Issue::read(text, span)
            && (self.running.as_ref().is_some_and(|running| running.id == issue.id) || self.running.is_none())
        {
            self.end_issue();
            if let Some(running) = &mut self.running {
                running.issues += 1;
            }
            self.issue = Some(issue);
        } else if let Some(issue) = &mut self.issue {
            if issue.is_whole() || issue.lines == LINES_MAX {
                self.end_issue();
            } else {
                issue.lines += 1;
                issue.text.push('\n');
                issue.text.push_str(text);
                issue.span[1] = span[1];
            }
        }
    }

    fn end_issue(&mut self) {
        if let Some(issue) = self.issue.take() {
            self.held.check(issue.failure());
        }
    }

    fn died(&mut self, running: Running, fatal: Option<&Fatal>) {
        if self.held.find(&running.id).is_some() {
            return;
        }
        self.failed += 1;
        let mut failure = Failure {
            kind: Kind::Crash,
            id: Some(running.id),
            span: Some(running.span),
            ..Failure::default()
        };
        if let Some(fatal) = fatal {
            fatal.tell(&mut failure);
        }
        self.held.push(failure);
    }

    /// The stream ended, or the process did.
    pub fn cut(&mut self, fatal: Option<&Fatal>) {
        self.end_issue();
        if let Some(running) = self.running.take() {
            self.died(running, fatal);
        }
    }

    /// Whatever is open is closed by somebody else's word.
    pub fn leave(&mut self) {
        self.suites.clear();
        self.ended = None;
    }

    fn close(&mut self, executed: &Executed) -> Closing {
        let failed = if executed.failures == 0 { self.failed } else { self.failed.max(1) };
        let skipped = executed.skipped.unwrap_or(self.skipped);
        let counts = Counts {
            passed: Some(executed.tests.saturating_sub(failed + skipped)),
            failed: Some(failed),
            errored: None,
            skipped: Some(skipped),
        };
        let says = match (failed.max(self.held.len()), counts.passed) {
            (0, Some(1..)) => Says::Green,
            (0, _) => Says::NoTests,
            _ => Says::Red,
        };
        (self.failed, self.skipped) = (0, 0);
        Closing { says, counts, duration_ms: executed.duration_ms, message: None }
    }
}

/// `\t Executed 5 tests, with 1 test skipped and 2 failures (1 unexpected) in 0.166 (0.167) seconds`
struct Executed {
    tests: u64,
    skipped: Option<u64>,
    failures: u64,
    duration_ms: Option<u64>,
}

impl Executed {
    fn read(text: &str) -> Option<Executed> {
        let (tests, rest) = text.trim_start().strip_prefix("Executed ")?.split_once(" test")?;
        let rest = rest.trim_start_matches('s').strip_prefix(", with ")?;
        let (what, time) = rest.rsplit_once(" in ")?;
        let (skipped, failures) = match what.split_once(" skipped and ") {
            Some((skipped, failures)) => (skipped.split(' ').next()?.parse().ok(), failures),
            None => (None, what),
        };
        let seconds = time.split(' ').next()?.parse().ok();
        Some(Executed {
            tests: tests.parse().ok()?,
            skipped,
            failures: failures.split(' ').next()?.parse().ok()?,
            duration_ms: seconds.and_then(milliseconds),
        })
    }
}

impl Issue {
    fn read(text: &str, span: [u64; 2]) -> Option<Issue> {
        let (place, rest) = text.split_once(": error: ")?;
        let (file, line) = place.rsplit_once(':')?;
        let line: u64 = line.parse().ok()?;
        let (id, words) = rest.split_once(" : ")?;
        if !(id.starts_with("-[") && id.ends_with(']') || id.contains('.') && !id.contains(' ')) {
            return None;
        }
        let known = !file.starts_with('<');
        let function = id.trim_end_matches(']').rsplit([' ', '.']).next().map(str::to_owned);
        let place = Place {
            file: known.then(|| file.to_owned()),
            line: Some(line).filter(|&line| known && line > 0),
            function,
        };
        Some(Issue { place, id: id.to_owned(), text: words.to_owned(), lines: 1, span })
    }

    /// Whether all quotes that began in it ended: a value may hold newlines.
    fn is_whole(&self) -> bool {
        let opens = self.text.matches("(\"").count();
        opens <= self.text.matches("\")").count()
    }

    fn failure(self) -> Failure {
        let first = self.text.lines().next().unwrap_or_default();
        let thrown = self
            .text
            .strip_prefix("threw error \"")
            .or_else(|| self.text.strip_prefix("failed: caught error: \""));
        let kind = if thrown.is_some() || first.starts_with("failed: caught ") {
            Kind::Exception
        } else if first.starts_with("Asynchronous wait failed") && first.contains("xceeded timeout")
            || first.starts_with("Test exceeded execution time allowance")
        {
            Kind::Timeout
        } else {
            Kind::Assertion
        };
        let message = match thrown.and_then(|thrown| thrown.rsplit_once('"')) {
            Some((words, _)) => words.to_owned(),
            None => first.to_owned(),
        };
        let sides = sides(&self.text);
        let known = self.place.file.is_some() || self.place.function.is_some();
        Failure {
            id: Some(self.id),
            kind,
            message: Some(message),
            expected: sides.expected,
            observed: sides.observed,
            test: known.then_some(self.place),
            span: Some(self.span),
            ..Failure::default()
        }
    }
}

/// `XCTAssertEqual failed: ("1") is not equal to ("2") - words`: the first is what was seen.
fn sides(text: &str) -> Sides {
    let Some((_, rest)) = text.split_once(" failed: (\"") else { return Sides::default() };
    if let Some((observed, rest)) = rest.split_once("\") is not equal to (\"") {
        let end = rest.find("\") +/- (\"").or_else(|| rest.find("\") - ")).or_else(|| rest.rfind("\")"));
        let expected = &rest[..end.unwrap_or(rest.len())];
        return Sides::both(expected, observed);
    }
    let observed = ["\") is not ", "\") is less than ", "\") is greater than ", "\") is equal to "];
    let observed =
        observed.iter().find_map(|word| rest.split_once(word)).map(|(observed, _)| observed.to_owned());
    Sides { expected: None, observed }
}

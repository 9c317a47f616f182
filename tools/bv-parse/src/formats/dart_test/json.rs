//! The JSON reporter's events, one object a line
//! (`pkgs/test/doc/json_reporter.md` in <https://github.com/dart-lang/test>); `flutter test --machine` prints the same.

use super::block;
use crate::held::Held;
use crate::machine::{Closing, HELD_MAX, Out, Says};
use bv_schemas::{Counts, Failure, Kind, Place, Reason, Test, TestOutcome};
use serde_json::Value;
use std::collections::HashMap;

/// Tests and suites that are followed.
const KNOWN_MAX: usize = 200_000;

/// See the head of this file.
#[derive(Default)]
pub struct Events {
    open: bool,
    /// Paths by a suite's number.
    suites: HashMap<u64, String>,
    running: HashMap<u64, Running>,
    counts: Counts,
    held: Held,
}

struct Running {
    name: String,
    suite: Option<String>,
    line: Option<u64>,
    began: u64,
    failures: Vec<Failure>,
    span: [u64; 2],
}

impl Events {
    /// Takes a line; true when it is an event.
    pub fn line(&mut self, text: &str, span: [u64; 2], out: &mut Out) -> bool {
        if !text.contains("\"type\":\"") {
            return false;
        }
        let Ok(event) = serde_json::from_str::<Value>(text) else { return false };
        let kind = event["type"].as_str().unwrap_or_default();
        if kind == "start" && event["protocolVersion"].is_string() {
            if !std::mem::replace(&mut self.open, true) {
                out.open();
            }
            return true;
        }
        if !self.open {
            return false;
        }
        match kind {
            "suite" => {
                let path = event["suite"]["path"].as_str().unwrap_or_default().to_owned();
                if let Some(id) = event["suite"]["id"].as_u64().filter(|_| self.suites.len() < KNOWN_MAX) {
                    self.suites.insert(id, path);
                }
            }
            "testStart" => self.started(&event, span),
            "error" => self.error(&event, span),
            "testDone" => self.ended(&event, span, out),
            "done" => self.done(&event, out),
            _ => {}
        }
        true
    }

    /// Whether events come.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// The stream ended.
    pub fn end(&mut self, out: &mut Out) {
        if self.open {
            self.rest();
            self.held.say(out);
        }
    }

    fn started(&mut self, event: &Value, span: [u64; 2]) {
        let test = &event["test"];
        let (Some(id), Some(name)) = (test["id"].as_u64(), test["name"].as_str()) else { return };
        let suite = test["suiteID"].as_u64().and_then(|suite| self.suites.get(&suite)).cloned();
        // Where a helper declares the test, the line in its own file is the root's.
        let line = test["root_line"].as_u64().or(test["line"].as_u64());
        let began = event["time"].as_u64().unwrap_or(0);
        if self.running.len() < KNOWN_MAX {
            self.running.insert(
                id,
                Running { name: name.to_owned(), suite, line, began, failures: Vec::new(), span },
            );
        }
    }

    fn error(&mut self, event: &Value, span: [u64; 2]) {
        let id = event["testID"].as_u64().unwrap_or(u64::MAX);
        let Some(running) = self.running.get_mut(&id) else { return };
        running.span[1] = span[1];
        let error = event["error"].as_str().unwrap_or_default();
        let stack = event["stackTrace"].as_str().unwrap_or_default();
        let mut failure = Failure { id: Some(running.name.clone()), ..Failure::default() };
        let lines: Vec<&str> = error.lines().chain(stack.lines()).collect();
        block::tell(&mut failure, &lines, running.suite.as_deref());
        if event["isFailure"] == true && failure.kind == Kind::Exception {
            failure.kind = Kind::Assertion;
        } else if event["isFailure"] == false && failure.kind == Kind::Assertion {
            failure.kind = Kind::Exception;
        }
        if let Some(path) = running.name.strip_prefix("loading ") {
            failure.kind = Kind::CollectionError;
            failure.id = None;
            if failure.fault.is_none() && failure.test.is_none() {
                failure.fault = Some(Place { file: Some(path.to_owned()), line: None, function: None });
            }
        } else if failure.test.is_none() {
            failure.test = running.suite.clone().map(|file| Place {
                file: Some(file),
                line: running.line,
                function: None,
            });
        }
        if running.failures.len() < HELD_MAX {
            running.failures.push(failure);
        }
    }

    fn ended(&mut self, event: &Value, span: [u64; 2], out: &mut Out) {
        let id = event["testID"].as_u64().unwrap_or(u64::MAX);
        let Some(mut running) = self.running.remove(&id) else { return };
        running.span[1] = span[1];
        let hidden = event["hidden"] == true;
        out.tests_seen += u64::from(!hidden);
        let add = |count: &mut Option<u64>| *count.get_or_insert(0) += u64::from(!hidden);
        if event["result"] != "success" {
            *self.counts.failed.get_or_insert(0) += 1;
            self.hold(running);
            return;
        }
        let skipped = event["skipped"] == true;
        add(if skipped { &mut self.counts.skipped } else { &mut self.counts.passed });
        if !hidden {
            let outcome = if skipped { TestOutcome::Skipped } else { TestOutcome::Passed };
            let duration_ms = event["time"].as_u64().map(|time| time.saturating_sub(running.began));
            out.test(Test { id: running.name, outcome, duration_ms });
        }
    }

    /// A test's errors as one failure.
    fn hold(&mut self, running: Running) {
        let span = Some(running.span);
        let mut failures = running.failures.into_iter();
        let Some(first) = failures.next() else {
            self.held.push(Failure { id: Some(running.name), span, ..Failure::default() });
            return;
        };
        self.held.push(Failure { span, ..first });
        for more in failures {
            if let Some(first) = self.held.last_mut() {
                crate::javascript::add(first, more);
            }
        }
    }

    /// Errors of tests that never ended.
    fn rest(&mut self) {
        let mut rest: Vec<(u64, Running)> =
            self.running.drain().filter(|(_, running)| !running.failures.is_empty()).collect();
        rest.sort_by_key(|(id, _)| *id);
        rest.into_iter().for_each(|(_, running)| self.hold(running));
    }

    fn done(&mut self, event: &Value, out: &mut Out) {
        self.rest();
        let mut counts = std::mem::take(&mut self.counts);
        for count in [&mut counts.passed, &mut counts.failed, &mut counts.skipped] {
            count.get_or_insert(0);
        }
        let red = event["success"] != true || !self.held.is_empty();
        let unloaded =
            self.held.iter_mut().filter(|failure| failure.kind == Kind::CollectionError).count() as u64;
        let says = match (red, counts.passed) {
            (true, Some(0)) if unloaded > 0 && unloaded == self.held.len() => {
                Says::Refused(Reason::CollectionError)
            }
            (true, _) => Says::Red,
            (false, Some(0)) => Says::NoTests,
            (false, _) => Says::Green,
        };
        let unnamed = counts.failed.unwrap_or(0).saturating_sub(self.held.len());
        self.held.say(out);
        out.unnamed(unnamed);
        let duration_ms = event["time"].as_u64();
        out.close(Closing { says, counts, duration_ms, message: None });
        *self = Events::default();
    }
}

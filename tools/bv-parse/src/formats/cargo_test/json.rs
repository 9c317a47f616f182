//! libtest's JSON events (`-Z unstable-options --format json`: `library/test/src/formatters/json.rs` in
//! <https://github.com/rust-lang/rust>), which cargo-nextest writes too (`--message-format libtest-json` and
//! `libtest-json-plus`): one suite, from its `started` to its `ok` or `failed`.
//!
//! What a test printed is a string in its event, so that nothing there can speak for the runner.

use super::lines::{self, Target};
use super::section::read;
use crate::held::Held;
use crate::machine::{Closing, HELD_MAX, Line, Out, Says};
use crate::values;
use bv_schemas::{Counts, Failure, Kind, Test, TestOutcome};
use serde_json::Value;

/// One open suite.
#[derive(Debug)]
pub struct Suite {
    target: Target,
    held: Held,
    /// Tests that began and did not end.
    running: Vec<String>,
    nextest: bool,
}

/// The name of cargo-nextest as a runner.
const NEXTEST: &str = "cargo-nextest";

impl Suite {
    /// The suite that this line begins.
    pub fn begins(text: &str, target: &Target, out: &mut Out) -> Option<Suite> {
        let event = event(text)?;
        if event["type"] != "suite" || event["event"] != "started" || !event["test_count"].is_u64() {
            return None;
        }
        let nextest = event.get("nextest").is_some();
        if nextest {
            out.runner(NEXTEST);
        }
        out.open();
        Some(Suite { target: target.clone(), held: Held::default(), running: Vec::new(), nextest })
    }

    /// Takes the next line; whether the suite is red, once it closed.
    pub fn line(&mut self, line: &Line<'_>, out: &mut Out) -> Option<bool> {
        if let Some(event) = event(line.text) {
            out.mine();
            return match event["type"].as_str()? {
                "test" => {
                    self.test(&event, line.span, out);
                    None
                }
                "suite" => self.closes(&event, out),
                _ => None,
            };
        }
        let died = lines::died(line.text)?;
        let mut crash = Failure {
            kind: Kind::Crash,
            message: Some(died.how.to_owned()),
            exception_type: died.signal.map(str::to_owned),
            span: Some(line.span),
            ..Failure::default()
        };
        // Of several that ran, any may have brought the process down.
        if let [name] = self.running.as_slice() {
            crash.id = Some(name.clone());
        }
        self.held.push(crash);
        self.held.say(out);
        self.close(Says::Red, Counts::default(), None, out);
        Some(true)
    }

    /// The stream ended.
    pub fn end(&mut self, out: &mut Out) {
        self.held.say(out);
    }

    fn test(&mut self, event: &Value, span: [u64; 2], out: &mut Out) {
        let Some(name) = event["name"].as_str() else { return };
        if !self.nextest && name.contains('$') {
            self.nextest = true;
            out.runner(NEXTEST);
        }
        let what = event["event"].as_str().unwrap_or_default();
        if what == "started" {
            if self.running.len() < HELD_MAX {
                self.running.push(name.to_owned());
            }
            return;
        }
        self.running.retain(|running| running != name);
        let outcome = match what {
            "ok" => TestOutcome::Passed,
            "ignored" => TestOutcome::Skipped,
            "failed" => return self.held.push(self.failed(name, event, span)),
            _ => return,
        };
        out.tests_seen += 1;
        let duration_ms = event["exec_time"].as_f64().and_then(values::milliseconds);
        out.test(Test { id: name.to_owned(), outcome, duration_ms });
    }

    fn failed(&self, name: &str, event: &Value, span: [u64; 2]) -> Failure {
        let said = |key: &str| event[key].as_str().unwrap_or_default();
        // libtest's own words on the test stand beside what it printed; in text they follow it as a note.
        let note =
            Some(said("message")).filter(|words| !words.is_empty()).map(|words| format!("note: {words}"));
        let lines: Vec<String> = said("stdout")
            .lines()
            .chain(note.iter().flat_map(|note| note.lines()))
            .map(str::to_owned)
            .collect();
        // `package::binary$module::name`; a library's binary is named as its package.
        let (binary, bare) = name.split_once('$').unwrap_or(("", name));
        let unit = match binary.split_once("::") {
            Some((package, target)) => package.replace('-', "_") == target.replace('-', "_"),
            None => self.target.unit,
        };
        let target = Target { unit, ..self.target.clone() };
        let mut failure = read(bare, &target, &lines);
        if said("reason") == "time limit exceeded" {
            failure.kind = Kind::Timeout;
            failure.message = failure.message.or_else(|| Some(said("reason").to_owned()));
        }
        failure.id = Some(name.to_owned());
        failure.span = Some(span);
        failure
    }

    fn closes(&mut self, event: &Value, out: &mut Out) -> Option<bool> {
        let number = |key: &str| event[key].as_u64();
        let red = match event["event"].as_str()? {
            "ok" => false,
            "failed" => true,
            _ => return None,
        };
        let (passed, failed) = (number("passed")?, number("failed")?);
        let seen = self.held.len();
        out.unnamed(failed.saturating_sub(seen));
        self.held.say(out);
        let says = match (red || failed + seen > 0, passed + number("measured").unwrap_or(0)) {
            (true, _) => Says::Red,
            (false, 0) => Says::NoTests,
            (false, _) => Says::Green,
        };
        let counts =
            Counts { passed: Some(passed), failed: Some(failed), errored: None, skipped: number("ignored") };
        self.close(says, counts, event["exec_time"].as_f64().and_then(values::milliseconds), out);
        Some(says == Says::Red)
    }

    fn close(&self, says: Says, counts: Counts, duration_ms: Option<u64>, out: &mut Out) {
        out.close(Closing { says, counts, duration_ms, message: None });
        if self.nextest {
            out.runner(super::FORMAT.name);
        }
    }
}

fn event(text: &str) -> Option<Value> {
    if !text.starts_with('{') || !text.contains("\"event\":") {
        return None;
    }
    serde_json::from_str(text).ok()
}

//! The document of RSpec's JSON formatter (`rspec-core/lib/rspec/core/formatters/json_formatter.rb`).

use super::closing::{self, Totals};
use super::{block::Block, closing_of};
use crate::machine::{Line, Out};
use crate::ruby::{self, Exception};
use crate::values;
use bv_schemas::{Failure, Test, TestOutcome};
use serde_json::Value;

/// Says all that the document tells.
pub fn say(document: &Value, span: [u64; 2], out: &mut Out) {
    let Some(totals) = totals(document) else { return };
    out.open();
    let before = out.events.len();
    for message in document["messages"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        outside(message, span).into_iter().for_each(|failure| out.failure(failure));
    }
    for example in document["examples"].as_array().into_iter().flatten() {
        out.tests_seen += 1;
        let Some(id) = example["full_description"].as_str() else { continue };
        let outcome = match example["status"].as_str() {
            Some("passed") => TestOutcome::Passed,
            Some("pending") => TestOutcome::Skipped,
            Some("failed") => {
                out.failure(failure(id, example, span));
                continue;
            }
            _ => continue,
        };
        out.test(Test { id: id.to_owned(), outcome, duration_ms: milliseconds(&example["run_time"]) });
    }
    let said = out.events[before..].iter().filter(|event| matches!(event, crate::machine::Event::Failure(_)));
    let said = said.count() as u64;
    out.unnamed((totals.failed + totals.outside).saturating_sub(said));
    let closing = closing_of(&totals, &out.events[before..]);
    out.close(closing);
}

/// A document that is too long to be kept whole still ends with its totals.
pub fn say_cut(text: &str, out: &mut Out) {
    const MARK: &str = "\"summary_line\":\"";
    let line = text.rfind(MARK).map(|at| &text[at + MARK.len()..]).and_then(|rest| rest.split_once('"'));
    out.open();
    if let Some(totals) = line.and_then(|(line, _)| closing::totals(line, None)) {
        out.unnamed(totals.failed + totals.outside);
        out.close(closing_of(&totals, &[]));
    }
}

fn totals(document: &Value) -> Option<Totals> {
    let summary = &document["summary"];
    let count = |name: &str| summary[name].as_u64();
    Some(Totals {
        examples: count("example_count")?,
        failed: count("failure_count")?,
        pending: count("pending_count").unwrap_or(0),
        outside: count("errors_outside_of_examples_count").unwrap_or(0),
        duration_ms: milliseconds(&summary["duration"]),
    })
}

fn milliseconds(seconds: &Value) -> Option<u64> {
    seconds.as_f64().and_then(values::milliseconds)
}

fn failure(id: &str, example: &Value, span: [u64; 2]) -> Failure {
    let exception = &example["exception"];
    let read = Exception::of(exception["class"].as_str(), exception["message"].as_str().unwrap_or_default());
    let mut failure = Failure { id: Some(id.to_owned()), span: Some(span), ..Failure::from(read) };
    let mut frames = std::mem::take(&mut failure.frames);
    let backtrace = exception["backtrace"].as_array().into_iter().flatten().filter_map(Value::as_str);
    frames.extend(backtrace.filter_map(ruby::frame));
    let file = example["file_path"].as_str();
    ruby::place(&mut failure, frames, file.map(|file| (file, example["line_number"].as_u64())));
    failure
}

/// An error outside of examples is printed into the messages as text.
fn outside(message: &str, span: [u64; 2]) -> Option<Failure> {
    let mut lines = message.lines().skip_while(|line| line.trim().is_empty());
    let line = |text| Line { text, span, overwritten: false };
    let first = lines.next().filter(|first| closing::is_outside(first))?;
    let mut block = Block::outside(&line(first));
    lines.take_while(|text| block.take(&line(text))).for_each(drop);
    Some(block.failure(None))
}

//! A transcript without the test output that is of the past.
//!
//! In: an agent's transcript in any form that `read.rs` knows, as bytes. Out: the same bytes, but for the texts of
//! tool results all of whose failures are superseded; in their place stands a stub of one line. Spans of the
//! original are replaced, nothing is written anew, so that numbers, white space, the order of keys and escapes
//! stay as they were. Bytes that are no transcript come out as they came in.

mod decide;
mod envelope;
mod evidence;
mod json;
mod parser;
#[cfg(test)]
mod properties;
mod read;
mod shell;
mod stub;

use crate::archive::Archive;
use decide::Ran;
pub use evidence::Evidence;
use json::Value;
use parser::Parser;
use read::{Call, Conversation};
use std::borrow::Cow;
use std::io;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// What a transcript holds, and what is to be done with it.
#[derive(Debug, Default)]
pub struct Plan {
    /// How many texts of tool results there are.
    pub texts: usize,
    /// Those that tell of a test run, in the order of the document.
    pub told: Vec<Told>,
    /// Why runners' raw output was not looked at, where it was not.
    pub blind: Option<String>,
}

/// A text that tells of a test run.
#[derive(Debug)]
pub struct Told {
    /// Where its string literal lies in the document, quotes included.
    pub span: Range<usize>,
    /// What it says, escapes resolved.
    pub text: String,
    /// The run.
    pub evidence: Evidence,
    /// The line that takes its place, where it is of the past.
    pub stub: Option<String>,
}

/// Decides what goes. Nothing is stored yet, and `archive` is only asked.
pub fn plan(document: &[u8], archive: Option<&Archive>) -> Plan {
    plan_with(document, archive, &Parser::of_this_program())
}

fn plan_with(document: &[u8], archive: Option<&Archive>, parser: &Parser) -> Plan {
    let Ok(text) = std::str::from_utf8(document) else { return Plan::default() };
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut plan = Plan::default();
    for conversation in read::conversations(&text[mark..]) {
        plan.add(&conversation, parser, archive, mark);
    }
    plan.told.sort_by_key(|told| told.span.start);
    plan
}

/// The document with the stubs of `told`, which are in its order, in place.
pub fn apply(document: &[u8], told: &[Told]) -> Vec<u8> {
    let mut out = Vec::with_capacity(document.len());
    let mut at = 0;
    for (span, stub) in told.iter().filter_map(|told| Some((&told.span, told.stub.as_ref()?))) {
        out.extend_from_slice(&document[at..span.start]);
        out.push(b'"');
        out.extend_from_slice(stub.as_bytes());
        out.push(b'"');
        at = span.end;
    }
    out.extend_from_slice(&document[at..]);
    out
}

/// A text that may tell of a run.
struct Candidate<'a> {
    call: &'a Call,
    literal: Value<'a>,
    text: Cow<'a, str>,
    exit: Option<i64>,
    is_error: bool,
}

impl Plan {
    fn add(
        &mut self,
        conversation: &Conversation<'_>,
        parser: &Parser,
        archive: Option<&Archive>,
        mark: usize,
    ) {
        let candidates = self.candidates(conversation);
        let found = self.look(&candidates, parser);
        let told: Vec<(&Candidate<'_>, Evidence)> =
            candidates.iter().zip(found).filter_map(|(candidate, found)| Some((candidate, found?))).collect();
        let runs: Vec<Ran<'_>> =
            told.iter().map(|(candidate, evidence)| Ran::new(candidate.call, evidence)).collect();
        let superseded = decide::superseded(&runs);
        for ((candidate, evidence), superseded) in told.into_iter().zip(superseded) {
            let is_past = superseded || archive.is_some_and(|archive| evidence.is_superseded_in(archive));
            // What such a line prints beside the run is not superseded by anything.
            let goes = is_past && !candidate.call.also_prints;
            self.told.push(candidate.told(evidence, goes, mark));
        }
    }

    fn candidates<'a>(&mut self, conversation: &'a Conversation<'a>) -> Vec<Candidate<'a>> {
        let mut candidates = Vec::new();
        for result in &conversation.results {
            for literal in &result.texts {
                self.texts += 1;
                // A string that no text can stand for could not be given back.
                let Some(text) = literal.text().filter(|text| result.call.runs && !stub::is_stub(text))
                else {
                    continue;
                };
                let (call, exit, is_error) = (&result.call, result.exit, result.is_error);
                candidates.push(Candidate { call, literal: *literal, text, exit, is_error });
            }
        }
        candidates
    }

    /// What the candidates tell, several at a time: each may need a process of its own.
    fn look(&mut self, candidates: &[Candidate<'_>], parser: &Parser) -> Vec<Option<Evidence>> {
        const WORKERS_MAX: usize = 8;
        let next = AtomicUsize::new(0);
        let found: Vec<Mutex<Option<Evidence>>> = candidates.iter().map(|_| Mutex::new(None)).collect();
        let blind = Mutex::new(None);
        let work = || {
            while let Some((candidate, place)) = {
                let nth = next.fetch_add(1, Ordering::Relaxed);
                candidates.get(nth).zip(found.get(nth))
            } {
                match candidate.evidence(parser) {
                    Ok(evidence) => set(place, evidence),
                    Err(wrong) => set(&blind, Some(wrong.to_string())),
                }
            }
        };
        let workers = thread::available_parallelism().map_or(1, usize::from).min(WORKERS_MAX);
        thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work))));
        self.blind = self.blind.take().or_else(|| blind.into_inner().unwrap_or_default());
        found.into_iter().map(|place| place.into_inner().unwrap_or_default()).collect()
    }
}

/// A worker that panicked left nothing half-written in a place.
fn set<T>(place: &Mutex<T>, value: T) {
    *place.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = value;
}

impl Candidate<'_> {
    fn evidence(&self, parser: &Parser) -> io::Result<Option<Evidence>> {
        let unwrapped = envelope::open(&self.text);
        let evidence = evidence::read(&unwrapped.output, self.exit.or(unwrapped.exit), parser)?;
        // A tool that failed although its output says that all passed: nobody knows what passed.
        Ok(evidence.filter(|evidence| !self.is_error || evidence.failed() > 0))
    }

    fn told(&self, evidence: Evidence, goes: bool, mark: usize) -> Told {
        let text = self.text.to_string();
        let stub = goes.then(|| stub::make(&evidence, text.len(), blake3::hash(text.as_bytes())));
        let span = self.literal.span();
        Told {
            span: span.start + mark..span.end + mark,
            // A stub that is no shorter would only hide something.
            stub: stub.filter(|stub| stub.len() < text.len()),
            text,
            evidence,
        }
    }
}

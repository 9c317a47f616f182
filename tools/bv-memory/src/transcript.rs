//! A transcript without the test output that is of the past.
//!
//! In: an agent's transcript in any form that [`read`] knows, as bytes. Out: the same bytes, but for the texts of
//! tool results all of whose failures are superseded; in their place stands a stub of one line. Spans of the
//! original are replaced, nothing is written anew, so that numbers, white space, the order of keys and escapes
//! stay as they were. Bytes that are no transcript come out as they came in.

mod decide;
mod envelope;
mod evidence;
mod json;
mod parser;
mod read;
mod shell;
mod stub;

use crate::archive::Archive;
use decide::Ran;
use evidence::Evidence;
use json::Value;
use parser::Parser;
use read::{Call, Conversation};
use std::borrow::Cow;
use std::io;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// What is to be done with a transcript.
#[derive(Debug, Default)]
pub struct Plan {
    /// How many texts of tool results it holds.
    pub texts: usize,
    /// How many of them tell of a test run.
    pub runs: usize,
    /// Those that are of the past, in the order of the document.
    pub removals: Vec<Removal>,
    /// Why runners' raw output was not looked at, where it was not.
    pub blind: Option<String>,
}

/// A text that goes, and what comes into its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removal {
    /// Where its string literal lies in the document, quotes included.
    pub span: Range<usize>,
    /// What it says, escapes resolved.
    pub text: String,
    /// The line that stands there then.
    pub stub: String,
    /// The runner; empty for a receipt.
    pub runner: String,
    /// How many failures it told of.
    pub failed: u64,
    /// The first that it names.
    pub first: Option<String>,
}

/// Decides what goes. Nothing is stored yet, and `archive` is only asked.
pub fn plan(document: &[u8], archive: Option<&Archive>) -> Plan {
    let Ok(text) = std::str::from_utf8(document) else { return Plan::default() };
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut plan = Plan::default();
    let parser = Parser::of_this_program();
    for conversation in read::conversations(&text[mark..]) {
        plan.add(&conversation, &parser, archive, mark);
    }
    plan.removals.sort_by_key(|removal| removal.span.start);
    plan
}

/// The document with the stubs in place.
pub fn apply(document: &[u8], removals: &[Removal]) -> Vec<u8> {
    let mut out = Vec::with_capacity(document.len());
    let mut at = 0;
    for removal in removals {
        out.extend_from_slice(&document[at..removal.span.start]);
        out.push(b'"');
        out.extend_from_slice(removal.stub.as_bytes());
        out.push(b'"');
        at = removal.span.end;
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
        let told: Vec<(&Candidate<'_>, &Evidence)> = candidates
            .iter()
            .zip(&found)
            .filter_map(|(candidate, found)| Some((candidate, found.as_ref()?)))
            .collect();
        self.runs += told.len();
        let runs: Vec<Ran<'_>> =
            told.iter().map(|(candidate, evidence)| Ran::new(candidate.call, evidence)).collect();
        for ((candidate, evidence), superseded) in told.iter().zip(decide::superseded(&runs)) {
            let is_past = superseded || archive.is_some_and(|archive| evidence.is_superseded_in(archive));
            // What such a line prints beside the run is not superseded by anything.
            if is_past && !candidate.call.also_prints {
                self.removals.extend(removal(candidate, evidence, mark));
            }
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
}

/// `None` where the stub would be no shorter.
fn removal(candidate: &Candidate<'_>, evidence: &Evidence, mark: usize) -> Option<Removal> {
    let text = candidate.text.to_string();
    let stub = stub::make(evidence, text.len(), blake3::hash(text.as_bytes()));
    let span = candidate.literal.span();
    (stub.len() < text.len()).then(|| Removal {
        span: span.start + mark..span.end + mark,
        runner: evidence.run.runner(),
        failed: evidence.failed(),
        first: evidence.failures.first().map(|seen| seen.key()),
        text,
        stub,
    })
}

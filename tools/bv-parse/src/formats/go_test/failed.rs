//! A failed test: its log, and the failure that it tells of.

use super::dump::Race;
use crate::go::{Checked, Entry, function_of};
use bv_schemas::record::FRAMES_MAX;
use bv_schemas::{Check, Failure, Kind, Place};

/// Entries kept of one test's log: its first and its last half.
const ENTRIES_MAX: usize = 100;
/// Further checks in one record.
const ALSO_MAX: usize = 50;

/// A test's log.
#[derive(Clone, Debug, Default)]
pub struct Log {
    entries: Vec<Entry>,
    /// Lines may still belong to its last entry.
    pub open: bool,
    /// From its first line to its last.
    pub span: Option<[u64; 2]>,
    /// An example's output, which is not indented.
    example: Vec<String>,
}

/// A test that failed.
#[derive(Debug)]
pub struct Failed {
    /// Its full name.
    pub name: String,
    /// Its log.
    pub log: Log,
    /// The same name ran again since: this end is believed whatever comes.
    pub settled: bool,
    /// It did not fail: the test had printed that of itself.
    pub void: bool,
}

/// Race reports that no test has taken yet.
pub struct Races {
    /// In order.
    pub all: Vec<Race>,
}

impl Races {
    /// The first report of this test, else the first of no test that is known.
    fn take(&mut self, test: &str) -> Option<Race> {
        let root = test.split('/').next().unwrap_or(test);
        let own =
            self.all.iter().position(|race| race.test().is_some_and(|name| name == test || name == root));
        let free = || self.all.iter().position(|race| race.test().is_none());
        Some(self.all.remove(own.or_else(free)?))
    }
}

impl Log {
    /// The log of a test that begins here.
    pub fn begun(span: [u64; 2]) -> Log {
        Log { span: Some(span), ..Log::default() }
    }

    /// Takes a line; false when it is no entry's.
    pub fn line(&mut self, line: &str, span: [u64; 2], error: bool) -> bool {
        let entry = Entry::begins(line).or_else(|| {
            // A test that prints no newline glues an entry to its text; four blanks stand before it.
            let at = line.find(".go:").and_then(|go| line[..go].rfind("    "))?;
            Entry::begins(&line[at..])
        });
        if let Some(entry) = entry {
            if self.entries.len() == ENTRIES_MAX {
                self.entries.remove(ENTRIES_MAX / 2);
            }
            self.entries.push(entry.marked(error));
            self.open = true;
        } else if !(self.open && self.entries.last_mut().is_some_and(|entry| entry.goes_on(line))) {
            self.open = false;
            return false;
        }
        self.extend(span);
        true
    }

    /// Takes a line's place in the stream into the log's.
    pub fn extend(&mut self, span: [u64; 2]) {
        self.span = span_of(self.span, Some(span));
    }

    /// An example's output follows its end, not indented: `got:`, the text, `want:`, the text.
    pub fn examples(&mut self, name: &str, line: &str) {
        const EXAMPLE_LINES_MAX: usize = 200;
        if name.starts_with("Example") && self.example.len() < EXAMPLE_LINES_MAX {
            self.example.push(line.to_owned());
        }
    }

    /// Whether an example's output comes.
    pub fn is_example(&self) -> bool {
        !self.example.is_empty()
    }

    /// Whether it says nothing that looks like a reason: a parent that failed by its child.
    pub fn is_quiet(&self) -> bool {
        self.entries.iter().all(|entry| entry.blames() == 0)
    }
}

impl Failed {
    /// The failure that the log tells of.
    pub fn failure(&self, races: &mut Races) -> Failure {
        let mut failure = Failure {
            id: Some(self.name.clone()),
            kind: Kind::Assertion,
            test: Some(place_of(&self.name, None)),
            span: self.log.span,
            ..Failure::default()
        };
        let raced = |entry: &&Entry| entry.lines[0].starts_with("race detected during execution of ");
        if let Some(entry) = self.log.entries.iter().find(raced) {
            failure.message = Some(entry.lines[0].clone());
            failure.kind = Kind::Crash;
            failure.exception_type = Some("DATA RACE".into());
            if let Some(race) = races.take(&self.name) {
                race.tell(&mut failure);
            }
            return failure;
        }
        if let Some((expected, observed)) = example(&self.log.example) {
            (failure.expected, failure.observed) = (Some(expected), Some(observed));
            return failure;
        }
        self.tell(&mut failure);
        failure
    }

    /// The entry that tells why is the failure; those like it after it are its further checks.
    fn tell(&self, failure: &mut Failure) {
        let entries = &self.log.entries;
        let weights: Vec<u8> = entries.iter().map(Entry::blames).collect();
        let most = weights.iter().copied().max().unwrap_or(0);
        let first = weights.iter().position(|&weight| if most == 3 { weight == 3 } else { weight > 0 });
        // Nothing that looks like a reason: `t.Fatal` ends a test, so the last entry is the best.
        let spoken =
            || entries.iter().rposition(|entry| entry.lines.iter().any(|line| !line.trim().is_empty()));
        let Some(at) = first.or_else(spoken).or(entries.len().checked_sub(1)) else { return };
        let entry = &entries[at];
        let Checked { kind, message, expected, observed, counterexample, test, frames } = entry.checked();
        (failure.kind, failure.message, failure.expected, failure.observed) =
            (kind, message, expected, observed);
        failure.counterexample = counterexample;
        let printed = place_of(&self.name, Some((&entry.file, entry.line)));
        let named = |place: Place| Place { function: printed.function.clone(), ..place };
        failure.test = Some(test.map_or_else(|| printed.clone(), named));
        let own = |place: &&Place| Some(place.line) != failure.test.as_ref().map(|test| test.line);
        failure.fault = frames.first().filter(own).cloned();
        failure.frames = if failure.fault.is_some() { frames } else { Vec::new() };
        failure.frames.truncate(FRAMES_MAX);
        let also = entries[at + 1..]
            .iter()
            .zip(&weights[at + 1..])
            .filter(|(_, weight)| **weight >= most.clamp(1, 2));
        failure.also = also.take(ALSO_MAX).map(|(entry, _)| further(entry)).collect();
    }
}

fn further(entry: &Entry) -> Check {
    let Checked { message, expected, observed, test, .. } = entry.checked();
    let line = test.and_then(|place| place.line).or(Some(entry.line));
    Check { line, message, expected, observed }
}

/// The test's own function, at the entry's place where one is known.
pub fn place_of(test: &str, at: Option<(&str, u64)>) -> Place {
    let root = test.split('/').next().unwrap_or(test);
    Place {
        file: at.map(|(file, _)| file.to_owned()),
        line: at.map(|(_, line)| line),
        function: Some(function_of(root).to_owned()),
    }
}

/// `got:` and `want:` of an example; its lines end where the next marker stands.
fn example(lines: &[String]) -> Option<(String, String)> {
    let got = lines.iter().position(|line| line == "got:")?;
    let want = got + lines[got..].iter().position(|line| line == "want:" || line == "want (unordered):")?;
    Some((lines[want + 1..].join("\n"), lines[got + 1..want].join("\n")))
}

/// The span that holds both.
pub fn span_of(one: Option<[u64; 2]>, two: Option<[u64; 2]>) -> Option<[u64; 2]> {
    match (one, two) {
        (Some(a), Some(b)) => Some([a[0].min(b[0]), a[1].max(b[1])]),
        (a, b) => a.or(b),
    }
}

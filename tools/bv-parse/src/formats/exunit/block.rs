//! One failure as ExUnit prints it:
//!
//! ```text
//!   3) test fee of a poor account (BankTest)
//!      test/bank_test.exs:14
//!      ** (ArithmeticError) bad argument in arithmetic expression: div(40, 0)
//!      code: assert Bank.fee(%Bank{cents: 40}) == 0
//!      stacktrace:
//!        :erlang.div(40, 0)
//!        (bank 0.1.0) lib/bank.ex:6: Bank.fee/1
//!        test/bank_test.exs:15: (test)
//! ```
//!
//! All its lines are indented by five blanks or empty. A test that failed in several ways has parts,
//! `Failure #1`.

use super::stack::{self, Frame};
use crate::machine::Line;
use crate::values::Sides;
use bv_schemas::record::FRAMES_MAX;
use bv_schemas::{Check, Failure, Kind, Place};
use serde_json::{Map, Value};

/// Lines kept of one failure.
const LINES_MAX: usize = 2000;
/// Lines after which a block that did not end is given up, so that other runners are heard again.
const BLOCK_LINES_MAX: usize = 100_000;

/// `  3) test fee (BankTest)`, until the line below it shows that it is a failure's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    number: u64,
    name: String,
    module: bool,
    span: [u64; 2],
}

impl Head {
    /// Reads the head in a line that begins with a blank or a number.
    pub fn read(text: &str, span: [u64; 2]) -> Option<Head> {
        let (number, name) = text.trim_start().split_once(") ")?;
        let number = number.parse().ok()?;
        // Numbers stand in three columns.
        if text.len() - text.trim_start().len() > 2 {
            return None;
        }
        let all = ": failure on setup_all callback, all tests have been invalidated";
        if let Some(module) = name.strip_suffix(all).or(name.strip_suffix(&all.replace("all tests", "tests")))
        {
            return Some(Head { number, name: module.to_owned(), module: true, span });
        }
        let (_, module) = name.strip_suffix(')')?.rsplit_once(" (")?;
        let is_module =
            module.starts_with(|c: char| c.is_ascii_uppercase() || c == ':') && !module.contains(' ');
        is_module.then(|| Head { number, name: name.to_owned(), module: false, span })
    }
}

/// A failure that is being read.
#[derive(Debug)]
pub struct Block {
    /// The runner's number of it.
    pub number: u64,
    head: Head,
    /// Where the test begins.
    begins: Option<Place>,
    lines: Vec<String>,
    seen: usize,
    at: At,
    span: [u64; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Text,
    Stack,
    /// An empty line came after the trace: the block is over, unless a further part or its log follows.
    AfterStack,
    Log,
}

impl Block {
    /// The line below the head: the test's place, its parameters, or what a module's `setup_all` threw.
    pub fn begins(head: Head, line: &Line<'_>) -> Option<Block> {
        let text = line.text.strip_prefix("     ")?.trim_end();
        let place = stack::placed(text).filter(|(.., label)| label.is_empty());
        let begins = place.map(|(file, line, _)| Place {
            file: Some(file.to_owned()),
            line: Some(line),
            function: None,
        });
        let is_one = begins.is_some() || head.module || text.starts_with("Parameters: ");
        let lines = if begins.is_none() && head.module { vec![text.to_owned()] } else { Vec::new() };
        let span = [head.span[0], line.span[1]];
        is_one.then_some(Block { number: head.number, head, begins, lines, seen: 0, at: At::Text, span })
    }

    /// Takes the line, unless the block ended before it.
    pub fn take(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        self.seen += 1;
        let Some(body) = line.text.strip_prefix("     ").map(str::trim_end) else {
            let goes_on = text.is_empty() && self.at != At::Log && self.seen < BLOCK_LINES_MAX;
            if goes_on {
                if self.at == At::Stack {
                    self.at = At::AfterStack;
                }
                self.keep("");
            }
            return goes_on;
        };
        match self.at {
            At::AfterStack if is_part(body) => self.at = At::Text,
            At::Text | At::AfterStack if body == "The following output was logged:" => self.at = At::Log,
            At::AfterStack if !body.is_empty() => return false,
            At::Stack if !body.starts_with("  ") => self.at = At::AfterStack,
            At::Text if body == "stacktrace:" => self.at = At::Stack,
            At::Text if self.begins.is_none() && !self.head.module => {
                let place = stack::placed(body).filter(|(.., label)| label.is_empty());
                if let Some((file, line, _)) = place {
                    self.begins =
                        Some(Place { file: Some(file.to_owned()), line: Some(line), function: None });
                    return true;
                }
            }
            _ => {}
        }
        if self.at != At::Log {
            self.keep(body);
            self.span[1] = line.span[1];
        }
        true
    }

    fn keep(&mut self, text: &str) {
        if self.lines.len() < LINES_MAX {
            self.lines.push(text.to_owned());
        }
    }

    /// Whether it tells of a module's `setup_all`.
    pub fn is_module(&self) -> bool {
        self.head.module
    }

    /// The failure that it tells of.
    pub fn failure(&self) -> Failure {
        let lines: Vec<&str> = self.lines.iter().map(String::as_str).collect();
        let mut parts =
            lines.split(|line| is_part(line)).filter(|part| part.iter().any(|line| !line.is_empty()));
        let mut failure = parts.next().map(|part| self.part(part)).unwrap_or_default();
        failure.also = parts.map(|part| check(self.part(part))).collect();
        if self.head.module {
            failure.kind = Kind::SetupError;
        }
        failure.id = Some(self.head.name.clone());
        failure.span = Some(self.span);
        failure
    }

    fn part(&self, lines: &[&str]) -> Failure {
        let (words, trace) = match lines.iter().position(|line| *line == "stacktrace:") {
            Some(at) => (&lines[..at], &lines[at + 1..]),
            None => (lines, &lines[..0]),
        };
        let mut failure = said(words);
        let mut frames: Vec<Frame> = trace.iter().filter_map(|line| stack::frame(line)).collect();
        if frames.is_empty() {
            // Of an exit, the trace of the process that died stands among the words.
            let deep = words.iter().filter(|line| line.starts_with("        "));
            frames = deep.filter_map(|line| stack::frame(line)).collect();
        }
        if frames.iter().any(|frame| frame.label.contains(".__ex_unit")) && !frames.iter().any(|f| f.is_test)
        {
            failure.kind = Kind::SetupError;
        }
        self.place(&mut failure, &frames);
        failure
    }

    /// The place in the test, and the deepest one in the user's code.
    fn place(&self, failure: &mut Failure, frames: &[Frame]) {
        let file = self.begins.as_ref().and_then(|place| place.file.as_deref());
        let in_file = |frame: &&Frame| file.is_some() && frame.place.file.as_deref() == file;
        let own: Vec<&Frame> = frames.iter().filter(|frame| frame.is_own).collect();
        let test =
            own.iter().find(|frame| frame.is_test).or_else(|| own.iter().rev().find(|frame| in_file(frame)));
        let test = test.or_else(|| own.last().filter(|_| self.head.module));
        failure.test = test.map(|frame| frame.place.clone()).or_else(|| self.begins.clone());
        failure.fault =
            own.first().map(|frame| frame.place.clone()).filter(|place| Some(place) != failure.test.as_ref());
        failure.frames = own.iter().map(|frame| frame.place.clone()).collect();
        failure.frames.dedup();
        failure.frames.truncate(FRAMES_MAX);
    }
}

/// `Failure #2`.
fn is_part(line: &str) -> bool {
    line.strip_prefix("Failure #").is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()))
}

fn check(failure: Failure) -> Check {
    let line = failure.test.and_then(|place| place.line);
    Check { line, message: failure.message, expected: failure.expected, observed: failure.observed }
}

/// What stands above the trace.
fn said(words: &[&str]) -> Failure {
    let generated = generated(words);
    let words = match generated {
        // The check's own words stand below the values, an exception's one level deeper.
        Some(_) => after_generated(words),
        None => words,
    };
    let first = words.iter().find(|line| !line.is_empty()).copied().unwrap_or_default();
    let mut failure = match banner(first.trim_start()) {
        Some((name, message)) => raised(name, message, words),
        None => asserted(first, words),
    };
    if let Some(values) = generated {
        failure.kind = Kind::Property;
        failure.counterexample = Some(values);
    }
    failure
}

/// `** (RuntimeError) oops`.
pub fn banner(text: &str) -> Option<(&str, &str)> {
    let (name, message) = text.strip_prefix("** (")?.split_once(')')?;
    let message = message.strip_prefix(' ').or(message.is_empty().then_some(""))?;
    Some((name, message))
}

fn raised(name: &str, message: &str, words: &[&str]) -> Failure {
    let inner = || words.iter().skip(1).find_map(|line| banner(line.trim_start()));
    // A linked process died: what killed it stands below.
    let (name, message) =
        if name.starts_with("EXIT from ") { inner().unwrap_or(("EXIT", message)) } else { (name, message) };
    let kind = match name {
        "ExUnit.TimeoutError" => Kind::Timeout,
        "ExUnit.AssertionError" => Kind::Assertion,
        _ => Kind::Exception,
    };
    Failure {
        kind,
        message: (!message.is_empty()).then(|| message.to_owned()),
        exception_type: (kind != Kind::Assertion).then(|| name.to_owned()),
        ..Failure::default()
    }
}

fn asserted(first: &str, words: &[&str]) -> Failure {
    let value = |label: &str| labelled(words, label);
    let (left, right) = (value("left:"), value("right:"));
    let sides = match (left, right) {
        // A pattern stands left of the value that it must match.
        (Some(left), Some(right)) if first.starts_with("match ") => Sides::both(&left, &right),
        (Some(left), Some(right)) => Sides::both(&right, &left),
        (left, _) => Sides { expected: None, observed: left }.some().unwrap_or_else(|| worded(first, words)),
    };
    let mut failure = Failure {
        kind: Kind::Assertion,
        message: (!first.is_empty()).then(|| first.to_owned()),
        ..Failure::default()
    };
    sides.fill(&mut failure);
    failure
}

/// The value behind a label, with the lines that it goes on for.
fn labelled(words: &[&str], label: &str) -> Option<String> {
    let at = words.iter().position(|line| line.starts_with(label))?;
    let column = words[at].len() - words[at][label.len()..].trim_start().len();
    let mut value = words[at][column..].to_owned();
    for line in &words[at + 1..] {
        let Some(rest) = line.get(column..).filter(|_| line.starts_with("      ")) else { break };
        value.push('\n');
        value.push_str(rest);
    }
    (!value.is_empty()).then_some(value)
}

/// The sides that an assertion names in its words.
fn worded(first: &str, words: &[&str]) -> Sides {
    if let Some(rest) = first.strip_prefix("Expected exception ") {
        if let Some(expected) = rest.strip_suffix(" but nothing was raised") {
            return Sides { expected: Some(expected.to_owned()), observed: None };
        }
        if let Some((expected, observed)) = rest.split_once(" but got ") {
            let observed = observed.split(" (").next().unwrap_or(observed);
            return Sides::both(expected, observed);
        }
    }
    if let Some((expected, observed)) =
        first.strip_prefix("Expected ").and_then(|rest| rest.split_once(", got "))
    {
        return Sides::both(expected, observed);
    }
    if first.starts_with("Wrong message for ") {
        let below = |label: &str| {
            let at = words.iter().position(|line| *line == label)?;
            words.get(at + 1).map(|line| line.trim().to_owned())
        };
        return Sides { expected: below("expected:"), observed: below("actual:") };
    }
    let value =
        |label: &'static str| words.iter().filter_map(move |line| line.trim_start().strip_prefix(label));
    if let Some(expected) = value("pattern: ").next() {
        // Of several messages none is the one that was meant.
        let one = value("value: ").count() == 1;
        let observed = value("value: ").next().filter(|_| one).map(|text| text.trim_start().to_owned());
        return Sides { expected: Some(expected.trim_start().to_owned()), observed };
    }
    Sides::default()
}

/// What StreamData generated for the failing run: `* Clause:    a <- integer()` over `Generated: 0`.
fn generated(words: &[&str]) -> Option<Map<String, Value>> {
    words.iter().find(|line| line.to_ascii_lowercase().contains("failed with generated values (after "))?;
    let mut values = Map::new();
    let mut clause = None;
    for line in words {
        let line = line.trim_start();
        if let Some(rest) = line.strip_prefix("* Clause:") {
            clause = rest.split_once(" <- ").map(|(name, _)| name.trim().to_owned());
        } else if let Some(value) = line.strip_prefix("Generated: ")
            && let Some(name) = clause.take()
        {
            let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
            values.insert(name, value);
        }
    }
    (!values.is_empty()).then_some(values)
}

/// The lines below the last generated value; of an exception, those below `got exception:`.
fn after_generated<'a, 'b>(words: &'a [&'b str]) -> &'a [&'b str] {
    let last = words.iter().rposition(|line| line.trim_start().starts_with("Generated: ")).unwrap_or(0);
    let rest = &words[last + 1..];
    // A value of several lines goes on until an empty one.
    let rest = &rest[rest.iter().position(|line| line.is_empty()).unwrap_or(0)..];
    match rest.iter().position(|line| line.trim() == "got exception:") {
        Some(at) => &rest[at + 1..],
        None => rest,
    }
}

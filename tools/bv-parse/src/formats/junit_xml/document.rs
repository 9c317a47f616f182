//! A whole JUnit document: its suites and cases as failures, tests and one closing statement.

use super::{Dialect, Head};
use crate::formats::node_test::counters::Counters;
use crate::formats::{behave, robotframework};
use crate::held::Held;
use crate::javascript::add;
use crate::machine::{Closing, Out, Says};
use crate::xml::{self, attributes, unescaped};
use bv_schemas::{Counts, Failure, Kind, Place, Reason, Test, TestOutcome};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::collections::HashSet;

/// Longest captured output of a test that is kept.
pub const OUTPUT_BYTES_MAX: usize = 64 << 10;

/// Names of failed tests that are kept.
const NAMES_MAX: usize = 50_000;

/// One `testcase`.
#[derive(Debug, Default)]
pub struct Case {
    /// `classname`; empty where it is absent.
    pub classname: String,
    /// `name`.
    pub name: String,
    /// `file`, where the runner writes one.
    pub file: Option<String>,
    /// `line`, as written; some runners count from 0.
    pub line: Option<u64>,
    /// Milliseconds.
    pub duration_ms: Option<u64>,
    /// What it wrote to its standard output, up to [`OUTPUT_BYTES_MAX`]; some runners say nothing else.
    pub output: String,
    faults: Vec<Fault>,
    skipped: bool,
    /// It may fail.
    todo: bool,
    /// It failed, was run again by the runner, and passed.
    flaky: bool,
    at: usize,
}

/// An element that says what went wrong.
#[derive(Debug, Default)]
pub struct Fault {
    /// Which element.
    pub tag: Tag,
    /// `message`, whole.
    pub message: String,
    /// `type`.
    pub kind: String,
    /// The text in it.
    pub text: String,
}

/// `failure` or `error`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tag {
    /// A check did not hold.
    #[default]
    Failure,
    /// Something else went wrong.
    Error,
}

impl Case {
    /// One of which only the name is known.
    pub fn named(name: &str) -> Case {
        Case { name: name.to_owned(), ..Case::default() }
    }

    /// `classname.name`, without the dot where one of both is missing.
    pub fn dotted(&self) -> String {
        match (self.classname.as_str(), self.name.as_str()) {
            ("", name) => name.to_owned(),
            (class, "") => class.to_owned(),
            (class, name) => format!("{class}.{name}"),
        }
    }
}

/// What was read of a document so far.
pub struct Report {
    dialects: &'static [Dialect],
    dialect: Option<&'static Dialect>,
    root_name: String,
    depth_of_suites: usize,
    case: Option<Case>,
    fault: Option<Fault>,
    /// `system-out` of the test is open.
    in_output: bool,
    wrapped: bool,
    held: Held,
    /// Failures that come after those, by the dialect.
    later: Held,
    /// Cases with a fault, to see a pair.
    red: HashSet<(String, String)>,
    pairs: u64,
    /// Faults that kept tests from being loaded.
    unloaded: u64,
    seen: Tally,
    /// What the outermost suites say.
    told: Tally,
    seconds: Option<f64>,
    /// Node's counters, which stand in comments.
    counters: Counters,
}

/// Cases, counted.
#[derive(Default)]
struct Tally {
    tests: u64,
    failures: u64,
    errors: u64,
    skipped: u64,
}

impl Report {
    /// Of nothing yet, in one of these dialects.
    pub fn new(dialects: &'static [Dialect]) -> Report {
        Report {
            dialects,
            dialect: None,
            root_name: String::new(),
            depth_of_suites: 0,
            case: None,
            fault: None,
            in_output: false,
            wrapped: false,
            held: Held::default(),
            later: Held::default(),
            red: HashSet::new(),
            pairs: 0,
            unloaded: 0,
            seen: Tally::default(),
            told: Tally::default(),
            seconds: None,
            counters: Counters::default(),
        }
    }

    /// Reads the document, or a piece of it that follows those before; `None` where it is no XML.
    pub fn read(&mut self, document: &xml::Document, out: &mut Out) -> Option<()> {
        let mut reader = Reader::from_str(&document.text);
        // The tags of a piece match those of others.
        reader.config_mut().check_end_names = false;
        reader.config_mut().allow_unmatched_ends = true;
        loop {
            let at = usize::try_from(reader.buffer_position()).ok()?;
            let event = reader.read_event().ok()?;
            let end = usize::try_from(reader.buffer_position()).ok()?;
            match event {
                Event::Start(tag) => self.start(&tag, at)?,
                Event::Empty(tag) => {
                    self.start(&tag, at)?;
                    self.end(tag.name().as_ref(), document, end, out);
                }
                Event::End(tag) => self.end(tag.name().as_ref(), document, end, out),
                Event::Text(text) => self.text(&text),
                Event::CData(text) => self.text(&text),
                Event::GeneralRef(name) => {
                    self.text(&unescaped(&format!("&{};", &*name)));
                }
                Event::Eof => return Some(()),
                Event::Comment(text) => {
                    self.counters.counter(text.trim());
                }
                Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
            }
        }
    }

    /// The document is whole: says all that is in it.
    pub fn say(self, out: &mut Out) {
        self.name_runner(out);
        let closing = self.closing();
        let seen = self.seen.failures + self.seen.errors;
        self.say_failures(out);
        // Errors outside of all tests are counted and not listed by some.
        out.unnamed(closing.counts.red().saturating_sub(seen));
        out.close(closing);
    }

    /// The document is cut off, or no XML: says its failures; nothing is known of its end.
    pub fn say_cut(self, out: &mut Out) {
        self.name_runner(out);
        self.say_failures(out);
    }

    fn name_runner(&self, out: &mut Out) {
        if let Some(dialect) = self.dialect {
            out.runner(dialect.runner);
        } else if self.counters.whole() {
            out.runner("node-test");
        }
    }

    fn say_failures(mut self, out: &mut Out) {
        self.held.say(out);
        self.later.say(out);
    }

    fn text(&mut self, text: &str) {
        if let Some(fault) = &mut self.fault {
            fault.text.push_str(text);
        } else if self.in_output
            && let Some(case) = &mut self.case
            && case.output.len() + text.len() <= OUTPUT_BYTES_MAX
        {
            case.output.push_str(text);
        }
    }

    fn start(&mut self, tag: &BytesStart<'_>, at: usize) -> Option<()> {
        let attributes = attributes(tag)?;
        let text = |name: &str| attributes.iter().find(|(key, _)| *key == name).map(|(_, value)| &**value);
        let number = |name: &str| text(name).and_then(|text| text.trim().parse::<u64>().ok());
        let seconds = || text("time").and_then(|time| time.replace(',', "").parse::<f64>().ok());
        match tag.name().as_ref() {
            "testsuites" => {
                self.root_name = text("name").unwrap_or_default().to_owned();
                self.wrapped = true;
                self.seconds = seconds();
            }
            "testsuite" => {
                let suite = text("name").unwrap_or_default();
                if self.dialect.is_none() {
                    let head =
                        Head { root: &self.root_name, wrapped: self.wrapped, suite, attributes: &attributes };
                    let owned = |dialect: &&Dialect| (dialect.owns)(&head);
                    self.dialect = self.dialects.iter().find(owned);
                }
                if self.depth_of_suites == 0 {
                    let count = |name: &str| number(name).unwrap_or(0);
                    self.told.tests += count("tests");
                    self.told.failures += count("failures");
                    self.told.errors += count("errors");
                    self.told.skipped += count("skipped") + count("disabled");
                    self.seconds = self.seconds.or_else(seconds);
                }
                self.depth_of_suites += 1;
            }
            "testcase" => {
                self.case = Some(Case {
                    classname: text("classname").unwrap_or_default().to_owned(),
                    name: text("name").unwrap_or_default().to_owned(),
                    file: text("file").map(str::to_owned),
                    line: number("line"),
                    duration_ms: seconds().map(millis),
                    at,
                    ..Case::default()
                });
            }
            name @ ("failure" | "error") => {
                self.fault = Some(Fault {
                    tag: if name == "failure" { Tag::Failure } else { Tag::Error },
                    message: text("message").unwrap_or_default().to_owned(),
                    kind: text("type").unwrap_or_default().to_owned(),
                    text: String::new(),
                });
            }
            "system-out" => self.in_output = self.case.is_some(),
            "flakyFailure" | "flakyError" => {
                if let Some(case) = &mut self.case {
                    case.flaky = true;
                }
            }
            "skipped" => {
                if let Some(case) = &mut self.case {
                    case.skipped = true;
                    // Node writes what became of a test still to be done beside it.
                    case.todo = text("type") == Some("todo");
                }
            }
            _ => {}
        }
        Some(())
    }

    fn end(&mut self, name: &str, document: &xml::Document, at: usize, out: &mut Out) {
        match name {
            "testsuite" => self.depth_of_suites = self.depth_of_suites.saturating_sub(1),
            "system-out" => self.in_output = false,
            "failure" | "error" => {
                if let (Some(fault), Some(case)) = (self.fault.take(), &mut self.case) {
                    case.faults.push(fault);
                }
            }
            "testcase" => {
                if let Some(case) = self.case.take() {
                    self.ended(&case, document.span(case.at, at), out);
                }
            }
            _ => {}
        }
    }

    fn ended(&mut self, case: &Case, span: Option<[u64; 2]>, out: &mut Out) {
        self.seen.tests += 1;
        self.seen.skipped += u64::from(case.skipped && case.faults.is_empty());
        if case.faults.is_empty() {
            return passed(case, out);
        }
        let key = (case.classname.clone(), case.name.clone());
        let mut said: Vec<(Failure, Tag)> = Vec::new();
        for fault in case.faults.iter().filter(|_| !case.todo) {
            if self.red.contains(&key) && self.dialect.is_some_and(|dialect| (dialect.repeats)(fault)) {
                continue;
            }
            let mut failure =
                self.dialect.map_or(plain as fn(&Case, &Fault) -> Failure, |d| d.failure)(case, fault);
            failure.span = span;
            let errors_first = self.dialect.is_some_and(|dialect| dialect.errors_first);
            // Where errors are told apart so, a case has one of each at most; elsewhere each is one more check.
            if let Some((first, _)) = said.iter_mut().find(|(_, tag)| *tag == fault.tag && !errors_first) {
                add(first, failure);
                continue;
            }
            match fault.tag {
                Tag::Failure => self.seen.failures += 1,
                Tag::Error => self.seen.errors += 1,
            }
            said.push((failure, fault.tag));
        }
        for (failure, tag) in said {
            self.unloaded += u64::from(failure.kind == Kind::CollectionError);
            let errors_first = self.dialect.is_some_and(|dialect| dialect.errors_first);
            let later = errors_first && tag == Tag::Failure;
            if later { &mut self.later } else { &mut self.held }.push(failure);
        }
        if self.red.contains(&key) {
            self.pairs += 1;
        } else if self.red.len() < NAMES_MAX {
            self.red.insert(key);
        }
    }

    /// The suites' own numbers, and the cases' where those are absent or lower.
    fn closing(&self) -> Closing {
        if self.dialect.is_none() && self.counters.whole() {
            return self.counters.closing();
        }
        let tests = self.told.tests.max(self.seen.tests);
        // Mocha counts as errors what it writes as failures.
        let same = self.told.failures + self.told.errors == self.seen.failures + self.seen.errors;
        let [failed, errored] = match same {
            true => [self.told.failures, self.told.errors],
            false => [self.told.failures.max(self.seen.failures), self.told.errors.max(self.seen.errors)],
        };
        // gotestsum and go-junit-report have no such attribute.
        let skipped = self.told.skipped.max(self.seen.skipped);
        let pairs =
            if self.dialect.is_some_and(|dialect| dialect.counts_pairs_once) { self.pairs } else { 0 };
        // A test that failed and whose fixture did is one test and two faults.
        let tests = if self.told.tests > 0 { self.told.tests } else { tests.saturating_sub(pairs) };
        let passed = (tests + pairs).saturating_sub(failed + errored + skipped);
        let says = match (failed + errored, passed) {
            (0, 0) => Says::NoTests,
            (0, _) => Says::Green,
            (red, 0) if red == self.unloaded => Says::Refused(Reason::CollectionError),
            _ => Says::Red,
        };
        let counts = Counts {
            passed: Some(passed),
            failed: Some(failed),
            errored: Some(errored),
            skipped: Some(skipped),
        };
        Closing { says, counts, duration_ms: self.seconds.map(millis), message: None }
    }
}

/// A test without a fault.
fn passed(case: &Case, out: &mut Out) {
    if out.all {
        let outcome = match (case.skipped, case.flaky) {
            (true, _) => TestOutcome::Skipped,
            (false, true) => TestOutcome::Flaky,
            (false, false) => TestOutcome::Passed,
        };
        out.test(Test { id: case.dotted(), outcome, duration_ms: case.duration_ms });
    }
}

/// A failure of a runner without a dialect of its own: the elements and attributes alone, but where the text
/// shows its language.
pub fn plain(case: &Case, fault: &Fault) -> Failure {
    if let Some(failure) = super::go::other(case, fault)
        .or_else(|| super::javascript::other(case, fault))
        .or_else(|| super::jvm::other(case, fault))
        .or_else(|| behave::junit(case, fault))
        .or_else(|| robotframework::junit(case, fault))
        .or_else(|| super::dotnet::other(case, fault))
    {
        return failure;
    }
    bare(case, fault)
}

/// The elements and attributes alone.
pub fn bare(case: &Case, fault: &Fault) -> Failure {
    let line = |text: &str| text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned);
    Failure {
        id: Some(case.dotted()),
        kind: match fault.tag {
            Tag::Failure => Kind::Assertion,
            Tag::Error => Kind::Exception,
        },
        message: line(&fault.message).or_else(|| line(&fault.text)),
        exception_type: Some(fault.kind.clone()).filter(|kind| !kind.is_empty()),
        test: case.file.clone().map(|file| Place { file: Some(file), line: case.line, function: None }),
        ..Failure::default()
    }
}

/// Whole milliseconds of a printed number of seconds.
fn millis(seconds: f64) -> u64 {
    // A float becomes the nearest whole number in range; a negative one becomes 0.
    (seconds * 1000.0).round() as u64
}

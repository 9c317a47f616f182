//! One failed test, in each library's own form.

use super::sides;
use crate::finding::position;
use crate::jvm::{self, Exception};
use bv_schemas::{Failure, Kind, Place};
use serde_json::{Map, Value};

/// Lines kept of one failure.
const LINES_MAX: usize = 4000;
/// Lines after which a block that did not end is given up.
const BLOCK_LINES_MAX: usize = 20_000;

/// Whose form it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `- sums *** FAILED ***`
    ScalaTest,
    /// `shop.CartSuite *** ABORTED ***`
    Aborted,
    /// `==> X shop.CartSuite.sums 0.05s munit.FailException: …`
    Munit,
    /// `x sums`, or `! throws`
    Specs2,
    /// `✗ 6 was not equal to 7`
    Zio,
    /// `- sums 3ms` below `FAILURES`
    Weaver,
    /// `X shop.CartTests.sums 4ms`
    Utest,
    /// `Test shop.CartTest.sums failed: …, took 0.05 sec`
    Junit,
}

impl Style {
    /// The library.
    pub fn runner(self) -> &'static str {
        match self {
            Style::ScalaTest | Style::Aborted => "scalatest",
            Style::Munit => "munit",
            Style::Specs2 => "specs2",
            Style::Zio => "zio-test",
            Style::Weaver => "weaver",
            Style::Utest => "utest",
            Style::Junit => "junit4",
        }
    }

    /// The details stand further in than the test's line; in the other forms only frames do.
    fn indents(self) -> bool {
        !matches!(self, Style::Munit | Style::Junit)
    }
}

/// See the head of this file.
pub struct Block {
    style: Style,
    id: Option<String>,
    indent: usize,
    lines: Vec<String>,
    seen: usize,
    span: [u64; 2],
}

/// `==> X shop.CartSuite.sums 0.05s munit.FailException: …`: the test and what it threw.
pub fn munit(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("==> X ")?;
    let timed = |word: &str| {
        word.strip_suffix('s').is_some_and(|seconds| seconds.contains('.') && seconds.parse::<f64>().is_ok())
    };
    let mut at = 0;
    for word in rest.split(' ') {
        if timed(word) {
            return Some((rest[..at].trim_end(), rest[at + word.len()..].trim_start()));
        }
        at += word.len() + 1;
    }
    None
}

/// `Test shop.CartTest.sums failed: java.lang.AssertionError: no, took 0.05 sec`
pub fn junit(text: &str) -> Option<(&str, &str)> {
    let (id, thrown) = text.strip_prefix("Test ")?.split_once(" failed: ")?;
    let thrown = thrown.rsplit_once(", took ").map_or(thrown, |(thrown, _)| thrown);
    (!id.contains(' ')).then_some((id, thrown))
}

impl Block {
    /// One that begins in a line this far in.
    pub fn new(
        style: Style,
        id: Option<String>,
        indent: usize,
        first: Option<&str>,
        span: [u64; 2],
    ) -> Block {
        let lines = first.map(str::to_owned).into_iter().collect();
        Block { style, id, indent, lines, seen: 0, span }
    }

    /// The test.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Takes the line, unless the block ended before it.
    pub fn line(&mut self, text: &str, span: [u64; 2]) -> bool {
        self.seen += 1;
        if self.seen > BLOCK_LINES_MAX || self.ends(text) {
            return false;
        }
        if self.lines.len() < LINES_MAX {
            self.lines.push(text.to_owned());
        }
        if !text.is_empty() {
            self.span[1] = span[1];
        }
        true
    }

    fn ends(&self, text: &str) -> bool {
        let indent = text.len() - text.trim_start().len();
        if self.style == Style::Zio {
            // Its details stand no further in than its first line.
            return text.is_empty() || indent < self.indent || text.trim_start().starts_with("✗ ");
        }
        if self.style == Style::Specs2 && is_call(text) {
            return false;
        }
        if self.style.indents() {
            return !text.is_empty()
                && (indent <= self.indent || text.contains(" *** FAILED ***") || self.told(text));
        }
        let traced = self.lines.last().is_some_and(|line| line.starts_with("    at "));
        let frame = text.starts_with("    at ") || text.starts_with("    ...");
        traced && !frame
            || ["==> ", "  + ", "Test run ", "Failed: Total ", "Passed: Total ", "Error: Total "]
                .iter()
                .any(|next| text.starts_with(next))
    }

    /// Whether ScalaTest told all above this line, which is the name above the next tests then.
    fn told(&self, text: &str) -> bool {
        let property = || self.lines[0].contains("was thrown during property evaluation");
        let last = self.lines.last().map_or("", |line| line.trim());
        self.style == Style::ScalaTest
            && !text.trim_start().starts_with(['+', '(', '.'])
            && (last == "..." || placed(last).is_some() && !last.starts_with("at ") && !property())
            && !text.trim_start().starts_with("Cause: ")
    }

    /// The failure that it tells of.
    pub fn failure(self) -> Failure {
        let own = if self.style.indents() { self.dedented() } else { self.lines.clone() };
        let lines: Vec<&str> = own.iter().map(|line| line.trim_end()).collect();
        let mut failure = match self.style {
            Style::Munit => munit_failure(&lines),
            Style::Junit => thrown(&lines),
            _ => described(&lines),
        };
        if self.style == Style::Aborted {
            failure.kind = Kind::SetupError;
        }
        failure.id = self.id;
        failure.span = Some(self.span);
        failure
    }

    fn dedented(&self) -> Vec<String> {
        let indents = self.lines.iter().filter(|line| !line.is_empty());
        let least = indents.map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
        self.lines.iter().map(|line| line.get(least..).unwrap_or("").to_owned()).collect()
    }
}

/// A message with its place behind it, `6 did not equal 7 (CartSuite.scala:11)`, or an exception.
fn described(lines: &[&str]) -> Failure {
    let lines: Vec<&str> = lines.iter().skip_while(|line| line.is_empty()).copied().collect();
    let Some(first) = lines.first().map(|line| line.trim()) else { return Failure::default() };
    if first.contains("was thrown during property evaluation") {
        return property(&lines);
    }
    if jvm::class_of(first).is_some_and(|(class, _)| class.contains('.') || lines.len() > 1) {
        return thrown(&lines);
    }
    let placed = lines.iter().find_map(|line| {
        let (said, place) = placed(line.trim())?;
        Some((said, place))
    });
    let below = || lines.iter().find_map(|line| at(line.trim()));
    let (message, place) = match placed {
        Some(("", place)) => (first, Some(place)),
        Some((said, place)) if first.starts_with(said) => (said, Some(place)),
        Some((_, place)) => (first, Some(place)),
        None => (first, below()),
    };
    let sides = sides::sides(message);
    Failure {
        message: Some(message.to_owned()),
        expected: sides.expected,
        observed: sides.observed,
        test: place,
        ..Failure::default()
    }
}

/// An exception; its frames may lack their `at`.
fn thrown(lines: &[&str]) -> Failure {
    let lines: Vec<String> = lines
        .iter()
        .enumerate()
        .map(|(at, line)| match line.trim_start() {
            first if at == 0 => first.to_owned(),
            call if call.starts_with("at ") => format!("\t{call}"),
            call if is_call(call) => format!("\tat {call}"),
            _ => (*line).to_owned(),
        })
        .collect();
    let exception = Exception::read(lines.iter().map(String::as_str));
    let mut failure = exception.failure(None, None);
    // `boom (CartSpec.scala:15)`
    let said = failure.message.as_deref().and_then(placed).map(|(said, place)| (said.to_owned(), place));
    if let Some((said, place)) = said {
        failure.message = Some(said).filter(|said| !said.is_empty());
        failure.test.get_or_insert(place);
    }
    if failure.expected.is_none() && failure.kind == Kind::Assertion {
        let sides = failure.message.as_deref().map(sides::sides).unwrap_or_default();
        sides.fill(&mut failure);
    }
    failure
}

/// A frame without its `at`: `shop.Cart.total(Cart.scala:5)`.
fn is_call(text: &str) -> bool {
    !text.contains(": ") && !text.contains(" (") && jvm::frame(&format!("at {text}")).is_some()
}

/// munit puts the place before its message and shows the source around it.
fn munit_failure(lines: &[&str]) -> Failure {
    let Some((class, said)) = lines.first().and_then(|first| jvm::class_of(first)) else {
        return thrown(lines);
    };
    if !class.starts_with("munit.") {
        return thrown(lines);
    }
    let (place, said) = said.split_once(' ').unwrap_or((said, ""));
    let at = position(place);
    let source =
        |line: &str| line.split_once(':').is_some_and(|(n, _)| n.bytes().all(|b| b.is_ascii_digit()));
    let frame = |line: &&&str| line.starts_with("    at ");
    let below: Vec<&str> = lines[1..].iter().take_while(|line| !frame(line)).copied().collect();
    let words = below.iter().copied().find(|line| !source(line) && !line.trim().is_empty());
    let message = Some(said).filter(|said| !said.is_empty()).or(words);
    let sides = sides::obtained(&below);
    Failure {
        message: message.map(str::to_owned),
        exception_type: Some(class.to_owned()),
        expected: sides.expected,
        observed: sides.observed,
        test: at.map(|(file, line)| Place { file: Some(file.to_owned()), line: Some(line), function: None }),
        ..Failure::default()
    }
}

/// ScalaCheck under ScalaTest: the message, the place and the arguments.
fn property(lines: &[&str]) -> Failure {
    let behind = |label: &str| lines.iter().find_map(|line| line.trim().strip_prefix(label));
    let mut inputs = Map::new();
    let values = lines.iter().skip_while(|line| !line.contains("passed generated values (")).skip(1);
    for line in values.take_while(|line| line.trim() != ")") {
        let Some((name, value)) = line.trim().split_once(" = ") else { continue };
        let value = value.split_once(" // ").map_or(value, |(value, _)| value).trim_end_matches(',');
        inputs.insert(name.to_owned(), serde_json::from_str(value).unwrap_or_else(|_| Value::from(value)));
    }
    let message = behind("Message: ");
    let sides = message.map(sides::sides).unwrap_or_default();
    let place = behind("Location: ").and_then(|place| placed(place)).map(|(_, place)| place);
    Failure {
        kind: Kind::Property,
        message: Some(message.unwrap_or(lines[0].trim()).to_owned()),
        expected: sides.expected,
        observed: sides.observed,
        counterexample: (!inputs.is_empty()).then_some(inputs),
        test: place.or_else(|| lines.iter().find_map(|line| placed(line.trim())).map(|(_, place)| place)),
        ..Failure::default()
    }
}

/// `words (CartSuite.scala:11)`
fn placed(text: &str) -> Option<(&str, Place)> {
    let (said, place) = text.strip_suffix(')')?.rsplit_once('(')?;
    let (file, line) = position(place).filter(|(file, _)| file.ends_with(".scala"))?;
    Some((said.trim_end(), Place { file: Some(file.to_owned()), line: Some(line), function: None }))
}

/// ZIO Test's `at /p/CartSpec.scala:13`
fn at(text: &str) -> Option<Place> {
    let (file, line) = position(text.strip_prefix("at ")?)?;
    Some(Place { file: Some(file.to_owned()), line: Some(line), function: None })
}

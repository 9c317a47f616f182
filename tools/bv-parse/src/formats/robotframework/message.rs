//! What a failed test says: the words of Robot Framework's own keywords, or an exception's.

use crate::values::{Sides, diff_sides, split_outside};
use bv_schemas::{Check, Failure, Kind};

/// A failed test, by its message.
pub fn failure(id: Option<String>, lines: &[String], span: [u64; 2]) -> Failure {
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let (fixture, body) = match lines.first() {
        Some(&head) if FIXTURES.contains(&head) => (Some(head), &lines[1..]),
        _ => (None, &lines[..]),
    };
    let end = body.iter().position(|line| ALSO.contains(line)).unwrap_or(body.len());
    let parts = split(&body[..end]);
    let several = parts.len() > 1;
    let mut checks = parts.into_iter().map(|part| read(part, several));
    let first = checks.next().unwrap_or_default();
    let mut also: Vec<Check> = checks.map(Said::check).collect();
    if end < body.len() {
        let fixture = read(&body[end + 1..], false);
        let message = fixture.message.map(|words| format!("{} {words}", body[end]));
        also.push(Check { message, ..Check::default() });
    }
    let message = match (fixture, first.message) {
        (Some(head), Some(words)) => Some(format!("{head} {words}")),
        (head, words) => words.or(head.map(str::to_owned)),
    };
    Failure {
        id,
        kind: if fixture.is_some() { Kind::SetupError } else { first.kind },
        message,
        exception_type: first.class,
        expected: first.sides.expected,
        observed: first.sides.observed,
        also,
        span: Some(span),
        ..Failure::default()
    }
}

/// Whether the test was not run at all, because another failed and the run stops at that.
pub fn not_run(lines: &[String]) -> bool {
    const WORDS: &[&str] = &[
        "Failure occurred and exit-on-failure mode is in use.",
        "Error occurred and exit-on-error mode is in use.",
        "Test execution stopped due to a fatal error.",
        "Test execution is stopped due to a fatal error.",
    ];
    lines.first().is_some_and(|line| WORDS.contains(&line.as_str()))
}

/// Heads of the messages of what runs before and after tests.
const FIXTURES: &[&str] = &[
    "Setup failed:",
    "Teardown failed:",
    "Suite setup failed:",
    "Suite teardown failed:",
    "Parent suite setup failed:",
    "Parent suite teardown failed:",
];

/// What stands behind a message when the teardown failed as well.
const ALSO: &[&str] =
    &["Also teardown failed:", "Also suite teardown failed:", "Also parent suite teardown failed:"];

/// The failures of a test that went on after the first.
fn split<'a>(lines: &'a [&'a str]) -> Vec<&'a [&'a str]> {
    if lines.first() != Some(&"Several failures occurred:") {
        return vec![lines];
    }
    let mut starts: Vec<usize> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if lines[at - usize::from(at > 0)].is_empty() && line.starts_with(&format!("{}) ", starts.len() + 1))
        {
            starts.push(at);
        }
    }
    let ends = starts.iter().skip(1).copied().chain([lines.len()]);
    let parts: Vec<&[&str]> = starts.iter().zip(ends).map(|(&from, to)| &lines[from..to]).collect();
    if parts.is_empty() { vec![lines] } else { parts }
}

/// One failure's words.
#[derive(Default)]
struct Said {
    kind: Kind,
    message: Option<String>,
    class: Option<String>,
    sides: Sides,
}

impl Said {
    fn check(self) -> Check {
        let (expected, observed) = (self.sides.expected, self.sides.observed);
        Check { line: None, message: self.message, expected, observed }
    }
}

fn read(lines: &[&str], several: bool) -> Said {
    let mut words = lines.iter().copied().filter(|line| !line.trim().is_empty());
    let Some(first) = words.next() else { return Said::default() };
    let first = if several { numbered(first) } else { first };
    let class = first.split_once(": ").filter(|(class, _)| is_class(class));
    let (class, head) = class.map_or((None, first), |(class, words)| (Some(class), words));
    let second = words.next();
    let diff = second.is_some_and(|line| line.starts_with("--- "));
    let message = match second {
        Some(second) if head.ends_with(':') && !diff => format!("{head} {}", second.trim()),
        _ => head.to_owned(),
    };
    let kind = match class {
        _ if timed_out(head) => Kind::Timeout,
        None if is_robots_own(head) => Kind::Exception,
        None => Kind::Assertion,
        Some(_) => Kind::Exception,
    };
    let sides = match class {
        None => sides(head, second, lines),
        Some(_) => Sides::default(),
    };
    Said { kind, message: Some(message), class: class.map(str::to_owned), sides }
}

/// Without the number that it has among several.
fn numbered(text: &str) -> &str {
    match text.split_once(") ") {
        Some((number, rest)) if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => rest,
        _ => text,
    }
}

/// Robot prints an exception's class unless it is one of the generic ones.
fn is_class(text: &str) -> bool {
    let last = text.rsplit('.').next().unwrap_or(text);
    text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
        && ["Error", "Exception"].iter().any(|end| last.ends_with(end))
}

/// `Test timeout 1 second exceeded.`, and of a keyword.
fn timed_out(text: &str) -> bool {
    let rest =
        ["Test timeout ", "Task timeout ", "Keyword timeout "].iter().find_map(|w| text.strip_prefix(w));
    rest.is_some_and(|rest| rest.ends_with(" exceeded."))
}

/// What Robot says of a test that is not written right.
fn is_robots_own(text: &str) -> bool {
    text.starts_with("No keyword with name '")
        || text.starts_with("Variable '")
        || text.starts_with("Keyword '") && text.contains(" argument") && text.contains(", got ")
}

/// The first side of `!=` was seen, the second is expected (`src/robot/libraries/BuiltIn.py`).
fn sides(head: &str, second: Option<&str>, lines: &[&str]) -> Sides {
    if head.ends_with("Multiline strings are different:") {
        let sides = diff_sides(lines.iter().copied());
        return Sides { expected: sides.observed, observed: sides.expected };
    }
    let listed = head.ends_with("are different:") || head.ends_with("have different values:");
    if listed && let Some((_, unequal)) = second.and_then(|line| line.split_once(": ")) {
        return unequal_sides(unequal);
    }
    let head = head.rsplit_once("The last error was: ").map_or(head, |(_, last)| last);
    if let Some(rest) = head.strip_prefix("Expected error '")
        && let Some((expected, observed)) = rest.strip_suffix("'.").and_then(|r| r.split_once("' but got '"))
    {
        return Sides::both(expected, observed);
    }
    if let Some(rest) = head.strip_prefix("Length of '")
        && let Some((_, rest)) = rest.rsplit_once("' should be ")
        && let Some((expected, observed)) = rest.strip_suffix('.').and_then(|r| r.split_once(" but is "))
    {
        return Sides::both(expected, observed);
    }
    unequal_sides(head)
}

fn unequal_sides(text: &str) -> Sides {
    let Some((observed, expected)) = split_outside(text, " != ") else { return Sides::default() };
    // The author's own words stand before the first side: `level: 10 != 11`.
    let labelled = split_outside(observed, ": ").filter(|_| !expected.contains(": "));
    Sides::both(expected, labelled.map_or(observed, |(_, value)| value))
}

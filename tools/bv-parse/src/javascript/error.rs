//! The text of one error, from its message to the end of its stack, read into a failure.

use super::property;
use super::sides;
use super::source::{Excerpt, is_excerpt};
use super::stack::{Frame, Names, frame, is_user_file, locate, place};
use super::words::worded;
use super::{is_error_name, name_and_message};
use crate::values::Sides;
use bv_schemas::{Check, Failure, Kind, Place};

/// Whether a runner prints the name of every error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Naming {
    /// `Name: message` always; any name that begins like a class is one.
    Always,
    /// `Error: ` is left out (Jest); only a name that is surely an error's is taken for one.
    Surely,
}

/// Reads the lines of one error, the runner's own indentation taken off.
pub fn error(lines: &[&str], naming: Naming, names: Names) -> Failure {
    let seam = lines.iter().position(|line| is_seam(line)).unwrap_or(lines.len());
    let (own, cause) = lines.split_at(seam);
    let end = own.iter().position(|line| frame(line).is_some() || is_excerpt(line)).unwrap_or(own.len());
    let (message, rest) = own.split_at(end);
    let mut failure = said(message, naming);
    let mut stack = rest;
    let mut compared = message;
    if failure.kind == Kind::Property {
        failure.counterexample = property::counterexample(message);
    }
    // A property's own stack ends in the library; a timed-out test's is that of its definition: the cause
    // has what is wanted.
    if !cause.is_empty()
        && (failure.kind == Kind::Property
            || !rest.iter().any(|line| frame(line).is_some_and(|f| f.is_user())))
    {
        stack = &cause[1..];
        compared = cause;
    }
    let frames: Vec<Frame> = stack
        .iter()
        .map_while(|line| if is_seam(line) { None } else { Some(frame(line)) })
        .flatten()
        .collect();
    let excerpt = stack.iter().find_map(|line| Excerpt::pointed(line));
    locate(&frames, names, excerpt.as_ref(), &mut failure);
    if failure.test.is_none() {
        failure.test = failure.message.as_deref().and_then(in_message);
    }
    if failure.kind == Kind::Timeout
        && let Some(fault) = failure.fault.take()
    {
        failure.test = Some(fault);
    }
    let until =
        compared.iter().position(|line| frame(line).is_some() || is_excerpt(line)).unwrap_or(compared.len());
    sides(&compared[..until], rest, failure.message.as_deref()).unwrap_or_default().fill(&mut failure);
    failure.kind = kind_with_sides(&failure);
    failure
}

/// Reads what Node prints of an error that nobody caught: the place, the source line and a pointer, then the
/// error. Without these lines it is an error like any other.
pub fn uncaught(lines: &[&str]) -> Failure {
    let at = lines.iter().map(|line| line.trim()).find(|line| !line.is_empty()).and_then(place);
    let Some((file, line, _)) = at else { return error(lines, Naming::Always, Names::Own) };
    let start = lines.iter().position(|line| name_and_message(line).is_some()).unwrap_or(lines.len());
    let mut failure = error(&lines[start..], Naming::Always, Names::Own);
    if is_user_file(&file) {
        let here = Place { file: Some(file), line: Some(line), function: None };
        // A parser names the place alone; another error's stack says the same and more.
        failure.test = failure.test.or(Some(here));
    }
    failure
}

/// Reads why Jest could not load a file. What a parser said stands below `Details:`, a long advice before it.
pub fn unloadable(lines: &[&str]) -> Failure {
    match lines.iter().position(|line| line.trim_end() == "Details:") {
        Some(at) => uncaught(&lines[at + 1..]),
        None => error(lines, Naming::Surely, Names::Mapped),
    }
}

/// Reads an error whose message stands before its whole print, as in Mocha's `tap` and `xunit`.
pub fn repeated(lines: &[&str]) -> Failure {
    let named =
        |line: &&str| name_and_message(line.trim_start()).is_some_and(|(name, _)| is_error_name(name));
    let start = lines.iter().take_while(|line| frame(line).is_none()).collect::<Vec<_>>();
    let start = start.iter().rposition(|line| named(line)).unwrap_or(0);
    let mut failure = error(&lines[start..], Naming::Always, Names::Own);
    // The diff stands above, with the first message.
    if let Some(sides) = sides::shown(&lines[..start]) {
        sides.fill(&mut failure);
    }
    failure
}

/// Adds a further failed check of a test whose failure is known; a retry often fails with the very same.
pub fn add(first: &mut Failure, next: Failure) {
    const ALSO_MAX: usize = 100;
    let check = Check {
        line: next.test.and_then(|place| place.line),
        message: next.message,
        expected: next.expected,
        observed: next.observed,
    };
    let line = first.test.as_ref().and_then(|place| place.line);
    let same = line == check.line
        && first.message == check.message
        && first.expected == check.expected
        && first.observed == check.observed;
    if !same && !first.also.contains(&check) && first.also.len() < ALSO_MAX {
        first.also.push(check);
    }
}

/// Where a parser's message names the place itself: `/w/a.test.js: Unexpected token (2:17)`, and Mocha's
/// `Timeout of 150ms exceeded. … (/w/test/retry.js)`, which names the file alone.
fn in_message(message: &str) -> Option<Place> {
    let (head, inside) = message.strip_suffix(')')?.rsplit_once(" (")?;
    if timed_out(message) {
        return is_path(inside).then(|| Place { file: Some(inside.to_owned()), ..Place::default() });
    }
    let (line, column) = inside.split_once(':')?;
    let file = head.split_once(": ")?.0;
    let line = Some(line.parse().ok()?).filter(|_| column.bytes().all(|b| b.is_ascii_digit()));
    is_path(file).then(|| Place { file: Some(file.to_owned()), line, function: None })
}

fn is_path(text: &str) -> bool {
    is_user_file(text)
        && text.contains(['/', '\\'])
        && text.rsplit(['/', '\\']).next().is_some_and(|name| name.contains('.'))
}

fn sides(message: &[&str], rest: &[&str], first: Option<&str>) -> Option<Sides> {
    sides::shown(message).or_else(|| sides::properties(rest)).or_else(|| worded(first?))
}

/// The line that begins an error's cause.
fn is_seam(line: &str) -> bool {
    let text = line.trim_start();
    matches!(text.trim_end(), "Cause:" | "Errors contained in AggregateError:")
        || text.starts_with("Caused by: ")
        || text.starts_with("[cause]: ")
}

/// Name, message and kind, from the lines before the stack.
fn said(lines: &[&str], naming: Naming) -> Failure {
    let mut failure = Failure::default();
    let first = lines.iter().map(|line| line.trim()).find(|line| !line.is_empty()).unwrap_or_default();
    let first = first.strip_prefix("Uncaught ").unwrap_or(first);
    let (name, message) = match name_and_message(first) {
        Some((name, message)) if naming == Naming::Always || is_error_name(name) => (Some(name), message),
        _ => (None, first),
    };
    let message = thrown(message.strip_prefix("Unknown Error: ").unwrap_or(message));
    // A value that was thrown may go on over lines.
    let whole =
        (message.starts_with("thrown: ") && message.ends_with(['{', '[', '('])).then(|| in_one_line(lines));
    let message = whole.as_deref().unwrap_or(message);
    // A message may begin on the line below the name.
    let below = || lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).nth(1);
    let message = if message.is_empty() { below().unwrap_or_default() } else { message };
    failure.exception_type = name.map(str::to_owned);
    failure.kind = kind(name, message);
    failure.message = Some(message.to_owned()).filter(|message| !message.is_empty());
    failure
}

fn in_one_line(lines: &[&str]) -> String {
    const BYTES_MAX: usize = 1000;
    let mut text = String::new();
    for part in lines.iter().map(|line| line.trim()).filter(|part| !part.is_empty()) {
        if text.len() + part.len() > BYTES_MAX {
            break;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(part);
    }
    text
}

/// What is no error was thrown: Jest says `thrown: "text"`, Node `'text'`.
fn thrown(message: &str) -> &str {
    let text = message.strip_prefix("thrown: ").unwrap_or(message);
    for quote in ['"', '\''] {
        if let Some(inside) = text.strip_prefix(quote)
            && (text.len() < message.len() || inside.ends_with(quote))
        {
            return inside.strip_suffix(quote).unwrap_or(inside);
        }
    }
    message
}

fn kind(name: Option<&str>, message: &str) -> Kind {
    if timed_out(message) {
        return Kind::Timeout;
    }
    if message.starts_with("Property failed after ") || message.starts_with("Property interrupted after ") {
        return Kind::Property;
    }
    if message.starts_with("Obsolete snapshots found ") {
        return Kind::Snapshot;
    }
    if message.starts_with("Snapshot `") || message.starts_with("expect(") && message.contains("Snapshot(") {
        return Kind::Snapshot;
    }
    if message.starts_with("process.exit unexpectedly called ")
        || message.starts_with("[vitest-pool]: Worker ")
    {
        return Kind::Crash;
    }
    let asserts = ["expect(", "expect.", "assert.", "assert(", "expected number of assertions "]
        .iter()
        .any(|start| message.starts_with(start));
    if asserts || name.is_some_and(|name| name.ends_with("AssertionError")) {
        return Kind::Assertion;
    }
    Kind::Exception
}

/// Whether a runner says here that a test or hook ran out of time.
pub fn timed_out(message: &str) -> bool {
    const STARTS: &[&str] =
        &["Exceeded timeout of ", "Test timed out in ", "Hook timed out in ", "test timed out after "];
    STARTS.iter().any(|start| message.starts_with(start))
        || message.starts_with("Timeout of ") && message.contains("ms exceeded")
        || message.starts_with("Timeout - Async function did not complete within ")
}

/// An error that shows a comparison was raised by one: Mocha leaves the name out then.
fn kind_with_sides(failure: &Failure) -> Kind {
    let compared = failure.expected.is_some() && failure.observed.is_some();
    match failure.kind {
        Kind::Exception if compared && failure.exception_type.is_none() => Kind::Assertion,
        kind => kind,
    }
}

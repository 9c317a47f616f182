//! The text of one error, from its message to the end of its stack, read into a failure.

use super::property;
use super::sides::{self, Sides};
use super::source::{Excerpt, is_excerpt};
use super::stack::{Frame, Names, frame, locate};
use super::words::worded;
use super::{is_error_name, name_and_message};
use bv_schemas::{Check, Failure, Kind};

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

/// A further failed check of a test whose failure is known.
pub fn further(failure: Failure) -> Check {
    Check {
        line: failure.test.and_then(|place| place.line),
        message: failure.message,
        expected: failure.expected,
        observed: failure.observed,
    }
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
    let message = thrown(message);
    // A message may begin on the line below the name.
    let below = || lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).nth(1);
    let message = if message.is_empty() { below().unwrap_or_default() } else { message };
    failure.exception_type = name.map(str::to_owned);
    failure.kind = kind(name, message);
    failure.message = Some(message.to_owned()).filter(|message| !message.is_empty());
    failure
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
    if message.starts_with("Snapshot `") || message.starts_with("expect(") && message.contains("Snapshot(") {
        return Kind::Snapshot;
    }
    let asserts = ["expect(", "expect.", "assert.", "assert("].iter().any(|start| message.starts_with(start));
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
}

/// An error that shows a comparison was raised by one: Mocha leaves the name out then.
fn kind_with_sides(failure: &Failure) -> Kind {
    let compared = failure.expected.is_some() && failure.observed.is_some();
    match failure.kind {
        Kind::Exception if compared && failure.exception_type.is_none() => Kind::Assertion,
        kind => kind,
    }
}

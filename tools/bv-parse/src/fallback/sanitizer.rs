//! Sanitizers of gcc and clang: AddressSanitizer, LeakSanitizer, ThreadSanitizer, MemorySanitizer with
//! their reports, UndefinedBehaviorSanitizer with its line.

use super::{Block, Said, Taken};
use crate::machine::Line;
use bv_schemas::{Failure, Kind, Place};

/// Whether a report begins here; UndefinedBehaviorSanitizer's is [`undefined`].
pub fn begins(line: &Line<'_>) -> Option<Said> {
    let (before, rest) = line.text.split_once("Sanitizer: ")?;
    let (severity, name) = before.rsplit_once(' ').unwrap_or(("", before));
    let (severity, name) = match name.rsplit_once(':') {
        Some((severity, name)) => (severity, name),
        None => (severity, name),
    };
    if !severity.ends_with("ERROR:") && !severity.ends_with("WARNING:") {
        return None;
    }
    if !["Address", "Leak", "Thread", "Memory", "HWAddress"].contains(&name) {
        return None;
    }
    let failure = Failure {
        kind: Kind::Crash,
        exception_type: Some(format!("{name}Sanitizer")),
        message: Some(words(rest).to_owned()),
        span: Some(line.span),
        ..Failure::default()
    };
    Some(Said::Block(Box::new(Report { failure, frames: Vec::new(), stacks: 0, in_stack: false })))
}

/// The sanitizer's short name.
pub fn name(failure: &Failure) -> Option<&'static str> {
    Some(match failure.exception_type.as_deref()?.strip_suffix("Sanitizer")? {
        "Address" => "asan",
        "HWAddress" => "hwasan",
        "Leak" => "lsan",
        "Memory" => "msan",
        "Thread" => "tsan",
        _ => return None,
    })
}

/// `sim.c:18:14: runtime error: signed integer overflow: …`.
pub fn undefined(line: &Line<'_>) -> Option<Said> {
    let (place, message) = line.text.split_once(": runtime error: ")?;
    let (rest, column) = place.rsplit_once(':')?;
    let (file, number) = rest.rsplit_once(':')?;
    let _: u64 = column.parse().ok()?;
    Some(Said::Fatal(Failure {
        kind: Kind::Crash,
        message: Some(message.to_owned()),
        fault: Some(Place { file: Some(file.to_owned()), line: Some(number.parse().ok()?), function: None }),
        span: Some(line.span),
        ..Failure::default()
    }))
}

/// The report's words without the addresses and process ids behind them, which change from run to run.
fn words(text: &str) -> &str {
    const ENDS: &[&str] = &[" on address 0x", " on unknown address", " (pid=", " (pc 0x", ": 0x", " 0x"];
    let end = ENDS.iter().filter_map(|end| text.find(end)).min().unwrap_or(text.len());
    text[..end].trim_end()
}

#[derive(Debug)]
struct Report {
    failure: Failure,
    /// The user's frames of the first stack.
    frames: Vec<Place>,
    stacks: usize,
    in_stack: bool,
}

impl Block for Report {
    fn line(&mut self, line: &Line<'_>) -> Taken {
        if let Some(span) = &mut self.failure.span {
            span[1] = line.span[1];
        }
        let text = line.text.trim_start();
        if text.starts_with("SUMMARY: ") {
            return Taken::Last;
        }
        match text.strip_prefix('#') {
            Some(at) => {
                self.stacks += usize::from(!self.in_stack);
                self.in_stack = true;
                self.frames.extend(frame(at).filter(|_| self.stacks == 1));
            }
            None => self.in_stack = false,
        }
        Taken::Yes
    }

    fn end(mut self: Box<Self>) -> Option<Said> {
        super::place(self.frames, &mut self.failure);
        Some(Said::Fatal(self.failure))
    }
}

/// `0 0x55664ae332e0 in count /app/sim.c:12:5` or `0 deposit /app/bank.c:6 (t+0x11d0)`, of the user's own.
fn frame(text: &str) -> Option<Place> {
    let (_, rest) = text.split_once(' ')?;
    let rest = match rest.strip_prefix("0x") {
        Some(rest) => rest.split_once(" in ")?.1,
        None => rest,
    };
    let rest = match rest.rsplit_once(" (") {
        Some((rest, module)) if module.ends_with(')') => rest,
        _ => rest,
    };
    let (function, place) = rest.rsplit_once(' ')?;
    let mut parts = place.splitn(3, ':');
    let (file, line) = (parts.next()?, parts.next()?);
    let foreign = ["../", "/usr/", "/build/", "/lib/"].iter().any(|head| file.starts_with(head));
    if foreign || file.contains("libsanitizer") || file.contains("compiler-rt") {
        return None;
    }
    let function = function.split('(').next().unwrap_or(function);
    let name = function.rsplit("::").next().unwrap_or(function);
    Some(Place {
        file: Some(file.to_owned()),
        line: Some(line.parse().ok()?),
        function: Some(name.to_owned()),
    })
}

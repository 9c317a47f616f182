//! Processes that died: a shell's word for the signal, and what the C and C++ libraries print before
//! they abort.

use super::{Block, Said, Taken};
use crate::machine::Line;
use bv_schemas::{Failure, Kind, Place};
use regex::Regex;
use std::sync::LazyLock;

/// Names that shells have for signals that end a process by its own fault.
const DEATHS: &[&str] = &[
    "Segmentation fault",
    "Aborted",
    "Killed",
    "Bus error",
    "Illegal instruction",
    "Floating point exception",
    "Trace/breakpoint trap",
];

/// What glibc says of a broken heap or stack before it aborts.
const BROKEN: &[&str] = &[
    "*** stack smashing detected ***",
    "*** buffer overflow detected ***",
    "free(): invalid ",
    "free(): double free detected",
    "free(): corrupted ",
    "double free or corruption",
    "malloc(): ",
    "munmap_chunk(): invalid pointer",
    "corrupted size vs. prev_size",
];

/// Whether the line tells of a death.
pub fn begins(line: &Line<'_>) -> Option<Said> {
    job(line).or_else(|| assertion(line)).or_else(|| library(line))
}

/// The shell's message on a job.
fn job(line: &Line<'_>) -> Option<Said> {
    let text = line.text.trim();
    if let Some(name) = text.split_once("terminated by signal SIG").map(|(_, rest)| rest) {
        let name = name.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        let signal = format!("SIG{name}");
        return Some(death(&format!("terminated by signal {signal}"), Some(signal.clone()), line));
    }
    if let Some(word) = text.strip_prefix("zsh: segmentation fault").map(|_| "segmentation fault") {
        return Some(death(word, None, line));
    }
    let (word, rest) = DEATHS.iter().find_map(|word| {
        let at = text.find(word)?;
        told(&text[..at]).then_some((*word, &text[at + word.len()..]))
    })?;
    let alone = text.len() == word.len() + rest.len();
    let whole = rest.is_empty() || rest == " (core dumped)" || !alone;
    // `Aborted` alone is also what a program says of its own will.
    if !whole || alone && word == "Aborted" && rest.is_empty() {
        return None;
    }
    Some(death(word, None, line))
}

/// make's word for a recipe that failed: `make: *** [Makefile:9: check] Error 1`.
pub fn is_make_error(text: &str) -> bool {
    let Some((program, rest)) = text.split_once(": *** [") else { return false };
    let program = program.split('[').next().unwrap_or(program);
    matches!(program, "make" | "gmake") && rest.contains("] ")
}

/// What stands before a signal's name: nothing, `bash: line 1:  3970 `, `make: *** [Makefile:9: check] `.
fn told(before: &str) -> bool {
    static SHELL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"^(?:\S+: line \d+:\s+\d+ |\[\d+\][+-]?\s+(?:\d+ )?|g?make(?:\[\d+\])?: \*\*\* \[[^\]]+\] )$",
        )
        .expect("a constant pattern, run by the tests")
    });
    before.is_empty() || SHELL.is_match(before)
}

fn death(word: &str, signal: Option<String>, line: &Line<'_>) -> Said {
    Said::Signal(Failure {
        kind: Kind::Crash,
        message: Some(word.to_owned()),
        exception_type: signal,
        span: Some(line.span),
        ..Failure::default()
    })
}

/// ``t: test.c:8: main: Assertion `x == 1' failed.`` (glibc), `Assertion failed: (x), function main, file
/// a.c, line 3.` (macOS), `Assertion failed: x (a.c: main: 3)` (musl).
fn assertion(line: &Line<'_>) -> Option<Said> {
    static GLIBC: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(?:\S+: )?(?P<file>[^\s:]+):(?P<line>\d+): (?P<function>.+): (?P<words>Assertion [`'].*' failed\.)").expect("a constant pattern, run by the tests")
    });
    static MACOS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(?P<words>Assertion failed: .+), function (?P<function>[^,]+), file (?P<file>[^,]+), line (?P<line>\d+)\.").expect("a constant pattern, run by the tests")
    });
    static MUSL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"^(?P<words>Assertion failed: .+) \((?P<file>[^\s:]+): (?P<function>[^:]+): (?P<line>\d+)\)$",
        )
        .expect("a constant pattern, run by the tests")
    });
    if !line.text.contains("Assertion ") {
        return None;
    }
    let found = [&GLIBC, &MACOS, &MUSL].into_iter().find_map(|regex| regex.captures(line.text))?;
    let function = found["function"].split('(').next().unwrap_or_default();
    let name = function.rsplit([' ', ':', '*', '&']).next().unwrap_or(function);
    Some(Said::Fatal(Failure {
        kind: Kind::Assertion,
        message: Some(found["words"].to_owned()),
        test: Some(Place {
            file: Some(found["file"].to_owned()),
            line: found["line"].parse().ok(),
            function: Some(name.to_owned()).filter(|name| !name.is_empty()),
        }),
        span: Some(line.span),
        ..Failure::default()
    }))
}

/// The C library found memory broken, or C++ an exception that nobody catches.
fn library(line: &Line<'_>) -> Option<Said> {
    let text = line.text.trim();
    if BROKEN.iter().any(|words| text.starts_with(words)) {
        let failure = Failure {
            kind: Kind::Crash,
            message: Some(text.to_owned()),
            span: Some(line.span),
            ..Failure::default()
        };
        return Some(Said::Fatal(failure));
    }
    if let Some(rest) = text.strip_prefix("terminate called after throwing an instance of '") {
        let name = rest.strip_suffix('\'')?.to_owned();
        return Some(Said::Block(Box::new(Thrown { failure: thrown(name, None, line) })));
    }
    let (_, rest) = text.split_once("terminating due to uncaught exception of type ")?;
    let (name, message) = rest.split_once(": ").map_or((rest, None), |(name, message)| (name, Some(message)));
    Some(Said::Fatal(thrown(name.to_owned(), message.map(str::to_owned), line)))
}

fn thrown(name: String, message: Option<String>, line: &Line<'_>) -> Failure {
    Failure {
        kind: Kind::Exception,
        exception_type: Some(name),
        message,
        span: Some(line.span),
        ..Failure::default()
    }
}

/// A C++ exception's `what():` may follow.
#[derive(Debug)]
struct Thrown {
    failure: Failure,
}

impl Block for Thrown {
    fn line(&mut self, line: &Line<'_>) -> Taken {
        let Some(what) = line.text.trim_start().strip_prefix("what():") else { return Taken::No };
        self.failure.message = Some(what.trim().to_owned()).filter(|what| !what.is_empty());
        Taken::Last
    }

    fn end(self: Box<Self>) -> Option<Said> {
        Some(Said::Fatal(self.failure))
    }
}

//! What a failed Rust test printed, as a failure record.
//!
//! In come the lines that libtest (or a runner on top of it) captured of one test, and what is known of
//! the test; out comes the record. Which panic of several surfaced, which place is the test's own and
//! which the product's, is decided here; a place that the text leaves open is left out.

use crate::rust_panic::{Panic, backtrace, bare_name, header, is_own, panics, position};
use crate::rust_property::{Property, property};
use crate::rust_sides::{is_assertion, join, matched, sides, snapshot};
use bv_schemas::record::FRAMES_MAX;
use bv_schemas::{Check, Failure, Kind, Place};
use std::collections::VecDeque;

/// What is known of the test beside its output.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    /// Its name in the test binary, `module::name`.
    pub id: &'a str,
    /// The root source file of the binary (`tests/step.rs`, relative to its package), where it was
    /// printed.
    pub root: Option<&'a str>,
    /// Whether product code lies in the same files (a library's or binary's own tests).
    pub unit: bool,
}

/// The record of one failed test.
pub fn failure(about: &About<'_>, lines: &[String]) -> Failure {
    let mut failure = bare(about);
    let mut panics = panics(lines);
    panics.retain(|panic| !panic.message.iter().any(|line| line.contains(TERMINATION)));
    let last = surfaced(about, &panics);
    let after = last.map_or(0, |at| panics[at].lines[1]);
    if note(about, lines, last.map(|at| &panics[at]), &mut failure) {
        return failure;
    }
    let checks = matched(lines);
    if !checks.is_empty() {
        checked(&checks, &mut failure);
    } else if let Some(at) = lines[after..].iter().rposition(|line| is_error(line)) {
        returned(about, &lines[after + at..], &mut failure);
    } else if let Some(last) = last {
        panicked(about, &panics, last, lines, &mut failure);
    }
    failure
}

/// What libtest says below the error that a test returned.
const TERMINATION: &str = "the test returned a termination value with a non-zero status code";

fn is_error(line: &str) -> bool {
    line.starts_with("Error: ") && !line.contains(TERMINATION)
}

/// The record of a test of which nothing but the name is known.
pub fn bare(about: &About<'_>) -> Failure {
    // A name without modules stands in the binary's root file; a module may have a file of its own.
    let file = about.root.filter(|_| !about.id.contains("::")).map(str::to_owned);
    let function = bare_name(about.id).map(str::to_owned);
    Failure {
        id: Some(about.id.to_owned()),
        test: Some(Place { file, line: None, function }),
        ..Failure::default()
    }
}

/// The panic that ended the test: the last one of its own thread, else the last one. libtest names
/// the thread after the test; with one thread it used to run tests on `main`.
fn surfaced(about: &About<'_>, panics: &[Panic]) -> Option<usize> {
    let own = |name: &str| panics.iter().rposition(|panic| panic.thread == name);
    own(about.id).or_else(|| own("main")).or_else(|| panics.len().checked_sub(1))
}

/// libtest's notes on a test that was to panic, or to panic otherwise.
fn note(about: &About<'_>, lines: &[String], panic: Option<&Panic>, failure: &mut Failure) -> bool {
    let Some(at) = lines.iter().rposition(|line| line.starts_with("note: ")) else { return false };
    let rest = &lines[at..];
    let said = &rest[0]["note: ".len()..];
    let side = |label: &str| {
        let line = rest.iter().find_map(|line| line.trim_start().strip_prefix(label))?;
        let line = line.strip_suffix(',').unwrap_or(line);
        Some(line.trim_matches('`').to_owned())
    };
    if let Some(tail) = said.strip_prefix("test did not panic as expected") {
        failure.message = Some("test did not panic as expected".into());
        if let Some((file, line)) = tail.strip_prefix(" at ").and_then(position) {
            place_test(failure, file, line);
        }
        return true;
    }
    if said == "panic did not contain expected string" {
        failure.observed = side("panic message: ");
        failure.message = Some(said.to_owned());
    } else if said == "expected panic with string value," {
        failure.message =
            Some(join(&[said, rest.get(1).map_or("", String::as_str)]).trim_end_matches(',').to_owned());
    } else {
        return false;
    }
    failure.expected = side("expected substring: ");
    if let Some(panic) = panic {
        places(about, panic, true, failure);
    }
    true
}

/// googletest's checks: the first is the failure, the others go beside it.
fn checked(checks: &[crate::rust_sides::Matched<'_>], failure: &mut Failure) {
    for (n, check) in checks.iter().enumerate() {
        let sides = check.sides.clone();
        if n == 0 {
            failure.message = Some(sides.message);
            (failure.expected, failure.observed) = (sides.expected, sides.observed);
            if let Some((file, line)) = check.place {
                place_test(failure, file, line);
            }
        } else if failure.also.len() < ALSO_MAX {
            failure.also.push(Check {
                line: check.place.map(|(_, line)| line),
                message: Some(sides.message),
                expected: sides.expected,
                observed: sides.observed,
            });
        }
    }
}

/// Further checks of one test that are kept.
const ALSO_MAX: usize = 16;

/// The test returned an error: `Error: …` to the end, with the causes that anyhow and eyre print.
fn returned(about: &About<'_>, lines: &[String], failure: &mut Failure) {
    failure.kind = Kind::Exception;
    let ends = |line: &String| {
        line == "Location:"
            || header(line).is_some()
            || line.contains(TERMINATION)
            || line.eq_ignore_ascii_case("stack backtrace:")
    };
    let end = lines.iter().position(ends).unwrap_or(lines.len());
    let said = join(&lines[..end]);
    failure.message = Some(said.strip_prefix("Error: ").unwrap_or(&said).to_owned());
    let trace = Panic { frames: backtrace(lines), ..Panic::default() };
    if let Some((file, line)) = lines.get(end + 1).and_then(|line| position(line.trim())) {
        let shown = Place { file: Some(file.to_owned()), line: Some(line), function: None };
        places(about, &Panic { place: Some(shown), ..trace }, false, failure);
    } else if !trace.frames.is_empty() {
        places(about, &trace, false, failure);
    }
}

fn panicked(about: &About<'_>, panics: &[Panic], last: usize, lines: &[String], failure: &mut Failure) {
    let panic = &panics[last];
    if let Some(found) = property(&panic.message) {
        return disproved(about, found, &panics[..last], failure);
    }
    let said = sides(&panic.message);
    if said.message.starts_with("snapshot assertion for ")
        && let Some(differs) = snapshot(lines)
    {
        failure.kind = Kind::Snapshot;
        failure.message = Some(said.message);
        (failure.expected, failure.observed) = (differs.expected, differs.observed);
        match differs.source {
            Some((file, line)) => place_test(failure, file, line),
            None => drop(places(about, panic, true, failure)),
        }
        return;
    }
    match panics[..last].last().filter(|_| is_passed_on(&said.message)) {
        Some(cause) => {
            describe(about, cause, failure);
            passed_on(about, panic, failure);
        }
        None => describe(about, panic, failure),
    }
}

/// Whether a panic only hands on one of another thread, of a task or of a caught call.
fn is_passed_on(message: &str) -> bool {
    message == "a scoped thread panicked"
        || message.ends_with("Any { .. }")
        || message.contains("JoinError::Panic(")
}

/// Where the cause is no place of the test's own, its place is where it took what was handed on.
fn passed_on(about: &About<'_>, panic: &Panic, failure: &mut Failure) {
    let Some(Place { file: Some(file), line: Some(line), .. }) = &panic.place else { return };
    if failure.fault.is_some() && is_own(file) && Files::of(about, file).is_tests() {
        place_test(failure, file, *line);
    }
}

/// The record of a test whose process died of this panic.
pub fn died(about: &About<'_>, panic: &Panic) -> Failure {
    let mut failure = bare(about);
    describe(about, panic, &mut failure);
    Failure { kind: Kind::Crash, ..failure }
}

/// Message, kind, sides and places of a panic.
fn describe(about: &About<'_>, panic: &Panic, failure: &mut Failure) {
    let said = sides(&panic.message);
    let sure = is_assertion(&said.message);
    let in_test = places(about, panic, sure || !is_runtime(&said.message), failure);
    failure.kind =
        if sure || in_test && !is_runtime(&said.message) { Kind::Assertion } else { Kind::Exception };
    failure.message = Some(said.message).filter(|message| !message.is_empty());
    (failure.expected, failure.observed) = (said.expected, said.observed);
}

/// Whether std itself panicked with these words, so that no check of the author's did.
fn is_runtime(message: &str) -> bool {
    const STARTS: &[&str] = &[
        "called `Option::",
        "called `Result::",
        "index out of bounds: ",
        "attempt to ",
        "range end index ",
        "range start index ",
        "slice index starts at ",
        "byte index ",
        "begin <= end ",
        "already borrowed",
        "already mutably borrowed",
        "RefCell already ",
        "capacity overflow",
        "not yet implemented",
        "not implemented",
        "internal error: entered unreachable code",
        "Box<dyn Any>",
        "no entry found for key",
        "removal index ",
        "insertion index ",
        "swap_remove index ",
        "copy_from_slice: source slice length ",
        "source slice length ",
        "cannot access a Thread Local Storage value ",
        "there is no reactor running",
    ];
    STARTS.iter().any(|start| message.starts_with(start))
}

/// A property has a counterexample; where the check's own place is not printed, an earlier panic of
/// the same words has it.
fn disproved(about: &About<'_>, found: Property, before: &[Panic], failure: &mut Failure) {
    let said = sides(&found.message);
    let cause = before.last().filter(|_| found.repeats);
    match (&found.place, cause) {
        (Some((file, line)), _) => place_test(failure, file, *line),
        (None, Some(cause)) => describe(about, cause, failure),
        (None, None) => {}
    }
    failure.kind = Kind::Property;
    failure.message = Some(said.message);
    failure.expected = said.expected.or(failure.expected.take());
    failure.observed = said.observed.or(failure.observed.take());
    failure.counterexample = Some(found.input).filter(|input| !input.is_empty());
}

fn place_test(failure: &mut Failure, file: &str, line: u64) {
    let test = failure.test.get_or_insert_default();
    test.file = Some(file.to_owned());
    test.line = Some(line);
}

/// Puts a panic's place into `test` or `fault`; returns whether it is the test's own. `likely` says
/// that the words of the panic are those of a check.
fn places(about: &About<'_>, panic: &Panic, likely: bool, failure: &mut Failure) -> bool {
    let own: Vec<&Place> =
        panic.frames.iter().filter(|frame| frame.file.as_deref().is_some_and(is_own)).collect();
    let shown = panic.place.as_ref().filter(|place| place.file.as_deref().is_some_and(is_own));
    let Some(deepest) = shown.or(own.first().copied()) else { return false };
    let (Some(file), Some(line)) = (deepest.file.as_deref(), deepest.line) else { return false };
    let test_frame = own.iter().position(|frame| is_test(about, frame));
    let Some(at) = test_frame else {
        let files = Files::of(about, file);
        let in_test = own.is_empty() && files.is_known() && (likely || files.is_tests());
        if in_test {
            place_test(failure, file, line);
        } else {
            failure.fault = Some(named(deepest, &own));
        }
        failure.frames = frames(&own);
        return in_test;
    };
    failure.frames = frames(&own[..=at]);
    let frame = own[at];
    // The header's path is relative where a full backtrace's is not.
    if frame.line == Some(line) && same_file(file, frame.file.as_deref()) {
        place_test(failure, file, line);
        return true;
    }
    if let (Some(file), Some(line)) = (frame.file.as_deref(), frame.line) {
        place_test(failure, file, line);
    }
    failure.fault = Some(named(deepest, &own));
    at == 0
}

/// A place with the function of the frame that has the same line.
fn named(place: &Place, own: &[&Place]) -> Place {
    let file = place.file.as_deref().unwrap_or("");
    let frame = own.iter().find(|frame| frame.line == place.line && same_file(file, frame.file.as_deref()));
    let function = frame.and_then(|frame| frame.function.as_deref()).and_then(bare_name);
    Place { function: function.map(str::to_owned), ..place.clone() }
}

fn frames(own: &[&Place]) -> Vec<Place> {
    let bare = |frame: &&Place| Place {
        function: frame.function.as_deref().and_then(bare_name).map(str::to_owned),
        ..(*frame).clone()
    };
    own.iter().take(FRAMES_MAX).map(bare).collect()
}

fn same_file(short: &str, long: Option<&str>) -> bool {
    let long = long.unwrap_or("");
    ends_with_path(long, short) || ends_with_path(short, long)
}

fn ends_with_path(path: &str, tail: &str) -> bool {
    path.strip_suffix(tail).is_some_and(|head| head.is_empty() || head.ends_with('/'))
}

/// Whether a frame is the test's function, or a closure in it.
fn is_test(about: &About<'_>, frame: &Place) -> bool {
    let Some(function) = frame.function.as_deref() else { return false };
    let path: Vec<&str> = function.split("::").map(|part| part.split('[').next().unwrap_or(part)).collect();
    let id: Vec<&str> = about.id.split("::").collect();
    // The first name is the crate's, which libtest leaves out.
    path.len() > id.len() && path[1..].starts_with(&id)
}

/// Whose file a panic's place is in.
enum Files {
    /// Of the tests alone.
    Tests,
    /// Of the test and of product code.
    Shared,
    /// Another one.
    Other,
}

impl Files {
    fn of(about: &About<'_>, file: &str) -> Files {
        let stem = file.rsplit('/').next().and_then(|name| name.strip_suffix(".rs")).unwrap_or("");
        let folder = file.rsplit('/').nth(1).unwrap_or("");
        let mut modules = about.id.split("::").collect::<Vec<_>>();
        modules.pop();
        let is_module = modules.contains(&stem) || stem == "mod" && modules.contains(&folder);
        let is_root = match about.root {
            Some(root) => ends_with_path(file, root),
            None => in_tests_folder(file) || !modules.is_empty() && matches!(stem, "lib" | "main"),
        };
        if !is_root && !is_module {
            Files::Other
        } else if !about.unit && (about.root.is_some() || in_tests_folder(file))
            || matches!(stem, "tests" | "test")
        {
            Files::Tests
        } else {
            Files::Shared
        }
    }

    fn is_tests(&self) -> bool {
        matches!(self, Files::Tests)
    }

    fn is_known(&self) -> bool {
        !matches!(self, Files::Other)
    }
}

fn in_tests_folder(file: &str) -> bool {
    file.starts_with("tests/") || file.contains("/tests/")
}

/// Output of one test, bounded: of a long one the end is kept, where the panic that surfaced stands.
#[derive(Clone, Debug, Default)]
pub struct Captured {
    lines: VecDeque<String>,
    bytes: usize,
}

/// Bytes of one test's output that are kept.
const CAPTURED_BYTES_MAX: usize = 256 * 1024;

/// Bytes of one of its lines that are kept.
const LINE_BYTES_MAX: usize = 32 * 1024;

impl Captured {
    /// Takes the next line.
    pub fn push(&mut self, text: &str) {
        let mut end = text.len().min(LINE_BYTES_MAX);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let mut line = text[..end].to_owned();
        if end < text.len() {
            line.push('…');
        }
        self.bytes += line.len() + 1;
        self.lines.push_back(line);
        while self.bytes > CAPTURED_BYTES_MAX {
            let Some(gone) = self.lines.pop_front() else { break };
            self.bytes -= gone.len() + 1;
        }
    }

    /// The lines that were kept.
    pub fn lines(&mut self) -> &[String] {
        self.lines.make_contiguous()
    }

    /// Forgets them.
    pub fn clear(&mut self) {
        self.lines.clear();
        self.bytes = 0;
    }
}

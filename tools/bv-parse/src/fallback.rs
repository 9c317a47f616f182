//! Text of no known runner: what it surely says, as failures, or as the reason of a refusal.
//!
//! The engine uses what is found here only where no runner's section covers it; it never makes a pass.
//! Uncaught exceptions of several languages, compilers' errors, sanitizers' reports, the words of a
//! shell about a process that died or never began. The word `error` alone says nothing.

mod compiler;
mod go;
mod java;
mod javascript;
mod php;
mod python;
mod refusal;
mod ruby;
mod rust;
mod sanitizer;
mod shader;
mod signal;
mod valgrind;

use crate::machine::Line;
use bv_schemas::record::FRAMES_MAX;
use bv_schemas::{Failure, Place, Reason};
use std::fmt::Debug;

/// Texts of which one must stand in a line before [`Fallback::line`] gets it.
pub const NEEDLES: &[&str] = &[
    "Traceback (most recent call last):",
    "Exception ignored ",
    "Fatal Python error: ",
    " panicked at ",
    "panic: ",
    "fatal error: ",
    "Exception in thread \"",
    "Error: ",
    "Error [ERR_",
    ".rb:",
    "Fatal error: ",
    "Parse error: ",
    ": error: ",
    ": error ",
    "e: file:///",
    ".kt: (",
    " : fatal error LNK",
    "): fatal error C",
    " : Command line error D",
    "undefined reference to ",
    "Sanitizer: ",
    "== Invalid ",
    "== Conditional jump ",
    "== Use of uninit",
    "== Mismatched free",
    "== Syscall param ",
    "== Source and destination overlap",
    "== Jump to the invalid address",
    "== Process terminating with",
    "== Possible data race ",
    "== Conflicting ",
    " definitely lost in loss record ",
    ": *** [",
    ": runtime error: ",
    "egmentation fault",
    "Aborted",
    "Killed",
    "Bus error",
    "Illegal instruction",
    "Floating point exception",
    "Trace/breakpoint trap",
    "terminated by signal SIG",
    "*** stack smashing detected",
    "*** buffer overflow detected",
    "free(): ",
    "malloc(): ",
    "double free or corruption",
    "munmap_chunk(): ",
    "corrupted size vs. prev_size",
    "Assertion ",
    "terminate called after throwing",
    "terminating due to uncaught exception",
    "command not found",
    ": not found",
    "No such file or directory",
    "Permission denied",
    "can't open file",
    "No module named ",
    "issing script: ",
    "No rule to make target",
    "no makefile found",
    "no such command",
    "could not find `Cargo.toml`",
    "is not recognized as ",
    "ERROR: 0:",
];

/// Findings that are kept; what follows is the same run's noise.
const FINDINGS_MAX: usize = 200;
/// What Node prints between a place and its error: the line of source and a pointer.
const EXCERPT_BYTES_MAX: u64 = 4096;
/// Lines that one block may take.
const BLOCK_LINES_MAX: usize = 2000;

/// One thing that the text surely says went wrong.
#[derive(Debug)]
pub struct Finding {
    /// What goes to the stream.
    pub failure: Failure,
    /// The process cannot have ended well: a signal, a sanitizer's report. Such a finding speaks
    /// even against a green runner whose exit status is not known.
    pub fatal: bool,
    /// It stands inside a runner's open section.
    pub in_section: bool,
    /// The tool whose words they are, where they tell: it decides the verdict where no runner does.
    pub by: Option<&'static str>,
}

/// Why nothing could be run, in the words of a shell or a tool.
#[derive(Debug)]
pub struct Refusal {
    /// The reason.
    pub reason: Reason,
    /// The words, one line.
    pub message: String,
    /// The command that the words name, when they do.
    pub command: Option<String>,
}

/// Reads what no runner's machine takes.
#[derive(Debug, Default)]
pub struct Fallback {
    findings: Vec<Finding>,
    refusal: Option<Refusal>,
    block: Option<Reading>,
    /// A report of a death that a shell's word for the same death may follow.
    died: bool,
    /// make said that a recipe failed.
    make: bool,
    /// The last line that was a place alone, and where it ended: Node puts one above an error that it could
    /// not even parse the file for, and no frame below.
    place: Option<(Place, u64)>,
}

/// A block that is being read.
#[derive(Debug)]
struct Reading {
    block: Box<dyn Block>,
    by: By,
    in_section: bool,
    lines: usize,
}

/// What begins, or is whole, in a line.
#[derive(Debug)]
enum Said {
    /// More lines belong to it.
    Block(Box<dyn Block>),
    /// Something went wrong.
    Failure(Failure),
    /// A runner could not load a test file of the project in this folder.
    Unloaded(Failure, String),
    /// Something went wrong, and the process did not end well.
    Fatal(Failure),
    /// A shell's word for how a process ended; the process' own words, if any, stand before it.
    Signal(Failure),
    /// Nothing could be run.
    Refusal(Refusal),
}

/// A text of several lines.
trait Block: Debug {
    /// Takes the next line.
    fn line(&mut self, line: &Line<'_>) -> Taken;

    /// All its lines came; what they say, if anything.
    fn end(self: Box<Self>) -> Option<Said>;
}

/// What a block does with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taken {
    /// It is part of the block.
    Yes,
    /// It is the last part.
    Last,
    /// It is not part of it; the block ended before.
    No,
}

/// The name of the tool that a failure's words are of, if they tell.
type By = fn(&Failure) -> Option<&'static str>;

/// What begins in this line, if anything.
type Begins = fn(&Line<'_>) -> Option<Said>;

/// All readers, and whose words they read; the first that knows the line has it.
const READERS: &[(By, Begins)] = &[
    (nobody, python::begins),
    (nobody, rust::begins),
    (nobody, go::begins),
    (nobody, java::begins),
    (|_| Some("ubsan"), sanitizer::undefined),
    (sanitizer::name, sanitizer::begins),
    (|_| Some("valgrind"), valgrind::begins),
    (nobody, signal::begins),
    (nobody, php::begins),
    (nobody, ruby::begins),
    (nobody, refusal::begins),
    (nobody, shader::begins),
    (compiler::name, compiler::begins),
    (javascript::name, javascript::begins),
];

fn nobody(_: &Failure) -> Option<&'static str> {
    None
}

impl Fallback {
    /// Takes a line that holds a needle, or any line while [`Fallback::busy`].
    pub fn line(&mut self, line: &Line<'_>, in_section: bool) {
        if let Some(mut reading) = self.block.take() {
            reading.lines += 1;
            match reading.block.line(line) {
                Taken::Yes if reading.lines < BLOCK_LINES_MAX => {
                    self.block = Some(reading);
                    return;
                }
                Taken::Yes | Taken::Last => {
                    self.finish(reading);
                    return;
                }
                Taken::No => self.finish(reading),
            }
        }
        self.make |= signal::is_make_error(line.text);
        if let Some((by, said)) = READERS.iter().find_map(|(by, begins)| Some((by, begins(line)?))) {
            self.say(said, *by, in_section);
        }
    }

    /// Sees every line that no runner takes for its own.
    pub fn place(&mut self, line: &Line<'_>) {
        if !line.text.starts_with('/') && !line.text.starts_with("file:///") {
            return;
        }
        if let Some((file, at, None)) =
            crate::javascript::place(line.text).filter(|_| !line.text.contains(' '))
        {
            let place = Place { file: Some(file), line: Some(at), function: None };
            self.place = Some((place, line.span[1]));
        }
    }

    /// Whether a block (a traceback, a report) is being read, so that the next line is wanted too.
    pub fn busy(&self) -> bool {
        self.block.is_some()
    }

    /// The stream ended.
    pub fn end(mut self) -> (Vec<Finding>, Option<Refusal>) {
        if let Some(reading) = self.block.take() {
            self.finish(reading);
        }
        let make = self.make.then_some("make");
        self.findings.iter_mut().for_each(|finding| finding.by = finding.by.or(make));
        (self.findings, self.refusal)
    }

    fn finish(&mut self, reading: Reading) {
        if let Some(said) = reading.block.end() {
            self.say(said, reading.by, reading.in_section);
        }
    }

    fn say(&mut self, mut said: Said, by: By, in_section: bool) {
        if let Said::Failure(failure) | Said::Unloaded(failure, _) = &mut said {
            self.unparsed(failure);
        }
        let finding = |failure: Failure, fatal| Finding { by: by(&failure), failure, fatal, in_section };
        match said {
            Said::Block(block) => self.block = Some(Reading { block, by, in_section, lines: 0 }),
            Said::Failure(failure) => self.found(finding(failure, false)),
            Said::Unloaded(mut failure, root) => {
                let file = failure.fault.as_ref().and_then(|place| place.file.as_deref());
                failure.id = file.map(|file| file.strip_prefix(&root).unwrap_or(file).to_owned());
                self.found(finding(failure, false));
            }
            Said::Fatal(failure) => {
                self.died = true;
                self.found(finding(failure, true));
            }
            Said::Signal(failure) => {
                if !std::mem::take(&mut self.died) {
                    self.found(finding(failure, true));
                }
            }
            // What stopped the run stands last.
            Said::Refusal(refusal) => self.refusal = Some(refusal),
        }
    }

    /// An error in a file that could not be parsed is at the place above it.
    fn unparsed(&mut self, failure: &mut Failure) {
        let placed = failure.test.is_some() || failure.fault.is_some();
        if placed || failure.exception_type.as_deref() != Some("SyntaxError") {
            return;
        }
        let begins = failure.span.map_or(0, |span| span[0]);
        let near = |(_, end): &(Place, u64)| begins.saturating_sub(*end) < EXCERPT_BYTES_MAX;
        failure.fault = self.place.take().filter(near).map(|(place, _)| place);
    }

    /// The same words at the same place again are the same finding: PHP prints to both streams, a
    /// linker repeats itself.
    fn found(&mut self, finding: Finding) {
        let same = |known: &Finding| {
            let (a, b) = (&known.failure, &finding.failure);
            (&a.message, &a.exception_type, &a.test, &a.fault)
                == (&b.message, &b.exception_type, &b.test, &b.fault)
        };
        if self.findings.len() < FINDINGS_MAX && !self.findings.iter().any(same) {
            self.findings.push(finding);
        }
    }
}

/// Puts the user's own frames, innermost first, into the failure. A function named like a test is the
/// test, or one in a file named so; there is none in a plain program.
fn place(frames: Vec<Place>, failure: &mut Failure) {
    let in_test = |place: &&Place| place.function.as_deref().is_some_and(is_test_name);
    let in_test_file = |place: &&Place| place.file.as_deref().is_some_and(is_test_file);
    failure.test = frames.iter().find(in_test).or_else(|| frames.iter().find(in_test_file)).cloned();
    failure.fault = frames.first().filter(|place| Some(*place) != failure.test.as_ref()).cloned();
    failure.frames = frames;
    failure.frames.truncate(FRAMES_MAX);
}

/// `test_x`, `testX`, `TestX`.
fn is_test_name(name: &str) -> bool {
    let after = name.strip_prefix("test").or_else(|| name.strip_prefix("Test"));
    after.is_some_and(|rest| rest.starts_with(|c: char| c == '_' || c.is_uppercase() || c.is_ascii_digit()))
}

/// `src/test_bank.c`, `bank_test.cc`.
fn is_test_file(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    stem.starts_with("test_") || stem.ends_with("_test")
}

#[cfg(test)]
mod tests;

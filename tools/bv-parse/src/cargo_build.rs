//! What cargo says of a build, and why nothing could be run.
//!
//! In come cargo's lines around the tests, out come the compiler's errors and cargo's refusals. Whether
//! they count (`cargo check` has its own) is decided when the build settles; what ran is others' concern.

use crate::machine::{HELD_MAX, Line};
use crate::rust_output::Captured;
use crate::rust_panic::panics;
use crate::rust_sides::join;
use crate::rustc::{Diagnostic, Level, Progress, Reader, head, is_summary};
use bv_schemas::{Failure, Kind, Place, Reason};
use std::collections::HashSet;

/// Nothing could run, and the records that say why.
#[derive(Debug)]
pub struct Refusal {
    /// The reason.
    pub reason: Reason,
    /// Cargo's words.
    pub message: String,
    /// Compiler errors.
    pub failures: Vec<Failure>,
    /// Further ones that were only counted.
    pub over: u64,
}

/// Message, file, line and column of an error.
type Seen = (String, Option<String>, Option<u64>, Option<u64>);

/// The build, as far as it was seen.
#[derive(Debug, Default)]
pub struct Build {
    reader: Reader,
    errors: Vec<Failure>,
    over: u64,
    /// Errors without a place are the compiler's only if cargo says that it could not compile.
    loose: Vec<Failure>,
    /// The errors held: cargo may build one file for two targets.
    seen: HashSet<Seen>,
    /// The errors of a build are a cargo run's; those of a check are left to the compiler's own format.
    progress: Progress,
    /// clippy spoke: its findings are not ours either.
    clippy: bool,
    /// `    Finished …` was seen.
    pub finished: bool,
    refused: Option<(Reason, String)>,
    caused_by: bool,
    /// What a failed build script printed.
    script: Option<Captured>,
}

/// What cargo says where no test could be built or chosen, with the reason of the refusal.
const REFUSALS: &[(&str, Reason)] = &[
    ("could not compile `", Reason::CompileError),
    ("failed to run custom build command for `", Reason::CompileError),
    ("could not find `Cargo.toml` in ", Reason::NotRunnable),
    ("failed to parse manifest at ", Reason::NotRunnable),
    ("failed to parse lock file at", Reason::NotRunnable),
    ("failed to load manifest for ", Reason::NotRunnable),
    ("failed to load source for dependency ", Reason::NotRunnable),
    ("failed to read `", Reason::NotRunnable),
    ("failed to select a version for ", Reason::NotRunnable),
    ("failed to get `", Reason::NotRunnable),
    ("failed to download ", Reason::NotRunnable),
    ("no test target ", Reason::NotRunnable),
    ("no library targets found in package ", Reason::NotRunnable),
    ("no matching package ", Reason::NotRunnable),
    ("no such command: `", Reason::NotRunnable),
    ("manifest path `", Reason::NotRunnable),
    ("package ID specification `", Reason::NotRunnable),
    ("the lock file ", Reason::NotRunnable),
    ("cannot update the lock file ", Reason::NotRunnable),
    ("none of the selected packages contains ", Reason::NotRunnable),
    ("the package '", Reason::NotRunnable),
    ("the package `", Reason::NotRunnable),
    ("unexpected argument '", Reason::NotRunnable),
];

impl Build {
    /// Takes a line of the build.
    pub fn line(&mut self, line: &Line<'_>) {
        let text = line.text;
        self.progress.line(text);
        self.finished |= text.starts_with("    Finished ") && text.contains("test");
        if let Some(captured) = &mut self.script {
            captured.push(text.strip_prefix("  ").unwrap_or(text));
        }
        self.cause(text);
        if let Some(done) = self.reader.line(line) {
            self.take(done);
        }
        if let Some((Level::Error, None, message)) = head(text)
            && let Some((_, reason)) = REFUSALS.iter().find(|(start, _)| message.starts_with(start))
        {
            self.refuse(*reason, message, line.span);
        }
    }

    /// Forgets the build: another runner speaks for it.
    pub fn forget(&mut self) {
        *self = Build::default();
    }

    /// What kept the tests from running, if anything did.
    pub fn settle(&mut self) -> Option<Refusal> {
        if let Some(last) = self.reader.end() {
            self.take(last);
        }
        let mut build = std::mem::take(self);
        self.finished = build.finished;
        if build.progress.checking || build.clippy {
            self.progress = build.progress;
            return None;
        }
        if let Some((Reason::CompileError, _)) = build.refused {
            build.errors.append(&mut build.loose);
        }
        let cut_off = build.progress.compiling && !build.errors.is_empty();
        let (reason, message) = match build.refused {
            Some(refused) => refused,
            None if cut_off => (Reason::CompileError, "could not compile".to_owned()),
            None => return None,
        };
        if let Some(mut script) = build.script {
            at_panic(&mut build.errors, script.lines());
        }
        Some(Refusal { reason, message, failures: build.errors, over: build.over })
    }

    fn take(&mut self, diagnostic: Diagnostic) {
        if diagnostic.level != Level::Error || is_summary(&diagnostic.message) {
            return;
        }
        self.clippy |= diagnostic.lint.as_deref().is_some_and(|lint| lint.starts_with("clippy::"));
        let place = diagnostic.place.as_ref();
        let key = (
            diagnostic.message.clone(),
            place.and_then(|place| place.file.clone()),
            place.and_then(|place| place.line),
            diagnostic.column,
        );
        let is_refusal = REFUSALS.iter().any(|(start, _)| diagnostic.message.starts_with(start));
        if is_refusal || self.errors.len() < HELD_MAX && !self.seen.insert(key) {
            return;
        }
        if self.errors.len() >= HELD_MAX {
            self.over += 1;
        } else if place.is_some() {
            self.errors.push(diagnostic.into_failure());
        } else if self.loose.len() < LOOSE_MAX {
            self.loose.push(diagnostic.into_failure());
        }
    }

    fn refuse(&mut self, reason: Reason, message: &str, span: [u64; 2]) {
        if message.starts_with("failed to run custom build command for `") {
            self.script = Some(Captured::default());
            self.errors.push(Failure {
                kind: Kind::CompileError,
                message: Some(message.to_owned()),
                span: Some(span),
                ..Failure::default()
            });
        }
        if self.refused.is_none() {
            self.refused = Some((reason, message.to_owned()));
        }
    }

    /// The first line below `Caused by:` goes with the refusal.
    fn cause(&mut self, text: &str) {
        if std::mem::replace(&mut self.caused_by, text == "Caused by:")
            && let Some((Reason::NotRunnable, message)) = &mut self.refused
        {
            *message = format!("{message}: {}", text.trim());
        }
    }
}

/// ``error: command `…cargo test --no-run …` exited with code 101``: what cargo-nextest says where cargo failed.
pub fn is_nextest_refusal(text: &str) -> bool {
    text.starts_with("error: command `")
        && (text.contains(" --message-format json-render-diagnostics")
            || text.contains("cargo metadata '--format-version=1'"))
}

/// Errors without a place that are kept.
const LOOSE_MAX: usize = 100;

/// A build script that panicked says where and why.
fn at_panic(errors: &mut [Failure], lines: &[String]) {
    let found = panics(lines);
    let Some(panic) = found.last() else { return };
    if let Some(failure) = errors.iter_mut().rfind(|failure| failure.test.is_none()) {
        failure.test = panic.place.clone().map(|place| Place { function: None, ..place });
        let said = join(&panic.message);
        if let Some(message) = failure.message.as_mut().filter(|_| !said.is_empty()) {
            *message = format!("{message}: {said}");
        }
    }
}

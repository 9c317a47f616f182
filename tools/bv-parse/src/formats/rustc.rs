//! Rust's compiler outside of tests: rustc, `cargo build`, `cargo check`, `cargo clippy`, as text (full and
//! short) and as JSON.
//!
//! A lint that is denied is a finding; any other error is code that does not compile. Warnings are left
//! alone. What cargo builds without checking or lints of clippy is `cargo test`'s to tell, unless the
//! command is known; see `cargo_test`.

mod json;

use crate::finding::Findings;
use crate::machine::{Format, Line, Machine, Out};
use crate::rustc::{Diagnostic, Level, Progress, Reader, head, is_summary};
use bv_schemas::{Failure, Kind, Reason};
use std::collections::{HashMap, HashSet};

/// The compiler.
pub const FORMAT: Format = Format {
    name: "rustc",
    commands: &["rustc"],
    needles: &[
        "error[E",
        "error: ",
        "    Checking ",
        "\"$message_type\":\"diagnostic\"",
        "{\"reason\":\"compiler-message\"",
    ],
    new: || Box::<Rustc>::default(),
};

/// clippy, whose findings the compiler prints.
pub const CLIPPY: Format = Format {
    name: "clippy",
    commands: &["cargo-clippy", "clippy-driver"],
    needles: &[],
    new: || Box::<Rustc>::default(),
};

/// Errors held until it is known whose they are.
const ERRORS_MAX: usize = 10_000;

#[derive(Debug, Default)]
struct Rustc {
    reader: Reader,
    progress: Progress,
    build: Build,
    findings: Findings,
}

/// Message, file, line and column.
type Key = (String, Option<String>, Option<u64>, Option<u64>);

/// The errors of one build.
#[derive(Debug, Default)]
struct Build {
    errors: Vec<Failure>,
    over: u64,
    /// cargo builds one file for several targets, and says its errors again.
    seen: HashSet<Key>,
    /// Messages without their quoted parts, and their lint: only the first of a lint names it.
    lints: HashMap<String, String>,
    clippy: bool,
    /// The errors came as JSON, which nobody else reads.
    json: bool,
    /// `could not compile …` or `aborting due to …` was said, in these words.
    failed: Option<String>,
}

impl Machine for Rustc {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        let text = line.text;
        match text.as_bytes().first() {
            Some(b'{') => return self.json(line, out),
            Some(b'e' | b'w' | b' ') => {}
            _ if self.reader.busy() => {}
            Some(_) if text.contains(".rs:") => {}
            _ => return,
        }
        if self.is_next_build(text) {
            self.settle(out);
        }
        self.progress.line(text);
        if let Some(done) = self.reader.line(line) {
            self.take(done);
        }
        match head(text) {
            Some((Level::Error, None, message)) if message.starts_with("could not compile `") => {
                self.build.failed.get_or_insert_with(|| message.to_owned());
                self.last_of_reader();
            }
            // Plain rustc ends with this, cargo does not print it.
            Some((Level::Error, None, message)) if message.starts_with("aborting due to ") => {
                self.last_of_reader();
                self.build.failed.get_or_insert_with(|| message.to_owned());
                self.close(out);
            }
            Some(_) => {}
            None if text.starts_with(' ') => {}
            None => short(line).into_iter().for_each(|done| self.take(done)),
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.last_of_reader();
        self.settle(out);
    }
}

impl Rustc {
    fn last_of_reader(&mut self) {
        if let Some(done) = self.reader.end() {
            self.take(done);
        }
    }

    fn take(&mut self, diagnostic: Diagnostic) {
        let is_shown = diagnostic.place.is_some() || diagnostic.code.is_some();
        if diagnostic.level == Level::Error && is_shown && !is_summary(&diagnostic.message) {
            self.build.take(diagnostic);
        }
    }

    /// The build that failed is over: another command begins, or speaks.
    fn is_next_build(&self, text: &str) -> bool {
        let Some(inner) = text.strip_prefix("   ") else { return false };
        self.build.failed.is_some() && (inner.starts_with("Compiling ") || inner.starts_with(" Checking "))
            || inner.starts_with(" Finished ")
            || inner.starts_with("  Running ")
    }

    /// Says the errors if they are not `cargo test`'s to say.
    fn settle(&mut self, out: &mut Out) {
        let checked = self.progress.checking || self.build.clippy || self.build.json;
        let named = out.checker.is_some_and(|name| name == FORMAT.name || name == CLIPPY.name);
        if self.build.any() && (checked || named) || named && self.build.failed.is_some() {
            self.close(out);
        }
        self.build = Build::default();
    }

    fn close(&mut self, out: &mut Out) {
        let build = std::mem::take(&mut self.build);
        if !build.any() && build.failed.is_none() {
            return;
        }
        let clippy = build.clippy || out.checker == Some(CLIPPY.name);
        out.runner(if clippy { CLIPPY.name } else { FORMAT.name });
        let broken = build.over > 0
            || build.errors.is_empty()
            || build.errors.iter().any(|failure| failure.kind != Kind::Lint);
        build.errors.into_iter().for_each(|failure| self.findings.push(failure, out));
        out.unnamed(build.over);
        if broken {
            let words = build.failed.as_deref().unwrap_or("could not compile");
            self.findings.refuse(Reason::CompileError, words, out);
        } else {
            self.findings.close(None, out);
        }
    }

    fn json(&mut self, line: &Line<'_>, out: &mut Out) {
        match json::read(line) {
            json::Said::Error(diagnostic) => {
                self.build.json = true;
                self.build.take(*diagnostic);
            }
            json::Said::Aborting(words) => {
                self.build.failed.get_or_insert(words);
                self.settle(out);
            }
            json::Said::Finished => self.settle(out),
            json::Said::Nothing => {}
        }
    }
}

impl Build {
    fn any(&self) -> bool {
        !self.errors.is_empty()
    }

    fn take(&mut self, mut diagnostic: Diagnostic) {
        let shape = shape(&diagnostic.message);
        match &diagnostic.lint {
            Some(lint) => {
                self.clippy |= lint.starts_with("clippy::");
                self.lints.entry(shape).or_insert_with(|| lint.clone());
            }
            None if diagnostic.code.is_none() => diagnostic.lint = self.lints.get(&shape).cloned(),
            None => {}
        }
        let at = diagnostic.place.as_ref();
        let key = (
            diagnostic.message.clone(),
            at.and_then(|at| at.file.clone()),
            at.and_then(|at| at.line),
            diagnostic.column,
        );
        if self.errors.len() == ERRORS_MAX {
            self.over += 1;
        } else if self.seen.insert(key) {
            self.errors.push(diagnostic.into_finding());
        }
    }
}

/// A message with what is quoted in it left out.
fn shape(message: &str) -> String {
    message.split('`').step_by(2).collect::<Vec<_>>().join("`")
}

/// `src/lib.rs:9:21: error[E0308]: mismatched types: …`, of `--error-format=short`.
fn short(line: &Line<'_>) -> Option<Diagnostic> {
    let (place, rest) = line.text.split_once(": error")?;
    let (file, at) = crate::finding::position(place)?;
    if !file.ends_with(".rs") {
        return None;
    }
    let (code, message) = match rest.strip_prefix('[') {
        Some(rest) => rest.split_once("]: ").map(|(code, message)| (Some(code), message))?,
        None => (None, rest.strip_prefix(": ")?),
    };
    Some(Diagnostic {
        level: Level::Error,
        code: code.map(str::to_owned),
        lint: None,
        message: message.to_owned(),
        place: crate::finding::place(file, Some(at)),
        column: place.rsplit_once(':').and_then(|(_, column)| column.parse().ok()),
        expected: None,
        observed: None,
        span: line.span,
    })
}

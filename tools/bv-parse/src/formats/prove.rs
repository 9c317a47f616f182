//! `prove`, and whatever else ends in TAP::Harness' summary (`make test` of Perl modules, `yath`'s kin).
//!
//! The tests' diagnostics come on standard error, mostly before the line of their file, so they are kept from
//! the first one on. A section opens at the first file's line (`t/mean.t .. ok`) and closes at `Result: …`
//! below `Files=…`. With `-v` the tests' own TAP stands between; failed tests that no diagnostic tells of are
//! named by it.

mod report;

use crate::machine::{Closing, Format, HELD_MAX, Line, Machine, Out, Says};
use crate::perl::{Deaths, Diagnosed, Diagnostics};
use crate::tap::{self, Item};
use bv_schemas::{Counts, Failure, Kind, Reason};
use report::{File, Report};

/// The table's line.
pub const FORMAT: Format = Format {
    name: "prove",
    commands: &["prove"],
    needles: &[
        ".t ..",
        "#   Failed test",
        "Dubious, test returned ",
        "Test Summary Report",
        "All tests successful.",
        "Bailout called.  Further testing stopped",
        ".pm line ",
        ".t line ",
    ],
    new: || Box::new(Prove::default()),
};

/// Files whose last words are kept.
const FILES_MAX: usize = 10_000;

#[derive(Default)]
struct Prove {
    open: bool,
    diagnostics: Diagnostics,
    /// Since the last file's line.
    deaths: Deaths,
    /// In the order of their lines: how many diagnostics stood before, and what the file said last.
    files: Vec<Seen>,
    /// `not ok` lines of `-v`.
    tap: Vec<(String, [u64; 2])>,
    skipped: u64,
    verbose: bool,
    report: Report,
    /// `Files=3, Tests=10, …`
    tests: Option<(u64, Option<u64>)>,
}

struct Seen {
    name: String,
    before: usize,
    deaths: Deaths,
    dubious: Option<String>,
    span: [u64; 2],
}

impl Machine for Prove {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let text = line.text.trim_end();
        if self.diagnostics.line(text, line.span) || text.is_empty() {
            return;
        }
        if let Some(name) = report::file_line(text) {
            self.file(name, line.span, out);
        } else if self.open && self.report.line(text) {
        } else if let Some(numbers) = report::numbers(text) {
            self.tests = Some(numbers);
            return;
        } else if let Some(result) = text.strip_prefix("Result: ") {
            self.result(result, out);
        } else if text.starts_with("Dubious, test returned ") {
            let last = self.files.last_mut().filter(|file| file.dubious.is_none());
            last.into_iter().for_each(|file| file.dubious = Some(text.to_owned()));
        } else if self.open && (text.starts_with("ok") || text.starts_with("not ok")) {
            self.result_line(text, line.span);
        } else if !text.starts_with('#') {
            self.deaths.line(text);
        }
        self.tests = None;
    }

    fn end(&mut self, out: &mut Out) {
        if !self.open {
            return;
        }
        let (diagnosed, over) = self.diagnostics.take();
        diagnosed.into_iter().for_each(|test| out.failure(test.failure()));
        out.unnamed(over);
    }
}

impl Prove {
    fn file(&mut self, name: &str, span: [u64; 2], out: &mut Out) {
        if !self.open {
            self.open = true;
            out.open();
        }
        if self.files.len() < FILES_MAX {
            let deaths = std::mem::take(&mut self.deaths);
            let before = self.diagnostics.len();
            self.files.push(Seen { name: name.to_owned(), before, deaths, dubious: None, span });
        }
    }

    /// A test's own result, with `-v`.
    fn result_line(&mut self, text: &str, span: [u64; 2]) {
        let (0, Item::Result(outcome)) = tap::item(text) else { return };
        self.verbose = true;
        match outcome.directive {
            Some(tap::Directive::Skip) => self.skipped += 1,
            None if !outcome.ok && !outcome.description.is_empty() && self.tap.len() < HELD_MAX => {
                self.tap.push((outcome.description, span));
            }
            _ => {}
        }
    }

    fn result(&mut self, result: &str, out: &mut Out) {
        let Some((tests, duration_ms)) = self.tests.take() else { return };
        if !matches!(result, "PASS" | "FAIL" | "NOTESTS") {
            return;
        }
        if !self.open {
            out.open();
        }
        let run = std::mem::take(self);
        run.close(result, tests, duration_ms, out);
    }

    fn close(mut self, result: &str, tests: u64, duration_ms: Option<u64>, out: &mut Out) {
        let green = result != "FAIL";
        let files = self.report.take();
        let failed: u64 = files.iter().map(|file| file.failed).sum();
        let (failures, over) = if green { (Vec::new(), 0) } else { self.failures(&files) };
        let uncompiled =
            failures.iter().all(|f| matches!(f.kind, Kind::CompileError | Kind::CollectionError));
        let compiles = failures.iter().any(|f| f.kind == Kind::CompileError);
        let says = match result {
            "PASS" => Says::Green,
            "NOTESTS" => Says::NoTests,
            _ if tests == 0 && uncompiled && !failures.is_empty() => {
                Says::Refused(if compiles { Reason::CompileError } else { Reason::CollectionError })
            }
            _ => Says::Red,
        };
        out.tests_seen += tests;
        let named = failures.iter().filter(|failure| failure.kind == Kind::Assertion).count() as u64;
        out.unnamed(over + failed.saturating_sub(named));
        failures.into_iter().for_each(|failure| out.failure(failure));
        let skipped = self.verbose.then_some(self.skipped);
        let passed = tests.saturating_sub(failed + self.skipped);
        let counts = Counts { passed: Some(passed), failed: Some(failed), errored: None, skipped };
        out.close(Closing { says, counts, duration_ms, message: None });
    }

    /// All failed tests, and the files that failed for another reason behind their own tests.
    fn failures(&mut self, files: &[File]) -> (Vec<Failure>, u64) {
        let (diagnosed, over) = self.diagnostics.take();
        let mut failures = Vec::new();
        let mut next = diagnosed.iter().cloned().enumerate().peekable();
        for seen in &self.files {
            while let Some((_, test)) = next.next_if(|(at, _)| *at < seen.before) {
                failures.push(test.failure());
            }
            let own = diagnosed.iter().filter(|test| test.is_of(&seen.name)).count() as u64;
            if let Some(file) = files.iter().find(|file| file.name == seen.name) {
                failures.extend(seen.failure(file, own));
            }
        }
        failures.extend(next.map(|(_, test)| test.failure()));
        // Where standard error went elsewhere, the results alone name the tests.
        let first_line = |name: &str| name.lines().next().unwrap_or_default().to_owned();
        let known: Vec<String> =
            diagnosed.iter().filter_map(|test| test.path.first().map(|name| first_line(name))).collect();
        let silent = self.tap.iter().filter(|(name, _)| !known.contains(name));
        failures.extend(silent.map(|(name, span)| Failure {
            id: Some(name.clone()),
            kind: Kind::Assertion,
            span: Some(*span),
            ..Failure::default()
        }));
        (failures, over)
    }
}

impl Seen {
    /// Why the file failed, where its failed tests, of which `own` were diagnosed, do not explain its exit.
    fn failure(&self, file: &File, own: u64) -> Option<Failure> {
        if !file.has_failed() {
            return None;
        }
        let explained = |n: u64| n > 0 && file.exit == Some(n.min(254));
        if explained(own) || explained(file.failed) || file.exit.is_none() && file.signal.is_none() && own > 0
        {
            return None;
        }
        let place = || Some(bv_schemas::Place { file: Some(self.name.clone()), ..Default::default() });
        let plain = |kind, message: Option<String>| Failure {
            id: Some(self.name.clone()),
            kind,
            message,
            test: place(),
            ..Failure::default()
        };
        let dubious = || self.dubious.clone().or_else(|| file.words());
        let mut failure = if let Some(signal) = &file.signal {
            Failure {
                exception_type: Some(signal.clone()),
                ..plain(Kind::Crash, Some(format!("Signal: {signal}")))
            }
        } else if let Some(failure) =
            self.deaths.failure(&self.name).filter(|_| file.exit.is_some_and(|exit| exit > 1))
        {
            failure
        } else if let Some((planned, ran)) = file.plan.filter(|_| matches!(file.exit, None | Some(255))) {
            Failure {
                expected: Some(planned.to_string()),
                observed: Some(ran.to_string()),
                ..plain(
                    Kind::SetupError,
                    Some(format!("Looks like you planned {planned} tests but ran {ran}.")),
                )
            }
        } else if file.exit.is_some() {
            plain(Kind::Exception, dubious())
        } else if file.failed == 0 {
            plain(Kind::SetupError, file.words())
        } else {
            return None;
        };
        failure.span = Some(self.span);
        Some(failure)
    }
}

impl Diagnosed {
    /// Whether the test stands in this file.
    fn is_of(&self, name: &str) -> bool {
        self.place
            .as_ref()
            .and_then(|place| place.file.as_deref())
            .is_some_and(|file| file == name || file.ends_with(name))
    }
}

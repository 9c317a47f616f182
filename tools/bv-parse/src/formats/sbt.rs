//! The test libraries of Scala, as sbt, Bloop, scala-cli or their own runners show them: ScalaTest
//! (`StringReporter`), munit, specs2, ZIO Test, weaver, uTest and sbt's JUnit interface; sbt's own totals,
//! Scala's compile errors under sbt, and sbt's last word.
//!
//! `[info] `, `[error] ` and the like before a line are sbt's. A section opens with the first failure or the
//! first words of a summary, and closes with the library's own summary, or with sbt's totals where it has none.
//! What restates them is left alone: Bloop's list of what failed, ZIO Test's second account, sbt's totals.

mod block;
mod compile;
mod sides;
mod totals;

use crate::held::Held;
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use block::{Block, Style};
use bv_schemas::{Counts, Test, TestOutcome};
use compile::Errors;
use totals::Totals;

/// The table's line.
pub const FORMAT: Format = Format {
    name: "sbt",
    commands: &["sbt", "bloop", "scala-cli", "org.scalatest.tools.Runner"],
    needles: &[
        "[info] welcome to sbt ",
        "oading settings for project ",
        "*** FAILED ***",
        "*** ABORTED ***",
        "==> X ",
        "Run completed in ",
        "Total number of tests run: ",
        ": Total ",
        " tests passed. ",
        "    ✗ ",
        "**FAILURES**",
        "--- Running Tests ---",
        "Test run ",
        "[error] (Test / ",
        "[error] (Compile / ",
    ],
    new: || Box::<Sbt>::default(),
};

/// Names around a test that are followed.
const SCOPES_MAX: usize = 64;
/// Longest name that is kept.
const NAME_BYTES_MAX: usize = 300;

/// See the head of this file.
#[derive(Default)]
struct Sbt {
    opened: bool,
    runner: Option<&'static str>,
    /// Lines have sbt's levels; one without is what a test printed.
    levels: bool,
    /// The class, without the colon behind it.
    suite: String,
    /// The names above a test, and how far in they stand.
    scopes: Vec<(usize, String)>,
    block: Option<Block>,
    held: Held,
    /// The numbers of a summary whose last line is still to come, or of single suites.
    totals: Option<Totals>,
    /// Suites that said that they began, and not that they finished.
    running: u64,
    /// A summary below which the failures are listed once more, with their whole names.
    recap: Option<Totals>,
    /// The summary was told; what restates it may follow.
    told: bool,
    /// The failures of weaver stand below its heading.
    weaver: bool,
    errors: Errors,
    /// A section of this run closed, and said that something failed.
    red: bool,
}

/// Whose line it is: sbt's level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    None,
    Error,
    Other,
}

impl Machine for Sbt {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let (level, text) = level(line.text.trim_end());
        self.levels |= level != Level::None;
        if let Some(block) = &mut self.block {
            if block.line(text, line.span) {
                return;
            }
            self.end_block();
        }
        if text.is_empty() || self.recap.is_some() && self.recaps(text, out) {
            return;
        }
        if !self.closes(level, text, out) && !self.fails(level, text, line.span, out) {
            self.other(level, text, line.span, out);
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.end_block();
        if let Some(totals) = self.recap.take() {
            return self.close(totals, out);
        }
        // munit under Bloop has no word for all suites together.
        if self.running == 0
            && let Some(totals) = self.totals.filter(|totals| totals.of_suites)
        {
            return self.close(totals, out);
        }
        if self.opened {
            self.held.say(out);
        }
    }

    fn owns_lines(&self) -> bool {
        self.block.is_some()
    }
}

impl Sbt {
    fn open(&mut self, out: &mut Out) {
        if !std::mem::replace(&mut self.opened, true) {
            out.open();
            if let Some(runner) = self.runner {
                out.runner(runner);
            }
        }
        self.told = false;
    }

    /// The library shows itself.
    fn is(&mut self, runner: &'static str, out: &mut Out) {
        if self.runner != Some(runner) {
            self.runner = Some(runner);
            out.runner(runner);
        }
    }

    fn end_block(&mut self) {
        let Some(block) = self.block.take() else { return };
        let known = block.id().is_some_and(|id| self.held.find(id).is_some());
        // uTest lists failures again below.
        if !known {
            self.held.push(block.failure());
        }
    }

    /// A test that failed.
    fn fails(&mut self, level: Level, text: &str, span: [u64; 2], out: &mut Out) -> bool {
        let begun = self.begun(level, text);
        let Some((style, id, first)) = begun else { return false };
        self.is(style.runner(), out);
        self.open(out);
        let indent = text.len() - text.trim_start().len();
        self.block = Some(Block::new(style, id, indent, first, span));
        true
    }

    fn begun<'a>(&mut self, level: Level, text: &'a str) -> Option<(Style, Option<String>, Option<&'a str>)> {
        let trimmed = text.trim_start();
        let indent = text.len() - trimmed.len();
        match trimmed.as_bytes()[0] {
            _ if self.told && level == Level::None => None,
            b'=' => {
                let (id, thrown) = block::munit(trimmed)?;
                Some((Style::Munit, Some(id.to_owned()), Some(thrown)))
            }
            b'T' if level != Level::None => {
                let (id, thrown) = block::junit(trimmed)?;
                Some((Style::Junit, Some(id.to_owned()), Some(thrown)))
            }
            b'-' if self.weaver => {
                let name = totals::without_time(trimmed.strip_prefix("- ")?);
                Some((Style::Weaver, Some(format!("{}.{name}", self.suite)), None))
            }
            b'X' if indent == 0 && self.runner == Some("utest") => {
                let name = totals::without_time(trimmed.strip_prefix("X ")?);
                Some((Style::Utest, Some(name.to_owned()), None))
            }
            b'x' | b'!'
                if level == Level::Error && indent > 0 && trimmed.as_bytes().get(1) == Some(&b' ') =>
            {
                Some((Style::Specs2, Some(self.full_name(indent, &trimmed[2..], " ")), None))
            }
            _ if trimmed.starts_with("✗ ") => {
                // The name is the innermost line above it.
                let name = self.scopes.pop().map(|(_, name)| name)?;
                let id = self.full_name(indent, name.trim_start_matches(['-', '+', ' ']), " / ");
                Some((Style::Zio, Some(id), Some(trimmed.trim_start_matches("✗ "))))
            }
            _ if self.levels && level == Level::None => None,
            _ => self.scalatest(trimmed, indent),
        }
    }

    fn scalatest<'a>(
        &self,
        text: &'a str,
        indent: usize,
    ) -> Option<(Style, Option<String>, Option<&'a str>)> {
        if let Some((name, _)) = text.split_once(" *** ABORTED ***") {
            let name = name.rsplit_once("with class name: ").map_or(name, |(_, name)| name);
            return Some((Style::Aborted, Some(name.to_owned()), None));
        }
        let (name, behind) = text.split_once(" *** FAILED ***")?;
        let scenario = name.starts_with("Scenario: ") || name.starts_with("- ");
        let timed = behind.is_empty() || behind.starts_with(" (");
        let name = name.strip_prefix("- ").unwrap_or(name);
        (scenario && timed).then(|| (Style::ScalaTest, Some(self.full_name(indent, name, " ")), None))
    }

    /// The test's name behind its class and the names above it.
    fn full_name(&self, indent: usize, name: &str, between: &str) -> String {
        let zio = between == " / ";
        let names = self.scopes.iter().filter(|(at, name)| *at <= indent && zio == is_test(name));
        let above = names.map(|(_, name)| name.trim_start_matches(['-', '+', ' ']));
        let suite = Some(self.suite.as_str()).filter(|suite| !suite.is_empty() && !zio);
        suite.into_iter().chain(above).chain([name]).collect::<Vec<_>>().join(between)
    }

    /// A library's or sbt's closing words.
    fn closes(&mut self, level: Level, text: &str, out: &mut Out) -> bool {
        if let Some(totals) = totals::summary(text, self.totals) {
            if self.told {
                return true;
            }
            let runner = totals.runner.or(self.runner);
            runner.into_iter().for_each(|runner| self.is(runner, out));
            self.open(out);
            match totals {
                Totals { ended: false, .. } => self.totals = Some(totals),
                Totals { recap: true, .. } => (self.recap, self.told) = (Some(totals), true),
                _ => self.close(totals, out),
            }
            return true;
        }
        if let Some(told) = totals::of_sbt(text).filter(|_| level != Level::None) {
            if !self.told {
                self.close(told, out);
            }
            self.told = false;
            return true;
        }
        if text.starts_with("Total time: ") && level != Level::None {
            self.sbt_ends(level, out);
            return true;
        }
        false
    }

    /// A line of Bloop's or ZIO Test's list below their summary; false where something else begins.
    fn recaps(&mut self, text: &str, out: &mut Out) -> bool {
        let trimmed = text.trim_start();
        let zio = self.runner == Some("zio-test");
        let mut name = |id: Option<String>, message: Option<&str>| {
            let same = |known: &str| id.as_deref().is_some_and(|id| id.ends_with(known));
            let found = self.held.iter_mut().find(|failure| {
                failure.id.as_deref().is_some_and(same)
                    && (message.is_none() || failure.message.as_deref() == message)
            });
            if let Some(failure) = found {
                failure.id = id.clone();
            }
        };
        if zio && let Some(id) = trimmed.strip_prefix("- ") {
            name(Some(id.to_owned()), None);
        } else if let Some((test, message)) =
            trimmed.strip_prefix("* ").and_then(|rest| rest.rsplit_once(" - "))
        {
            name(Some(format!("{} {test}", self.suite)), Some(message));
        } else if let Some(suite) = trimmed.strip_prefix("- ").and_then(|rest| rest.strip_suffix(':')) {
            self.suite = suite.to_owned();
        }
        let next = text.starts_with("Executed in ")
            || totals::of_sbt(text).is_some()
            || text.starts_with("Total time: ")
            || !zio && totals::summary(text, None).is_some();
        if next && let Some(totals) = self.recap.take() {
            self.close(totals, out);
        }
        if next && !zio {
            self.told = false;
        }
        !next
    }

    /// sbt's last word on what it was asked for.
    fn sbt_ends(&mut self, level: Level, out: &mut Out) {
        let errors = std::mem::take(&mut self.errors);
        if level == Level::Error && !std::mem::take(&mut self.red) {
            let (reason, message) = errors.why();
            self.open(out);
            self.held.say(out);
            errors.say(out);
            let says = Says::Refused(reason);
            out.close(Closing { says, counts: Counts::default(), duration_ms: None, message });
        }
        *self = Sbt { levels: self.levels, ..Sbt::default() };
    }

    fn other(&mut self, level: Level, text: &str, span: [u64; 2], out: &mut Out) {
        if level == Level::Error {
            self.errors.line(text, span);
        }
        let trimmed = text.trim_start();
        let indent = text.len() - trimmed.len();
        if text.contains("**FAILURES**") {
            self.weaver = true;
        } else if text.contains("--- Running Tests ---") {
            self.is("utest", out);
        } else if let Some(rest) = text.strip_prefix("Test run ") {
            self.suite_word(rest, out);
        } else if text.starts_with("Run starting. Expected test count is: ") {
            self.is("scalatest", out);
            self.open(out);
        } else if text == "No tests were executed." && level != Level::None {
            self.close(Totals { ended: true, ..Totals::default() }, out);
        } else if (level == Level::None) == self.levels && !is_test(trimmed) || text.len() > NAME_BYTES_MAX {
            // Under sbt, a line without a level is what a test printed, but for ZIO Test's.
        } else if indent == 0 && is_class(text.trim_end_matches(':')) {
            self.suite = text.trim_end_matches(':').to_owned();
            self.scopes.clear();
        } else {
            self.name(indent, trimmed, out);
        }
    }

    /// munit's and JUnit's `example.CartSuite started`, `example.CartSuite finished: 2 failed, …`
    fn suite_word(&mut self, rest: &str, out: &mut Out) {
        if rest == "started" || rest.ends_with(" started") {
            self.running += 1;
            self.open(out);
        } else if let Some(of_suite) = totals::finished(rest) {
            self.running = self.running.saturating_sub(1);
            self.open(out);
            let before = self.totals.unwrap_or_default();
            self.totals = Some(before.with(of_suite));
        }
    }

    /// A test that did not fail, or a name above tests.
    fn name(&mut self, indent: usize, text: &str, out: &mut Out) {
        let scalatest =
            text.strip_prefix("- ").filter(|_| self.runner == Some("scalatest") || self.runner.is_none());
        if let Some(name) = scalatest.filter(|_| out.all && self.runner.is_some()) {
            let outcome = match name {
                _ if name.contains("!!! IGNORED !!!") || name.contains("!!! CANCELED !!!") => {
                    TestOutcome::Skipped
                }
                _ if name.ends_with(" (pending)") => TestOutcome::Todo,
                _ => TestOutcome::Passed,
            };
            let name = totals::without_time(name.split(" !!! ").next().unwrap_or(name));
            let id = self.full_name(indent, name, " ");
            out.test(Test { id, outcome, duration_ms: None });
        }
        // A test stands under the name above it, which ScalaTest indents no less.
        let test = is_test(text);
        self.scopes.retain(|(at, name)| *at < indent || *at == indent && test && !is_test(name));
        if self.scopes.len() < SCOPES_MAX {
            self.scopes.push((indent, text.to_owned()));
        }
    }

    fn close(&mut self, totals: Totals, out: &mut Out) {
        self.open(out);
        out.tests_seen += totals.passed + totals.failed + totals.errored + totals.skipped;
        let red = totals.failed + totals.errored + totals.aborted;
        let unnamed = red.saturating_sub(self.held.len());
        // What a test printed like a failure stands above the library's own.
        let forged = self.held.len().saturating_sub(red);
        let mut at = 0;
        self.held.forget(|_| {
            at += 1;
            at <= forged
        });
        let is_red = red > 0 || !self.held.is_empty();
        self.held.say(out);
        out.unnamed(unnamed);
        let errored = totals.errored + totals.aborted;
        out.close(Closing {
            says: match (is_red, totals.passed) {
                (true, _) => Says::Red,
                (false, 0) => Says::NoTests,
                (false, _) => Says::Green,
            },
            counts: Counts {
                passed: Some(totals.passed),
                failed: Some(totals.failed),
                errored: (errored > 0).then_some(errored),
                skipped: Some(totals.skipped),
            },
            duration_ms: totals.duration_ms,
            message: None,
        });
        *self = Sbt {
            levels: self.levels,
            runner: self.runner,
            errors: std::mem::take(&mut self.errors),
            red: self.red || is_red,
            told: true,
            ..Sbt::default()
        };
    }
}

/// sbt's level and what stands behind it.
fn level(text: &str) -> (Level, &str) {
    const LEVELS: &[(&str, Level)] = &[
        ("[info]", Level::Other),
        ("[error]", Level::Error),
        ("[warn]", Level::Other),
        ("[success]", Level::Other),
    ];
    if !text.starts_with('[') {
        return (Level::None, text);
    }
    match LEVELS.iter().find_map(|(mark, level)| Some((*level, text.strip_prefix(mark)?))) {
        Some((level, rest)) => (level, rest.strip_prefix(' ').unwrap_or(rest)),
        None => (Level::None, text),
    }
}

/// Whether a line is a test's by its mark; ZIO Test marks names above tests too.
fn is_test(text: &str) -> bool {
    ["- ", "+ ", "o ", "* "].iter().any(|mark| text.starts_with(mark))
}

/// `CartSuite`, `shop.CartSuite`.
fn is_class(text: &str) -> bool {
    let part = |part: &str| {
        part.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
    };
    let last = text.rsplit('.').next().unwrap_or(text);
    text.split('.').all(part) && last.starts_with(char::is_uppercase) && last.len() > 3 && {
        ["Suite", "Spec", "Specs", "Test", "Tests", "Check", "Properties"]
            .iter()
            .any(|end| last.ends_with(end))
    }
}

#[cfg(test)]
mod tests;

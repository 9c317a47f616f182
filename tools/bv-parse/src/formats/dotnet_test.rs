//! `dotnet test`, whatever of its engines runs: VSTest's console logger in all its verbosities
//! (`src/vstest.console/Internal/ConsoleLogger.cs` in <https://github.com/microsoft/vstest>), MSBuild's terminal logger
//! (`src/Build/Logging/TerminalLogger` in <https://github.com/dotnet/msbuild>), Microsoft.Testing.Platform
//! (`OutputDevice/Terminal/TerminalTestReporter.cs` in <https://github.com/microsoft/testfx>), and TRX files.
//!
//! VSTest announces each assembly (`Test run for …`) and closes it with a line of its own; assemblies of a solution
//! run side by side, so that a section closes when as many closed as were announced. The other two have one
//! closing statement for all. Errors of a build are held until the next close, or the end. Texts that are
//! translated are known in English alone.

mod build;
mod platform;
mod terminal;
mod totals;
mod trx;
mod vstest;

use super::xunit::live::Live;
use crate::held::Held;
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use crate::xml::Collector;
use build::Errors;
use bv_schemas::{Counts, Failure, Kind, Reason};
use totals::{Said, Totals};

/// The table's line.
pub const FORMAT: Format = Format {
    name: "dotnet-test",
    commands: &["dotnet", "vstest.console", "vstest.console.exe"],
    needles: &[
        "Test run for ",
        "Starting test execution, please wait",
        "!  - Failed: ",
        "  Error Message:",
        "[xUnit.net 0",
        "NUnit Adapter ",
        "The active test run was aborted",
        "Test Run Aborted.",
        "Test Run Failed.",
        "Test Run Successful.",
        "No test matches the given testcase filter",
        "No test is available in ",
        ": error TESTERROR:",
        "Test summary: total: ",
        "Running tests from ",
        ".dll (net",
        "Test run summary: ",
        ": error CS",
        ": error FS",
        ": error BC",
        ": error MSB",
        ": error NU",
        ": error NETSDK",
        "proj]",
        "<TestRun ",
    ],
    new: || Box::new(DotnetTest::default()),
};

/// Announced assemblies whose names are kept; past them every name is known.
const NAMES_MAX: usize = 2000;

/// See the head of this file.
struct DotnetTest {
    file: Collector,
    opened: bool,
    /// Assemblies that were announced and have not closed.
    announced: u64,
    /// File names of all that were announced.
    names: Vec<String>,
    held: Held,
    block: Option<vstest::Block>,
    /// What follows is what a test printed that did not fail.
    in_output: bool,
    listed: Option<terminal::List>,
    live: Live,
    /// Failures of xUnit's live lines; they count only where no list names them.
    live_held: Held,
    errors: Errors,
    totals: Totals,
    /// Counts of assemblies that closed in the open section.
    closed: Option<Closing>,
    /// The test host died.
    died: Option<Failure>,
    /// Its death was told in the section that closed last: the words that follow say it again.
    told: bool,
    /// Names below the announcement of a death.
    names_follow: bool,
    blank_before: bool,
}

impl Default for DotnetTest {
    fn default() -> DotnetTest {
        DotnetTest {
            file: Collector::new(&trx::SHAPE),
            opened: false,
            announced: 0,
            names: Vec::new(),
            held: Held::default(),
            block: None,
            in_output: false,
            listed: None,
            live: Live::default(),
            live_held: Held::default(),
            errors: Errors::default(),
            totals: Totals::default(),
            closed: None,
            died: None,
            told: false,
            names_follow: false,
            blank_before: true,
        }
    }
}

impl Machine for DotnetTest {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        if !self.file.report(line, &mut self.opened, trx::say, out) {
            self.text(line, out);
        }
        self.blank_before = line.text.trim_ascii().is_empty();
    }

    fn end(&mut self, out: &mut Out) {
        if self.file.end_report(&mut self.opened, trx::say, out) {
            return;
        }
        if let Some(said) = self.totals.end() {
            self.said(said, out);
        }
        self.end_blocks();
        if self.opened {
            self.held_of_live();
            self.held.say(out);
            self.died.take().into_iter().for_each(|death| out.failure(death));
            self.errors.say(out);
        } else {
            self.errors.refuse(out);
        }
    }

    fn owns_lines(&self) -> bool {
        self.file.is_open()
            || self.block.is_some()
            || self.listed.as_ref().is_some_and(terminal::List::is_of_tests)
    }
}

impl DotnetTest {
    fn text(&mut self, line: &Line<'_>, out: &mut Out) {
        let text = line.text.trim_end();
        if let Some(said) = self.totals.line(text, self.in_captured()) {
            match said {
                Said::Part => {
                    self.end_blocks();
                    self.open(out);
                }
                Said::Closes { closing, part_of_it } => {
                    self.said(Said::Closes { closing, part_of_it }, out);
                    if !part_of_it {
                        self.text(line, out);
                    }
                }
            }
            return;
        }
        if let Some(closing) = self.summary(text) {
            self.end_blocks();
            self.assembly_closed(closing, out);
            return;
        }
        if self.announcement(text, line, out) {
            return;
        }
        if let Some(list) = &mut self.listed {
            if list.line(text, line.span) {
                return;
            }
            self.end_blocks();
        }
        if !self.in_captured()
            && let Some(head) = vstest::head(text).or_else(|| platform::head(text, self.in_platform()))
        {
            self.end_blocks();
            self.begin(head, line, out);
            return;
        }
        if let Some(block) = &mut self.block {
            if block.line(text, line.span) {
                return;
            }
            self.end_blocks();
        }
        if let Some(list) = terminal::List::begins(text, line.span) {
            self.end_blocks();
            if list.is_of_tests() {
                self.open(out);
            }
            self.listed = Some(list);
            return;
        }
        if vstest::OUTPUT.contains(&text) {
            self.in_output = true;
        }
        if text.starts_with("[xUnit.net 0") {
            self.in_output = false;
            if let Some((_, own)) = text.split_once("] ") {
                self.live.line(own, line.span, &mut self.live_held);
            }
            return;
        }
        self.errors.line(text, line.span);
    }

    /// Lines that open a section, or close one without counting.
    fn announcement(&mut self, text: &str, line: &Line<'_>, out: &mut Out) -> bool {
        if text.starts_with("Test run for ") && text.ends_with(')') {
            self.end_blocks();
            self.open(out);
            self.announced += 1;
            if let Some(name) = vstest::announced(text).filter(|_| self.names.len() < NAMES_MAX) {
                self.names.push(name.to_owned());
            }
        } else if text.starts_with("Running tests from ") && text.ends_with(')') {
            self.end_blocks();
            self.open(out);
            self.totals.expect_platform();
        } else if text.starts_with("No test matches the given testcase filter")
            || text.starts_with("No test is available in ")
        {
            self.end_blocks();
            let message = Some(text.to_owned());
            let counts = Counts::default();
            self.assembly_closed(Closing { says: Says::NoTests, counts, duration_ms: None, message }, out);
        } else if let Some(reason) = text.strip_prefix("The active test run was aborted. Reason: ") {
            self.end_blocks();
            self.open(out);
            self.died.get_or_insert_with(|| vstest::death(reason, line.span));
            self.names_follow = true;
        } else if text == "Test Run Aborted." || text.starts_with("Test Run Aborted with error ") {
            self.end_blocks();
            if !std::mem::take(&mut self.told) || self.opened {
                self.aborted(text, line.span, out);
            }
        } else if self.names_follow {
            return self.named_at_death(text);
        } else {
            return false;
        }
        true
    }

    /// `The test running when the crash occurred:`, a blank line, the names.
    fn named_at_death(&mut self, text: &str) -> bool {
        let Some(death) = &mut self.died else { return false };
        if text.is_empty() || text.starts_with("The test") && text.ends_with(':') {
            return true;
        }
        let is_name = !text.contains(' ') && text.contains('.') && !text.ends_with(':')
            || text.ends_with(')') && !text.starts_with(' ');
        if is_name && death.id.is_none() {
            death.id = Some(text.to_owned());
            return true;
        }
        if let Some(class) = vstest::unhandled(text).filter(|_| death.exception_type.is_none()) {
            death.exception_type = Some(class.0.to_owned());
            death.message = Some(class.1.to_owned());
            return true;
        }
        if let Some(frame) = crate::dotnet::frame(text) {
            if frame.is_user() && death.test.is_none() {
                death.test = Some(frame.place());
            }
            return true;
        }
        self.names_follow = false;
        false
    }

    fn aborted(&mut self, text: &str, span: [u64; 2], out: &mut Out) {
        // The assemblies' own lines came before it, and may have said that all is well so far.
        if self.died.is_none() && self.held.is_empty() && self.closed.is_none() && !self.opened {
            self.open(out);
            self.died = Some(vstest::death(text, span));
        }
        if self.opened {
            self.died.get_or_insert_with(|| vstest::death(text, span));
            let closing = self.closed.take().unwrap_or_else(nothing);
            self.close(Closing { says: Says::Red, ..closing }, out);
        }
    }

    fn begin(&mut self, head: vstest::Head, line: &Line<'_>, out: &mut Out) {
        self.in_output = false;
        let vstest::Head { name, outcome, duration_ms, style } = head;
        out.tests_seen += 1;
        match outcome {
            Some(outcome) => {
                out.test(bv_schemas::Test { id: name, outcome, duration_ms });
            }
            None => {
                if style == vstest::Style::Platform {
                    self.open(out);
                    self.totals.expect_platform();
                }
                self.block = Some(vstest::Block::new(name, style, line.span));
            }
        }
    }

    fn in_platform(&self) -> bool {
        self.totals.expects_platform()
    }

    /// Whether the lines are what a test printed.
    fn in_captured(&self) -> bool {
        (self.in_output || self.block.as_ref().is_some_and(vstest::Block::in_output)) && !self.blank_before
    }

    /// An assembly's line. VSTest prints a blank line before it, and announced it; what a test printed may look
    /// like one.
    fn summary(&self, text: &str) -> Option<Closing> {
        let closing = vstest::summary(text).filter(|_| !self.in_captured())?;
        let name = text.rsplit_once(" - ").map(|(_, name)| name.split(" (").next().unwrap_or(name).trim());
        let known = self.names.is_empty()
            || self.names.len() == NAMES_MAX
            || name.is_none_or(|name| self.names.iter().any(|known| known == name));
        known.then_some(closing)
    }

    fn end_blocks(&mut self) {
        if let Some(block) = self.block.take() {
            self.held.push(block.failure());
        }
        if let Some(list) = self.listed.take() {
            for failure in list.failures() {
                match &failure.rule {
                    Some(_) if failure.kind == Kind::CompileError => self.errors.take(failure),
                    _ => self.held.push(failure),
                }
            }
        }
        self.live.end(&mut self.live_held);
    }

    fn assembly_closed(&mut self, closing: Closing, out: &mut Out) {
        self.open(out);
        self.announced = self.announced.saturating_sub(1);
        let whole = match self.closed.take() {
            None => closing,
            Some(before) => vstest::both(before, closing),
        };
        if self.announced > 0 {
            self.closed = Some(whole);
            return;
        }
        self.close(whole, out);
    }

    fn said(&mut self, said: Said, out: &mut Out) {
        let Said::Closes { closing, .. } = said else { return };
        self.end_blocks();
        self.open(out);
        // VSTest's totals speak for the one run that announced its assemblies.
        self.announced = 0;
        self.closed = None;
        self.close(closing, out);
    }

    /// The section ends; what the runner does not count did not fail.
    fn close(&mut self, mut closing: Closing, out: &mut Out) {
        let counted = closing.counts.failed;
        let died = self.died.take();
        let errors = self.errors.any();
        if let Some(counted) = counted
            && self.held.len() > counted
        {
            // What a test printed may look like a failure; a real one says what went wrong.
            self.held.forget(|failure| failure.message.is_none() && failure.test.is_none());
            if counted == 0 && died.is_none() {
                self.held.forget(|_| true);
            }
        }
        if counted != Some(0) {
            self.held_of_live();
        }
        let named = self.held.len();
        self.held.say(out);
        out.unnamed(counted.unwrap_or(0).saturating_sub(named));
        let is_dead = died.is_some();
        died.into_iter().for_each(|death| out.failure(death));
        self.errors.say(out);
        if is_dead || errors && closing.says != Says::NoTests {
            closing.says = Says::Red;
        } else if errors {
            closing.says = Says::Refused(Reason::CompileError);
        }
        out.close(closing);
        let errors = std::mem::take(&mut self.errors);
        let names = std::mem::take(&mut self.names);
        *self = DotnetTest {
            errors,
            names,
            told: is_dead,
            blank_before: self.blank_before,
            ..DotnetTest::default()
        };
    }

    /// Failures that only xUnit's live lines tell of.
    fn held_of_live(&mut self) {
        self.live.end(&mut self.live_held);
        let names: Vec<String> = self.held.iter_mut().filter_map(|failure| failure.id.clone()).collect();
        let held = &mut self.held;
        self.live_held
            .take_all()
            .into_iter()
            .filter(|failure| {
                // The list may name the test by its method alone.
                let id = failure.id.as_deref().unwrap_or_default();
                !names.iter().any(|name| name == id || id.ends_with(&format!(".{name}")))
            })
            .for_each(|failure| held.push(failure));
    }

    fn open(&mut self, out: &mut Out) {
        if !std::mem::replace(&mut self.opened, true) {
            out.open();
        }
    }
}

fn nothing() -> Closing {
    Closing { says: Says::Red, counts: Counts::default(), duration_ms: None, message: None }
}

#[cfg(test)]
mod tests;

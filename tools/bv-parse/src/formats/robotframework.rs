//! Robot Framework's console: the verbose one (default) and `--dotted`
//! (`src/robot/output/console/{verbose,dotted}.py` in <https://github.com/robotframework/robotframework>).
//!
//! A section opens where the root suite begins, or with the first verdict, and closes with the root suite's
//! own statistics. What a test prints to the console stands between its title and its verdict, and is left
//! alone; so are the logged warnings. The console names no file and no line.

mod console;
mod dotted;
mod message;
mod statistics;

use super::junit_xml::{Case, Fault};
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use bv_schemas::{Counts, Failure, Reason};
use console::Console;
use dotted::Dotted;

/// The table's line.
pub const FORMAT: Format = Format {
    name: "robotframework",
    commands: &["robot"],
    needles: &[SEPARATOR, "| PASS |", "| FAIL |", "| SKIP |", "Running suite '", "[ ERROR ] "],
    new: || Box::<Robot>::default(),
};

/// A failed test of `--xunit`: the console's message is the attribute, each failure is an `AssertionError`, and
/// no text stands in the element (`src/robot/reporting/xunitwriter.py`).
pub fn junit(case: &Case, fault: &Fault) -> Option<Failure> {
    let robots = fault.kind == "AssertionError" && fault.text.trim().is_empty() && case.file.is_none();
    let lines: Vec<String> = fault.message.lines().map(str::to_owned).collect();
    robots.then(|| Failure { span: None, ..message::failure(Some(case.dotted()), &lines, [0, 0]) })
}

/// The line between suites as wide as the console is unless `--consolewidth` says otherwise.
const SEPARATOR: &str = "==============================================================================";

/// See the head of this file.
#[derive(Default)]
struct Robot {
    console: Console,
    dotted: Dotted,
    /// The last `[ ERROR ]`; with the line below it robot says that it could not begin.
    error: Option<String>,
}

impl Machine for Robot {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        if !self.console.is_open() && self.dotted.line(line, out) {
            return;
        }
        self.console.line(line, out);
        self.trouble(line.text, out);
    }

    fn end(&mut self, out: &mut Out) {
        self.dotted.end(out);
        self.console.end(out);
    }

    fn owns_lines(&self) -> bool {
        self.console.is_inside() || self.dotted.is_inside()
    }
}

impl Robot {
    /// `[ ERROR ] Suite 'A' contains no tests.`, a blank line, `Try --help for usage information.`
    fn trouble(&mut self, text: &str, out: &mut Out) {
        if let Some(words) = text.strip_prefix("[ ERROR ] ") {
            self.error = Some(words.to_owned());
            return;
        }
        if text.is_empty() || self.error.is_none() {
            return;
        }
        let words = self.error.take();
        if text != "Try --help for usage information." || self.console.is_open() {
            return;
        }
        let empty = words.as_deref().is_some_and(|words| words.contains("' contains no t"));
        let says = Says::Refused(if empty { Reason::NoTests } else { Reason::NotRunnable });
        out.close(Closing { says, counts: Counts::default(), duration_ms: None, message: words });
    }
}

#[cfg(test)]
mod tests;

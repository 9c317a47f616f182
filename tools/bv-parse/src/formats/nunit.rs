//! NUnit's own console and its result files.
//!
//! The text of `nunit-console` (2: `ResultReporter` and `ConsoleUi`,
//! <https://github.com/nunit/nunitv2/tree/master/src/ConsoleRunner/nunit-console>) and of `nunit3-console` (3 and 4:
//! `src/NUnitConsole/nunit3-console/ResultReporter.cs` in <https://github.com/nunit/nunit-console>); the XML of both
//! generations, which other tools write too (Unity's test runner, `dotnet test --logger nunit`). What `dotnet test`
//! prints of NUnit's tests is that tool's.

mod list;
mod xml;

use crate::machine::{Format, Line, Machine, Out};
use crate::xml::Collector;
use list::Listing;

/// The table's line.
pub const FORMAT: Format = Format {
    name: "nunit",
    commands: &["nunit-console", "nunit3-console", "nunit-console.exe", "nunit3-console.exe"],
    needles: &[
        "<test-run ",
        "<test-results ",
        "Errors, Failures and Warnings",
        "Tests run: ",
        "Test Run Summary",
    ],
    new: || Box::new(NUnit::default()),
};

/// See the head of this file.
struct NUnit {
    file: Collector,
    opened: bool,
    listing: Listing,
}

impl Default for NUnit {
    fn default() -> NUnit {
        NUnit { file: Collector::new(&xml::SHAPE), opened: false, listing: Listing::default() }
    }
}

impl Machine for NUnit {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        if !self.file.report(line, &mut self.opened, xml::say, out) {
            self.listing.line(line, out);
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.file.end_report(&mut self.opened, xml::say, out);
        self.listing.end(out);
    }

    fn owns_lines(&self) -> bool {
        self.file.is_open() || self.listing.owns_lines()
    }
}

#[cfg(test)]
mod tests;

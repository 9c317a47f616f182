//! xUnit.net's own consoles and its result files.
//!
//! `xunit.console` (2) and a test program of its own (3, `In-Process Runner`): `DefaultRunnerReporterMessageHandler`
//! and `DefaultRunnerReporter` in <https://github.com/xunit/xunit>. A failure is `    Name [FAIL]` and what is
//! indented more below it; `=== TEST EXECUTION SUMMARY ===` heads the closing lines, one an assembly. The files'
//! format is <https://xunit.net/docs/format-xml-v2>. What `dotnet test` prints of xUnit's tests is that tool's.

pub mod live;
mod xml;

use crate::held::Held;
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use crate::values::milliseconds;
use crate::xml::Collector;
use bv_schemas::Counts;
use live::Live;

/// The table's line.
pub const FORMAT: Format = Format {
    name: "xunit",
    commands: &["xunit.console", "xunit.console.exe", "xunit.v3.runner.console"],
    needles: &[
        "<assemblies",
        " test-framework=\"xUnit",
        "In-Process Runner v",
        "xUnit.net Console Runner v",
        "=== TEST EXECUTION SUMMARY ===",
    ],
    new: || Box::new(XUnit::default()),
};

/// See the head of this file.
struct XUnit {
    file: Collector,
    opened: bool,
    live: Live,
    held: Held,
    summary: Option<Summary>,
}

#[derive(Default)]
struct Summary {
    counts: Counts,
    seen: bool,
    seconds: f64,
}

impl Default for XUnit {
    fn default() -> XUnit {
        XUnit {
            file: Collector::new(&xml::SHAPE),
            opened: false,
            live: Live::default(),
            held: Held::default(),
            summary: None,
        }
    }
}

impl Machine for XUnit {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        if !self.file.report(line, &mut self.opened, xml::say, out) {
            self.text(line, out);
        }
    }

    fn end(&mut self, out: &mut Out) {
        if self.file.end_report(&mut self.opened, xml::say, out) {
            return;
        }
        self.live.end(&mut self.held);
        if self.summary.as_ref().is_some_and(|summary| summary.seen) {
            self.close(out);
        } else if self.opened {
            self.held.say(out);
        }
    }

    fn owns_lines(&self) -> bool {
        self.file.is_open() || self.live.in_block()
    }
}

impl XUnit {
    fn open(&mut self, out: &mut Out) {
        if !std::mem::replace(&mut self.opened, true) {
            out.open();
        }
    }

    fn text(&mut self, line: &Line<'_>, out: &mut Out) {
        let text = line.text.trim_end();
        if let Some(summary) = &mut self.summary {
            if summary.line(text) {
                return;
            }
            self.close(out);
        }
        if text == "=== TEST EXECUTION SUMMARY ===" {
            self.live.end(&mut self.held);
            self.open(out);
            self.summary = Some(Summary::default());
        } else if text.starts_with("xUnit.net ") && (text.contains(" Runner v"))
            || text.starts_with("  Starting:    ")
        {
            self.open(out);
        } else if self.opened {
            self.live.line(text, line.span, &mut self.held);
        }
    }

    fn close(&mut self, out: &mut Out) {
        let Some(Summary { counts, seconds, .. }) = self.summary.take() else { return };
        let red = counts.failed.unwrap_or(0) + counts.errored.unwrap_or(0);
        let says = match (red.max(self.held.len()), counts.passed) {
            (0, Some(1..)) => Says::Green,
            (0, _) => Says::NoTests,
            _ => Says::Red,
        };
        let unnamed = red.saturating_sub(self.held.len());
        self.held.say(out);
        out.unnamed(unnamed);
        out.close(Closing { says, counts, duration_ms: milliseconds(seconds), message: None });
        *self = XUnit::default();
    }
}

impl Summary {
    /// `   Shop.Tests  Total: 5, Errors: 0, Failed: 2, Skipped: 1, Not Run: 0, Time: 0.073s`; false behind the last.
    fn line(&mut self, text: &str) -> bool {
        let of = |name: &str| {
            let rest = text[text.find(name)? + name.len()..].trim_start();
            rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u64>().ok()
        };
        let rule =
            !text.is_empty() && text.trim_start().bytes().all(|byte| matches!(byte, b'-' | b' ' | b'='));
        if text.trim_start().starts_with("GRAND TOTAL:") || rule || text.is_empty() && !self.seen {
            return true;
        }
        let (Some(total), Some(failed), true) = (of(" Total:"), of(" Failed:"), text.starts_with("  "))
        else {
            return false;
        };
        let (errors, skipped) = (of(" Errors:").unwrap_or(0), of(" Skipped:").unwrap_or(0));
        let not_run = of(" Not Run:").unwrap_or(0);
        self.seen = true;
        self.counts.add(&Counts {
            passed: Some(total.saturating_sub(failed + skipped + not_run)),
            failed: Some(failed),
            errored: Some(errors),
            skipped: Some(skipped),
        });
        let time = text.rsplit_once(" Time:").and_then(|(_, time)| time.trim().strip_suffix('s'));
        self.seconds += time.and_then(|time| time.parse::<f64>().ok()).unwrap_or(0.0);
        true
    }
}

#[cfg(test)]
mod tests;

//! VSTest's console logger: one block a failed test, one line an assembly.

use crate::dotnet::{Fault, LINES_MAX};
use crate::machine::{Closing, Says};
use bv_schemas::{Counts, Failure, Kind, TestOutcome};

/// `  Failed Shop.Tests.CartTests.Total [5 ms]`
#[derive(Debug)]
pub struct Head {
    /// The test.
    pub name: String,
    /// How it ended; absent where it failed.
    pub outcome: Option<TestOutcome>,
    /// As printed.
    pub duration_ms: Option<u64>,
    /// Who wrote it.
    pub style: Style,
}

/// Who writes a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// VSTest: `  Error Message:`, `  Stack Trace:`, `  Standard Output Messages:`.
    Vstest,
    /// Microsoft.Testing.Platform: all of it is indented by two or more.
    Platform,
}

/// Headings of what a test printed.
pub const OUTPUT: &[&str] = &[
    "  Standard Output Messages:",
    "  Standard Error Messages:",
    "  Debug Traces Messages:",
    "  Additional Information Messages:",
    "  Attachments:",
];

/// The file's name in `Test run for /w/bin/A.Tests.dll (.NETCoreApp,Version=v8.0)`; older ones have no blank before
/// the bracket.
pub fn announced(text: &str) -> Option<&str> {
    let (path, _) = text.strip_prefix("Test run for ")?.rsplit_once('(')?;
    path.trim_end().rsplit(['/', '\\']).next()
}

/// Reads a head of VSTest's; the duration is missing where it is 0.
pub fn head(text: &str) -> Option<Head> {
    let rest = text.strip_prefix("  ").or_else(|| text.strip_prefix('X').filter(|_| false))?;
    let (word, rest) = rest.split_once(' ')?;
    let outcome = match word {
        "Failed" | "X" => None,
        "Passed" | "V" | "√" => Some(TestOutcome::Passed),
        "Skipped" | "!" => Some(TestOutcome::Skipped),
        _ => return None,
    };
    let timed = rest.strip_suffix(']').and_then(|rest| rest.rsplit_once(" ["));
    let (name, duration) = timed.filter(|(_, time)| is_duration(time)).unwrap_or((rest, ""));
    let bare = name.split('(').next().unwrap_or(name);
    // Without a duration only a name in dots is one.
    let is_name = !duration.is_empty() || !bare.contains(' ') && bare.contains('.');
    is_name.then(|| Head {
        name: name.to_owned(),
        outcome,
        duration_ms: milliseconds(duration),
        style: Style::Vstest,
    })
}

/// `5 ms`, `< 1 ms`, `1 m 2 s`, `1s 740ms`.
pub fn is_duration(text: &str) -> bool {
    let mut seen = false;
    text.split_whitespace().all(|word| {
        let number = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit = &word[number.len()..];
        seen |= !unit.is_empty();
        (word == "<" || !number.is_empty() || !unit.is_empty())
            && number.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b'<')
            && matches!(unit, "" | "h" | "m" | "s" | "ms" | "d")
    }) && seen
}

/// Milliseconds; nothing for less than one, and for what is no duration.
pub fn milliseconds(text: &str) -> Option<u64> {
    let (mut sum, mut number) = (0.0, None);
    for word in text.split_whitespace() {
        let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        if let Ok(value) = digits.parse::<f64>() {
            number = Some(value);
        } else if word == "<" {
            return None;
        }
        let scale = match &word[digits.len()..] {
            "h" => 3_600_000.0,
            "m" => 60_000.0,
            "s" => 1000.0,
            "ms" => 1.0,
            _ => continue,
        };
        sum += number.take()? * scale;
    }
    (!text.trim().is_empty()).then_some(sum as u64)
}

/// What is printed of one failed test.
#[derive(Debug)]
pub struct Block {
    fault: Fault,
    style: Style,
    part: Part,
    expected: Option<String>,
    observed: Option<String>,
    span: [u64; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Head,
    Message,
    Stack,
    Expected,
    Observed,
    Output,
}

impl Block {
    /// Begins below this head.
    pub fn new(name: String, style: Style, span: [u64; 2]) -> Block {
        let fault = Fault { name, ..Fault::default() };
        Block { fault, style, part: Part::Head, expected: None, observed: None, span }
    }

    /// Whether the lines are what the test printed.
    pub fn in_output(&self) -> bool {
        self.part == Part::Output
    }

    /// Takes a line; false when the block ended before it.
    pub fn line(&mut self, text: &str, span: [u64; 2]) -> bool {
        let taken = match self.style {
            Style::Vstest => self.vstest(text),
            Style::Platform => self.platform(text),
        };
        if taken {
            self.span[1] = span[1];
        }
        taken
    }

    fn vstest(&mut self, text: &str) -> bool {
        match text {
            "  Error Message:" => self.part = Part::Message,
            "  Stack Trace:" => self.part = Part::Stack,
            _ if OUTPUT.contains(&text) => self.part = Part::Output,
            // A head without a message below it is a test's output, or a failure that says nothing.
            _ if self.part == Part::Head => return text.is_empty(),
            _ if is_elsewhere(text) => return false,
            _ => self.keep(text),
        }
        true
    }

    fn platform(&mut self, text: &str) -> bool {
        if !text.is_empty() && !text.starts_with("  ") {
            return false;
        }
        let own = text.get(2..).unwrap_or_default();
        match own {
            "Stack Trace:" => self.part = Part::Stack,
            "Expected" => self.part = Part::Expected,
            "Actual" => self.part = Part::Observed,
            "Standard output" | "Error output" | "Standard error" => self.part = Part::Output,
            _ if self.part == Part::Head && own.starts_with("from ") && own.ends_with(')') => {}
            _ if crate::dotnet::frame(own).is_some() && self.part != Part::Output => {
                self.part = Part::Stack;
                self.keep(own);
            }
            _ => {
                if self.part == Part::Head {
                    self.part = Part::Message;
                }
                self.keep(own);
            }
        }
        true
    }

    fn keep(&mut self, text: &str) {
        let side = match self.part {
            Part::Head | Part::Output => return,
            Part::Message | Part::Stack => None,
            Part::Expected => Some(&mut self.expected),
            Part::Observed => Some(&mut self.observed),
        };
        if let Some(side) = side {
            let text = text.strip_prefix("  ").unwrap_or(text);
            if !text.is_empty() && side.as_ref().is_none_or(|side| side.len() < 8 << 10) {
                let side = side.get_or_insert_default();
                if !side.is_empty() {
                    side.push('\n');
                }
                side.push_str(text);
            }
            return;
        }
        let lines = if self.part == Part::Stack { &mut self.fault.stack } else { &mut self.fault.message };
        if lines.len() < LINES_MAX {
            lines.push(text.to_owned());
        }
    }

    /// All lines came.
    pub fn failure(self) -> Failure {
        let mut failure = Failure { span: Some(self.span), ..self.fault.failure() };
        if self.expected.is_some() || self.observed.is_some() {
            failure.expected = self.expected;
            failure.observed = self.observed;
        }
        failure
    }
}

/// What no message holds and ends a block.
fn is_elsewhere(text: &str) -> bool {
    text.starts_with("[xUnit.net 0")
        || text.starts_with("Results File: ")
        || text.starts_with("Attachments:")
        || text.starts_with("NUnit Adapter ")
        || text.starts_with("Test Run ")
        || text.starts_with("Total tests: ")
}

/// `Failed!  - Failed:     2, Passed:     3, Skipped:     0, Total:     5, Duration: 8 ms - Shop.Tests.dll (net8.0)`
pub fn summary(text: &str) -> Option<Closing> {
    let (word, rest) = text.split_once('!')?;
    let red = match word {
        "Failed" => true,
        "Passed" | "Skipped" => false,
        _ => return None,
    };
    let rest = rest.trim_start().strip_prefix("- Failed: ")?;
    let (failed, rest) = rest.split_once(", Passed: ")?;
    let (passed, rest) = rest.split_once(", Skipped: ")?;
    let (skipped, rest) = rest.split_once(", Total: ")?;
    let total = rest.split(',').next()?;
    let number = |text: &str| text.trim().parse::<u64>().ok();
    number(total)?;
    let duration = rest.split_once("Duration: ").map(|(_, rest)| rest.split(" - ").next().unwrap_or(rest));
    let counts = Counts {
        passed: Some(number(passed)?),
        failed: Some(number(failed)?),
        errored: None,
        skipped: Some(number(skipped)?),
    };
    let says = match (red || counts.failed != Some(0), counts.passed) {
        (true, _) => Says::Red,
        (false, Some(1..)) => Says::Green,
        (false, _) => Says::NoTests,
    };
    Some(Closing { says, counts, duration_ms: duration.and_then(milliseconds), message: None })
}

/// Two assemblies of one section: the redder word holds, and what ran nothing beside one that did is no matter.
pub fn both(a: Closing, b: Closing) -> Closing {
    let weight = |says: Says| match says {
        Says::Red => 3,
        Says::Refused(_) => 2,
        Says::Green | Says::GreenAtExit0 | Says::GreenInside { .. } => 1,
        Says::NoTests => 0,
    };
    let mut counts = a.counts;
    counts.add(&b.counts);
    let duration_ms = match (a.duration_ms, b.duration_ms) {
        (Some(a), Some(b)) => Some(a.saturating_add(b)),
        (a, b) => a.or(b),
    };
    let (says, message) =
        if weight(a.says) >= weight(b.says) { (a.says, a.message) } else { (b.says, b.message) };
    Closing { says, counts, duration_ms, message }
}

/// The test host died, in the words behind `Reason: `.
pub fn death(reason: &str, span: [u64; 2]) -> Failure {
    let (message, said) = match reason.split_once(" : ") {
        Some((words, said)) if !said.is_empty() => (words, unhandled(said)),
        _ => (reason.trim_end_matches([' ', ':']), None),
    };
    let (class, words) = said.unzip();
    Failure {
        kind: Kind::Crash,
        message: Some(words.unwrap_or(if reason.contains(" : ") { reason } else { message }).to_owned()),
        exception_type: class.map(str::to_owned),
        span: Some(span),
        ..Failure::default()
    }
}

/// `Unhandled exception. System.InvalidOperationException: no`
pub fn unhandled(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix("Unhandled exception. ")?.split_once(": ")
}

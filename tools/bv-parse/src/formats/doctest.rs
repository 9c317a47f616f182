//! Python's doctest: `python -m doctest`, `doctest.testmod()` and what Sphinx' `make doctest` runs.
//!
//! A section opens at the first example that failed, at the first one that `-v` announces, or at the table of
//! what passed, and closes at `***Test Failed*** 2 failures.` or `Test passed.`. Without `-v` a run in which
//! nothing failed prints nothing, and nothing is said of it. Source: `DocTestRunner` in `Lib/doctest.py`.

use crate::held::Held;
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use crate::python::doctest::Example;
use bv_schemas::{Counts, Test, TestOutcome};

/// The table's line.
pub const FORMAT: Format = Format {
    name: "doctest",
    commands: &["doctest"],
    needles: &[DIVIDER, "Trying:", " passed all tests:"],
    new: || Box::<Doctest>::default(),
};

const DIVIDER: &str = "**********************************************************************";
/// Lines of one announced result that are kept.
const WANTED_LINES_MAX: usize = 1000;

#[derive(Default)]
struct Doctest {
    open: bool,
    held: Held,
    /// Examples that failed, as far as they were seen.
    failed: u64,
    /// The line before was the divider above a report.
    divided: bool,
    example: Option<Example>,
    /// Where the example's report lies.
    span: [u64; 2],
    announced: Announced,
    /// `-v`: totals stand above the last line.
    verbose: bool,
    /// Below the heading of those that passed.
    listing: bool,
    /// `3 passed and 2 failed.`, in the line before.
    totals: Option<(u64, u64)>,
}

/// What `-v` says before it runs an example.
#[derive(Default)]
enum Announced {
    #[default]
    Nothing,
    /// `Trying:`, and the source.
    Source,
    /// `Expecting:`, and the lines.
    Wanted(Vec<String>),
}

impl Machine for Doctest {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten || self.in_example(line, out) {
            return;
        }
        let text = line.text;
        let divided = std::mem::replace(&mut self.divided, text == DIVIDER);
        if self.divided {
            self.span[0] = line.span[0];
            return;
        }
        if divided {
            self.example = Example::head(text);
            self.span[1] = line.span[1];
        }
        match text.as_bytes() {
            [b'T', ..] | [b'E', ..] | [b'*', ..] => self.heading(text, out),
            [b'0'..=b'9', ..] => self.number(text, out),
            [b' ', ..] => self.indented(text, out),
            _ => {}
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.finish_example(out);
        self.held.say(out);
    }

    fn owns_lines(&self) -> bool {
        self.example.as_ref().is_some_and(Example::is_sure)
    }
}

impl Doctest {
    /// Whether the line is part of a report.
    fn in_example(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let Some(example) = &mut self.example else { return false };
        if example.line(line.text) {
            if !line.text.is_empty() {
                self.span[1] = line.span[1];
            }
            return true;
        }
        self.finish_example(out);
        false
    }

    fn finish_example(&mut self, out: &mut Out) {
        let Some(example) = self.example.take().filter(Example::is_sure) else { return };
        self.open(out);
        let wanted = match std::mem::take(&mut self.announced) {
            Announced::Wanted(lines) if !lines.is_empty() => Some(lines.join("\n")),
            _ => None,
        };
        let mut failure = example.failure(wanted);
        failure.span = Some(self.span);
        self.failed += 1;
        self.held.check(failure);
    }

    fn open(&mut self, out: &mut Out) {
        if !self.open {
            self.open = true;
            out.open();
        }
    }

    fn heading(&mut self, text: &str, out: &mut Out) {
        let totals = self.totals.take();
        match (text, &self.announced) {
            ("Trying:", _) => self.announced = Announced::Source,
            ("Expecting:" | "Expecting nothing", Announced::Source) => {
                self.open(out);
                self.announced = Announced::Wanted(Vec::new());
                self.verbose = true;
            }
            ("Test passed.", _) => {
                if let Some((passed, 0)) = totals {
                    self.close(Some(passed), 0, None, out);
                }
            }
            _ => {
                if let Some((failed, skipped)) = verdict(text)
                    && self.open
                    && (totals.is_some() || !self.verbose)
                {
                    self.close(totals.map(|(passed, _)| passed), failed, skipped, out);
                }
            }
        }
    }

    /// `3 items passed all tests:`, `5 tests in 3 items.`, `3 passed and 2 failed.`
    fn number(&mut self, text: &str, out: &mut Out) {
        self.listing =
            text.ends_with(" items passed all tests:") || text.ends_with(" item passed all tests:");
        if self.listing {
            self.open(out);
        }
        self.totals = totals(text).filter(|_| self.open);
    }

    /// A line of what is announced, or of the table of those that passed.
    fn indented(&mut self, text: &str, out: &mut Out) {
        match &mut self.announced {
            Announced::Wanted(lines) if lines.len() < WANTED_LINES_MAX => {
                lines.extend(text.strip_prefix("    ").map(str::to_owned));
            }
            _ => {}
        }
        if self.listing
            && let Some((number, name)) = text.trim_start().split_once(' ')
            && number.parse::<u64>().is_ok()
            && let Some(name) = name.strip_prefix("tests in ").or(name.strip_prefix("test in "))
        {
            out.tests_seen += 1;
            out.test(Test { id: name.to_owned(), outcome: TestOutcome::Passed, duration_ms: None });
        }
    }

    fn close(&mut self, passed: Option<u64>, failed: u64, skipped: Option<u64>, out: &mut Out) {
        let mut run = std::mem::take(self);
        run.held.say(out);
        out.unnamed(failed.saturating_sub(run.failed));
        let says = match (failed, passed) {
            (0, Some(0)) => Says::NoTests,
            (0, _) => Says::Green,
            _ => Says::Red,
        };
        let counts = Counts { passed, failed: Some(failed), errored: None, skipped };
        out.close(Closing { says, counts, duration_ms: None, message: None });
    }
}

/// `***Test Failed*** 2 failures.`, since Python 3.13 `***Test Failed*** 1 failure and 2 skipped tests.`
fn verdict(text: &str) -> Option<(u64, Option<u64>)> {
    let rest = text.strip_prefix("***Test Failed*** ")?.strip_suffix('.')?;
    let (failed, skipped) = match rest.split_once(" and ") {
        Some((failed, skipped)) => (failed, Some(skipped)),
        None => (rest, None),
    };
    let count = |text: &str, noun: &str| {
        let (number, rest) = text.split_once(' ')?;
        rest.starts_with(noun).then(|| number.parse().ok()).flatten()
    };
    Some((count(failed, "failure")?, skipped.and_then(|skipped| count(skipped, "skipped test"))))
}

/// `3 passed and 2 failed.`, since Python 3.13 `3 passed.` where none failed.
fn totals(text: &str) -> Option<(u64, u64)> {
    let (passed, rest) = text.strip_suffix('.')?.split_once(" passed")?;
    let failed = match rest {
        "" => 0,
        _ => rest.strip_prefix(" and ")?.strip_suffix(" failed")?.parse().ok()?,
    };
    Some((passed.parse().ok()?, failed))
}

#[cfg(test)]
mod tests {
    use super::FORMAT;
    use crate::said::said;

    const REPORT: &str = "{*}\nFile \"/a/phone.py\", line 11, in phone.norm\nFailed example:\n    norm('+4')\nExpected:\n    '4'\nGot:\n    '+4'\n";

    fn check(text: &str, want: &[&str]) {
        let text = text.replace("{report}", REPORT).replace("{*}", super::DIVIDER);
        assert_eq!(said(&FORMAT, &text), want, "{text}");
    }

    #[test]
    fn a_run_is_closed_by_its_last_line() {
        check(
            "{report}{*}\n1 items had failures:\n   1 of   2 in phone.norm\n***Test Failed*** 1 failures.\n",
            &["open", "assertion phone.norm: -", "red -/1/-"],
        );
        // Python 3.13.
        check(
            "{report}{*}\n1 item had failures:\n   1 of   2 in phone.norm\n***Test Failed*** 1 failure and 2 skipped tests.\n",
            &["open", "assertion phone.norm: -", "red -/1/2"],
        );
        check(
            "Trying:\n    1\nExpecting:\n    1\nok\n1 item passed all tests:\n   1 test in a\n1 test in 1 item.\n1 passed.\nTest passed.\n",
            &["open", "passed a", "green 1/0/-"],
        );
        // An example's standard error, under -v.
        check("Trying:\n    1\nExpecting nothing\n***Test Failed*** 2 failures.\nok\n", &["open"]);
        check("0 tests in 1 items.\n0 passed and 0 failed.\nTest passed.\n", &[]);
        check("Trying:\n    1\nExpecting nothing\nok\n", &["open"]);
    }

    #[test]
    fn examples_of_one_docstring_are_one_failure() {
        check(
            "{report}{report}***Test Failed*** 3 failures.\n",
            &["open", "assertion phone.norm: -", "unnamed 1", "red -/3/-"],
        );
    }

    #[test]
    fn only_a_report_is_one() {
        check("{*}\nFile \"/a/b.py\", line 1, in f\nFailing example:\n", &[]);
        check("***Test Failed*** 3 failures.\nTest passed.\n3 passed and 0 failed.\n", &[]);
        check("{*}\nWelcome\n{*}\nTrying:\nhard\n", &[]);
    }
}

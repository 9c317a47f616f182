//! JUnit 5's console launcher, `java -jar junit-platform-console-standalone.jar` (1.0 to 1.13:
//! `junit-platform-console` and `MutableTestExecutionSummary` in <https://github.com/junit-team/junit-framework>),
//! in all its `--details` modes.
//!
//! A section opens with the launcher's first words or its list of failures, and closes with the last of the
//! twelve numbers below `Test run finished after 261 ms`. The tests' own output stands above that list, and may
//! look like it: the numbers say how many of its entries are the launcher's, counted from the end.

mod entry;
mod inline;

use crate::machine::{Closing, Format, HELD_MAX, Line, Machine, Out, Says};
use bv_schemas::{Counts, Failure, Kind, Reason};
use entry::Entry;
use inline::Inline;
use std::collections::VecDeque;

/// The table's line.
pub const FORMAT: Format = Format {
    name: "junit5",
    commands: &["org.junit.platform.console.ConsoleLauncher", "ConsoleLauncher"],
    needles: &[
        "Thanks for using JUnit! ",
        "Number of static tests: ",
        "    MethodSource [className = '",
        "    ClassSource [className = '",
        "Test run finished after ",
        "org.junit.platform.commons.JUnitException: ",
    ],
    new: || Box::<Junit5>::default(),
};

/// The launcher's numbers, in its order.
const NUMBERS: &[&str] = &[
    "containers found",
    "containers skipped",
    "containers started",
    "containers aborted",
    "containers successful",
    "containers failed",
    "tests found",
    "tests skipped",
    "tests started",
    "tests aborted",
    "tests successful",
    "tests failed",
];

/// See the head of this file.
#[derive(Default)]
struct Junit5 {
    opened: bool,
    /// A line that may be the title of an entry, until the one below it shows that it is.
    title: Option<(String, [u64; 2])>,
    entry: Option<Entry>,
    inline: Inline,
    failures: VecDeque<Failure>,
    numbers: Option<Numbers>,
    /// The launcher could not begin, in its words.
    refused: Option<Failure>,
}

/// The numbers read so far.
#[derive(Default)]
struct Numbers {
    duration_ms: Option<u64>,
    read: Vec<u64>,
}

impl Machine for Junit5 {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let text = line.text.trim_end();
        if let Some(spent) = text.strip_prefix("Test run finished after ") {
            self.end_entry();
            let duration_ms = spent.strip_suffix(" ms").and_then(|ms| ms.parse().ok());
            self.numbers = Some(Numbers { duration_ms, read: Vec::new() });
        } else if self.numbers.is_some() {
            self.number(text, out);
        } else {
            self.listing(text, line, out);
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.end_entry();
        if let Some(failure) = self.refused.take() {
            self.refuse(failure, out);
        } else if self.opened {
            self.failures.drain(..).for_each(|failure| out.failure(failure));
        }
    }

    fn owns_lines(&self) -> bool {
        self.entry.is_some()
    }
}

impl Junit5 {
    fn open(&mut self, out: &mut Out) {
        if !std::mem::replace(&mut self.opened, true) {
            out.open();
        }
    }

    fn refuse(&mut self, failure: Failure, out: &mut Out) {
        self.open(out);
        let message = failure.message.clone();
        out.failure(failure);
        let says = Says::Refused(Reason::CollectionError);
        out.close(Closing { says, counts: Counts::default(), duration_ms: None, message });
    }

    fn listing(&mut self, text: &str, line: &Line<'_>, out: &mut Out) {
        if let Some((title, span)) = self.title.take() {
            if entry::is_source(text) || text.starts_with("    => ") {
                self.end_entry();
                self.open(out);
                self.entry = Some(Entry::new(title, [span[0], line.span[1]]));
            } else if let Some(entry) = &mut self.entry {
                entry.line(&title, span);
            }
        }
        if entry::is_title(text) {
            self.title = Some((text.trim_start().to_owned(), line.span));
        } else if let Some(entry) = &mut self.entry {
            if !entry.line(text, line.span) {
                self.end_entry();
            }
        } else if let Some(failure) = self.inline.line(text, line.span) {
            self.hold(failure);
        } else if text.contains("Thanks for using JUnit! ")
            || text.contains("started. Number of static tests: ")
        {
            if let Some(failure) = self.refused.take() {
                // The run before this one could not begin.
                self.refuse(failure, out);
                self.opened = false;
            }
            self.open(out);
        } else if let Some(said) = text.strip_prefix("org.junit.platform.commons.JUnitException: ") {
            self.refused = Some(Failure {
                kind: Kind::CollectionError,
                message: Some(said.to_owned()),
                exception_type: Some("org.junit.platform.commons.JUnitException".to_owned()),
                span: Some(line.span),
                ..Failure::default()
            });
        } else if let (Some(refused), Some(cause)) = (&mut self.refused, text.strip_prefix("Caused by: ")) {
            // The innermost says which class or method is not there.
            let said = cause.split_once(": ").map_or(cause, |(_, said)| said);
            if cause.starts_with("org.junit.") {
                refused.message = Some(said.to_owned());
            }
        }
    }

    fn end_entry(&mut self) {
        self.title = None;
        if let Some(entry) = self.entry.take() {
            self.hold(entry.failure());
        }
    }

    fn hold(&mut self, failure: Failure) {
        // The last ones are the launcher's, whatever a test prints.
        if self.failures.len() == HELD_MAX {
            self.failures.pop_front();
        }
        self.failures.push_back(failure);
    }

    /// `[         6 tests failed          ]`; anything else shows that they are not the launcher's.
    fn number(&mut self, text: &str, out: &mut Out) {
        let Some(numbers) = &mut self.numbers else { return };
        if numbers.read.is_empty() && text.is_empty() {
            return;
        }
        let Some(number) = number(text, NUMBERS[numbers.read.len()]) else {
            self.numbers = None;
            return;
        };
        numbers.read.push(number);
        if numbers.read.len() == NUMBERS.len() {
            self.close(out);
        }
    }

    fn close(&mut self, out: &mut Out) {
        let Some(Numbers { duration_ms, read }) = self.numbers.take() else { return };
        let at = |name: &str| NUMBERS.iter().position(|own| *own == name).map_or(0, |at| read[at]);
        let (failed, broken) = (at("tests failed"), at("containers failed"));
        let red = failed + broken;
        let passed = at("tests successful");
        self.open(out);
        out.tests_seen += at("tests started");
        let forged = self.failures.len().saturating_sub(usize::try_from(red).unwrap_or(usize::MAX));
        let own = self.failures.split_off(forged);
        let unnamed = red.saturating_sub(own.len() as u64);
        own.into_iter().for_each(|failure| out.failure(failure));
        out.unnamed(unnamed);
        out.close(Closing {
            says: Says::of(red, passed),
            counts: Counts {
                passed: Some(passed),
                failed: Some(failed),
                errored: (broken > 0).then_some(broken),
                // An assumption that does not hold aborts its test.
                skipped: Some(at("tests skipped") + at("tests aborted")),
            },
            duration_ms,
            message: None,
        });
        *self = Junit5::default();
    }
}

/// The number in the brackets, where it is `name`'s.
fn number(text: &str, name: &str) -> Option<u64> {
    let inner = text.strip_prefix('[')?.strip_suffix(']')?.trim();
    inner.strip_suffix(name)?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::said::said;

    fn check(text: &str, want: &[&str]) {
        assert_eq!(said(&FORMAT, text), want, "{text}");
    }

    fn numbers(numbers: [u64; 12]) -> String {
        let line = |(number, name): (u64, &&str)| format!("[{number:>10} {name:<22} ]\n");
        format!(
            "\nTest run finished after 61 ms\n{}",
            numbers.into_iter().zip(NUMBERS).map(line).collect::<String>()
        )
    }

    const ENTRY: &str = "Failures (1):\n  JUnit Jupiter:CartTest:sums()\n\
        \u{20}   MethodSource [className = 'shop.CartTest', methodName = 'sums', methodParameterTypes = '']\n\
        \u{20}   => org.opentest4j.AssertionFailedError: pens ==> expected: <9> but was: <10>\n\
        \u{20}      shop.CartTest.sums(CartTest.java:13)\n       [...]\n";

    #[test]
    fn a_failure_and_its_numbers() {
        check(
            &format!("Thanks for using JUnit! x\n{ENTRY}{}", numbers([2, 0, 2, 0, 2, 0, 3, 1, 2, 0, 1, 1])),
            &[
                "open",
                "assertion JUnit Jupiter:CartTest:sums(): pens ==> expected: <9> but was: <10>",
                "red 1/1/1",
            ],
        );
    }

    #[test]
    fn what_a_test_prints_is_no_entry_and_no_number() {
        check(
            &format!(
                "Thanks for using JUnit! x\n{ENTRY}\nTest run finished after 3 ms\n[         9 tests failed          ]\n{}",
                numbers([2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0])
            ),
            &["open", "green 2/0/0"],
        );
    }

    #[test]
    fn the_modes_without_a_list() {
        check(
            &format!(
                "Test execution started. Number of static tests: 2\n\
                 Finished:    sums() ([engine:junit-jupiter]/[class:shop.CartTest]/[method:sums()])\n\
                 \u{20}            => Exception: java.lang.AssertionError: expected: <9> but was: <10>\n\
                 \u{20}            \tat shop.CartTest.sums(CartTest.java:13)\n\
                 Finished:    open() ([engine:junit-jupiter]/[class:shop.CartTest]/[method:open()])\n\
                 \u{20}            => Exception: org.opentest4j.TestAbortedException: Assumption failed: no printer\n\
                 Finished:    CartTest ([engine:junit-jupiter]/[class:shop.CartTest])\n{}",
                numbers([2, 0, 2, 0, 2, 0, 2, 0, 2, 1, 0, 1])
            ),
            &[
                "open",
                "assertion [engine:junit-jupiter]/[class:shop.CartTest]/[method:sums()]: expected: <9> but was: <10>",
                "red 0/1/1",
            ],
        );
        check(
            &format!(
                "Test plan execution started. Number of static tests: 2\n│  ├─ CartTest\n│  │  ├─ sums()\n\
                 │  │  │   uniqueId: [engine:e]/[class:shop.CartTest]/[method:sums()]\n\
                 │  │  │     caught: java.lang.AssertionError: no\n│  │  │               \tat shop.CartTest.sums(CartTest.java:13)\n\
                 │  │  │   duration: 4 ms\n│  │  │     status: ✘ FAILED\n│  ├─ BrokenTest\n\
                 │  │  │     caught: java.lang.Error: no db\n│  └─ BrokenTest finished after 3 ms.\n{}",
                numbers([2, 0, 2, 0, 2, 1, 2, 0, 2, 0, 1, 1])
            ),
            &[
                "open",
                "assertion [engine:e]/[class:shop.CartTest]/[method:sums()]: no",
                "setuperror BrokenTest: no db",
                "red 1/1/0, 1 errored",
            ],
        );
    }

    #[test]
    fn nothing_found_and_nothing_named() {
        check(&numbers([1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0]), &["open", "notests 0/0/0"]);
        check(&numbers([2, 0, 2, 0, 1, 1, 1, 0, 0, 0, 0, 0]), &["open", "unnamed 1", "red 0/0/0, 1 errored"]);
    }

    #[test]
    fn a_run_that_dies_stays_open() {
        check("Thanks for using JUnit! x\n", &["open"]);
    }

    #[test]
    fn a_class_that_is_not_there() {
        check(
            "org.junit.platform.commons.JUnitException: TestEngine with ID 'junit-jupiter' failed to discover tests\n\
             Caused by: org.junit.platform.commons.PreconditionViolationException: Could not load class with name: shop.Nope\n\
             Caused by: java.lang.ClassNotFoundException: shop.Nope\n",
            &[
                "open",
                "collectionerror -: Could not load class with name: shop.Nope",
                "refused(collectionerror) -/-/-",
            ],
        );
    }
}

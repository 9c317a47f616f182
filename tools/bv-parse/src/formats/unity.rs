//! Unity, ThrowTheSwitch's C test framework (2.4 to 2.6: `unity.c` and `unity_fixture.c` in
//! <https://github.com/ThrowTheSwitch/Unity>), as itself and with its fixtures.
//!
//! A test has a line, `test_cart.c:12:test_total:FAIL: Expected 8 Was 9`; with fixtures the failed check's place
//! stands behind the test's name. A section opens with the first such line that fails and closes with
//! `3 Tests 1 Failures 0 Ignored` and, below it, `FAIL` or `OK`.

use crate::held::Held;
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use crate::values::Sides;
use bv_schemas::{Counts, Failure, Place, Test, TestOutcome};

/// The table's line.
pub const FORMAT: Format = Format {
    name: "unity",
    commands: &[],
    needles: &[":FAIL: ", " Failures "],
    new: || Box::<Unity>::default(),
};

/// See the head of this file.
#[derive(Default)]
struct Unity {
    opened: bool,
    held: Held,
    /// `3 Tests 1 Failures 0 Ignored` came.
    totals: Option<Totals>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Totals {
    tests: u64,
    failures: u64,
    ignored: u64,
}

impl Machine for Unity {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let text = line.text.trim_end();
        if let Some(totals) = self.totals.take() {
            // With details of a run in between there is no verdict, and no totals.
            if matches!(text, "OK" | "FAIL") {
                self.close(totals, text == "FAIL", out);
                return;
            }
        }
        match text.as_bytes().first() {
            Some(b'0'..=b'9') if text.contains(" Failures ") => self.totals = Totals::read(text),
            Some(_) if text.contains(':') => {
                if let Some(row) = Row::read(text) {
                    self.row(&row, line.span, out);
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.held.say(out);
    }
}

impl Unity {
    fn row(&mut self, row: &Row<'_>, span: [u64; 2], out: &mut Out) {
        let outcome = match row.word {
            "PASS" => TestOutcome::Passed,
            "IGNORE" => TestOutcome::Skipped,
            _ => {
                if !std::mem::replace(&mut self.opened, true) {
                    out.open();
                }
                out.tests_seen += 1;
                self.held.push(row.failure(span));
                return;
            }
        };
        out.tests_seen += 1;
        out.test(Test { id: row.test.to_owned(), outcome, duration_ms: None });
    }

    fn close(&mut self, totals: Totals, failed: bool, out: &mut Out) {
        let passed = totals.tests.saturating_sub(totals.failures + totals.ignored);
        let red = failed || totals.failures > 0;
        let says = match (red, passed) {
            (true, _) => Says::Red,
            (false, 0) => Says::NoTests,
            (false, _) => Says::Green,
        };
        if red {
            let unnamed = totals.failures.saturating_sub(self.held.len());
            self.held.say(out);
            out.unnamed(unnamed);
        }
        let counts = Counts {
            passed: Some(passed),
            failed: Some(totals.failures),
            errored: None,
            skipped: Some(totals.ignored),
        };
        out.close(Closing { says, counts, duration_ms: None, message: None });
        *self = Unity::default();
    }
}

impl Totals {
    fn read(text: &str) -> Option<Totals> {
        let mut words = text.split(' ');
        let mut number = |name: &str| {
            let number = words.next()?.parse().ok()?;
            (words.next()? == name).then_some(number)
        };
        Some(Totals { tests: number("Tests")?, failures: number("Failures")?, ignored: number("Ignored")? })
    }
}

/// `test_cart.c:12:test_total:FAIL: Expected 8 Was 9`, `TEST(cart, total)test/cart.c:12::FAIL: Expected 8 Was 9`
struct Row<'a> {
    file: &'a str,
    line: u64,
    test: &'a str,
    word: &'a str,
    message: Option<&'a str>,
}

impl<'a> Row<'a> {
    fn read(text: &'a str) -> Option<Row<'a>> {
        // The fixtures' marks of progress stand before it.
        let text = text
            .find("TEST(")
            .filter(|at| text[..*at].bytes().all(|b| b == b'.' || b == b'!'))
            .map_or(text, |at| &text[at..]);
        let (head, word, message) = [":PASS", ":FAIL", ":IGNORE"].iter().find_map(|mark| {
            let (head, rest) = text.split_once(mark)?;
            let message = rest.strip_prefix(": ");
            (rest.is_empty() || message.is_some()).then_some((head, &mark[1..], message))
        })?;
        let (place, test) = head.rsplit_once(':')?;
        let (test, place) = match place.strip_prefix("TEST(").filter(|_| test.is_empty()) {
            Some(_) => place.split_at(place.find(')')? + 1),
            None => (test, place),
        };
        let (file, line) = place.rsplit_once(':')?;
        let line = line.parse().ok()?;
        let is_name = |c: char| c.is_ascii_alphanumeric() || "_(),. -\"".contains(c);
        (!test.is_empty() && !file.is_empty() && !file.contains(' ') && test.chars().all(is_name))
            .then_some(Row { file, line, test, word, message })
    }

    fn failure(&self, span: [u64; 2]) -> Failure {
        let message = self.message.unwrap_or_default();
        let mut failure = Failure {
            id: Some(self.test.to_owned()),
            message: Some(message.to_owned()).filter(|message| !message.is_empty()),
            test: Some(Place {
                file: Some(self.file.to_owned()),
                line: Some(self.line),
                function: Some(self.test.to_owned()).filter(|name| !name.contains('(')),
            }),
            span: Some(span),
            ..Failure::default()
        };
        sides(message).fill(&mut failure);
        failure
    }
}

/// `Expected 8 Was 9. Own words`, `Element 2 Expected 'a' Was 'b'`, `Expected TRUE Was FALSE`. A range or a mask of
/// bits (`Values Not Within Delta 1 Expected 8 Was 10`) is written so too.
fn sides(message: &str) -> Sides {
    let read = || {
        let at = if message.starts_with("Expected ") { 0 } else { message.find(" Expected ")? + 1 };
        let (expected, rest) = message[at + "Expected ".len()..].split_once(" Was ")?;
        // A value may be quoted; the test's own words follow behind a full stop.
        let observed = match rest.strip_prefix(['\'', '"']) {
            Some(quoted) => &rest[..quoted.find(&rest[..1])? + 2],
            None => rest.split_once(". ").map_or(rest, |(observed, _)| observed),
        };
        Some(Sides::both(expected, observed))
    };
    read().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::said::said;

    fn check(text: &str, want: &[&str]) {
        assert_eq!(said(&FORMAT, text), want, "{text}");
    }

    #[test]
    fn a_run_with_every_outcome() {
        check(
            "test/test_cart.c:8:test_fine:PASS\ntest/test_cart.c:12:test_total:FAIL: Expected 8 Was 9. two mugs\n\
             test/test_cart.c:20:test_later:IGNORE: no printer\n\n-----------------------\n4 Tests 2 Failures 1 Ignored \nFAIL\n",
            &[
                "passed test_fine",
                "open",
                "skipped test_later",
                "assertion test_total: Expected 8 Was 9. two mugs",
                "unnamed 1",
                "red 1/2/1",
            ],
        );
    }

    #[test]
    fn green_runs_and_none() {
        check("3 Tests 0 Failures 1 Ignored \nOK\n", &["green 2/0/1"]);
        check("1 Tests 0 Failures 1 Ignored \nOK\n", &["notests 0/0/1"]);
        check("3 Tests 0 Failures 1 Ignored \nmore\nOK\n", &[]);
        check("a.c:8:test_total:FAIL: fake\n1 Tests 0 Failures 0 Ignored \nOK\n", &["open", "green 1/0/0"]);
    }

    #[test]
    fn rows() {
        let check = |text: &str, want: Option<(&str, u64, &str)>| {
            assert_eq!(Row::read(text).map(|row| (row.file, row.line, row.test)), want, "{text}");
        };
        check(
            "TEST(cart, total)test/cart.c:12::FAIL: Expected 8 Was 9",
            Some(("test/cart.c", 12, "TEST(cart, total)")),
        );
        check(".!TEST(cart, total)cart.c:12::FAIL: x", Some(("cart.c", 12, "TEST(cart, total)")));
        check("C:\\w\\cart.c:12:test_total:FAIL", Some(("C:\\w\\cart.c", 12, "test_total")));
        check("status:FAIL: no", None);
        check("see cart.c:12:test_total:FAIL: no", None);
    }

    #[test]
    fn values() {
        let check = |text: &str, want: Option<(&str, &str)>| {
            let want =
                want.map_or_else(Sides::default, |(expected, observed)| Sides::both(expected, observed));
            assert_eq!(sides(text), want, "{text}");
        };
        check("Expected 8 Was 9", Some(("8", "9")));
        check("Expected 1.5 Was 2.5. two mugs", Some(("1.5", "2.5")));
        check("Element 2 Expected 'a. b' Was 'a. c'. words", Some(("'a. b'", "'a. c'")));
        check("Expression Evaluated To FALSE", None);
    }
}

//! Check, the C library, in its modes `CK_MINIMAL`, `CK_NORMAL`, `CK_VERBOSE` and `CK_ENV`
//! (0.10 to 0.15: `check_print.c` in <https://github.com/libcheck/check>).
//!
//! A section opens with `Running suite(s): …`. Its tally comes before its failures
//! (`50%: Checks: 4, Failures: 2, Errors: 0`), so the section closes with the first line after it that tells of
//! no test of its own.

use crate::held::Held;
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use crate::values::{Sides, split_outside};
use bv_schemas::{Counts, Failure, Kind, Place, Test, TestOutcome};

/// The table's line.
pub const FORMAT: Format = Format {
    name: "check",
    commands: &[],
    needles: &["Running suite(s): ", "%: Checks: "],
    new: || Box::<Check>::default(),
};

/// See the head of this file.
#[derive(Default)]
struct Check {
    opened: bool,
    tally: Option<Tally>,
    held: Held,
}

/// `50%: Checks: 4, Failures: 2, Errors: 1`
#[derive(Clone, Copy)]
struct Tally {
    checks: u64,
    failures: u64,
    errors: u64,
}

impl Machine for Check {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let text = line.text.trim_end();
        if text.starts_with("Running suite(s): ") {
            self.close(out);
            self.opened = true;
            out.open();
        } else if let Some(tally) = Tally::read(text) {
            self.close(out);
            self.tally = Some(tally);
        } else if let Some(tally) = self.tally {
            match Row::read(text) {
                Some(row) => self.row(&row, line, out),
                // A message may hold newlines; the last one's cannot be told from what follows.
                None if self.held.len() < tally.red() && self.more(text, line.span) => {}
                None => self.close(out),
            }
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.close(out);
    }
}

impl Check {
    fn row(&mut self, row: &Row<'_>, line: &Line<'_>, out: &mut Out) {
        out.tests_seen += 1;
        match row.failure(line.span) {
            Some(failure) => self.held.push(failure),
            None => out.test(Test { id: row.id.to_owned(), outcome: TestOutcome::Passed, duration_ms: None }),
        }
    }

    /// Whether the line goes on with the message above it.
    fn more(&mut self, text: &str, span: [u64; 2]) -> bool {
        let Some(failure) = self.held.last_mut() else { return false };
        let (Some(own), Some(message)) = (&mut failure.span, &mut failure.message) else { return false };
        let follows = own[1] == span[0];
        if follows {
            message.push(' ');
            message.push_str(text.trim());
            own[1] = span[1];
        }
        follows
    }

    fn close(&mut self, out: &mut Out) {
        let Some(tally) = self.tally.take() else { return };
        if !std::mem::replace(&mut self.opened, false) {
            out.open();
        }
        let unnamed = tally.red().saturating_sub(self.held.len());
        self.held.say(out);
        out.unnamed(unnamed);
        let says = Says::of(tally.red(), tally.checks);
        let counts = Counts {
            passed: Some(tally.checks.saturating_sub(tally.red())),
            failed: Some(tally.failures),
            errored: Some(tally.errors),
            skipped: None,
        };
        out.close(Closing { says, counts, duration_ms: None, message: None });
    }
}

impl Tally {
    fn read(text: &str) -> Option<Tally> {
        let (percent, rest) = text.split_once("%: Checks: ")?;
        percent.parse::<u64>().ok()?;
        let (checks, rest) = rest.split_once(", Failures: ")?;
        let (failures, errors) = rest.split_once(", Errors: ")?;
        Some(Tally {
            checks: checks.parse().ok()?,
            failures: failures.parse().ok()?,
            errors: errors.parse().ok()?,
        })
    }

    fn red(self) -> u64 {
        self.failures + self.errors
    }
}

/// `check_temp.c:5:F:conv:freezing:0: Assertion 'a == b' failed: a == 30, b == 32`
struct Row<'a> {
    file: &'a str,
    line: u64,
    kind: &'a str,
    /// `conv:freezing:0`, the number that of a loop test's turn.
    id: &'a str,
    test: &'a str,
    message: &'a str,
}

impl<'a> Row<'a> {
    fn read(text: &'a str) -> Option<Row<'a>> {
        let (at, kind) =
            [":F:", ":E:", ":P:"].iter().filter_map(|kind| Some((text.find(kind)?, *kind))).min()?;
        let (file, line) = text[..at].rsplit_once(':')?;
        let rest = &text[at + kind.len()..];
        let (id, message) = rest.split_once(": ")?;
        let mut parts = id.rsplitn(3, ':');
        let (turn, test, case) = (parts.next()?, parts.next()?, parts.next()?);
        turn.parse::<u64>().ok()?;
        (!case.is_empty() && !file.is_empty()).then_some(())?;
        Some(Row { file, line: line.parse().ok()?, kind: &kind[1..2], id, test, message })
    }

    fn failure(&self, span: [u64; 2]) -> Option<Failure> {
        let kind = match self.kind {
            "P" => return None,
            "F" => Kind::Assertion,
            _ if self.message.contains("Received signal ") => Kind::Crash,
            _ if self.message.contains("Test timeout expired") => Kind::Timeout,
            _ => Kind::Exception,
        };
        let mut failure = Failure {
            id: Some(self.id.to_owned()),
            kind,
            message: Some(self.message.to_owned()),
            test: Some(Place {
                file: Some(self.file.to_owned()),
                line: Some(self.line),
                function: Some(self.test.to_owned()),
            }),
            span: Some(span),
            ..Failure::default()
        };
        if let Some(sides) = sides(self.message) {
            sides.fill(&mut failure);
        }
        Some(failure)
    }
}

/// The sides of `Assertion 'a == b' failed: a == 30, b == 32`: each operand beside its value, the wanted one
/// second, a tolerance last.
fn sides(message: &str) -> Option<Sides> {
    let (expression, values) = message.strip_prefix("Assertion '")?.split_once("' failed: ")?;
    let (first, rest) = split_outside(values, ", ")?;
    let second = split_outside(rest, ", ").map_or(rest, |(second, _)| second);
    let value = |pair: &str| pair.rsplit_once(" == ").map(|(_, value)| value.to_owned());
    let (observed, wanted) = (value(first)?, value(second)?);
    let operator = split_outside(expression, " ").and_then(|(_, rest)| rest.split(' ').next());
    Some(match operator {
        Some(operator @ ("!=" | "<" | ">" | "<=" | ">=")) if !expression.starts_with("fabs") => {
            crate::cpp::compared(&observed, operator, &wanted)
        }
        _ => Sides::both(&wanted, &observed),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::said::said;

    fn check(text: &str, want: &[&str]) {
        assert_eq!(said(&FORMAT, text), want, "{text}");
    }

    #[test]
    fn failures_come_after_the_tally() {
        check(
            "Running suite(s): A\n B\n33%: Checks: 3, Failures: 1, Errors: 1\n\
             a.c:11:P:conv:one:0: Passed\na.c:5:F:conv:two:1: Assertion 'a == b' failed: a == 1, b == 2\n\
             a.c:9:E:conv:three:0: (after this point) Received signal 11 (Segmentation fault)\n",
            &[
                "open",
                "passed conv:one:0",
                "assertion conv:two:1: Assertion 'a == b' failed: a == 1, b == 2",
                "crash conv:three:0: (after this point) Received signal 11 (Segmentation fault)",
                "red 1/1/-, 1 errored",
            ],
        );
    }

    #[test]
    fn a_minimal_run_names_nothing() {
        check(
            "Running suite(s): A\n0%: Checks: 2, Failures: 2, Errors: 0\nRunning suite(s): B\n100%: Checks: 1, Failures: 0, Errors: 0\n",
            &["open", "unnamed 2", "red 0/2/-", "open", "green 1/0/-"],
        );
        check("Running suite(s): A\n100%: Checks: 0, Failures: 0, Errors: 0\n", &["open", "notests 0/0/-"]);
        check("Running suite(s): A\n", &["open"]);
    }

    #[test]
    fn operands_stand_beside_their_values() {
        let check = |message: &str, want: Option<(&str, &str)>| {
            assert_eq!(sides(message), want.map(|(wanted, seen)| Sides::both(wanted, seen)), "{message}");
        };
        check("Assertion 'f(1, 2) == want[i]' failed: f(1, 2) == 66, want[i] == 67", Some(("67", "66")));
        check(
            "Assertion 'fabsl(32.0 - f(0)) < 0.01' failed: f(0) == 30, 32.0 == 32, 0.01 == 0.01",
            Some(("32", "30")),
        );
        check("Assertion 'a < b' failed: a == 5, b == 3", Some(("< 3", "5")));
        check("Assertion 'a == b' failed: a == \"x, y\", b == \"z\"", Some(("\"z\"", "\"x, y\"")));
        check("Assertion 'ok' failed", None);
    }
}

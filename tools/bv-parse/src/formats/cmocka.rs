//! cmocka's standard output (1.1 and 2.0: `cmprintf_group_*_standard` in `cmocka.c`,
//! <https://cmocka.org>), which looks like GoogleTest's.
//!
//! A section opens with `[==========] Running 6 test(s).` (`tests: Running 6 test(s).` with a group's name)
//! and closes with the last line of the tally below `[==========] 6 test(s) run.`. What stands between a
//! test's `[ RUN      ]` and its end is the test's; a section that ends there tells of a crash of that test.

use crate::cpp;
use crate::held::Held;
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use crate::values::{Sides, split_outside};
use bv_schemas::{Counts, Failure, Kind, Place, Test, TestOutcome};

/// The table's line.
pub const FORMAT: Format = Format {
    name: "cmocka",
    commands: &[],
    needles: &[" test(s).", " test(s) run."],
    new: || Box::<Cmocka>::default(),
};

/// Lines kept of one test's error.
const LINES_MAX: usize = 100;

/// See the head of this file.
#[derive(Default)]
struct Cmocka {
    opened: bool,
    running: Option<Running>,
    held: Held,
    tally: Option<Counts>,
    /// Tests were skipped, and the line that says how many is still to come.
    owes_skipped: bool,
}

/// A test that runs.
struct Running {
    name: String,
    error: Vec<String>,
    place: Option<(String, u64)>,
    /// What stands above the error: `fail_msg` and a fixture that failed say why in a line of their own.
    before: Option<String>,
    span: [u64; 2],
}

impl Machine for Cmocka {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let text = line.text.trim_end();
        if self.tally.is_some() && self.closes(text, out) {
            return;
        }
        match mark(text) {
            Some(("==========", said)) => self.section(said, out),
            Some((" RUN      ", name)) if self.opened && self.running.is_none() => {
                self.running = Some(Running {
                    name: name.to_owned(),
                    error: Vec::new(),
                    place: None,
                    before: None,
                    span: line.span,
                });
            }
            Some(("  ERROR   ", said)) => self.error(said, line),
            Some(("   LINE   ", said)) => self.place(said),
            Some(("       OK ", name)) => self.ended(name, Some(TestOutcome::Passed), line.span, out),
            Some(("  SKIPPED ", name)) => self.ended(name, Some(TestOutcome::Skipped), line.span, out),
            Some(("  FAILED  ", name)) => self.ended(name, None, line.span, out),
            Some(_) => {}
            None => self.more(text),
        }
    }

    fn end(&mut self, out: &mut Out) {
        if self.tally.is_some() && !self.owes_skipped {
            self.close(out);
        } else if self.opened {
            if let Some(running) = self.running.take() {
                self.held.push(running.failure(Kind::Crash));
            }
            self.held.say(out);
        }
    }
}

impl Cmocka {
    /// `[==========] ` taken off: a group begins, or ran.
    fn section(&mut self, said: &str, out: &mut Out) {
        let own = said.split_once(": ").map_or(said, |(_, own)| own);
        if own.starts_with("Running ") && own.ends_with(" test(s).") {
            if !self.opened {
                self.opened = true;
                out.open();
            }
        } else if self.opened && self.running.is_none() && own.ends_with(" test(s) run.") {
            self.tally = Some(Counts { failed: Some(0), ..Counts::default() });
        }
    }

    fn error(&mut self, said: &str, line: &Line<'_>) {
        let Some(running) = &mut self.running else { return };
        running.span[1] = line.span[1];
        match said.strip_prefix("--- ") {
            Some(said) => match mark(said) {
                Some(("   LINE   ", place)) => self.place(place),
                _ => running.error.push(said.to_owned()),
            },
            // Its fixture failed: the test did not run.
            None if running.name == said => {
                let running = self.running.take();
                if let Some(running) = running {
                    self.held.push(running.failure(Kind::SetupError));
                }
            }
            None => {}
        }
    }

    /// `--- queue_test.c:11: error: Failure!`
    fn place(&mut self, said: &str) {
        let place = said.strip_prefix("--- ").and_then(|said| cpp::place(said.split_once(": error: ")?.0));
        if let (Some(running), Some((file, line))) = (&mut self.running, place) {
            running.place.get_or_insert((file.to_owned(), line));
        }
    }

    /// An error's words may go on over several lines.
    fn more(&mut self, text: &str) {
        let Some(running) = &mut self.running else { return };
        if text.is_empty() || running.place.is_some() {
            return;
        }
        if running.error.is_empty() {
            running.before = Some(text.strip_prefix("ERROR: ").unwrap_or(text).to_owned());
        } else if running.error.len() < LINES_MAX {
            running.error.push(text.to_owned());
        }
    }

    fn ended(&mut self, name: &str, outcome: Option<TestOutcome>, span: [u64; 2], out: &mut Out) {
        let Some(running) = self.running.take_if(|running| running.name == name) else { return };
        out.tests_seen += 1;
        match outcome {
            Some(outcome) => {
                self.owes_skipped |= outcome == TestOutcome::Skipped;
                out.test(Test { id: running.name, outcome, duration_ms: None });
            }
            None => {
                let mut failure = running.failure(Kind::Assertion);
                failure.span = failure.span.map(|own| [own[0], span[1]]);
                self.held.push(failure);
            }
        }
    }

    /// The tally's lines; true when the line is one of them.
    fn closes(&mut self, text: &str, out: &mut Out) -> bool {
        let Some(counts) = &mut self.tally else { return false };
        if let Some((mark, said)) = mark(text) {
            let own = said.split_once(": ").map_or(said, |(_, own)| own);
            let number = own.split_once(" test(s)").and_then(|(number, _)| number.parse().ok());
            match (mark, number) {
                ("  PASSED  ", Some(n)) => counts.passed = Some(n),
                ("  SKIPPED ", Some(n)) => counts.skipped = Some(n),
                ("  FAILED  ", Some(n)) => counts.failed = Some(n),
                // A name in a list; another group begins.
                ("==========", _) => {
                    self.close(out);
                    return false;
                }
                _ => {}
            }
            return true;
        }
        if let Some(number) = text.strip_suffix(" FAILED TEST(S)") {
            // Those whose fixture failed are counted here, and not in the list above.
            let errored = number
                .trim()
                .parse::<u64>()
                .ok()
                .zip(counts.failed)
                .map(|(all, own)| all.saturating_sub(own));
            counts.errored = errored.filter(|&n| n > 0);
            self.close(out);
            return true;
        }
        let skipped = text.ends_with(" SKIPPED TEST(S)");
        self.owes_skipped &= !skipped;
        text.is_empty() || skipped
    }

    fn close(&mut self, out: &mut Out) {
        let Some(counts) = self.tally.take() else { return };
        let failed = counts.failed.unwrap_or(0) + counts.errored.unwrap_or(0);
        let passed = counts.passed.unwrap_or(0);
        let says = Says::of(failed.max(self.held.len()), passed);
        let unnamed = failed.saturating_sub(self.held.len());
        self.held.say(out);
        out.unnamed(unnamed);
        out.close(Closing { says, counts, duration_ms: None, message: None });
        *self = Cmocka::default();
    }
}

impl Running {
    fn failure(self, kind: Kind) -> Failure {
        let error = (!self.error.is_empty()).then(|| self.error.join(" "));
        let message = match kind {
            // What a test printed before its runner died is not why.
            Kind::Crash => error.unwrap_or_default(),
            _ => error.or(self.before).unwrap_or_default(),
        };
        let crashed = message.starts_with("Test failed with exception: ");
        let sides = self.error.first().and_then(|text| sides(text)).unwrap_or_default();
        let (file, line) = self.place.unzip();
        Failure {
            kind: if crashed { Kind::Crash } else { kind },
            message: Some(message).filter(|message| !message.is_empty()),
            expected: sides.expected,
            observed: sides.observed,
            test: Some(Place { file, line, function: Some(self.name.clone()) }),
            id: Some(self.name),
            span: Some(self.span),
            ..Failure::default()
        }
    }
}

/// `[  FAILED  ] name`: what stands in the brackets, and behind them.
fn mark(text: &str) -> Option<(&str, &str)> {
    let (mark, rest) = text.strip_prefix('[')?.split_once(']')?;
    (mark.len() == 10).then(|| (mark, rest.trim_start()))
}

/// The sides of `0x2 != 0x3`, which is printed where they ought to be equal, and of `0x2 == 0x2`, where not.
/// A condition that is false is printed as it stands in the source.
fn sides(text: &str) -> Option<Sides> {
    let is_value = |text: &str| {
        text.starts_with('"') && text.ends_with('"') && text.len() > 1
            || text.strip_prefix('-').unwrap_or(text).starts_with(|c: char| c.is_ascii_digit())
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-+".contains(&byte))
    };
    let (observed, operator, wanted) =
        [(" != ", "=="), (" == ", "!=")].iter().find_map(|(printed, operator)| {
            let (observed, wanted) = split_outside(text, printed)?;
            Some((observed, *operator, wanted))
        })?;
    (is_value(observed) && is_value(wanted)).then(|| cpp::compared(observed, operator, wanted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::said::said;

    fn check(text: &str, want: &[&str]) {
        assert_eq!(said(&FORMAT, text), want, "{text}");
    }

    #[test]
    fn a_group_with_a_name_and_an_error_of_two_lines() {
        check(
            "[==========] tests: Running 2 test(s).\n[ RUN      ] one\n[  ERROR   ] --- 0x2 != 0x3\n\
             and more\n[   LINE   ] --- q.c:11: error: Failure!\n[  FAILED  ] one\n[ RUN      ] two\n\
             [       OK ] two\n[==========] tests: 2 test(s) run.\n[  PASSED  ] 1 test(s).\n\
             [  FAILED  ] tests: 1 test(s), listed below:\n[  FAILED  ] one\n\n 1 FAILED TEST(S)\n",
            &["open", "passed two", "assertion one: 0x2 != 0x3 and more", "red 1/1/-"],
        );
    }

    #[test]
    fn a_fixture_that_fails_and_a_failure_by_hand() {
        check(
            "[==========] Running 2 test(s).\n[ RUN      ] one\nERROR: a hint\n\
             [  ERROR   ] --- [   LINE   ] --- q.c:11: error: Failure!\n[  FAILED  ] one\n[ RUN      ] two\n\
             Could not run test: Test setup failed\n[  ERROR   ] two\n[==========] 2 test(s) run.\n\
             [  PASSED  ] 0 test(s).\n[  FAILED  ] 1 test(s), listed below:\n[  FAILED  ] one\n\n 2 FAILED TEST(S)\n",
            &[
                "open",
                "assertion one: a hint",
                "setuperror two: Could not run test: Test setup failed",
                "red 0/1/-, 1 errored",
            ],
        );
    }

    #[test]
    fn a_runner_that_dies_tells_of_its_test() {
        check("[==========] Running 2 test(s).\n[ RUN      ] one\n", &["open", "crash one: -"]);
    }

    #[test]
    fn markers_that_a_test_prints_are_no_ends_of_others() {
        check(
            "[==========] Running 1 test(s).\n[ RUN      ] one\n[  FAILED  ] other\n[==========] 3 test(s) run.\n[       OK ] one\n\
             [==========] 1 test(s) run.\n[  PASSED  ] 1 test(s).\n",
            &["open", "passed one", "green 1/0/-"],
        );
    }

    #[test]
    fn only_values_are_sides() {
        let check = |text: &str, want: Option<(&str, &str)>| {
            assert_eq!(sides(text), want.map(|(wanted, seen)| Sides::both(wanted, seen)), "{text}");
        };
        check("0x2 != 0x3", Some(("0x3", "0x2")));
        check("\"fi != fo\" != \"lifo\"", Some(("\"lifo\"", "\"fi != fo\"")));
        check("0x2 == 0x2", Some(("!= 0x2", "0x2")));
        check("queue_len() == 0", None);
    }
}

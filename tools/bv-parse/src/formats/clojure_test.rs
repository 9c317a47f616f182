//! `clojure.test`, as itself, under Leiningen (`lein test`) and under kaocha (`clojure/test.clj` in
//! <https://github.com/clojure/clojure>, `kaocha/report.clj` in <https://github.com/lambdaisland/kaocha>).
//!
//! Each failed check has a block (`FAIL in (total) (core_test.clj:6)`); a test that failed in several has several.
//! A section opens with the first and closes with the tally: `Ran 9 tests containing 13 assertions.` and below it
//! `7 failures, 3 errors.`, or kaocha's `2 tests, 3 assertions, 1 failures.` Of a green run no block is a failure.

mod block;

use crate::held::Held;
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use block::Block;
use bv_schemas::{Counts, Kind};

/// The table's line.
pub const FORMAT: Format = Format {
    name: "clojure-test",
    commands: &["lein", "clojure", "clj", "kaocha"],
    needles: &["FAIL in ", "ERROR in ", " tests containing ", " assertions, "],
    new: || Box::<ClojureTest>::default(),
};

/// See the head of this file.
#[derive(Default)]
struct ClojureTest {
    opened: bool,
    block: Option<Block>,
    held: Held,
    /// Blocks that were seen.
    seen: u64,
    /// `lein test :only cart.core-test/total` stands above a block.
    full: Option<String>,
    /// `Ran 9 tests containing 13 assertions.` came: the tests.
    ran: Option<u64>,
}

impl Machine for ClojureTest {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let text = line.text.trim_end();
        let ran = self.ran.take();
        if let Some(block) = Block::begins(text, line.span) {
            self.block_ends();
            self.open(out);
            self.seen += 1;
            let full = self.full.take().filter(|full| block.is_of(full));
            self.block = Some(block.named(full));
            return;
        }
        if let Some(full) = text.strip_prefix("lein test :only ") {
            self.block_ends();
            self.full = Some(full.to_owned());
        } else if let Some(tests) = ran_line(text) {
            self.block_ends();
            self.ran = Some(tests);
        } else if let Some((tests, numbers)) = ran.zip(Numbers::clojure(text)) {
            self.close(tests, &numbers, out);
        } else if let Some((tests, numbers)) = Numbers::kaocha(text) {
            self.close(tests, &numbers, out);
        } else if let Some(block) = &mut self.block
            && !block.line(text, line.span)
        {
            self.block_ends();
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.block_ends();
        self.held.say(out);
    }
}

impl ClojureTest {
    fn open(&mut self, out: &mut Out) {
        if !std::mem::replace(&mut self.opened, true) {
            out.open();
        }
    }

    fn block_ends(&mut self) {
        let Some(block) = self.block.take() else { return };
        let failure = block.failure();
        match failure.id.as_deref().and_then(|id| self.held.find(id)) {
            // An error says more than a failed check before it.
            Some(known) if failure.kind == Kind::Exception && known.kind == Kind::Assertion => {
                let known = std::mem::replace(known, failure);
                self.held.check(known);
            }
            _ => self.held.check(failure),
        }
    }

    fn close(&mut self, tests: u64, numbers: &Numbers, out: &mut Out) {
        self.block_ends();
        self.open(out);
        out.tests_seen += tests;
        let red = numbers.failures + numbers.errors;
        let says = Says::of(red, tests);
        if red > 0 {
            self.held.say(out);
            out.unnamed(red.saturating_sub(self.seen));
        }
        let counts = Counts {
            // Failures are of checks, of which a test may have many.
            passed: (red == 0).then(|| tests.saturating_sub(numbers.pending)),
            failed: Some(numbers.failures),
            errored: Some(numbers.errors),
            skipped: Some(numbers.pending).filter(|&pending| pending > 0),
        };
        out.close(Closing { says, counts, duration_ms: None, message: None });
        *self = ClojureTest::default();
    }
}

/// `7 failures, 3 errors.`; what a line leaves out is 0.
#[derive(Debug, Default, PartialEq, Eq)]
struct Numbers {
    failures: u64,
    errors: u64,
    pending: u64,
}

impl Numbers {
    fn clojure(text: &str) -> Option<Numbers> {
        let (failures, errors) = text.strip_suffix(" errors.")?.split_once(" failures, ")?;
        Some(Numbers { failures: failures.parse().ok()?, errors: errors.parse().ok()?, pending: 0 })
    }

    /// `2 tests, 3 assertions, 1 errors, 1 pending, 1 failures.`
    fn kaocha(text: &str) -> Option<(u64, Numbers)> {
        let mut parts = text.strip_suffix('.')?.split(", ");
        let tests = parts.next()?.strip_suffix(" tests")?.parse().ok()?;
        parts.next()?.strip_suffix(" assertions")?.parse::<u64>().ok()?;
        let mut numbers = Numbers::default();
        for part in parts {
            let (number, word) = part.split_once(' ')?;
            let slot = match word {
                "failures" => &mut numbers.failures,
                "errors" => &mut numbers.errors,
                "pending" => &mut numbers.pending,
                _ => return None,
            };
            *slot = number.parse().ok()?;
        }
        Some((tests, numbers))
    }
}

/// `Ran 9 tests containing 13 assertions.`
fn ran_line(text: &str) -> Option<u64> {
    let (tests, rest) = text.strip_prefix("Ran ")?.split_once(" tests containing ")?;
    rest.strip_suffix(" assertions.")?.parse::<u64>().ok()?;
    tests.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::said::said;

    fn check(text: &str, want: &[&str]) {
        assert_eq!(said(&FORMAT, text), want, "{text}");
    }

    #[test]
    fn blocks_of_one_test_are_one_failure() {
        check(
            "Testing cart.core-test\n\nFAIL in (total) (core_test.clj:6)\nof two mugs\nexpected: (= 8 (total 4 2))\n  \
             actual: (not (= 8 9))\n\nFAIL in (total) (core_test.clj:9)\nexpected: false\n  actual: false\n\n\
             ERROR in (ship) (core.clj:6)\nUncaught exception, not in assertion.\nexpected: nil\n  \
             actual: java.lang.ArithmeticException: Divide by zero\n at cart.core$ship.invoke (core.clj:6)\n\n\
             Ran 3 tests containing 4 assertions.\n3 failures, 1 errors.\nTests failed.\n",
            &[
                "open",
                "assertion total: of two mugs",
                "exception ship: Divide by zero",
                "unnamed 1",
                "red -/3/-, 1 errored",
            ],
        );
    }

    #[test]
    fn kaocha_and_leiningen_name_tests_in_full() {
        check(
            "[(..F)]\n\nFAIL in my.fail-fast-test/test-2 (fail_fast_test.clj:9)\nexpected: false\n  actual: false\n\
             2 tests, 3 assertions, 1 failures.\n",
            &["open", "assertion my.fail-fast-test/test-2: -", "red -/1/-"],
        );
        check(
            "lein test :only cart.core-test/total\n\nFAIL in (total) (core_test.clj:6)\nexpected: false\n  actual: false\n\n\
             Ran 1 tests containing 1 assertions.\n1 failures, 0 errors.\n",
            &["open", "assertion cart.core-test/total: -", "red -/1/-"],
        );
    }

    #[test]
    fn a_block_that_a_test_of_a_green_run_prints() {
        check(
            "FAIL in (fake) (fake.clj:3)\nexpected: 1\n  actual: 2\n\nRan 2 tests containing 2 assertions.\n0 failures, 0 errors.\n",
            &["open", "green 2/0/-"],
        );
        check("Ran 0 tests containing 0 assertions.\n0 failures, 0 errors.\n", &["open", "notests 0/0/-"]);
        check("FAIL in (a) (a.clj:3)\nexpected: 1\n", &["open", "assertion a: -"]);
    }
}

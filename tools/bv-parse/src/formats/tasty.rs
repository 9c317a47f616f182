//! Tasty's console reporter, Haskell (1.0 to 1.5: `Test/Tasty/Ingredients/ConsoleReporter.hs` in
//! <https://github.com/UnkindPartition/tasty>).
//!
//! Tests stand in a tree by indentation, each with its result behind its name (`of two mugs:   FAIL`) and details
//! below. A section opens with the first hint how to run a failed test again, and closes with
//! `9 out of 12 tests failed (0.15s)` or `All 2 tests passed (0.00s)`. A test's id is its own name: the groups
//! around it are told only by versions whose hint holds them.

use crate::haskell;
use crate::held::Held;
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use crate::values::milliseconds;
use bv_schemas::{Counts, Failure, Kind, Place};

/// The table's line.
pub const FORMAT: Format = Format {
    name: "tasty",
    commands: &[],
    needles: &[": FAIL", "  FAIL", ": TIMEOUT", "  TIMEOUT", " tests failed (", " tests passed ("],
    new: || Box::<Tasty>::default(),
};

/// Lines kept of one failure.
const LINES_MAX: usize = 500;

/// See the head of this file.
#[derive(Default)]
struct Tasty {
    opened: bool,
    block: Option<Block>,
    held: Held,
}

/// A failed test and its details.
struct Block {
    indent: usize,
    id: String,
    late: bool,
    /// How to run it again was said: only Tasty does.
    certain: bool,
    lines: Vec<String>,
    span: [u64; 2],
}

impl Machine for Tasty {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let text = line.text.trim_end();
        let bare = text.trim_start_matches(' ');
        let indent = text.len() - bare.len();
        if let Some(block) = &mut self.block {
            if indent > block.indent && !bare.is_empty() {
                block.push(bare, text, line.span);
                return;
            }
            self.block_ends(out);
        }
        if let Some((id, late)) = failed(bare) {
            let (id, span) = (id.to_owned(), line.span);
            self.block = Some(Block { indent, id, late, certain: false, lines: Vec::new(), span });
        } else if indent == 0
            && let Some(totals) = Totals::read(text)
        {
            self.close(&totals, out);
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.block_ends(out);
        self.held.say(out);
    }
}

impl Tasty {
    fn block_ends(&mut self, out: &mut Out) {
        let Some(block) = self.block.take().filter(|block| block.certain) else { return };
        if !std::mem::replace(&mut self.opened, true) {
            out.open();
        }
        self.held.push(block.failure());
    }

    fn close(&mut self, totals: &Totals, out: &mut Out) {
        out.tests_seen += totals.tests;
        let says = match totals {
            Totals { failed: 1.., .. } => Says::Red,
            Totals { tests: 0, .. } => Says::NoTests,
            _ => Says::Green,
        };
        if totals.failed > 0 {
            let unnamed = totals.failed.saturating_sub(self.held.len());
            self.held.say(out);
            out.unnamed(unnamed);
        }
        let counts = Counts {
            passed: Some(totals.tests.saturating_sub(totals.failed)),
            failed: Some(totals.failed),
            ..Counts::default()
        };
        out.close(Closing { says, counts, duration_ms: totals.duration_ms, message: None });
        *self = Tasty::default();
    }
}

impl Block {
    fn push(&mut self, bare: &str, text: &str, span: [u64; 2]) {
        if let Some(hint) = bare.strip_prefix("Use -p '") {
            self.certain = true;
            // `$0=="Cart.total.of two mugs"`
            if let Some(path) = hint.strip_prefix("$0==\"").and_then(|hint| hint.split_once('"')) {
                self.id = path.0.to_owned();
            }
            return;
        }
        if self.lines.len() < LINES_MAX && !self.certain {
            self.lines.push(text.get(self.indent + 2..).unwrap_or_default().to_owned());
        }
        self.span[1] = span[1];
    }

    fn failure(self) -> Failure {
        let mut lines: Vec<&str> = self.lines.iter().map(String::as_str).collect();
        let place = lines.first().and_then(|line| {
            let (file, line) = crate::finding::position(line.strip_suffix(':')?)?;
            Some(Place { file: Some(file.to_owned()), line: Some(line), function: None })
        });
        if place.is_some() {
            lines.remove(0);
        }
        let mut failure = Failure { test: place, span: Some(self.span), ..Failure::default() };
        haskell::read(&lines, &mut failure);
        if self.late {
            failure.kind = Kind::Timeout;
        }
        failure.id = Some(self.id);
        failure
    }
}

/// `of two mugs:   FAIL`, `is slow: TIMEOUT (0.12s)`: the name, and whether it ran out of time.
fn failed(bare: &str) -> Option<(&str, bool)> {
    // The time stands behind the word. A failure that is expected is none.
    let text = match bare.rsplit_once(" (") {
        Some((text, time)) if time.ends_with("s)") && !time.contains(' ') => text,
        _ => bare,
    };
    let (text, late) = match text.strip_suffix("FAIL") {
        Some(text) => (text, false),
        None => (text.strip_suffix("TIMEOUT")?, true),
    };
    let name = text.trim_end_matches(' ').strip_suffix(':')?;
    (!name.is_empty() && text.ends_with(' ')).then_some((name, late))
}

/// `9 out of 12 tests failed (0.15s)`, `All 2 tests passed (0.00s)`
struct Totals {
    failed: u64,
    tests: u64,
    duration_ms: Option<u64>,
}

impl Totals {
    fn read(text: &str) -> Option<Totals> {
        let (words, time) = text.strip_suffix("s)")?.rsplit_once(" (")?;
        let duration_ms = milliseconds(time.parse().ok()?);
        if let Some(tests) = words.strip_prefix("All ").and_then(|words| words.strip_suffix(" tests passed"))
        {
            return Some(Totals { failed: 0, tests: tests.parse().ok()?, duration_ms });
        }
        let (failed, tests) = words.strip_suffix(" tests failed")?.split_once(" out of ")?;
        Some(Totals { failed: failed.parse().ok()?, tests: tests.parse().ok()?, duration_ms })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::said::said;

    fn check(text: &str, want: &[&str]) {
        assert_eq!(said(&FORMAT, text), want, "{text}");
    }

    #[test]
    fn a_red_run() {
        check(
            "Cart\n  of two: FAIL\n    Spec.hs:8:\n    expected: 8\n     but got: 9\n    Use -p '/of two/' to rerun this test only.\n  \
             is fine:  OK\n  is slow:  TIMEOUT (0.12s)\n    Timed out after 0.1s\n    \
             Use -p '$0==\"Cart.is slow\"' to rerun this test only.\n\n3 out of 4 tests failed (0.15s)\n",
            &[
                "open",
                "assertion of two: expected: 8 but got: 9",
                "timeout Cart.is slow: Timed out after 0.1s",
                "unnamed 1",
                "red 1/3/-",
            ],
        );
    }

    #[test]
    fn green_runs_and_none() {
        check("Ok\n  prints:   fake: FAIL\nOK\n\nAll 2 tests passed (0.00s)\n", &["green 2/0/-"]);
        check("All 0 tests passed (0.00s)\n", &["notests 0/0/-"]);
    }

    #[test]
    fn other_runners_words() {
        check("Result: FAIL\n", &[]);
        check("known bug: FAIL (expected: later)\n", &[]);
    }
}

//! Hspec 2, Haskell's RSpec (`Test/Hspec/Core/Formatters/V2.hs` in <https://github.com/hspec/hspec>).
//!
//! Its end looks like RSpec's. What is its own: a failure's place stands above its number, and the time has four
//! decimals and no word on loading. A section opens with the first place below `Failures:`, or with the time, and
//! closes with `17 examples, 12 failures, 2 pending`. What specs print stands above that: of several lists the last
//! is Hspec's.

use crate::haskell;
use crate::machine::{Closing, Format, HELD_MAX, Line, Machine, Out, Says};
use crate::values::milliseconds;
use bv_schemas::{Counts, Failure, Place};

/// The table's line.
pub const FORMAT: Format = Format {
    name: "hspec",
    commands: &[],
    needles: &["Failures:", " examples, ", "1 example, "],
    new: || Box::<Hspec>::default(),
};

/// Lines kept of one failure.
const LINES_MAX: usize = 500;

/// See the head of this file.
#[derive(Default)]
struct Hspec {
    opened: bool,
    /// `Failures:` came.
    listed: bool,
    place: Option<Place>,
    block: Option<Block>,
    failures: Vec<Failure>,
    over: u64,
    /// `Finished in 0.0023 seconds` came.
    finished: Option<Option<u64>>,
}

/// From `  1) Cart.total adds two mugs` on.
struct Block {
    id: String,
    place: Option<Place>,
    lines: Vec<String>,
    span: [u64; 2],
}

impl Machine for Hspec {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let text = line.text.trim_end();
        let finished = self.finished.take();
        match text.as_bytes().first() {
            Some(b' ') if self.listed => self.in_list(text, line.span, out),
            Some(b'F') if text == "Failures:" => {
                // Another list repeats none: what came before was a spec's output.
                (self.listed, self.block, self.over) = (true, None, 0);
                self.failures.clear();
            }
            Some(b'F') => {
                self.finished = time(text);
                if self.finished.is_some() {
                    self.block_ends();
                }
            }
            Some(b'0'..=b'9') => {
                if let Some((duration_ms, totals)) = finished.zip(Totals::read(text)) {
                    self.close(&totals, duration_ms, out);
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.block_ends();
        if self.opened {
            self.failures.drain(..).for_each(|failure| out.failure(failure));
            out.unnamed(std::mem::take(&mut self.over));
        }
    }

    fn owns_lines(&self) -> bool {
        // RSpec's list has no places, and is RSpec's.
        self.opened && self.block.is_some()
    }
}

impl Hspec {
    fn in_list(&mut self, text: &str, span: [u64; 2], out: &mut Out) {
        let inside = text.strip_prefix("       ");
        if let (Some(inside), Some(block)) = (inside, &mut self.block) {
            if block.lines.len() < LINES_MAX {
                block.lines.push(inside.to_owned());
            }
            block.span[1] = span[1];
            return;
        }
        let Some(text) = text.strip_prefix("  ") else { return };
        if text.starts_with("To rerun use: --match ") {
            self.block_ends();
        } else if let Some(place) = place(text) {
            self.block_ends();
            self.place = Some(place);
            if !std::mem::replace(&mut self.opened, true) {
                out.open();
            }
        } else if !self.opened {
            // RSpec's list.
            self.listed = false;
        } else if let Some((number, id)) = text.split_once(") ")
            && number.trim().parse::<u64>().is_ok()
        {
            self.block_ends();
            let place = self.place.take();
            self.block = Some(Block { id: id.to_owned(), place, lines: Vec::new(), span });
        }
    }

    fn block_ends(&mut self) {
        let Some(block) = self.block.take() else { return };
        if self.failures.len() == HELD_MAX {
            self.over += 1;
            return;
        }
        let lines: Vec<&str> = block.lines.iter().map(String::as_str).collect();
        let mut failure = Failure { test: block.place, span: Some(block.span), ..Failure::default() };
        haskell::read(&lines, &mut failure);
        failure.id = Some(block.id);
        self.failures.push(failure);
    }

    fn close(&mut self, totals: &Totals, duration_ms: Option<u64>, out: &mut Out) {
        out.tests_seen += totals.examples;
        let passed = totals.examples.saturating_sub(totals.failures + totals.pending);
        let says = Says::of(totals.failures, passed);
        if totals.failures > 0 {
            let seen = self.failures.len() as u64 + self.over;
            self.failures.drain(..).for_each(|failure| out.failure(failure));
            out.unnamed(self.over + totals.failures.saturating_sub(seen));
        }
        let counts = Counts {
            passed: Some(passed),
            failed: Some(totals.failures),
            errored: None,
            skipped: Some(totals.pending),
        };
        out.close(Closing { says, counts, duration_ms, message: None });
        *self = Hspec::default();
    }
}

/// `17 examples, 12 failures, 2 pending`
struct Totals {
    examples: u64,
    failures: u64,
    pending: u64,
}

impl Totals {
    fn read(text: &str) -> Option<Totals> {
        let mut parts = text.split(", ");
        let mut number = |words: [&str; 2]| {
            let (number, word) = parts.next()?.split_once(' ')?;
            words.contains(&word).then(|| number.parse::<u64>().ok()).flatten()
        };
        let examples = number(["example", "examples"])?;
        let failures = number(["failure", "failures"])?;
        let pending = number(["pending", "pending"]);
        Some(Totals { examples, failures, pending: pending.unwrap_or(0) })
    }
}

/// `Finished in 0.0023 seconds`, `Finished in 0.0023 seconds, used 0.0021 seconds of CPU time`. Four decimals are
/// Hspec's habit; RSpec has others.
fn time(text: &str) -> Option<Option<u64>> {
    let rest = text.strip_prefix("Finished in ")?;
    let (seconds, rest) = rest.split_once(" seconds")?;
    let (_, decimals) = seconds.split_once('.')?;
    (decimals.len() == 4 && (rest.is_empty() || rest.starts_with(", used "))).then_some(())?;
    Some(milliseconds(seconds.parse().ok()?))
}

/// `test/CartSpec.hs:8:22:`
fn place(text: &str) -> Option<Place> {
    let (file, line) = crate::finding::position(text.strip_suffix(':')?)?;
    (!file.contains(' ') && file.contains('.')).then(|| Place {
        file: Some(file.to_owned()),
        line: Some(line),
        function: None,
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
    fn a_red_run() {
        check(
            "Cart FAILED [1]\n\nFailures:\n\n  Spec.hs:8:22: \n  1) Cart adds\n       expected: 8\n        but got: 9\n\n  \
             To rerun use: --match \"/Cart/adds/\"\n\n  Spec.hs:13:5: \n  2) ship throws\n       uncaught exception: NoStock\n       \
             NoStock \"mug\"\n\nFinished in 0.0023 seconds\n5 examples, 3 failures, 1 pending\n",
            &[
                "open",
                "assertion Cart adds: expected: 8 but got: 9",
                "exception ship throws: NoStock \"mug\"",
                "unnamed 1",
                "red 1/3/1",
            ],
        );
    }

    #[test]
    fn green_runs_and_none() {
        check(
            "Finished in 0.0023 seconds, used 0.0021 seconds of CPU time\n1 example, 0 failures\n",
            &["green 1/0/0"],
        );
        check("Finished in 0.0023 seconds\n0 examples, 0 failures\n", &["notests 0/0/0"]);
        check("Finished in 0.0023 seconds\n1 example, 0 failures, 1 pending\n", &["notests 0/0/1"]);
    }

    #[test]
    fn a_list_that_a_spec_prints() {
        check(
            "Failures:\n\n  Spec.hs:12:3: \n  1) fake\n       expected: 1\nprints\n\nFinished in 0.0002 seconds\n3 examples, 0 failures\n",
            &["open", "green 3/0/0"],
        );
        // RSpec's.
        check(
            "Failures:\n\n  1) Cart grows\n     Failure/Error: x\n\nFinished in 0.16281 seconds (files took 0.4 seconds to load)\n12 examples, 7 failures\n",
            &[],
        );
    }
}

//! Alcotest, OCaml's test library (0.8 to 1.8: `pp.ml` in <https://github.com/mirage/alcotest>).
//!
//! A section opens with `This run has ID …` and closes with `2 failures! in 0.009s. 3 tests run.` or
//! `Test Successful in …` below a blank line or the path of the full results. Each failed test has a line
//! (`[FAIL]  convert  0  freezing.`); the first, or with `--show-errors` each, has its details in a box. What a
//! test prints under `--verbose` stands between the lines: of a green run none is a failure.

mod details;

use crate::held::Held;
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use crate::values::milliseconds;
use bv_schemas::{Counts, Failure, Test, TestOutcome};

/// The table's line.
pub const FORMAT: Format = Format {
    name: "alcotest",
    commands: &[],
    needles: &["This run has ID `"],
    new: || Box::<Alcotest>::default(),
};

/// Lines kept of one test's details.
const LINES_MAX: usize = 500;

/// See the head of this file.
#[derive(Default)]
struct Alcotest {
    opened: bool,
    /// The closing line may stand in this one.
    closes: bool,
    held: Held,
    block: Option<Block>,
    /// `"failures": 6` of `--json`.
    json_failures: Option<u64>,
}

/// A failed test's details.
struct Block {
    id: String,
    lines: Vec<String>,
    span: [u64; 2],
}

impl Machine for Alcotest {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let text = line.text.trim_end();
        if !self.opened {
            self.opened = text.starts_with("This run has ID `");
            if self.opened {
                out.open();
            }
            return;
        }
        let closes = std::mem::take(&mut self.closes);
        if let Some(id) = boxed(text) {
            self.block_ends();
            self.block = Some(Block { id, lines: Vec::new(), span: line.span });
        } else if text.starts_with("Full test results in `")
            || text.starts_with("The full test results are available in `")
        {
            self.block_ends();
            self.closes = true;
        } else if let Some(block) = &mut self.block {
            if text.starts_with(" ──") || text.starts_with("┌──") {
                self.block_ends();
            } else {
                block.push(text, line.span);
            }
        } else if text.is_empty() {
            self.closes = true;
        } else if closes && let Some(totals) = Totals::read(text) {
            self.close(&totals, out);
        } else if let Some((mark, id)) = result(text) {
            self.result(mark, id, line.span, out);
        } else if let Some(number) = text.strip_prefix("  \"failures\": ") {
            self.json_failures = number.trim_end_matches(',').parse().ok();
        } else if text == "}"
            && let Some(failures) = self.json_failures.take()
        {
            self.close(&Totals { failures, run: None, duration_ms: None }, out);
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.block_ends();
        self.held.say(out);
    }

    fn owns_lines(&self) -> bool {
        self.block.is_some()
    }
}

impl Alcotest {
    fn result(&mut self, mark: &str, id: String, span: [u64; 2], out: &mut Out) {
        let outcome = match mark {
            "FAIL" | "ERROR" => {
                out.tests_seen += 1;
                self.held.push(Failure { id: Some(id), span: Some(span), ..Failure::default() });
                return;
            }
            "OK" => TestOutcome::Passed,
            "SKIP" => TestOutcome::Skipped,
            "TODO" => TestOutcome::Todo,
            _ => return,
        };
        out.tests_seen += 1;
        out.test(Test { id, outcome, duration_ms: None });
    }

    fn block_ends(&mut self) {
        let Some(block) = self.block.take() else { return };
        let lines: Vec<&str> = block.lines.iter().map(String::as_str).collect();
        let failure = Failure { span: Some(block.span), ..details::failure(&lines) };
        match self.held.find(&block.id) {
            Some(known) => *known = Failure { id: known.id.take(), ..failure },
            None => self.held.push(Failure { id: Some(block.id), ..failure }),
        }
    }

    fn close(&mut self, totals: &Totals, out: &mut Out) {
        let says = match totals {
            Totals { failures: 1.., .. } => Says::Red,
            Totals { run: Some(1..), .. } => Says::Green,
            // The JSON does not say how many ran.
            _ => Says::NoTests,
        };
        if totals.failures > 0 {
            let unnamed = totals.failures.saturating_sub(self.held.len());
            self.held.say(out);
            out.unnamed(unnamed);
        }
        let counts = Counts {
            passed: totals.run.map(|run| run.saturating_sub(totals.failures)),
            failed: Some(totals.failures),
            ..Counts::default()
        };
        out.close(Closing { says, counts, duration_ms: totals.duration_ms, message: None });
        *self = Alcotest::default();
    }
}

impl Block {
    fn push(&mut self, text: &str, span: [u64; 2]) {
        if self.lines.len() < LINES_MAX {
            self.lines.push(text.to_owned());
        }
        self.span[1] = span[1];
    }
}

/// `2 failures! in 0.009s. 3 tests run.`, `Test Successful in 0.000s. 2 tests run.`
struct Totals {
    failures: u64,
    run: Option<u64>,
    duration_ms: Option<u64>,
}

impl Totals {
    fn read(text: &str) -> Option<Totals> {
        let (head, rest) = text.split_once(" in ")?;
        let (seconds, run) = rest.split_once("s. ")?;
        let run = run.strip_suffix(" tests run.").or_else(|| run.strip_suffix(" test run."))?;
        let failures = match head {
            "Test Successful" => 0,
            _ => {
                let (number, word) = head.split_once(' ')?;
                matches!(word, "failure!" | "failures!" | "error!" | "errors!").then_some(())?;
                number.parse().ok()?
            }
        };
        Some(Totals {
            failures,
            run: Some(run.parse().ok()?),
            duration_ms: milliseconds(seconds.parse().ok()?),
        })
    }
}

/// `│ [FAIL]        total                  0   of two mugs.     │`, and `-- total.000 [of two mugs.] Failed --`
/// below 1.0.
fn boxed(text: &str) -> Option<String> {
    if let Some(inside) = text.strip_prefix("│ ").and_then(|text| text.strip_suffix('│')) {
        return result(inside.trim_end()).map(|(_, id)| id);
    }
    let (name, rest) = text.strip_prefix("-- ")?.strip_suffix(".] Failed --")?.split_once(" [")?;
    let (name, number) = name.rsplit_once('.')?;
    Some(format!("{name} {} {rest}", number.parse::<u64>().ok()?))
}

/// `> [FAIL]        convert          0   freezing.`: the mark, and the id with single blanks. The full stop is
/// Alcotest's, as are three where it cut the name.
fn result(text: &str) -> Option<(&str, String)> {
    let text = text.strip_prefix("> ").unwrap_or(text);
    let (mark, rest) = text.trim_start().strip_prefix('[')?.split_once(']')?;
    let (name, rest) = rest.strip_prefix("  ")?.trim_start().split_once("  ")?;
    let (number, title) = rest.trim_start().split_once(' ')?;
    number.parse::<u64>().ok()?;
    let title = title.trim();
    let title = title.strip_suffix('.').filter(|_| !title.ends_with("...")).unwrap_or(title);
    Some((mark, format!("{name} {number} {title}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::said::said;

    fn check(text: &str, want: &[&str]) {
        assert_eq!(said(&FORMAT, text), want, "{text}");
    }

    const HEAD: &str = "Testing `temp'.\nThis run has ID `KSIM780W'.\n\n";

    #[test]
    fn a_run_with_every_outcome() {
        check(
            &format!(
                "{HEAD}> [FAIL]        convert it       0   freezing.\n  [OK]          convert it       1   list.\n\
                 \x20 [SKIP]        parse            0   words.\n  [FAIL]        parse            1   long nam...\n\n┌──┐\n\
                 │ [FAIL]        convert it       0   freezing.    │\n└──┘\nprinted\nASSERT freezing\nFAIL freezing\n\n   \
                 Expected: `32'\n   Received: `30'\n\nLogs saved to `x'.\n ──\n\nFull test results in `x'.\n\
                 2 failures! in 0.009s. 3 tests run.\n"
            ),
            &[
                "open",
                "passed convert it 1 list",
                "skipped parse 0 words",
                "assertion convert it 0 freezing: FAIL freezing",
                "assertion parse 1 long nam...: -",
                "red 1/2/-",
            ],
        );
    }

    #[test]
    fn what_a_test_prints_is_no_failure_of_a_green_run() {
        check(
            &format!(
                "{HEAD}  [FAIL]        cart          9   fake.\n1 failure! in 0.001s. 1 test run.\n\
                 \x20 [OK]          prints          0   a failure.\n\nTest Successful in 0.000s. 2 tests run.\n"
            ),
            &["open", "passed prints 0 a failure", "green 2/0/-"],
        );
    }

    #[test]
    fn totals_without_names_and_none_at_all() {
        check(
            &format!("{HEAD}FF.\n\n2 failures! in 0.1s. 3 tests run.\n"),
            &["open", "unnamed 2", "red 1/2/-"],
        );
        check(
            &format!("{HEAD}{{\n  \"success\": 8,\n  \"failures\": 6,\n  \"time\": 0.1\n}}\n"),
            &["open", "unnamed 6", "red -/6/-"],
        );
        check(&format!("{HEAD}\nTest Successful in 0.0s. 0 tests run.\n"), &["open", "notests 0/0/-"]);
        check(&format!("{HEAD}> [FAIL]        a          0   b.\n"), &["open", "assertion a 0 b: -"]);
    }
}

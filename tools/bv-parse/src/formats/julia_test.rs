//! Julia's `Test`, and `Pkg.test` around it (1.6 to 1.12: `stdlib/Test/src/Test.jl` in
//! <https://github.com/JuliaLang/julia>).
//!
//! A failed check has a block when it fails (`Cart: Test Failed at /w/test/runtests.jl:5`). A section opens with the
//! first and closes with what ends the run: `ERROR: LoadError: Some tests did not pass: 2 passed, 1 failed, …`, or
//! the row of totals below `Test Summary: | Pass  Total` where all passed. Sets of tests that follow each other
//! have a table each.

use crate::held::Held;
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use crate::values::{Sides, split_outside};
use bv_schemas::record::FRAMES_MAX;
use bv_schemas::{Counts, Failure, Kind, Place};

/// The table's line.
pub const FORMAT: Format = Format {
    name: "julia-test",
    commands: &["julia"],
    needles: &[
        "Test Failed at ",
        "Error During Test at ",
        "Unexpected Pass",
        "Test Summary: ",
        "Some tests did not pass: ",
    ],
    new: || Box::<JuliaTest>::default(),
};

/// Lines kept of one block.
const LINES_MAX: usize = 300;

/// See the head of this file.
#[derive(Default)]
struct JuliaTest {
    opened: bool,
    block: Option<Block>,
    held: Held,
    /// Failed checks that were seen.
    seen: u64,
    /// The columns of a table whose first row comes next.
    columns: Option<Vec<String>>,
}

/// A failed check and what is indented below it.
struct Block {
    id: Option<String>,
    error: bool,
    place: Place,
    lines: Vec<String>,
    span: [u64; 2],
}

impl Machine for JuliaTest {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let text = line.text.trim_end();
        if let Some(block) = &mut self.block {
            if text.is_empty() || text.starts_with(' ') || text == "Stacktrace:" {
                block.push(text, line.span);
                return;
            }
            self.block_ends();
        }
        if let Some(columns) = self.columns.take()
            && let Some(counts) = row(&columns, text)
        {
            self.summed(counts, out);
        } else if let Some(block) = Block::begins(text, line.span) {
            self.open(out);
            self.seen += 1;
            self.block = Some(block);
        } else if text.starts_with("Test Summary: ") {
            self.columns = columns(text);
        } else if let Some(counts) =
            text.split_once("Some tests did not pass: ").and_then(|(_, rest)| ended(rest))
        {
            self.open(out);
            self.close(counts, out);
        } else if self.seen > 0 && text.ends_with("There was an error during testing") {
            // A check outside of all sets: nothing is counted.
            self.close(Counts::default(), out);
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

impl JuliaTest {
    fn open(&mut self, out: &mut Out) {
        if !std::mem::replace(&mut self.opened, true) {
            out.open();
        }
    }

    fn block_ends(&mut self) {
        if let Some(block) = self.block.take() {
            self.held.check(block.failure());
        }
    }

    /// The row of totals. A red one is followed by the words that end the run.
    fn summed(&mut self, counts: Counts, out: &mut Out) {
        self.open(out);
        if counts.red() == 0 {
            // What looked like failures was printed by tests.
            self.held = Held::default();
            self.close(counts, out);
        }
    }

    fn close(&mut self, counts: Counts, out: &mut Out) {
        let red = counts.red();
        out.tests_seen += red + counts.passed.unwrap_or(0);
        let says = match (red.max(self.held.len()), counts.passed) {
            (1.., _) => Says::Red,
            (0, Some(1..)) => Says::Green,
            (0, _) => Says::NoTests,
        };
        self.held.say(out);
        out.unnamed(red.saturating_sub(self.seen));
        out.close(Closing { says, counts, duration_ms: None, message: None });
        *self = JuliaTest::default();
    }
}

impl Block {
    /// `Cart: Test Failed at /w/test/runtests.jl:5`; without a set the name is left out.
    fn begins(text: &str, span: [u64; 2]) -> Option<Block> {
        let (id, error, place) = [("Test Failed at ", false), ("Error During Test at ", true)]
            .iter()
            .find_map(|(mark, error)| {
                let (id, place) = text.split_once(mark)?;
                let id = match id {
                    "" => None,
                    _ => Some(id.strip_suffix(": ")?.to_owned()),
                };
                Some((id, *error, place))
            })?;
        let (file, line) = place.rsplit_once(':')?;
        let place = Place { file: Some(file.to_owned()), line: Some(line.parse().ok()?), function: None };
        Some(Block { id, error, place, lines: Vec::new(), span })
    }

    fn push(&mut self, text: &str, span: [u64; 2]) {
        if self.lines.len() < LINES_MAX {
            self.lines.push(text.to_owned());
        }
        if !text.is_empty() {
            self.span[1] = span[1];
        }
    }

    fn failure(self) -> Failure {
        let lines: Vec<&str> = self.lines.iter().map(|line| line.trim_start()).collect();
        let after = |label: &str| lines.iter().find_map(|line| line.strip_prefix(label)).map(str::trim);
        let expression = after("Expression: ");
        let mut failure =
            Failure { id: self.id, test: Some(self.place), span: Some(self.span), ..Failure::default() };
        if self.error {
            failure.kind = Kind::Exception;
            let labels = [
                "Test threw exception",
                "Got exception outside of a @test",
                "Expression: ",
                "Unexpected Pass",
            ];
            let said = lines
                .iter()
                .find(|line| !line.is_empty() && !labels.iter().any(|label| line.starts_with(label)));
            let said = said.map(|said| (*said).to_owned());
            let unexpected = lines.first().is_some_and(|line| line.starts_with("Unexpected Pass"));
            failure.message = if unexpected { Some("Unexpected Pass".to_owned()) } else { said };
            if unexpected {
                failure.kind = Kind::Assertion;
            }
            failure.exception_type = failure.message.as_deref().and_then(exception).map(str::to_owned);
            locate(&lines, &mut failure);
        } else {
            failure.message = expression.map(str::to_owned);
            match (
                after("Expected: "),
                after("Thrown: ").or_else(|| after("No exception thrown").map(|_| "No exception thrown")),
            ) {
                (Some(expected), observed) => {
                    failure.expected = Some(expected.to_owned());
                    failure.observed = observed.map(str::to_owned);
                }
                _ => after("Evaluated: ").map_or_else(Sides::default, evaluated).fill(&mut failure),
            }
        }
        failure
    }
}

/// `3 == 4`: the left side is what was seen.
fn evaluated(text: &str) -> Sides {
    let operators = [" == ", " ≈ ", " === ", " isa "];
    let both = operators.iter().find_map(|operator| split_outside(text, operator));
    both.map_or_else(Sides::default, |(observed, expected)| Sides::both(expected, observed))
}

/// `DivideError: integer division error`; messages in words (`some text`) have no type.
fn exception(message: &str) -> Option<&str> {
    let name = message.split([':', '(']).next().unwrap_or_default();
    // `DomainError with -1:`
    let name = name.split_once(" with ").map_or(name, |(name, _)| name);
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.');
    (plain && (name.ends_with("Error") || name.ends_with("Exception"))).then_some(name)
}

/// ` [1] ship(to::String)` and below it `   @ Main /w/src/cart.jl:6`: the user's frames, innermost first.
fn locate(lines: &[&str], failure: &mut Failure) {
    let mut function = None;
    let mut frames: Vec<Place> = Vec::new();
    for line in lines {
        if let Some(rest) = line.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
            let name = rest.1.split(['(', '{']).next().unwrap_or_default();
            function = Some(name.to_owned())
                .filter(|name| !name.is_empty() && !name.contains(' ') && !name.starts_with("top-level"));
        } else if let Some(place) = line.strip_prefix("@ ") {
            let place = place.strip_suffix(" [inlined]").unwrap_or(place);
            let (module, path) = place.split_once(' ').unwrap_or(("", place));
            let library = module == "Base"
                || module == "Core"
                || module == "Test"
                || path.starts_with("./")
                || path.contains("/stdlib/");
            if let Some((file, line)) = crate::finding::position(path).filter(|_| !library) {
                frames.push(Place {
                    file: Some(file.to_owned()),
                    line: Some(line),
                    function: function.take(),
                });
            }
        }
    }
    failure.fault = frames
        .first()
        .filter(|fault| {
            failure.test.as_ref().is_none_or(|test| (&test.file, test.line) != (&fault.file, fault.line))
        })
        .cloned();
    if frames.len() > 1 {
        frames.truncate(FRAMES_MAX);
        failure.frames = frames;
    }
}

/// The names of a table's columns: `Test Summary: | Pass  Fail  Error  Broken  Total  Time`.
fn columns(text: &str) -> Option<Vec<String>> {
    let (_, names) = text.split_once('|')?;
    Some(names.split_whitespace().map(str::to_owned).collect())
}

/// The first row: `Cart          |    2     1      1             4  0.5s`. A column whose number is 0 for the whole
/// table is left out; in it a blank stands for 0 in a part of the sets, so only a full row can be told.
fn row(columns: &[String], text: &str) -> Option<Counts> {
    let (_, numbers) = text.split_once('|')?;
    let numbers: Vec<&str> = numbers.split_whitespace().collect();
    (numbers.len() == columns.len()).then_some(())?;
    let number = |name: &str| {
        let at = columns.iter().position(|column| column == name)?;
        numbers[at].parse().ok()
    };
    number("Total")?;
    Some(Counts {
        passed: Some(number("Pass").unwrap_or(0)),
        failed: Some(number("Fail").unwrap_or(0)),
        errored: Some(number("Error").unwrap_or(0)),
        skipped: Some(number("Broken").unwrap_or(0)),
    })
}

/// `2 passed, 1 failed, 1 errored, 0 broken.`
fn ended(text: &str) -> Option<Counts> {
    let mut counts = Counts::default();
    for part in text.trim_end_matches('.').split(", ") {
        let (number, word) = part.split_once(' ')?;
        let slot = match word {
            "passed" => &mut counts.passed,
            "failed" => &mut counts.failed,
            "errored" => &mut counts.errored,
            "broken" => &mut counts.skipped,
            _ => return None,
        };
        *slot = Some(number.parse().ok()?);
    }
    Some(counts)
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
            "Cart: Test Failed at /w/test/runtests.jl:5\n  Expression: add(1, 2) == 4\n   Evaluated: 3 == 4\n\nStacktrace:\n \
             [1] macro expansion\n   @ /w/test/runtests.jl:5 [inlined]\nCart: Error During Test at /w/test/runtests.jl:8\n  \
             Test threw exception\n  Expression: ship(\"\") == 1\n  DivideError: integer division error\n  Stacktrace:\n   \
             [1] ship(to::String)\n     @ Main /w/src/cart.jl:6\n\nTest Summary: | Pass  Fail  Error  Total  Time\n\
             Cart          |    2     1      2      5  0.5s\n\
             ERROR: LoadError: Some tests did not pass: 2 passed, 1 failed, 2 errored, 0 broken.\nin expression starting at /w/test/runtests.jl:3\n",
            &["open", "assertion Cart: add(1, 2) == 4", "unnamed 1", "red 2/1/0, 2 errored"],
        );
    }

    #[test]
    fn green_tables_and_none() {
        check(
            "Test Summary: | Pass  Total  Time\nCart          |    2      2  0.1s\n",
            &["open", "green 2/0/0"],
        );
        check(
            "Test Summary: | Pass  Broken  Total\nCart          |    2       1      3\n",
            &["open", "green 2/0/1"],
        );
        check("Test Summary: | Total  Time\nCart          |     0  0.0s\n", &["open", "notests 0/0/0"]);
        check("Test Summary: | Pass  Fail  Total\nCart          |    2     1      3\n", &["open"]);
    }

    #[test]
    fn a_check_outside_of_sets() {
        check(
            "Test Failed at /w/a.jl:2\n  Expression: 1 == 2\n   Evaluated: 1 == 2\n\nERROR: LoadError: There was an error during testing\n",
            &["open", "assertion -: 1 == 2", "red -/-/-"],
        );
    }

    #[test]
    fn sides_and_types() {
        assert_eq!(evaluated("3 == 4"), Sides::both("4", "3"));
        assert_eq!(evaluated("isempty([1])"), Sides::default());
        assert_eq!(exception("DivideError: integer division error"), Some("DivideError"));
        assert_eq!(exception("BoundsError(\"a\", 3)"), Some("BoundsError"));
        assert_eq!(exception("DomainError with -1.0:"), Some("DomainError"));
        assert_eq!(exception("some text: x"), None);
    }
}

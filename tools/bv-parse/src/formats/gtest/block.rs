//! One failed check: `file.cc:12: Failure`, what was compared below it, and the author's message last.

mod mock;
mod read;

use bv_schemas::{Failure, Kind, Place};

/// Lines kept of one check.
const LINES_MAX: usize = 300;
/// Bytes kept of one check.
const BYTES_MAX: usize = 64 << 10;

/// A failed check, as printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    file: Option<String>,
    line: Option<u64>,
    lines: Vec<String>,
    bytes: usize,
    span: [u64; 2],
}

impl Block {
    /// Whether a failed check begins here: `file.cc:12: Failure`, `unknown file: Failure`, Visual Studio's
    /// `file.cc(12): error: text`.
    pub fn begins(line: &str, span: [u64; 2]) -> Option<Block> {
        let place = |before: &str| match before {
            "unknown file" => Some((None, None)),
            before => {
                let (file, number) = before
                    .strip_suffix(')')
                    .and_then(|b| b.rsplit_once('('))
                    .or_else(|| before.rsplit_once(':'))?;
                // Output without a newline before it hides where the name begins.
                let file = (!file.contains(' ')).then_some(file);
                Some((file.filter(|file| !file.is_empty()).map(str::to_owned), Some(number.parse().ok()?)))
            }
        };
        let (before, text) = match line.trim_end().strip_suffix(": Failure") {
            Some(before) => (before, None),
            None => {
                let (before, text) = line.split_once(": error: ")?;
                (before.ends_with(')') || before == "unknown file").then_some((before, Some(text)))?
            }
        };
        let (file, number) = place(before)?;
        Some(Block {
            file,
            line: number,
            lines: text.into_iter().map(str::to_owned).collect(),
            bytes: 0,
            span,
        })
    }

    /// From a report, where the place stands in the first line: `file.cc:12`, `unknown file`.
    pub fn of_report(text: &str) -> Block {
        let (head, body) = text.split_once('\n').unwrap_or(("", text));
        let mut block = Block::begins(&[head, ": Failure"].concat(), [0, 0]).unwrap_or_default();
        let body =
            if head.is_empty() || block.file.is_none() && head != "unknown file" { text } else { body };
        body.lines().for_each(|line| block.line(line, [0, 0]));
        block
    }

    /// Takes the next line.
    pub fn line(&mut self, line: &str, span: [u64; 2]) {
        if self.lines.len() < LINES_MAX && self.bytes + line.len() <= BYTES_MAX {
            self.bytes += line.len();
            self.lines.push(line.to_owned());
            self.span[1] = span[1];
        }
    }

    /// Writes what it says into the failure; a place that it knows nothing of stays.
    pub fn tell(&self, failure: &mut Failure) {
        let lines: Vec<&str> = self
            .lines
            .iter()
            .map(String::as_str)
            .skip_while(|line| line.trim().is_empty())
            .take_while(|line| *line != "Google Test trace:" && *line != "Stack trace:")
            .collect();
        let said = mock::read(&lines).unwrap_or_else(|| read::read(&lines));
        (failure.kind, failure.message) = (said.kind, said.message);
        (failure.expected, failure.observed) = (said.expected, said.observed);
        if !said.inputs.is_empty() {
            let inputs = said.inputs.into_iter().map(|(name, value)| (name, value.into()));
            failure.counterexample = Some(inputs.collect());
        }
        if self.line.is_some() {
            let function = failure.test.take().and_then(|place| place.function);
            failure.test = Some(Place { file: self.file.clone(), line: self.line, function });
        }
        if self.span != [0, 0] {
            failure.span = Some(self.span);
        }
    }
}

/// What the lines say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Said {
    kind: Kind,
    message: Option<String>,
    expected: Option<String>,
    observed: Option<String>,
    inputs: Vec<(String, String)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, want: [Option<&str>; 3], kind: Kind) {
        let mut lines = text.lines();
        let mut block = Block::begins(lines.next().unwrap(), [0, 1]).unwrap();
        lines.for_each(|line| block.line(line, [0, 1]));
        let mut failure = Failure::default();
        block.tell(&mut failure);
        let got = [failure.message.as_deref(), failure.expected.as_deref(), failure.observed.as_deref()];
        assert_eq!((got, failure.kind), (want, kind), "{text}");
    }

    #[test]
    fn checks() {
        let a = Kind::Assertion;
        for (text, want, kind) in [
            (
                "a.cc:1: Failure\nExpected equality of these values:\n  9.0\n    Which is: 9\n  energy(2)\n    Which is: 18\nhalf k",
                [Some("half k"), Some("9"), Some("18")],
                a,
            ),
            (
                "a.cc:1: Failure\nExpected equality of these values:\n  names\n    Which is: { 1 }\n  want\n    Which is: { 2 }",
                [Some("Expected equality of these values:"), Some("{ 2 }"), Some("{ 1 }")],
                a,
            ),
            (
                "a.cc:1: Failure\n      Expected: 5\nTo be equal to: f()\n      Which is: 6",
                [Some("Expected: 5"), Some("5"), Some("6")],
                a,
            ),
            (
                "a.cc:1: Failure\nValue of: f() > 0\n  Actual: false (it is 0)\nExpected: true",
                [Some("Value of: f() > 0"), Some("true"), Some("false (it is 0)")],
                a,
            ),
            (
                "a.cc:1: Failure\nExpected: (a) < (b), actual: 5 vs 3",
                [Some("Expected: (a) < (b), actual: 5 vs 3"), Some("(a) < (b)"), Some("5 vs 3")],
                a,
            ),
            (
                "a.cc:1: Failure\nThe difference between f() and -4.4 is 0.1, which exceeds 0.05, where\nf() evaluates to -4.5,\n-4.4 evaluates to -4.4000000000000004, and\n0.05 evaluates to 0.050000000000000003.",
                [
                    Some("The difference between f() and -4.4 is 0.1, which exceeds 0.05"),
                    Some("-4.4000000000000004"),
                    Some("-4.5"),
                ],
                a,
            ),
            (
                "a.cc:1: Failure\nExpected: at(5) throws an exception of type std::invalid_argument.\n  Actual: it throws std::out_of_range with description \"x\".",
                [
                    Some("Expected: at(5) throws an exception of type std::invalid_argument."),
                    Some("std::invalid_argument"),
                    Some("std::out_of_range"),
                ],
                a,
            ),
            (
                "a.cc:1: Failure\nExpected: f() doesn't throw an exception.\n  Actual: it throws.",
                [
                    Some("Expected: f() doesn't throw an exception."),
                    Some("f() doesn't throw an exception"),
                    Some("it throws"),
                ],
                a,
            ),
            ("a.cc:1: Failure\nFailed\nby hand", [Some("by hand"), None, None], a),
            (
                "unknown file: Failure\nC++ exception with description \"k\" thrown in the test body.",
                [Some("C++ exception with description \"k\" thrown in the test body."), None, None],
                Kind::Exception,
            ),
            (
                "unknown file: Failure\nC++ exception with description \"k\" thrown in SetUp().",
                [Some("C++ exception with description \"k\" thrown in SetUp()."), None, None],
                Kind::SetupError,
            ),
            (
                "a.cc:1: Failure\nValue of: v\nExpected: has 3 elements\n  Actual: { 1, 2 }, which has 2 elements",
                [Some("Value of: v"), Some("has 3 elements"), Some("{ 1, 2 }, which has 2 elements")],
                a,
            ),
            (
                "a.cc:1: Failure\nDeath test: f()\n    Result: failed to die.\n Error msg:\n[  DEATH   ] ",
                [Some("Death test: f()"), None, Some("failed to die.")],
                a,
            ),
            (
                "a.cc:1: Failure\nActual function call count doesn't match EXPECT_CALL(m, Foo(3))...\n         Expected: to be called once\n           Actual: never called - unsatisfied and active",
                [
                    Some("Actual function call count doesn't match EXPECT_CALL(m, Foo(3))..."),
                    Some("to be called once"),
                    Some("never called - unsatisfied and active"),
                ],
                a,
            ),
            (
                "a.cc(1): error: Value of: x\n  Actual: 1\nExpected: 2",
                [Some("Value of: x"), Some("2"), Some("1")],
                a,
            ),
        ] {
            check(text, want, kind);
        }
    }
}

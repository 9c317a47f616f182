//! CppUTest's console output (3.8 to 4.0: `TestOutput.cpp` in <https://github.com/cpputest/cpputest>).
//!
//! Nothing is named of what holds, unless `-v` is given. Each failure opens with
//! `file.cpp:12: error: Failure in TEST(Group, Name)`; a section closes with its tally,
//! `OK (3 tests, 2 ran, …)` or `Errors (1 failures, 3 tests, …)`.

use crate::cpp;
use crate::held::Held;
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use bv_schemas::{Counts, Failure, Kind, Place, Test, TestOutcome};

/// The table's line.
pub const FORMAT: Format = Format {
    name: "cpputest",
    commands: &[],
    needles: &[FAILURE, " filtered out, ", "TEST("],
    new: || Box::<Cpputest>::default(),
};

const FAILURE: &str = " error: Failure in ";
/// Lines of one failure.
const LINES_MAX: usize = 200;

/// See the head of this file.
#[derive(Default)]
struct Cpputest {
    opened: bool,
    block: Option<Block>,
    held: Held,
}

/// One failure, as printed.
struct Block {
    id: String,
    name: String,
    file: String,
    line: u64,
    /// Where the check stands, when that is in another file or function than the test.
    helper: Option<(String, u64)>,
    lines: Vec<String>,
    span: [u64; 2],
}

impl Machine for Cpputest {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        if self.block.as_mut().is_some_and(|block| block.line(line)) {
            return;
        }
        self.end_block();
        let text = line.text.trim_end();
        if let Some(block) = Block::begins(text, line.span) {
            self.open(out);
            self.block = Some(block);
        } else if let Some(tally) = Tally::read(text) {
            self.close(&tally, out);
        } else if let Some(test) = test_ran(text) {
            self.open(out);
            out.tests_seen += 1;
            if self.held.find(&test.id).is_none() {
                out.test(test);
            }
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.end_block();
        if self.opened {
            self.held.say(out);
        }
    }
}

impl Cpputest {
    fn open(&mut self, out: &mut Out) {
        if !std::mem::replace(&mut self.opened, true) {
            out.open();
        }
    }

    fn end_block(&mut self) {
        if let Some(block) = self.block.take() {
            self.held.check(block.failure());
        }
    }

    fn close(&mut self, tally: &Tally, out: &mut Out) {
        self.open(out);
        let says = match (tally.is_ok, tally.ran) {
            (true, ran) if ran > 0 => Says::Green,
            (false, _) if tally.failures > 0 => Says::Red,
            // `Errors (ran nothing, …)`: it takes a wrong filter or build for an error.
            _ => Says::NoTests,
        };
        if says == Says::Red {
            let unnamed = tally.failures.saturating_sub(self.held.len());
            self.held.say(out);
            out.unnamed(unnamed);
        }
        let passed = (says == Says::Green).then_some(tally.ran);
        let counts =
            Counts { passed, failed: Some(tally.failures), errored: None, skipped: Some(tally.ignored) };
        out.close(Closing { says, counts, duration_ms: tally.duration_ms, message: None });
        *self = Cpputest::default();
    }
}

impl Block {
    /// `spring_test.cpp:16: error: Failure in TEST(Spring, Name)`
    fn begins(text: &str, span: [u64; 2]) -> Option<Block> {
        let (place, test) = text.split_once(FAILURE)?;
        let (file, line) = cpp::place(place.strip_suffix(':')?)?;
        let (group, name) = group_and_name(test)?;
        Some(Block {
            id: [group, ".", name].concat(),
            name: name.to_owned(),
            file: file.to_owned(),
            line,
            helper: None,
            lines: Vec::new(),
            span,
        })
    }

    fn line(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        let place = text.strip_suffix(": error:").and_then(cpp::place);
        if text.is_empty() || self.lines.len() == LINES_MAX {
            return false;
        }
        match place.filter(|_| self.lines.is_empty()) {
            Some((file, line)) => self.helper = Some((file.to_owned(), line)),
            // A value of several lines goes on without the TAB.
            None => self.lines.push(text.strip_prefix('\t').unwrap_or(text).to_owned()),
        }
        self.span[1] = line.span[1];
        true
    }

    fn failure(self) -> Failure {
        let place = |file: String, line, function| Place { file: Some(file), line: Some(line), function };
        let words: Vec<&str> = self
            .lines
            .iter()
            .map(|line| line.trim())
            .filter(|line| !line.is_empty() && *line != "^")
            .collect();
        let message = words.join(" ");
        let (kind, exception_type) = kind_of(&message);
        Failure {
            id: Some(self.id),
            kind,
            exception_type,
            expected: bracketed(&self.lines, "expected <", "but was"),
            observed: bracketed(&self.lines, "but was  <", "difference starts at "),
            message: Some(message).filter(|message| !message.is_empty()),
            test: Some(place(self.file, self.line, Some(self.name))),
            fault: self.helper.map(|(file, line)| place(file, line, None)),
            span: Some(self.span),
            ..Failure::default()
        }
    }
}

/// `Unexpected exception of type 'std::runtime_error' was thrown: why`
fn kind_of(message: &str) -> (Kind, Option<String>) {
    if let Some(rest) = message.strip_prefix("Unexpected exception of ") {
        let name = rest.strip_prefix("type '").and_then(|rest| rest.split('\'').next());
        return (Kind::Exception, name.map(str::to_owned));
    }
    if message.contains("killed by signal") {
        return (Kind::Crash, None);
    }
    (Kind::Assertion, None)
}

/// What stands in the brackets behind `label`; it may go on over several lines, up to one that begins with
/// `next`.
fn bracketed(lines: &[String], label: &str, next: &str) -> Option<String> {
    let at = lines.iter().position(|line| line.trim_start().starts_with(label))?;
    let more = lines[at + 1..].iter().take_while(|line| !line.trim_start().starts_with(next));
    let first = lines[at].trim_start().strip_prefix(label)?;
    let text = std::iter::once(first).chain(more.map(String::as_str)).collect::<Vec<_>>().join("\n");
    // A double's threshold follows its value.
    let value = text.split("> threshold used was <").next()?;
    Some(value.trim_end().trim_end_matches('>').to_owned())
}

/// `TEST(Spring, Name)` to its group and name.
fn group_and_name(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix("IGNORE_").unwrap_or(text).strip_prefix("TEST(")?;
    inside.split_once(')')?.0.split_once(", ")
}

/// `TEST(Spring, Name) - 0 ms`, as `-v` prints it.
fn test_ran(text: &str) -> Option<Test> {
    let (group, name) = group_and_name(text)?;
    let (_, time) = text.rsplit_once(" - ")?;
    let duration_ms = Some(time.strip_suffix(" ms")?.parse().ok()?);
    let outcome = if text.starts_with("IGNORE_") { TestOutcome::Skipped } else { TestOutcome::Passed };
    Some(Test { id: [group, ".", name].concat(), outcome, duration_ms })
}

/// The closing statement.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    is_ok: bool,
    failures: u64,
    ran: u64,
    ignored: u64,
    duration_ms: Option<u64>,
}

impl Tally {
    /// `Errors (3 failures, 5 tests, 4 ran, 4 checks, 1 ignored, 0 filtered out, 0 ms)`
    fn read(text: &str) -> Option<Tally> {
        let (is_ok, inside) = match text.strip_prefix("OK (") {
            Some(inside) => (true, inside),
            None => (false, text.strip_prefix("Errors (")?),
        };
        let mut tally = Tally { is_ok, ..Tally::default() };
        let mut checks = false;
        for part in inside.strip_suffix(')')?.split(", ") {
            let Some((number, word)) = part.split_once(' ') else { continue };
            let Ok(number) = number.parse() else { continue };
            match word {
                "failures" => tally.failures = number,
                "ran" => tally.ran = number,
                "ignored" => tally.ignored = number,
                "checks" => checks = true,
                "ms" => tally.duration_ms = Some(number),
                _ => {}
            }
        }
        checks.then_some(tally)
    }
}

#[cfg(test)]
mod tests {
    use super::FORMAT;
    use crate::said::said;

    fn check(text: &str, want: &[&str]) {
        assert_eq!(said(&FORMAT, text), want, "{text}");
    }

    #[test]
    fn a_check_in_a_helper_and_an_exception() {
        check(
            "\na_test.cpp:16: error: Failure in TEST(Spring, Name)\nhelper.cpp:3: error:\n\texpected <coil>\n\tbut was  <coin>\n\n.\n\
             a_test.cpp:20: error: Failure in TEST(Spring, Throws)\n\tUnexpected exception of type 'std::runtime_error' was thrown: no\n\n.\n\
             Errors (2 failures, 3 tests, 3 ran, 4 checks, 0 ignored, 0 filtered out, 1 ms)\n",
            &[
                "open",
                "assertion Spring.Name: expected <coil> but was  <coin>",
                "exception Spring.Throws: Unexpected exception of type 'std::runtime_error' was thrown: no",
                "red -/2/0",
            ],
        );
    }

    #[test]
    fn a_filter_that_matches_nothing() {
        check(
            "Errors (ran nothing, 3 tests, 0 ran, 0 checks, 0 ignored, 3 filtered out, 0 ms)\n",
            &["open", "notests -/0/0"],
        );
    }

    #[test]
    fn tests_are_named_when_verbose() {
        check(
            "TEST(Dock, Fee) - 0 ms\nIGNORE_TEST(Dock, Later) - 0 ms\n\n\
             OK (2 tests, 1 ran, 2 checks, 1 ignored, 0 filtered out, 0 ms)\n",
            &["open", "passed Dock.Fee", "skipped Dock.Later", "green 1/0/1"],
        );
    }

    #[test]
    fn values_of_several_lines_stay_whole() {
        let lines = ["expected <one", "two>", "but was  <three>", "difference starts at position 0"];
        let lines = lines.map(str::to_owned);
        assert_eq!(super::bracketed(&lines, "expected <", "but was").as_deref(), Some("one\ntwo"));
        assert_eq!(super::bracketed(&lines, "but was  <", "difference starts at ").as_deref(), Some("three"));
    }
}

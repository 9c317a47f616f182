//! testify's block (`assert.Fail` in `assertions.go`): `Error Trace:`, `Error:`, `Test:`, `Messages:`,
//! each a label between TABs with its further lines below it.

use super::entry::Checked;
use super::stack::{is_user, stacks};
use bv_schemas::Place;

/// Whether these are the lines of such a block.
pub fn is_block(lines: &[String]) -> bool {
    lines.iter().take(3).any(|line| line.trim_start().starts_with("Error Trace:"))
}

/// What the block says.
pub fn checked(lines: &[&str]) -> Option<Checked> {
    let block = Block::read(lines)?;
    let mut checked = Checked { message: block.message(), ..Checked::default() };
    for line in &block.error {
        let side = |label: &str| line.strip_prefix(label).map(|value| value.trim().to_owned());
        checked.expected = checked.expected.or_else(|| side("expected:"));
        checked.observed = checked
            .observed
            .or_else(|| side("actual  :").or_else(|| side("actual:")).or_else(|| side("received:")));
        checked.observed = checked.observed.or_else(|| side("in chain:").filter(|chain| !chain.is_empty()));
    }
    if checked.observed.is_none() {
        checked.observed = block.error.iter().find_map(|line| seen(line));
    }
    checked.frames = block.frames();
    checked.test = block.trace.last().cloned();
    Some(checked)
}

#[derive(Default)]
struct Block<'a> {
    /// The callers of the check, innermost first.
    trace: Vec<Place>,
    /// The lines of the error, trimmed.
    error: Vec<&'a str>,
    /// The same lines as they stand after the label's column.
    raw: Vec<&'a str>,
    messages: Vec<&'a str>,
}

impl<'a> Block<'a> {
    fn read(lines: &[&'a str]) -> Option<Block<'a>> {
        let mut block = Block::default();
        let mut label = "";
        for line in lines {
            let text = line.trim_start();
            let named = text.split_once(':').filter(|(name, _)| {
                matches!(*name, "Error Trace" | "Error" | "Test" | "Messages") && line.starts_with('\t')
            });
            let value = match named {
                Some((name, value)) => {
                    label = name;
                    value.trim_start_matches([' ', '\t'])
                }
                None => {
                    line.trim_start_matches('\t').trim_start_matches(' ').strip_prefix('\t').unwrap_or(text)
                }
            };
            match label {
                "Error Trace" => block.trace.extend(place(value)),
                "Error" => {
                    block.raw.push(value);
                    block.error.push(value.trim());
                }
                "Messages" => block.messages.push(value.trim()),
                _ => {}
            }
        }
        let any = !block.trace.is_empty() || !block.error.is_empty();
        (any && lines.iter().take(3).any(|line| line.trim_start().starts_with("Error Trace:")))
            .then_some(block)
    }

    /// The error's words, without the sides, the diff and the stack; then the author's message.
    fn message(&self) -> Option<String> {
        const ENDS: &[&str] = &[
            "Diff:",
            "expected:",
            "expected ",
            "actual",
            "Panic value:",
            "in chain:",
            "extra elements",
            "listA",
        ];
        let words = self.error.iter().enumerate().take_while(|(at, line)| {
            *at == 0 || !(line.is_empty() || ENDS.iter().any(|end| line.starts_with(end)))
        });
        let words: Vec<&str> = words.map(|(_, line)| *line).chain(self.messages.iter().copied()).collect();
        let text = words.join(" ").trim().to_owned();
        (!text.is_empty()).then_some(text)
    }

    /// The stack of a panic that should not be, else the callers of the check.
    fn frames(&self) -> Vec<Place> {
        let stack =
            stacks(self.raw.iter().map(|line| line.find("goroutine ").map_or(*line, |at| &line[at..])));
        let user: Vec<Place> = stack
            .first()
            .map(|stack| {
                stack.frames.iter().filter(|frame| is_user(frame)).map(super::Frame::place).collect()
            })
            .unwrap_or_default();
        if user.is_empty() { self.trace.clone() } else { user }
    }
}

/// `/tmp/x_test.go:20`; Go's own frames stand in it where a suite runs the test.
fn place(text: &str) -> Option<Place> {
    let (file, line) = text.trim().rsplit_once(':')?;
    let foreign = file.contains("/src/reflect/")
        || file.contains("/src/runtime/")
        || file.contains("/src/testing/")
        || file.contains("/pkg/mod/")
        || matches!(file, "value.go" | "suite.go" | "asm_amd64.s" | "testing.go");
    (!foreign).then_some(())?;
    Some(Place { file: Some(file.to_owned()), line: Some(line.parse().ok()?), function: None })
}

/// What was seen, in the words of checks that print no pair.
fn seen(line: &str) -> Option<String> {
    const LABELS: &[&str] =
        &["Expected nil, but got: ", ", but was ", "but has ", "Panic value:", ", actually ", "but got: "];
    let at = LABELS.iter().find_map(|label| line.find(label).map(|at| at + label.len()))?;
    let value = line[at..].trim();
    (!value.is_empty()).then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks() {
        for (text, message, expected, observed, frames) in [
            (
                "\n\tError Trace:\t/tmp/h_test.go:5\n\t            \t/tmp/a_test.go:20\n\tError:      \tNot equal: \n\t            \texpected: 3\n\t            \tactual  : 4\n\tTest:       \tTestA\n\tMessages:   \tline 0",
                "Not equal: line 0",
                Some("3"),
                Some("4"),
                2,
            ),
            (
                "\n\tError Trace:\t/tmp/a_test.go:20\n\tError:      \tReceived unexpected error:\n\t            \tno lines\n\tTest:       \tTestA",
                "Received unexpected error: no lines",
                None,
                None,
                1,
            ),
            (
                "\n\tError Trace:\t/tmp/a_test.go:20\n\tError:      \tShould be empty, but was [1]\n\tTest:       \tTestA",
                "Should be empty, but was [1]",
                None,
                Some("[1]"),
                1,
            ),
        ] {
            let lines: Vec<&str> = text.lines().collect();
            let got = checked(&lines).unwrap();
            assert_eq!(
                (got.message.as_deref(), got.expected.as_deref(), got.observed.as_deref(), got.frames.len()),
                (Some(message), expected, observed, frames),
                "{text}"
            );
        }
        assert_eq!(checked(&["Error: x"]), None);
    }
}

//! What Deno prints of one error: `error: RangeError: no tax rate for ZZ`, the source line with a pointer, the frames.

use crate::javascript::{Names, Naming, error, frame};
use crate::values::Sides;
use bv_schemas::Failure;

/// Reads an error, with or without `error: ` before it.
pub fn failure(text: &str) -> Failure {
    let mut lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    if let Some(first) = lines.first_mut() {
        let bare = first.strip_prefix("error: ").unwrap_or(first);
        let bare = bare.strip_prefix("(in promise) ").unwrap_or(bare);
        *first = bare.strip_prefix("Uncaught ").unwrap_or(bare);
    }
    // The source line and its pointer are no message.
    let stack = lines.iter().position(|line| line.starts_with("    at ") && frame(line).is_some());
    let stack = stack.unwrap_or(lines.len());
    if stack >= 2 && is_pointer(lines[stack - 1]) {
        lines.drain(stack - 2..stack);
    }
    let mut failure = error(&lines, Naming::Always, Names::Own);
    if let Some(sides) = compared(&lines) {
        sides.fill(&mut failure);
    }
    failure
}

fn is_pointer(line: &str) -> bool {
    let marks = line.trim();
    !marks.is_empty() && marks.bytes().all(|b| matches!(b, b'^' | b'~'))
}

/// The lines below `[Diff] Actual / Expected`, of the standard library's assertions: `-` was seen.
fn compared(lines: &[&str]) -> Option<Sides> {
    let at = lines.iter().position(|line| line.contains("[Diff] ") && line.contains("Actual"))?;
    let side = |sign: char| {
        let below = lines[at + 1..].iter().take_while(|line| !line.starts_with("    at "));
        let lines: Vec<&str> = below.filter_map(|line| line.strip_prefix(sign)).collect();
        let indent = |line: &&str| line.len() - line.trim_start().len();
        let common = lines.iter().map(indent).min()?;
        Some(lines.iter().map(|line| &line[common..]).collect::<Vec<_>>().join("\n"))
    };
    Some(Sides { observed: side('-'), expected: side('+') })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors() {
        let got = failure(
            "error: AssertionError: Values are not equal.\n\n\n    [Diff] Actual / Expected\n\n\n-   1\n+   2\n\n  throw new AssertionError(message);\n        ^\n    at assertEquals (https://jsr.io/@std/assert/1.0.0/equals.ts:64:9)\n    at file:///w/a_test.ts:4:3\n",
        );
        assert_eq!(got.message.as_deref(), Some("Values are not equal."));
        assert_eq!((got.expected.as_deref(), got.observed.as_deref()), (Some("2"), Some("1")));
        assert_eq!(got.test.and_then(|place| place.line), Some(4));
        let got = failure(
            "error: (in promise) Error: baz\nthrow new Error(\"baz\");\n      ^\n    at file:///w/a.ts:1:7\n",
        );
        assert_eq!((got.exception_type.as_deref(), got.message.as_deref()), (Some("Error"), Some("baz")));
    }
}

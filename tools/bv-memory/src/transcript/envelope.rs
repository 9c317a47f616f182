//! What harnesses wrap around a command's output before a model reads it: taken off, the exit code read.
//!
//! In: the text of one result. Out: the command's own output, and its exit code where the wrapping tells it. The
//! shapes are those of Claude Code, Codex and mini-swe-agent, and JSON objects with an output and a code; text of
//! any other shape is the output itself.

use super::json::{self, Value};
use std::borrow::Cow;

/// A command's output out of its wrapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unwrapped<'a> {
    /// What the command printed, as far as the harness passed it on.
    pub output: Cow<'a, str>,
    /// Its exit code.
    pub exit: Option<i64>,
}

/// Takes the wrapping off.
pub fn open(text: &str) -> Unwrapped<'_> {
    object(text)
        .or_else(|| tags(text))
        .or_else(|| header(text))
        .or_else(|| prefix(text))
        .unwrap_or(Unwrapped { output: Cow::Borrowed(text), exit: None })
}

/// `{"output":"…","metadata":{"exit_code":1}}` (Codex), `{"returncode":1,"output":"…"}` (mini-swe-agent),
/// `{"stdout":"…","stderr":"…","exit_code":1}`.
fn object(text: &str) -> Option<Unwrapped<'_>> {
    if !text.trim_start().starts_with('{') || !json::is_json(text) {
        return None;
    }
    let value = Value::within(text, 0..text.len())?;
    let string = |name| value.get(name).filter(Value::is_string).and_then(|value| value.text());
    let output = match (string("output"), string("stdout"), string("stderr")) {
        (Some(output), None, None) => output.into_owned(),
        (None, Some(stdout), None) => stdout.into_owned(),
        (None, Some(stdout), Some(stderr)) => joined(&stdout, &stderr),
        _ => return None,
    };
    let code = |of: Value<'_>| {
        ["exit_code", "exitCode", "returncode", "return_code"].iter().find_map(|name| of.get(name)?.integer())
    };
    let exit = code(value).or_else(|| code(value.get("metadata")?));
    Some(Unwrapped { output: Cow::Owned(output), exit })
}

fn joined(stdout: &str, stderr: &str) -> String {
    let gap = if stdout.is_empty() || stdout.ends_with('\n') { "" } else { "\n" };
    format!("{stdout}{gap}{stderr}")
}

/// `<returncode>1</returncode>` and `<output>…</output>` (mini-swe-agent).
fn tags(text: &str) -> Option<Unwrapped<'_>> {
    let (code, rest) = text.trim_start().strip_prefix("<returncode>")?.split_once("</returncode>")?;
    let output = rest.trim_start().strip_prefix("<output>")?.trim_end().strip_suffix("</output>")?;
    Some(Unwrapped { output: Cow::Borrowed(output), exit: code.trim().parse().ok() })
}

/// Codex' lines above the output, in whatever order: `Exit code: 1`, `Wall time: 0.2 seconds`,
/// `Process exited with code 1`, and `Output:` as the last.
fn header(text: &str) -> Option<Unwrapped<'_>> {
    const LINES_MAX: usize = 8;
    const KNOWN: &[&str] =
        &["Chunk ID: ", "Wall time: ", "Process running ", "Original token count: ", "Total output lines: "];
    let (mut exit, mut at) = (None, 0);
    for line in text.split_inclusive('\n').take(LINES_MAX) {
        at += line.len();
        let line = line.trim_end();
        let code =
            line.strip_prefix("Exit code: ").or_else(|| line.strip_prefix("Process exited with code "));
        if let Some(code) = code {
            exit = code.parse().ok();
        } else if line == "Output:" {
            return Some(Unwrapped { output: Cow::Borrowed(&text[at..]), exit });
        } else if !KNOWN.iter().any(|known| line.starts_with(known)) {
            return None;
        }
    }
    None
}

/// `Exit code 1` in a line of its own above what a failed command printed (Claude Code).
fn prefix(text: &str) -> Option<Unwrapped<'_>> {
    let rest = text.strip_prefix("Error: ").unwrap_or(text).strip_prefix("Exit code ")?;
    let (code, output) = rest.split_once('\n')?;
    Some(Unwrapped { output: Cow::Borrowed(output), exit: Some(code.trim().parse().ok()?) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, output: &str, exit: Option<i64>) {
        assert_eq!(open(text), Unwrapped { output: output.into(), exit }, "{text}");
    }

    #[test]
    fn wrappings_of_known_shape_come_off() {
        check("1 failed\n", "1 failed\n", None);
        check("Exit code 1\n1 failed\n", "1 failed\n", Some(1));
        check("Error: Exit code 139\n\nboom", "\nboom", Some(139));
        check(
            r#"{"output":"1 failed\n","metadata":{"exit_code":1,"duration_seconds":0.3}}"#,
            "1 failed\n",
            Some(1),
        );
        check(r#"{"returncode":0,"output":"ok"}"#, "ok", Some(0));
        check(r#"{"stdout":"a","stderr":"b","exitCode":2}"#, "a\nb", Some(2));
        check("<returncode>1</returncode>\n<output>\n1 failed\n</output>", "\n1 failed\n", Some(1));
        check("Exit code: 1\nWall time: 0.2 seconds\nOutput:\n1 failed\n", "1 failed\n", Some(1));
        check(
            "Chunk ID: a1\nWall time: 0.2 seconds\nProcess exited with code 101\nOriginal token count: 9\nOutput:\nx",
            "x",
            Some(101),
        );
        check("Wall time: 3 seconds\nProcess running with session ID 4\nOutput:\n..", "..", None);
    }

    #[test]
    fn what_only_begins_alike_is_the_output_itself() {
        for text in [
            "Exit code one\nx",
            "Exit code 1",
            "Exit code: 1\nfree text\nOutput:\nx",
            r#"{"status":"passed","vectors_verified":2}"#,
            r#"{"output":"a","stdout":"b"}"#,
            r#"{"output":"a""#,
            "<returncode>1</returncode> and more",
            "",
        ] {
            check(text, text, None);
        }
    }
}

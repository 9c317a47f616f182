//! The verdict of a stream, by the law of the verdict: evidence of failure beats a closing word that says
//! all is well, `passed` needs a whole stream that says so, and what is unknown is refused.
//!
//! In comes the stream; out goes one of three verdicts. Which failure to show is left to `cause`.

use crate::read::{Broken, End, Stream};
use bv_schemas::{Outcome, Status, exit};

/// What can be said of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All that ran held.
    Passed,
    /// Something failed.
    Failed,
    /// Nothing can be said of the code: the `bv.REASON` and the reason in words.
    Refused {
        /// `bv.` and the reason's name.
        rule: String,
        /// For a person, short.
        reason: String,
    },
}

/// The verdict of `stream`.
pub fn verdict(stream: &Stream) -> Verdict {
    let said = stream.end.as_ref().map(|end| of_end(end, stream.seen));
    match (said, stream.broken) {
        (Some(said), None) => said,
        // A bad line in a stream that is whole otherwise takes nothing back that was seen to fail.
        (Some(Verdict::Failed), Some(Broken::Unreadable(_))) => Verdict::Failed,
        (Some(said @ Verdict::Refused { .. }), Some(Broken::Unreadable(_))) if stream.seen > 0 => said,
        (None, Some(Broken::Unreadable(_))) if stream.seen > 0 => Verdict::Failed,
        (_, broken) => Verdict::Refused {
            rule: "bv.broken_stream".into(),
            reason: broken_words(broken.unwrap_or(Broken::NoEnd)),
        },
    }
}

fn of_end(end: &End, seen: u64) -> Verdict {
    match end.outcome {
        Outcome::Failed => Verdict::Failed,
        Outcome::Passed if seen > 0 || end.counts.red() > 0 => Verdict::Failed,
        Outcome::Passed if end.exit_is_zero == Some(false) => refused("exit_contradicts", None),
        Outcome::Passed => Verdict::Passed,
        Outcome::Refused => refused(end.reason.as_deref().unwrap_or("refused"), end.message.clone()),
    }
}

/// The exit status of bv-receipt for a receipt of this status.
pub fn exit_code(status: Status) -> u8 {
    match status {
        Status::Passed => exit::PASSED,
        Status::FailedAssertion | Status::RuntimeException => exit::FAILED,
        Status::RefusedPrecondition => exit::REFUSED,
    }
}

fn refused(reason: &str, words: Option<String>) -> Verdict {
    Verdict::Refused { rule: format!("bv.{reason}"), reason: words.unwrap_or_else(|| reason_words(reason)) }
}

fn broken_words(broken: Broken) -> String {
    match broken {
        Broken::Empty => "no stream: standard input is empty".into(),
        Broken::NoRecords => "no stream: pipe the output through bv-parse first".into(),
        Broken::NoEnd => "the stream is cut off before its end record".into(),
        Broken::SeveralEnds => "the stream has several end records".into(),
        Broken::BehindEnd => "a record follows the end record".into(),
        Broken::Unreadable(line) => format!("line {line} of the stream is no record"),
    }
}

fn reason_words(reason: &str) -> String {
    match reason {
        "no_input" => "the output is empty",
        "unrecognised_output" => "no known test runner in the output",
        "no_tests" => "no test ran",
        "compile_error" => "the code does not compile, no test ran",
        "collection_error" => "the tests could not be loaded",
        "not_runnable" => "the command could not be run",
        "truncated" => "the output ends before the runner's closing statement",
        "timeout" => "the time limit ended the run",
        "exit_contradicts" => "the runner says passed, the exit status does not",
        "broken_stream" => "the stream is broken",
        "no_adapter" => "no graphics adapter",
        "unsupported_feature" => "the graphics adapter lacks a feature",
        "missing_file" => "a file is missing",
        "bad_input" => "the input cannot be read",
        "no_vectors" => "no vector applied",
        other => return other.replace('_', " "),
    }
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::read;

    const FAILURE: &str = r#"{"type":"failure","id":"t","kind":"assertion"}"#;
    const PASSED: &str = r#"{"type":"end","outcome":"passed","counts":{"passed":3}}"#;
    const FAILED: &str = r#"{"type":"end","outcome":"failed","counts":{"failed":1}}"#;
    const COMPILE: &str = r#"{"type":"end","outcome":"refused","reason":"compile_error"}"#;

    /// `expected` is `passed`, `failed`, or the rule of a refusal.
    fn check(lines: &[&str], expected: &str) {
        let stream = read(lines.join("\n").as_bytes()).expect("memory does not fail");
        let got = match verdict(&stream) {
            Verdict::Passed => "passed".to_owned(),
            Verdict::Failed => "failed".to_owned(),
            Verdict::Refused { rule, .. } => rule,
        };
        assert_eq!(got, expected, "{lines:?}");
    }

    #[test]
    fn a_whole_stream_says_its_verdict() {
        check(&[PASSED], "passed");
        check(&["\u{feff}{\"type\":\"later\"}\r", "", PASSED], "passed");
        check(&[FAILURE, FAILED], "failed");
        check(&[FAILED], "failed");
        check(&[FAILURE, COMPILE], "bv.compile_error");
        check(&[r#"{"type":"end","outcome":"refused","reason":"sun_spots"}"#], "bv.sun_spots");
        check(&[r#"{"type":"end","outcome":"refused","reason":"Not a word"}"#], "bv.refused");
    }

    #[test]
    fn evidence_of_failure_beats_a_pass() {
        check(&[FAILURE, PASSED], "failed");
        check(&[r#"{"type":"failure","id":7,"kind":[]}"#, PASSED], "failed");
        check(&[r#"{"type":"end","outcome":"passed","counts":{"passed":3,"errored":1}}"#], "failed");
        check(&[r#"{"type":"end","outcome":"passed","exit":1}"#], "bv.exit_contradicts");
        check(&[r#"{"type":"end","outcome":"passed","exit":"signal SIGSEGV"}"#], "bv.exit_contradicts");
        check(&[r#"{"type":"end","outcome":"passed","exit":0}"#], "passed");
        check(&[r#"{"type":"failure","id":"cut of"#, PASSED], "failed");
    }

    #[test]
    fn a_broken_stream_is_no_pass() {
        check(&[], "bv.broken_stream");
        check(&["1 passed in 0.01s"], "bv.broken_stream");
        check(&[FAILURE], "bv.broken_stream");
        check(&[PASSED, PASSED], "bv.broken_stream");
        check(&[PASSED, r#"{"type":"later"}"#], "bv.broken_stream");
        check(&["garbage", PASSED], "bv.broken_stream");
        check(&[r#"["type"]"#, PASSED], "bv.broken_stream");
        check(&[PASSED, "garbage"], "bv.broken_stream");
        check(&[r#"{"type":"end","outcome":"splendid"}"#], "bv.broken_stream");
        check(&[r#"{"type":"end"}"#], "bv.broken_stream");
    }

    #[test]
    fn a_bad_line_takes_no_failure_back() {
        check(&["garbage", FAILED], "failed");
        check(&["garbage", FAILURE, PASSED], "failed");
        check(&["garbage", FAILURE, COMPILE], "bv.compile_error");
        check(&["garbage", COMPILE], "bv.broken_stream");
        check(&[FAILURE, r#"{"type":"end"}"#], "failed");
    }
}

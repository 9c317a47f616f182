//! CTest's table (`cmCTestRunTest.cxx`): a test's start, its result, its place in the final list.

use crate::values::is_number;

/// A test's result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestLine {
    /// Its name.
    pub name: String,
    /// Its number.
    pub number: u64,
    /// How it ended.
    pub outcome: Outcome,
    /// The status as printed, without the asterisks; empty for a plain `Failed`.
    pub message: String,
    /// Its time.
    pub duration_ms: Option<u64>,
}

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// `Passed`.
    Passed,
    /// `***Failed`, also by a regular expression that its output must match.
    Failed,
    /// `***Exception: SegFault`, `Subprocess aborted***Exception:`.
    Crashed,
    /// `***Timeout`.
    TimedOut,
    /// `***Skipped`, `***Not Run (Disabled)`.
    Skipped,
    /// `***Not Run`: CTest counts it as failed.
    NotRun,
}

/// `2/6 Test #2: sim.step .........................***Failed    0.01 sec`.
pub fn line(text: &str) -> Option<TestLine> {
    let (before, rest) = text.split_once("Test ")?;
    let before = before.trim();
    let counted = before.split_once('/').is_some_and(|(a, b)| is_number(a) && is_number(b.trim()));
    if !(before.is_empty() || counted) {
        return None;
    }
    let (number, rest) = rest.trim_start().strip_prefix('#')?.split_once(": ")?;
    let number = number.parse().ok()?;
    let end = rest.rfind("..")? + 2;
    let dots = rest[..end].bytes().rev().take_while(|byte| *byte == b'.').count();
    let name = rest[..end - dots].strip_suffix(' ')?.trim();
    let (status, duration_ms) = timed(rest[end..].trim());
    let (outcome, message) = outcome(status)?;
    (!name.is_empty()).then(|| TestLine { name: name.to_owned(), number, outcome, message, duration_ms })
}

/// `\t  2 - sim.step (Failed)`, labels behind it.
pub fn listed(text: &str) -> Option<TestLine> {
    let (number, rest) = text.trim_start().split_once(" - ")?;
    let number = number.trim().parse().ok()?;
    let (name, rest) = rest.rsplit_once(" (")?;
    let status = rest.split(')').next()?;
    let (outcome, message) = match status {
        "Failed" => (Outcome::Failed, ""),
        "Timeout" => (Outcome::TimedOut, status),
        "Not Run" | "BAD_COMMAND" => (Outcome::NotRun, status),
        "Skipped" | "Disabled" => return None,
        _ => (Outcome::Crashed, status),
    };
    Some(TestLine { name: name.to_owned(), number, outcome, message: message.to_owned(), duration_ms: None })
}

/// `    Start 2: sim.step`.
pub fn is_start(text: &str) -> bool {
    let rest = text.trim_start().strip_prefix("Start ").filter(|_| text.starts_with(' '));
    rest.and_then(|rest| rest.trim_start().split_once(": ")).is_some_and(|(number, _)| is_number(number))
}

/// `2: output`, as `-V` prints it.
pub fn prefixed(text: &str) -> Option<(u64, &str)> {
    let (number, line) = text.split_once(':')?;
    let number = number.parse().ok()?;
    Some((number, if line.is_empty() { line } else { line.strip_prefix(' ')? }))
}

fn timed(rest: &str) -> (&str, Option<u64>) {
    let split = rest.strip_suffix(" sec").and_then(|rest| {
        let (status, time) = rest.rsplit_once(' ')?;
        Some((status.trim_end(), crate::values::milliseconds(time.parse().ok()?)?))
    });
    split.map_or((rest, None), |(status, ms)| (status, Some(ms)))
}

fn outcome(status: &str) -> Option<(Outcome, String)> {
    if status == "Passed" {
        return Some((Outcome::Passed, String::new()));
    }
    let (before, after) = status.split_once("***")?;
    let found = match after {
        "Failed" => (Outcome::Failed, String::new()),
        "Skipped" | "Not Run (Disabled)" => (Outcome::Skipped, String::new()),
        _ if after.starts_with("Failed") => (Outcome::Failed, after["Failed".len()..].trim().to_owned()),
        _ if after.starts_with("Timeout") => (Outcome::TimedOut, after.to_owned()),
        _ if after.starts_with("Not Run") => (Outcome::NotRun, after.to_owned()),
        _ if after.starts_with("Exception") => (
            Outcome::Crashed,
            match before {
                "" => after.to_owned(),
                before => before.to_owned(),
            },
        ),
        _ => return None,
    };
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        use Outcome::{Crashed, Failed, NotRun, Passed, Skipped, TimedOut};
        for (text, want) in [
            (
                "1/6 Test #1: sim.ok ...........................   Passed    0.01 sec",
                Some(("sim.ok", Passed, "")),
            ),
            (
                "2/6 Test #2: sim.step .........................***Failed    0.01 sec",
                Some(("sim.step", Failed, "")),
            ),
            (
                " 3/12 Test  #3: a..b ....***Exception: SegFault  0.00 sec",
                Some(("a..b", Crashed, "Exception: SegFault")),
            ),
            (
                "3/6 Test #3: x ....Subprocess aborted***Exception:   0.19 sec",
                Some(("x", Crashed, "Subprocess aborted")),
            ),
            ("4/6 Test #4: sim.slow ......***Timeout   1.00 sec", Some(("sim.slow", TimedOut, "Timeout"))),
            ("5/6 Test #5: s ........***Skipped   0.00 sec", Some(("s", Skipped, ""))),
            ("5/6 Test #5: s ........***Not Run (Disabled)   0.00 sec", Some(("s", Skipped, ""))),
            ("6/6 Test #6: m ........***Not Run   0.00 sec", Some(("m", NotRun, "Not Run"))),
            (
                "1/1 Test #1: r .....***Failed  Required regular expression not found. Regex=[ok]  0.00 sec",
                Some(("r", Failed, "Required regular expression not found. Regex=[ok]")),
            ),
            ("    Test #2: again ....   Passed    0.00 sec", Some(("again", Passed, ""))),
            ("the Test #2: of ....   Passed    0.00 sec", None),
            ("Test #x: ü ...", None),
        ] {
            let got = line(text);
            assert_eq!(
                got.as_ref().map(|l| (l.name.as_str(), l.outcome, l.message.as_str())),
                want,
                "{text}"
            );
        }
    }

    #[test]
    fn lists() {
        let got = listed("\t  3 - sim.div (NUMERICAL)   slow").map(|l| (l.name, l.outcome, l.message));
        assert_eq!(got, Some(("sim.div".into(), Outcome::Crashed, "NUMERICAL".into())));
        assert_eq!(listed("\t  5 - sim.skip (Skipped)"), None);
    }
}

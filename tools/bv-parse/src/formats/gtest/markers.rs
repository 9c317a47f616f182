//! The printer's marks (`PrettyUnitTestResultPrinter` in `gtest.cc`).

use super::crash::DEATHS;
use aho_corasick::AhoCorasick;
use bv_schemas::TestOutcome;
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// What follows a suite's name where one of its hooks failed.
pub const SUITE_HOOKS: &str = ": SetUpTestSuite or TearDownTestSuite";

/// A line that the printer itself wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Marker<'a> {
    /// `[==========] Running N tests from M test suites.`
    Start,
    /// `[ RUN      ] X`.
    Run(&'a str),
    /// `[       OK ] X (0 ms)`, `[  SKIPPED ] X (0 ms)`; no outcome: `[  FAILED  ] X (0 ms)`.
    Ended(Name<'a>, Option<TestOutcome>, Option<u64>),
    /// `[==========] N tests from M test suites ran. (0 ms total)`.
    Ran(u64, Option<u64>),
    /// `[  PASSED  ] N tests.`
    Passed(u64),
    /// `[  SKIPPED ] N tests, listed below:`.
    Skipped(u64),
    /// `[  FAILED  ] N tests, listed below:`.
    Failed(u64),
    /// `[  FAILED  ] X` in that list; with `--gtest_print_time=0` a test that runs ends so, too.
    Listed(Name<'a>),
    /// `[  SKIPPED ] X`, likewise.
    ListedSkip(Name<'a>),
    /// ` N FAILED TESTS`.
    FailedTests,
    /// `[----------] 3 tests from X`, with parameters behind it.
    Suite(&'a str),
    /// `[----------] 3 tests from X (0 ms total)` and the like: a check's lines end there.
    Other,
}

/// A test's name, and what is printed of its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name<'a> {
    /// `Suite.Test/0`.
    pub id: &'a str,
    /// `GetParam() = 5`, `TypeParam = int and GetParam() = 5`; empty where there are none.
    pub parameters: &'a str,
}

impl Name<'_> {
    /// Name to printed value.
    pub fn parameters(&self) -> Option<Map<String, Value>> {
        let mut rest = self.parameters;
        let mut found = Map::new();
        if let Some(value) = rest.strip_prefix("TypeParam = ") {
            let (value, after) =
                value.split_once(" and GetParam() = ").map_or((value, None), |(v, a)| (v, Some(a)));
            found.insert("TypeParam".into(), value.into());
            rest = "";
            if let Some(value) = after {
                found.insert("GetParam()".into(), value.into());
            }
        }
        if let Some(value) = rest.strip_prefix("GetParam() = ") {
            found.insert("GetParam()".into(), value.into());
        }
        (!found.is_empty()).then_some(found)
    }
}

/// The mark in this line.
pub fn marker(line: &str) -> Option<Marker<'_>> {
    if !line.starts_with('[') {
        let counted = line.as_bytes().first().is_some_and(|byte| matches!(byte, b' ' | b'0'..=b'9'));
        return (counted && failed_tests(line)).then_some(Marker::FailedTests);
    }
    let mark = line.get(..13)?;
    let rest = line[13..].trim_end();
    match mark {
        "[==========] " => counted(rest),
        "[ RUN      ] " => is_name(rest).then_some(Marker::Run(rest)),
        "[       OK ] " => ended(rest, Some(TestOutcome::Passed)).or_else(|| {
            // `--gtest_print_time=0`
            name(rest).map(|name| Marker::Ended(name, Some(TestOutcome::Passed), None))
        }),
        "[  SKIPPED ] " => match number(rest, " listed below:").or_else(|| number(rest, ".")) {
            Some(n) => Some(Marker::Skipped(n)),
            None => ended(rest, Some(TestOutcome::Skipped))
                .or_else(|| name(rest).map(Marker::ListedSkip))
                .or(Some(Marker::Other)),
        },
        "[  FAILED  ] " => match number(rest, " listed below:") {
            // A list of suites follows that of tests.
            Some(_) if rest.contains(" test suite") || rest.contains(" test case") => Some(Marker::Other),
            Some(n) => Some(Marker::Failed(n)),
            None => ended(rest, None).or_else(|| name(rest).map(Marker::Listed)).or_else(|| {
                rest.ends_with(SUITE_HOOKS).then_some(Marker::Listed(Name { id: rest, parameters: "" }))
            }),
        },
        "[  PASSED  ] " => number(rest, ".").map(Marker::Passed),
        "[----------] " => {
            let suite = rest.split_once(" from ").filter(|_| !rest.ends_with(" ms total)"));
            Some(suite.map_or(Marker::Other, |(_, suite)| {
                Marker::Suite(suite.split(", where ").next().unwrap_or(suite))
            }))
        }
        "[ DISABLED ] " => Some(Marker::Other),
        _ => None,
    }
}

/// Texts of which one stands in each line that begins a failed check, ends a test after output, or tells of
/// a death.
static MARKS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let own =
        [": Failure", ": error: ", ": Skipped", "[       OK ] ", "[  FAILED  ] ", "[  SKIPPED ] ", "what():"];
    AhoCorasick::new(own.iter().chain(DEATHS)).ok()
});

/// Whether a line that is no mark may matter all the same: most do not, and this is cheap.
pub fn may_speak(line: &str) -> bool {
    MARKS.as_ref().is_none_or(|marks| marks.is_match(line))
}

/// The end of a test after output without a newline; and that output.
pub fn glued(line: &str) -> Option<(&str, Name<'_>, Option<TestOutcome>, Option<u64>)> {
    let at = ["[       OK ] ", "[  FAILED  ] ", "[  SKIPPED ] "].iter().find_map(|mark| line.rfind(mark))?;
    match marker(&line[at..])? {
        Marker::Ended(name, outcome, duration) if at > 0 => Some((&line[..at], name, outcome, duration)),
        _ => None,
    }
}

fn counted(rest: &str) -> Option<Marker<'_>> {
    if let Some(running) = rest.strip_prefix("Running ") {
        return running.contains(" from ").then_some(Marker::Start);
    }
    let (total, rest) = rest.split_once(' ')?;
    let total = total.parse().ok()?;
    let (_, ran) = rest.split_once(" ran.")?;
    rest.contains(" from ").then(|| Marker::Ran(total, millis(ran.trim(), " ms total)")))
}

fn ended(rest: &str, outcome: Option<TestOutcome>) -> Option<Marker<'_>> {
    let (before, time) = rest.rsplit_once(" (")?;
    let duration_ms = millis(&rest[before.len() + 1..], " ms)");
    time.ends_with(" ms)").then_some(())?;
    Some(Marker::Ended(name(before)?, outcome, duration_ms))
}

/// `(12 ms)`.
fn millis(text: &str, end: &str) -> Option<u64> {
    text.strip_prefix('(')?.strip_suffix(end)?.parse().ok()
}

fn name(text: &str) -> Option<Name<'_>> {
    let (id, parameters) = text.split_once(", where ").unwrap_or((text, ""));
    is_name(id).then_some(Name { id, parameters })
}

/// `Suite.Test`; cmocka, whose marks are the same, has no suites.
fn is_name(text: &str) -> bool {
    text.split_once('.').is_some_and(|(suite, test)| !suite.is_empty() && !test.is_empty())
        && !text.contains(' ')
}

/// `3 tests, listed below:`, `1 test.`
fn number(rest: &str, end: &str) -> Option<u64> {
    let (n, words) = rest.split_once(' ')?;
    (words.starts_with("test") && !words.contains("(s)") && words.ends_with(end)).then_some(())?;
    n.parse().ok()
}

/// ` 6 FAILED TESTS`; also where it stands with suites: ` 1 FAILED TEST SUITE`.
fn failed_tests(line: &str) -> bool {
    let Some((n, words)) = line.trim().split_once(' ') else { return false };
    words.starts_with("FAILED TEST") && n.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks() {
        let name = |id, parameters| Name { id, parameters };
        for (line, want) in [
            ("[==========] Running 10 tests from 3 test suites.", Some(Marker::Start)),
            ("[==========] Running 3 test(s).", None),
            ("[ RUN      ] Spring.Energy", Some(Marker::Run("Spring.Energy"))),
            ("[ RUN      ] test_of_cmocka", None),
            (
                "[       OK ] Spring.Energy (12 ms)",
                Some(Marker::Ended(name("Spring.Energy", ""), Some(TestOutcome::Passed), Some(12))),
            ),
            (
                "[  FAILED  ] Soft/T.Period/2, where GetParam() = (100, 629) (0 ms)",
                Some(Marker::Ended(name("Soft/T.Period/2", "GetParam() = (100, 629)"), None, Some(0))),
            ),
            ("[  FAILED  ] Spring.Energy", Some(Marker::Listed(name("Spring.Energy", "")))),
            ("[  FAILED  ] 6 tests, listed below:", Some(Marker::Failed(6))),
            ("[  FAILED  ] 1 test suite, listed below:", Some(Marker::Other)),
            ("[----------] 1 test from Typed/0, where TypeParam = int", Some(Marker::Suite("Typed/0"))),
            ("[----------] 1 test from Typed/0 (0 ms total)", Some(Marker::Other)),
            ("[  SKIPPED ] Spring.Energy", Some(Marker::ListedSkip(name("Spring.Energy", "")))),
            ("[  SKIPPED ] 1 test, listed below:", Some(Marker::Skipped(1))),
            ("[  PASSED  ] 3 tests.", Some(Marker::Passed(3))),
            ("[  PASSED  ] 2 test(s).", None),
            ("[==========] 10 tests from 3 test suites ran. (7 ms total)", Some(Marker::Ran(10, Some(7)))),
            (" 6 FAILED TESTS", Some(Marker::FailedTests)),
            ("6 things", None),
            ("[ü", None),
        ] {
            assert_eq!(marker(line), want, "{line}");
        }
    }

    #[test]
    fn parameters() {
        let name = Name { id: "", parameters: "TypeParam = int and GetParam() = 5" };
        let got = name.parameters().map(Value::Object);
        assert_eq!(got, Some(serde_json::json!({"TypeParam": "int", "GetParam()": "5"})));
    }
}

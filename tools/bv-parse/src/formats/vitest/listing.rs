//! The lines of files and tests above the details.

use crate::javascript::is_user_file;
use bv_schemas::{Test, TestOutcome};

/// What a line of the listing tells.
#[derive(Debug, PartialEq)]
pub enum Listed {
    /// ` ❯ test/a.test.js (9 tests | 4 failed) 303ms`
    File {
        /// As printed.
        path: String,
        /// Tests collected.
        tests: u64,
        /// Tests that failed.
        failed: u64,
    },
    /// ` ✓ test/a.test.js > suite > test 4ms`, of the `verbose` reporter.
    Test(Test),
    /// ` × test/a.test.js > suite > test 4ms`, by its name.
    Failed(String),
}

/// Reads a line.
pub fn line(text: &str) -> Option<Listed> {
    let (mark, rest) = text.strip_prefix(' ')?.split_once(' ')?;
    if !matches!(mark, "✓" | "❯" | "×" | "↓" | "□" | "√" | "✗") {
        return None;
    }
    let rest = rest.strip_prefix('|').and_then(|rest| rest.split_once("| ")).map_or(rest, |(_, rest)| rest);
    if let Some(file) = file(rest) {
        return Some(file);
    }
    let (id, duration_ms, retried) = tailed(rest);
    if !id.contains(" > ") {
        return None;
    }
    let outcome = match mark {
        "✓" | "√" if retried => TestOutcome::Flaky,
        "✓" | "√" => TestOutcome::Passed,
        "↓" => TestOutcome::Skipped,
        "□" => TestOutcome::Todo,
        "×" | "✗" => return Some(Listed::Failed(id.to_owned())),
        _ => return None,
    };
    Some(Listed::Test(Test { id: id.to_owned(), outcome, duration_ms }))
}

fn file(rest: &str) -> Option<Listed> {
    let (path, rest) = rest.split_once(" (")?;
    let (inside, _) = rest.split_once(')')?;
    let mut parts = inside.split(" | ");
    let tests = parts.next()?.strip_suffix(" tests").or(inside.split(" | ").next()?.strip_suffix(" test"))?;
    let failed = parts.find_map(|part| part.strip_suffix(" failed")).map_or(Some(0), |n| n.parse().ok())?;
    let tests = tests.parse().ok()?;
    (is_user_file(path) && !path.contains(" > ")).then(|| Listed::File {
        path: path.to_owned(),
        tests,
        failed,
    })
}

/// A test's name without what stands behind it: `4ms (retry x2) 30 MB heap used [note]`.
fn tailed(text: &str) -> (&str, Option<u64>, bool) {
    let mut text = text.trim_end();
    let mut retried = false;
    if let Some((head, _)) = text.strip_suffix(" MB heap used").and_then(|head| head.rsplit_once(' ')) {
        text = head;
    }
    for (open, retry) in [(" (repeat x", false), (" (retry x", true)] {
        if let Some((head, count)) = text.strip_suffix(')').and_then(|head| head.rsplit_once(open))
            && count.bytes().all(|b| b.is_ascii_digit())
        {
            (text, retried) = (head, retried || retry);
        }
    }
    match text.rsplit_once(' ').and_then(|(head, time)| Some((head, time.strip_suffix("ms")?.parse().ok()?)))
    {
        Some((head, ms)) => (head.trim_end(), Some(ms), retried),
        None => (text, None, retried),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(id: &str, outcome: TestOutcome, duration_ms: Option<u64>) -> Option<Listed> {
        Some(Listed::Test(Test { id: id.into(), outcome, duration_ms }))
    }

    #[test]
    fn lines() {
        let file = |path: &str, tests, failed| Some(Listed::File { path: path.into(), tests, failed });
        for (text, want) in [
            (" ❯ test/a.test.js (9 tests | 4 failed | 2 skipped) 303ms", file("test/a.test.js", 9, 4)),
            (" ❯ test/a.test.js (0 test)", file("test/a.test.js", 0, 0)),
            (" ✓ |web| test/a.test.js (1 test) 5ms", file("test/a.test.js", 1, 0)),
            (" ✓ test/a.test.js > s > t 4ms", test("test/a.test.js > s > t", TestOutcome::Passed, Some(4))),
            (" ✓ test/a.test.js > t 4ms (retry x2)", test("test/a.test.js > t", TestOutcome::Flaky, Some(4))),
            (" ↓ test/a.test.js > t", test("test/a.test.js > t", TestOutcome::Skipped, None)),
            (" × test/a.test.js > t 12ms", Some(Listed::Failed("test/a.test.js > t".into()))),
            ("     × t 12ms", None),
            (" ✓ all is well", None),
            (" ❯ retry src/retry.js:11:9", None),
        ] {
            assert_eq!(line(text), want, "{text}");
        }
    }
}

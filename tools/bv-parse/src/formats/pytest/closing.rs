//! pytest's closing line: `=== 1 failed, 2 passed in 3.72s ===`, with `-q` without the rulers.

use bv_schemas::Counts;

/// A closing line, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Tests that passed.
    pub passed: u64,
    /// Tests that failed, subtests that failed with them.
    pub failed: u64,
    /// Errors in fixtures and in collection.
    pub errors: u64,
    /// Tests left out.
    pub skipped: u64,
    /// Failed as announced.
    pub xfailed: u64,
    /// Passed though a failure was announced, and nobody minds.
    pub xpassed: u64,
    /// It counts collected tests (`--collect-only`): nothing ran.
    pub collected_only: bool,
    /// Milliseconds.
    pub duration_ms: Option<u64>,
}

impl Summary {
    /// Tests that came to an end without fault.
    pub fn well(&self) -> u64 {
        self.passed + self.skipped + self.xfailed + self.xpassed
    }

    /// Whether anything failed.
    pub fn is_red(&self) -> bool {
        self.failed + self.errors > 0
    }

    /// Whether any test ran and did as it should.
    pub fn is_green(&self) -> bool {
        !self.is_red() && !self.collected_only && self.passed + self.xfailed + self.xpassed > 0
    }

    /// The counts as records have them.
    pub fn counts(&self) -> Counts {
        Counts {
            passed: Some(self.passed),
            failed: Some(self.failed),
            errored: Some(self.errors),
            skipped: Some(self.skipped),
        }
    }
}

/// Reads the words of a closing line, its rulers taken off.
pub fn summary(text: &str) -> Option<Summary> {
    // The time stands behind the last ` in `; a plugin's category may hold the word too.
    let (parts, time) = text.rsplit_once(" in ")?;
    let mut summary = Summary { duration_ms: Some(duration_ms(time)?), ..Summary::default() };
    if let Some(rest) = parts.strip_prefix("no tests ran") {
        return rest.is_empty().then_some(summary);
    }
    let mut known = false;
    for part in parts.split(", ") {
        known |= summary.add(part)?;
    }
    known.then_some(summary)
}

impl Summary {
    /// Adds `12 passed`; says whether the word is one of pytest's own. Plugins have further ones
    /// (`3 rerun`, `2 snapshots failed`).
    pub fn add(&mut self, part: &str) -> Option<bool> {
        if let Some(rest) = part.strip_prefix("no tests collected") {
            self.collected_only = true;
            return (rest.is_empty() || rest.ends_with("deselected)")).then_some(true);
        }
        let (number, word) = part.split_once(' ')?;
        if word.starts_with("tests collected") || word.starts_with("test collected") {
            self.collected_only = true;
            let digits = number.bytes().all(|b| b.is_ascii_digit() || b == b'/');
            return digits.then_some(true);
        }
        let number: u64 = number.parse().ok()?;
        let to = match word {
            "passed" => &mut self.passed,
            "failed" | "subtests failed" => &mut self.failed,
            "error" | "errors" => &mut self.errors,
            "skipped" => &mut self.skipped,
            "xfailed" => &mut self.xfailed,
            "xpassed" => &mut self.xpassed,
            "deselected" | "warning" | "warnings" | "pytest-warnings" | "rerun" | "subtests passed"
            | "subtests skipped" => return Some(true),
            other => {
                let plain = |b: u8| b.is_ascii_lowercase() || b == b' ' || b == b'-';
                return other.bytes().all(plain).then_some(false);
            }
        };
        *to = to.saturating_add(number);
        Some(true)
    }
}

/// `3.72s`, `75.00s (0:01:15)`, before pytest 5.1 `3.72 seconds`.
fn duration_ms(text: &str) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let unit = &text[digits..];
    let clock = || unit.starts_with("s (") && unit.ends_with(')');
    if unit != "s" && unit != " seconds" && !clock() {
        return None;
    }
    let (whole, part) = text[..digits].split_once('.')?;
    let whole: u64 = whole.parse().ok()?;
    let part = part.get(..2).and_then(|part| part.parse::<u64>().ok())?;
    Some(whole.saturating_mul(1000) + part * 10)
}

/// The title of a ruler line, `=== title ===`: pytest centres it, the right side at most one longer.
pub fn titled(text: &str, fill: char) -> Option<&str> {
    let inner = text.trim_start_matches(fill);
    let left = text.len() - inner.len();
    let title = inner.trim_end_matches(fill);
    let right = inner.len() - title.len();
    let (left, right) = (left / fill.len_utf8(), right / fill.len_utf8());
    let title = title.strip_prefix(' ')?.strip_suffix(' ')?;
    (left > 0 && (right == left || right == left + 1) && !title.trim().is_empty()).then_some(title)
}

/// Columns that a line takes; exact for ASCII, which is what rulers with known titles are.
pub fn columns(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_are_taken_apart() {
        let some = |passed, failed, errors, skipped, ms| {
            Some(Summary { passed, failed, errors, skipped, duration_ms: Some(ms), ..Summary::default() })
        };
        let check = |text: &str, expected: Option<Summary>| {
            assert_eq!(summary(text), expected, "{text}");
        };
        check("1 failed, 2 passed in 3.72s", some(2, 1, 0, 0, 3720));
        check("402 passed in 75.01s (0:01:15)", some(402, 0, 0, 0, 75010));
        check("2 passed in 0.12 seconds", some(2, 0, 0, 0, 120));
        check("2 errors in 1.18s", some(0, 0, 2, 0, 1180));
        check("no tests ran in 0.44s", some(0, 0, 0, 0, 440));
        check("3 passed, 3 rerun in 0.03s", some(3, 0, 0, 0, 30));
        check("1 passed, 2 subtests failed, 1 skipped in 0.03s", some(1, 2, 0, 1, 30));
        check(
            "1 xfailed, 1 xpassed, 3 warnings in 0.25s",
            Some(Summary { xfailed: 1, xpassed: 1, duration_ms: Some(250), ..Summary::default() }),
        );
        check(
            "3/5 tests collected (2 deselected) in 0.01s",
            Some(Summary { collected_only: true, duration_ms: Some(10), ..Summary::default() }),
        );
        check("2 passed in 0.5", None);
        check("2 passed", None);
        check("2 widgets in 0.10s", None);
        check("passed in 0.10s", None);
        check("2 passed, see log in 0.10s", None);
    }

    #[test]
    fn xfailed_is_not_failed() {
        assert!(!summary("1 xfailed in 0.01s").is_some_and(|s| s.is_red()));
        assert!(!summary("0 failed, 1 passed in 0.01s").is_some_and(|s| s.is_red()));
        assert!(!summary("3 skipped in 0.01s").is_some_and(|s| s.is_green()));
    }

    #[test]
    fn rulers_are_centred() {
        for (text, title) in [
            ("=== FAILURES ===", Some("FAILURES")),
            ("=== 2 passed in 0.01s ====", Some("2 passed in 0.01s")),
            ("==== lopsided ==", None),
            ("==== lopsided ======", None),
            ("=======", None),
            ("=== ===", None),
            ("= a =", Some("a")),
        ] {
            assert_eq!(titled(text, '='), title, "{text}");
        }
        assert_eq!(titled("―― test_a ――", '―'), Some("test_a"));
    }
}

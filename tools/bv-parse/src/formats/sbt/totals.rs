//! The numbers of summaries.

use crate::values;

/// What a summary counts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// The library whose words they are, where these tell.
    pub runner: Option<&'static str>,
    /// Tests that passed.
    pub passed: u64,
    /// Tests that failed.
    pub failed: u64,
    /// Tests with another exception, where they are told apart.
    pub errored: u64,
    /// Suites that could not go on.
    pub aborted: u64,
    /// Ignored, pending, cancelled or skipped.
    pub skipped: u64,
    /// How long it took.
    pub duration_ms: Option<u64>,
    /// The summary's last line was read.
    pub ended: bool,
    /// They are added up from suites that finished.
    pub of_suites: bool,
    /// A list of the failures follows, with their whole names.
    pub recap: bool,
    /// Its line of numbers was read.
    pub counted: bool,
}

impl Totals {
    /// With another suite's numbers.
    pub fn with(self, other: Totals) -> Totals {
        Totals {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
            skipped: self.skipped + other.skipped,
            of_suites: true,
            ..self
        }
    }
}

/// What this line adds to a summary, `before` being what its lines above said.
pub fn summary(text: &str, before: Option<Totals>) -> Option<Totals> {
    scalatest(text, before)
        .or_else(|| zio(text))
        .or_else(|| utest(text))
        .or_else(|| specs2(text))
        .or_else(|| bloop(text))
}

/// ```text
/// Run completed in 310 milliseconds.
/// Total number of tests run: 7
/// Suites: completed 1, aborted 0
/// Tests: succeeded 7, failed 0, canceled 0, ignored 0, pending 0
/// All tests passed.
/// ```
fn scalatest(text: &str, before: Option<Totals>) -> Option<Totals> {
    let started = Totals { runner: Some("scalatest"), ..Totals::default() };
    let so_far = before.filter(|totals| totals.runner == Some("scalatest"));
    if let Some(spent) = text.strip_prefix("Run completed in ") {
        return Some(Totals { duration_ms: duration(spent.trim_end_matches('.')), ..started });
    }
    let so_far = so_far?;
    if let Some(numbers) = text.strip_prefix("Suites: completed ") {
        let aborted = numbers.split_once(", aborted ")?.1.parse().ok()?;
        return Some(Totals { aborted, ..so_far });
    }
    if let Some(numbers) = text.strip_prefix("Tests: ") {
        let of = |name: &str| number_behind(numbers, name);
        let skipped = of("canceled ")? + of("ignored ")? + of("pending ")?;
        let (passed, failed) = (of("succeeded ")?, of("failed ")?);
        return Some(Totals { passed, failed, skipped, counted: true, ..so_far });
    }
    let last = text == "All tests passed."
        || text == "No tests were executed."
        || text.starts_with("*** ") && (text.ends_with(" FAILED ***") || text.ends_with(" ABORTED ***"));
    // `*** 1 SUITE ABORTED ***` stands above `*** 2 TESTS FAILED ***`; the first of them will do.
    (last && so_far.counted).then_some(Totals { ended: true, ..so_far })
}

/// `2 tests passed. 2 tests failed. 0 tests ignored.`
fn zio(text: &str) -> Option<Totals> {
    let (passed, rest) = text.trim().split_once(" tests passed. ")?;
    let (failed, rest) = rest.split_once(" tests failed. ")?;
    let skipped = rest.strip_suffix(" tests ignored.")?;
    Some(Totals {
        runner: Some("zio-test"),
        passed: passed.parse().ok()?,
        failed: failed.parse().ok()?,
        skipped: skipped.parse().ok()?,
        ended: true,
        recap: true,
        ..Totals::default()
    })
}

/// `Tests: 3, Passed: 2, Failed: 1`
fn utest(text: &str) -> Option<Totals> {
    let (_, rest) = text.strip_prefix("Tests: ")?.split_once(", Passed: ")?;
    let (passed, failed) = rest.split_once(", Failed: ")?;
    Some(Totals {
        runner: Some("utest"),
        passed: passed.parse().ok()?,
        failed: failed.parse().ok()?,
        ended: true,
        ..Totals::default()
    })
}

/// `3 examples, 1 failure, 1 error`, for one specification; sbt's totals follow.
fn specs2(text: &str) -> Option<Totals> {
    let (examples, rest) = text.split_once(" example")?;
    let named = rest.contains(" failure") && rest.contains(" error");
    examples.parse::<u64>().ok().filter(|_| named)?;
    Some(Totals { runner: Some("specs2"), ..Totals::default() })
}

/// Bloop's `4 tests, 2 passed, 2 failed`, for one suite or project.
fn bloop(text: &str) -> Option<Totals> {
    let mut totals = Totals { ended: true, recap: true, ..Totals::default() };
    let mut parts = text.split(", ");
    parts.next()?.strip_suffix(" tests")?.parse::<u64>().ok()?;
    for part in parts {
        let (number, word) = part.split_once(' ')?;
        let number: u64 = number.parse().ok()?;
        match word {
            "passed" => totals.passed = number,
            "failed" => totals.failed = number,
            "errors" | "errored" => totals.errored = number,
            "ignored" | "skipped" | "canceled" | "pending" => totals.skipped += number,
            _ => return None,
        }
    }
    (totals.passed + totals.failed + totals.errored + totals.skipped > 0).then_some(totals)
}

/// sbt's `Failed: Total 5, Failed 1, Errors 0, Passed 4, Ignored 1`.
pub fn of_sbt(text: &str) -> Option<Totals> {
    let (word, numbers) = text.split_once(": Total ")?;
    if !["Passed", "Failed", "Error"].contains(&word) {
        return None;
    }
    let mut totals = Totals { ended: true, ..Totals::default() };
    for part in numbers.split(", ").skip(1) {
        let (name, number) = part.split_once(' ')?;
        let number: u64 = number.parse().ok()?;
        match name {
            "Passed" => totals.passed = number,
            "Failed" => totals.failed = number,
            "Errors" => totals.errored = number,
            _ => totals.skipped += number,
        }
    }
    Some(totals)
}

/// `example.CartSuite finished: 2 failed, 0 ignored, 4 total 0.088s`, of which `Test run ` was taken off.
pub fn finished(text: &str) -> Option<Totals> {
    let (_, numbers) = text.split_once("finished: ")?;
    let mut parts = numbers.split(", ");
    let failed = parts.next()?.strip_suffix(" failed")?.parse().ok()?;
    let skipped: u64 = parts.next()?.strip_suffix(" ignored")?.parse().ok()?;
    let total: u64 = parts.next()?.split_once(" total")?.0.parse().ok()?;
    let passed = total.saturating_sub(failed);
    Some(Totals { passed, failed, skipped, ..Totals::default() })
}

/// A name without the time behind it: `fails 3ms`, `fails (3 milliseconds)`.
pub fn without_time(name: &str) -> &str {
    if let Some((head, spent)) = name.rsplit_once(" (")
        && spent.strip_suffix(')').is_some_and(|spent| duration(spent).is_some())
    {
        return head;
    }
    let timed = |word: &str| {
        let digits = word.trim_end_matches("ms").trim_end_matches('s');
        digits.len() < word.len() && digits.parse::<f64>().is_ok()
    };
    match name.rsplit_once(' ') {
        Some((head, word)) if timed(word) => head.trim_end(),
        _ => name,
    }
}

/// `310 milliseconds`, `1 second, 310 milliseconds`, `2 minutes, 1 second`.
fn duration(spent: &str) -> Option<u64> {
    let mut seconds = 0.0;
    for part in spent.split(", ") {
        let (number, unit) = part.split_once(' ')?;
        let number: f64 = number.parse().ok()?;
        seconds += number
            * match unit.trim_end_matches('s') {
                "hour" => 3600.0,
                "minute" => 60.0,
                "second" => 1.0,
                "millisecond" => 0.001,
                _ => return None,
            };
    }
    values::milliseconds(seconds)
}

fn number_behind(text: &str, name: &str) -> Option<u64> {
    let rest = text.split_once(name)?.1;
    rest.split(',').next()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let check = |got: Option<Totals>, want: Option<[u64; 4]>, text: &str| {
            let got = got.map(|t| [t.passed, t.failed, t.errored, t.skipped]);
            assert_eq!(got, want, "{text}");
        };
        for (text, want) in [
            ("Failed: Total 5, Failed 1, Errors 1, Passed 3, Ignored 2", Some([3, 1, 1, 2])),
            ("Passed: Total 5, Failed 0, Errors 0, Passed 5", Some([5, 0, 0, 0])),
            ("Sum: Total 5, Failed 0", None),
        ] {
            check(of_sbt(text), want, text);
        }
        for (text, want) in [
            ("2 tests passed. 2 tests failed. 1 tests ignored.", Some([2, 2, 0, 1])),
            ("Tests: 3, Passed: 2, Failed: 1", Some([2, 1, 0, 0])),
            ("4 tests, 2 passed, 2 failed", Some([2, 2, 0, 0])),
            ("4 tests, of which none failed", None),
        ] {
            check(summary(text, None), want, text);
        }
        check(finished("a.B finished: 2 failed, 1 ignored, 4 total 0.088s"), Some([2, 2, 0, 1]), "finished");
    }

    #[test]
    fn names_and_times() {
        for (text, want) in [
            ("fails 3ms", "fails"),
            ("fails (3 milliseconds)", "fails"),
            ("fails (1 second, 3 milliseconds)", "fails"),
            ("takes 3 pens", "takes 3 pens"),
            ("adds (or not)", "adds (or not)"),
        ] {
            assert_eq!(without_time(text), want, "{text}");
        }
    }
}

//! PHPUnit's first line, its time, and its last lines.

/// Which word the footer begins with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Word {
    /// `OK (…)`, `OK, but …`; also nothing at all, where no test ran.
    #[default]
    Ok,
    /// `FAILURES!`, `ERRORS!`.
    Red,
    /// `WARNINGS!`, up to PHPUnit 9.
    Warnings,
}

/// The footer's numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footer {
    /// Its word.
    pub word: Word,
    /// `Tests:`
    pub tests: u64,
    /// `Errors:`, and `PHPUnit Errors:` since version 10.
    pub errors: u64,
    /// `Failures:`
    pub failures: u64,
    /// `Skipped:`
    pub skipped: u64,
    /// `Incomplete:`
    pub incomplete: u64,
    /// `Risky:`
    pub risky: u64,
    /// `Warnings:`
    pub warnings: u64,
}

/// `PHPUnit 9.6.7 by Sebastian Bergmann and contributors.`: the major version; ParaTest writes it at its end.
pub fn header(text: &str) -> Option<u32> {
    let before = text.split_once(" by Sebastian Bergmann")?.0;
    let version =
        before.strip_prefix("PHPUnit ").or_else(|| before.split_once(" upon PHPUnit ").map(|(_, v)| v))?;
    version.split(['.', '-']).next()?.parse().ok()
}

/// `Time: 00:00.039, Memory: 4.00 MB`, before version 9 `Time: 39 ms, Memory: 4.00MB`: milliseconds, absent
/// where unread.
pub fn time(text: &str) -> Option<Option<u64>> {
    let (spent, _) = text.strip_prefix("Time: ")?.split_once(", Memory: ")?;
    Some(milliseconds(spent))
}

fn milliseconds(spent: &str) -> Option<u64> {
    let (number, unit) = spent.split_once(' ').unwrap_or((spent, ""));
    let unit = match unit.trim_end_matches('s') {
        "" => 1.0,
        "m" => 0.001,
        "second" => 1.0,
        "minute" => 60.0,
        _ => return None,
    };
    let seconds =
        number.split(':').try_fold(0.0, |sum, part| Some(sum * 60.0 + part.parse::<f64>().ok()?))?;
    crate::values::milliseconds(seconds * unit)
}

/// `OK (4 tests, 4 assertions)`.
pub fn ok(text: &str) -> Option<Footer> {
    let (tests, rest) = text.strip_prefix("OK (")?.split_once(')')?.0.split_once(" test")?;
    rest.contains(" assertion").then_some(())?;
    Some(Footer { tests: tests.parse().ok()?, ..Footer::default() })
}

/// A word whose numbers stand in the next line.
pub fn word(text: &str) -> Option<Word> {
    match text {
        "ERRORS!" | "FAILURES!" => Some(Word::Red),
        "WARNINGS!" => Some(Word::Warnings),
        _ if text.starts_with("OK, but ") => Some(Word::Ok),
        _ => None,
    }
}

/// `Tests: 14, Assertions: 8, Errors: 3, Failures: 5, Skipped: 1.`; other output may be glued to its end.
pub fn numbers(text: &str) -> Option<Footer> {
    let (list, _) = text.starts_with("Tests: ").then(|| text.split_once('.'))??;
    let mut footer = Footer::default();
    for part in list.split(", ") {
        let (name, number) = part.split_once(": ")?;
        let number: u64 = number.parse().ok()?;
        match name {
            "Tests" => footer.tests = number,
            "Errors" | "PHPUnit Errors" => footer.errors += number,
            "Failures" => footer.failures = number,
            "Skipped" => footer.skipped = number,
            "Incomplete" => footer.incomplete = number,
            "Risky" => footer.risky = number,
            "Warnings" => footer.warnings = number,
            _ => {}
        }
    }
    Some(footer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_and_last_lines() {
        assert_eq!(header("PHPUnit 9.6.7 by Sebastian Bergmann and contributors."), Some(9));
        assert_eq!(
            header("ParaTest v7.4 upon PHPUnit 11.0.3 by Sebastian Bergmann and contributors."),
            Some(11)
        );
        assert_eq!(header("a book by Sebastian Bergmann"), None);
        assert_eq!(time("Time: 00:01.039, Memory: 4.00 MB"), Some(Some(1039)));
        assert_eq!(time("Time: 39 ms, Memory: 4.00MB"), Some(Some(39)));
        assert_eq!(time("Time: soon"), None);
        assert_eq!(ok("OK (4 tests, 5 assertions)"), Some(Footer { tests: 4, ..Footer::default() }));
        assert_eq!(ok("OK (1 test, 1 assertion)"), Some(Footer { tests: 1, ..Footer::default() }));
        assert_eq!(ok("OK (all)"), None);
        assert_eq!(ok("OK (4 tests, 5 assert"), None);
        assert_eq!(numbers("Tests: 5, Assertions: 4, Skipped: 1"), None);
        let want = Footer {
            tests: 14,
            errors: 4,
            failures: 5,
            skipped: 1,
            incomplete: 1,
            risky: 1,
            warnings: 2,
            word: Word::Ok,
        };
        let text = "Tests: 14, Assertions: 8, Errors: 3, Failures: 5, PHPUnit Errors: 1, Warnings: 2, PHPUnit Deprecations: 9, \
                    Skipped: 1, Incomplete: 1, Risky: 1.PHP Deprecated: x";
        assert_eq!(numbers(text), Some(want));
        assert_eq!(numbers("Tests: fine."), None);
    }
}

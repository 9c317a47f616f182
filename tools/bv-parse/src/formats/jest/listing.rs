//! The tests of one file under its header: describe blocks by indentation, one line a test.

use bv_schemas::{Test, TestOutcome};

/// Describe blocks deeper than this are not followed.
const DEPTH_MAX: usize = 64;

/// The titles above the current line.
#[derive(Debug, Default)]
pub struct Listing {
    titles: Vec<(usize, String)>,
    ended: bool,
    any: bool,
}

/// One test.
#[derive(Debug, PartialEq)]
pub struct Entry {
    /// Its full name.
    pub id: String,
    /// How it ended; `None` for one that failed.
    pub outcome: Option<TestOutcome>,
    duration_ms: Option<u64>,
}

impl Entry {
    /// The record of a test that did not fail.
    pub fn test(self) -> Test {
        Test {
            id: self.id,
            outcome: self.outcome.unwrap_or(TestOutcome::Passed),
            duration_ms: self.duration_ms,
        }
    }
}

impl Listing {
    /// Whether a test of the file was seen.
    pub fn any(&self) -> bool {
        self.any
    }

    /// A test of the file failed, listed or not.
    pub fn failed(&mut self) {
        self.any = true;
    }

    /// A line that ends it: blank, or the first block of details.
    pub fn end(&mut self) {
        self.ended = true;
    }

    /// Takes a line that is indented; says the test that it tells of.
    pub fn line(&mut self, line: &str) -> Option<Entry> {
        if self.ended {
            return None;
        }
        let text = line.trim_start_matches(' ');
        let indent = line.len() - text.len();
        while self.titles.last().is_some_and(|(above, _)| *above >= indent) {
            self.titles.pop();
        }
        let Some((outcome, title)) = marked(text) else {
            if self.titles.len() < DEPTH_MAX {
                self.titles.push((indent, text.trim_end().to_owned()));
            }
            return None;
        };
        self.any = true;
        let (title, duration_ms) = timed(title);
        let titles = self.titles.iter().map(|(_, title)| title.as_str()).chain([title]);
        Some(Entry { id: titles.collect::<Vec<_>>().join(super::JOINT), outcome, duration_ms })
    }
}

/// The mark of a test's line, and its title. Windows has other signs.
fn marked(text: &str) -> Option<(Option<TestOutcome>, &str)> {
    let (mark, title) = text.split_once(' ')?;
    match mark {
        "✓" | "√" => Some((Some(TestOutcome::Passed), title)),
        "✕" | "×" => Some((None, title)),
        "○" => title
            .strip_prefix("skipped ")
            .filter(|t| !is_sum(t))
            .map(|title| (Some(TestOutcome::Skipped), title)),
        "✎" => {
            title.strip_prefix("todo ").filter(|t| !is_sum(t)).map(|title| (Some(TestOutcome::Todo), title))
        }
        _ => None,
    }
}

/// `3 tests`: without `--verbose` they are only counted.
fn is_sum(text: &str) -> bool {
    let number = text.strip_suffix(" tests").or(text.strip_suffix(" test")).unwrap_or_default();
    !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
}

/// `name (12 ms)`.
fn timed(text: &str) -> (&str, Option<u64>) {
    let cut = text.strip_suffix(')').and_then(|text| text.rsplit_once(" ("));
    match cut.and_then(|(title, time)| Some((title, super::summary::duration_ms(time)?))) {
        Some((title, ms)) => (title, Some(ms)),
        None => (text, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing() {
        let mut listing = Listing::default();
        let lines = [
            "  Cart",
            "    ✕ lists all (29 ms)",
            "    ○ skipped vouchers",
            "    ✎ todo refunds",
            "    ○ skipped 3 tests",
            "    total",
            "      ✓ adds tax (1.2 s)",
            "  ✓ alone (x)",
        ];
        let got: Vec<_> = lines.iter().filter_map(|line| listing.line(line)).collect();
        let entry = |id: &str, outcome, duration_ms| Entry { id: id.to_owned(), outcome, duration_ms };
        let want = [
            entry("Cart › lists all", None, Some(29)),
            entry("Cart › vouchers", Some(TestOutcome::Skipped), None),
            entry("Cart › refunds", Some(TestOutcome::Todo), None),
            entry("Cart › total › adds tax", Some(TestOutcome::Passed), Some(1200)),
            entry("alone (x)", Some(TestOutcome::Passed), None),
        ];
        assert_eq!(got, want);
    }
}

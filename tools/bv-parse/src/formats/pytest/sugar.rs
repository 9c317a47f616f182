//! pytest-sugar, which prints in its own way on a terminal only: each failure as it happens, and the
//! results as a list.

use super::closing::{Summary, summary, titled};
use super::names::Heading;
use super::{Place, Pytest, Reading};
use crate::machine::{Line, Out};

impl Pytest {
    pub(super) fn sugar_heading(&mut self, line: &Line<'_>) {
        let Some(title) = titled(line.text, '―') else { return };
        self.block_end();
        self.place = Place::Blocks;
        let heading = Some(Heading::read(title));
        self.block = Some(Reading { heading, span: line.span, ..Reading::default() });
    }

    pub(super) fn sugar_results(&mut self, text: &str) {
        let time = text.strip_prefix("Results (").and_then(|rest| rest.strip_suffix("):"));
        // The numbers stand in the lines below.
        let duration_ms =
            time.and_then(|time| summary(&format!("no tests ran in {time}"))).and_then(|s| s.duration_ms);
        if duration_ms.is_some() {
            self.sugar = Some(Summary { duration_ms, ..Summary::default() });
        }
    }

    /// `       2 passed`, `         - tests/a.py:17 TestA.test_b`; whether the line is one.
    pub(super) fn sugar_line(&mut self, text: &str, out: &mut Out) -> bool {
        let Some(results) = &mut self.sugar else { return false };
        if text.trim().is_empty() || text.trim_start().starts_with("- ") || results.add(text.trim()).is_some()
        {
            return true;
        }
        if let Some(results) = self.sugar.take() {
            self.close(&results, out);
        }
        false
    }
}

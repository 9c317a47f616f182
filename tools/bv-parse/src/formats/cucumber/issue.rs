//! cucumber-js' numbered blocks (`src/formatter/helpers/issue_helpers.ts` in
//! <https://github.com/cucumber/cucumber-js>):
//!
//! ```text
//! 1) Scenario: equal # features/a.feature:8
//!    ✔ Given a shop # features/step_definitions/s.js:4
//!    ✖ Then total is 3 # features/step_definitions/s.js:7
//!        AssertionError [ERR_ASSERTION]: 2 !== 3
//! ```

use crate::javascript::{Names, Naming, error};
use bv_schemas::{Failure, Kind, Place};

/// Lines of one error that are kept.
const LINES_MAX: usize = 400;

/// One block.
#[derive(Debug)]
pub struct Issue {
    id: String,
    place: Place,
    /// The step that failed, and whether it is one: hooks stand among the steps.
    step: Option<Step>,
    lines: Vec<String>,
    reading: bool,
    span: [u64; 2],
}

#[derive(Debug)]
struct Step {
    words: String,
    undefined: bool,
    is_hook: bool,
}

impl Issue {
    /// `1) Scenario: equal (attempt 2) # features/a.feature:8`
    pub fn head(text: &str, span: [u64; 2]) -> Option<Issue> {
        let (number, title) = text.split_once(") ")?;
        let numbered = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        let (title, at) = title.rsplit_once(" # ").filter(|_| numbered)?;
        let (file, line) = at.rsplit_once(':')?;
        let line =
            line.parse().ok().filter(|_| file.ends_with(".feature") || file.ends_with(".feature.md"))?;
        let title = title.split(" (attempt ").next().unwrap_or(title);
        let place = Place { file: Some(file.to_owned()), line: Some(line), function: None };
        let id = format!("{title} # {at}");
        Some(Issue { id, place, step: None, lines: Vec::new(), reading: false, span })
    }

    /// Takes a line below; whether it belongs here.
    pub fn line(&mut self, text: &str, span: [u64; 2]) -> bool {
        let text = text.trim_end();
        let Some(inner) = text.strip_prefix("   ") else { return text.is_empty() };
        self.span[1] = span[1];
        if let Some(step) = inner.strip_prefix("✖ ").or(inner.strip_prefix("? ")) {
            self.reading = self.step.is_none();
            if self.reading {
                let words = step.rsplit_once(" # ").map_or(step, |(words, _)| words).to_owned();
                let is_hook = ["Before", "After", "BeforeStep", "AfterStep"]
                    .iter()
                    .any(|hook| words == *hook || words.starts_with(&format!("{hook} ")));
                self.step = Some(Step { words, undefined: inner.starts_with('?'), is_hook });
            }
        } else if inner.starts_with("✔ ") || inner.starts_with("- ") {
            self.reading = false;
        } else if self.reading && self.lines.len() < LINES_MAX {
            self.lines.push(inner.strip_prefix("    ").unwrap_or(inner.trim_start()).to_owned());
        }
        true
    }

    /// The failure that it is.
    pub fn failure(self) -> Failure {
        let lines: Vec<&str> = self.lines.iter().map(String::as_str).collect();
        let first = lines.iter().copied().find(|line| !line.is_empty()).unwrap_or_default();
        let undefined = self.step.as_ref().is_some_and(|step| step.undefined);
        let mut failure = if undefined {
            let message = self.step.as_ref().map(|step| step.words.clone());
            Failure { kind: Kind::SetupError, message, ..Failure::default() }
        } else if first.starts_with("Multiple step definitions match:") {
            Failure { kind: Kind::SetupError, message: Some(first.to_owned()), ..Failure::default() }
        } else {
            error(&lines, Naming::Always, Names::Own)
        };
        if first.contains("function timed out, ensure ") {
            failure.kind = Kind::Timeout;
        } else if self.step.is_some_and(|step| step.is_hook) {
            failure.kind = Kind::SetupError;
        }
        failure.test = failure.test.take().or(Some(self.place));
        failure.id = Some(self.id);
        failure.span = Some(self.span);
        failure
    }
}

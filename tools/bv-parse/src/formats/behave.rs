//! behave's formatters (`behave/formatter/*.py`, `behave/reporter/summary.py` in
//! <https://github.com/behave/behave>): pretty, plain and the progress ones.
//!
//! A section opens with the runner's line or the first feature and closes with `Took …` below the counts.
//! Which scenarios failed, the lists above the counts say; what failed in them is read where it stands. Captured
//! output is left alone.

mod detail;
mod hooks;
mod loading;
mod scenario;
mod summary;

use super::junit_xml::{Case, Fault};
use crate::held::Held;
use crate::machine::{Format, HELD_MAX, Line, Machine, Out};
use bv_schemas::{Failure, Kind, Place, Reason};
use detail::Detail;
use loading::Loading;
use scenario::Scenarios;
use summary::Numbers;

/// The table's line.
pub const FORMAT: Format = Format {
    name: "behave",
    commands: &["behave"],
    needles: &[RUNNER, ".feature:1", " features passed, ", "1 feature passed, "],
    new: || Box::<Behave>::default(),
};

/// A failed scenario of `--junit`.
pub fn junit(case: &Case, fault: &Fault) -> Option<Failure> {
    let (step, place, detail) = Detail::junit(&fault.text)?;
    let mut failure = bare(Some(case.dotted()), Some(place), Kind::SetupError);
    match detail {
        Some(detail) => detail.fill(&mut failure),
        None => failure.message = Some(step),
    }
    Some(Failure { span: None, ..failure })
}

/// The first line of a run since version 1.3.
const RUNNER: &str = "USING RUNNER: behave.";

/// See the head of this file.
#[derive(Default)]
struct Behave {
    opened: bool,
    /// A feature's title was seen.
    featured: bool,
    /// Nothing ran yet: an error keeps all from running.
    loading: Option<Loading>,
    scenarios: Scenarios,
    /// The lists of failed scenarios, as they stand right above.
    list: Vec<Listed>,
    /// The list that is being read.
    reading: Option<Kind>,
    /// Failures of hooks around no single scenario.
    held: Held,
    features: Option<Numbers>,
    counted: Option<Numbers>,
    aborted: bool,
}

/// `  features/basket.feature:7  tea and jam`
struct Listed {
    id: String,
    place: Place,
    name: String,
    kind: Kind,
}

impl Machine for Behave {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let text = line.text.trim_end();
        if text.starts_with(RUNNER) {
            if self.loading.as_ref().is_some_and(Loading::is_error) {
                // The run before this one came no further.
                self.unloaded(out);
            }
            self.abandon(out);
            self.open(out);
            self.loading = Some(Loading::default());
            return;
        }
        if let Some(loading) = &mut self.loading {
            if loading.line(line) {
                return;
            }
            if loading.is_error() {
                return self.unloaded(out);
            }
            self.loading = None;
        }
        if self.summary(text, out) || self.listed(text) {
            return;
        }
        if !self.opened {
            // Cucumber prints features and scenarios like that; the steps are Python's.
            self.featured =
                self.featured || text.starts_with("Feature: ") && detail::location(text).is_some();
            if !self.featured {
                return;
            }
            if detail::is_step(text) {
                self.open(out);
            }
        }
        self.aborted = self.aborted || text == "ABORTED: By user.";
        if let Some(error) = self.scenarios.line(line) {
            self.held.push(error);
        }
    }

    fn end(&mut self, out: &mut Out) {
        if self.loading.as_ref().is_some_and(Loading::is_error) {
            return self.unloaded(out);
        }
        self.abandon(out);
    }

    fn owns_lines(&self) -> bool {
        self.scenarios.in_output() || self.loading.as_ref().is_some_and(Loading::is_error)
    }
}

impl Behave {
    fn open(&mut self, out: &mut Out) {
        if !std::mem::replace(&mut self.opened, true) {
            out.open();
        }
    }

    /// A run that is cut off: what was seen of it stands.
    fn abandon(&mut self, out: &mut Out) {
        if self.opened {
            self.held.say(out);
            let opened = self.opened;
            self.scenarios.failed().into_iter().for_each(|failure| out.failure(failure));
            *self = Behave { opened, ..Behave::default() };
        }
    }

    fn unloaded(&mut self, out: &mut Out) {
        if let Some(failure) = self.loading.take().and_then(Loading::failure) {
            let message = failure.message.clone();
            out.failure(failure);
            scenario::refuse(Reason::CollectionError, message, out);
        }
        *self = Behave::default();
    }

    /// A line of the lists; any other line ends them.
    fn listed(&mut self, text: &str) -> bool {
        match text {
            "Failing scenarios:" => {
                self.list.clear();
                self.reading = Some(Kind::Assertion);
                return true;
            }
            "Errored scenarios:" => {
                self.reading = Some(Kind::Exception);
                return true;
            }
            "" => return self.reading.is_some(),
            _ => {}
        }
        let Some(kind) = self.reading else { return false };
        let Some(listed) = listed(text, kind) else {
            self.reading = None;
            self.list.clear();
            return false;
        };
        if self.list.len() < HELD_MAX {
            self.list.push(listed);
        }
        true
    }

    /// A line of the closing statement.
    fn summary(&mut self, text: &str, out: &mut Out) -> bool {
        if let Some(features) = Numbers::read(text, "feature") {
            self.reading = None;
            self.features = Some(features);
            self.counted = None;
            return true;
        }
        let Some(features) = self.features else { return false };
        if let Some(scenarios) = self.counted {
            if let Some(duration_ms) = summary::took(text) {
                self.close(features, scenarios, duration_ms, out);
                return true;
            }
            if Numbers::read(text, "step").is_some() {
                return true;
            }
        } else if let Some(scenarios) = Numbers::read(text, "scenario") {
            self.counted = Some(scenarios);
            return true;
        } else if Numbers::read(text, "rule").is_some() {
            return true;
        }
        self.features = None;
        self.counted = None;
        false
    }

    fn close(&mut self, features: Numbers, scenarios: Numbers, duration_ms: Option<u64>, out: &mut Out) {
        if scenarios.total() < self.scenarios.seen() {
            // A scenario printed it: the run's own counts every one.
            (self.features, self.counted) = (None, None);
            self.list.clear();
            return;
        }
        self.open(out);
        for listed in std::mem::take(&mut self.list) {
            self.held.push(self.scenarios.failure(listed.id, listed.place, &listed.name, listed.kind));
        }
        let named = self.held.len();
        let unnamed = scenarios.red().saturating_sub(named);
        self.held.say(out);
        out.unnamed(unnamed);
        if self.aborted && named + scenarios.red() + features.red() == 0 {
            scenario::refuse(Reason::Truncated, Some("ABORTED: By user.".to_owned()), out);
        } else {
            out.close(summary::closing(features, scenarios, duration_ms));
        }
        *self = Behave::default();
    }
}

fn listed(text: &str, kind: Kind) -> Option<Listed> {
    let id = text.strip_prefix("  ").filter(|id| !id.starts_with(' '))?;
    let (at, name) = id.split_once("  ").unwrap_or((id, ""));
    let (file, line) = at.rsplit_once(':')?;
    let place = Place { file: Some(file.to_owned()), line: Some(line.parse().ok()?), function: None };
    Some(Listed { id: id.to_owned(), place, name: name.trim().to_owned(), kind })
}

/// A failure of this scenario before its detail is known.
fn bare(id: Option<String>, place: Option<Place>, kind: Kind) -> Failure {
    Failure { id, kind, test: place, ..Failure::default() }
}

#[cfg(test)]
mod tests;

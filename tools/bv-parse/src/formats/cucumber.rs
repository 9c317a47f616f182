//! Cucumber of Ruby, JavaScript and the JVM: their progress, pretty and summary formatters
//! (<https://github.com/cucumber>: `cucumber-ruby/lib/cucumber/formatter/console.rb`,
//! `cucumber-js/src/formatter/helpers/summary_helpers.ts`,
//! `cucumber-jvm/cucumber-core/…/core/plugin/DefaultSummaryPrinter.java`).
//!
//! A section opens with the first failure or with the counts, and closes with the time below the counts. Ruby
//! and the JVM list the failed scenarios above the counts; what went wrong in them is read where it stands.
//! JavaScript numbers its failures; its warnings, which hold retried attempts and pending steps, are left alone.

mod issue;
mod summary;
mod trouble;

use crate::held::Held;
use crate::machine::{Format, HELD_MAX, Line, Machine, Out};
use bv_schemas::{Failure, Kind, Place};
use issue::Issue;
use summary::Numbers;
use trouble::Troubles;

/// The table's line.
pub const FORMAT: Format = Format {
    name: "cucumber",
    commands: &["cucumber", "cucumber-js"],
    needles: &[
        ".feature:",
        " scenarios (",
        " scenario (",
        " Scenarios (",
        "0 scenarios",
        "0 Scenarios",
        "Failures:",
        "Failing Scenarios:",
        "Failed scenarios:",
        "Undefined scenarios:",
        "(::) failed steps (::)",
    ],
    new: || Box::<Cucumber>::default(),
};

/// See the head of this file.
#[derive(Default)]
struct Cucumber {
    opened: bool,
    /// `Failures:` stands above.
    failures: bool,
    issue: Option<Issue>,
    held: Held,
    /// The list of failed scenarios that is being read, and all that it names.
    listing: Option<Kind>,
    list: Vec<Listed>,
    troubles: Troubles,
    scenarios: Option<Numbers>,
    steps: bool,
    /// The statement is whole, and the JVM's exceptions follow.
    closed: Option<(Numbers, Option<u64>)>,
}

/// `cucumber features/a.feature:8 # Scenario: equal`
struct Listed {
    id: String,
    place: Place,
    kind: Kind,
}

impl Machine for Cucumber {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let text = line.text.trim_end();
        if self.closed.is_some() {
            if !self.follows(text) {
                return self.close(out);
            }
            self.troubles.line(text, line.span);
            return;
        }
        if self.numbers(text, out) || self.listed(text, out) || self.numbered(text, line, out) {
            return;
        }
        self.troubles.line(text, line.span);
    }

    fn end(&mut self, out: &mut Out) {
        if self.closed.is_some() {
            return self.close(out);
        }
        self.end_issue();
        if self.opened {
            self.settle();
            self.held.say(out);
        }
    }

    fn owns_lines(&self) -> bool {
        self.issue.is_some()
    }
}

impl Cucumber {
    fn open(&mut self, out: &mut Out) {
        if !std::mem::replace(&mut self.opened, true) {
            out.open();
        }
    }

    /// A line of the closing statement.
    fn numbers(&mut self, text: &str, out: &mut Out) -> bool {
        if !text.starts_with(|c: char| c.is_ascii_digit()) {
            return false;
        }
        if let Some(scenarios) = Numbers::read(text, "scenario") {
            self.end_issue();
            self.listing = None;
            (self.scenarios, self.steps) = (Some(scenarios), false);
            return true;
        }
        let Some(scenarios) = self.scenarios else { return false };
        if Numbers::read(text, "step").is_some() {
            self.open(out);
            self.steps = true;
            return true;
        }
        match summary::took(text).filter(|_| self.steps) {
            Some(duration_ms) => {
                self.troubles.leave_scenario();
                self.closed = Some((scenarios, duration_ms));
                if !scenarios.of_jvm || self.list.is_empty() {
                    self.close(out);
                }
                true
            }
            None => {
                (self.scenarios, self.steps) = (None, false);
                false
            }
        }
    }

    /// What may stand below the JVM's statement: its exceptions, and nothing else.
    fn follows(&self, text: &str) -> bool {
        let bare = text.trim_start();
        bare.is_empty()
            || text.starts_with(['\t', ' '])
            || crate::jvm::class_of(text).is_some()
            || text.starts_with("Caused by: ")
    }

    /// A list of scenarios, or an entry of it.
    fn listed(&mut self, text: &str, out: &mut Out) -> bool {
        let kind = match text {
            "Failing Scenarios:" | "Failed scenarios:" => Some(Kind::Assertion),
            "Ambiguous scenarios:" | "Undefined scenarios:" => Some(Kind::SetupError),
            _ => None,
        };
        if kind.is_some() {
            if kind == Some(Kind::Assertion) {
                self.list.clear();
            }
            self.listing = kind;
            return true;
        }
        let Some(kind) = self.listing else { return false };
        let Some(listed) = listed(text, kind) else {
            self.listing = None;
            return false;
        };
        self.open(out);
        if self.list.len() < HELD_MAX {
            self.list.push(listed);
        }
        true
    }

    /// JavaScript's numbered failures.
    fn numbered(&mut self, text: &str, line: &Line<'_>, out: &mut Out) -> bool {
        match text {
            "Failures:" | "Warnings:" => {
                self.end_issue();
                self.failures = text == "Failures:";
                return false;
            }
            _ => {}
        }
        if let Some(issue) = Issue::head(text, line.span) {
            self.end_issue();
            if self.failures {
                self.open(out);
                self.issue = Some(issue);
            }
            return true;
        }
        let belongs = self.issue.as_mut().is_some_and(|issue| issue.line(text, line.span));
        if !belongs {
            self.end_issue();
        }
        belongs
    }

    fn end_issue(&mut self) {
        if let Some(issue) = self.issue.take() {
            self.held.push(issue.failure());
        }
    }

    /// Brings the listed scenarios and what was read of them together.
    fn settle(&mut self) {
        let list = std::mem::take(&mut self.list);
        let mut told = self.troubles.take();
        let failed: Vec<Place> = list.iter().map(|listed| listed.place.clone()).collect();
        let mut found: Vec<Option<Failure>> = list
            .iter()
            .map(|listed| {
                let at = told.iter().position(|trouble| trouble.belongs(&listed.place, &failed))?;
                Some(told.remove(at).failure)
            })
            .collect();
        // The JVM's exceptions stand in the order of its list; only a whole list tells whose each one is.
        let loose = told.into_iter().filter(|trouble| trouble.is_unplaced());
        let lacking =
            |(listed, found): (&Listed, &Option<Failure>)| found.is_none() && listed.kind == Kind::Assertion;
        let lacking = list.iter().zip(&found).filter(|pair| lacking(*pair)).count();
        let loose: Vec<Failure> = loose.map(|trouble| trouble.failure).collect();
        if loose.len() == lacking {
            let mut loose = loose.into_iter();
            for (listed, found) in list.iter().zip(&mut found) {
                if found.is_none() && listed.kind == Kind::Assertion {
                    *found = loose.next();
                }
            }
        }
        for (listed, found) in list.into_iter().zip(found) {
            let mut failure = found.unwrap_or_else(|| Failure { kind: listed.kind, ..Failure::default() });
            failure.test = failure.test.take().or(Some(listed.place));
            failure.id = Some(listed.id);
            self.held.push(failure);
        }
    }

    fn close(&mut self, out: &mut Out) {
        let Some((scenarios, duration_ms)) = self.closed.take() else { return };
        self.open(out);
        self.settle();
        // What a step printed looks the same; the real failures stand last.
        let mut printed = self.held.len().saturating_sub(scenarios.red_max());
        self.held.forget(|_| {
            let forgotten = printed > 0;
            printed = printed.saturating_sub(1);
            forgotten
        });
        let named = self.held.len();
        let closing = scenarios.closing(named, duration_ms);
        let unnamed = closing.counts.red().saturating_sub(named);
        self.held.say(out);
        out.unnamed(unnamed);
        out.close(closing);
        *self = Cucumber::default();
    }
}

/// Ruby's entry holds the command, the JVM's begins with a URI.
fn listed(text: &str, kind: Kind) -> Option<Listed> {
    let (at, title) = text.split_once(" # ")?;
    let at = at.rsplit(' ').next().filter(|last| *last == at || at.starts_with("cucumber "))?;
    let (file, line) = at.rsplit_once(':')?;
    let place = Place { file: Some(path(file).to_owned()), line: Some(line.parse().ok()?), function: None };
    Some(Listed { id: format!("{at} # {title}"), place, kind })
}

fn path(uri: &str) -> &str {
    uri.strip_prefix("file://").or(uri.strip_prefix("file:")).unwrap_or(uri)
}

#[cfg(test)]
mod tests;

//! The tests of one module: from ` T E S T S` to the totals below `Results:`.

use super::Level;
use super::block::{self, Title};
use super::recap::{self, ENTRIES_MAX, Entry, List};
use crate::machine::{HELD_MAX, Out};
use bv_schemas::Failure;
use std::collections::HashSet;

/// The numbers of `Tests run: 11, Failures: 5, Errors: 4, Skipped: 1`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// All that ran, the skipped ones included.
    pub ran: u64,
    /// Failed assertions.
    pub failed: u64,
    /// Other exceptions.
    pub errored: u64,
    /// Skipped.
    pub skipped: u64,
}

/// One module's tests.
#[derive(Default)]
pub struct Module {
    /// The class whose summary came, and how many of its failures are still due.
    class: Option<String>,
    due: u64,
    running: Option<String>,
    /// `-q` leaves out what is no error, `Results:` too.
    quiet: bool,
    failures: Vec<(Title, Failure)>,
    seen: HashSet<String>,
    results: bool,
    list: Option<List>,
    recap: Vec<Entry>,
}

impl Module {
    /// Tests whose heading was left out.
    pub fn quiet() -> Module {
        Module { quiet: true, ..Module::default() }
    }

    /// A failed test's title, where one is due.
    pub fn title(&self, level: Option<Level>, rest: &str) -> Option<Title> {
        let due = self.due > 0 && !self.results && matches!(level, None | Some(Level::Error));
        block::title(rest, self.class.as_deref()).filter(|_| due)
    }

    /// A line that is no title; gives the totals where it holds them.
    pub fn line(&mut self, level: Option<Level>, rest: &str) -> Option<Totals> {
        if self.results {
            return self.in_results(level, rest);
        }
        if let Some((totals, class)) = class_summary(rest) {
            self.class = class.map(str::to_owned).or_else(|| self.running.clone());
            self.due = totals.failed + totals.errored;
        } else if let Some(class) = rest.strip_prefix("Running ") {
            self.running = Some(class.to_owned());
            self.due = 0;
        } else if matches!(rest, "Results:" | "Results :") {
            self.results = true;
        } else if self.quiet && recap::heading(rest).is_some() {
            self.results = true;
            return self.in_results(level, rest);
        }
        None
    }

    fn in_results(&mut self, level: Option<Level>, rest: &str) -> Option<Totals> {
        if let Some(list) = heading_with_entry(rest) {
            self.list = Some(list.0);
            self.recap.extend(recap::entry(list.0, &format!("  {}", list.1)));
        } else if let Some(list) = recap::heading(rest) {
            self.list = Some(list);
        } else if let Some((totals, None)) = summary(rest).filter(|_| !rest.contains("Time elapsed")) {
            return Some(totals);
        } else if let Some(list) = self.list
            && self.recap.len() < ENTRIES_MAX
            && (level.is_some() || rest.starts_with("  "))
        {
            self.recap.extend(recap::entry(list, rest));
        }
        None
    }

    /// A failed test, which may be the same that failed before it was run again.
    pub fn failed(&mut self, (title, failure): (Title, Failure)) {
        self.due = self.due.saturating_sub(1);
        if self.failures.len() < HELD_MAX && self.seen.insert(title.id.clone()) {
            self.failures.push((title, failure));
        }
    }

    /// Whether the recap began.
    pub fn in_recap(&self) -> bool {
        self.results
    }

    /// The failures that the totals count, and how many of them nothing names.
    pub fn own(self, totals: Totals) -> (Vec<Failure>, u64) {
        let wanted = usize::try_from(totals.failed + totals.errored).unwrap_or(usize::MAX);
        let (flakes, entries): (Vec<_>, Vec<_>) =
            self.recap.into_iter().partition(|entry| entry.list == List::Flakes);
        let told = |list: &[Entry], title: &Title| {
            list.iter().position(|entry| entry.is_of(title.class.as_deref(), title.method.as_deref()))
        };
        let mut failures: Vec<_> =
            self.failures.into_iter().filter(|(title, _)| told(&flakes, title).is_none()).collect();
        if failures.len() > wanted {
            failures.retain(|(title, _)| told(&entries, title).is_some());
            failures.truncate(wanted);
        }
        let mut rest = entries;
        for (title, _) in &failures {
            told(&rest, title).map(|at| rest.remove(at));
        }
        let missing = wanted - failures.len();
        let failures: Vec<Failure> = failures
            .into_iter()
            .map(|(_, failure)| failure)
            .chain(rest.into_iter().map(Entry::failure).take(missing))
            .collect();
        let unnamed = (wanted - failures.len()) as u64;
        (failures, unnamed)
    }

    /// The stream ended before the totals.
    pub fn end(self, out: &mut Out) {
        self.failures.into_iter().for_each(|(_, failure)| out.failure(failure));
    }

    /// The failures seen, whatever the totals would have said.
    pub fn seen(self) -> Vec<Failure> {
        self.failures.into_iter().map(|(_, failure)| failure).collect()
    }
}

/// `Failed tests:   aTotal(shop.InvoiceTest): …`, up to Surefire 2.18.
fn heading_with_entry(rest: &str) -> Option<(List, &str)> {
    let (heading, entry) = rest.split_once(':')?;
    let list = match heading {
        "Failed tests" => List::Failures,
        "Tests in error" => List::Errors,
        _ => return None,
    };
    Some((list, entry.trim()))
}

/// A class' summary, `Tests run: 3, …, Time elapsed: 0.084 s <<< FAILURE! - in yard.TideTest`.
pub fn class_summary(rest: &str) -> Option<(Totals, Option<&str>)> {
    summary(rest).filter(|_| rest.contains(", Time elapsed: "))
}

/// The numbers of a summary, and the class where it names one.
fn summary(rest: &str) -> Option<(Totals, Option<&str>)> {
    let numbers = rest.trim_start().strip_prefix("Tests run: ")?;
    let mut totals = Totals::default();
    let mut parts = numbers.split(", ");
    totals.ran = parts.next()?.parse().ok()?;
    let mut named = 0;
    for part in parts {
        let Some((name, number)) = part.split_once(": ") else { break };
        let digits = number.bytes().take_while(u8::is_ascii_digit).count();
        let slot = match name {
            "Failures" => &mut totals.failed,
            "Errors" => &mut totals.errored,
            "Skipped" => &mut totals.skipped,
            _ => continue,
        };
        *slot = number[..digits].parse().ok()?;
        named += 1;
    }
    let class =
        rest.rsplit_once(" - in ").or_else(|| rest.rsplit_once(" -- in ")).map(|(_, class)| class.trim());
    (named >= 2).then_some((totals, class))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries() {
        let totals = Totals { ran: 11, failed: 5, errored: 4, skipped: 1 };
        for (rest, want) in [
            ("Tests run: 11, Failures: 5, Errors: 4, Skipped: 1", Some((totals, None))),
            ("Tests run: 11, Failures: 5, Errors: 4, Skipped: 1, Flakes: 1", Some((totals, None))),
            (
                "Tests run: 11, Failures: 5, Errors: 4, Skipped: 1, Time elapsed: 0.7 s <<< FAILURE! - in shop.A",
                Some((totals, Some("shop.A"))),
            ),
            (
                "Tests run: 11, Failures: 5, Errors: 4, Skipped: 1, Time elapsed: 0.7 s <<< FAILURE! -- in shop.A",
                Some((totals, Some("shop.A"))),
            ),
            ("Tests run: 11", None),
            ("Tests run: all", None),
        ] {
            assert_eq!(summary(rest), want, "{rest}");
        }
    }
}

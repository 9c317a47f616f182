//! RSpec's last lines: its time, its totals, the commands that run the failed examples again.

use crate::values;

/// The numbers of `12 examples, 7 failures, 3 pending, 1 error occurred outside of examples`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// All examples, pending ones included.
    pub examples: u64,
    /// Failed examples.
    pub failed: u64,
    /// Pending examples.
    pub pending: u64,
    /// Errors outside of examples.
    pub outside: u64,
    /// From the line above it.
    pub duration_ms: Option<u64>,
}

/// The totals in a line that is nothing else.
pub fn totals(text: &str, duration_ms: Option<u64>) -> Option<Totals> {
    let mut totals = Totals { duration_ms, ..Totals::default() };
    let mut named = 0;
    for part in text.split(", ") {
        let (number, name) = part.split_once(' ')?;
        let slot = match name {
            "example" | "examples" => &mut totals.examples,
            "failure" | "failures" => &mut totals.failed,
            "pending" => &mut totals.pending,
            "error occurred outside of examples" | "errors occurred outside of examples" => {
                &mut totals.outside
            }
            _ => return None,
        };
        *slot = number.parse().ok()?;
        named += 1;
    }
    (named >= 2 && text.contains(" example")).then_some(totals)
}

/// `Finished in 1 minute 2.5 seconds (files took 0.4 seconds to load)`: milliseconds, absent where unread.
pub fn finished(text: &str) -> Option<Option<u64>> {
    let rest = text.strip_prefix("Finished in ")?;
    let (spent, load) = rest.split_once(" (files took ")?;
    load.strip_suffix(" to load)")?;
    Some(milliseconds(spent))
}

fn milliseconds(spent: &str) -> Option<u64> {
    let words: Vec<&str> = spent.split(' ').collect();
    let seconds = words.chunks(2).try_fold(0.0, |sum, pair| match pair {
        [number, unit] => {
            let number: f64 = number.parse().ok()?;
            let unit = match unit.trim_end_matches('s') {
                "second" => 1.0,
                "minute" => 60.0,
                "hour" => 3600.0,
                _ => return None,
            };
            Some(sum + number * unit)
        }
        _ => None,
    })?;
    values::milliseconds(seconds)
}

/// A command of the recap: `rspec ./spec/cart_spec.rb:28 # Cart grows`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rerun {
    /// The example's file.
    pub file: String,
    /// The line at which it begins; absent where RSpec names it by its number (`[1:9]`).
    pub line: Option<u64>,
}

/// A line of the recap.
pub fn rerun(text: &str) -> Option<Rerun> {
    let command = text.strip_prefix("rspec ")?;
    let place = command.split_once(" # ").map_or(command, |(place, _)| place);
    let place = place.trim_matches('\'');
    if let Some((file, _)) = place.strip_suffix(']').and_then(|place| place.rsplit_once('[')) {
        return Some(Rerun { file: file.to_owned(), line: None });
    }
    let (file, line) = place.rsplit_once(':')?;
    Some(Rerun { file: file.to_owned(), line: Some(line.parse().ok()?) })
}

/// Whether the line begins the report of an error outside of examples.
pub fn is_outside(text: &str) -> bool {
    let rest = text.strip_prefix("An error occurred ").unwrap_or("");
    rest.starts_with("while loading ") || rest.starts_with("in an `") || rest.starts_with("in a `")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines() {
        let base = Totals { examples: 12, failed: 7, duration_ms: Some(5), ..Totals::default() };
        for (text, want) in [
            ("12 examples, 7 failures", Some(base.clone())),
            (
                "12 examples, 7 failures, 3 pending, 1 error occurred outside of examples",
                Some(Totals { pending: 3, outside: 1, ..base }),
            ),
            (
                "1 example, 0 failures",
                Some(Totals { examples: 1, duration_ms: Some(5), ..Totals::default() }),
            ),
            ("12 examples", None),
            ("12 examples, 7 failures.", None),
            ("12 examples, many", None),
        ] {
            assert_eq!(totals(text, Some(5)), want, "{text}");
        }
    }

    #[test]
    fn times() {
        for (text, want) in [
            ("Finished in 0.16281 seconds (files took 0.4261 seconds to load)", Some(Some(163))),
            ("Finished in 1 minute 2.5 seconds (files took 1 second to load)", Some(Some(62_500))),
            ("Finished in a while (files took 1 second to load)", Some(None)),
            ("Finished in 0.1 seconds", None),
        ] {
            assert_eq!(finished(text), want, "{text}");
        }
    }

    #[test]
    fn recaps() {
        let at = |file: &str, line| Some(Rerun { file: file.to_owned(), line });
        assert_eq!(rerun("rspec ./spec/a_spec.rb:28 # Cart grows # x:3"), at("./spec/a_spec.rb", Some(28)));
        assert_eq!(rerun("rspec ./spec/a_spec.rb[1:9] # Cart parses"), at("./spec/a_spec.rb", None));
        assert_eq!(rerun("rspec './spec/a_spec.rb[1:2:1]' # Cart"), at("./spec/a_spec.rb", None));
        assert_eq!(rerun("rspec is fine"), None);
    }
}

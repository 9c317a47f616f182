//! Microsoft.Testing.Platform's results: `failed Shop.Tests.CartTests.Total (33ms)` at the margin, and what belongs
//! to it indented below.

use super::vstest::{Head, Style, is_duration, milliseconds};
use bv_schemas::TestOutcome;

/// Reads a head; before the platform has spoken, only a failure of a name in dots is one.
pub fn head(text: &str, known: bool) -> Option<Head> {
    let (word, rest) = text.split_once(' ')?;
    let outcome = match word {
        "failed" => None,
        "passed" => Some(TestOutcome::Passed),
        "skipped" => Some(TestOutcome::Skipped),
        _ => return None,
    };
    let rest = rest.strip_prefix("(canceled) ").unwrap_or(rest);
    let (name, duration) = rest.strip_suffix(')')?.rsplit_once(" (")?;
    let bare = name.split('(').next().unwrap_or(name);
    let sure = known || bare.contains('.') && !bare.contains(' ');
    (sure && is_duration(duration)).then(|| Head {
        name: name.to_owned(),
        outcome,
        duration_ms: milliseconds(duration),
        style: Style::Platform,
    })
}

//! The details of a failed test: what it printed, then Alcotest's words.
//!
//! ```text
//! ASSERT freezing
//! FAIL freezing
//!
//!    Expected: `32'
//!    Received: `30'
//! ```

use crate::ocaml;
use crate::values::Sides;
use bv_schemas::{Failure, Kind};

/// The failure that these lines tell of, without its id.
pub fn failure(lines: &[&str]) -> Failure {
    let mut failure = Failure::default();
    let labels = ["[exception] ", "[failure] ", "[invalid] "];
    // The last such line is Alcotest's: what the test printed stands above it.
    let thrown =
        lines.iter().enumerate().rev().find_map(|(at, line)| {
            labels.iter().find_map(|label| Some((at, *label, line.strip_prefix(label)?)))
        });
    let failed = lines.iter().rposition(|line| line.starts_with("FAIL "));
    if let Some((at, label, message)) = thrown.filter(|(at, ..)| failed.is_none_or(|failed| failed < *at)) {
        failure.kind = Kind::Exception;
        failure.message = Some(message.to_owned());
        failure.exception_type =
            ocaml::exception_type(message).filter(|_| label == "[exception] ").map(str::to_owned);
        ocaml::locate(&lines[at..], &mut failure);
    } else if let Some(at) = failed {
        let message = lines[at].trim_end();
        failure.message = Some(message.to_owned());
        failure.test = at.checked_sub(1).and_then(|above| ocaml::place(lines[above]));
        sides(&lines[at..]).or_else(|| raised(message)).fill(&mut failure);
        ocaml::locate(&lines[at..], &mut failure);
    } else {
        failure.message = lines.iter().find_map(|line| line.strip_prefix("Error ")).map(str::to_owned);
    }
    failure
}

/// The two values, which may go over lines.
fn sides(lines: &[&str]) -> Sides {
    let side = |label: &str| {
        let (at, first) = lines
            .iter()
            .enumerate()
            .find_map(|(at, line)| Some((at, line.trim_start().strip_prefix(label)?)))?;
        let mut value = first.strip_prefix('`').unwrap_or(first).to_owned();
        for line in
            lines[at + 1..].iter().take_while(|line| !line.is_empty() && !line.starts_with("   Received: "))
        {
            value.push('\n');
            value.push_str(line.trim());
        }
        Some(value.strip_suffix('\'').map(str::to_owned).unwrap_or(value))
    };
    Sides { expected: side("Expected: "), observed: side("Received: ") }
}

/// `FAIL no stock: expecting Not_found, got Cart.No_stock("cup").`
fn raised(message: &str) -> Sides {
    let read = || {
        let (_, rest) = message.split_once(": expecting ")?;
        let (expected, observed) = rest.split_once(", got ")?;
        Some(Sides::both(expected, observed.strip_suffix('.').unwrap_or(observed)))
    };
    read().unwrap_or_default()
}

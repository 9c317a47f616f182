//! One failure: its numbered name, then for each failed expectation `Message:` and `Stack:`.

use crate::javascript::words::worded;
use crate::javascript::{Names, Naming, add, error};
use crate::machine::Line;
use crate::values::{Sides, split_outside};
use bv_schemas::{Failure, Kind};

/// Lines kept of one failure.
const LINES_MAX: usize = 2000;

/// What stands above the first `Message:`.
#[derive(Debug)]
pub struct Head {
    name: String,
    /// A suite's hook failed, not a spec.
    suite: bool,
}

impl Head {
    /// `1) Cart total rounds half up`, `Suite error: Cart`.
    pub fn read(text: &str) -> Option<Head> {
        if let Some(name) = text.strip_prefix("Suite error: ") {
            return Some(Head { name: name.to_owned(), suite: true });
        }
        let (number, name) = text.split_once(") ")?;
        let numbered = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        numbered.then(|| Head { name: name.to_owned(), suite: false })
    }
}

/// A failure that is being read.
#[derive(Debug)]
pub struct Block {
    head: Head,
    /// The lines of each failed expectation.
    checks: Vec<Vec<String>>,
    part: Part,
    lines: usize,
    span: [u64; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Message,
    Stack,
    Over,
}

impl Block {
    /// Its first `Message:` was read.
    pub fn new(head: Head, span: [u64; 2]) -> Block {
        Block { head, checks: vec![Vec::new()], part: Part::Message, lines: 0, span }
    }

    /// Takes the next line.
    pub fn line(&mut self, line: &Line<'_>) {
        let text = line.text.trim_end();
        self.lines += 1;
        match text {
            "  Message:" => {
                self.checks.push(Vec::new());
                self.part = Part::Message;
            }
            "  Stack:" => self.part = Part::Stack,
            // What a spec logged follows, or the specs that wait.
            "  Trace:" | "  Debug logs:" | "Pending:" => self.part = Part::Over,
            "" if self.part == Part::Stack => self.part = Part::Over,
            _ if self.part == Part::Over || self.lines > LINES_MAX => return,
            _ => {
                if let Some(lines) = self.checks.last_mut() {
                    lines.push(text.strip_prefix("    ").unwrap_or(text).to_owned());
                }
            }
        }
        if self.part != Part::Over {
            self.span[1] = line.span[1];
        }
    }

    /// The failure that it tells of.
    pub fn failure(self) -> Option<Failure> {
        let mut checks = self.checks.iter().map(|lines| check(lines));
        let mut failure = checks.next()?;
        checks.for_each(|next| add(&mut failure, next));
        let not_run = failure.message.as_deref().is_some_and(|m| m.starts_with("Not run because a "));
        if self.head.suite || not_run {
            failure.kind = Kind::SetupError;
        }
        failure.id = Some(self.head.name);
        failure.span = Some(self.span);
        Some(failure)
    }
}

/// Reads one failed expectation, or an error that was thrown.
pub fn check(lines: &[String]) -> Failure {
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let mut failure = error(&lines, Naming::Always, Names::Own);
    if failure.exception_type.is_none() && failure.kind == Kind::Exception {
        // A matcher's words have no name before them.
        failure.kind = Kind::Assertion;
        failure.message.as_deref().and_then(sides).unwrap_or_default().fill(&mut failure);
    }
    failure
}

/// The sides of `three pins: Expected 1.18 to be 1.19.`, `Expected $.lines.length = 2 to equal 3.`
fn sides(message: &str) -> Option<Sides> {
    let text = message.strip_suffix('.').unwrap_or(message);
    let at = match text.strip_prefix("Expected ") {
        Some(_) => 0,
        None => text.find(": Expected ")? + 2,
    };
    let mut sides = worded(&["e", &text[at + 1..]].concat())?;
    // Inside a structure the path to the value stands before it.
    if let Some((path, value)) = sides.observed.as_deref().and_then(|seen| split_outside(seen, " = "))
        && path.starts_with('$')
    {
        sides.observed = Some(value.to_owned());
    }
    Some(sides)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matchers_name_two_sides() {
        for (message, expected, observed) in [
            ("three pins: Expected 1.18 to be 1.19.", "1.19", "1.18"),
            ("Expected $.lines[2] = undefined to equal '1x gift'.", "'1x gift'", "undefined"),
            ("Expected 20 to be greater than 20.", "greater than 20", "20"),
            ("Expected 'a. b' not to equal 'a. b'.", "not 'a. b'", "'a. b'"),
        ] {
            assert_eq!(sides(message), Some(Sides::both(expected, observed)), "{message}");
        }
        assert_eq!(
            sides("Expected spy go to have been called."),
            Some(Sides::both("have been called", "spy go"))
        );
        assert_eq!(sides("Failed: by hand"), None);
    }
}

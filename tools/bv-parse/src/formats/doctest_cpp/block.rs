//! One check: `file.cpp:8: ERROR: CHECK( a == b ) is NOT correct!`, its values, what was logged.

use crate::cpp;
use crate::machine::Line;
use crate::values::{Sides, split_outside};
use bv_schemas::{Failure, Kind, Place};

/// Lines kept of one check.
const LINES_MAX: usize = 300;

/// A check, as printed.
#[derive(Debug)]
pub struct Block {
    file: String,
    line: u64,
    /// It failed; warnings, messages and successes are read to be left out.
    failed: bool,
    text: String,
    values: Option<String>,
    logged: Vec<String>,
    part: Part,
    lines: usize,
    span: [u64; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Text,
    Values,
    Logged,
}

const LEVELS: &[(&str, bool)] = &[
    (": FATAL ERROR: ", true),
    (": ERROR: ", true),
    (": WARNING: ", false),
    (": MESSAGE: ", false),
    (": SUCCESS: ", false),
];

impl Block {
    /// Whether a check's report begins here.
    pub fn begins(text: &str, span: [u64; 2]) -> Option<Block> {
        let (at, (level, failed)) =
            LEVELS.iter().filter_map(|level| Some((text.find(level.0)?, level))).min_by_key(|(at, _)| *at)?;
        let (file, line) = cpp::place(&text[..at])?;
        Some(Block {
            file: file.to_owned(),
            line,
            failed: *failed,
            text: text[at + level.len()..].to_owned(),
            values: None,
            logged: Vec::new(),
            part: Part::Text,
            lines: 0,
            span,
        })
    }

    /// Takes the next line; false when the check's report is over.
    pub fn line(&mut self, line: &Line<'_>) -> bool {
        self.lines += 1;
        let text = line.text.trim_end();
        if text.is_empty() || self.lines > LINES_MAX {
            return false;
        }
        if let Some(values) = text.strip_prefix("  values: ") {
            self.part = Part::Values;
            self.values = Some(values.to_owned());
        } else if let Some(logged) = text.strip_prefix("  logged: ") {
            self.part = Part::Logged;
            self.logged.push(logged.to_owned());
        } else {
            match self.part {
                Part::Text => [" ", text.trim()].iter().for_each(|more| self.text.push_str(more)),
                Part::Values => {
                    let values = self.values.get_or_insert_default();
                    values.push('\n');
                    values.push_str(text);
                }
                Part::Logged => self.logged.push(text.trim().to_owned()),
            }
        }
        self.span[1] = line.span[1];
        true
    }

    /// The failure that it tells of; none where nothing failed.
    pub fn failure(self) -> Option<Failure> {
        self.failed.then_some(())?;
        let mut failure = Failure {
            test: Some(Place { file: Some(self.file), line: Some(self.line), function: None }),
            span: Some(self.span),
            ..Failure::default()
        };
        let mut message = self.text;
        if let Some(death) = message.strip_prefix("test case CRASHED: ") {
            failure.kind = Kind::Crash;
            failure.exception_type =
                death.split(" - ").next().filter(|name| name.starts_with("SIG")).map(str::to_owned);
            message = death.to_owned();
        } else if let Some((_, thrown)) = message.split_once(" THREW exception: ") {
            failure.kind = Kind::Exception;
            message = unquoted(thrown).to_owned();
        } else if let Some(sides) = self.values.as_deref().and_then(sides).or_else(|| thrown_sides(&message))
        {
            sides.fill(&mut failure);
        }
        if !self.logged.is_empty() {
            message = [&message, " logged: ", &self.logged.join("; ")].concat();
        }
        failure.message = Some(message);
        Some(failure)
    }
}

/// `"no spring"`, as a standard exception's words are printed.
fn unquoted(text: &str) -> &str {
    text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text)
}

/// The sides of `CHECK( -8 == -7 )`, `CHECK_EQ( -8, -7 )`.
fn sides(values: &str) -> Option<Sides> {
    let (name, inside) = values.split_once("( ")?;
    let inside = inside.strip_suffix(" )")?;
    let operator = match name.rsplit('_').next()? {
        "EQ" => "==",
        "NE" => "!=",
        "LT" => "<",
        "GT" => ">",
        "LE" => "<=",
        "GE" => ">=",
        _ => return cpp::sides(inside),
    };
    let (observed, wanted) = split_outside(inside, ", ")?;
    Some(cpp::compared(observed.trim(), operator, wanted.trim()))
}

/// The sides of `CHECK_THROWS_AS( f(), std::out_of_range ) did NOT throw at all!`
fn thrown_sides(text: &str) -> Option<Sides> {
    let (check, seen) = text.split_once(" ) ")?;
    let (_, wanted) = check.split_once("_THROWS_")?.1.rsplit_once(", ")?;
    let observed =
        seen.strip_prefix("threw a DIFFERENT exception: ").map(|thrown| unquoted(thrown).to_owned());
    Some(Sides { expected: Some(wanted.to_owned()), observed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_two_sides() {
        for (values, expected, observed) in [
            ("CHECK( -8 == -7 )", "-7", "-8"),
            ("CHECK_EQ( {1, 2}, {1, 3} )", "{1, 3}", "{1, 2}"),
            ("REQUIRE_LT( 5, 3 )", "< 3", "5"),
            ("CHECK( a(1, 2) == \"x == y\" )", "\"x == y\"", "a(1, 2)"),
        ] {
            assert_eq!(sides(values), Some(Sides::both(expected, observed)), "{values}");
        }
        assert_eq!(sides("CHECK( false )"), None);
    }
}

//! One pattern: a regular expression within limits, and which of its groups is which field.

use regex::{Captures, Regex, RegexBuilder};

/// Bytes of a pattern's text at most.
const PATTERN_BYTES_MAX: usize = 4 << 10;
/// Bytes that a compiled pattern may take, and as many again while it searches.
pub const COMPILED_BYTES_MAX: usize = 1 << 20;
/// Bytes of one value that is kept; what is longer is cut.
const VALUE_BYTES_MAX: usize = 16 << 10;

/// A part of a record that a group may fill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field {
    /// The test's name.
    Id,
    /// The place in the test.
    File,
    /// 1-based.
    Line,
    /// Read, and left out: records have none.
    Column,
    /// The function in the test.
    Function,
    /// What went wrong.
    Message,
    /// What must hold.
    Expected,
    /// What was seen.
    Observed,
    /// The exception's type.
    Exception,
    /// The rule's code.
    Rule,
    /// The place in the product.
    FaultFile,
    /// 1-based.
    FaultLine,
    /// The function in the product.
    FaultFunction,
    /// A value of the counterexample.
    Input(String),
    /// Tests counted.
    Count(Count),
    /// A time.
    Seconds,
    /// A time.
    Milliseconds,
}

/// What a number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// Ran and held.
    Passed,
    /// Ran and did not hold.
    Failed,
    /// Could not be run to their end.
    Errored,
    /// Left out.
    Skipped,
    /// All of them.
    Total,
}

/// Which fields stand where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// In a failure.
    Failure,
    /// In a line with numbers.
    Counts,
    /// In the line of a test that did not fail.
    Test,
    /// Nowhere.
    Start,
}

impl Field {
    /// The field of this name.
    pub fn named(name: &str, part: Part) -> Option<Field> {
        match part {
            Part::Failure => Field::of_failure(name),
            Part::Counts => Some(match name {
                "passed" => Field::Count(Count::Passed),
                "failed" => Field::Count(Count::Failed),
                "errored" => Field::Count(Count::Errored),
                "skipped" => Field::Count(Count::Skipped),
                "total" => Field::Count(Count::Total),
                "seconds" => Field::Seconds,
                "milliseconds" => Field::Milliseconds,
                _ => return None,
            }),
            Part::Test => Some(match name {
                "id" => Field::Id,
                "seconds" => Field::Seconds,
                "milliseconds" => Field::Milliseconds,
                _ => return None,
            }),
            Part::Start => None,
        }
    }

    fn of_failure(name: &str) -> Option<Field> {
        if let Some(input) = name.strip_prefix("input_") {
            return (!input.is_empty()).then(|| Field::Input(input.to_owned()));
        }
        Some(match name {
            "id" => Field::Id,
            "file" => Field::File,
            "line" => Field::Line,
            "column" => Field::Column,
            "function" => Field::Function,
            "message" => Field::Message,
            "expected" => Field::Expected,
            "observed" => Field::Observed,
            "exception" => Field::Exception,
            "rule" => Field::Rule,
            "fault_file" => Field::FaultFile,
            "fault_line" => Field::FaultLine,
            "fault_function" => Field::FaultFunction,
            _ => return None,
        })
    }
}

/// See the head of this file.
#[derive(Debug)]
pub struct Pattern {
    regex: Regex,
    fields: Vec<(usize, Field)>,
}

impl Pattern {
    /// A pattern whose groups are fields by their names.
    ///
    /// # Errors
    /// `what is wrong`, without place and advice.
    pub fn of_names(text: &str, part: Part) -> Result<Pattern, String> {
        let regex = compile(text)?;
        let mut fields = Vec::new();
        for (group, name) in regex.capture_names().enumerate() {
            let Some(name) = name else { continue };
            let field = Field::named(name, part).ok_or_else(|| format!("(?<{name}>...) is no field here"))?;
            fields.push((group, field));
        }
        Ok(Pattern { regex, fields })
    }

    /// A pattern whose groups are fields by their numbers.
    ///
    /// # Errors
    /// `what is wrong`, without place and advice.
    pub fn of_numbers(text: &str, fields: Vec<(usize, Field)>) -> Result<Pattern, String> {
        let regex = compile(text)?;
        let groups = regex.captures_len();
        match fields.iter().find(|(group, _)| *group >= groups) {
            Some((group, _)) => Err(format!("the pattern has no group {group}")),
            None => Ok(Pattern { regex, fields }),
        }
    }

    /// What the line says, where the pattern fits it.
    pub fn fit<'p, 't>(&'p self, text: &'t str) -> Option<Fit<'p, 't>> {
        Some(Fit { fields: &self.fields, captures: self.regex.captures(text)? })
    }

    /// Whether it fits the line.
    pub fn fits(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// Whether one of its groups is this field.
    pub fn has(&self, field: &Field) -> bool {
        self.fields.iter().any(|(_, own)| own == field)
    }

    /// The expression.
    pub fn text(&self) -> &str {
        self.regex.as_str()
    }
}

/// A line that a pattern fits.
pub struct Fit<'p, 't> {
    fields: &'p [(usize, Field)],
    captures: Captures<'t>,
}

impl<'p, 't> Fit<'p, 't> {
    /// The fields that the line fills, empty ones left out.
    pub fn fields(&self) -> impl Iterator<Item = (&'p Field, &'t str)> {
        self.fields.iter().filter_map(|(group, field)| {
            let text = clip(self.captures.get(*group)?.as_str());
            (!text.is_empty()).then_some((field, text))
        })
    }
}

fn clip(text: &str) -> &str {
    let mut end = text.len().min(VALUE_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn compile(text: &str) -> Result<Regex, String> {
    if text.len() > PATTERN_BYTES_MAX {
        return Err(format!("a pattern of over {PATTERN_BYTES_MAX} bytes"));
    }
    RegexBuilder::new(text)
        .size_limit(COMPILED_BYTES_MAX)
        .dfa_size_limit(COMPILED_BYTES_MAX)
        .build()
        .map_err(|wrong| format!("{} in {}", reason(&wrong), shown(text)))
}

/// The last line of what the crate says; above it stands a picture of the pattern.
fn reason(wrong: &regex::Error) -> String {
    match wrong {
        regex::Error::CompiledTooBig(limit) => format!("a pattern that takes over {limit} bytes"),
        wrong => {
            let text = wrong.to_string();
            let last = text.lines().last().unwrap_or_default().trim();
            last.strip_prefix("error: ").unwrap_or(last).to_owned()
        }
    }
}

/// A pattern in a message: on one line, and not a page long.
pub fn shown(text: &str) -> String {
    const SHOWN_CHARS_MAX: usize = 60;
    let mut shown: String =
        text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(SHOWN_CHARS_MAX).collect();
    if text.chars().nth(SHOWN_CHARS_MAX).is_some() {
        shown.push('…');
    }
    shown
}

//! What keeps a run from beginning: steps that cannot be imported, a feature that cannot be parsed.
//!
//! `ConfigError: No steps directory in '/w'` alone, or `Exception SyntaxError: …` with its traceback below.

use crate::machine::Line;
use crate::python::{self, Traceback};
use bv_schemas::{Failure, Kind};

/// Lines of one traceback that are kept.
const LINES_MAX: usize = 400;

/// What stands below the runner's line, until a feature or anything else does.
#[derive(Debug, Default)]
pub struct Loading {
    lines: Vec<String>,
    span: Option<[u64; 2]>,
    /// The traceback's last line came.
    whole: bool,
}

impl Loading {
    /// Takes the next line; whether it belongs here.
    pub fn line(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        let belongs = match self.lines.as_slice() {
            [] => {
                let error = text.strip_prefix("Exception ").unwrap_or(text);
                python::exception(error).is_some_and(|found| {
                    ["Error", "Exception", "Step"].iter().any(|end| found.name.ends_with(end))
                })
            }
            _ if self.whole => false,
            // The words may go on before the traceback.
            [first] => first.starts_with("Exception ") || first.ends_with(':'),
            [first, ..] => first.starts_with("Exception "),
        };
        if belongs {
            let traced = self.lines.iter().any(|line| python::header(line));
            self.whole = traced && !text.starts_with(' ') && python::exception(text).is_some();
            self.span.get_or_insert(line.span)[1] = line.span[1];
            if self.lines.len() < LINES_MAX {
                self.lines.push(text.to_owned());
            }
        }
        belongs
    }

    /// Whether an error stands there.
    pub fn is_error(&self) -> bool {
        !self.lines.is_empty()
    }

    /// The failure that it is.
    pub fn failure(self) -> Option<Failure> {
        let first = self.lines.first()?;
        let mut failure = Failure { kind: Kind::CollectionError, span: self.span, ..Failure::default() };
        let said = python::exception(first.strip_prefix("Exception ").unwrap_or(first))?;
        if let Some(at) = self.lines.iter().position(|line| python::header(line)) {
            let traceback = Traceback::read(self.lines[at..].iter().map(String::as_str));
            traceback.place(&mut failure, None);
            traceback.describe(&mut failure);
        }
        if failure.message.is_none() {
            let more = self.lines.get(1).map(|line| format!(" {}", line.trim()));
            failure.message = said.message.map(|words| words + more.as_deref().unwrap_or_default());
        }
        failure.exception_type = Some(said.name);
        Some(failure)
    }
}

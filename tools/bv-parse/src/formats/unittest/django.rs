//! Django's system check, which keeps the tests from running when it finds an error:
//!
//! ```text
//! SystemCheckError: System check identified some issues:
//!
//! ERRORS:
//! zoo.Animal.name: (fields.E120) CharFields must define a 'max_length' attribute.
//!         HINT: …
//!
//! System check identified 1 issue (0 silenced).
//! ```
//!
//! Source: `django/core/management/base.py`, `BaseCommand.check`. Warnings are left alone.

use crate::held::Held;
use crate::machine::{Closing, Line, Out, Says};
use bv_schemas::{Counts, Failure, Kind, Reason};

/// Lines after which a check that did not end is given up.
const LINES_MAX: usize = 10_000;

/// One system check that failed.
#[derive(Default)]
pub struct Check {
    reading: bool,
    /// The issues below the last heading are errors.
    errors: bool,
    held: Held,
    lines: usize,
}

impl Check {
    /// Whether the line belongs to it.
    pub fn line(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let text = line.text;
        if !self.reading {
            self.reading = text == "SystemCheckError: System check identified some issues:";
            if self.reading {
                out.open();
            }
            return self.reading;
        }
        if text == super::block::THIN_RULE || text == super::block::RULE {
            // The tests ran after all: one of them printed it.
            *self = Check::default();
            return false;
        }
        self.lines += 1;
        if text.starts_with("System check identified ") && text.ends_with(" silenced).") {
            self.close(out);
        } else if self.lines > LINES_MAX {
            self.held.say(out);
            *self = Check::default();
        } else if text.ends_with("S:") && text.bytes().rev().skip(1).all(|b| b.is_ascii_uppercase()) {
            self.errors = matches!(text, "ERRORS:" | "CRITICALS:");
        } else if self.errors
            && let Some(failure) = issue(line)
        {
            self.held.push(failure);
        }
        true
    }

    /// Whether its lines come.
    pub fn reading(&self) -> bool {
        self.reading
    }

    /// The stream ended inside it.
    pub fn end(&mut self, out: &mut Out) {
        self.held.say(out);
    }

    fn close(&mut self, out: &mut Out) {
        let mut check = std::mem::take(self);
        let message = check.held.iter_mut().next().and_then(|failure| failure.message.clone());
        check.held.say(out);
        let says = Says::Refused(Reason::CollectionError);
        out.runner(super::DJANGO.name);
        out.close(Closing { says, counts: Counts::default(), duration_ms: None, message });
    }
}

/// `zoo.Animal.name: (fields.E120) CharFields must …`; `?` stands where the issue has no object.
fn issue(line: &Line<'_>) -> Option<Failure> {
    if line.text.starts_with([' ', '\t']) {
        return None;
    }
    let (object, rest) = line.text.split_once(": (")?;
    let (rule, message) = rest.split_once(") ")?;
    let is_rule = rule.split_once('.').is_some_and(|(_, n)| !n.is_empty()) && !rule.contains(' ');
    is_rule.then(|| Failure {
        id: (object != "?").then(|| object.to_owned()),
        kind: Kind::CollectionError,
        message: Some(message.to_owned()),
        rule: Some(rule.to_owned()),
        span: Some(line.span),
        ..Failure::default()
    })
}

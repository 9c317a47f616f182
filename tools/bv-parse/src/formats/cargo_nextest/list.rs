//! A test binary that could not list its tests, so that none ran.
//!
//! In come the lines below `error: creating test list failed`, out come the record and the refusal.

use super::entry::unlisted;
use crate::machine::{Closing, Line, Out, Says};
use crate::rust_output::Captured;
use bv_schemas::{Counts, Reason};

/// The error, as far as it was read.
#[derive(Debug)]
pub struct List {
    /// ``for `set::odd`, command `…` exited with exit code 101``.
    cause: Option<String>,
    output: Captured,
    span: [u64; 2],
}

impl List {
    /// Begins at the error's line.
    pub fn new(line: &Line<'_>) -> List {
        List { cause: None, output: Captured::default(), span: line.span }
    }

    /// Takes the next line; false where it belongs to something else.
    pub fn line(&mut self, line: &Line<'_>) -> bool {
        let text = line.text;
        let inner = text.strip_prefix("  ").or(text.is_empty().then_some(""));
        match inner {
            Some("---") => false,
            Some(inner) => {
                self.span[1] = line.span[1];
                if self.cause.is_none() && !inner.is_empty() {
                    self.cause = Some(inner.to_owned());
                } else {
                    self.output.push(inner);
                }
                true
            }
            None => text == "Caused by:",
        }
    }

    /// Says what was read.
    pub fn end(mut self, out: &mut Out) {
        let message = match &self.cause {
            Some(cause) => format!("creating test list failed: {cause}"),
            None => "creating test list failed".to_owned(),
        };
        let cause = self.cause.as_deref().unwrap_or(&message);
        out.failure(unlisted(cause, self.output.lines(), self.span));
        out.close(Closing {
            says: Says::Refused(Reason::CollectionError),
            counts: Counts::default(),
            duration_ms: None,
            message: Some(message),
        });
    }
}

//! `--outputjson`: one object, read from its `generalDiagnostics` on.

use super::Count;
use crate::document::{Document, Taken};
use crate::finding::{self, lint};
use crate::machine::Line;
use bv_schemas::Failure;
use serde_json::Value;

/// A report that is being read.
#[derive(Debug)]
pub struct Report {
    document: Document,
}

/// What a report says.
#[derive(Debug, Default)]
pub struct Read {
    /// The errors.
    pub failures: Vec<Failure>,
    /// Pyright's own numbers.
    pub count: Count,
    /// Files that it looked at.
    pub files: Option<u64>,
}

impl Report {
    /// Begins in this line; the object was opened in it or above it.
    pub fn begin(line: &Line<'_>) -> (Report, Option<Option<Read>>) {
        let (document, taken) = Document::begin(line.text, line.span);
        let mut report = Report { document };
        let taken = report.taken(taken);
        (report, taken)
    }

    /// Takes the next line. Something comes back when the report ends; it is `None` inside when it cannot
    /// be read, and then nothing is known of the run.
    pub fn line(&mut self, line: &Line<'_>) -> Option<Option<Read>> {
        let taken = self.document.take(line.text, line.span);
        self.taken(taken)
    }

    fn taken(&mut self, taken: Taken) -> Option<Option<Read>> {
        match taken {
            Taken::More => None,
            Taken::Broken => Some(None),
            Taken::Whole(report) => Some(read(&report, self.document.span)),
        }
    }
}

/// A report without a summary is none.
fn read(report: &Value, span: [u64; 2]) -> Option<Read> {
    let summary = report["summary"].as_object()?;
    let number = |name: &str| summary.get(name).and_then(Value::as_u64);
    let count = Count { errors: number("errorCount")?, warnings: number("warningCount")? };
    let found = report["generalDiagnostics"].as_array()?.iter();
    let failure = |found: &Value| {
        let line = found["range"]["start"]["line"].as_u64().map(|line| line + 1);
        let place = finding::place(found["file"].as_str().unwrap_or_default(), line);
        let message = found["message"].as_str().unwrap_or_default().lines().next().unwrap_or_default();
        lint(place, message, found["rule"].as_str(), span)
    };
    let failures = found.filter(|found| found["severity"] == "error").map(failure).collect();
    Some(Read { failures, count, files: number("filesAnalyzed") })
}

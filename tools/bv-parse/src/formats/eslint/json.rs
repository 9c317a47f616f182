//! ESLint's JSON: an array of files with their messages, alone or under `results` beside the rules' metadata.

use super::failure;
use crate::document::{Document, Taken};
use crate::finding;
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
    /// Errors as counted by ESLint itself.
    pub errors: u64,
    /// Warnings, likewise.
    pub warnings: u64,
}

impl Report {
    /// Begins where `span` does.
    pub fn new(span: [u64; 2]) -> Report {
        Report { document: Document::new(span) }
    }

    /// Takes the next line. Something comes back when the report ends; it is `None` inside when it cannot
    /// be read, and then nothing is known of the run.
    pub fn line(&mut self, line: &Line<'_>) -> Option<Option<Read>> {
        match self.document.take(line.text, line.span) {
            Taken::More => None,
            Taken::Broken => Some(None),
            Taken::Whole(report) => Some(Some(read(&report, self.document.span))),
        }
    }
}

fn read(report: &Value, span: [u64; 2]) -> Read {
    let files = report.as_array().or_else(|| report["results"].as_array());
    let mut read = Read::default();
    for file in files.into_iter().flatten() {
        read.errors += file["errorCount"].as_u64().unwrap_or(0);
        read.warnings += file["warningCount"].as_u64().unwrap_or(0);
        let path = file["filePath"].as_str().unwrap_or_default();
        let messages = file["messages"].as_array().into_iter().flatten();
        for message in messages.filter(|message| message["severity"] == 2) {
            let place = finding::place(path, message["line"].as_u64());
            let words = message["message"].as_str().unwrap_or_default();
            read.failures.push(failure(place, words, message["ruleId"].as_str(), span));
        }
    }
    read
}

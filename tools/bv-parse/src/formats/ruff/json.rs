//! Ruff's JSON: an array of findings, each spread over many lines, or one a line.

use crate::document::{Document, Taken};
use crate::finding::{lint, place};
use crate::machine::Line;
use bv_schemas::Failure;
use serde_json::Value;

/// An array that is being read.
#[derive(Debug)]
pub struct Json {
    /// The finding that is being read.
    document: Option<Document>,
}

/// What a line did.
#[derive(Debug)]
pub enum Step {
    /// It goes on.
    More,
    /// One finding is whole.
    Finding(Box<Failure>),
    /// The last one was.
    End,
    /// It cannot be read: nothing is known of the rest.
    Broken,
}

impl Json {
    /// Begins with the first key of the first finding, `"cell": null,`.
    pub fn begin(line: &Line<'_>) -> Option<Json> {
        if !line.text.starts_with("    \"cell\": ") {
            return None;
        }
        let (document, _) = Document::begin(line.text, line.span);
        Some(Json { document: Some(document) })
    }

    /// Takes the next line.
    pub fn line(&mut self, line: &Line<'_>) -> Step {
        let taken = match &mut self.document {
            Some(document) => document.take(line.text, line.span),
            None if line.text.trim() == "{" => {
                let (document, taken) = Document::begin(line.text, line.span);
                self.document = Some(document);
                taken
            }
            None => return if line.text == "]" { Step::End } else { Step::Broken },
        };
        match taken {
            Taken::More => Step::More,
            Taken::Broken => Step::Broken,
            Taken::Whole(value) => {
                let span = self.document.take().map_or(line.span, |document| document.span);
                failure(&value, span).map_or(Step::Broken, |failure| Step::Finding(Box::new(failure)))
            }
        }
    }
}

/// A finding that has a line of its own.
pub fn line(line: &Line<'_>) -> Option<Failure> {
    if !line.text.starts_with("{\"cell\":") {
        return None;
    }
    failure(&serde_json::from_str(line.text).ok()?, line.span)
}

fn failure(value: &Value, span: [u64; 2]) -> Option<Failure> {
    let message = value["message"].as_str()?;
    let file = value["filename"].as_str()?;
    // A syntax error had no code until version 0.12.
    let rule = value["code"].as_str();
    Some(lint(place(file, value["location"]["row"].as_u64()), message, rule, span))
}

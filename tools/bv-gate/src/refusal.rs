//! Why nothing can be said of a candidate.

use bv_schemas::Reason;
use std::io;
use std::path::Path;

/// A reason of the `end` record, and the words to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// As the record has it.
    pub reason: Reason,
    /// One line.
    pub message: String,
}

impl Refusal {
    /// A vector, rule or input that cannot be used.
    pub fn bad_input(message: impl Into<String>) -> Refusal {
        Refusal { reason: Reason::BadInput, message: message.into() }
    }

    /// A file that cannot be read.
    pub fn unreadable(path: &Path, wrong: &io::Error) -> Refusal {
        let missing = wrong.kind() == io::ErrorKind::NotFound;
        let reason = if missing { Reason::MissingFile } else { Reason::BadInput };
        Refusal { reason, message: format!("cannot read {}: {}", path.display(), plain(wrong)) }
    }
}

/// The system's words without Rust's ` (os error 13)`.
pub fn plain(wrong: &io::Error) -> String {
    let words = wrong.to_string();
    match words.find(" (os error") {
        Some(at) => words[..at].to_owned(),
        None => words,
    }
}

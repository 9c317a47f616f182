//! The compiler's errors, and the words of a Swift program that dies.

use crate::compile_errors::CompileErrors;
use bv_schemas::{Failure, Kind, Place};

/// Errors by their line: a module's error is printed by each job that needs the module.
pub type Errors = CompileErrors<String>;

impl Errors {
    /// `/w/Sources/Shop/Cart.swift:3:12: error: cannot find 'x' in scope`
    pub fn line(&mut self, text: &str, span: [u64; 2]) {
        let Some((place, message)) = text.split_once(": error: ") else { return };
        let Some((rest, column)) = place.rsplit_once(':') else { return };
        let Some((file, line)) = rest.rsplit_once(':') else { return };
        let (Ok(_), Ok(line)) = (column.parse::<u64>(), line.parse::<u64>()) else { return };
        if !file.ends_with(".swift") || file.starts_with([' ', '\t', '|']) {
            return;
        }
        let failure = Failure {
            kind: Kind::CompileError,
            message: Some(message.to_owned()),
            fault: Some(Place { file: Some(file.to_owned()), line: Some(line), function: None }),
            span: Some(span),
            ..Failure::default()
        };
        self.push(text.to_owned(), failure);
    }
}

/// `Shop/Cart.swift:6: Fatal error: Index out of range`, `error: Exited with unexpected signal code 5`
#[derive(Debug)]
pub struct Fatal {
    place: Option<(String, u64)>,
    message: String,
}

impl Fatal {
    /// Reads a line.
    pub fn read(text: &str) -> Option<Fatal> {
        if let Some(message) = text.strip_prefix("error: ").filter(|rest| rest.starts_with("Exited with ")) {
            return Some(Fatal { place: None, message: message.to_owned() });
        }
        let (place, message) =
            text.split_once(": Fatal error").or_else(|| text.split_once(": Precondition failed"))?;
        let (file, line) = place.rsplit_once(':')?;
        let line = line.parse().ok()?;
        let said = message.strip_prefix(": ").filter(|said| !said.is_empty());
        let words = if text.contains(": Fatal error") { "Fatal error" } else { "Precondition failed" };
        let message = said.map_or_else(|| words.to_owned(), |said| format!("{words}: {said}"));
        file.ends_with(".swift").then(|| Fatal { place: Some((file.to_owned(), line)), message })
    }

    /// Puts it into the failure of the test that died by it.
    pub fn tell(&self, failure: &mut Failure) {
        failure.message = Some(self.message.clone());
        // The standard library's own files are not the user's.
        let own = self.place.as_ref().filter(|(file, _)| !file.starts_with("Swift/"));
        failure.fault =
            own.map(|(file, line)| Place { file: Some(file.clone()), line: Some(*line), function: None });
    }
}

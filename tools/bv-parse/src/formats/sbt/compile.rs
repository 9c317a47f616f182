//! Why sbt failed, where no test did: Scala's compile errors, and sbt's own words for the task.
//!
//! ```text
//! [error] /p/Cart.scala:12:5: not found: value totl
//! [error] -- [E008] Not Found Error: /p/Cart.scala:12:5 ------
//! [error] (Test / compileIncremental) Compilation failed
//! ```

use crate::finding::position;
use crate::jvm;
use crate::machine::{HELD_MAX, Out};
use bv_schemas::{Failure, Kind, Place, Reason};

/// See the head of this file.
#[derive(Default)]
pub struct Errors {
    failures: Vec<Failure>,
    /// Scala 3 says what is wrong below the place.
    untold: bool,
    task: Option<String>,
}

impl Errors {
    /// A line of level `error`, which is taken off.
    pub fn line(&mut self, text: &str, span: [u64; 2]) {
        if let Some(task) = text.strip_prefix('(').filter(|rest| rest.contains(") ")) {
            self.task.get_or_insert_with(|| format!("({task}"));
        } else if let Some(failure) = error(text, span).filter(|_| self.failures.len() < HELD_MAX) {
            self.untold = failure.message.is_none();
            self.failures.push(failure);
        } else if self.untold
            && let Some(said) = text.trim_start().strip_prefix("| ").map(str::trim)
            && said.starts_with(char::is_alphabetic)
            && let Some(last) = self.failures.last_mut()
        {
            last.message = Some(said.to_owned());
            self.untold = false;
        }
    }

    /// The reason, and sbt's words for it.
    pub fn why(&self) -> (Reason, Option<String>) {
        let compile = !self.failures.is_empty()
            || self.task.as_deref().is_some_and(|task| task.contains("Compilation failed"));
        (if compile { Reason::CompileError } else { Reason::NotRunnable }, self.task.clone())
    }

    /// Says the errors.
    pub fn say(self, out: &mut Out) {
        self.failures.into_iter().for_each(|failure| out.failure(failure));
    }
}

fn error(text: &str, span: [u64; 2]) -> Option<Failure> {
    if let Some(rest) = text.strip_prefix("-- ") {
        let (head, rest) = rest.split_once("Error: ")?;
        let place = rest.trim_end_matches(['-', ' ']);
        let (file, line) = position(place)?;
        let code = head.strip_prefix('[').and_then(|head| head.split(']').next());
        return Some(Failure {
            kind: Kind::CompileError,
            test: Some(Place { file: Some(file.to_owned()), line: Some(line), function: None }),
            rule: code.map(str::to_owned),
            span: Some(span),
            ..Failure::default()
        });
    }
    jvm::compile_error(text, span).or_else(|| jvm::compile_error(&format!("[Error] {text}"), span))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_scala() {
        let mut errors = Errors::default();
        for text in [
            "/p/Cart.scala:12:5: not found: value totl",
            "    totl(1)",
            "    ^",
            "-- [E006] Not Found Error: /p/Shop.scala:3:10 ---------",
            "3 |  totl",
            "  |  ^^^^",
            "  |  Not found: totl",
            "two errors found",
            "(Test / compileIncremental) Compilation failed",
        ] {
            errors.line(text, [0, 1]);
        }
        let said = |failure: &Failure| {
            let at = failure.test.clone().unwrap_or_default();
            (at.file.unwrap_or_default(), at.line, failure.message.clone().unwrap_or_default())
        };
        assert_eq!(
            errors.failures.iter().map(said).collect::<Vec<_>>(),
            [
                ("/p/Cart.scala".into(), Some(12), "not found: value totl".into()),
                ("/p/Shop.scala".into(), Some(3), "Not found: totl".into()),
            ]
        );
        assert_eq!(
            errors.why(),
            (Reason::CompileError, Some("(Test / compileIncremental) Compilation failed".into()))
        );
    }
}

//! Java: an exception that ended a thread, `Exception in thread "main" pkg.Type: message`.

use super::{Block, Said, Taken};
use crate::machine::Line;
use bv_schemas::{Failure, Kind, Place};

/// Whether such an exception begins here.
pub fn begins(line: &Line<'_>) -> Option<Said> {
    let rest = line.text.trim_start().strip_prefix("Exception in thread \"")?;
    let (_, thrown) = rest.split_once("\" ")?;
    let (name, message) = match thrown.split_once(": ") {
        Some((name, message)) => (name, Some(message.to_owned())),
        None => (thrown.trim_end(), None),
    };
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '$');
    if name.is_empty() || !name.chars().all(is_name) {
        return None;
    }
    let assertion = name.ends_with("AssertionError");
    let failure = Failure {
        kind: if assertion { Kind::Assertion } else { Kind::Exception },
        exception_type: Some(name.to_owned()),
        message,
        span: Some(line.span),
        ..Failure::default()
    };
    Some(Said::Block(Box::new(Stack { failure, frames: Vec::new(), caused: false })))
}

#[derive(Debug)]
struct Stack {
    failure: Failure,
    /// The user's, innermost first.
    frames: Vec<Place>,
    /// The frames of the outermost exception have been read.
    caused: bool,
}

impl Block for Stack {
    fn line(&mut self, line: &Line<'_>) -> Taken {
        let text = line.text.trim_start();
        if text.starts_with("Caused by: ") || text.starts_with("Suppressed: ") {
            self.caused = true;
        } else if let Some(at) = text.strip_prefix("at ").filter(|_| text.len() < line.text.len()) {
            self.frames.extend(frame(at).filter(|_| !self.caused));
        } else if !(text.starts_with("... ") && text.ends_with(" more")) {
            return Taken::No;
        }
        if let Some(span) = &mut self.failure.span {
            span[1] = line.span[1];
        }
        Taken::Yes
    }

    fn end(mut self: Box<Self>) -> Option<Said> {
        super::place(self.frames, &mut self.failure);
        Some(Said::Failure(self.failure))
    }
}

/// `pkg.Class.method(File.java:12)` of the user's own code; a module may stand before it.
fn frame(text: &str) -> Option<Place> {
    const FOREIGN: &[&str] =
        &["java.", "javax.", "jdk.", "sun.", "com.sun.", "kotlin.", "scala.", "org.junit."];
    let (path, place) = text.strip_suffix(')')?.split_once('(')?;
    let path = path.rsplit('/').next().unwrap_or(path);
    let (file, line) = place.rsplit_once(':')?;
    if FOREIGN.iter().any(|package| path.starts_with(package)) {
        return None;
    }
    let function = path.rsplit('.').next().map(str::to_owned);
    Some(Place { file: Some(file.to_owned()), line: Some(line.parse().ok()?), function })
}

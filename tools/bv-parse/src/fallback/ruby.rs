//! Ruby: an uncaught exception, `a.rb:3:in 'f': message (Type)`, and its callers below; a file that it could not
//! parse, `a.rb:5: syntax error, unexpected 'end'`.

use super::{Block, Said, Taken};
use crate::machine::Line;
use bv_schemas::{Failure, Kind, Place};
use regex::Regex;
use std::sync::LazyLock;

static HEAD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?P<place>\S+\.rb:\d+:in ['`][^']+'): (?P<message>.*) \((?P<type>[A-Z]\w*(?:::\w+)*)\)$")
        .expect("a constant pattern, run by the tests")
});

/// Whether such an exception begins here.
pub fn begins(line: &Line<'_>) -> Option<Said> {
    if let Some(failure) = unparsed(line) {
        return Some(Said::Failure(failure));
    }
    if !line.text.contains(".rb:") || !line.text.ends_with(')') {
        return None;
    }
    let found = HEAD.captures(line.text)?;
    let frames = frame(&found["place"]).into_iter().collect();
    let failure = Failure {
        kind: Kind::Exception,
        exception_type: Some(found["type"].to_owned()),
        message: Some(found["message"].to_owned()),
        span: Some(line.span),
        ..Failure::default()
    };
    Some(Said::Block(Box::new(Callers { failure, frames })))
}

/// `a.rb:5: syntax error, unexpected 'end'`, since 3.4 `a.rb:5: syntax errors found (SyntaxError)`.
fn unparsed(line: &Line<'_>) -> Option<Failure> {
    let (place, message) = line.text.split_once(": syntax error")?;
    let (file, number) = place.rsplit_once(':')?;
    if !file.ends_with(".rb") || file.contains(' ') {
        return None;
    }
    let words = format!("syntax error{message}");
    let (words, exception) = match words.strip_suffix(" (SyntaxError)") {
        Some(words) => (words.to_owned(), Some("SyntaxError".to_owned())),
        None => (words, None),
    };
    Some(Failure {
        kind: Kind::CompileError,
        message: Some(words),
        exception_type: exception,
        fault: Some(Place { file: Some(file.to_owned()), line: Some(number.parse().ok()?), function: None }),
        span: Some(line.span),
        ..Failure::default()
    })
}

#[derive(Debug)]
struct Callers {
    failure: Failure,
    frames: Vec<Place>,
}

impl Block for Callers {
    fn line(&mut self, line: &Line<'_>) -> Taken {
        let Some(from) =
            line.text.trim_start().strip_prefix("from ").filter(|_| line.text.starts_with(['\t', ' ']))
        else {
            return Taken::No;
        };
        self.frames.extend(frame(from));
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

/// `a.rb:3:in 'Cart#add'`, of the user's own code.
fn frame(text: &str) -> Option<Place> {
    let (place, function) = text.split_once(":in ")?;
    let (file, line) = place.rsplit_once(':')?;
    if file.contains("/gems/") || file.contains("/lib/ruby/") || file.starts_with('<') {
        return None;
    }
    let function = function.trim_matches(['\'', '`']);
    let function = function.rsplit(" in ").next().unwrap_or(function);
    let function = function.rsplit(['#', '.']).next().map(str::to_owned);
    Some(Place { file: Some(file.to_owned()), line: Some(line.parse().ok()?), function })
}

//! PHP: `PHP Fatal error:  Uncaught Type: message in /app/a.php:3` with its stack, other fatal errors,
//! and parse errors.

use super::{Block, Said, Taken};
use crate::machine::Line;
use bv_schemas::{Failure, Kind, Place};

/// Whether one of them begins here.
pub fn begins(line: &Line<'_>) -> Option<Said> {
    let text = line.text.strip_prefix("PHP ").unwrap_or(line.text);
    if let Some(rest) = text.strip_prefix("Parse error: ") {
        let (message, place) = on_line(rest.trim_start())?;
        return Some(Said::Failure(failure(Kind::CompileError, message, place, line)));
    }
    let rest = text.strip_prefix("Fatal error: ")?.trim_start();
    let Some(thrown) = rest.strip_prefix("Uncaught ") else {
        let (message, place) = on_line(rest)?;
        return Some(Said::Failure(failure(Kind::Exception, message, place, line)));
    };
    let (words, place) = thrown.rsplit_once(" in ")?;
    let (file, number) = place.rsplit_once(':')?;
    let place = Place { file: Some(file.to_owned()), line: Some(number.parse().ok()?), function: None };
    let (name, message) = words.split_once(": ").unwrap_or((words, ""));
    let mut failure = failure(Kind::Exception, message, place, line);
    failure.exception_type = Some(name.to_owned());
    Some(Said::Block(Box::new(Stack { failure })))
}

fn failure(kind: Kind, message: &str, place: Place, line: &Line<'_>) -> Failure {
    Failure {
        kind,
        message: Some(message.to_owned()).filter(|message| !message.is_empty()),
        fault: Some(place),
        span: Some(line.span),
        ..Failure::default()
    }
}

/// `message in /app/a.php on line 3`.
fn on_line(text: &str) -> Option<(&str, Place)> {
    let (rest, number) = text.rsplit_once(" on line ")?;
    let (message, file) = rest.rsplit_once(" in ")?;
    Some((
        message,
        Place { file: Some(file.to_owned()), line: Some(number.trim_end().parse().ok()?), function: None },
    ))
}

#[derive(Debug)]
struct Stack {
    failure: Failure,
}

impl Block for Stack {
    fn line(&mut self, line: &Line<'_>) -> Taken {
        let text = line.text;
        if let Some(call) = text.strip_prefix("#0 ").and_then(|frame| frame.split_once(": ")) {
            // `#0 file(line): f()` says who was called there: the function that threw.
            let path = call.1.split('(').next().unwrap_or_default();
            let name = path.rsplit(['>', ':']).next().unwrap_or(path);
            if let Some(fault) = self.failure.fault.as_mut().filter(|_| !name.is_empty()) {
                fault.function = Some(name.to_owned());
            }
        } else if !(text.starts_with("Stack trace:")
            || text.starts_with('#')
            || text.starts_with("  thrown in "))
        {
            return Taken::No;
        }
        if let Some(span) = &mut self.failure.span {
            span[1] = line.span[1];
        }
        Taken::Yes
    }

    fn end(self: Box<Self>) -> Option<Said> {
        Some(Said::Failure(self.failure))
    }
}

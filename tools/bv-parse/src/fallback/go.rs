//! Go: a panic, or a fatal error of the runtime, with the stack of the goroutine that failed.

use super::{Block, Said, Taken};
use crate::machine::Line;
use bv_schemas::{Failure, Kind, Place};

/// Lines between the message and the first goroutine: a message of several lines, the signal.
const BEFORE_MAX: usize = 20;

/// Whether a panic begins here.
pub fn begins(line: &Line<'_>) -> Option<Said> {
    let panic = line.text.strip_prefix("panic: ").map(|message| (Kind::Exception, message));
    let fatal = || line.text.strip_prefix("fatal error: ").map(|message| (Kind::Crash, message));
    let (kind, message) = panic.or_else(fatal)?;
    let message = message.trim_end_matches(" [recovered]").trim_end_matches(" [recovered, repanicked]");
    let failure =
        Failure { kind, message: Some(message.to_owned()), span: Some(line.span), ..Failure::default() };
    Some(Said::Block(Box::new(Panic {
        failure,
        frames: Vec::new(),
        function: None,
        running: false,
        before: 0,
    })))
}

#[derive(Debug)]
struct Panic {
    failure: Failure,
    frames: Vec<Place>,
    /// The function of the frame whose file follows.
    function: Option<String>,
    /// A goroutine's head line came.
    running: bool,
    before: usize,
}

impl Block for Panic {
    fn line(&mut self, line: &Line<'_>) -> Taken {
        if !self.running {
            self.running = line.text.starts_with("goroutine ") && line.text.ends_with(':');
            self.before += 1;
            return if self.before < BEFORE_MAX { Taken::Yes } else { Taken::No };
        }
        if line.text.is_empty() {
            // Other goroutines follow; the one that failed is the first.
            return Taken::Last;
        }
        if let Some(span) = &mut self.failure.span {
            span[1] = line.span[1];
        }
        match line.text.strip_prefix('\t') {
            Some(place) => {
                let function = self.function.take();
                self.frames.extend(function.and_then(|function| frame(function, place)));
            }
            None if line.text.starts_with("created by ") => self.function = None,
            None if line.text.ends_with(')') => self.function = Some(line.text.to_owned()),
            None => return Taken::No,
        }
        Taken::Yes
    }

    fn end(mut self: Box<Self>) -> Option<Said> {
        if !self.running {
            return None;
        }
        super::place(self.frames, &mut self.failure);
        Some(Said::Fatal(self.failure))
    }
}

/// `main.(*T).f(0xc000)` and `/app/main.go:7 +0x1d`, of the user's own code.
fn frame(function: String, place: &str) -> Option<Place> {
    let place = place.split(" +0x").next().unwrap_or(place);
    let (file, line) = place.rsplit_once(':')?;
    let standard =
        file.contains("/src/runtime/") || file.contains("/src/testing/") || file.contains("/go/src/");
    if standard
        || file.contains("/pkg/mod/")
        || function.starts_with("runtime.")
        || function.starts_with("panic(")
    {
        return None;
    }
    let path = &function[..function.rfind('(').unwrap_or(function.len())];
    let name = path.rsplit('.').next().unwrap_or(path);
    Some(Place {
        file: Some(file.to_owned()),
        line: Some(line.parse().ok()?),
        function: Some(name.to_owned()),
    })
}

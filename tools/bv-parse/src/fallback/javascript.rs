//! JavaScript: an error with its stack, as Node, Deno and browsers print one that nobody caught.

use super::refusal::not_runnable;
use super::{Block, Said, Taken};
use crate::machine::Line;
use bv_schemas::{Failure, Kind, Place};

/// Lines of a message before the first frame.
const MESSAGE_LINES_MAX: usize = 30;

/// The frame of the one runner that leaves it to Node to print why it could not load a test file.
const JASMINE_LOADS: &str = "Jasmine._loadFiles (";

/// The runner that could not load its tests.
pub fn name(failure: &Failure) -> Option<&'static str> {
    (failure.kind == Kind::CollectionError).then_some("jasmine")
}

/// Whether an error may begin here; it is one if frames follow.
pub fn begins(line: &Line<'_>) -> Option<Said> {
    let text = line.text.strip_prefix("Uncaught ").unwrap_or(line.text);
    let text = text.strip_prefix("(in promise) ").unwrap_or(text);
    let (head, message) = text.split_once(": ").unwrap_or((text, ""));
    let (name, code) = head.split_once(" [").map_or((head, None), |(name, code)| (name, Some(code)));
    let named = name.ends_with("Error") && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
    if !named || code.is_some_and(|code| !code.ends_with(']')) {
        return None;
    }
    let failure = Failure {
        kind: if name == "AssertionError" { Kind::Assertion } else { Kind::Exception },
        exception_type: Some(name.to_owned()),
        message: Some(message.to_owned()).filter(|message| !message.is_empty()),
        span: Some(line.span),
        ..Failure::default()
    };
    Some(Said::Block(Box::new(Stack { failure, frames: Vec::new(), state: State::Message(0), root: None })))
}

#[derive(Debug)]
struct Stack {
    failure: Failure,
    frames: Vec<Place>,
    state: State,
    /// The project's folder, where a runner was loading its tests.
    root: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Message(usize),
    Frames,
    /// The error's own properties, in braces below the last frame.
    Properties,
}

impl Block for Stack {
    fn line(&mut self, line: &Line<'_>) -> Taken {
        let frame = line.text.trim_start().strip_prefix("at ").filter(|_| line.text.starts_with(' '));
        let state = match (self.state, frame) {
            (State::Message(_) | State::Frames, Some(at)) => {
                if let Some((_, place)) = at.split_once(JASMINE_LOADS) {
                    self.root = place.split_once("node_modules/").map(|(root, _)| root.to_owned());
                }
                self.frames.extend(user_frame(at.trim_end_matches(" {")));
                if at.ends_with(" {") { State::Properties } else { State::Frames }
            }
            (State::Message(n), None) if n < MESSAGE_LINES_MAX && self.is_message(line.text) => {
                State::Message(n + 1)
            }
            (State::Properties, _) if line.text == "}" => return Taken::Last,
            (State::Properties, _) if line.text.starts_with(' ') => {
                self.property(line.text.trim());
                State::Properties
            }
            _ => return Taken::No,
        };
        self.state = state;
        if let (Some(span), State::Frames) = (&mut self.failure.span, state) {
            span[1] = line.span[1];
        }
        Taken::Yes
    }

    fn end(mut self: Box<Self>) -> Option<Said> {
        if matches!(self.state, State::Message(_)) {
            return None;
        }
        let missing = self.failure.message.as_deref().filter(|m| m.starts_with("Cannot find module '"));
        if let Some(message) = missing.filter(|_| self.frames.is_empty()) {
            return Some(not_runnable(message, None));
        }
        super::place(self.frames, &mut self.failure);
        Some(match self.root {
            Some(root) => {
                self.failure.kind = Kind::CollectionError;
                Said::Unloaded(self.failure, root)
            }
            None => Said::Failure(self.failure),
        })
    }
}

impl Stack {
    /// A line of the message: blank, set in, a list of modules, or the sides of a strict assertion.
    fn is_message(&self, text: &str) -> bool {
        text.is_empty()
            || text.starts_with([' ', '-', '+'])
            || text == "Require stack:"
            || self.failure.kind == Kind::Assertion
    }

    /// `actual: 1,` and `expected: 2,` of an assertion, where the value stands on the line.
    fn property(&mut self, text: &str) {
        let value =
            |rest: &str| Some(rest.trim_end_matches(',').to_owned()).filter(|v| !v.ends_with(['[', '{']));
        if self.failure.kind != Kind::Assertion {
        } else if let Some(rest) = text.strip_prefix("actual: ") {
            self.failure.observed = value(rest);
        } else if let Some(rest) = text.strip_prefix("expected: ") {
            self.failure.expected = value(rest);
        }
    }
}

/// `f (file:///app/a.js:3:9)` or `/app/a.js:3:9`, of the user's own code.
fn user_frame(at: &str) -> Option<Place> {
    let (function, place) = match at.strip_suffix(')').and_then(|at| at.rsplit_once('(')) {
        Some((function, place)) => (Some(function.trim_end()), place),
        None => (None, at.strip_prefix("async ").unwrap_or(at)),
    };
    let (rest, _column) = place.rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    let foreign = ["node:", "internal/", "<anonymous>", "ext:"];
    if file.contains("node_modules") || foreign.iter().any(|head| file.starts_with(head)) {
        return None;
    }
    let function = function.map(|name| name.trim_start_matches("async ").trim_start_matches("new "));
    let function =
        function.filter(|name| !name.contains("<anonymous>")).map(bare).filter(|name| !name.is_empty());
    let file = file.strip_prefix("file://").unwrap_or(file);
    Some(Place { file: Some(file.to_owned()), line: Some(line.parse().ok()?), function })
}

/// `Cart.add [as push]` is `add`.
fn bare(name: &str) -> String {
    let name = name.split(" [as ").next().unwrap_or(name);
    name.rsplit('.').next().unwrap_or(name).to_owned()
}

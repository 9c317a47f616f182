//! Failures as `--details=flat` and `--details=verbose` print them, where the tests run; these modes have no
//! list of them below.
//!
//! ```text
//! Finished:    sums() ([engine:junit-jupiter]/[class:shop.CartTest]/[method:sums()])
//!              => Exception: org.opentest4j.AssertionFailedError: expected: <9> but was: <10>
//!              <TAB>at shop.CartTest.sums(CartTest.java:13)
//! ```
//!
//! `verbose` has `uniqueId: …`, `caught: …` and `status: ✘ FAILED` in the branches of a tree.

use crate::jvm::Exception;
use bv_schemas::{Failure, Kind};

/// Lines kept of one failure.
const LINES_MAX: usize = 4000;

/// See the head of this file.
#[derive(Default)]
pub struct Inline {
    /// The launcher's own full name of the test.
    id: Option<String>,
    lines: Vec<String>,
    reading: Reading,
    span: [u64; 2],
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Reading {
    #[default]
    Nothing,
    Flat,
    Verbose,
}

/// What stands before a detail in `flat`.
const FLAT: &str = "             ";

impl Inline {
    /// Takes a line; gives the failure that ended before it or in it.
    pub fn line(&mut self, text: &str, span: [u64; 2]) -> Option<Failure> {
        match self.reading {
            Reading::Flat => {
                if let Some(more) = text.strip_prefix(FLAT) {
                    self.push(more, span);
                    return None;
                }
                let failure = self.ended();
                self.begins(text, span);
                failure
            }
            Reading::Verbose => self.verbose(text, span),
            Reading::Nothing => {
                self.begins(text, span);
                None
            }
        }
    }

    fn begins(&mut self, text: &str, span: [u64; 2]) {
        if let Some(rest) = text.strip_prefix("Finished:    ") {
            self.id = rest.rsplit_once(" ([").and_then(|(_, id)| Some(format!("[{}", id.strip_suffix(')')?)));
            self.span = span;
        } else if let (Some(_), Some(first)) =
            (&self.id, text.strip_prefix(FLAT).and_then(|rest| rest.strip_prefix("=> Exception: ")))
        {
            self.reading = Reading::Flat;
            self.push(first, span);
        } else if let Some(rest) = branch(text) {
            if let Some(id) = rest.strip_prefix("uniqueId: ") {
                self.id = Some(id.to_owned());
                self.span = span;
            } else if let Some(first) = rest.strip_prefix("caught: ") {
                self.reading = Reading::Verbose;
                self.push(first, span);
            }
        } else {
            self.id = None;
        }
    }

    fn verbose(&mut self, text: &str, span: [u64; 2]) -> Option<Failure> {
        let rest = branch(text).unwrap_or(text);
        if rest.starts_with("status: ") {
            let failure = self.ended();
            return failure.filter(|_| rest.ends_with(" FAILED"));
        }
        // A container has no status; its end names it.
        if let Some((name, _)) = rest.rsplit_once(" finished after ") {
            self.id = Some(name.trim_start_matches(['└', '├', '─', ' ', '\'', '+', '-']).to_owned());
            return self.ended();
        }
        if !rest.starts_with("duration: ") {
            self.push(rest, span);
        }
        None
    }

    fn push(&mut self, text: &str, span: [u64; 2]) {
        if self.lines.len() < LINES_MAX {
            self.lines.push(text.to_owned());
        }
        self.span[1] = span[1];
    }

    fn ended(&mut self) -> Option<Failure> {
        let own = std::mem::take(self);
        let id = own.id?;
        let exception = Exception::read(own.lines.iter().map(String::as_str));
        let aborted = |class: &str| {
            class.ends_with(".TestAbortedException") || class.ends_with(".AssumptionViolatedException")
        };
        if exception.class.as_deref().is_some_and(aborted) {
            return None;
        }
        let (class, method) = (class_of(&id), method_of(&id));
        let mut failure = exception.failure(class.as_deref(), method);
        if method.is_none() {
            failure.kind = Kind::SetupError;
        }
        failure.id = Some(id);
        failure.span = Some(own.span);
        Some(failure)
    }
}

/// What stands behind the branches of the tree, if there are any.
fn branch(text: &str) -> Option<&str> {
    text.starts_with(['│', '|', '└', '├', '\'', '+']).then(|| text.trim_start_matches(['│', '|', ' ']))
}

/// `shop.CartTest$WhenEmpty` of `[engine:…]/[class:shop.CartTest]/[nested-class:WhenEmpty]/[method:isZero()]`.
fn class_of(id: &str) -> Option<String> {
    let mut class = segment(id, "[class:")?.to_owned();
    for nested in id.split("/[nested-class:").skip(1) {
        class.push('$');
        class.push_str(nested.split(']').next()?);
    }
    Some(class)
}

fn method_of(id: &str) -> Option<&str> {
    let method =
        ["[method:", "[test-template:", "[test-factory:"].iter().find_map(|kind| segment(id, kind))?;
    method.split('(').next()
}

fn segment<'a>(id: &'a str, label: &str) -> Option<&'a str> {
    id.split_once(label)?.1.split(']').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unique_ids_name_class_and_method() {
        for (id, class, method) in [
            ("[engine:junit-jupiter]/[class:shop.CartTest]/[method:sums()]", "shop.CartTest", Some("sums")),
            (
                "[engine:e]/[class:a.B]/[nested-class:C]/[test-template:t(int)]/[test-template-invocation:#3]",
                "a.B$C",
                Some("t"),
            ),
            ("[engine:e]/[class:a.B]", "a.B", None),
        ] {
            assert_eq!((class_of(id).as_deref(), method_of(id)), (Some(class), method), "{id}");
        }
    }
}

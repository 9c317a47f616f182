//! One failed test:
//!
//! ```text
//! CartTest > sums() FAILED
//!     org.opentest4j.AssertionFailedError: three pens ==> expected: <9> but was: <10>
//!         at app//shop.CartTest.sums(CartTest.java:13)
//! ```
//!
//! By default, without `exceptionFormat = 'full'`, the exception's class and one place are all that is printed.

use crate::finding::position;
use crate::jvm::{self, Exception};
use bv_schemas::{Failure, Kind, Place};

/// Lines kept of one failure.
const LINES_MAX: usize = 4000;
/// Lines after which a block that did not end is given up.
const BLOCK_LINES_MAX: usize = 100_000;

/// See the head of this file.
pub struct Block {
    id: String,
    lines: Vec<String>,
    seen: usize,
    span: [u64; 2],
}

/// A test's name, `CartTest > WhenEmpty > isZero()`, without the processes that may stand before it.
pub fn id(text: &str) -> Option<&str> {
    let mut id = text;
    for process in ["Gradle Test Run :", "Gradle Test Executor "] {
        if id.starts_with(process) {
            id = id.split_once(" > ")?.1;
        }
    }
    id.contains(" > ").then_some(id)
}

impl Block {
    /// The one below a title.
    pub fn new(id: String, span: [u64; 2]) -> Block {
        Block { id, lines: Vec::new(), seen: 0, span }
    }

    /// Takes the line, unless the block ended before it.
    pub fn line(&mut self, text: &str, span: [u64; 2]) -> bool {
        self.seen += 1;
        // With `--info`, a word of the process may stand between.
        if text.starts_with("Gradle Test Executor ") {
            return true;
        }
        let inner = text.strip_prefix("    ").or_else(|| text.strip_prefix('\t'));
        let Some(inner) = inner.or_else(|| text.is_empty().then_some("")) else { return false };
        if self.seen > BLOCK_LINES_MAX {
            return false;
        }
        if self.lines.len() < LINES_MAX {
            self.lines.push(inner.to_owned());
        }
        if !text.is_empty() {
            self.span[1] = span[1];
        }
        true
    }

    /// The failure that it tells of.
    pub fn failure(self) -> Failure {
        let mut failure = match self.lines.first().and_then(|first| short(first)) {
            Some(failure) => failure,
            None => self.full(),
        };
        let method = method(&self.id);
        if matches!(method, "initializationError" | "classMethod" | "executionError") {
            failure.kind = Kind::SetupError;
        }
        failure.id = Some(self.id);
        failure.span = Some(self.span);
        failure
    }

    fn full(&self) -> Failure {
        let causes = |line: &&str| line.trim_start() == "Caused by:";
        let lines = self.lines.iter().map(String::as_str).take_while(|line| !causes(line));
        let exception = Exception::read(lines);
        // Gradle may name the class without its package.
        let named = self.id.split(" > ").next().unwrap_or_default();
        let full = exception.frames.iter().map(|frame| frame.class.as_str()).find(|class| {
            let outer = class.split('$').next().unwrap_or(class);
            outer == named || outer.rsplit('.').next() == Some(named)
        });
        let class = full.map(|class| class.split('$').next().unwrap_or(class));
        exception.failure(class.or(Some(named)), Some(method(&self.id)))
    }
}

/// The innermost part of the name that is a method's, without its parameters.
fn method(id: &str) -> &str {
    id.rsplit(" > ")
        .map(|part| part.split(['(', '[', '{']).next().unwrap_or(part).trim())
        .find(|part| !part.is_empty())
        .unwrap_or(id)
}

/// `java.lang.AssertionError at CartTest.java:12`: the line is the test class' innermost one.
fn short(line: &str) -> Option<Failure> {
    let (class, place) = line.rsplit_once(" at ")?;
    let (file, line) = position(place).filter(|(file, _)| !file.contains([' ', '(']))?;
    let (class, "") = jvm::class_of(class)? else { return None };
    let exception = Exception { class: Some(class.to_owned()), ..Exception::default() };
    let mut failure = exception.failure(None, None);
    failure.test = Some(Place { file: Some(file.to_owned()), line: Some(line), function: None });
    Some(failure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (text, want) in [
            ("CartTest > sums()", Some(("CartTest > sums()", "sums"))),
            ("CartTest > scales(int) > [1] 1", Some(("CartTest > scales(int) > [1] 1", "scales"))),
            (
                "Gradle Test Run :test > Gradle Test Executor 1 > CartTest > sums",
                Some(("CartTest > sums", "sums")),
            ),
            ("Gradle Test Run :test > Gradle Test Executor 1", None),
            ("CartSpec > a pen costs 3", Some(("CartSpec > a pen costs 3", "a pen costs 3"))),
            ("ok", None),
        ] {
            assert_eq!(id(text).map(|id| (id, method(id))), want, "{text}");
        }
    }

    #[test]
    fn the_short_form_names_a_class_and_a_place() {
        let check = |line: &str, want: Option<(&str, &str, u64)>| {
            let got = short(line);
            let got = got.as_ref().and_then(|failure| {
                let test = failure.test.as_ref()?;
                Some((failure.exception_type.as_deref()?, test.file.as_deref()?, test.line?))
            });
            assert_eq!(got, want, "{line}");
        };
        check(
            "java.lang.AssertionError at CartTest.java:11",
            Some(("java.lang.AssertionError", "CartTest.java", 11)),
        );
        check("java.lang.AssertionError: no pen at CartTest.java:11", None);
        check("java.lang.AssertionError", None);
    }
}

//! MSBuild's terminal logger: a project's line, and its diagnostics indented below.
//!
//! `  Shop.Tests test net9.0 failed with 2 error(s) (1.0s)`, then `    /w/CartTests.cs(14): error TESTERROR: ` and the
//! message, indented by six and cut into pieces of the terminal's width.

use super::build;
use crate::dotnet::{Fault, LINES_MAX, frame};
use bv_schemas::{Failure, Kind, Place};

/// Diagnostics of one project.
#[derive(Debug)]
pub struct List {
    items: Vec<Item>,
}

/// Diagnostics kept of one list.
const ITEMS_MAX: usize = 2000;

#[derive(Debug)]
struct Item {
    file: Option<String>,
    line: Option<u64>,
    code: String,
    lines: Vec<String>,
    span: [u64; 2],
}

impl List {
    /// `    /w/CartTests.cs(14): error TESTERROR: `, whose message follows.
    pub fn begins(text: &str, span: [u64; 2]) -> Option<List> {
        Item::begins(text, span).map(|item| List { items: vec![item] })
    }

    /// Takes a line; false when the list ended before it.
    pub fn line(&mut self, text: &str, span: [u64; 2]) -> bool {
        if let Some(item) = Item::begins(text, span) {
            if self.items.len() < ITEMS_MAX {
                self.items.push(item);
            }
            return true;
        }
        let Some(item) = self.items.last_mut().filter(|_| text.starts_with("      ")) else { return false };
        if item.lines.len() < LINES_MAX {
            item.lines.push(text[6..].to_owned());
            item.span[1] = span[1];
        }
        true
    }

    /// Whether it is of tests, not of a build.
    pub fn is_of_tests(&self) -> bool {
        self.items.iter().any(|item| item.code.starts_with("TEST"))
    }

    /// All of them.
    pub fn failures(self) -> impl Iterator<Item = Failure> {
        self.items.into_iter().map(Item::failure)
    }
}

impl Item {
    fn begins(text: &str, span: [u64; 2]) -> Option<Item> {
        let own = text.strip_prefix("    ").filter(|own| !own.starts_with(' '))?;
        if let Some((place, rest)) = own.split_once("error TESTERROR:") {
            let (file, line) = build::place(place.trim_end().strip_suffix(':')?);
            let lines = Some(rest.trim()).filter(|rest| !rest.is_empty()).map(str::to_owned);
            return Some(Item {
                file,
                line,
                code: "TESTERROR".into(),
                lines: lines.into_iter().collect(),
                span,
            });
        }
        let error = build::error(own)?;
        let (file, line) = (error.file, error.line);
        Some(Item { file, line, code: error.code, lines: vec![error.message], span })
    }

    fn failure(self) -> Failure {
        if self.code != "TESTERROR" {
            let message = self.lines.first().cloned().filter(|words| !words.is_empty());
            let kind = if self.code.starts_with("TESTRUN") { Kind::Crash } else { Kind::CompileError };
            let fault = self.file.map(|file| Place { file: Some(file), line: self.line, function: None });
            return Failure {
                kind,
                message,
                rule: (kind == Kind::CompileError).then_some(self.code),
                fault,
                span: Some(self.span),
                ..Failure::default()
            };
        }
        let lines = unwrapped(self.lines);
        let (name, first) = named(lines.first().map(String::as_str).unwrap_or_default());
        let mut fault = Fault { name, ..Fault::default() };
        fault.message.extend(first);
        let mut in_stack = false;
        for line in lines.into_iter().skip(1) {
            match line.trim() {
                "Stack Trace:" => in_stack = true,
                words if in_stack => fault.stack.push(words.to_owned()),
                words => {
                    fault.message.push(words.strip_prefix("Error Message: ").unwrap_or(&line).to_owned())
                }
            }
        }
        let mut failure = Failure { span: Some(self.span), ..fault.failure() };
        // The head's own place is the stack's first line that has one, a library's too.
        if failure.test.is_none() {
            failure.test = self.file.map(|file| Place { file: Some(file), line: self.line, function: None });
        }
        failure
    }
}

/// `Shop.Tests.CartTests.Total(a: 1) (4ms): Error Message: Assert.Equal() Failure`
fn named(text: &str) -> (String, Option<String>) {
    let (head, message) = match text.split_once(": Error Message: ") {
        Some((head, message)) => (head, Some(message.to_owned())),
        None => (text.strip_suffix(':').unwrap_or(text), None),
    };
    let timed = head.strip_suffix(')').and_then(|head| head.rsplit_once(" ("));
    let name = timed.filter(|(_, time)| super::vstest::is_duration(time)).map_or(head, |(name, _)| name);
    (name.to_owned(), message)
}

/// Puts pieces together that the terminal's width cut: the longest lines have that width, and a frame whose place
/// is not whole goes on in the next.
fn unwrapped(lines: Vec<String>) -> Vec<String> {
    const WIDTH_MIN: usize = 60;
    let width = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let cut = |line: &str| line.chars().count() == width;
    // One line alone of this length may have it by chance; a cut one is followed by its rest.
    let wraps = width >= WIDTH_MIN && lines.iter().filter(|line| cut(line)).count() > 1;
    let mut out: Vec<String> = Vec::new();
    let mut open = false;
    for line in lines {
        let goes_on = wraps && cut(&line) || width >= WIDTH_MIN && cut(&line) && is_broken_frame(&line);
        match out.last_mut().filter(|_| open) {
            Some(last) => last.push_str(&line),
            None => out.push(line),
        }
        open = goes_on;
    }
    out
}

/// `   at A.B.C() in /w/F.cs:li`
fn is_broken_frame(line: &str) -> bool {
    let text = line.trim_start();
    text.starts_with("at ") && text.contains(") in ") && frame(text).is_none_or(|frame| frame.line.is_none())
}

//! One failure as test-unit prints it, between two ruled lines:
//!
//! ```text
//! Failure: test_a_total(CartTest)
//! test/cart_test.rb:11:in `test_a_total'
//!       8:
//!       9:   def test_a_total
//!      10:     @cart.add("pen", 3, 99)
//!   => 11:     assert_equal(300, @cart.total, "three pens")
//!      12:   end
//! three pens
//! <300> expected but was
//! <297>
//! ```
//!
//! Where it shows no difference, the words stand before the trace: behind the name, or indented below it.

use super::words;
use crate::machine::Line;
use crate::ruby;
use bv_schemas::{Failure, Kind, Place};

/// Lines kept of a block.
const LINES_MAX: usize = 2000;
/// Lines after which a block that did not end is given up, so that other runners are heard again.
const BLOCK_LINES_MAX: usize = 100_000;

/// A block that is being read.
#[derive(Debug)]
pub struct Block {
    what: What,
    /// What stands behind the label.
    head: String,
    lines: Vec<String>,
    seen: usize,
    span: [u64; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Failure,
    Error,
    /// A skipped test, or a note.
    Other,
}

impl Block {
    /// The line below a ruled one.
    pub fn begins(line: &Line<'_>) -> Option<Block> {
        let (label, head) = line.text.trim_end().split_once(": ")?;
        let what = match label {
            "Failure" => What::Failure,
            "Error" => What::Error,
            "Pending" | "Omission" | "Notification" => What::Other,
            _ => return None,
        };
        Some(Block { what, head: head.to_owned(), lines: Vec::new(), seen: 0, span: line.span })
    }

    /// Takes the line, unless the block is too long to be one.
    pub fn take(&mut self, line: &Line<'_>) -> bool {
        self.seen += 1;
        if self.lines.len() < LINES_MAX {
            self.lines.push(line.text.trim_end().to_owned());
        }
        self.span[1] = line.span[1];
        self.seen < BLOCK_LINES_MAX
    }

    /// The failure that it tells of.
    pub fn failure(self) -> Option<Failure> {
        let lines: Vec<&str> = self.lines.iter().map(String::as_str).collect();
        let (id, behind) = title(&self.head);
        let trace = lines.iter().position(|line| is_frame(line)).unwrap_or(lines.len());
        let after =
            trace + lines[trace..].iter().take_while(|line| is_frame(line) || is_source(line)).count();
        let mut said: Vec<&str> = behind.into_iter().collect();
        said.extend(lines[..trace].iter().map(|line| line.strip_prefix("  ").unwrap_or(line)));
        if said.is_empty() {
            said.extend(lines[after..].iter().copied().skip_while(|line| line.is_empty()));
        }
        let mut failure = match self.what {
            What::Failure => words::assertion(&said),
            What::Error => words::error(&said),
            What::Other => return None,
        };
        let frames =
            lines[trace..after].iter().filter(|line| is_frame(line)).filter_map(|line| ruby::frame(line));
        place(&mut failure, frames.collect(), method(id));
        failure.id = Some(id.to_owned());
        failure.span = Some(self.span);
        Some(failure)
    }
}

/// The test's name, and the words behind it: `test_a(CartTest): Cart::OutOfStock: only 3 left`.
fn title(head: &str) -> (&str, Option<&str>) {
    if let Some(at) = head.find("): ") {
        return (&head[..=at], Some(&head[at + 3..]));
    }
    let bare = head.strip_suffix(':').unwrap_or(head);
    if bare.ends_with(')') {
        return (bare, None);
    }
    // A class whose `startup` broke.
    match head.split_once(": ") {
        Some((class, words)) => (class, Some(words)),
        None => (bare, None),
    }
}

/// `test_a[data](CartTest)` is the method `test_a`; a test that is named in words is none.
fn method(id: &str) -> Option<&str> {
    let name = id.split(['(', '[']).next().unwrap_or(id);
    (!name.contains([' ', ':']) && !name.is_empty() && id.ends_with(')')).then_some(name)
}

/// A frame of the trace: of a gem, too.
fn is_frame(line: &str) -> bool {
    !line.starts_with([' ', '<']) && ruby::frame(line).is_some()
}

/// `  => 11:     assert_equal(…)`, `     10:`
fn is_source(line: &str) -> bool {
    let text = line.trim_start().trim_start_matches("=> ").trim_start();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    line.starts_with(' ') && digits > 0 && text[digits..].starts_with(':')
}

fn place(failure: &mut Failure, frames: Vec<Place>, method: Option<&str>) {
    ruby::place(failure, frames, None);
    let bare = |at: &Place| {
        at.function.as_deref().map(|name| name.rsplit_once('#').map_or(name, |(_, name)| name).to_owned())
    };
    if let Some(test) =
        failure.frames.iter().rfind(|at| method.is_some() && bare(at).as_deref() == method).cloned()
    {
        failure.test = Some(test);
        failure.fault = failure.frames.first().filter(|&at| Some(at) != failure.test.as_ref()).cloned();
        return;
    }
    const HOOKS: &[&str] = &["setup", "teardown", "cleanup", "startup", "shutdown"];
    let outer = failure.frames.last().and_then(bare);
    if outer.is_some_and(|name| HOOKS.contains(&&*name)) {
        failure.kind = Kind::SetupError;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles() {
        for (head, want) in [
            ("test_a(CartTest)", ("test_a(CartTest)", None)),
            ("test_a[two](CartTest):", ("test_a[two](CartTest)", None)),
            ("test_a(CartTest): A::B: no", ("test_a(CartTest)", Some("A::B: no"))),
            ("test: with words(A::nested)", ("test: with words(A::nested)", None)),
            ("BoomTest: RuntimeError: no", ("BoomTest", Some("RuntimeError: no"))),
        ] {
            assert_eq!(title(head), want, "{head}");
        }
        assert_eq!(method("test_a[two](CartTest)"), Some("test_a"));
        assert_eq!(method("test: with words(A)"), None);
        assert!(is_source("  => 11:     a") && is_source("     10:") && !is_source("10: a"));
    }
}

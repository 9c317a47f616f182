//! One failure as Minitest prints it:
//!
//! ```text
//!   3) Error:
//! CartTest#test_cheapest:
//! NoMethodError: undefined method `sku' for nil:NilClass
//!     lib/cart.rb:26:in `cheapest'
//!     test/cart_test.rb:22:in `test_cheapest'
//! ```
//!
//! Rails' reporter leaves the number out and adds the command that runs the test again.

use crate::machine::Line;
use crate::ruby;
use bv_schemas::{Check, Failure, Kind, Place};

/// Lines kept of a block.
const LINES_MAX: usize = 2000;
/// Lines after which a block that did not end is given up, so that other runners are heard again.
const BLOCK_LINES_MAX: usize = 100_000;

/// What the word before a block says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// An assertion.
    Failure,
    /// Any other exception.
    Error,
    /// A skipped test, with `--verbose`.
    Skipped,
}

/// `  3) Failure:`, or Rails' `Failure:`.
pub fn label(line: &Line<'_>) -> Option<Label> {
    let text = line.text.trim_end();
    let rest = text.trim_start_matches(' ');
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let word = match digits {
        0 if rest.len() == text.len() => rest,
        0 => return None,
        _ => rest[digits..].strip_prefix(") ")?,
    };
    match word {
        "Failure:" => Some(Label::Failure),
        "Error:" => Some(Label::Error),
        "Skipped:" => Some(Label::Skipped),
        _ => None,
    }
}

/// The lines of one block.
#[derive(Debug)]
pub struct Block {
    label: Label,
    id: String,
    /// Where the assertion stands.
    place: Option<(String, u64)>,
    lines: Vec<String>,
    seen: usize,
    span: [u64; 2],
    over: bool,
}

impl Block {
    /// The line below the label, `CartTest#test_total [test/cart_test.rb:13]:`.
    pub fn begins(label: Label, line: &Line<'_>) -> Option<Block> {
        let head = line.text.trim_end().strip_suffix(':')?;
        let (id, place) = title(head)?;
        Some(Block { label, id, place, lines: Vec::new(), seen: 0, span: line.span, over: false })
    }

    /// Takes the line, unless the block ended before it.
    pub fn take(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        self.seen += 1;
        let after_blank = self.lines.last().is_none_or(String::is_empty);
        let ends = self.over && !text.is_empty()
            || label(line).is_some_and(|_| text.starts_with(' '))
            || after_blank
                && (super::closing::totals(text, None).is_some() || super::closing::is_finished(text))
            || self.seen > BLOCK_LINES_MAX;
        if ends {
            return false;
        }
        // Rails: the command that runs the test again is the block's last line.
        self.over = self.over || after_blank && is_rerun(text);
        if self.lines.len() < LINES_MAX && !self.over {
            self.lines.push(text.to_owned());
        }
        if !text.is_empty() {
            self.span[1] = line.span[1];
        }
        true
    }

    /// Whether it tells of a skipped test.
    pub fn is_skip(&self) -> bool {
        self.label == Label::Skipped
    }

    /// The failure that it tells of.
    pub fn failure(self) -> Option<Failure> {
        let method = self.id.split_once('#').map(|(_, method)| method.to_owned());
        let lines: Vec<&str> = self.lines.iter().map(String::as_str).collect();
        // A test whose teardown fails, too, has a second part.
        let second =
            lines.iter().position(|line| matches!(*line, "Failure:" | "Error:")).unwrap_or(lines.len());
        let (first, rest) = lines.split_at(second);
        let mut failure = match self.label {
            Label::Skipped => return None,
            Label::Failure => assertion(first),
            Label::Error => error(first, method.as_deref()),
        };
        if let Some((file, line)) = self.place {
            failure.test = Some(Place { file: Some(file), line: Some(line), function: method });
            failure.frames = failure.test.iter().cloned().collect();
        } else if failure.test.is_none() && method.is_some() {
            failure.test = Some(Place { function: method, ..Place::default() });
        }
        failure.also = also(rest).into_iter().collect();
        failure.id = Some(self.id);
        failure.span = Some(self.span);
        Some(failure)
    }
}

/// The test's name and, for a failed assertion, its place.
fn title(head: &str) -> Option<(String, Option<(String, u64)>)> {
    let Some((id, place)) = head.strip_suffix(']').and_then(|head| head.rsplit_once(" [")) else {
        return (head.contains('#') && !head.contains(": ") || is_old(head)).then(|| (head.to_owned(), None));
    };
    let (file, line) = place.rsplit_once(':')?;
    Some((id.to_owned(), Some((file.to_owned(), line.parse().ok()?))))
}

/// Minitest 4's `test_total(CartTest)`.
fn is_old(head: &str) -> bool {
    head.ends_with(')') && head.starts_with("test") && !head.contains(' ')
}

fn is_rerun(text: &str) -> bool {
    ["rails test ", "bin/rails test ", "rake test ", "ruby -I"]
        .iter()
        .any(|command| text.starts_with(command))
}

fn assertion(lines: &[&str]) -> Failure {
    let words = ruby::words(lines);
    Failure {
        kind: Kind::Assertion,
        message: words.message,
        expected: words.sides.expected,
        observed: words.sides.observed,
        ..Failure::default()
    }
}

/// `NoMethodError: undefined method …` over lines, then the backtrace.
fn error(lines: &[&str], method: Option<&str>) -> Failure {
    let first = lines.iter().find(|line| !line.is_empty()).copied().unwrap_or_default();
    let (class, message) = match first.split_once(": ") {
        Some((class, message)) if is_class(class) => (Some(class), message),
        _ => (first.strip_suffix(':').filter(|class| is_class(class)), first),
    };
    let mut failure = Failure {
        kind: Kind::Exception,
        message: (!message.is_empty() && class != first.strip_suffix(':')).then(|| message.to_owned()),
        exception_type: class.map(str::to_owned),
        ..Failure::default()
    };
    let frames: Vec<Place> =
        lines.iter().filter(|line| line.starts_with("    ")).filter_map(|line| ruby::frame(line)).collect();
    ruby::place(&mut failure, frames, None);
    let named = |at: &&Place| method.is_some() && at.function.as_deref().map(bare) == method;
    if let Some(test) = failure.frames.iter().rfind(named).cloned() {
        failure.test = Some(test);
        failure.fault = failure.frames.first().filter(|&at| Some(at) != failure.test.as_ref()).cloned();
    }
    failure
}

/// Since Ruby 3.4 a frame names the class, too.
fn bare(function: &str) -> &str {
    function.rsplit_once('#').map_or(function, |(_, method)| method)
}

fn is_class(text: &str) -> bool {
    text.starts_with(char::is_uppercase)
        && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':'))
}

fn also(rest: &[&str]) -> Option<Check> {
    let (word, rest) = rest.split_first()?;
    let (head, body) = rest.split_first()?;
    let place = title(head.strip_suffix(':')?)?.1;
    let other = if *word == "Failure:" { assertion(body) } else { error(body, None) };
    let line = place.map(|(_, line)| line).or(other.test.as_ref().and_then(|test| test.line));
    Some(Check { line, message: other.message, expected: other.expected, observed: other.observed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles() {
        let at = |id: &str, file: &str, line| Some((id.to_owned(), Some((file.to_owned(), line))));
        for (head, want) in [
            ("CartTest#test_a [test/cart_test.rb:13]", at("CartTest#test_a", "test/cart_test.rb", 13)),
            (
                "Cart::when empty#test_0001_is [zero] [spec/a b.rb:2]",
                at("Cart::when empty#test_0001_is [zero]", "spec/a b.rb", 2),
            ),
            ("CartTest#test_c", Some(("CartTest#test_c".to_owned(), None))),
            ("test_c(CartTest)", Some(("test_c(CartTest)".to_owned(), None))),
            ("Error: it broke #3", None),
            ("all is well", None),
        ] {
            assert_eq!(title(head), want, "{head}");
        }
    }
}

//! One entry of the launcher's list of failures:
//!
//! ```text
//!   JUnit Jupiter:CartTest:scales(int):[3] 5
//!     MethodSource [className = 'shop.CartTest', methodName = 'scales', methodParameterTypes = 'int']
//!     => org.opentest4j.AssertionFailedError: expected: <10> but was: <11>
//!        shop.CartTest.scales(CartTest.java:24)
//!        [...]
//! ```

use crate::jvm::{self, Exception};
use bv_schemas::{Failure, Kind};

/// Lines kept of one entry.
const LINES_MAX: usize = 4000;
/// Lines after which an entry that did not end is given up.
const ENTRY_LINES_MAX: usize = 100_000;

/// See the head of this file.
pub struct Entry {
    id: String,
    class: Option<String>,
    method: Option<String>,
    /// The exception's lines, in the form in which the JVM prints them.
    lines: Vec<String>,
    /// The exception began.
    thrown: bool,
    seen: usize,
    span: [u64; 2],
}

/// `  JUnit Jupiter:CartTest:sums()`
pub fn is_title(text: &str) -> bool {
    text.strip_prefix("  ").is_some_and(|name| !name.starts_with([' ', '\t']) && name.contains(':'))
}

/// The line below a title that says where the test is written.
pub fn is_source(text: &str) -> bool {
    text.strip_prefix("    ").is_some_and(|rest| {
        let source = rest.split_once("Source [").map(|(kind, _)| kind);
        source.is_some_and(|kind| !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_alphabetic()))
    })
}

impl Entry {
    /// The one below this title.
    pub fn new(id: String, span: [u64; 2]) -> Entry {
        Entry { id, class: None, method: None, lines: Vec::new(), thrown: false, seen: 0, span }
    }

    /// Takes the line, unless the entry ended before it.
    pub fn line(&mut self, text: &str, span: [u64; 2]) -> bool {
        self.seen += 1;
        let traced = self.lines.last().is_some_and(|line| line.starts_with("\tat "));
        if self.seen > ENTRY_LINES_MAX || text.is_empty() && traced {
            return false;
        }
        if !self.thrown && is_source(text) {
            self.class = quoted(text, "className = '");
            self.method = quoted(text, "methodName = '");
        } else if let Some(first) = text.strip_prefix("    => ").filter(|_| !self.thrown) {
            self.thrown = true;
            self.lines.push(first.to_owned());
        } else if self.thrown && self.lines.len() < LINES_MAX {
            self.lines.push(as_printed(text));
        }
        if !text.is_empty() {
            self.span[1] = span[1];
        }
        true
    }

    /// The failure that it tells of.
    pub fn failure(self) -> Failure {
        let exception = Exception::read(self.lines.iter().map(String::as_str));
        let mut failure = exception.failure(self.class.as_deref(), self.method.as_deref());
        if self.class.is_some() && self.method.is_none() {
            failure.kind = Kind::SetupError;
        }
        failure.id = Some(self.id);
        failure.span = Some(self.span);
        failure
    }
}

/// The launcher leaves out the `at` of a frame, and indents causes.
fn as_printed(text: &str) -> String {
    let rest = text.trim_start();
    if ["Caused by: ", "Suppressed: "].iter().any(|word| rest.starts_with(word)) {
        return rest.to_owned();
    }
    let call = rest.strip_prefix("at ").unwrap_or(rest);
    match text.starts_with("       ") && jvm::frame(&format!("at {call}")).is_some() {
        true => format!("\tat {call}"),
        false if rest == "[...]" => "\tat [...]".to_owned(),
        false => text.to_owned(),
    }
}

fn quoted(text: &str, label: &str) -> Option<String> {
    let value = text.split_once(label)?.1.split('\'').next()?;
    (!value.is_empty()).then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_list() {
        for (text, title, source) in [
            ("  JUnit Jupiter:CartTest:sums()", true, false),
            ("    ClassSource [className = 'shop.BrokenTest', filePosition = null]", false, true),
            ("    => java.lang.Error: x", false, false),
            ("       shop.Cart.total(Cart.java:5)", false, false),
            ("     Caused by: a.B: x", false, false),
            ("Failures (7):", false, false),
        ] {
            assert_eq!((is_title(text), is_source(text)), (title, source), "{text}");
        }
    }

    #[test]
    fn frames_get_their_word_back() {
        for (text, want) in [
            ("       shop.Cart.total(Cart.java:5)", "\tat shop.Cart.total(Cart.java:5)"),
            ("       app//shop.Cart.total(Cart.java:5)", "\tat app//shop.Cart.total(Cart.java:5)"),
            ("     Caused by: a.B: x", "Caused by: a.B: x"),
            ("\torg.x.Y: words", "\torg.x.Y: words"),
        ] {
            assert_eq!(as_printed(text), want, "{text}");
        }
    }
}

//! One failed test as Surefire prints it:
//!
//! ```text
//! [ERROR] aTotal(shop.InvoiceTest)  Time elapsed: 0.035 s  <<< FAILURE!
//! java.lang.AssertionError: three pens expected:<361> but was:<360>
//!     at shop.InvoiceTest.aTotal(InvoiceTest.java:25)
//! ```
//!
//! Since Surefire 3 the title is `shop.InvoiceTest.aTotal -- Time elapsed: 0.035 s <<< FAILURE!`; for JUnit 5
//! under Surefire 2 it lacks the class.

use super::Level;
use crate::jvm::Exception;
use bv_schemas::{Failure, Kind};

/// Lines kept of one failure; a stack overflow prints a thousand.
const LINES_MAX: usize = 4000;
/// Lines after which a block that did not end is given up, so that other runners are heard again.
const BLOCK_LINES_MAX: usize = 100_000;

/// Which test failed, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Title {
    /// As printed, with the class where the runner prints it elsewhere.
    pub id: String,
    /// With its package.
    pub class: Option<String>,
    /// Without parameters; absent for a class' own fixture.
    pub method: Option<String>,
    /// `<<< ERROR!`: no assertion.
    pub error: bool,
}

/// The lines of one failure.
pub struct Block {
    title: Title,
    lines: Vec<String>,
    seen: usize,
    span: [u64; 2],
}

impl Block {
    /// Whether a line, without its level, is such a title.
    pub fn is_title(rest: &str) -> bool {
        name_of(rest).is_some()
    }

    /// The block below a title.
    pub fn begins(title: Title, span: [u64; 2]) -> Block {
        Block { title, lines: Vec::new(), seen: 0, span }
    }

    /// Takes the line, unless the block ended before it.
    pub fn take(&mut self, level: Option<Level>, text: &str, span: [u64; 2]) -> bool {
        self.seen += 1;
        let trace_seen = self.lines.iter().any(|line| line.starts_with("\tat "));
        let ends = level.is_some()
            || name_of(text).is_some()
            || text.starts_with("Running ")
            || text.starts_with("Results :")
            || text.starts_with("Tests run: ")
            // Without levels, a test's output may follow a whole trace.
            || trace_seen && self.lines.last().is_some_and(String::is_empty) && !text.starts_with("\tat ")
            || self.seen > BLOCK_LINES_MAX;
        if ends {
            return false;
        }
        if self.lines.len() < LINES_MAX {
            self.lines.push(text.to_owned());
        }
        if !text.is_empty() {
            self.span[1] = span[1];
        }
        true
    }

    /// The title and the failure that it tells of.
    pub fn failure(self) -> (Title, Failure) {
        let exception = Exception::read(self.lines.iter().map(String::as_str));
        let mut failure = exception.failure(self.title.class.as_deref(), self.title.method.as_deref());
        failure.kind = match failure.kind {
            Kind::Timeout => Kind::Timeout,
            _ if self.title.method.is_none() => Kind::SetupError,
            _ if self.title.error => Kind::Exception,
            _ => Kind::Assertion,
        };
        failure.id = Some(self.title.id.clone());
        failure.span = Some(self.span);
        (self.title, failure)
    }
}

/// Reads a title; `class` is the one whose summary stands above it.
pub fn title(rest: &str, class: Option<&str>) -> Option<Title> {
    let name = name_of(rest)?;
    let error = rest.ends_with("<<< ERROR!");
    if let Some((method, class)) = name.strip_suffix(')').and_then(|name| name.rsplit_once('('))
        && is_class(class)
    {
        return Some(Title {
            id: name.to_owned(),
            class: Some(class.to_owned()),
            method: Some(bare(method).to_owned()),
            error,
        });
    }
    let Some(class) = class else {
        // The last part that begins in lower case is a method.
        let (head, last) = name.rsplit_once('.').unwrap_or(("", name));
        let own = is_class(name) && last.starts_with(char::is_uppercase);
        let class = if own { Some(name) } else { Some(head).filter(|head| is_class(head)) };
        let method = (!own).then(|| bare(last).to_owned());
        return Some(Title { id: name.to_owned(), class: class.map(str::to_owned), method, error });
    };
    if name == class {
        return Some(Title { id: name.to_owned(), class: Some(class.to_owned()), method: None, error });
    }
    // A nested class has its own name before the method.
    let (own, method) = match name.strip_prefix(class) {
        Some(rest) => match rest.strip_prefix('.') {
            Some(method) => (class.to_owned(), method),
            None => nested(name).unwrap_or((class.to_owned(), name)),
        },
        None => nested(name).unwrap_or((class.to_owned(), name)),
    };
    let id = if name.starts_with(&own) { name.to_owned() } else { format!("{own}.{name}") };
    Some(Title { id, class: Some(own), method: Some(bare(method).to_owned()), error })
}

/// `shop.CartTest$Inner.nested`: the class and the method.
fn nested(name: &str) -> Option<(String, &str)> {
    let head = name.split(['(', '{', '[', ' ']).next()?;
    let at = head.rfind('.')?;
    is_class(&name[..at]).then(|| (name[..at].to_owned(), &name[at + 1..]))
}

/// What stands before the time of a failed test; a class' summary is none.
fn name_of(rest: &str) -> Option<&str> {
    let head = rest.strip_suffix("<<< FAILURE!").or_else(|| rest.strip_suffix("<<< ERROR!"))?;
    let (name, elapsed) = head.rsplit_once("Time elapsed: ")?;
    let seconds =
        elapsed.trim_end().strip_suffix(" s").or_else(|| elapsed.trim_end().strip_suffix(" sec"))?;
    seconds.replace(',', "").parse::<f64>().ok()?;
    let name = name.trim_end().trim_end_matches("--").trim();
    (!name.is_empty() && !name.starts_with("Tests run: ")).then_some(name)
}

/// The method without its parameters and its index.
fn bare(method: &str) -> &str {
    let end = method.find(['(', '{', '[']).unwrap_or(method.len());
    method[..end].trim_end()
}

/// A class with its package, or a bare one.
pub fn is_class(text: &str) -> bool {
    let part =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'));
    text.split('.').all(part) && text.contains(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles() {
        let check = |rest: &str,
                     class: Option<&str>,
                     want: Option<(&str, Option<&str>, Option<&str>, bool)>| {
            let got = title(rest, class);
            let got = got.as_ref().map(|t| (t.id.as_str(), t.class.as_deref(), t.method.as_deref(), t.error));
            assert_eq!(got, want, "{rest}");
        };
        let class = Some("shop.CartTest");
        check(
            "total(shop.CartTest)  Time elapsed: 0.035 s  <<< FAILURE!",
            class,
            Some(("total(shop.CartTest)", class, Some("total"), false)),
        );
        check(
            "total[2](shop.CartTest)  Time elapsed: 0.035 sec  <<< ERROR!",
            None,
            Some(("total[2](shop.CartTest)", class, Some("total"), true)),
        );
        check(
            "shop.CartTest.total -- Time elapsed: 0.035 s <<< FAILURE!",
            class,
            Some(("shop.CartTest.total", class, Some("total"), false)),
        );
        check(
            "shop.CartTest.total(int)[2] -- Time elapsed: 1,000.035 s <<< FAILURE!",
            class,
            Some(("shop.CartTest.total(int)[2]", class, Some("total"), false)),
        );
        check(
            "total  Time elapsed: 0.035 s  <<< FAILURE!",
            class,
            Some(("shop.CartTest.total", class, Some("total"), false)),
        );
        check(
            "total{int}[2]  Time elapsed: 0.035 s  <<< FAILURE!",
            class,
            Some(("shop.CartTest.total{int}[2]", class, Some("total"), false)),
        );
        check(
            "shop.CartTest  Time elapsed: 0.035 s  <<< ERROR!",
            class,
            Some(("shop.CartTest", class, None, true)),
        );
        check(
            "shop.CartTest -- Time elapsed: 0.035 s <<< ERROR!",
            None,
            Some(("shop.CartTest", class, None, true)),
        );
        check(
            "shop.CartTest$Inner.total -- Time elapsed: 0 s <<< FAILURE!",
            class,
            Some(("shop.CartTest$Inner.total", Some("shop.CartTest$Inner"), Some("total"), false)),
        );
        check(
            "Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.084 s <<< FAILURE!",
            class,
            None,
        );
        check("it broke <<< FAILURE!", class, None);
    }
}

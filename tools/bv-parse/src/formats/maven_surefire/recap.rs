//! Surefire's recap below `Results:`:
//!
//! ```text
//! [ERROR] Failures:
//! [ERROR]   InvoiceTest.aTotal:25 three pens expected:<361> but was:<360>
//! [WARNING] Flakes:
//! [WARNING] yard.TideTest.comesInLate(yard.TideTest)
//! [ERROR]   Run 1: TideTest.comesInLate:12 tide not in expected:<2> but was:<1>
//! ```

use bv_schemas::{Failure, Kind, Place};

/// Entries kept of a recap.
pub const ENTRIES_MAX: usize = 10_000;

/// Which list an entry stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// Failed assertions.
    Failures,
    /// Other exceptions.
    Errors,
    /// Tests that passed when they were run again.
    Flakes,
}

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Which list.
    pub list: List,
    /// The class without its package.
    pub class: String,
    /// Absent for a class' own fixture.
    pub method: Option<String>,
    /// Where in the test.
    pub line: Option<u64>,
    /// What stands behind, which may be cut short.
    pub words: String,
}

/// The list that a heading begins; Surefire wrote others up to 2.18.
pub fn heading(rest: &str) -> Option<List> {
    match rest.trim_end() {
        "Failures:" | "Failed tests:" => Some(List::Failures),
        "Errors:" | "Tests in error:" => Some(List::Errors),
        "Flakes:" | "Flaked tests:" => Some(List::Flakes),
        _ => None,
    }
}

/// An entry, indented by two; or the title of a test that was run again, not indented at all.
pub fn entry(list: List, rest: &str) -> Option<Entry> {
    let text = match rest.strip_prefix("  ") {
        Some(text) if text.starts_with("Run ") => return None,
        Some(text) => text,
        None if rest.starts_with(' ') => return None,
        None => return rerun(list, rest),
    };
    let (name, words) = text.split_once(' ').unwrap_or((text, ""));
    // `CartTest.helper:23->check:24`, `CartTest>BaseTest.total:3`.
    let name = name.split("->").next().unwrap_or(name);
    let name = name.split_once('>').map_or(name.to_owned(), |(class, inherited)| {
        let method = inherited.rsplit_once('.').map_or(inherited, |(_, method)| method);
        format!("{class}.{method}")
    });
    let (name, line) = match name.rsplit_once(':') {
        Some((name, line)) => (name.to_owned(), Some(line.parse().ok()?)),
        None => (name, None),
    };
    let (class, method) = match name.rsplit_once('.') {
        Some((class, method)) => (class.to_owned(), Some(bare(method).to_owned())),
        None => (name, None),
    };
    super::block::is_class(&class).then(|| Entry {
        list,
        class: simple(&class).to_owned(),
        method,
        line,
        words: words.trim().to_owned(),
    })
}

/// `yard.TideTest.comesInLate(yard.TideTest)`, since Surefire 3 `yard.TideTest.comesInLate`.
fn rerun(list: List, rest: &str) -> Option<Entry> {
    let name = rest.split('(').next().unwrap_or(rest);
    let (class, method) = name.rsplit_once('.')?;
    super::block::is_class(class).then(|| Entry {
        list,
        class: simple(class).to_owned(),
        method: Some(bare(method).to_owned()),
        line: None,
        words: String::new(),
    })
}

impl Entry {
    /// Whether it tells of this test.
    pub fn is_of(&self, class: Option<&str>, method: Option<&str>) -> bool {
        class.map(simple) == Some(&self.class) && (self.method.as_deref() == method || method.is_none())
    }

    /// The failure of a test that no block tells of.
    pub fn failure(self) -> Failure {
        let id = self.method.as_ref().map_or(self.class.clone(), |method| format!("{}.{method}", self.class));
        // `» IllegalArgument bad quantity -1` names the exception in short.
        let words = match self.words.strip_prefix("» ").or_else(|| self.words.strip_prefix("\u{fffd} ")) {
            Some(rest) => rest.split_once(' ').map_or(rest, |(_, words)| words),
            None => self.words.as_str(),
        };
        let place = Place { file: None, line: self.line, function: self.method };
        Failure {
            id: Some(id),
            kind: if self.list == List::Failures { Kind::Assertion } else { Kind::Exception },
            message: (!words.is_empty()).then(|| words.to_owned()),
            test: (place != Place::default()).then_some(place),
            ..Failure::default()
        }
    }
}

fn bare(method: &str) -> &str {
    method.split(['(', '{', '[']).next().unwrap_or(method)
}

fn simple(class: &str) -> &str {
    class.rsplit('.').next().unwrap_or(class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries() {
        let check = |rest: &str, want: Option<(&str, Option<&str>, Option<u64>, &str)>| {
            let got = entry(List::Failures, rest);
            let got = got.as_ref().map(|e| (e.class.as_str(), e.method.as_deref(), e.line, e.words.as_str()));
            assert_eq!(got, want, "{rest}");
        };
        check(
            "  InvoiceTest.aTotal:25 three pens",
            Some(("InvoiceTest", Some("aTotal"), Some(25), "three pens")),
        );
        check(
            "  CartTest.helper:23->check:24 expected",
            Some(("CartTest", Some("helper"), Some(23), "expected")),
        );
        check("  CartTest>BaseTest.total:3 x", Some(("CartTest", Some("total"), Some(3), "x")));
        check(
            "  CartTest.slow2 » Timeout slow2()",
            Some(("CartTest", Some("slow2"), None, "» Timeout slow2()")),
        );
        check("  CartTest$Inner.nested:28 x", Some(("CartTest$Inner", Some("nested"), Some(28), "x")));
        check("yard.TideTest.late(yard.TideTest)", Some(("TideTest", Some("late"), None, "")));
        check("  Run 1: TideTest.late:12 x", None);
        check("second", None);
    }
}

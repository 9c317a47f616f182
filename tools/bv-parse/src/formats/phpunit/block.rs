//! PHPUnit's lists: `There were 3 errors:`, then `1) InvoiceTest::testTotal` and what it says.

use crate::machine::Line;
use crate::php;
use bv_schemas::{Failure, Kind};

/// Lines kept of a block.
const LINES_MAX: usize = 2000;
/// Lines after which a block that did not end is given up, so that other runners are heard again.
const BLOCK_LINES_MAX: usize = 100_000;

/// What a list holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// Exceptions.
    Errors,
    /// Failed assertions.
    Failures,
    /// Tests that PHPUnit 9 calls warnings.
    Warnings,
    /// Risky, skipped and incomplete tests, deprecations, notes.
    Others,
}

/// `There was 1 failure:`, `There were 3 errors:`, `2 tests triggered 1 PHP warning:`.
pub fn list(text: &str) -> Option<List> {
    let text = text.strip_suffix(':')?;
    let what = match text.strip_prefix("There was ").or(text.strip_prefix("There were ")) {
        Some(rest) => rest.split_once(' ')?.1,
        None if text.contains(" triggered ") && text.starts_with(|c: char| c.is_ascii_digit()) => "",
        None => return None,
    };
    Some(match what {
        "error" | "errors" | "PHPUnit error" | "PHPUnit errors" => List::Errors,
        "failure" | "failures" => List::Failures,
        "warning" | "warnings" => List::Warnings,
        _ => List::Others,
    })
}

/// The lines of one block.
#[derive(Debug)]
pub struct Block {
    list: List,
    title: String,
    lines: Vec<String>,
    seen: usize,
    span: [u64; 2],
}

impl Block {
    /// `3) InvoiceTest::testSum with data set "two" (2, 5, 11)`.
    pub fn begins(list: List, line: &Line<'_>) -> Option<Block> {
        let title = numbered(line.text)?.trim_end().to_owned();
        Some(Block { list, title, lines: Vec::new(), seen: 0, span: line.span })
    }

    /// Takes the line, unless the block ended before it.
    pub fn take(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        self.seen += 1;
        let after_blank = self.lines.last().is_none_or(String::is_empty);
        let next = || text == "--" || numbered(text).is_some() || list(text).is_some();
        let footer = super::footer::word(text).is_some() || super::footer::ok(text).is_some();
        if after_blank && next() || footer || self.seen > BLOCK_LINES_MAX {
            return false;
        }
        if self.lines.len() < LINES_MAX {
            self.lines.push(text.to_owned());
        }
        if !text.is_empty() {
            self.span[1] = line.span[1];
        }
        true
    }

    /// What it tells, where that is a failure: which list, and the failure.
    pub fn failure(self) -> Option<(List, Failure)> {
        if self.list == List::Others {
            return None;
        }
        let lines: Vec<&str> = self.lines.iter().map(String::as_str).collect();
        let detail = php::detail(&lines);
        let invalid = provider(&lines);
        let id = invalid.map_or_else(|| id(&self.title).to_owned(), str::to_owned);
        let kind = match self.list {
            _ if invalid.is_some() => Kind::CollectionError,
            _ if detail.in_hook => Kind::SetupError,
            List::Failures => Kind::Assertion,
            _ => Kind::Exception,
        };
        let mut failure = Failure { kind, span: Some(self.span), ..Failure::default() };
        // A hook or a data provider lies in the class' file, but not in the test.
        let test = (kind == Kind::Assertion || kind == Kind::Exception).then_some(id.as_str());
        php::place(&mut failure, &detail.frames, test);
        failure.id = Some(id);
        detail.fill(&mut failure);
        Some((self.list, failure))
    }
}

fn numbered(text: &str) -> Option<&str> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    text[digits..].strip_prefix(") ").filter(|_| digits > 0)
}

/// The title without the data that stand behind the data set's name.
pub fn id(title: &str) -> &str {
    const MARK: &str = " with data set ";
    let Some(at) = title.find(MARK) else { return title };
    let set = &title[at + MARK.len()..];
    let length = match set.strip_prefix('"') {
        // A name may hold quotes: it ends at the one before the data.
        Some(_) => set.find("\" (").or_else(|| set.find("\" with data (")).map_or(set.len(), |at| at + 1),
        None => set.find(' ').unwrap_or(set.len()),
    };
    &title[..at + MARK.len() + length]
}

/// The test whose data provider threw.
fn provider<'a>(lines: &[&'a str]) -> Option<&'a str> {
    let rest = lines.iter().find_map(|line| line.strip_prefix("The data provider specified for "))?;
    rest.trim_end_matches('.').strip_suffix(" is invalid")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_titles() {
        for (text, want) in [
            ("There was 1 failure:", Some(List::Failures)),
            ("There were 3 errors:", Some(List::Errors)),
            ("There was 1 PHPUnit error:", Some(List::Errors)),
            ("There was 1 PHPUnit test runner warning:", Some(List::Others)),
            ("There were 2 risky tests:", Some(List::Others)),
            ("2 tests triggered 1 PHP warning:", Some(List::Others)),
            ("There was nothing", None),
        ] {
            assert_eq!(list(text), want, "{text}");
        }
        for (title, want) in [
            ("A\\BTest::testA", "A\\BTest::testA"),
            ("BTest::testA with data set \"two\" (2, 5, 'x\" (')", "BTest::testA with data set \"two\""),
            ("BTest::testA with data set #0 (2, array(1))", "BTest::testA with data set #0"),
            (
                "BTest::testA with data set \"q \"q\"\" with data (3)",
                "BTest::testA with data set \"q \"q\"\"",
            ),
            ("BTest::testA with data set \"two\"", "BTest::testA with data set \"two\""),
        ] {
            assert_eq!(id(title), want);
        }
    }
}

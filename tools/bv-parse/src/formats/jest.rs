//! Jest: its text, with every built-in reporter, and `--json`.
//!
//! A section opens at the first `PASS` or `FAIL` header of a test file and closes with the summary
//! (`Test Suites:` to `Time:`). Details stand in blocks under `  ● name`, indented by four; a test's console
//! output stands in such a block too (`  ● Console`), so that it cannot speak. What a test writes to the
//! terminal itself may look like anything: where the summary says that nothing failed, blocks are dropped.

mod block;
mod header;
mod listing;
mod summary;

use crate::document::{Document, Taken};
use crate::held::Held;
use crate::javascript::report::{report, same_run, start};
use crate::javascript::{Names, add};
use crate::machine::{Closing, Format, HELD_MAX, Line, Machine, Out, Says};
use block::{Block, Title};
use bv_schemas::{Counts, Failure, Kind, Reason};
use header::Header;
use listing::Listing;
use std::collections::HashSet;
use summary::{Part, Summary};

/// The table's line.
pub const FORMAT: Format = Format {
    name: "jest",
    commands: &["jest"],
    needles: &[
        "Test Suites: ",
        "  ● ",
        "● Validation Error",
        ".test.js",
        ".test.ts",
        ".spec.js",
        ".spec.ts",
        "__tests__/",
        "No tests found, exiting with code",
        KEY,
        "Jest: ",
    ],
    new: || Box::new(Jest::default()),
};

/// The first key of `--json`'s document.
const KEY: &str = "\"numFailedTestSuites\":";

/// Between the titles of a test's name.
const JOINT: &str = " › ";

/// One run at a time; the next one in the stream is a new section.
#[derive(Default)]
struct Jest {
    open: bool,
    /// The file whose results are being printed.
    file: Option<Header>,
    listing: Listing,
    block: Option<Block>,
    /// Below `Summary of all failing tests`, where all is printed once more.
    recap: bool,
    held: Held,
    /// What is held, by path and name without the project's.
    named: HashSet<String>,
    /// Tests whose block was seen.
    tests_named: u64,
    /// The process of a test file died.
    died: bool,
    /// Failing tests of the listing with their path and name, whose block may follow.
    marked: Vec<(String, Failure)>,
    summary: Summary,
    /// A complaint that stands outside of all tests: a coverage threshold.
    beside: Vec<Failure>,
    document: Option<Document>,
    /// The counts of the text that closed last: a result file with the same ones is of the same run.
    text_counts: Option<Counts>,
}

impl Machine for Jest {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if let Some(document) = &mut self.document {
            let taken = document.take(line.text, line.span);
            self.document_taken(taken, out);
            return;
        }
        if let Some(block) = &mut self.block {
            if block.goes_on(line.text) {
                block.push(line);
                return;
            }
            self.finish_block();
        }
        if line.overwritten {
            return;
        }
        match line.text.as_bytes() {
            [b' ', b' ', ..] if line.text.starts_with("  ● ") => self.begin_block(line, out),
            [b' ', b' ', b'"', ..] => {
                if let Some(first) = start(line.text, KEY) {
                    self.begin_document(&first, line.span, out);
                }
            }
            [b' ', b' ', ..] => self.listed(line, out),
            [b' ', 0xe2, ..] => self.obsolete(line),
            [] => self.listing.end(),
            _ => self.top(line, out),
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.finish_block();
        self.say(out);
        self.beside.drain(..).for_each(|failure| out.failure(failure));
    }

    fn owns_lines(&self) -> bool {
        self.document.is_some() || self.block.is_some()
    }
}

impl Jest {
    /// A line that is not indented as details are.
    fn top(&mut self, line: &Line<'_>, out: &mut Out) {
        let text = line.text;
        if let Some(header) = header::header(text) {
            self.open(out);
            self.file = Some(header);
            self.listing = Listing::default();
            return;
        }
        match self.summary.line(text) {
            Part::None => {}
            Part::More => {
                self.open(out);
                return;
            }
            Part::Closed => {
                self.close(out);
                return;
            }
        }
        if text == "Summary of all failing tests" {
            self.recap = self.open;
        } else if text == "Test run was interrupted." {
            out.open();
        } else if let Some(code) = text.strip_prefix("No tests found, exiting with code ") {
            let well = code == "0";
            self.refuse(if well { Says::NoTests } else { Says::Refused(Reason::NoTests) }, text, out);
        } else if text.starts_with("● Validation Error") {
            self.refuse(Says::Refused(Reason::NotRunnable), text.trim_start_matches("● "), out);
        } else if let Some(words) = text.strip_prefix("Jest: ") {
            self.threshold(words, line.span, out);
        } else if (text.starts_with('{') || text.ends_with('}'))
            && let Some(first) = start(text, KEY)
        {
            self.begin_document(&first, line.span, out);
        }
    }

    fn begin_document(&mut self, first: &str, span: [u64; 2], out: &mut Out) {
        if self.text_counts.is_none() {
            self.open(out);
        }
        let (document, taken) = Document::begin(first, span);
        self.document = Some(document);
        self.document_taken(taken, out);
    }

    fn open(&mut self, out: &mut Out) {
        if !self.open {
            self.open = true;
            self.text_counts = None;
            out.open();
        }
    }

    fn begin_block(&mut self, line: &Line<'_>, out: &mut Out) {
        self.listing.end();
        let block = Block::new(line);
        // A file that passed has no failures: such a block is a test's own output.
        let passed = self.file.as_ref().is_some_and(|header| header.passed);
        if passed && matches!(block.title, Title::Test(_) | Title::Suite) {
            return;
        }
        if block.title == Title::Exit {
            self.open(out);
        } else if self.file.is_none() && !self.open && block.title != Title::Console {
            // The header went by unseen.
            self.open(out);
        }
        self.block = Some(block);
    }

    fn finish_block(&mut self) {
        let Some(block) = self.block.take() else { return };
        let is_test = matches!(block.title, Title::Test(_));
        let path = self.file.as_ref().map_or("", |header| &header.path);
        let Some(failure) = block.failure(path, self.listing.any()) else { return };
        let short = format!("{path}\n{}", failure.id.as_deref().unwrap_or_default());
        let key = format!("{}\n{short}", self.file.as_ref().map_or("", |header| &header.project));
        if self.recap && self.named.contains(&short) {
            return;
        }
        self.named.insert(short);
        self.died |= failure.kind == Kind::Crash;
        if failure.id.is_some()
            && let Some(first) = self.held.find(&key)
        {
            add(first, failure);
            return;
        }
        if is_test {
            self.tests_named += 1;
            self.listing.failed();
        }
        self.held.push_as(key, failure);
    }

    fn listed(&mut self, line: &Line<'_>, out: &mut Out) {
        let Some(header) = self.file.as_ref().filter(|_| self.open && !self.recap) else { return };
        let Some(entry) = self.listing.line(line.text) else { return };
        out.tests_seen += 1;
        match entry.outcome {
            Some(_) => out.test(entry.test()),
            None if !header.passed && self.marked.len() < HELD_MAX => {
                let short = format!("{}\n{}", header.path, entry.id);
                let failure = Failure { id: Some(entry.id), span: Some(line.span), ..Failure::default() };
                self.marked.push((short, failure));
            }
            None => {}
        }
    }

    /// ` › 1 snapshot obsolete from 1 test suite. To remove it, …`, above the summary.
    fn obsolete(&mut self, line: &Line<'_>) {
        let words = line.text.strip_prefix(" › ").unwrap_or_default();
        if self.open && words.contains(" obsolete from ") {
            let message = Some(words.split(". To remove ").next().unwrap_or(words).to_owned());
            let span = Some(line.span);
            self.beside.push(Failure { kind: Kind::Snapshot, message, span, ..Failure::default() });
        }
    }

    /// `Coverage for lines (66.66%) does not meet "global" threshold (90%)`, before or after the summary.
    fn threshold(&mut self, words: &str, span: [u64; 2], out: &mut Out) {
        if !words.contains("threshold") {
            return;
        }
        let failure = Failure {
            kind: Kind::Lint,
            message: Some(words.to_owned()),
            span: Some(span),
            ..Failure::default()
        };
        if self.open {
            self.beside.push(failure);
        } else {
            out.failure(failure);
            out.close(Closing {
                says: Says::Red,
                counts: Counts::default(),
                duration_ms: None,
                message: None,
            });
        }
    }

    fn refuse(&mut self, says: Says, words: &str, out: &mut Out) {
        self.open(out);
        let message = Some(words.trim_end_matches(':').to_owned());
        out.close(Closing { says, counts: Counts::default(), duration_ms: None, message });
        *self = Jest::default();
    }

    fn close(&mut self, out: &mut Out) {
        let summary = std::mem::take(&mut self.summary);
        let (failed, nothing_loaded) = (summary.failed(), summary.nothing_loaded());
        let mut closing = summary.closing();
        if closing.says == Says::Red {
            self.say(out);
            out.unnamed(failed.saturating_sub(self.tests_named));
        }
        if nothing_loaded && !self.died {
            closing.says = Says::Refused(Reason::CollectionError);
        }
        for failure in self.beside.drain(..) {
            out.failure(failure);
            closing.says = Says::Red;
        }
        let counts = closing.counts;
        out.close(closing);
        *self = Jest { text_counts: Some(counts), ..Jest::default() };
    }

    /// Says all failures; a test of the listing whose block never came has its name alone.
    fn say(&mut self, out: &mut Out) {
        self.held.say(out);
        for (short, failure) in self.marked.drain(..) {
            if !self.named.contains(&short) {
                self.tests_named += 1;
                out.failure(failure);
            }
        }
    }

    fn document_taken(&mut self, taken: Taken, out: &mut Out) {
        match taken {
            Taken::More => {}
            Taken::Broken => self.document = None,
            Taken::Whole(value) => {
                self.document = None;
                let Some(report) = report(&value, Names::Mapped, Some(JOINT)) else { return };
                if self.text_counts.take().is_some_and(|text| same_run(&text, &report.closing.counts)) {
                    return;
                }
                report.say(out);
                *self = Jest::default();
            }
        }
    }
}

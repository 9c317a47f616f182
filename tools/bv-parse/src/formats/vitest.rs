//! Vitest: its text, with every built-in reporter that prints text, and the `json` reporter.
//!
//! A section opens with the banner (` RUN  v4.1.12 /path`) and closes with the summary (` Test Files` to
//! `Duration`). Details stand below the banners `Failed Suites`, `Failed Tests` and `Unhandled Errors`, one
//! block an error, under the names of all tests that it failed. What tests print comes before, unindented:
//! blocks count only below a banner, and only where the summary says that something failed.

mod annotation;
mod block;
mod listing;
mod summary;

use crate::document::{Document, Taken};
use crate::held::Held;
use crate::javascript::report::{report, same_run, start};
use crate::javascript::{Names, add};
use crate::machine::{Closing, Format, HELD_MAX, Line, Machine, Out, Says};
use block::{Banner, Block};
use bv_schemas::{Counts, Failure, Kind, Reason};
use listing::Listed;
use std::collections::HashSet;
use summary::{Part, Summary};

/// The table's line.
pub const FORMAT: Format = Format {
    name: "vitest",
    commands: &["vitest"],
    needles: &[
        " RUN  v",
        " DEV  v",
        " Test Files  ",
        " Failed Tests ",
        "⎯ Startup Error ⎯",
        "No test files found, exiting with code",
        KEY,
        "::error file=",
        "ERROR: Coverage for ",
    ],
    new: || Box::new(Vitest::default()),
};

/// The first key of the `json` reporter's document.
const KEY: &str = "\"numTotalTestSuites\":";

/// One run at a time; the next one in the stream is a new section.
#[derive(Default)]
struct Vitest {
    open: bool,
    /// Below this banner.
    banner: Option<Banner>,
    block: Option<Block>,
    held: Held,
    /// Names of all that is held.
    ids: HashSet<String>,
    tests_named: u64,
    /// Failing tests of the listing, whose block may follow.
    marked: Vec<Failure>,
    /// Failing tests that the lines of their files count.
    counted: u64,
    /// Files of which some test was collected.
    collected: HashSet<String>,
    summary: Summary,
    annotated: Held,
    document: Option<Document>,
    /// The counts of the text that closed last: a result file with the same ones is of the same run.
    text_counts: Option<Counts>,
}

impl Machine for Vitest {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if let Some(document) = &mut self.document {
            let taken = document.take(line.text, line.span);
            self.document_taken(taken, out);
            return;
        }
        if line.overwritten {
            return;
        }
        let text = line.text;
        let own = match text.as_bytes() {
            [] => self.blank(out),
            [0xe2, 0x8e, 0xaf, ..] => self.rule(text, out),
            [b' ', b' ', b'"', ..] => self.keyed(line, out),
            [b' ', ..] => self.indented(line, out),
            [b'E' | b'N' | b'{' | b':', ..] => self.top(text, line.span, out),
            _ => false,
        };
        if own {
            return;
        }
        if let Some(block) = &mut self.block {
            block.push(line);
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.finish_block();
        let named = !self.held.is_empty() || !self.marked.is_empty();
        self.say(out);
        if self.open && !named {
            out.unnamed(self.counted);
        }
        if !self.annotated.is_empty() && !self.open && self.text_counts.is_none() {
            self.annotated.say(out);
            out.close(Closing {
                says: Says::Red,
                counts: Counts::default(),
                duration_ms: None,
                message: None,
            });
        }
    }

    fn owns_lines(&self) -> bool {
        self.document.is_some() || self.block.is_some()
    }
}

impl Vitest {
    /// A line that begins with a blank; whether it is the runner's own.
    fn indented(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let text = line.text;
        if text.starts_with(" RUN  v") || text.starts_with(" DEV  v") {
            *self = Vitest::default();
            self.open(out);
            return true;
        }
        match self.summary.line(text) {
            Part::None => {}
            Part::More => {
                self.finish_block();
                self.open(out);
                return true;
            }
            Part::Closed => {
                self.close(out);
                return true;
            }
        }
        if let Some(name) = text.strip_prefix(" FAIL ")
            && self.banner.is_some_and(Banner::has_names)
        {
            self.begin_block(name, line);
            return true;
        }
        if self.open && self.banner.is_none() {
            self.listed(line, out);
        }
        false
    }

    /// A blank line ends what kept Vitest from starting.
    fn blank(&mut self, out: &mut Out) -> bool {
        let told = self.block.as_ref().is_some_and(|block| !block.is_empty());
        if self.banner == Some(Banner::Startup) && told {
            self.finish_block();
            self.say(out);
        }
        false
    }

    /// A line that begins like the first key of a document that was printed again; whether it is.
    fn keyed(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let Some(first) = start(line.text, KEY).filter(|_| self.block.is_none()) else { return false };
        self.begin_document(&first, line.span, out);
        true
    }

    /// A line of rules: a banner, or the end of a block. It is never a block's own.
    fn rule(&mut self, text: &str, out: &mut Out) -> bool {
        let inside = text.trim_matches(['⎯', ' ']);
        if inside.is_empty() {
            // Inside a block it stands above the error's properties.
            return true;
        }
        self.finish_block();
        if inside.starts_with('[') {
            return true;
        }
        let Some(banner) = Banner::of(inside) else { return true };
        if banner == Banner::Startup {
            self.open(out);
        }
        if self.open {
            self.banner = Some(banner);
            if !banner.has_names() && banner != Banner::Unhandled {
                self.block = Some(Block::new(None, banner));
            }
        }
        true
    }

    /// A line of the runner's at the margin; whether it is one.
    fn top(&mut self, text: &str, span: [u64; 2], out: &mut Out) -> bool {
        if let Some(code) = text.strip_prefix("No test files found, exiting with code ") {
            let message = Some(text.to_owned());
            let says = if code == "0" { Says::NoTests } else { Says::Refused(Reason::NoTests) };
            out.close(Closing { says, counts: Counts::default(), duration_ms: None, message });
            *self = Vitest::default();
            return true;
        }
        if let Some(words) = text.strip_prefix("ERROR: ")
            && words.starts_with("Coverage for ")
            && words.contains(" threshold")
        {
            // It follows the summary: it is a section of its own.
            let message = Some(words.to_owned());
            out.failure(Failure { kind: Kind::Lint, message, span: Some(span), ..Failure::default() });
            out.close(Closing {
                says: Says::Red,
                counts: Counts::default(),
                duration_ms: None,
                message: None,
            });
            return true;
        }
        if text.starts_with("::error ")
            && !self.open
            && let Some(failure) = annotation::failure(text, span)
        {
            match failure.id.as_deref().and_then(|id| self.annotated.find(id)) {
                Some(first) => add(first, failure),
                None => self.annotated.push(failure),
            }
            return false;
        }
        let Some(first) = start(text, KEY).filter(|_| self.block.is_none()) else { return false };
        self.begin_document(&first, span, out);
        true
    }

    fn open(&mut self, out: &mut Out) {
        if !self.open {
            self.open = true;
            self.text_counts = None;
            out.open();
        }
    }

    fn begin_block(&mut self, name: &str, line: &Line<'_>) {
        if let Some(block) = self.block.as_mut().filter(|block| block.is_empty()) {
            block.name(name);
            return;
        }
        self.finish_block();
        let Some(banner) = self.banner else { return };
        let mut block = Block::new(Some(line.span), banner);
        block.name(name);
        self.block = Some(block);
    }

    fn finish_block(&mut self) {
        let Some(block) = self.block.take() else { return };
        for (key, failure) in block.failures(&self.collected) {
            self.ids.extend(failure.id.clone());
            if failure.id.is_some()
                && let Some(first) = self.held.find(&key)
            {
                add(first, failure);
                continue;
            }
            self.tests_named += u64::from(self.banner == Some(Banner::Tests));
            self.held.push_as(key, failure);
        }
    }

    fn listed(&mut self, line: &Line<'_>, out: &mut Out) {
        match listing::line(line.text) {
            None => {}
            Some(Listed::File { path, tests, failed }) => {
                if tests > 0 {
                    self.collected.insert(path);
                }
                self.counted += failed;
            }
            Some(Listed::Test(test)) => {
                out.tests_seen += 1;
                out.test(test);
            }
            Some(Listed::Failed(id)) => {
                out.tests_seen += 1;
                if self.marked.len() < HELD_MAX {
                    self.marked.push(Failure { id: Some(id), span: Some(line.span), ..Failure::default() });
                }
            }
        }
    }

    fn close(&mut self, out: &mut Out) {
        let summary = std::mem::take(&mut self.summary);
        let failed = summary.failed();
        let only_unloaded =
            !self.held.is_empty() && self.held.iter_mut().all(|f| f.kind == Kind::CollectionError);
        let nothing_ran = summary.nothing_ran();
        let mut closing = summary.closing();
        if closing.says == Says::Red {
            self.say(out);
            out.unnamed(failed.saturating_sub(self.tests_named));
            if nothing_ran && only_unloaded {
                closing.says = Says::Refused(Reason::CollectionError);
            }
        }
        let counts = closing.counts;
        out.close(closing);
        *self = Vitest { text_counts: Some(counts), ..Vitest::default() };
    }

    /// Says all failures; a test of the listing whose block never came has its name alone.
    fn say(&mut self, out: &mut Out) {
        if self.banner == Some(Banner::Startup) {
            let first = self.held.iter_mut().next().and_then(|failure| failure.message.clone());
            let says = Says::Refused(Reason::NotRunnable);
            out.close(Closing { says, counts: Counts::default(), duration_ms: None, message: first });
            *self = Vitest::default();
            return;
        }
        self.held.say(out);
        for failure in self.marked.drain(..).filter(|f| f.id.as_ref().is_none_or(|id| !self.ids.contains(id)))
        {
            self.tests_named += 1;
            out.failure(failure);
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

    fn document_taken(&mut self, taken: Taken, out: &mut Out) {
        match taken {
            Taken::More => {}
            Taken::Broken => self.document = None,
            Taken::Whole(value) => {
                self.document = None;
                let Some(report) = report(&value, Names::Own, None) else { return };
                if self.text_counts.take().is_some_and(|text| same_run(&text, &report.closing.counts)) {
                    return;
                }
                report.say(out);
                *self = Vitest::default();
            }
        }
    }
}

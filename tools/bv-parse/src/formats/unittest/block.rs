//! The failure blocks of unittest and of the runners made from it:
//!
//! ```text
//! ======================================================================
//! FAIL: test_roll (test_drum.DrumTest.test_roll)
//! The first line of the docstring.
//! ----------------------------------------------------------------------
//! Traceback (most recent call last):
//!   …
//! ```
//!
//! A block ends at the next one's rule, or at the rule above `Ran N tests in …`. Rules inside a diff or
//! captured output end nothing, because a title or `Ran` must follow.

use super::section::XPASSED;
use super::title::Title;
use crate::machine::Line;
use crate::python::{self, Traceback};
use bv_schemas::{Failure, Kind};

/// The rule above a title.
pub const RULE: &str = "======================================================================";
/// The rule below a title, and above `Ran N tests in …`.
pub const THIN_RULE: &str = "----------------------------------------------------------------------";
/// Lines of a docstring between title and rule; unittest prints one, derived runners a few.
const DOC_LINES_MAX: usize = 8;
/// Lines kept of a block; the exception of a deep recursion stands behind a thousand frames.
const BODY_LINES_MAX: usize = 4000;
/// Lines after which a block that did not end is given up, so that other runners are heard again.
const BLOCK_LINES_MAX: usize = 100_000;

/// What the word before the title says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// `FAIL`: an assertion, or what the test class declares to be one.
    Failed,
    /// `ERROR`: any other exception.
    Errored,
    /// `UNEXPECTED SUCCESS`, since Python 3.11.
    Xpassed,
}

/// One block, whole.
#[derive(Debug)]
pub struct Block {
    /// What sort.
    pub flavour: Flavour,
    /// Whose.
    pub title: Title,
    /// The lines below the thin rule, without captured output.
    pub body: Vec<String>,
    /// Captured output (`Stdout:`, `Stderr:`) stood at the end.
    pub captured: bool,
    /// Where in the raw stream.
    pub span: [u64; 2],
    lines: usize,
}

/// Reads blocks, line by line.
#[derive(Default)]
pub struct Blocks {
    state: State,
    block: Option<Block>,
}

#[derive(Default)]
enum State {
    #[default]
    Outside,
    /// A rule stands; a title may follow.
    Ruled([u64; 2]),
    /// A title stands; the thin rule must follow.
    Titled {
        doc_lines: usize,
    },
    /// Titles of unexpected successes follow each other.
    Listing,
    Body,
    /// A thin rule stands in the body; it ends the block if `Ran` follows.
    BodyRuled([u64; 2]),
}

impl Blocks {
    /// Takes a line; gives the block that it ends.
    pub fn line(&mut self, line: &Line<'_>) -> Option<Block> {
        let text = line.text;
        if text.len() == RULE.len() && text == RULE {
            let done = self.done();
            self.state = State::Ruled(line.span);
            return done;
        }
        match self.state {
            State::Outside => None,
            State::Ruled(rule) => self.titled(text, [rule[0], line.span[1]]),
            State::Listing => self.listed(text, line.span),
            State::Titled { doc_lines } => {
                self.below_title(text, doc_lines);
                None
            }
            State::Body => self.body(line),
            State::BodyRuled(rule) => {
                if ran(text).is_some() {
                    return self.finish();
                }
                self.state = State::Body;
                self.keep(THIN_RULE, rule);
                self.body(line)
            }
        }
    }

    /// Whether a block is being read, so that the lines to come are this runner's.
    pub fn reading(&self) -> bool {
        matches!(self.state, State::Body | State::BodyRuled(_))
    }

    /// No more lines come; gives the block that was being read.
    pub fn finish(&mut self) -> Option<Block> {
        let done = self.done();
        self.state = State::Outside;
        done
    }

    /// The block that is whole, should a rule come now.
    fn done(&mut self) -> Option<Block> {
        if self.reading() { self.block.take() } else { None }
    }

    fn titled(&mut self, text: &str, span: [u64; 2]) -> Option<Block> {
        let words = [("FAIL: ", Flavour::Failed), ("ERROR: ", Flavour::Errored)];
        if let Some((title, flavour)) =
            words.iter().find_map(|(word, flavour)| Some((text.strip_prefix(word)?, *flavour)))
        {
            self.block = Some(Block::new(flavour, Title::read(title), span));
            self.state = State::Titled { doc_lines: 0 };
            return None;
        }
        self.listed(text, span)
    }

    /// `UNEXPECTED SUCCESS: title` is a block of one line; its docstring may follow.
    fn listed(&mut self, text: &str, span: [u64; 2]) -> Option<Block> {
        let title = text.strip_prefix(XPASSED).and_then(|rest| rest.strip_prefix(": "));
        let doc = matches!(self.state, State::Listing) && text != THIN_RULE;
        self.state = if title.is_some() || doc { State::Listing } else { State::Outside };
        title.map(|title| Block::new(Flavour::Xpassed, Title::read(title), span))
    }

    fn below_title(&mut self, text: &str, doc_lines: usize) {
        self.state = match text {
            THIN_RULE => State::Body,
            _ if doc_lines < DOC_LINES_MAX => State::Titled { doc_lines: doc_lines + 1 },
            _ => State::Outside,
        };
    }

    fn body(&mut self, line: &Line<'_>) -> Option<Block> {
        let text = line.text;
        // The table of durations stands below all blocks (Python 3.12, `--durations`).
        if text == "Slowest test durations" {
            return self.finish();
        }
        if text == THIN_RULE {
            self.state = State::BodyRuled(line.span);
            return None;
        }
        self.keep(text, line.span);
        let over = self.block.as_ref().is_some_and(|block| block.lines > BLOCK_LINES_MAX);
        if over { self.finish() } else { None }
    }

    fn keep(&mut self, text: &str, span: [u64; 2]) {
        if let Some(block) = &mut self.block {
            block.keep(text, span);
        }
    }
}

impl Block {
    fn new(flavour: Flavour, title: Title, span: [u64; 2]) -> Block {
        Block { flavour, title, body: Vec::new(), captured: false, span, lines: 0 }
    }

    fn keep(&mut self, text: &str, span: [u64; 2]) {
        self.lines += 1;
        if !text.is_empty() {
            self.span[1] = span[1];
        }
        let after_blank = self.body.last().is_some_and(String::is_empty);
        self.captured = self.captured || after_blank && (text == "Stdout:" || text == "Stderr:");
        if !self.captured && self.body.len() < BODY_LINES_MAX {
            self.body.push(text.to_owned());
        }
    }

    /// The record.
    pub fn failure(self) -> Failure {
        let read = Traceback::read(self.body.iter().map(String::as_str));
        let mut failure = Failure {
            id: Some(self.title.id.clone()),
            kind: self.kind(&read),
            counterexample: self.title.params.clone(),
            span: Some(self.span),
            ..Failure::default()
        };
        if self.flavour == Flavour::Xpassed {
            failure.message = Some(XPASSED.to_owned());
            return failure;
        }
        read.place(&mut failure, self.title.function.as_deref());
        read.describe(&mut failure);
        if let Some(example) =
            python::counterexample(self.body.iter().map(|line| line.trim_start_matches([' ', '|'])))
        {
            failure.kind = Kind::Property;
            failure.counterexample = Some(example);
        }
        failure
    }

    fn kind(&self, read: &Traceback) -> Kind {
        const HOOKS: &[&str] = &["setUp", "tearDown", "asyncSetUp", "asyncTearDown"];
        let outermost = read.test(None).and_then(|place| place.function.as_deref());
        let in_hook = outermost.is_some_and(|function| HOOKS.contains(&function));
        match self.flavour {
            _ if self.title.hook => Kind::SetupError,
            _ if self.title.is_load_error() => Kind::CollectionError,
            Flavour::Failed | Flavour::Xpassed => Kind::Assertion,
            Flavour::Errored if in_hook => Kind::SetupError,
            Flavour::Errored => Kind::Exception,
        }
    }
}

/// `Ran 8 tests in 0.021s`: how many, and how long in milliseconds.
pub fn ran(text: &str) -> Option<(u64, u64)> {
    let rest = text.strip_prefix("Ran ")?;
    let (number, rest) = rest.split_once(' ')?;
    let seconds = rest.strip_prefix("tests in ").or_else(|| rest.strip_prefix("test in "))?;
    let seconds: f64 = seconds.trim_end().strip_suffix('s')?.parse().ok()?;
    let duration_ms = (seconds * 1000.0).round();
    (0.0..1e15).contains(&duration_ms).then_some((number.parse().ok()?, duration_ms as u64))
}

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
use super::who;
use crate::machine::Line;
use crate::python::{self, Traceback, doctest, ran};
use crate::values::diff_sides;
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
    /// The name of an exception that a plugin of nose counts apart; no more than a picture of a block until
    /// the closing statement counts it.
    Named,
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
    /// The word before the title.
    pub label: String,
    /// Where in the raw stream.
    pub span: [u64; 2],
    lines: usize,
}

/// Reads blocks, line by line.
#[derive(Default)]
pub struct Blocks {
    state: State,
    block: Option<Block>,
    /// testtools runs, which does not end its line of dots before the first rule.
    pub testtools: bool,
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
        if text == "Tests running..." && !self.in_body() {
            self.testtools = true;
        }
        if text == RULE || self.testtools && is_glued_rule(text) {
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
        self.in_body() && self.block.as_ref().is_some_and(|block| !block.is_doubtful())
    }

    fn in_body(&self) -> bool {
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
        if self.in_body() { self.block.take() } else { None }
    }

    fn titled(&mut self, text: &str, span: [u64; 2]) -> Option<Block> {
        if text.starts_with(XPASSED) {
            return self.listed(text, span);
        }
        self.state = State::Outside;
        let (label, title) = text.split_once(": ")?;
        let flavour = flavour(label)?;
        let block = Block::new(flavour, Title::of_block(title), span);
        self.block = Some(Block { label: label.to_owned(), ..block });
        self.state = State::Titled { doc_lines: 0 };
        None
    }

    /// `UNEXPECTED SUCCESS: title` is a block of one line; its docstring may follow.
    fn listed(&mut self, text: &str, span: [u64; 2]) -> Option<Block> {
        let title = text.strip_prefix(XPASSED).and_then(|rest| rest.strip_prefix(": "));
        let doc = matches!(self.state, State::Listing) && text != THIN_RULE;
        self.state = if title.is_some() || doc { State::Listing } else { State::Outside };
        title.map(|title| Block::new(Flavour::Xpassed, Title::read(title), span))
    }

    fn below_title(&mut self, text: &str, doc_lines: usize) {
        if doc_lines == 0
            && let Some(block) = &mut self.block
            && let Some(title) = block.title.continued(text)
        {
            block.title = title;
        }
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
        if is_thin_rule(text) {
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
        let label = String::new();
        Block { flavour, title, body: Vec::new(), captured: false, label, span, lines: 0 }
    }

    /// Whether it may be any text of that shape.
    pub fn is_doubtful(&self) -> bool {
        self.flavour == Flavour::Named
    }

    /// The runner whose own frames or title it has.
    pub fn runner(&self) -> Option<&'static str> {
        self.title.runner().or_else(|| self.body.iter().find_map(|line| who::of_frame(line)))
    }

    fn keep(&mut self, text: &str, span: [u64; 2]) {
        self.lines += 1;
        if !text.is_empty() {
            self.span[1] = span[1];
        }
        let after_blank = self.body.last().is_some_and(String::is_empty);
        self.captured = self.captured
            || after_blank && (text == "Stdout:" || text == "Stderr:")
            || text.starts_with("-------------------- >> begin captured ");
        if !self.captured && self.body.len() < BODY_LINES_MAX {
            self.body.push(text.to_owned());
        }
    }

    /// The record.
    pub fn failure(self) -> Failure {
        let lines = || self.body.iter().map(String::as_str);
        let read = Traceback::read(lines());
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
        if lines().any(|line| line.starts_with(doctest::HEAD)) {
            doctest::fill(&mut failure, lines());
            return failure;
        }
        if self.is_doubtful() {
            diff_sides(lines()).fill(&mut failure);
        }
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
            Flavour::Errored | Flavour::Named => Kind::Exception,
        }
    }
}

/// What the word before a title says; `FAIL [0.002s]` is unittest-xml-reporting's.
fn flavour(label: &str) -> Option<Flavour> {
    let (word, time) = label.split_once(" [").unwrap_or((label, "s]"));
    let is_name = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_uppercase())
            && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    match word {
        _ if !time.ends_with("s]") => None,
        "FAIL" => Some(Flavour::Failed),
        "ERROR" => Some(Flavour::Errored),
        _ => is_name(label).then_some(Flavour::Named),
    }
}

/// The rule above a title, behind testtools' dots.
fn is_glued_rule(text: &str) -> bool {
    let dots = text.strip_suffix(RULE);
    dots.is_some_and(|dots| dots.bytes().all(|b| b".FEsxu".contains(&b)))
}

/// The rule below a title and above `Ran`; pynose's last one is shorter.
pub fn is_thin_rule(text: &str) -> bool {
    (text.len() == THIN_RULE.len() || text.len() == 40) && text.bytes().all(|b| b == b'-')
}

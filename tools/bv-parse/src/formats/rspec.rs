//! RSpec 3: the text of the progress and documentation formatters (and of those derived from them), and
//! the JSON formatter's document.
//!
//! RSpec prints nothing when it begins, so a section opens at its first list (`Pending:`, `Failures:`), at
//! an error outside of examples, or at `Finished in …`, and closes at the line `12 examples, 7 failures`;
//! the recap of commands below that line says where the failed examples stand, and is waited for. What
//! specs print is left alone: it can stand only before the lists, whose length the closing line tells.

mod block;
mod closing;
mod json;

use crate::document::{Document, Taken};
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use block::Block;
use bv_schemas::{Counts, Failure, Kind, Reason};
use closing::Totals;

/// The table's line.
pub const FORMAT: Format = Format {
    name: "rspec",
    commands: &["rspec"],
    needles: &[
        "Failures:",
        "Pending: (Failures listed here",
        "An error occurred while loading ",
        "An error occurred in ",
        " to load)",
        "\"summary_line\":\"",
    ],
    new: || Box::new(Rspec::default()),
};

/// Blocks kept of one list; more are counted.
const BLOCKS_MAX: usize = crate::machine::HELD_MAX;

#[derive(Default)]
struct Rspec {
    state: State,
    open: bool,
    block: Option<Block>,
    /// Failed examples, in the order of their numbers.
    failed: Vec<Block>,
    over: u64,
    /// Errors outside of examples.
    outside: Vec<Failure>,
    /// `Finished in …` stands in the last line.
    finished: Option<Option<u64>>,
    totals: Option<Totals>,
    recap: Vec<closing::Rerun>,
    json: Option<Document>,
}

/// In which list the lines stand.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Outside,
    Pending,
    Failures,
    /// The closing line came; the recap may follow.
    Closing,
    /// `Failed examples:` came.
    Recap,
}

impl Machine for Rspec {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten || self.in_document(line, out) {
            return;
        }
        if let Some(block) = &mut self.block {
            if block.take(line) {
                return;
            }
            self.block_ends();
        }
        match line.text.as_bytes().first() {
            Some(b' ') => self.title(line, out),
            Some(_) => self.flush_left(line, out),
            None => self.blank(out),
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.block_ends();
        if self.totals.is_some() {
            self.close(out);
            return;
        }
        if self.json.take().is_some() {
            out.open();
        }
        if self.open {
            self.outside.drain(..).for_each(|failure| out.failure(failure));
            self.failed.drain(..).for_each(|block| out.failure(block.failure(None)));
            out.unnamed(std::mem::take(&mut self.over));
        }
    }

    fn owns_lines(&self) -> bool {
        self.block.is_some()
    }
}

impl Rspec {
    /// Whether the line is part of a JSON document.
    fn in_document(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let text = line.text;
        let text = match &self.json {
            Some(_) => text,
            None if text.ends_with('}') => {
                match text.find("{\"version\":\"").filter(|_| text.contains("\"summary_line\":\"")) {
                    Some(at) => &text[at..],
                    None => return false,
                }
            }
            None => return false,
        };
        let (document, taken) = match self.json.take() {
            Some(mut document) => {
                let taken = document.take(text, line.span);
                (document, taken)
            }
            None => Document::begin(text, line.span),
        };
        match taken {
            Taken::More => self.json = Some(document),
            Taken::Whole(value) => json::say(&value, line.span, out),
            Taken::Broken => json::say_cut(text, out),
        }
        true
    }

    /// A line with something in its first column.
    fn flush_left(&mut self, line: &Line<'_>, out: &mut Out) {
        let text = line.text.trim_end();
        if self.state == State::Recap {
            match closing::rerun(text) {
                Some(rerun) => self.recap.push(rerun),
                None => self.close(out),
            }
            return;
        }
        if self.state == State::Closing {
            match text {
                "Failed examples:" => self.state = State::Recap,
                _ if text == "Failures:" || text.starts_with("Finished in ") => self.close(out),
                _ => {}
            }
        }
        if let Some(totals) = self.finished.take().and_then(|duration_ms| closing::totals(text, duration_ms))
        {
            self.totals(totals, out);
        } else if text.ends_with("Failures:") && (text == "Failures:" || is_progress(text)) {
            self.list(State::Failures, out);
        } else if text.starts_with("Pending: (Failures listed here are expected") {
            self.list(State::Pending, out);
        } else if text.starts_with("Finished in ") {
            self.finished = closing::finished(text);
            if self.finished.is_some() {
                self.open(out);
            }
        } else if text.starts_with("An error occurred ") && closing::is_outside(text) {
            self.open(out);
            self.block = Some(Block::outside(line));
        }
    }

    fn open(&mut self, out: &mut Out) {
        if !self.open {
            self.open = true;
            out.open();
        }
    }

    /// A list begins. A second list of failures repeats the first, or the first was a spec's output.
    ///
    /// Hspec's list of failures begins so too, and goes on with a place: this one's is a section once a title came.
    fn list(&mut self, state: State, out: &mut Out) {
        if state == State::Pending {
            self.open(out);
        }
        self.state = state;
        if state == State::Failures {
            self.failed.clear();
            self.over = 0;
        }
    }

    /// `  3) Cart grows`, in a list.
    fn title(&mut self, line: &Line<'_>, out: &mut Out) {
        if matches!(self.state, State::Pending | State::Failures) {
            self.block = Block::begins(line);
            match self.block {
                Some(_) => self.open(out),
                None if !self.open => self.state = State::Outside,
                None => {}
            }
        }
    }

    fn block_ends(&mut self) {
        let Some(block) = self.block.take() else { return };
        if block.is_outside() {
            self.outside.push(block.failure(None));
        } else if self.state == State::Failures {
            if self.failed.len() < BLOCKS_MAX {
                self.failed.push(block);
            } else {
                self.over += 1;
            }
        }
    }

    fn blank(&mut self, out: &mut Out) {
        if self.state == State::Recap && !self.recap.is_empty() {
            self.close(out);
        }
    }

    /// The closing line came. Without failures no recap follows.
    fn totals(&mut self, totals: Totals, out: &mut Out) {
        let red = totals.failed > 0;
        out.tests_seen += totals.examples;
        self.totals = Some(totals);
        self.state = State::Closing;
        if !red {
            self.close(out);
        }
    }

    fn close(&mut self, out: &mut Out) {
        let Some(totals) = self.totals.take() else { return };
        self.open(out);
        let before = out.events.len();
        // The runner's own list is the last one and as long as it says; what is before it a spec printed.
        let named = usize::try_from(totals.failed).unwrap_or(usize::MAX);
        let foreign = self.failed.len().saturating_sub(named);
        let spare = usize::try_from(totals.outside).unwrap_or(usize::MAX);
        let outside = self.outside.len().saturating_sub(spare);
        self.outside.drain(outside..).for_each(|failure| out.failure(failure));
        for (at, block) in self.failed.drain(foreign..).enumerate() {
            // The recap has one line an example, in the same order.
            out.failure(block.failure(self.recap.get(at)));
        }
        let said = (out.events.len() - before) as u64;
        out.unnamed((totals.failed + totals.outside).saturating_sub(said));
        out.close(closing_of(&totals, &out.events[before..]));
        *self = Rspec::default();
    }
}

/// What the totals make of the run.
fn closing_of(totals: &Totals, said: &[crate::machine::Event]) -> Closing {
    let passed = totals.examples.saturating_sub(totals.failed + totals.pending);
    let loads = |event: &crate::machine::Event| match event {
        crate::machine::Event::Failure(failure) => failure.kind == Kind::CollectionError,
        _ => false,
    };
    let none_loaded = totals.examples == 0 && said.iter().any(loads);
    let says = match totals {
        _ if none_loaded => Says::Refused(Reason::CollectionError),
        Totals { failed: 0, outside: 0, .. } if passed == 0 => Says::NoTests,
        Totals { failed: 0, outside: 0, .. } => Says::Green,
        _ => Says::Red,
    };
    Closing {
        says,
        counts: Counts {
            passed: Some(passed),
            failed: Some(totals.failed),
            errored: Some(totals.outside),
            skipped: Some(totals.pending),
        },
        duration_ms: totals.duration_ms,
        message: None,
    }
}

/// The progress formatter's line, onto whose end a spec's output may be glued.
fn is_progress(text: &str) -> bool {
    text.strip_suffix("Failures:").is_some_and(|dots| dots.bytes().all(|b| matches!(b, b'.' | b'F' | b'*')))
}

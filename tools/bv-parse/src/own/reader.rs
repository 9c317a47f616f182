//! A machine that reads by the rules of a TOML format.
//!
//! It says of a run what the patterns say and no more: a summary that says passed is green as any runner's is,
//! unless a number, a failure or another format speaks against it. A block without its end is ended after
//! [`BLOCK_LINES_MAX`] lines, so that a wrong pattern cannot swallow a stream.

use super::draft::Draft;
use super::pattern::{Count, Field, Fit};
use super::rules::{Failure, Rules, What};
use super::words::Word;
use crate::held::Held;
use crate::machine::{Closing, Line, Machine, Out, Says};
use crate::values::milliseconds;
use bv_schemas::{Counts, Reason, Test};

/// Lines of one block at most.
pub const BLOCK_LINES_MAX: usize = 10_000;

/// See the head of this file.
#[derive(Debug)]
pub struct Reader<'f> {
    rules: &'f Rules,
    held: Held,
    /// Whether a section is open, and whether a `start` opened it.
    open: bool,
    started: bool,
    block: Option<Block<'f>>,
    numbers: Numbers,
}

/// The failure that is being read.
#[derive(Debug)]
struct Block<'f> {
    rule: &'f Failure,
    draft: Draft,
    lines: usize,
}

/// What lines with numbers have said since the last closing statement.
#[derive(Clone, Copy, Debug, Default)]
struct Numbers {
    counts: Counts,
    total: Option<u64>,
    duration_ms: Option<u64>,
}

impl<'f> Reader<'f> {
    /// A fresh machine.
    pub fn new(rules: &'f Rules) -> Reader<'f> {
        Reader {
            rules,
            held: Held::default(),
            open: false,
            started: false,
            block: None,
            numbers: Numbers::default(),
        }
    }
}

impl Machine for Reader<'_> {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        // What was overwritten comes again, or was never meant to stay.
        if line.overwritten || self.in_block(line, out) {
            return;
        }
        let mut said = None;
        for what in self.rules.what(line.text) {
            match what {
                What::Failure(at) => return self.begin(&self.rules.failures[at], line, out),
                What::Summary(at) => said = self.redder(said, at, line.text),
                _ if said.is_some() => {}
                What::Counts(at) => self.count(at, line.text),
                What::Start => self.start(out),
                What::Test(at) => return self.test(at, line.text, out),
            }
        }
        if let Some((says, numbers)) = said {
            self.close(says, numbers, None, out);
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.finish_block();
        if self.open && self.rules.summaries.is_empty() {
            // Such a tool never says that it is done; what it found is what it says.
            return self.close(Says::Red, Numbers::default(), None, out);
        }
        self.held.say(out);
    }
}

impl<'f> Reader<'f> {
    fn begin(&mut self, rule: &'f Failure, line: &Line<'_>, out: &mut Out) {
        let Some(fit) = rule.first.fit(line.text) else { return };
        out.mine();
        self.open(out);
        let mut draft = Draft::new(rule.kind, line.span);
        draft.take(&fit);
        if rule.is_block() {
            self.block = Some(Block { rule, draft, lines: 1 });
        } else {
            self.held.check(draft.finish());
        }
    }

    /// Whether the line is of the block that is being read.
    fn in_block(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let Some(block) = &mut self.block else { return false };
        let rule = block.rule;
        let last = rule.last.as_ref().and_then(|last| last.fit(line.text));
        let fit = rule.lines.iter().find_map(|(pattern, kind)| Some((pattern.fit(line.text)?, *kind)));
        let is_over = match (&rule.last, &rule.until) {
            (Some(_), _) => false,
            (None, Some(until)) => until.fits(line.text),
            (None, None) => fit.is_none(),
        };
        if is_over || block.lines == BLOCK_LINES_MAX {
            self.finish_block();
            return false;
        }
        block.lines += 1;
        block.draft.reach(line.span[1]);
        if let Some((fit, kind)) = &fit {
            block.draft.take(fit);
            kind.iter().for_each(|kind| block.draft.kind(*kind));
        }
        if let Some(last) = last {
            block.draft.take(&last);
            self.finish_block();
        }
        out.mine();
        true
    }

    fn finish_block(&mut self) {
        if let Some(block) = self.block.take() {
            self.held.check(block.draft.finish());
        }
    }

    fn open(&mut self, out: &mut Out) {
        if !std::mem::replace(&mut self.open, true) {
            out.open();
        }
    }

    fn start(&mut self, out: &mut Out) {
        if self.started {
            // The run before has no summary, and this one's must not stand for it.
            let message = Some("a run began before the one before it was summed up".to_owned());
            self.close(Says::Refused(Reason::Truncated), Numbers::default(), message, out);
        }
        self.open(out);
        self.started = true;
    }

    fn test(&self, at: usize, text: &str, out: &mut Out) {
        let (pattern, outcome) = &self.rules.tests[at];
        let Some(fit) = pattern.fit(text) else { return };
        let mut test = Test { id: String::new(), outcome: *outcome, duration_ms: None };
        for (field, text) in fit.fields() {
            match field {
                Field::Id => text.clone_into(&mut test.id),
                Field::Seconds => test.duration_ms = text.parse().ok().and_then(milliseconds),
                Field::Milliseconds => test.duration_ms = text.parse().ok(),
                _ => {}
            }
        }
        if !test.id.is_empty() {
            out.tests_seen += 1;
            out.test(test);
        }
    }

    fn count(&mut self, at: usize, text: &str) {
        if let Some(numbers) = self.rules.counts[at].fit(text).and_then(|fit| self.numbers.with(&fit)) {
            self.numbers = numbers;
        }
    }

    /// What a closing statement says, or what was said on the same line before it, whichever is worse.
    fn redder(&self, said: Option<(Says, Numbers)>, at: usize, text: &str) -> Option<(Says, Numbers)> {
        let (pattern, word) = &self.rules.summaries[at];
        let closing = pattern.fit(text).and_then(|fit| {
            let numbers = self.numbers.with(&fit)?;
            Some((numbers.says(*word)?, numbers))
        });
        match (said, closing) {
            (Some(before), Some(now)) if before.0 != Says::Green && now.0 != Says::Red => Some(before),
            (said, closing) => closing.or(said),
        }
    }

    fn close(&mut self, says: Says, numbers: Numbers, message: Option<String>, out: &mut Out) {
        let Numbers { counts, duration_ms, .. } = numbers;
        self.open(out);
        let seen = self.held.len();
        self.held.say(out);
        out.unnamed(counts.red().saturating_sub(seen));
        out.close(Closing { says, counts, duration_ms, message });
        self.numbers = Numbers::default();
        (self.open, self.started) = (false, false);
    }
}

impl Numbers {
    /// With what a line says; nothing where it says a number that is none.
    fn with(mut self, fit: &Fit<'_, '_>) -> Option<Numbers> {
        for (field, text) in fit.fields() {
            match field {
                Field::Count(count) => {
                    let n = number(text)?;
                    *match count {
                        Count::Passed => &mut self.counts.passed,
                        Count::Failed => &mut self.counts.failed,
                        Count::Errored => &mut self.counts.errored,
                        Count::Skipped => &mut self.counts.skipped,
                        Count::Total => &mut self.total,
                    } = Some(n);
                }
                Field::Seconds => self.duration_ms = text.parse().ok().and_then(milliseconds),
                Field::Milliseconds => self.duration_ms = text.parse().ok(),
                _ => {}
            }
        }
        Some(self)
    }

    /// What they say beside the statement's own word; nothing where neither says how it ended.
    fn says(&self, word: Option<Word>) -> Option<Says> {
        match word {
            _ if self.counts.red() > 0 => Some(Says::Red),
            Some(Word::Failed) => Some(Says::Red),
            Some(Word::NoTests) => Some(Says::NoTests),
            _ if self.none_ran() => Some(Says::NoTests),
            Some(Word::Passed) => Some(Says::Green),
            None => {
                let told = self.counts.failed.or(self.counts.errored).is_some();
                (told && self.counts.passed.or(self.total).is_some()).then_some(Says::Green)
            }
        }
    }

    /// None passed, or, where that is not said, none was left to pass.
    fn none_ran(&self) -> bool {
        let skipped = self.counts.skipped.unwrap_or(0);
        self.counts.passed == Some(0)
            || self.counts.passed.is_none() && self.total.is_some_and(|total| total <= skipped)
    }
}

/// `12`, `1,234`, `no`.
fn number(text: &str) -> Option<u64> {
    let text = text.trim();
    if text.eq_ignore_ascii_case("no") {
        return Some(0);
    }
    let digits: String = text.chars().filter(|c| !matches!(c, ',' | '_')).collect();
    digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())?
}

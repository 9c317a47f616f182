//! TAP, versions 12 to 14, by whoever prints it: `node --test`, Vitest, Mocha, bats and busted are named, others
//! are `tap`.
//!
//! A section opens with the version, or where numbered results and a plan show that these lines are TAP, and
//! closes when the plan is fulfilled and no comment follows; Node's closes with its counters. A parent that
//! failed only through a test inside it is no failure of its own. node-tap's own reporters print no TAP, and are
//! read beside it.

mod base;
mod failure;

use crate::javascript::Dying;
use crate::machine::{Closing, Format, HELD_MAX, Line, Machine, Out, Says};
use crate::perl::{Deaths, Diagnostics};
use crate::tap::{Block, Directive, Item, Outcome, item};
use base::Base;
use bv_schemas::{Counts, Failure, Kind, Test, TestOutcome};
use failure::{Pending, failure};

use super::bats::details;
use super::busted;
use super::node_test::counters::{Counters, Part};
use super::node_test::drop_cancelled;

/// The table's line.
pub const FORMAT: Format = Format {
    name: "tap",
    commands: &["tap"],
    needles: &[
        "TAP version 1",
        "ok 1",
        "Asserts:  ",
        // A plan, where it comes first.
        "1..1",
        "1..2",
        "1..3",
        "1..4",
        "1..5",
        "1..6",
        "1..7",
        "1..8",
        "1..9",
    ],
    new: || Box::new(Tap::default()),
};

/// Subtests deeper than this are not followed.
const DEPTH_MAX: usize = 64;

/// One stream at a time; the next one is a new section.
#[derive(Default)]
struct Tap {
    base: Base,
    open: bool,
    dialect: Option<Dialect>,
    /// Subtests around the current line, by indentation.
    names: Vec<(usize, String)>,
    /// All that came so far is as bats writes it, see [`Shape`].
    shape: Shape,
    /// Results seen and not yet claimed by a parent, by indentation.
    levels: Vec<Level>,
    /// Suites whose brace is open.
    braces: Vec<Pending>,
    /// The last result, whose details may follow.
    pending: Option<Pending>,
    yaml: Option<Block>,
    dying: Dying,
    failures: Vec<Failure>,
    /// Test::Builder's diagnostics.
    diagnostics: Diagnostics,
    /// What a Perl program may have died of.
    deaths: Deaths,
    over: u64,
    passed: u64,
    failed: u64,
    skipped: u64,
    plan: Option<u64>,
    top: u64,
    /// The plan is fulfilled.
    done: bool,
    /// The plan is not kept, or the run gave up.
    broken: bool,
    counters: Counters,
    /// AVA's `# tests 7` was the last comment.
    tested: bool,
    /// AVA's own count of failures, in which its TODO tests are.
    ava_failed: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    Node,
    Vitest,
    Mocha,
    Bats,
    Busted,
    Ava,
    Deno,
}

/// What tells bats' TAP where no test fails: no version, the plan first, and results with a number and a name
/// and no dash between the two. GLib's, which is written so too, has names that begin with `/`.
#[derive(Default)]
struct Shape {
    versioned: bool,
    differs: bool,
    /// Of `bats -T`.
    timing: details::Timing,
}

impl Shape {
    fn result(&mut self, outcome: &Outcome) {
        self.differs |= outcome.dashed
            || outcome.number.is_none()
            || outcome.description.is_empty()
            || outcome.description.starts_with('/');
    }
}

#[derive(Clone, Copy, Debug)]
struct Level {
    indent: usize,
    failed: bool,
}

impl Machine for Tap {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        if !self.open && self.base.line(line, out) {
            return;
        }
        if line.text.trim_start_matches(' ').starts_with('#') || !self.diagnostics.is_empty() {
            self.diagnostics.line(line.text.trim_end(), line.span);
        }
        if let Some(block) = &mut self.yaml {
            if !block.line(line.text) {
                self.finish_yaml(out);
            }
            return;
        }
        if line.text.starts_with('#')
            && let Some(pending) = &mut self.pending
        {
            pending.comment(line);
        }
        let (indent, item) = item(line.text);
        match item {
            Item::Other => self.other(indent, line, out),
            Item::YamlBegins => {
                if self.pending.as_ref().is_some_and(|pending| indent > pending.indent) {
                    self.yaml = Some(Block::new(indent));
                }
            }
            Item::BraceCloses => self.brace(indent, out),
            Item::Comment(text) => self.comment(indent, text, out),
            Item::Subtest(name) => self.subtest(indent, name),
            Item::Version if indent == 0 => {
                self.close_if_done(out);
                *self = Tap::default();
                self.shape.versioned = true;
                self.open(out);
            }
            Item::Version => {}
            Item::Plan { tests } => self.planned(indent, tests, out),
            Item::BailOut(reason) => self.bail_out(indent, reason, line.span, out),
            Item::Result(outcome) => self.result(indent, outcome, line.span, out),
        }
    }

    fn end(&mut self, out: &mut Out) {
        if self.base.is_open() {
            self.base.end(out);
            return;
        }
        self.finish_pending(out);
        if !self.close_if_done(out) && self.open {
            self.say(out);
        }
    }

    fn owns_lines(&self) -> bool {
        if self.base.is_open() { self.base.in_block() } else { self.yaml.is_some() && self.open }
    }
}

impl Tap {
    fn open(&mut self, out: &mut Out) {
        if !self.open {
            self.open = true;
            out.open();
        }
    }

    fn is(&mut self, dialect: Dialect, out: &mut Out) {
        if self.dialect.is_none() {
            self.dialect = Some(dialect);
            out.runner(match dialect {
                Dialect::Node => "node-test",
                Dialect::Vitest => "vitest",
                Dialect::Mocha => "mocha",
                Dialect::Bats => "bats",
                Dialect::Busted => "busted",
                Dialect::Ava => "ava",
                Dialect::Deno => "deno",
            });
        }
    }

    fn other(&mut self, indent: usize, line: &Line<'_>, out: &mut Out) {
        let blank = line.text.trim_ascii().is_empty();
        if let Some(pending) = &mut self.pending
            && (indent > pending.indent || blank)
        {
            pending.push(line);
            return;
        }
        if !blank && self.done && self.counters_came() {
            self.close_if_done(out);
        }
        self.dying.line(line.text);
        if indent == 0 && self.open {
            self.deaths.line(line.text);
        }
    }

    fn subtest(&mut self, indent: usize, name: String) {
        while self.names.last().is_some_and(|(above, _)| *above >= indent) {
            self.names.pop();
        }
        if self.names.len() < DEPTH_MAX {
            self.names.push((indent, name));
        }
    }

    fn planned(&mut self, indent: usize, tests: u64, out: &mut Out) {
        if indent > 0 {
            return;
        }
        self.finish_pending(out);
        if self.done && self.plan.is_some() {
            self.close_if_done(out);
        }
        self.plan = Some(tests);
        if self.top > 0 || tests == 0 && self.open {
            // At the end of the stream.
            self.open(out);
            if self.counters.began() && !self.counters.whole() {
                self.is(Dialect::Mocha, out);
            }
            self.shape.differs = true;
            self.done = true;
            self.broken |= self.top != tests;
        }
    }

    fn result(&mut self, indent: usize, outcome: Outcome, span: [u64; 2], out: &mut Out) {
        self.finish_pending(out);
        if indent == 0 {
            let again = outcome.number == Some(1) && self.top > 0;
            if again && !self.close_if_done(out) && !self.open {
                *self = Tap { plan: self.plan, ..Tap::default() };
            }
            if self.plan.is_some() && outcome.number == Some(1) || outcome.number == Some(2) && self.top == 1
            {
                self.open(out);
            }
        }
        while self.names.last().is_some_and(|(above, _)| *above >= indent) {
            self.names.pop();
        }
        self.shape.differs |= self.plan.is_none();
        self.shape.result(&outcome);
        let id = self.id(&outcome.description);
        let (inside, failed_inside) = self.claim_children(indent);
        let stderr = self.dying.take();
        let name = outcome.description.split(" # timeout after ").next().unwrap_or_default();
        let timed = self.shape.timing.without(name, details::in_words) != name;
        let pending =
            Pending { indent, id, span, inside, failed_inside, outcome, stderr, timed, ..Pending::default() };
        if pending.outcome.brace {
            self.is(Dialect::Vitest, out);
            self.names.push((indent, pending.outcome.description.clone()));
            self.braces.push(pending);
            return;
        }
        self.ended(indent, pending.failed(), out);
        self.pending = Some(pending);
    }

    /// The names around a test and its own. A file that stands around its tests is no part of their names, but
    /// in Vitest's, which says so everywhere.
    fn id(&self, description: &str) -> String {
        let vitest = self.dialect == Some(Dialect::Vitest);
        let around =
            self.names.iter().map(|(_, name)| name.as_str()).filter(|name| vitest || !is_script(name));
        let names: Vec<&str> = around.chain([description]).filter(|name| !name.is_empty()).collect();
        names.join(" > ")
    }

    /// Whether tests stand inside this line's, and whether one failed; they are its own from here.
    fn claim_children(&mut self, indent: usize) -> (bool, bool) {
        let start = self.levels.iter().rposition(|level| level.indent <= indent).map_or(0, |at| at + 1);
        let children = self.levels.split_off(start);
        (!children.is_empty(), children.iter().any(|level| level.failed))
    }

    /// A test at this indentation ended.
    fn ended(&mut self, indent: usize, failed: bool, out: &mut Out) {
        let depth = self.levels.len();
        match self.levels.last_mut().filter(|level| level.indent == indent) {
            Some(level) => level.failed |= failed,
            None if depth < DEPTH_MAX => self.levels.push(Level { indent, failed }),
            None => {}
        }
        if indent == 0 {
            self.top += 1;
            match self.plan {
                Some(plan) if self.top == plan => self.done = true,
                Some(plan) if self.top > plan => self.broken = true,
                _ => {}
            }
            if self.plan.is_some() {
                self.open(out);
            }
        }
    }

    /// `}` ends a suite of Vitest's.
    fn brace(&mut self, indent: usize, out: &mut Out) {
        if self.braces.last().is_none_or(|suite| suite.indent != indent) {
            return;
        }
        self.finish_pending(out);
        let Some(mut suite) = self.braces.pop() else { return };
        (suite.inside, suite.failed_inside) = self.claim_children(indent);
        self.names.retain(|(above, _)| *above < indent);
        self.ended(indent, suite.failed(), out);
        self.pending = Some(suite);
        self.finish_pending(out);
    }

    fn comment(&mut self, indent: usize, text: &str, out: &mut Out) {
        if indent > 0 {
            return;
        }
        // Node repeats as comments what a test file writes.
        self.dying.line(text);
        match self.counters.counter(text) {
            Part::None => {}
            Part::More => self.finish_pending(out),
            Part::Closed => {
                self.finish_pending(out);
                self.is(Dialect::Node, out);
                self.done = self.done || self.plan == Some(0);
                if self.open {
                    self.done = true;
                    self.close_if_done(out);
                }
            }
        }
        if details::begins(text) {
            self.is(Dialect::Bats, out);
        } else if busted::is_tap_message(text) {
            self.is(Dialect::Busted, out);
        } else if self.open && text.starts_with(details::WARNING) {
            self.is(Dialect::Bats, out);
            self.done = true;
            self.broken = true;
            self.finish_pending(out);
        }
        self.ava(text, out);
        // Perl's Test::Builder; the plan was not kept, or the program died.
        if self.open && text.starts_with("Looks like you") {
            self.done = true;
            self.broken = true;
            self.finish_pending(out);
            self.failures.extend(perl_end(text, &self.deaths));
        }
    }

    /// AVA's counts follow the plan, one blank before each, and no other's in that order.
    fn ava(&mut self, text: &str, out: &mut Out) {
        let number = |name: &str| text.strip_prefix(name).and_then(|n| n.trim_end().parse::<u64>().ok());
        if std::mem::take(&mut self.tested) && self.done && number("pass ").is_some() {
            self.is(Dialect::Ava, out);
        }
        self.tested = number("tests ").is_some();
        if self.dialect == Some(Dialect::Ava)
            && let Some(failed) = number("fail ")
        {
            self.ava_failed = Some(failed);
        }
    }

    fn bail_out(&mut self, indent: usize, reason: &str, span: [u64; 2], out: &mut Out) {
        self.finish_pending(out);
        if indent > 0 || !self.open {
            return;
        }
        let message = Some(format!("Bail out! {reason}").trim_end().to_owned());
        self.failures.push(Failure {
            kind: Kind::Exception,
            message,
            span: Some(span),
            ..Failure::default()
        });
        self.broken = true;
        self.done = true;
        self.close_if_done(out);
    }

    fn finish_yaml(&mut self, out: &mut Out) {
        let Some(block) = self.yaml.take() else { return };
        if self.dialect.is_some() && self.pending.as_ref().is_some_and(|pending| pending.outcome.ok) {
            return;
        }
        let fields = block.fields();
        let dashed = self.pending.as_ref().is_none_or(|pending| pending.outcome.dashed);
        if fields.get("message").is_some_and(details::begins) {
            self.is(Dialect::Bats, out);
        } else if dashed && fields.get("duration_ms").is_some() {
            self.is(Dialect::Node, out);
        } else if fields.get("error.name").is_some() {
            self.is(Dialect::Vitest, out);
        } else if fields.get("severity").is_some() && fields.get("at.file").is_some() {
            self.is(Dialect::Deno, out);
        } else if fields.get("details").is_some() && fields.get("name").is_some() {
            self.is(Dialect::Ava, out);
        }
        if let Some(pending) = &mut self.pending {
            pending.take(fields);
        }
    }

    fn finish_pending(&mut self, out: &mut Out) {
        let block = self.yaml.take();
        let Some(mut pending) = self.pending.take() else { return };
        if let Some(block) = block {
            pending.take(block.fields());
        }
        let leaf = !pending.inside;
        out.tests_seen += u64::from(leaf);
        if pending.failed() {
            self.failed += u64::from(leaf);
            let Some(failure) = failure(pending) else { return };
            if self.failures.len() < HELD_MAX {
                self.failures.push(failure);
            } else {
                self.over += 1;
            }
            return;
        }
        if !leaf {
            return;
        }
        let outcome = match pending.outcome.directive {
            Some(Directive::Skip) => TestOutcome::Skipped,
            Some(Directive::Todo) => TestOutcome::Todo,
            None => TestOutcome::Passed,
        };
        self.passed += u64::from(outcome == TestOutcome::Passed);
        self.skipped += u64::from(outcome == TestOutcome::Skipped);
        if self.open {
            out.test(Test { id: pending.id, outcome, duration_ms: pending.outcome.duration_ms });
        }
    }

    /// Node's counters follow its plan.
    fn counters_came(&self) -> bool {
        self.dialect != Some(Dialect::Node) || self.counters.whole()
    }

    /// Closes a section whose plan is fulfilled; whether it did.
    fn close_if_done(&mut self, out: &mut Out) -> bool {
        self.finish_pending(out);
        if !(self.open && self.done && self.counters_came()) {
            return false;
        }
        if !(self.shape.versioned || self.shape.differs) && self.plan.is_some() {
            self.is(Dialect::Bats, out);
        }
        self.say(out);
        let own = Counts {
            passed: Some(self.passed),
            failed: Some(self.ava_failed.unwrap_or(self.failed)),
            errored: None,
            skipped: Some(self.skipped),
        };
        let said = self.counters.whole().then(|| self.counters.closing());
        let red = self.broken || self.failed > 0 || self.counters.is_red();
        let (counts, duration_ms) = said.map_or((own, None), |said| (said.counts, said.duration_ms));
        let says = match (red, counts.passed) {
            (true, _) => Says::Red,
            (false, Some(1..)) => Says::Green,
            (false, _) => Says::NoTests,
        };
        out.close(Closing { says, counts, duration_ms, message: None });
        *self = Tap::default();
        true
    }

    fn say(&mut self, out: &mut Out) {
        self.diagnosed();
        drop_cancelled(&mut self.failures);
        self.failures.drain(..).for_each(|failure| out.failure(failure));
        out.unnamed(std::mem::take(&mut self.over));
    }
}

impl Tap {
    /// Puts what Test::Builder said beside the results into their failures.
    fn diagnosed(&mut self) {
        for test in self.diagnostics.take().0 {
            let told = test.failure();
            // A test without a name has no id; those come in the same order.
            let same = |failure: &&mut Failure| failure.id == told.id && failure.test.is_none();
            if let Some(failure) = self.failures.iter_mut().find(same) {
                failure.message = told.message;
                failure.expected = told.expected;
                failure.observed = told.observed;
                failure.test = told.test;
            }
        }
    }
}

/// Why a Perl test failed as a whole, in Test::Builder's words at its end.
fn perl_end(text: &str, deaths: &Deaths) -> Option<Failure> {
    let message = Some(text.to_owned());
    if let Some(rest) = text.strip_prefix("Looks like you planned ") {
        let (planned, ran) = rest.trim_end_matches('.').split_once(" but ran ")?;
        let planned = planned.trim_end_matches(" tests").trim_end_matches(" test");
        return Some(Failure {
            kind: Kind::SetupError,
            message,
            expected: Some(planned.to_owned()),
            observed: Some(ran.to_owned()),
            ..Failure::default()
        });
    }
    text.strip_prefix("Looks like your test exited with ")?;
    let died = deaths.failure("").map(|failure| Failure { id: None, test: None, ..failure });
    Some(died.unwrap_or(Failure { kind: Kind::Exception, message, ..Failure::default() }))
}

/// `test/cart.test.js`
fn is_script(name: &str) -> bool {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    !name.contains(' ') && matches!(extension, "js" | "cjs" | "mjs" | "ts" | "cts" | "mts" | "jsx" | "tsx")
}

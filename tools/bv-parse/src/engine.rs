//! Clean lines in, records out: which machine gets which line, which sections count, what is said.
//!
//! A line that holds a format's needle makes that format's machine; from then on the machine gets every
//! line of its lane. A runner that speaks inside another's open section is that section's output: what it
//! says is dropped when the section closes, and stands for itself when it never does.

use crate::checker::{self, Named};
use crate::exit_line::{self, Exit};
use crate::fallback::{self, Fallback, Refusal};
use crate::formats::{self, FORMATS};
use crate::ledger::{Ledger, SectionId};
use crate::lines::Totals;
use crate::machine::{Event, Format, Line, Machine, Out};
use crate::outer;
use crate::retry;
use crate::verdict::{self, Beside, Findings, Use, Verdict};
use crate::wrappers::{LANES_MAX, MAIN_LANE, Wrappers};
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use bv_schemas::{End, ExitStatus, Failure, Kind, Outcome, Reason, Record, Test, Trace};
use std::sync::LazyLock;

/// Blank lines after a `bv-exit:` line that are held with it.
const BLANK_LINES_MAX: usize = 1000;

/// Reads one stream.
pub struct Engine {
    needles: &'static Needles,
    only: Option<&'static Format>,
    wrappers: Wrappers,
    lanes: Vec<Lane>,
    ledger: Ledger,
    out: Out,
    first: bool,
    any_text: bool,
    command: Vec<String>,
    /// The checker that the command is.
    checker: Option<Named>,
    /// The CI system's own line that the command failed.
    outer: Option<String>,
    /// A line that is the exit line if nothing but blank lines follows.
    exit: Option<HeldExit>,
}

struct HeldExit {
    text: String,
    span: [u64; 2],
    exit: Exit,
    status: ExitStatus,
    blank_lines: usize,
}

#[derive(Default)]
struct Lane {
    machines: Vec<Speaker>,
    fallback: Fallback,
    before: Before,
}

/// The line before, for a machine that is made now: what it reads may begin there.
#[derive(Default)]
struct Before {
    text: String,
    span: [u64; 2],
}

impl Before {
    /// A longer line is no head of anything.
    const BYTES_MAX: usize = 400;

    fn hold(&mut self, line: &Line<'_>) {
        self.text.clear();
        if line.text.len() <= Before::BYTES_MAX {
            self.text.push_str(line.text);
        }
        self.span = line.span;
    }

    fn line(&self) -> Line<'_> {
        Line { text: &self.text, span: self.span, overwritten: false }
    }
}

/// One machine and its open section.
struct Speaker {
    format: &'static Format,
    machine: Box<dyn Machine>,
    runner: &'static str,
    section: Option<SectionId>,
    /// Sections that it closed since it last restated them.
    closed: Vec<SectionId>,
}

impl Engine {
    /// For all formats, or for the one alone that the user names.
    pub fn new(only: Option<&'static Format>, all: bool) -> Engine {
        let mut engine = Engine {
            needles: &NEEDLES,
            only,
            wrappers: Wrappers::default(),
            lanes: (0..LANES_MAX).map(|_| Lane::default()).collect(),
            ledger: Ledger::default(),
            out: Out { all, ..Out::default() },
            first: true,
            any_text: false,
            command: Vec::new(),
            checker: None,
            outer: None,
            exit: None,
        };
        if let Some(format) = only {
            // The user's word stands for the command line, until one names the checker itself.
            engine.checker = checker::of_name(format.name).map(|name| Named { name, silent: true });
            engine.out.checker = engine.checker.map(|checker| checker.name);
            engine.lanes[MAIN_LANE].machines.push(Speaker::new(format));
        }
        engine
    }

    /// Takes one clean line with its wrapper prefix; `test` records are given to `say` at once.
    pub fn line(&mut self, line: &Line<'_>, say: &mut impl FnMut(Test)) {
        let (lane, text) = self.wrappers.unwrap(line.text);
        if std::mem::take(&mut self.first)
            && let Some(command) = exit_line::command(text)
        {
            self.checker = checker::named(&command).or(self.checker);
            self.out.checker = self.checker.map(|checker| checker.name);
            self.command = command;
            return;
        }
        if self.exit.is_some() && !self.hold_blank(text) {
            self.release_exit(say);
        }
        if text.starts_with("bv-exit: ")
            && let Some((exit, status)) = exit_line::exit(text)
        {
            let (text, span) = (text.to_owned(), line.span);
            self.exit = Some(HeldExit { text, span, exit, status, blank_lines: 0 });
            return;
        }
        self.any_text = self.any_text || !text.trim_ascii().is_empty();
        self.route(lane, &Line { text, ..*line }, say);
    }

    /// Tests and failures said so far, for a progress line.
    pub fn progress(&self) -> (u64, u64) {
        (self.out.tests_seen, self.ledger.failures_seen())
    }

    /// The stream ended: the failures, then the `end` record.
    pub fn end(mut self, totals: Totals, say: &mut impl FnMut(Record)) {
        for lane in 0..self.lanes.len() {
            for at in 0..self.lanes[lane].machines.len() {
                let speaker = &mut self.lanes[lane].machines[at];
                speaker.machine.end(&mut self.out);
                self.ledger.take(lane, speaker, &mut self.out, &mut |test| say(Record::Test(test)));
            }
        }
        self.ledger.settle_retries(self.exit.as_ref().map(|held| &held.exit));
        for test in self.ledger.promoted_tests() {
            say(Record::Test(test));
        }
        let mut found = Found::default();
        for lane in &mut self.lanes {
            found.add(std::mem::take(&mut lane.fallback), &self.ledger);
        }
        let verdict = verdict::decide(&self.ledger.counted(), &self.beside(&found));
        for failure in self.ledger.failures() {
            say(Record::Failure(Box::new(failure)));
        }
        let (failures, by) = found.used(verdict.findings);
        for failure in failures {
            say(Record::Failure(Box::new(failure)));
        }
        if verdict.crash {
            say(Record::Failure(Box::new(self.crash())));
        }
        say(Record::End(Box::new(self.end_record(&verdict, by, found.refusal.as_ref(), totals))));
    }

    fn hold_blank(&mut self, text: &str) -> bool {
        let Some(held) = &mut self.exit else {
            return false;
        };
        held.blank_lines += 1;
        text.trim_ascii().is_empty() && held.blank_lines <= BLANK_LINES_MAX
    }

    /// More text follows: the line was text like any other.
    fn release_exit(&mut self, say: &mut impl FnMut(Test)) {
        if let Some(held) = self.exit.take() {
            self.any_text = true;
            let line = Line { text: &held.text, span: held.span, overwritten: false };
            self.route(MAIN_LANE, &line, say);
        }
    }

    fn route(&mut self, at: usize, line: &Line<'_>, say: &mut impl FnMut(Test)) {
        let lane = &mut self.lanes[at];
        if let Some(speaker) = lane.machines.iter_mut().find(|s| s.machine.owns_lines()) {
            lane.before.text.clear();
            speaker.machine.line(line, &mut self.out);
            self.ledger.take(at, speaker, &mut self.out, say);
            return;
        }
        let in_section = lane.machines.iter().any(|speaker| speaker.section.is_some());
        self.out.is_mine = false;
        for speaker in &mut lane.machines {
            speaker.machine.line(line, &mut self.out);
            if !self.out.events.is_empty() {
                self.ledger.take(at, speaker, &mut self.out, say);
            }
        }
        if self.out.is_mine && !lane.fallback.busy() {
            lane.before.text.clear();
            return;
        }
        let only = self.only;
        let known = |format: &Format| {
            only.is_some_and(|only| only.name != format.name)
                || lane.machines.iter().any(|speaker| speaker.format.name == format.name)
        };
        let found = self.needles.find(line.text, known);
        for format in found.formats {
            let mut speaker = Speaker::new(format);
            if formats::READ_BEFORE.contains(&format.name) && !lane.before.text.is_empty() {
                speaker.machine.line(&lane.before.line(), &mut self.out);
            }
            speaker.machine.line(line, &mut self.out);
            self.ledger.take(at, &mut speaker, &mut self.out, say);
            lane.machines.push(speaker);
        }
        if found.retry && !in_section && retry::announced(line.text) {
            self.ledger.retry(at);
        }
        if found.outer && !in_section && outer::says_failed(line.text) {
            self.outer.get_or_insert_with(|| line.text.trim_start_matches("##[error]").to_owned());
        }
        lane.fallback.place(line);
        if found.fallback || lane.fallback.busy() {
            lane.fallback.line(line, in_section);
        }
        lane.before.hold(line);
    }

    fn beside(&self, found: &Found) -> Beside {
        Beside {
            findings: found.outside,
            findings_in_open: found.inside,
            refusal: found.refusal.as_ref().map(|refusal| refusal.reason),
            exit: self.exit.as_ref().map(|held| held.exit.clone()),
            any_text: self.any_text,
            outer_failed: self.outer.is_some(),
            silent_checker: self.checker.is_some_and(|checker| checker.silent),
        }
    }

    /// The record for a signal that nothing else tells of.
    fn crash(&self) -> Failure {
        let signal = match self.exit.as_ref().map(|held| &held.exit) {
            Some(Exit::Signal(name)) => Some(name.clone()),
            _ => None,
        };
        let message = signal.as_ref().map(|name| format!("ended by {name}"));
        Failure { kind: Kind::Crash, message, exception_type: signal, ..Failure::default() }
    }

    fn end_record(
        &self,
        verdict: &Verdict,
        by: Option<&'static str>,
        refusal: Option<&Refusal>,
        totals: Totals,
    ) -> End {
        let spoke = self.ledger.runners();
        let decided = verdict.decided_by.map(|at| self.ledger.counted_runner(at));
        let asked = || {
            let named =
                refusal.and_then(|r| r.command.as_deref()).or(self.command.first().map(String::as_str));
            let missing = verdict.reason == Some(Reason::NotRunnable);
            named.filter(|_| missing).and_then(format_of_command)
        };
        let checker = || self.checker.map(|checker| checker.name);
        let message = match verdict.outcome {
            Outcome::Refused => Some(self.reason_words(verdict, refusal)),
            _ => None,
        };
        End {
            outcome: verdict.outcome,
            reason: verdict.reason,
            message,
            runner: decided.or(by).or_else(checker).or_else(asked).unwrap_or("unknown").to_owned(),
            runners: if spoke.len() > 1 {
                spoke.into_iter().map(str::to_owned).collect()
            } else {
                Vec::new()
            },
            counts: self.ledger.counts(),
            command: self.command.clone(),
            exit: self.exit.as_ref().map(|held| held.status.clone()),
            duration_ms: self.ledger.duration_ms(),
            trace: Some(Trace {
                hash: totals.hash,
                bytes: totals.bytes,
                lines: totals.lines,
                archived: None,
            }),
        }
    }

    fn reason_words(&self, verdict: &Verdict, refusal: Option<&Refusal>) -> String {
        let own = verdict.decided_by.and_then(|at| self.ledger.counted_message(at));
        let shell = refusal.filter(|r| Some(r.reason) == verdict.reason).map(|r| r.message.clone());
        own.or(shell).unwrap_or_else(|| self.usual_words(verdict.reason))
    }

    fn usual_words(&self, reason: Option<Reason>) -> String {
        let exit = self.exit.as_ref().map(|held| held.text.trim_start_matches("bv-exit: "));
        match (reason, exit) {
            (Some(Reason::NoInput), _) => "nothing was read".into(),
            (Some(Reason::UnrecognisedOutput), Some(exit)) => {
                format!("no known runner spoke; exit {exit}")
            }
            (Some(Reason::UnrecognisedOutput), None) => "no known runner spoke".into(),
            (Some(Reason::NoTests), _) => "no test ran".into(),
            (Some(Reason::CompileError), _) => "did not compile".into(),
            (Some(Reason::CollectionError), _) => "the tests could not be loaded".into(),
            (Some(Reason::Truncated), Some(exit)) => {
                format!("the output ends before the runner's closing line; exit {exit}")
            }
            (Some(Reason::Truncated), None) => "the output ends before the runner's closing line".into(),
            (Some(Reason::ExitContradicts), _) if self.outer.is_some() => {
                format!("the runner says passed, but: {}", self.outer.as_deref().unwrap_or_default())
            }
            (Some(Reason::ExitContradicts), Some(exit)) => {
                format!("the runner says passed, the exit says {exit}")
            }
            (_, Some(exit)) => exit.to_owned(),
            (_, None) => String::new(),
        }
    }
}

impl Speaker {
    fn new(format: &'static Format) -> Speaker {
        Speaker { format, machine: (format.new)(), runner: format.name, section: None, closed: Vec::new() }
    }
}

impl Ledger {
    /// Books what a machine said.
    fn take(&mut self, lane: usize, speaker: &mut Speaker, out: &mut Out, say: &mut impl FnMut(Test)) {
        for event in out.events.drain(..) {
            match event {
                Event::Runner(name) => {
                    speaker.runner = name;
                    if let Some(id) = speaker.section {
                        self.rename(id, name);
                    }
                }
                Event::Reopen => {
                    if let Some(id) = speaker.closed.last().copied().filter(|_| speaker.section.is_none()) {
                        self.reopen(id);
                        speaker.section = Some(id);
                    }
                }
                Event::Restate => {
                    for id in std::mem::take(&mut speaker.closed) {
                        self.restated(id);
                    }
                }
                Event::Open => {
                    if speaker.section.is_none() {
                        speaker.section = Some(self.open(lane, speaker.runner));
                    }
                }
                Event::Test(test) => {
                    let free = match speaker.section {
                        Some(id) => self.hold_test(id, test),
                        None => Some(test),
                    };
                    free.into_iter().for_each(&mut *say);
                }
                Event::Failure(failure) => {
                    let id = *speaker.section.get_or_insert_with(|| self.open(lane, speaker.runner));
                    self.failure(id, *failure);
                }
                Event::Unnamed(n) => {
                    let id = *speaker.section.get_or_insert_with(|| self.open(lane, speaker.runner));
                    self.unnamed(id, n);
                }
                Event::Close(closing) => {
                    let id = speaker.section.take().unwrap_or_else(|| self.open(lane, speaker.runner));
                    self.close(id, closing);
                    if speaker.closed.last() != Some(&id) {
                        speaker.closed.push(id);
                    }
                }
            }
        }
    }
}

/// The name of the format that a command belongs to.
fn format_of_command(command: &str) -> Option<&'static str> {
    let name = command.rsplit(['/', '\\']).next().unwrap_or(command);
    let name = name.strip_suffix(".exe").unwrap_or(name);
    FORMATS.iter().find(|format| format.commands.contains(&name)).map(|format| format.name)
}

/// What the fallbacks of all lanes found, split by whether a section covers it.
#[derive(Default)]
struct Found {
    failures: Vec<(Failure, Where, Option<&'static str>)>,
    outside: Findings,
    inside: Findings,
    refusal: Option<Refusal>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    Outside { fatal: bool },
    InOpen,
}

impl Found {
    fn add(&mut self, fallback: Fallback, ledger: &Ledger) {
        let (findings, refusal) = fallback.end();
        self.refusal = self.refusal.take().or(refusal);
        for finding in findings {
            if finding.in_section && !ledger.any_open() {
                continue;
            }
            let tally = if finding.in_section { &mut self.inside } else { &mut self.outside };
            tally.all += 1;
            tally.fatal += u64::from(finding.fatal);
            tally.compile += u64::from(finding.failure.kind == Kind::CompileError);
            tally.collection += u64::from(finding.failure.kind == Kind::CollectionError);
            let place =
                if finding.in_section { Where::InOpen } else { Where::Outside { fatal: finding.fatal } };
            self.failures.push((finding.failure, place, finding.by));
        }
    }

    /// The failures that count, and the tool that the first of them names.
    fn used(self: &mut Found, which: Use) -> (Vec<Failure>, Option<&'static str>) {
        let wanted = |place: Where| match which {
            Use::Nothing => false,
            Use::Fatal => place == Where::Outside { fatal: true },
            Use::Outside => place != Where::InOpen,
            Use::All => true,
        };
        self.failures.retain(|(_, place, _)| wanted(*place));
        let by = self.failures.first().and_then(|(.., by)| *by);
        (self.failures.drain(..).map(|(failure, ..)| failure).collect(), by)
    }
}

/// Made once a process.
static NEEDLES: LazyLock<Needles> = LazyLock::new(Needles::new);

/// All needles in one automaton, so that a line that concerns nobody is looked at once.
struct Needles {
    automaton: AhoCorasick,
    owners: Vec<Owner>,
}

#[derive(Clone, Copy)]
enum Owner {
    Format(&'static Format),
    Fallback,
    Retry,
    Outer,
}

impl Needles {
    fn new() -> Needles {
        let mut patterns: Vec<&str> = Vec::new();
        let mut owners = Vec::new();
        for format in FORMATS {
            for needle in format.needles {
                patterns.push(needle);
                owners.push(Owner::Format(format));
            }
        }
        for needle in fallback::NEEDLES {
            patterns.push(needle);
            owners.push(Owner::Fallback);
        }
        for needle in retry::NEEDLES {
            patterns.push(needle);
            owners.push(Owner::Retry);
        }
        for needle in outer::NEEDLES {
            patterns.push(needle);
            owners.push(Owner::Outer);
        }
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::DFA))
            .build(patterns)
            .expect("the needles are few and short, far below the automaton's limits");
        Needles { automaton, owners }
    }

    /// Whom the line concerns, beside the formats that are `known` to read it already.
    fn find(&self, text: &str, known: impl Fn(&Format) -> bool) -> Hits {
        let mut hits = Hits::default();
        // Most lines concern nobody; one look says so, and costs less than the search for all that overlap.
        if !self.automaton.is_match(text) {
            return hits;
        }
        for found in self.automaton.find_overlapping_iter(text) {
            match self.owners[found.pattern().as_usize()] {
                Owner::Fallback => hits.fallback = true,
                Owner::Retry => hits.retry = true,
                Owner::Outer => hits.outer = true,
                Owner::Format(format) => {
                    if !known(format) && !hits.formats.iter().any(|hit| hit.name == format.name) {
                        hits.formats.push(format);
                    }
                }
            }
        }
        hits
    }
}

/// Whom a line concerns.
#[derive(Default)]
struct Hits {
    formats: Vec<&'static Format>,
    fallback: bool,
    retry: bool,
    outer: bool,
}

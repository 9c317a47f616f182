//! Clean lines in, records out: which machine gets which line, which sections count, what is said.
//!
//! A line that holds a format's needle makes that format's machine; from then on the machine gets every
//! line of its lane. A runner that speaks inside another's open section is that section's output: what it
//! says is dropped when the section closes, and stands for itself when it never does.

use crate::checker::{self, Named};
use crate::exit_line::{self, Exit};
use crate::fallback::{Fallback, Refusal};
use crate::folder;
use crate::formats;
use crate::known::Known;
use crate::ledger::{Ledger, SectionId, Standing};
use crate::lines::Totals;
use crate::machine::{Event, Line, Machine, Out};
use crate::needles::Needles;
use crate::outer::{self, Whose};
use crate::retry;
use crate::verdict::{self, Beside, Findings, Use, Verdict};
use crate::wrappers::{LANES_MAX, MAIN_LANE, Wrappers};
use bv_schemas::{End, ExitStatus, Failure, Kind, Outcome, Reason, Record, Test, Trace};

/// Blank lines after a `bv-exit:` line that are held with it.
const BLANK_LINES_MAX: usize = 1000;

/// Reads one stream.
pub struct Engine<'f> {
    needles: &'f Needles<'f>,
    only: Option<Known<'f>>,
    wrappers: Wrappers,
    lanes: Vec<Lane<'f>>,
    ledger: Ledger<'f>,
    out: Out,
    first: bool,
    any_text: bool,
    command: Vec<String>,
    /// The checker that the command is.
    checker: Option<Named>,
    /// The CI system's or a wrapper's own line that the command failed.
    outer: Option<(Whose, String)>,
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
struct Lane<'f> {
    machines: Vec<Speaker<'f>>,
    fallback: Fallback,
    before: Before,
}

/// The two lines before, for a machine that is made now: what it reads may begin there.
#[derive(Default)]
struct Before {
    /// The last one, and the one above it.
    texts: [String; 2],
    spans: [[u64; 2]; 2],
}

impl Before {
    /// A longer line is no head of anything.
    const BYTES_MAX: usize = 400;

    fn hold(&mut self, line: &Line<'_>) {
        self.texts.swap(0, 1);
        self.spans.swap(0, 1);
        self.texts[0].clear();
        if line.text.len() <= Before::BYTES_MAX {
            self.texts[0].push_str(line.text);
        }
        self.spans[0] = line.span;
    }

    fn clear(&mut self) {
        self.texts.iter_mut().for_each(String::clear);
    }

    /// The last `n` lines, in their order; those that are blank or too long are left out.
    fn lines(&self, n: usize) -> impl Iterator<Item = Line<'_>> {
        let lines = self.texts.iter().zip(self.spans).take(n);
        lines.rev().filter(|(text, _)| !text.is_empty()).map(|(text, span)| Line {
            text,
            span,
            overwritten: false,
        })
    }
}

/// One machine and its open section.
struct Speaker<'f> {
    format: Known<'f>,
    machine: Box<dyn Machine + 'f>,
    runner: &'f str,
    section: Option<SectionId>,
    /// That section is around other runners' own.
    around: bool,
    /// Sections that it closed since it last restated them.
    closed: Vec<SectionId>,
}

impl<'f> Engine<'f> {
    /// For all formats that `needles` knows, or for the one alone that the user names.
    pub fn new(needles: &'f Needles<'f>, only: Option<Known<'f>>, all: bool) -> Engine<'f> {
        let mut engine = Engine {
            needles,
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
        if let Some(Known::Table(format)) = only {
            // The user's word stands for the command line, until one names the checker itself.
            engine.checker = checker::of_name(format.name).map(|name| Named { name, silent: true });
            engine.out.checker = engine.checker.map(|checker| checker.name);
        }
        if let Some(format) = only {
            engine.lanes[MAIN_LANE].machines.push(Speaker::new(format));
        }
        for format in needles.watchful().filter(|format| only.is_none_or(|only| only == *format)) {
            for lane in &mut engine.lanes {
                if !lane.knows(format) {
                    lane.machines.push(Speaker::new(format));
                }
            }
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
        self.ledger.settle_doubles();
        self.ledger.settle_retries(self.exit.as_ref().map(|held| &held.exit));
        for test in self.ledger.promoted_tests() {
            say(Record::Test(test));
        }
        let mut found = Found::default();
        for (at, lane) in self.lanes.iter_mut().enumerate() {
            found.add(std::mem::take(&mut lane.fallback), &self.ledger, self.wrappers.folder(at));
        }
        let verdict = verdict::decide(&self.ledger.counted(), &self.beside(&found));
        for (lane, mut failure) in self.ledger.failures() {
            if let Some(folder) = self.wrappers.folder(lane) {
                folder::begin_there(&mut failure, folder);
            }
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
            lane.before.clear();
            speaker.machine.line(line, &mut self.out);
            self.ledger.take(at, speaker, &mut self.out, say);
            return;
        }
        let in_section = lane.machines.iter().any(Speaker::encloses);
        self.out.is_mine = false;
        for speaker in &mut lane.machines {
            speaker.machine.line(line, &mut self.out);
            if !self.out.events.is_empty() {
                self.ledger.take(at, speaker, &mut self.out, say);
            }
            if self.out.is_mine && speaker.format.is_own() {
                // A failure that the user's own format reads is not read twice.
                lane.before.clear();
                return;
            }
        }
        if self.out.is_mine && !lane.fallback.busy() {
            lane.before.clear();
            return;
        }
        let only = self.only;
        let known = |format| only.is_some_and(|only| only != format) || lane.knows(format);
        let found = self.needles.find(line.text, known);
        for format in found.formats {
            let mut speaker = Speaker::new(format);
            for before in lane.before.lines(formats::lines_before(format.name())) {
                speaker.machine.line(&before, &mut self.out);
            }
            speaker.machine.line(line, &mut self.out);
            self.ledger.take(at, &mut speaker, &mut self.out, say);
            if format.is_own() {
                // It looks first from now on, so that it can claim its failures.
                lane.machines.insert(0, speaker);
                if self.out.is_mine {
                    lane.before.clear();
                    return;
                }
            } else {
                lane.machines.push(speaker);
            }
        }
        if found.retry && !in_section && retry::announced(line.text) {
            self.ledger.retry(at);
        }
        let outer = found.outer && !in_section;
        lane.fallback.place(line);
        if found.fallback || lane.fallback.busy() {
            lane.fallback.line(line, in_section);
        }
        lane.before.hold(line);
        if outer {
            self.outer(at, line.text);
        }
    }

    /// Takes the word of a CI system or a wrapper that what it ran failed.
    fn outer(&mut self, lane: usize, text: &str) {
        let whose = outer::failed(text).or_else(|| {
            // Of one command among others it counts where a runner spoke: a server may end as it likes.
            let ended = self.wrappers.ended(lane, outer::ended(text)?)?;
            self.lanes[ended].machines.iter().any(Speaker::spoke).then_some(Whose::Wrapper)
        });
        if let Some(whose) = whose
            && self.outer.as_ref().is_none_or(|(before, _)| whose == Whose::System && *before != whose)
        {
            self.outer = Some((whose, text.trim().trim_start_matches("##[error]").to_owned()));
        }
    }

    fn beside(&self, found: &Found) -> Beside {
        Beside {
            findings: found.outside,
            findings_in_open: found.inside,
            refusal: found.refusal.as_ref().map(|refusal| refusal.reason),
            exit: self.exit.as_ref().map(|held| held.exit.clone()),
            any_text: self.any_text,
            outer_failed: self.outer_failed(),
            silent_checker: self.checker.is_some_and(|checker| checker.silent),
        }
    }

    /// A wrapper's word counts where the exit status does not say that it did not mind.
    fn outer_failed(&self) -> bool {
        let exit_0 = self.exit.as_ref().is_some_and(|held| held.exit == Exit::Code(0));
        self.outer.as_ref().is_some_and(|(whose, _)| *whose == Whose::System || !exit_0)
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
            named.filter(|_| missing).and_then(|command| self.needles.format_of_command(command))
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
            (Some(Reason::ExitContradicts), _) if self.outer_failed() => {
                let words = self.outer.as_ref().map_or("", |(_, words)| words);
                format!("the runner says passed, but: {words}")
            }
            (Some(Reason::ExitContradicts), Some(exit)) => {
                format!("the runner says passed, the exit says {exit}")
            }
            (_, Some(exit)) => exit.to_owned(),
            (_, None) => String::new(),
        }
    }
}

impl<'f> Lane<'f> {
    fn knows(&self, format: Known<'f>) -> bool {
        self.machines.iter().any(|speaker| speaker.format == format)
    }
}

impl<'f> Speaker<'f> {
    fn new(format: Known<'f>) -> Speaker<'f> {
        Speaker {
            format,
            machine: format.machine(),
            runner: format.name(),
            section: None,
            around: false,
            closed: Vec::new(),
        }
    }

    fn open(&self, lane: usize, ledger: &mut Ledger<'f>) -> SectionId {
        ledger.open(lane, self.runner, self.format.standing())
    }

    /// Whether the runner said anything.
    fn spoke(&self) -> bool {
        self.section.is_some() || !self.closed.is_empty()
    }

    /// Whether what speaks now is its section's output. Nothing is a user's own format's: its patterns are
    /// no proof of that, and would hide what failed.
    fn encloses(&self) -> bool {
        self.section.is_some() && !self.around && !self.format.is_own()
    }
}

impl<'f> Ledger<'f> {
    /// Books what a machine said.
    fn take(&mut self, lane: usize, speaker: &mut Speaker<'f>, out: &mut Out, say: &mut impl FnMut(Test)) {
        for event in out.events.drain(..) {
            match event {
                Event::Runner(name) => {
                    speaker.runner = name;
                    if let Some(id) = speaker.section {
                        self.rename(id, name);
                    }
                }
                Event::RanBy(name) => {
                    if let Some(&id) = speaker.closed.last() {
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
                        speaker.section = Some(speaker.open(lane, self));
                    }
                }
                Event::OpenAround => {
                    if speaker.section.is_none() {
                        speaker.section = Some(self.open(lane, speaker.runner, Standing::Around));
                        speaker.around = true;
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
                    let id = speaker.section.unwrap_or_else(|| speaker.open(lane, self));
                    speaker.section = Some(id);
                    self.failure(id, *failure);
                }
                Event::Unnamed(n) => {
                    let id = speaker.section.unwrap_or_else(|| speaker.open(lane, self));
                    speaker.section = Some(id);
                    self.unnamed(id, n);
                }
                Event::Close(closing) => {
                    let id = speaker.section.take().unwrap_or_else(|| speaker.open(lane, self));
                    speaker.around = false;
                    self.close(id, closing);
                    if speaker.closed.last() != Some(&id) {
                        speaker.closed.push(id);
                    }
                }
            }
        }
    }
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
    fn add(&mut self, fallback: Fallback, ledger: &Ledger<'_>, folder: Option<&str>) {
        let (findings, refusal) = fallback.end();
        self.refusal = self.refusal.take().or(refusal);
        for mut finding in findings {
            if let Some(folder) = folder {
                folder::begin_there(&mut finding.failure, folder);
            }
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

//! Runs vectors against a candidate.
//!
//! In: a source of vectors. Out, to the report: what fails, in the order of the vectors. Many vectors are under
//! way at once, so trouble may not be the fault of the vector that waits at the front; whatever happens is made
//! sure of in a process of its own before a vector is blamed (`replay.rs`).

use crate::answer::Answer;
use crate::refusal::{Refusal, plain};
use crate::report::{self, Closing, Failure, Report};
use crate::source::{Next, Source, Vector};
use crate::stop::Stop;
use crate::talk::{Event, Protocol, Talk, Trouble, What};
use bv_schemas::{Reason, exit};
use signal_hook::low_level::signal_name;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitStatus;

/// Vectors under way at once. So many answers fill any runtime's output buffer: a candidate that does not
/// flush after every line is still heard.
const WINDOW_MAX: usize = 4096;
/// Bytes of their inputs; a single longer one still goes alone.
const WINDOW_BYTES_MAX: usize = 4 << 20;

/// Failures of one run that are made sure of, each by a process of its own; with `--all` there may be millions.
const MADE_SURE_MAX: u64 = 64;

/// What to run, and how.
#[derive(Debug)]
pub struct Plan {
    /// The candidate's command line.
    pub command: Vec<OsString>,
    /// How it is talked to.
    pub protocol: Protocol,
    /// The time limit in the user's words.
    pub timeout: String,
    /// Whether to go on after a failure.
    pub all: bool,
    /// One process a vector.
    pub alone: bool,
}

/// A run.
pub struct Gate<'a, W> {
    pub(crate) plan: &'a Plan,
    stop: &'a Stop,
    source: Source,
    pub(crate) report: Report<W>,
    /// The last vector that was answered, where it held.
    pub(crate) held_last: Option<Box<Vector>>,
    /// Whether the candidate has ever given an answer.
    answered: bool,
    exit: Option<ExitStatus>,
}

/// Why a run is over before its vectors are.
#[derive(Debug)]
pub enum Halt {
    /// There is a failure, and one is enough.
    Enough,
    /// Nothing more can be said.
    Refused(Refusal),
    /// This signal came.
    Signal(u8),
    /// The system failed.
    Io(io::Error),
}

impl From<io::Error> for Halt {
    fn from(wrong: io::Error) -> Halt {
        Halt::Io(wrong)
    }
}

impl From<Refusal> for Halt {
    fn from(refusal: Refusal) -> Halt {
        Halt::Refused(refusal)
    }
}

/// The candidate's answer to a vector that it was asked alone, and how it ended then; else the trouble.
pub type Alone = Result<(Box<Vector>, Answer, Option<ExitStatus>), (Box<Vector>, Trouble)>;

impl<'a, W: Write> Gate<'a, W> {
    /// A run of the vectors of `source`.
    pub fn new(plan: &'a Plan, stop: &'a Stop, source: Source, report: Report<W>) -> Gate<'a, W> {
        Gate { plan, stop, source, report, held_last: None, answered: false, exit: None }
    }

    /// Runs to the end and writes the stream; the exit status comes back.
    ///
    /// # Errors
    /// Those of the output, and of the system.
    pub fn run(mut self) -> io::Result<u8> {
        let halt = if self.plan.alone { self.each_alone() } else { self.together() };
        let mut code = exit::PASSED;
        let refusal = match halt {
            Ok(()) => self.exit_contradicts(),
            Err(Halt::Enough) => None,
            Err(Halt::Refused(refusal)) => Some(refusal),
            Err(Halt::Signal(number)) => {
                code = exit::SIGNAL.saturating_add(number);
                let name = signal_name(i32::from(number)).unwrap_or("a signal");
                Some(Refusal { reason: Reason::Truncated, message: format!("stopped by {name}") })
            }
            Err(Halt::Io(wrong)) => return Err(wrong),
        };
        if let Some(refusal) = &refusal
            && self.report.failed > 0
        {
            eprintln!("bv-gate: not all vectors were run: {}", refusal.message);
        }
        self.report.end(Closing {
            skipped: self.source.skipped,
            command: command(&self.plan.command),
            refusal,
            exit: self.exit,
        })?;
        Ok(code)
    }

    fn each_alone(&mut self) -> Result<(), Halt> {
        loop {
            let vector = match self.source.next()? {
                Next::Vector(vector) => vector,
                Next::More => {
                    self.read_more()?;
                    continue;
                }
                Next::End => return Ok(()),
            };
            match self.ask_alone(vector)? {
                Ok((vector, answer, status)) => {
                    let failed = status.filter(|status| !status.success());
                    match (failed, &answer) {
                        // All that one process says is about this vector, its exit status too.
                        (Some(status), Answer::Output(_)) if self.plan.protocol.whole_output => {
                            self.blame(&vector, &Trouble { what: What::Ended(status), last_words: None })?;
                        }
                        _ => {
                            self.exit = status.filter(|_| !self.plan.protocol.whole_output);
                            let _ = self.settle(vector, answer, true)?;
                        }
                    }
                }
                Err((vector, trouble)) => self.blame(&vector, &trouble)?,
            }
        }
    }

    fn together(&mut self) -> Result<(), Halt> {
        let mut talk: Option<Talk> = None;
        // Asked before and still without an answer.
        let mut again = VecDeque::new();
        let mut ended = false;
        let mut refused = None;
        loop {
            let mut wanting = false;
            while !ended && !wanting && talk.as_ref().is_none_or(has_room) {
                let next = match again.pop_front() {
                    Some(vector) => Ok(Next::Vector(vector)),
                    None => self.source.next(),
                };
                match next {
                    Ok(Next::Vector(vector)) => match &mut talk {
                        Some(talk) => talk.ask(vector),
                        None => talk.insert(self.start()?).ask(vector),
                    },
                    Ok(Next::More) => wanting = true,
                    Ok(Next::End) => ended = true,
                    // What is under way comes before it.
                    Err(refusal) => (ended, refused) = (true, Some(refusal)),
                }
            }
            let Some(open) = &mut talk else {
                if !wanting {
                    return refused.map_or(Ok(()), |refusal| Err(refusal.into()));
                }
                self.read_more()?;
                continue;
            };
            if ended {
                open.close();
            }
            let more = if wanting { self.source.waits_for() } else { None };
            match open.next([Some(self.stop.told()), more])? {
                Event::Answer(vector, answer) => {
                    if !self.settle(vector, answer, false)? {
                        again = talk.take().map(Talk::left).unwrap_or_default();
                        ended &= again.is_empty();
                    }
                }
                Event::Woken([false, _]) => self.read_more()?,
                Event::Woken([true, _]) => return Err(self.stopped()),
                Event::Done(how) => {
                    self.exit = how.status;
                    talk = None;
                }
                Event::Trouble(trouble) => {
                    let left = talk.take().map(Talk::left).unwrap_or_default();
                    again = self.replay(trouble, left)?;
                    ended &= again.is_empty();
                }
            }
        }
    }

    fn read_more(&mut self) -> Result<(), Halt> {
        if self.stop.signal().is_some() {
            return Err(self.stopped());
        }
        self.source.read().map_err(Halt::Refused)
    }

    /// Starts the candidate.
    pub(crate) fn start(&self) -> Result<Talk, Halt> {
        Talk::start(&self.plan.command, self.plan.protocol).map_err(|wrong| {
            let name = self.plan.command.first().map(|name| name.to_string_lossy()).unwrap_or_default();
            let message = match wrong.kind() {
                io::ErrorKind::NotFound if !name.contains('/') => format!("{name}: command not found"),
                _ => format!("{name}: {}", plain(&wrong)),
            };
            Halt::Refused(Refusal { reason: Reason::NotRunnable, message })
        })
    }

    /// The next event of a conversation that waits for nothing else.
    pub(crate) fn listen(&self, talk: &mut Talk) -> Result<Event, Halt> {
        match talk.next([Some(self.stop.told()), None])? {
            Event::Woken(_) => Err(self.stopped()),
            event => Ok(event),
        }
    }

    fn stopped(&self) -> Halt {
        Halt::Signal(self.stop.signal().unwrap_or_default())
    }

    /// Asks one vector in a process of its own, to that process's end.
    pub(crate) fn ask_alone(&mut self, vector: Box<Vector>) -> Result<Alone, Halt> {
        let mut talk = self.start()?;
        talk.ask(vector);
        talk.close();
        let mut held = None;
        loop {
            match self.listen(&mut talk)? {
                Event::Answer(vector, answer) => held = Some((vector, answer)),
                Event::Trouble(trouble) => {
                    let vector = held.map(|(vector, _)| vector).or_else(|| talk.left().pop_front());
                    let vector = vector.ok_or_else(|| io::Error::other("a vector is lost"))?;
                    return Ok(Err((vector, trouble)));
                }
                Event::Done(ended) => {
                    let (vector, answer) = held.ok_or_else(|| io::Error::other("an answer is lost"))?;
                    self.answered = true;
                    return Ok(Ok((vector, answer, ended.status)));
                }
                Event::Woken(_) => {}
            }
        }
    }

    /// Books one answer. A failure is made sure of, unless the vector was `alone`; where its answer is another one
    /// then, answers may have gone out of step with what was asked: `false`, and what is under way has to be
    /// asked again.
    pub(crate) fn settle(&mut self, vector: Box<Vector>, answer: Answer, alone: bool) -> Result<bool, Halt> {
        self.answered = true;
        let Some(failure) = judge(&vector, &answer)? else {
            self.report.verified += 1;
            self.held_last = Some(vector);
            return Ok(true);
        };
        self.held_last = None;
        if alone || self.report.failed >= MADE_SURE_MAX {
            return self.fail(failure.of(&vector)).map(|()| true);
        }
        match self.ask_alone(vector)? {
            Ok((vector, other, _)) => {
                let failure = judge(&vector, &other)?
                    .unwrap_or_else(|| failure.but("not when the vector is asked alone"));
                self.fail(failure.of(&vector)).map(|()| other == answer)
            }
            Err((vector, trouble)) => {
                let failure = report::trouble(&trouble, &self.plan.timeout);
                self.fail(failure.of(&vector)).map(|()| false)
            }
        }
    }

    /// Books trouble that is this vector's for sure.
    pub(crate) fn blame(&mut self, vector: &Vector, trouble: &Trouble) -> Result<(), Halt> {
        self.held_last = None;
        if !self.answered && !self.plan.protocol.whole_output {
            self.is_runnable(trouble)?;
        }
        self.fail(report::trouble(trouble, &self.plan.timeout).of(vector))
    }

    /// A candidate that fails without any input cannot be blamed for one.
    fn is_runnable(&self, trouble: &Trouble) -> Result<(), Halt> {
        if !matches!(trouble.what, What::Ended(_)) {
            return Ok(());
        }
        let mut talk = self.start()?;
        talk.close();
        let Event::Done(ended) = self.listen(&mut talk)? else { return Ok(()) };
        match ended.status.filter(|status| !status.success()) {
            None => Ok(()),
            Some(status) => {
                let how = report::ending(status);
                let words = ended.last_words.map(|words| format!(": {words}")).unwrap_or_default();
                let message = format!("the candidate {how} before any input{words}");
                Err(Halt::Refused(Refusal { reason: Reason::NotRunnable, message }))
            }
        }
    }

    /// Writes a failure; one is enough unless all are asked for.
    pub(crate) fn fail(&mut self, failure: Failure<'_>) -> Result<(), Halt> {
        self.report.failure(&failure)?;
        if self.plan.all { Ok(()) } else { Err(Halt::Enough) }
    }

    /// All held, and then the candidate did not end well.
    fn exit_contradicts(&self) -> Option<Refusal> {
        let status = self.exit.filter(|status| !status.success())?;
        let message = format!("all vectors hold, then the candidate {}", report::ending(status));
        Some(Refusal { reason: Reason::ExitContradicts, message })
    }
}

fn has_room(talk: &Talk) -> bool {
    let (vectors, bytes) = talk.open();
    vectors < WINDOW_MAX && bytes < WINDOW_BYTES_MAX
}

/// What is wrong with an answer, if anything.
fn judge(vector: &Vector, answer: &Answer) -> Result<Option<Failure<'static>>, Halt> {
    Ok(match answer {
        Answer::Output(output) => {
            let broken = vector.broken_by(output).map_err(|what| {
                let which = vector.index.map(|n| format!(" of vector {n}")).unwrap_or_default();
                Refusal::bad_input(format!("rule {}{which}: {what}", vector.rule_id))
            })?;
            (!broken.is_empty()).then(|| report::broken(broken))
        }
        Answer::NotFinite { output, word } => Some(report::not_finite(output, word, vector.in_words())),
        Answer::Exception { exception_type, message, place } => {
            Some(report::exception(exception_type.clone(), message.clone(), place.clone()))
        }
    })
}

/// A command line as the `end` record has it.
pub fn command(argv: &[OsString]) -> Vec<String> {
    argv.iter().map(|word| word.to_string_lossy().into_owned()).collect()
}

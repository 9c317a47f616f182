//! One conversation with a candidate: vectors are asked, answers come back in their order.
//!
//! In the line protocol a candidate reads one input a line and answers each with one line; in the other it
//! reads one input, and all that it prints is the answer. What keeps an answer from a vector is a
//! [`Trouble`], and ends the conversation.

use crate::answer::{self, ANSWER_BYTES_MAX, Answer};
use crate::candidate::{Candidate, Ended};
use crate::source::Vector;
use bv_schemas::child::GRACE;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::os::fd::BorrowedFd;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

/// A conversation.
pub struct Talk {
    candidate: Candidate,
    /// Asked and not answered.
    asked: VecDeque<Box<Vector>>,
    asked_bytes: usize,
    closed: bool,
    /// Looked at in vain up to here, from the start of what was heard.
    searched: usize,
    taken: usize,
    /// Since when an answer is waited for.
    since: Instant,
    protocol: Protocol,
}

/// What holds in every conversation of a run.
#[derive(Clone, Copy, Debug)]
pub struct Protocol {
    /// The longest time without an answer.
    pub timeout: Duration,
    /// Whether the answer is all that is printed, over several lines as may be.
    pub whole_output: bool,
}

/// What happens in a conversation.
pub enum Event {
    /// The first of the asked vectors is answered.
    Answer(Box<Vector>, Answer),
    /// There is no answer to it.
    Trouble(Trouble),
    /// All is answered, nothing more will be asked, and the candidate has ended, with this status where it
    /// did so by itself.
    Done(Ended),
    /// One of the others that were waited for can be read.
    Woken([bool; 2]),
}

/// Why there is no answer.
#[derive(Debug)]
pub struct Trouble {
    /// What happened.
    pub what: What,
    /// What the candidate's stderr ended with.
    pub last_words: Option<String>,
}

/// What happened instead of an answer.
#[derive(Debug)]
pub enum What {
    /// The candidate ended.
    Ended(ExitStatus),
    /// It closed its output and went on.
    Closed,
    /// It did not answer in time.
    TimedOut,
    /// It said something that is no answer; in words.
    Garbled(String),
    /// It said more than it was asked.
    Surplus(String),
}

impl Talk {
    /// Starts the candidate.
    ///
    /// # Errors
    /// Where it cannot be started.
    pub fn start(command: &[OsString], protocol: Protocol) -> io::Result<Talk> {
        Ok(Talk {
            candidate: Candidate::start(command)?,
            asked: VecDeque::new(),
            asked_bytes: 0,
            closed: false,
            searched: 0,
            taken: 0,
            since: Instant::now(),
            protocol,
        })
    }

    /// Asks one more vector.
    pub fn ask(&mut self, vector: Box<Vector>) {
        self.candidate.tell(&vector.input);
        self.asked_bytes += vector.input.len();
        self.asked.push_back(vector);
        self.since = Instant::now();
    }

    /// Nothing more will be asked.
    pub fn close(&mut self) {
        self.closed = true;
        self.candidate.close();
    }

    /// Vectors that are asked and not answered, and the bytes of their inputs.
    pub fn open(&self) -> (usize, usize) {
        (self.asked.len(), self.asked_bytes)
    }

    /// What is asked and not answered; the candidate ends.
    pub fn left(self) -> VecDeque<Box<Vector>> {
        self.asked
    }

    /// The next thing to happen. After [`Event::Trouble`] and [`Event::Done`] nothing does.
    ///
    /// # Errors
    /// Where the system fails.
    pub fn next(&mut self, others: [Option<BorrowedFd<'_>>; 2]) -> io::Result<Event> {
        loop {
            if let Some(line) = self.line() {
                if let Some(event) = self.heard(&line)? {
                    return Ok(event);
                }
                continue;
            }
            if self.candidate.heard.len() - self.taken > ANSWER_BYTES_MAX {
                let line = answer::shown(&self.candidate.heard[self.taken..]);
                return self
                    .trouble(What::Garbled(format!("an answer of over {ANSWER_BYTES_MAX} bytes: {line}")));
            }
            let waiting = !self.asked.is_empty() || self.closed;
            if self.candidate.is_mute() && waiting {
                return self.mute();
            }
            let until = waiting.then(|| self.since.checked_add(self.protocol.timeout)).flatten();
            let woken = self.candidate.turn(others, until)?;
            if woken.others.contains(&true) {
                return Ok(Event::Woken(woken.others));
            }
            if woken.late {
                return self.late();
            }
        }
    }

    /// The next line that was heard, without its end; the last needs none.
    fn line(&mut self) -> Option<Vec<u8>> {
        let mute = self.candidate.is_mute();
        let heard = &mut self.candidate.heard;
        let rest = &heard[self.searched..];
        let newline = if self.protocol.whole_output { None } else { memchr::memchr(b'\n', rest) };
        let end = match newline {
            Some(at) => self.searched + at,
            None if mute => heard.len(),
            None => {
                self.searched = heard.len();
                // What is taken goes when a turn is due, not at every line.
                heard.drain(..self.taken);
                self.searched -= self.taken;
                self.taken = 0;
                return None;
            }
        };
        if end == self.taken && newline.is_none() {
            return None;
        }
        let line = heard[self.taken..end].to_vec();
        self.taken = end + usize::from(newline.is_some());
        self.searched = self.taken;
        Some(line)
    }

    /// Blank lines say nothing.
    fn heard(&mut self, line: &[u8]) -> io::Result<Option<Event>> {
        if line.iter().all(u8::is_ascii_whitespace) {
            return Ok(None);
        }
        if self.asked.is_empty() {
            return self.trouble(What::Surplus(answer::shown(line))).map(Some);
        }
        let answer = match answer::read(line) {
            Ok(answer) => answer,
            Err(what) => return self.trouble(What::Garbled(what)).map(Some),
        };
        let Some(vector) = self.asked.pop_front() else { return Ok(None) };
        self.asked_bytes -= vector.input.len();
        self.since = Instant::now();
        Ok(Some(Event::Answer(vector, answer)))
    }

    /// It says nothing more.
    fn mute(&mut self) -> io::Result<Event> {
        if !self.asked.is_empty() {
            let ended = self.candidate.end(Instant::now() + GRACE)?;
            let what = ended.status.map_or(What::Closed, What::Ended);
            return Ok(Event::Trouble(Trouble { what, last_words: ended.last_words }));
        }
        let patience = self.since.checked_add(self.protocol.timeout).unwrap_or_else(Instant::now);
        self.candidate.end(patience).map(Event::Done)
    }

    /// The time is over. A process that it started may hold the output of a candidate open that is no more.
    fn late(&mut self) -> io::Result<Event> {
        if self.asked.is_empty() || self.candidate.has_ended()? {
            return self.mute();
        }
        self.trouble(What::TimedOut)
    }

    fn trouble(&mut self, what: What) -> io::Result<Event> {
        let ended = self.candidate.end(Instant::now())?;
        Ok(Event::Trouble(Trouble { what, last_words: ended.last_words }))
    }
}

//! Finds the vector that is to blame for trouble.
//!
//! When a candidate dies, hangs or babbles, some of the vectors under way have no answer, and any of them may be
//! why: answers may have waited in the candidate's buffer, and a stray line may have come late. They are
//! asked again, each in a process of its own; while all is well, in groups of doubling size, since most of
//! them are innocent. Answers of these processes count like any other.

use crate::gate::{Gate, Halt};
use crate::refusal::Refusal;
use crate::report;
use crate::source::Vector;
use crate::talk::{Event, Trouble, What};
use bv_schemas::Reason;
use std::collections::VecDeque;
use std::io::Write;

/// Processes started to explain one trouble.
const PROCESSES_MAX: usize = 256;

impl<W: Write> Gate<'_, W> {
    /// Finds and reports who is to blame; what has to be asked yet comes back.
    pub(crate) fn replay(
        &mut self,
        trouble: Trouble,
        mut left: VecDeque<Box<Vector>>,
    ) -> Result<VecDeque<Box<Vector>>, Halt> {
        if matches!(trouble.what, What::Garbled(_) | What::Surplus(_))
            && let Some(last) = self.held_last.take()
            && let Err((last, trouble)) = self.ask_alone(last)?
        {
            self.report.verified -= 1;
            self.blame(&last, &trouble)?;
            return Ok(left);
        }
        let mut size = 1;
        for _ in 0..PROCESSES_MAX {
            if left.is_empty() {
                break;
            }
            if size > 1 {
                let well = self.ask_group(&mut left, size)?;
                size = if well { size * 2 } else { 1 };
                continue;
            }
            let Some(vector) = left.pop_front() else { break };
            match self.ask_alone(vector)? {
                Ok((vector, answer, _)) => drop(self.settle(vector, answer, true)?),
                Err((vector, trouble)) => {
                    self.blame(&vector, &trouble)?;
                    return Ok(left);
                }
            }
            size = 2;
        }
        Err(self.nobody(&trouble))
    }

    /// Asks the first `size` of `left`; what has no answer stays there. Whether all have one.
    fn ask_group(&mut self, left: &mut VecDeque<Box<Vector>>, size: usize) -> Result<bool, Halt> {
        let rest = left.split_off(size.min(left.len()));
        let mut talk = self.start()?;
        for vector in left.drain(..) {
            talk.ask(vector);
        }
        talk.close();
        let well = loop {
            match self.listen(&mut talk)? {
                Event::Answer(vector, answer) => {
                    if !self.settle(vector, answer, false)? {
                        break false;
                    }
                }
                Event::Trouble(_) => break false,
                Event::Done(_) | Event::Woken(_) => break true,
            }
        };
        *left = talk.left();
        left.extend(rest);
        Ok(well)
    }

    /// Alone, every vector is answered. That the candidate died is a failure all the same; that it does not
    /// keep to the protocol says nothing of the code.
    fn nobody(&mut self, trouble: &Trouble) -> Halt {
        let refuse = |reason, message: String| Halt::Refused(Refusal { reason, message });
        match &trouble.what {
            What::Ended(status) if status.success() => refuse(
                Reason::NotRunnable,
                "the candidate ended with inputs unanswered, and answers each alone: if it takes one input \
                 a process, --per-vector is its protocol"
                    .into(),
            ),
            What::TimedOut => refuse(
                Reason::Timeout,
                format!(
                    "no answer within {}, though vectors are answered alone: the candidate has to flush its \
                     output after every line",
                    self.plan.timeout
                ),
            ),
            What::Ended(_) | What::Closed | What::Garbled(_) | What::Surplus(_) => {
                let failure = report::trouble(trouble, &self.plan.timeout);
                let failure = failure.but("not when vectors are asked alone");
                match self.report.failure(&failure) {
                    Ok(()) => Halt::Enough,
                    Err(wrong) => Halt::Io(wrong),
                }
            }
        }
    }
}

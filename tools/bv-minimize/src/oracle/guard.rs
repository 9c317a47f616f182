//! What counts as the same failure.
//!
//! An exit status that was asked for must be met. Beyond it, an oracle that names failures (a stream of records,
//! a receipt) must name the one under study; one that names none is taken at its exit status.

use super::judge::Sample;
use super::run::{End, Seen};
use super::said::Named;
use crate::ask::Answer;
use bv_schemas::{Failure, Outcome, exit};
use signal_hook::low_level::signal_name;

/// What a candidate is held to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The exit status of a failure; `None`: what the oracle names decides, else status 1.
    pub exit: Option<u8>,
    /// The rule under study, once it is known.
    pub rule: Option<String>,
    /// Whether any failure will do.
    pub any: bool,
    /// Whether the oracle named failures when the input itself was shown to it.
    pub speaks: bool,
}

/// An answer, and the failure itself where it is the same and was printed.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The answer.
    pub answer: Answer,
    /// The failure as the oracle prints it.
    pub failure: Option<Failure>,
}

/// The exit status of a failing program, by wide convention.
const FAILS: u8 = 1;

impl Guard {
    /// Learns from the input itself: whether the oracle names failures, and which it is about where that is
    /// not known. Whether the input fails at all.
    pub fn learn(&mut self, seen: &Seen) -> bool {
        self.speaks = seen.said.spoke;
        let first = seen.said.failures.first();
        let rule = self.rule.clone().or_else(|| first.map(|named| named.rule.clone()));
        let learnt = Guard { rule, ..self.clone() };
        let fails = learnt.judge(seen).answer == Answer::Same;
        if fails {
            *self = learnt;
        }
        fails
    }

    /// What is to be said of a candidate after this run.
    pub fn judge(&self, seen: &Seen) -> Judged {
        let code = match seen.end {
            End::TimedOut => return Judged::no(Answer::TimedOut),
            End::Code(code) => code,
            End::Signal(signal) => u8::try_from(signal).map_or(u8::MAX, |n| exit::SIGNAL.saturating_add(n)),
        };
        let wanted = self.exit.unwrap_or(FAILS);
        let passes = if wanted == 0 { FAILS } else { 0 };
        if self.exit.is_none() && self.speaks {
            return self.by_word(seen);
        }
        if code == wanted {
            return if self.speaks { self.by_word(seen) } else { Judged::yes(None) };
        }
        match seen.said.failures.first() {
            Some(named) => Judged::no(Answer::Different(Some(named.rule.clone()))),
            None if seen.said.outcome == Some(Outcome::Refused) => Judged::no(Answer::Refused),
            None if code == passes => Judged::no(Answer::Passed),
            None => Judged::no(Answer::Different(Some(status(seen.end)))),
        }
    }

    fn by_word(&self, seen: &Seen) -> Judged {
        let said = &seen.said;
        let same = match &self.rule {
            Some(rule) if !self.any => said.of(rule),
            _ => said.failures.first(),
        };
        match (same, said.failures.first(), said.outcome) {
            (Some(Named { failure, .. }), ..) => Judged::yes(Some(failure.clone())),
            (None, Some(other), _) => Judged::no(Answer::Different(Some(other.rule.clone()))),
            (None, None, Some(Outcome::Passed)) => Judged::no(Answer::Passed),
            (None, None, Some(Outcome::Refused)) => Judged::no(Answer::Refused),
            // A failure without a name, or an oracle that died before it spoke.
            (None, None, Some(Outcome::Failed) | None) => Judged::no(Answer::Different(None)),
        }
    }
}

impl Judged {
    fn yes(failure: Option<Failure>) -> Judged {
        Judged { answer: Answer::Same, failure }
    }

    fn no(answer: Answer) -> Judged {
        Judged { answer, failure: None }
    }
}

/// Why the runs of an input show no failure, in words.
pub fn unlike(sample: &Sample, guard: &Guard) -> String {
    let Some(seen) = &sample.last else { return "the oracle did not run".to_owned() };
    let wanted = guard.exit.unwrap_or(FAILS);
    let named = seen.said.failures.first();
    match (named, &guard.rule, seen.said.outcome) {
        _ if seen.end == End::TimedOut => "the oracle ran into the time limit".to_owned(),
        (Some(other), Some(rule), _) if seen.said.of(rule).is_none() => {
            format!("the oracle names another failure: {}", other.rule)
        }
        (None, _, Some(Outcome::Passed)) => "the oracle says that it passed".to_owned(),
        (None, _, Some(Outcome::Refused)) => "the oracle refused it".to_owned(),
        _ => format!("the oracle ended with {}, a failure is exit {wanted}", status(seen.end)),
    }
}

/// An end in words, as a name for the failure of an oracle that names none.
fn status(end: End) -> String {
    match end {
        End::Code(code) => format!("exit {code}"),
        End::Signal(number) => match signal_name(number) {
            Some(name) => format!("signal {name}"),
            None => format!("signal {number}"),
        },
        End::TimedOut => "time limit".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::said::Said;
    use std::time::Duration;

    fn seen(end: End, stdout: &str) -> Seen {
        Seen { end, said: Said::read(stdout.as_bytes()), elapsed: Duration::ZERO }
    }

    const RED: &str = "{\"type\":\"failure\",\"id\":\"a\"}\n{\"type\":\"failure\",\"id\":\"b\"}\n{\"type\":\"end\",\"outcome\":\"failed\"}";
    const OTHER: &str = "{\"status\":\"failed_assertion\",\"failed_rule_id\":\"c\"}";
    const GREEN: &str = "{\"status\":\"passed\"}";
    const REFUSED: &str = "{\"type\":\"end\",\"outcome\":\"refused\"}";

    fn different(rule: &str) -> Answer {
        Answer::Different(Some(rule.to_owned()))
    }

    fn check(guard: &Guard, end: End, stdout: &str, expected: Answer) {
        assert_eq!(guard.judge(&seen(end, stdout)).answer, expected, "{guard:?} {end:?} {stdout}");
    }

    #[test]
    fn an_exit_status_alone_decides_where_nothing_is_named() {
        let zero = Guard { exit: Some(0), rule: None, any: false, speaks: false };
        check(&zero, End::Code(0), "", Answer::Same);
        check(&zero, End::Code(1), "", Answer::Passed);
        check(&zero, End::Code(3), "", different("exit 3"));
        check(&zero, End::Signal(11), "", different("signal SIGSEGV"));
        check(&zero, End::TimedOut, "", Answer::TimedOut);
        let crash = Guard { exit: Some(139), ..zero.clone() };
        check(&crash, End::Signal(11), "", Answer::Same);
        check(&crash, End::Code(139), "", Answer::Same);
        check(&crash, End::Code(0), "", Answer::Passed);
        let open = Guard { exit: None, rule: Some("a".into()), ..zero };
        check(&open, End::Code(1), "", Answer::Same);
        check(&open, End::Code(0), "", Answer::Passed);
        check(&open, End::Code(2), "", different("exit 2"));
    }

    #[test]
    fn an_oracle_that_names_failures_must_name_this_one() {
        let word = Guard { exit: None, rule: Some("b".into()), any: false, speaks: true };
        check(&word, End::Code(0), RED, Answer::Same);
        check(&word, End::Code(1), OTHER, different("c"));
        check(&word, End::Code(1), GREEN, Answer::Passed);
        check(&word, End::Code(1), REFUSED, Answer::Refused);
        check(&word, End::Code(1), "", Answer::Different(None));
        check(&Guard { any: true, ..word.clone() }, End::Code(1), OTHER, Answer::Same);
        let both = Guard { exit: Some(1), ..word };
        check(&both, End::Code(1), RED, Answer::Same);
        check(&both, End::Code(0), RED, different("a"));
        check(&both, End::Code(0), GREEN, Answer::Passed);
        check(&both, End::Code(1), "", Answer::Different(None));
    }

    #[test]
    fn the_input_itself_says_what_is_looked_for() {
        let new = Guard { exit: None, rule: None, any: false, speaks: false };
        let learnt = |exit, rule: Option<&str>, end, stdout: &str| {
            let mut guard = Guard { exit, rule: rule.map(str::to_owned), ..new.clone() };
            let fails = guard.learn(&seen(end, stdout));
            (fails, guard.rule, guard.speaks)
        };
        let a = Some("a".to_owned());
        let b = Some("b".to_owned());
        assert_eq!(learnt(None, None, End::Code(1), RED), (true, a.clone(), true));
        assert_eq!(learnt(None, Some("b"), End::Code(1), RED), (true, b.clone(), true));
        assert_eq!(learnt(None, Some("b"), End::Code(1), OTHER), (false, b.clone(), true));
        assert_eq!(learnt(None, Some("b"), End::Code(1), ""), (true, b, false));
        assert_eq!(learnt(Some(0), None, End::Code(0), RED), (true, a, true));
        assert_eq!(learnt(Some(0), None, End::Code(1), RED), (false, None, true));
        assert_eq!(learnt(None, None, End::Code(0), GREEN), (false, None, true));
    }
}

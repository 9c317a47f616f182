//! What linters, type checkers and formatters have in common: a finding is a failure of kind `lint`, and
//! a run of findings is a section, opened by the first of them, so that a test's output that holds some is
//! told from a checker that speaks for itself.

use crate::held::Held;
use crate::machine::{Closing, Out, Says};
use bv_schemas::{Counts, Failure, Kind, Place, Reason};

/// One finding; `rule` is the checker's own code for it.
pub fn lint(place: Option<Place>, message: &str, rule: Option<&str>, span: [u64; 2]) -> Failure {
    Failure {
        kind: Kind::Lint,
        message: Some(message.to_owned()),
        fault: place,
        rule: rule.map(str::to_owned),
        span: Some(span),
        ..Failure::default()
    }
}

/// Where a finding is; checkers name no function.
pub fn place(file: &str, line: Option<u64>) -> Option<Place> {
    (!file.is_empty()).then(|| Place { file: Some(file.to_owned()), line, function: None })
}

/// `a/b.py:3:7` or `a/b.py:3` to file and line.
pub fn position(text: &str) -> Option<(&str, u64)> {
    let (head, last) = text.rsplit_once(':')?;
    let last: u64 = last.parse().ok()?;
    match head.rsplit_once(':').map(|(file, line)| (file, line.parse())) {
        Some((file, Ok(line))) if !file.is_empty() => Some((file, line)),
        _ => (!head.is_empty()).then_some((head, last)),
    }
}

/// The findings of the run that is being read.
#[derive(Debug, Default)]
pub struct Findings {
    held: Held,
    open: bool,
}

impl Findings {
    /// The run begins, if it has not yet.
    pub fn begin(&mut self, out: &mut Out) {
        if !std::mem::replace(&mut self.open, true) {
            out.open();
        }
    }

    /// One more finding.
    pub fn push(&mut self, failure: Failure, out: &mut Out) {
        self.begin(out);
        self.held.push(failure);
    }

    /// Whether a run is being read.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        self.held.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// The last one.
    pub fn last_mut(&mut self) -> Option<&mut Failure> {
        self.held.last_mut()
    }

    /// The run is over; `failed` is the number of findings that the checker itself gives.
    pub fn close(&mut self, failed: Option<u64>, out: &mut Out) {
        let seen = self.held.len();
        let says = if seen + failed.unwrap_or(0) > 0 { Says::Red } else { Says::Green };
        self.held.say(out);
        out.unnamed(failed.unwrap_or(0).saturating_sub(seen));
        self.say(says, Counts { failed: failed.filter(|&n| n > 0), ..Counts::default() }, None, out);
    }

    /// The run is over, with warnings alone: whether they are too many for it, its exit status tells.
    pub fn warned(&mut self, out: &mut Out) {
        self.say(Says::GreenAtExit0, Counts::default(), None, out);
    }

    /// The checker checked nothing: its findings, if any, are the reason.
    pub fn refuse(&mut self, reason: Reason, message: &str, out: &mut Out) {
        self.held.say(out);
        self.say(Says::Refused(reason), Counts::default(), Some(message.to_owned()), out);
    }

    /// There was nothing to check.
    pub fn nothing(&mut self, out: &mut Out) {
        self.held.say(out);
        self.say(Says::NoTests, Counts::default(), None, out);
    }

    /// The stream ended before the checker's closing statement.
    pub fn cut(&mut self, out: &mut Out) {
        self.held.say(out);
    }

    fn say(&mut self, says: Says, counts: Counts, message: Option<String>, out: &mut Out) {
        self.open = false;
        out.close(Closing { says, counts, duration_ms: None, message });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions() {
        for (text, want) in [
            ("a/b.py:3:7", Some(("a/b.py", 3))),
            ("a/b.py:3", Some(("a/b.py", 3))),
            ("C:\\a.py:3:7", Some(("C:\\a.py", 3))),
            ("a.py", None),
            (":3", None),
            ("a.py:x", None),
        ] {
            assert_eq!(position(text), want, "{text}");
        }
    }

    #[test]
    fn the_checkers_number_is_held_against_what_was_seen() {
        let check = |named: u64, failed, says, unnamed| {
            let (mut findings, mut out) = (Findings::default(), Out::default());
            (0..named).for_each(|_| findings.push(lint(None, "m", None, [0, 1]), &mut out));
            findings.close(failed, &mut out);
            let said = format!("{:?}", out.events);
            assert!(said.contains(&format!("says: {says:?}")), "{said}");
            assert_eq!(said.contains("Unnamed"), unnamed, "{said}");
        };
        check(2, Some(2), Says::Red, false);
        check(2, Some(3), Says::Red, true);
        check(2, None, Says::Red, false);
        check(0, Some(1), Says::Red, true);
        check(0, Some(0), Says::Green, false);
    }
}

//! A vote on one candidate, for an oracle that does not always say the same.
//!
//! Wald's sequential test of two hypotheses: the candidate fails as often as the input does, or it fails four
//! times more rarely. Each answer shifts the odds; the vote ends when they are clear. Odds of 12 to 1 keep
//! a wrong answer under one in twelve; it takes two answers of one kind where the input fails eight times
//! in ten. (A. Wald, Sequential Tests of Statistical Hypotheses, 1945.)

const RARER: f64 = 4.0;
const ODDS: f64 = 12.0;
/// So many answers end any vote; what is ahead then wins.
const ANSWERS_MAX: u32 = 24;
/// Rates beyond these are hardly told apart from certainty by a few runs.
const RATE_MIN: f64 = 0.1;
const RATE_MAX: f64 = 0.9;

/// Whether the candidate fails as often as the input.
#[derive(Clone, Debug)]
pub struct Ballot {
    rate: f64,
    /// The logarithm of the odds that it does.
    odds: f64,
    answers: u32,
}

impl Ballot {
    /// For an input that fails at this rate, 0 to 1.
    pub fn new(rate: f64) -> Ballot {
        Ballot { rate: rate.clamp(RATE_MIN, RATE_MAX), odds: 0.0, answers: 0 }
    }

    /// Counts one answer; the outcome once it is clear.
    pub fn add(&mut self, same: bool) -> Option<bool> {
        let rare = self.rate / RARER;
        let shift = if same { self.rate / rare } else { (1.0 - self.rate) / (1.0 - rare) };
        self.odds += shift.ln();
        self.answers += 1;
        let clear = self.odds.abs() >= ODDS.ln() || self.answers >= ANSWERS_MAX;
        clear.then_some(self.odds > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rate: f64, answers: &str, expected: Option<bool>) {
        let mut ballot = Ballot::new(rate);
        let mut outcome = None;
        for answer in answers.bytes() {
            assert_eq!(outcome, None, "{rate} {answers}: over too early");
            outcome = ballot.add(answer == b'y');
        }
        assert_eq!(outcome, expected, "{rate} {answers}");
    }

    #[test]
    fn a_vote_ends_when_the_odds_are_clear() {
        check(0.8, "y", None);
        check(0.8, "yy", Some(true));
        check(0.8, "nn", Some(false));
        check(0.8, "nyyy", Some(true));
        check(0.5, "nnnn", None);
        check(0.5, "nnnnn", Some(false));
        check(0.5, "nnyyy", Some(true));
        check(0.99, "nn", Some(false));
        check(0.0, &"n".repeat(24), Some(false));
    }
}

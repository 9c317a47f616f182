//! One test's result, as Bun prints it: `(fail) Cart > total [0.22ms]`, coloured `✗ Cart > total [0.22ms]`.

use bv_schemas::TestOutcome;

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Result {
    /// It failed.
    Failed,
    /// It did not.
    Other(TestOutcome),
}

/// A result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// How it ended.
    pub result: Result,
    /// The test's full name.
    pub id: String,
    /// As printed; quick tests have none.
    pub duration_ms: Option<u64>,
    /// The mark is a sign, as on a terminal with colours, and no word.
    pub is_sign: bool,
}

const WORDS: &[(&str, Result)] = &[
    ("(pass) ", Result::Other(TestOutcome::Passed)),
    ("(fail) ", Result::Failed),
    ("(skip) ", Result::Other(TestOutcome::Skipped)),
    ("(todo) ", Result::Other(TestOutcome::Todo)),
];

const SIGNS: &[(&str, Result)] = &[
    ("✓ ", Result::Other(TestOutcome::Passed)),
    ("✗ ", Result::Failed),
    ("» ", Result::Other(TestOutcome::Skipped)),
    ("✎ ", Result::Other(TestOutcome::Todo)),
];

impl Mark {
    /// The result in this line. What a test wrote last, without a newline, may stand before it.
    pub fn read(text: &str) -> Option<Mark> {
        let bytes = text.as_bytes();
        let (word, result, at) = match bytes.first()? {
            b'(' => first(text, WORDS)?,
            0xc2 | 0xe2 => first(text, SIGNS)?,
            _ if text.ends_with("s]") => glued(text)?,
            _ => return None,
        };
        let (id, duration_ms) = timed(text[at + word.len()..].trim_end());
        let (id, retried) = again(id);
        let result = match result {
            Result::Other(TestOutcome::Passed) if retried => Result::Other(TestOutcome::Flaky),
            result => result,
        };
        let is_sign = !word.starts_with('(');
        (!id.is_empty()).then(|| Mark { result, id: id.to_owned(), duration_ms, is_sign })
    }
}

type Found = (&'static str, Result, usize);

fn first(text: &str, marks: &'static [(&'static str, Result)]) -> Option<Found> {
    marks.iter().find(|(word, _)| text.starts_with(word)).map(|&(word, result)| (word, result, 0))
}

fn glued(text: &str) -> Option<Found> {
    WORDS.iter().find_map(|&(word, result)| Some((word, result, text.find(word)?)))
}

/// `name [0.22ms]`, `name [1.20s]`
fn timed(text: &str) -> (&str, Option<u64>) {
    let timed = text
        .strip_suffix(']')
        .and_then(|text| text.rsplit_once(" ["))
        .and_then(|(name, time)| Some((name, duration_ms(time)?)));
    timed.map_or((text, None), |(name, ms)| (name, Some(ms)))
}

/// `32.00ms`, `1.20s`
pub fn duration_ms(text: &str) -> Option<u64> {
    let (number, factor) = match text.strip_suffix("ms") {
        Some(number) => (number, 1.0),
        None => (text.strip_suffix('s')?, 1000.0),
    };
    let number: f64 = number.parse().ok()?;
    (number >= 0.0).then(|| (number * factor).round() as u64)
}

/// `name (attempt 2)`, and `name (run 3)` of a test that is repeated until it fails.
fn again(text: &str) -> (&str, bool) {
    for (open, retried) in [(" (attempt ", true), (" (run ", false)] {
        if let Some((name, count)) = text.strip_suffix(')').and_then(|text| text.rsplit_once(open))
            && !count.is_empty()
            && count.bytes().all(|b| b.is_ascii_digit())
        {
            return (name, retried);
        }
    }
    (text, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks() {
        use TestOutcome::{Flaky, Passed, Skipped};
        for (text, want) in [
            ("(pass) a > b [0.40ms]", Some((Result::Other(Passed), "a > b", Some(0)))),
            ("(fail) a > b [1.25s]", Some((Result::Failed, "a > b", Some(1250)))),
            ("(skip) a [x]", Some((Result::Other(Skipped), "a [x]", None))),
            ("✗ a > b [2.00ms]", Some((Result::Failed, "a > b", Some(2)))),
            ("(pass) retried (attempt 2) [0.01ms]", Some((Result::Other(Flaky), "retried", Some(0)))),
            ("(fail) again (run 3)", Some((Result::Failed, "again", None))),
            ("no newline(fail) a [0.22ms]", Some((Result::Failed, "a", Some(0)))),
            ("they say (fail) of it", None),
            ("(fail)", None),
            ("(fail) ", None),
            ("", None),
        ] {
            let got = Mark::read(text).map(|mark| (mark.result, mark.id, mark.duration_ms));
            assert_eq!(got, want.map(|(result, id, ms)| (result, id.to_owned(), ms)), "{text}");
        }
    }
}

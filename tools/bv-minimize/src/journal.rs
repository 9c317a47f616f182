//! The journal: every answer and every step, one JSON object a line, only ever added to.
//!
//! In: answers as they come. Out: a file from which a search that was ended goes on without asking anything a
//! second time. The first line says what it is about; a journal of another input, command or rule is refused.
//! A last line that is torn, as after `kill -9`, is cut off.

use crate::ask::Answer;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Answers remembered from a journal or a search; later ones are asked for again.
pub const ANSWERS_MAX: usize = 1 << 20;

/// What a journal is about: with anything else it would answer other questions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// The format of the lines that follow.
    pub journal: String,
    /// BLAKE3 of the input, 64 hex digits; absent for a stream of records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// The oracle's command line.
    pub command: Vec<String>,
    /// The options that decide what an answer is.
    pub settings: Vec<String>,
    /// The rule that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
}

/// The format that is written and read here.
pub const FORMAT: &str = "bv-minimize/1";

/// The name of a candidate under its rule: BLAKE3, cut.
pub type Key = [u8; 16];

/// A line after the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Line {
    /// What the oracle said of a candidate.
    Answer {
        /// Which candidate.
        key: String,
        /// What it said.
        is: Word,
        /// The other failure's rule.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rule: Option<String>,
        /// Whether a raised time limit was in force.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        raised: bool,
    },
    /// What the first runs on an input showed.
    Begun {
        /// Which input.
        key: String,
        /// What they showed.
        begun: Begun,
    },
    /// A candidate took the place of the best.
    Best {
        /// Which candidate.
        key: String,
        /// Its length.
        bytes: u64,
    },
    /// The best was run again and failed as before.
    Checked {
        /// Which candidate.
        key: String,
    },
    /// The oracle does not always say the same: each "no" before this counts for nothing.
    Unsteady {
        /// The share of runs in which the failure comes.
        rate: f64,
    },
}

/// An answer as a journal writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Word {
    /// [`Answer::Same`]
    Same,
    /// [`Answer::Different`]
    Different,
    /// [`Answer::Passed`]
    Passed,
    /// [`Answer::Refused`]
    Refused,
    /// [`Answer::TimedOut`]
    TimedOut,
}

/// What the first runs on an input showed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Begun {
    /// How often it ran.
    pub runs: u32,
    /// How often it failed as wanted.
    pub same: u32,
    /// The rule that the oracle named, or that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Whether the oracle names failures.
    pub speaks: bool,
    /// The slowest of the failing runs.
    pub slowest_us: u64,
}

/// An answer that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// The answer.
    pub answer: Answer,
    /// Whether a raised time limit was in force.
    pub raised: bool,
}

/// What a journal holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Past {
    /// The answers by candidate, at most [`ANSWERS_MAX`].
    pub answers: HashMap<Key, Known>,
    /// The first runs by input.
    pub begun: HashMap<Key, Begun>,
    /// Candidates that were run again.
    pub checked: Vec<Key>,
    /// The last that took the place of the best.
    pub best: Option<Key>,
    /// The share of runs in which the failure comes, where that is not all.
    pub rate: Option<f64>,
}

/// An open journal.
#[derive(Debug)]
pub struct Journal {
    file: Mutex<File>,
}

impl Journal {
    /// Begins a journal, or goes on with one where `resume` is set and the file is there.
    ///
    /// # Errors
    /// Where the file cannot be written, is there and `resume` is not set, or is about something else.
    pub fn open(path: &Path, about: &About, resume: bool) -> io::Result<(Journal, Past)> {
        let said = |what: &dyn std::fmt::Display| {
            io::Error::other(format!("cannot use the journal: {}: {what}", path.display()))
        };
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(resume).create_new(!resume);
        let mut file = options.open(path).map_err(|wrong| match wrong.kind() {
            io::ErrorKind::AlreadyExists => said(&"it exists; go on with it by --resume, or name another"),
            _ => said(&wrong),
        })?;
        let past = past(&mut file, about).map_err(|wrong| said(&wrong))?;
        let journal = Journal { file: Mutex::new(file) };
        let past = match past {
            Some(past) => past,
            None => {
                journal.write(about)?;
                Past::default()
            }
        };
        Ok((journal, past))
    }

    /// Adds a line.
    ///
    /// # Errors
    /// Those of writing the file.
    pub fn add(&self, line: &Line) -> io::Result<()> {
        self.write(line)
    }

    fn write(&self, line: &impl Serialize) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        // One write a line: whatever ends us, at most the last line is torn.
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let written = file.write_all(&text);
        written.map_err(|wrong| io::Error::new(wrong.kind(), format!("cannot write the journal: {wrong}")))
    }
}

/// Reads a journal and cuts a torn last line off; `None` where not even the first line is whole.
fn past(file: &mut File, about: &About) -> Result<Option<Past>, String> {
    let said = |wrong: io::Error| wrong.to_string();
    file.rewind().map_err(said)?;
    let mut reader = BufReader::new(&*file);
    let mut whole_bytes = 0;
    let mut text = Vec::new();
    let mut past: Option<Past> = None;
    loop {
        text.clear();
        let bytes = reader.read_until(b'\n', &mut text).map_err(said)?;
        if bytes == 0 || text.last() != Some(&b'\n') {
            break;
        }
        match &mut past {
            None => {
                let found: About = serde_json::from_slice(&text).map_err(|_| "it is no journal")?;
                if found != *about {
                    return Err(difference(&found, about).into());
                }
                past = Some(Past::default());
            }
            Some(past) => past
                .take(serde_json::from_slice(&text).map_err(|wrong| format!("a line is broken: {wrong}"))?),
        }
        whole_bytes += bytes as u64;
    }
    file.set_len(whole_bytes).map_err(said)?;
    Ok(past)
}

fn difference(found: &About, about: &About) -> &'static str {
    if found.journal != about.journal {
        "another version of bv-minimize wrote it"
    } else if found.input != about.input {
        "it is about another input"
    } else if found.command != about.command {
        "it is about another oracle"
    } else if found.rule != about.rule {
        "it is about another rule"
    } else {
        "it was written with other options"
    }
}

impl Past {
    fn take(&mut self, line: Line) {
        match line {
            Line::Answer { key, is, rule, raised } => {
                let Some(key) = from_hex(&key) else { return };
                if self.answers.len() < ANSWERS_MAX {
                    self.answers.insert(key, Known { answer: is.answer(rule), raised });
                }
            }
            Line::Begun { key, begun } => {
                if let Some(key) = from_hex(&key) {
                    self.begun.insert(key, begun);
                }
            }
            Line::Best { key, .. } => self.best = from_hex(&key),
            Line::Checked { key } => self.checked.extend(from_hex(&key)),
            Line::Unsteady { rate } => {
                self.rate = Some(rate);
                self.answers.retain(|_, known| known.answer == Answer::Same);
            }
        }
    }
}

impl Line {
    /// The line of an answer.
    pub fn answer(key: &Key, known: &Known) -> Line {
        let (is, rule) = match &known.answer {
            Answer::Same => (Word::Same, None),
            Answer::Different(rule) => (Word::Different, rule.clone()),
            Answer::Passed => (Word::Passed, None),
            Answer::Refused => (Word::Refused, None),
            Answer::TimedOut => (Word::TimedOut, None),
        };
        Line::Answer { key: hex(key), is, rule, raised: known.raised }
    }
}

impl Word {
    fn answer(self, rule: Option<String>) -> Answer {
        match self {
            Word::Same => Answer::Same,
            Word::Different => Answer::Different(rule),
            Word::Passed => Answer::Passed,
            Word::Refused => Answer::Refused,
            Word::TimedOut => Answer::TimedOut,
        }
    }
}

/// A key as a journal writes it.
pub fn hex(key: &Key) -> String {
    key.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex(text: &str) -> Option<Key> {
    let mut key = Key::default();
    if text.len() != 2 * key.len() || !text.is_ascii() {
        return None;
    }
    for (byte, digits) in key.iter_mut().zip(text.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about() -> About {
        About {
            journal: FORMAT.into(),
            input: Some("00".into()),
            command: vec!["sh".into()],
            settings: Vec::new(),
            rule: None,
        }
    }

    fn known(answer: Answer) -> Known {
        Known { answer, raised: false }
    }

    #[test]
    fn what_was_written_is_read_again_and_a_torn_line_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("j");
        let (journal, past) = Journal::open(&path, &about(), false).expect("it can be made");
        assert_eq!(past, Past::default());
        let all =
            [Answer::Same, Answer::Different(Some("R".into())), Answer::Different(None), Answer::TimedOut];
        for (n, answer) in (0..).zip(&all) {
            journal.add(&Line::answer(&[n; 16], &known(answer.clone()))).expect("it can be written");
        }
        journal.add(&Line::Best { key: hex(&[0; 16]), bytes: 3 }).expect("it can be written");
        let begun = Begun { runs: 3, same: 3, rule: Some("R".into()), speaks: true, slowest_us: 1500 };
        journal.add(&Line::Begun { key: hex(&[9; 16]), begun: begun.clone() }).expect("it can be written");
        drop(journal);
        let whole = std::fs::read(&path).expect("it is there");
        std::fs::write(&path, [&whole[..], b"{\"answer\":{\"key\":\"00"].concat())
            .expect("it can be written");

        let (_, past) = Journal::open(&path, &about(), true).expect("it can be read");
        let expected = Past {
            answers: (0..).zip(all).map(|(n, answer)| ([n; 16], known(answer))).collect(),
            begun: [([9; 16], begun)].into(),
            best: Some([0; 16]),
            ..Past::default()
        };
        assert_eq!(past, expected);
        assert_eq!(std::fs::read(&path).expect("it is there"), whole, "the torn line is gone");
    }

    #[test]
    fn a_no_counts_for_nothing_once_the_oracle_wavers() {
        let mut past = Past::default();
        past.take(Line::answer(&[1; 16], &known(Answer::Passed)));
        past.take(Line::answer(&[2; 16], &known(Answer::Same)));
        past.take(Line::Unsteady { rate: 0.8 });
        past.take(Line::answer(&[3; 16], &known(Answer::Passed)));
        let mut keys: Vec<Key> = past.answers.into_keys().collect();
        keys.sort_unstable();
        assert_eq!((keys, past.rate), (vec![[2; 16], [3; 16]], Some(0.8)));
    }

    #[test]
    fn a_journal_about_something_else_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("j");
        drop(Journal::open(&path, &about(), false).expect("it can be made"));
        let said = |about: &About, resume: bool| {
            let wrong = Journal::open(&path, about, resume).map(|_| ()).expect_err("it is refused");
            wrong.to_string().rsplit(": ").next().map(str::to_owned).unwrap_or_default()
        };
        let other = [
            About { input: None, ..about() },
            About { command: Vec::new(), ..about() },
            About { rule: Some("R".into()), ..about() },
            About { settings: vec!["x".into()], ..about() },
        ];
        let heard = other.map(|about| said(&about, true));
        assert_eq!(
            heard,
            [
                "it is about another input",
                "it is about another oracle",
                "it is about another rule",
                "it was written with other options"
            ]
        );
        assert_eq!(said(&about(), false), "it exists; go on with it by --resume, or name another");
        std::fs::write(&path, "text\n").expect("it can be written");
        assert_eq!(said(&about(), true), "it is no journal");
    }
}

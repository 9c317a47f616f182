//! The vectors, one after the other, ready to be asked.
//!
//! In: a file (or stdin) of vectors, and the rules that they name. Out: the vectors that apply; the others are
//! counted. The file is read in pieces, so that its length does not matter.

use crate::checks::{self, Checks, Compiled};
use crate::document::{Document, OBJECT_BYTES_MAX, Object, Wrong};
use crate::filter;
use crate::refusal::Refusal;
use crate::words::json_line;
use bv_schemas::vector;
use jaq_json::Val;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Read at once.
const CHUNK_BYTES: usize = 256 << 10;
/// Rules of one file.
const RULES_MAX: usize = 100_000;

/// One vector that applies.
pub struct Vector {
    /// Its number in the file, from 0; none for the input of `--input`.
    pub index: Option<u64>,
    /// The rule's name.
    pub rule_id: String,
    /// The input as it was written, on one line.
    pub input: String,
    value: Val,
    own: Checks,
    named: Option<Rc<Checks>>,
}

impl Vector {
    /// Its own checks, then those of its rule.
    fn checks(&self) -> Vec<&Checks> {
        std::iter::once(&self.own).chain(self.named.as_deref()).collect()
    }

    /// The checks that `output` breaks.
    ///
    /// # Errors
    /// As [`checks::broken`].
    pub fn broken_by(&self, output: &str) -> Result<Vec<bv_schemas::Check>, String> {
        checks::broken(&self.checks(), &self.value, output)
    }

    /// The rule in words, as far as anything says it.
    pub fn in_words(&self) -> Option<String> {
        checks::in_words(&self.checks())
    }
}

/// The rules of a file, by name.
#[derive(Default)]
pub struct Rules {
    by_id: HashMap<String, Rc<Checks>>,
    compiled: Compiled,
}

impl Rules {
    /// Reads the rules of `path`.
    ///
    /// # Errors
    /// Where the file or a rule cannot be read, or a name comes twice.
    pub fn load(path: &Path) -> Result<Rules, Refusal> {
        let mut rules = Rules::default();
        each_object(path, |object| {
            let rule = wire(object.text)?;
            if rule.input.is_some() {
                return Err(format!("rule {} has an input: it is a vector", rule.rule_id));
            }
            let checks = Checks::of(&rule, &mut rules.compiled)?;
            if rules.by_id.len() == RULES_MAX {
                return Err(format!("over {RULES_MAX} rules"));
            }
            match rules.by_id.insert(rule.rule_id.clone(), Rc::new(checks)) {
                None => Ok(()),
                Some(_) => Err(format!("rule {} stands twice", rule.rule_id)),
            }
        })?;
        Ok(rules)
    }

    /// Whether a rule of this name was loaded.
    pub fn knows(&self, rule_id: &str) -> bool {
        self.by_id.contains_key(rule_id)
    }

    /// Makes `vector` ready; `None` where it does not apply.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn vector(
        &mut self,
        wire: &vector::Vector<'_>,
        index: Option<u64>,
    ) -> Result<Option<Vector>, String> {
        let input = wire.input.ok_or("no `input`: it is a rule")?.get();
        if !input.starts_with('{') {
            return Err("`input` is no object".into());
        }
        let own = Checks::of(wire, &mut self.compiled)?;
        let named = self.by_id.get(&wire.rule_id).cloned();
        let vector = Vector {
            index,
            rule_id: wire.rule_id.clone(),
            input: json_line(input),
            value: filter::value(input)?,
            own,
            named,
        };
        if !vector.checks().iter().any(|checks| checks.checks_anything()) {
            return Err(match &vector.named {
                Some(_) => format!("nothing to check, neither here nor in rule {}", wire.rule_id),
                None => format!("nothing to check, and no rule {} is known", wire.rule_id),
            });
        }
        let applies = checks::applies(&vector.checks(), &vector.value)?;
        Ok(applies.then_some(vector))
    }
}

/// What stands in an object's text.
///
/// # Errors
/// What is wrong with it, in words.
pub fn wire(text: &str) -> Result<vector::Vector<'_>, String> {
    serde_json::from_str(text).map_err(|wrong| filter::in_words(&wrong))
}

/// Reads `path` object by object.
///
/// # Errors
/// Where it cannot be read, and what `take` says.
pub fn each_object(
    path: &Path,
    mut take: impl FnMut(&Object<'_>) -> Result<(), String>,
) -> Result<(), Refusal> {
    let mut file = open(path)?;
    let mut document = Document::default();
    let mut chunk = vec![0; CHUNK_BYTES];
    while !document.ended() {
        let read = loop {
            match file.read(&mut chunk) {
                Err(wrong) if wrong.kind() == io::ErrorKind::Interrupted => {}
                other => break other.map_err(|wrong| Refusal::unreadable(path, &wrong))?,
            }
        };
        document.feed(&chunk[..read]);
        while let Some(object) = document.next().map_err(|wrong| in_file(path, &wrong))? {
            take(&object).map_err(|what| in_file(path, &Wrong { line: object.line, what }))?;
        }
    }
    Ok(())
}

fn in_file(path: &Path, wrong: &Wrong) -> Refusal {
    let name = if path == Path::new("-") { Path::new("stdin") } else { path };
    Refusal::bad_input(format!("{}:{}: {}", name.display(), wrong.line, wrong.what))
}

/// Opens `path`; `-` is stdin, unbuffered, so that it can be waited for.
///
/// # Errors
/// Where it cannot be opened.
pub fn open(path: &Path) -> Result<File, Refusal> {
    let opened = if path == Path::new("-") {
        io::stdin().as_fd().try_clone_to_owned().map(File::from)
    } else {
        File::open(path)
    };
    opened.map_err(|wrong| Refusal::unreadable(path, &wrong))
}

/// Where vectors come from.
pub struct Source {
    from: From,
    rules: Rules,
    only: Option<String>,
    index: u64,
    /// Vectors that did not apply.
    pub skipped: u64,
    /// Whether a vector of the rule that is asked for has come.
    rule_seen: bool,
}

enum From {
    File { path: PathBuf, file: File, document: Document },
    One(Option<Vector>),
}

/// What a source has.
pub enum Next {
    /// The next vector.
    Vector(Box<Vector>),
    /// Nothing before more is read.
    More,
    /// Nothing more.
    End,
}

impl Source {
    /// The vectors of the file at `path`; with `only`, those of this rule.
    ///
    /// # Errors
    /// Where it cannot be opened.
    pub fn file(path: &Path, rules: Rules, only: Option<String>) -> Result<Source, Refusal> {
        let from = From::File { path: path.to_owned(), file: open(path)?, document: Document::default() };
        Ok(Source { from, rules, only, index: 0, skipped: 0, rule_seen: false })
    }

    /// One vector; `None` for one that does not apply.
    pub fn one(vector: Option<Vector>) -> Source {
        let skipped = u64::from(vector.is_none());
        let (rules, only) = (Rules::default(), None);
        Source { from: From::One(vector), rules, only, index: 0, skipped, rule_seen: true }
    }

    /// What to wait for when it says [`Next::More`].
    pub fn waits_for(&self) -> Option<BorrowedFd<'_>> {
        match &self.from {
            From::File { file, .. } => Some(file.as_fd()),
            From::One(_) => None,
        }
    }

    /// Reads the next piece.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn read(&mut self) -> Result<(), Refusal> {
        let From::File { path, file, document } = &mut self.from else { return Ok(()) };
        let mut chunk = vec![0; CHUNK_BYTES];
        match file.read(&mut chunk) {
            Ok(n) => document.feed(&chunk[..n]),
            Err(wrong) if wrong.kind() == io::ErrorKind::Interrupted => {}
            Err(wrong) => return Err(Refusal::unreadable(path, &wrong)),
        }
        Ok(())
    }

    /// The next vector that applies.
    ///
    /// # Errors
    /// Where a vector cannot be used; nothing comes after it.
    pub fn next(&mut self) -> Result<Next, Refusal> {
        let (path, document) = match &mut self.from {
            From::One(vector) => return Ok(vector.take().map_or(Next::End, |v| Next::Vector(Box::new(v)))),
            From::File { path, document, .. } => (path, document),
        };
        while let Some(object) = document.next().map_err(|wrong| in_file(path, &wrong))? {
            let index = self.index;
            self.index += 1;
            let say = |what| in_file(path, &Wrong { line: object.line, what });
            let wire = wire(object.text).map_err(say)?;
            if self.only.as_ref().is_some_and(|only| *only != wire.rule_id) {
                continue;
            }
            self.rule_seen = true;
            match self.rules.vector(&wire, Some(index)).map_err(say)? {
                Some(vector) => return Ok(Next::Vector(Box::new(vector))),
                None => self.skipped += 1,
            }
        }
        if !document.ended() {
            return Ok(Next::More);
        }
        match &self.only {
            Some(rule) if !self.rule_seen && !self.rules.knows(rule) => Err(unknown_rule(rule)),
            _ => Ok(Next::End),
        }
    }
}

/// A rule that neither the rules nor a vector has.
pub fn unknown_rule(rule_id: &str) -> Refusal {
    Refusal::bad_input(format!("no rule {rule_id} is known"))
}

/// The one object of `--input`.
///
/// # Errors
/// Where it cannot be read, or is not one object.
pub fn input(path: &Path, mut from: impl Read) -> Result<String, Refusal> {
    let mut text = String::new();
    let most = OBJECT_BYTES_MAX as u64 + 1;
    let say = |what: &str| Refusal::bad_input(format!("{}: {what}", path.display()));
    match from.by_ref().take(most).read_to_string(&mut text) {
        Ok(read) if read as u64 == most => return Err(say("too long an input")),
        Ok(_) => {}
        Err(wrong) if wrong.kind() == io::ErrorKind::InvalidData => return Err(say("it is not UTF-8")),
        Err(wrong) => return Err(Refusal::unreadable(path, &wrong)),
    }
    let text = text.trim();
    if !text.starts_with('{') {
        return Err(say("expected a JSON object"));
    }
    filter::value(text).map_err(|what| say(&what))?;
    Ok(text.to_owned())
}

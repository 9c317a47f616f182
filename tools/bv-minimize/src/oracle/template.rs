//! How a candidate reaches the oracle: the words of its command line that stand for something else.
//!
//! `@@` anywhere in a word is the name of a file that holds the candidate, the word `{}` is the candidate as
//! arguments, `@RULE` is the rule; without `@@` and `{}` the candidate goes to stdin. Nothing of the
//! candidate is ever read as a command: each piece stays within one argument.

use crate::shapes::Shape;
use serde_json::value::RawValue;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

const FILE: &[u8] = b"@@";
const RULE: &[u8] = b"@RULE";
const ARGUMENTS: &[u8] = b"{}";

/// The oracle's command line, its own words still in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// As it was given: what is run never comes from an input.
    program: OsString,
    words: Vec<OsString>,
    takes_file: bool,
    takes_arguments: bool,
}

impl Template {
    /// Reads the words of the command line; `rule` takes the place of `@RULE`.
    ///
    /// # Errors
    /// `@RULE` without a rule.
    pub fn new(words: &[OsString], rule: Option<&str>) -> Result<Template, String> {
        let (program, arguments) = words.split_first().ok_or("no oracle")?;
        let words = arguments.iter().map(|word| with_rule(word, rule)).collect::<Result<Vec<_>, _>>()?;
        let takes_file = words.iter().any(|word| find(word.as_bytes(), FILE).is_some());
        let takes_arguments = words.iter().any(|word| word.as_bytes() == ARGUMENTS);
        Ok(Template { program: program.clone(), words, takes_file, takes_arguments })
    }

    /// The program, for messages.
    pub fn program(&self) -> String {
        self.program.to_string_lossy().into_owned()
    }

    /// Whether the candidate must be written to a file.
    pub fn takes_file(&self) -> bool {
        self.takes_file
    }

    /// Whether the candidate goes to stdin.
    pub fn takes_stdin(&self) -> bool {
        !self.takes_file && !self.takes_arguments
    }

    /// The command line for a candidate that lies in `file`; `None` where it cannot be arguments.
    pub fn argv(&self, candidate: &[u8], shape: Shape, file: &Path) -> Option<Vec<OsString>> {
        let mut argv = Vec::with_capacity(1 + self.words.len());
        argv.push(self.program.clone());
        for word in &self.words {
            if word.as_bytes() == ARGUMENTS {
                argv.extend(arguments(candidate, shape)?);
            } else {
                argv.push(replaced(word, FILE, file.as_os_str()));
            }
        }
        Some(argv)
    }
}

fn with_rule(word: &OsStr, rule: Option<&str>) -> Result<OsString, String> {
    match rule {
        Some(rule) => Ok(replaced(word, RULE, OsStr::new(rule))),
        None if find(word.as_bytes(), RULE).is_some() => {
            Err("@RULE stands for a rule, and there is none: name it with --rule".into())
        }
        None => Ok(word.to_owned()),
    }
}

fn replaced(word: &OsStr, what: &[u8], by: &OsStr) -> OsString {
    let mut done = Vec::with_capacity(word.len());
    let mut rest = word.as_bytes();
    while let Some(at) = find(rest, what) {
        done.extend_from_slice(&rest[..at]);
        done.extend_from_slice(by.as_bytes());
        rest = &rest[at + what.len()..];
    }
    done.extend_from_slice(rest);
    OsString::from_vec(done)
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}

/// A candidate as arguments: a list's entries, a JSON array's or object's values, else the whole as one.
/// `None` where a NUL byte forbids it.
fn arguments(candidate: &[u8], shape: Shape) -> Option<Vec<OsString>> {
    let pieces: Vec<Vec<u8>> = match shape {
        Shape::Nul => entries(candidate, 0),
        Shape::Lines | Shape::List => entries(candidate, b'\n'),
        Shape::Json => json(candidate).unwrap_or_else(|| vec![candidate.to_vec()]),
        Shape::Ndjson | Shape::Csv | Shape::Text => vec![candidate.to_vec()],
    };
    pieces
        .iter()
        .all(|piece| !piece.contains(&0))
        .then(|| pieces.into_iter().map(OsString::from_vec).collect())
}

/// The entries of a list; an end without a separator ends one too, an empty list has none.
fn entries(list: &[u8], separator: u8) -> Vec<Vec<u8>> {
    let list = list.strip_suffix(&[separator]).unwrap_or(list);
    if list.is_empty() { Vec::new() } else { list.split(|&b| b == separator).map(<[u8]>::to_vec).collect() }
}

fn json(candidate: &[u8]) -> Option<Vec<Vec<u8>>> {
    if let Ok(items) = serde_json::from_slice::<Vec<&RawValue>>(candidate) {
        return Some(items.into_iter().map(bare).collect());
    }
    let members = crate::fields::Fields::read(candidate)?;
    Some(members.values().map(bare).collect())
}

/// A string without its quotes, any other value as it is written.
fn bare(value: &RawValue) -> Vec<u8> {
    let text = serde_json::from_str::<String>(value.get());
    text.unwrap_or_else(|_| value.get().to_owned()).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &[&str], candidate: &[u8], shape: Shape, expected: Option<&[&str]>, stdin: bool) {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        let template = Template::new(&words, Some("R 1")).expect("the rule is there");
        let argv = template.argv(candidate, shape, Path::new("/t/in.json"));
        let expected = expected.map(|words| words.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!((argv, template.takes_stdin()), (expected, stdin), "{words:?}");
    }

    #[test]
    fn a_candidate_takes_the_place_of_its_words() {
        let text = Shape::Text;
        check(&["o", "-x"], b"c", text, Some(&["o", "-x"]), true);
        check(&["o", "@@", "--in=@@"], b"c", text, Some(&["o", "/t/in.json", "--in=/t/in.json"]), false);
        check(&["o", "--rule", "@RULE"], b"c", text, Some(&["o", "--rule", "R 1"]), true);
        check(&["o", "{}", "{}x"], b"a b\n", text, Some(&["o", "a b\n", "{}x"]), false);
        check(&["@RULE"], b"c", text, Some(&["@RULE"]), true);
        check(&["o", "{}"], b"a b\n\nc\n", Shape::Lines, Some(&["o", "a b", "", "c"]), false);
        check(&["o", "{}"], b"", Shape::Lines, Some(&["o"]), false);
        check(&["o", "{}"], b"a\0b\n\0", Shape::Nul, Some(&["o", "a", "b\n"]), false);
        check(&["o", "{}"], b"a\0b", Shape::Lines, None, false);
        check(&["o", "{}"], br#"["a", 1.50, null]"#, Shape::Json, Some(&["o", "a", "1.50", "null"]), false);
        check(
            &["o", "{}"],
            br#"{"k": "\u0061", "l": [1, 2]}"#,
            Shape::Json,
            Some(&["o", "a", "[1, 2]"]),
            false,
        );
        check(&["o", "{}"], b"17", Shape::Json, Some(&["o", "17"]), false);
        check(&["o", "{}"], br#"["\u0000"]"#, Shape::Json, None, false);
    }

    #[test]
    fn a_rule_that_nobody_names_is_an_error() {
        let words = [OsString::from("o"), OsString::from("x@RULE")];
        let said = "@RULE stands for a rule, and there is none: name it with --rule";
        assert_eq!(Template::new(&words, None), Err(said.to_owned()));
    }
}

//! Which constraint a failure breaks: its rule's id, and the rule's wording where a rules file has it.
//!
//! A rules file holds JSON objects, one a line or in one array:
//!
//! ```json
//! {"id": "R-12", "match": "refund.*rounds", "invariant": "refunds round half to even"}
//! ```
//!
//! `match` is a regular expression, searched in the test's id, then in the message; the first rule that matches
//! counts. `invariant` may be left out; other fields are not looked at.

use bv_schemas::{Failure, rule};
use regex::Regex;
use serde_json::Value;
use std::io;
use std::path::Path;

/// Longest rules file.
const FILE_BYTES_MAX: u64 = 4 << 20;

/// The rules of a file, in its order.
#[derive(Debug, Default)]
pub struct Rules(Vec<Rule>);

#[derive(Debug)]
struct Rule {
    id: String,
    pattern: Regex,
    invariant: Option<String>,
}

/// A rule that a failure breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The rule's id.
    pub id: String,
    /// The rule's words.
    pub invariant: Option<String>,
}

impl Rules {
    /// Reads a rules file.
    ///
    /// # Errors
    /// A file that cannot be read, is over 4 MiB, or holds something else than rules.
    pub fn load(path: &Path) -> io::Result<Rules> {
        let wrong =
            |what: String| io::Error::other(format!("cannot use the rules: {}: {what}", path.display()));
        let bytes_max_and_one = FILE_BYTES_MAX + 1;
        let mut text = String::new();
        let file = std::fs::File::open(path).map_err(|error| wrong(error.to_string()))?;
        io::Read::read_to_string(&mut io::Read::take(file, bytes_max_and_one), &mut text)
            .map_err(|error| wrong(error.to_string()))?;
        if text.len() as u64 > FILE_BYTES_MAX {
            return Err(wrong(format!("longer than {FILE_BYTES_MAX} bytes")));
        }
        Rules::parse(&text).map_err(wrong)
    }

    fn parse(text: &str) -> Result<Rules, String> {
        let mut rules = Vec::new();
        for value in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
            match value.map_err(|error| error.to_string())? {
                Value::Array(items) => {
                    items.iter().try_for_each(|item| read(item).map(|rule| rules.push(rule)))?
                }
                item => rules.push(read(&item)?),
            }
        }
        Ok(Rules(rules))
    }

    fn broken_by(&self, failure: &Failure) -> Option<Broken> {
        let texts = [failure.id.as_deref(), failure.message.as_deref()];
        let matching =
            self.0.iter().find(|rule| texts.iter().flatten().any(|text| rule.pattern.is_match(text)))?;
        Some(Broken { id: matching.id.clone(), invariant: matching.invariant.clone() })
    }

    /// The constraint that a failure is known to break: that of a gate, of the rules file, or named in
    /// its id or message. A linter's code is not among them: see [`named`].
    pub fn constraint(&self, failure: &Failure) -> Option<Broken> {
        rule::gate(failure)
            .map(|id| Broken { id, invariant: None })
            .or_else(|| self.broken_by(failure))
            .or_else(|| rule::token(failure).map(|id| Broken { id, invariant: None }))
    }
}

fn read(value: &Value) -> Result<Rule, String> {
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(crate::redact::clean);
    let id =
        text("id").filter(|id| !id.is_empty()).ok_or_else(|| format!("a rule without \"id\": {value}"))?;
    let pattern =
        value.get("match").and_then(Value::as_str).ok_or_else(|| format!("rule {id} has no \"match\""))?;
    let pattern =
        Regex::new(pattern).map_err(|error| format!("rule {id}: {}", one_line(&error.to_string())))?;
    Ok(Rule { id, pattern, invariant: text("invariant").filter(|words| !words.is_empty()) })
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use bv_schemas::Kind;

    const FILE: &str = r#"[{"id": "R-1", "match": "refund", "invariant": "refunds are whole"}]
{"id": "R-2", "match": "^tests/b"}"#;

    fn check(failure: Failure, expected: Option<(&str, Option<&str>)>, name: &str) {
        let rules = Rules::parse(FILE).expect("the file is well-formed");
        let got = rules.constraint(&failure);
        let expected =
            expected.map(|(id, invariant)| Broken { id: id.into(), invariant: invariant.map(str::to_owned) });
        assert_eq!((got, rule::named(&failure)), (expected, name.to_owned()), "{failure:?}");
    }

    fn failure(id: &str, message: &str) -> Failure {
        Failure {
            id: (!id.is_empty()).then(|| id.into()),
            message: (!message.is_empty()).then(|| message.into()),
            ..Failure::default()
        }
    }

    #[test]
    fn rules_come_in_their_order() {
        let gate = Failure { rule: Some("G".into()), vector_index: Some(0), ..failure("refund", "") };
        check(gate, Some(("G", None)), "G");
        check(failure("tests/b refund", ""), Some(("R-1", Some("refunds are whole"))), "tests/b refund");
        check(failure("tests/b", "rule_7"), Some(("R-2", None)), "tests/b");
        check(failure("t", "broke rule_0427_decay!"), Some(("rule_0427_decay", None)), "t");
        check(failure("test_rule_7", ""), None, "test_rule_7");
        let lint = Failure { rule: Some("E501".into()), kind: Kind::Lint, ..Failure::default() };
        check(lint, None, "E501");
        check(Failure { kind: Kind::SetupError, ..Failure::default() }, None, "bv.setup_error");
    }

    #[test]
    fn a_bad_rules_file_is_named() {
        for (text, expected) in [
            (r#"{"match": "x"}"#, r#"a rule without "id": {"match":"x"}"#),
            (r#"{"id": "a"}"#, r#"rule a has no "match""#),
            ("{", "EOF while parsing an object at line 1 column 1"),
            (r#"{"id": "a", "match": "("}"#, "rule a: regex parse error: ( ^ error: unclosed group"),
        ] {
            assert_eq!(Rules::parse(text).err().as_deref(), Some(expected));
        }
    }
}

//! What a failure is called where stages must call it the same: bv-receipt shows this name and bv-minimize
//! holds candidates to it.

use crate::{Failure, Kind};

/// What a failure is called where no constraint is known: a linter's or compiler's code, else the test's id,
/// else `bv.KIND`.
pub fn named(failure: &Failure) -> String {
    let own = failure.rule.clone().or_else(|| failure.id.clone());
    own.unwrap_or_else(|| format!("bv.{}", word(failure.kind)))
}

/// The rule of a failure where no file of rules says otherwise.
pub fn of(failure: &Failure) -> String {
    gate(failure).or_else(|| token(failure)).unwrap_or_else(|| named(failure))
}

/// The rule that a gate gave; a linter's code is none.
pub fn gate(failure: &Failure) -> Option<String> {
    failure.rule.clone().filter(|_| failure.vector_index.is_some() || failure.adapter.is_some())
}

/// `rule_`, digits and what else belongs to the word, in the test's id or message.
pub fn token(failure: &Failure) -> Option<String> {
    [failure.id.as_deref(), failure.message.as_deref()].into_iter().flatten().find_map(token_in)
}

fn token_in(text: &str) -> Option<String> {
    const START: &str = "rule_";
    text.match_indices(START).find_map(|(at, _)| {
        let inside_a_word = text[..at].chars().next_back().is_some_and(of_a_word);
        let numbered = text[at + START.len()..].starts_with(|c: char| c.is_ascii_digit());
        let word = &text[at..];
        let end = word.find(|c| !of_a_word(c)).unwrap_or(word.len());
        (numbered && !inside_a_word).then(|| word[..end].to_owned())
    })
}

fn of_a_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn word(kind: Kind) -> String {
    let value = serde_json::to_value(kind).unwrap_or_default();
    value.as_str().map_or_else(String::new, str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(failure: Failure, expected: &str) {
        assert_eq!(of(&failure), expected, "{failure:?}");
    }

    fn failure(id: &str, message: &str) -> Failure {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Failure { id: some(id), message: some(message), ..Failure::default() }
    }

    #[test]
    fn the_most_telling_name_wins() {
        let rule = Some("G".to_owned());
        let gate = Failure { rule: rule.clone(), vector_index: Some(0), ..failure("a rule_7", "") };
        check(gate, "G");
        check(Failure { rule, ..failure("a rule_7", "") }, "rule_7");
        check(Failure { rule: Some("E501".into()), ..failure("a", "") }, "E501");
        check(failure("t", "broke rule_0427_decay!"), "rule_0427_decay");
        check(failure("t[rule_1é]", ""), "rule_1é");
        check(failure("test_rule_7", "rule_x rule_"), "test_rule_7");
        check(failure("xrule_7 rule_8", ""), "rule_8");
        check(Failure { kind: Kind::SetupError, ..Failure::default() }, "bv.setup_error");
    }
}

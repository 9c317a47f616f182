//! One input against one rule (`--rule ID --input FILE`).
//!
//! The rule's checks come from the rules file, or from the vectors that name the rule. An `expected` value
//! belongs to the input that it stands beside, so it is taken only where that very input is asked for; the
//! other checks hold for any input, and all vectors of the rule must agree on them.

use crate::filter;
use crate::refusal::Refusal;
use crate::source::{Rules, Vector, each_object, unknown_rule, wire};
use bv_schemas::vector;
use jaq_json::Val;
use serde_json::value::RawValue;
use std::path::Path;

/// Makes a vector of `input` (the text of a JSON object) and the rule; `None` where the rule's
/// precondition does not hold of it.
///
/// # Errors
/// Where the rule is not known, is not the same in all vectors, or has nothing to check of this input.
pub fn vector(
    mut rules: Rules,
    vectors: Option<&Path>,
    rule_id: &str,
    input: &str,
) -> Result<Option<Vector>, Refusal> {
    let mut found = Found::default();
    if let Some(path) = vectors {
        let value = filter::value(input).map_err(Refusal::bad_input)?;
        each_object(path, |object| {
            let one = wire(object.text)?;
            if one.rule_id == rule_id { found.take(&one, &value) } else { Ok(()) }
        })?;
    }
    if found.all.is_none() && !rules.knows(rule_id) {
        return Err(unknown_rule(rule_id));
    }
    let (shared, expected) = match (found.same_input, found.all) {
        (Some(one), _) => (one.shared, one.expected),
        (None, Some(_)) if found.disagree => {
            let what =
                format!("the vectors of rule {rule_id} do not agree on its checks; put it in a rules file");
            return Err(Refusal::bad_input(what));
        }
        (None, Some(all)) => (all.shared, None),
        (None, None) => (Shared::default(), None),
    };
    let refuse = |what: String| Refusal::bad_input(format!("rule {rule_id}: {what}"));
    let raw = |text: &Option<String>| text.clone().map(RawValue::from_string).transpose();
    let raw = |text: &Option<String>| raw(text).map_err(|wrong| refuse(wrong.to_string()));
    let (input, schema, expected) = (raw(&Some(input.into()))?, raw(&shared.schema)?, raw(&expected)?);
    let wire = vector::Vector {
        input: input.as_deref(),
        rule_id: rule_id.to_owned(),
        precondition: shared.precondition,
        predicate: shared.predicate,
        expected: expected.as_deref(),
        tolerance: found.tolerance,
        schema: schema.as_deref(),
        invariant: found.invariant,
        comment: None,
    };
    rules.vector(&wire, None).map_err(refuse)
}

/// What the vectors of the rule say.
#[derive(Default)]
struct Found {
    /// The first of them.
    all: Option<Own>,
    /// Whether another says something else.
    disagree: bool,
    /// The first whose input is the one that is asked for.
    same_input: Option<Own>,
    tolerance: Option<vector::Tolerance>,
    invariant: Option<String>,
}

#[derive(Clone, Default)]
struct Own {
    shared: Shared,
    expected: Option<String>,
}

/// What holds for any input.
#[derive(Clone, Default, PartialEq)]
struct Shared {
    precondition: Option<String>,
    predicate: Option<String>,
    schema: Option<String>,
}

impl Found {
    fn take(&mut self, vector: &vector::Vector<'_>, asked: &Val) -> Result<(), String> {
        let raw = |raw: Option<&RawValue>| raw.map(|raw| raw.get().to_owned());
        let shared = Shared {
            precondition: vector.precondition.clone(),
            predicate: vector.predicate.clone(),
            schema: raw(vector.schema),
        };
        if self.all.as_ref().is_some_and(|all| all.shared != shared) {
            self.disagree = true;
        }
        let own = Own { shared, expected: raw(vector.expected) };
        if self.all.is_none() {
            self.all = Some(own.clone());
            self.tolerance = vector.tolerance;
            self.invariant = vector.invariant.clone();
        }
        let input = vector.input.ok_or("no `input`: it is a rule")?.get();
        if self.same_input.is_none() && filter::value(input)? == *asked {
            self.tolerance = vector.tolerance;
            self.invariant = vector.invariant.clone();
            self.same_input = Some(own);
        }
        Ok(())
    }
}

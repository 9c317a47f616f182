//! What must hold of an output, compiled.
//!
//! In: the checks of a vector or a rule, as text. Out: whether a vector applies, and which checks an output
//! breaks. A filter or schema that many vectors share is compiled once.

use crate::compare::difference;
use crate::filter::{self, Filter, Yield};
use crate::words::{TEXT_BYTES_MAX, head};
use bv_schemas::Check;
use bv_schemas::vector::{Tolerance, Vector};
use jaq_json::Val;
use jsonschema::Validator;
use serde_json::Value;
use std::collections::HashMap;
use std::rc::Rc;

/// Compiled filters and schemas kept, each; when so many different ones have come, all are forgotten.
const COMPILED_MAX: usize = 1_000;

/// The checks of one vector or one rule.
#[derive(Default)]
pub struct Checks {
    precondition: Option<Rc<Filter>>,
    predicate: Option<Rc<Filter>>,
    expected: Option<Expected>,
    schema: Option<Rc<Schema>>,
    tolerance: Option<Tolerance>,
    invariant: Option<String>,
}

struct Expected {
    text: String,
    value: Val,
}

struct Schema {
    text: String,
    validator: Validator,
}

/// Filters and schemas by their text.
#[derive(Default)]
pub struct Compiled {
    filters: HashMap<String, Rc<Filter>>,
    schemas: HashMap<String, Rc<Schema>>,
}

impl Checks {
    /// Compiles the checks of `vector`.
    ///
    /// # Errors
    /// What is wrong with them, in words.
    pub fn of(vector: &Vector<'_>, compiled: &mut Compiled) -> Result<Checks, String> {
        let mut filter = |name: &str, text: &Option<String>| match text {
            Some(text) => compiled.filter(text).map(Some).map_err(|what| format!("{name}: {what}")),
            None => Ok(None),
        };
        let precondition = filter("precondition", &vector.precondition)?;
        let predicate = filter("predicate", &vector.predicate)?;
        let expected = match vector.expected {
            Some(raw) => Some(Expected { text: raw.get().into(), value: filter::value(raw.get())? }),
            None => None,
        };
        let schema = match vector.schema {
            Some(raw) => Some(compiled.schema(raw.get()).map_err(|what| format!("schema: {what}"))?),
            None => None,
        };
        let tolerance = vector.tolerance;
        let bounds = tolerance.into_iter().flat_map(|t| [t.abs, t.rel]).flatten();
        if bounds.into_iter().any(|bound| bound < 0.0) {
            return Err("tolerance: below zero".into());
        }
        let invariant = vector.invariant.clone();
        Ok(Checks { precondition, predicate, expected, schema, tolerance, invariant })
    }

    /// Whether anything is checked at all.
    pub fn checks_anything(&self) -> bool {
        self.predicate.is_some() || self.expected.is_some() || self.schema.is_some()
    }
}

impl Compiled {
    fn filter(&mut self, text: &str) -> Result<Rc<Filter>, String> {
        kept(&mut self.filters, text, Filter::compile)
    }

    fn schema(&mut self, text: &str) -> Result<Rc<Schema>, String> {
        kept(&mut self.schemas, text, Schema::compile)
    }
}

fn kept<T>(
    all: &mut HashMap<String, Rc<T>>,
    text: &str,
    compile: impl FnOnce(&str) -> Result<T, String>,
) -> Result<Rc<T>, String> {
    if let Some(known) = all.get(text) {
        return Ok(Rc::clone(known));
    }
    let new = Rc::new(compile(text)?);
    if all.len() >= COMPILED_MAX {
        all.clear();
    }
    all.insert(text.to_owned(), Rc::clone(&new));
    Ok(new)
}

impl Schema {
    fn compile(text: &str) -> Result<Schema, String> {
        let schema: Value = serde_json::from_str(text).map_err(|wrong| wrong.to_string())?;
        let validator = jsonschema::validator_for(&schema).map_err(|wrong| wrong.to_string())?;
        Ok(Schema { text: text.to_owned(), validator })
    }
}

/// Whether all preconditions among `checks` hold of `input`.
///
/// # Errors
/// Where one says neither yes nor no: whether the vector applies is unknown then.
pub fn applies(checks: &[&Checks], input: &Val) -> Result<bool, String> {
    for filter in checks.iter().filter_map(|checks| checks.precondition.as_ref()) {
        match filter.run(filter::object([("input", input.clone())])) {
            Yield::True => {}
            Yield::False(_) => return Ok(false),
            Yield::Nothing => return Err("precondition yields nothing, neither true nor false".into()),
            Yield::Error(what) => return Err(format!("precondition fails: {what}")),
            Yield::Other(value) => return Err(undecided("precondition", &value)),
        }
    }
    Ok(true)
}

/// The checks that `output` breaks, those of the first of `checks` first.
///
/// # Errors
/// Where a predicate yields neither `true` nor `false` nor `null`: it is none then. A predicate that fails,
/// or yields nothing, is broken: most often the output lacks what it looks at.
pub fn broken(checks: &[&Checks], input: &Val, output: &str) -> Result<Vec<Check>, String> {
    let value = filter::value(output)?;
    let tolerance = checks.iter().find_map(|checks| checks.tolerance).unwrap_or_default();
    let words = checks.iter().find_map(|checks| checks.invariant.as_deref());
    let mut all = Vec::new();
    let mut add = |message: String, side: &str| {
        all.push(Check {
            message: Some(head(&message, TEXT_BYTES_MAX)),
            expected: Some(head(words.unwrap_or(side), TEXT_BYTES_MAX)),
            observed: Some(head(output, TEXT_BYTES_MAX)),
            line: None,
        });
    };
    for checks in checks {
        if let Some(filter) = &checks.predicate {
            let both = filter::object([("input", input.clone()), ("output", value.clone())]);
            match filter.run(both) {
                Yield::True => {}
                Yield::False(which) => add(format!("the predicate yields {which}"), filter.text()),
                Yield::Nothing => add("the predicate yields nothing".into(), filter.text()),
                Yield::Error(what) => add(format!("the predicate fails: {what}"), filter.text()),
                Yield::Other(value) => return Err(undecided("predicate", &value)),
            }
        }
        if let Some(expected) = &checks.expected
            && let Some(said) = difference(&expected.value, &value, tolerance)
        {
            add(said, &expected.text);
        }
        if let Some(schema) = &checks.schema
            && let Some(said) = schema.broken(output)
        {
            add(said, &schema.text);
        }
    }
    Ok(all)
}

impl Schema {
    fn broken(&self, output: &str) -> Option<String> {
        let output: Value = match serde_json::from_str(output) {
            Ok(output) => output,
            Err(wrong) => return Some(wrong.to_string()),
        };
        let error = self.validator.iter_errors(&output).next()?;
        let at = error.instance_path().to_string();
        let at = if at.is_empty() { "the output".to_owned() } else { at };
        Some(format!("{at} breaks the schema: {error}"))
    }
}

fn undecided(what: &str, value: &str) -> String {
    format!("{what} yields {}, neither true nor false", head(value, 120))
}

/// What the invariant says, else what side the first check has: for an output that cannot be checked.
pub fn in_words(checks: &[&Checks]) -> Option<String> {
    let words = checks.iter().find_map(|checks| checks.invariant.as_deref());
    let sides = || {
        let predicate = checks.iter().find_map(|checks| checks.predicate.as_deref().map(Filter::text));
        let expected = || checks.iter().find_map(|checks| checks.expected.as_ref()).map(|e| e.text.as_str());
        predicate.or_else(expected)
    };
    words.or_else(sides).map(|words| head(words, TEXT_BYTES_MAX))
}

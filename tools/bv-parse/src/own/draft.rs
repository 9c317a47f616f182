//! A failure that grows as the lines of its block come in.

use super::pattern::{Field, Fit};
use bv_schemas::{Failure, Kind, Place};
use serde_json::Value;

/// Values of the counterexample that are kept.
const INPUTS_MAX: usize = 64;
/// Bytes of a side of several lines.
const SIDE_BYTES_MAX: usize = 16 << 10;

/// See the head of this file.
#[derive(Clone, Debug)]
pub struct Draft {
    failure: Failure,
    place: Place,
    fault: Place,
}

impl Draft {
    /// A failure of this sort that begins here.
    pub fn new(kind: Kind, span: [u64; 2]) -> Draft {
        let failure = Failure { kind, span: Some(span), ..Failure::default() };
        Draft { failure, place: Place::default(), fault: Place::default() }
    }

    /// The failure is of this sort.
    pub fn kind(&mut self, kind: Kind) {
        self.failure.kind = kind;
    }

    /// The block goes on to this byte.
    pub fn reach(&mut self, end: u64) {
        if let Some(span) = &mut self.failure.span {
            span[1] = end;
        }
    }

    /// Takes what a line says. The first value of a field stays; sides of several lines grow.
    pub fn take(&mut self, fit: &Fit<'_, '_>) {
        for (field, text) in fit.fields() {
            self.set(field, text);
        }
    }

    /// Takes one value.
    pub fn set(&mut self, field: &Field, text: &str) {
        let failure = &mut self.failure;
        match field {
            Field::Id => first(&mut failure.id, text),
            Field::Message => first(&mut failure.message, text),
            Field::Exception => first(&mut failure.exception_type, text),
            Field::Rule => first(&mut failure.rule, text),
            Field::Expected => grow(&mut failure.expected, text),
            Field::Observed => grow(&mut failure.observed, text),
            Field::File => first(&mut self.place.file, text),
            Field::Line => number(&mut self.place.line, text),
            Field::Function => first(&mut self.place.function, text),
            Field::FaultFile => first(&mut self.fault.file, text),
            Field::FaultLine => number(&mut self.fault.line, text),
            Field::FaultFunction => first(&mut self.fault.function, text),
            Field::Input(name) => self.input(name, text),
            Field::Column | Field::Count(_) | Field::Seconds | Field::Milliseconds => {}
        }
    }

    fn input(&mut self, name: &str, text: &str) {
        let inputs = self.failure.counterexample.get_or_insert_default();
        if inputs.len() < INPUTS_MAX && !inputs.contains_key(name) {
            let value = serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()));
            inputs.insert(name.to_owned(), value);
        }
    }

    /// The whole failure. A finding or a compiler's error stands in the product, a failed check in a test.
    pub fn finish(self) -> Failure {
        let Draft { mut failure, place, fault } = self;
        let some = |place: Place| (place != Place::default()).then_some(place);
        let (place, fault) = (some(place), some(fault));
        if matches!(failure.kind, Kind::Lint | Kind::CompileError) && fault.is_none() {
            failure.fault = place;
        } else {
            failure.fault = fault.filter(|fault| Some(fault) != place.as_ref());
            failure.test = place;
        }
        failure
    }
}

fn first(field: &mut Option<String>, text: &str) {
    field.get_or_insert_with(|| text.to_owned());
}

fn grow(field: &mut Option<String>, text: &str) {
    match field {
        Some(side) if side.len() + text.len() < SIDE_BYTES_MAX => {
            side.push('\n');
            side.push_str(text);
        }
        Some(_) => {}
        None => *field = Some(text.to_owned()),
    }
}

/// Lines count from 1; what is no number is not said.
fn number(field: &mut Option<u64>, text: &str) {
    if let Ok(line) = text.parse()
        && line > 0
    {
        field.get_or_insert(line);
    }
}

//! One failed check: `spring_test.cpp(9): error: in "forces/linear": check a == b has failed [1 != 2]`, its
//! last checkpoint, its context.

use crate::cpp;
use crate::values::{Sides, split_outside};
use bv_schemas::{Failure, Kind, Place};
use serde_json::{Map, Value};

/// Lines of one check.
const LINES_MAX: usize = 100;

/// A failed check, as printed.
#[derive(Debug)]
pub struct Check {
    /// The file may be left out, as in the project's own recorded outputs.
    place: Option<(Option<String>, u64)>,
    id: String,
    text: String,
    fatal: bool,
    /// What the lines below `occurred in a following context:` say.
    context: Option<Vec<String>>,
    lines: usize,
    span: [u64; 2],
}

impl Check {
    /// Whether a failed check is told of here.
    pub fn begins(text: &str, span: [u64; 2]) -> Option<Check> {
        let (head, rest) = text.split_once("error: in \"")?;
        let (place, fatal) = match head.strip_suffix("fatal ") {
            Some(place) => (place, true),
            None => (head, false),
        };
        let (id, text) = rest.split_once("\": ")?;
        let place = place.trim_end().strip_suffix(':')?;
        let bare = place.parse().ok().map(|line| (None, line));
        let known = cpp::place(place)
            .filter(|(file, _)| *file != "unknown location")
            .map(|(file, line)| (Some(file.to_owned()), line))
            .or(bare);
        (known.is_some() || place.starts_with("unknown location")).then(|| Check {
            place: known.filter(|(_, line)| *line > 0),
            id: id.to_owned(),
            text: text.to_owned(),
            fatal,
            context: None,
            lines: 0,
            span,
        })
    }

    /// Takes the next line; false when the check's report is over.
    pub fn line(&mut self, text: &str, span: [u64; 2]) -> bool {
        self.lines += 1;
        if self.lines > LINES_MAX {
            return false;
        }
        let checkpoint = text.find("): last checkpoint").and_then(|at| cpp::place(&text[..=at]));
        if let Some((file, line)) = checkpoint {
            self.place.get_or_insert((Some(file.to_owned()), line));
        } else if text.ends_with("Failure occurred in a following context:") {
            self.context = Some(Vec::new());
        } else if let (Some(context), Some(said)) = (&mut self.context, text.strip_prefix("    ")) {
            context.push(said.trim().to_owned());
        } else if is_more(text) {
            self.text.push_str("; ");
            self.text.push_str(text.trim_start_matches([' ', '-']));
        } else {
            return false;
        }
        self.span[1] = span[1];
        true
    }

    /// The failure that it tells of.
    pub fn failure(self) -> Failure {
        let function = function(&self.id).map(str::to_owned);
        let (file, line) = self.place.map_or((None, None), |(file, line)| (file, Some(line)));
        let mut failure = Failure {
            test: Some(Place { file, line, function }),
            id: Some(self.id),
            span: Some(self.span),
            ..Failure::default()
        };
        let mut message = self.text;
        if let Some((signal, _)) = message.strip_prefix("signal: ").and_then(|text| text.split_once(' ')) {
            failure.kind = Kind::Crash;
            let name = signal.trim_end_matches(',');
            failure.exception_type = name.starts_with("SIG").then(|| name.to_owned());
        } else if message.starts_with("memory access violation") {
            failure.kind = Kind::Crash;
        } else if let Some((name, what)) = exception(&message).filter(|_| self.fatal) {
            failure.kind = Kind::Exception;
            failure.exception_type = Some(name.to_owned());
            message = what.to_owned();
        } else if let Some(sides) = sides(&message) {
            sides.fill(&mut failure);
        }
        let context = self.context.unwrap_or_default();
        failure.counterexample = inputs(&context);
        if failure.counterexample.is_none() && !context.is_empty() {
            message = [&message, "; ", &context.join("; ")].concat();
        }
        failure.message = Some(message);
        failure
    }
}

/// Collections differ at several positions; boost::exception tells of itself in several lines.
fn is_more(text: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "  - mismatch at position ",
        "Mismatch at position ",
        "Collections size mismatch: ",
        "Dynamic exception type: ",
        "std::exception::what: ",
        "[boost::",
    ];
    BEGINNINGS.iter().any(|beginning| text.starts_with(beginning))
}

/// `forces/linear`, `forces/typed<int>`, and of a data set's cases `forces/linear/_0`.
fn function(id: &str) -> Option<&str> {
    let number =
        |name: &&str| !name.strip_prefix('_').is_some_and(|n| n.bytes().all(|byte| byte.is_ascii_digit()));
    let name = id.rsplit('/').find(number)?;
    let name = name.split('<').next()?;
    (!name.is_empty() && !name.contains(' ')).then_some(name)
}

/// `std::invalid_argument: no spring`
fn exception(text: &str) -> Option<(&str, &str)> {
    let (name, what) = text.split_once(": ")?;
    let name = name.strip_prefix("class ").or(name.strip_prefix("struct ")).unwrap_or(name);
    let is_type = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || "_:<>,".contains(c));
    is_type.then_some((name, what))
}

/// The sides of `check a == b has failed [1 != 2]`, of `difference{…} between a{1} and b{2} exceeds 1%`.
fn sides(text: &str) -> Option<Sides> {
    if let Some((_, values)) = text.split_once(" has failed [") {
        let values = values.rsplit_once(']')?.0;
        return NEGATED.iter().find_map(|(printed, operator)| {
            let (observed, wanted) = split_outside(values, &[" ", printed, " "].concat())?;
            Some(cpp::compared(observed, operator, wanted))
        });
    }
    let (_, pair) = text.strip_prefix("difference")?.split_once(" between ")?;
    let (left, right) = split_outside(pair.split_once("} exceeds ")?.0, " and ")?;
    let value = |side: &str| side.rsplit_once('{').map(|(_, value)| value.trim_end_matches('}').to_owned());
    Some(Sides { observed: value(left), expected: value(right) })
}

/// What is printed is what holds instead.
const NEGATED: &[(&str, &str)] =
    &[("!=", "=="), ("==", "!="), (">=", "<"), ("<=", ">"), (">", "<="), ("<", ">=")];

/// The inputs of a data set's case: `x = 7; y = a; `.
fn inputs(context: &[String]) -> Option<Map<String, Value>> {
    let mut inputs = Map::new();
    for pair in context.iter().flat_map(|line| line.split("; ")) {
        let (name, value) = pair.trim_end_matches(';').split_once(" = ")?;
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
        inputs.insert(is_name.then(|| name.to_owned())?, value);
    }
    (!inputs.is_empty()).then_some(inputs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_have_two_sides() {
        for (text, want) in [
            ("check f() == -9 has failed [-8 != -9]", Some(("-9", "-8"))),
            ("check a < b has failed [5 >= 3]", Some(("< 3", "5"))),
            ("check a == b has failed [\"x != y\" != \"z\"]. because", Some(("\"z\"", "\"x != y\""))),
            ("difference{0.5} between f(1, 2){1} and 1.5{1.5} exceeds 1e-09%", Some(("1.5", "1"))),
            ("check ok() has failed", None),
        ] {
            assert_eq!(sides(text), want.map(|(wanted, seen)| Sides::both(wanted, seen)), "{text}");
        }
    }

    #[test]
    fn functions_of_ids() {
        for (id, want) in [
            ("forces/linear", Some("linear")),
            ("forces/typed<int>", Some("typed")),
            ("forces/data/_12", Some("data")),
            ("Test setup", None),
        ] {
            assert_eq!(function(id), want, "{id}");
        }
    }

    #[test]
    fn exceptions_name_their_type() {
        assert_eq!(exception("std::runtime_error: no: never"), Some(("std::runtime_error", "no: never")));
        assert_eq!(exception("critical check a has failed: b"), None);
    }
}

//! The words of test-unit's assertions and errors.

use crate::values::Sides;
use bv_schemas::{Failure, Kind};
use regex::Regex;
use std::sync::LazyLock;

/// A failed assertion.
pub fn assertion(lines: &[&str]) -> Failure {
    let mut failure = Failure { kind: Kind::Assertion, message: first(lines), ..Failure::default() };
    sides(lines).fill(&mut failure);
    failure
}

/// `Cart::OutOfStock: only 3 of pen left`
pub fn error(lines: &[&str]) -> Failure {
    let said = first(lines);
    let text = said.as_deref().unwrap_or_default();
    let is_class = |name: &str| {
        name.starts_with(char::is_uppercase)
            && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':'))
    };
    let (class, message) = match text.split_once(": ") {
        Some((class, message)) if is_class(class) => (Some(class), message),
        _ if is_class(text) => (Some(text), ""),
        _ => (None, text),
    };
    Failure {
        kind: Kind::Exception,
        message: Some(message.to_owned()).filter(|message| !message.is_empty()),
        exception_type: class.map(str::to_owned),
        ..Failure::default()
    }
}

fn first(lines: &[&str]) -> Option<String> {
    lines.iter().map(|line| line.trim()).find(|line| !line.is_empty()).map(str::to_owned)
}

/// The two sides; a value may have several lines.
fn sides(lines: &[&str]) -> Sides {
    static FORMS: LazyLock<[(Regex, Read); 7]> = LazyLock::new(|| {
        let form = |pattern: &str, read: Read| {
            (Regex::new(pattern).expect("a constant pattern, run by the tests"), read)
        };
        [
            form(r"(?ms)^<(.*?)> expected but was\n<(.*)>\.?\z", Sides::both),
            form(r"(?ms)^<.*?> was expected to be \w+\?\n<(.*?)> but was\n<(.*)>\.?\z", Sides::both),
            form(r"(?ms)^<(.*?)> was expected to be =~\n<(.*)>\.?\z", Sides::both),
            form(r"(?ms)^<(.*)> was expected to include\n<(.*)>\.?\z", included),
            form(r"(?m)^<(.*?)> was expected to be ((?:less|greater) than.*\n<.*>)\.?\z", compared),
            form(r"(?m)^<(.*?)> was expected to be (.*[^\n.])\.?\z", |seen, words| Sides::both(words, seen)),
            form(r"(?m)^<(.*?)> exception was expected but none was thrown()\.?\z", |expected, _| Sides {
                expected: Some(expected.to_owned()),
                observed: None,
            }),
        ]
    });
    let end = lines
        .iter()
        .position(|line| matches!(*line, "diff:" | "folded diff:" | "Relation:"))
        .unwrap_or(lines.len());
    let text = lines[..end].join("\n");
    let text = text.trim_end();
    let found = FORMS.iter().find_map(|(form, read)| {
        let found = form.captures(text)?;
        Some(read(&found[1], &found[2]))
    });
    if let Some(mut sides) = found {
        // Of another exception its trace is printed, too.
        sides.observed = sides.observed.map(|seen| untraced(&seen).to_owned());
        return sides;
    }
    let truth = text.lines().last().and_then(|line| line.strip_prefix('<')?.strip_suffix("> is not true."));
    truth.map_or_else(Sides::default, |seen| Sides::both("true", seen))
}

/// How the two values of a form are meant.
type Read = fn(&str, &str) -> Sides;

/// `<[1, 2]> was expected to include <3>`; a range of floats says what must lie in it.
fn included(list: &str, item: &str) -> Sides {
    match list.split_once("> -/+ <") {
        Some((expected, _)) => Sides::both(expected, item),
        None => Sides::both(item, list),
    }
}

/// `less than\n<3>`
fn compared(observed: &str, bound: &str) -> Sides {
    Sides::both(
        &bound.replace(['\n', '<', '>'], " ").split_whitespace().collect::<Vec<_>>().join(" "),
        observed,
    )
}

fn untraced(seen: &str) -> &str {
    match seen.split_once('\n') {
        Some((first, rest)) if rest.lines().next().is_some_and(|line| crate::ruby::frame(line).is_some()) => {
            first
        }
        _ => seen,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assertions_name_two_sides() {
        let check = |text: &str, expected: Option<&str>, observed: Option<&str>| {
            let want = Sides { expected: expected.map(str::to_owned), observed: observed.map(str::to_owned) };
            assert_eq!(sides(&text.lines().collect::<Vec<_>>()), want, "{text}");
        };
        check("three pens\n<300> expected but was\n<297>", Some("300"), Some("297"));
        check("<{:a=>1}> expected but was\n<{:a=>\n 0}>\n\ndiff:\n? x", Some("{:a=>1}"), Some("{:a=>\n 0}"));
        check("<true> expected but was\n<false>", Some("true"), Some("false"));
        check(
            "<1> was expected to be instance_of?\n<String> but was\n<Integer>.",
            Some("String"),
            Some("Integer"),
        );
        check("</x/> was expected to be =~\n<\"abc\">.", Some("/x/"), Some("\"abc\""));
        check("<[1, 2]> was expected to include\n<3>.", Some("3"), Some("[1, 2]"));
        check(
            "<1.0> -/+ <0.1> was expected to include\n<1.5>.\n\nRelation:\n<<1.0>-<0.1>[0.9] < <1.5>>",
            Some("1.0"),
            Some("1.5"),
        );
        check("<3> was expected to be nil.", Some("nil"), Some("3"));
        check(
            "<5> < <3> should be true\n<5> was expected to be less than\n<3>.",
            Some("less than 3"),
            Some("5"),
        );
        check("<ArgumentError> exception was expected but none was thrown.", Some("ArgumentError"), None);
        check(
            "<ArgumentError> expected but was\n<KeyError(<k>)\ntest/a_test.rb:9:in `block in test_a'\n>",
            Some("ArgumentError"),
            Some("KeyError(<k>)"),
        );
        check("must hold.\n<false> is not true.", Some("true"), Some("false"));
        check("by hand.", None, None);
    }
}

//! The forms of a failed check (`gtest.cc`, `gtest-printers.h`, `gtest-death-test.cc`).

use super::Said;
use bv_schemas::Kind;

/// What the lines say.
pub fn read(lines: &[&str]) -> Said {
    let Some(first) = lines.first().map(|line| line.trim_end()) else { return Said::default() };
    if let Some(kind) = thrown(first) {
        return Said { kind, message: Some(first.to_owned()), ..Said::default() };
    }
    if first == "Failed" {
        return Said { message: author(&lines[1..]).or_else(|| Some(first.to_owned())), ..Said::default() };
    }
    if first == "Expected equality of these values:" {
        return equality(lines);
    }
    if let Some(said) = near(lines).or_else(|| evaluated(lines)).or_else(|| compared(first, &lines[1..])) {
        return said;
    }
    if first.starts_with("Death test: ") {
        return death(lines);
    }
    labelled(lines)
}

/// `C++ exception with description "…" thrown in the test body.`
fn thrown(first: &str) -> Option<Kind> {
    let is = first.starts_with("C++ exception with description ")
        || first.starts_with("Unknown C++ exception thrown in ")
        || first.starts_with("SEH exception with code ")
        || first.contains("exception thrown in ");
    let (_, place) = first.rsplit_once("thrown in ")?;
    is.then_some(if place.starts_with("the test body") { Kind::Exception } else { Kind::SetupError })
}

/// The author's message: what is left at the end, its lines joined.
fn author(lines: &[&str]) -> Option<String> {
    let text: Vec<&str> = lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
    (!text.is_empty()).then(|| text.join(" "))
}

/// Two expressions, below each its value where that is not its own text; a diff of long texts; the message.
fn equality(lines: &[&str]) -> Said {
    let mut sides: Vec<(String, Option<String>)> = Vec::new();
    let mut at = 1;
    while let Some(line) = lines.get(at) {
        if let Some(value) = line.strip_prefix("    Which is: ") {
            if let Some((_, known)) = sides.last_mut() {
                *known = Some(value.to_owned());
            }
        } else if let Some(expression) = line.strip_prefix("  ").filter(|_| sides.len() < 2) {
            sides.push((expression.trim().to_owned(), None));
        } else if let Some((_, Some(value))) = sides.last_mut().filter(|_| sides_open(&lines[at..], at)) {
            // A value of several lines.
            value.push('\n');
            value.push_str(line);
        } else {
            break;
        }
        at += 1;
    }
    let rest = &lines[at..];
    let rest = match rest.first() {
        Some(&"Ignoring case") => &rest[1..],
        _ => rest,
    };
    let rest = match rest.first() {
        Some(&"With diff:") => {
            let diff = |line: &&&str| line.starts_with(['@', '-', '+', ' ']);
            &rest[1 + rest[1..].iter().take_while(diff).count()..]
        }
        _ => rest,
    };
    let message = author(rest).or_else(|| lines.first().map(|line| (*line).to_owned()));
    let mut said = Said { message, ..Said::default() };
    if let [one, two] = &sides[..] {
        let value = |(expression, value): &(String, Option<String>)| {
            value.clone().unwrap_or_else(|| expression.clone())
        };
        // The constant is what was wanted; the order is only the author's habit.
        let first_is_wanted = is_constant(one) && !is_constant(two);
        let (wanted, seen) = if first_is_wanted { (one, two) } else { (two, one) };
        (said.expected, said.observed) = (Some(value(wanted)), Some(value(seen)));
    }
    said
}

/// Whether a value of several lines goes on: an expression of the second side still comes.
fn sides_open(rest: &[&str], at: usize) -> bool {
    at > 2 && rest.iter().skip(1).take(20).any(|line| line.starts_with("    Which is: "))
}

fn is_constant((expression, value): &(String, Option<String>)) -> bool {
    let literal = expression.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '"' | '\'' | '-' | '{'))
        || matches!(expression.as_str(), "true" | "false" | "nullptr" | "NULL");
    literal || value.is_none()
}

/// `The difference between A and B is D, which exceeds E, where`, then what each evaluates to.
fn near(lines: &[&str]) -> Option<Said> {
    let first = lines.first()?;
    if !first.starts_with("The difference between ") {
        return None;
    }
    let values: Vec<&str> = lines[1..].iter().filter_map(|line| Some(evaluates(line)?.1)).collect();
    let rest: Vec<&str> = lines[1..].iter().copied().filter(|line| evaluates(line).is_none()).collect();
    let message = author(&rest).unwrap_or_else(|| first.trim_end_matches(", where").to_owned());
    Some(Said {
        message: Some(message),
        observed: values.first().map(|value| (*value).to_owned()),
        expected: values.get(1).map(|value| (*value).to_owned()),
        ..Said::default()
    })
}

/// `X evaluates to V,`.
fn evaluates(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(" evaluates to ")?;
    let value = value.strip_suffix(", and").or(value.strip_suffix([',', '.'])).unwrap_or(value);
    Some((name, value))
}

/// `pred(a, b) evaluates to false, where`, then its arguments.
fn evaluated(lines: &[&str]) -> Option<Said> {
    let first = lines.first()?.trim_end();
    let message = first.strip_suffix(", where").filter(|text| text.ends_with(" evaluates to false"))?;
    let inputs = lines[1..].iter().filter_map(|line| evaluates(line));
    let inputs = inputs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    Some(Said { message: Some(message.to_owned()), inputs, ..Said::default() })
}

/// `Expected: (a) < (b), actual: 5 vs 3`.
fn compared(first: &str, rest: &[&str]) -> Option<Said> {
    let (expected, observed) = first.strip_prefix("Expected: ")?.split_once(", actual: ")?;
    Some(Said {
        message: author(rest).or_else(|| Some(first.to_owned())),
        expected: Some(expected.to_owned()),
        observed: Some(observed.to_owned()),
        ..Said::default()
    })
}

fn death(lines: &[&str]) -> Said {
    let label =
        |name: &str| lines.iter().find_map(|line| line.trim_start().strip_prefix(name)).map(str::to_owned);
    let mut said = Said { message: lines.first().map(|line| line.trim_end().to_owned()), ..Said::default() };
    said.observed = label("Result: ").map(|text| text.trim().to_owned());
    said.expected = label("Expected: ");
    if said.expected.is_some() {
        // What the process wrote is the other side then.
        let wrote = lines.iter().find_map(|line| line.strip_prefix("[  DEATH   ] ")).map(str::trim);
        said.observed = wrote.filter(|text| !text.is_empty()).map(str::to_owned).or(said.observed);
    }
    said
}

/// `Value of:`, `Expected:`, `Actual:` and, before 1.8.1, `To be equal to:` and `Which is:`.
fn labelled(lines: &[&str]) -> Said {
    let mut said = Said::default();
    let mut to_be = None;
    let mut last = "";
    let mut left = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let text = line.trim_start();
        let labels = ["Value of: ", "Expected: ", "Actual: ", "To be equal to: ", "Which is: "];
        let Some(label) = labels.into_iter().find(|label| text.starts_with(label)) else {
            let more = lines[at + 1..].iter().any(|line| line.trim_start().starts_with("Actual: "));
            match &mut said.expected {
                // A matcher describes itself in several lines.
                Some(expected) if last == "Expected: " && more => {
                    expected.push(' ');
                    expected.push_str(text.trim_end());
                }
                _ if !last.is_empty() => left.push(*line),
                _ => {}
            }
            continue;
        };
        let value = text[label.len()..].trim_end().to_owned();
        match (label, last) {
            ("Expected: ", _) => said.expected = Some(value),
            ("Actual: ", _) => said.observed = Some(value),
            ("To be equal to: ", _) => to_be = Some(value),
            ("Which is: ", "Expected: ") => said.expected = Some(value),
            ("Which is: ", "To be equal to: ") => to_be = Some(value),
            ("Which is: ", _) => said.observed = Some(value),
            _ => {}
        }
        last = label;
    }
    said.observed = said.observed.or(to_be);
    let first = lines.first().map(|line| line.trim().to_owned());
    said.message = author(&left)
        .filter(|_| first.as_deref().is_some_and(|first| first.starts_with("Value of: ")))
        .or(first);
    thrown_sides(&mut said);
    said
}

/// `STATEMENT throws an exception of type T.` against `it throws U with description "…".`
fn thrown_sides(said: &mut Said) {
    let plain = |text: &str| text.strip_suffix('.').unwrap_or(text).to_owned();
    if let Some(expected) = &said.expected {
        let kind = expected.split_once(" throws an exception of type ").map(|(_, kind)| plain(kind));
        let sentence = expected.contains(" throw") || expected.contains("fatal failure");
        said.expected = kind.or_else(|| sentence.then(|| plain(expected))).or(said.expected.take());
    }
    if let Some(observed) = &said.observed {
        let kind = observed
            .strip_prefix("it throws ")
            .and_then(|rest| rest.split_once(" with description "))
            .map(|(kind, _)| kind.to_owned());
        let sentence = observed.starts_with("it ");
        said.observed = kind.or_else(|| sentence.then(|| plain(observed))).or(said.observed.take());
    }
}

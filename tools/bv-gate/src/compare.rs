//! Where an output differs from the expected value.
//!
//! Objects are equal member by member in any order, arrays item by item, numbers as `number.rs` says; a
//! string is never a number. The path is written as jq writes one.

use crate::number::near;
use bv_schemas::vector::Tolerance;
use jaq_json::Val;
use std::fmt::Write;

/// The first difference, in the order of the expected value.
///
/// `None` where there is none; else a sentence such as ``.contact.t is 0.5, expected 0.25``.
pub fn difference(expected: &Val, observed: &Val, tolerance: Tolerance) -> Option<String> {
    let mut path = String::new();
    let said = differ(expected, observed, tolerance, &mut path)?;
    let path = if path.is_empty() { "the output" } else { &path };
    Some(format!("{path} {said}"))
}

/// Values nest at most `filter::DEPTH_MAX` deep, so recursion is bounded. `path` stays where the
/// difference is.
fn differ(expected: &Val, observed: &Val, tolerance: Tolerance, path: &mut String) -> Option<String> {
    let here = path.len();
    match (expected, observed) {
        (Val::Num(one), Val::Num(other)) if near(one, other, tolerance) => None,
        (Val::Arr(one), Val::Arr(other)) => {
            for (nth, (one, other)) in one.iter().zip(other.iter()).enumerate() {
                step(path, &nth.to_string());
                if let Some(said) = differ(one, other, tolerance, path) {
                    return Some(said);
                }
                path.truncate(here);
            }
            let (one, other) = (one.len(), other.len());
            (one != other).then(|| format!("has {other} items, expected {one}"))
        }
        (Val::Obj(one), Val::Obj(other)) => {
            for (name, expected) in one.iter() {
                member(path, name);
                let Some(observed) = other.get(name) else {
                    return Some(format!("is missing, expected {}", short(expected)));
                };
                if let Some(said) = differ(expected, observed, tolerance, path) {
                    return Some(said);
                }
                path.truncate(here);
            }
            let (name, observed) = other.iter().find(|(name, _)| !one.contains_key(*name))?;
            member(path, name);
            Some(format!("is {}, expected nothing there", short(observed)))
        }
        // Numbers are done with, and `1 == 1.0` is not for this line to say.
        (one, other) if !matches!(one, Val::Num(_)) && one == other => None,
        (one, other) => Some(format!("is {}, expected {}", short(other), short(one))),
    }
}

fn step(path: &mut String, index: &str) {
    if path.is_empty() {
        path.push('.');
    }
    // Writing to memory does not fail.
    let _ = write!(path, "[{index}]");
}

fn member(path: &mut String, name: &Val) {
    let quoted = name.to_string();
    let plain = quoted.trim_matches('"');
    let is_word = plain.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if is_word && !plain.is_empty() && !plain.starts_with(|c: char| c.is_ascii_digit()) {
        path.push('.');
        path.push_str(plain);
    } else {
        step(path, &quoted);
    }
}

/// Bytes of one value in a sentence.
const SHORT_BYTES_MAX: usize = 120;

fn short(value: &Val) -> String {
    crate::words::head(&value.to_string(), SHORT_BYTES_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::value;

    fn check(expected: &str, observed: &str, abs: f64, said: Option<&str>) {
        let (one, other) = (value(expected).expect("JSON"), value(observed).expect("JSON"));
        let tolerance = Tolerance { abs: Some(abs), rel: None };
        assert_eq!(difference(&one, &other, tolerance).as_deref(), said, "{expected} {observed}");
    }

    #[test]
    fn equal_values_have_no_difference() {
        check(r#"{"a":1,"b":[true,null,"x"]}"#, r#"{"b":[true,null,"x"],"a":1.0}"#, 0.0, None);
        check(r#"{"a":[1,2]}"#, r#"{"a":[1.25,1.75]}"#, 0.25, None);
        check("null", "null", 0.0, None);
    }

    #[test]
    fn the_first_difference_is_named_by_its_path() {
        check("1", "2", 0.0, Some("the output is 2, expected 1"));
        check("1", r#""1""#, 0.0, Some("the output is \"1\", expected 1"));
        check("[1]", "1", 0.0, Some("the output is 1, expected [1]"));
        check("false", "null", 0.0, Some("the output is null, expected false"));
        check(r#"{"a":{"b":[0,1]}}"#, r#"{"a":{"b":[0,2]}}"#, 0.0, Some(".a.b[1] is 2, expected 1"));
        check("[1,2]", "[1]", 0.0, Some("the output has 1 items, expected 2"));
        check("[[1],[2]]", "[[1],[2,3]]", 0.0, Some(".[1] has 2 items, expected 1"));
        check(r#"{"a":1,"b":2}"#, r#"{"b":2}"#, 0.0, Some(".a is missing, expected 1"));
        check(r#"{"a":1}"#, r#"{"a":1,"b":2}"#, 0.0, Some(".b is 2, expected nothing there"));
        check(r#"{"two words":1}"#, r#"{"two words":2}"#, 0.0, Some(".[\"two words\"] is 2, expected 1"));
    }
}

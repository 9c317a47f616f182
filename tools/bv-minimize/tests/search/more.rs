//! More documents and texts: references, products, languages.

use super::check;
use bv_minimize::Shape;
use serde_json::{Value, from_slice};
use std::collections::BTreeSet;

fn items<'v>(value: &'v Value, key: &str) -> Option<&'v Vec<Value>> {
    value.get(key)?.as_array()
}

fn noise(n: u64) -> u64 {
    n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407) >> 33
}

fn list<T: ToString>(items: impl Iterator<Item = T>) -> String {
    items.map(|item| item.to_string()).collect::<Vec<_>>().join(",")
}

fn number(text: &str) -> Option<usize> {
    (!text.is_empty() && text.len() < 9 && text.bytes().all(|b| b.is_ascii_digit()))
        .then(|| text.parse().ok())?
}

/// A length beside a string; fails when the string holds a `w`.
#[test]
fn a_length_beside_a_string_is_kept_true() {
    let text = "the quick brown fox jumps over the lazy dog";
    let input = format!(r#"{{"type":"text","length":{},"value":"{text}","lang":"en"}}"#, text.len());
    check("string length", Shape::Json, &input, r#"{"length":1,"value":"w"}"#.len(), 80, &|bytes| {
        let value: Value = from_slice(bytes).ok()?;
        let text = value.get("value")?.as_str()?;
        (value.get("length")?.as_u64()? == text.chars().count() as u64).then_some(())?;
        Some(text.contains('w'))
    });
}

/// Two matrices that must fit; fails when the first holds a 7 in a row whose second matrix row holds one too.
#[test]
fn inner_dimensions_fit() {
    let cell = |n: u64| noise(n) % 6;
    let a =
        list((0..5).map(|r| {
            format!("[{}]", list((0..8).map(|c| if (r, c) == (3, 5) { 7 } else { cell(r * 8 + c) })))
        }));
    let b = list((0..8).map(|r| {
        format!("[{}]", list((0..4).map(|c| if (r, c) == (5, 2) { 7 } else { cell(99 + r * 4 + c) })))
    }));
    check(
        "product",
        Shape::Json,
        &format!(r#"{{"a":[{a}],"b":[{b}]}}"#),
        r#"{"a":[[7]],"b":[[7]]}"#.len(),
        190,
        &|bytes| {
            let value: Value = from_slice(bytes).ok()?;
            let matrix = |key| {
                items(&value, key)?
                    .iter()
                    .map(|row| row.as_array()?.iter().map(Value::as_u64).collect())
                    .collect::<Option<Vec<Vec<u64>>>>()
            };
            let (a, b) = (matrix("a")?, matrix("b")?);
            a.iter().all(|row| row.len() == b.len()).then_some(())?;
            b.windows(2).all(|w| w[0].len() == w[1].len()).then_some(())?;
            Some(a.iter().any(|row| row.iter().zip(&b).any(|(x, row)| *x == 7 && row.contains(&7))))
        },
    );
}

/// An order that must be a permutation of the items; fails when two items of weight 9 follow each other in it.
#[test]
fn a_permutation_stays_one() {
    let n = 17;
    let order = list((0..n).map(|k| (k * 5 + 3) % n));
    let weights = list((0..n).map(|k| if k == 8 || k == 13 { 9 } else { k % 7 }));
    check(
        "permutation",
        Shape::Json,
        &format!(r#"{{"w":[{weights}],"order":[{order}]}}"#),
        r#"{"w":[9,9],"order":[0,1]}"#.len(),
        60,
        &|bytes| {
            let value: Value = from_slice(bytes).ok()?;
            let weights = items(&value, "w")?;
            let order: Option<Vec<usize>> =
                items(&value, "order")?.iter().map(|n| n.as_u64().map(|n| n as usize)).collect();
            let order = order?;
            let set: BTreeSet<usize> = order.iter().copied().collect();
            (set.len() == order.len()
                && set.len() == weights.len()
                && set.iter().all(|n| *n < weights.len()))
            .then_some(())?;
            Some(order.windows(2).any(|w| weights[w[0]] == 9 && weights[w[1]] == 9))
        },
    );
}

/// Required names must be properties; fails when one of these has type `blob`.
#[test]
fn required_names_are_properties() {
    let property = |n: u64| {
        format!(
            r#""field_{n}":{{"type":"{}","max":{}}}"#,
            if n == 11 { "blob" } else { "int" },
            noise(n) % 900
        )
    };
    let input = format!(
        r#"{{"title":"t","properties":{{{}}},"required":[{}]}}"#,
        list((0..16).map(property)),
        list((0..16).map(|n| format!(r#""field_{n}""#)))
    );
    check(
        "schema",
        Shape::Json,
        &input,
        r#"{"properties":{"":{"type":"blob"}},"required":[""]}"#.len(),
        160,
        &|bytes| {
            let value: Value = from_slice(bytes).ok()?;
            let properties = value.get("properties")?.as_object()?;
            let mut blob = false;
            let required = items(&value, "required")?;
            (required.len() == properties.len()).then_some(())?;
            for name in required {
                blob |= properties.get(name.as_str()?)?.get("type")? == "blob";
            }
            Some(blob)
        },
    );
}

/// The largest and the first value are told; fails when a value repeats.
#[test]
fn extremes_are_kept_true() {
    let values: Vec<u64> =
        (0..40).map(|n| if n == 31 { 20 + noise(6) % 300 } else { 20 + noise(n) % 300 + n * 1000 }).collect();
    let input = format!(
        r#"{{"first":{},"max":{},"values":[{}]}}"#,
        values[0],
        values.iter().max().expect("some"),
        list(values.iter())
    );
    check(
        "extremes",
        Shape::Json,
        &input.replace(&format!(",{}]", values[39]), &format!(",{},{}]", values[39], values[31])),
        r#"{"first":0,"max":0,"values":[0,0]}"#.len(),
        90,
        &|bytes| {
            let value: Value = from_slice(bytes).ok()?;
            let values: Option<Vec<u64>> = items(&value, "values")?.iter().map(Value::as_u64).collect();
            let values = values?;
            (value.get("max")?.as_u64() == values.iter().max().copied()
                && value.get("first")?.as_u64() == values.first().copied())
            .then_some(())?;
            Some(values.iter().enumerate().any(|(n, value)| values[..n].contains(value)))
        },
    );
}

/// Groups with a count of all their items; fails when a group has three.
#[test]
fn a_count_over_groups_is_kept_true() {
    let group =
        |n: u64| format!(r#"{{"name":"g{n}","items":[{}]}}"#, list(0..(if n == 6 { 5 } else { n % 3 })));
    let total: u64 = (0..12).map(|n| if n == 6 { 5 } else { n % 3 }).sum();
    let input = format!(r#"{{"count":{total},"groups":[{}]}}"#, list((0..12).map(group)));
    check(
        "count of groups",
        Shape::Json,
        &input,
        r#"{"count":3,"groups":[{"items":[0,0,0]}]}"#.len(),
        100,
        &|bytes| {
            let value: Value = from_slice(bytes).ok()?;
            let sizes: Option<Vec<usize>> =
                items(&value, "groups")?.iter().map(|group| Some(items(group, "items")?.len())).collect();
            let sizes = sizes?;
            (value.get("count")?.as_u64()? == sizes.iter().sum::<usize>() as u64).then_some(())?;
            Some(sizes.iter().any(|size| *size >= 3))
        },
    );
}

/// A number that must exceed 1000: the shortest spelling has an exponent.
#[test]
fn an_exponent_is_shorter() {
    check("large", Shape::Json, r#"{"rate":48250.75,"unit":"Hz"}"#, r#"{"rate":2e3}"#.len(), 50, &|bytes| {
        let value: Value = from_slice(bytes).ok()?;
        Some(value.get("rate")?.as_f64()? > 1234.5)
    });
}

/// Arithmetic with brackets; fails on a division by 0.
#[test]
fn an_expression_shrinks() {
    let program = |bytes: &[u8]| {
        let mut at = 0;
        let mut zero = false;
        let text: Vec<u8> = bytes.iter().copied().filter(|b| !b.is_ascii_whitespace()).collect();
        sum(&text, &mut at, &mut zero, 0)?;
        (at == text.len()).then_some(zero)
    };
    check(
        "arithmetic",
        Shape::Text,
        "(12 + 7 * (3 - 1)) * ((45 - 9) / (8 - (2 + 6)) + 11) - (100 / 5)",
        3,
        70,
        &program,
    );
}

fn sum(text: &[u8], at: &mut usize, zero: &mut bool, depth: u8) -> Option<i64> {
    let mut value = product(text, at, zero, depth)?;
    while let Some(sign @ (b'+' | b'-')) = text.get(*at).copied() {
        *at += 1;
        let other = product(text, at, zero, depth)?;
        value = if sign == b'+' { value.wrapping_add(other) } else { value.wrapping_sub(other) };
    }
    Some(value)
}

fn product(text: &[u8], at: &mut usize, zero: &mut bool, depth: u8) -> Option<i64> {
    let mut value = atom(text, at, zero, depth)?;
    while let Some(sign @ (b'*' | b'/')) = text.get(*at).copied() {
        *at += 1;
        let other = atom(text, at, zero, depth)?;
        *zero |= sign == b'/' && other == 0;
        value = if sign == b'*' { value.wrapping_mul(other) } else { value.checked_div(other).unwrap_or(0) };
    }
    Some(value)
}

fn atom(text: &[u8], at: &mut usize, zero: &mut bool, depth: u8) -> Option<i64> {
    if text.get(*at) == Some(&b'(') && depth < 50 {
        *at += 1;
        let value = sum(text, at, zero, depth + 1)?;
        (text.get(*at) == Some(&b')')).then(|| *at += 1)?;
        return Some(value);
    }
    let digits = text[*at..].iter().take_while(|b| b.is_ascii_digit()).count();
    let value = std::str::from_utf8(&text[*at..*at + digits]).ok()?.parse().ok()?;
    *at += digits;
    Some(value)
}

/// Jumps must have their labels, and every label a jump; fails on `div` after `push 0`.
#[test]
fn jumps_keep_their_labels() {
    let block = |n: u64| {
        let body = if n == 9 {
            "push 4\npush 0\ndiv\n".into()
        } else {
            format!("push {}\npush {}\nadd\n", noise(n) % 90, n + 1)
        };
        format!("jmp label_{n}\npop\nlabel_{n}:\n{body}")
    };
    let input: String = (0..14).map(block).collect();
    check("jumps", Shape::Text, &input, "push 0\ndiv".len(), 110, &|bytes| {
        let text = std::str::from_utf8(bytes).ok()?;
        let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
        let labels: BTreeSet<&str> = lines.iter().filter_map(|line| line.strip_suffix(':')).collect();
        let jumps: BTreeSet<&str> = lines.iter().filter_map(|line| line.strip_prefix("jmp ")).collect();
        (labels == jumps).then_some(())?;
        for line in &lines {
            let known = matches!(*line, "pop" | "div" | "add")
                || line.ends_with(':')
                || line.starts_with("jmp ")
                || line.strip_prefix("push ").is_some_and(|n| number(n).is_some());
            known.then_some(())?;
        }
        Some(
            lines.windows(2).any(|w| w[0].strip_prefix("push ").and_then(number) == Some(0) && w[1] == "div"),
        )
    });
}

/// Sections with keys; a key needs a section; fails when a key stands twice in one section.
#[test]
fn sections_keep_their_keys() {
    let section = |n: u64| {
        let key = |k: u64| format!("key{k} = value {}\n", noise(n * 9 + k) % 100);
        let again = if n == 4 { "key2 = other\n" } else { "" };
        format!("[section {n}]\n# comment {n}\n{}{again}\n", (0..5).map(key).collect::<String>())
    };
    let input: String = (0..8).map(section).collect();
    check("sections", Shape::Text, &input, "[]\n=\n=".len(), 90, &|bytes| {
        let text = std::str::from_utf8(bytes).ok()?;
        let mut keys: Option<BTreeSet<&str>> = None;
        let mut twice = false;
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if line.starts_with('[') {
                line.ends_with(']').then_some(())?;
                keys = Some(BTreeSet::new());
            } else {
                let (key, _) = line.split_once('=')?;
                twice |= !keys.as_mut()?.insert(key.trim());
            }
        }
        Some(twice)
    });
}

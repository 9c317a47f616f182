//! JSON documents, lines of JSON and tables.

use super::check;
use bv_minimize::Shape;
use serde_json::{Value, from_slice};
use std::collections::{BTreeMap, BTreeSet};

fn items<'v>(value: &'v Value, key: &str) -> Option<&'v Vec<Value>> {
    value.get(key)?.as_array()
}

/// Numbers that look arbitrary and are the same everywhere.
fn noise(n: u64) -> u64 {
    n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407) >> 33
}

fn list<T: ToString>(items: impl Iterator<Item = T>) -> String {
    items.map(|item| item.to_string()).collect::<Vec<_>>().join(",")
}

/// An end that is a start and a length must agree with both; fails when a part is longer than 9.
#[test]
fn an_end_is_kept_true() {
    let part = |n: u64| {
        format!(r#"{{"start":{},"len":{},"end":{},"tag":"t{n}"}}"#, 100 + 7 * n, n % 14, 100 + 7 * n + n % 14)
    };
    let input = format!(r#"{{"source":"a.bin","parts":[{}]}}"#, list((0..30).map(part)));
    check("end", Shape::Json, &input, 41, 150, &|bytes| {
        let value: Value = from_slice(bytes).ok()?;
        let mut long = false;
        for part in items(&value, "parts")? {
            let get = |key| part.get(key).and_then(Value::as_u64);
            (get("start")? + get("len")? == get("end")?).then_some(())?;
            long |= get("len")? > 9;
        }
        Some(long)
    });
}

/// A total that must be the sum of the prices; fails when one is above 100.
#[test]
fn a_total_is_kept_true() {
    let price = |n: u64| noise(n) % 90 + if n == 17 { 77 } else { 0 };
    let item = |n: u64| format!(r#"{{"sku":"S-{n}","price":{},"qty":1}}"#, price(n));
    let total: u64 = (0..24).map(price).sum();
    let input = format!(r#"{{"order":7,"items":[{}],"total":{total}}}"#, list((0..24).map(item)));
    check("total", Shape::Json, &input, 37, 100, &|bytes| {
        let value: Value = from_slice(bytes).ok()?;
        let prices: Option<Vec<u64>> =
            items(&value, "items")?.iter().map(|item| item.get("price")?.as_u64()).collect();
        let prices = prices?;
        (prices.iter().sum::<u64>() == value.get("total")?.as_u64()?).then_some(())?;
        Some(prices.iter().any(|price| *price > 100))
    });
}

/// Lists that must be equally long; fails when a value is negative.
#[test]
fn parallel_lists_shrink_together() {
    let value = |n: u64| noise(n) as i64 % 500 * if n == 23 { -1 } else { 1 };
    let names = list((0..40).map(|n| format!("\"name{n}\"")));
    let weights = list((0..40).map(|n| format!("0.{n}1")));
    let input =
        format!(r#"{{"names":[{names}],"values":[{}],"weights":[{weights}]}}"#, list((0..40).map(value)));
    check("parallel", Shape::Json, &input, 41, 110, &|bytes| {
        let value: Value = from_slice(bytes).ok()?;
        let (names, values, weights) =
            (items(&value, "names")?, items(&value, "values")?, items(&value, "weights")?);
        (names.len() == values.len() && values.len() == weights.len()).then_some(())?;
        Some(values.iter().any(|value| value.as_i64().is_some_and(|value| value < 0)))
    });
}

/// A matrix with its rows and columns told; fails when an element is negative.
#[test]
fn a_matrix_shrinks_by_rows_and_columns() {
    let cell = |n: u64| if n == 37 { -5 } else { noise(n) as i64 % 90 };
    let row = |r: u64| format!("[{}]", list((0..7).map(|c| cell(7 * r + c))));
    let input = format!(r#"{{"rows":9,"cols":7,"data":[{}]}}"#, list((0..9).map(row)));
    check("matrix", Shape::Json, &input, 33, 90, &|bytes| {
        let value: Value = from_slice(bytes).ok()?;
        let rows = items(&value, "data")?;
        (rows.len() as u64 == value.get("rows")?.as_u64()?).then_some(())?;
        let columns = value.get("cols")?.as_u64()?;
        let mut negative = false;
        for row in rows {
            (row.as_array()?.len() as u64 == columns).then_some(())?;
            negative |= row.as_array()?.iter().any(|cell| cell.as_i64().is_some_and(|cell| cell < 0));
        }
        Some(negative)
    });
}

/// The same laid out flat: the length is the product.
#[test]
fn a_flat_matrix_shrinks_by_rows_and_columns() {
    let cell = |n: u64| if n == 37 { -5 } else { noise(n) as i64 % 90 };
    let input = format!(r#"{{"rows":9,"cols":7,"data":[{}]}}"#, list((0..63).map(cell)));
    check("flat matrix", Shape::Json, &input, 31, 130, &|bytes| {
        let value: Value = from_slice(bytes).ok()?;
        let cells = items(&value, "data")?;
        let product = value.get("rows")?.as_u64()?.checked_mul(value.get("cols")?.as_u64()?)?;
        (product == cells.len() as u64).then_some(())?;
        Some(cells.iter().any(|cell| cell.as_i64().is_some_and(|cell| cell < 0)))
    });
}

/// Nodes and edges by name: every edge must join two nodes, every node have an edge; fails on a cycle of two.
#[test]
fn a_graph_by_name_stays_whole() {
    let nodes = list((0..20).map(|n| format!(r#"{{"id":"node-{n}","w":{}}}"#, noise(n) % 50)));
    let pair = |a: u64, b: u64| format!(r#"{{"from":"node-{a}","to":"node-{b}"}}"#);
    let edges = list((0..19).map(|n| pair(n, n + 1)).chain([pair(12, 11)]));
    let input = format!(r#"{{"nodes":[{nodes}],"edges":[{edges}]}}"#);
    // One node with an edge to itself is no cycle of two.
    let minimum = r#"{"nodes":[{"id":""},{"id":"0"}],"edges":[{"from":"","to":"0"},{"from":"0","to":""}]}"#;
    check("graph", Shape::Json, &input, minimum.len(), 300, &|bytes| {
        let value: Value = from_slice(bytes).ok()?;
        let nodes: Option<BTreeSet<&str>> =
            items(&value, "nodes")?.iter().map(|node| node.get("id")?.as_str()).collect();
        let nodes = nodes?;
        let mut edges = BTreeSet::new();
        for edge in items(&value, "edges")? {
            let (from, to) = (edge.get("from")?.as_str()?, edge.get("to")?.as_str()?);
            (nodes.contains(from) && nodes.contains(to)).then_some(())?;
            edges.insert((from, to));
        }
        nodes.iter().all(|node| edges.iter().any(|(a, b)| a == node || b == node)).then_some(())?;
        Some(edges.iter().any(|(a, b)| a != b && edges.contains(&(*b, *a))))
    });
}

/// Nodes and edges by index; every node must have an edge; fails on a cycle of two.
#[test]
fn a_graph_by_index_stays_whole() {
    let nodes = list((0..20).map(|n| format!(r#""v{n}""#)));
    let edges = list((0..19).map(|n| format!("[{n},{}]", n + 1)).chain(["[12,11]".into()]));
    let input = format!(r#"{{"nodes":[{nodes}],"edges":[{edges}]}}"#);
    check("graph by index", Shape::Json, &input, 37, 120, &|bytes| {
        let value: Value = from_slice(bytes).ok()?;
        let count = items(&value, "nodes")?.len() as u64;
        let mut edges = BTreeSet::new();
        for edge in items(&value, "edges")? {
            let [a, b] = edge.as_array()?.as_slice() else { return None };
            let (a, b) = (a.as_u64()?, b.as_u64()?);
            (a < count && b < count).then_some(())?;
            edges.insert((a, b));
        }
        (0..count).all(|node| edges.iter().any(|(a, b)| *a == node || *b == node)).then_some(())?;
        Some(edges.iter().any(|(a, b)| a != b && edges.contains(&(*b, *a))))
    });
}

/// JSON in a string in JSON; fails when it holds a null.
#[test]
fn a_string_that_holds_json_is_taken_apart() {
    let inner = format!(
        r#"{{"user":"u","rows":[{}],"cursor":"abc"}}"#,
        list((0..20).map(|n| if n == 13 { "null".into() } else { n.to_string() }))
    );
    let input = format!(r#"{{"id":"evt_1","payload":{},"ts":1700000000}}"#, Value::String(inner));
    check("json in json", Shape::Json, &input, r#"{"payload":"{\"rows\":[null]}"}"#.len(), 50, &|bytes| {
        let value: Value = from_slice(bytes).ok()?;
        let inner: Value = serde_json::from_str(value.get("payload")?.as_str()?).ok()?;
        Some(items(&inner, "rows")?.iter().any(Value::is_null))
    });
}

/// A combining character after one that is none; fails when a string is longer by code points than by what is seen.
#[test]
fn characters_stay_whole() {
    let input =
        r#"{"lang":"fr","title":"Les élèves étudient la géométrie","n":3}"#.replace("éo", "e\u{301}o");
    check("unicode", Shape::Json, &input, "{\"title\":\"\u{301}\"}".len(), 30, &|bytes| {
        let value: Value = from_slice(bytes).ok()?;
        Some(value.get("title")?.as_str()?.contains('\u{301}'))
    });
}

/// An owner who must be one of the users, who are named by their keys.
#[test]
fn a_name_changes_with_what_refers_to_it() {
    let user = |n: u64| format!(r#""user-{n}":{{"age":{},"admin":{}}}"#, noise(n) % 60, n == 9);
    let input = format!(r#"{{"users":{{{}}},"owner":"user-9"}}"#, list((0..16).map(user)));
    check("owner", Shape::Json, &input, r#"{"users":{"":{"admin":true}},"owner":""}"#.len(), 60, &|bytes| {
        let value: Value = from_slice(bytes).ok()?;
        let owner = value.get("users")?.get(value.get("owner")?.as_str()?)?;
        owner.get("admin")?.as_bool()
    });
}

/// Fails when the values are not in order.
#[test]
fn order_is_kept() {
    let input = format!("[{}]", list((0..200).map(|n: u64| if n == 130 { 40 } else { 10 * n })));
    check("order", Shape::Json, &input, "[1,0]".len(), 40, &|bytes| {
        let values: Vec<u64> = from_slice(bytes).ok()?;
        Some(values.windows(2).any(|w| w[0] > w[1]))
    });
}

/// Fails when an object has a name twice: no parser that keeps one of them can find it.
#[test]
fn names_may_stand_twice() {
    let input = r#"{"host":"a","port":1,"opts":{"retry":3,"log":"x","retry":5},"tags":[1,2,3]}"#;
    check("twice", Shape::Json, input, r#"{"":{"":0,"":0}}"#.len() - 5, 30, &|bytes| {
        let text = std::str::from_utf8(bytes).ok()?;
        let _: Value = from_slice(bytes).ok()?;
        let names: Vec<&str> = text
            .split(['{', ',', '['])
            .filter_map(|part| part.split_once(':'))
            .map(|(name, _)| name)
            .collect();
        Some(names.iter().enumerate().any(|(n, name)| names[..n].contains(name)))
    });
}

/// Numbers with an exponent, and one that has none.
#[test]
fn numbers_keep_their_spelling() {
    check(
        "exponent",
        Shape::Json,
        r#"{"scale":6.02214076e+323,"a":12.5,"b":[1,2]}"#,
        r#"{"scale":1e309}"#.len(),
        30,
        &|bytes| {
            // The standard parser refuses what is too large; the text tells.
            let text = std::str::from_utf8(bytes).ok()?;
            let number = text.strip_prefix("{\"scale\":")?.split([',', '}']).next()?;
            let rest = text.get(9 + number.len()..)?;
            (rest == "}" || rest.starts_with(',') && rest.ends_with('}')).then_some(())?;
            Some(number.parse::<f64>().ok()?.is_infinite() && number.parse::<i8>().is_err())
        },
    );
    check("minus zero", Shape::Json, r#"{"v":[3,-0.000,7],"w":-12}"#, r#"{"v":[-0]}"#.len(), 30, &|bytes| {
        let value: Value = from_slice(bytes).ok()?;
        Some(items(&value, "v")?.iter().any(|v| v.as_f64().is_some_and(|v| v == 0.0 && v.is_sign_negative())))
    });
}

/// Brackets deeper than 60; no recursion may be as deep as the input.
#[test]
fn depth_shrinks() {
    let input = format!("{}1{}", "[".repeat(30_000), "]".repeat(30_000));
    check("depth", Shape::Json, &input, 122, 200, &|bytes| {
        let open = bytes.iter().take_while(|b| **b == b'[').count();
        let close = bytes.iter().rev().take_while(|b| **b == b']').count();
        (open == close && bytes.len() - open - close <= 1).then_some(open > 60)
    });
}

/// Lines that number themselves without a gap; fails on a second `stop`.
#[test]
fn lines_that_number_themselves_stay_without_a_gap() {
    let what = |n: u64| if n == 14 || n == 31 { "stop" } else { "run" };
    let lines: Vec<String> = (0..40)
        .map(|n| format!(r#"{{"seq":{},"at":"2026-01-{:02}","what":"{}"}}"#, 500 + n, n % 28 + 1, what(n)))
        .collect();
    let minimum = "{\"seq\":0,\"what\":\"stop\"}\n{\"seq\":1,\"what\":\"stop\"}";
    check("sequence", Shape::Ndjson, &lines.join("\n"), minimum.len(), 140, &|bytes| {
        let lines: Result<Vec<Value>, _> =
            bytes.split(|b| *b == b'\n').filter(|line| !line.is_empty()).map(from_slice).collect();
        let lines = lines.ok()?;
        let numbers: Option<Vec<u64>> = lines.iter().map(|line| line.get("seq")?.as_u64()).collect();
        numbers?.windows(2).all(|w| w[0] + 1 == w[1]).then_some(())?;
        Some(lines.iter().filter(|line| line.get("what").is_some_and(|what| what == "stop")).count() > 1)
    });
}

/// Spans that must end before their parent does, parents by id; fails on a child that begins before its parent.
#[test]
fn lines_refer_to_lines() {
    let line = |n: u64| {
        let parent = if n == 0 { "null".into() } else { format!("\"sp{:04}\"", noise(n) % n) };
        format!(
            r#"{{"span":"sp{n:04}","parent":{parent},"t0":{},"name":"op{}"}}"#,
            if n == 25 { 3 } else { 1000 + n },
            n % 5
        )
    };
    let lines: Vec<String> = (0..40).map(line).collect();
    check("spans", Shape::Ndjson, &lines.join("\n"), 61, 330, &|bytes| {
        let lines: Result<Vec<Value>, _> =
            bytes.split(|b| *b == b'\n').filter(|line| !line.is_empty()).map(from_slice).collect();
        let mut begun: BTreeMap<String, u64> = BTreeMap::new();
        let mut early = false;
        for line in lines.ok()? {
            let at = line.get("t0")?.as_u64()?;
            if let Some(parent) = line.get("parent")?.as_str() {
                early |= *begun.get(parent)? > at;
            }
            begun.insert(line.get("span")?.as_str()?.into(), at).is_none().then_some(())?;
        }
        Some(early)
    });
}

/// Rows of one width under a header with the rows counted in the first line's last field; fails on a repeated key.
#[test]
fn a_table_keeps_its_width() {
    let row =
        |n: u64| format!("{},\"Street {n}, No 1\",{}.50,x{n}", if n == 33 { 12 } else { n }, noise(n) % 100);
    let input =
        format!("key,address,amount,note\r\n{}\r\n", (0..50).map(row).collect::<Vec<_>>().join("\r\n"));
    check("table", Shape::Csv, &input, "key\n0\n0".len(), 50, &|bytes| {
        let text = std::str::from_utf8(bytes).ok()?;
        let mut lines = text.lines();
        let split = |line: &str| {
            let mut quoted = false;
            line.split(|c| {
                quoted ^= c == '"';
                c == ',' && !quoted
            })
            .map(String::from)
            .collect::<Vec<_>>()
        };
        let header = split(lines.next()?);
        let key = header.iter().position(|name| name == "key")?;
        let mut seen = BTreeSet::new();
        let mut twice = false;
        for line in lines {
            let fields = split(line);
            (fields.len() == header.len()).then_some(())?;
            twice |= !seen.insert(fields[key].parse::<u32>().ok()?);
        }
        Some(twice)
    });
}

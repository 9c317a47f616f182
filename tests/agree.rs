//! Holds the readings of one run to each other: what a runner prints for people and what it writes for
//! machines tell of the same tests, so where two readings differ, one reader is wrong or one runner is silent.
//!
//! In come readings, each with the differences that its reporter makes by itself; out go the disagreements
//! that none of these explains, and the explanations that explain nothing. Times and messages are left alone.

use serde_json::Value;
use std::collections::BTreeSet;

/// A difference that a reporter makes by itself: the field, and why.
pub type Because = (&'static str, &'static str);

/// One mode of a runner, by what it prints.
#[derive(Clone, Copy, Debug)]
pub struct Reporter {
    /// The case that was recorded, or the command.
    pub name: &'static str,
    /// Fields that it leaves out in at least one failure; what it prints of them must agree.
    pub lacks: &'static [Because],
    /// Fields that it prints otherwise.
    pub differs: &'static [Because],
}

/// What was read of one reporter.
pub struct Reading {
    /// Who told it.
    pub reporter: Reporter,
    /// The records of the stream, `end` last.
    pub records: Vec<Value>,
}

/// How ids are spelt before they are compared.
pub type Spelling = fn(&str) -> String;

/// Two readings differ: in which field, which of them is silent on it, both in words.
struct Difference {
    field: String,
    silent: Option<usize>,
    id: String,
    detail: String,
}

/// Every disagreement between two of the readings that their reporters do not explain, and every
/// explanation that is not needed.
pub fn disagreements(readings: &[Reading], spelling: Spelling) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut needed: BTreeSet<(usize, String)> = BTreeSet::new();
    let mut said: BTreeSet<(usize, String, String)> = BTreeSet::new();
    for (second, b) in readings.iter().enumerate() {
        for (first, a) in readings[..second].iter().enumerate() {
            for difference in differences(a, b, spelling) {
                let sides = match difference.silent {
                    Some(0) => vec![(first, true), (second, false)],
                    Some(_) => vec![(second, true), (first, false)],
                    None => vec![(first, false), (second, false)],
                };
                let explained = sides.into_iter().find(|&(at, silent)| {
                    let reporter = &readings[at].reporter;
                    let known = |list: &[Because]| list.iter().any(|(field, _)| *field == difference.field);
                    known(reporter.differs) || silent && known(reporter.lacks)
                });
                match explained {
                    Some((at, _)) => drop(needed.insert((at, difference.field))),
                    // One that stands alone would be named against each of the others.
                    None if !said.insert((second, difference.field.clone(), difference.id.clone())) => {}
                    None => wrong.push(format!(
                        "{} and {}: {}: {}: {}",
                        a.reporter.name, b.reporter.name, difference.field, difference.id, difference.detail
                    )),
                }
            }
        }
    }
    for (at, Reading { reporter, .. }) in readings.iter().enumerate() {
        let idle = reporter.lacks.iter().chain(reporter.differs);
        let idle = idle.filter(|(field, _)| !needed.contains(&(at, (*field).to_owned())));
        wrong.extend(idle.map(|(field, _)| format!("{}: {field} needs no explanation", reporter.name)));
    }
    wrong
}

fn differences(a: &Reading, b: &Reading, spelling: Spelling) -> Vec<Difference> {
    let mut found = Vec::new();
    let nothing = Value::Null;
    let (a_end, b_end) = (a.records.last().unwrap_or(&nothing), b.records.last().unwrap_or(&nothing));
    compare(&mut found, "outcome", "", &a_end["outcome"], &b_end["outcome"], |a, b| a == b);
    for name in ["passed", "failed", "errored", "skipped"] {
        // A runner that does not count a thing has none of it.
        let none =
            |end: &Value| if end["counts"][name] == 0 { Value::Null } else { end["counts"][name].clone() };
        if !a_end["counts"].is_null() && !b_end["counts"].is_null() {
            compare(&mut found, &format!("counts.{name}"), "", &none(a_end), &none(b_end), |a, b| a == b);
        }
    }
    let (mut left, mut right) = (failures(a, spelling), failures(b, spelling));
    let ids: BTreeSet<String> = left.iter().chain(&right).map(|(id, _)| id.clone()).collect();
    for id in ids {
        let (of_a, of_b) = (take(&mut left, &id), take(&mut right, &id));
        for at in 0..of_a.len().max(of_b.len()) {
            match (of_a.get(at), of_b.get(at)) {
                (Some(a), Some(b)) => fields(&mut found, &id, a, b),
                (a, _) => found.push(Difference {
                    field: format!("failure {id}"),
                    id: id.clone(),
                    silent: Some(usize::from(a.is_some())),
                    detail: "only one of them has it".into(),
                }),
            }
        }
    }
    found
}

/// The failures by id; several of one test (its body and its teardown), or of none, by kind and line.
fn failures(reading: &Reading, spelling: Spelling) -> Vec<(String, &Value)> {
    let records = reading.records.iter().filter(|record| record["type"] == "failure");
    let mut failures: Vec<(String, &Value)> =
        records.map(|failure| (failure["id"].as_str().map(spelling).unwrap_or_default(), failure)).collect();
    failures.sort_by_key(|(id, failure)| {
        (
            id.clone(),
            failure["kind"].to_string(),
            failure["test"]["line"].as_u64(),
            failure["rule"].to_string(),
        )
    });
    failures
}

fn take<'a>(failures: &mut Vec<(String, &'a Value)>, id: &str) -> Vec<&'a Value> {
    let (taken, left) = failures.drain(..).partition(|(other, _)| other == id);
    *failures = left;
    let taken: Vec<(String, &Value)> = taken;
    taken.into_iter().map(|(_, failure)| failure).collect()
}

fn fields(found: &mut Vec<Difference>, id: &str, a: &Value, b: &Value) {
    for field in ["kind", "exception_type", "rule"] {
        compare(found, field, id, &a[field], &b[field], |a, b| a == b);
    }
    for field in ["expected", "observed"] {
        compare(found, field, id, &a[field], &b[field], same_but_blanks);
    }
    for which in ["test", "fault"] {
        // Absent where it is the test's own, and where it is not known; so is the test's line then.
        let place = |failure: &Value| match &failure[which] {
            Value::Null if which == "fault" && failure["test"]["line"].is_u64() => failure["test"].clone(),
            place => place.clone(),
        };
        if which == "fault" && a[which].is_null() && b[which].is_null() {
            continue;
        }
        let (a, b) = (place(a), place(b));
        compare(found, &format!("{which}.file"), id, &a["file"], &b["file"], same_file);
        compare(found, &format!("{which}.line"), id, &a["line"], &b["line"], |a, b| a == b);
        compare(found, &format!("{which}.function"), id, &a["function"], &b["function"], |a, b| a == b);
    }
}

fn compare(
    found: &mut Vec<Difference>,
    field: &str,
    id: &str,
    a: &Value,
    b: &Value,
    same: fn(&Value, &Value) -> bool,
) {
    let silent = match (a.is_null(), b.is_null()) {
        (true, true) => return,
        (true, false) => Some(0),
        (false, true) => Some(1),
        (false, false) if same(a, b) => return,
        (false, false) => None,
    };
    found.push(Difference {
        field: field.to_owned(),
        silent,
        id: id.to_owned(),
        detail: format!("{a} and {b}"),
    });
}

fn same_but_blanks(a: &Value, b: &Value) -> bool {
    let bare = |value: &Value| value.to_string().replace("\\n", "").split_whitespace().collect::<String>();
    bare(a) == bare(b)
}

/// One may be printed from the root of the file system, the other from the project's.
fn same_file(a: &Value, b: &Value) -> bool {
    let (Some(a), Some(b)) = (a.as_str(), b.as_str()) else { return false };
    let (a, b) = (a.trim_start_matches("./"), b.trim_start_matches("./"));
    a == b || a.ends_with(&format!("/{b}")) || b.ends_with(&format!("/{a}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const PLAIN: Reporter = Reporter { name: "plain", lacks: &[], differs: &[] };
    const LACKS: Reporter = Reporter { name: "lacks", lacks: &[("expected", "")], differs: &[] };
    const DIFFERS: Reporter = Reporter { name: "differs", lacks: &[], differs: &[("expected", "")] };

    fn check(reporters: [Reporter; 2], failures: [Value; 2], expected: &[&str]) {
        let reading = |reporter, mut failure: Value| {
            failure["type"] = json!("failure");
            Reading { reporter, records: vec![failure, json!({"type": "end", "outcome": "failed"})] }
        };
        let readings: Vec<Reading> =
            reporters.into_iter().zip(failures).map(|(r, f)| reading(r, f)).collect();
        assert_eq!(disagreements(&readings, str::to_lowercase), expected);
    }

    #[test]
    fn what_is_the_same_and_what_is_not() {
        let with = |expected: Value| json!({"id": "T", "expected": expected});
        check([PLAIN, PLAIN], [json!({"id": "T"}), json!({"id": "t"})], &[]);
        check([PLAIN, PLAIN], [with(json!("a b\nc")), with(json!("ab  c"))], &[]);
        check(
            [PLAIN, PLAIN],
            [json!({"id": "T"}), json!({"id": "u"})],
            &[
                "plain and plain: failure t: t: only one of them has it",
                "plain and plain: failure u: u: only one of them has it",
            ],
        );
        let (one, other) = (with(json!("1")), with(json!("2")));
        check(
            [PLAIN, PLAIN],
            [one.clone(), other.clone()],
            &[r#"plain and plain: expected: t: "1" and "2""#],
        );
        check([PLAIN, DIFFERS], [one.clone(), other.clone()], &[]);
        // Silence excuses no contradiction.
        check(
            [LACKS, PLAIN],
            [one.clone(), other],
            &[r#"lacks and plain: expected: t: "1" and "2""#, "lacks: expected needs no explanation"],
        );
        check([LACKS, PLAIN], [json!({"id": "t"}), one.clone()], &[]);
        check(
            [LACKS, PLAIN],
            [one, json!({"id": "t"})],
            &[r#"lacks and plain: expected: t: "1" and null"#, "lacks: expected needs no explanation"],
        );
    }

    #[test]
    fn places_agree_by_their_tail_and_a_fault_is_the_tests_own_place_unless_said() {
        let a = json!({"id": "t", "test": {"file": "/home/me/p/test/a.js", "line": 3}});
        let b = json!({"id": "t", "test": {"file": "./test/a.js", "line": 3}, "fault": {"file": "test/a.js", "line": 3}});
        let c = json!({"id": "t", "test": {"file": "best/a.js", "line": 3}});
        check([PLAIN, PLAIN], [a, b.clone()], &[]);
        check(
            [PLAIN, PLAIN],
            [b, c],
            &[
                r#"plain and plain: test.file: t: "./test/a.js" and "best/a.js""#,
                r#"plain and plain: fault.file: t: "test/a.js" and "best/a.js""#,
            ],
        );
    }
}

//! The adapters of `pipelines/adapters/`: a plain function of each language is a candidate.

use super::{example, gate, stream};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the candidate says of `remainder(a, b)`: 7 % 3 holds, 7 % 0 does not go.
fn check(command: &[&str], record: &str) {
    let vectors = r#"{"input":{"a":7,"b":3},"rule_id":"r","expected":1}
{"input":{"a":7,"b":0},"rule_id":"r","expected":1}
{"input":{"a":8,"b":3},"rule_id":"r","expected":2}
"#;
    let here = bv_tests::root().to_string_lossy().into_owned() + "/";
    let said: Vec<String> =
        stream(&gate(&["--all"], command, vectors)).iter().map(|line| line.replace(&here, "")).collect();
    let end =
        r#"{"type":"end","outcome":"failed","runner":"bv-gate","counts":{"passed":2,"failed":1},"exit":0}"#;
    assert_eq!(said, [record, end], "{command:?}");
}

/// Where the interpreter is; it is said where there is none, and is a failure in CI.
fn interpreter(name: &str) -> bool {
    let there = Command::new(name).arg("--version").output().is_ok();
    assert!(there || std::env::var_os("CI").is_none(), "{name} is missing");
    if !there {
        eprintln!("{name} is missing: its adapter is not tested");
    }
    there
}

fn beside(folder: &Path, adapter: &str, name: &str, source: &str) -> PathBuf {
    let from = bv_tests::root().join("pipelines/adapters").join(adapter);
    std::fs::copy(from, folder.join(adapter)).expect("the adapter is there");
    let path = folder.join(name);
    std::fs::write(&path, source).expect("it can be written");
    path
}

#[test]
fn python() {
    if !interpreter("python3") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder can be made");
    let source = "\
from candidate import serve

def remainder(a, b):
    print('a print is no answer')
    return inner(a, b)

def inner(a, b):
    return a % b

serve(remainder)
";
    let path = beside(folder.path(), "candidate.py", "remainder.py", source);
    let path = path.to_str().expect("plain names");
    let record = format!(
        r#"{{"type":"failure","kind":"exception","message":"integer modulo by zero","exception_type":"ZeroDivisionError","counterexample":{{"a":7,"b":0}},"fault":{{"file":"{path}","line":8,"function":"inner"}},"rule":"r","vector_index":1}}"#
    );
    check(&["python3", path], &record);
}

#[test]
fn javascript() {
    if !interpreter("node") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder can be made");
    let source = "\
import { serve } from './candidate.cjs';

class Division {
  remainder({ a, b }) {
    console.log('a print is no answer');
    if (b === 0) throw new RangeError('by zero');
    return a % b;
  }
}
const division = new Division();
serve((input) => division.remainder(input));
";
    let path = beside(folder.path(), "candidate.cjs", "remainder.mjs", source);
    let path = path.to_str().expect("plain names");
    let record = format!(
        r#"{{"type":"failure","kind":"exception","message":"by zero","exception_type":"RangeError","counterexample":{{"a":7,"b":0}},"fault":{{"file":"{path}","line":6,"function":"Division.remainder"}},"rule":"r","vector_index":1}}"#
    );
    check(&["node", path], &record);
}

/// JSON.stringify makes them null, which a predicate may like.
#[test]
fn javascript_numbers_that_json_has_not_are_told() {
    if !interpreter("node") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder can be made");
    let source = "\
const { serve } = require('./candidate.cjs');
serve(async ({ a, b }) => ({ quotient: a / b, big: 12345678901234567890n }));
";
    let path = beside(folder.path(), "candidate.cjs", "quotient.cjs", source);
    let vector = r#"{"input":{"a":0,"b":0},"rule_id":"r","predicate":".output.quotient < 1"}"#;
    let said = stream(&gate(&[], &["node", path.to_str().expect("plain names")], vector));
    let record = r#"{"type":"failure","kind":"assertion","message":"the output holds NaN, which no JSON number is","expected":".output.quotient < 1","observed":"{\"quotient\":NaN,\"big\":12345678901234567890}","counterexample":{"a":0,"b":0},"rule":"r","vector_index":0}"#;
    assert_eq!(said[0], record);
}

/// The function is known where there is debug information, which a stripped build has not.
#[test]
fn rust() {
    let path = example("adapted");
    let record = r#"{"type":"failure","kind":"exception","message":"attempt to calculate the remainder with a divisor of zero","exception_type":"panic","counterexample":{"a":7,"b":0},"fault":{"file":"tests/gate/adapted.rs","line":19},"rule":"r","vector_index":1}"#;
    let with_name = record.replace(r#""line":19"#, r#""line":19,"function":"adapted::inner""#);
    let debug = cfg!(debug_assertions);
    check(&[path.to_str().expect("plain names")], if debug { &with_name } else { record });
    let vector = r#"{"input":{"a":700,"b":3},"rule_id":"r","expected":1}"#;
    let said = stream(&gate(&[], &[path.to_str().expect("plain names")], vector));
    let record = r#"{"type":"failure","kind":"exception","message":"out of range integral type conversion attempted","exception_type":"TryFromIntError","counterexample":{"a":700,"b":3},"rule":"r","vector_index":0}"#;
    assert_eq!(said[0], record);
}

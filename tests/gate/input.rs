//! Files of rules and vectors, and one input against one rule.

use super::{example, gate, passed, refused, stream};
use std::path::Path;

/// Runs the candidate of the tests in a folder that holds `files`; options that are names of files are.
fn check_files(files: &[(&str, &str)], options: &[&str], stdin: &str, expected: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("it can be written");
    }
    let inside = |option: &&str| match option.contains('.') {
        true => folder.path().join(option).to_string_lossy().into_owned(),
        false => (*option).to_owned(),
    };
    let options: Vec<String> = options.iter().map(inside).collect();
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let output = gate(&options, &[example("candidate").to_str().expect("plain names")], stdin);
    let here = format!("{}{}", folder.path().display(), std::path::MAIN_SEPARATOR);
    let said: Vec<String> = stream(&output).iter().map(|line| line.replace(&here, "")).collect();
    assert_eq!(said, expected, "{options:?}");
}

const RULES: &str = r#"[{"rule_id":"double","predicate":".output == 2 * .input.a","precondition":".input.a > 0","invariant":"twice"},
{"rule_id":"none","predicate":"false"}]"#;

const VECTORS: &str = r#"{"input":{"a":1},"rule_id":"double"}
{"input":{"a":-1},"rule_id":"double"}
{"input":{"a":2},"rule_id":"none"}
{"input":{"a":3},"rule_id":"own","predicate":".output == 6"}
"#;

/// A candidate that is asked one input comes to its end.
fn failed_alone() -> String {
    super::failed(0, 1).replace("}}", r#"},"exit":0}"#)
}

#[test]
fn vectors_name_rules() {
    let files = [("r.json", RULES), ("v.ndjson", VECTORS)];
    let record = r#"{"type":"failure","kind":"assertion","message":"the predicate yields false","expected":"false","observed":"4","counterexample":{"a":2},"rule":"none","vector_index":2}"#;
    let end = r#"{"type":"end","outcome":"failed","runner":"bv-gate","counts":{"passed":1,"failed":1,"skipped":1}}"#;
    check_files(&files, &["--rules", "r.json", "--vectors", "v.ndjson"], "", &[record, end]);
    check_files(&files, &["--rules", "r.json"], VECTORS, &[record, end]);
    check_files(&files, &["--rules", "r.json", "--vectors", "v.ndjson", "--rule", "own"], "", &[&passed(1)]);
    let missing = refused("bad_input", "v.ndjson:1: nothing to check, and no rule double is known", 0);
    check_files(&files, &["--vectors", "v.ndjson"], "", &[&missing]);
    let unknown = refused("bad_input", "no rule nosuch is known", 0);
    check_files(&files, &["--vectors", "v.ndjson", "--rule", "nosuch"], "", &[&unknown]);
}

#[test]
fn a_vector_is_held_to_its_rule_too() {
    let vector = r#"{"input":{"a":1},"rule_id":"none","expected":2}"#;
    let record = r#"{"type":"failure","kind":"assertion","message":"the predicate yields false","expected":"false","observed":"2","counterexample":{"a":1},"rule":"none","vector_index":0}"#;
    check_files(&[("r.json", RULES)], &["--rules", "r.json"], vector, &[record, &super::failed(0, 1)]);
}

#[test]
fn rules_that_cannot_be_used_refuse_the_run() {
    let check = |rules: &str, message: &str| {
        let end = refused("bad_input", message, 0);
        check_files(&[("r.json", rules)], &["--rules", "r.json"], VECTORS, &[&end]);
    };
    check(
        "[{\"rule_id\":\"a\",\"predicate\":\"true\"},\n{\"rule_id\":\"a\",\"predicate\":\"true\"}]",
        "r.json:2: rule a stands twice",
    );
    check(
        r#"{"rule_id":"a","input":{},"predicate":"true"}"#,
        "r.json:1: rule a has an input: it is a vector",
    );
    check("[", "r.json:1: cut off within the array");
    check("rule", "r.json:1: expected a JSON object");
}

#[test]
fn files_that_are_not_there_are_missing() {
    let missing = refused("missing_file", "cannot read no.json: No such file or directory", 0);
    check_files(&[], &["--rules", "no.json"], VECTORS, &[&missing]);
    check_files(&[], &["--vectors", "no.json"], "", &[&missing]);
    check_files(
        &[("r.json", RULES)],
        &["--rules", "r.json", "--rule", "double", "--input", "no.json"],
        "",
        &[&missing],
    );
    let folder = refused("bad_input", "cannot read /: Is a directory", 0);
    check_files(&[], &["--vectors", Path::new("/").to_str().expect("plain")], "", &[&folder]);
}

#[test]
fn one_input_is_held_to_one_rule() {
    let files = [("r.json", RULES), ("i.json", "{\n\"a\": 5\n}\n"), ("v.ndjson", VECTORS)];
    let rule = ["--rules", "r.json", "--input", "i.json", "--rule"];
    let with = |id| [&rule[..], &[id]].concat();
    check_files(&files, &with("double"), "", &[&passed(1)]);
    let record = r#"{"type":"failure","kind":"assertion","message":"the predicate yields false","expected":"false","observed":"10","counterexample":{"a":5},"rule":"none"}"#;
    check_files(&files, &with("none"), "", &[record, &failed_alone()]);
    check_files(&files, &with("nosuch"), "", &[&refused("bad_input", "no rule nosuch is known", 0)]);
    let skipped = refused("no_vectors", "the only vector does not meet its precondition", 0);
    let skipped = skipped.replace(r#""passed":0"#, r#""passed":0,"skipped":1"#);
    check_files(
        &files,
        &["--rules", "r.json", "--input", "-", "--rule", "double"],
        r#"{"a":0}"#,
        &[&skipped],
    );
    let own = r#"{"type":"failure","kind":"assertion","message":"the predicate yields false","expected":".output == 6","observed":"8","counterexample":{"a":4},"rule":"own"}"#;
    check_files(
        &files,
        &["--vectors", "v.ndjson", "--input", "-", "--rule", "own"],
        r#"{"a":4}"#,
        &[own, &failed_alone()],
    );
}

#[test]
fn an_input_is_one_object() {
    let check = |text: &str, message: &str| {
        let end = refused("bad_input", message, 0);
        check_files(
            &[("r.json", RULES)],
            &["--rules", "r.json", "--rule", "double", "--input", "-"],
            text,
            &[&end],
        );
    };
    check("", "-: expected a JSON object");
    check("[1]", "-: expected a JSON object");
    check("{\"a\":1", "-: EOF while parsing an object");
    check("{} {}", "-: trailing characters");
}

/// An expected value belongs to the input beside it; the other checks hold for any.
#[test]
fn an_expected_value_is_taken_for_its_own_input_only() {
    let vectors = r#"{"input":{"a":1,"b":[2]},"rule_id":"r","expected":3}
{"input":{"a":2},"rule_id":"r","expected":4}
"#;
    let check = |input: &str, expected: &[&str]| {
        check_files(
            &[("v.ndjson", vectors)],
            &["--vectors", "v.ndjson", "--rule", "r", "--input", "-"],
            input,
            expected,
        );
    };
    let record = r#"{"type":"failure","kind":"assertion","message":"the output is 2, expected 3","expected":"3","observed":"2","counterexample":{"b":[2.0],"a":1},"rule":"r"}"#;
    check(r#"{"b":[2.0],"a":1}"#, &[record, &failed_alone()]);
    check(r#"{"a":2}"#, &[&passed(1)]);
    check(r#"{"a":1}"#, &[&refused("bad_input", "rule r: nothing to check, and no rule r is known", 0)]);
}

#[test]
fn vectors_that_do_not_agree_make_no_rule() {
    let vectors = r#"{"input":{"a":1},"rule_id":"r","predicate":"true"}
{"input":{"a":2},"rule_id":"r","predicate":"false"}
"#;
    let check = |input: &str, expected: &[&str]| {
        check_files(
            &[("v.ndjson", vectors)],
            &["--vectors", "v.ndjson", "--rule", "r", "--input", "-"],
            input,
            expected,
        );
    };
    let end =
        refused("bad_input", "the vectors of rule r do not agree on its checks; put it in a rules file", 0);
    check(r#"{"a":3}"#, &[&end]);
    check(r#"{"a":1}"#, &[&passed(1)]);
}

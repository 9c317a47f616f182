//! What cannot be checked is refused with its reason, and never passed. No driver is needed for any of this.

use super::{folder, tool};
use serde_json::{Value, json};
use std::path::Path;

const SHADER: &str = "#version 300 es
precision highp float;
out vec4 o;
void main() { o = vec4(1.0); }
";

/// A manifest whose driver does not exist: the system's loader finds nothing then.
const NOWHERE: &str = r#"{"file_format_version": "1.0.0", "ICD": {"library_path": "/nowhere/libnone.so", "api_version": "1.1.0"}}"#;

fn records(file: &str, more: &[(&str, &str)]) -> Vec<Value> {
    let folder = folder(&[&[("a.frag", SHADER), ("none.json", NOWHERE), ("c.json", file)], more].concat());
    let events = tool(&["--icd", "none.json", "c.json"], folder.path(), b"");
    bv_tests::stages::records(events.as_bytes())
}

/// One `end` with this reason; its message holds `words`.
fn check(file: &str, reason: &str, words: &str) {
    let records = records(file, &[]);
    let [end] = &records[..] else { panic!("{records:?}") };
    assert_eq!((&end["outcome"], &end["reason"]), (&"refused".into(), &reason.into()), "{file}: {end}");
    let message = end["message"].as_str().expect("a message");
    assert!(message.contains(words), "{message}");
}

fn with(rest: &str) -> String {
    format!(r#"{{"bvGpu": 1, "program": {{"fragment": "a.frag"}}, {rest}}}"#)
}

#[test]
fn what_is_no_check_is_refused() {
    check("", "bad_input", "EOF while parsing a value at line 1 column 0");
    check("{", "bad_input", "EOF while parsing an object at line 1 column 1");
    check(r#"{"bvGpu": 2, "program": {"fragment": "a.frag"}, "rules": []}"#, "bad_input", "`bvGpu` is 2");
    check(&with(r#""rules": [{"id": "a", "evry": "finite"}]"#), "bad_input", "unknown field `evry`");
    check(&with(r#""rules": [], "vectors": {"cout": 1}"#), "bad_input", "`vectors`: unknown field `cout`");
    check(&with(r#""rules": [{"id": "a"}]"#), "bad_input", "rule `a`: says neither");
    check(
        &with(r#""rules": [{"id": "a", "every": "finite", "eq": [1]}]"#),
        "bad_input",
        "`eq` does not belong to `every`",
    );
    check(
        &with(r#""rules": [{"id": "a", "every": "finite"}, {"id": "a", "every": "finite"}]"#),
        "bad_input",
        "rule `a` stands twice",
    );
    check(
        &with(r#""rules": [{"id": "a", "every": "finite"}], "target": {"size": [0, 1]}"#),
        "bad_input",
        "1 to 2048",
    );
}

#[test]
fn what_holds_of_nothing_is_refused() {
    check(&with(r#""rules": []"#), "no_tests", "there are no rules");
}

#[test]
fn what_is_missing_is_refused() {
    let missing = r#"{"bvGpu": 1, "program": {"fragment": "b.frag"}, "rules": [{"id": "compile"}]}"#;
    check(missing, "missing_file", "b.frag: No such file or directory");
    let folder = folder(&[]);
    let events = tool(&["c.json"], folder.path(), b"");
    let end: Value = serde_json::from_str(&events).expect("one record");
    assert_eq!((&end["outcome"], &end["reason"]), (&"refused".into(), &"missing_file".into()));
}

#[test]
fn without_a_driver_pictures_are_refused_and_the_compiler_still_speaks() {
    check(
        &with(r#""rules": [{"id": "finite", "every": "finite"}]"#),
        "no_adapter",
        "c.json: no graphics adapter: ",
    );
    let both = records(&with(r#""rules": [{"id": "compile"}, {"id": "finite", "every": "finite"}]"#), &[]);
    assert_eq!(both[0]["counts"], json!({"passed": 1, "failed": 0, "skipped": 1}));
    assert_eq!(both[0]["reason"], "no_adapter");
    let compiled = records(&with(r#""rules": [{"id": "compile"}, {"id": "link"}, {"id": "limits"}]"#), &[]);
    let passed =
        json!({"type": "end", "outcome": "passed", "runner": "bv-gpu", "counts": {"passed": 3, "failed": 0}});
    assert_eq!(compiled, [passed]);
}

#[test]
fn a_shader_that_does_not_compile_is_named_with_its_line() {
    let wrong =
        "// three.js\n#version 300 es\nprecision highp float;\nout vec4 o;\nvoid main() { o = vec4(y); }\n";
    // The first line is a framework's; what the user wrote begins after it.
    let wrong = wrong.replace("// three.js\n#version 300 es\n", "#version 300 es\n#define PREFIX\n");
    let file = r#"{"bvGpu": 1, "program": {"fragment": "w.frag", "lineOffset": 2},
        "rules": [{"id": "compile"}, {"id": "finite", "every": "finite"}]}"#;
    let expected = [
        json!({
            "type": "failure", "id": "c.json: compile", "kind": "compile_error",
            "message": "'y' : undeclared identifier", "test": {"file": "c.json", "line": 2},
            "fault": {"file": "w.frag", "line": 3, "function": "main"}, "rule": "compile"
        }),
        json!({
            "type": "end", "outcome": "refused", "reason": "compile_error",
            "message": "no shader pair compiles and links", "runner": "bv-gpu",
            "counts": {"passed": 0, "failed": 1, "skipped": 1}
        }),
    ];
    assert_eq!(records(file, &[("w.frag", &wrong)]), expected);
}

/// One check that is red makes the run red, whatever another was refused for.
#[test]
fn evidence_of_failure_outweighs_a_refusal() {
    let wrong = SHADER.replace("vec4(1.0)", "vec4(y)");
    let good = with(r#""rules": [{"id": "compile"}]"#);
    let bad = good.replace("a.frag", "w.frag");
    let files = [("a.frag", SHADER), ("w.frag", &*wrong), ("good.json", &*good), ("bad.json", &*bad)];
    let folder = folder(&files);
    let events = tool(&["good.json", "missing.json", "bad.json"], folder.path(), b"");
    let records = bv_tests::stages::records(events.as_bytes());
    assert_eq!(records.len(), 2);
    assert_eq!(records[1]["outcome"], "failed");
    assert_eq!(records[1]["counts"], json!({"passed": 1, "failed": 1}));
}

#[test]
fn a_check_is_read_from_stdin() {
    let folder = folder(&[("a.frag", SHADER)]);
    for args in [&["-"][..], &[]] {
        let events = tool(args, folder.path(), with(r#""rules": [{"id": "compile"}]"#).as_bytes());
        let end: Value = serde_json::from_str(&events).expect("one record");
        assert_eq!(end["outcome"], "passed");
    }
}

#[test]
fn the_schema_that_is_printed_is_the_one_that_is_checked_in_and_takes_the_pairs() {
    let printed = tool(&["--schema"], Path::new("/"), b"");
    let schema: Value = serde_json::from_str(&printed).expect("JSON");
    assert_eq!(schema, bv_gpu::schema());
    let validator = jsonschema::validator_for(&schema).expect("the schema is one");
    for entry in std::fs::read_dir(super::here().join("pairs")).expect("pairs") {
        let path = entry.expect("a listed entry").path();
        if path.extension().is_some_and(|ext| ext == "json") {
            let pair: Value = serde_json::from_slice(&std::fs::read(&path).expect("readable")).expect("JSON");
            assert!(validator.is_valid(&pair), "{}: {:?}", path.display(), validator.validate(&pair).err());
        }
    }
}

//! bv-gate on the real binary: what candidates do, and what the stream says of it.

mod adapters;
mod input;
mod sentence;
mod trouble;
mod verdict;

use serde_json::Value;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A program of this crate's examples, which `cargo test` builds.
fn example(name: &str) -> PathBuf {
    let tools = bv_tests::binary("bv-gate");
    let path = tools.parent().expect("a file lies in a folder").join("examples").join(name);
    assert!(path.is_file(), "{} is not built; run `make test`", path.display());
    path
}

/// `bv-gate OPTIONS -- CANDIDATE`, with `stdin`. Where nothing is to take long, nothing is to time out on a busy
/// machine either.
fn gate(options: &[&str], candidate: &[&str], stdin: &str) -> Output {
    let patient = !options.contains(&"--timeout");
    let mut child = Command::new(bv_tests::binary("bv-gate"))
        .args(["--timeout", "5m"].iter().filter(|_| patient))
        .args(options)
        .arg("--")
        .args(candidate)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut input = child.stdin.take().expect("piped");
    let text = stdin.to_owned();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("it ends");
    // A gate that has seen enough reads no further.
    let _ = writer.join().expect("the writer does not panic");
    assert!(output.status.success(), "{output:?}");
    output
}

/// The stream, its `command` left out, which holds this machine's paths; every record is what the schema
/// says.
fn stream(output: &Output) -> Vec<String> {
    let schema = bv_schemas::schema::closed(&bv_schemas::schema::records());
    let validator = jsonschema::validator_for(&schema).expect("the schema is one");
    let mut lines = Vec::new();
    for mut record in bv_tests::stages::records(&output.stdout) {
        assert!(validator.is_valid(&record), "{:?}: {record}", validator.validate(&record).err());
        record.as_object_mut().and_then(|record| record.shift_remove("command"));
        lines.push(record.to_string());
    }
    lines
}

/// What the candidate of the tests, with `flags`, makes of `vectors`: without the last line's runner.
fn check(options: &[&str], flags: &[&str], vectors: &[&str], expected: &[&str]) {
    let candidate = example("candidate");
    let candidate: Vec<&str> =
        std::iter::once(candidate.to_str().expect("plain names")).chain(flags.iter().copied()).collect();
    let output = gate(options, &candidate, &vectors.join("\n"));
    assert_eq!(stream(&output), expected, "{options:?} {flags:?} {vectors:#?}");
}

/// A vector of the candidate of the tests.
fn vector(input: &str) -> String {
    format!(r#"{{"input":{input},"rule_id":"rule_1","predicate":".output == 2 * .input.a"}}"#)
}

fn passed(count: usize) -> String {
    format!(
        r#"{{"type":"end","outcome":"passed","runner":"bv-gate","counts":{{"passed":{count}}},"exit":0}}"#
    )
}

fn failed(passed: usize, failed: usize) -> String {
    format!(
        r#"{{"type":"end","outcome":"failed","runner":"bv-gate","counts":{{"passed":{passed},"failed":{failed}}}}}"#
    )
}

/// The `end` record of a run that nothing can be said of.
fn refused(reason: &str, message: &str, passed: usize) -> String {
    let message = Value::from(message);
    format!(
        r#"{{"type":"end","outcome":"refused","reason":"{reason}","message":{message},"runner":"bv-gate","counts":{{"passed":{passed}}}}}"#
    )
}

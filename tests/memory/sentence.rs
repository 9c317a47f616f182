//! The sentence with an archive: what passes, what is added, what is live.

use super::{Place, memory, records, run, said, stream};
use serde_json::{Value, json};
use std::process::Command;

/// What `archive` adds to the one failure of the run: its state and attempt.
fn history(place: &Place, failed: &[&str], passed: &[&str]) -> Value {
    let out = place.archive(&stream(failed, passed));
    let failure = out.iter().find(|record| record["type"] == "failure").expect("there is one");
    json!([failure["state"], failure["attempt"]])
}

/// The tests that `live` names, in its order.
fn live(place: &Place) -> Vec<String> {
    let receipts = records(place.text(&["live"]).as_bytes());
    receipts.iter().map(|receipt| receipt["failed_rule_id"].as_str().expect("a rule").to_owned()).collect()
}

#[test]
fn a_failure_is_new_then_still_then_regressed() {
    let place = Place::new();
    assert_eq!(history(&place, &["t"], &["u"]), json!(["new", 1]));
    assert_eq!(live(&place), ["t"]);
    assert_eq!(history(&place, &["t"], &["u"]), json!(["still", 2]));
    assert_eq!(live(&place), ["t"]);
    place.archive(&stream(&[], &["t", "u"]));
    assert_eq!(live(&place), Vec::<String>::new());
    assert_eq!(history(&place, &["t"], &["u"]), json!(["regressed", 3]));
    assert_eq!(live(&place), ["t"]);
}

#[test]
fn a_run_of_other_tests_supersedes_nothing() {
    let place = Place::new();
    place.archive(&stream(&["t"], &["u"]));
    place.archive(&stream(&[], &["u"]));
    assert_eq!(live(&place), ["t"]);
    place.archive(&stream(&["u"], &[]));
    assert_eq!(live(&place), ["u", "t"]);
    // A stream that was cut off before its verdict says of no test that it is well.
    let cut = stream(&[], &["t", "u"]).lines().take(2).map(|line| format!("{line}\n")).collect::<String>();
    place.archive(&cut);
    assert_eq!(live(&place), ["u", "t"]);
}

#[test]
fn both_outcomes_on_one_state_of_the_code_are_flaky() {
    let place = Place::new();
    let on = |code: &str, failed: &[&str], passed: &[&str]| {
        let output = place.run(&["archive", "--code", code], stream(failed, passed).as_bytes());
        let out = records(&output.stdout);
        out.iter().find(|record| record["type"] == "failure").map(|failure| failure["state"].clone())
    };
    assert_eq!(on("a", &[], &["t"]), None);
    assert_eq!(on("b", &["t"], &[]), Some(json!("new")));
    assert_eq!(on("a", &["t"], &[]), Some(json!("flaky")));
    assert_eq!(on("b", &["t"], &[]), Some(json!("still")));
}

/// What is not bv-memory's passes byte for byte and in order.
#[test]
fn records_pass_as_they_came() {
    let place = Place::new();
    let lines = [
        r#"{ "type" : "coverage", "percent":1.50 }"#,
        r#"{"type":"failure", "id":"\u00fc", "later":1.50 }"#,
        r#"{"type":"test","id":"v","outcome":"skipped"}"#,
        "no record",
        r#"{"type":"end","outcome":"failed","runner":"pytest","later":[]}"#,
    ];
    let output = place.run(&["archive"], (lines.join("\n") + "\n").as_bytes());
    let expected = [
        lines[0],
        r#"{"type":"failure", "id":"\u00fc", "later":1.50,"state":"new","attempt":1}"#,
        lines[2],
        lines[3],
        lines[4],
    ];
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected.join("\n") + "\n");
    assert_eq!(
        (said(&output).as_str(), output.status.code()),
        ("bv-memory: no record, passed on: line 4\n", Some(0))
    );
}

#[test]
fn live_is_bounded_and_the_same_every_time() {
    let place = Place::new();
    let names: Vec<String> = (0..40).map(|n| format!("tests/test_{n}.py::test")).collect();
    place.archive(&stream(&names.iter().map(String::as_str).collect::<Vec<_>>(), &[]));
    let whole = place.text(&["live"]);
    assert_eq!((whole.lines().count(), place.text(&["live"])), (40, whole.clone()));
    let output = place.run(&["live", "--max-bytes", "1000"], b"");
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    let count = shown.lines().count();
    assert!(shown.len() <= 1000 && shown.len() > 700 && whole.starts_with(&shown), "{shown}");
    assert_eq!(
        said(&output),
        format!("bv-memory: {count} of 40 live failures shown; bv-memory log has all\n")
    );
}

/// A real command through all five stages, and everything back.
#[test]
fn the_sentence_archives_what_it_says() {
    let place = Place::new();
    let log = "test result: FAILED\n\nrunning 2 tests\ntest a::ok ... ok\ntest a::bad ... FAILED\n\nfailures:\n\n---- a::bad stdout ----\n\nthread 'a::bad' panicked at src/lib.rs:9:5:\nassertion `left == right` failed\n  left: 1\n right: 2\n\nfailures:\n    a::bad\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n";
    std::fs::write(place.project().join("log"), log).expect("it can be written");
    let tools = bv_tests::binary("bv-run");
    let tools = tools.parent().expect("a file lies in a folder");
    let sentence = || {
        let line = "$0/bv-run -- sh -c 'cat log; exit 101' | $0/bv-memory tee | $0/bv-parse --all | $0/bv-memory archive | $0/bv-receipt";
        let mut command = Command::new("sh");
        command.args(["-c", line]).arg(tools).env("BV_STORE", place.store()).current_dir(place.project());
        let output = run(&mut command, b"");
        assert_eq!((said(&output).as_str(), output.status.code()), ("", Some(1)));
        records(&output.stdout).remove(0)
    };
    let first = sentence();
    let trace = first["trace"].as_str().expect("it is archived").to_owned();
    assert_eq!((first["state"].clone(), first["attempt"].clone()), (Value::Null, Value::Null));
    let again = sentence();
    assert_eq!((&again["state"], &again["attempt"]), (&json!("still"), &json!(2)));
    assert_eq!(place.text(&["live"]), format!("{again}\n"));

    let raw = place.text(&["restore", &trace]);
    assert!(raw.starts_with("bv-run: [") && raw.contains(log) && raw.ends_with("bv-exit: 101\n"), "{raw}");
    let block = place.text(&["show", &trace, "--test", "a::bad"]);
    assert!(
        block.contains("panicked at src/lib.rs:9:5") && block.len() < raw.len() && raw.contains(&block),
        "{block}"
    );
    let found = records(place.text(&["search", "panicked at"]).as_bytes());
    assert_eq!(
        (found.len(), &found[0]["trace"].as_str().map(|hash| hash.starts_with(&trace))),
        (1, &Some(true))
    );
    let found = records(place.text(&["search", "a::bad"]).as_bytes());
    let id = found[0]["failure"].as_str().expect("failures come first");
    assert_eq!(place.text(&["show", &id[..8]]), block);
    let log = records(place.text(&["log"]).as_bytes());
    let rows: Vec<Value> =
        log.iter().map(|row| json!([row["outcome"], row["failures"], row["live"]])).collect();
    assert_eq!(rows, [json!(["failed", 1, 1]), json!(["failed", 1, 0])]);
    assert_eq!(place.fsck(&[]), (Some(0), String::new()));
}

#[test]
fn a_project_is_its_remote_and_the_folder_in_it() {
    let place = Place::new();
    let git = |args: &[&str]| {
        let done =
            Command::new("git").args(args).current_dir(place.project()).output().expect("git is there");
        assert!(done.status.success(), "{args:?}: {}", said(&done));
    };
    git(&["init", "-q"]);
    git(&["remote", "add", "origin", "https://me:secret@Example.org/team/app.git"]);
    place.archive(&stream(&["t"], &[]));
    std::fs::create_dir(place.project().join("part")).expect("it can be made");
    // The test of the same name in another folder is another test.
    run(
        memory(&place.store()).arg("archive").current_dir(place.project().join("part")),
        stream(&[], &["t"]).as_bytes(),
    );
    let projects: Vec<Value> =
        records(place.text(&["log", "--all"]).as_bytes()).iter().map(|row| row["project"].clone()).collect();
    assert_eq!(projects, ["example.org/team/app//part", "example.org/team/app"]);
    assert_eq!(live(&place), ["t"]);
}

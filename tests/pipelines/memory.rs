//! What `pipelines/` has for the archive: the hooks of harnesses, and the loop of a repair.

use super::{command, fed, path, python, script, text};
use serde_json::Value;
use std::fs;
use std::process::Command;

/// A folder with an archive in which `names` failed.
fn archive(names: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let mut stream = String::new();
    for name in names {
        stream += &format!(
            "{{\"type\":\"failure\",\"id\":\"{name}\",\"kind\":\"assertion\",\"message\":\"no\"}}\n"
        );
    }
    let failed = names.len();
    let outcome = if failed == 0 { "passed" } else { "failed" };
    stream += &format!(
        "{{\"type\":\"end\",\"outcome\":\"{outcome}\",\"runner\":\"pytest\",\"counts\":{{\"failed\":{failed}}}}}\n"
    );
    let mut store = Command::new(bv_tests::binary("bv-memory"));
    store.arg("archive").current_dir(&folder).env("BV_STORE", folder.path().join("store"));
    assert_eq!(text(fed(store, &stream)).2, Some(0));
    folder
}

/// The commands of a hook file by event, run as the harness runs them: by a shell, in the project, the event's JSON
/// on stdin. What comes out, for a project in which `names` failed.
fn hooks(file: &str, names: &[&str]) -> Vec<(String, String)> {
    let hooks: Value =
        serde_json::from_str(&fs::read_to_string(script(file)).expect("it is there")).expect("JSON");
    let mut said = Vec::new();
    for (event, groups) in hooks["hooks"].as_object().expect("events") {
        let line = groups[0]["hooks"][0]["command"].as_str().expect("a command");
        let folder = archive(names);
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &line.replace("pipelines/", "\"$PIPELINES\"/")])
            .current_dir(&folder)
            .env("PATH", path())
            .env("PIPELINES", script(""))
            .env("BV_STORE", folder.path().join("store"))
            .env_remove("CLAUDE_PROJECT_DIR");
        let stdin = format!("{{\"hook_event_name\":\"{event}\",\"cwd\":\"/x\",\"source\":\"compact\"}}");
        let (stdout, _, status) = text(fed(shell, &stdin));
        assert_eq!(status, Some(0), "{event}");
        said.push((event.clone(), stdout));
    }
    said
}

const HEAD: &str = "Tests that still fail, as of their last run (older test output is of the past):\n";

fn receipt(name: &str) -> String {
    format!(
        "{{\"status\":\"failed_assertion\",\"failed_rule_id\":\"{name}\",\"expected_invariant\":\"no\"}}\n"
    )
}

#[test]
fn hooks_say_what_still_fails() {
    for (file, events) in
        [("claude-code.json", &["SessionStart", "PreCompact"][..]), ("codex.json", &["SessionStart"])]
    {
        let one = format!("{HEAD}{}", receipt("t::a"));
        let expected: Vec<_> = events.iter().map(|event| ((*event).to_owned(), one.clone())).collect();
        assert_eq!(hooks(file, &["t::a"]), expected, "{file}");
    }
}

#[test]
fn hooks_say_nothing_when_nothing_fails_and_no_more_than_their_budget() {
    for (_, said) in hooks("claude-code.json", &[]) {
        assert_eq!(said, "");
    }
    let names: Vec<String> = (0..99).map(|nth| format!("tests/test_a.py::test_{nth:03}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let lengths: Vec<usize> =
        hooks("claude-code.json", &names).iter().map(|(_, said)| said.len() - HEAD.len()).collect();
    let each = receipt(names[0]).len();
    assert_eq!(lengths, [4000 / each * each, 2000 / each * each]);
}

#[test]
fn a_hook_without_bv_memory_does_not_stop_the_agent() {
    let output = Command::new("/bin/sh").arg(script("live-hook")).env("PATH", "/usr/bin:/bin").output();
    let said = "live-hook: bv-memory is not on PATH: run 'make install'\n";
    assert_eq!(text(output.expect("sh is there")), ("".into(), said.into(), Some(0)));
}

#[test]
fn a_repair_leaves_the_live_set_empty_and_the_first_trace_whole() {
    if python("skip_vendored.py").is_none() {
        return;
    }
    let (stdout, stderr, status) = text(command("repair-loop").output().expect("sh is there"));
    // Times are in the trace, and Python's versions word it differently.
    let id = regex::Regex::new("[0-9a-f]{12}|[0-9]+(?P<word> lines)").expect("a pattern");
    let failed = r#"{"status":"failed_assertion","failed_rule_id":"test_vat.Vat.test_half_a_cent_goes_up","observed_output":"100","expected_invariant":"101","exception_type":"AssertionError","ast_location":{"file":"vat.py","symbol":"cents","lines":[1,1],"inferred":true},"asserted_at":"test_vat.py:6""#;
    let expected = format!(
        "a broken candidate:\n{failed},\"trace\":\"ID\"}}\nwhat is live:\n{failed},\"trace\":\"ID\"}}\n\
         the revised candidate:\n{{\"status\":\"passed\",\"vectors_verified\":1,\"trace\":\"ID\"}}\n\
         what is live: 0 failures\n\
         the first trace, given back by 'bv-memory show ID': ID lines, byte for byte\n"
    );
    assert_eq!(
        (id.replace_all(&stdout, "ID$word").into_owned(), stderr, status),
        (expected, String::new(), Some(0))
    );
}

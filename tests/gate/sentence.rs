//! The gate in its sentence: its records as bv-receipt sees them, and the seed example.

use super::gate;
use std::process::Command;

/// The receipt of the seed example, as `candidate` makes it.
fn receipt(candidate: &str) -> (String, u8) {
    let folder = bv_tests::root().join("pipelines/swept_aabb");
    let name = |file: &str| folder.join(file).to_string_lossy().into_owned();
    let (rules, vectors, candidate) = (name("rules.json"), name("vectors.ndjson"), name(candidate));
    let output = gate(&["--rules", &rules, "--vectors", &vectors], &[&candidate], "");
    bv_tests::stages::receipt(&folder, &[], &output.stdout)
}

fn python_is_there() -> bool {
    let there = Command::new("python3").arg("--version").output().is_ok();
    assert!(there || std::env::var_os("CI").is_none(), "python3 is missing");
    there
}

#[test]
fn the_swept_box_passes() {
    if python_is_there() {
        let green = "{\"status\":\"passed\",\"vectors_verified\":55,\"skipped\":41}\n";
        assert_eq!(receipt("swept.py"), (green.to_owned(), 0));
    }
}

#[test]
fn the_box_that_tunnels_fails_by_the_rule() {
    if python_is_there() {
        let (line, code) = receipt("discrete.py");
        let receipt: serde_json::Value = serde_json::from_str(&line).expect("JSON");
        assert!(line.len() <= 401 && code == 1, "{line}");
        assert_eq!(receipt["status"], "failed_assertion");
    }
}

/// The whole sentence: the failing vector is made smaller by the gate as its own oracle.
#[test]
fn the_box_that_tunnels_is_made_small() {
    if !python_is_there() {
        return;
    }
    let tools = bv_tests::binary("bv-gate");
    let folder = tools.parent().expect("a file lies in a folder");
    let old = std::env::var_os("PATH").unwrap_or_default();
    let all = std::iter::once(folder.to_owned()).chain(std::env::split_paths(&old));
    bv_tests::binary("bv-minimize");
    let output = Command::new(bv_tests::root().join("pipelines/physics"))
        .env("PATH", std::env::join_paths(all).expect("they came from a PATH"))
        .output()
        .expect("sh is there");
    let line = String::from_utf8(output.stdout).expect("UTF-8");
    let receipt: serde_json::Value = serde_json::from_str(&line).expect("JSON");
    assert_eq!(output.status.code(), Some(1), "{line}");
    assert!(line.len() <= 401, "{line}");
    assert_eq!(receipt["status"], "failed_assertion");
    assert_eq!(receipt["failed_rule_id"], "rule_07_swept_aabb_no_tunneling");
    let names: Vec<_> = receipt["minimal_counterexample"].as_object().expect("an object").keys().collect();
    assert_eq!(names, ["box", "wall", "velocity", "dt"], "what does not matter is gone");
    let bytes = receipt["minimal_counterexample"].to_string().len();
    assert!(bytes < 150, "the vector has over 500: {line}");
}

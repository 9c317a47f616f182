//! Checks that are drawn: what holds, what does not, and what is said of it.

use super::{backends, check, folder, here, tool};
use serde_json::{Value, json};
use std::fs;

/// 4 is the shortest number beyond 3.7.
const STEP: &str = "#version 300 es
precision highp float;
uniform float u_x;
uniform float u_y;
out vec4 o;
float wave(float x) { return sin(x); }
void main() {
  o = vec4(wave(u_x) + u_y + (u_x > 3.7 ? 0.5 : 0.0), 0.0, 0.0, 1.0);
}
";

const GRADIENT: &str = "#version 300 es
precision highp float;
uniform vec4 u_tint;
out vec4 o;
void main() { o = vec4(gl_FragCoord.xy / 8.0, 0.0, 1.0) + u_tint; }
";

const SPIN: &str = "#version 300 es
precision highp float;
uniform float u_x;
out vec4 o;
float spin(float x) {
  float sum = 0.0;
  while (x > 2.0) { sum += x; if (sum < -1.0) break; }
  return sum;
}
void main() { o = vec4(spin(u_x)); }
";

fn end(outcome: &str, counts: Value) -> Value {
    json!({ "type": "end", "outcome": outcome, "runner": "bv-gpu", "counts": counts })
}

/// Chromium drew the references; see `chromium.py`.
#[test]
fn every_pair_looks_as_in_chromium() {
    let mut seen = 0;
    for backend in backends() {
        for entry in fs::read_dir(here().join("pairs")).expect("pairs") {
            let path = entry.expect("a listed entry").path();
            if path.extension().is_some_and(|ext| ext == "json") {
                let name = path.to_str().expect("plain names");
                let rules = if name.contains("07_ints") { 3 } else { 4 };
                let events = tool(&["--backend", backend, name], &here(), b"");
                let expected = end("passed", json!({ "passed": rules, "failed": 0 }));
                assert_eq!(bv_tests::stages::records(events.as_bytes()), [expected], "{backend}: {name}");
                seen += 1;
            }
        }
    }
    assert_eq!(seen, 14 * backends().len());
}

#[test]
fn a_broken_property_is_told_with_its_simplest_vector() {
    let file = r#"{"bvGpu": 1, "program": {"fragment": "step.frag"}, "target": {"format": "rgba32f"},
        "vectors": {"seed": 7, "count": 10000,
                    "uniforms": {"u_x": {"range": [-10, 10]}, "u_y": {"range": [0, 5]}}},
        "rules": [
          {"id": "finite", "every": "finite"},
          {"id": "as-on-paper", "every": "abs(r - (sin(u_x) + u_y)) <= 0.25"}]}"#;
    let failure = json!({
        "type": "failure", "id": "step.json: as-on-paper", "kind": "property",
        "message": "abs(r - (sin(u_x) + u_y)) <= 0.25 ±4 ulp does not hold: 0.5 <= 0.25, rgba [0.5,0,0,1]",
        "expected": "abs(r - (sin(u_x) + u_y)) <= 0.25 ±4 ulp", "observed": "0.5 <= 0.25, rgba [0.5,0,0,1]",
        "counterexample": {"u_x": 4}, "test": {"file": "step.json", "line": 6},
        "fault": {"file": "step.frag", "line": 7, "function": "main"},
        "rule": "as-on-paper", "vector_index": 1, "adapter": "ADAPTER"
    });
    for backend in backends() {
        let folder = folder(&[("step.frag", STEP), ("step.json", file)]);
        let events = tool(&["--backend", backend, "step.json"], folder.path(), b"");
        let mut records = bv_tests::stages::records(events.as_bytes());
        // The last digits of sin are each driver's own.
        let seen = records[0]["observed"].as_str().expect("a text").to_owned();
        assert!(seen.contains(" <= 0.25, rgba [-0.2568"), "{seen}");
        records[0]["observed"] = failure["observed"].clone();
        records[0]["message"] = failure["message"].clone();
        records[0]["adapter"] = "ADAPTER".into();
        let end = end("failed", json!({ "passed": 16857, "failed": 3143 }));
        assert_eq!(records, [failure.clone(), end], "{backend}");
    }
}

#[test]
fn probes_look_at_pixels_and_rectangles() {
    let file = |rules: &str| {
        format!(
            r#"{{"bvGpu": 1, "program": {{"fragment": "g.frag"}}, "target": {{"size": [8, 8]}},
                "rules": [{rules}]}}"#
        )
    };
    let holds = file(
        r#"{"id": "corner", "probe": [0, 0], "eq": [0.0625, 0.0625, 0, 1]},
           {"id": "top", "probe": [0, 7, 8, 1], "ge": [0, 0.93], "tol": {"lsb": 1}},
           {"id": "not-black", "probe": [3, 3, 2, 2], "ne": [0, 0, 0]},
           {"id": "x-and-y", "every": "r == (x + 0.5) / 8 && g == (y + 0.5) / 8"}"#,
    );
    check(
        &[("g.frag", GRADIENT), ("c.json", &holds)],
        &["c.json"],
        &[end("passed", json!({"passed": 4, "failed": 0}))],
    );

    let breaks = file(r#"{"id": "dark", "probe": [0, 0, 8, 8], "lt": [0.5], "tol": {}}"#);
    let failure = json!({
        "type": "failure", "id": "c.json: dark", "kind": "assertion",
        "message": "< [0.5] does not hold: [0.56078434]", "expected": "< [0.5]", "observed": "[0.56078434]",
        "counterexample": {"px": [4, 0]}, "test": {"file": "c.json", "line": 2},
        "fault": {"file": "g.frag", "line": 5, "function": "main"}, "rule": "dark", "adapter": "ADAPTER"
    });
    check(
        &[("g.frag", GRADIENT), ("c.json", &breaks)],
        &["c.json"],
        &[failure, end("failed", json!({"passed": 0, "failed": 1}))],
    );
}

#[test]
fn two_vectors_stand_in_a_relation() {
    let file = r#"{"bvGpu": 1, "program": {"fragment": "step.frag"}, "target": {"format": "rgba32f"},
        "vectors": {"count": 100, "uniforms": {"u_x": {"range": [-3, 3]}}},
        "rules": [{"id": "odd", "same": {"u_x": "-u_x"}, "holds": "b.r == -a.r", "tol": {"abs": 1e-3}},
                  {"id": "shift", "same": {"u_y": "u_y + 1"}, "tol": {"abs": 1e-3}}]}"#;
    let failure = json!({
        "type": "failure", "id": "c.json: shift", "kind": "property",
        "message": "b == a ±0.001 abs does not hold: 1 == 0, a [0,0,0,1], b [1,0,0,1]",
        "expected": "b == a ±0.001 abs", "observed": "1 == 0, a [0,0,0,1], b [1,0,0,1]",
        "test": {"file": "c.json", "line": 4}, "fault": {"file": "step.frag", "line": 7, "function": "main"},
        "rule": "shift", "vector_index": 0, "adapter": "ADAPTER"
    });
    let expected = [failure, end("failed", json!({"passed": 100, "failed": 100}))];
    check(&[("step.frag", STEP), ("c.json", file)], &["c.json"], &expected);
}

/// No reference is ever written by a comparison, and writing one is no pass.
#[test]
fn a_reference_is_written_only_when_asked_for() {
    let file = r#"{"bvGpu": 1, "program": {"fragment": "g.frag"}, "target": {"size": [8, 8]},
        "uniforms": {"u_tint": [0, 0, 0.5, 0]}, "rules": [{"id": "golden", "image": "golden.png", "max": 1}]}"#;
    for backend in backends() {
        let folder = folder(&[("g.frag", GRADIENT), ("c.json", file)]);
        let run = |args: &[&str]| {
            let args: Vec<&str> = ["--backend", backend].iter().chain(args).copied().collect();
            bv_tests::stages::records(tool(&args, folder.path(), b"").as_bytes())
        };
        let missing = &run(&["c.json"])[0];
        assert_eq!((&missing["outcome"], &missing["reason"]), (&"refused".into(), &"missing_file".into()));
        assert!(!folder.path().join("golden.png").exists());
        let blessed = &run(&["--bless", "c.json"])[0];
        assert_eq!((&blessed["outcome"], &blessed["reason"]), (&"refused".into(), &"no_tests".into()));
        assert_eq!(run(&["c.json"]), [end("passed", json!({"passed": 1, "failed": 0}))]);

        fs::write(folder.path().join("c.json"), file.replace("0.5", "0.25")).expect("it can be written");
        let records = run(&["c.json"]);
        assert_eq!(
            records[0]["observed"],
            "max 64, outliers 64, rmse 32.000, rgba [0.0627451,0.0627451,0.2509804,1]"
        );
        assert_eq!(records[0]["kind"], "snapshot");
        for left in ["expected", "observed", "difference"] {
            assert!(folder.path().join(format!("golden.{left}.png")).is_file(), "{left}");
        }
    }
}

/// Where pixels come from vertices, a batch gives what single draws give.
#[test]
fn a_vector_in_a_batch_is_drawn_as_if_alone() {
    let vertex = "#version 300 es
in vec2 a_pos;
uniform float u_x;
out vec2 v_uv;
void main() { v_uv = a_pos * u_x; gl_Position = vec4(a_pos, 0.0, 1.0); }
";
    let fragment = "#version 300 es
precision highp float;
in vec2 v_uv;
out vec4 o;
void main() { o = vec4(v_uv, gl_FragCoord.x, dFdx(v_uv.x)); }
";
    let file = r#"{"bvGpu": 1, "program": {"vertex": "v.vert", "fragment": "v.frag"},
        "target": {"size": [3, 2], "format": "rgba32f"},
        "vectors": {"count": 300, "uniforms": {"u_x": {"int": [1, 9]}}},
        "rules": [{"id": "exact", "tol": {"abs": 1e-5},
          "every": "r == ((x + 0.5) / 1.5 - 1) * u_x && g == (y + 0.5 - 1) * u_x && b == x + 0.5 && a == u_x / 1.5"}]}"#;
    let expected = [end("passed", json!({"passed": 300, "failed": 0}))];
    check(&[("v.vert", vertex), ("v.frag", fragment), ("c.json", file)], &["c.json"], &expected);
}

/// llvmpipe ends such a loop by itself after 65,535 turns and goes on; other drivers never do.
#[test]
fn an_endless_loop_is_a_timeout_of_its_vector_and_the_next_check_runs() {
    let spin = r#"{"bvGpu": 1, "program": {"fragment": "spin.frag"}, "target": {"format": "rgba32f"},
        "vectors": [{"u_x": 0}, {"u_x": 1}, {"u_x": 2}, {"u_x": 3}, {"u_x": 1.5}],
        "rules": [{"id": "finite", "every": "finite"}]}"#;
    let well = r#"{"bvGpu": 1, "program": {"fragment": "step.frag"},
        "rules": [{"id": "finite", "every": "finite"}]}"#;
    let files = [("spin.frag", SPIN), ("step.frag", STEP), ("spin.json", spin), ("well.json", well)];
    for backend in backends() {
        let folder = folder(&files);
        let args = ["--backend", backend, "--timeout", "3s", "spin.json", "well.json"];
        let records = bv_tests::stages::records(tool(&args, folder.path(), b"").as_bytes());
        let [failure, end] = &records[..] else { panic!("{records:?}") };
        assert_eq!(failure["kind"], "timeout", "{backend}: {failure}");
        assert_eq!(failure["counterexample"], json!({"u_x": 3}));
        assert_eq!(failure["fault"], json!({"file": "spin.frag", "function": "spin"}));
        assert_eq!(end["counts"], json!({"passed": 1, "failed": 0, "errored": 1, "skipped": 1}));
        assert_eq!(end["outcome"], "failed");
    }
}

/// The whole sentence: a check file in, a receipt out.
#[test]
fn the_receipt_names_shader_rule_and_vector() {
    let file = r#"{"bvGpu": 1, "program": {"fragment": "step.frag"}, "target": {"format": "rgba32f"},
        "vectors": [{"u_x": 0, "u_y": 0.25}, {"u_x": 0, "u_y": 2}], "rules": [{"id": "rule_7_dim", "every": "r <= 1.0"}]}"#;
    for backend in backends() {
        let folder = folder(&[("step.frag", STEP), ("c.json", file)]);
        let events = tool(&["--backend", backend, "c.json"], folder.path(), b"");
        let (line, code) = bv_tests::stages::receipt(folder.path(), &[], events.as_bytes());
        let receipt: Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!(code, 1);
        assert_eq!(receipt["status"], "failed_assertion");
        assert_eq!(receipt["failed_rule_id"], "rule_7_dim");
        assert_eq!(receipt["minimal_counterexample"], json!({"u_y": 2}));
        assert_eq!(receipt["observed_output"], "2 <= 1, rgba [2,0,0,1]");
        assert_eq!(receipt["ast_location"]["file"], "step.frag");
        assert!(line.trim_end().len() <= 400, "{line}");
    }
}

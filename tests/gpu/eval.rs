//! `bv-gpu eval`: vectors in, outputs out.

use super::{backends, folder, tool};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

const DOUBLE: &str = "#version 300 es
precision highp float;
uniform float u_x;
uniform ivec2 u_n;
uniform float u_z;
out vec4 o;
void main() { o = vec4(u_x * 2.0, u_n, u_x / u_z); }
";

fn answers(shader: &str, lines: &str) -> Vec<Vec<Value>> {
    let run = |backend: &&str| {
        let folder = folder(&[("a.frag", shader)]);
        let told = tool(&["eval", "--backend", backend, "a.frag"], folder.path(), lines.as_bytes());
        told.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    };
    backends().iter().map(run).collect()
}

fn check(shader: &str, lines: &str, expected: &[Value]) {
    for answers in answers(shader, lines) {
        assert_eq!(answers, expected);
    }
}

#[test]
fn every_line_is_answered_in_order() {
    let lines = "{\"u_x\": 1.5}\nnonsense\n{\"u_q\": 1}\n{\"u_n\": [1]}\n\n{\"u_x\": -1, \"u_n\": [3, -4]}";
    let wrong = |words: &str| json!({"exception_type": "bad_input", "exception_msg": words});
    check(
        DOUBLE,
        lines,
        &[
            json!({"output": [3, 0, 0, "inf"]}),
            wrong("expected ident at line 1 column 2"),
            wrong("no shader has a uniform `u_q`"),
            wrong("uniform `u_n` has 2 components, not 1"),
            json!({"output": [-2, 3, -4, "-inf"]}),
        ],
    );
}

#[test]
fn outputs_have_the_shape_that_the_shader_gives_them() {
    let scalar =
        DOUBLE.replace("out vec4 o", "out float o").replace("vec4(u_x * 2.0, u_n, u_x / u_z)", "u_x + 1.0");
    check(&scalar, "{\"u_x\": 1}\n", &[json!({"output": 2})]);
    let two = "#version 300 es
precision highp float;
uniform int u_n;
layout(location = 0) out vec2 o_a;
layout(location = 1) out ivec2 o_b;
void main() { o_a = vec2(0.1); o_b = ivec2(u_n, 7); }
";
    check(two, "{\"u_n\": -3}\n", &[json!({"output": {"o_a": [0.1, 0.1], "o_b": [-3, 7]}})]);
}

#[test]
fn a_shader_that_does_not_compile_answers_with_its_place() {
    let wrong = DOUBLE.replace("u_x * 2.0", "u_w");
    let answer = json!({
        "exception_type": "compile_error", "exception_msg": "undeclared identifier",
        "file": "a.frag", "line": 7, "function": "main"
    });
    for answers in answers(&wrong, "{}\n{}\n") {
        assert_eq!(answers.len(), 2);
        let mut first = answers[0].clone();
        let message = first["exception_msg"].take();
        assert!(message.as_str().is_some_and(|words| words.contains("undeclared identifier")), "{message}");
        first["exception_msg"] = answer["exception_msg"].clone();
        assert_eq!(first, answer);
    }
}

/// A gate that sends one vector and waits for its answer must get it.
#[test]
fn an_answer_comes_while_the_input_pauses() {
    for backend in backends() {
        let folder = folder(&[("a.frag", DOUBLE)]);
        let mut child = answering(backend, folder.path());
        let mut input = child.stdin.take().expect("piped");
        let mut output = BufReader::new(child.stdout.take().expect("piped"));
        for n in 1..4 {
            writeln!(input, "{{\"u_x\": {n}}}").expect("it reads");
            let mut line = String::new();
            output.read_line(&mut line).expect("it answers");
            assert_eq!(line, format!("{{\"output\":[{},0,0,\"inf\"]}}\n", 2 * n));
        }
        drop(input);
        assert!(child.wait().expect("it ends").success());
    }
}

/// A driver that crashes takes the worker with it, never the answer; the next vector has a new worker.
#[cfg(target_os = "linux")]
#[test]
fn a_worker_that_dies_is_an_exception_of_its_vector() {
    for backend in backends() {
        let folder = folder(&[("a.frag", DOUBLE)]);
        let mut child = answering(backend, folder.path());
        let mut lines = child.stdin.take().expect("piped");
        let mut answers = BufReader::new(child.stdout.take().expect("piped")).lines();
        let mut ask = |u_x: i32| -> Value {
            writeln!(lines, "{{\"u_x\": {u_x}, \"u_z\": 1}}").expect("it reads");
            let answer = answers.next().expect("an answer").expect("UTF-8");
            serde_json::from_str(&answer).expect("JSON")
        };
        assert_eq!(ask(1), json!({"output": [2, 0, 0, 1]}));
        abort_children_of(child.id());
        let died =
            json!({"exception_type": "SIGABRT", "exception_msg": "the graphics process died: SIGABRT"});
        assert_eq!(ask(2), died, "{backend}");
        assert_eq!(ask(3), json!({"output": [6, 0, 0, 3]}));
        drop(lines);
        assert!(child.wait().expect("it ends").success());
    }
}

/// `bv-gpu eval a.frag`, which is asked and answers while it runs.
fn answering(backend: &str, folder: &Path) -> Child {
    Command::new(bv_tests::binary("bv-gpu"))
        .args(["eval", "--backend", backend, "a.frag"])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts")
}

#[cfg(target_os = "linux")]
fn abort_children_of(process: u32) {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).expect("it runs");
    for task in tasks {
        let children = task.expect("a task").path().join("children");
        // A thread may end between its listing and this.
        let children = std::fs::read_to_string(children).unwrap_or_default();
        for child in children.split_whitespace() {
            let killed = Command::new("kill").args(["-ABRT", child]).status();
            assert!(killed.expect("kill is there").success());
        }
    }
}

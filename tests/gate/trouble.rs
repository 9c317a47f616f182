//! Candidates that die, hang, babble or hold back.

use super::{check, failed, passed, refused, vector};

/// The failure of vector `index`, whose input is `input`, after vectors that hold, and with others behind it
/// that are asked as well with `--all`.
fn check_trouble(flags: &[&str], input: &str, record: &str) {
    let (good, bad) = (vector(r#"{"a":1}"#), vector(input));
    let record =
        format!(r#"{{"type":"failure",{record},"counterexample":{input},"rule":"rule_1","vector_index":2}}"#);
    let vectors = [&good, &good, &bad, &good, &good].map(String::as_str);
    check(&["--timeout", "3s"], flags, &vectors, &[&record, &failed(2, 1)]);
    let all = failed(4, 1).replace("}}", r#"},"exit":0}"#);
    check(&["--all", "--timeout", "3s"], flags, &vectors, &[&record, &all]);
}

#[test]
fn the_vector_that_kills_is_named() {
    let crash = r#""kind":"crash","message":"ended with exit status 3: ValueError: no good""#;
    check_trouble(&[], r#"{"do":"exit","code":3}"#, crash);
    let crash = r#""kind":"crash","message":"ended by SIGABRT","exception_type":"SIGABRT""#;
    check_trouble(&[], r#"{"do":"abort"}"#, crash);
    let crash =
        r#""kind":"crash","message":"ended with exit status 0 without an answer: ValueError: no good""#;
    check_trouble(&[], r#"{"do":"exit"}"#, crash);
}

/// Answers that were written and not flushed are lost with the process.
#[test]
fn the_vector_that_kills_is_named_although_answers_were_held_back() {
    let crash = r#""kind":"crash","message":"ended by SIGABRT","exception_type":"SIGABRT""#;
    check_trouble(&["--buffered"], r#"{"do":"abort"}"#, crash);
}

#[test]
fn the_vector_that_hangs_is_named() {
    let timeout = r#""kind":"timeout","message":"no answer within 3s""#;
    check_trouble(&[], r#"{"do":"hang"}"#, timeout);
}

#[test]
fn a_process_that_is_left_behind_holds_nothing_up() {
    let crash = r#""kind":"crash","message":"ended with exit status 3""#;
    check_trouble(&[], r#"{"do":"leave"}"#, crash);
}

#[test]
fn what_is_no_answer_is_said() {
    let garbled = |line: &str, message: &str| {
        let input = serde_json::json!({ "do": "raw", "line": line }).to_string();
        let message = serde_json::Value::from(message);
        check_trouble(&[], &input, &format!(r#""kind":"setup_error","message":{message}"#));
    };
    garbled("loading...", "no answer: loading...");
    garbled("{}", "neither an output nor an exception: {}");
    garbled("[1]", "no answer: [1]");
    garbled(
        r#"{"output":1,"exception_type":"E"}"#,
        r#"both an output and an exception: {"output":1,"exception_type":"E"}"#,
    );
    garbled("loading...\n{\"output\":0}", "no answer: loading...");
    garbled("{\"output\":0}\nlate", "more than one answer: late");
    garbled("{\"output\":0}\n{\"output\":0}", "more than one answer: {\"output\":0}");
    let latin1 = r#""kind":"setup_error","message":"not UTF-8: {\"output\":\"�\"}""#;
    check_trouble(&[], r#"{"do":"latin1"}"#, latin1);
    let message = format!("an answer of over {} bytes: {}…", 4 << 20, "x".repeat(200));
    check_trouble(&[], r#"{"do":"endless"}"#, &format!(r#""kind":"setup_error","message":"{message}""#));
}

#[test]
fn a_vector_without_an_answer_is_named() {
    let crash = r#""kind":"crash","message":"ended with exit status 0 without an answer""#;
    check_trouble(&[], r#"{"do":"silent"}"#, crash);
}

#[test]
fn what_is_said_on_stderr_holds_nothing_up() {
    let vectors = vec![vector(r#"{"do":"talk","a":3}"#); 5];
    let vectors: Vec<&str> = vectors.iter().map(String::as_str).collect();
    check(&[], &[], &vectors, &[&passed(5)]);
}

#[test]
fn answers_may_be_held_back_to_the_end() {
    let vectors: Vec<String> = (0..20_000).map(|n| vector(&format!(r#"{{"a":{n}}}"#))).collect();
    let vectors: Vec<&str> = vectors.iter().map(String::as_str).collect();
    // Its buffer is larger than what a window of answers fills.
    let refused = refused(
        "timeout",
        "no answer within 2s, though vectors are answered alone: the candidate has to flush its output after every line",
        4096,
    );
    check(&["--timeout", "2s"], &["--buffered"], &vectors, &[&refused]);
    check(&[], &["--buffered"], &vectors[..4000], &[&passed(4000)]);
    check(&[], &[], &vectors, &[&passed(20_000)]);
}

#[test]
fn a_candidate_that_fails_without_input_is_not_run() {
    let message = "the candidate ended with exit status 9 before any input: cannot load the model";
    check(&[], &["--fail"], &[&vector(r#"{"a":1}"#)], &[&refused("not_runnable", message, 0)]);
}

#[test]
fn a_candidate_that_takes_one_input_a_process_is_told_so() {
    let vectors = [r#"{"a":1}"#, r#"{"a":2}"#, r#"{"a":3}"#].map(vector);
    let vectors = [&*vectors[0], &*vectors[1], &*vectors[2]];
    let message = "the candidate ended with inputs unanswered, and answers each alone: if it takes one input a process, --per-vector is its protocol";
    check(&[], &["--one"], &vectors, &[&refused("not_runnable", message, 3)]);
    check(&["--per-vector"], &["--one"], &vectors, &[&passed(3).replace(r#","exit":0"#, "")]);
}

/// What dies only after others was wrong all the same; whose fault it is, nobody can say.
#[test]
fn a_death_that_no_vector_alone_brings_about_is_a_failure_of_none() {
    let vectors = vec![vector(r#"{"a":3}"#); 7];
    let vectors: Vec<&str> = vectors.iter().map(String::as_str).collect();
    let record = r#"{"type":"failure","kind":"crash","message":"ended with exit status 7; not when vectors are asked alone"}"#;
    check(&[], &["--sixth"], &vectors, &[record, &failed(7, 1)]);
}

#[test]
fn an_exit_status_other_than_0_after_all_is_no_pass() {
    let end = r#"{"type":"end","outcome":"refused","reason":"exit_contradicts","message":"all vectors hold, then the candidate ended with exit status 3","runner":"bv-gate","counts":{"passed":1},"exit":3}"#;
    check(&[], &["--exit", "3"], &[&vector(r#"{"a":1}"#)], &[end]);
    let record = r#"{"type":"failure","kind":"crash","message":"ended with exit status 3","counterexample":{"a":1},"rule":"rule_1","vector_index":0}"#;
    check(&["--per-vector"], &["--exit", "3"], &[&vector(r#"{"a":1}"#)], &[record, &failed(0, 1)]);
}

#[test]
fn what_cannot_be_started_is_not_run() {
    let check = |command: &str, message: &str| {
        let output = super::gate(&[], &[command], &vector(r#"{"a":1}"#));
        assert_eq!(super::stream(&output), [refused("not_runnable", message, 0)]);
    };
    check("bv-no-such-command", "bv-no-such-command: command not found");
    check("/bv/no/such", "/bv/no/such: No such file or directory");
    check("/", "/: Permission denied");
}

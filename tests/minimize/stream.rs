//! A stream of records: what is changed, what passes on, and what is said.

use super::Bench;
use regex::Regex;

/// The sum rule of a small world: three of its inputs fail.
const GATE: &str = r#"
in=$(cat "$1")
case $in in
*900*) observed=900 ;;
*9*) observed=9 ;;
*) echo '{"type":"end","outcome":"passed"}'; exit 0 ;;
esac
echo '{"type":"failure","kind":"assertion","rule":"'"$2"'","vector_index":0,"expected":"small","observed":"'$observed'"}'
echo '{"type":"end","outcome":"failed"}'"#;

fn check(args: &[&str], lines: &[&str], expected: &[&str], said: &str, status: i32) {
    let bench = Bench::new(GATE, "unused", "");
    let calls = Regex::new("\"calls\":[0-9]+").expect("a pattern");
    let joined = |lines: &[&str]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let (stdout, stderr, code) = bench.run(args, &joined(lines));
    let got = calls.replace_all(&stdout, "\"calls\":N").into_owned();
    assert_eq!((got, stderr, code), (joined(expected), said.to_owned(), Some(status)), "{args:?}");
}

const ORACLE: &[&str] = &["-j1", "--", "./oracle", "@@", "@RULE"];

#[test]
fn a_failure_gets_a_smaller_counterexample_and_the_rest_stays() {
    check(
        ORACLE,
        &[
            r#"{"type":"test", "id":"\u00fc","outcome":"passed","duration_ms":1}"#,
            r#"{"type":"failure","id":"a","kind":"assertion","observed":"900","expected":"small","counterexample":{"v": [1, 900, 3],"junk":"text"},"rule":"R1","vector_index":7,"state":"new","later":1.50}"#,
            r#"{"type":"failure","id":"b","kind":"assertion"}"#,
            r#"{"type":"failure","id":"c","counterexample":"not an object"}"#,
            r#"{"type":"coverage","counterexample":{"v":900}}"#,
            r#"{"type":"end","outcome":"failed","counts":{"failed":3}}"#,
        ],
        &[
            r#"{"type":"test", "id":"\u00fc","outcome":"passed","duration_ms":1}"#,
            r#"{"type":"failure","id":"a","kind":"assertion","observed":"9","expected":"small","counterexample":{"":9},"rule":"R1","vector_index":7,"minimized":{"from_bytes":32,"to_bytes":6,"calls":N,"complete":true},"state":"new","later":1.50}"#,
            r#"{"type":"failure","id":"b","kind":"assertion"}"#,
            r#"{"type":"failure","id":"c","counterexample":"not an object"}"#,
            r#"{"type":"coverage","counterexample":{"v":900}}"#,
            r#"{"type":"end","outcome":"failed","counts":{"failed":3}}"#,
        ],
        "",
        0,
    );
}

#[test]
fn what_the_oracle_does_not_confirm_passes_on_as_it_is() {
    let lines = [
        r#"{"type":"failure","id":"a","rule":"R1","vector_index":0,"counterexample":{"v":8}}"#,
        r#"{"type":"end","outcome":"failed"}"#,
    ];
    let said = "bv-minimize: the oracle does not confirm a counterexample, passed on as it is: R1: the oracle says that it passed\n";
    check(ORACLE, &lines, &lines, said, 0);
    let other = ["-j1", "--", "./oracle", "@@", "R2"];
    let lines = [lines[0].replace("8", "9"), lines[1].to_owned()];
    let lines = lines.each_ref().map(String::as_str);
    let said = "bv-minimize: the oracle does not confirm a counterexample, passed on as it is: R1: the oracle names another failure: R2\n";
    check(&other, &lines, &lines, said, 0);
}

#[test]
fn a_stream_passes_on_whatever_is_wrong() {
    let lines = [
        r#"{"type":"failure","id":"a","rule":"R1","vector_index":0,"counterexample":{"v":9,"w":1}}"#,
        "no record",
        r#"{"counterexample":{"v":9}}"#,
        r#"{"type":"failure","id":"a","rule":"R1","vector_index":0,"counterexample":{"v":9,"w":1}}"#,
    ];
    let said = "bv-minimize: cannot run the oracle: bv-no-such-oracle: not found; is it on PATH?
bv-minimize: no record, passed on: line 2
bv-minimize: no record, passed on: line 3
";
    check(&["--", "bv-no-such-oracle"], &lines, &lines, said, 2);
    let bench = Bench::new("exit 1", "unused", "");
    let unended = r#"{"type":"end","outcome":"failed"}"#;
    assert_eq!(bench.run(&["--", "./oracle"], unended), (unended.into(), String::new(), Some(0)));
    let long = format!(
        "{{\"type\":\"failure\",\"counterexample\":{{\"v\":\"{}\"}}}}\n{unended}\n",
        "9".repeat(9 << 20)
    );
    let said = "bv-minimize: no record, passed on: line 1\n";
    assert!(bench.run(&["--", "./oracle"], &long) == (long, said.into(), Some(0)));
}

/// What was seen belongs to the input that was shrunk; an exit status says nothing of the new one.
#[test]
fn an_oracle_of_few_words_leaves_no_stale_sides() {
    check(
        &["-j1", "--", "grep", "-vq", "z*7", "{}"],
        &[r#"{"type":"failure","id":"a","counterexample":{"v":1}}"#],
        &[r#"{"type":"failure","id":"a","counterexample":{"v":1}}"#],
        "bv-minimize: the oracle does not confirm a counterexample, passed on as it is: a: the oracle ended with exit 2, a failure is exit 1\n",
        0,
    );
    let oracle = ["-j1", "--", "sh", "-c", "case $(cat) in *7*) exit 1 ;; esac", "sh"];
    check(
        &oracle,
        &[
            r#"{"type":"failure","id":"a","message":"m","expected":"1","observed":"2","counterexample":{"v":[7,"x"]},"also":[{"line":3}]}"#,
        ],
        &[
            r#"{"type":"failure","id":"a","message":"m","counterexample":{"":7},"minimized":{"from_bytes":13,"to_bytes":6,"calls":N,"complete":true}}"#,
        ],
        "",
        0,
    );
    let unchanged = r#"{"type":"failure","id":"a","observed":"2","counterexample":{"":7}"#;
    check(
        &oracle,
        &[&format!("{unchanged}}}")],
        &[&format!(r#"{unchanged},"minimized":{{"from_bytes":6,"to_bytes":6,"calls":N,"complete":true}}}}"#)],
        "",
        0,
    );
}

#[test]
fn a_receipt_is_an_answer_too() {
    let receipt = r#"case $(cat) in *7*) echo '{"status":"runtime_exception","failed_rule_id":"a","exception_msg":"seven"}' ;; *) echo '{"status":"passed"}' ;; esac"#;
    check(
        &["-j1", "--", "sh", "-c", receipt],
        &[r#"{"type":"failure","id":"a","kind":"property","observed":"2","counterexample":{"v":[7,"x"]}}"#],
        &[
            r#"{"type":"failure","id":"a","kind":"exception","message":"seven","counterexample":{"":7},"minimized":{"from_bytes":13,"to_bytes":6,"calls":N,"complete":true}}"#,
        ],
        "",
        0,
    );
}

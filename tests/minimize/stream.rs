//! A stream of records: what is changed, what passes on, and what is said.

use super::Bench;

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
    let joined = |lines: &[&str]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let got = bench.run(args, &joined(lines));
    assert_eq!(got, (joined(expected), said.to_owned(), Some(status)), "{args:?}");
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
            r#"{"type":"failure","id":"a","kind":"assertion","observed":"9","expected":"small","counterexample":{"":9},"rule":"R1","vector_index":7,"minimized":{"from_bytes":33,"to_bytes":6,"calls":34,"complete":true},"state":"new","later":1.50}"#,
            r#"{"type":"failure","id":"b","kind":"assertion"}"#,
            r#"{"type":"failure","id":"c","counterexample":"not an object"}"#,
            r#"{"type":"coverage","counterexample":{"v":900}}"#,
            r#"{"type":"end","outcome":"failed","counts":{"failed":3}}"#,
        ],
        "",
        0,
    );
}

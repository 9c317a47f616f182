//! One file: the ways a candidate is handed over, and what counts as the same failure.

use super::Bench;

/// Interesting while all three letters are there: x, y, z.
const XYZ: &str = "grep -q x <in && grep -q y <in && grep -q z <in";

fn check(oracle: &str, name: &str, input: &str, args: &[&str], expected: &str) {
    let bench = Bench::new(oracle, name, input);
    let all = [&[name, "-o", "out"], args].concat();
    let said = bench.run(&all, "");
    assert_eq!(
        (said, bench.text("out").as_str(), bench.text(name).as_str()),
        ((String::new(), String::new(), Some(0)), expected, input),
        "{all:?}"
    );
}

#[test]
fn a_candidate_comes_by_stdin_by_file_or_as_arguments() {
    let input = "one x two y three z four";
    check(
        &format!("cat >\"$0.in\"; {}", XYZ.replace("<in", "\"$0.in\"")),
        "in",
        input,
        &["-j1", "--", "./oracle"],
        "xyz",
    );
    check(&XYZ.replace("<in", "\"$1\""), "in.txt", input, &["--", "./oracle", "@@"], "xyz");
    let parts = "case \"$*\" in --in=/*/in.txt) f=${1#--in=} ;; esac; grep -q x \"$f\" && grep -q z \"$f\"";
    check(parts, "in.txt", input, &["--", "./oracle", "--in=@@"], "xz");
    let arguments = "for a; do case $a in *x*) x=1 ;; *z*) z=1 ;; esac; done; [ -n \"$x\" ] && [ -n \"$z\" ] && [ $# -gt 1 ]";
    check(arguments, "in", "a\nbxb\nc\nd z\n", &["--shape", "lines", "--", "./oracle", "{}"], "x\nz");
}

/// A JSON input keeps its name's end, and stays JSON where the oracle asks for it.
#[test]
fn json_is_taken_apart_by_its_values() {
    let oracle =
        "case $1$(cat \"$1\") in *.json{*}) ;; *) exit 9 ;; esac; grep -q '\"k\": *\"[^\"]*x' \"$1\"";
    let input = r#"{"a": [1, 2, 3], "deep": {"k": "some x or other"}, "z": "text"}"#;
    check(oracle, "in.json", input, &["--", "./oracle", "@@"], r#"{"k":"x"}"#);
}

#[test]
fn the_result_goes_to_stdout_without_an_output() {
    let bench = Bench::new("grep -q x \"$1\"", "in", "a x b");
    assert_eq!(bench.run(&["in", "--", "./oracle", "@@"], ""), ("x".into(), String::new(), Some(0)));
    assert_eq!(bench.run(&["-", "--", "./oracle", "@@"], "c x d"), ("x".into(), String::new(), Some(0)));
}

/// Any text with an x fails by R1, any other with a y by R2: an oracle that says which.
const TWO: &str = r#"
in=$(cat)
case $in in
*x*y*) echo '{"type":"failure","rule":"R1"}'; echo '{"type":"failure","rule":"R2"}'; out=failed ;;
*x*) echo '{"status":"failed_assertion","failed_rule_id":"R1"}'; exit 1 ;;
*y*) echo '{"type":"failure","rule":"R2"}'; out=failed ;;
*) out=passed ;;
esac
echo '{"type":"end","outcome":"'$out'"}'
[ $out = failed ] && exit 1
exit 0"#;

#[test]
fn another_failure_is_not_the_same_unless_any_will_do() {
    let input = "a x b y c";
    let exit = ["--interesting-exit", "1"];
    let oracle = ["--", "./oracle"];
    check(TWO, "in", input, &[&exit[..], &oracle].concat(), "x");
    check(TWO, "in", input, &[&exit[..], &["--rule", "R2"], &oracle].concat(), "y");
    check(TWO, "in", "a y b", &[&exit[..], &oracle].concat(), "y");
    check(TWO, "in", input, &[&exit[..], &["--any-failure"], &oracle].concat(), "x");
}

#[test]
fn the_smallest_example_of_another_failure_is_kept() {
    let bench = Bench::new(TWO, "in.txt", "a x b y c");
    let args =
        ["in.txt", "-j1", "--also", "more", "--interesting-exit", "1", "--rule", "R2", "--", "./oracle"];
    assert_eq!(bench.run(&args, ""), ("y".into(), String::new(), Some(0)));
    assert!(bench.text("more/R1.txt").contains('x') && !bench.text("more/R1.txt").contains('y'));
    let crash = "case $(cat) in *x*) exit 0 ;; ?????*) kill -SEGV $$ ;; *) exit 1 ;; esac";
    let bench = Bench::new(crash, "in", "a longer x text");
    let args = ["in", "-j1", "--also", "more", "--", "./oracle"];
    assert_eq!(bench.run(&args, ""), ("x".into(), String::new(), Some(0)));
    assert!(!bench.text("more/signal-SIGSEGV-5d4d5f0c").contains('x'));
}

/// The status that a shell gives a signal stands for the signal.
#[test]
fn a_crash_is_a_failure_like_any_other() {
    let crash = "case $(cat) in *x*) kill -SEGV $$ ;; esac; exit 0";
    check(crash, "in", "a longer x text", &["--interesting-exit", "139", "--", "./oracle"], "x");
}

#[test]
fn calls_and_time_have_their_limits() {
    let bench = Bench::new("echo >>calls; grep -q x \"$1\"", "in", &"some text x ".repeat(50));
    let (stdout, _, status) = bench.run(&["in", "-j1", "--max-calls", "9", "--", "./oracle", "@@"], "");
    assert_eq!((bench.text("calls").lines().count(), status), (9, Some(0)));
    assert!(stdout.contains('x') && stdout.len() < 600, "{stdout}");
}

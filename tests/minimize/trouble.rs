//! Oracles that lie, waver, hang, are not there, or take everything.

use super::{Bench, runs, until};
use std::fs;

fn check(bench: &Bench, args: &[&str], said: &str, status: i32) {
    let got = bench.run(args, "");
    assert_eq!(got, (String::new(), said.to_owned(), Some(status)), "{args:?}");
}

#[test]
fn an_input_that_does_not_fail_is_told_from_one_that_does() {
    let bench = Bench::new("grep -q nothing \"$1\"", "in", "text");
    let said =
        "bv-minimize: the input does not fail: in: the oracle ended with exit 1, a failure is exit 0\n";
    check(&bench, &["in", "-o", "out", "--", "./oracle", "@@"], said, 3);
    assert!(!bench.path("out").exists());
    let red = "echo '{\"type\":\"failure\",\"id\":\"t\"}'; exit 0";
    let bench = Bench::new(red, "in", "text");
    let said = "bv-minimize: the input does not fail: in: the oracle names another failure: t\n";
    check(&bench, &["in", "--rule", "R", "--", "./oracle"], said, 3);
}

#[test]
fn an_oracle_that_takes_an_empty_input_is_told_on() {
    let bench = Bench::new("exit 0", "in", "text");
    let said = "bv-minimize: the oracle accepts an empty input: ./oracle; does it read what it is given?\n";
    check(&bench, &["in", "-o", "out", "--", "./oracle", "@@"], said, 4);
    assert_eq!(fs::read(bench.path("out")).ok(), Some(Vec::new()));
}

#[test]
fn the_input_is_never_the_output() {
    let bench = Bench::new("exit 0", "in", "text");
    let said = "bv-minimize: the output is the input: in; the input is never written to\n";
    check(&bench, &["in", "-o", "in", "--", "./oracle"], said, 2);
    fs::hard_link(bench.path("in"), bench.path("hard")).expect("it can be linked");
    let said = said.replace(": in;", ": hard;");
    check(&bench, &["in", "-o", "hard", "--", "./oracle"], &said, 2);
    assert_eq!(bench.text("in"), "text");
}

#[test]
fn an_oracle_that_cannot_be_run_is_an_error() {
    let bench = Bench::new("exit 0", "in", "text");
    let said = "bv-minimize: cannot run the oracle: bv-no-such-oracle: not found; is it on PATH?\n";
    check(&bench, &["in", "--", "bv-no-such-oracle"], said, 2);
    let said = "bv-minimize: cannot run the oracle: ./in: not executable; chmod +x it?\n";
    check(&bench, &["in", "--", "./in"], said, 2);
    let said = "bv-minimize: @RULE stands for a rule, and there is none: name it with --rule\n";
    check(&bench, &["in", "--", "./oracle", "@RULE"], said, 2);
    let said = "bv-minimize: cannot read the input: gone: No such file or directory (os error 2)\n";
    check(&bench, &["gone", "--", "./oracle"], said, 2);
}

/// Every fourth answer is wrongly "no".
#[test]
fn an_oracle_that_wavers_is_voted_on() {
    let wavers = "echo >>calls; [ $(($(wc -l <calls) % 4)) -ne 0 ] && grep -q '\"k\": *\"[^\"]*x' \"$1\"";
    let bench = Bench::new(
        wavers,
        "in.json",
        r#"{"a": [1, 2, {"b": "text"}], "k": "some x or other", "z": [[], {}]}"#,
    );
    let (stdout, stderr, status) = bench.run(&["in.json", "-j1", "--", "./oracle", "@@"], "");
    assert_eq!((stdout.as_str(), status), (r#""k":"x"#, Some(0)));
    assert!(stderr.starts_with("bv-minimize: the oracle wavers: the result fails in "), "{stderr}");
}

/// It takes a candidate for the failure at first and then never again.
#[test]
fn a_best_that_does_not_fail_any_more_gives_way() {
    let once = "
sum=$(cksum <\"$1\")
case $(cat \"$1\") in
*keep*me*) exit 0 ;;
*keep*) grep -qxF \"$sum\" seen && exit 1; echo \"$sum\" >>seen; exit 0 ;;
esac
exit 1";
    let bench = Bench::new(once, "in", "some text, keep it, and me, and more");
    bench.file("seen", "");
    let (stdout, stderr, status) = bench.run(&["in", "-j1", "--", "./oracle", "@@"], "");
    assert_eq!((stdout.as_str(), stderr.as_str(), status), ("keepme", "", Some(0)));
}

#[test]
fn a_candidate_that_hangs_ends_with_all_that_it_started() {
    let hangs = "grep -q x \"$1\" && exit 0
(trap '' TERM; sh -c 'trap \"\" TERM; sleep 600' & echo $! >>pids; wait) & wait";
    let bench = Bench::new(hangs, "in", "a b c d x e f");
    let args = ["in", "--timeout", "100ms", "--", "./oracle", "@@"];
    assert_eq!(bench.run(&args, ""), ("x".into(), String::new(), Some(0)));
    let pids = bench.text("pids");
    assert!(pids.lines().count() > 0);
    for number in pids.lines() {
        until(|| !runs(number));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn memory_has_its_limit() {
    let eats = "grep -q x \"$1\" && ! dd if=/dev/zero of=/dev/null bs=512M count=1 2>/dev/null";
    let bench = Bench::new(eats, "in", "a x b");
    let said =
        "bv-minimize: the input does not fail: in: the oracle ended with exit 1, a failure is exit 0\n";
    check(&bench, &["in", "--", "./oracle", "@@"], said, 3);
    let args = ["in", "--memory-limit", "128M", "--", "./oracle", "@@"];
    assert_eq!(bench.run(&args, ""), ("x".into(), String::new(), Some(0)));
}

#[test]
fn a_journal_is_not_written_over() {
    let bench = Bench::new("grep -q x \"$1\"", "in", "a x b");
    let args = ["in", "-o", "out", "--journal", "j", "--", "./oracle", "@@"];
    check(&bench, &args, "", 0);
    let said =
        "bv-minimize: cannot use the journal: j: it exists; go on with it by --resume, or name another\n";
    check(&bench, &args, said, 2);
    let other = ["in", "-o", "out", "--journal", "j", "--resume", "--", "./oracle", "@@", "more"];
    check(&bench, &other, "bv-minimize: cannot use the journal: j: it is about another oracle\n", 2);
}

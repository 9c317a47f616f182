//! The result does not depend on the number of jobs, nor on an end in between.

use super::{Bench, said, until};
use std::collections::HashSet;

/// An oracle that notes what it was asked.
const NOTES: &str = "
cksum <\"$1\" >>asked
grep -q '\"lo\":[^,}]*[1-9]' \"$1\" && grep -q '\"hi\":[^,}]*[5-9]' \"$1\"";

const TREE: &str =
    r#"{"a": [1, 2, {"lo": 123, "x": "text"}], "b": {"hi": 987654, "c": [true, null]}, "d": "é"}"#;

const LINES: &str = "level=1 start\nlevel=2 lo:1\nlevel=1 go on\n\"lo\":77 \"hi\":99\nlevel=1 end\n";

fn check(name: &str, input: &str, ends: &[usize]) {
    let bench = Bench::new(NOTES, name, input);
    let run = |out: &str, jobs: &str, more: &[&str]| {
        let args = [&[name, "-o", out, "-j", jobs], more, &["--", "./oracle", "@@"]].concat();
        assert_eq!(bench.run(&args, ""), (String::new(), String::new(), Some(0)), "{args:?}");
        bench.text(out)
    };
    let alone = run("alone", "1", &[]);
    let calls = bench.text("asked").lines().count();
    for jobs in ["2", "4"] {
        assert_eq!(run("together", jobs, &[]), alone, "{jobs} jobs");
    }
    for (end, jobs) in ends.iter().zip(["1", "3"].iter().cycle()) {
        let journal = format!("journal{end}");
        let _ = std::fs::remove_file(bench.path("asked"));
        let args = [name, "-o", "out", "-j", jobs, "--journal", &journal, "--", "./oracle", "@@"];
        let mut child = bench.start(&args, "");
        until(|| bench.text("asked").lines().count() > calls * end / 100);
        child.kill().expect("it runs");
        said(child.wait_with_output().expect("it ends"));
        // What was answered before the end, by the journal's own word.
        let answered = bench.text(&journal).lines().filter(|line| line.starts_with("{\"answer\"")).count();
        for left in bench.left_behind() {
            std::fs::remove_dir_all(left).expect("nobody but kill -9 leaves it behind");
        }
        let before = bench.text("asked").lines().count();
        assert_eq!(run("out", jobs, &["--journal", &journal, "--resume"]), alone, "ended at {end} %");
        let journal = bench.text(&journal);
        let answers: Vec<&str> = journal.lines().filter(|line| line.starts_with("{\"answer\"")).collect();
        let distinct: HashSet<&&str> = answers.iter().collect();
        assert_eq!(distinct.len(), answers.len(), "nothing is answered twice");
        assert!(answered <= before && answers.len() >= answered, "{answered} of {before}");
    }
}

#[test]
fn json() {
    check("in.json", TREE, &[5, 30, 60, 95]);
}

#[test]
fn text() {
    check("in.txt", LINES, &[10, 50, 80]);
}

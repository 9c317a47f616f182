//! Formats that a user brings, end to end: files that the binary reads, and matchers of public actions and
//! extensions written anew.

use bv_parse::FormatFile;
use bv_tests::stages;
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output};

const FORMATS: &str = "pipelines/formats.toml";

fn run(args: &[&str]) -> Output {
    Command::new(bv_tests::binary("bv-parse"))
        .args(args)
        .current_dir(bv_tests::root())
        .stdin(std::process::Stdio::null())
        .output()
        .expect("the binary starts")
}

fn said(output: &Output) -> (Option<i32>, String) {
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn the_examples_of_the_examples_hold() {
    assert_eq!(said(&run(&["--check-formats", FORMATS])), (Some(0), String::new()));
    let readme = std::fs::read_to_string(bv_tests::root().join("README.md")).expect("a file of ours");
    let shown = readme.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(&file, shown.expect("the README shows a format")).expect("it can be written");
    let path = file.path().to_str().expect("plain names");
    assert_eq!(said(&run(&["--check-formats", path])), (Some(0), String::new()));
}

#[test]
fn differences_and_wrong_files_are_told_and_exit_2() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("f.toml");
    let path = path.to_str().expect("plain names");
    let check = |flag: &str, text: &str, want: &str| {
        std::fs::write(path, text).expect("it can be written");
        assert_eq!(said(&run(&[flag, path])), (Some(2), want.replace("FILE", path)), "{text}");
    };
    let format = "[[format]]\nname = 'a'\n[[format.failure]]\nfirst = '^BAD (?<id>\\S+)'\n";
    check("--check-formats", format, "bv-parse: no example: FILE: format a; add a [[format.example]]\n");
    let example =
        "[[format.example]]\ntext = 'BAD x'\noutcome = 'passed'\nfailures = [{id = 'y', line = 3}]\n";
    let at = "FILE: format a, example 1; mend the patterns or the example";
    check(
        "--check-formats",
        &format!("{format}{example}"),
        &format!(
            "bv-parse: the outcome is failed, not passed: {at}\n\
             bv-parse: failures[0].id is \"x\", not \"y\": {at}\n\
             bv-parse: failures[0].line is absent, not \"3\": {at}\n"
        ),
    );
    for flag in ["--check-formats", "--formats"] {
        check(flag, "", "bv-parse: no [[format]]: FILE; add one\n");
    }
    let missing = run(&["--formats", "no/such.toml"]);
    let (code, words) = said(&missing);
    assert_eq!(code, Some(2));
    assert!(words.starts_with("bv-parse: cannot read formats: no/such.toml: "), "{words}");
    assert_eq!(
        said(&run(&["--format", "nobody"])),
        (Some(2), "bv-parse: no format nobody: --format; see --list-formats\n".to_owned())
    );
}

#[test]
fn a_format_of_ones_own_is_listed_and_can_be_the_only_one() {
    let output = run(&["--formats", FORMATS, "--list-formats"]);
    let names = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(names.lines().take(2).collect::<Vec<_>>(), ["house-test", "house-lint"]);
    let raw = "tests/a.py F\nsrc/a.house:3: [H1] odd\n===== 1 failed in 0.01s =====\n";
    let end =
        |args: &[&str]| stages::records(&stages::parse_by(&[file(FORMATS)], args, raw.as_bytes())).pop();
    let alone = end(&["--format", "house-lint"]).expect("an end");
    assert_eq!((&alone["outcome"], &alone["runner"]), (&json!("failed"), &json!("house-lint")));
    assert_eq!(alone["runners"], Value::Null);
}

/// From the raw text of an invented runner to the receipt.
#[test]
fn a_receipt_of_a_runner_that_only_its_user_knows() {
    let raw = "house-test 2.1: 1 tests in 1 suites\n  FAIL  price.gross\n        want: 1.19\n        got:  1.18\n\
               \x20       at rounds_up (tests/price.house:31)\n  ----\n0 kept, 1 broken in 0.05 s\nbv-exit: 1\n";
    let stamped: String = raw.lines().map(|line| format!("2026-11-30T16:00:00.1234567Z {line}\n")).collect();
    for raw in [raw, &stamped] {
        let events = stages::parse_by(&[file(FORMATS)], &[], raw.as_bytes());
        let (receipt, code) = stages::receipt(Path::new("/nonexistent"), &[], &events);
        let want = "{\"status\":\"failed_assertion\",\"failed_rule_id\":\"price.gross\",\"observed_output\":\"1.18\",\
                    \"expected_invariant\":\"1.19\",\"ast_location\":{\"file\":\"tests/price.house\",\
                    \"symbol\":\"rounds_up\",\"lines\":[31,31],\"line\":31}}\n";
        assert_eq!((receipt.as_str(), code), (want, 1));
    }
}

/// Without its formats such a text says nothing, and with them alone nothing turns green by accident.
#[test]
fn cut_anywhere_it_never_passes() {
    let whole =
        "house-test 2.1: 2 tests in 1 suites\n  ok    a 1 ms\n  ok    b 1 ms\n2 kept, 0 broken in 0.02 s\n";
    let outcome = |raw: &str| {
        let end = stages::records(&stages::parse_by(&[file(FORMATS)], &[], raw.as_bytes())).pop();
        end.expect("an end")["outcome"].clone()
    };
    assert_eq!(outcome(whole), "passed");
    for cut in (0..whole.len() - 1).step_by(3) {
        assert_ne!(outcome(&whole[..cut]), "passed", "cut at {cut}");
    }
}

fn file(path: &str) -> FormatFile {
    let text = std::fs::read_to_string(bv_tests::root().join(path)).expect("a file of ours");
    FormatFile { path: path.to_owned(), text }
}

/// Place, rule and message of each finding, then outcome and runner.
fn findings(matchers: &Value, raw: &str) -> Vec<String> {
    let file = FormatFile { path: "matcher.json".into(), text: matchers.to_string() };
    let records = stages::records(&stages::parse_by(&[file], &[], raw.as_bytes()));
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let words = |record: &Value| match record["type"].as_str() {
        Some("failure") => {
            let place = &record["fault"];
            let (file, line) = (text(&place["file"]), &place["line"]);
            format!(
                "{} {file}:{line} {}: {}",
                text(&record["kind"]),
                text(&record["rule"]),
                text(&record["message"])
            )
        }
        _ => format!("{} by {}", text(&record["outcome"]), text(&record["runner"])),
    };
    records.iter().map(words).collect()
}

#[test]
fn problem_matchers_of_github_actions() {
    let check = |matcher: Value, raw: &str, want: &[&str]| {
        let whole = json!({"problemMatcher": [matcher]});
        assert_eq!(findings(&whole, raw), want, "{whole} {raw}");
    };
    // Two lines, the second of which comes again: a linter that prints the file above its findings.
    let stylish = json!({"owner": "style", "pattern": [
        {"regexp": r"^([^\s].*)$", "file": 1},
        {"regexp": r"^\s+(\d+):(\d+)\s+(error|warning)\s+(.*)\s\s+(.*)$",
         "line": 1, "column": 2, "severity": 3, "message": 4, "code": 5, "loop": true}]});
    check(
        stylish.clone(),
        "start\nsrc/a.house\n  3:5  error    no odd names  naming\n  4:1  warning  long  length\n  9:2  error  x  y\n\n",
        &["lint src/a.house:3 naming: no odd names", "lint src/a.house:9 y: x", "failed by style"],
    );
    check(stylish, "src/a.house\n  4:1  warning  long  length\n", &["refused by unknown"]);
    // One line, with a code.
    check(
        json!({"owner": "typed", "pattern": [{
            "regexp": r"^(?:\s+\d+\>)?([^\s].*)\((\d+),(\d+)\)\s*:\s+(error|warning)\s+(ZZ\d{1,5})\s*:\s*(.*)$",
            "file": 1, "line": 2, "column": 3, "severity": 4, "code": 5, "message": 6}]}),
        "src/a.zz(4,21): error ZZ2322: no such type\nsrc/b.zz(1,1) : warning ZZ1 : unused\n",
        &["lint src/a.zz:4 ZZ2322: no such type", "failed by typed"],
    );
    // One line, severity of the matcher; what is printed before the place is not of the file.
    let go = json!({"owner": "vetted", "severity": "error", "pattern": [{
        "regexp": r"^\s*(\.{0,2}[\/\\].+\.zo):(?:(\d+):(\d+):)? (.*)", "file": 1, "line": 2, "column": 3, "message": 4}]});
    check(
        go,
        "./a/b.zo:12:3: unreachable\n./c.zo: no package\n",
        &["lint ./a/b.zo:12 -: unreachable", "lint ./c.zo:null -: no package", "failed by vetted"],
    );
    check(
        json!({"owner": "w", "severity": "warning", "pattern": [{"regexp": "^W: (.*)$", "message": 1}]}),
        "W: old\n",
        &["refused by unknown"],
    );
}

#[test]
fn problem_matchers_of_vs_code() {
    let pattern = json!({"regexp": r"^(.*):(\d+,\d+): (\w+) (.*)$", "file": 1, "location": 2, "severity": 3, "message": 4});
    let raw = "a.zz:3,7: error odd\nb.zz:4,1: info fine\n";
    let want = ["lint a.zz:3 -: odd", "failed by zz"];
    let matcher = json!({"owner": "zz", "fileLocation": ["relative", "${workspaceFolder}"], "background": {"activeOnStart": true},
        "pattern": pattern});
    let tasks = json!({"version": "2.0.0", "tasks": [
        {"label": "other", "problemMatcher": "$tsc"},
        {"label": "zz", "problemMatcher": ["$gcc", matcher]}]});
    assert_eq!(findings(&tasks, raw), want);
    let mut named = pattern.clone();
    named["name"] = json!("zz-line");
    let package = json!({"name": "zz-tools", "contributes": {
        "problemPatterns": [named],
        "problemMatchers": [{"name": "zz-check", "owner": "zz", "pattern": "$zz-line"}]}});
    assert_eq!(findings(&package, raw), want);
    assert_eq!(findings(&matcher, raw), want);
}

/// A checker that bv-parse knows and a matcher for it read the same lines: one failure each.
#[test]
fn a_matcher_for_a_known_checker_counts_nothing_twice() {
    let matcher = json!({"problemMatcher": [{"owner": "ts", "pattern": [{
        "regexp": r"^([^\s].*)\((\d+),(\d+)\): (error|warning) (TS\d+): (.*)$",
        "file": 1, "line": 2, "severity": 4, "code": 5, "message": 6}]}]});
    let raw = "src/a.ts(4,21): error TS2322: Type 'a' is not assignable to type 'b'.\n";
    let want = ["lint src/a.ts:4 TS2322: Type 'a' is not assignable to type 'b'.", "failed by tsc"];
    assert_eq!(findings(&matcher, raw), want);
}

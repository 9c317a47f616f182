//! Small projects with one broken function each: the receipt names it where the runner's text names only a test.
//!
//! A case is a folder of `cause/`: the sources in `src/`, what the runner printed in `output.txt`, and in `expect.json`
//! what the receipt says of the place.

use bv_tests::{root, stages};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a receipt says of the place.
const KEYS: &[&str] = &["ast_location", "asserted_at", "suspects", "failures", "distinct"];

fn cases() -> Vec<PathBuf> {
    let folder = root().join("tests/cause");
    let entries = fs::read_dir(&folder).expect("the cases are there");
    let mut cases: Vec<PathBuf> = entries.map(|entry| entry.expect("a listed entry").path()).collect();
    cases.sort();
    cases
}

fn place(root: &Path, flags: &[&str], raw: &[u8]) -> Value {
    let flags: Vec<&str> = ["--max-bytes", "2000"].iter().chain(flags).copied().collect();
    let (line, _) = stages::receipt(root, &flags, &stages::parse(&["--all"], raw));
    let mut receipt: Value = serde_json::from_str(&line).expect("a receipt is JSON");
    let fields = receipt.as_object_mut().expect("a receipt is an object");
    fields.retain(|key, _| KEYS.contains(&key.as_str()));
    receipt
}

#[test]
fn the_broken_function_is_named() {
    for case in cases() {
        let raw = fs::read(case.join("output.txt")).expect("a case has an output");
        let expected: Value =
            serde_json::from_slice(&fs::read(case.join("expect.json")).expect("a case has an expectation"))
                .expect("it is JSON");
        assert_eq!(place(&case.join("src"), &[], &raw), expected, "{}", case.display());
    }
}

fn git(folder: &Path, args: &[&str]) {
    let identity = ["-c", "user.name=t", "-c", "user.email=t@localhost"];
    let done =
        Command::new("git").args(identity).args(args).current_dir(folder).output().expect("git is there");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// The one of three that was edited; a remark is no edit.
#[test]
fn what_changed_since_the_last_commit_is_suspected_first() {
    let folder = tempfile::tempdir().expect("there is room");
    let write =
        |file: &str, text: &str| fs::write(folder.path().join(file), text).expect("the folder is ours");
    let whole = "def a(x):\n    return x\n\n\ndef b(x):\n    return a(x)\n\n\ndef c(x):\n    return b(x)\n";
    write("steps.py", whole);
    write("test_steps.py", "from steps import c\n\n\ndef test_c():\n    assert c(1) == 1\n");
    git(folder.path(), &["init", "-q"]);
    git(folder.path(), &["add", "-A"]);
    git(folder.path(), &["commit", "-qm", "whole"]);
    write(
        "steps.py",
        &whole.replace("return x", "return x + 1").replace("return b(x)", "return b(x)  # seen"),
    );
    let raw = b"F\n=================================== FAILURES ===================================\n\
        ____________________________________ test_c ____________________________________\n\n\
        \x20   def test_c():\n>       assert c(1) == 1\nE       assert 2 == 1\nE        +  where 2 = c(1)\n\n\
        test_steps.py:5: AssertionError\n=========================== short test summary info ============================\n\
        FAILED test_steps.py::test_c - assert 2 == 1\n1 failed in 0.01s\n";
    let symbol = |flags: &[&str]| place(folder.path(), flags, raw)["ast_location"]["symbol"].clone();
    assert_eq!(symbol(&["--since", "HEAD"]), "a");
    assert_eq!(symbol(&["--no-diff"]), "c");
}

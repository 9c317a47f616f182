//! `make format` begins a format: on a copy of the files that it reads.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

const TABLE: &str = "tools/bv-parse/src/formats/mod.rs";
const SCRIPT: &str = "tests/scaffold.sh";
const RAW: &str = "\n\u{1b}[1mcolours\u{1b}[0m\n  Zork \"2\" ran: a\\b\nFAILED 1 of 3\n";

/// The script and the table, without the rest of the tree.
fn tree() -> TempDir {
    let tree = tempfile::tempdir().expect("a folder can be made");
    for file in [TABLE, SCRIPT] {
        let to = tree.path().join(file);
        fs::create_dir_all(to.parent().expect("it has a folder")).expect("a folder can be made");
        fs::copy(bv_tests::root().join(file), to).expect("it can be copied");
    }
    fs::write(tree.path().join("raw.txt"), RAW).expect("it can be written");
    tree
}

fn scaffold(tree: &TempDir, name: &str, raw: &str) -> Output {
    let script = tree.path().join(SCRIPT);
    Command::new(script).args([name, raw]).current_dir(tree).output().expect("sh is there")
}

fn read(tree: &TempDir, file: &str) -> String {
    fs::read_to_string(tree.path().join(file)).unwrap_or_else(|wrong| panic!("{file}: {wrong}"))
}

#[test]
fn a_format_begins_with_its_machine_its_two_lines_and_its_first_fixture() {
    let tree = tree();
    let before = read(&tree, TABLE);
    let output = scaffold(&tree, "go-zork", "raw.txt");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    assert_eq!(output.stdout.split(|&b| b == b'\n').count(), 8, "the next steps");

    let machine = read(&tree, "tools/bv-parse/src/formats/go_zork.rs");
    for line in [
        "//! go-zork: which of its modes, from which version on.",
        "    name: \"go-zork\",",
        r#"    needles: &["Zork \"2\" ran: a\\b"],"#,
        "    new: || Box::new(GoZork::default()),",
        "impl Machine for GoZork {",
    ] {
        assert!(machine.lines().any(|has| has == line), "{line} is not in {machine}");
    }
    let first = "tests/fixtures/go-zork/first_run";
    assert_eq!(read(&tree, &format!("{first}/output.txt")), RAW);
    assert_eq!(read(&tree, &format!("{first}/cmd")), "go-zork\n");
    assert_eq!(read(&tree, &format!("{first}/exit")), "1\n");
    let truth: serde_json::Value =
        serde_json::from_str(&read(&tree, &format!("{first}/expect.json"))).expect("it is JSON");
    assert_eq!((&truth["runner"], &truth["outcome"]), (&"go-zork".into(), &"failed".into()));
    assert!(tree.path().join(first).join("src").is_dir());

    let after = read(&tree, TABLE);
    let new: Vec<&str> = after.lines().filter(|line| !before.lines().any(|old| old == *line)).collect();
    assert_eq!(new, ["mod go_zork;", "    go_zork::FORMAT,"]);
    let kept: Vec<&str> = after.lines().filter(|line| !new.contains(line)).collect();
    assert_eq!(kept, before.lines().collect::<Vec<_>>());
}

/// Where the two lines of these names stand: after which lines.
#[test]
fn the_two_lines_are_sorted() {
    for name in ["aaa", "cargo-zork", "junit9", "node-aaa", "vitest-zork", "zork"] {
        let tree = tree();
        let output = scaffold(&tree, name, "raw.txt");
        assert!(output.status.success(), "{output:?}");
        let after = read(&tree, TABLE);
        let module = name.replace('-', "_");
        let table =
            after.lines().skip_while(|line| !line.contains("mod ")).take_while(|line| !line.is_empty());
        let modules: Vec<&str> = table
            .filter_map(|line| line.strip_prefix("pub ").unwrap_or(line).strip_prefix("mod "))
            .filter_map(|line| line.strip_suffix(';'))
            .collect();
        assert!(modules.is_sorted() && modules.contains(&&*module), "{name}: {modules:?}");
        let (at, _) = after
            .lines()
            .enumerate()
            .find(|(_, line)| *line == format!("    {module}::FORMAT,"))
            .unwrap_or_else(|| panic!("{name} is not listed: {after}"));
        let names: Vec<&str> = bv_parse::formats::FORMATS.iter().map(|format| format.name).collect();
        let row =
            at - after.lines().position(|line| line.starts_with("pub const FORMATS")).expect("a table") - 1;
        assert_eq!(row, names.partition_point(|other| *other < name), "{name} in {names:?}");
    }
}

#[test]
fn what_is_there_is_not_overwritten_and_what_cannot_be_is_refused() {
    let tree = tree();
    let before = read(&tree, TABLE);
    fs::create_dir_all(tree.path().join("tests/fixtures/taken")).expect("a folder can be made");
    fs::write(tree.path().join("colours.txt"), "\u{1b}[1mcolours\u{1b}[0m\n").expect("it can be written");
    for (name, raw, said) in [
        ("", "", "say both: make format NAME=my-runner RAW=out.txt"),
        ("zork", "", "say both: make format NAME=my-runner RAW=out.txt"),
        ("../zork", "raw.txt", "a name is lowercase letters, digits and single dashes: ../zork"),
        ("Zork", "raw.txt", "a name is lowercase letters, digits and single dashes: Zork"),
        ("go-test", "raw.txt", "this module exists: go_test"),
        ("taken", "raw.txt", "its fixtures exist: tests/fixtures/taken"),
        ("zork", "none.txt", "no output to begin from: none.txt: run the runner with '> none.txt 2>&1'"),
        ("zork", "colours.txt", "no line of plain words in colours.txt: is it the runner's output?"),
    ] {
        let output = scaffold(&tree, name, raw);
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((words, output.status.code()), (format!("format: {said}\n"), Some(2)), "{name} {raw}");
    }
    assert_eq!(read(&tree, TABLE), before);
    assert_eq!(names(&tree.path().join("tests/fixtures")), ["taken"]);
    assert_eq!(names(&tree.path().join("tools/bv-parse/src/formats")), ["mod.rs"]);
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("it is there");
    entries.map(|entry| entry.expect("a listed entry").file_name().to_string_lossy().into_owned()).collect()
}

//! The pieces for other places: a CI's steps, a Makefile, a git hook. Scripts inside YAML are taken out of
//! it and run by the shell that the CI would take.

use super::runners::Stage;
use super::{python, script, text};
use std::fs;
use std::process::Command;

/// The receipt of the run that [`stage`] replays.
const RECEIPT: &str = r#"{"status":"failed_assertion","failed_rule_id":"tests/test_invoice.py::test_vat_rounds_half_up","observed_output":"18","expected_invariant":"19","exception_type":"AssertionError","ast_location":{"file":"tests/test_invoice.py","symbol":"test_vat_rounds_half_up","lines":[18,18],"line":18}}"#;
const GREEN: &str = r#"{"status":"passed","vectors_verified":402}"#;

/// A project whose `pytest` fails, or is green with `green` as its argument.
fn stage() -> Stage {
    let stage = Stage::new();
    stage.stand_in("bin/pytest", "pytest/simple_assert");
    stage.stand_in("bin/green", "pytest/all_pass_quiet");
    stage
}

/// The block of lines under the line that ends with `mark`, without their indentation.
fn block(file: &str, mark: &str) -> String {
    let yaml = fs::read_to_string(script(file)).expect("it is there");
    let mut lines = yaml.lines().skip_while(|line| !line.ends_with(mark));
    let depth = |line: &str| line.len() - line.trim_start().len();
    let above = depth(lines.next().unwrap_or_else(|| panic!("{file}: no {mark}")));
    let inside: Vec<&str> = lines.take_while(|line| line.is_empty() || depth(line) > above).collect();
    let cut = inside.first().map_or(0, |line| depth(line));
    inside.iter().map(|line| format!("{}\n", line.get(cut..).unwrap_or_default())).collect()
}

fn shell(stage: &Stage, options: &str, script: &str, test_command: &str) -> Command {
    let mut command = stage.command("sh");
    command
        .args([options, "-c", script])
        .env("TEST_COMMAND", test_command)
        .env("GITHUB_STEP_SUMMARY", stage.path().join("summary.md"));
    command
}

#[test]
fn github_writes_the_receipt_into_the_summary_and_fails_with_the_verdict() {
    let step = block("github-actions.yml", "run: |");
    for (command, receipt, status) in [("pytest -vv", RECEIPT, 1), ("green", GREEN, 0)] {
        let stage = stage();
        let output = shell(&stage, "-e", &step, command).output().expect("sh is there");
        let (stdout, stderr, code) = text(output);
        assert_eq!((stdout, code), (format!("{receipt}\n"), Some(status)));
        assert!(stderr.contains("passed in ") || stderr.contains("1 failed"), "the whole output: {stderr}");
        let summary = fs::read_to_string(stage.path().join("summary.md")).expect("it was written");
        assert_eq!(summary, format!("### Tests\n\n```json\n{receipt}\n```\n"));
    }
}

#[test]
fn gitlab_keeps_the_receipt_and_fails_with_the_verdict() {
    let job = block("gitlab-ci.yml", "- |");
    for (command, receipt, status) in [("pytest -vv", RECEIPT, 1), ("green", GREEN, 0)] {
        let stage = stage();
        let output = shell(&stage, "-e", &job, command).output().expect("sh is there");
        let (stdout, _, code) = text(output);
        assert_eq!((stdout, code), (format!("{receipt}\n"), Some(status)));
        let kept = fs::read_to_string(stage.path().join("receipt.json")).expect("it was written");
        assert_eq!(kept, format!("{receipt}\n"));
    }
}

/// What the scripts are taken out of is YAML, with the keys that the CI looks for.
#[test]
fn the_yaml_is_yaml() {
    if python("skip_vendored.py").is_none() {
        return;
    }
    let read = "import json, sys, yaml; json.dump(yaml.safe_load(open(sys.argv[1])), sys.stdout)";
    for (file, pointer, mark) in
        [("github-actions.yml", "/0/run", "run: |"), ("gitlab-ci.yml", "/tests/script/0", "- |")]
    {
        let output =
            Command::new("python3").args(["-c", read]).arg(script(file)).output().expect("it is there");
        if !output.status.success() {
            eprintln!("python3 has no yaml: pipelines/{file} is not read by it");
            return;
        }
        let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(value.pointer(pointer).and_then(|run| run.as_str()), Some(&*block(file, mark)), "{file}");
    }
}

#[test]
fn a_makefile_has_the_receipt_as_a_target() {
    for (command, receipt, green) in [("pytest", RECEIPT, false), ("green", GREEN, true)] {
        let stage = stage();
        let include = format!("TEST_COMMAND := {command}\ninclude {}\n", script("receipt.mk").display());
        stage.file("Makefile", &include);
        let output = stage.command("make").args(["--no-print-directory", "receipt"]).output();
        let (stdout, _, code) = text(output.expect("make is there"));
        assert_eq!((stdout, code == Some(0)), (format!("{receipt}\n"), green));
        let kept = fs::read_to_string(stage.path().join("receipt.json")).expect("it was written");
        assert_eq!(kept, format!("{receipt}\n"));
    }
}

#[test]
fn a_push_waits_for_the_tests() {
    let stage = stage();
    let git = |arguments: &[&str]| {
        let identity =
            ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"];
        let output = stage.command("git").args(identity).args(arguments).output().expect("git is there");
        (String::from_utf8_lossy(&output.stderr).into_owned(), output.status.success())
    };
    git(&["init", "--quiet", "."]);
    git(&["init", "--quiet", "--bare", "remote.git"]);
    git(&["commit", "--quiet", "--allow-empty", "-m", "first"]);
    fs::create_dir_all(stage.path().join(".git/hooks")).expect("a folder can be made");
    fs::copy(script("pre-push"), stage.path().join(".git/hooks/pre-push")).expect("it can be copied");

    let push = ["push", "--quiet", "remote.git", "HEAD:refs/heads/topic"];
    let (said, pushed) = git(&push);
    let unknown = "pre-push: what to run is not known: git config bv.command 'cargo test'\n";
    assert!(said.starts_with(unknown) && !pushed, "{said}");

    git(&["config", "bv.command", "pytest -k *"]);
    let (said, pushed) = git(&push);
    let why =
        format!("{RECEIPT}\npre-push: the tests are not green; git push --no-verify pushes all the same\n");
    assert!(said.starts_with(&why) && !pushed, "{said}");
    assert_eq!(stage.called(), "bin/pytest -k *", "words, and no names of files");

    git(&["config", "bv.command", "green"]);
    assert_eq!(git(&push), (String::new(), true));

    git(&["config", "bv.command", "pytest"]);
    let delete = ["push", "--quiet", "remote.git", ":refs/heads/topic"];
    assert_eq!(git(&delete), (String::new(), true), "there is nothing to test");
}

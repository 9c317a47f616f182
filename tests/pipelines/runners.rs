//! The scripts for one runner each: what they ask of the runner, which is a stand-in that prints what the real
//! one printed once.

use super::{path, script};
use serde_json::Value;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A folder with a project's files, and stand-ins of runners that say how they were called.
pub struct Stage {
    folder: TempDir,
}

impl Stage {
    /// An empty project.
    pub fn new() -> Stage {
        Stage { folder: tempfile::tempdir().expect("a folder can be made") }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file of the project.
    pub fn file(&self, name: &str, text: &str) {
        let file = self.path().join(name);
        fs::create_dir_all(file.parent().expect("it has a folder")).expect("a folder can be made");
        fs::write(file, text).expect("it can be written");
    }

    /// Puts a stand-in there that prints what was recorded and exits as it did.
    pub fn stand_in(&self, at: &str, case: &str) {
        let recorded = bv_tests::root().join("tests/fixtures").join(case);
        let (output, exit) = (recorded.join("output.txt"), recorded.join("exit"));
        assert!(output.is_file() && exit.is_file(), "{case}: no plain recording");
        let called = self.path().join("called");
        let text = format!(
            "#!/bin/sh\nprintf '%s\\n' \"$0\" \"$@\" >'{}'\ncat '{}'\nexit \"$(cat '{}')\"\n",
            called.display(),
            output.display(),
            exit.display()
        );
        self.file(at, &text);
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(self.path().join(at), executable).expect("it was just written");
    }

    /// A command in the project, with its `bin`, the tools of this build and the pipelines on PATH.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let pipelines = bv_tests::root().join("pipelines");
        let own: OsString = std::env::join_paths(
            [self.path().join("bin")].into_iter().chain(std::env::split_paths(&path())).chain([pipelines]),
        )
        .expect("they came from a PATH");
        let mut command = Command::new(program);
        command.current_dir(self.path()).env("PATH", own).env_remove("RUST_BACKTRACE").stdin(Stdio::null());
        command
    }

    /// How the stand-in was called, from this folder.
    pub fn called(&self) -> String {
        let called = fs::read_to_string(self.path().join("called")).unwrap_or_default();
        let real = fs::canonicalize(self.path()).expect("it is there");
        let words: Vec<&str> = called.lines().collect();
        words
            .join(" ")
            .replace(&format!("{}/", real.display()), "")
            .replace(&format!("{}/", self.path().display()), "")
    }
}

/// What a script asks of the runner for these arguments, and what it answers: status and count of failures.
fn check(stage: &Stage, name: &str, arguments: &[&str], called: &str, answer: (&str, u64), status: i32) {
    let output = stage.command(script(name)).args(arguments).output().expect("sh is there");
    let said = String::from_utf8_lossy(&output.stderr);
    let receipt: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|wrong| panic!("{name}: {wrong}: {said}"));
    let got = (receipt["status"].as_str().unwrap_or_default(), receipt["failures"].as_u64().unwrap_or(0));
    assert_eq!(
        (stage.called().as_str(), got, output.status.code()),
        (called, answer, Some(status)),
        "{name}: {said}"
    );
}

#[test]
fn py_test() {
    let stage = Stage::new();
    stage.stand_in("bin/pytest", "pytest/simple_assert");
    let called = "bin/pytest -vv --tb=auto --color=no -k step tests";
    check(&stage, "py-test", &["-k", "step", "tests"], called, ("failed_assertion", 0), 1);
}

#[test]
fn cargo_test() {
    let stage = Stage::new();
    stage.stand_in("bin/cargo", "cargo-test/panic-backtrace");
    let called = "bin/cargo test --no-fail-fast --workspace";
    check(&stage, "cargo-test", &["--workspace"], called, ("runtime_exception", 5), 1);
}

#[test]
fn go_test() {
    let stage = Stage::new();
    stage.stand_in("bin/go", "pytest/all_pass_quiet");
    check(&stage, "go-test", &[], "bin/go test -json ./...", ("passed", 0), 0);
    check(&stage, "go-test", &["-race", "./a"], "bin/go test -json -race ./a", ("passed", 0), 0);
}

#[test]
fn maven() {
    let stage = Stage::new();
    let options = "--batch-mode --fail-at-end -Dstyle.color=never -DtrimStackTrace=false";
    stage.stand_in("bin/mvn", "maven-surefire/pass_skipped");
    check(&stage, "maven", &[], &format!("bin/mvn {options} test"), ("passed", 0), 0);
    stage.stand_in("mvnw", "maven-surefire/pass_skipped");
    check(
        &stage,
        "maven",
        &["verify", "-pl", "a"],
        &format!("./mvnw {options} verify -pl a"),
        ("passed", 0),
        0,
    );
}

#[test]
fn js_test_takes_what_the_project_has() {
    let (jest, vitest) = ("node_modules/.bin/jest", "node_modules/.bin/vitest");
    let stage = Stage::new();
    let output = stage.command(script("js-test")).output().expect("sh is there");
    let said = "js-test: neither vitest nor jest is in node_modules: run 'npm install'\n";
    assert_eq!((String::from_utf8_lossy(&output.stderr).as_ref(), output.status.code()), (said, Some(2)));

    stage.stand_in(jest, "jest/mixed");
    let by_jest = "node_modules/.bin/jest --ci --verbose cart";
    check(&stage, "js-test", &["cart"], by_jest, ("failed_assertion", 4), 1);
    stage.stand_in(vitest, "vitest/mixed");
    let by_vitest = "node_modules/.bin/vitest run --reporter=verbose";
    check(&stage, "js-test", &[], by_vitest, ("failed_assertion", 4), 1);
    stage.file("package.json", "{\n  \"scripts\": {\"test\": \"jest --coverage\"}\n}\n");
    check(&stage, "js-test", &["cart"], by_jest, ("failed_assertion", 4), 1);
}

//! The scripts of `pipelines/`, run as a user runs them. (`make check` runs `demo` itself.)

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A run whose `pytest` section is real in shape: what `bv` must read through all three stages.
const GREEN: &str = "\
============================= test session starts ==============================
platform linux -- Python 3.11.7, pytest-9.0.2, pluggy-1.6.0
rootdir: /home/me/billing
collected 2 items

tests/test_money.py ..                                                   [100%]

============================== 2 passed in 0.01s ===============================
";

const RED: &str = "\
============================= test session starts ==============================
platform linux -- Python 3.11.7, pytest-9.0.2, pluggy-1.6.0
rootdir: /home/me/billing
collected 2 items

tests/test_money.py .F                                                   [100%]

=================================== FAILURES ===================================
_______________________________ test_half_a_cent _______________________________

    def test_half_a_cent():
>       assert cents(Decimal(\"1.005\")) == 101
E       AssertionError: assert 100 == 101
E        +  where 100 = cents(Decimal('1.005'))

tests/test_money.py:18: AssertionError
=========================== short test summary info ============================
FAILED tests/test_money.py::test_half_a_cent - AssertionError: assert 100 == 101
========================= 1 failed, 1 passed in 0.01s ==========================
";

fn check_bv(arguments: &[&str], receipt: &str, status: i32) {
    let output = command("bv").args(arguments).output().expect("sh is there");
    let seen = (String::from_utf8_lossy(&output.stdout), output.status.code());
    assert_eq!(seen, (receipt.into(), Some(status)), "{arguments:?}");
}

#[test]
fn bv_answers_with_a_receipt_and_ends_with_its_verdict() {
    let green = format!("cat <<'END'\n{GREEN}END\n");
    let red = format!("cat <<'END'\n{RED}END\nexit 1\n");
    check_bv(&["sh", "-c", &green], "{\"status\":\"passed\",\"vectors_verified\":2}\n", 0);
    check_bv(&["--timeout", "5m", "sh", "-c", &red], "", 1);
    check_bv(&["bv-no-such-command"], "", 3);
}

#[test]
fn bv_without_a_command_says_how_it_is_used() {
    let output = command("bv").output().expect("sh is there");
    assert_eq!(text(output), ("".into(), "bv: no command: try 'bv pytest -q'\n".into(), Some(2)));
}

#[test]
fn bv_without_its_tools_says_which_is_missing() {
    let elsewhere = tempfile::tempdir().expect("a folder can be made");
    let alone = elsewhere.path().join("bv");
    std::fs::copy(script("bv"), &alone).expect("it can be copied");
    let output = Command::new("/bin/sh")
        .arg(&alone)
        .args(["pytest", "-q"])
        .env("PATH", "/usr/bin:/bin")
        .output()
        .expect("sh is there");
    let said = "bv: bv-run is not on PATH, nor built beside this script: run 'make build'\n";
    assert_eq!(text(output), ("".into(), said.into(), Some(2)));
}

/// What `skip_vendored.py third_party src/gen` makes of these lines.
fn check_skip(lines: &[&str], expected: &[&str], said: &str) {
    let Some(mut stage) = python("skip_vendored.py") else {
        return;
    };
    stage.args(["third_party", "./src/gen/"]);
    let output = fed(stage, &joined(lines));
    assert_eq!(text(output), (joined(expected), said.into(), Some(0)));
}

#[test]
fn a_fault_in_a_vendored_folder_moves_to_the_frame_of_ours_that_called_it() {
    check_skip(
        &[
            r#"{"type":"failure","id":"a","fault":{"file":"third_party/x.py","line":9},"frames":[{"file":"third_party/x.py","line":9},{"file":"/app/src/gen/y.py"},{"file":"src/z.py","line":3},{"file":"tests/t.py","line":1}],"span":[0,9]}"#,
            r#"{"type":"failure","id":"b","test":{"file":"t.py","line":1},"fault":{"file":"src/gen/y.py"},"frames":[{"file":"src/gen/y.py"},{"file":"t.py","line":1}]}"#,
            r#"{"type":"failure","id":"c","fault":{"file":"third_party/x.py"}}"#,
            r#"{"type":"failure","id":"d","fault":{"file":"src/z.py"},"frames":[{"file":"src/z.py"},{"file":"third_party/x.py"}]}"#,
            r#"{"type":"end","outcome":"failed"}"#,
        ],
        &[
            r#"{"type":"failure","id":"a","frames":[{"file":"src/z.py","line":3},{"file":"tests/t.py","line":1}],"span":[0,9],"fault":{"file":"src/z.py","line":3}}"#,
            r#"{"type":"failure","id":"b","test":{"file":"t.py","line":1},"frames":[{"file":"t.py","line":1}]}"#,
            r#"{"type":"failure","id":"c"}"#,
            r#"{"type":"failure","id":"d","fault":{"file":"src/z.py"},"frames":[{"file":"src/z.py"}]}"#,
            r#"{"type":"end","outcome":"failed"}"#,
        ],
        "",
    );
}

#[test]
fn what_does_not_concern_a_stage_passes_through_byte_for_byte() {
    let lines = [
        r#"{ "type" : "failure", "id":"\u00fc", "frames":[{"file":"third_party.py"},{"function":"f"}], "new":1.50 }"#,
        r#"{"type":"coverage","frames":[{"file":"third_party/x.py"}]}"#,
        "not json",
        r#"["type"]"#,
        r#"{"no":"type"}"#,
        r#"{"type":"failure","frames":3}"#,
        r#"{"type":"end","outcome":"failed"}"#,
    ];
    let said: String = (3..=6).map(|n| format!("skip_vendored: no record, passed on: line {n}\n")).collect();
    check_skip(&lines, &lines, &said);
}

fn joined(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn text(output: Output) -> (String, String, Option<i32>) {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it is UTF-8");
    (text(output.stdout), text(output.stderr), output.status.code())
}

fn fed(mut command: Command, input: &str) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("it was asked for");
    stdin.write_all(input.as_bytes()).expect("it reads");
    drop(stdin);
    child.wait_with_output().expect("it ends")
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../pipelines").join(name)
}

/// A script with the tools of this very build on its PATH.
fn command(name: &str) -> Command {
    let mut command = Command::new(script(name));
    command.env("PATH", path()).stdin(Stdio::null());
    command
}

/// The same for a script that needs Python; says so where there is none, and fails then in CI.
fn python(name: &str) -> Option<Command> {
    let there = Command::new("python3").arg("--version").output().is_ok();
    if !there {
        assert!(std::env::var_os("CI").is_none(), "python3 is missing");
        eprintln!("python3 is missing: pipelines/{name} is not tested");
    }
    there.then(|| command(name))
}

/// `target/<profile>` lies above the folder of this test's binary.
fn path() -> OsString {
    let test = std::env::current_exe().expect("the system knows it");
    let tools = test.ancestors().nth(2).expect("it lies in target/<profile>/deps");
    let old = std::env::var_os("PATH").unwrap_or_default();
    let all = [tools.to_owned()].into_iter().chain(std::env::split_paths(&old));
    std::env::join_paths(all).expect("they came from a PATH")
}

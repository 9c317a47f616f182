//! The scripts of `pipelines/`, run as a user runs them. (`make check` runs `demo` itself.)

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

#[cfg(unix)]
mod elsewhere;
#[cfg(unix)]
mod memory;
#[cfg(unix)]
mod polluter;
#[cfg(unix)]
mod runners;

const GREEN: &str = "\
..
----------------------------------------------------------------------
Ran 2 tests in 0.001s

OK
";

const RED: &str = "\
.F
======================================================================
FAIL: test_half_a_cent (tests.test_money.Money.test_half_a_cent)
----------------------------------------------------------------------
Traceback (most recent call last):
  File \"/home/me/billing/tests/test_money.py\", line 18, in test_half_a_cent
    self.assertEqual(cents(Decimal(\"1.005\")), 101)
AssertionError: 100 != 101

----------------------------------------------------------------------
Ran 2 tests in 0.001s

FAILED (failures=1)
";

const VENDORED: &str = "\
E
======================================================================
ERROR: test_total (tests.test_invoice.Invoices.test_total)
----------------------------------------------------------------------
Traceback (most recent call last):
  File \"/home/me/billing/tests/test_invoice.py\", line 39, in test_total
    self.assertEqual(invoice.total(), 0)
  File \"/home/me/billing/billing/invoice.py\", line 33, in total
    return sum(share(self.discount, nets))
  File \"/home/me/billing/third_party/fair/share.py\", line 20, in share
    return [amount * weight // total for weight in weights]
ZeroDivisionError: integer division or modulo by zero

----------------------------------------------------------------------
Ran 1 test in 0.001s

FAILED (errors=1)
";

/// The command runs in an empty folder: no source is there to say more of a place than was printed.
fn check_bv(arguments: &[&str], receipt: &str, status: i32) {
    let nowhere = tempfile::tempdir().expect("a folder can be made");
    let output = command("bv").args(arguments).current_dir(&nowhere).output().expect("sh is there");
    assert_eq!(text(output), (joined(&[receipt]), String::new(), Some(status)), "{arguments:?}");
}

#[test]
fn bv_answers_with_a_receipt_and_ends_with_its_verdict() {
    let green = format!("cat <<'END'\n{GREEN}END\n");
    let red = format!("cat <<'END'\n{RED}END\nexit 1\n");
    check_bv(&["sh", "-c", &green], r#"{"status":"passed","vectors_verified":2}"#, 0);
    check_bv(
        &["--timeout", "5m", "sh", "-c", &red],
        r#"{"status":"failed_assertion","failed_rule_id":"tests.test_money.Money.test_half_a_cent","observed_output":"100","expected_invariant":"101","exception_type":"AssertionError","ast_location":{"file":"/home/me/billing/tests/test_money.py","symbol":"test_half_a_cent","lines":[18,18],"line":18}}"#,
        1,
    );
}

#[test]
fn bv_refuses_what_cannot_run() {
    check_bv(
        &["bv-no-such-command"],
        r#"{"status":"refused_precondition","failed_rule_id":"bv.not_runnable","reason":"cannot run: bv-no-such-command: command not found"}"#,
        3,
    );
}

/// The runner says green, the exit status does not: only bv-run's last line can tell.
#[test]
fn bv_hears_of_the_exit_status() {
    let green = format!("cat <<'END'\n{GREEN}END\nexit 7\n");
    check_bv(
        &["sh", "-c", &green],
        r#"{"status":"refused_precondition","failed_rule_id":"bv.exit_contradicts","reason":"the runner says passed, the exit says 7"}"#,
        3,
    );
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

#[test]
fn a_stage_in_the_middle_changes_what_the_receipt_names() {
    if python("skip_vendored.py").is_none() {
        return;
    }
    let nowhere = tempfile::tempdir().expect("a folder can be made");
    let mut sentence = Command::new("sh");
    sentence
        .args(["-c", "bv-parse | \"$0\" third_party | bv-receipt"])
        .arg(script("skip_vendored.py"))
        .env("PATH", path())
        .current_dir(&nowhere);
    let receipt = r#"{"status":"runtime_exception","failed_rule_id":"tests.test_invoice.Invoices.test_total","exception_type":"ZeroDivisionError","exception_msg":"integer division or modulo by zero","ast_location":{"file":"/home/me/billing/billing/invoice.py","symbol":"total","lines":[33,33],"line":33}}"#;
    assert_eq!(text(fed(sentence, VENDORED)), (joined(&[receipt]), String::new(), Some(1)));
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
    bv_tests::root().join("pipelines").join(name)
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

/// PATH with the folder of the tools first.
fn path() -> OsString {
    let tools = bv_tests::binary("bv-run");
    let tools = tools.parent().expect("a file lies in a folder");
    let old = std::env::var_os("PATH").unwrap_or_default();
    let all = [tools.to_owned()].into_iter().chain(std::env::split_paths(&old));
    std::env::join_paths(all).expect("they came from a PATH")
}

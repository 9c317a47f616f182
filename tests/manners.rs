//! The manners of every tool, on the real binaries: help, versions, errors, pipes that close.

use std::io::{Read, Write};
use std::process::{Command, Output, Stdio};

const TOOLS: &[&str] = &["bv-run", "bv-parse", "bv-memory", "bv-receipt"];

fn run(tool: &str, args: &[&str], stdin: &[u8]) -> Output {
    let mut child = Command::new(bv_tests::binary(tool))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut input = child.stdin.take().expect("piped");
    let stdin = stdin.to_vec();
    let writer = std::thread::spawn(move || input.write_all(&stdin));
    let output = child.wait_with_output().expect("it ends");
    // A tool that answers without reading closes its end first; that is its right.
    let _ = writer.join().expect("the writer does not panic");
    output
}

#[test]
fn help_and_version_go_to_stdout_and_exit_0() {
    for tool in TOOLS {
        for flag in ["--help", "--version"] {
            let output = run(tool, &[flag], b"");
            assert!(output.status.success() && output.stderr.is_empty(), "{tool} {flag}: {output:?}");
            assert!(!output.stdout.is_empty(), "{tool} {flag}");
        }
        let version = run(tool, &["--version"], b"").stdout;
        let want = format!("{tool} {}\n", env!("CARGO_PKG_VERSION"));
        assert_eq!(String::from_utf8_lossy(&version), want);
    }
}

#[test]
fn a_wrong_flag_is_told_on_stderr_and_exits_2() {
    for tool in TOOLS {
        let output = run(tool, &["--no-such-flag"], b"");
        assert_eq!(output.status.code(), Some(2), "{tool}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{tool}: {output:?}");
    }
}

#[test]
fn the_help_fits_the_page_and_names_every_flag_in_words() {
    for tool in TOOLS {
        let help = String::from_utf8(run(tool, &["--help"], b"").stdout).expect("UTF-8");
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(format!("help.{tool}"), help);
        });
    }
}

/// The runner upstream must not be killed because nobody reads the events any more.
#[cfg(unix)]
#[test]
fn bv_parse_drains_stdin_when_stdout_is_closed() {
    let mut child = Command::new(bv_tests::binary("bv-parse"))
        .arg("--all")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    drop(child.stdout.take());
    let mut input = child.stdin.take().expect("piped");
    let line = "tests/test_a.py::test_b PASSED [ 50%]\n".repeat(1000);
    input.write_all(b"===== test session starts =====\ncollected 99 items\n\n").expect("it reads");
    for _ in 0..200 {
        input.write_all(line.as_bytes()).expect("it goes on reading");
    }
    drop(input);
    let mut words = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut words).expect("readable");
    assert!(child.wait().expect("it ends").success() && words.is_empty(), "{words}");
}

#[cfg(unix)]
#[test]
fn bv_receipt_ends_quietly_when_stdout_is_closed() {
    let mut child = Command::new(bv_tests::binary("bv-receipt"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    drop(child.stdout.take());
    drop(child.stdin.take());
    let mut words = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut words).expect("readable");
    child.wait().expect("it ends");
    assert_eq!(words, "");
}

/// The same bytes on every run, and on the binary as in the library.
#[test]
fn the_binaries_say_what_the_library_says() {
    for case in bv_tests::case::all().iter().step_by(7) {
        for (_, raw) in &case.streams {
            let events = run("bv-parse", &[], raw);
            assert!(events.status.success() && events.stderr.is_empty(), "{}: {events:?}", case.name);
            let want = bv_tests::stages::parse(&[], raw);
            assert_eq!(
                String::from_utf8_lossy(&events.stdout),
                String::from_utf8_lossy(&want),
                "{}",
                case.name
            );
            let root = case.root();
            let root = root.to_str().expect("plain names");
            let receipt = run("bv-receipt", &["--root", root], &events.stdout);
            let (want, code) = bv_tests::stages::receipt(&case.root(), &[], &want);
            assert_eq!(String::from_utf8_lossy(&receipt.stdout), want, "{}", case.name);
            assert_eq!(receipt.status.code(), Some(i32::from(code)), "{}", case.name);
        }
    }
}

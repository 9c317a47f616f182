//! bv-run as its neighbours see it: bytes on stdout, an exit status, and what becomes of processes.

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// No test waits longer; a machine under load must not make one red.
const PATIENCE: Duration = Duration::from_secs(60);

fn bv_run(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bv-run"));
    command.args(args).stdin(Stdio::null());
    command
}

fn shell(script: &str) -> Command {
    bv_run(&["--", "sh", "-c", script])
}

/// The whole stdout, after its first line, and the exit status.
fn check(mut command: Command, expected: &str, status: i32) -> Output {
    let output = command.output().expect("bv-run starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let (first, rest) = text.split_once('\n').expect("there is a first line");
    assert!(first.starts_with("bv-run: ["), "{first}");
    assert_eq!((rest, output.status.code()), (expected, Some(status)));
    output
}

#[test]
fn output_comes_merged_in_the_order_in_which_it_was_written() {
    let script = "for i in 1 2 3; do echo out $i; echo err $i >&2; done";
    let merged = "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\nbv-exit: 0\n";
    let output = check(shell(script), merged, 0);
    assert_eq!(output.stderr, b"");
}

#[test]
fn the_first_line_is_the_command_as_json() {
    let mut command = bv_run(&["--", "true", "a \"b\"", "ü\n"]);
    command.arg(OsStr::from_bytes(b"\xff-"));
    let output = command.output().expect("bv-run starts");
    assert_eq!(
        String::from_utf8(output.stdout).expect("UTF-8 although an argument is not"),
        "bv-run: [\"true\",\"a \\\"b\\\"\",\"ü\\n\",\"\u{fffd}-\"]\nbv-exit: 0\n"
    );
}

#[test]
fn the_commands_own_bytes_are_left_alone() {
    let mut command = shell(r"printf 'a\000\377\r\n\033[31mb\n'");
    let output = command.output().expect("bv-run starts");
    let raw = b"a\x00\xff\r\n\x1b[31mb\nbv-exit: 0\n";
    assert!(output.stdout.ends_with(raw), "{:?}", output.stdout);
}

#[test]
fn the_status_is_the_commands() {
    check(shell("exit 0"), "bv-exit: 0\n", 0);
    check(shell("exit 3"), "bv-exit: 3\n", 3);
    check(shell("exit 255"), "bv-exit: 255\n", 255);
    check(shell("kill -SEGV $$"), "bv-exit: signal SIGSEGV\n", 128 + 11);
    check(shell("kill -KILL $$"), "bv-exit: signal SIGKILL\n", 128 + 9);
}

#[test]
fn a_missing_final_newline_is_made_up() {
    check(shell("printf 'no newline'"), "no newline\nbv-exit: 0\n", 0);
    check(shell(r"printf 'reset\n\033[0m'"), "reset\n\x1b[0m\nbv-exit: 0\n", 0);
}

#[test]
fn what_cannot_run_says_so() {
    check(
        bv_run(&["--", "bv-no-such-command"]),
        "bv-exit: cannot run: bv-no-such-command: command not found\n",
        127,
    );
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("plain.txt");
    std::fs::write(&file, "no program\n").expect("a file can be written");
    let path = file.to_str().expect("its name is UTF-8");
    let denied = format!("bv-exit: cannot run: {path}: Permission denied\n");
    check(bv_run(&["--", path]), &denied, 126);
}

#[test]
fn misuse_is_2_and_writes_no_stream() {
    for args in [
        &[][..],
        &["--timeout", "soon", "--", "true"],
        &["--timeout", "0", "--", "true"],
        &["--no-such-option", "true"],
    ] {
        let output = bv_run(args).output().expect("bv-run starts");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{args:?}");
    }
}

#[test]
fn options_of_the_command_are_not_ours() {
    check(bv_run(&["echo", "--tee", "--timeout"]), "--tee --timeout\nbv-exit: 0\n", 0);
}

#[test]
fn tee_copies_the_output_alone_to_stderr() {
    let command = bv_run(&["--tee", "--", "sh", "-c", "echo out; echo err >&2"]);
    let output = check(command, "out\nerr\nbv-exit: 0\n", 0);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "out\nerr\n");
}

#[test]
fn stdin_that_is_no_terminal_is_the_commands() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("input");
    std::fs::write(&file, "from stdin\n").expect("a file can be written");
    let mut command = bv_run(&["--", "cat"]);
    command.stdin(std::fs::File::open(&file).expect("it was just written"));
    check(command, "from stdin\nbv-exit: 0\n", 0);
}

#[test]
fn a_large_output_arrives_whole_at_a_slow_reader() {
    let lines = 200_000;
    let mut command = shell(&format!("seq 1 {lines}; echo end >&2; exit 7"));
    let mut child = command.stdout(Stdio::piped()).spawn().expect("bv-run starts");
    let mut stdout = child.stdout.take().expect("it was asked for");
    // The command has long ended and filled the pipe when reading begins.
    sleep(Duration::from_millis(300));
    let mut text = String::new();
    stdout.read_to_string(&mut text).expect("digits are UTF-8");
    let expected: String = (1..=lines).map(|n| format!("{n}\n")).collect();
    let (_, rest) = text.split_once('\n').expect("there is a first line");
    assert!(rest == expected + "end\nbv-exit: 7\n", "{} bytes", text.len());
    assert_eq!(wait(&mut child), Some(7));
}

#[test]
fn output_is_forwarded_while_the_command_runs() {
    let (mut child, mut lines) = started(shell("echo first; read -r line; sleep 600"), true);
    // The command cannot end before this line was read: it waits for our signal.
    assert_eq!(line(&mut lines), "first");
    signal(&child, Signal::TERM);
    assert_eq!(wait(&mut child), Some(128 + 15));
}

#[test]
fn a_reader_that_went_away_does_not_kill_the_command() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let done = folder.path().join("done");
    let script = format!("echo first; read -r go; seq 1 100000; echo done > {}; exit 5", done.display());
    let mut command = shell(&script);
    command.stdin(Stdio::piped());
    let (mut child, lines) = started(command, false);
    drop(lines);
    drop(child.stdin.take());
    assert_eq!(wait(&mut child), Some(5));
    assert_eq!(std::fs::read_to_string(done).expect("it was written"), "done\n");
}

#[test]
fn the_time_limit_ends_the_whole_group() {
    // The shell ignores TERM and so do its children: only the KILL of the group ends them.
    let script = "trap '' TERM; sleep 600 & echo $!; wait; sleep 600";
    let args = ["--timeout", "300ms", "--grace", "100ms", "--", "sh", "-c", script];
    let output = bv_run(&args).output().expect("bv-run starts");
    let text = String::from_utf8(output.stdout).expect("digits are UTF-8");
    let lines: Vec<_> = text.lines().skip(1).collect();
    let [grandchild, end] = lines[..] else { panic!("{lines:?}") };
    assert_eq!((end, output.status.code()), ("bv-exit: timeout 300ms", Some(124)));
    gone(grandchild);
}

#[test]
fn a_group_that_ends_in_its_grace_may_speak_its_last_words() {
    // Shells say on stderr that their `sleep` was killed.
    let script = "exec 2>/dev/null; trap 'echo bye; exit 0' TERM; while :; do sleep 0.05; done";
    let command = bv_run(&["--timeout", "200ms", "--grace", "1m", "--", "sh", "-c", script]);
    check(command, "bye\nbv-exit: timeout 200ms\n", 124);
}

#[test]
fn what_survives_the_command_that_was_told_to_stop_is_killed() {
    // The grandchild has closed the output: nothing but the group leads to it.
    let script = "(trap '' TERM; exec >/dev/null 2>&1; sleep 600) & echo $!; wait";
    let (mut child, mut lines) = started(shell(script), true);
    let grandchild = line(&mut lines);
    // Time for the trap to be set; without it the test would pass for a lesser reason.
    sleep(Duration::from_millis(200));
    signal(&child, Signal::TERM);
    assert_eq!(wait(&mut child), Some(128 + 15));
    gone(&grandchild);
}

#[test]
fn signals_are_passed_on() {
    for (sent, name, status) in [
        (Signal::INT, "INT", 2),
        (Signal::TERM, "TERM", 15),
        (Signal::HUP, "HUP", 1),
        (Signal::QUIT, "QUIT", 3),
        (Signal::USR1, "USR1", 10),
        (Signal::USR2, "USR2", 12),
    ] {
        let script = format!(
            "exec 2>/dev/null; trap 'echo got {name}; exit {status}' {name}; echo ready; while :; do sleep 0.05; done"
        );
        let (mut child, mut lines) = started(shell(&script), true);
        assert_eq!(line(&mut lines), "ready");
        signal(&child, sent);
        assert_eq!(line(&mut lines), format!("got {name}"));
        assert_eq!(line(&mut lines), format!("bv-exit: {status}"));
        assert_eq!(wait(&mut child), Some(status));
    }
}

#[test]
fn a_stop_by_signal_is_not_dressed_up_as_a_code() {
    let (mut child, mut lines) = started(shell("echo ready; exec sleep 600"), true);
    assert_eq!(line(&mut lines), "ready");
    signal(&child, Signal::INT);
    assert_eq!(line(&mut lines), "bv-exit: signal SIGINT");
    assert_eq!(wait(&mut child), Some(128 + 2));
}

#[test]
fn a_process_left_behind_with_the_output_does_not_hold_us() {
    let started = Instant::now();
    let mut command = shell("sleep 600 & echo $!; exit 4");
    let output = command.output().expect("bv-run starts");
    assert!(started.elapsed() < PATIENCE);
    let text = String::from_utf8(output.stdout).expect("digits are UTF-8");
    let lines: Vec<_> = text.lines().skip(1).collect();
    let [left, end] = lines[..] else { panic!("{lines:?}") };
    assert_eq!((end, output.status.code()), ("bv-exit: 4", Some(4)));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "bv-run: a process that the command left behind holds its output open; the rest is not read\n"
    );
    // A command that ended by itself may leave a server behind: that is not ours to kill.
    let left = pid(left);
    test_kill_process(left).expect("it still runs");
    kill_process(left, Signal::KILL).expect("it is ours");
}

#[test]
fn output_of_a_process_that_outlives_the_command_is_waited_for() {
    let script = "(sleep 0.3; echo late) & echo early; exit 0";
    check(shell(script), "early\nlate\nbv-exit: 0\n", 0);
}

/// Starts it and reads past the first line; with `stdin` open and silent where it is asked for.
fn started(mut command: Command, silent_stdin: bool) -> (Child, BufReader<ChildStdout>) {
    if silent_stdin {
        command.stdin(Stdio::piped());
    }
    let mut child = command.stdout(Stdio::piped()).spawn().expect("bv-run starts");
    let mut lines = BufReader::new(child.stdout.take().expect("it was asked for"));
    assert!(line(&mut lines).starts_with("bv-run: ["));
    (child, lines)
}

fn line(lines: &mut BufReader<ChildStdout>) -> String {
    let mut line = String::new();
    lines.read_line(&mut line).expect("it is UTF-8");
    line.trim_end_matches('\n').to_owned()
}

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).expect("bv-run runs");
}

fn wait(child: &mut Child) -> Option<i32> {
    let started = Instant::now();
    while started.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait().expect("it is our child") {
            return status.code();
        }
        sleep(Duration::from_millis(5));
    }
    child.kill().expect("it is our child");
    panic!("bv-run did not end");
}

fn pid(text: &str) -> Pid {
    Pid::from_raw(text.parse().expect("it is a number")).expect("it is no zero")
}

/// Asserts that the process ends; as an orphan it is reaped by init, which may take a moment.
fn gone(text: &str) {
    let started = Instant::now();
    while test_kill_process(pid(text)).is_ok() && !zombie(text) {
        assert!(started.elapsed() < PATIENCE, "{text} still runs");
        sleep(Duration::from_millis(5));
    }
}

/// In a container, process 1 may never reap what it inherits.
fn zombie(pid: &str) -> bool {
    let ps = Command::new("ps").args(["-o", "stat=", "-p", pid]).output();
    ps.is_ok_and(|ps| ps.stdout.trim_ascii().starts_with(b"Z"))
}

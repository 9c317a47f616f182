//! Children that read, write, hang, leave others behind, and eat memory.

use super::*;
use std::ffi::OsString;

const LONG: Duration = Duration::from_secs(600);

fn sh(script: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", script]);
    command
}

/// The code where it ended by itself, stdout, stderr, bytes dropped.
type Said = (Result<Option<i32>, Ended>, String, String, u64);

fn said(script: &str, how: Call<'_>) -> Said {
    let called = call(&mut sh(script), &how).expect("sh is there");
    let ended = match called.ended {
        Ended::Itself(status) => Ok(status.code()),
        other => Err(other),
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (ended, text(&called.stdout), text(&called.stderr), called.dropped_bytes)
}

fn check(script: &str, how: Call<'_>, expected: (Result<Option<i32>, Ended>, &str, &str, u64)) {
    let (ended, stdout, stderr, dropped) = said(script, how);
    assert_eq!((ended, stdout.as_str(), stderr.as_str(), dropped), expected, "{script}");
}

fn plain(cancel: &Cancel) -> Call<'_> {
    Call { stdin: None, kept_bytes_max: 1 << 20, timeout: Some(LONG), cancel }
}

#[test]
fn both_outputs_and_the_code_come_back() {
    let cancel = Cancel::new().expect("a pipe");
    check("echo out; echo err >&2; exit 3", plain(&cancel), (Ok(Some(3)), "out\n", "err\n", 0));
    check("kill -SEGV $$", plain(&cancel), (Ok(None), "", "", 0));
    check("cat", plain(&cancel), (Ok(Some(0)), "", "", 0));
}

#[test]
fn a_large_stdin_and_a_large_output_cross_without_a_jam() {
    let cancel = Cancel::new().expect("a pipe");
    let input = vec![b'x'; 3 << 20];
    let how = Call { stdin: Some(&input), kept_bytes_max: 5, ..plain(&cancel) };
    check("tee /dev/stderr", how, (Ok(Some(0)), "xxxxx", "xxxxx", 2 * ((3 << 20) - 5)));
    // It does not read all of it, which is its right.
    let how = Call { stdin: Some(&input), ..plain(&cancel) };
    check("head -c 2", how, (Ok(Some(0)), "xx", "", 0));
    check("exec <&-; echo gone", how, (Ok(Some(0)), "gone\n", "", 0));
}

#[test]
fn a_time_limit_ends_children_and_grandchildren() {
    let cancel = Cancel::new().expect("a pipe");
    let how = Call { timeout: Some(Duration::from_millis(50)), ..plain(&cancel) };
    check("echo before; sleep 600 & sleep 600", how, (Err(Ended::TimedOut), "before\n", "", 0));
    // Deaf to the request, and so is what it starts.
    let deaf = "trap '' TERM; sh -c \"trap '' TERM; sleep 600\" & echo $!; while :; do sleep 600; done";
    let (ended, stdout, _, _) = said(deaf, how);
    assert_eq!(ended, Err(Ended::TimedOut));
    gone(&stdout);
}

#[test]
fn what_a_child_leaves_behind_ends_with_it() {
    let cancel = Cancel::new().expect("a pipe");
    let (ended, stdout, _, _) = said("sleep 600 & echo $!; exit 7", plain(&cancel));
    assert_eq!(ended, Ok(Some(7)));
    gone(&stdout);
    let (ended, stdout, _, _) = said("sleep 600 >/dev/null 2>&1 & echo $!", plain(&cancel));
    assert_eq!(ended, Ok(Some(0)));
    gone(&stdout);
}

/// The process of this number has ended: nobody is there, or it waits to be reaped by init.
fn gone(number: &str) {
    let number: i32 = number.trim().parse().expect("a process id");
    let process = Pid::from_raw(number).expect("above zero");
    loop {
        let about = std::fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
        let zombie = about.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z'));
        if zombie || rustix::process::test_kill_process(process).is_err() {
            return;
        }
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn another_thread_can_cancel() {
    let cancel = Cancel::new().expect("a pipe");
    thread::scope(|scope| {
        let call = scope.spawn(|| said("echo begun; sleep 600", plain(&cancel)));
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(30));
            cancel.cancel();
        });
        let (ended, _, stderr, dropped) = call.join().expect("no panic");
        assert_eq!((ended, stderr.as_str(), dropped), (Err(Ended::Cancelled), "", 0));
    });
    // And every later call.
    check("echo never", plain(&cancel), (Err(Ended::Cancelled), "", "", 0));
}

#[test]
fn a_group_is_ended_waited_for_and_dropped() {
    let spawn = |script: &str| {
        let mut command = sh(script);
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        Group::spawn(&mut command).expect("sh is there")
    };
    let mut answers = spawn("read line; echo \"got $line\"; exit 4");
    assert!(!answers.wait_until(Some(Instant::now())).expect("it can wait"));
    answers.take_stdin().expect("piped").write_all(b"hello\n").expect("it reads");
    let mut text = String::new();
    io::Read::read_to_string(&mut answers.take_stdout().expect("piped"), &mut text).expect("it writes");
    assert_eq!((text.as_str(), answers.wait().expect("it ends").code()), ("got hello\n", Some(4)));
    assert_eq!(answers.end().expect("it has ended").code(), Some(4));

    let mut polite = spawn("trap 'exit 5' TERM; echo ready; while :; do read line; done");
    let mut ready = [0; 6];
    io::Read::read_exact(&mut polite.take_stdout().expect("piped"), &mut ready).expect("it writes");
    assert_eq!(polite.end().expect("it ends").code(), Some(5));

    let dropped = spawn("exec sleep 600");
    let number = dropped.id().to_string();
    drop(dropped);
    gone(&number);
}

#[cfg(target_os = "linux")]
#[test]
fn a_memory_limit_holds_for_grandchildren_too() {
    let cancel = Cancel::new().expect("a pipe");
    let eat = "(dd if=/dev/zero of=/dev/null bs=256M count=1 2>/dev/null; echo $?); echo done";
    let argv: Vec<OsString> = ["sh", "-c", eat].map(OsString::from).into();
    for (limit, expected) in [(Some(64 << 20), "1\ndone\n"), (None, "0\ndone\n")] {
        let mut command = command(&argv, limit).expect("sh is there");
        let called = call(&mut command, &plain(&cancel)).expect("sh is there");
        assert_eq!(String::from_utf8_lossy(&called.stdout), expected, "{limit:?}");
    }
    let missing = [OsString::from("bv-no-such-command")];
    let kinds = [None, Some(1 << 20)].map(|limit| {
        let called = command(&missing, limit).and_then(|mut command| call(&mut command, &plain(&cancel)));
        called.map(|_| ()).map_err(|wrong| wrong.kind())
    });
    assert_eq!(kinds, [Err(io::ErrorKind::NotFound); 2]);
}

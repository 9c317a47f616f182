//! Signals: the best so far is in place, nothing runs on, nothing is left behind.

use super::{Bench, rest, runs, signal, until};

/// Slow, and deaf to the request to end; notes its own processes. What has an x in it fails.
const SLOW: &str = "trap '' TERM; sleep 600 & echo $! >>pids; grep -q x \"$1\" || { wait; exit 1; }";

#[test]
fn a_signal_leaves_the_best_so_far_and_no_process() {
    for (name, status) in [("INT", 130), ("TERM", 143)] {
        let bench = Bench::new(SLOW, "in", &"words and x words ".repeat(40));
        let mut child = bench.start(&["in", "-o", "out", "--timeout", "1h", "--", "./oracle", "@@"], "");
        // It hangs on a candidate without an x once the first ones with it are accepted.
        until(|| !bench.text("out").is_empty() && bench.text("out").len() < 700);
        signal(name, child.id());
        let ended = child.wait().expect("it ends").code();
        let best = bench.text("out");
        assert!(best.contains('x') && best.len() < 700, "{best}");
        assert_eq!((ended, bench.left_behind().len()), (Some(status), 0), "{name}");
        for number in bench.text("pids").lines() {
            until(|| !runs(number));
        }
    }
}

/// The rest of a stream passes on when the search in its middle is stopped.
#[test]
fn a_stream_is_whole_after_a_signal() {
    let bench = Bench::new("echo >>calls; cat >/dev/null; sleep 0.05; exit 1", "unused", "");
    let failure = r#"{"type":"failure","id":"a","counterexample":{"v":[1,2,3,4,5,6,7,8,9]}}"#;
    let end = r#"{"type":"end","outcome":"failed"}"#;
    let mut child = bench.start(&["--", "./oracle"], &format!("{failure}\n{failure}\n{end}\n"));
    until(|| bench.text("calls").lines().count() > 6);
    signal("INT", child.id());
    let (stdout, stderr) = (rest(child.stdout.take()), rest(child.stderr.take()));
    assert_eq!((child.wait().expect("it ends").code(), stderr.as_str()), (Some(130), ""));
    let lines: Vec<&str> = stdout.lines().collect();
    assert!(lines[0].contains(r#""complete":false"#), "{}", lines[0]);
    assert_eq!(lines[1..], [failure, end]);
}

//! Signals: the best so far is in place, nothing runs on, nothing is left behind.

use super::{Bench, rest, runs, signal, until};

/// Interesting with an x and a y in it. Once something was accepted it hangs on all else, deaf to the request to
/// end; it notes its own processes.
const SLOW: &str = "
grep -q x \"$1\" && grep -q y \"$1\" && exit 0
[ $(wc -c <out) -lt 700 ] || exit 1
trap '' TERM
sleep 600 &
echo $! >>pids
wait
exit 1";

#[test]
fn a_signal_leaves_the_best_so_far_and_no_process() {
    for (name, status) in [("INT", 130), ("TERM", 143)] {
        let bench = Bench::new(SLOW, "in", &"words, x and y words ".repeat(40));
        let mut child = bench.start(&["in", "-o", "out", "--timeout", "1h", "--", "./oracle", "@@"], "");
        until(|| !bench.text("pids").is_empty());
        signal(name, child.id());
        let ended = child.wait().expect("it ends").code();
        let best = bench.text("out");
        assert!(best.contains('x') && best.contains('y') && best.len() < 700, "{best}");
        assert_eq!((ended, bench.left_behind().len()), (Some(status), 0), "{name}");
        for number in bench.text("pids").lines() {
            until(|| !runs(number));
        }
    }
}

/// The rest of a stream passes on when the search in its middle is stopped.
#[test]
fn a_stream_is_whole_after_a_signal() {
    let bench = Bench::new("echo >>calls; sleep 0.05; ! grep -q 9", "unused", "");
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

//! Writers that are killed at any moment: nothing that was acknowledged is lost.
//!
//! A run is acknowledged when its `end` record has come out of `archive` without a word on stderr. The test in
//! the tree kills a few times, `tests/kills.sh` 200 times.

use super::{Place, memory, records, stream};
use std::fs::File;
use std::io::{Read, Write};
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

const WRITERS: usize = 8;

/// One writer: a trace, then a run with one failure of a name of its own; killed after `life`. Gives the name if
/// it was acknowledged, and the trace if its storing was.
fn write(place: &Place, name: &str, life: Duration, killed: &AtomicU64) -> (Option<String>, Option<String>) {
    let deadline = Instant::now() + life;
    let trace = format!("the raw trace of {name}\n");
    let teed = until(place, "tee", &trace, deadline, killed).map(|_| trace);
    let given = stream(&[name], &["other"]);
    let archived = until(place, "archive", &given, deadline, killed)
        .filter(|out| records(out.as_bytes()).last().is_some_and(|record| record["type"] == "end"));
    (archived.map(|_| name.to_owned()), teed)
}

/// Runs a stage and kills it at `deadline`; its output, where it ended before by itself and in silence.
fn until(place: &Place, stage: &str, input: &str, deadline: Instant, killed: &AtomicU64) -> Option<String> {
    if Instant::now() >= deadline {
        return None;
    }
    let errors = tempfile::tempfile().expect("a file can be made");
    let mut child = memory(&place.store())
        .arg(stage)
        .current_dir(place.project())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(errors.try_clone().expect("it is open"))
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("piped");
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let mut stdout = child.stdout.take().expect("piped");
    let (sender, ended) = channel();
    let reader = thread::spawn(move || {
        let mut text = String::new();
        let read = stdout.read_to_string(&mut text);
        let _ = sender.send(());
        read.map(|_| text)
    });
    let in_time = ended.recv_timeout(deadline.saturating_duration_since(Instant::now())).is_ok();
    if !in_time {
        child.kill().expect("it is ours");
        killed.fetch_add(1, Ordering::Relaxed);
    }
    let status = child.wait().expect("it ends");
    let text = reader.join().expect("it does not panic").ok()?;
    (in_time && status.success() && is_empty(errors)).then_some(text)
}

fn is_empty(file: File) -> bool {
    file.metadata().expect("it is open").len() == 0
}

#[test]
fn nothing_acknowledged_is_lost_when_writers_are_killed() {
    let kills: u64 = std::env::var("BV_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(16);
    let place = Place::new();
    let (killed, written) = (AtomicU64::new(0), AtomicU64::new(0));
    let acknowledged: Vec<_> = thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|_| scope.spawn(|| write_until_killed(&place, kills, &killed, &written)))
            .collect();
        writers.into_iter().flat_map(|writer| writer.join().expect("it does not panic")).collect()
    });
    assert_eq!(place.fsck(&[]), (Some(0), String::new()));
    let before = place.text(&["live"]);
    assert_eq!(place.fsck(&["--rebuild"]), (Some(0), String::new()));
    assert_eq!(place.text(&["live"]), before);
    let log = place.text(&["log", "--max", "100000"]);
    let runs = acknowledged.iter().filter_map(|(run, _)| run.as_ref());
    let traces = acknowledged.iter().filter_map(|(_, trace)| trace.as_ref());
    let (mut run_count, mut trace_count) = (0, 0);
    for name in runs {
        run_count += 1;
        assert!(before.contains(&format!("\"{name}\"")), "{name} is lost");
    }
    let found = place.text(&["search", "the raw trace of", "--max", "100000"]);
    for trace in traces {
        trace_count += 1;
        assert!(found.contains(&format!("\"{}\"", trace.trim_end())), "{trace} is lost");
    }
    assert!(run_count > 0 && trace_count > 0 && log.lines().count() >= run_count);
    let killed = killed.into_inner();
    println!("{killed} kills: {run_count} runs and {trace_count} traces acknowledged, none lost");
}

/// Writes that are killed after a part of the time that a whole one takes, and between them whole ones, until
/// so many were killed.
fn write_until_killed(
    place: &Place,
    kills: u64,
    killed: &AtomicU64,
    written: &AtomicU64,
) -> Vec<(Option<String>, Option<String>)> {
    let mut acknowledged = Vec::new();
    while killed.load(Ordering::Relaxed) < kills {
        let nth = written.fetch_add(1, Ordering::Relaxed);
        let began = Instant::now();
        acknowledged.push(write(place, &format!("tests::whole_{nth}"), Duration::from_secs(60), killed));
        // From before the first byte to after the last, in no order.
        let life = began.elapsed().mul_f64((drawn(nth) % 1_000) as f64 / 900.0);
        acknowledged.push(write(place, &format!("tests::killed_{nth}"), life, killed));
    }
    acknowledged
}

/// A number that looks drawn by chance and is the same in every run.
fn drawn(nth: u64) -> u64 {
    let mut x = nth.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^= x >> 31;
    x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^ x >> 29
}

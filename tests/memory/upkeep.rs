//! What keeps an archive small, whole and free of secrets: gc, bundles, masks.

use super::{Place, records, said, stream};
use std::fs;
use std::time::{Duration, SystemTime};

/// Makes everything in the store as old as if it had been put so long ago.
fn age(place: &Place, by: Duration) {
    for file in place.files("objects").into_iter().chain(place.files("journals")) {
        let file = fs::File::options().write(true).open(file).expect("it is there");
        file.set_modified(SystemTime::now() - by).expect("its owner may");
    }
}

#[test]
fn gc_keeps_live_failures_and_the_runs_that_superseded_others() {
    let place = Place::new();
    place.archive(&stream(&["a", "b"], &["c"]));
    place.archive(&stream(&[], &["b"]));
    for _ in 0..5 {
        place.archive(&stream(&[], &["c"]));
    }
    age(&place, Duration::from_secs(2 * 60 * 60));
    let live = place.text(&["live"]);
    let journals = place.files("journals");
    let dry = place.run(&["gc", "--max-runs", "1", "--dry-run"], b"");
    assert_eq!(place.files("journals"), journals);
    let real = place.run(&["gc", "--max-runs", "1"], b"");
    assert_eq!((&real.stdout, real.status.code()), (&dry.stdout, Some(0)));
    // The newest; the one with the live failure; the one without which `b` would seem live again.
    let left = place.files("journals");
    assert_eq!(left, [journals[0].clone(), journals[1].clone(), journals[6].clone()]);
    assert_eq!((place.text(&["live"]), place.fsck(&[])), (live, (Some(0), String::new())));
}

#[test]
fn gc_leaves_alone_what_is_young_and_what_nobody_named_until_it_is_old() {
    let place = Place::new();
    place.run(&["tee"], b"a trace whose run is not stored yet\n");
    let gone = |args: &[&str]| {
        let output = place.run(&[&["gc"], args].concat(), b"");
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        String::from_utf8_lossy(&output.stdout).lines().count()
    };
    assert_eq!(gone(&["--max-age", "1s", "--max-bytes", "0"]), 0);
    age(&place, Duration::from_secs(2 * 60 * 60));
    assert_eq!(gone(&["--max-age", "3h"]), 0);
    assert_eq!(gone(&["--max-age", "1h"]), 1);
    assert_eq!(place.files("objects").len(), 0);
}

#[test]
fn a_bundle_moves_an_archive() {
    let (here, there) = (Place::new(), Place::new());
    let trace = b"GH=ghp_abcdefghijklmnopqrstuvwxyz0123456789\nthe rest\n";
    here.run(&["tee"], trace);
    here.run(&["archive", "--project", "p"], stream(&["t"], &["u"]).as_bytes());
    here.run(&["archive", "--project", "q"], stream(&["t"], &[]).as_bytes());
    let bundle = here.run(&["export"], b"");
    let taken = there.run(&["import"], &bundle.stdout);
    assert_eq!(
        (said(&taken).as_str(), taken.status.code()),
        ("bv-memory: 4 of 4 entries were new\n", Some(0))
    );
    let again = there.run(&["import"], &bundle.stdout);
    assert_eq!(said(&again), "bv-memory: 0 of 4 entries were new\n");
    assert_eq!(there.text(&["log", "--all"]), here.text(&["log", "--all"]));
    assert_eq!(there.text(&["live", "--project", "p"]), here.text(&["live", "--project", "p"]));
    assert_eq!(there.run(&["export"], b"").stdout, bundle.stdout);
    assert_eq!(there.fsck(&[]), (Some(0), String::new()));
    // One project: its journal, and the list of tests that its journal names.
    let one = records_of(&here.run(&["export", "--project", "p"], b"").stdout);
    assert_eq!(one, 2);
}

fn records_of(bundle: &[u8]) -> usize {
    bundle.split(|&b| b == b'\n').filter(|line| line.starts_with(b"{\"type\":\"entry\"")).count()
}

#[test]
fn a_bundle_that_is_not_whole_is_refused() {
    let here = Place::new();
    here.run(&["tee"], b"a trace\n");
    here.archive(&stream(&["t"], &[]));
    let bundle = here.run(&["export"], b"").stdout;
    let text = |from: &str, to: &str| {
        let at =
            bundle.windows(from.len()).position(|window| window == from.as_bytes()).expect("it is there");
        [&bundle[..at], to.as_bytes(), &bundle[at + from.len()..]].concat()
    };
    let mut flipped = bundle.clone();
    let at = bundle.len() / 2;
    flipped[at] ^= 1;
    let bad = [
        Vec::new(),
        b"hello\n".to_vec(),
        bundle[..bundle.len() - 5].to_vec(),
        bundle[..bundle.len() / 2].to_vec(),
        flipped,
        text("\"path\":\"objects/", "\"path\":\"../../x/"),
        text("\"path\":\"journals/", "\"path\":\"objects/"),
        text("\"entries\":2", "\"entries\":3"),
        text("\"v\":1", "\"v\":2"),
    ];
    for (nth, bundle) in bad.iter().enumerate() {
        let there = Place::new();
        let output = there.run(&["import"], bundle);
        assert_eq!(output.status.code(), Some(2), "{nth}: {}", said(&output));
        assert_eq!(there.fsck(&[]), (Some(0), String::new()), "{nth}");
    }
    let there = Place::new();
    assert_eq!(there.run(&["import", "--max-bytes", "100"], &bundle).status.code(), Some(2));
}

/// What unpacks to far more than any log does is not taken in, though it was stored here.
#[test]
fn an_object_that_is_a_bomb_is_not_imported() {
    let (here, there) = (Place::new(), Place::new());
    here.run(&["tee"], &vec![b'x'; 64 << 20]);
    let bundle = here.run(&["export"], b"").stdout;
    let output = there.run(&["import"], &bundle);
    let told = "bv-memory: the bundle is not taken in: an object unpacks to too much\n";
    assert_eq!((said(&output).as_str(), output.status.code()), (told, Some(2)));
}

const CANARIES: &[&str] = &[
    "AKIAIOSFODNN7EXAMPLE",
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "github_pat_11ABCDEFG0abcdefghijkl_mnop",
    "xoxb-123456789012-abcdefghij",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
    "correct-horse-battery",
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj",
    "hunter2hunter2",
];

/// Planted in a trace, in every field of a record and in the command: none is in any file of the store, and
/// every span still holds.
#[test]
fn no_canary_is_stored() {
    let place = Place::new();
    let lines: Vec<String> = CANARIES
        .iter()
        .map(|canary| match *canary {
            "correct-horse-battery" => format!("DEPLOY_TOKEN={canary}"),
            "hunter2hunter2" => format!("postgres://app:{canary}@db/x"),
            key if key.starts_with("MIIE") => {
                format!("-----BEGIN PRIVATE KEY-----\n{key}\n-----END PRIVATE KEY-----")
            }
            other => format!("key: {other}"),
        })
        .collect();
    let trace = lines.join("\n") + "\nthe end\n";
    let teed = place.run(&["tee"], trace.as_bytes());
    assert_eq!(String::from_utf8_lossy(&teed.stdout), trace);
    let all = serde_json::Value::from(trace.clone());
    let records_in = format!(
        "{{\"type\":\"test\",\"id\":{all},\"outcome\":\"passed\"}}\n\
         {{\"type\":\"failure\",\"id\":{all},\"kind\":\"assertion\",\"message\":{all},\"counterexample\":{{\"a\":{all}}},\"later\":[{all}]}}\n\
         {{\"type\":\"end\",\"outcome\":\"failed\",\"runner\":\"pytest\",\"command\":[\"pytest\",{all}]}}\n"
    );
    place.archive(&records_in);
    let files: Vec<_> =
        place.files("").into_iter().map(|file| fs::read(file).expect("it is there")).collect();
    let restored = place.run(
        &[
            "restore",
            &records(&place.run(&["search", "the end"], b"").stdout)[1]["trace"].as_str().expect("a trace")
                [..12],
        ],
        b"",
    );
    let stored = String::from_utf8_lossy(&restored.stdout).into_owned();
    assert_eq!((stored.len(), stored.ends_with("\nthe end\n")), (trace.len(), true));
    let shown = [place.text(&["live"]), place.text(&["log"]), stored].concat();
    for canary in CANARIES {
        let is_in = |bytes: &[u8]| bytes.windows(canary.len()).any(|window| window == canary.as_bytes());
        assert!(!files.iter().any(|file| is_in(file)) && !is_in(shown.as_bytes()), "{canary}");
    }
    assert_eq!(place.fsck(&[]), (Some(0), String::new()));
}

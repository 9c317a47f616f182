//! Every fixture buys all of these checks; a format without fixtures fails, and a folder without format.

use bv_tests::case::{self, Case};
use bv_tests::expect::{self, Miss};
use bv_tests::stages;
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Folders of fixtures that are no format: several runners, a library under two runners, no runner at all.
const MIXTURES: &[&str] = &["hypothesis", "multi", "unknown"];

/// Where a recorded stream does not say what `expect.json` does: stream, metric, what differs.
const KNOWN: &[(&str, &str, &str)] = &[
    ("pytest/big_diff/output.ansi", "message", BIG_DIFF),
    ("pytest/big_diff/output.ansi", "expected", BIG_DIFF),
    ("pytest/big_diff/output.ansi", "observed", BIG_DIFF),
    ("cargo-test/proptest-shrunk/output.ansi", "counterexample", OTHER_SEED),
    ("cargo-test/proptest-shrunk/output.ansi", "expected", OTHER_SEED),
    ("cargo-test/proptest-shrunk/output.ansi", "observed", OTHER_SEED),
    ("gtest/many-30-of-2000/output", "observed", MINUS_ZERO),
    ("cucumber/ruby_progress/output", "invented", PRINTED_LIST),
    ("exunit/mixed/output.ansi", "expected", KEY_ORDER),
    ("exunit/mixed/output.ansi", "observed", KEY_ORDER),
    ("ava/files_hooks_and_bare_values/output", "counts", PRINTED_RED),
    ("busted/pass_tap/output", "runner", ANYBODYS_TAP),
];
const BIG_DIFF: &str = "the coloured run was on a terminal, where pytest does not shorten the values";
const OTHER_SEED: &str = "the coloured run had another seed, and its values are other ones";
const MINUS_ZERO: &str = "two tests print -0, which the expectation has as 0";
const KEY_ORDER: &str = "where ExUnit shows a coloured diff it sorts a struct's keys otherwise";
const PRINTED_RED: &str =
    "a test prints `3 tests failed`: AVA has no first line, and a red word is never taken back";
const PRINTED_LIST: &str =
    "a step prints a whole red run: Cucumber's progress has no first line, and another run may stand above";
const ANYBODYS_TAP: &str =
    "busted's TAP of a green run is Test::More's to the letter: it is said to be TAP's";

/// What speaks against these runs, a second package that fails or another set of green tests stands behind a
/// runner's closing line: a log that is cut between the two is a whole green one.
const WHOLE_WHERE_CUT: &[&str] = &[
    "julia-test/decoy",
    "ant/fails_after_it_ran_a_green_build",
    "multi/azure_fails_after_green_tests",
    "multi/circleci_fails_after_green_tests",
    "multi/compose_exit_after_green_tests",
    "multi/concurrently_names",
    "multi/github_step_fails_after_green_tests",
    "multi/make_output_sync",
    "playwright/web_server_fails_after_a_green_run",
];

/// Places at which each stream is cut.
const CUTS: usize = 100;

#[test]
fn every_format_has_fixtures_and_every_folder_a_format() {
    let groups = case::groups();
    let cases = case::all();
    for format in bv_parse::formats::FORMATS {
        // A result file lies with the runner that wrote it.
        let written =
            |case: &Case| case.expect["format"].as_str().is_some_and(|name| name.starts_with(format.name));
        let has = groups.iter().any(|group| group == format.name) || cases.iter().any(written);
        assert!(has, "no fixtures for {}", format.name);
    }
    for group in &groups {
        let known = MIXTURES.contains(&&**group) || bv_parse::formats::named(group).is_some();
        assert!(known, "tests/fixtures/{group} is neither a format nor a named mixture");
    }
}

#[test]
fn formats_are_sorted() {
    let names: Vec<_> = bv_parse::formats::FORMATS.iter().map(|format| format.name).collect();
    assert!(names.is_sorted(), "{names:?}");
}

#[test]
fn fixtures_are_as_their_expectation_says() {
    each(|case, stream, raw| {
        let records = stages::records(&stages::parse(&[], raw));
        hold(case, stream, expect::misses(case, raw, &records, false));
        if let Some(raw) = case.with_exit(raw) {
            let records = stages::records(&stages::parse(&[], &raw));
            hold(case, stream, expect::misses(case, &raw, &records, true));
        }
    });
}

#[test]
fn receipts_are_as_the_expectation_says() {
    each(|case, stream, raw| {
        let with_exit = case.with_exit(raw);
        for (raw, with_exit) in
            std::iter::once((raw, false)).chain(with_exit.as_deref().map(|raw| (raw, true)))
        {
            let (line, code) = stages::receipt(&case.root(), &[], &stages::parse(&[], raw));
            assert!(line.len() <= bv_schemas::receipt::BYTES_MAX + 1, "{} bytes: {line}", line.len());
            let receipt: Value = serde_json::from_str(&line).expect("a receipt is JSON");
            hold(case, stream, expect::receipt_misses(case, &receipt, code, with_exit));
        }
    });
}

#[test]
fn snapshots() {
    each(|case, stream, raw| {
        if stream != "output" {
            return;
        }
        let events = stages::parse(&[], raw);
        let (receipt, code) = stages::receipt(&case.root(), &[], &events);
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(&case.folder);
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| {
            insta::assert_snapshot!("events", String::from_utf8_lossy(&events));
            insta::assert_snapshot!("receipt", format!("{receipt}exit {code}\n"));
        });
    });
}

#[test]
fn streams_are_clean_round_trip_and_fit_the_schema() {
    let schema = bv_schemas::schema::closed(&bv_schemas::schema::records());
    let records = jsonschema::validator_for(&schema).expect("the schema is one");
    let schema = bv_schemas::schema::closed(&bv_schemas::schema::receipt());
    let receipts = jsonschema::validator_for(&schema).expect("the schema is one");
    each(|case, _, raw| {
        let events = stages::parse(&["--all"], raw);
        assert!(!events.contains(&0x1b), "an escape came out");
        for line in events.split_inclusive(|&b| b == b'\n') {
            let record: bv_schemas::Record = serde_json::from_slice(line).expect("a record");
            let mut again = Vec::new();
            bv_schemas::ndjson::write(&mut again, &record).expect("memory does not fail");
            assert_eq!(String::from_utf8_lossy(&again), String::from_utf8_lossy(line), "round trip");
            let value: Value = serde_json::from_slice(line).expect("JSON");
            assert!(records.is_valid(&value), "{:?}: {value}", records.validate(&value).err());
        }
        let (receipt, _) = stages::receipt(&case.root(), &[], &events);
        let value: Value = serde_json::from_str(&receipt).expect("JSON");
        assert!(receipts.is_valid(&value), "{:?}: {value}", receipts.validate(&value).err());
    });
}

#[test]
fn windows_newlines_and_a_ci_prefix_change_nothing() {
    each(|_, _, raw| {
        let same = |raw: &[u8]| -> Vec<Value> {
            stages::records(&stages::parse(&["--all"], raw))
                .iter()
                .map(expect::without_place_in_stream)
                .collect()
        };
        let want = same(raw);
        let lines: Vec<&[u8]> = raw.split_inclusive(|&b| b == b'\n').collect();
        let crlf = lines.iter().flat_map(|line| match line.strip_suffix(b"\n") {
            Some(bare) => [bare, b"\r\n"].concat(),
            None => line.to_vec(),
        });
        assert_eq!(same(&crlf.collect::<Vec<u8>>()), want, "CRLF");
        let stamped = lines.iter().enumerate().flat_map(|(n, line)| {
            [format!("2026-11-30T16:{:02}:{:02}.1234567Z ", n / 60 % 60, n % 60).as_bytes(), line].concat()
        });
        assert_eq!(same(&stamped.collect::<Vec<u8>>()), want, "timestamps");
    });
}

#[test]
fn colours_change_nothing() {
    each(|_, stream, raw| {
        if stream != "output.ansi" {
            return;
        }
        let same = |raw: &[u8]| -> Vec<Value> {
            stages::records(&stages::parse(&["--all"], raw))
                .iter()
                .map(expect::without_place_in_stream)
                .collect()
        };
        let stripped = raw.split_inclusive(|&b| b == b'\n').flat_map(|line| {
            let mut text = bv_parse::clean::clean(line.strip_suffix(b"\n").unwrap_or(line)).text.into_owned();
            text.push('\n');
            text.into_bytes()
        });
        assert_eq!(same(&stripped.collect::<Vec<u8>>()), same(raw));
    });
}

#[test]
fn a_stream_that_is_cut_never_passes_before_its_closing_line() {
    each(|case, _, raw| {
        if WHOLE_WHERE_CUT.contains(&&*case.name) {
            return;
        }
        if !expect::right_outcomes(case, false).iter().any(|outcome| outcome == "passed") {
            for cut in cuts(raw) {
                let events = stages::parse(&[], &raw[..cut]);
                let end = stages::records(&events).pop().expect("an end");
                assert_ne!(end["outcome"], "passed", "cut at {cut} of {}", raw.len());
            }
            return;
        }
        let whole = stages::records(&stages::parse(&[], raw)).pop().expect("an end");
        for cut in cuts(raw) {
            let events = stages::parse(&[], &raw[..cut]);
            let end = stages::records(&events).pop().expect("an end");
            if end["outcome"] == "passed" && end["counts"] != whole["counts"] {
                let rest = String::from_utf8_lossy(&raw[cut..]);
                // A log that is cut between two sections of one run reads as a whole one; see ARCHITECTURE.md.
                let between = rest.contains("test result: ok.");
                assert!(
                    between || is_in_closing_line(&raw[..cut]),
                    "passed at {cut} of {}: {end}",
                    raw.len()
                );
            }
        }
    });
}

/// The cut goes through the closing line: without what stands of it nothing passes.
fn is_in_closing_line(cut: &[u8]) -> bool {
    let line = cut.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
    let end = stages::records(&stages::parse(&[], &cut[..line])).pop().expect("an end");
    line < cut.len() && end["outcome"] != "passed"
}

/// Evenly spread, and, where that is cheap, all in the last lines.
fn cuts(raw: &[u8]) -> Vec<usize> {
    const SHORT_BYTES_MAX: usize = 20_000;
    let even = (0..CUTS).map(|n| n * raw.len() / CUTS);
    let close = if raw.len() > SHORT_BYTES_MAX { 20 } else { 120 };
    even.chain(raw.len().saturating_sub(close)..raw.len()).collect()
}

/// Runs a check on every stream of every case, and names all that fall short.
fn each(check: impl Fn(&Case, &'static str, &[u8])) {
    let mut wrong = Vec::new();
    for case in case::all() {
        for (stream, raw) in &case.streams {
            let checked = catch_unwind(AssertUnwindSafe(|| check(&case, stream, raw)));
            if let Err(panic) = checked {
                let words = panic.downcast_ref::<String>().cloned();
                let words = words.or(panic.downcast_ref::<&str>().map(|words| (*words).to_owned()));
                wrong.push(format!("{}/{stream}.txt: {}", case.name, words.unwrap_or_default()));
            }
        }
    }
    assert!(wrong.is_empty(), "{} streams:\n{}", wrong.len(), wrong.join("\n"));
}

fn hold(case: &Case, stream: &str, misses: Vec<Miss>) {
    let name = format!("{}/{stream}", case.name);
    let known = |miss: &Miss| KNOWN.iter().any(|(of, metric, _)| *of == name && *metric == miss.metric);
    let new: Vec<String> = misses
        .into_iter()
        .filter(|miss| !known(miss))
        .map(|miss| format!("{}: {}", miss.metric, miss.detail))
        .collect();
    assert!(new.is_empty(), "{stream}: {}", new.join("\n    "));
}

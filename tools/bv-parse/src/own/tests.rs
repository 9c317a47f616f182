//! Files of formats, valid and refused, and what their machines make of texts.

use super::*;
use crate::Args;

/// What is said of a file: the names of its formats with their needles, or what is wrong.
fn loaded(text: &str) -> Result<Vec<(String, Vec<String>)>, String> {
    let own = load(&[FormatFile { path: "f".into(), text: text.into() }])?;
    Ok(own.into_iter().map(|own| (own.name, own.needles)).collect())
}

/// The records of a text, one a line, without places in the stream; each as its words.
fn read(formats: &str, text: &str) -> Vec<String> {
    let file = FormatFile { path: "f".into(), text: formats.into() };
    let args = Args { all: true, format_files: vec![file], ..Args::default() };
    let mut out = Vec::new();
    crate::run(&args, &mut text.as_bytes(), &mut out).expect("the formats are right, and memory takes all");
    let lines = String::from_utf8(out).expect("records are UTF-8");
    lines.lines().map(words).collect()
}

fn words(record: &str) -> String {
    let record: serde_json::Value = serde_json::from_str(record).expect("a record");
    let text = |key: &str| record[key].as_str().unwrap_or("-").to_owned();
    match record["type"].as_str() {
        Some("failure") => {
            let place = if record["test"].is_null() { &record["fault"] } else { &record["test"] };
            let place =
                place["file"].as_str().map_or(String::new(), |file| format!(" {file}:{}", place["line"]));
            format!("{} {}: {}{place}", text("kind"), text("id"), text("message"))
        }
        Some("test") => format!("{} {}", text("outcome"), text("id")),
        _ => {
            let reason = record["reason"].as_str().map_or(String::new(), |reason| format!(" {reason}"));
            let counts = record.get("counts").map_or(String::new(), |counts| format!(" {counts}"));
            format!("{}{reason} by {}{counts}", text("outcome"), text("runner")).replace('"', "")
        }
    }
}

#[test]
fn json_is_told_from_toml() {
    for (text, want) in [
        ("{\"problemMatcher\": []}", true),
        ("\u{feff} {", true),
        ("// tasks\n{", true),
        ("[ {\"owner\": \"x\"}]", true),
        ("[[format]]", false),
        ("# a remark\n[[format]]", false),
        ("", false),
    ] {
        assert_eq!(is_json(text), want, "{text}");
    }
}

#[test]
fn files_that_are_refused() {
    let format = |rest: &str| format!("[[format]]\nname = \"a\"\n{rest}");
    let check = |text: &str, want: &str| {
        let got = loaded(text).expect_err(text);
        assert_eq!(got, want, "{text}");
        assert!(!got.contains('\n'), "{got}");
    };
    check("", "no [[format]]: f; add one");
    check("a = 1", "unknown field `a`, expected `format`: f:1; see the keys in the README");
    check(
        &format("first = 'x'"),
        "unknown field `first`, expected one of `name`, `commands`, `needles`, `kind`, `start`, `counts`, `failure`, \
         `test`, `summary`, `example`: f:3; see the keys in the README",
    );
    let mended = |what: &str| format!("{what}: f: format a; mend it there");
    check(&format(""), &mended("neither a [[format.failure]] nor a [[format.summary]]"));
    check(
        &format("start = '^go'\n[[format.failure]]\nfirst = 'x'"),
        &mended("a `start` without a [[format.summary]]: what begins could never pass"),
    );
    let first = |pattern: &str| format(&format!("[[format.failure]]\nfirst = '{pattern}'"));
    check(
        &first("a(?=b)"),
        &mended("look-around, including look-ahead and look-behind, is not supported in a(?=b)"),
    );
    check(&first("(a)\\1"), &mended("backreferences are not supported in (a)\\1"));
    check(&first("(?<colour>x)"), &mended("(?<colour>...) is no field here"));
    check(&first("(?<passed>x)"), &mended("(?<passed>...) is no field here"));
    check(&first("(x{1000}){1000}"), &mended("a pattern that takes over 1048576 bytes in (x{1000}){1000}"));
    check(&first(&"x".repeat(5000)), &mended("a pattern of over 4096 bytes"));
    check(
        &format("[[format.failure]]\nfirst = 'x'\nlast = 'y'\nuntil = 'z'"),
        &mended("a block ends by `last` or by `until`, not by both"),
    );
    check(
        &format("[[format.summary]]\nline = '(?<passed>\\d+) passed'"),
        &mended(
            "`says` is missing, and the numbers do not say whether all passed, in (?<passed>\\d+) passed",
        ),
    );
    check(
        &format("[[format.summary]]\nline = 'ok'\n[[format.summary]]\nline = 'x'\nsays = 'green'"),
        "unknown variant `green`, expected one of `passed`, `failed`, `no_tests`: f:7; see the keys in the README",
    );
    check(
        &format("needles = ['ab']\n[[format.failure]]\nfirst = 'x'"),
        &mended("a needle of under 3 bytes, ab"),
    );
    check(
        &format(&format!("needles = ['{}']\n[[format.failure]]\nfirst = 'x'", "n".repeat(600))),
        &mended("over 32 needles or 512 bytes of them"),
    );
    check(&format(&"[[format.failure]]\nfirst = 'x'\n".repeat(30)), &mended("over 64 patterns"));
    check(
        &format("[[format.test]]\nline = 'ok'\noutcome = 'passed'\n[[format.failure]]\nfirst = 'x'"),
        &mended("a test has no (?<id>...) in ok"),
    );
    check(
        "[[format]]\nname = 'pytest'\n[[format.failure]]\nfirst = 'x'",
        "bv-parse has a format of this name: f: format pytest; mend it there",
    );
    check(
        "[[format]]\nname = 'a b'\n[[format.failure]]\nfirst = 'x'",
        "a name is made of letters, digits and . _ - / @ +, 64 at most: f: format a b; mend it there",
    );
    let twice = format!("{}\n", first("x")).repeat(2);
    check(&twice, "two formats named a: f and f; rename one");
    check(&"#".repeat(FILE_BYTES_MAX + 1), "over 256 KiB of formats: f; take a smaller file");
}

#[test]
fn matchers_that_are_refused() {
    let check = |pattern: &str, want: &str| {
        let text = format!(r#"{{"problemMatcher": [{{"owner": "o", "pattern": {pattern}}}]}}"#);
        assert_eq!(loaded(&text), Err(format!("{want}: f: matcher o; mend it there")), "{pattern}");
    };
    check("[]", "a pattern of no line, or of over 16");
    check("\"$own\"", "the pattern $own is not in this file");
    check("3", "a pattern that is neither an object nor a list nor a name");
    check("[3]", "a pattern that is no object");
    check("{}", "a pattern without a regexp");
    check(r#"{"regexp": "a", "file": 1}"#, "the pattern has no group 1");
    check(r#"{"regexp": "(a)", "file": "1"}"#, "file is no number of a group, in (a)");
    check(r#"{"regexp": "^(?!x)a"}"#, "a look-ahead (?!) needs a backtracking engine, in ^(?!x)a");
    check(r#"{"regexp": "(a"}"#, "unclosed group in (a");
    for (text, want) in [
        ("{", "EOF while parsing an object at line 1 column 1: f; mend it there"),
        ("{}", "no problem matcher with a pattern of its own: f; add one"),
        (
            r#"{"tasks": [{"problemMatcher": "$tsc"}]}"#,
            "no problem matcher with a pattern of its own: f; add one",
        ),
        (r#"{"owner": "", "pattern": {"regexp": "a"}}"#, " is no name for a runner: f; mend it there"),
    ] {
        assert_eq!(loaded(text), Err(want.to_owned()), "{text}");
    }
}

#[test]
fn needles_are_the_authors_or_derived() {
    for (keys, want) in [
        ("needles = ['abc']\n[[format.failure]]\nfirst = '^FAILED'", &["abc"][..]),
        (
            "[[format.failure]]\nfirst = '^FAILED'\n[[format.summary]]\nline = 'all is well'\nsays = 'passed'",
            &["FAILED", "all is well"],
        ),
        (
            "[[format.failure]]\nfirst = '^FAILED'\n[[format.failure]]\nfirst = '^(?<file>.+):(?<line>\\d+)'",
            &[],
        ),
    ] {
        let got = loaded(&format!("[[format]]\nname = 'a'\n{keys}"));
        let want = want.iter().map(|needle| (*needle).to_owned()).collect();
        assert_eq!(got, Ok(vec![("a".to_owned(), want)]), "{keys}");
    }
}

const HOUSE: &str = r"
[[format]]
name = 'house'
start = '^GO$'
counts = ['^all: (?<total>[\d,]+)$']
[[format.failure]]
first = '^BAD (?<id>\S+)'
lines = ['^ at (?<file>\S+):(?<line>\d+)', '^ is (?<message>.*)']
[[format.failure]]
first = '^WORSE (?<id>\S+)'
last = '^.$'
[[format.failure]]
first = '^WORST (?<id>\S+)'
until = '^$'
[[format.test]]
line = '^fine (?<id>\S+)'
outcome = 'passed'
[[format.summary]]
line = '^sum: (?<passed>\d+) of which (?<failed>\S+) bad(, (?<skipped>\d+) not)?$'
[[format.summary]]
line = '^bad only: (?<failed>\d+)$'
says = 'failed'
[[format.summary]]
line = '^well( \(all: (?<total>\d+)\))?$'
says = 'passed'
";

#[test]
fn what_a_format_says_of_a_text() {
    let check = |text: &str, want: &[&str]| assert_eq!(read(HOUSE, text), want, "{text}");
    // Closing statements.
    check("GO\nfine a\nsum: 1 of which 0 bad\n", &["passed a", "passed by house {passed:1,failed:0}"]);
    check("GO\nsum: 1 of which no bad, 2 not\n", &["passed by house {passed:1,failed:0,skipped:2}"]);
    check("GO\nwell\n", &["passed by house"]);
    check("sum: 0 of which 0 bad\n", &["refused no_tests by house {passed:0,failed:0}"]);
    check("well (all: 0)\n", &["refused no_tests by house"]);
    check("all: 0\nwell\n", &["refused no_tests by house"]);
    check("sum: 1 of which 2 bad\n", &["failed by house {passed:1,failed:2}"]);
    check("bad only: 0\n", &["failed by house {failed:0}"]);
    check("sum: 1 of which some bad\n", &["refused unrecognised_output by unknown"]);
    check("GO\nsum: 1 of which some bad\n", &["refused truncated by house"]);
    // A failure beats what a statement says; a run without one is not whole.
    check("GO\nBAD a\nwell\n", &["assertion a: -", "failed by house"]);
    check("GO\nfine a\n", &["passed a", "refused truncated by house"]);
    check("GO\nGO\nwell\n", &["failed by house"]);
    check("well\nBAD a\n", &["assertion a: -", "failed by house"]);
    check("well\nbv-exit: 1\n", &["refused exit_contradicts by house"]);
    // Blocks.
    check(
        "BAD a\n at x.c:3\n is wrong\n at y.c:4\nBAD b\nwell\n",
        &["assertion a: wrong x.c:3", "assertion b: -", "failed by house"],
    );
    check("WORSE a\n===== 1 failed in 0.1s =====\nwell\n.\nwell\n", &["assertion a: -", "failed by house"]);
    check("WORST a\nBAD b\n\nBAD c\n", &["assertion a: -", "assertion c: -", "failed by house"]);
    check("WORSE a\n", &["assertion a: -", "failed by house"]);
    // A second failed check of a test is its own.
    check("BAD a\n is x\nBAD a\n is y\n", &["assertion a: x", "failed by house"]);
}

#[test]
fn a_users_format_hides_nothing() {
    let go = "=== RUN   TestB\n    a_test.go:3: wrong\n--- FAIL: TestB (0.00s)\nFAIL\nFAIL\texample.com/p\t0.01s\nFAIL\n";
    let all = r"
[[format]]
name = 'greedy'
start = 'RUN'
[[format.test]]
line = '(?<id>.+)'
outcome = 'passed'
[[format.summary]]
line = '.'
says = 'passed'
";
    for text in [go.to_owned(), format!("well\n{go}well\n"), format!("{go}well\n")] {
        let got = read(all, &text);
        assert!(got.last().is_some_and(|end| end.starts_with("failed by go-test")), "{got:?}");
        assert!(got.iter().any(|line| line == "assertion TestB: wrong a_test.go:3"), "{got:?}");
    }
    for exit in ["1", "signal SIGSEGV", "timeout 3s"] {
        let got = read(all, &format!("anything\nbv-exit: {exit}\n"));
        assert!(got.last().is_some_and(|end| !end.starts_with("passed")), "{got:?}");
    }
}

#[test]
fn a_block_without_its_end_is_ended() {
    let text = format!("WORSE a\n{}BAD b\n", "x x\n".repeat(reader::BLOCK_LINES_MAX));
    assert_eq!(read(HOUSE, &text), ["assertion a: -", "assertion b: -", "failed by house"]);
}

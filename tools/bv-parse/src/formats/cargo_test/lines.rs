//! The grammar of single lines: libtest's (pretty and terse) and cargo's around it.

use bv_schemas::Counts;
use memchr::memmem::Finder;
use std::sync::LazyLock;

/// What a test's result line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Result {
    /// It held.
    Ok,
    /// It failed, also by its time limit.
    Failed,
    /// It did not run.
    Ignored,
    /// It is a benchmark, which ran.
    Measured,
}

/// `running 3 tests`, with a qualifier or a shuffle seed: how many.
pub fn running(text: &str) -> Option<u64> {
    let (count, rest) = text.strip_prefix("running ")?.split_once(' ')?;
    let count = digits(count)?;
    let noun = rest.split(" (shuffle seed: ").next().unwrap_or(rest);
    let noun = noun.rsplit(' ').next().unwrap_or(noun);
    (matches!(noun, "test" | "tests") && rest.len() < 80).then_some(count)
}

/// Stands in most lines of a long log, and is made once.
static DOTS: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(" ... "));

/// `test NAME ... REST`: the name without its mode and padding, and the rest.
pub fn test(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix("test ")?;
    let at = DOTS.find(text.as_bytes())?;
    Some((bare_name(&text[..at])?, &text[at + " ... ".len()..]))
}

/// `NAME --- FAILED`, as the terse form has it since Rust 1.77.
pub fn terse_failed(text: &str) -> Option<&str> {
    bare_name(text.strip_suffix(" --- FAILED")?)
}

/// A test's name without what libtest adds: padding, and the mode of a test that must panic or of a
/// doctest.
fn bare_name(name: &str) -> Option<&str> {
    let name = name.trim_end();
    let modes = [" - should panic", " - compile fail", " - compile"];
    let name = modes.iter().find_map(|mode| name.strip_suffix(mode)).unwrap_or(name);
    (!name.is_empty()).then_some(name)
}

/// Whether a name is a Rust path or a doctest's, and so surely no sentence.
pub fn is_rust_name(name: &str) -> bool {
    let is_path = name
        .split("::")
        .all(|part| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '#'));
    is_path || doctest(name).is_some()
}

/// A doctest's name: `src/lib.rs - item (line 4)`; the item of a module's own text is empty.
pub fn doctest(name: &str) -> Option<(&str, &str, u64)> {
    let (head, line) = name.strip_suffix(')')?.rsplit_once("(line ")?;
    let (file, item) = head.split_once(" - ")?;
    Some((file, item.trim_end(), digits(line)?))
}

/// The rest of a test line, or the line of its own that follows a test's output.
pub fn result(rest: &str) -> Option<(Result, Option<u64>)> {
    let (word, time) = match rest.strip_suffix("s>").and_then(|head| head.rsplit_once(" <")) {
        Some((word, seconds)) => (word, Some(ms(seconds)?)),
        None => (rest, None),
    };
    let result = match word {
        "ok" => Result::Ok,
        "FAILED" | "FAILED (time limit exceeded)" => Result::Failed,
        "ignored" => Result::Ignored,
        _ if word.starts_with("ignored, ") => Result::Ignored,
        _ if word.starts_with("bench: ") && word.contains(" ns/iter") => Result::Measured,
        _ => return None,
    };
    Some((result, time))
}

/// A result that output without a newline stands before.
pub fn glued(text: &str) -> Option<Result> {
    if text.ends_with("ok") {
        Some(Result::Ok)
    } else if text.ends_with("FAILED") {
        Some(Result::Failed)
    } else {
        None
    }
}

/// A terse line, `..F.i 87/400`: how many results of each kind.
pub fn terse(text: &str) -> Option<[u64; 3]> {
    let marks = match text.rsplit_once(' ') {
        Some((marks, counter)) => {
            let (done, all) = counter.split_once('/')?;
            digits(done)?;
            digits(all)?;
            marks
        }
        None => text,
    };
    let mut counts = [0; 3];
    for mark in marks.bytes() {
        counts[match mark {
            b'.' => 0,
            b'F' => 1,
            b'i' => 2,
            _ => return None,
        }] += 1;
    }
    (!marks.is_empty()).then_some(counts)
}

/// `test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// `ok` rather than `FAILED`.
    pub ok: bool,
    /// Ran and held.
    pub passed: u64,
    /// Failed.
    pub failed: u64,
    /// Did not run.
    pub ignored: u64,
    /// Benchmarks that ran.
    pub measured: u64,
    /// The time, where it is said.
    pub duration_ms: Option<u64>,
}

impl Summary {
    /// How many tests it accounts for.
    pub fn sum(&self) -> u64 {
        [self.failed, self.ignored, self.measured].iter().fold(self.passed, |sum, n| sum.saturating_add(*n))
    }

    /// As counts of a section.
    pub fn counts(&self) -> Counts {
        Counts {
            passed: Some(self.passed),
            failed: Some(self.failed),
            errored: None,
            skipped: Some(self.ignored),
        }
    }
}

/// Reads libtest's closing line.
pub fn summary(text: &str) -> Option<Summary> {
    let rest = text.strip_prefix("test result: ")?;
    let (word, rest) = rest.split_once(". ")?;
    let mut summary = Summary { ok: word == "ok", ..Summary::default() };
    if !summary.ok && word != "FAILED" {
        return None;
    }
    let mut seen = 0;
    for part in rest.split("; ") {
        if let Some(time) = part.strip_prefix("finished in ") {
            summary.duration_ms = time.strip_suffix('s').and_then(ms);
            continue;
        }
        let (count, what) = part.split_once(' ')?;
        let count = digits(count)?;
        match what.split(" (").next().unwrap_or(what) {
            "passed" => summary.passed = count,
            "failed" => summary.failed = count,
            "ignored" => summary.ignored = count,
            "measured" => summary.measured = count,
            "filtered out" => {}
            _ => return None,
        }
        seen += 1;
    }
    (seen >= 4).then_some(summary)
}

/// `---- NAME stdout ----`: whose output follows.
pub fn block(text: &str) -> Option<&str> {
    text.strip_prefix("---- ")?.strip_suffix(" stdout ----")
}

/// Which list a head line opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Tests that held, with `--show-output`.
    Successes,
    /// Tests that failed.
    Failures,
    /// Tests that held too late.
    Late,
}

/// `failures:` and its like.
pub fn part(text: &str) -> Option<Part> {
    match text {
        "successes:" => Some(Part::Successes),
        "failures:" => Some(Part::Failures),
        "failures (time limit exceeded):" => Some(Part::Late),
        _ => None,
    }
}

/// What cargo is about to run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// The binary's root source file, relative to its package.
    pub root: Option<String>,
    /// A library's or binary's own tests, whose files hold product code too.
    pub unit: bool,
    /// Documentation tests.
    pub doc: bool,
}

/// `     Running unittests src/lib.rs (target/debug/deps/a-1)`, `   Doc-tests a`.
pub fn target(text: &str) -> Option<Target> {
    let inner = text.trim_start_matches(' ');
    if inner.len() == text.len() {
        return None;
    }
    if let Some(name) = inner.strip_prefix("Doc-tests ") {
        return (!name.contains(' ')).then(|| Target { doc: true, ..Target::default() });
    }
    let what = inner.strip_prefix("Running ")?;
    let Some((what, binary)) = what.split_once(" (") else {
        // Before cargo 1.55 only the binary was named.
        let old = what.contains("target") && what.contains("deps") && !what.contains(' ');
        return old.then(Target::default);
    };
    if !binary.ends_with(')') || what.contains('`') {
        return None;
    }
    let (unit, root) = match what.strip_prefix("unittests") {
        Some(root) => (true, root.trim_start()),
        None => (false, what),
    };
    let root = root.ends_with(".rs").then(|| root.to_owned());
    Some(Target { root, unit, doc: false })
}

/// How a binary died, from cargo's `  process didn't exit successfully: …` line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Died<'a> {
    /// What stands in the last parentheses: `signal: 6, SIGABRT: process abort signal`.
    pub how: &'a str,
    /// `SIGABRT`.
    pub signal: Option<&'a str>,
}

/// Reads it.
pub fn died(text: &str) -> Option<Died<'_>> {
    let rest = text.trim_start().strip_prefix("process didn't exit successfully: `")?;
    let how = rest.rsplit_once(" (")?.1.strip_suffix(')')?;
    let named =
        how.split([' ', ',', ':']).find(|word| word.starts_with("SIG") || word.starts_with("STATUS_"));
    (how.starts_with("signal: ") || how.starts_with("exit ")).then_some(Died { how, signal: named })
}

/// `error: test failed, to rerun pass …`, wherever on its line: a test's unended output stands before it.
pub fn rerun(text: &str) -> Option<usize> {
    if !text.ends_with(['`', '\'']) {
        return None;
    }
    let heads = [
        "error: test failed, to rerun pass ",
        "error: doctest failed, to rerun pass ",
        "error: bench failed, to rerun pass ",
    ];
    heads.iter().find_map(|head| text.rfind(head))
}

/// `error: 2 targets failed:`
pub fn targets_failed(text: &str) -> bool {
    let inner = text.strip_prefix("error: ").and_then(|rest| rest.split_once(' '));
    inner.is_some_and(|(n, rest)| digits(n).is_some() && matches!(rest, "target failed:" | "targets failed:"))
}

/// Seconds with a fraction, in milliseconds.
fn ms(seconds: &str) -> Option<u64> {
    let seconds: f64 = seconds.parse().ok()?;
    (seconds.is_finite() && seconds >= 0.0).then(|| (seconds * 1000.0).round() as u64)
}

fn digits(text: &str) -> Option<u64> {
    let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_starts() {
        let check = |text, expected| assert_eq!(running(text), expected, "{text}");
        check("running 0 tests", Some(0));
        check("running 1 test", Some(1));
        check("running 2 tests (shuffle seed: 17960)", Some(2));
        check("running 2 unit tests", Some(2));
        check("running tests", None);
        check("running 3 testsuites", None);
        check(" running 3 tests", None);
        check("running 99999999999999999999 tests", None);
    }

    #[test]
    fn test_lines_give_name_and_result() {
        type Read<'a> = Option<(&'a str, Option<(Result, Option<u64>)>)>;
        let check = |text, expected: Read<'_>| {
            let found = test(text).map(|(name, rest)| (name, result(rest)));
            assert_eq!(found, expected, "{text}");
        };
        check("test a::b ... ok", Some(("a::b", Some((Result::Ok, None)))));
        check("test a ... FAILED <0.250s>", Some(("a", Some((Result::Failed, Some(250))))));
        check(
            "test a ... FAILED (time limit exceeded) <1.000s>",
            Some(("a", Some((Result::Failed, Some(1000))))),
        );
        check("test a - should panic ... ok", Some(("a", Some((Result::Ok, None)))));
        check(
            "test s.rs - f (line 4) - compile fail ... FAILED",
            Some(("s.rs - f (line 4)", Some((Result::Failed, None)))),
        );
        check("test a ... ignored, slow ... ok", Some(("a", Some((Result::Ignored, None)))));
        check(
            "test b    ... bench:       1,234 ns/iter (+/- 56)",
            Some(("b", Some((Result::Measured, None)))),
        );
        check("test a ... some output", Some(("a", None)));
        check("test a ... okay", Some(("a", None)));
        check("test a has been running for over 60 seconds", None);
        check("test result: ok. 1 passed", None);
    }

    #[test]
    fn names_are_told_from_sentences() {
        let check = |name, expected| assert_eq!(is_rust_name(name), expected, "{name}");
        check("a::b_2::größe", true);
        check("src/lib.rs - a::B<T> (line 14)", true);
        check("src/lib.rs - (line 14)", true);
        check("that it works", false);
        check("tests/ui/a.rs", false);
        check("", false);
    }

    #[test]
    fn terse_lines_are_counted() {
        let check = |text, expected| assert_eq!(terse(text), expected, "{text}");
        check("..F.i 87/400", Some([3, 1, 1]));
        check(".", Some([1, 0, 0]));
        check("", None);
        check(".. text", None);
        check("...and so on", None);
    }

    #[test]
    fn the_closing_line_is_read_whole() {
        let check = |text, expected| assert_eq!(summary(text), expected, "{text}");
        let ok = Summary {
            ok: true,
            passed: 2,
            ignored: 3,
            measured: 4,
            duration_ms: Some(1500),
            ..Summary::default()
        };
        check(
            "test result: ok. 2 passed; 0 failed; 3 ignored; 4 measured; 5 filtered out; finished in 1.50s",
            Some(ok),
        );
        let red = Summary { passed: 1, failed: 2, ..Summary::default() };
        check("test result: FAILED. 1 passed; 2 failed (1 allowed); 0 ignored; 0 measured", Some(red));
        check("test result: FAILED. 0 passed; 9 failed", None);
        check("test result: fine. 1 passed; 2 failed; 0 ignored; 0 measured", None);
        check("test result: ok. one passed; 2 failed; 0 ignored; 0 measured", None);
    }

    #[test]
    fn targets_and_deaths() {
        let check = |text, expected: Option<(Option<&str>, bool, bool)>| {
            let found = target(text);
            let found = found.as_ref().map(|t| (t.root.as_deref(), t.unit, t.doc));
            assert_eq!(found, expected, "{text}");
        };
        check(
            "     Running unittests src/lib.rs (target/debug/deps/a-1)",
            Some((Some("src/lib.rs"), true, false)),
        );
        check("     Running tests/a.rs (/t/deps/a-1)", Some((Some("tests/a.rs"), false, false)));
        check("     Running target/debug/deps/a-1", Some((None, false, false)));
        check("   Doc-tests a_b", Some((None, false, true)));
        check("     Running `target/debug/a (x)`", None);
        check("Running tests/a.rs (x)", None);

        let check = |text, expected: Option<(&str, Option<&str>)>| {
            assert_eq!(died(text).map(|d| (d.how, d.signal)), expected, "{text}");
        };
        check(
            "  process didn't exit successfully: `/t/a (b) c` (signal: 6, SIGABRT: process abort signal)",
            Some(("signal: 6, SIGABRT: process abort signal", Some("SIGABRT"))),
        );
        check("  process didn't exit successfully: `/t/a` (exit status: 3)", Some(("exit status: 3", None)));
        check(
            "  process didn't exit successfully: `a.exe` (exit code: 0xc0000005, STATUS_ACCESS_VIOLATION)",
            Some(("exit code: 0xc0000005, STATUS_ACCESS_VIOLATION", Some("STATUS_ACCESS_VIOLATION"))),
        );
        check("  process didn't exit", None);
        assert_eq!(rerun("outerror: test failed, to rerun pass `--lib`"), Some(3));
        assert!(targets_failed("error: 12 targets failed:") && !targets_failed("error: no targets failed:"));
    }
}

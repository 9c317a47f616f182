//! The lines that the testing package and the go command themselves print.

use crate::values::milliseconds;
use aho_corasick::AhoCorasick;
use std::sync::LazyLock;

/// `=== RUN   TestX` and its like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// The test begins.
    Run(&'a str),
    /// What follows is this test's output (`CONT`, since Go 1.20 `NAME`).
    Output(&'a str),
    /// It waits for the parallel ones.
    Pause,
}

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Result {
    /// `PASS`.
    Pass,
    /// `FAIL`.
    Fail,
    /// `SKIP`.
    Skip,
    /// `BENCH`: a benchmark's log, it held.
    Bench,
}

/// `--- FAIL: TestX/sub (0.00s)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended<'a> {
    /// How.
    pub result: Result,
    /// The test's full name.
    pub name: &'a str,
    /// Its time.
    pub duration_ms: Option<u64>,
    /// Where the marker begins in the line: what stands before it is output without a newline.
    pub at: usize,
}

/// The go command's line on a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackageLine<'a> {
    /// Import path.
    pub package: &'a str,
    /// What it says.
    pub says: PackageSays,
    /// Its time, where it ran.
    pub duration_ms: Option<u64>,
}

/// What the go command says of a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackageSays {
    /// `ok  \tpkg\t0.1s`.
    Ok,
    /// `ok` with `[no tests to run]`, `?   \tpkg\t[no test files]`.
    NoTests,
    /// `FAIL\tpkg\t0.1s`.
    Fail,
    /// `FAIL\tpkg [build failed]`.
    BuildFailed,
    /// `FAIL\tpkg [setup failed]`.
    SetupFailed,
}

/// Texts of which, or of a TAB or a `#` at its start, each line holds one that the testing package, the go command or a dying program writes.
static MARKS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let words = [
        "=== ",
        "--- ",
        ".go:",
        "PASS",
        "FAIL",
        "SKIP ",
        "panic: ",
        "fatal error: ",
        "runtime: ",
        "SIG",
        "unexpected fault ",
        "DATA RACE",
        "exit status ",
        "signal: ",
        "too many errors",
        "go: ",
        "no Go files ",
        "no packages ",
        "pattern ",
        "flag provided ",
        "directory not found",
        "got:",
    ];
    AhoCorasick::new(words).ok()
});

/// Whether the line may be more than a test's output: most are not, and this is cheap.
pub fn may_speak(line: &str) -> bool {
    memchr::memchr(b'\t', line.as_bytes()).is_some()
        || line.starts_with('#')
        || MARKS.as_ref().is_none_or(|marks| marks.is_match(line))
}

/// A step in this line, at its start or after output without a newline; and where it begins.
pub fn step(line: &str) -> Option<(Step<'_>, usize)> {
    let at = line.find("=== ")?;
    let rest = &line[at + 4..];
    let name = |text: &'_ str| text.trim_end().to_owned().len();
    let step = if let Some(text) = rest.strip_prefix("RUN   ") {
        Step::Run(&text[..name(text)])
    } else if let Some(text) = rest.strip_prefix("CONT  ").or_else(|| rest.strip_prefix("NAME  ")) {
        Step::Output(&text[..name(text)])
    } else if rest.starts_with("PAUSE ") {
        Step::Pause
    } else {
        return None;
    };
    match step {
        Step::Run(text) | Step::Output(text) if text.contains(' ') => None,
        step => Some((step, at)),
    }
}

/// The end of a test in this line, at its start, indented, or after output without a newline.
pub fn ended(line: &str) -> Option<Ended<'_>> {
    // The last one: text before it is output.
    let at = line.rfind("--- ")?;
    let (word, rest) = line[at + 4..].split_once(": ")?;
    let result = match word {
        "PASS" => Result::Pass,
        "FAIL" => Result::Fail,
        "SKIP" => Result::Skip,
        "BENCH" => Result::Bench,
        _ => return None,
    };
    let rest = rest.trim_end();
    let (name, duration_ms) = match rest.rsplit_once(" (") {
        Some((name, time)) => (name, spent(time.strip_suffix(')')?)?),
        None if result == Result::Bench => (rest, None),
        None => return None,
    };
    let begins = ["Test", "Fuzz", "Example", "Benchmark"].iter().any(|start| name.starts_with(start));
    (begins && !name.contains(' ')).then_some(Ended { result, name, duration_ms, at })
}

/// The go command's line on a package.
pub fn package(line: &str) -> Option<PackageLine<'_>> {
    let (word, rest) = line.split_once('\t')?;
    let (package, rest) = match word {
        "FAIL" => match rest.split_once('\t') {
            Some(split) => split,
            None => rest.split_once(' ')?,
        },
        "ok  " | "?   " => rest.split_once('\t')?,
        _ => return None,
    };
    if package.is_empty() || package.contains(' ') {
        return None;
    }
    let rest = rest.trim();
    let first = rest.split(['\t', ' ']).next()?;
    let duration_ms = first.strip_suffix('s').and_then(millis);
    let timed = duration_ms.is_some() || rest.starts_with("(cached)");
    let says = match word {
        "?   " => (rest == "[no test files]").then_some(PackageSays::NoTests),
        "ok  " => timed.then(|| match rest.ends_with("[no tests to run]") {
            true => PackageSays::NoTests,
            false => PackageSays::Ok,
        }),
        _ if rest == "[build failed]" => Some(PackageSays::BuildFailed),
        _ if rest == "[setup failed]" => Some(PackageSays::SetupFailed),
        _ => timed.then_some(PackageSays::Fail),
    };
    Some(PackageLine { package, says: says?, duration_ms })
}

/// `0.02s`; the inner option is empty where gotestsum says that a test never ended (`-1.00s`, `unknown`).
pub fn spent(time: &str) -> Option<Option<u64>> {
    if time == "unknown" {
        return Some(None);
    }
    let seconds: f64 = time.strip_suffix('s')?.parse().ok()?;
    Some(milliseconds(seconds))
}

/// `0.02` seconds as milliseconds.
pub fn millis(seconds: &str) -> Option<u64> {
    milliseconds(seconds.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages() {
        use PackageSays::{BuildFailed, Fail, NoTests, Ok, SetupFailed};
        for (line, want) in [
            ("ok  \tport.example/lamp\t0.004s", Some((Ok, Some(4)))),
            ("ok  \tport.example/lamp\t(cached)", Some((Ok, None))),
            ("ok  \tport.example/lamp\t0.010s\tcoverage: 50.0% of statements", Some((Ok, Some(10)))),
            ("ok  \tport.example/lamp\t(cached) [no tests to run]", Some((NoTests, None))),
            ("ok  \tport.example/lamp\t0.1s [no tests to run]", Some((NoTests, Some(100)))),
            ("?   \tport.example/lamp\t[no test files]", Some((NoTests, None))),
            ("FAIL\tport.example/lamp\t0.005s", Some((Fail, Some(5)))),
            ("FAIL\tport.example/lamp [build failed]", Some((BuildFailed, None))),
            ("FAIL\tport.example/lamp [setup failed]", Some((SetupFailed, None))),
            ("FAIL\ta b\t0.1s", None),
            ("FAIL\tcolumn\tcolumn", None),
            ("ok  \tport.example/lamp", None),
            ("FAIL", None),
        ] {
            assert_eq!(package(line).map(|p| (p.says, p.duration_ms)), want, "{line}");
        }
    }

    #[test]
    fn ends() {
        for (line, want) in [
            ("--- FAIL: TestA (0.00s)", Some((Result::Fail, "TestA", 0))),
            ("    --- PASS: TestA/FAIL:_x (1.50s)", Some((Result::Pass, "TestA/FAIL:_x", 4))),
            ("Hello--- SKIP: TestGlue (0.00s)", Some((Result::Skip, "TestGlue", 5))),
            ("--- FAIL: TestA (-1.00s)", Some((Result::Fail, "TestA", 0))),
            ("--- BENCH: BenchmarkX-8", Some((Result::Bench, "BenchmarkX-8", 0))),
            ("--- FAIL: TestA (0.00s) and more", None),
            ("--- FAIL: the text (0.00s)", None),
            ("--- FAIL", None),
            ("--- a/x.go", None),
        ] {
            assert_eq!(ended(line).map(|e| (e.result, e.name, e.at)), want, "{line}");
        }
    }

    #[test]
    fn steps() {
        for (line, want) in [
            ("=== RUN   TestA/b=1", Some((Step::Run("TestA/b=1"), 0))),
            ("no newline === CONT  TestA", Some((Step::Output("TestA"), 11))),
            ("=== NAME  TestA", Some((Step::Output("TestA"), 0))),
            ("=== PAUSE TestA", Some((Step::Pause, 0))),
            ("=== Failed", None),
            ("=== RUN   a sentence", None),
        ] {
            assert_eq!(step(line), want, "{line}");
        }
    }
}

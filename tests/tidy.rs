//! Rules of the tree, each with its reason in ARCHITECTURE.md or CONTRIBUTING.md.

use regex::Regex;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Everything that git tracks or would, by path from the root.
fn files() -> Vec<PathBuf> {
    let list = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(bv_tests::root())
        .output()
        .expect("git is there, the tests run in a checkout");
    assert!(list.status.success(), "{}", String::from_utf8_lossy(&list.stderr));
    let names = list.stdout.split(|&b| b == 0).filter(|name| !name.is_empty());
    let mut files: Vec<PathBuf> = names.map(|name| PathBuf::from(&*String::from_utf8_lossy(name))).collect();
    files.retain(|file| bv_tests::root().join(file).is_file());
    files.sort();
    files
}

/// Our own text: everything but the recorded runs and the lock file.
fn own_text() -> Vec<(PathBuf, String)> {
    let recorded = |file: &Path| file.starts_with("tests/fixtures") || file.ends_with("Cargo.lock");
    let read = |file: PathBuf| Some((file.clone(), fs::read_to_string(bv_tests::root().join(file)).ok()?));
    files().into_iter().filter(|file| !recorded(file)).filter_map(read).collect()
}

#[test]
fn the_top_level_is_fixed() {
    const TOP: &[&str] = &[
        ".ci",
        ".gitattributes",
        ".gitignore",
        "ARCHITECTURE.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "Cargo.lock",
        "Cargo.toml",
        "LICENSE",
        "Makefile",
        "README.md",
        "clippy.toml",
        "pipelines",
        "rustfmt.toml",
        "schemas",
        "tests",
        "tools",
    ];
    let mut seen: Vec<String> = files()
        .iter()
        .filter_map(|file| file.iter().next().map(|top| top.to_string_lossy().into_owned()))
        .collect();
    seen.dedup();
    let strangers: Vec<_> = seen.iter().filter(|top| !TOP.contains(&&***top)).collect();
    assert!(strangers.is_empty(), "not at the top level: {strangers:?}");
    let missing: Vec<_> = TOP.iter().filter(|top| !seen.iter().any(|s| s == *top)).collect();
    assert!(missing.is_empty(), "missing at the top level: {missing:?}");
}

/// Direction: tests -> tools -> schemas. A tool that knew another could not be replaced.
#[test]
fn no_tool_depends_on_a_tool() {
    for entry in fs::read_dir(bv_tests::root().join("tools")).expect("tools/") {
        let manifest = entry.expect("a listed entry").path().join("Cargo.toml");
        let text = fs::read_to_string(&manifest).expect("a manifest");
        let name = manifest.parent().and_then(Path::file_name).map(|n| n.to_string_lossy().into_owned());
        let mut lines = text.lines();
        let tool = lines.find(|line| line.starts_with("bv-") && !line.starts_with("bv-schemas"));
        assert_eq!(tool, None, "{}", name.unwrap_or_default());
    }
}

/// The same bytes in give the same bytes out: bv-parse asks nothing of its surroundings, and its `main.rs` alone
/// reads the files of formats that the command line names.
#[test]
fn bv_parse_asks_nothing_of_its_surroundings() {
    let asks =
        Regex::new(r"\bstd::(fs|env|time|process|net|thread)\b|\b(OpenOptions|SystemTime|Instant|Command)::")
            .expect("a pattern");
    let own = |file: &Path| file.starts_with("tools/bv-parse/src") && !file.ends_with("main.rs");
    let mut seen = 0;
    for (file, text) in own_text().into_iter().filter(|(file, _)| own(file)) {
        for (n, line) in text.lines().enumerate() {
            assert!(!asks.is_match(line), "{}:{}: {line}", file.display(), n + 1);
        }
        seen += 1;
    }
    assert!(seen > 50, "the sources were not found");
}

/// A unit of work for later has its reason beside it, or does not stand in the tree at all.
#[test]
fn no_leftovers() {
    let leftovers = Regex::new(concat!(
        r"TO",
        r"DO|FIX",
        r"ME|XX",
        r"X\b|HA",
        r"CK\b|db",
        r"g!|todo!\(|unimpl",
        r"emented!\("
    ))
    .expect("a pattern");
    // The Test Anything Protocol has the word as a directive, Trial as a verdict.
    let tap = Regex::new(concat!("([#`\"] ?\\[?TO", "DO\\b|TO", "DO(,)? (or|test))")).expect("a pattern");
    for (file, text) in own_text() {
        for (n, line) in text.lines().enumerate() {
            let line = tap.replace_all(line, "");
            assert!(!leftovers.is_match(&line), "{}:{}: {line}", file.display(), n + 1);
        }
    }
}

/// The files speak of the project alone.
#[test]
fn no_file_names_a_registrys_host() {
    let hosts = Regex::new(concat!(
        r"crates\.",
        r"io\b|py",
        r"pi\.org|registry\.np",
        r"mjs|deb",
        r"ian\.org|python",
        r"hosted"
    ))
    .expect("a pattern");
    for (file, text) in own_text() {
        for (n, line) in text.lines().enumerate() {
            assert!(!hosts.is_match(line), "{}:{}: {line}", file.display(), n + 1);
        }
    }
}

/// Every source file says first what comes in, what goes out and what it leaves alone.
#[test]
fn every_source_file_has_a_head() {
    for (file, text) in own_text() {
        let rust = file.extension().is_some_and(|ext| ext == "rs") && !file.starts_with("tests/demo");
        assert!(!rust || text.starts_with("//! "), "{} has no `//!` head", file.display());
    }
}

/// Past this look for the second idea; tables and tests count too.
#[test]
fn no_source_file_is_long() {
    const LINES_MAX: usize = 600;
    for (file, text) in own_text() {
        let rust = file.extension().is_some_and(|ext| ext == "rs");
        let lines = text.lines().count();
        assert!(!rust || lines <= LINES_MAX, "{}: {lines} lines", file.display());
    }
}

/// A script without its bit is a script that nobody ran.
#[cfg(unix)]
#[test]
fn scripts_are_executable() {
    use std::os::unix::fs::PermissionsExt;
    for (file, text) in own_text() {
        if text.starts_with("#!") && !text.starts_with("#![") {
            let mode = fs::metadata(bv_tests::root().join(&file)).expect("it was read").permissions().mode();
            assert!(mode & 0o100 != 0, "{} begins with #! and is not executable", file.display());
        }
    }
}

/// Each dependency has its reason in ARCHITECTURE.md.
#[test]
fn every_dependency_has_its_reason() {
    let manifest = fs::read_to_string(bv_tests::root().join("Cargo.toml")).expect("the manifest");
    let reasons = fs::read_to_string(bv_tests::root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let table = manifest.split("[workspace.dependencies]").nth(1).and_then(|rest| rest.split("\n[").next());
    let names = table.into_iter().flat_map(str::lines).filter_map(|line| line.split_once(" = "));
    let mut seen = 0;
    for (name, _) in names.filter(|(name, _)| !name.starts_with("bv-")) {
        assert!(reasons.contains(&format!("`{name}`")), "ARCHITECTURE.md says nothing of `{name}`");
        seen += 1;
    }
    assert!(seen > 5, "the table was not found");
}

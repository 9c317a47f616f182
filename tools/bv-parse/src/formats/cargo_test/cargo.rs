//! Cargo's own lines around the tests, and those of its other runner.

use crate::cargo_build::is_nextest_refusal;
use crate::rustc::{Level, head};

/// Whether cargo-nextest speaks: its run starts, or it ends over a build or a list that failed.
pub fn is_nextest(text: &str) -> bool {
    text.starts_with(" Nextest run ID ")
        || text.starts_with("    Starting ") && text.contains(" across ")
        || is_nextest_refusal(text)
        || text.starts_with("error: creating test list failed")
}

/// Whether cargo-nextest's run ends: what follows may be cargo test's again.
pub fn ends_nextest(text: &str) -> bool {
    text.starts_with("     Summary [")
}

/// Whether cargo or libtest only listed what there is: `3 tests, 0 benchmarks`, `  Executable …`.
pub fn ran_nothing(text: &str) -> bool {
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return text.starts_with("  Executable ");
    }
    let counted = |part: &str, nouns: [&str; 2]| {
        part.split_once(' ').is_some_and(|(n, noun)| n.parse::<u64>().is_ok() && nouns.contains(&noun))
    };
    text.split_once(", ").is_some_and(|(tests, benches)| {
        counted(tests, ["test", "tests"]) && counted(benches, ["benchmark", "benchmarks"])
    })
}

/// The message of an error line without a code.
pub fn plain_error(text: &str) -> Option<&str> {
    match head(text)? {
        (Level::Error, None, message) => Some(message),
        _ => None,
    }
}

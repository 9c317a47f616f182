//! What the tests of the whole share: where the fixtures lie, how a case is read, how the stages are run.

pub mod agree;
pub mod case;
pub mod expect;
pub mod stages;

use std::path::{Path, PathBuf};

/// The root of the workspace.
pub fn root() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().unwrap_or(tests).to_path_buf()
}

/// The binary of a tool, built by `make test` beside this test binary.
///
/// # Panics
/// When it is not there, with what to do.
pub fn binary(tool: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a running test has a path");
    let profile = test.parent().and_then(Path::parent).expect("it lies in target/PROFILE/deps");
    let binary = profile.join(tool);
    assert!(binary.is_file(), "{} is not built; run `make test`", binary.display());
    binary
}

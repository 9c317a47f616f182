//! bv-gpu on the drivers of this machine: every case is drawn by Vulkan and by EGL.
//!
//! `make test` installs a software driver where it may. A driver that is missing is told; under `CI` it is an error,
//! so that no rendering test is ever skipped there.

mod checks;
mod eval;
mod front;
mod refused;
mod values;

use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;

/// The sorts of drivers that a test is run with.
fn backends() -> &'static [&'static str] {
    static FOUND: OnceLock<Vec<&str>> = OnceLock::new();
    FOUND.get_or_init(|| {
        let all = ["vulkan", "egl"];
        let found: Vec<&str> = all.into_iter().filter(|sort| is_there(sort)).collect();
        for missing in all.iter().filter(|sort| !found.contains(*sort)) {
            assert!(std::env::var_os("CI").is_none(), "no {missing} driver; run tests/gpu/driver.sh");
            eprintln!("gpu: no {missing} driver, its tests are left out; run tests/gpu/driver.sh");
        }
        found
    })
}

fn is_there(sort: &str) -> bool {
    let list = tool(&["adapters", "--backend", sort], Path::new("/"), b"");
    list.lines().any(|line| line.contains("\"adapter\""))
}

/// What bv-gpu writes on stdout, run in `folder`. It exits 0, or 3 where it is refused beforehand.
fn tool(args: &[&str], folder: &Path, stdin: &[u8]) -> String {
    let mut child = Command::new(bv_tests::binary("bv-gpu"))
        .args(args)
        .current_dir(folder)
        .env_remove("BV_GPU_ICD")
        .env_remove("BV_GPU_BACKEND")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut input = child.stdin.take().expect("piped");
    let stdin = stdin.to_vec();
    let writer = std::thread::spawn(move || input.write_all(&stdin));
    let output = child.wait_with_output().expect("it ends");
    // A tool that answers without reading closes its end first.
    let _ = writer.join().expect("the writer does not panic");
    let code = output.status.code();
    assert!(matches!(code, Some(0 | 3)), "{args:?}: {code:?} {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("a file can be written");
    }
    folder
}

/// Runs `args` over the files with every driver; the records are `expected`, the adapter's name apart.
fn check(files: &[(&str, &str)], args: &[&str], expected: &[Value]) {
    let validator = jsonschema::validator_for(&bv_schemas::schema::closed(&bv_schemas::schema::records()))
        .expect("the schema is one");
    for backend in backends() {
        let folder = folder(files);
        let args: Vec<&str> = ["--backend", backend].iter().chain(args).copied().collect();
        let events = tool(&args, folder.path(), b"");
        let mut records = bv_tests::stages::records(events.as_bytes());
        for record in &mut records {
            assert!(validator.is_valid(record), "{:?}: {record}", validator.validate(record).err());
            if let Some(adapter) = record.get_mut("adapter") {
                assert!(adapter.as_str().is_some_and(|name| !name.is_empty()), "{adapter}");
                *adapter = "ADAPTER".into();
            }
        }
        assert_eq!(records, expected, "{backend}");
    }
}

/// `tests/gpu`, where pairs and shaders lie.
fn here() -> PathBuf {
    bv_tests::root().join("tests/gpu")
}

//! bv-memory on its real binary: the sentence with an archive, faults of the disk, writers that are killed.

mod compact;
mod faults;
mod killed;
mod repair;
mod s3;
mod sentence;
mod upkeep;

use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A store and a project in a folder of their own.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().expect("a folder can be made");
        std::fs::create_dir(folder.path().join("project")).expect("it can be made");
        Place { folder }
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    fn store(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    /// `bv-memory ARGS < input`, in the project.
    fn run(&self, args: &[&str], input: &[u8]) -> Output {
        run(memory(&self.store()).args(args).current_dir(self.project()), input)
    }

    /// The same, where it must succeed in silence.
    fn text(&self, args: &[&str]) -> String {
        let output = self.run(args, b"");
        assert_eq!((said(&output).as_str(), output.status.code()), ("", Some(0)), "{args:?}");
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// Stores a stream as a run, with a trace of its own; the records that came out.
    fn archive(&self, stream: &str) -> Vec<Value> {
        let output = self.run(&["archive"], stream.as_bytes());
        assert_eq!((said(&output).as_str(), output.status.code()), ("", Some(0)), "{stream}");
        records(&output.stdout)
    }

    /// `fsck`: its exit status and what it found.
    fn fsck(&self, args: &[&str]) -> (Option<i32>, String) {
        let output = self.run(&[&["fsck"], args].concat(), b"");
        (output.status.code(), String::from_utf8(output.stdout).expect("UTF-8"))
    }

    /// Every file below `part` of the store.
    fn files(&self, part: &str) -> Vec<PathBuf> {
        let mut files = Vec::new();
        let mut folders = vec![self.store().join(part)];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten() {
                let path = entry.expect("a listed entry").path();
                if path.is_dir() { folders.push(path) } else { files.push(path) }
            }
        }
        files.sort();
        files
    }
}

/// bv-memory on this store, git's and the user's own settings left out.
fn memory(store: &Path) -> Command {
    let mut command = Command::new(bv_tests::binary("bv-memory"));
    command.env("BV_STORE", store).env("GIT_CEILING_DIRECTORIES", "/").env_remove("GIT_DIR");
    command
}

fn run(command: &mut Command, input: &[u8]) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("piped");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("it ends");
    // A command that reads nothing closes its end first.
    let _ = writer.join().expect("the writer does not panic");
    output
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn records(stream: &[u8]) -> Vec<Value> {
    stream
        .split(|&b| b == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).expect("JSON"))
        .collect()
}

/// A run of `pytest` in which these tests failed and those passed.
fn stream(failed: &[&str], passed: &[&str]) -> String {
    let mut lines = String::new();
    for name in passed {
        lines += &format!("{{\"type\":\"test\",\"id\":\"{name}\",\"outcome\":\"passed\"}}\n");
    }
    for name in failed {
        lines += &format!(
            "{{\"type\":\"failure\",\"id\":\"{name}\",\"kind\":\"assertion\",\"message\":\"{name} is wrong\"}}\n"
        );
    }
    let outcome = if failed.is_empty() { "passed" } else { "failed" };
    let (red, green) = (failed.len(), passed.len());
    lines
        + &format!(
            "{{\"type\":\"end\",\"outcome\":\"{outcome}\",\"runner\":\"pytest\",\"counts\":{{\"passed\":{green},\"failed\":{red}}},\"command\":[\"pytest\"]}}\n"
        )
}

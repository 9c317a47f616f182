//! bv-minimize on the real binary: both modes, every way to hand a candidate over, and what goes wrong around it.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

mod lists;
mod same;
mod single;
mod stop;
mod stream;
mod trouble;

/// A folder with an oracle, an input, and room for candidates.
pub struct Bench {
    folder: TempDir,
}

impl Bench {
    /// An oracle in `sh` and an input of this name.
    pub fn new(oracle: &str, name: &str, input: &str) -> Bench {
        let bench = Bench { folder: tempfile::tempdir().expect("a folder can be made") };
        bench.file("oracle", &format!("#!/bin/sh\n{oracle}\n"));
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(bench.path("oracle"), executable).expect("it was just written");
        fs::create_dir(bench.path("tmp")).expect("a folder can be made");
        bench.file(name, input);
        bench
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn file(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("it can be written");
    }

    /// What a file holds; empty where it is not there.
    pub fn text(&self, name: &str) -> String {
        let bytes = fs::read(self.path(name)).unwrap_or_default();
        String::from_utf8(bytes).expect("it is UTF-8")
    }

    /// `bv-minimize ARGS` in the folder.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(bv_tests::binary("bv-minimize"));
        command
            .args(args)
            .current_dir(self.folder.path())
            .env("TMPDIR", self.path("tmp"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub fn start(&self, args: &[&str], stdin: &str) -> Child {
        let mut child = self.command(args).spawn().expect("the binary starts");
        let mut input = child.stdin.take().expect("it was asked for");
        let stdin = stdin.to_owned();
        // One that answers without reading closes its end first; one that answers at once needs a reader.
        thread::spawn(move || input.write_all(stdin.as_bytes()));
        child
    }

    /// stdout, stderr, exit status; no candidate is left behind.
    pub fn run(&self, args: &[&str], stdin: &str) -> (String, String, Option<i32>) {
        let said = said(self.start(args, stdin).wait_with_output().expect("it ends"));
        assert_eq!(self.left_behind(), Vec::<PathBuf>::new());
        said
    }

    /// What lies where candidates lay.
    pub fn left_behind(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.path("tmp")).expect("it is there");
        entries.map(|entry| entry.expect("a listed entry").path()).collect()
    }
}

/// stdout, stderr and exit status as text.
pub fn said(output: Output) -> (String, String, Option<i32>) {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it is UTF-8");
    (text(output.stdout), text(output.stderr), output.status.code())
}

/// Waits for something that must come.
pub fn until(what: impl Fn() -> bool) {
    while !what() {
        thread::sleep(Duration::from_millis(2));
    }
}

/// Sends a signal as a user would.
pub fn signal(name: &str, process: u32) {
    let kill = Command::new("kill").args(["-s", name, &process.to_string()]).status();
    assert!(kill.expect("kill is there").success(), "{name}");
}

/// Whether a process of this number runs.
pub fn runs(number: &str) -> bool {
    let about = fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
    let zombie = about.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z'));
    let there = Command::new("kill").args(["-0", number]).stderr(Stdio::null()).status();
    there.expect("kill is there").success() && !zombie
}

/// What a child prints until it ends.
pub fn rest(pipe: Option<impl Read>) -> String {
    let mut text = String::new();
    pipe.expect("it was asked for").read_to_string(&mut text).expect("it is UTF-8");
    text
}

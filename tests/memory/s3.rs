//! An archive in a bucket, on a real server that speaks S3 (moto), which the tests start on a free port of this
//! machine and which ends with them.
//!
//! moto is put into `target/s3` by pip; where it cannot be had, one line says so and nothing is tested.

use super::{memory, run, said};
use bv_tests::{case, stages};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Barrier, OnceLock};
use std::thread;

const WRITERS: usize = 8;
const RUNS: usize = 4;

/// A server with one empty bucket.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(python: &Path) -> Server {
        let script = bv_tests::root().join("tests/memory/s3_server.py");
        let mut child = Command::new(python)
            .arg(script)
            .arg("bv-archive")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("python starts");
        let mut address = String::new();
        let stdout = child.stdout.take().expect("it was asked for");
        BufReader::new(stdout).read_line(&mut address).expect("it says its address");
        let address = address.trim().to_owned();
        assert!(address.starts_with("http://127.0.0.1:"), "{address:?}");
        Server { child, address }
    }

    /// bv-memory on a machine of its own: what it keeps beside the bucket lies in `cache`.
    fn machine(&self, cache: &Path) -> Command {
        let mut command = memory(Path::new("s3://bv-archive/team/ci"));
        command
            .env("XDG_CACHE_HOME", cache)
            .env("AWS_ENDPOINT_URL", &self.address)
            .env("AWS_ALLOW_HTTP", "true")
            .env("AWS_REGION", "us-east-1")
            .env("AWS_ACCESS_KEY_ID", "key")
            .env("AWS_SECRET_ACCESS_KEY", "secret");
        command
    }

    /// Whether all that lies in the bucket is sound, and the index with it.
    fn is_sound(&self, cache: &Path, args: &[&str]) -> bool {
        let output = run(self.machine(cache).arg("fsck").args(args), b"");
        output.stdout.is_empty() && output.status.success()
    }

    /// What it writes, where it succeeds in silence.
    fn text(&self, cache: &Path, args: &[&str], input: &[u8]) -> Vec<u8> {
        let output = run(self.machine(cache).args(args), input);
        assert_eq!((said(&output).as_str(), output.status.code()), ("", Some(0)), "{args:?}");
        output.stdout
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// The Python that has moto; or `None`, and one line says why.
fn python() -> Option<&'static Path> {
    static PYTHON: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let with_s3 = || {
        let output = run(memory(Path::new("s3://no")).arg("log").env("AWS_REGION", ""), b"");
        let built = !said(&output).contains("built without s3");
        assert!(built || std::env::var_os("CI").is_none(), "bv-memory is built without s3");
        if built { Ok(()) } else { Err("bv-memory is built without s3; run `make test`".to_owned()) }
    };
    match PYTHON.get_or_init(|| with_s3().and_then(|()| install())) {
        Ok(python) => Some(python),
        Err(lack) => {
            eprintln!("s3: left out: {lack}");
            None
        }
    }
}

fn install() -> Result<PathBuf, String> {
    let venv = bv_tests::root().join("target/s3/venv");
    let python = venv.join("bin/python");
    let has_moto = || {
        Command::new(&python).args(["-c", "import moto.server"]).output().is_ok_and(|o| o.status.success())
    };
    if !has_moto() {
        done(Command::new("python3").args(["-m", "venv"]).arg(&venv), "python3 -m venv")?;
        let pip = [
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--retries",
            "1",
            "moto[server]",
        ];
        done(Command::new(&python).args(pip), "pip install 'moto[server]'")?;
    }
    Ok(python)
}

fn done(command: &mut Command, words: &str) -> Result<(), String> {
    match command.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr).trim().lines().last().map(str::to_owned);
            Err(format!("{words} fails: {}", said.unwrap_or_default()))
        }
        Err(wrong) => Err(format!("{words}: {wrong}")),
    }
}

/// The output of a failing run, told apart from the others by its first line.
fn raw(writer: usize, nth: usize) -> Vec<u8> {
    let folder = bv_tests::root().join("tests/fixtures/pytest/simple_assert");
    let output = case::stream(&folder, "output").expect("it is there");
    [format!("writer {writer}, run {nth}\n").as_bytes(), &output].concat()
}

/// Machines of a CI fleet share the bucket: all that was acknowledged is there, whoever looks.
#[test]
fn eight_writers_share_a_bucket_and_lose_nothing() {
    let Some(python) = python() else { return };
    let server = Server::start(python);
    let caches: Vec<_> = (0..=WRITERS).map(|_| tempfile::tempdir().expect("a folder can be made")).collect();
    let start = Barrier::new(WRITERS);
    thread::scope(|scope| {
        for (writer, cache) in caches[..WRITERS].iter().enumerate() {
            let (server, start) = (&server, &start);
            scope.spawn(move || {
                start.wait();
                let project = format!("p{}", writer % 2);
                for nth in 0..RUNS {
                    let raw = raw(writer, nth);
                    assert_eq!(server.text(cache.path(), &["tee"], &raw), raw);
                    let events = stages::parse(&["--all"], &raw);
                    let out = server.text(cache.path(), &["archive", "--project", &project], &events);
                    let end = stages::records(&out).pop().expect("a stream has its end");
                    assert_eq!(end["trace"]["archived"], true, "{end}");
                }
            });
        }
    });
    let fresh = caches[WRITERS].path();
    let log = server.text(fresh, &["log", "--all"], b"");
    assert_eq!(log.split(|&b| b == b'\n').filter(|line| !line.is_empty()).count(), WRITERS * RUNS);
    assert!(server.is_sound(fresh, &[]));
    for (writer, nth) in (0..WRITERS).flat_map(|writer| (0..RUNS).map(move |nth| (writer, nth))) {
        let raw = raw(writer, nth);
        let id = blake3::hash(&raw).to_hex();
        assert_eq!(server.text(fresh, &["restore", id.as_str()], b""), raw);
    }
    // The index is a cache: a machine that wrote, one that never did and one that makes it anew agree.
    for project in ["p0", "p1"] {
        let args = ["live", "--project", project];
        let live = server.text(fresh, &args, b"");
        assert!(!live.is_empty());
        assert_eq!(server.text(caches[0].path(), &args, b""), live);
        assert!(server.is_sound(fresh, &["--rebuild"]));
        assert_eq!(server.text(fresh, &args, b""), live);
    }
}

/// The first of several puts of one trace wins; the others find it there, and each is told that all is well.
#[test]
fn the_same_trace_from_eight_writers_is_stored_once() {
    let Some(python) = python() else { return };
    let server = Server::start(python);
    let cache = tempfile::tempdir().expect("a folder can be made");
    let raw = raw(0, 0);
    let start = Barrier::new(WRITERS);
    thread::scope(|scope| {
        for _ in 0..WRITERS {
            scope.spawn(|| {
                start.wait();
                assert_eq!(server.text(cache.path(), &["tee"], &raw), raw);
            });
        }
    });
    let id = blake3::hash(&raw).to_hex();
    assert_eq!(server.text(cache.path(), &["restore", &id[..12]], b""), raw);
    assert!(server.is_sound(cache.path(), &[]));
}

/// A trace that does not fit one request goes in parts.
#[test]
fn a_long_trace_goes_in_parts_and_comes_back_whole() {
    let Some(python) = python() else { return };
    let server = Server::start(python);
    let cache = tempfile::tempdir().expect("a folder can be made");
    // Lines that do not compress, so that several parts are needed.
    let mut state = 1_u64;
    let mut raw = Vec::new();
    while raw.len() < 45 << 20 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        raw.extend_from_slice(format!("{state:x}\n").as_bytes());
    }
    for _ in 0..2 {
        assert!(server.text(cache.path(), &["tee"], &raw) == raw);
    }
    let id = blake3::hash(&raw).to_hex();
    assert!(server.text(cache.path(), &["restore", &id[..16]], b"") == raw);
}

/// A bucket that cannot be reached costs one line, never the verdict.
#[test]
fn a_server_that_is_gone_changes_no_byte_and_no_status() {
    let Some(python) = python() else { return };
    let server = Server::start(python);
    let cache = tempfile::tempdir().expect("a folder can be made");
    let events = stages::parse(&["--all"], &raw(0, 0));
    let gone = "http://127.0.0.1:1";
    for (arg, input) in [("tee", raw(0, 0)), ("archive", events)] {
        let output = run(server.machine(cache.path()).arg(arg).env("AWS_ENDPOINT_URL", gone), &input);
        assert_eq!((output.stdout, output.status.code()), (input, Some(0)), "{arg}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.starts_with("bv-memory: the ") && said.lines().count() == 1, "{said}");
    }
    for wrong in ["", "nowhere", "file:///tmp"] {
        let output = run(server.machine(cache.path()).arg("log").env("AWS_ENDPOINT_URL", wrong), b"");
        let expected = "bv-memory: no http:// or https:// address in the environment: AWS_ENDPOINT_URL\n";
        assert_eq!((said(&output).as_str(), output.status.code()), (expected, Some(2)), "{wrong}");
    }
}

//! The runners that this machine has, run afresh (`make live`): what each prints and writes today is held to
//! the ground truth of a fixture's project, and its reporters are held to each other.
//!
//! A runner that is missing, or that cannot be installed, is said in one line and is no failure. Nothing is
//! written outside `target/live`; versions and times are left alone.

use bv_tests::agree::{Reading, Reporter, Spelling, disagreements};
use bv_tests::{case, stages};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

mod install;
mod polluter;
mod runners;

use install::Install;

/// A runner and the project that it is run on.
struct Live<'a> {
    /// The fixture whose `src/` is run and whose `expect.json` holds.
    case: &'static str,
    /// What must be on PATH, or is put there by `install`.
    tools: &'static [&'static str],
    /// Puts the runner where it is found.
    install: Install,
    /// Brings ids of all reporters and of `expect.json` to one form.
    spelling: Spelling,
    /// The reporters by their command, with the command that makes ready for it; where that fails the reporter
    /// is not there.
    modes: &'a [(Reporter, &'static str)],
}

/// Runs the command of every reporter and holds what was read to the truth and to each other.
fn check(live: &Live<'_>) {
    let found = find(live);
    let (case, path) = match found {
        Ok(found) => found,
        Err(lack) => return eprintln!("live: {}: left out: {lack}", live.case),
    };
    let mut wrong = Vec::new();
    let mut readings = Vec::new();
    for (reporter, ready) in live.modes {
        let folder = fresh_copy(live.case);
        if !ready.is_empty() && !shell(ready, &folder, &path).status.success() {
            eprintln!("live: {}: `{}` is left out: `{ready}` fails", live.case, reporter.name);
            continue;
        }
        let raw = shell(reporter.name, &folder, &path).stdout;
        let records = stages::records(&stages::parse(&[], &raw));
        let misses = misses(&case, &records, live.spelling);
        if !misses.is_empty() {
            let seen = folder.with_extension(format!("{}.txt", readings.len()));
            fs::write(&seen, &raw).expect("target/live can be written");
            wrong.push(format!("{} ({}): {}", reporter.name, seen.display(), misses.join("; ")));
        }
        readings.push(Reading { reporter: *reporter, records });
    }
    wrong.extend(disagreements(&readings, live.spelling));
    assert!(wrong.is_empty(), "{}:\n{}", live.case, wrong.join("\n"));
    eprintln!("live: {}: reporters that hold: {}", live.case, readings.len());
}

/// The case and the PATH with its runner; or what is missing, in words.
fn find(live: &Live<'_>) -> Result<(case::Case, OsString), String> {
    let case = case::all().into_iter().find(|case| case.name == live.case).expect("its fixture is there");
    let mut folders = install::run(live.install)?;
    let old = std::env::var_os("PATH").unwrap_or_default();
    folders.extend(std::env::split_paths(&old));
    let missing = |tool: &&&str| !folders.iter().any(|folder| folder.join(tool).is_file());
    if let Some(tool) = live.tools.iter().find(missing) {
        return Err(format!("{tool} is missing"));
    }
    Ok((case, std::env::join_paths(folders).expect("they came from a PATH")))
}

/// What is not as `expect.json` says: the outcome, which tests failed, of what kind, on which lines.
fn misses(case: &case::Case, records: &[Value], spelling: Spelling) -> Vec<String> {
    let mut misses = Vec::new();
    let end = records.last().expect("a stream has its end");
    let right = bv_tests::expect::right_outcomes(case, true);
    if !right.iter().any(|outcome| end["outcome"] == **outcome) {
        misses.push(format!("outcome: want {right:?} got {end}"));
    }
    let id = |value: &Value| value.as_str().map(spelling).unwrap_or_default();
    let mut got: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
    for failure in records.iter().filter(|record| record["type"] == "failure") {
        got.entry(id(&failure["id"])).or_default().push(failure);
    }
    for want in case.expect["failures"].as_array().into_iter().flatten() {
        let name = id(&want["test_id"]);
        let failure = got.get_mut(&name).and_then(|found| {
            let at = found.iter().position(|failure| is_kind(want, failure)).unwrap_or(0);
            (at < found.len()).then(|| found.remove(at))
        });
        match failure {
            Some(failure) => misses.extend(unlike(&name, want, failure)),
            None if ["aggregate", "consequence", "optional"].iter().any(|key| want[*key] == true) => {}
            None => misses.push(format!("not found: {name}")),
        }
    }
    misses.extend(got.into_values().flatten().map(|failure| format!("invented: {failure}")));
    misses
}

fn is_kind(want: &Value, failure: &Value) -> bool {
    let any = want["kind_any"].as_array().into_iter().flatten();
    any.chain([&want["kind"]]).any(|kind| *kind == failure["kind"])
}

fn unlike(name: &str, want: &Value, failure: &Value) -> Vec<String> {
    let mut misses = Vec::new();
    if !is_kind(want, failure) {
        misses.push(format!("{name}: want {} got {}", want["kind"], failure["kind"]));
    }
    for which in ["test", "fault"] {
        let any = want[format!("{which}_location_any")].as_array().into_iter().flatten();
        let lines: Vec<&Value> =
            any.chain([&want[format!("{which}_location")]]).map(|place| &place["line"]).collect();
        let line = &failure[which]["line"];
        if line.is_u64() && lines.iter().any(|want| want.is_u64()) && !lines.contains(&line) {
            misses.push(format!("{name}: {which} line: want {lines:?} got {line}"));
        }
    }
    misses
}

/// Where all of this happens.
fn target() -> &'static Path {
    static TARGET: LazyLock<PathBuf> = LazyLock::new(|| {
        let target = bv_tests::root().join("target/live");
        fs::create_dir_all(&target).expect("target can be written");
        target
    });
    &TARGET
}

/// The project as it was committed, at the same place for all reporters: paths that they print can be compared,
/// and none finds what another left.
fn fresh_copy(case: &str) -> PathBuf {
    let folder = target().join("run").join(case.replace('/', "-"));
    let _ = fs::remove_dir_all(&folder);
    copy(&bv_tests::root().join("tests/fixtures").join(case).join("src"), &folder);
    folder
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("target/live can be written");
    for entry in fs::read_dir(from).expect("a fixture has its sources") {
        let path = entry.expect("a listed entry").path();
        let to = to.join(path.file_name().expect("a listed entry has a name"));
        if path.is_dir() {
            copy(&path, &to);
        } else {
            fs::copy(&path, &to).expect("target/live can be written");
        }
    }
}

/// `bv-run -- sh -c COMMAND`, so that the stream has its two lines, and a runner that hangs its end.
fn shell(command: &str, folder: &Path, path: &OsString) -> Output {
    Command::new(bv_tests::binary("bv-run"))
        .args(["--timeout", "2m", "--", "sh", "-c", command])
        .current_dir(folder)
        .env("PATH", path)
        .env("CARGO_TARGET_DIR", target().join("cargo"))
        .env("GOCACHE", target().join("go"))
        .env("npm_config_cache", target().join("npm"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("CI", "1")
        .env_remove("RUST_BACKTRACE")
        .env_remove("FORCE_COLOR")
        .output()
        .expect("bv-run starts")
}

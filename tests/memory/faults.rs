//! An archive that fails never changes the verdict: what passes and the exit status stay, one line says why.

use super::{Place, memory, run, said, stream};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Output};

const LOG: &[u8] = b"one\ntwo\r\n\xff\x00three";

/// Both filters pass everything, exit 0, and say one line that begins so.
fn check_passes(what: &str, command: impl Fn() -> Command, begins: &str) {
    let run_id = stream(&["t"], &["u"]);
    for (stage, input) in [("tee", LOG), ("archive", run_id.as_bytes())] {
        let output = run(command().arg(stage), input);
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(input),
            "{what}: {stage}"
        );
        check_said(what, stage, &output, begins);
    }
}

fn check_said(what: &str, stage: &str, output: &Output, begins: &str) {
    let said = said(output);
    assert_eq!((output.status.code(), said.lines().count()), (Some(0), 1), "{what}: {stage}: {said}");
    let subject = if stage == "tee" { "trace" } else { "run" };
    let expected = format!("bv-memory: the {subject} is not archived: {begins}");
    assert!(said.starts_with(&expected), "{what}: {stage}: {said}");
}

#[test]
fn no_home_costs_a_line() {
    let place = Place::new();
    let command = || {
        let mut command = memory(&place.store());
        command
            .env_remove("BV_STORE")
            .env_remove("HOME")
            .env_remove("XDG_DATA_HOME")
            .current_dir(place.project());
        command
    };
    check_passes("no home", command, "no home folder");
}

#[test]
fn a_store_that_is_a_file_costs_a_line() {
    let place = Place::new();
    fs::write(place.store(), "").expect("it can be written");
    check_passes("a file", || memory(&place.store()), "");
}

#[test]
fn a_store_with_a_link_in_it_costs_a_line() {
    let place = Place::new();
    let elsewhere = place.folder.path().join("elsewhere");
    fs::create_dir(&elsewhere).expect("it can be made");
    fs::create_dir(place.store()).expect("it can be made");
    for name in ["objects", "journals", "tmp"] {
        symlink(&elsewhere, place.store().join(name)).expect("it can be made");
    }
    check_passes("links", || memory(&place.store()), "");
    assert_eq!(fs::read_dir(elsewhere).expect("it is there").count(), 0);
}

/// Where the disk takes nothing more: no file can grow over this many bytes.
#[test]
fn a_full_disk_costs_a_line() {
    let place = Place::new();
    place.archive(&stream(&["t"], &[]));
    let before = place.files("objects");
    let command = |stage: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -f 0; exec \"$0\" \"$@\""]);
        command.arg(bv_tests::binary("bv-memory")).arg(stage).env("BV_STORE", place.store());
        command.current_dir(place.project());
        command
    };
    let output = run(&mut command("tee"), LOG);
    assert_eq!(output.stdout, LOG);
    check_said("full", "tee", &output, "File too large");
    let given = stream(&["t"], &["u"]);
    let output = run(&mut command("archive"), given.as_bytes());
    assert_eq!((String::from_utf8_lossy(&output.stdout).lines().count(), output.status.code()), (3, Some(0)));
    assert!(
        said(&output).contains("bv-memory: the run is not archived: File too large"),
        "{}",
        said(&output)
    );
    assert_eq!(place.files("objects"), before);
    assert_eq!(place.fsck(&[]), (Some(0), String::new()));
}

/// Read-only in earnest needs a mount or another user; root may write anywhere.
#[test]
fn a_read_only_store_costs_a_line() {
    let mount = "mount --bind \"$1\" \"$1\" && mount -o remount,ro,bind \"$1\"";
    check_mounted("read-only", mount, "Read-only file system");
}

/// A file system without a byte left, as a quota or a small disk is.
#[test]
fn a_store_without_space_costs_a_line() {
    let mount = "mount -t tmpfs -o size=16k tmpfs \"$1\" && { cat /dev/zero >\"$1/full\" 2>/dev/null || :; }";
    check_mounted("no space", mount, "No space left on device");
}

/// The filters over a store on which `mount` is done first; they say `words`, and nothing else is lost.
fn check_mounted(case: &str, mount: &str, words: &str) {
    let place = Place::new();
    place.archive(&stream(&["t"], &[]));
    let script = format!("{mount} && shift && exec \"$0\" \"$@\"");
    let command = |stage: &str| {
        let mut command = Command::new("unshare");
        command.args(["-rm", "sh", "-c", &script]).arg(bv_tests::binary("bv-memory"));
        command.arg(place.store()).arg(stage).env("BV_STORE", place.store()).current_dir(place.project());
        command
    };
    let may = Command::new("unshare").args(["-rm", "true"]).status().is_ok_and(|status| status.success());
    if !may {
        eprintln!("no user namespaces here: a store with {case} is not tested");
        return;
    }
    let output = run(&mut command("tee"), LOG);
    assert_eq!(output.stdout, LOG);
    check_said(case, "tee", &output, words);
    let given = stream(&["t"], &["u"]);
    let output = run(&mut command("archive"), given.as_bytes());
    assert_eq!((String::from_utf8_lossy(&output.stdout).lines().count(), output.status.code()), (3, Some(0)));
    check_said(case, "archive", &output, words);
}

#[test]
fn a_damaged_index_is_made_again() {
    let place = Place::new();
    place.archive(&stream(&["t"], &[]));
    let before = place.text(&["live"]);
    for name in ["index.sqlite-wal", "index.sqlite-shm"] {
        let _ = fs::remove_file(place.store().join(name));
    }
    fs::write(
        place.store().join("index.sqlite"),
        "no database at all, but long enough to be read as one".repeat(99),
    )
    .expect("it can be written");
    assert_eq!(place.text(&["live"]), before);
    assert_eq!(place.fsck(&["--rebuild"]), (Some(0), String::new()));
    assert_eq!(place.text(&["live"]), before);
}

/// The run is stored all the same, and the next command sees it.
#[test]
fn a_locked_index_costs_the_histories_only() {
    let place = Place::new();
    place.archive(&stream(&["t"], &[]));
    fs::remove_file(place.store().join("index.sqlite")).expect("it is there");
    fs::create_dir(place.store().join("index.sqlite")).expect("it can be made");
    let given = stream(&["t"], &["u"]);
    let output = place.run(&["archive"], given.as_bytes());
    assert_eq!(
        (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code()),
        (given, Some(0))
    );
    fs::remove_dir(place.store().join("index.sqlite")).expect("it is empty");
    assert_eq!(place.text(&["log"]).lines().count(), 2);
}

/// Cut anywhere, a journal is evidence of failures at most, and fsck says so.
#[test]
fn a_torn_journal_is_told_and_supersedes_nothing() {
    let place = Place::new();
    place.archive(&stream(&["t"], &[]));
    place.archive(&stream(&[], &["t"]));
    let journals = place.files("journals");
    let passed = fs::read(&journals[1]).expect("it is there");
    for cut in [passed.len() - 1, passed.len() - 40, 10, 0] {
        fs::write(&journals[1], &passed[..cut]).expect("it can be written");
        let (code, told) = place.fsck(&["--rebuild"]);
        assert_eq!((code, told.lines().count()), (Some(1), 1), "{cut}: {told}");
        let output = place.run(&["live"], b"");
        assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 1, "{cut}");
    }
}

#[test]
fn a_changed_object_is_told_and_not_restored_in_silence() {
    let place = Place::new();
    place.run(&["tee"], b"a trace of some length that is stored\n");
    let object = place.files("objects").remove(0);
    let mut bytes = fs::read(&object).expect("it is there");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&object, bytes).expect("it can be written");
    let (code, told) = place.fsck(&[]);
    assert_eq!((code, told.lines().count()), (Some(1), 1), "{told}");
    let hash = blake3_of(&object);
    assert_eq!(place.run(&["restore", &hash[..12]], b"").status.code(), Some(2));
}

/// The hash that an object's path says.
fn blake3_of(object: &std::path::Path) -> String {
    let names: Vec<_> = object.iter().rev().take(2).map(|name| name.to_string_lossy().into_owned()).collect();
    format!("{}{}", names[1], names[0])
}

#[test]
fn ids_are_no_paths_and_modes_are_private() {
    let place = Place::new();
    place.run(&["tee"], LOG);
    for id in ["../../../etc/passwd", "..", "0", "ABCDEF", "%2e%2e%2f"] {
        for command in ["restore", "show"] {
            let output = place.run(&[command, id], b"");
            assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{command} {id}");
        }
    }
    let mode = |path: &std::path::Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!(mode(&place.store()), 0o700);
    for file in place.files("objects") {
        assert_eq!((mode(&file), file.parent().map(mode)), (0o600, Some(0o700)), "{}", file.display());
    }
}

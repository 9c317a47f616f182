//! `py-polluter` on a small project, with pytest itself.

use super::install::{self, Install};
use super::{copy, target};
use std::fs;
use std::process::Command;

#[test]
#[ignore = "runs real runners; make live"]
fn py_polluter() {
    let mut folders = match install::run(Install::Pytest) {
        Ok(folders) => folders,
        Err(lack) => return eprintln!("live: py-polluter: left out: {lack}"),
    };
    let project = target().join("run/pollution");
    let _ = fs::remove_dir_all(&project);
    copy(&bv_tests::root().join("tests/demo/pollution"), &project);
    folders.extend(bv_tests::binary("bv-minimize").parent().map(ToOwned::to_owned));
    folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let output = Command::new(bv_tests::root().join("pipelines/py-polluter"))
        .arg("tests/test_invoice.py::test_total_shows_cents")
        .current_dir(&project)
        .env("PATH", std::env::join_paths(folders).expect("they came from a PATH"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .expect("sh is there");
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let expected = "tests/test_abroad.py::test_yen_has_none\n";
    assert_eq!((&*stdout, &*stderr, output.status.code()), (expected, "", Some(0)));
}

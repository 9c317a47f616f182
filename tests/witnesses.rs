//! Two witnesses: a runner's text and its result files, recorded of the same project, are held to each other.

use bv_tests::agree::{Because, Reading, Reporter, Spelling, disagreements};
use bv_tests::{case, stages};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

mod groups;
mod other_runs;
pub mod spelling;

use groups::GROUPS;

/// Reporters that told of one project.
pub struct Group {
    /// Brings the ids of all its reporters to one form.
    pub spelling: Spelling,
    /// By the case that was recorded.
    pub reporters: &'static [Reporter],
}

/// A reporter that needs no excuse.
pub const fn plain(name: &'static str) -> Reporter {
    Reporter { name, lacks: &[], differs: &[] }
}

/// A reporter that leaves something out.
pub const fn lacks(name: &'static str, lacks: &'static [Because]) -> Reporter {
    Reporter { name, lacks, differs: &[] }
}

/// A reporter that says something otherwise.
pub const fn differs(name: &'static str, differs: &'static [Because]) -> Reporter {
    Reporter { name, lacks: &[], differs }
}

#[test]
fn readings_of_one_project_agree() {
    let mut wrong = Vec::new();
    for group in GROUPS {
        let readings: Vec<Reading> = group.reporters.iter().map(read).collect();
        wrong.extend(disagreements(&readings, group.spelling));
    }
    assert!(wrong.is_empty(), "{} disagreements:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn witnesses_saw_the_same_project() {
    for group in GROUPS {
        let mut of_first = None;
        for reporter in group.reporters {
            let project = sources(&folder(reporter.name).join("src"));
            assert!(!project.is_empty(), "{}: no sources", reporter.name);
            let first = of_first.get_or_insert_with(|| project.clone());
            assert_eq!(
                *first, project,
                "{} is another project than {}",
                reporter.name, group.reporters[0].name
            );
        }
    }
}

/// A project that two reporters of one runner told of is in the table, or its run is named as another one.
#[test]
fn no_witness_is_left_out() {
    let mut by_project: BTreeMap<_, Vec<String>> = BTreeMap::new();
    for case in case::all() {
        let project = sources(&case.folder.join("src"));
        if !project.is_empty() {
            let runner = case.expect["runner"].as_str().unwrap_or_default();
            let runner = runner.trim_end_matches("-json").trim_end_matches("-junit").to_owned();
            by_project.entry((project, runner)).or_default().push(case.name);
        }
    }
    let heard: Vec<&str> =
        GROUPS.iter().flat_map(|group| group.reporters).map(|reporter| reporter.name).collect();
    let unheard: Vec<&String> = by_project
        .values()
        .filter(|cases| cases.len() > 1)
        .flatten()
        .filter(|name| !heard.contains(&name.as_str()))
        .filter(|name| !other_runs::OTHER_RUNS.iter().any(|(other, _)| other == name))
        .collect();
    assert!(
        unheard.is_empty(),
        "recorded of a project that others were recorded of: {unheard:?}: give each a place in GROUPS or OTHER_RUNS"
    );
}

fn folder(case: &str) -> std::path::PathBuf {
    bv_tests::root().join("tests/fixtures").join(case)
}

fn read(reporter: &Reporter) -> Reading {
    let raw = case::stream(&folder(reporter.name), "output");
    let raw = raw.unwrap_or_else(|| panic!("{}: no output.txt", reporter.name));
    Reading { reporter: *reporter, records: stages::records(&stages::parse(&[], &raw)) }
}

/// Path and bytes of every file.
fn sources(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for entry in fs::read_dir(&inner).into_iter().flatten() {
            let path = entry.expect("a listed entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("it lies inside").to_string_lossy().into_owned();
                files.insert(name, fs::read(&path).expect("a fixture can be read"));
            }
        }
    }
    files
}

//! How pytest writes JUnit XML: the terminal's text in each element, the module's path in `classname`.

use super::block::{Block, Phase};
use super::names;
use crate::formats::junit_xml::{Case, Dialect, Fault, Tag};
use bv_schemas::{Failure, Kind};

/// pytest's dialect (`--junitxml`). The suite's name can be configured; newer versions name the root, too.
pub const JUNIT: Dialect = Dialect {
    runner: "pytest",
    owns: |head| head.root == "pytest tests" || head.suite == "pytest",
    failure,
    repeats: |fault| super::session::counts_subtests(&fault.message),
    counts_pairs_once: true,
    errors_first: true,
};

fn failure(case: &Case, fault: &Fault) -> Failure {
    let phase = match fault.tag {
        Tag::Failure => Phase::Call,
        Tag::Error if fault.message.starts_with("failed on setup") => Phase::Setup,
        Tag::Error if fault.message.starts_with("failed on teardown") => Phase::Teardown,
        Tag::Error if fault.message == "collection failure" => Phase::Collect,
        Tag::Error => Phase::Call,
    };
    let name = case.name.split('[').next().unwrap_or(&case.name);
    let function = Some(name).filter(|_| phase != Phase::Collect);
    let mut block = Block::default();
    let text = if fault.text.trim().is_empty() { &fault.message } else { &fault.text };
    text.lines().for_each(|line| block.line(line));
    let mut failure = block.failure(phase, function);
    if fault.tag == Tag::Error && phase == Phase::Call && failure.kind == Kind::Assertion {
        failure.kind = Kind::Exception;
    }
    failure.id = Some(id(case, phase, &failure));
    super::complete(&mut failure);
    failure
}

/// The id as the terminal prints it where the file is printed, else both attributes as they are. The
/// `classname` is the file's path with dots, then the classes.
fn id(case: &Case, phase: Phase, failure: &Failure) -> String {
    let places = [&failure.test, &failure.fault].into_iter().flatten().chain(&failure.frames);
    let files = case.file.iter().chain(places.filter_map(|place| place.file.as_ref()));
    for file in files {
        let Some(module) = file.strip_suffix(".py") else { continue };
        let dotted = module.replace(['/', '\\'], ".");
        if phase == Phase::Collect && dotted == case.name {
            return file.clone();
        }
        let Some(classes) = case.classname.strip_prefix(&dotted) else { continue };
        match classes.strip_prefix('.') {
            Some(classes) => return format!("{file}::{}::{}", classes.replace('.', "::"), case.name),
            None if classes.is_empty() => return format!("{file}::{}", case.name),
            None => {}
        }
    }
    absolute(case, phase, failure).unwrap_or_else(|| case.dotted())
}

/// Where only an absolute path is printed, its tail is the module's path.
fn absolute(case: &Case, phase: Phase, failure: &Failure) -> Option<String> {
    let file = failure.test.as_ref().and_then(|place| place.file.as_deref())?;
    if phase == Phase::Collect {
        let path = format!("{}.py", case.name.replace('.', "/"));
        return names::same_file(file, &path).then_some(path);
    }
    let parts: Vec<&str> = case.classname.split('.').collect();
    (1..=parts.len()).rev().find_map(|count| {
        let path = format!("{}.py", parts[..count].join("/"));
        let classes: String = parts[count..].iter().map(|class| format!("::{class}")).collect();
        names::same_file(file, &path).then(|| format!("{path}{classes}::{}", case.name))
    })
}

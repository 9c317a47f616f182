//! The function that is broken, inferred from the failing tests and the sources: no test is run for it.
//!
//! In come the failures and the sources, out goes for each failure whose text implicates only a test the
//! product function that most likely made it fail, with the next ones where that is not sure. A printed place in
//! the product stands, unless its line only raises. Where nothing is reached, nothing is said.

mod code;
mod diff;
mod evidence;
mod python;
mod reach;
mod score;
mod spectrum;
mod trees;

use crate::cause;
use crate::locate::Sources;
use crate::read::Stream;
use bv_schemas::Location;
use code::{Code, FunctionId, Target};
use evidence::Evidence;
use score::Suspect;
use spectrum::Tracks;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

/// How far the first suspect must be ahead to be named alone.
const SURE_MARGIN: f32 = 0.30;
/// Suspects beside the first that a receipt names.
const SUSPECTS_MAX: usize = 2;

/// What a change since the last commit adds: more than all else together.
const CHANGED: f32 = 9.0;
/// Changed lines of one file that are looked up.
const CHANGED_LINES_MAX: usize = 2_000;
/// How well the failing tests must agree on a function to be of one cause.
const ONE_CAUSE_SPECTRUM: f32 = 0.5;
/// Causes that are told apart by what their tests reach.
const CAUSES_MAX: usize = 8;
/// Names of failing tests that are looked up.
const FAILING_NAMES_MAX: usize = 2_000;
/// Passing tests that are followed: more of them say nothing new.
const PASSING_MAX: usize = 120;
/// Suspects that `--explain` lists.
const EXPLAINED_MAX: usize = 10;

/// What is inferred for one failure.
#[derive(Clone, Debug, PartialEq)]
pub struct Inferred {
    /// The suspect.
    pub location: Location,
    /// The next ones, when unsure.
    pub suspects: Vec<String>,
    /// The function, where it is sure enough to say that failures which share it have one cause.
    pub cause: Option<u32>,
}

/// What the work tree is compared with, to know what changed.
#[derive(Clone, Copy, Debug)]
pub struct Changed<'args> {
    /// The folder that holds the sources.
    pub root: &'args Path,
    /// A revision.
    pub since: &'args str,
}

/// What is inferred for the failures of a run.
#[derive(Debug, Default)]
pub struct Inference {
    by_failure: HashMap<usize, Inferred>,
    explained: String,
}

impl Inference {
    /// Infers what it can for the failures of `stream`.
    pub fn of(stream: &Stream, sources: &Sources, changed: Option<Changed>) -> Inference {
        // One failure of each cause first: what they have in common says more than repeats do.
        let firsts: Vec<usize> = cause::causes(&stream.failures).iter().map(|cause| cause.first).collect();
        let known: HashSet<usize> = firsts.iter().copied().collect();
        let others = (0..stream.failures.len()).filter(|index| !known.contains(index));
        let all = evidence::gather(stream, sources, firsts.iter().copied().chain(others));
        let mut inference = Inference::default();
        let (python, others): (Vec<Evidence>, Vec<Evidence>) =
            all.into_iter().partition(|evidence| evidence.file.ends_with(".py"));
        if !python.is_empty() {
            inference.language(&mut python::Python::new(sources), &python, stream, changed);
        } else if let Some(language) = others.first().and_then(|evidence| trees::language(&evidence.file)) {
            let is_same = |other: &trees::Language| std::ptr::eq(other, language);
            let of_language: Vec<Evidence> = others
                .into_iter()
                .filter(|evidence| trees::language(&evidence.file).is_some_and(is_same))
                .collect();
            inference.language(&mut trees::Trees::new(sources, language), &of_language, stream, changed);
        }
        inference
    }

    /// What is inferred for a failure, by its index in the stream.
    pub fn for_failure(&self, index: usize) -> Option<&Inferred> {
        self.by_failure.get(&index)
    }

    /// The suspects with what speaks against each, for a person.
    pub fn explained(&self) -> &str {
        &self.explained
    }

    fn language(&mut self, code: &mut dyn Code, all: &[Evidence], stream: &Stream, changed: Option<Changed>) {
        let asking: Vec<bool> = all.iter().map(|evidence| asks(code, evidence)).collect();
        if !asking.contains(&true) {
            return;
        }
        let tracks: Vec<Tracks> = all.iter().map(|evidence| spectrum::tracks(code, evidence)).collect();
        let passing = passing_tests(code, all, stream);
        let passed = spectrum::passing(code, &passing);
        let changes = changed.map(|Changed { root, since }| diff::changes(root, since)).unwrap_or_default();
        let mut left: Vec<usize> = (0..all.len()).collect();
        for _ in 0..CAUSES_MAX {
            let suspects = suspects(code, &tracks, &left, (&passing, &passed), &changes);
            if self.explained.is_empty() {
                self.explained = explained(code, left.len(), &suspects, passing.len());
            }
            let Some(first) = suspects.first() else { return };
            // Those whose failing line leads there have this cause; the others are asked again among themselves.
            let leads = |nth: usize| {
                let of = if first.near > 0.0 { &tracks[nth].near } else { &tracks[nth].ran };
                of.get(&first.function).is_some_and(|&weight| weight > 0.0)
            };
            let (its, others): (Vec<usize>, Vec<usize>) = left.into_iter().partition(|&nth| leads(nth));
            for &nth in its.iter().filter(|&&nth| asking[nth]) {
                self.by_failure.insert(all[nth].failure, inferred(code, &all[nth], first, &suspects));
            }
            left = others;
            if its.is_empty() || left.is_empty() {
                return;
            }
        }
    }
}

/// The suspects of some of the failing tests, the first one first.
fn suspects(
    code: &mut dyn Code,
    tracks: &[Tracks],
    chosen: &[usize],
    (passing, passed): (&[Target], &reach::Weights),
    changes: &diff::Changes,
) -> Vec<Suspect> {
    let failing: Vec<&Tracks> = chosen.iter().map(|&nth| &tracks[nth]).collect();
    let reached: BTreeSet<FunctionId> =
        failing.iter().flat_map(|tracks| tracks.ran.keys().copied()).collect();
    let reached: Vec<FunctionId> = reached.into_iter().collect();
    let options = spectrum::options(code, &failing, passing, &reached);
    let nothing = spectrum::nothing(code, &failing, &reached);
    let suspects =
        score::rank(&failing, passed, &options, &nothing, |function| !code.about(function).is_test);
    weigh_changes(code, suspects, changes)
}

/// Puts the functions that were changed before the others.
fn weigh_changes(code: &mut dyn Code, mut suspects: Vec<Suspect>, changes: &diff::Changes) -> Vec<Suspect> {
    let files: HashSet<_> = suspects.iter().map(|suspect| code.about(suspect.function).file).collect();
    let mut changed = HashSet::new();
    for (file, ranges) in changes.iter().filter(|(file, _)| files.contains(file.as_str())) {
        let lines = ranges.iter().flat_map(|&(first, last)| first..=last).take(CHANGED_LINES_MAX);
        changed.extend(lines.filter_map(|line| code.function_at(file, line)));
    }
    for suspect in suspects.iter_mut().filter(|suspect| changed.contains(&suspect.function)) {
        suspect.is_changed = true;
        suspect.score *= 1.0 + CHANGED;
    }
    score::sort(&mut suspects);
    suspects
}

/// Whether the text of a failure implicates only a test, or a function that is there to raise.
fn asks(code: &mut dyn Code, evidence: &Evidence) -> bool {
    let Some((file, line)) = evidence.frames.first() else { return false };
    match code.function_at(file, *line) {
        Some(function) => {
            let failing = code.failing(function, *line);
            code.about(function).is_test || failing.raises && failing.only_raises
        }
        None => false,
    }
}

fn inferred(code: &dyn Code, evidence: &Evidence, first: &Suspect, suspects: &[Suspect]) -> Inferred {
    let about = code.about(first.function);
    let [from, to] = about.lines;
    let in_frames =
        evidence.frames.iter().find(|(file, line)| **file == *about.file && (from..=to).contains(line));
    let location = Location {
        file: about.file.to_string(),
        symbol: Some(about.name.to_string()),
        lines: Some([from.into(), to.into()]),
        line: in_frames.map(|(_, line)| (*line).into()),
        inferred: Some(true),
    };
    let mut names = Vec::new();
    // What the failing line does not lead to is never sure.
    if score::margin(suspects) < SURE_MARGIN || first.near <= 0.0 {
        for suspect in suspects.iter().skip(1).take(SUSPECTS_MAX) {
            let other = code.about(suspect.function);
            names.push(if other.file == about.file {
                other.name.to_string()
            } else {
                format!("{}:{}", other.file, other.name)
            });
        }
    }
    // Where few of the failing tests surely run it, they may fail for reasons of their own.
    let cause = (names.is_empty() && first.spectrum >= ONE_CAUSE_SPECTRUM).then_some(first.function);
    Inferred { location, suspects: names, cause }
}

fn explained(code: &dyn Code, failing: usize, suspects: &[Suspect], passing: usize) -> String {
    let mut page = format!("{failing} failing tests looked at, {passing} passing tests beside them\n");
    for (nth, suspect) in suspects.iter().take(EXPLAINED_MAX).enumerate() {
        let about = code.about(suspect.function);
        let Suspect { score, spectrum, near, frames, options, nothing, is_changed, .. } = suspect;
        let changed = if *is_changed { ", changed since the last commit" } else { "" };
        let line = format!(
            "{:>3}. {score:.3}  {}:{} {}: spectrum {spectrum:.2}, near the failing line {near:.2}, in the frames {frames:.2}, options {options:.2}, nothing {nothing:.2}{changed}\n",
            nth + 1,
            about.file,
            about.lines[0],
            about.name
        );
        page.push_str(&line);
    }
    page
}

/// The tests of the failing tests' files that did not fail: those that the runner names, else all the others.
fn passing_tests(code: &mut dyn Code, all: &[Evidence], stream: &Stream) -> Vec<Target> {
    let mut files: Vec<&str> = Vec::new();
    let mut failing: HashSet<Target> = HashSet::new();
    for evidence in all {
        if !files.contains(&evidence.file.as_str()) {
            files.push(&evidence.file);
        }
        for (file, line) in evidence.frames.iter().filter(|(file, _)| *file == evidence.file) {
            failing.extend(code.function_at(file, *line).map(|function| Target { function, owner: None }));
        }
    }
    let mut names: HashSet<(&str, &str)> = HashSet::new();
    for failure in stream.failures.iter().take(FAILING_NAMES_MAX) {
        let (file, name) = evidence::split(failure.id.as_deref().unwrap_or(""));
        let name = plain(name);
        let of_files = files.iter().filter(|known| file.is_none_or(|file| known.ends_with(file)));
        names.extend(of_files.map(|known| (*known, name)));
    }
    for (file, name) in names {
        failing.extend(code.test(file, name));
    }
    let mut passing = Vec::new();
    let mut before_the_last = 0;
    for file in files {
        let known = code.tests_of(file);
        let is_named = |name: &str| stream.passed.contains(&format!("{file}::{name}"));
        let some_named = known.iter().any(|(name, _)| is_named(name));
        for (name, target) in known {
            let failed = failing.contains(&target) || failing.contains(&Target { owner: None, ..target });
            if failed {
                before_the_last = passing.len();
            } else if !some_named || is_named(&name) {
                passing.push(target);
            }
        }
    }
    let passed = stream.end.as_ref().and_then(|end| end.counts.passed);
    if passed.is_some_and(|passed| passed < passing.len() as u64) {
        // Fewer passed than there are: the run was stopped at its last failure.
        passing.truncate(before_the_last);
    }
    // Evenly, so that every part of a long file is heard.
    let step = passing.len().div_ceil(PASSING_MAX).max(1);
    passing.into_iter().step_by(step).collect()
}

/// A test's name without its parameters.
fn plain(name: &str) -> &str {
    name.split('[').next().unwrap_or(name)
}

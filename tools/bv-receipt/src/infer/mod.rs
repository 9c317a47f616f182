//! The function that is broken, inferred from the failing tests and the sources: no test is run for it.
//!
//! In come the failures and the sources, out goes for each failure whose text implicates only a test the
//! product function that most likely made it fail, with the next ones where that is not sure. A printed place in
//! the product stands, unless its line only raises. Where nothing is reached, nothing is said.

mod code;
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
use code::{Code, Target};
use evidence::Evidence;
use score::Suspect;
use spectrum::Tracks;
use std::collections::HashSet;

/// How far the first suspect must be ahead to be named alone.
const SURE_MARGIN: f32 = 0.30;
/// Suspects beside the first that a receipt names.
const SUSPECTS_MAX: usize = 2;

/// Names of failing tests that are looked up.
const FAILING_NAMES_MAX: usize = 2_000;
/// Suspects that `--explain` lists.
const EXPLAINED_MAX: usize = 10;

/// What is inferred for one failure.
#[derive(Clone, Debug, PartialEq)]
pub struct Inferred {
    /// The suspect.
    pub location: Location,
    /// The next ones, when unsure.
    pub suspects: Vec<String>,
}

/// What is inferred for the failures of a run.
#[derive(Debug, Default)]
pub struct Inference {
    by_failure: Vec<(usize, Inferred)>,
    explained: String,
}

impl Inference {
    /// Infers what it can for the failures of `stream`.
    pub fn of(stream: &Stream, sources: &Sources) -> Inference {
        let causes = cause::causes(&stream.failures);
        let firsts = causes.iter().map(|cause| cause.first);
        let chosen: Vec<usize> = firsts
            .clone()
            .chain((0..stream.failures.len()).filter(|index| !firsts.clone().any(|first| first == *index)))
            .collect();
        let all = evidence::gather(stream, sources, chosen.into_iter());
        let mut inference = Inference::default();
        let (python, others): (Vec<Evidence>, Vec<Evidence>) =
            all.into_iter().partition(|evidence| evidence.file.ends_with(".py"));
        if !python.is_empty() {
            inference.language(&mut python::Python::new(sources), &python, stream);
        } else if let Some(language) = others.first().and_then(|evidence| trees::language(&evidence.file)) {
            let of_language: Vec<Evidence> = others
                .into_iter()
                .filter(|evidence| {
                    trees::language(&evidence.file).is_some_and(|other| std::ptr::eq(other, language))
                })
                .collect();
            inference.language(&mut trees::Trees::new(sources, language), &of_language, stream);
        }
        inference
    }

    /// What is inferred for a failure, by its index in the stream.
    pub fn for_failure(&self, index: usize) -> Option<&Inferred> {
        self.by_failure.iter().find(|(failure, _)| *failure == index).map(|(_, inferred)| inferred)
    }

    /// The suspects with what speaks against each, for a person.
    pub fn explained(&self) -> &str {
        &self.explained
    }

    fn language(&mut self, code: &mut dyn Code, all: &[Evidence], stream: &Stream) {
        let tracks: Vec<Tracks> = all.iter().map(|evidence| spectrum::tracks(code, evidence)).collect();
        let passing = passing_tests(code, all, stream);
        let passed = spectrum::passing(code, &passing);
        let reached: Vec<_> = tracks
            .iter()
            .flat_map(|tracks| tracks.ran.keys().copied())
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .collect();
        let options = spectrum::options(code, &tracks, &passing, &reached);
        let nothing = spectrum::nothing(code, &tracks, &reached);
        let suspects =
            score::rank(&tracks.iter().collect::<Vec<_>>(), &passed, &options, &nothing, |function| {
                !code.about(function).is_test
            });
        self.explained = explained(code, all, &suspects, passing.len());
        let Some(first) = suspects.first() else { return };
        for evidence in all {
            if !asks(code, evidence) {
                continue;
            }
            self.by_failure.push((evidence.failure, inferred(code, evidence, first, &suspects)));
        }
    }
}

/// Whether the text of a failure implicates only a test, or a function that is there to raise.
fn asks(code: &mut dyn Code, evidence: &Evidence) -> bool {
    let Some((file, line)) = evidence.frames.first() else { return true };
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
    if score::margin(suspects) < SURE_MARGIN {
        for suspect in suspects.iter().skip(1).take(SUSPECTS_MAX) {
            let other = code.about(suspect.function);
            names.push(if other.file == about.file {
                other.name.to_string()
            } else {
                format!("{}:{}", other.file, other.name)
            });
        }
    }
    Inferred { location, suspects: names }
}

fn explained(code: &dyn Code, all: &[Evidence], suspects: &[Suspect], passing: usize) -> String {
    let mut page = format!("{} failing tests looked at, {passing} passing tests beside them\n", all.len());
    for (nth, suspect) in suspects.iter().take(EXPLAINED_MAX).enumerate() {
        let about = code.about(suspect.function);
        let Suspect { score, spectrum, near, frames, options, nothing, .. } = suspect;
        let line = format!(
            "{:>3}. {score:.3}  {}:{} {}: spectrum {spectrum:.2}, near the failing line {near:.2}, in the frames {frames:.2}, options {options:.2}, nothing {nothing:.2}\n",
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
    for failure in &stream.failures {
        let (file, name) = evidence::split(failure.id.as_deref().unwrap_or(""));
        let name = plain(name);
        let of_files = files.iter().filter(|known| file.is_none_or(|file| known.ends_with(file)));
        names.extend(of_files.map(|known| (*known, name)));
    }
    // A run with thousands of failures has no passing tests to speak of.
    for (file, name) in names.into_iter().take(FAILING_NAMES_MAX) {
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
    passing
}

/// A test's name without its parameters.
fn plain(name: &str) -> &str {
    name.split('[').next().unwrap_or(name)
}

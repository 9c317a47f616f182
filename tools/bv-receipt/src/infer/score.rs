//! From what the failing and passing tests say to an order of suspects. Knows no language.
//!
//! A suspect is run by what fails and not by what passes (Ochiai's coefficient over estimated coverage), near
//! to the failing line, and in the frames of the error.

use super::code::FunctionId;
use super::reach::Weights;
use super::spectrum::Tracks;

/// What nearness to the failing line adds.
const NEAR: f32 = 1.0;
/// What the frames add.
const FRAMES: f32 = 0.5;
/// What reading an option of the failing lines adds.
const OPTIONS: f32 = 0.5;
/// What being able to give nothing adds, where a value was missing.
const NOTHING: f32 = 1.0;
/// Coverage is estimated: a passing test speaks half as loud.
const PASSING: f32 = 0.5;
/// So that nearness decides between functions which every test runs.
const FLOOR: f32 = 0.05;

/// A suspect with what speaks against it.
#[derive(Clone, Debug, PartialEq)]
pub struct Suspect {
    pub function: FunctionId,
    pub score: f32,
    /// Ochiai's coefficient of the estimated coverage.
    pub spectrum: f32,
    /// Nearness to the failing lines, the nearest function 1.
    pub near: f32,
    /// Weight in the frames, the heaviest 1.
    pub frames: f32,
    /// How much the options that the failing lines name are its own.
    pub options: f32,
    /// How much it is its way to give nothing, where a value was missing.
    pub nothing: f32,
    /// Whether it differs from the last commit.
    pub is_changed: bool,
}

/// The suspects, the first one first; of equals the one that is read first.
pub fn rank(
    failing: &[&Tracks],
    passing: &Weights,
    options: &Weights,
    nothing: &Weights,
    is_suspect: impl Fn(FunctionId) -> bool,
) -> Vec<Suspect> {
    let count = failing.len().max(1) as f32;
    let sum = |part: fn(&Tracks) -> &Weights| {
        let mut all = Weights::new();
        for tracks in failing {
            for (&function, weight) in part(tracks) {
                *all.entry(function).or_insert(0.0) += weight;
            }
        }
        all
    };
    let (ran, near) = (sum(|tracks| &tracks.ran), sum(|tracks| &tracks.near));
    let (survived, frames) = (sum(|tracks| &tracks.survived), sum(|tracks| &tracks.frames));
    let most = |weights: &Weights| weights.values().copied().fold(f32::MIN_POSITIVE, f32::max);
    let (nearest, heaviest) = (most(&near), most(&frames));
    let of = |weights: &Weights, function| weights.get(&function).copied().unwrap_or(0.0);
    let suspect = |(&function, &ran): (&FunctionId, &f32)| {
        let failed = ran / count;
        let passed = (of(passing, function) + of(&survived, function)) / count;
        let spectrum = if failed > 0.0 { failed / (failed + PASSING * passed).sqrt() } else { 0.0 };
        let near = of(&near, function) / nearest;
        let frames = of(&frames, function) / heaviest;
        let (options, nothing) = (of(options, function), of(nothing, function));
        let score = (spectrum + FLOOR)
            * (1.0 + NEAR * near + FRAMES * frames + OPTIONS * options + NOTHING * nothing);
        Suspect { function, score, spectrum, near, frames, options, nothing, is_changed: false }
    };
    let mut suspects: Vec<Suspect> = ran.iter().filter(|(id, _)| is_suspect(**id)).map(suspect).collect();
    sort(&mut suspects);
    suspects
}

/// Orders suspects: of equals the one that is read first comes first.
pub fn sort(suspects: &mut [Suspect]) {
    suspects.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.function.cmp(&other.function)));
}

/// How far the first suspect is ahead of the second, 0 to 1.
pub fn margin(suspects: &[Suspect]) -> f32 {
    match suspects {
        [first, second, ..] if first.score > 0.0 => (first.score - second.score) / first.score,
        [_] => 1.0,
        _ => 0.0,
    }
}

//! What each failing test says about each function: whether it ran it, whether the failing line depends on it,
//! whether it came through it unharmed.

use super::code::{Code, Edge, Failing, FunctionId, Target};
use super::evidence::Evidence;
use super::reach::{Weights, reach};
use std::collections::HashMap;
use std::rc::Rc;

/// What a call costs on the way from a test.
const DECAY: f32 = 0.9;
/// What a call costs on the way from the failing line.
const DECAY_NEAR: f32 = 0.85;
/// A line before the failing one that made none of its values.
const EARLIER: f32 = 0.35;
/// What made the arguments of a test's own function, against what it does with them.
const ARGUMENTS: f32 = 0.7;
/// A frame against the one inside it.
const OUTER_FRAME: f32 = 0.6;
/// A frame that stands on a `raise`: it said what is wrong, it did not do it.
const GUARD: f32 = 0.5;
/// A function that is there to raise.
const GUARD_FUNCTION: f32 = 0.1;

/// What one failing test says.
#[derive(Clone, Debug, Default)]
pub struct Tracks {
    /// How surely it ran each function.
    pub ran: Weights,
    /// How near each function is to the failing line.
    pub near: Weights,
    /// How surely it ran each function before the failing line, and went on.
    pub survived: Weights,
    /// How much its frames implicate each function.
    pub frames: Weights,
    /// The options that the failing lines name.
    pub options: Vec<Rc<str>>,
    /// Whether a value was missing.
    pub saw_nothing: bool,
}

struct Frame {
    function: FunctionId,
    failing: Failing,
}

/// What a failing test says of the functions that it reaches.
pub fn tracks(code: &mut dyn Code, evidence: &Evidence) -> Tracks {
    let tests = code.test(&evidence.file, &evidence.name);
    let mut frames: Vec<Frame> = Vec::new();
    for (file, line) in evidence.frames.iter().rev() {
        if let Some(function) = code.function_at(file, *line) {
            let failing = code.failing(function, *line);
            frames.push(Frame { function, failing });
        }
    }
    let (test_frames, product_frames): (Vec<Frame>, Vec<Frame>) =
        frames.into_iter().partition(|frame| code.about(frame.function).is_test);
    let mut tracks = Tracks { saw_nothing: evidence.saw_nothing, ..Tracks::default() };
    of_tests(code, &tests, &test_frames, &mut tracks);
    if !product_frames.is_empty() {
        of_product(code, &product_frames, &mut tracks);
    }
    tracks
}

fn of_tests(code: &mut dyn Code, tests: &[Target], frames: &[Frame], tracks: &mut Tracks) {
    let mut ran = Vec::new();
    let mut near = Vec::new();
    let mut survived = Vec::new();
    let owner = tests.first().and_then(|test| test.owner);
    if frames.is_empty() {
        for &test in tests {
            tracks.options.extend(code.options(test.function, &|_| true));
            ran.extend_from_slice(&code.calls(test));
        }
        near.clone_from(&ran);
    }
    for (nth, frame) in frames.iter().enumerate() {
        let is_last = nth + 1 == frames.len();
        let target = on(code, frame.function, owner);
        tracks.options.extend(code.options(frame.function, &|line| frame.failing.weight(line) > 0.0));
        for edge in &*code.calls(target) {
            let is_inner =
                !is_last && frames[nth + 1..].iter().any(|inner| inner.function == edge.to.function);
            if edge.line > frame.failing.ran_to || is_inner {
                continue;
            }
            let weight = frame.failing.weight(edge.line);
            if weight > 0.0 {
                let edge = Edge { weight: edge.weight * weight, ..*edge };
                ran.push(edge);
                let inside = (frames.len() - 1 - nth) as i32;
                near.push(Edge { weight: edge.weight * ARGUMENTS.powi(inside), ..edge });
            } else {
                ran.push(Edge { weight: edge.weight * EARLIER, ..*edge });
                survived.push(*edge);
            }
        }
    }
    if !frames.is_empty() {
        for test in tests {
            let setup = code.setup(*test);
            ran.extend(setup.into_iter().map(|edge| Edge { weight: edge.weight * EARLIER, ..edge }));
        }
    }
    tracks.ran = reach(code, &ran, DECAY);
    tracks.near = reach(code, &near, DECAY_NEAR);
    tracks.survived = reach(code, &survived, DECAY);
}

/// A frame's function as it was called: a test's on the test's class, which may have inherited it.
fn on(code: &dyn Code, function: FunctionId, owner: Option<u32>) -> Target {
    let own = code.owner(function);
    Target { function, owner: own.and(owner).or(own) }
}

/// The failing expression is in the product: the test's line only led there.
fn of_product(code: &mut dyn Code, frames: &[Frame], tracks: &mut Tracks) {
    let guard = frames.last().map_or(1.0, |frame| match &frame.failing {
        failing if failing.raises && failing.only_raises => GUARD_FUNCTION,
        failing if failing.raises => GUARD,
        _ => 1.0,
    });
    let mut weight = 1.0;
    for (nth, frame) in frames.iter().rev().enumerate() {
        let share = if nth == 0 { guard } else { 1.0 };
        *tracks.frames.entry(frame.function).or_insert(0.0) += weight * share;
        if share > 0.2 {
            weight *= OUTER_FRAME;
        }
    }
    let (mut ran, mut near) = (Vec::new(), Vec::new());
    for (nth, frame) in frames.iter().enumerate() {
        let is_last = nth + 1 == frames.len();
        let target = on(code, frame.function, None);
        for edge in &*code.calls(target) {
            let is_inner =
                !is_last && frames[nth + 1..].iter().any(|inner| inner.function == edge.to.function);
            if edge.line > frame.failing.ran_to || is_inner {
                continue;
            }
            let weight = frame.failing.weight(edge.line);
            let share = if weight > 0.0 { weight } else { EARLIER };
            ran.push(Edge { weight: edge.weight * share, ..*edge });
            if is_last && weight > 0.0 {
                near.push(Edge { weight: edge.weight * weight * 0.8, ..*edge });
            }
        }
    }
    let led_there = std::mem::replace(&mut tracks.near, reach(code, &near, DECAY_NEAR));
    for (nth, frame) in frames.iter().rev().enumerate() {
        let share = match nth {
            0 => guard,
            1 if guard < 1.0 => 1.0,
            nth => 0.7_f32.powi(nth as i32),
        };
        raise(&mut tracks.near, frame.function, share);
        raise(&mut tracks.ran, frame.function, 1.0);
    }
    for (function, weight) in led_there {
        raise(&mut tracks.near, function, 0.4 * weight);
    }
    for (function, weight) in reach(code, &ran, DECAY) {
        raise(&mut tracks.ran, function, weight);
    }
}

fn raise(weights: &mut Weights, function: FunctionId, weight: f32) {
    let known = weights.entry(function).or_insert(0.0);
    *known = known.max(weight);
}

/// How much the options of the failing lines speak against each of `suspects`: as much as they are theirs alone.
pub fn options(
    code: &mut dyn Code,
    failing: &[&Tracks],
    passing: &[Target],
    suspects: &[FunctionId],
) -> Weights {
    let mut named: HashMap<Rc<str>, (f32, f32)> = HashMap::new();
    for tracks in failing {
        let mut of_one: Vec<&Rc<str>> = tracks.options.iter().collect();
        of_one.sort();
        of_one.dedup();
        of_one.into_iter().for_each(|option| named.entry(option.clone()).or_default().0 += 1.0);
    }
    if named.is_empty() {
        return Weights::new();
    }
    for test in passing {
        for option in code.options(test.function, &|_| true) {
            if let Some((_, passed)) = named.get_mut(&option) {
                *passed += 1.0;
            }
        }
    }
    let count = failing.len().max(1) as f32;
    let mut weights = Weights::new();
    for &function in suspects {
        for (option, (failed, passed)) in &named {
            if code.decides_by(function, option) {
                raise(&mut weights, function, failed / (count * (failed + passed)).sqrt());
            }
        }
    }
    weights
}

/// How much a missing value speaks against each of `suspects`: as much as it is their way to give none.
pub fn nothing(code: &mut dyn Code, failing: &[&Tracks], suspects: &[FunctionId]) -> Weights {
    let saw = failing.iter().filter(|tracks| tracks.saw_nothing).count() as f32 / failing.len().max(1) as f32;
    let mut weights = Weights::new();
    for &function in suspects.iter().filter(|_| saw > 0.0) {
        weights.insert(function, saw * code.gives_nothing(function));
    }
    weights
}

/// How often passing tests reach each function.
pub fn passing(code: &mut dyn Code, tests: &[Target]) -> Weights {
    let mut all: HashMap<FunctionId, f32> = HashMap::new();
    for &test in tests {
        let edges = code.calls(test);
        for (function, weight) in reach(code, &edges, DECAY) {
            *all.entry(function).or_insert(0.0) += weight;
        }
    }
    all
}

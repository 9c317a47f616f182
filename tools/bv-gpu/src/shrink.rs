//! A simpler vector that breaks the same rule.
//!
//! Every round draws a batch of simpler candidates and goes on with the simplest that still breaks the rule, until
//! none does. Candidates keep to the ranges that the vectors are drawn from: what the author of the check ruled out
//! is no counterexample. The same check and device give the same vector.

use crate::draw::{Drawing, Halt};
use crate::judge::{Judge, Violation};
use crate::values::{Setting, Uniforms};
use crate::vectors::{Range, Source};
use std::cmp::Ordering;
use std::io;

/// Candidates drawn at once.
const CANDIDATES_MAX: usize = 256;
/// Rounds; each makes the vector simpler.
const ROUNDS_MAX: usize = 64;

/// The simplest vector found from `start`, with what was seen of it.
///
/// # Errors
/// Those of the worker's pipes. A device that fails meanwhile ends the search with what it has found.
pub fn shrink(
    judge: &Judge,
    drawing: &mut Drawing<'_>,
    uniforms: &Uniforms,
    source: &Source,
    start: (Setting, Violation),
) -> io::Result<(Setting, Violation)> {
    let Source::Sampled { ranges, .. } = source else { return Ok(start) };
    let mut best = start;
    for _ in 0..ROUNDS_MAX {
        let weight = weight(&best.0, uniforms);
        let mut candidates = candidates(&best.0, ranges, uniforms);
        candidates.retain(|candidate| self::weight(candidate, uniforms).less_than(&weight));
        candidates.sort_by(|a, b| self::weight(a, uniforms).order(&self::weight(b, uniforms)));
        candidates.dedup();
        candidates.truncate(CANDIDATES_MAX);
        match first_broken(judge, drawing, uniforms, candidates)? {
            Ok(Some(simpler)) => best = simpler,
            Ok(None) | Err(_) => break,
        }
    }
    Ok(best)
}

type Broken = Option<(Setting, Violation)>;

fn first_broken(
    judge: &Judge,
    drawing: &mut Drawing<'_>,
    uniforms: &Uniforms,
    candidates: Vec<Setting>,
) -> io::Result<Result<Broken, Halt>> {
    let pictures = match drawing.pictures(&candidates, uniforms)? {
        Ok(pictures) => pictures,
        Err(halt) => return Ok(Err(halt)),
    };
    let others: Vec<Setting> = candidates.iter().filter_map(|one| judge.other(one, uniforms)).collect();
    let seconds = match drawing.pictures(&others, uniforms)? {
        Ok(pictures) => pictures,
        Err(halt) => return Ok(Err(halt)),
    };
    for (n, candidate) in candidates.into_iter().enumerate() {
        let one = pictures.get(n, judge.target);
        let two = if others.is_empty() { one } else { seconds.get(n, judge.target) };
        if let Some(violation) = judge.violation([one, two], &candidate, uniforms) {
            return Ok(Ok(Some((candidate, violation))));
        }
    }
    Ok(Ok(None))
}

/// How much a reader has to take in; compared field by field.
#[derive(Debug, PartialEq)]
struct Weight {
    /// Uniforms that are not what every vector starts from.
    changed: usize,
    /// Characters of all components.
    characters: usize,
    /// Sum of the magnitudes.
    magnitude: f64,
    /// How many are below 0.
    negative: usize,
    /// The components themselves, so that no two vectors weigh the same.
    components: Vec<f64>,
}

impl Weight {
    fn order(&self, other: &Weight) -> Ordering {
        let components = || {
            let pairs = self.components.iter().zip(&other.components);
            pairs.map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        };
        self.changed
            .cmp(&other.changed)
            .then(self.characters.cmp(&other.characters))
            .then(self.magnitude.total_cmp(&other.magnitude))
            .then(self.negative.cmp(&other.negative))
            .then_with(components)
    }

    fn less_than(&self, other: &Weight) -> bool {
        self.order(other).is_lt()
    }
}

fn weight(setting: &Setting, uniforms: &Uniforms) -> Weight {
    let changed: Vec<_> = setting.iter().filter(|(n, value)| uniforms.base(**n) != &value[..]).collect();
    let components = || changed.iter().flat_map(|(_, value)| value.iter().copied());
    Weight {
        changed: changed.len(),
        characters: components().map(|value| (value as f32).to_string().len()).sum(),
        magnitude: components().map(f64::abs).sum(),
        negative: components().filter(|value| *value < 0.0).count(),
        components: components().collect(),
    }
}

fn candidates(setting: &Setting, ranges: &[(usize, Range)], uniforms: &Uniforms) -> Vec<Setting> {
    let mut candidates = Vec::new();
    let mut with = |changes: &[(usize, Vec<f64>)]| {
        let mut candidate = setting.clone();
        candidate.extend(changes.iter().cloned());
        candidates.push(candidate);
    };
    // All at once: a vector of which little matters is simple after one round.
    for simpler in [|_: f64| 0.0, f64::trunc, |v| digits(v, 1), |v| digits(v, 2), |v| digits(v, 3)] {
        let all: Vec<_> = ranges
            .iter()
            .map(|(n, range)| {
                let now = uniforms.value(setting, *n);
                (
                    *n,
                    now.iter().map(|v| Some(simpler(*v)).filter(|s| range.holds(*s)).unwrap_or(*v)).collect(),
                )
            })
            .collect();
        with(&all);
    }
    for (n, range) in ranges {
        let now = uniforms.value(setting, *n).to_vec();
        if let Range::Of(values) = range {
            let before = values.iter().take_while(|value| **value != now);
            before.for_each(|value| with(&[(*n, value.clone())]));
            continue;
        }
        let base = uniforms.base(*n);
        if base.iter().all(|value| range.holds(*value)) {
            with(&[(*n, base.to_vec())]);
        }
        for at in 0..now.len() {
            for value in simpler(now[at], base[at]) {
                if range.holds(value) && value != now[at] {
                    let mut changed = now.clone();
                    changed[at] = value;
                    with(&[(*n, changed)]);
                }
            }
        }
    }
    candidates
}

/// Values that may be simpler than `value`; the caller weighs them.
fn simpler(value: f64, base: f64) -> Vec<f64> {
    let single = |value: f64| f64::from(value as f32);
    let mut values = vec![
        0.0,
        base,
        1.0,
        -1.0,
        -value,
        value.trunc(),
        value.floor(),
        value.ceil(),
        (value / 2.0).trunc(),
        (value * 0.75).trunc(),
        value - value.signum(),
        single(value / 2.0),
        single((value + base) / 2.0),
    ];
    for many in 1..=6 {
        values.push(digits(value, many));
        // One more in the last digit, where the rule breaks only beyond a threshold.
        values.push(away(value, many));
    }
    values
}

/// `value` cut to `many` decimal digits.
fn digits(value: f64, many: i32) -> f64 {
    rounded(value, many, f64::trunc)
}

/// `value` cut to `many` decimal digits away from 0.
fn away(value: f64, many: i32) -> f64 {
    rounded(value, many, |scaled| scaled.signum() * scaled.abs().ceil())
}

fn rounded(value: f64, many: i32, round: fn(f64) -> f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let scale = many - 1 - value.abs().log10().floor() as i32;
    // Powers of ten and not their inverses, which are no 64-bit floats.
    let scaled = if scale >= 0 { value * 10_f64.powi(scale) } else { value / 10_f64.powi(-scale) };
    let cut = round(scaled);
    f64::from(if scale >= 0 { cut / 10_f64.powi(scale) } else { cut * 10_f64.powi(-scale) } as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lose_digits_toward_zero_and_away() {
        for (value, many, less, more) in [
            (3.7251, 1, 3.0, 4.0),
            (3.7251, 2, 3.7, 3.8),
            (-0.0372, 1, -0.03, -0.04),
            (1234.0, 2, 1200.0, 1300.0),
        ] {
            let single = |value: f64| f64::from(value as f32);
            assert_eq!(
                (digits(value, many), away(value, many)),
                (single(less), single(more)),
                "{value} {many}"
            );
        }
        assert_eq!(digits(0.0, 1), 0.0);
    }
}

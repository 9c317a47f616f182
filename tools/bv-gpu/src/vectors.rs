//! The vectors of a check: a list, or drawn from ranges by a generator that is the same everywhere.

use crate::check::{Domain, VECTORS_MAX, Vectors};
use crate::front::Scalar;
use crate::values::{Setting, Uniforms, fitting, flatten};

/// Vectors by index; none is kept that can be computed again.
#[derive(Debug, Clone)]
pub enum Source {
    /// The one that changes nothing.
    Base,
    /// Written out.
    List(Vec<Setting>),
    /// Drawn from ranges.
    Sampled {
        /// Where the sequence begins.
        seed: u64,
        /// How many.
        count: u64,
        /// Uniform, and what it is drawn from.
        ranges: Vec<(usize, Range)>,
    },
}

/// What a uniform is drawn from.
#[derive(Debug, Clone, PartialEq)]
pub enum Range {
    /// Each component from the first to the second, both of them 32-bit floats.
    Real(f64, f64),
    /// Each component a whole number from the first to the second.
    Whole(f64, f64),
    /// One of these.
    Of(Vec<Vec<f64>>),
}

impl Source {
    /// Reads the check's vectors.
    ///
    /// # Errors
    /// Names that no shader has, values and ranges that do not fit.
    pub fn read(vectors: Option<&Vectors>, uniforms: &mut Uniforms) -> Result<Source, String> {
        match vectors {
            None => Ok(Source::Base),
            Some(Vectors::List(list)) => {
                at_most(list.len() as u64)?;
                let settings = list.iter().map(|values| uniforms.read(values));
                Ok(Source::List(settings.collect::<Result<_, _>>()?))
            }
            Some(Vectors::Sampled(sampled)) => {
                at_most(sampled.count)?;
                let mut ranges = Vec::new();
                for (name, domain) in &sampled.uniforms {
                    ranges.push(
                        range(name, domain, uniforms)
                            .map_err(|wrong| format!("vectors: `{name}`: {wrong}"))?,
                    );
                }
                Ok(Source::Sampled { seed: sampled.seed, count: sampled.count, ranges })
            }
        }
    }

    /// How many vectors there are.
    pub fn count(&self) -> u64 {
        match self {
            Source::Base => 1,
            Source::List(list) => list.len() as u64,
            Source::Sampled { count, .. } => *count,
        }
    }

    /// The vector of this index, below [`Source::count`].
    pub fn get(&self, index: u64, uniforms: &Uniforms) -> Setting {
        match self {
            Source::Base => Setting::new(),
            Source::List(list) => list.get(index as usize).cloned().unwrap_or_default(),
            Source::Sampled { seed, ranges, .. } => {
                let value = |(n, range): &(usize, Range)| {
                    let name = hash(uniforms.name(*n));
                    (*n, range.draw(index, mixed(seed ^ name), uniforms.components(*n)))
                };
                ranges.iter().map(value).collect()
            }
        }
    }
}

impl Range {
    /// The value that vector `index` gets.
    fn draw(&self, index: u64, stream: u64, components: usize) -> Vec<f64> {
        match (self, index) {
            (Range::Of(values), _) => {
                let at = match index < 3 {
                    true => index as usize % values.len(),
                    false => (mixed(stream.wrapping_add(index)) % values.len() as u64) as usize,
                };
                values[at].clone()
            }
            (Range::Real(low, _) | Range::Whole(low, _), 0) => vec![*low; components],
            (Range::Real(_, high) | Range::Whole(_, high), 1) => vec![*high; components],
            (Range::Real(low, high) | Range::Whole(low, high), 2) => {
                vec![0.0_f64.clamp(*low, *high); components]
            }
            _ => {
                (0..components).map(|n| self.component(mixed(stream.wrapping_add(index)), n as u64)).collect()
            }
        }
    }

    fn component(&self, state: u64, n: u64) -> f64 {
        // 53 random bits: every float of [0, 1) that is a multiple of 2^-53.
        let part = (mixed(state.wrapping_add(n)) >> 11) as f64 / (1_u64 << 53) as f64;
        match self {
            Range::Real(low, high) => f64::from((low + (high - low) * part) as f32).clamp(*low, *high),
            Range::Whole(low, high) => (low + ((high - low + 1.0) * part).floor()).min(*high),
            Range::Of(_) => 0.0,
        }
    }

    /// Whether a component may have this value.
    pub fn holds(&self, value: f64) -> bool {
        match self {
            Range::Real(low, high) => (*low..=*high).contains(&value),
            Range::Whole(low, high) => value.fract() == 0.0 && (*low..=*high).contains(&value),
            Range::Of(_) => false,
        }
    }
}

fn at_most(count: u64) -> Result<(), String> {
    if count > VECTORS_MAX { Err(format!("{count} vectors, {VECTORS_MAX} at most")) } else { Ok(()) }
}

fn range(name: &str, domain: &Domain, uniforms: &mut Uniforms) -> Result<(usize, Range), String> {
    match domain {
        Domain::Range([low, high]) => {
            let n = uniforms.find(name, 1)?;
            if uniforms.scalar(n) != Scalar::Float {
                return Err("it is no float: `int` has whole numbers".into());
            }
            let (low, high) =
                (inward(*low, f32::next_up, |a, b| a < b), inward(*high, f32::next_down, |a, b| a > b));
            match low.is_finite() && high.is_finite() && low <= high {
                true => Ok((n, Range::Real(low, high))),
                false => Err("no 32-bit float lies in the range".into()),
            }
        }
        Domain::Int([low, high]) => {
            let n = uniforms.find(name, 1)?;
            let bound = |value: i64| fitting(value as f64, uniforms.scalar(n));
            let (low, high) = (bound(*low)?, bound(*high)?);
            if low <= high { Ok((n, Range::Whole(low, high))) } else { Err("the range is empty".into()) }
        }
        Domain::Of(values) => {
            let mut read = Vec::new();
            let mut at = None;
            for value in values {
                let mut components = Vec::new();
                flatten(value, &mut components)?;
                let n = uniforms.find(name, components.len())?;
                if components.len() != uniforms.components(n) {
                    return Err(format!("{value} has not {} components", uniforms.components(n)));
                }
                let scalar = uniforms.scalar(n);
                read.push(components.into_iter().map(|c| fitting(c, scalar)).collect::<Result<_, _>>()?);
                at = Some(n);
            }
            at.map(|n| (n, Range::Of(read))).ok_or_else(|| "`of` is empty".into())
        }
    }
}

/// The 32-bit float next to `bound` that does not lie outside of it.
fn inward(bound: f64, step: fn(f32) -> f32, outside: fn(f64, f64) -> bool) -> f64 {
    let near = bound as f32;
    f64::from(if outside(f64::from(near), bound) { step(near) } else { near })
}

/// SplitMix64's output function: every bit of the state moves every bit of the result.
fn mixed(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// FNV-1a, so that a uniform's values do not depend on which others there are.
fn hash(name: &str) -> u64 {
    name.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(range: &Range, stream: u64, components: usize) -> Vec<Vec<f64>> {
        (0..500).map(|index| range.draw(index, stream, components)).collect()
    }

    #[test]
    fn the_first_three_are_the_ends_and_zero() {
        assert_eq!(drawn(&Range::Real(-2.0, 5.0), 1, 2)[..3], [[-2.0, -2.0], [5.0, 5.0], [0.0, 0.0]]);
        assert_eq!(drawn(&Range::Whole(3.0, 5.0), 1, 1)[..3], [[3.0], [5.0], [3.0]]);
    }

    #[test]
    fn values_keep_to_their_range_and_to_32_bits() {
        for value in drawn(&Range::Real(0.1_f32.into(), 0.7_f32.into()), 9, 3).concat() {
            assert!(
                (f64::from(0.1_f32)..=f64::from(0.7_f32)).contains(&value)
                    && f64::from(value as f32) == value
            );
        }
        let mut whole: Vec<i64> =
            drawn(&Range::Whole(-1.0, 2.0), 9, 3).concat().iter().map(|v| *v as i64).collect();
        whole.sort_unstable();
        whole.dedup();
        assert_eq!(whole, [-1, 0, 1, 2]);
        let of = Range::Of(vec![vec![1.0], vec![4.0]]);
        assert!(drawn(&of, 3, 1).iter().any(|v| *v == [4.0]) && drawn(&of, 3, 1)[0] == [1.0]);
    }

    /// A receipt's vector must be found again, on any machine and in any later version.
    #[test]
    fn the_same_seed_gives_the_same_values_for_ever() {
        let range = Range::Real(-10.0, 10.0);
        let stream = mixed(7 ^ hash("u_x"));
        assert_eq!(drawn(&range, stream, 1)[3..6], [PINNED[0], PINNED[1], PINNED[2]].map(|v| vec![v]));
        assert_ne!(drawn(&range, mixed(8 ^ hash("u_x")), 1)[3..], drawn(&range, stream, 1)[3..]);
    }

    const PINNED: [f64; 3] = [8.18578815460205, -4.849029064178467, -9.359963417053223];

    #[test]
    fn bounds_move_inward_to_32_bits() {
        assert!(inward(0.1, f32::next_up, |a, b| a < b) >= 0.1);
        assert!(inward(0.1, f32::next_down, |a, b| a > b) <= 0.1);
        assert_eq!(inward(0.5, f32::next_up, |a, b| a < b), 0.5);
    }
}

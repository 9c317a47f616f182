//! What a test reaches: the best path to each function, as the product of its edges.

use super::code::{Code, Edge, FunctionId, Target};
use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

/// Calls behind each other that are followed.
const DEPTH_MAX: u32 = 3;
/// Below this a path is no evidence.
const WEIGHT_MIN: f32 = 0.02;
/// Functions that one test is followed into.
const FUNCTIONS_MAX: usize = 2_000;

/// Weights of functions.
pub type Weights = HashMap<FunctionId, f32>;

#[derive(PartialEq)]
struct Step {
    weight: f32,
    depth: u32,
    /// Of equal weights the one found first.
    nth: u32,
    to: Target,
}

impl Eq for Step {}

impl Ord for Step {
    fn cmp(&self, other: &Step) -> Ordering {
        self.weight.total_cmp(&other.weight).then(other.depth.cmp(&self.depth)).then(other.nth.cmp(&self.nth))
    }
}

impl PartialOrd for Step {
    fn partial_cmp(&self, other: &Step) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The weight of each function that `roots` lead to; `decay` is what a call inside the product costs.
pub fn reach(code: &mut dyn Code, roots: &[Edge], decay: f32) -> Weights {
    let mut open: BinaryHeap<Step> = BinaryHeap::new();
    let mut nth = 0;
    for root in roots {
        open.push(Step { weight: root.weight, depth: 0, nth, to: root.to });
        nth += 1;
    }
    let mut done: HashMap<Target, f32> = HashMap::new();
    let mut reached = Weights::new();
    while let Some(Step { weight, depth, to, .. }) = open.pop() {
        if done.contains_key(&to) || done.len() >= FUNCTIONS_MAX {
            continue;
        }
        done.insert(to, weight);
        let best = reached.entry(to.function).or_insert(0.0);
        *best = best.max(weight);
        if depth >= DEPTH_MAX || weight < WEIGHT_MIN {
            continue;
        }
        let step = if code.about(to.function).is_test { 1.0 } else { decay };
        for edge in &*code.calls(to) {
            let next = weight * edge.weight * step;
            if next >= WEIGHT_MIN && !done.contains_key(&edge.to) {
                open.push(Step { weight: next, depth: depth + 1, nth, to: edge.to });
                nth += 1;
            }
        }
    }
    reached
}

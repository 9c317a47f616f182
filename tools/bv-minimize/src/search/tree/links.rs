//! Numbers that tell how long or how large something else is.
//!
//! In: a tree and the containers or strings that are going to change. Out: after the change, the numbers that told
//! their length or their sum moved by as much. Whether a number really tells it is for the oracle to say.

use super::Edited;
use crate::shapes::{Change, Changes, Kind, Moved, Tree};
use std::collections::BTreeMap;

/// A number far away is taken for a length only where few others equal it.
const FAR_MAX: usize = 4;
/// Small numbers are everywhere.
const FAR_LENGTH_MIN: usize = 3;
const DECIMALS: usize = 6;
/// Numbers are counted in millionths.
pub(super) const ONE: i128 = 1_000_000;

/// What was found; nothing by default.
#[derive(Default)]
pub(super) struct Links(Vec<Link>);

struct Link {
    target: usize,
    measure: Measure,
}

#[derive(Clone)]
enum Measure {
    /// The items of a container.
    Count(usize),
    /// The characters of a string.
    Characters(usize),
    /// The bytes of a string.
    Bytes(usize),
    /// Numbers that lie alike under one list.
    Sum(Vec<usize>),
    /// The items of containers that lie alike under one list.
    Total(Vec<usize>),
}

impl Links {
    /// Finds the numbers that tell of one of `changing`.
    pub fn of(tree: &Tree, changing: &[usize]) -> Self {
        if changing.is_empty() {
            return Self::default();
        }
        let parents = tree.parents();
        let mut numbers: BTreeMap<i128, Vec<usize>> = BTreeMap::new();
        for at in 0..tree.nodes.len() {
            if let Some(value) = number(tree, at) {
                numbers.entry(value).or_default().push(at);
            }
        }
        let mut links = Vec::new();
        for &at in changing {
            for measure in measures(at, tree) {
                let targets = lengths(tree, &parents, &numbers, at, measure.of(tree));
                links.extend(targets.into_iter().map(|target| Link { target, measure: measure.clone() }));
            }
        }
        for measure in alike(tree, &parents, changing) {
            let total = measure.of(tree);
            let equal = numbers.get(&total).map_or(&[][..], Vec::as_slice);
            let others: Vec<usize> = equal.iter().copied().filter(|&at| !measure.is_of(at)).collect();
            if total != 0 && others.len() <= FAR_MAX {
                links.extend(others.into_iter().map(|target| Link { target, measure: measure.clone() }));
            }
        }
        Self(links)
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Moves the numbers by as much as what they tell of has moved from `old` to `new`.
    pub fn repair(&self, old: &Tree, new: Edited) -> Edited {
        let mut changes: BTreeMap<usize, i128> = BTreeMap::new();
        for link in &self.0 {
            let Some(target) = new.moved[link.target] else { continue };
            let Some(after) = link.measure.after(&new.tree, &new.moved) else { continue };
            let by = after - link.measure.of(old);
            if by != 0
                && let Some(value) = number(old, link.target)
            {
                changes.insert(target, value + by);
            }
        }
        if changes.is_empty() {
            return new;
        }
        let texts =
            changes.into_iter().map(|(at, value)| (at, Change::Text(written(value).as_slice().into())));
        let tree = new.tree.with(&texts.collect::<Changes>());
        Edited { tree, moved: new.moved }
    }
}

impl Measure {
    fn of(&self, tree: &Tree) -> i128 {
        let text = |at: usize| &tree.nodes[at].text;
        match self {
            Self::Count(at) => tree.children(*at).count() as i128 * ONE,
            Self::Characters(at) => String::from_utf8_lossy(text(*at)).chars().count() as i128 * ONE,
            Self::Bytes(at) => text(*at).len() as i128 * ONE,
            Self::Sum(group) => group.iter().filter_map(|&at| number(tree, at)).sum(),
            Self::Total(group) => group.iter().map(|&at| tree.children(at).count() as i128 * ONE).sum(),
        }
    }

    /// Of the changed tree; nothing where what is measured is gone.
    fn after(&self, tree: &Tree, moved: &Moved) -> Option<i128> {
        let there = match self {
            Self::Count(at) => Self::Count(moved[*at]?),
            Self::Characters(at) => Self::Characters(moved[*at]?),
            Self::Bytes(at) => Self::Bytes(moved[*at]?),
            Self::Sum(group) => Self::Sum(group.iter().filter_map(|&at| moved[at]).collect()),
            Self::Total(group) => Self::Total(group.iter().filter_map(|&at| moved[at]).collect()),
        };
        Some(there.of(tree))
    }

    /// Whether it is the measure of this node, among others.
    fn is_of(&self, at: usize) -> bool {
        matches!(self, Self::Sum(group) | Self::Total(group) if group.contains(&at))
    }
}

fn measures(at: usize, tree: &Tree) -> Vec<Measure> {
    match &tree.nodes[at] {
        node if node.is_container() => vec![Measure::Count(at)],
        node if matches!(node.kind, Kind::String | Kind::Field) && node.text.is_ascii() => {
            vec![Measure::Bytes(at)]
        }
        node if matches!(node.kind, Kind::String | Kind::Field) => {
            vec![Measure::Characters(at), Measure::Bytes(at)]
        }
        _ => Vec::new(),
    }
}

/// The numbers that are `length`: beside what is measured also one off, or another number beside it more.
fn lengths(
    tree: &Tree,
    parents: &[usize],
    numbers: &BTreeMap<i128, Vec<usize>>,
    at: usize,
    length: i128,
) -> Vec<usize> {
    let beside: Vec<usize> = tree.children(parents[at]).filter(|&other| other != at && at != 0).collect();
    let values: Vec<i128> = beside.iter().filter_map(|&other| number(tree, other)).collect();
    let exact = numbers.get(&length).map_or(&[][..], Vec::as_slice);
    let near = |&other: &usize| {
        number(tree, other).is_some_and(|value| {
            let one_off = (value - length).abs() == ONE && length >= FAR_LENGTH_MIN as i128 * ONE;
            value == length || one_off || length >= ONE && value != 0 && values.contains(&(value - length))
        })
    };
    let mut found: Vec<usize> = beside.iter().copied().filter(near).collect();
    if found.is_empty() && length >= FAR_LENGTH_MIN as i128 * ONE && exact.len() <= FAR_MAX {
        found = exact.to_vec();
    }
    found
}

/// Sums of numbers and totals of items: of what lies alike under one of the lists that change, or with what changes.
fn alike(tree: &Tree, parents: &[usize], changing: &[usize]) -> Vec<Measure> {
    let list = |at: usize| matches!(tree.nodes[at].kind, Kind::Array | Kind::Lines(_) | Kind::Object);
    let mut groups: BTreeMap<(usize, bool, Vec<u8>), Vec<usize>> = BTreeMap::new();
    for at in 1..tree.nodes.len() {
        let holds = tree.nodes[at].kind == Kind::Array;
        if !holds && number(tree, at).is_none() {
            continue;
        }
        // An element itself, or a member or field of an element.
        let parent = parents[at];
        let key = tree.nodes[at].key.as_deref().unwrap_or_default();
        let (of, name) = match tree.nodes[parent].kind {
            Kind::Array => (parent, Vec::new()),
            Kind::Object if parent != 0 && list(parents[parent]) => (parents[parent], key.to_vec()),
            Kind::Record(_) => {
                let column = tree.children(parent).take_while(|&field| field != at).count();
                (parents[parent], column.to_string().into_bytes())
            }
            _ => continue,
        };
        groups.entry((of, holds, name)).or_default().push(at);
    }
    let concerned =
        |list: usize, group: &[usize]| changing.iter().any(|at| *at == list || group.contains(at));
    let groups = groups.into_iter().filter(|((list, ..), group)| group.len() > 1 && concerned(*list, group));
    groups
        .map(|((_, holds, _), group)| if holds { Measure::Total(group) } else { Measure::Sum(group) })
        .collect()
}

/// A number in millionths, also where it is spelt in a string or a field; nothing where it has more digits.
pub(super) fn number(tree: &Tree, at: usize) -> Option<i128> {
    let node = &tree.nodes[at];
    if !matches!(node.kind, Kind::Number | Kind::String | Kind::Field) || node.text.len() > 24 {
        return None;
    }
    let text = std::str::from_utf8(&node.text).ok()?;
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let digits = whole.strip_prefix('-').unwrap_or(whole);
    let plain = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if digits.is_empty() || !plain(digits) || !plain(decimals) || decimals.len() > DECIMALS {
        return None;
    }
    let fraction: i128 = format!("{decimals:0<DECIMALS$}").parse().ok()?;
    let value = whole.parse::<i128>().ok()? * ONE;
    Some(if whole.starts_with('-') { value - fraction } else { value + fraction })
}

/// The spelling of so many millionths.
pub(super) fn written(millionths: i128) -> Vec<u8> {
    let sign = if millionths < 0 { "-" } else { "" };
    let (whole, fraction) = (millionths.abs() / ONE, millionths.abs() % ONE);
    let fraction = format!("{fraction:0DECIMALS$}");
    match fraction.trim_end_matches('0') {
        "" => format!("{sign}{whole}"),
        fraction => format!("{sign}{whole}.{fraction}"),
    }
    .into_bytes()
}

//! Several numbers at once: their sum in their place, all lower by as much, one up so that another may go down.
//!
//! In: a document at rest. Out: the document after the first of these that the oracle accepts.

use super::super::session::Step;
use super::Doc;
use super::links::{number, written};
use crate::shapes::{Change, Changes, Kind, Node, Tree};
use std::collections::{BTreeMap, BTreeSet};

/// How many candidates one way makes.
const TRIES_MAX: usize = 48;

impl Doc<'_, '_> {
    /// Tries the ways in turn.
    pub(super) fn numbers(&mut self) -> Step<bool> {
        for ways in [sums(&self.tree), self.shifts(), trades(&self.tree), exponents(&self.tree)] {
            if self.first(ways.into_iter().take(TRIES_MAX).collect())?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Groups of numbers, each lowered by its smallest: those at one place, those of one container, pairs of
    /// these, all of them.
    fn shifts(&self) -> Vec<Changes> {
        let (places, parents) = (self.places(), self.tree.parents());
        let long: Vec<usize> = (0..places.len()).filter(|&at| is_long(&self.tree, at)).collect();
        let mut groups: BTreeSet<Vec<usize>> = BTreeSet::new();
        let mut together: BTreeMap<(bool, u64), Vec<usize>> = BTreeMap::new();
        for &at in &long {
            together.entry((false, places[at])).or_default().push(at);
            together.entry((true, parents[at] as u64)).or_default().push(at);
        }
        for ((beside, _), group) in together {
            if beside {
                groups.extend(
                    group
                        .iter()
                        .enumerate()
                        .flat_map(|(n, &a)| group[n + 1..].iter().map(move |&b| vec![a, b])),
                );
            }
            groups.insert(group);
        }
        groups.insert(long);
        let mut groups: Vec<_> = groups.into_iter().filter(|group| group.len() > 1).collect();
        groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
        groups.iter().filter_map(|group| shifted(&self.tree, group)).collect()
    }
}

/// Whether a number has two digits or more.
fn is_long(tree: &Tree, at: usize) -> bool {
    tree.nodes[at].text.len() > 1 && number(tree, at).is_some()
}

/// The group with its smallest at 0 and the others as far from it as they were.
fn shifted(tree: &Tree, group: &[usize]) -> Option<Changes> {
    let values: Vec<i128> = group.iter().filter_map(|&at| number(tree, at)).collect();
    let least = *values.iter().min().filter(|least| **least != 0)?;
    let change = |(&at, value): (&usize, &i128)| (at, Change::Text(written(value - least).as_slice().into()));
    Some(group.iter().zip(&values).map(change).collect())
}

/// For each array of numbers the array of their sum.
fn sums(tree: &Tree) -> Vec<Changes> {
    let sum = |at: usize| {
        let items: Option<Vec<i128>> = tree.children(at).map(|item| number(tree, item)).collect();
        let items = items.filter(|items| items.len() > 1 && tree.nodes[at].kind == Kind::Array)?;
        let mut nodes =
            vec![tree.nodes[at].clone(), Node::scalar(Kind::Number, &written(items.iter().sum()))];
        nodes[0].span = 2;
        Some(vec![(at, Change::Put(nodes))])
    };
    (0..tree.nodes.len()).filter_map(sum).collect()
}

/// For each pair of numbers: one as large as its digits allow, the other with one digit less.
fn trades(tree: &Tree) -> Vec<Changes> {
    let nines = |count: usize| Change::Text("9".repeat(count).as_bytes().into());
    let whole =
        |at: usize| tree.nodes[at].kind == Kind::Number && tree.nodes[at].text.iter().all(u8::is_ascii_digit);
    let numbers: Vec<usize> = (0..tree.nodes.len()).filter(|&at| whole(at)).collect();
    let mut trades = Vec::new();
    for &down in &numbers {
        let digits = tree.nodes[down].text.len();
        for &up in numbers.iter().filter(|&&up| up != down && digits > 1) {
            let mut changes = vec![(up, nines(tree.nodes[up].text.len())), (down, nines(digits - 1))];
            changes.sort_by_key(|(at, _)| *at);
            trades.push(changes);
        }
    }
    trades
}

/// For each number the spellings with an exponent that are shorter.
fn exponents(tree: &Tree) -> Vec<Changes> {
    let spelt = |at: usize| {
        let text = std::str::from_utf8(&tree.nodes[at].text).unwrap_or_default();
        let (sign, body) = text.strip_prefix('-').map_or(("", text), |body| ("-", body));
        let (whole, decimals) = body.split_once('.').unwrap_or((body, ""));
        let zeros = decimals.len() - decimals.trim_start_matches('0').len();
        let (first, exponent) = if whole == "0" {
            (decimals[zeros..].chars().next(), format!("-{}", zeros + 1))
        } else {
            (whole.chars().next(), whole.len().saturating_sub(1).to_string())
        };
        let digit = first.and_then(|first| first.to_digit(10)).unwrap_or(0);
        let fits = tree.nodes[at].kind == Kind::Number && number(tree, at).is_some() && digit > 0;
        let next = [digit, (digit + 1).min(9)].map(|digit| format!("{sign}{digit}e{exponent}"));
        next.into_iter().filter(move |new| fits && new.len() < text.len())
    };
    let change = |at: usize, new: String| vec![(at, Change::Text(new.as_bytes().into()))];
    (0..tree.nodes.len())
        .flat_map(|at| spelt(at).map(move |new| change(at, new)).collect::<Vec<_>>())
        .collect()
}

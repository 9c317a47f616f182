//! Items that belong together because one names the other: by a value that both have, or by its index.
//!
//! In: a document at rest. Out: the document without the items that mention some value, or without some items of
//! a list while the indexes into it still point to what they pointed to.

use super::super::plan::{Drop, Kept};
use super::super::session::Step;
use super::Doc;
use super::links::{number, written};
use crate::shapes::{Change, Changes, Kind, Text, Tree};
use std::collections::{BTreeMap, BTreeSet};

/// Values looked at.
const VALUES_MAX: usize = 256;
/// How many lists in a row of items that stay end the trying.
const PATIENCE: usize = 6;
/// Numbers are counted in millionths.
const ONE: i128 = 1_000_000;

impl Doc<'_, '_> {
    /// Both, where they have not been in vain before.
    pub(super) fn groups(&mut self) -> Step<()> {
        self.session.pass("groups");
        if self.worth("mentions", 0) {
            let fruit = self.mentions()?;
            self.learn("mentions", 0, fruit);
        }
        if self.worth("indexes", 0) {
            let fruit = self.indexes()?;
            self.learn("indexes", 0, fruit);
        }
        Ok(())
    }

    /// Drops all items that mention a value, for as many values as can be.
    fn mentions(&mut self) -> Step<bool> {
        let values = values(&self.tree);
        let mut plan = Drop::of(values.len(), PATIENCE);
        self.run(&mut plan, &|_, kept: &Kept| {
            let flags = kept.flags(values.len());
            let gone = values.iter().zip(flags).filter(|(_, kept)| !kept).flat_map(|(items, _)| items);
            Some(gone.copied().collect::<BTreeSet<_>>().into_iter().map(|at| (at, Change::Drop)).collect())
        })
    }

    /// Drops items of lists and renumbers what points into them; what pointed to an item that goes, goes too.
    fn indexes(&mut self) -> Step<bool> {
        let mut at = 0;
        let mut changed = false;
        while at < self.tree.nodes.len() {
            let items = self.tree.children(at).count();
            let list = matches!(self.tree.nodes[at].kind, Kind::Array | Kind::Lines(_) | Kind::Object);
            let pointers = if list && items > 1 { self.pointers(at, items) } else { Vec::new() };
            if !pointers.is_empty() {
                let mut plan = Drop::of(items, PATIENCE);
                changed |= self.run(&mut plan, &|tree, kept| {
                    Some(renumbered(tree, at, &kept.flags(items), &pointers))
                })?;
            }
            at += 1;
        }
        Ok(changed)
    }

    /// The numbers that may be indexes into the list, and what the first index is: all numbers at one place lie
    /// within, from 0 or from 1 or, where the items number themselves, from anywhere.
    fn pointers(&self, list: usize, items: usize) -> Vec<(usize, i128)> {
        let places = self.places();
        let mut groups: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for at in 0..self.tree.nodes.len() {
            if self.tree.nodes[at].kind == Kind::Number {
                groups.entry(places[at]).or_default().push(at);
            }
        }
        let inside = |at: usize| at > list && at < list + self.tree.nodes[list].span;
        let mut pointers = Vec::new();
        for group in groups.into_values().filter(|group| group.len() > 1) {
            let values: Vec<i128> = group.iter().filter_map(|&at| number(&self.tree, at)).collect();
            let own = group.len() == items
                && values.windows(2).all(|w| w[1] - w[0] == ONE)
                && group.iter().all(|&at| inside(at));
            let within = |first: i128| {
                values.iter().all(|v| v % ONE == 0 && (first..first + items as i128).contains(&(v / ONE)))
            };
            let first = match (own, values.len() == group.len()) {
                (true, true) => values[0] / ONE,
                (false, true) if within(0) => 0,
                (false, true) if within(1) => 1,
                _ => continue,
            };
            pointers.extend(group.iter().map(|&at| (at, first)));
        }
        pointers
    }
}

/// Of each value that stands at several spots, or that is a member's name too, the items that mention it.
fn values(tree: &Tree) -> Vec<Vec<usize>> {
    let parents = tree.parents();
    let mut spots: BTreeMap<Text, BTreeSet<usize>> = BTreeMap::new();
    for (at, node) in tree.nodes.iter().enumerate().skip(1) {
        if !node.is_container() && node.kind != Kind::Word {
            spots.entry(node.text.clone()).or_default().insert(item(tree, &parents, at));
        }
    }
    for (at, node) in tree.nodes.iter().enumerate() {
        if let Some(items) = node.key.as_ref().and_then(|key| spots.get_mut(key)) {
            items.insert(at);
        }
    }
    let mut values: Vec<Vec<usize>> = spots
        .into_values()
        .filter(|items| items.len() > 1 && !items.contains(&0))
        .map(|items| items.into_iter().collect())
        .collect();
    // Together with the last, the largest goes first: the plan begins at the end.
    values.sort_by_key(|items| items.iter().map(|&item| tree.nodes[item].span).sum::<usize>());
    let skip = values.len().saturating_sub(VALUES_MAX);
    values.split_off(skip)
}

/// The element, line or record that a node lies in, or the member of the whole.
fn item(tree: &Tree, parents: &[usize], mut at: usize) -> usize {
    while at != 0 && tree.nodes[parents[at]].kind == Kind::Object && parents[at] != 0
        || matches!(tree.nodes[parents[at]].kind, Kind::Record(_))
    {
        at = parents[at];
    }
    at
}

fn renumbered(tree: &Tree, list: usize, flags: &[bool], pointers: &[(usize, i128)]) -> Changes {
    let parents = tree.parents();
    let index: Vec<i128> =
        flags.iter().scan(0, |next, kept| Some(std::mem::replace(next, *next + i128::from(*kept)))).collect();
    let mut changes: BTreeMap<usize, Change> = BTreeMap::new();
    for &(at, first) in pointers {
        let Some(old) = number(tree, at).and_then(|value| usize::try_from(value / ONE - first).ok()) else {
            continue;
        };
        if flags.get(old).copied().unwrap_or(false) {
            changes.insert(at, Change::Text(written((index[old] + first) * ONE).as_slice().into()));
        } else {
            changes.insert(item(tree, &parents, at), Change::Drop);
        }
    }
    for (child, kept) in tree.children(list).zip(flags) {
        if !kept {
            changes.insert(child, Change::Drop);
        }
    }
    changes.into_iter().collect()
}

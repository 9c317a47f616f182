//! Items that belong together because one names the other: by a value that both have, or by its index.
//!
//! In: a document at rest. Out: the document without the items that mention some value, or without some items of
//! a list while the indexes into it still point to what they pointed to.

use super::super::plan::{Drop, Kept};
use super::super::session::Step;
use super::Doc;
use super::links::{ONE, number, written};
use crate::shapes::{Change, Changes, Kind, Text, Tree};
use std::collections::{BTreeMap, BTreeSet};

/// Values looked at.
const VALUES_MAX: usize = 256;
/// Lists looked at.
const LISTS_MAX: usize = 16;
/// Places looked at for one list.
const POINTERS_MAX: usize = 4;
/// How many items in a row may stay of a list that is pointed into.
const INDEX_PATIENCE: usize = 2;
/// How many values in a row may stay.
const PATIENCE: usize = 6;

impl Doc<'_, '_> {
    /// All of these and tables, where they have not been in vain before.
    pub(super) fn groups(&mut self) -> Step<()> {
        self.session.pass("groups");
        if self.worth("mentions", 0) {
            let fruit = self.mentions()?;
            self.learn("mentions", 0, fruit);
        }
        if self.worth("tables", 0) {
            let fruit = self.tables()?;
            self.learn("tables", 0, fruit);
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
    pub(super) fn indexes(&mut self) -> Step<bool> {
        let mut changed = false;
        let mut groups = self.integers();
        let mut at = 0;
        let mut lists = 0;
        while at < self.tree.nodes.len() && lists < LISTS_MAX && !groups.is_empty() {
            let list = at;
            at += 1;
            let items = self.tree.children(list).count();
            if items < 2 || !matches!(self.tree.nodes[list].kind, Kind::Array | Kind::Lines(_)) {
                continue;
            }
            let choices = choices(&self.tree, &groups, list, items);
            lists += usize::from(!choices.is_empty());
            let owners = Owners::of(&self.tree);
            for pointers in choices {
                let mut plan = Drop::of(items, INDEX_PATIENCE);
                if self.run(&mut plan, &|tree, kept| {
                    Some(renumbered(tree, &owners, list, &kept.flags(items), &pointers))
                })? {
                    changed = true;
                    groups = self.integers();
                    break;
                }
            }
        }
        Ok(changed)
    }

    /// The integers at each place.
    fn integers(&self) -> Vec<Integers> {
        let places = self.places();
        let mut groups: BTreeMap<u64, Vec<(usize, i128)>> = BTreeMap::new();
        for (at, place) in places.into_iter().enumerate() {
            if self.tree.nodes[at].kind == Kind::Number {
                // What is no integer spoils its group.
                let value = number(&self.tree, at)
                    .filter(|value| value % ONE == 0)
                    .map_or(i128::MIN, |value| value / ONE);
                groups.entry(place).or_default().push((at, value));
            }
        }
        groups.into_values().filter_map(Integers::of).collect()
    }
}

/// What may point into the list: all places outside it together, each place by itself, all together.
fn choices(tree: &Tree, groups: &[Integers], list: usize, items: usize) -> Vec<Pointers> {
    let found: Vec<Pointers> =
        groups.iter().filter_map(|group| group.into(tree, list, items)).take(POINTERS_MAX).collect();
    let inside = |at: usize| at >= list && at < list + tree.nodes[list].span;
    let outside = |pointers: &&Pointers| pointers.iter().all(|(at, _)| !inside(*at));
    let mut choices = vec![found.iter().filter(outside).flatten().copied().collect()];
    choices.extend(found.iter().cloned());
    choices.push(found.concat());
    let mut seen: BTreeSet<Pointers> = BTreeSet::new();
    choices.retain(|choice: &Pointers| !choice.is_empty() && seen.insert(choice.clone()));
    choices
}

/// Numbers and, of each, what the first index would be.
type Pointers = Vec<(usize, i128)>;

/// The integers at one place: nodes and values.
struct Integers {
    all: Vec<(usize, i128)>,
    least: i128,
    most: i128,
}

impl Integers {
    /// Nothing where they are all equal or not all integers.
    fn of(all: Vec<(usize, i128)>) -> Option<Self> {
        let least = all.iter().map(|(_, value)| *value).min()?;
        let most = all.iter().map(|(_, value)| *value).max()?;
        (least < most && least > i128::MIN).then_some(Self { all, least, most })
    }

    /// They may be indexes into the list: all lie within, from 0 or from 1, or the items number themselves, from
    /// anywhere.
    fn into(&self, tree: &Tree, list: usize, items: usize) -> Option<Pointers> {
        let within = |first: i128| self.least >= first && self.most < first + items as i128;
        let inside = |at: usize| at > list && at < list + tree.nodes[list].span;
        let own = self.all.len() == items && self.most - self.least + 1 == items as i128;
        let first = match () {
            () if own
                && self.all.windows(2).all(|w| w[0].1 + 1 == w[1].1)
                && self.all.iter().all(|(at, _)| inside(*at)) =>
            {
                self.least
            }
            () if within(0) => 0,
            () if within(1) => 1,
            () => return None,
        };
        Some(self.all.iter().map(|(at, _)| (*at, first)).collect())
    }
}

/// Of each value that stands at several spots, or that is a member's name too, the items that mention it.
fn values(tree: &Tree) -> Vec<Vec<usize>> {
    let owners = Owners::of(tree);
    let mut spots: BTreeMap<Text, BTreeSet<usize>> = BTreeMap::new();
    for (at, node) in tree.nodes.iter().enumerate().skip(1) {
        if !node.is_container() && node.kind != Kind::Word {
            spots.entry(node.text.clone()).or_default().insert(owners.item(tree, at));
        }
    }
    for (at, node) in tree.nodes.iter().enumerate() {
        if let Some(items) = node.key.as_ref().and_then(|key| spots.get_mut(key)) {
            items.insert(at);
        }
    }
    let several = |items: &BTreeSet<usize>| items.len() > 1 && !items.contains(&0);
    let mut values: Vec<Vec<usize>> =
        spots.into_values().filter(several).map(|items| items.into_iter().collect()).collect();
    // The plan begins at the end: with what is largest.
    values.sort_by_key(|items| items.iter().map(|&item| tree.nodes[item].span).sum::<usize>());
    values.split_off(values.len().saturating_sub(VALUES_MAX))
}

/// Which item of a list each node belongs to.
struct Owners {
    parents: Vec<usize>,
    /// Lists whose items are equally long lists: the rows of a table.
    table: Vec<bool>,
}

impl Owners {
    fn of(tree: &Tree) -> Self {
        let row = |at: usize| (tree.nodes[at].kind == Kind::Array).then(|| tree.children(at).count());
        let table = |at: usize| {
            let rows: BTreeSet<Option<usize>> = tree.children(at).map(row).collect();
            matches!(tree.nodes[at].kind, Kind::Array | Kind::Lines(_))
                && rows.len() == 1
                && rows.first().is_some_and(|row| row.is_some_and(|n| n > 1))
        };
        Self { parents: tree.parents(), table: (0..tree.nodes.len()).map(table).collect() }
    }

    /// The element, line, record or row that a node lies in, or the member of the whole.
    fn item(&self, tree: &Tree, mut at: usize) -> usize {
        while at != 0 {
            let parent = self.parents[at];
            let within = match tree.nodes[parent].kind {
                Kind::Object | Kind::Quoted => parent != 0,
                Kind::Record(_) => true,
                _ => parent != 0 && self.table[self.parents[parent]],
            };
            if !within {
                break;
            }
            at = parent;
        }
        at
    }
}

fn renumbered(tree: &Tree, owners: &Owners, list: usize, flags: &[bool], pointers: &Pointers) -> Changes {
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
            changes.insert(owners.item(tree, at), Change::Drop);
        }
    }
    for (child, kept) in tree.children(list).zip(flags) {
        if !kept {
            changes.insert(child, Change::Drop);
        }
    }
    changes.into_iter().collect()
}

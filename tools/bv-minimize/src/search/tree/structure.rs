//! Leaves out, and puts smaller parts in the place of larger ones.
//!
//! In: the document. Out: the document with fewer members, elements, lines and columns. Places are taken in the
//! order of their size; nodes at one place (the records of an array) are first reduced together, since
//! what one does not need the others seldom do.

use super::super::plan::{Bisect, Drop, Kept};
use super::super::session::Step;
use super::links::Links;
use super::{Doc, FRUITLESS_MAX, edited, hash};
use crate::shapes::{Change, Changes, Kind, Node, Text, Tree};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// How many parts are tried in the place of one.
const HOISTS_MAX: usize = 8;
/// From so many parts nested in each other on, their depth is bisected.
const DIVE_MIN: usize = 8;
/// A length from which a number equal to it is taken for it first.
const LENGTH_MIN: usize = 4;

/// How many items go as one where nothing else tells.
const RUN: usize = 2;
/// How many runs in a row may stay where none went.
const RUNS_PATIENCE: usize = 4;

/// How a list's items go.
#[derive(Clone, Copy)]
struct Way {
    /// Numbers that tell a length or a sum are kept true.
    linked: bool,
    /// From all lists of this length the same items go.
    together: bool,
}

const ALONE: Way = Way { linked: false, together: false };
const LINKED: Way = Way { linked: true, together: false };
const TOGETHER: Way = Way { linked: true, together: true };

impl Doc<'_, '_> {
    /// One round over all places.
    pub(super) fn structure(&mut self) -> Step<()> {
        self.session.pass("structure");
        let mut done = HashSet::new();
        while let Some((place, nodes)) = self.largest(&done) {
            done.insert(place);
            if nodes.len() > 1 {
                self.columns(place, &nodes)?;
                let nodes = self.at(place);
                self.one_by_one(&nodes)?;
            } else {
                self.one_by_one(&nodes)?;
            }
        }
        Ok(())
    }

    /// The containers at the place where most bytes lie, of those not yet done.
    fn largest(&self, done: &HashSet<u64>) -> Option<(u64, Vec<usize>)> {
        let (places, sizes) = (self.places(), self.tree.sizes());
        let mut found: BTreeMap<u64, (usize, Vec<usize>)> = BTreeMap::new();
        for (at, node) in self.tree.nodes.iter().enumerate() {
            if node.span > 1 && !done.contains(&places[at]) {
                let (size, nodes) = found.entry(places[at]).or_default();
                *size += sizes[at];
                nodes.push(at);
            }
        }
        // Of equally large ones the first in the document.
        let largest = found.into_iter().max_by_key(|(_, (size, nodes))| (*size, std::cmp::Reverse(nodes[0])));
        largest.map(|(place, (_, nodes))| (place, nodes))
    }

    fn at(&self, place: u64) -> Vec<usize> {
        let places = self.places();
        (0..places.len()).filter(|&at| places[at] == place && self.tree.nodes[at].span > 1).collect()
    }

    fn one_by_one(&mut self, nodes: &[usize]) -> Step<()> {
        let below = self.marks.len();
        self.marks.extend(nodes.iter().copied().map(Some));
        let mut fruitless = 0;
        for mark in below..self.marks.len() {
            let Some(at) = self.marks[mark] else { continue };
            let fruit = self.node(at, mark)?;
            fruitless = if fruit { 0 } else { fruitless + 1 };
            if fruitless >= FRUITLESS_MAX && !self.thorough {
                break;
            }
        }
        self.marks.truncate(below);
        Ok(())
    }

    /// One container: nothing in its place, a part of it in its place, less in it.
    fn node(&mut self, at: usize, mark: usize) -> Step<bool> {
        let form = form(&self.tree, at);
        let mut fruit = false;
        let kind = self.tree.nodes[at].kind;
        if (kind == Kind::Object || at == 0 && kind == Kind::Array || kind == Kind::Quoted)
            && self.worth("nothing", form)
        {
            let gone = self.first(vec![vec![(at, zero())]])?.is_some();
            self.learn("nothing", form, gone);
            if gone {
                return Ok(true);
            }
        }
        fruit |= self.dive(at)?;
        while self.worth("hoist", form) {
            let parts = alike(&self.tree, at).into_iter();
            let hoists = parts.map(|part| vec![(at, Change::Put(self.tree.cut(part)))]).collect();
            let hoisted = self.first(hoists)?.is_some();
            self.learn("hoist", form, hoisted);
            fruit |= hoisted;
            if !hoisted {
                break;
            }
        }
        if self.worth("drop", form) {
            let dropped = self.drop_any(mark)?;
            self.learn("drop", form, dropped);
            fruit |= dropped;
        }
        Ok(fruit)
    }

    /// Of parts nested in each other that are alike, the deepest that does.
    fn dive(&mut self, at: usize) -> Step<bool> {
        let mut chain = vec![at];
        while let Some(next) = chain.last().and_then(|&last| alike(&self.tree, last).first().copied()) {
            chain.push(next);
        }
        if chain.len() < DIVE_MIN {
            return Ok(false);
        }
        // The place in the chain is counted from its end, so that the deepest is the smallest.
        let mut plan = Bisect::between(0, chain.len() as u128);
        self.run(&mut plan, &|tree, &up: &u128| {
            let part = chain.get(chain.len().checked_sub(usize::try_from(up).ok()?)?)?;
            Some(vec![(at, Change::Put(tree.cut(*part)))])
        })
    }

    /// Drops items in the way that is likeliest, else in the others.
    fn drop_any(&mut self, mark: usize) -> Step<bool> {
        let Some(at) = self.marks[mark] else { return Ok(false) };
        let items = self.tree.children(at).count();
        let links = Links::of(&self.tree, &[at]);
        let ways: &[Way] = match (links.is_empty(), items >= LENGTH_MIN) {
            (true, _) => &[ALONE, TOGETHER],
            (false, true) => &[LINKED, ALONE, TOGETHER],
            (false, false) => &[ALONE, LINKED, TOGETHER],
        };
        for way in ways {
            if self.drop(at, *way)? {
                return Ok(true);
            }
        }
        self.drop_runs(at)
    }

    /// Options with the values that follow them, else items in twos.
    fn drop_runs(&mut self, at: usize) -> Step<bool> {
        let items: Vec<usize> = self.tree.children(at).collect();
        let list = matches!(self.tree.nodes[at].kind, Kind::Array | Kind::Lines(_));
        if !list || items.len() < 2 * RUN || items.iter().any(|&item| self.tree.nodes[item].span > 1) {
            return Ok(false);
        }
        let option = |item: usize| self.tree.nodes[item].text.starts_with(b"-");
        let options = runs(&items, |n| option(items[n]));
        let twos = runs(&items, |n| (items.len() - n).is_multiple_of(RUN));
        for runs in [options, twos].into_iter().filter(|runs| runs.len() > 1) {
            let mut plan = Drop::of(runs.len(), RUNS_PATIENCE);
            let changed = self.run(&mut plan, &|_, kept: &Kept| {
                let flags = kept.flags(runs.len());
                let gone = runs.iter().zip(flags).filter(|(_, kept)| !kept).flat_map(|(run, _)| run);
                Some(gone.map(|&at| (at, Change::Drop)).collect())
            })?;
            if changed {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn drop(&mut self, at: usize, way: Way) -> Step<bool> {
        let lists = if way.together { self.as_long(at) } else { vec![at] };
        if way.together && lists.len() == 1 {
            return Ok(false);
        }
        let items = self.tree.children(at).count();
        let links = Links::of(&self.tree, if way.linked { &lists } else { &[] });
        let changes = |tree: &Tree, kept: &Kept| {
            let flags = kept.flags(items);
            let gone = |&list: &usize| {
                tree.children(list)
                    .enumerate()
                    .filter(|(n, _)| !flags[*n])
                    .map(|(_, at)| at)
                    .collect::<Vec<_>>()
            };
            let all: BTreeSet<usize> = lists.iter().flat_map(gone).collect();
            all.into_iter().map(|at| (at, Change::Drop)).collect::<Changes>()
        };
        let mut plan = Drop::of(items, self.patience());
        self.run_edited(&mut plan, &|tree, kept| Some(links.repair(tree, edited(tree, &changes(tree, kept)))))
    }

    /// The lists that have as many items as the one at `at`, itself too.
    fn as_long(&self, at: usize) -> Vec<usize> {
        let tree = &self.tree;
        let items = tree.children(at).count();
        let list = |node: &Node| matches!(node.kind, Kind::Array | Kind::Record(_) | Kind::Lines(_));
        if items < 2 || !list(&tree.nodes[at]) {
            return vec![at];
        }
        (0..tree.nodes.len())
            .filter(|&other| list(&tree.nodes[other]) && tree.children(other).count() == items)
            .collect()
    }

    /// Nodes at one place lose the same members or elements.
    fn columns(&mut self, place: u64, nodes: &[usize]) -> Step<()> {
        let kind = self.tree.nodes[nodes[0]].kind;
        let nodes: Vec<usize> =
            nodes.iter().copied().filter(|&at| self.tree.nodes[at].kind == kind).collect();
        let columns = columns(&self.tree, &nodes);
        if columns.is_empty() || !self.worth("columns", place) {
            return Ok(());
        }
        let mut fruit = false;
        for links in [Links::of(&self.tree, &nodes), Links::default()] {
            let changes = |kept: &Kept| {
                let flags = kept.flags(columns.len());
                let gone =
                    columns.iter().enumerate().filter(|(n, _)| !flags[*n]).flat_map(|(_, column)| column);
                let all: BTreeSet<usize> = gone.copied().collect();
                all.into_iter().map(|at| (at, Change::Drop)).collect::<Changes>()
            };
            let mut plan = Drop::of(columns.len(), self.patience());
            fruit = self.run_edited(&mut plan, &|tree, kept| {
                Some(links.repair(tree, edited(tree, &changes(kept))))
            })?;
            if fruit || links.is_empty() {
                break;
            }
        }
        self.learn("columns", place, fruit);
        Ok(())
    }
}

/// The items in runs, a new one from each that `begins`.
fn runs(items: &[usize], begins: impl Fn(usize) -> bool) -> Vec<Vec<usize>> {
    let mut runs: Vec<Vec<usize>> = Vec::new();
    for (n, &item) in items.iter().enumerate() {
        match runs.last_mut() {
            Some(run) if !begins(n) => run.push(item),
            _ => runs.push(vec![item]),
        }
    }
    runs
}

/// The nodes of each column: the members of one name, or the elements of one index where all lists are as long.
fn columns(tree: &Tree, nodes: &[usize]) -> Vec<Vec<usize>> {
    let mut names: Vec<&Option<Text>> = Vec::new();
    let mut columns: Vec<Vec<usize>> = Vec::new();
    let widths: BTreeSet<usize> = nodes.iter().map(|&at| tree.children(at).count()).collect();
    match tree.nodes[nodes[0]].kind {
        Kind::Object => {
            for &at in nodes {
                for child in tree.children(at) {
                    let name = &tree.nodes[child].key;
                    match names.iter().position(|known| *known == name) {
                        Some(known) => columns[known].push(child),
                        None => {
                            names.push(name);
                            columns.push(vec![child]);
                        }
                    }
                }
            }
        }
        Kind::Array | Kind::Record(_) if widths.len() == 1 => {
            columns = vec![Vec::new(); widths.first().copied().unwrap_or(0)];
            for &at in nodes {
                for (column, child) in tree.children(at).enumerate() {
                    columns[column].push(child);
                }
            }
        }
        _ => {}
    }
    // Columns of one node each are what the nodes lose one by one.
    if columns.iter().any(|column| column.len() > 1) { columns } else { Vec::new() }
}

/// Parts of the node that are like it, the nearest on each branch, the largest first.
fn alike(tree: &Tree, at: usize) -> Vec<usize> {
    let names = |at: usize| {
        tree.children(at).filter_map(|child| tree.nodes[child].key.as_deref()).collect::<BTreeSet<_>>()
    };
    let own = names(at);
    let mut found = Vec::new();
    let mut next = at + 1;
    while next < at + tree.nodes[at].span {
        let node = &tree.nodes[next];
        let like = node.kind == tree.nodes[at].kind
            && match node.kind {
                Kind::Object => {
                    let other = names(next);
                    3 * own.intersection(&other).count() >= own.len().min(other.len()).max(1)
                }
                Kind::Array => node.key.is_none(),
                _ => false,
            };
        if like {
            found.push(next);
            next += node.span;
        } else {
            next += 1;
        }
    }
    found.sort_by_key(|&part| std::cmp::Reverse(tree.nodes[part].span));
    found.truncate(HOISTS_MAX);
    found
}

/// The number 0 in a node's place.
pub(super) fn zero() -> Change {
    Change::Put(vec![Node::scalar(Kind::Number, b"0")])
}

/// What nodes have in common that are likely to be treated alike: their kind and their members' names.
fn form(tree: &Tree, at: usize) -> u64 {
    let names: BTreeSet<&Option<Text>> = tree.children(at).map(|child| &tree.nodes[child].key).collect();
    hash(&(tree.nodes[at].kind, names))
}

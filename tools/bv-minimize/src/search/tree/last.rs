//! What takes many questions for little: asked once the rest has come to rest.
//!
//! In: a document that neither its structure nor its scalars make smaller. Out: the document after the first of
//! these ways that made it so.

use super::super::plan::{Drop, Each, Kept};
use super::super::session::Step;
use super::links::Links;
use super::scalars::Spot;
use super::structure::zero;
use super::{Doc, hash};
use crate::shapes::{Change, Changes, Kind, Node, Tree};

/// How many parts of one node are tried in its place.
const PARTS_MAX: usize = 24;
/// Pairs of items are tried in documents of at most this many bytes.
const PAIRS_BYTES_MAX: usize = 200;
/// How many items go as one.
const RUNS: [usize; 3] = [2, 3, 4];
/// How many such runs in a row may stay where none went.
const RUNS_PATIENCE: usize = 4;

impl Doc<'_, '_> {
    /// Tries the ways in turn up to the first that changes the document.
    pub(super) fn last(&mut self) -> Step<()> {
        self.session.pass("last");
        if self.inside {
            let _ = self.plainer()?
                || self.names()?
                || self.numbers()?
                || self.parts()?
                || self.runs()?
                || self.pairs()?;
        } else {
            let _ = self.runs()? || self.pairs()?;
        }
        Ok(())
    }

    /// 0 in the place of words, empty strings and arrays.
    fn plainer(&mut self) -> Step<bool> {
        let nodes = &self.tree.nodes;
        let spots: Vec<usize> = (0..nodes.len()).filter(|&at| can_be_zero(&nodes[at])).collect();
        let mut plan = Each::of(spots.len());
        self.run(&mut plan, &|_, taken: &Vec<usize>| {
            Some(taken.iter().map(|&spot| (spots[spot], zero())).collect())
        })
    }

    /// Shorter names of members.
    fn names(&mut self) -> Step<bool> {
        let mut changed = false;
        for at in 0..self.tree.nodes.len() {
            let Some(key) = self.tree.nodes[at].key.clone().filter(|key| !key.is_empty()) else { continue };
            let form = hash(&key);
            if self.fruitless.contains_key(&("name", form)) {
                continue;
            }
            let fruit = self.shrink(Kind::String, &key, &[Spot::key(at)], &Links::default())?;
            if !fruit {
                self.learn("name", form, false);
            }
            changed |= fruit;
        }
        Ok(changed)
    }

    /// Any part of a node in its place.
    fn parts(&mut self) -> Step<bool> {
        for at in 0..self.tree.nodes.len() {
            let mut parts: Vec<usize> = (at + 1..at + self.tree.nodes[at].span).collect();
            let only = parts.len() == 1;
            parts.retain(|&part| only || self.tree.nodes[part].span > 1);
            parts.sort_by_key(|&part| self.tree.nodes[part].span);
            parts.truncate(PARTS_MAX);
            let changes =
                parts.into_iter().map(|part| vec![(at, Change::Put(self.tree.cut(part)))]).collect();
            if self.first(changes)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Items in twos, threes and fours: options with their values, rows laid out flat.
    fn runs(&mut self) -> Step<bool> {
        let mut at = 0;
        while at < self.tree.nodes.len() {
            let children: Vec<usize> = self.tree.children(at).collect();
            for size in RUNS.into_iter().filter(|size| children.len() >= 2 * size) {
                for skipped in 0..size {
                    let runs: Vec<&[usize]> = children[skipped..].chunks_exact(size).collect();
                    let mut plan = Drop::of(runs.len(), RUNS_PATIENCE);
                    let changed = self.run(&mut plan, &|_, kept: &Kept| {
                        let flags = kept.flags(runs.len());
                        let gone = runs.iter().zip(flags).filter(|(_, kept)| !kept).flat_map(|(run, _)| *run);
                        Some(gone.map(|&at| (at, Change::Drop)).collect())
                    })?;
                    if changed {
                        return Ok(true);
                    }
                }
            }
            at += 1;
        }
        Ok(false)
    }

    /// Two items of one container at once.
    fn pairs(&mut self) -> Step<bool> {
        if self.session.best.len() > PAIRS_BYTES_MAX {
            return Ok(false);
        }
        let tree = self.tree.clone();
        let pairs = (0..tree.nodes.len()).flat_map(|at| pairs_of(&tree, at)).collect();
        Ok(self.first(pairs)?.is_some())
    }
}

fn can_be_zero(node: &Node) -> bool {
    match node.kind {
        Kind::Word => true,
        Kind::String => node.text.is_empty(),
        Kind::Array | Kind::Object => true,
        _ => false,
    }
}

fn pairs_of(tree: &Tree, at: usize) -> Vec<Changes> {
    let items: Vec<usize> = tree.children(at).collect();
    let mut pairs = Vec::new();
    for (n, &first) in items.iter().enumerate() {
        for &second in &items[n + 1..] {
            pairs.push(vec![(first, Change::Drop), (second, Change::Drop)]);
        }
    }
    pairs
}

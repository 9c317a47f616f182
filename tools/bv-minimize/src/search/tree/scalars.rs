//! Makes scalars simpler: many at once, equal ones together, then one by one.
//!
//! In: the document. Out: the document with 0, shorter numbers and shorter strings where these do. The structure
//! stays.

use super::super::plan::Drop;
use super::super::session::Step;
use super::super::{number, string};
use super::links::Links;
use super::{Doc, edited};
use crate::shapes::{Change, Changes, Kind, Text, Tree};
use std::collections::BTreeMap;

/// From so many scalars on, it pays to ask about many at once.
const MANY: usize = 6;
/// How many groups of equal scalars are looked at in a large document.
const GROUPS_MAX: usize = 64;
/// In larger documents no number is looked for that tells of one scalar.
const LINKED_NODES_MAX: usize = 5000;

/// One spot of a text: a scalar, or a member's name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Spot {
    at: usize,
    is_key: bool,
}

impl Doc<'_, '_> {
    /// One round over all scalars.
    pub(super) fn scalars(&mut self) -> Step<()> {
        self.session.pass("scalars");
        self.many()?;
        self.equal()?;
        let mut at = 0;
        while at < self.tree.nodes.len() {
            if !self.is_simplest(at) && self.tree.nodes[at].span == 1 {
                self.one(at)?;
            }
            at += 1;
        }
        Ok(())
    }

    /// The simplest scalar of its kind in the place of as many as can be.
    fn many(&mut self) -> Step<()> {
        let spots: Vec<usize> = (0..self.tree.nodes.len()).filter(|&at| !self.is_simplest(at)).collect();
        if spots.len() < MANY {
            return Ok(());
        }
        let mut plan = Drop::of(spots.len(), self.patience());
        self.run(&mut plan, &|tree, kept| {
            let flags = kept.flags(spots.len());
            let simple = spots.iter().zip(flags).filter(|(_, kept)| !kept);
            Some(simple.map(|(&at, _)| (at, Change::Text(simplest(tree.nodes[at].kind)))).collect())
        })?;
        Ok(())
    }

    /// Equal scalars change together; so do the names of members that equal them.
    fn equal(&mut self) -> Step<()> {
        let mut groups: BTreeMap<(Kind, Text), Vec<Spot>> = BTreeMap::new();
        for (at, node) in self.tree.nodes.iter().enumerate() {
            if !self.is_simplest(at) {
                groups.entry((node.kind, node.text.clone())).or_default().push(Spot { at, is_key: false });
            }
        }
        for (at, node) in self.tree.nodes.iter().enumerate() {
            if let Some(key) = &node.key
                && let Some(group) = groups.get_mut(&(Kind::String, key.clone()))
            {
                group.push(Spot { at, is_key: true });
            }
        }
        let mut groups: Vec<_> = groups.into_iter().filter(|(_, group)| group.len() > 1).collect();
        groups.sort_by_key(|((_, text), group)| std::cmp::Reverse(text.len() * group.len()));
        if !self.small() {
            groups.truncate(GROUPS_MAX);
        }
        for ((kind, text), group) in groups {
            self.shrink(kind, &text, &group, &Links::default())?;
        }
        Ok(())
    }

    fn one(&mut self, at: usize) -> Step<()> {
        let (kind, text) = (self.tree.nodes[at].kind, self.tree.nodes[at].text.clone());
        let spot = [Spot { at, is_key: false }];
        let links = if self.tree.nodes.len() <= LINKED_NODES_MAX {
            Links::of(&self.tree, &[at])
        } else {
            Links::default()
        };
        if !self.shrink(kind, &text, &spot, &Links::default())? && !links.is_empty() {
            self.shrink(kind, &text, &spot, &links)?;
        }
        Ok(())
    }

    /// Searches for a simpler text for all the spots at once.
    pub(super) fn shrink(&mut self, kind: Kind, text: &Text, spots: &[Spot], links: &Links) -> Step<bool> {
        let place =
            super::hash(&(self.places()[spots[0].at], spots.len(), spots[0].is_key, links.is_empty()));
        let searched = !self.searched.insert((place, text.clone()));
        let tree = self.tree.clone();
        let make = |text: &[u8]| Some(links.repair(&tree, edited(&tree, &texts(&tree, spots, text)?)));
        let digits = matches!(kind, Kind::Field | Kind::Raw)
            && !text.is_empty()
            && text.iter().all(u8::is_ascii_digit);
        let found = match kind {
            _ if (kind == Kind::Number || digits) && searched => number::probe(self.session, text, &make)?,
            _ if kind == Kind::Number || digits => number::shrink(self.session, text, &make)?,
            _ if searched => string::probe(self.session, text, &make)?,
            _ => string::shrink(self.session, text, &make)?,
        };
        let changed = found.is_some();
        if let Some((edited, text)) = found {
            self.searched.insert((place, text.as_slice().into()));
            self.take(edited);
        }
        Ok(changed)
    }

    fn is_simplest(&self, at: usize) -> bool {
        let node = &self.tree.nodes[at];
        node.is_container() || node.kind == Kind::Word || node.text == simplest(node.kind)
    }
}

impl Spot {
    /// A member's name.
    pub fn key(at: usize) -> Self {
        Self { at, is_key: true }
    }
}

/// The changes that give all the spots this text; nothing where two members would have one name that had two.
fn texts(tree: &Tree, spots: &[Spot], text: &[u8]) -> Option<Changes> {
    let text = Text::from(text);
    let mut changes: Changes = Vec::new();
    for spot in spots {
        if spot.is_key {
            let taken = tree
                .siblings(spot.at)
                .any(|other| other != spot.at && tree.nodes[other].key.as_ref() == Some(&text));
            if taken {
                return None;
            }
            changes.push((spot.at, Change::Key(text.clone())));
        } else {
            changes.push((spot.at, Change::Text(text.clone())));
        }
    }
    changes.sort_by_key(|(at, _)| *at);
    // A node may be a spot twice, by its name and its text: the two are put into one change.
    changes.dedup_by(|later, earlier| {
        let one = later.0 == earlier.0;
        if one {
            earlier.1 = Change::Both(text.clone());
        }
        one
    });
    Some(changes)
}

fn simplest(kind: Kind) -> Text {
    if kind == Kind::Number { b"0".as_slice().into() } else { Text::default() }
}

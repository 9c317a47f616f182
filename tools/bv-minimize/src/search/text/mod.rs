//! Reduces text: logs, source code, command lines, anything that is no tree.
//!
//! In: the session's best. Out: the smallest text found. Blocks of lines first, then what brackets hold, then
//! tokens, then what is in them; repeated until none changes anything.

mod blocks;
mod brackets;
mod inside;
mod lengths;
mod tokens;

use super::plan::{First, Plan};
use super::session::{Session, Step};
use std::collections::HashSet;
use std::ops::Range;

/// Below this many bytes every place is looked at.
const SMALL_BYTES_MAX: usize = 8000;
/// How many parts in a row may stay before a text that lost none is left, above that size.
const PATIENCE: usize = 24;

/// A text in work: the session's best is the text.
pub(super) struct Text<'s, 'a> {
    session: &'s mut Session<'a>,
    /// What was tried in vain since the last round.
    tried: HashSet<(&'static str, Vec<u8>)>,
}

/// Reduces the session's best.
pub(super) fn reduce(session: &mut Session) -> Step<()> {
    let mut text = Text { session, tried: HashSet::new() };
    loop {
        let before = text.session.best.clone();
        text.structure()?;
        text.tokens()?;
        text.inside()?;
        if text.session.best == before {
            text.windows()?;
        }
        if text.session.best == before {
            return Ok(());
        }
    }
}

impl Text<'_, '_> {
    /// What takes few questions for much, until it changes nothing.
    fn structure(&mut self) -> Step<()> {
        loop {
            let before = self.best();
            self.tried.clear();
            self.lengths()?;
            self.blocks()?;
            self.mentions()?;
            self.brackets()?;
            self.expressions()?;
            if self.session.best == before {
                return Ok(());
            }
        }
    }

    fn best(&self) -> Vec<u8> {
        self.session.best.clone()
    }

    fn small(&self) -> bool {
        self.session.best.len() <= SMALL_BYTES_MAX
    }

    fn patience(&self) -> usize {
        if self.small() { usize::MAX } else { PATIENCE }
    }

    /// Follows a plan whose edits make new texts.
    fn run<P: Plan>(&mut self, plan: &mut P, make: &dyn Fn(&P::Edit) -> Option<Vec<u8>>) -> Step<bool> {
        Ok(self.session.run(plan, make)?.is_some())
    }

    /// Tries texts up to the first that is accepted; which one.
    fn first(&mut self, all: Vec<Vec<u8>>) -> Step<Option<usize>> {
        let mut plan = First::of((0..all.len()).collect());
        self.run(&mut plan, &|at: &usize| all.get(*at).cloned())?;
        Ok(plan.found)
    }

    /// Whether this way was not yet tried on this part in this round.
    fn fresh(&mut self, way: &'static str, part: &[u8]) -> bool {
        self.tried.insert((way, part.to_vec()))
    }
}

/// The text with `new` in the place of a part.
fn put(text: &[u8], part: Range<usize>, new: &[u8]) -> Vec<u8> {
    [&text[..part.start], new, &text[part.end..]].concat()
}

/// The text with `new` in the place of each of the parts, which are in order and apart.
fn put_all(text: &[u8], parts: &[Range<usize>], new: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut from = 0;
    for part in parts {
        if part.start >= from {
            out.extend_from_slice(&text[from..part.start]);
            out.extend_from_slice(new);
            from = part.end;
        }
    }
    out.extend_from_slice(&text[from..]);
    out
}

//! What brackets hold: left out, emptied, in the place of the whole, or item by item; and the arguments of one
//! name everywhere at once.
//!
//! In: the text. Out: the text with fewer and emptier brackets.

use super::super::plan::{Drop, Kept};
use super::super::session::Step;
use super::{Text, put};
use crate::shapes::text::{Sort, Token, brackets, tokens};
use std::collections::BTreeMap;
use std::ops::Range;

impl Text<'_, '_> {
    /// One round over all pairs of brackets, the largest first.
    pub(super) fn brackets(&mut self) -> Step<()> {
        if !self.small() {
            return Ok(());
        }
        self.session.pass("brackets");
        self.statements()?;
        self.calls()?;
        self.elements()?;
        loop {
            let text = self.best();
            let pairs = pairs(&text);
            let next = pairs
                .into_iter()
                .find(|pair| self.fresh("pair", &text[pair.with_name.start..pair.close.end]));
            let Some(pair) = next else { return Ok(()) };
            if self.first(pair.lighter(&text))?.is_none() {
                self.items(&text, pair.open.end..pair.close.start)?;
            }
        }
    }

    /// The statements of the whole text, where these are not its lines.
    fn statements(&mut self) -> Step<()> {
        let text = self.best();
        self.items(&text, 0..text.len())?;
        Ok(())
    }

    /// Drops statements or items between commas.
    fn items(&mut self, text: &[u8], inside: Range<usize>) -> Step<bool> {
        let (items, joint) = items(text, inside.clone());
        if items.len() < 2 {
            return Ok(false);
        }
        let mut plan = Drop::of(items.len(), self.patience());
        self.run(&mut plan, &|kept: &Kept| {
            let parts: Vec<&[u8]> = kept.items().map(|at| &text[items[at].clone()]).collect();
            Some(put(text, inside.clone(), &parts.join(joint)))
        })
    }

    /// The brackets after one name, wherever it stands, lose their content or the same argument.
    fn calls(&mut self) -> Step<()> {
        loop {
            let text = self.best();
            let next = calls(&text).into_iter().find(|(name, _)| self.fresh("calls", name));
            let Some((_, insides)) = next else { return Ok(()) };
            let lists: Vec<Vec<Range<usize>>> =
                insides.iter().map(|inside| items(&text, inside.clone()).0).collect();
            let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
            let mut plan = Drop::of(longest, self.patience());
            self.run(&mut plan, &|kept: &Kept| {
                let flags = kept.flags(longest);
                let mut new = text.clone();
                for (inside, list) in insides.iter().zip(&lists).rev() {
                    let stay = list
                        .iter()
                        .zip(&flags)
                        .filter(|(_, kept)| **kept)
                        .map(|(item, _)| &text[item.clone()]);
                    new = put(&new, inside.clone(), &stay.collect::<Vec<_>>().join(&b","[..]));
                }
                Some(new)
            })?;
        }
    }
}

impl Text<'_, '_> {
    /// Elements between `<name>` and `</name>`: left out, then only their content kept; the largest first.
    fn elements(&mut self) -> Step<()> {
        loop {
            let text = self.best();
            let next = elements(&text)
                .into_iter()
                .find(|(open, close)| self.fresh("element", &text[open.start..close.end]));
            let Some((open, close)) = next else { return Ok(()) };
            let inside = text[open.end..close.start].to_vec();
            self.first(vec![
                put(&text, open.start..close.end, b""),
                put(&text, open.start..close.end, &inside),
            ])?;
        }
    }
}

/// The first and the last tag of each element, the largest element first.
fn elements(text: &[u8]) -> Vec<(Range<usize>, Range<usize>)> {
    let tokens = tokens(text);
    let partners = brackets(text, &tokens);
    let bytes = |at: usize| tokens.get(at).map_or(&b""[..], |token| &text[token.bytes.clone()]);
    let mut open: Vec<(&[u8], Range<usize>)> = Vec::new();
    let mut elements = Vec::new();
    for (at, partner) in partners.iter().enumerate() {
        let Some(partner) = partner.filter(|partner| *partner > at && bytes(at) == b"<") else { continue };
        let tag = tokens[at].bytes.start..tokens[partner].bytes.end;
        if bytes(at + 1) != b"/" {
            open.push((bytes(at + 1), tag));
        } else if let Some(from) = open.iter().rposition(|(name, _)| *name == bytes(at + 2)) {
            // Elements that are never closed lie between.
            let (_, first) = open.swap_remove(from);
            open.truncate(from);
            elements.push((first, tag));
        }
    }
    elements.sort_by_key(|(open, close)| std::cmp::Reverse(close.end - open.start));
    elements
}

/// A pair of brackets.
struct Pair {
    /// From the name before the bracket on, where one stands there.
    with_name: Range<usize>,
    open: Range<usize>,
    close: Range<usize>,
}

impl Pair {
    fn lighter(&self, text: &[u8]) -> Vec<Vec<u8>> {
        let inside = &text[self.open.end..self.close.start];
        let named = self.with_name.start < self.open.start;
        let mut all = vec![put(text, self.with_name.clone(), b"")];
        if named {
            all.push(put(text, self.open.start..self.close.end, b""));
        }
        if !inside.is_empty() {
            all.push(put(text, self.open.end..self.close.start, b""));
            all.push(put(text, self.with_name.clone(), inside));
            if named {
                all.push(put(text, self.open.start..self.close.end, inside));
            }
        }
        if text[self.open.start] == b'(' && self.with_name.len() > 1 {
            all.push(put(text, self.with_name.clone(), b"0"));
        }
        if inside.len() > 1 {
            all.push(put(text, self.open.end..self.close.start, b"0"));
        }
        all
    }
}

/// All pairs, the largest first.
fn pairs(text: &[u8]) -> Vec<Pair> {
    let tokens = tokens(text);
    let partners = brackets(text, &tokens);
    let mut pairs = Vec::new();
    for (at, partner) in partners.iter().enumerate() {
        let Some(partner) = partner.filter(|partner| *partner > at) else { continue };
        let (open, close) = (tokens[at].bytes.clone(), tokens[partner].bytes.clone());
        let from = name_before(text, &tokens, at).map_or(open.start, |name| name.start);
        pairs.push(Pair { with_name: from..close.end, open, close });
    }
    pairs.sort_by_key(|pair| std::cmp::Reverse(pair.with_name.len()));
    pairs
}

/// The word or the path (`a.b`, `a::b`, `a->b`) that ends right before a token.
fn name_before(text: &[u8], tokens: &[Token], at: usize) -> Option<Range<usize>> {
    let is_word = |at: usize| tokens.get(at).is_some_and(|token| token.sort == Sort::Word);
    let joins =
        |at: usize| tokens.get(at).is_some_and(|t| matches!(&text[t.bytes.clone()], b"." | b"::" | b"->"));
    let last = at.checked_sub(1).filter(|&last| is_word(last))?;
    let mut first = last;
    while first >= 2 && joins(first - 1) && is_word(first - 2) {
        first -= 2;
    }
    Some(tokens[first].bytes.start..tokens[last].bytes.end)
}

/// The statements or the items between commas in a range, and what stands between them.
fn items(text: &[u8], inside: Range<usize>) -> (Vec<Range<usize>>, &'static [u8]) {
    let part = &text[inside.clone()];
    let tokens = tokens(part);
    let partners = brackets(part, &tokens);
    let mut commas = Vec::new();
    let mut ends = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let end = inside.start + tokens[at].bytes.end;
        match (&part[tokens[at].bytes.clone()], partners[at]) {
            (b",", _) => commas.push(inside.start + tokens[at].bytes.start),
            (b";", _) => ends.push(end),
            (open, Some(partner)) if partner > at => {
                at = partner;
                let follows = part[tokens[partner].bytes.end..].trim_ascii_start().first();
                if open == b"{" && !matches!(follows, Some(b';' | b',' | b')' | b'.')) {
                    ends.push(inside.start + tokens[partner].bytes.end);
                }
            }
            _ => {}
        }
        at += 1;
    }
    if ends.is_empty() && !commas.is_empty() {
        return (between(&commas, 1, inside), b",");
    }
    (between(&ends, 0, inside), b"")
}

/// The ranges between cuts of `width` bytes each.
fn between(cuts: &[usize], width: usize, inside: Range<usize>) -> Vec<Range<usize>> {
    let mut from = inside.start;
    let mut ranges = Vec::new();
    for &cut in cuts {
        ranges.push(from..cut);
        from = cut + width;
    }
    if from < inside.end || width > 0 {
        ranges.push(from..inside.end);
    }
    ranges
}

/// For each name that stands before round brackets more than once, what these hold.
fn calls(text: &[u8]) -> Vec<(Vec<u8>, Vec<Range<usize>>)> {
    let tokens = tokens(text);
    let partners = brackets(text, &tokens);
    let mut calls: BTreeMap<&[u8], Vec<Range<usize>>> = BTreeMap::new();
    for (at, partner) in partners.iter().enumerate() {
        let Some(partner) = partner.filter(|partner| *partner > at) else { continue };
        let named = at.checked_sub(1).filter(|&name| tokens[name].sort == Sort::Word);
        if let (Some(name), b"(") = (named, &text[tokens[at].bytes.clone()]) {
            let insides = calls.entry(&text[tokens[name].bytes.clone()]).or_default();
            let inside = tokens[at].bytes.end..tokens[partner].bytes.start;
            // A call in its own arguments is left to the next round.
            if insides.last().is_none_or(|last| last.end <= inside.start) {
                insides.push(inside);
            }
        }
    }
    let several =
        |insides: &Vec<Range<usize>>| insides.len() > 1 && insides.iter().any(|inside| !inside.is_empty());
    calls
        .into_iter()
        .filter(|(_, insides)| several(insides))
        .map(|(name, insides)| (name.to_vec(), insides))
        .collect()
}

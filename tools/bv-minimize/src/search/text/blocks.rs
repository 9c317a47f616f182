//! Blocks of lines: left out, their body in their place, nothing in their body; and all that mention one word.
//!
//! In: the text. Out: the text with fewer lines.

use super::super::plan::{Drop, Kept};
use super::super::session::Step;
use super::{Text, put, put_all};
use crate::shapes::text::{Block, Sort, blocks, tokens};
use std::collections::BTreeMap;
use std::ops::Range;

/// How many lists in a row that lose nothing end the round over a large text.
const FRUITLESS_MAX: usize = 16;

impl Text<'_, '_> {
    /// One round over all blocks, the largest list of them first.
    pub(super) fn blocks(&mut self) -> Step<()> {
        self.session.pass("blocks");
        let mut fruitless = 0;
        while let Some(parts) = self.largest_list() {
            let fruit = self.drop_parts(&parts)? || self.drop_parts(&with_values(&self.best(), &parts))?;
            fruitless = if fruit { 0 } else { fruitless + 1 };
            if fruitless >= FRUITLESS_MAX && !self.small() {
                break;
            }
            self.bodies()?;
        }
        Ok(())
    }

    /// The blocks in one block, or of the text: of the lists not yet looked at, the one with most bytes.
    fn largest_list(&mut self) -> Option<Vec<Range<usize>>> {
        let text = self.best();
        let blocks = blocks(&text);
        let mut lists: BTreeMap<Option<usize>, Vec<Range<usize>>> = BTreeMap::new();
        for block in &blocks {
            lists.entry(block.parent).or_default().push(block.bytes.clone());
        }
        let mut lists: Vec<_> = lists.into_iter().collect();
        lists.sort_by_key(|(_, parts)| std::cmp::Reverse(parts.iter().map(Range::len).sum::<usize>()));
        lists.into_iter().find_map(|(parent, parts)| {
            let name =
                parent.map(|parent| text[blocks[parent].bytes.start..blocks[parent].body.start].to_vec());
            let fresh = self.fresh("list", name.as_deref().unwrap_or_default());
            fresh.then_some(parts)
        })
    }

    fn drop_parts(&mut self, parts: &[Range<usize>]) -> Step<bool> {
        if parts.is_empty() {
            return Ok(false);
        }
        let text = self.best();
        let mut plan = Drop::of(parts.len(), self.patience());
        self.run(&mut plan, &|kept: &Kept| {
            let flags = kept.flags(parts.len());
            let gone: Vec<_> =
                parts.iter().zip(flags).filter(|(_, kept)| !kept).map(|(part, _)| part.clone()).collect();
            Some(unended(&text, put_all(&text, &gone, b"")))
        })
    }

    /// For each block that has a body: the body in its place, else almost nothing in its body.
    fn bodies(&mut self) -> Step<()> {
        if !self.small() {
            return Ok(());
        }
        let mut from = 0;
        loop {
            let text = self.best();
            let blocks = blocks(&text);
            let next = blocks.iter().find(|block| block.bytes.start >= from && !block.body.is_empty());
            let Some(block) = next else { return Ok(()) };
            from = block.bytes.start;
            if !self.fresh("body", &text[block.bytes.clone()]) || self.first(lighter(&text, block))?.is_none()
            {
                from += 1;
            }
        }
    }

    /// All the smallest blocks that mention a word at once, the words that take most with them first.
    pub(super) fn mentions(&mut self) -> Step<()> {
        if !self.small() {
            return Ok(());
        }
        self.session.pass("mentions");
        loop {
            let text = self.best();
            let next = mentions(&text)
                .into_iter()
                .find(|(word, parts)| parts.len() > 1 && self.fresh("mention", word));
            let Some((_, parts)) = next else { return Ok(()) };
            self.first(vec![unended(&text, put_all(&text, &parts, b""))])?;
        }
    }
}

/// Options with the lines up to the next; nothing where there are none.
fn with_values(text: &[u8], parts: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for part in parts {
        match runs.last_mut() {
            Some(run) if text[part.start] != b'-' => run.end = part.end,
            _ => runs.push(part.clone()),
        }
    }
    if runs.len() == parts.len() || runs.len() < 2 { Vec::new() } else { runs }
}

/// Where the last line had no newline, what is left has none either.
fn unended(old: &[u8], mut new: Vec<u8>) -> Vec<u8> {
    if !old.ends_with(b"\n") && new.ends_with(b"\n") {
        new.pop();
    }
    new
}

/// The block's body in its place, as deep as the block was; then the block with a 0 for its body, which is a
/// statement in languages that want one.
fn lighter(text: &[u8], block: &Block) -> Vec<Vec<u8>> {
    let indent = |line: &[u8]| line.iter().take_while(|&&b| b == b' ' || b == b'\t').count();
    let body = &text[block.body.clone()];
    let outer = indent(&text[block.bytes.clone()]);
    let lines = || body.split_inclusive(|&b| b == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let inner = lines().map(indent).min().unwrap_or(outer);
    let cut = inner.saturating_sub(outer);
    let raised: Vec<u8> = lines().flat_map(|line| line[cut.min(indent(line))..].iter().copied()).collect();
    let mut all = vec![put(text, block.bytes.clone(), &raised)];
    let first = text[block.bytes.start..block.body.start].trim_ascii_end();
    if first.ends_with(b":") && body.trim_ascii() != b"0" {
        let zero = [&text[block.body.start..block.body.start + inner.min(body.len())], b"0\n"].concat();
        all.push(put(text, block.body.clone(), &zero));
    }
    all
}

/// For each word the smallest blocks that it stands in, by the bytes that would go.
fn mentions(text: &[u8]) -> Vec<(Vec<u8>, Vec<Range<usize>>)> {
    let blocks = blocks(text);
    let mut words: BTreeMap<&[u8], Vec<Range<usize>>> = BTreeMap::new();
    let mut block = 0;
    for token in tokens(text) {
        while block + 1 < blocks.len() && blocks[block + 1].bytes.start <= token.bytes.start {
            block += 1;
        }
        if !matches!(token.sort, Sort::Word | Sort::Number) || blocks.is_empty() {
            continue;
        }
        let parts = words.entry(&text[token.bytes]).or_default();
        let part = blocks[block].bytes.clone();
        // What lies in a part that goes needs no mention.
        if parts.last().is_none_or(|last| part.start >= last.end) {
            parts.push(part);
        }
    }
    let mut words: Vec<_> = words.into_iter().map(|(word, parts)| (word.to_vec(), parts)).collect();
    words.sort_by_key(|(_, parts)| std::cmp::Reverse(parts.iter().map(Range::len).sum::<usize>()));
    words
}

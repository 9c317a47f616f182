//! Numbers that tell the length of what follows them: of a string, of a body after a blank line, of a list of
//! lines or words.
//!
//! In: the text. Out: the text with less behind such a number, and the number lowered with it.

use super::super::plan::{Drop, Kept};
use super::super::session::Step;
use super::super::string::graphemes;
use super::Text;
use crate::shapes::text::{Sort, tokens};
use std::ops::Range;

/// How many parts in a row may stay where none went.
const PATIENCE: usize = 4;
/// After so many numbers that told nothing, none is taken to.
const FRUITLESS_MAX: usize = 4;
/// Smaller numbers are everywhere.
const LENGTH_MIN: usize = 2;

/// A number and what it may tell the length of.
struct Told {
    number: Range<usize>,
    /// In order, after the number, without gaps.
    parts: Vec<Range<usize>>,
    /// The number counts bytes, not parts.
    bytes: bool,
}

impl Text<'_, '_> {
    /// One round over all numbers.
    pub(super) fn lengths(&mut self) -> Step<()> {
        if !self.small() {
            return Ok(());
        }
        self.session.pass("lengths");
        self.strings()?;
        let mut fruitless = 0;
        while fruitless < FRUITLESS_MAX {
            let text = self.best();
            let end = |told: &Told| told.parts.last().map_or(told.number.end, |last| last.end);
            let next = told(&text)
                .into_iter()
                .find(|told| self.fresh("length", &text[told.number.start..end(told)]));
            let Some(told) = next else { break };
            let mut plan = Drop::of(told.parts.len(), PATIENCE);
            let fruit = self.run(&mut plan, &|kept: &Kept| Some(told.with(&text, kept)))?;
            fruitless = if fruit { 0 } else { fruitless + 1 };
        }
        Ok(())
    }

    /// Whole strings with the lengths before them.
    fn strings(&mut self) -> Step<()> {
        let text = self.best();
        let mut parts: Vec<Range<usize>> = Vec::new();
        for told in told(&text).into_iter().filter(|told| told.bytes) {
            let end = told.parts.last().map_or(told.number.end, |last| last.end);
            if parts.last().is_none_or(|last| told.number.start >= last.end) {
                let after = text[end..]
                    .iter()
                    .take_while(|&&b| b.is_ascii_punctuation() || b.is_ascii_whitespace())
                    .count();
                parts.push(told.number.start..end + after);
            }
        }
        if parts.len() > 1 {
            let mut plan = Drop::of(parts.len(), PATIENCE);
            self.run(&mut plan, &|kept: &Kept| {
                let flags = kept.flags(parts.len());
                let gone: Vec<_> =
                    parts.iter().zip(flags).filter(|(_, kept)| !kept).map(|(part, _)| part.clone()).collect();
                Some(super::put_all(&text, &gone, b""))
            })?;
        }
        Ok(())
    }
}

impl Told {
    fn with(&self, text: &[u8], kept: &Kept) -> Vec<u8> {
        let parts: Vec<&[u8]> = kept.items().map(|at| &text[self.parts[at].clone()]).collect();
        let body = parts.concat();
        let length = if self.bytes { body.len() } else { parts.len() };
        let (from, end) = match (self.parts.first(), self.parts.last()) {
            (Some(first), Some(last)) => (first.start, last.end),
            _ => (self.number.end, self.number.end),
        };
        [
            &text[..self.number.start],
            length.to_string().as_bytes(),
            &text[self.number.end..from],
            &body,
            &text[end..],
        ]
        .concat()
    }
}

/// All numbers with what they may tell of, in order; what is likeliest first for each number.
fn told(text: &[u8]) -> Vec<Told> {
    let body = body(text);
    let mut all = Vec::new();
    for token in tokens(text) {
        let number = token.bytes;
        let value =
            std::str::from_utf8(&text[number.clone()]).ok().and_then(|digits| digits.parse::<usize>().ok());
        let Some(length) = value.filter(|&value| token.sort == Sort::Number && value >= LENGTH_MIN) else {
            continue;
        };
        let mut tell = |parts: Option<Vec<Range<usize>>>, bytes| {
            all.extend(parts.filter(|parts| !parts.is_empty()).map(|parts| Told {
                number: number.clone(),
                parts,
                bytes,
            }));
        };
        if number.end <= body.start && body.len() == length {
            tell(Some(units(text, body.clone())), true);
        }
        tell(string_after(text, number.end, length), true);
        tell(lines_after(text, &number, length), false);
        tell(words_after(text, number.end, length), false);
    }
    all
}

/// What follows the first blank line; nothing where there is none.
fn body(text: &[u8]) -> Range<usize> {
    let after = |gap: &[u8]| text.windows(gap.len()).position(|w| w == gap).map(|at| at + gap.len());
    after(b"\r\n\r\n").or_else(|| after(b"\n\n")).unwrap_or(text.len())..text.len()
}

fn units(text: &[u8], range: Range<usize>) -> Vec<Range<usize>> {
    let mut from = range.start;
    let next = |unit: &[u8]| {
        from += unit.len();
        from - unit.len()..from
    };
    graphemes(&text[range]).into_iter().map(next).collect()
}

/// `length` bytes after a colon, a newline or a blank, up to where something else begins.
fn string_after(text: &[u8], from: usize, length: usize) -> Option<Vec<Range<usize>>> {
    let gaps: [&[u8]; 4] = [b":", b"\r\n", b"\n", b" "];
    let gap = gaps.into_iter().find(|gap| text[from..].starts_with(gap))?;
    let range = from + gap.len()..(from + gap.len()).checked_add(length)?;
    let next = text.get(range.end);
    let ends = range.end == text.len()
        || next.is_some_and(|b| b",;\r\n ".contains(b) || b.is_ascii_digit() && gap == b":");
    (range.end <= text.len() && ends).then(|| units(text, range))
}

/// `length` lines after a line of numbers.
fn lines_after(text: &[u8], number: &Range<usize>, length: usize) -> Option<Vec<Range<usize>>> {
    let line = text[..number.start].iter().rposition(|&b| b == b'\n').map_or(0, |newline| newline + 1);
    let end = number.end + text[number.end..].iter().position(|&b| b == b'\n')? + 1;
    text[line..end].iter().all(|b| b.is_ascii_digit() || b.is_ascii_whitespace()).then_some(())?;
    let lines = parts(text, end, |text| text.split_inclusive(|&b| b == b'\n').map(<[u8]>::len).collect());
    // Where the last line is missing its newline, or the text goes on, it is as good.
    (lines.len() >= length).then(|| lines[..length].to_vec())
}

/// `length` words in the rest of the line, or in the next line where the rest is empty.
fn words_after(text: &[u8], from: usize, length: usize) -> Option<Vec<Range<usize>>> {
    let rest = &text[from..];
    let skipped = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
    let from = from + skipped;
    let end = from + text[from..].iter().position(|&b| b == b'\n').unwrap_or(text.len() - from);
    let words =
        parts(&text[..end], from, |line| line.split_inclusive(|&b| b == b' ').map(<[u8]>::len).collect());
    (skipped > 0 && words.len() == length).then_some(words)
}

fn parts(text: &[u8], from: usize, lengths: fn(&[u8]) -> Vec<usize>) -> Vec<Range<usize>> {
    let mut at = from;
    let next = |length: usize| {
        at += length;
        at - length..at
    };
    lengths(&text[from..]).into_iter().map(next).collect()
}

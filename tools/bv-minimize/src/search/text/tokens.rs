//! Tokens: left out, singly and in short runs, and a 0 for an expression.
//!
//! In: the text. Out: the text with fewer tokens.

use super::super::plan::{Drop, Kept};
use super::super::session::Step;
use super::{Text, put};
use crate::shapes::text::{Sort, Token, brackets, tokens};
use std::ops::Range;

/// Texts with more tokens are left to the larger parts.
const WINDOWED_TOKENS_MAX: usize = 600;
/// How many tokens go at once.
const WINDOW_MAX: usize = 8;

impl Text<'_, '_> {
    /// Drops tokens.
    pub(super) fn tokens(&mut self) -> Step<()> {
        self.session.pass("tokens");
        self.blanks()?;
        let text = self.best();
        let tokens = tokens(&text);
        let mut plan = Drop::of(tokens.len(), self.patience());
        self.run(&mut plan, &|kept: &Kept| {
            Some(kept.items().flat_map(|at| &text[tokens[at].bytes.clone()]).copied().collect())
        })?;
        Ok(())
    }

    /// No indentation, then one blank a level; blank lines go.
    fn blanks(&mut self) -> Step<()> {
        let text = self.best();
        self.first(vec![indented(&text, |_| 0), indented(&text, |level| level)])?;
        Ok(())
    }

    /// A 0 in the place of expressions: what follows a keyword, an operator, a comma or an opening bracket, up
    /// to where it ends.
    pub(super) fn expressions(&mut self) -> Step<()> {
        if !self.small() {
            return Ok(());
        }
        self.session.pass("expressions");
        let mut at = 0;
        loop {
            let text = self.best();
            let tokens = tokens(&text);
            let Some(token) = tokens.get(at) else { return Ok(()) };
            let line =
                text[..token.bytes.start].iter().rposition(|&b| b == b'\n').map_or(0, |newline| newline + 1);
            let ends = text[token.bytes.start..]
                .iter()
                .position(|&b| b == b'\n')
                .map_or(text.len(), |n| token.bytes.start + n);
            let place = [&text[line..ends], b"\n", &text[line..token.bytes.start]].concat();
            let partners = brackets(&text, &tokens);
            if !begins(&text, &tokens, at)
                || !self.fresh("expression", &place)
                || self.first(zero_instead(&text, &tokens, &partners, at))?.is_none()
            {
                at += 1;
            }
        }
    }

    /// Runs of tokens whose brackets are balanced, and expressions that may be 0: slower, so at the last.
    pub(super) fn windows(&mut self) -> Step<()> {
        self.session.pass("windows");
        for make in [run_left_out, zero_instead] {
            let mut at = 0;
            loop {
                let text = self.best();
                let tokens = tokens(&text);
                if at >= tokens.len() || tokens.len() > WINDOWED_TOKENS_MAX {
                    break;
                }
                let partners = brackets(&text, &tokens);
                if self.first(make(&text, &tokens, &partners, at))?.is_none() {
                    at += 1;
                }
            }
        }
        Ok(())
    }
}

/// Each line indented anew by its level among the lines around it; blank lines left out.
fn indented(text: &[u8], blanks: fn(usize) -> usize) -> Vec<u8> {
    let mut levels: Vec<usize> = Vec::new();
    let mut out = Vec::new();
    for line in text.split_inclusive(|&b| b == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
        let indent = line.iter().take_while(|&&b| b == b' ' || b == b'\t').count();
        while levels.pop_if(|level| *level > indent).is_some() {}
        if levels.last() != Some(&indent) {
            levels.push(indent);
        }
        out.resize(out.len() + blanks(levels.len() - 1), b' ');
        out.extend_from_slice(&line[indent..]);
    }
    out
}

/// Where a run that begins at `at` and has balanced brackets may end, the longest first.
fn runs(partners: &[Option<usize>], at: usize, tokens_max: usize) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut next = at;
    for _ in 0..tokens_max {
        match partners.get(next) {
            None => break,
            Some(Some(partner)) if *partner < next => break,
            Some(partner) => next = partner.unwrap_or(next) + 1,
        }
        ends.push(next);
    }
    ends.reverse();
    ends
}

/// The text without a run that begins here.
fn run_left_out(text: &[u8], tokens: &[Token], partners: &[Option<usize>], at: usize) -> Vec<Vec<u8>> {
    let part = |end: usize| tokens[at].bytes.start..tokens[end - 1].bytes.end;
    runs(partners, at, WINDOW_MAX)
        .into_iter()
        .filter(|&end| end > at + 1)
        .map(|end| put(text, part(end), b""))
        .collect()
}

/// Whether an expression may begin with this token: not in the middle of another, and not at a line's beginning.
fn begins(text: &[u8], tokens: &[Token], at: usize) -> bool {
    let bytes = |at: usize| &text[tokens[at].bytes.clone()];
    let Some(mut before) = at.checked_sub(1) else { return false };
    if tokens[before].sort == Sort::Blank {
        let Some(word) = before.checked_sub(1) else { return false };
        if tokens[word].sort == Sort::Word {
            return true;
        }
        before = word;
    }
    tokens[before].sort == Sort::Mark
        && !matches!(bytes(before), b")" | b"]" | b"}" | b"." | b"::" | b"->" | b";")
}

/// The text with 0 for an expression that begins here: a run up to a comma, a semicolon, a colon, a closing bracket
/// or the line's end.
fn zero_instead(text: &[u8], tokens: &[Token], partners: &[Option<usize>], at: usize) -> Vec<Vec<u8>> {
    if matches!(tokens[at].sort, Sort::Blank | Sort::Newline) {
        return Vec::new();
    }
    let ends_here = |end: usize| {
        tokens.get(end).is_none_or(|token| {
            token.sort == Sort::Newline
                || matches!(&text[token.bytes.clone()], b"," | b";" | b":" | b")" | b"]" | b"}" | b"{")
        })
    };
    let crosses =
        |range: &Range<usize>| tokens[range.clone()].iter().any(|token| token.sort == Sort::Newline);
    let mut ranges = runs(partners, at, usize::MAX).into_iter().map(|end| at..end);
    let whole = ranges.rfind(|range| ends_here(range.end) && !crosses(range));
    let part = |range: Range<usize>| tokens[range.start].bytes.start..tokens[range.end - 1].bytes.end;
    whole.map(part).filter(|part| part.len() > 1).map(|part| put(text, part, b"0")).into_iter().collect()
}

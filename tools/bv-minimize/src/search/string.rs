//! A string made shorter: by what a reader sees as characters, then by code points, then plain ones for others.
//!
//! In: a text and a way to try another in its place. Out: the last form accepted and its text.

use super::plan::{Drop, First, Kept};
use super::session::{Form, Session, Step};
use unicode_segmentation::UnicodeSegmentation;

/// A long text that loses nothing is a digest, a name, a path: that is seen from a few characters.
const PATIENCE: usize = 12;

/// Searches for a shorter text. A word is a keyword unless some part of it does as well.
pub(crate) fn shrink<F: Form>(
    session: &mut Session,
    text: &[u8],
    make: &dyn Fn(&[u8]) -> Option<F>,
) -> Step<Option<(F, Vec<u8>)>> {
    let is_word = text.len() > 1 && text.iter().all(|b| b.is_ascii_alphabetic() || *b == b'_');
    if !is_word {
        return letters(session, text, make, if text.len() > 2 * PATIENCE { PATIENCE } else { usize::MAX });
    }
    let Some((form, part)) = probe(session, text, make)? else { return Ok(None) };
    Ok(letters(session, &part, make, usize::MAX)?.or(Some((form, part))))
}

/// Drops and replaces characters. `patience` as of [`Drop::of`].
fn letters<F: Form>(
    session: &mut Session,
    text: &[u8],
    make: &dyn Fn(&[u8]) -> Option<F>,
    patience: usize,
) -> Step<Option<(F, Vec<u8>)>> {
    let mut found: Option<Spelt<F>> = None;
    let mut text = text.to_vec();
    for (round, split) in [graphemes, points].into_iter().enumerate() {
        let parts = split(&text);
        // Characters that are code points already need no second look.
        if round > 0 && parts.len() == graphemes(&text).len() {
            continue;
        }
        let mut plan = Drop::of(parts.len(), patience);
        let make = |kept: &Kept| spelt(kept.items().flat_map(|at| parts[at]).copied().collect(), make);
        if let Some(new) = session.run(&mut plan, &make)? {
            text = new.text.clone();
            found = Some(new);
        }
    }
    if let Some(new) = plain(session, &text, make)? {
        found = Some(new);
    }
    Ok(found.map(|spelt| (spelt.form, spelt.text)))
}

/// Tries only what a string that was searched before may have become able to be.
pub(crate) fn probe<F: Form>(
    session: &mut Session,
    text: &[u8],
    make: &dyn Fn(&[u8]) -> Option<F>,
) -> Step<Option<(F, Vec<u8>)>> {
    let parts = graphemes(text);
    let half = parts.len() / 2;
    let mut all = vec![&parts[..0], &parts[half..], &parts[..half], &parts[..parts.len() - 1], &parts[1..]];
    all.dedup();
    let all = all.into_iter().map(<[&[u8]]>::concat).collect();
    let found = session.run(&mut First::of(all), &|text: &Vec<u8>| spelt(text.clone(), make))?;
    Ok(found.map(|spelt| (spelt.form, spelt.text)))
}

/// Puts `0` in the place of characters that take more than a byte, then of all.
fn plain<F: Form>(
    session: &mut Session,
    text: &[u8],
    make: &dyn Fn(&[u8]) -> Option<F>,
) -> Step<Option<Spelt<F>>> {
    let parts = graphemes(text);
    let long: Vec<usize> = (0..parts.len())
        .filter(|&at| parts[at].len() > 1 || matches!(parts[at][0], ..0x20 | b'"' | b'\\'))
        .collect();
    let replaced = |is_kept: &dyn Fn(usize) -> bool| {
        let unit = |at: usize| if is_kept(at) { parts[at] } else { b"0" };
        spelt((0..parts.len()).flat_map(unit).copied().collect(), make)
    };
    let mut plan = Drop::of(long.len(), usize::MAX);
    let kept_long = |kept: &Kept| {
        let flags = kept.flags(long.len());
        replaced(&|at| long.binary_search(&at).map_or(true, |long| flags[long]))
    };
    let mut found = session.run(&mut plan, &kept_long)?;
    let text = found.as_ref().map_or(text.to_vec(), |spelt| spelt.text.clone());
    let zeros = graphemes(&text)
        .iter()
        .flat_map(|unit| if unit.len() == 1 { b"0" } else { *unit })
        .copied()
        .collect();
    if let Some(new) =
        session.run(&mut First::of(vec![zeros]), &|text: &Vec<u8>| spelt(text.clone(), make))?
    {
        found = Some(new);
    }
    Ok(found)
}

/// A form and the string's text in it.
struct Spelt<F> {
    form: F,
    text: Vec<u8>,
}

impl<F: Form> Form for Spelt<F> {
    fn bytes(&self) -> Vec<u8> {
        self.form.bytes()
    }
}

fn spelt<F>(text: Vec<u8>, make: &dyn Fn(&[u8]) -> Option<F>) -> Option<Spelt<F>> {
    Some(Spelt { form: make(&text)?, text })
}

/// What a reader sees as characters; bytes that are no UTF-8 one by one, but for lone surrogates.
pub(crate) fn graphemes(text: &[u8]) -> Vec<&[u8]> {
    units(text, &|part| part.graphemes(true).collect())
}

fn points(text: &[u8]) -> Vec<&[u8]> {
    units(text, &|part| part.split_inclusive(|_| true).collect())
}

fn units<'t>(text: &'t [u8], split: &dyn Fn(&'t str) -> Vec<&'t str>) -> Vec<&'t [u8]> {
    let mut all: Vec<&[u8]> = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let surrogate = rest.windows(3).position(|w| w[0] == 0xED && w[1] >= 0xA0 && w[2] & 0xC0 == 0x80);
        let (before, from) = rest.split_at(surrogate.unwrap_or(rest.len()));
        for chunk in before.utf8_chunks() {
            all.extend(split(chunk.valid()).into_iter().map(str::as_bytes));
            all.extend(chunk.invalid().chunks(1));
        }
        let (surrogate, after) = from.split_at(if surrogate.is_some() { 3 } else { 0 });
        all.extend((!surrogate.is_empty()).then_some(surrogate));
        rest = after;
    }
    all
}

//! What is in tokens: equal words and numbers change together, then each by itself.
//!
//! In: the text. Out: the text with shorter words, numbers and literals.

use super::super::session::Step;
use super::super::{number, string};
use super::{Text, put, put_all};
use crate::shapes::text::{Sort, tokens};
use std::collections::BTreeMap;
use std::ops::Range;

/// In larger texts only what is told often is looked at.
const WORDS_MAX: usize = 200;

impl Text<'_, '_> {
    /// One round over all words, numbers and literals.
    pub(super) fn inside(&mut self) -> Step<()> {
        if !self.small() {
            return Ok(());
        }
        self.session.pass("words");
        self.equal()?;
        let mut at = 0;
        loop {
            let text = self.best();
            let all = tokens(&text);
            let Some(token) = all.get(at) else { return Ok(()) };
            at += 1;
            let part = token.bytes.clone();
            let make = |new: &[u8]| Some(put(&text, part.clone(), new));
            let old = &text[part.clone()];
            match token.sort {
                Sort::Number if old != b"0" => drop(number::shrink(self.session, old, &make)?),
                Sort::Word if old.len() > 1 && self.fresh("word", old) => {
                    drop(string::shrink(self.session, old, &make)?)
                }
                Sort::Quoted | Sort::Mark | Sort::Blank if old.len() > 1 => {
                    drop(string::shrink(self.session, old, &make)?)
                }
                _ => {}
            }
        }
    }

    /// Equal words go or get a name of one letter, equal numbers become simpler together.
    fn equal(&mut self) -> Step<()> {
        loop {
            let text = self.best();
            let mut groups: BTreeMap<&[u8], Vec<Range<usize>>> = BTreeMap::new();
            for token in tokens(&text) {
                if matches!(token.sort, Sort::Word | Sort::Number) && text[token.bytes.clone()] != *b"0" {
                    groups.entry(&text[token.bytes.clone()]).or_default().push(token.bytes);
                }
            }
            let taken = |name: &[u8]| groups.contains_key(name);
            let letter = (b'a'..=b'z').find(|letter| !taken(&[*letter]));
            let mut groups: Vec<_> =
                groups.iter().filter(|(word, _)| word.len() > 1 || word[0].is_ascii_digit()).collect();
            groups.sort_by_key(|(word, parts)| std::cmp::Reverse(word.len() * parts.len()));
            groups.truncate(WORDS_MAX);
            let next = groups.into_iter().find(|(word, _)| self.fresh("equal", word));
            let Some((word, parts)) = next else { return Ok(()) };
            let make = |new: &[u8]| Some(put_all(&text, parts, new));
            if word[0].is_ascii_digit() {
                if parts.len() > 1 {
                    number::shrink(self.session, word, &make)?;
                }
            } else if let Some(letter) = letter {
                self.first(vec![put_all(&text, parts, b""), put_all(&text, parts, &[letter])])?;
            }
        }
    }
}

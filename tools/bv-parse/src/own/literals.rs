//! Texts of which one stands in every line that a pattern fits: a format's needles, where its author gives none.
//!
//! What is found is true of every match; that nothing is found says nothing of the pattern.

use regex_syntax::hir::{Class, Hir, HirKind};

/// A shorter text stands in too many lines to be worth a search.
const NEEDLE_BYTES_MIN: usize = 4;
/// Longer ones are cut: each byte costs memory in the automaton of all needles.
const NEEDLE_BYTES_MAX: usize = 32;
/// Texts that one pattern is turned into at most (`[Ee]rror` is two).
const CHOICES_MAX: usize = 16;

/// The needles of a pattern; none where it has no such text.
pub fn needles(pattern: &str) -> Option<Vec<String>> {
    let found = required(&regex_syntax::parse(pattern).ok()?).best?;
    let clipped = found.into_iter().map(|mut text| {
        let end = (0..=NEEDLE_BYTES_MAX).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
        text.truncate(end);
        text
    });
    Some(clipped.collect())
}

/// What is known of all that an expression fits.
#[derive(Clone, Default)]
struct Required {
    /// It fits these texts and no other.
    exact: Option<Vec<String>>,
    /// One of these stands in all that it fits.
    best: Option<Vec<String>>,
}

impl Required {
    fn exact(texts: Vec<String>) -> Required {
        Required { best: good(&texts), exact: Some(texts) }
    }
}

fn required(hir: &Hir) -> Required {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Required::exact(vec![String::new()]),
        HirKind::Literal(literal) => match str::from_utf8(&literal.0) {
            Ok(text) => Required::exact(vec![text.to_owned()]),
            Err(_) => Required::default(),
        },
        HirKind::Class(Class::Unicode(class)) => {
            let letters = class.iter().flat_map(|range| range.start()..=range.end());
            let letters: Vec<String> = letters.take(CHOICES_MAX + 1).map(String::from).collect();
            if letters.len() > CHOICES_MAX { Required::default() } else { Required::exact(letters) }
        }
        HirKind::Class(Class::Bytes(_)) => Required::default(),
        HirKind::Capture(capture) => required(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min == 0 => Required::default(),
        HirKind::Repetition(repetition) => Required { exact: None, best: required(&repetition.sub).best },
        HirKind::Concat(parts) => concat(parts),
        HirKind::Alternation(parts) => alternation(parts),
    }
}

/// Neighbours of which all texts are known grow together; what is longest in the whole is best.
fn concat(parts: &[Hir]) -> Required {
    let mut run = vec![String::new()];
    let mut whole = true;
    let mut best: Option<Vec<String>> = None;
    for part in parts {
        let part = required(part);
        best = better(best, part.best);
        let grown = part.exact.and_then(|texts| product(&run, &texts));
        whole = whole && grown.is_some();
        best = better(best, good(&run));
        run = grown.unwrap_or_else(|| vec![String::new()]);
    }
    best = better(best, good(&run));
    Required { exact: whole.then_some(run), best }
}

fn alternation(parts: &[Hir]) -> Required {
    let parts: Vec<Required> = parts.iter().map(required).collect();
    let all = |of: fn(&Required) -> Option<&Vec<String>>| {
        let texts: Option<Vec<&Vec<String>>> = parts.iter().map(of).collect();
        let texts: Vec<String> = texts?.into_iter().flatten().cloned().collect();
        (texts.len() <= CHOICES_MAX).then_some(texts)
    };
    Required { exact: all(|part| part.exact.as_ref()), best: all(|part| part.best.as_ref()) }
}

fn product(heads: &[String], tails: &[String]) -> Option<Vec<String>> {
    const TEXT_BYTES_MAX: usize = 256;
    let fits = heads.len() * tails.len() <= CHOICES_MAX
        && heads.iter().chain(tails).all(|text| text.len() <= TEXT_BYTES_MAX);
    fits.then(|| {
        heads.iter().flat_map(|head| tails.iter().map(move |tail| format!("{head}{tail}"))).collect()
    })
}

/// Texts that are worth a search.
fn good(texts: &[String]) -> Option<Vec<String>> {
    let worth = |text: &String| text.len() >= NEEDLE_BYTES_MIN && !text.trim().is_empty();
    texts.iter().all(worth).then(|| texts.to_vec())
}

fn better(a: Option<Vec<String>>, b: Option<Vec<String>>) -> Option<Vec<String>> {
    let shortest = |texts: &[String]| texts.iter().map(String::len).min().unwrap_or(0);
    match (a, b) {
        (Some(a), Some(b)) => Some(if shortest(&b) > shortest(&a) { b } else { a }),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use regex::Regex;

    #[test]
    fn what_every_match_holds() {
        for (pattern, want) in [
            ("^FAILED (.+)$", Some(&["FAILED "][..])),
            (r"^(.+):(\d+): (error|warning): (.*)$", Some(&[": error: ", ": warning: "])),
            (r"^--- FAIL: (\S+) \((\d+)\)", Some(&["--- FAIL: "])),
            ("[Ee]rrors? found", Some(&[" found"])),
            ("[Ee]rror: ", Some(&["Error: ", "error: "])),
            (r"^\s+(\d+):(\d+)", None),
            ("(a|b)?", None),
            ("x*", None),
            ("(FAIL|.*)", None),
            ("(abcd){2}", Some(&["abcd"])),
        ] {
            let got = needles(pattern);
            let want = want.map(|want| want.iter().map(|w| (*w).to_owned()));
            assert_eq!(got, want.map(Iterator::collect), "{pattern}");
        }
    }

    proptest! {
        /// No line that a pattern fits lacks all of its needles.
        #[test]
        fn no_match_without_a_needle(
            parts in proptest::collection::vec("(fail|error(s)?|[ab]{1,3}|(x|yz)?|\\.+|warn(ing)?|[0-9]+: )", 1..6),
            text in "(fail|errors?|[ab]{0,3}|yz|x|\\.\\.|warning|12: ){0,9}",
        ) {
            let pattern = parts.concat();
            if let Ok(regex) = Regex::new(&pattern)
                && regex.is_match(&text)
                && let Some(needles) = needles(&pattern)
            {
                prop_assert!(needles.iter().any(|needle| text.contains(needle)), "{pattern} {text} {needles:?}");
            }
        }
    }
}

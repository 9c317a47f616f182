//! All needles of all formats in one automaton, so that a line that concerns nobody is looked at once.

use crate::formats::FORMATS;
use crate::known::Known;
use crate::own::Own;
use crate::{fallback, outer, retry};
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use std::sync::LazyLock;

/// Those of the table; made once a process.
pub static NEEDLES: LazyLock<Needles<'static>> = LazyLock::new(|| Needles::new(&[]));

/// See the head of this file.
pub struct Needles<'f> {
    automaton: AhoCorasick,
    owners: Vec<Owner<'f>>,
    own: &'f [Own],
}

#[derive(Clone, Copy)]
enum Owner<'f> {
    Format(Known<'f>),
    Fallback,
    Retry,
    Outer,
}

/// Whom a line concerns.
#[derive(Default)]
pub struct Hits<'f> {
    /// Formats whose needle stands in it.
    pub formats: Vec<Known<'f>>,
    /// The fallback.
    pub fallback: bool,
    /// It may announce a retry.
    pub retry: bool,
    /// It may be a CI system's word on the command.
    pub outer: bool,
}

impl<'f> Needles<'f> {
    /// Those of the table and of the formats that the user brought.
    pub fn new(own: &'f [Own]) -> Needles<'f> {
        let mut patterns: Vec<&str> = Vec::new();
        let mut owners = Vec::new();
        for own in own {
            for needle in &own.needles {
                patterns.push(needle);
                owners.push(Owner::Format(Known::Own(own)));
            }
        }
        for format in FORMATS {
            for needle in format.needles {
                patterns.push(needle);
                owners.push(Owner::Format(Known::Table(format)));
            }
        }
        for needle in fallback::NEEDLES {
            patterns.push(needle);
            owners.push(Owner::Fallback);
        }
        for needle in retry::NEEDLES {
            patterns.push(needle);
            owners.push(Owner::Retry);
        }
        for needle in outer::NEEDLES {
            patterns.push(needle);
            owners.push(Owner::Outer);
        }
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::DFA))
            .build(patterns)
            .expect("the needles are few and short, far below the automaton's limits");
        Needles { automaton, owners, own }
    }

    /// Whom the line concerns, beside the formats that are `known` to read it already.
    pub fn find(&self, text: &str, known: impl Fn(Known<'f>) -> bool) -> Hits<'f> {
        let mut hits = Hits::default();
        // Most lines concern nobody; one look says so, and costs less than the search for all that overlap.
        if !self.automaton.is_match(text) {
            return hits;
        }
        for found in self.automaton.find_overlapping_iter(text) {
            match self.owners[found.pattern().as_usize()] {
                Owner::Fallback => hits.fallback = true,
                Owner::Retry => hits.retry = true,
                Owner::Outer => hits.outer = true,
                Owner::Format(format) => {
                    if !known(format) && !hits.formats.contains(&format) {
                        hits.formats.push(format);
                    }
                }
            }
        }
        // The user's own look first, so that they can claim their failures.
        hits.formats.sort_by_key(|format| !format.is_own());
        hits
    }

    /// The user's formats without needles: they look at every line.
    pub fn watchful(&self) -> impl Iterator<Item = Known<'f>> + use<'f> {
        self.own.iter().filter(|own| own.needles.is_empty()).map(Known::Own)
    }

    /// The format of this name; the user's own go before those of the table.
    pub fn named(&self, name: &str) -> Option<Known<'f>> {
        let own = self.own.iter().find(|own| own.name == name).map(Known::Own);
        own.or_else(|| FORMATS.iter().find(|format| format.name == name).map(Known::Table))
    }

    /// The name of the format that a command belongs to.
    pub fn format_of_command(&self, command: &str) -> Option<&'f str> {
        let name = command.rsplit(['/', '\\']).next().unwrap_or(command);
        let name = name.strip_suffix(".exe").unwrap_or(name);
        let own = self.own.iter().find(|own| own.commands.iter().any(|command| command == name));
        own.map(|own| &*own.name).or_else(|| {
            FORMATS.iter().find(|format| format.commands.contains(&name)).map(|format| format.name)
        })
    }
}

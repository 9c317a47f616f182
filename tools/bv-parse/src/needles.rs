//! All needles of all formats, looked for at once: whom a line concerns.
//!
//! Most lines concern nobody, and that is to be cheap however many formats there are. Four bytes at every place
//! of the line are looked up in a table, each lookup for itself, where an automaton would take one byte after
//! the other; a needle is known there by its rarest four bytes. What passes is compared with the needles whose
//! bytes may stand there.

use crate::formats::FORMATS;
use crate::known::Known;
use crate::own::Own;
use crate::{fallback, outer, retry};
use memchr::memmem::Finder;
use std::ops::Range;
use std::sync::LazyLock;

/// Those of the table; made once a process.
pub static NEEDLES: LazyLock<Needles<'static>> = LazyLock::new(|| Needles::new(&[]));

/// Bytes of a needle that are looked up.
const WINDOW: usize = 4;
/// Bits of a window's place in the table. A thousand windows fill a 260th of it; the text of a log reads few of
/// its 256 KiB.
const PLACE_BITS: u32 = 18;

/// See the head of this file.
pub struct Needles<'f> {
    /// 1 at the place of each window. Bytes, since a bit takes longer to read than a byte.
    table: Box<[u8; 1 << PLACE_BITS]>,
    /// By the place of their window.
    needles: Vec<Needle<'f>>,
    /// Needles shorter than a window: to be few, since each is a search of its own.
    short: Vec<(Finder<'f>, Owner<'f>)>,
    own: &'f [Own],
}

struct Needle<'f> {
    place: usize,
    text: &'f [u8],
    /// Where in the text the window begins.
    window: usize,
    owner: Owner<'f>,
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

impl<'f> Hits<'f> {
    fn add(&mut self, owner: Owner<'f>, known: &impl Fn(Known<'f>) -> bool) {
        match owner {
            Owner::Fallback => self.fallback = true,
            Owner::Retry => self.retry = true,
            Owner::Outer => self.outer = true,
            Owner::Format(format) => {
                if !known(format) && !self.formats.contains(&format) {
                    self.formats.push(format);
                }
            }
        }
    }
}

impl<'f> Needles<'f> {
    /// Those of the table and of the formats that the user brought.
    pub fn new(own: &'f [Own]) -> Needles<'f> {
        let table = vec![0; 1 << PLACE_BITS].try_into().expect("it is of the length that is asked for");
        let mut needles = Needles { table, needles: Vec::new(), short: Vec::new(), own };
        for own in own {
            own.needles.iter().for_each(|text| needles.add(text, Owner::Format(Known::Own(own))));
        }
        for format in FORMATS {
            format.needles.iter().for_each(|text| needles.add(text, Owner::Format(Known::Table(format))));
        }
        fallback::NEEDLES.iter().for_each(|text| needles.add(text, Owner::Fallback));
        retry::NEEDLES.iter().for_each(|text| needles.add(text, Owner::Retry));
        outer::NEEDLES.iter().for_each(|text| needles.add(text, Owner::Outer));
        needles.needles.sort_by_key(|needle| needle.place);
        needles
    }

    fn add(&mut self, text: &'f str, owner: Owner<'f>) {
        let text = text.as_bytes();
        let windows = text.windows(WINDOW).enumerate();
        match windows.min_by_key(|(_, window)| commonness(window)) {
            Some((at, window)) => {
                let place = place(window);
                self.table[place] = 1;
                self.needles.push(Needle { place, text, window: at, owner });
            }
            None => self.short.push((Finder::new(text), owner)),
        }
    }

    /// Whom the line concerns, beside the formats that are `known` to read it already.
    pub fn find(&self, text: &str, known: impl Fn(Known<'f>) -> bool) -> Hits<'f> {
        let text = text.as_bytes();
        let mut hits = Hits::default();
        for (short, owner) in &self.short {
            if short.find(text).is_some() {
                hits.add(*owner, &known);
            }
        }
        if text.windows(WINDOW).fold(0, |any, window| any | self.table[place(window)]) != 0 {
            self.compare(text, &mut hits, &known);
        }
        // The user's own look first, so that they can claim their failures.
        hits.formats.sort_by_key(|format| !format.is_own());
        hits
    }

    #[inline(never)]
    fn compare(&self, text: &[u8], hits: &mut Hits<'f>, known: &impl Fn(Known<'f>) -> bool) {
        for (at, window) in text.windows(WINDOW).enumerate() {
            let place = place(window);
            if self.table[place] == 0 {
                continue;
            }
            for needle in &self.needles[self.at(place)] {
                let begins = at.checked_sub(needle.window);
                if begins.is_some_and(|begins| text[begins..].starts_with(needle.text)) {
                    hits.add(needle.owner, known);
                }
            }
        }
    }

    /// The needles of a place.
    fn at(&self, place: usize) -> Range<usize> {
        let from = self.needles.partition_point(|needle| needle.place < place);
        let more = self.needles[from..].iter().take_while(|needle| needle.place == place);
        from..from + more.count()
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

/// Where a window lies in the table: the high bits of its product with an odd number near 2^32 / phi.
fn place(window: &[u8]) -> usize {
    let word = u32::from_le_bytes([window[0], window[1], window[2], window[3]]);
    (word.wrapping_mul(0x9E37_79B1) >> (32 - PLACE_BITS)) as usize
}

/// How often such bytes stand in a log, roughly: what a needle is looked up by should be rare there. Words begin
/// and end alike, so that a window over the gap between two of them is rarer than one at its edge.
fn commonness(window: &[u8]) -> u32 {
    let of_byte = |(at, byte): (usize, &u8)| match byte {
        b' ' if at == 0 || at + 1 == window.len() => 9,
        b' ' => 5,
        b'e' => 9,
        b't' | b'a' | b'o' | b'n' | b'i' | b's' | b'r' => 8,
        b'd' | b'l' | b'h' | b'u' | b'c' | b'm' | b'g' => 6,
        b'a'..=b'z' | b'0'..=b'9' => 5,
        b'.' | b':' | b'-' | b'/' | b'_' | b'=' => 4,
        _ => 2,
    };
    window.iter().enumerate().map(of_byte).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whom a line concerns, by name.
    fn concerned(text: &str) -> Vec<&str> {
        let hits = NEEDLES.find(text, |_| false);
        let mut all: Vec<&str> = hits.formats.iter().map(|format| format.name()).collect();
        all.extend(hits.fallback.then_some("fallback"));
        all.extend(hits.retry.then_some("retry"));
        all.extend(hits.outer.then_some("outer"));
        all.sort_unstable();
        all
    }

    #[test]
    fn a_line_with_a_needle_concerns_its_owner_wherever_it_stands() {
        for format in FORMATS {
            for needle in format.needles {
                for text in
                    [(*needle).to_owned(), format!("x{needle}"), format!("some words {needle} and more")]
                {
                    assert!(concerned(&text).contains(&format.name), "{}: {text:?}", format.name);
                }
            }
        }
        for (text, owner) in
            [("fatal error: ", "fallback"), (" failed. Retrying, ", "retry"), ("\" exited with ", "outer")]
        {
            assert!(concerned(text).contains(&owner), "{text:?}");
        }
    }

    #[test]
    fn other_lines_concern_nobody() {
        for text in [
            "",
            "a",
            "%",
            "ok",
            "GET /api/v1/items 200 in 4 ms",
            "the test of a result",
            "50%",
            "rest result:",
        ] {
            assert!(concerned(text).is_empty(), "{text:?}: {:?}", concerned(text));
        }
    }

    #[test]
    fn a_format_that_is_known_is_not_told() {
        let hits = NEEDLES.find("test result: ok", |format| format.name() == "cargo-test");
        assert!(hits.formats.is_empty());
    }
}

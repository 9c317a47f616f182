//! What libtest prints when all tests of a binary ran: captured output, names, the closing line.
//!
//! Captured text may hold anything, also a whole other run. So the closing line counts only below a
//! list of names that can be libtest's own, and a list that turns out otherwise is captured text again.

use super::lines::{self, Part, Summary};
use super::section::Section;
use crate::machine::{HELD_MAX, Line};
use crate::rust_output::Captured;

/// Where in it the reader is.
#[derive(Debug)]
pub struct Recap {
    part: Part,
    block: Option<Block>,
    /// A block was seen.
    captured: bool,
    list: Option<List>,
    /// Names of the failed tests, from the lists that stood.
    pub listed: Vec<String>,
}

/// The captured output of one test.
#[derive(Debug)]
struct Block {
    name: String,
    text: Captured,
    span: [u64; 2],
}

/// A list of names, until it is known to be libtest's.
#[derive(Debug, Default)]
struct List {
    /// At most [`HELD_MAX`]; the closing line says how many there are.
    names: Vec<String>,
    raw: Vec<(String, [u64; 2])>,
    /// The blank line below it was seen.
    ended: bool,
}

impl Recap {
    /// At its first head line.
    pub fn new(part: Part) -> Recap {
        Recap { part, block: None, captured: false, list: None, listed: Vec::new() }
    }

    /// Whether nothing but its head was seen.
    pub fn is_empty(&self) -> bool {
        self.block.is_none() && self.list.is_none() && self.listed.is_empty() && self.part != Part::Successes
    }

    /// Takes the next line; returns the closing line when this is it.
    pub fn line(&mut self, line: &Line<'_>, section: &mut Section) -> Option<Summary> {
        if self.list.is_some() {
            match self.list_line(line, section) {
                Read::Taken => return None,
                Read::Closing(summary) => return Some(summary),
                Read::Text => self.give_back(section),
            }
        }
        self.text_line(line, section);
        None
    }

    /// The stream ended.
    pub fn cut(&mut self, section: &mut Section) {
        self.give_back(section);
        self.end_block(section);
    }

    fn text_line(&mut self, line: &Line<'_>, section: &mut Section) {
        if lines::part(line.text) == Some(self.part) {
            let raw = vec![(line.text.to_owned(), line.span)];
            self.list = Some(List { raw, ..List::default() });
        } else {
            self.output_line(line.text, line.span, section);
        }
    }

    /// A line of captured output, or the head of the next test's.
    fn output_line(&mut self, text: &str, span: [u64; 2], section: &mut Section) {
        if let Some(name) = lines::block(text)
            && (self.part == Part::Successes || section.may_head_block(name))
        {
            let name = name.to_owned();
            self.end_block(section);
            self.captured |= self.part != Part::Successes;
            self.block = Some(Block { name, text: Captured::default(), span });
        } else if let Some(block) = &mut self.block {
            if self.part != Part::Successes {
                block.text.push(text);
            }
            block.span[1] = span[1];
        }
    }

    fn end_block(&mut self, section: &mut Section) {
        if let Some(mut block) = self.block.take()
            && self.part != Part::Successes
        {
            section.block(&block.name, block.span, block.text.lines());
        }
    }

    fn list_line(&mut self, line: &Line<'_>, section: &mut Section) -> Read {
        let text = line.text;
        let Some(list) = &mut self.list else { return Read::Text };
        if !list.ended {
            if let Some(name) = text.strip_prefix("    ") {
                if list.names.len() == HELD_MAX {
                    return Read::Taken;
                }
                list.names.push(name.to_owned());
            } else if text.is_empty() {
                list.ended = true;
                let stands = match self.part {
                    Part::Successes => section.may_list_successes(&list.names),
                    Part::Failures => section.may_list_failures(&list.names, self.captured),
                    Part::Late => true,
                };
                if !stands {
                    return Read::Text;
                }
            } else {
                return Read::Text;
            }
            list.raw.push((text.to_owned(), line.span));
            return Read::Taken;
        }
        if let Some(summary) = lines::summary(text)
            && section.fits(&summary)
            && (self.part == Part::Successes || !summary.ok)
        {
            self.stands(section);
            return Read::Closing(summary);
        }
        match lines::part(text) {
            Some(part) if part != Part::Successes && part != self.part => {
                self.stands(section);
                self.part = part;
                Read::Taken
            }
            _ => Read::Text,
        }
    }

    /// The list is libtest's.
    fn stands(&mut self, section: &mut Section) {
        self.end_block(section);
        if let Some(list) = self.list.take()
            && self.part != Part::Successes
        {
            self.listed.extend(list.names);
        }
    }

    /// The list was captured text.
    fn give_back(&mut self, section: &mut Section) {
        for (text, span) in self.list.take().map(|list| list.raw).unwrap_or_default() {
            self.output_line(&text, span, section);
        }
    }
}

/// What a line below a list's head was.
enum Read {
    Taken,
    Closing(Summary),
    Text,
}

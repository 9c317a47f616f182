//! A report in XML that stands in the stream as text: where it begins and ends, and what is in it.
//!
//! Lines come in from the root's start tag on; the text goes out once its end tag came, or in pieces that end
//! between two tests. How a text is read is the format's business: by events (`formats/junit_xml`) or as a tree
//! ([`Element`]).

mod scan;

use crate::machine::{Line, Out};
use quick_xml::Reader;
use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesStart, Event};
use scan::{Scan, Scanned};
use std::borrow::Cow;

/// Bytes of one document, or of one piece, at most; a longer one is never complete.
pub const DOCUMENT_BYTES_MAX: usize = 64 << 20;

/// Bytes from which on a piece is given.
const PIECE_BYTES: usize = 256 << 10;

/// Depth of elements that is kept.
const DEPTH_MAX: usize = 64;

/// What the reports of one format look like from outside.
#[derive(Debug)]
pub struct Shape {
    /// Where its root begins in a line, if it does.
    pub root: fn(&str) -> Option<usize>,
    /// Elements that hold elements alone; text in one of them tells that this is no such report.
    pub structure: &'static [&'static str],
    /// The element of one test.
    pub case: &'static str,
}

/// A whole document, or one that is cut off.
#[derive(Debug, Default)]
pub struct Document {
    /// From the root's start tag on.
    pub text: String,
    /// Where each line of `text` begins in it, and its place in the raw stream.
    pub lines: Vec<(usize, [u64; 2])>,
}

impl Document {
    /// The raw lines from the one that holds byte `from` of the text to the one that ends before `end`.
    pub fn span(&self, from: usize, end: usize) -> Option<[u64; 2]> {
        let line = |at: usize| {
            let after = self.lines.partition_point(|(start, _)| *start <= at);
            after.checked_sub(1).map(|at| self.lines[at].1)
        };
        Some([line(from)?[0], line(end.saturating_sub(1))?[1]])
    }
}

/// What a line did.
#[derive(Debug)]
pub enum Taken<'a> {
    /// It is no part of a report.
    Not,
    /// The report goes on; `tested`: it holds a test case already.
    More {
        /// See above.
        tested: bool,
    },
    /// It is whole; another may stand behind it in the same line.
    Whole(Document, &'a str),
    /// It was something else that began like one.
    NoReport,
    /// Its tags do not match: what came since the last piece. Nothing is known of its end.
    Broken(Document),
    /// It is longer than is kept.
    TooLong,
}

/// Collects documents of one shape, one after another.
#[derive(Debug)]
pub struct Collector {
    shape: &'static Shape,
    document: Document,
    scan: Option<Scan>,
}

impl Collector {
    /// For documents of this shape.
    pub fn new(shape: &'static Shape) -> Collector {
        Collector { shape, document: Document::default(), scan: None }
    }

    /// Whether a document is being read.
    pub fn is_open(&self) -> bool {
        self.scan.is_some()
    }

    /// Takes a line, or what of it stands behind a document that ended in it.
    pub fn take<'a>(&mut self, text: &'a str, span: [u64; 2]) -> Taken<'a> {
        let Some(text) = self.started(text) else { return Taken::Not };
        let Some(scan) = &mut self.scan else { return Taken::Not };
        let scanned = scan.line(text);
        let (text, behind) = match scanned {
            Scanned::Whole { end } => text.split_at_checked(end).unwrap_or((text, "")),
            _ => (text, ""),
        };
        if self.document.text.len() + text.len() > DOCUMENT_BYTES_MAX {
            *self = Collector::new(self.shape);
            return Taken::TooLong;
        }
        self.document.lines.push((self.document.text.len(), span));
        self.document.text.push_str(text);
        self.document.text.push('\n');
        match scanned {
            Scanned::More { tested } => Taken::More { tested },
            Scanned::NoReport | Scanned::Broken { tested: false } => {
                *self = Collector::new(self.shape);
                Taken::NoReport
            }
            Scanned::Broken { tested: true } => {
                let document = std::mem::take(&mut self.document);
                *self = Collector::new(self.shape);
                Taken::Broken(document)
            }
            Scanned::Whole { .. } => {
                let document = std::mem::take(&mut self.document);
                *self = Collector::new(self.shape);
                Taken::Whole(document, behind)
            }
        }
    }

    /// Takes a line of a format whose reports are read whole, by `say`, which closes the section of one that is.
    /// The section is `opened` with the first test. False where the line is no part of a report.
    pub fn report(
        &mut self,
        line: &Line<'_>,
        opened: &mut bool,
        say: fn(&Document, &mut Out),
        out: &mut Out,
    ) -> bool {
        match self.take(line.text, line.span) {
            Taken::Not => return false,
            Taken::NoReport | Taken::More { tested: false } => {}
            Taken::More { tested: true } | Taken::TooLong => open(opened, out),
            Taken::Broken(document) => {
                open(opened, out);
                say(&document, out);
            }
            Taken::Whole(document, _) => {
                open(opened, out);
                say(&document, out);
                *opened = false;
            }
        }
        true
    }

    /// The stream ended: says what a report told that is cut off. False where none is being read.
    pub fn end_report(&mut self, opened: &mut bool, say: fn(&Document, &mut Out), out: &mut Out) -> bool {
        let Some(document) = self.cut() else { return false };
        open(opened, out);
        say(&document, out);
        true
    }

    /// What came since the last piece, if it is enough for one and ends between two tests.
    pub fn piece(&mut self) -> Option<Document> {
        let between = self.scan.as_ref().is_some_and(Scan::is_between_cases);
        (between && self.document.text.len() >= PIECE_BYTES).then(|| std::mem::take(&mut self.document))
    }

    /// The document that the stream cut off, if one is being read.
    pub fn cut(&mut self) -> Option<Document> {
        self.scan.take().map(|_| std::mem::take(&mut self.document))
    }

    /// What of the line belongs to a document; a new one begins with its root's tag, before which an XML
    /// declaration may stand.
    fn started<'a>(&mut self, text: &'a str) -> Option<&'a str> {
        if self.scan.is_some() {
            return Some(text);
        }
        let at = (self.shape.root)(text)?;
        let before = text[..at].trim().trim_start_matches('\u{feff}');
        (before.is_empty() || before.starts_with("<?xml") && before.ends_with('>')).then(|| {
            self.scan = Some(Scan::new(self.shape.structure, self.shape.case));
            &text[at..]
        })
    }
}

fn open(opened: &mut bool, out: &mut Out) {
    if !std::mem::replace(opened, true) {
        out.open();
    }
}

/// One element.
#[derive(Debug, Default)]
pub struct Element {
    /// Its name.
    pub name: String,
    /// Names and values, unescaped.
    attributes: Vec<(String, String)>,
    /// The text that stands in it, not in its children.
    pub text: String,
    /// In order.
    pub children: Vec<Element>,
    /// Where it begins and ends in the document's text.
    pub at: [usize; 2],
}

impl Element {
    /// The document's root and whether it is whole; nothing where no element is.
    pub fn read(text: &str) -> Option<(Element, bool)> {
        let mut reader = Reader::from_str(text);
        let mut open: Vec<Element> = Vec::new();
        loop {
            let position =
                |reader: &Reader<&[u8]>| usize::try_from(reader.buffer_position()).unwrap_or_default();
            let at = position(&reader);
            let event = reader.read_event();
            let end = position(&reader);
            match event {
                Ok(Event::Start(tag)) => open.push(Element::start(&tag, at)),
                Ok(Event::Empty(tag)) => {
                    open.push(Element::start(&tag, at));
                    if let Some(root) = close(&mut open, end) {
                        return Some((root, true));
                    }
                }
                Ok(Event::End(_)) => {
                    if let Some(root) = close(&mut open, end) {
                        return Some((root, true));
                    }
                }
                Ok(Event::Text(text)) => push(&mut open, &text),
                Ok(Event::CData(text)) => push(&mut open, &text),
                Ok(Event::GeneralRef(name)) => push(&mut open, &unescaped(&format!("&{};", &*name))),
                Ok(Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_)) => {}
                // Cut off, or no XML from here on: what came stands.
                Ok(Event::Eof) | Err(_) => loop {
                    if let Some(root) = close(&mut open, end) {
                        return Some((root, false));
                    }
                    if open.is_empty() {
                        return None;
                    }
                },
            }
        }
    }

    fn start(tag: &BytesStart<'_>, at: usize) -> Element {
        Element {
            name: tag.name().as_ref().to_owned(),
            attributes: attributes(tag)
                .unwrap_or_default()
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value.into_owned()))
                .collect(),
            at: [at, at],
            ..Element::default()
        }
    }

    /// An attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// An attribute that is a whole number.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.attribute(name)?.trim().parse().ok()
    }

    /// The first child of this name.
    pub fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }

    /// All children of this name.
    pub fn children<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |child| child.name == name)
    }
}

/// The innermost open element ended; gives the root when it did.
fn close(open: &mut Vec<Element>, end: usize) -> Option<Element> {
    let mut element = open.pop()?;
    element.at[1] = end;
    let depth = open.len();
    let Some(parent) = open.last_mut() else { return Some(element) };
    // What lies deeper than any report does is left out.
    if depth < DEPTH_MAX {
        parent.children.push(element);
    }
    None
}

fn push(open: &mut [Element], text: &str) {
    if let Some(element) = open.last_mut() {
        element.text.push_str(text);
    }
}

/// The attributes, unescaped; `None` where the tag is broken.
pub fn attributes<'a>(tag: &'a BytesStart<'_>) -> Option<Vec<(&'a str, Cow<'a, str>)>> {
    let read = |attribute: Attribute<'a>| {
        let value = match attribute.value {
            Cow::Borrowed(raw) => unescaped(raw),
            Cow::Owned(raw) => Cow::Owned(unescaped(&raw).into_owned()),
        };
        (attribute.key.into_inner(), value)
    };
    tag.attributes().map(|attribute| attribute.ok().map(read)).collect()
}

/// A reference that is none (a bare `&`) leaves the text as it is.
pub fn unescaped(raw: &str) -> Cow<'_, str> {
    quick_xml::escape::unescape(raw).unwrap_or(Cow::Borrowed(raw))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_read_as_far_as_it_goes() {
        let check = |text: &str, want: &str, whole: bool| {
            let (root, is_whole) = Element::read(text).expect("an element");
            assert_eq!((shown(&root).as_str(), is_whole), (want, whole), "{text}");
        };
        check("<a x='1&amp;'><b>t&lt;<![CDATA[<u>]]></b><c/></a>", "a[b\"t<<u>\",c]", true);
        check("<a><b>cut", "a[b\"cut\"]", false);
        check("<a/><b/>", "a", true);
        assert!(Element::read("no element").is_none());
        assert_eq!(
            Element::read("<a x='1&amp;'/>").and_then(|(root, _)| root.attribute("x").map(str::to_owned)),
            Some("1&".into())
        );
    }

    fn shown(element: &Element) -> String {
        let mut out = element.name.clone();
        if !element.text.is_empty() {
            out.push_str(&format!("{:?}", element.text));
        }
        if !element.children.is_empty() {
            let children: Vec<String> = element.children.iter().map(shown).collect();
            out.push_str(&format!("[{}]", children.join(",")));
        }
        out
    }
}

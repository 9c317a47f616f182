//! From a source text to its definitions, in the order in which they begin.
//!
//! The parser is bounded in its steps, the walk does not recurse.

use super::unfinished::{self, Layout};
use super::{Definition, Language};
use std::cmp::Reverse;
use std::ops::ControlFlow;
use tree_sitter::{Node, ParseOptions, Parser, Tree};

/// Steps of the parser, in hundreds, after which a file is given up: far more than any source needs that
/// a person wrote.
const PARSE_STEPS_MAX: u64 = 1_000_000;

/// Places of a file that do not parse that are looked into.
const ERRORS_MAX: usize = 1_000;

/// A definition and what is around it.
pub struct Entry {
    pub definition: Definition,
    /// Its first line with what leads to it: decorators, attributes, documentation.
    pub lead_first: u64,
    /// The definition around it, by its index.
    pub parent: Option<usize>,
}

/// The definitions of `text`; `None` where the parser gives up.
pub fn entries(language: &Language, text: &str) -> Option<Vec<Entry>> {
    parsed(language, text).map(|(entries, _)| entries)
}

/// The definitions of `text` and the tree that they are in; `None` where the parser gives up.
pub fn parsed(language: &Language, text: &str) -> Option<(Vec<Entry>, Tree)> {
    let prepared = (language.prepare)(text);
    let tree = parse(language, &prepared)?;
    let mut all = walk(language, &tree, text);
    all.sort_by_key(|entry| (entry.definition.bytes.start, Reverse(entry.definition.bytes.end)));
    // The head of an unfinished function is found twice.
    all.dedup_by(|later, first| {
        let (later, first) = (&later.definition, &first.definition);
        later.bytes.start == first.bytes.start && later.name == first.name
    });
    let mut open: Vec<usize> = Vec::new();
    for index in 0..all.len() {
        let start = all[index].definition.bytes.start;
        while open.last().is_some_and(|&outer| all[outer].definition.bytes.end <= start) {
            open.pop();
        }
        all[index].parent = open.last().copied();
        open.push(index);
    }
    Some((all, tree))
}

/// The text of a node's field.
pub fn field<'text>(node: Node, name: &str, source: &'text [u8]) -> Option<&'text str> {
    text(node.child_by_field_name(name)?, source)
}

/// The text of a node.
pub fn text<'text>(node: Node, source: &'text [u8]) -> Option<&'text str> {
    node.utf8_text(source).ok()
}

/// First and last line of a node, from 1; a node that ends with its line break ends on that line.
pub fn lines(node: Node) -> [u64; 2] {
    let (start, end) = (node.start_position(), node.end_position());
    let last = if end.column == 0 && end.row > start.row { end.row - 1 } else { end.row };
    [start.row as u64 + 1, last as u64 + 1]
}

/// The first part of a definition that is neither a lead nor a list of nothing but leads.
pub fn first_own<'tree>(node: Node<'tree>, is_lead: fn(Node) -> bool) -> Node<'tree> {
    let mut walker = node.walk();
    for child in node.children(&mut walker) {
        if is_lead(child) || child.is_extra() {
            continue;
        }
        if child.kind() == "modifiers" {
            match child.children(&mut child.walk()).find(|part| !is_lead(*part) && !part.is_extra()) {
                Some(own) => return own,
                None => continue,
            }
        }
        return child;
    }
    node
}

fn parse(language: &Language, text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&(language.grammar)()).ok()?;
    let mut steps = 0;
    let mut bounded = |_: &tree_sitter::ParseState| {
        steps += 1;
        if steps > PARSE_STEPS_MAX { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut bounded);
    parser.parse_with_options(&mut |at, _| text.as_bytes().get(at..).unwrap_or_default(), None, Some(options))
}

/// Walks the tree without recursion: its depth is up to whoever wrote the file.
fn walk(language: &Language, tree: &Tree, text: &str) -> Vec<Entry> {
    let source = text.as_bytes();
    let layout = tree.root_node().has_error().then(|| Layout::of(text));
    let mut all: Vec<Entry> = Vec::new();
    // One for each level: where the leads of its next node begin.
    let mut levels: Vec<Option<u64>> = vec![None];
    let mut above: Vec<Node> = Vec::new();
    let mut errors = 0;
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let lead = levels.last().copied().flatten();
        let mut lead_after = None;
        if (language.is_lead)(node) {
            lead_after = lead.or(Some(lines(node)[0]));
        } else if node.is_extra() && !node.is_error() {
            lead_after = lead;
        } else {
            if let Some(mut definition) = (language.definition)(node, &above, source) {
                // What it seems to hold may be more than it does.
                if let Some(layout) = layout.as_ref().filter(|_| node.has_error()) {
                    let bounded = layout.bounded(definition.clone());
                    if bounded.lines[1] < definition.lines[1] {
                        definition = bounded;
                    }
                }
                let lead_first = lead.unwrap_or(u64::MAX).min(lines(node)[0]).min(definition.lines[0]);
                all.push(Entry { definition, lead_first, parent: None });
            } else if !node.is_named() {
                // `export` between a decorator and its class.
                lead_after = lead;
            }
            let mut loose = (language.loose)(node, source);
            errors += usize::from(node.is_error());
            if let Some(layout) = layout.as_ref().filter(|_| node.is_error() && errors <= ERRORS_MAX) {
                loose.extend(unfinished::starts(language, node, &above, source));
                loose = loose.into_iter().map(|definition| layout.bounded(definition)).collect();
            }
            all.extend(loose.into_iter().map(|definition| {
                let lead_first = definition.lines[0];
                Entry { definition, lead_first, parent: None }
            }));
        }
        if let Some(this) = levels.last_mut() {
            *this = lead_after;
        }
        if cursor.goto_first_child() {
            levels.push(None);
            above.push(node);
            continue;
        }
        while !cursor.goto_next_sibling() {
            levels.pop();
            above.pop();
            if !cursor.goto_parent() {
                return all;
            }
        }
    }
}

/// The name in a C declarator: below pointers, references, arrays and parentheses.
pub fn declarator_name(declarator: Node) -> Option<Node> {
    let mut node = declarator;
    while let Some(inner) = node.child_by_field_name("declarator").or_else(|| {
        matches!(node.kind(), "parenthesized_declarator" | "reference_declarator" | "attributed_declarator")
            .then(|| node.named_child(0))
            .flatten()
    }) {
        node = inner;
    }
    (node.id() != declarator.id()).then_some(node)
}

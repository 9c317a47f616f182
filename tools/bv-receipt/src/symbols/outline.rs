//! A file for those who ask what calls what: its definitions, every name that stands in it, its statements.
//!
//! In comes a text, out go places in it. What a name means is left to whoever asks: to the grammar it is a leaf
//! that is an identifier of some sort, in a macro's arguments as well.

use super::table::Symbols;
use super::{Kind, language, tree};
use std::ops::Range;
use tree_sitter::Tree;

/// Names of one file that are kept.
const MENTIONS_MAX: usize = 200_000;

/// What stands in a file.
#[derive(Debug)]
pub struct Outline {
    /// In the order in which they begin.
    pub definitions: Vec<Defined>,
    /// In the order of the text.
    pub mentions: Vec<Mention>,
    /// First and last line of each statement of a block.
    pub statements: Vec<[u32; 2]>,
}

/// A definition.
#[derive(Debug)]
pub struct Defined {
    /// Qualified within its file; a test block's titles.
    pub name: String,
    /// A function's or type's own name; a test block's own title.
    pub own: String,
    /// Whether it holds code.
    pub is_function: bool,
    /// Whether it is a test block.
    pub is_test: bool,
    /// The first line of what leads to it.
    pub lead_first: u32,
    pub lines: [u32; 2],
    pub bytes: Range<usize>,
    /// The definition around it.
    pub parent: Option<usize>,
}

/// A name that stands somewhere.
#[derive(Clone, Debug)]
pub struct Mention {
    pub bytes: Range<usize>,
    /// From 1.
    pub line: u32,
}

impl Outline {
    /// The outline of a file; `None` where its language is not known or the parser gives up.
    pub fn of(file: &str, text: &str) -> Option<Outline> {
        let language = language(file)?;
        let (all, tree) = tree::parsed(language, text)?;
        let symbols = Symbols { language, all };
        let definitions = (0..symbols.all.len()).map(|index| defined(&symbols, index)).collect();
        let (mentions, statements) = leaves(&tree);
        Some(Outline { definitions, mentions, statements })
    }
}

fn defined(symbols: &Symbols, index: usize) -> Defined {
    let entry = &symbols.all[index];
    let definition = &entry.definition;
    let own = match definition.kind {
        Kind::Test => definition.name.as_str(),
        _ => super::printed::last_part(&definition.name),
    };
    Defined {
        name: symbols.symbol(index).name,
        own: own.to_owned(),
        is_function: definition.kind == Kind::Function,
        is_test: definition.kind == Kind::Test,
        lead_first: entry.lead_first as u32,
        lines: [definition.lines[0] as u32, definition.lines[1] as u32],
        bytes: definition.bytes.clone(),
        parent: entry.parent,
    }
}

/// Kinds of nodes whose children are statements.
const BLOCKS: &[&str] = &[
    "block",
    "statement_block",
    "program",
    "source_file",
    "body_statement",
    "compound_statement",
    "do_block",
    "then",
    "constructor_body",
    "else",
    "block_body",
    "switch_case",
    "statement_list",
    "begin",
    "declaration_list",
];

fn leaves(tree: &Tree) -> (Vec<Mention>, Vec<[u32; 2]>) {
    let (mut mentions, mut statements) = (Vec::new(), Vec::new());
    let mut is_block = vec![false];
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let kind = node.kind();
        if node.is_named() && is_block.last() == Some(&true) {
            statements.push(tree::lines(node).map(|line| line as u32));
        }
        let is_name = node.child_count() == 0
            && node.is_named()
            && (kind.ends_with("identifier") || matches!(kind, "constant" | "name" | "self"));
        if is_name && mentions.len() < MENTIONS_MAX {
            mentions.push(Mention { bytes: node.byte_range(), line: node.start_position().row as u32 + 1 });
        }
        if cursor.goto_first_child() {
            is_block.push(BLOCKS.contains(&kind));
            continue;
        }
        while !cursor.goto_next_sibling() {
            is_block.pop();
            if !cursor.goto_parent() {
                return (mentions, statements);
            }
        }
    }
}

//! The functions, methods and types of a source file, and which of them a line belongs to.
//!
//! In come a file's name and text; out go its definitions with their line ranges. A language is one file
//! here and one line in [`LANGUAGES`]; its grammar is loaded when a file of it is read. A file that does not
//! parse whole gives what could be read of it; one of a language that is not in the table gives nothing,
//! which is no error.

mod bash;
mod c;
mod cpp;
mod csharp;
mod go;
mod java;
mod javascript;
mod kotlin;
mod outline;
mod php;
mod printed;
mod python;
mod ruby;
mod rust;
mod swift;
mod table;
mod test_macros;
mod titles;
mod tree;
mod typescript;
mod unfinished;

pub use outline::{Defined, Outline};
pub use table::{Symbol, Symbols};

use std::borrow::Cow;
use std::ops::Range;
use tree_sitter::Node;

/// The languages whose definitions are known.
const LANGUAGES: &[Language] = &[
    bash::LANGUAGE,
    c::LANGUAGE,
    cpp::LANGUAGE,
    csharp::LANGUAGE,
    go::LANGUAGE,
    java::LANGUAGE,
    javascript::LANGUAGE,
    kotlin::LANGUAGE,
    php::LANGUAGE,
    python::LANGUAGE,
    ruby::LANGUAGE,
    rust::LANGUAGE,
    swift::LANGUAGE,
    typescript::LANGUAGE,
    typescript::WITH_JSX,
];

/// How one language names its definitions.
struct Language {
    /// File name endings without the dot.
    extensions: &'static [&'static str],
    /// The grammar.
    grammar: fn() -> tree_sitter::Language,
    /// Stands between the parts of a qualified name.
    separator: &'static str,
    /// The definition that a syntax node is, if it is one, with the nodes around it, outermost first (a node
    /// would look for its parent from the root). Asked of every node but comments.
    definition: fn(Node, &[Node], &[u8]) -> Option<Definition>,
    /// Definitions that the grammar leaves as loose tokens in a node, as in a macro's arguments.
    loose: fn(Node, &[u8]) -> Vec<Definition>,
    /// Whether a syntax node belongs to the definition after it: a decorator, an attribute, a documentation
    /// comment. Its lines are the definition's, but its range begins with them only for a line in them.
    is_lead: fn(Node) -> bool,
    /// Tokens that begin a definition, for the parts of a broken file that are left as loose tokens.
    keywords: &'static [(&'static str, Kind)],
    /// Stands before a method's name, in those parts.
    method: Joint,
    /// The text as the grammar understands it, byte for byte in the same place. What a macro hides from
    /// the grammar is rewritten here; names are read from the text as it is.
    prepare: fn(&str) -> Cow<'_, str>,
    /// The function's own name in what a runner prints for it; `None` where that is only the compiler's
    /// or the runtime's word for a function without a name.
    plain: fn(&str) -> Option<&str>,
    /// What the runtime puts before a property's name to name its accessors (`get_Total`).
    accessors: &'static [&'static str],
}

impl Language {
    /// A language that is like most in what is not said here.
    const fn new(
        extensions: &'static [&'static str],
        grammar: fn() -> tree_sitter::Language,
        definition: fn(Node, &[Node], &[u8]) -> Option<Definition>,
    ) -> Language {
        Language {
            extensions,
            grammar,
            separator: ".",
            definition,
            loose: |_, _| Vec::new(),
            is_lead: |_| false,
            keywords: &[],
            method: Joint::Separator,
            prepare: |text| Cow::Borrowed(text),
            plain: printed::plain,
            accessors: &[],
        }
    }
}

/// A definition as its language file sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Definition {
    /// Its own name; with its owner's where that does not enclose it (`(*Stack).Push` for Go's `func (s *Stack) Push`).
    name: String,
    /// What it is.
    kind: Kind,
    /// What stands before its name in a qualified one.
    joint: Joint,
    /// First and last line, from 1.
    lines: [u64; 2],
    /// Where it stands in the text.
    bytes: Range<usize>,
}

impl Definition {
    /// The definition that `node` is.
    fn new(name: impl Into<String>, kind: Kind, node: Node) -> Definition {
        let (lines, bytes) = (tree::lines(node), node.byte_range());
        Definition { name: name.into(), kind, joint: Joint::Separator, lines, bytes }
    }

    fn function(name: impl Into<String>, node: Node) -> Definition {
        Definition::new(name, Kind::Function, node)
    }

    fn typ(name: impl Into<String>, node: Node) -> Definition {
        Definition::new(name, Kind::Type, node)
    }

    /// Its own lines begin where `first` does: what is before it in the node belongs to it, as a lead does.
    fn from(self, first: Node) -> Definition {
        Definition { lines: [tree::lines(first)[0], self.lines[1]], ..self }
    }

    fn joined(self, joint: Joint) -> Definition {
        Definition { joint, ..self }
    }
}

/// What a definition is, as far as naming a place goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Holds code: the innermost one names a place.
    Function,
    /// Class, struct, trait, constant: names a place that is in no function.
    Type,
    /// A test block without a function's name: its titles name a place that is in no function.
    Test,
    /// Part of qualified names only: it never names a place by itself.
    Scope,
}

/// How a definition's name follows that of its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Joint {
    /// After the language's separator.
    Separator,
    /// After a mark of its own: Ruby's `Cart#add` beside `Cart.parse`.
    Mark(&'static str),
    /// Not at all: what encloses it is no part of its name.
    Alone,
}

/// The language of a file, by its name's ending.
fn language(file: &str) -> Option<&'static Language> {
    let extension = file.rsplit('/').next()?.rsplit_once('.')?.1;
    LANGUAGES.iter().find(|language| language.extensions.contains(&extension))
}

/// A function's own name in what is printed for a place in `file`; `None` where that names none:
/// `Object.<anonymous>`, `lambda$new$0`, `{closure}`.
pub fn plain_name<'name>(file: &str, printed: &'name str) -> Option<&'name str> {
    let plain = language(file).map_or(printed::plain as fn(&str) -> Option<&str>, |language| language.plain);
    plain(printed)
}

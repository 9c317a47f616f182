//! The functions, methods and types of a source file, and which of them a line belongs to.
//!
//! In come a file's name and text; out go its definitions with their line ranges. A language is one file
//! here and one line in [`LANGUAGES`]. A file that does not parse whole gives what could be read of
//! it; one of a language that is not in the table gives nothing, which is no error.

mod python;
mod rust;

use std::ops::ControlFlow;
use tree_sitter::{Node, ParseOptions, Parser, Tree};

/// The languages whose definitions are known.
const LANGUAGES: &[Language] = &[python::LANGUAGE, rust::LANGUAGE];

/// Steps of the parser, in hundreds, after which a file is given up: far more than any source needs that
/// a person wrote.
const PARSE_STEPS_MAX: u64 = 1_000_000;

/// How one language names its definitions.
pub struct Language {
    /// File name endings without the dot.
    pub extensions: &'static [&'static str],
    /// The grammar.
    pub grammar: fn() -> tree_sitter::Language,
    /// Stands between the parts of a qualified name.
    pub separator: &'static str,
    /// The definition that a syntax node is, if it is one. Asked of every node but comments.
    pub definition: fn(Node, &[u8]) -> Option<Definition>,
    /// Definitions that the grammar leaves as loose tokens in a node, as in a macro's arguments.
    pub loose: fn(Node, &[u8]) -> Vec<Definition>,
    /// Whether a syntax node belongs to the definition after it: a decorator, an attribute, a documentation
    /// comment. Its lines are the definition's, but its range begins with them only for a line in them.
    pub is_lead: fn(Node) -> bool,
}

/// A definition as its language file sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Its own name; with its owner's where that does not enclose it (`Stack.Push` for Go's `func (s *Stack) Push`).
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// First and last line, from 1.
    pub lines: [u64; 2],
}

/// What a definition is, as far as naming a place goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Holds code: the innermost one names a place.
    Function,
    /// Class, struct, trait, constant: names a place that is in no function.
    Type,
    /// Part of qualified names only: it never names a place by itself.
    Scope,
}

/// The definitions of a file.
pub struct Symbols {
    separator: &'static str,
    all: Vec<Entry>,
}

struct Entry {
    definition: Definition,
    lead_first: u64,
    parent: Option<usize>,
}

/// A definition by its qualified name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Qualified within its file (`Class.method`, `module::function`).
    pub name: String,
    /// First and last line, from 1.
    pub lines: [u64; 2],
}

impl Symbols {
    /// The definitions of a file; `None` where its language is not known or the parser gives up.
    pub fn of(file: &str, text: &str) -> Option<Symbols> {
        let extension = file.rsplit('/').next()?.rsplit_once('.')?.1;
        let language = LANGUAGES.iter().find(|language| language.extensions.contains(&extension))?;
        let tree = parse(language, text)?;
        Some(Symbols { separator: language.separator, all: entries(language, &tree, text.as_bytes()) })
    }

    /// The definition around `line` that is called `printed`, else, with nothing printed, the innermost
    /// function around it, else the innermost type. `None` where the text leaves it open.
    pub fn at(&self, line: u64, printed: Option<&str>) -> Option<Symbol> {
        let around: Vec<usize> = (0..self.all.len())
            .filter(|&i| self.all[i].lead_first <= line && line <= self.all[i].definition.lines[1])
            .collect();
        let found = match printed {
            Some(printed) => *around.iter().rev().find(|&&i| self.is_called(i, printed))?,
            None => {
                let last =
                    |kind| around.iter().rev().find(|&&i| self.all[i].definition.kind == kind).copied();
                let innermost = last(Kind::Function).or_else(|| last(Kind::Type))?;
                // Two functions that share a line: nothing says which of them is meant.
                let shared = |&&i: &&usize| {
                    self.all[i].definition.kind == Kind::Function
                        && i != innermost
                        && !self.is_within(innermost, i)
                };
                if around.iter().any(|i| shared(&i)) {
                    return None;
                }
                innermost
            }
        };
        let mut symbol = self.symbol(found);
        if line < symbol.lines[0] {
            symbol.lines[0] = self.all[found].lead_first;
        }
        Some(symbol)
    }

    /// The one definition in the file that is called `printed`; `None` where there are several.
    pub fn named(&self, printed: &str) -> Option<Symbol> {
        let mut called = (0..self.all.len()).filter(|&i| self.is_called(i, printed));
        match (called.next(), called.next()) {
            (Some(only), None) => Some(self.symbol(only)),
            _ => None,
        }
    }

    fn is_called(&self, index: usize, printed: &str) -> bool {
        let definition = &self.all[index].definition;
        definition.kind != Kind::Scope && last_part(&definition.name) == last_part(printed)
    }

    fn is_within(&self, index: usize, outer: usize) -> bool {
        std::iter::successors(self.all[index].parent, |&i| self.all[i].parent).any(|i| i == outer)
    }

    fn symbol(&self, index: usize) -> Symbol {
        let chain = std::iter::successors(Some(index), |&i| self.all[i].parent).take(NESTED_MAX);
        let mut parts: Vec<&str> = chain.map(|i| self.all[i].definition.name.as_str()).collect();
        parts.reverse();
        Symbol { name: parts.join(self.separator), lines: self.all[index].definition.lines }
    }
}

/// Parts of a qualified name.
const NESTED_MAX: usize = 32;

/// The last part of a function's name as runners print it: `tests::f::{{closure}}`, `Class.f`, `Class#f`,
/// `pkg.(*T).f`, `f(int)`, `f[case0]` are all `f`.
pub fn last_part(printed: &str) -> &str {
    let mut name = printed.trim();
    while let Some(shorter) =
        name.strip_suffix("::{{closure}}").or_else(|| name.strip_suffix("::{closure#0}"))
    {
        name = shorter;
    }
    for (open, close) in [('(', ')'), ('[', ']')] {
        if let Some(at) = name.ends_with(close).then(|| name.find(open)).flatten().filter(|&at| at > 0) {
            name = &name[..at];
        }
    }
    let from =
        ["::", ".", "#", "->", "/", " "].iter().filter_map(|mark| Some(name.rfind(mark)? + mark.len())).max();
    &name[from.unwrap_or(0)..]
}

/// The text of a node's field.
pub fn field<'text>(node: Node, name: &str, source: &'text [u8]) -> Option<&'text str> {
    node.child_by_field_name(name)?.utf8_text(source).ok()
}

/// First and last line of a node, from 1; a node that ends with its line break ends on that line.
pub fn lines(node: Node) -> [u64; 2] {
    let (start, end) = (node.start_position(), node.end_position());
    let last = if end.column == 0 && end.row > start.row { end.row - 1 } else { end.row };
    [start.row as u64 + 1, last as u64 + 1]
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
fn entries(language: &Language, tree: &Tree, source: &[u8]) -> Vec<Entry> {
    let mut all: Vec<Entry> = Vec::new();
    // One for each level: the definition around it, and where the leads of its next node begin.
    let mut levels = vec![Level::default()];
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let level = levels.last().copied().unwrap_or_default();
        let mut inner = level.parent;
        let mut after = Level { parent: level.parent, lead_first: None };
        if (language.is_lead)(node) {
            after.lead_first = level.lead_first.or(Some(lines(node)[0]));
        } else if node.is_extra() {
            after.lead_first = level.lead_first;
        } else {
            if let Some(definition) = (language.definition)(node, source) {
                let lead_first = level.lead_first.unwrap_or(definition.lines[0]);
                inner = Some(all.len());
                all.push(Entry { definition, lead_first, parent: level.parent });
            }
            for definition in (language.loose)(node, source) {
                let lead_first = definition.lines[0];
                all.push(Entry { definition, lead_first, parent: inner });
            }
        }
        if let Some(this) = levels.last_mut() {
            *this = after;
        }
        if cursor.goto_first_child() {
            levels.push(Level { parent: inner, lead_first: None });
            continue;
        }
        while !cursor.goto_next_sibling() {
            levels.pop();
            if !cursor.goto_parent() {
                return all;
            }
        }
    }
}

#[derive(Clone, Copy, Default)]
struct Level {
    parent: Option<usize>,
    lead_first: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One line for each line of `text`: the symbol around it and its range.
    pub fn map(file: &str, text: &str) -> Vec<String> {
        let symbols = Symbols::of(file, text).expect("the language is known");
        (1..=text.lines().count() as u64)
            .map(|line| match symbols.at(line, None) {
                Some(Symbol { name, lines: [first, last] }) => format!("{name} {first}-{last}"),
                None => "-".into(),
            })
            .collect()
    }

    #[test]
    fn a_printed_name_is_known_by_its_last_part() {
        for (printed, expected) in [
            ("f", "f"),
            ("Class.f", "f"),
            ("tests::f::{{closure}}", "f"),
            ("com.acme.Calc#f(int, long)", "f"),
            ("pkg.(*T).f", "f"),
            ("test_f[1-2]", "test_f"),
            ("mod/f", "f"),
            ("(odd)", "(odd)"),
        ] {
            assert_eq!(last_part(printed), expected);
        }
    }

    #[test]
    fn a_printed_name_decides_and_is_never_bent() {
        let symbols = Symbols::of(
            "a.py",
            "def a(): pass\n\nclass B:\n    def c(self): pass\n    def d(self): pass\n\ndef c(): pass\n",
        )
        .expect("python is known");
        let name = |symbol: Option<Symbol>| symbol.map(|symbol| symbol.name);
        assert_eq!(name(symbols.at(4, Some("c"))).as_deref(), Some("B.c"));
        assert_eq!(name(symbols.at(4, Some("d"))), None);
        assert_eq!(name(symbols.named("d")).as_deref(), Some("B.d"));
        assert_eq!(name(symbols.named("c")), None);
    }

    #[test]
    fn two_functions_on_one_line_leave_it_open() {
        assert_eq!(map("a.rs", "fn a() {} fn b() {}"), ["-"]);
        assert_eq!(map("a.rs", "fn a() { fn b() {} }"), ["a::b 1-1"]);
    }

    #[test]
    fn a_file_of_no_known_language_or_no_sense_is_no_error() {
        assert!(Symbols::of("a.txt", "x").is_none());
        assert!(Symbols::of("Makefile", "x").is_none());
        assert_eq!(map("a.py", "def ok():\n    return 1\n\n)))(((\n"), ["ok 1-2", "ok 1-2", "-", "-"]);
        let deep = "(".repeat(200_000);
        assert_eq!(map("a.py", &deep), ["-"]);
        let nested = format!("{}{}", "mod a{".repeat(50_000), "}".repeat(50_000));
        assert_eq!(map("a.rs", &nested), ["-"]);
    }
}

//! The definitions of a file, asked by line and by printed name.

use super::tree::{self, Entry};
use super::{Joint, Kind, Language, language, printed::last_part};

/// The definitions of a file.
pub struct Symbols {
    pub(super) language: &'static Language,
    pub(super) all: Vec<Entry>,
}

/// A definition by its qualified name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Qualified within its file (`Class.method`, `module::function`).
    pub name: String,
    /// First and last line, from 1.
    pub lines: [u64; 2],
}

/// Stands between the titles of test blocks.
const TITLE_SEPARATOR: &str = " › ";

/// Parts of a qualified name.
const NESTED_MAX: usize = 32;

impl Symbols {
    /// The definitions of a file; `None` where its language is not known or the parser gives up.
    pub fn of(file: &str, text: &str) -> Option<Symbols> {
        let language = language(file)?;
        Some(Symbols { language, all: tree::entries(language, text)? })
    }

    /// The definition around `line` that is called `printed`, a name as `plain_name` gives it; else, with
    /// nothing printed, the innermost function around it, else the innermost test block or type. `None`
    /// where the text leaves it open.
    pub fn at(&self, line: u64, printed: Option<&str>) -> Option<Symbol> {
        let around: Vec<usize> = (0..self.all.len())
            .filter(|&i| self.all[i].lead_first <= line && line <= self.all[i].definition.lines[1])
            .collect();
        let found = match printed {
            Some(printed) => *around.iter().rev().find(|&&i| self.is_called(i, printed))?,
            None => self.innermost(&around)?,
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

    fn innermost(&self, around: &[usize]) -> Option<usize> {
        let last = |is_meant: fn(Kind) -> bool| {
            around.iter().rev().find(|&&i| is_meant(self.all[i].definition.kind)).copied()
        };
        let innermost = last(|kind| kind == Kind::Function)
            .or_else(|| last(|kind| matches!(kind, Kind::Type | Kind::Test)))?;
        let kind = self.all[innermost].definition.kind;
        // Two functions that share a line: nothing says which of them is meant.
        let shares = |&&i: &&usize| {
            kind != Kind::Type
                && self.all[i].definition.kind == kind
                && i != innermost
                && !self.is_within(innermost, i)
        };
        (!around.iter().any(|i| shares(&i))).then_some(innermost)
    }

    fn is_called(&self, index: usize, printed: &str) -> bool {
        let definition = &self.all[index].definition;
        let name = match definition.kind {
            Kind::Scope | Kind::Test => return false,
            // The name of a test in words, in a language that allows it.
            _ if definition.name.contains(' ') => definition.name.as_str(),
            _ => last_part(&definition.name),
        };
        name == printed
            || self.language.accessors.iter().any(|accessor| {
                printed.strip_prefix(accessor).is_some_and(|property| same_but_for_first_case(property, name))
            })
    }

    fn is_within(&self, index: usize, outer: usize) -> bool {
        std::iter::successors(self.all[index].parent, |&i| self.all[i].parent).any(|i| i == outer)
    }

    pub(super) fn symbol(&self, index: usize) -> Symbol {
        let is_test = self.all[index].definition.kind == Kind::Test;
        let mut parts: Vec<&str> = Vec::new();
        for i in std::iter::successors(Some(index), |&i| self.all[i].parent).take(NESTED_MAX) {
            let definition = &self.all[i].definition;
            if (definition.kind == Kind::Test) != is_test {
                continue;
            }
            parts.push(&definition.name);
            match definition.joint {
                _ if is_test => parts.push(TITLE_SEPARATOR),
                Joint::Separator => parts.push(self.language.separator),
                Joint::Mark(mark) => parts.push(mark),
                Joint::Alone => break,
            }
        }
        // What stands before the outermost name has no owner to follow.
        if parts.len().is_multiple_of(2) {
            parts.pop();
        }
        Symbol { name: parts.into_iter().rev().collect(), lines: self.all[index].definition.lines }
    }
}

fn same_but_for_first_case(one: &str, other: &str) -> bool {
    let (mut a, mut b) = (one.chars(), other.chars());
    match (a.next(), b.next()) {
        (Some(x), Some(y)) => x.eq_ignore_ascii_case(&y) && a.as_str() == b.as_str(),
        _ => false,
    }
}

#[cfg(test)]
pub mod tests {
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

    /// Holds a source to what stands after `mark` in its lines: the symbol of the line and its range, `-` for none.
    /// A line without `mark` is not looked at.
    pub fn check(file: &str, mark: &str, text: &str) {
        let symbols = map(file, text);
        let expected = text
            .lines()
            .enumerate()
            .filter_map(|(nth, line)| Some(format!("{}: {}", nth + 1, line.split_once(mark)?.1.trim())));
        let expected: Vec<String> = expected.collect();
        let got = text.lines().enumerate().filter(|(_, line)| line.contains(mark));
        let got: Vec<String> = got.map(|(nth, _)| format!("{}: {}", nth + 1, symbols[nth])).collect();
        assert!(!got.is_empty(), "nothing is expected of\n{text}");
        assert_eq!(got.join("\n"), expected.join("\n"));
    }

    /// Holds a language to the names that it reads in printed ones; `-` for none.
    pub fn check_printed(file: &str, table: &[(&str, &str)]) {
        for (printed, expected) in table {
            assert_eq!(super::super::plain_name(file, printed).unwrap_or("-"), *expected, "{printed}");
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

    /// What sources are made of, whole and torn.
    const PARTS: &[&str] = &[
        "\n",
        "\n  ",
        " ",
        "{",
        "}",
        "(",
        ")",
        "<",
        ">",
        ";",
        ",",
        ":",
        "=",
        "=>",
        "#",
        "@",
        "\"",
        "'",
        "`",
        "é",
        "class A",
        "def m",
        "function f()",
        "fn g()",
        "func (t *T) h()",
        "fun `a b`()",
        "void k()",
        "TEST(S, C)",
        "TEST_CASE(\"é\"",
        "START_TEST(x)",
        "END_TEST",
        "@test \"t\" {",
        "describe('d', () => {",
        "it \"x\" do",
        "end",
        "namespace n",
        "module M",
        "template <class T>",
        "operator==",
        "#ifdef X",
        "<?php",
        "public",
        "[Fact]",
        "@Test",
        "struct S",
        "x",
        "1",
        "return",
    ];

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { cases: 48, ..Default::default() })]

        #[test]
        fn any_text_gives_ranges_around_its_lines(
            parts in proptest::collection::vec(proptest::sample::select(PARTS), 0..40),
        ) {
            let text = parts.join(" ");
            for language in super::super::LANGUAGES {
                for extension in language.extensions {
                    let symbols = Symbols::of(&format!("a.{extension}"), &text).expect("it is short");
                    for line in 1..=text.lines().count() as u64 {
                        let [first, last] = symbols.at(line, None).map_or([line; 2], |symbol| symbol.lines);
                        proptest::prop_assert!(first <= line && line <= last, "{line} in {first}-{last}:\n{text}");
                    }
                }
            }
        }

        #[test]
        fn any_printed_name_is_read(printed in ".{0,40}|[a-z<>{}()$.:#\\[\\] ]{0,40}") {
            for language in super::super::LANGUAGES {
                let _ = (language.plain)(&printed);
            }
        }
    }
}

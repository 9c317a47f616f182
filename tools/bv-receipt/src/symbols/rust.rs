//! Rust: functions and methods, types and constants, below their inline modules. A method is named after
//! the type it is implemented for, also in a trait's `impl`.
//!
//! Functions in a macro's arguments (`proptest! { fn p(x in 0..9) { … } }`) are tokens to the grammar; they are
//! found by `fn`, name and braces.

use super::tree::field;
use super::{Definition, Kind, Language};
use tree_sitter::Node;

/// Rust's definitions.
pub const LANGUAGE: Language = Language {
    separator: "::",
    loose,
    is_lead,
    keywords: &[
        ("fn", Kind::Function),
        ("struct", Kind::Type),
        ("enum", Kind::Type),
        ("trait", Kind::Type),
        ("mod", Kind::Scope),
    ],
    ..Language::new(&["rs"], || tree_sitter_rust::LANGUAGE.into(), definition)
};

fn definition(node: Node, _: &[Node], source: &[u8]) -> Option<Definition> {
    let (kind, name) = match node.kind() {
        "function_item" | "function_signature_item" => (Kind::Function, field(node, "name", source)?),
        "struct_item" | "enum_item" | "union_item" | "trait_item" | "type_item" | "const_item"
        | "static_item" | "macro_definition" => (Kind::Type, field(node, "name", source)?),
        "mod_item" => (Kind::Scope, field(node, "name", source)?),
        "impl_item" => (Kind::Scope, type_name(node.child_by_field_name("type")?, source)?),
        _ => return None,
    };
    Some(Definition::new(name, kind, node))
}

/// `Stack` of `Stack<T>`, `a::Stack` and `&mut Stack<T>`; a type without a name (`[u8]`) as it is written.
fn type_name<'text>(node: Node, source: &'text [u8]) -> Option<&'text str> {
    match node.kind() {
        "generic_type" | "reference_type" => type_name(node.child_by_field_name("type")?, source),
        "scoped_type_identifier" => field(node, "name", source),
        _ => node.utf8_text(source).ok(),
    }
}

fn is_lead(node: Node) -> bool {
    let is_comment = matches!(node.kind(), "line_comment" | "block_comment");
    node.kind() == "attribute_item" || is_comment && node.child_by_field_name("outer").is_some()
}

fn loose(node: Node, source: &[u8]) -> Vec<Definition> {
    if node.kind() != "token_tree" {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut open: Option<(Node, Option<&str>)> = None;
    for token in node.children(&mut node.walk()) {
        let text = if token.child_count() == 0 { token.utf8_text(source).unwrap_or_default() } else { "" };
        match &mut open {
            _ if text == "fn" => open = Some((token, None)),
            Some((_, name @ None)) => *name = (token.kind() == "identifier").then_some(text),
            Some((start, Some(name))) if is_braced(token) => {
                let whole = Definition::function(*name, token).from(*start);
                found.push(Definition { bytes: start.start_byte()..token.end_byte(), ..whole });
                open = None;
            }
            _ => {}
        }
    }
    found
}

fn is_braced(node: Node) -> bool {
    node.kind() == "token_tree" && node.child(0).is_some_and(|first| first.kind() == "{")
}

#[cfg(test)]
mod tests {
    use super::super::table::tests::map;

    #[test]
    fn a_line_belongs_to_its_function_under_its_type_and_module() {
        let text = "\
//! Module.
use x::Y;

/// Doc.
#[inline]
pub fn free() {
}

pub struct Stack<T>(Vec<T>);

impl<T: Clone> fmt::Debug for a::Stack<T> {
    fn fmt(&self) {
        let c = || {
            1
        };
    }
}

#[cfg(test)]
mod tests {
    // Why.
    #[test]
    // How.
    #[should_panic]
    fn it() {
    }
}
";
        let expected = [
            "-",
            "-",
            "-",
            "free 4-7",
            "free 4-7",
            "free 6-7",
            "free 6-7",
            "-",
            "Stack 9-9",
            "-",
            "-",
            "Stack::fmt 12-16",
            "Stack::fmt 12-16",
            "Stack::fmt 12-16",
            "Stack::fmt 12-16",
            "Stack::fmt 12-16",
            "-",
            "-",
            "-",
            "-",
            "-",
            "tests::it 22-26",
            "tests::it 22-26",
            "tests::it 22-26",
            "tests::it 25-26",
            "tests::it 25-26",
            "-",
        ];
        assert_eq!(map("a.rs", text), expected);
    }

    #[test]
    fn functions_in_a_macro_are_found() {
        let text = "\
proptest! {
    #[test]
    fn holds(x in 0..9) {
        assert!(x < 9);
    }
    fn other() -> R { 1 }
}
fn last() {
    vec![1, 2];
    call!(fn);
}
";
        let expected = [
            "-",
            "-",
            "holds 3-5",
            "holds 3-5",
            "holds 3-5",
            "other 6-6",
            "-",
            "last 8-11",
            "last 8-11",
            "last 8-11",
            "last 8-11",
        ];
        assert_eq!(map("a.rs", text), expected);
    }
}

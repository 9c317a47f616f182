//! Definitions in the parts of a file that do not parse: a brace is missing, a line is half written.
//!
//! In comes a node that the parser left as loose tokens; out go the definitions that begin in it: a keyword
//! and a name, or a name and parameters. Where they end, the text's indentation says, since its braces
//! cannot be trusted.

use super::tree::{declarator_name, text};
use super::{Definition, Joint, Kind, Language};
use tree_sitter::Node;

/// Tokens of a node that are looked at.
const TOKENS_MAX: usize = 10_000;
/// What a line may begin with that is indented like a definition and belongs to it.
const CLOSERS: &[&str] = &["}", ")", "]", "end", "fi", "done"];
const CONTINUES: &[&str] =
    &["{", "#", "//", "else", "elif", "elsif", "catch", "rescue", "ensure", "except", "finally", "where"];

/// The lines of a text and how far each is indented.
pub struct Layout<'text> {
    lines: Vec<(usize, &'text str)>,
}

impl<'text> Layout<'text> {
    /// The layout of `text`.
    pub fn of(text: &'text str) -> Layout<'text> {
        let mut start = 0;
        let lines = text.split_inclusive('\n').map(|line| {
            start += line.len();
            (start - line.len(), line)
        });
        Layout { lines: lines.collect() }
    }

    /// The definition with its end where a line is indented no more than its first.
    pub fn bounded(&self, definition: Definition) -> Definition {
        let first = definition.lines[0];
        if definition.kind == Kind::Scope {
            // What a namespace holds is often not indented.
            return definition;
        }
        let after = usize::try_from(first).unwrap_or(usize::MAX);
        let indent = |line: &str| line.len() - line.trim_start().len();
        let own =
            after.checked_sub(1).and_then(|row| self.lines.get(row)).map_or(0, |(_, line)| indent(line));
        let mut last = after;
        for (row, (_, line)) in self.lines.iter().enumerate().skip(after) {
            let words = line.trim();
            let is_inside = indent(line) > own;
            let closes = begins_with(words, CLOSERS);
            if !words.is_empty() && !is_inside && !closes && !begins_with(words, CONTINUES) {
                break;
            }
            if !words.is_empty() {
                last = row + 1;
            }
            if !words.is_empty() && !is_inside && closes {
                break;
            }
        }
        let end = last.checked_sub(1).and_then(|row| self.lines.get(row));
        let end = end.map_or(definition.bytes.end, |(start, line)| start + line.len());
        Definition { lines: [first, last as u64], bytes: definition.bytes.start..end, ..definition }
    }
}

/// Whether a line begins with one of these, as a word where it is one.
fn begins_with(line: &str, starts: &[&str]) -> bool {
    starts.iter().any(|start| {
        line.strip_prefix(start).is_some_and(|rest| {
            let is_word = start.bytes().all(|byte| byte.is_ascii_alphabetic());
            !is_word || !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        })
    })
}

/// The definitions that begin in `error`, each with its first line only.
pub fn starts(language: &Language, error: Node, above: &[Node], source: &[u8]) -> Vec<Definition> {
    let mut found = Vec::new();
    // The parser may have given a name, or a whole head, to what is before the error.
    let mut seen: Vec<Node> = error.prev_sibling().into_iter().collect();
    if let Some(head) = seen.last().filter(|_| error.child(0).is_some_and(|token| token.kind() == "{")) {
        found.extend((language.definition)(*head, above, source).filter(|head| head.kind == Kind::Function));
    }
    if let Some(last) = seen.pop() {
        seen.extend(last_leaf(last));
    }
    let mut keyword = None;
    let mut walker = error.walk();
    let mut tokens = error.children(&mut walker).take(TOKENS_MAX).peekable();
    while let Some(token) = tokens.next() {
        let is_declared_only = tokens.peek().is_some_and(|next| matches!(next.kind(), ";" | ","));
        let before = |nth: usize| seen.len().checked_sub(nth).and_then(|at| seen.get(at)).copied();
        let name = match token.kind() {
            kind if is_name(kind) => {
                let name = text(token, source)
                    .filter(|name| !language.keywords.iter().any(|(word, _)| word == name));
                if let (Some(kind), Some(name)) = (keyword.take(), name) {
                    let definition = Definition::new(name, kind, token);
                    let end = if kind == Kind::Scope { error.end_byte() } else { token.end_byte() };
                    found.push(Definition { bytes: token.start_byte()..end, ..definition });
                }
                None
            }
            kind if kind.contains("parameter") => before(1).filter(|name| is_name(name.kind())),
            ")" if before(1).is_some_and(|open| open.kind() == "(") => {
                before(2).filter(|name| is_name(name.kind()))
            }
            "{" => before(1)
                .filter(|call| call.end_position().row == token.start_position().row)
                .and_then(called),
            "function_declarator" => {
                declarator_name(token).filter(|_| (language.loose)(error, source).is_empty())
            }
            kind => {
                let begins = language.keywords.iter().find(|(word, _)| *word == kind);
                keyword = begins.map(|(_, kind)| *kind);
                None
            }
        };
        let is_known =
            |name: Node| found.iter().any(|known: &Definition| known.bytes.contains(&name.start_byte()));
        if let Some(name) = name.filter(|name| !is_declared_only && !is_known(*name)) {
            found.extend(text(name, source).map(|text| Definition::function(text, name)));
        }
        seen.push(token);
    }
    found
        .into_iter()
        .map(|definition| match definition.kind {
            Kind::Function if definition.joint == Joint::Separator => definition.joined(language.method),
            _ => definition,
        })
        .collect()
}

fn last_leaf(node: Node) -> Option<Node> {
    let mut node = node;
    while let Some(last) = node.children(&mut node.walk()).filter(|child| !child.is_missing()).last() {
        node = last;
    }
    (!node.is_missing()).then_some(node)
}

/// The name in `name() {`, which reads as a call before a block.
fn called(call: Node) -> Option<Node> {
    let name = match call.kind() {
        "call_expression" | "invocation_expression" => call.child_by_field_name("function"),
        "method_invocation" if call.child_by_field_name("object").is_none() => {
            call.child_by_field_name("name")
        }
        _ => None,
    };
    let arguments = call.child_by_field_name("arguments")?;
    let are_names = arguments.named_children(&mut arguments.walk()).all(|argument| is_name(argument.kind()));
    name.filter(|name| are_names && is_name(name.kind()))
}

fn is_name(kind: &str) -> bool {
    matches!(kind, "identifier" | "name" | "constant" | "word") || kind.ends_with("_identifier")
}

//! Titles of test blocks, as their languages write them in string literals.

use super::tree::text;
use tree_sitter::Node;

/// The title that a literal holds, on one line; `None` for what is no string or is empty.
pub fn title(node: Node, source: &[u8]) -> Option<String> {
    if !node.kind().contains("string") {
        return None;
    }
    title_of(text(node, source)?)
}

/// The title in a literal as it is written, with whatever letters before its quotes.
pub fn title_of(written: &str) -> Option<String> {
    let quotes = |c: char| matches!(c, '"' | '\'' | '`');
    let mut inside = written.trim().trim_start_matches(|c: char| c.is_ascii_alphabetic());
    // Three quotes as well as one.
    while let Some(shorter) = inside.strip_prefix(quotes).and_then(|rest| rest.strip_suffix(quotes)) {
        inside = shorter;
        if !inside.starts_with(quotes) || !inside.ends_with(quotes) || inside.ends_with("\\\"") {
            break;
        }
    }
    let mut title = String::with_capacity(inside.len());
    let mut chars = inside.chars().peekable();
    while let Some(c) = chars.next() {
        let escaped = chars.peek().is_some_and(|&next| quotes(next) || next == '\\');
        match c {
            '\\' if escaped => title.extend(chars.next()),
            c if c.is_whitespace() => {
                if !title.ends_with(' ') {
                    title.push(' ');
                }
            }
            c => title.push(c),
        }
    }
    let title = title.trim();
    (!title.is_empty()).then(|| title.to_owned())
}

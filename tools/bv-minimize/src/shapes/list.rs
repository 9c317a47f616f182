//! Items with a separator after or between them.
//!
//! In: bytes and the separator. Out: a tree of one level.

use super::tree::{Kind, Node, Text, Tree};

/// The items between the separators; a last one at the end ends the last item.
pub(crate) fn parse(bytes: &[u8], separator: u8) -> Tree {
    let (body, tail) = match bytes.strip_suffix(&[separator]) {
        Some(body) => (body, Text::from([separator].as_slice())),
        None => (bytes, Text::default()),
    };
    let mut nodes = vec![Node::scalar(Kind::Lines(separator), b"")];
    nodes.extend(body.split(|&b| b == separator).map(|item| Node::scalar(Kind::Raw, item)));
    nodes[0].span = nodes.len();
    Tree { nodes, tail }
}

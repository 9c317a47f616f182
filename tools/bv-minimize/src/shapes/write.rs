//! A tree into bytes: JSON without blanks, CSV with the quotes that are needed.
//!
//! In: a tree. Out: the candidate's bytes.

use super::tree::{Kind, Node, Tree};

/// A container that is being written.
struct Open {
    kind: Kind,
    /// Past its last node.
    end: usize,
    /// Where its text begins in what was written.
    from: usize,
    /// Whether nothing was written into it yet.
    empty: bool,
}

/// The bytes of a tree.
pub(crate) fn tree(tree: &Tree) -> Vec<u8> {
    let mut out = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    for (at, node) in tree.nodes.iter().enumerate() {
        while let Some(done) = open.pop_if(|top| at >= top.end) {
            close(&mut out, &done);
        }
        if let Some(top) = open.last_mut() {
            if !std::mem::take(&mut top.empty) {
                out.push(separator(top.kind));
            }
            if top.kind == Kind::Object {
                string(&mut out, node.key.as_deref().unwrap_or_default());
                out.push(b':');
            }
        }
        let fields = open.last().map_or(b',', |top| separator(top.kind));
        begin(&mut out, node, fields);
        if node.is_container() {
            open.push(Open { kind: node.kind, end: at + node.span, from: out.len(), empty: true });
        }
    }
    while let Some(done) = open.pop() {
        close(&mut out, &done);
    }
    out.extend_from_slice(&tree.tail);
    out
}

/// What stands between two nodes of a container.
fn separator(kind: Kind) -> u8 {
    match kind {
        Kind::Lines(separator) | Kind::Record(separator) => separator,
        _ => b',',
    }
}

/// A scalar, or the opening of a container. `fields` stands between the fields of the record around.
fn begin(out: &mut Vec<u8>, node: &Node, fields: u8) {
    match node.kind {
        Kind::Object => out.push(b'{'),
        Kind::Array => out.push(b'['),
        Kind::Quoted | Kind::Lines(_) | Kind::Record(_) => {}
        Kind::String => string(out, &node.text),
        Kind::Field => field(out, &node.text, fields),
        Kind::Number | Kind::Word | Kind::Raw => out.extend_from_slice(&node.text),
    }
}

fn close(out: &mut Vec<u8>, done: &Open) {
    match done.kind {
        Kind::Object => out.push(b'}'),
        Kind::Array => out.push(b']'),
        Kind::Quoted => {
            let inner = out.split_off(done.from);
            string(out, &inner);
        }
        _ => {}
    }
}

/// A JSON string. Only what must be escaped is; three bytes that are a surrogate become one again.
fn string(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'"');
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        match (byte, after) {
            (b'"' | b'\\', _) => out.extend_from_slice(&[b'\\', byte]),
            (b'\n', _) => out.extend_from_slice(b"\\n"),
            (b'\r', _) => out.extend_from_slice(b"\\r"),
            (b'\t', _) => out.extend_from_slice(b"\\t"),
            (8, _) => out.extend_from_slice(b"\\b"),
            (12, _) => out.extend_from_slice(b"\\f"),
            (..0x20, _) => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            (0xED, [second @ 0xA0..=0xBF, third, tail @ ..]) => {
                let unit = 0xD000 | u32::from(second & 0x3F) << 6 | u32::from(third & 0x3F);
                out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
                rest = tail;
                continue;
            }
            _ => out.push(byte),
        }
        rest = after;
    }
    out.push(b'"');
}

/// A CSV field, in quotes where it could not be read back without.
fn field(out: &mut Vec<u8>, text: &[u8], separator: u8) {
    if text.iter().any(|&b| b == separator || matches!(b, b'"' | b'\n' | b'\r')) {
        out.push(b'"');
        for &byte in text {
            out.push(byte);
            if byte == b'"' {
                out.push(byte);
            }
        }
        out.push(b'"');
    } else {
        out.extend_from_slice(text);
    }
}

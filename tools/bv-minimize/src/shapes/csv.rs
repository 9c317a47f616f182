//! Records of fields (RFC 4180), with commas, semicolons, tabs or bars between them.
//!
//! In: bytes. Out: a tree of lines of records; nothing where there is no separator at all or a quote is never closed.

use super::tree::{Kind, Node, Text, Tree};

/// Takes the table apart by the separator that makes the most records as wide as the first.
pub(crate) fn parse(bytes: &[u8]) -> Option<Tree> {
    let even = |tree: &Tree| {
        let widths: Vec<usize> = tree.children(0).map(|record| tree.nodes[record].span).collect();
        let first = widths.first().copied().unwrap_or(0);
        // A lone field a record is no separator found.
        if first <= 2 { 0 } else { widths.iter().filter(|&&width| width == first).count() }
    };
    // The last of equals is the greatest: the comma.
    let tables = b"|\t;,".iter().filter_map(|&separator| table(bytes, separator));
    let best = tables.filter(|table| even(table) > 0).max_by_key(even);
    best.or_else(|| table(bytes, b','))
}

fn table(bytes: &[u8], separator: u8) -> Option<Tree> {
    let mut nodes = vec![Node::scalar(Kind::Lines(b'\n'), b"")];
    let mut rest = bytes;
    while !rest.is_empty() {
        let record = nodes.len();
        nodes.push(Node::scalar(Kind::Record(separator), b""));
        loop {
            let (field, after) = field(rest, separator)?;
            nodes.push(Node::scalar(Kind::Field, &field));
            rest = after;
            match rest.split_first() {
                Some((&byte, after)) if byte == separator => rest = after,
                _ => break,
            }
        }
        nodes[record].span = nodes.len() - record;
        rest = rest.strip_prefix(b"\r\n").or(rest.strip_prefix(b"\n")).unwrap_or(rest);
    }
    nodes[0].span = nodes.len();
    Some(Tree { nodes, tail: Text::default() })
}

/// One field, and what follows it: a separator, a line's end or nothing.
fn field(bytes: &[u8], separator: u8) -> Option<(Vec<u8>, &[u8])> {
    let Some(mut rest) = bytes.strip_prefix(b"\"") else {
        let end = bytes.iter().position(|&b| b == separator || b == b'\n').unwrap_or(bytes.len());
        let (field, rest) = bytes.split_at(end);
        let carried = rest.starts_with(b"\n") && field.ends_with(b"\r");
        let end = if carried { end - 1 } else { end };
        return Some((bytes[..end].to_vec(), &bytes[end..]));
    };
    let mut text = Vec::new();
    loop {
        let quote = rest.iter().position(|&b| b == b'"')?;
        text.extend_from_slice(&rest[..quote]);
        rest = &rest[quote + 1..];
        match rest.strip_prefix(b"\"") {
            Some(after) => {
                text.push(b'"');
                rest = after;
            }
            None => {
                let ends = rest.is_empty()
                    || rest[0] == separator
                    || rest.starts_with(b"\n")
                    || rest.starts_with(b"\r\n");
                return ends.then_some((text, rest));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Form;

    fn check(input: &str, expected: Option<&str>) {
        let written = parse(input.as_bytes()).map(|tree| String::from_utf8_lossy(&tree.bytes()).into_owned());
        assert_eq!(written.as_deref(), expected, "{input}");
    }

    #[test]
    fn what_is_read_is_written() {
        check("a,b\r\n1,\"x,\"\"y\"\"\"\r\n", Some("a,b\n1,\"x,\"\"y\"\"\""));
        check("a;b\n\"1,5\";2\n", Some("a;b\n1,5;2"));
        check("a,b\n\"1\n2\",", Some("a,b\n\"1\n2\","));
        check("a\n\"0,0\"", Some("a\n\"0,0\""));
        check("a,\"b", None);
        check("", Some(""));
    }
}

//! A document as a tree: JSON, lines of JSON, records of fields, lists of items.
//!
//! In: the nodes in the order in which they are written, each with the size of what lies under it. Out: trees
//! with some nodes changed, and the bytes. A flat list instead of boxes: any depth of nesting is walked without
//! recursion, and a changed tree is one copy.

use crate::search::Form;
use std::rc::Rc;

/// The bytes of a name or a scalar.
pub(crate) type Text = Rc<[u8]>;

/// What a node is, and with it how it is written.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Hash, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// `{"key":node,...}`
    Object,
    /// `[node,...]`
    Array,
    /// A JSON string whose content is the JSON text of the one node in it.
    Quoted,
    /// Nodes with a separator between them: the lines of a file.
    Lines(u8),
    /// The fields of one CSV record, with this separator between them.
    Record(u8),
    /// A JSON string; its text without the escapes, lone surrogates as three bytes each.
    String,
    /// A JSON number as it was spelt.
    Number,
    /// `true`, `false` or `null`.
    Word,
    /// One CSV field without its quotes.
    Field,
    /// Bytes that are written as they are.
    Raw,
}

/// One node; what lies under it follows it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Node {
    /// How it is written.
    pub kind: Kind,
    /// The name of a member of an object, without the escapes.
    pub key: Option<Text>,
    /// A scalar's text; empty for a container.
    pub text: Text,
    /// How many nodes it is, itself and everything under it.
    pub span: usize,
}

impl Node {
    /// A scalar without a name.
    pub fn scalar(kind: Kind, text: &[u8]) -> Self {
        Self { kind, key: None, text: text.into(), span: 1 }
    }

    /// Whether other nodes may lie under it.
    pub fn is_container(&self) -> bool {
        matches!(self.kind, Kind::Object | Kind::Array | Kind::Quoted | Kind::Lines(_) | Kind::Record(_))
    }
}

/// A document.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Tree {
    /// Preorder; the first is the whole.
    pub nodes: Vec<Node>,
    /// What follows the document: a last newline or nothing.
    pub tail: Text,
}

/// What becomes of one node.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    /// It goes, with everything under it.
    Drop,
    /// These nodes take its place; it keeps its name.
    Put(Vec<Node>),
    /// A scalar gets another text.
    Text(Text),
    /// A member gets another name.
    Key(Text),
    /// A member gets this name and this text.
    Both(Text),
}

/// Changes by node, in the order of the nodes; at most one each.
pub(crate) type Changes = Vec<(usize, Change)>;

/// Where a node of the old tree lies in the new one.
pub(crate) type Moved = Vec<Option<usize>>;

impl Tree {
    /// The indexes of the nodes directly under `at`.
    pub fn children(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let end = at + self.nodes[at].span;
        let mut next = at + 1;
        std::iter::from_fn(move || {
            let child = next;
            (child < end).then(|| {
                next += self.nodes[child].span;
                child
            })
        })
    }

    /// For each node the one that it lies directly under; the first node's is itself.
    pub fn parents(&self) -> Vec<usize> {
        let mut parents = vec![0; self.nodes.len()];
        let mut open: Vec<usize> = Vec::new();
        for (at, parent) in parents.iter_mut().enumerate() {
            while open.last().is_some_and(|&top| at >= top + self.nodes[top].span) {
                open.pop();
            }
            *parent = open.last().copied().unwrap_or(0);
            if self.nodes[at].span > 1 {
                open.push(at);
            }
        }
        parents
    }

    /// The nodes under the one that `at` lies under, itself too.
    pub fn siblings(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let parent = (0..at).rev().find(|&above| at < above + self.nodes[above].span).unwrap_or(at);
        self.children(parent)
    }

    /// About how many bytes each node is written in, its name included.
    pub fn sizes(&self) -> Vec<usize> {
        let parents = self.parents();
        let own = |node: &Node| 2 + node.text.len() + node.key.as_ref().map_or(0, |key| key.len() + 3);
        let mut sizes: Vec<usize> = self.nodes.iter().map(own).collect();
        for at in (1..sizes.len()).rev() {
            sizes[parents[at]] += sizes[at];
        }
        sizes
    }

    /// The tree with the last newline of the input, or whatever ended its last item.
    pub fn ended_as(mut self, input: &[u8]) -> Self {
        if self.tail.is_empty() && input.ends_with(b"\n") {
            self.tail = b"\n".as_slice().into();
        }
        self
    }

    /// The nodes of `at` and under it, for another place.
    pub fn cut(&self, at: usize) -> Vec<Node> {
        self.nodes[at..at + self.nodes[at].span].to_vec()
    }

    /// The tree with `changes`, which are in the order of the nodes. A change under a node that goes is void.
    pub fn with(&self, changes: &[(usize, Change)]) -> Self {
        self.moved(changes).0
    }

    /// As [`with`](Tree::with), and where each node went.
    pub fn moved(&self, changes: &[(usize, Change)]) -> (Self, Moved) {
        let mut new = Vec::with_capacity(self.nodes.len());
        let mut moved = vec![None; self.nodes.len()];
        let mut open: Vec<(usize, usize)> = Vec::new();
        let mut changes = changes.iter().peekable();
        let mut at = 0;
        while at < self.nodes.len() {
            close(&mut open, &mut new, |end| at >= end);
            while changes.next_if(|(node, _)| *node < at).is_some() {}
            let node = &self.nodes[at];
            let change = changes.next_if(|(node, _)| *node == at).map(|(_, change)| change);
            if let Some(Change::Drop) = change {
                at += node.span;
                continue;
            }
            moved[at] = Some(new.len());
            if let Some(Change::Put(nodes)) = change {
                let first = new.len();
                new.extend_from_slice(nodes);
                if let Some(put) = new.get_mut(first) {
                    put.key.clone_from(&node.key);
                }
                at += node.span;
                continue;
            }
            if node.span > 1 {
                open.push((new.len(), at + node.span));
            }
            let mut node = node.clone();
            match change {
                Some(Change::Text(text)) => node.text = Rc::clone(text),
                Some(Change::Key(key)) => node.key = Some(Rc::clone(key)),
                Some(Change::Both(text)) => {
                    node.key = Some(Rc::clone(text));
                    node.text = Rc::clone(text);
                }
                _ => {}
            }
            new.push(node);
            at += 1;
        }
        close(&mut open, &mut new, |_| true);
        (Self { nodes: new, tail: Rc::clone(&self.tail) }, moved)
    }
}

/// Sets the span of each open node whose end was reached.
fn close(open: &mut Vec<(usize, usize)>, nodes: &mut [Node], ended: impl Fn(usize) -> bool) {
    let count = nodes.len();
    while let Some((first, _)) = open.pop_if(|(_, end)| ended(*end)) {
        nodes[first].span = count - first;
    }
}

impl Form for Tree {
    fn bytes(&self) -> Vec<u8> {
        super::write::tree(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::json;

    fn check(input: &str, changes: &[(usize, Change)], expected: &str) {
        let tree = json::parse(input.as_bytes()).expect("JSON");
        let new = tree.with(changes);
        assert_eq!(String::from_utf8_lossy(&new.bytes()), expected);
        let again = json::parse(&new.bytes()).expect("JSON");
        assert_eq!(new.nodes, again.nodes, "spans of {expected}");
    }

    #[test]
    fn changes_leave_a_whole_tree() {
        let input = r#"{"a":[1,[2,3],{}],"b":"x"}"#;
        let number = || Change::Put(vec![Node::scalar(Kind::Number, b"0")]);
        check(input, &[], input);
        check(input, &[(1, Change::Drop)], r#"{"b":"x"}"#);
        check(input, &[(3, Change::Drop), (4, Change::Drop), (6, number())], r#"{"a":[1,0],"b":"x"}"#);
        check(
            input,
            &[(1, Change::Key(b"".as_slice().into())), (2, number())],
            r#"{"":[0,[2,3],{}],"b":"x"}"#,
        );
        check(input, &[(0, number())], "0");
    }
}

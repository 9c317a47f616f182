//! Python: functions and classes, named as `__qualname__` does without its `<locals>`.

use super::tree::field;
use super::{Definition, Kind, Language};
use tree_sitter::Node;

/// Python's definitions.
pub const LANGUAGE: Language = Language {
    is_lead: |node| node.kind() == "decorator",
    keywords: &[("def", Kind::Function), ("class", Kind::Type)],
    ..Language::new(&["py", "pyi"], || tree_sitter_python::LANGUAGE.into(), definition)
};

fn definition(node: Node, _: &[Node], source: &[u8]) -> Option<Definition> {
    let kind = match node.kind() {
        "function_definition" => Kind::Function,
        "class_definition" => Kind::Type,
        _ => return None,
    };
    Some(Definition::new(field(node, "name", source)?, kind, node))
}

#[cfg(test)]
mod tests {
    use super::super::table::tests::map;

    #[test]
    fn a_line_belongs_to_the_innermost_function() {
        let text = "\
import os

@cache
def top(a,
        b):
    def inner():
        return 1

    return inner

class Box:
    size = 1

    @property
    def wide(self):
        '''Doc.'''
        return self.size

    async def load(self): return 2

print(Box)
";
        let expected = [
            "-",
            "-",
            "top 3-9",
            "top 4-9",
            "top 4-9",
            "top.inner 6-7",
            "top.inner 6-7",
            "top 4-9",
            "top 4-9",
            "-",
            "Box 11-19",
            "Box 11-19",
            "Box 11-19",
            "Box.wide 14-17",
            "Box.wide 15-17",
            "Box.wide 15-17",
            "Box.wide 15-17",
            "Box 11-19",
            "Box.load 19-19",
            "-",
            "-",
        ];
        assert_eq!(map("a.py", text), expected);
    }
}

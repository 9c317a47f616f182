//! Where functions and global names stand in a source, for errors that name a line only, or a name only.

use super::tokens::{Kind, Token, tokens};

/// What stands where in a preprocessed source.
#[derive(Debug, Default)]
pub struct Places {
    functions: Vec<Function>,
    /// Global names that are no functions, with the line of each declaration.
    globals: Vec<(String, u32)>,
    /// Structure or block, and member, of each member that is `bool` or a vector of it.
    booleans: Vec<(String, String)>,
    /// The first global that is `out` without `layout`.
    plain_output: Option<String>,
}

#[derive(Debug)]
struct Function {
    name: String,
    first: u32,
    last: u32,
}

impl Places {
    /// Reads a source. Any text will do; a function without an end goes to the end of the text.
    pub fn read(text: &str) -> Self {
        let mut places = Self::default();
        let mut depth = 0_usize;
        let mut statement: Vec<Token<'_>> = Vec::new();
        let mut open: Option<(String, u32)> = None;
        let mut last = 1;
        for token in tokens(text).filter(|token| token.kind != Kind::Directive) {
            last = token.line;
            match token.text {
                "{" => {
                    if depth == 0 {
                        open = function_head(&statement);
                        statement.push(token);
                    }
                    depth += 1;
                }
                "}" => {
                    depth = depth.saturating_sub(1);
                    if depth > 0 {
                        continue;
                    }
                    if let Some((name, first)) = open.take() {
                        places.functions.push(Function { name, first, last });
                        statement.clear();
                    } else {
                        statement.push(token);
                    }
                }
                ";" if depth == 0 => {
                    places.declare(&statement);
                    statement.clear();
                }
                // Members of a block without an instance are global names; those of structures do no harm.
                _ if depth == 0 || (depth == 1 && open.is_none()) => statement.push(token),
                _ => {}
            }
        }
        if let Some((name, first)) = open {
            places.functions.push(Function { name, first, last });
        }
        places
    }

    /// The function that a line lies in.
    pub fn function(&self, line: u32) -> Option<&str> {
        let found = self.functions.iter().find(|function| (function.first..=function.last).contains(&line));
        found.map(|function| function.name.as_str())
    }

    /// The line that declares a global name or defines a function.
    pub fn declared(&self, name: &str) -> Option<u32> {
        let global = self.globals.iter().find(|(known, _)| known == name).map(|(_, line)| *line);
        global.or_else(|| Some(self.functions.iter().find(|function| function.name == name)?.first))
    }

    /// Structure or block, and member, of each member that is `bool` or a vector of it.
    pub fn booleans(&self) -> &[(String, String)] {
        &self.booleans
    }

    /// The first output that has no location.
    pub fn output_without_location(&self) -> Option<&str> {
        self.plain_output.as_deref()
    }

    fn declare(&mut self, statement: &[Token<'_>]) {
        let has = |word: &str| statement.iter().any(|token| token.text == word);
        if self.plain_output.is_none() && has("out") && !has("layout") && !has("(") {
            let name = statement.iter().rev().find(|token| token.kind == Kind::Identifier);
            self.plain_output = name.map(|token| token.text.to_owned());
        }
        let mut container = "";
        let mut boolean = false;
        for pair in statement.windows(2) {
            match (pair[0].text, pair[1].text) {
                (name, "{") => container = name,
                ("bool" | "bvec2" | "bvec3" | "bvec4", _) => boolean = true,
                (";", _) => boolean = false,
                _ => {}
            }
            if boolean && pair[1].kind == Kind::Identifier {
                self.booleans.push((container.to_owned(), pair[1].text.to_owned()));
            }
        }
        for token in statement.iter().filter(|token| token.kind == Kind::Identifier) {
            self.globals.push((token.text.to_owned(), token.line));
        }
    }
}

/// The name and first line of a function whose body begins behind these words; absent for a structure or a block.
fn function_head(statement: &[Token<'_>]) -> Option<(String, u32)> {
    // WGSL says that a function follows, and may say its type behind the parameters.
    if let Some(at) = statement.iter().position(|token| token.text == "fn") {
        return Some((statement.get(at + 1)?.text.to_owned(), statement[0].line));
    }
    let (closing, opening) = (statement.last()?, statement.iter().position(|token| token.text == "(")?);
    let name = statement.get(opening.checked_sub(1)?)?;
    let is_head = closing.text == ")" && name.kind == Kind::Identifier && name.text != "layout";
    is_head.then(|| (name.text.to_owned(), statement[0].line))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
uniform vec2 u_a, u_b;
layout(std140) uniform Block { vec4 member; } instance;
struct S {
  float x;
};
float add(float a,
          float b)
{
  if (a > b) { return a; }
  return a + b;
}

void main() { add(1.0, 2.0); }
void open() {
";

    #[test]
    fn functions_by_line() {
        let places = Places::read(TEXT);
        let check = |line, expected: Option<&str>| assert_eq!(places.function(line), expected, "line {line}");
        check(1, None);
        check(4, None);
        check(6, Some("add"));
        check(9, Some("add"));
        check(11, Some("add"));
        check(12, None);
        check(13, Some("main"));
        check(14, Some("open"));
    }

    #[test]
    fn booleans_by_container() {
        let places =
            Places::read("uniform B { bool a, b; float c; bvec2 d[2]; } i;\nstruct S { int x; bool y; };");
        let found: Vec<_> = places.booleans().iter().map(|(of, name)| (of.as_str(), name.as_str())).collect();
        assert_eq!(found, [("B", "a"), ("B", "b"), ("B", "d"), ("S", "y")]);
    }

    #[test]
    fn declarations_by_name() {
        let places = Places::read(TEXT);
        let check = |name, expected: Option<u32>| assert_eq!(places.declared(name), expected, "{name}");
        check("u_b", Some(1));
        check("Block", Some(2));
        check("member", Some(2));
        check("instance", Some(2));
        check("add", Some(6));
        check("main", Some(13));
        check("a", None);
    }
}

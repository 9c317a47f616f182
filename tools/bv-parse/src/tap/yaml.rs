//! The YAML block below a test: the part of YAML that TAP producers write.
//!
//! Keys with scalars, quoted or block ones, and maps, which are kept as text and their keys as `outer.inner`.
//! Vitest lets a quoted string go on over lines as they are.

use serde_json::{Map, Value};

/// Text kept of one block.
const BLOCK_BYTES_MAX: usize = 256 << 10;

/// A block that is being read.
#[derive(Debug, Default)]
pub struct Block {
    indent: usize,
    lines: Vec<String>,
    bytes: usize,
    /// A quoted string is open.
    quoted: bool,
}

impl Block {
    /// Begins with `---` at this indentation.
    pub fn new(indent: usize) -> Block {
        Block { indent, ..Block::default() }
    }

    /// Takes a line; `false` when it was the last (`...`).
    pub fn line(&mut self, line: &str) -> bool {
        let text = line.trim_start_matches(' ');
        let indent = line.len() - text.len();
        if !self.quoted && text.trim_end() == "..." && indent <= self.indent {
            return false;
        }
        if self.bytes + line.len() < BLOCK_BYTES_MAX {
            self.bytes += line.len();
            // What stands in an open string keeps its place.
            let cut = if self.quoted { 0 } else { self.indent.min(indent) };
            self.lines.push(line[cut..].to_owned());
            self.quoted = if self.quoted { !closes(line) } else { opens(text) };
        }
        true
    }

    /// The block's fields.
    pub fn fields(&self) -> Fields {
        let mut fields = Fields::default();
        // Deno writes JSON, which is YAML too.
        if self.lines.first().is_some_and(|line| line.trim_start().starts_with('{'))
            && let Ok(Value::Object(map)) = serde_json::from_str(&self.lines.join("\n"))
        {
            fields.object(&map, "");
            return fields;
        }
        fields.read(&self.lines.iter().map(String::as_str).collect::<Vec<_>>(), "");
        fields
    }
}

/// Whether a line opens a double-quoted string that it does not close.
fn opens(text: &str) -> bool {
    text.split_once(": ")
        .is_some_and(|(key, value)| is_key(key) && value.starts_with('"') && !closes(&value[1..]))
}

/// Whether a quote that is not escaped ends the line.
fn closes(text: &str) -> bool {
    text.trim_end().strip_suffix('"').is_some_and(|text| !text.ends_with('\\'))
}

fn is_key(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
}

/// Keys and values in their order.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Fields(Vec<(String, String)>);

impl Fields {
    /// The value of a key; that of one inside a map by `outer.inner`.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(found, _)| found == key).map(|(_, value)| value.as_str())
    }

    /// The first of these keys that has a value.
    pub fn any(&self, keys: &[&str]) -> Option<&str> {
        keys.iter().find_map(|key| self.get(key))
    }

    fn object(&mut self, map: &Map<String, Value>, outer: &str) {
        for (key, value) in map {
            let name = if outer.is_empty() { key.clone() } else { format!("{outer}.{key}") };
            match value {
                Value::Object(inner) if outer.is_empty() => self.object(inner, key),
                Value::String(text) => self.0.push((name, text.clone())),
                value => self.0.push((name, value.to_string())),
            }
        }
    }

    fn read(&mut self, lines: &[&str], outer: &str) {
        let mut at = 0;
        while at < lines.len() {
            let line = lines[at];
            at += 1;
            let indent = indent_of(line);
            // QUnit aligns its keys.
            let pair = line.trim().split_once(':').map(|(key, value)| (key.trim_end(), value));
            let Some((key, value)) = pair.filter(|(key, _)| is_key(key)) else { continue };
            let value = value.trim();
            let more = lines[at..]
                .iter()
                .take_while(|next| indent_of(next) > indent || next.trim().is_empty())
                .count();
            let name = if outer.is_empty() { key.to_owned() } else { format!("{outer}.{key}") };
            if value.starts_with('"') && !(value.len() > 1 && closes(&value[1..])) {
                let end =
                    lines[at..].iter().position(|next| closes(next)).map_or(lines.len(), |end| at + end + 1);
                let text = std::iter::once(value)
                    .chain(lines[at..end].iter().copied())
                    .collect::<Vec<_>>()
                    .join("\n");
                at = end;
                self.0.push((name, scalar(&text)));
            } else if value.is_empty() || value.starts_with(['|', '>']) {
                let text = dedented(&lines[at..at + more]);
                if value.is_empty() && outer.is_empty() {
                    self.read(&lines[at..at + more], key);
                }
                at += more;
                self.0.push((name, text));
            } else {
                at += more;
                self.0.push((name, scalar(value)));
            }
        }
    }
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Lines without their common indentation, and without blank lines at the end.
fn dedented(lines: &[&str]) -> String {
    let common =
        lines.iter().filter(|line| !line.trim().is_empty()).map(|line| indent_of(line)).min().unwrap_or(0);
    let text: Vec<&str> = lines.iter().map(|line| line.get(common..).unwrap_or_default()).collect();
    text.join("\n").trim_end().to_owned()
}

/// A scalar without its quotes.
fn scalar(text: &str) -> String {
    if let Some(inside) = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')) {
        return inside.replace("''", "'");
    }
    if let Some(inside) = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        return inside.replace("\\\"", "\"").replace("\\n", "\n");
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks() {
        let lines = [
            "  error: |-",
            "    Expected values to be strictly equal:",
            "    ",
            "    1.18 !== 1.19",
            "    ",
            "  name: 'It''s'",
            "  expected:",
            "    country: 'DE'",
            "    lines:",
            "      0: 'mug'",
            "  actual: 1.18",
            "  at: \"/w/a.js:1:2\"",
            "  long: \"{",
            "  \\\"a\\\": 1,",
            "...",
            "}\"",
            "  last: yes",
        ];
        let mut block = Block::new(2);
        assert!(lines.iter().all(|line| block.line(line)));
        assert!(!block.line("  ..."));
        let fields = block.fields();
        let want = [
            ("error", "Expected values to be strictly equal:\n\n1.18 !== 1.19"),
            ("name", "It's"),
            ("expected.country", "DE"),
            ("expected", "country: 'DE'\nlines:\n  0: 'mug'"),
            ("actual", "1.18"),
            ("at", "/w/a.js:1:2"),
            ("long", "{\n  \"a\": 1,\n...\n}"),
            ("last", "yes"),
        ];
        for (key, value) in want {
            assert_eq!(fields.get(key), Some(value), "{key}");
        }
    }
}

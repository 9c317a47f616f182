//! The excerpt of the source that a runner prints beside an error: which lines are such, and the line that it
//! points at.

use super::stack::Frame;

/// The source line that an excerpt points at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    line: u64,
    text: String,
}

impl Excerpt {
    /// The line's number and text.
    pub fn new(line: u64, text: &str) -> Excerpt {
        Excerpt { line, text: text.to_owned() }
    }

    /// The pointed line of Babel's excerpt, which Jest prints: `> 11 |   source`.
    pub fn pointed(line: &str) -> Option<Excerpt> {
        let (number, text) = line.trim_start().strip_prefix('>')?.split_once('|')?;
        Some(Excerpt::new(number.trim().parse().ok()?, text.strip_prefix(' ').unwrap_or(text)))
    }

    /// Whether this very name stands at the frame's place.
    pub fn stands_at(&self, frame: &Frame, name: &str) -> bool {
        let Some(column) = frame.column.and_then(|column| usize::try_from(column).ok()) else { return false };
        if frame.line != self.line || column == 0 {
            return false;
        }
        let is_word = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '$');
        let word: String = self.text.chars().skip(column - 1).take_while(is_word).collect();
        word == name
    }
}

/// Whether a line belongs to an excerpt: `> 11 |   source`, `  12 | source`, `     |   ^`, `   35| source`.
pub fn is_excerpt(line: &str) -> bool {
    let text = line.trim_start();
    let text = text.strip_prefix('>').unwrap_or(text).trim_start();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let Some(after) = text[digits..].trim_start().strip_prefix('|') else { return false };
    // Without a number only a pointer is one.
    digits > 0 || after.trim().bytes().all(|b| b == b'^') && !after.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts() {
        for (line, want) in [
            ("    > 11 |   throw new Error();", true),
            ("      12 |", true),
            ("         |         ^", true),
            ("     35| describe(", true),
            ("       |                     ^", true),
            ("  | a | table |", false),
            ("1 !== 2", false),
            ("at f (a.js:1:2)", false),
            ("", false),
        ] {
            assert_eq!(is_excerpt(line), want, "{line}");
        }
        assert_eq!(Excerpt::pointed("  > 11 |   throw x;"), Some(Excerpt::new(11, "  throw x;")));
        assert_eq!(Excerpt::pointed("    11 |   throw x;"), None);
    }
}

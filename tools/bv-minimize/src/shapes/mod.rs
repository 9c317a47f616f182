//! What kinds of input there are, and which one a file holds.
//!
//! In: bytes and, where there is one, the file's name. Out: a [`Shape`]. Whatever its shape promises,
//! an input that does not keep it (broken JSON, uneven CSV) is reduced as text.

mod csv;
mod json;
mod list;
pub(crate) mod text;
mod tree;
mod write;

pub(crate) use json::is_number;
pub(crate) use tree::{Change, Changes, Kind, Moved, Node, Text, Tree};

/// How an input is taken apart.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Shape {
    /// One JSON value.
    Json,
    /// A JSON value a line.
    Ndjson,
    /// Records of fields with commas between, quoted where needed.
    Csv,
    /// Arguments, one a line; each is made shorter too.
    Lines,
    /// Arguments, each ended by a NUL byte; each is made shorter too.
    Nul,
    /// Names, one a line, which stay or go as wholes.
    List,
    /// Anything else, source code too.
    Text,
}

impl Shape {
    /// The input taken apart; nothing where it is text, or is not what the shape promises.
    pub(crate) fn parse(self, input: &[u8]) -> Option<Tree> {
        match self {
            Self::Json => json::parse(input),
            Self::Ndjson => json::parse_lines(input),
            Self::Csv => csv::parse(input),
            Self::Lines | Self::List => Some(list::parse(input, b'\n')),
            Self::Nul => Some(list::parse(input, 0)),
            Self::Text => None,
        }
    }

    /// The shape of a file by the end of its name, without the dot, and by what it holds.
    pub fn of(extension: Option<&str>, bytes: &[u8]) -> Self {
        let extension = extension.unwrap_or_default().to_ascii_lowercase();
        match extension.as_str() {
            "json" => Self::Json,
            "ndjson" | "jsonl" => Self::Ndjson,
            "csv" | "tsv" => Self::Csv,
            "" if bytes.trim_ascii_start().first().is_some_and(|b| b"{[".contains(b)) => Self::Json,
            _ => Self::Text,
        }
    }
}
